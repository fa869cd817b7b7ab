"""Which tokenizer.json files take a text word by word, and what becomes of a character.

In: the steps of a tokenizer. Out: `WordRules`, or None for a file whose steps look beyond a word: then a text is taken
as a whole. All of it is decided from what the steps are and do to single characters; where that says nothing, the
answer is no.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, reduce

import regex

from engine.huggingface import normalizers, pre_tokenizers
from engine.huggingface.aligned_text import AlignedText
from engine.huggingface.characters import WHITE_SPACE
from engine.huggingface.normalizers import CharacterMap, NormalizerStep, Precompiled, Replace, Strip, UnicodeForm
from engine.huggingface.pre_tokenizers import WHITESPACE_SPLIT, Metaspace, PreTokenizerStep
from engine.huggingface.tokenizer import Tokenizer
from engine.kernels.packed_trie import FOLLOWS, IS_RULE
from engine.normalizer import SPACE_MARKER

_SEPARATOR = regex.compile(f"[{WHITE_SPACE}{SPACE_MARKER}]")
_CLUSTER = regex.compile(r"\X")
_SEVERAL_SPACES = " {2,}"
_STRIP_ACCENTS = CharacterMap("StripAccents")
_HAS_ODD_SPACES = regex.compile(rf"\A[{WHITE_SPACE}]|[{WHITE_SPACE}]\Z|  |\A\Z")


@dataclass(frozen=True)
class WordRules:
    """How a tokenizer treats one word of a text, the words being what stands between spaces.

    A text is its words where none of them `may_reach_out`; with `needs_single_spaces` also only where no space begins
    or ends it or follows another one. `steps` are the normalizer's that do anything then, `tokens` the added tokens as
    they are looked for.
    """

    steps: tuple[NormalizerStep, ...]
    tokens: tuple[str, ...]
    needs_single_spaces: bool

    @classmethod
    def of(cls, tokenizer: Tokenizer) -> WordRules | None:
        """Return the rules of a tokenizer, None where it does not go word by word."""
        steps = tuple(_normalizer_steps(tokenizer.normalizer))
        inert = [step for step in steps if _is_inert(step)]
        local = tuple(step for step in steps if step not in inert)
        splits_at_spaces = _pre_tokenizer_steps(tokenizer.pre_tokenizer)[:1] == [WHITESPACE_SPLIT]
        keeps_spaces = all(step(AlignedText.of(" ")).text == " " for step in local)
        if not keeps_spaces or not all(map(_is_local, local)) or not _is_word_by_word(tokenizer.pre_tokenizer):
            return None
        tokens = tuple(content for _, content in tokenizer.looked_for if content)
        return cls(local, tokens, bool(inert) or not splits_at_spaces)

    @cached_property
    def _replaced(self) -> frozenset[str]:
        """The characters of all patterns that are replaced."""
        return frozenset("".join(step.pattern for step in self.steps if isinstance(step, Replace)))

    @cached_property
    def _leads(self) -> frozenset[str]:
        """The characters that an added token may begin with."""
        return frozenset(token[0] for token in self.tokens)

    @cached_property
    def _token(self) -> re.Pattern[str]:
        """Where an added token stands in a word; of one that holds a space, where it may begin."""
        alone = (re.escape(token[0] if _SEPARATOR.search(token) else token) for token in self.tokens)
        return re.compile("|".join(alone) or "(?!)")

    def becomes(self, character: str) -> str | None:
        """Return what the steps make of a character, None where that may hang on what stands beside it.

        A space in it is a place where a text is cut.
        """
        text = character
        if not self._stands_apart(text):
            return None
        for n, step in enumerate(self.steps, start=1):
            text = step(AlignedText.of(text)).text
            # Nothing comes behind the last step that could join a space and a mark behind it.
            is_cut = n == len(self.steps) and " " in text
            if not (self._is_free(text.replace(" ", "")) if is_cut else self._stands_apart(text)):
                return None
        return text

    def becomes_behind(self, character: str) -> str | None:
        """Return what becomes of a character that is one cluster with that before it, given that this one stays.

        None where that is not known. It is where the character is looked up alone then: no rule reads it behind
        another one, or none that a cluster is short enough for.
        """
        if len(_CLUSTER.findall(character + "a")) < 2 or not self._is_free(character):
            return None
        if self._is_stripped(character):
            return ""
        if all(step(AlignedText.of(character)).text == character for step in self.steps):
            is_known = not any(isinstance(step, UnicodeForm) for step in self.steps)
        else:
            is_known = len(self.steps) == 1 and isinstance(self.steps[0], Precompiled)
        if not is_known or self._joins_by_rule(character):
            return None
        after = reduce(lambda aligned, step: step(aligned), self.steps, AlignedText.of(character)).text
        return after if self._is_free(after.replace(" ", "")) else None

    def _is_stripped(self, character: str) -> bool:
        """Tell whether a mark falls to marks that go, before any step but literal replacements has seen it."""
        steps = [step for step in self.steps if not isinstance(step, Replace)]
        if len(steps) < 2 or not isinstance(steps[0], UnicodeForm) or steps[1] != _STRIP_ACCENTS:
            return False
        return steps[0].form in ("NFD", "NFKD") and not _STRIP_ACCENTS(steps[0](AlignedText.of(character))).text

    def _joins_by_rule(self, character: str) -> bool:
        if not self._mark(character) & FOLLOWS:
            return False
        steps = [step for step in self.steps if isinstance(step, Precompiled)]
        return any(character in step.joined_characters for step in steps)

    def is_read_alone(self, character: str) -> bool:
        """Tell whether a rule reads the character, so that what joins it may vanish, if only to write it again."""
        return bool(self._mark(character) & IS_RULE)

    def _mark(self, character: str) -> int:
        tables = (step.marks for step in self.steps if isinstance(step, Precompiled))
        return reduce(lambda mark, marks: mark | int(marks[ord(character)]), tables, 0)

    def _is_free(self, text: str) -> bool:
        """Tell whether no separator, token or pattern has to do with the text."""
        return not _SEPARATOR.search(text) and self._replaced.isdisjoint(text) and self._leads.isdisjoint(text)

    def _stands_apart(self, text: str) -> bool:
        """Tell whether no step, separator or token joins the text with what stands beside it, or with its like."""
        if not self._is_free(text):
            return False
        n = len(_CLUSTER.findall(text))
        return [len(_CLUSTER.findall(joined)) for joined in ("a" + text, text + "a", 2 * text)] == [n + 1, n + 1, 2 * n]

    def may_reach_out(self, word: str) -> bool:
        """Tell whether the word may have to do with its neighbours, so that the text has to be taken as a whole."""
        clusters = _CLUSTER.findall(f" {word} ")
        if clusters[0] != " " or clusters[-1] != " ":
            return True
        texts = [word]
        for step in self.steps:
            texts.append(step(AlignedText.of(texts[-1])).text)
        if any(SPACE_MARKER in text or self._token.search(text) for text in texts):
            return True
        return self.needs_single_spaces and any(map(_HAS_ODD_SPACES.search, texts))


def _normalizer_steps(step: NormalizerStep | None) -> Iterator[NormalizerStep]:
    if isinstance(step, normalizers.Sequence):
        for inner in step.steps:
            yield from _normalizer_steps(inner)
    elif step is not None:
        yield step


def _is_inert(step: NormalizerStep) -> bool:
    """Tell whether the step only sees to spaces at the ends of a text and to several in a row."""
    return isinstance(step, Strip) or (isinstance(step, Replace) and step.is_regex and step.pattern == _SEVERAL_SPACES)


def _is_local(step: NormalizerStep) -> bool:
    if isinstance(step, Replace):
        return not step.is_regex and bool(step.pattern) and " " not in step.pattern
    return isinstance(step, Precompiled | UnicodeForm | CharacterMap)


def _pre_tokenizer_steps(step: PreTokenizerStep | None) -> list[PreTokenizerStep]:
    if isinstance(step, pre_tokenizers.Sequence):
        return [found for inner in step.steps for found in _pre_tokenizer_steps(inner)]
    return [] if step is None else [step]


def _is_word_by_word(step: PreTokenizerStep | None) -> bool:
    """Tell whether a text is split at spaces, and every word gets a marker of its own."""
    steps = _pre_tokenizer_steps(step)
    if steps[:1] == [WHITESPACE_SPLIT]:
        steps = steps[1:]
    return steps == [Metaspace(SPACE_MARKER, "always", True)]
