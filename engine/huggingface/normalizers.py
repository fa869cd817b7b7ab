"""What a tokenizer.json does to a text first: its "normalizer".

In: an `AlignedText`. Out: the changed one. Each class is one step, made by `read_normalizer` from its JSON.
"""

from __future__ import annotations

import base64
import binascii
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal, Protocol

import numpy as np
import regex
from numpy.typing import NDArray

from engine.charsmap import Charsmap
from engine.errors import ModelFileError
from engine.huggingface import fields
from engine.huggingface.aligned_text import AlignedText, Edit
from engine.huggingface.characters import WHITE_SPACE, is_mark, is_new_to_normalization, lower
from engine.huggingface.oniguruma import compile_pattern, literal_pattern, spans
from engine.kernels.shortest_rule import shortest_rule
from engine.values import Value

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]
_CLUSTER = regex.compile(r"\X")
# ASCII is in every form already: a run of it goes as one, but for the last letter, which a mark may follow.
_RUN_OR_CLUSTER = regex.compile(r"[\x00-\x7f]+(?=[\x00-\x7f]|\Z)|\X")
_SPECIALS = frozenset("\\^$.|?*+()[]{}")  # of regular expressions: without them one is a text
_LONGEST_CLUSTER = 6  # bytes: a cluster of so many or more is taken character by character
_NMT_REMOVED = frozenset(map(chr, (*range(1, 9), 0x0B, *range(0x0E, 0x20), 0x7F, 0x8F, 0x9F)))
_NMT_SPACES = frozenset("\t\n\f\r\u1680\u200b\u200c\u200d\u200e\u200f\u2028\u2029\u2581\ufeff\ufffd")


class NormalizerStep(Protocol):
    """One step."""

    def __call__(self, aligned: AlignedText) -> AlignedText: ...


@dataclass(frozen=True)
class Sequence:
    """Steps one after the other."""

    steps: tuple[NormalizerStep, ...]

    def __call__(self, aligned: AlignedText) -> AlignedText:
        for step in self.steps:
            aligned = step(aligned)
        return aligned


@dataclass(frozen=True)
class Precompiled(Value):
    """SentencePiece's table of rules, but applied as HF tokenizers does: cluster by cluster, not longest match.

    A grapheme cluster below 6 bytes is replaced as a whole by the target of the shortest rule that it begins with;
    otherwise each of its characters is looked up alone.
    """

    charsmap: bytes

    def __call__(self, aligned: AlignedText) -> AlignedText:
        # For the library, what is left after a deletion at the front still begins the text.
        return aligned.edited(self._edits(aligned.text))._replace(lead=aligned.lead)

    def _edits(self, text: str) -> Iterator[Edit]:
        for match in _CLUSTER.finditer(text):
            cluster = match[0]
            if len(cluster.encode()) < _LONGEST_CLUSTER:
                target = self._target(cluster)
                if target is not None:
                    yield (*match.span(), target)
                    continue
            if len(cluster) > 1:
                yield from self._edits_of_characters(cluster, match.start())

    def _edits_of_characters(self, cluster: str, start: int) -> Iterator[Edit]:
        for i, character in enumerate(cluster, start):
            target = self._target(character)
            if target is not None:
                yield i, i + 1, target

    @cached_property
    def marks(self) -> NDArray[np.uint8]:
        """What the rules do with each character, see `Charsmap.marks`."""
        return Charsmap.from_bytes(self.charsmap).marks()

    @cached_property
    def joined_characters(self) -> frozenset[str]:
        """The characters that a rule reads behind another one, and that may stand so in a short cluster."""
        rules = Charsmap.from_bytes(self.charsmap).rules()
        short = (source for source in rules if len(source) > 1 and len(source.encode()) < _LONGEST_CLUSTER)
        return frozenset(character for source in short for character in source[1:])

    @cached_property
    def _target(self) -> Callable[[str], str | None]:
        units, targets = Charsmap.from_bytes(self.charsmap)
        texts = targets.tobytes()

        @lru_cache(1 << 16)
        def target(part: str) -> str | None:
            value = int(shortest_rule(units, np.frombuffer(part.encode(), dtype=np.uint8)))
            if not 0 <= value < len(texts):
                return None
            return texts[value : texts.index(0, value)].decode("utf-8", "replace")

        return target


@dataclass(frozen=True)
class UnicodeForm:
    """NFC, NFD, NFKC or NFKD, by the tables of Unicode 9: younger marks and decompositions stay as they are."""

    form: Form

    def __call__(self, aligned: AlignedText) -> AlignedText:
        if unicodedata.is_normalized(self.form, aligned.text):
            return aligned
        return aligned.edited(self._edits(aligned.text))

    def _edits(self, text: str) -> Iterator[Edit]:
        strangers = {character for character in set(text) if _is_stranger(character, self.form)}
        start = 0
        for i, character in enumerate(text):
            if character in strangers:
                yield from self._edits_between(text, start, i)
                start = i + 1
        yield from self._edits_between(text, start, len(text))

    def _edits_between(self, text: str, start: int, stop: int) -> Iterator[Edit]:
        for first, last in self._independent(text[start:stop]):
            before = text[start + first : start + last]
            after = unicodedata.normalize(self.form, before)
            if after != before:
                yield start + first, start + last, after

    def _independent(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield spans that can be normalized one by one: grapheme clusters, joined where that is not so."""
        first, before = 0, ""
        for match in _RUN_OR_CLUSTER.finditer(text):
            after = unicodedata.normalize(self.form, match[0])
            if unicodedata.normalize(self.form, before + after) != before + after:
                before = unicodedata.normalize(self.form, before + after)
                continue
            yield first, match.start()
            first, before = match.start(), after
        yield first, len(text)


@lru_cache(4096)
def _is_stranger(character: str, form: Form) -> bool:
    if not is_new_to_normalization(character):
        return False
    return unicodedata.category(character)[0] == "M" or not unicodedata.is_normalized(form, character)


@dataclass(frozen=True)
class CharacterMap:
    """Lowercase, StripAccents and Nmt: every character on its own."""

    name: str

    def __call__(self, aligned: AlignedText) -> AlignedText:
        return aligned.mapped(_CHARACTER_MAPS[self.name])


def _without_marks(character: str) -> str:
    return "" if is_mark(character) else character


def _nmt(character: str) -> str:
    if character in _NMT_REMOVED:
        return ""
    return " " if character in _NMT_SPACES else character


_CHARACTER_MAPS: dict[str, Callable[[str], str]] = {"Lowercase": lower, "StripAccents": _without_marks, "Nmt": _nmt}


@dataclass(frozen=True)
class Strip:
    """White space off one end or both."""

    left: bool
    right: bool

    def __call__(self, aligned: AlignedText) -> AlignedText:
        text = aligned.text
        start = len(_LEADING.match(text)[0]) if self.left else 0
        stop = _end_of_text(text) if self.right else len(text)
        edits = [(0, start, "")] if start else []
        if stop < len(text) and start < len(text):
            edits.append((stop, len(text), ""))
        return aligned.edited(edits)


_LEADING = regex.compile(f"[{WHITE_SPACE}]*")
_SPACES = frozenset(chr(i) for i in range(0x3001) if _LEADING.fullmatch(chr(i)))


def _end_of_text(text: str) -> int:
    stop = len(text)
    while stop and text[stop - 1] in _SPACES:
        stop -= 1
    return stop


@dataclass(frozen=True)
class Replace(Value):
    """Every match of a pattern becomes `content`, taken literally."""

    is_regex: bool
    pattern: str
    content: str

    def __call__(self, aligned: AlignedText) -> AlignedText:
        if self._is_literal and len(self.pattern) == len(self.content) == 1:
            return aligned._replace(text=aligned.text.replace(self.pattern, self.content))
        matches = list(spans(self._compiled, aligned.text))
        edited = aligned.edited((*span, self.content) for span in matches)
        if matches and matches[0][0] == 0 and self.content:
            # For the library, what replaces a match comes from the match's last character.
            stop = matches[0][1]
            return edited._replace(lead=aligned.bounds[stop - 1] if stop > 1 else aligned.lead if stop else 0)
        return edited

    @cached_property
    def _is_literal(self) -> bool:
        return not self.is_regex or _SPECIALS.isdisjoint(self.pattern)

    @cached_property
    def _compiled(self) -> Any:
        return compile_pattern(self.pattern) if self.is_regex else literal_pattern(self.pattern)


@dataclass(frozen=True)
class Prepend:
    """A text before every text that is not empty."""

    content: str

    def __call__(self, aligned: AlignedText) -> AlignedText:
        return aligned.edited([(0, 0, self.content)]) if aligned.text else aligned


def _read_precompiled(settings: Mapping[str, Any]) -> NormalizerStep:
    text = fields.field(settings, "precompiled_charsmap", str)
    try:
        charsmap = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ModelFileError("In the tokenizer.json, the precompiled_charsmap is no valid base64.") from error
    Charsmap.from_bytes(charsmap)
    return Precompiled(charsmap)


def _read_replace(settings: Mapping[str, Any]) -> NormalizerStep:
    is_regex, pattern = fields.pattern_of(settings)
    if is_regex:
        compile_pattern(pattern)
    return Replace(is_regex, pattern, fields.field(settings, "content", str))


def _read_strip(settings: Mapping[str, Any]) -> NormalizerStep:
    return Strip(fields.field(settings, "strip_left", bool), fields.field(settings, "strip_right", bool))


_READERS: dict[str, Callable[[Mapping[str, Any]], NormalizerStep]] = {
    "Precompiled": _read_precompiled,
    "Replace": _read_replace,
    "Strip": _read_strip,
    "Prepend": lambda settings: Prepend(fields.field(settings, "prepend", str)),
    "NFC": lambda _: UnicodeForm("NFC"),
    "NFD": lambda _: UnicodeForm("NFD"),
    "NFKC": lambda _: UnicodeForm("NFKC"),
    "NFKD": lambda _: UnicodeForm("NFKD"),
    **{name: lambda settings: CharacterMap(settings["type"]) for name in _CHARACTER_MAPS},
}


_FIELDS: dict[str, tuple[str, ...]] = {
    "Precompiled": ("precompiled_charsmap",),
    "Replace": ("pattern", "content"),
    "Strip": ("strip_left", "strip_right"),
    "Prepend": ("prepend",),
    "Sequence": ("normalizers",),
}


def read_normalizer(settings: object, warnings: list[str]) -> NormalizerStep | None:
    """Make a step from its JSON, None for none; what is not done here is added to `warnings`."""
    if settings is None:
        return None
    name = fields.type_of(settings)
    assert isinstance(settings, dict)
    if name in _READERS or name == "Sequence":
        fields.name_unknown(settings, ("type", *_FIELDS.get(name, ())), f"The normalizer {name}", warnings)
    if name == "Sequence":
        steps = [read_normalizer(step, warnings) for step in fields.field(settings, "normalizers", list)]
        return Sequence(tuple(step for step in steps if step is not None))
    if name not in _READERS:
        warnings.append(f"The normalizer {name} is left out: it is not known here.")
        return None
    return _READERS[name](settings)
