"""Tokens that are cut out of a text before the model sees it: the "added_tokens" of a tokenizer.json.

In: a text. Out: stretches, each with the ID of the added token that it is, or none. Tokens that are not "normalized"
are looked for in the raw text, the others in the normalized one; the leftmost match wins, then the longest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import regex

from engine.errors import ModelFileError
from engine.huggingface import fields
from engine.huggingface.aligned_text import AlignedText
from engine.huggingface.characters import WHITE_SPACE
from engine.values import Value

_SPACES_AFTER = re.compile(f"[{WHITE_SPACE}]*")
_WORD = regex.compile(r"\w")

Stretch = tuple[AlignedText, int]
"""A text and the ID of the added token that it is, -1 for none."""


@dataclass(frozen=True)
class AddedToken:
    """One added token.

    `id` is the one that it really has; a "special" one is left out when decoding; "lstrip" and "rstrip" swallow the
    white space beside it; a "single_word" has no letter or digit beside it; "normalized" is looked for (normalized
    itself) in the normalized text.
    """

    id: int
    content: str
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    normalized: bool = True
    special: bool = False


@dataclass(frozen=True)
class TokenFinder(Value):
    """Looks for some added tokens; `contents` are as they stand in the text that is searched."""

    tokens: tuple[AddedToken, ...]
    contents: tuple[str, ...]

    @cached_property
    def _by_content(self) -> Mapping[str, AddedToken]:
        found: dict[str, AddedToken] = {}
        for content, token in zip(self.contents, self.tokens, strict=True):
            found.setdefault(content, token)
        return found

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        longest_first = sorted(filter(None, self._by_content), key=len, reverse=True)
        return re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")

    def cut(self, aligned: AlignedText) -> Iterator[Stretch]:
        """Yield the stretches between the tokens, and the tokens."""
        at = 0
        for start, stop, token in self._matches(aligned.text):
            begin = max(start, at)
            if begin > at:
                yield aligned.part(at, begin), -1
            yield aligned.part(begin, stop), token.id
            at = stop
        if at < len(aligned.text):
            yield aligned.part(at, len(aligned.text)), -1

    def _matches(self, text: str) -> Iterator[tuple[int, int, AddedToken]]:
        for match in self._pattern.finditer(text):
            token = self._by_content[match[0]]
            start, stop = match.span()
            if token.single_word and not _stands_alone(text, start, stop):
                continue
            if token.lstrip:
                start -= _n_spaces_before(text, start)
            if token.rstrip:
                after = _SPACES_AFTER.match(text, stop)
                stop = after.end() if after else stop
            yield start, stop, token


def _stands_alone(text: str, start: int, stop: int) -> bool:
    is_free_before = start == 0 or not _WORD.match(text[start - 1])
    return is_free_before and (stop == len(text) or not _WORD.match(text[stop]))


def _n_spaces_before(text: str, stop: int) -> int:
    start = stop
    while start and _SPACES_AFTER.fullmatch(text[start - 1]):
        start -= 1
    return stop - start


@dataclass(frozen=True)
class AddedTokens:
    """All added tokens of a file, specials first, as the library looks for them."""

    tokens: tuple[AddedToken, ...] = ()

    def contents(self, is_normalized: bool, normalize: Callable[[AlignedText], AlignedText]) -> tuple[str, ...]:
        """Return the tokens that are looked for in raw or normalized text, as they stand in it."""
        tokens = self._tokens(is_normalized)
        if not is_normalized:
            return tuple(token.content for token in tokens)
        return tuple(normalize(AlignedText.of(token.content)).text for token in tokens)

    def _tokens(self, is_normalized: bool) -> tuple[AddedToken, ...]:
        in_order = sorted(self.tokens, key=lambda token: not token.special)
        return tuple(token for token in in_order if token.normalized == is_normalized)

    def finder(self, is_normalized: bool, normalize: Callable[[AlignedText], AlignedText]) -> TokenFinder:
        """Return what looks for the tokens in raw or normalized text."""
        return TokenFinder(self._tokens(is_normalized), self.contents(is_normalized, normalize))


def read_added_tokens(
    listed: Sequence[Any], vocabulary: Mapping[str, int], n_pieces: int, warnings: list[str]
) -> AddedTokens:
    """Read added tokens and number them as the library does, whatever the file says.

    One that is a piece has that piece's ID; the others follow the vocabulary without a gap.
    """
    by_content: dict[str, AddedToken] = {}
    next_id = n_pieces
    for settings in listed:
        token = _read_token(settings)
        fields.name_unknown(settings, ("id", "content", *_FLAGS), f"The added token {token.content!r}", warnings)
        if not token.content:
            continue
        known = by_content.get(token.content)
        number = known.id if known else vocabulary.get(token.content, next_id)
        next_id += number == next_id
        if number != token.id:
            warnings.append(
                f"The added token {token.content!r} has the ID {number} here, as in HF tokenizers, "
                f"not {token.id} as the file says."
            )
        by_content[token.content] = AddedToken(**(vars(token) | {"id": number}))
    return AddedTokens(tuple(by_content.values()))


def _read_token(settings: Any) -> AddedToken:
    if not isinstance(settings, dict):
        raise ModelFileError("In the tokenizer.json, an added token is no object; the file is damaged.")
    content = fields.field(settings, "content", str)
    flags = {name: fields.field(settings, name, bool) for name in _FLAGS}
    return AddedToken(fields.field(settings, "id", int), content, **flags)


_FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")
