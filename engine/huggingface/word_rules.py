"""Which tokenizer.json files take a text word by word, and which characters they leave as they are.

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
        if not all(map(_is_local, local)) or not _is_word_by_word(tokenizer.pre_tokenizer):
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

    def is_plain(self, character: str) -> bool:
        """Tell whether every step leaves the character as it is, whatever other plain ones stand beside it."""
        if character in self._leads or character in self._replaced or _SEPARATOR.match(character):
            return False
        # Not one that joins a cluster, on either side, or makes one with its like.
        if any(len(_CLUSTER.findall(pair)) < 2 for pair in ("a" + character, character + "a", 2 * character)):
            return False
        return all(step(AlignedText.of(character)).text == character for step in self.steps)

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
