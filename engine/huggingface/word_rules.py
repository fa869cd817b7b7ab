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
        """Return what the steps make of a character, None where that may hang on what stands beside it."""
        text = character
        if not self._stands_apart(text):
            return None
        for step in self.steps:
            text = step(AlignedText.of(text)).text
            if not self._stands_apart(text):
                return None
        return text

    def joins(self, character: str) -> bool:
        """Tell whether the character stays as it is behind any that does, though both are one cluster.

        No rule reads it, neither alone nor behind another character.
        """
        if _SEPARATOR.match(character) or character in self._replaced or character in self._leads:
            return False
        if len(_CLUSTER.findall(character + "a")) < 2 or any(isinstance(step, UnicodeForm) for step in self.steps):
            return False
        is_read = self._mark(character) & (IS_RULE | FOLLOWS)
        return not is_read and all(step(AlignedText.of(character)).text == character for step in self.steps)

    def is_read_alone(self, character: str) -> bool:
        """Tell whether a rule reads the character, so that what joins it may vanish, if only to write it again."""
        return bool(self._mark(character) & IS_RULE)

    def _mark(self, character: str) -> int:
        tables = (step.marks for step in self.steps if isinstance(step, Precompiled))
        return reduce(lambda mark, marks: mark | int(marks[ord(character)]), tables, 0)

    def _stands_apart(self, text: str) -> bool:
        """Tell whether no step, separator or token joins the text with what stands beside it, or with its like."""
        if _SEPARATOR.search(text) or not self._replaced.isdisjoint(text) or not self._leads.isdisjoint(text):
            return False
        n = len(_CLUSTER.findall(text))
        return [len(_CLUSTER.findall(joined)) for joined in ("a" + text, text + "a", 2 * text)] == [n + 1, n + 1, 2 * n]

    def may_reach_out(self, word: str) -> bool:
        """Tell whether the word may have to do with its neighbours, so that the text has to be taken as a whole."""
        clusters = _CLUSTER.findall(f" {word} ")
        if clusters[0] != " " or clusters[-1] != " ":
            return True
        after = reduce(lambda aligned, step: step(aligned), self.steps, AlignedText.of(word)).text
        return not after or any(_SEPARATOR.search(text) or self._token.search(text) for text in (word, after))


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
