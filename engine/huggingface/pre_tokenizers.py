"""Where a tokenizer.json cuts a text before any piece is looked for: its "pre_tokenizer".

In: stretches of text. Out: more and shorter ones; no piece crosses from one to the next.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import regex

from engine.errors import ModelFileError
from engine.huggingface import fields
from engine.huggingface.aligned_text import AlignedText
from engine.huggingface.characters import WHITE_SPACE, is_number, is_punctuation, script_of
from engine.huggingface.oniguruma import compile_pattern, literal_pattern, spans
from engine.huggingface.splitting import CONTIGUOUS, ISOLATED, REMOVED, WITH_NEXT, Span, check_behavior, split
from engine.normalizer import SPACE_MARKER
from engine.values import Value

_WHITE_SPACE = regex.compile(f"[{WHITE_SPACE}]")
_WORDS = regex.compile(r"\w+|[^\w\s]+")
_NO_LENGTH = "In the tokenizer.json, FixedLength needs a length of 1 or more."


class PreTokenizerStep(Protocol):
    """One step: a stretch becomes stretches."""

    def __call__(self, aligned: AlignedText) -> list[AlignedText]: ...


@dataclass(frozen=True)
class Sequence:
    """Steps one after the other, each on what the one before has left."""

    steps: tuple[PreTokenizerStep, ...]

    def __call__(self, aligned: AlignedText) -> list[AlignedText]:
        stretches = [aligned]
        for step in self.steps:
            stretches = [part for stretch in stretches for part in step(stretch)]
        return stretches


@dataclass(frozen=True)
class Metaspace:
    """Spaces become the marker, one more goes before the text, and each marker begins a stretch.

    `prepend_scheme`: "always" before every stretch, "first" before the one that begins the text, "never".
    """

    replacement: str = SPACE_MARKER
    prepend_scheme: str = "always"
    splits: bool = True

    def __call__(self, aligned: AlignedText) -> list[AlignedText]:
        aligned = aligned._replace(text=aligned.text.replace(" ", self.replacement))
        if self._prepends(aligned):
            aligned = aligned.edited([(0, 0, self.replacement)])
        if not self.splits:
            return [aligned] if aligned.text else []
        return split(aligned, self._markers(aligned.text), WITH_NEXT)

    def _prepends(self, aligned: AlignedText) -> bool:
        if not aligned.text or aligned.text.startswith(self.replacement):
            return False
        return self.prepend_scheme == "always" or (self.prepend_scheme == "first" and aligned.lead == 0)

    def _markers(self, text: str) -> Iterator[Span]:
        at = text.find(self.replacement)
        while at >= 0:
            yield at, at + 1
            at = text.find(self.replacement, at + 1)


@dataclass(frozen=True)
class Split(Value):
    """A cut at every match of a pattern, or with `invert` everywhere else."""

    is_regex: bool
    pattern: str
    behavior: str
    invert: bool = False

    def __call__(self, aligned: AlignedText) -> list[AlignedText]:
        return split(aligned, spans(self._compiled, aligned.text), self.behavior, self.invert)

    @cached_property
    def _compiled(self) -> Any:
        return compile_pattern(self.pattern) if self.is_regex else literal_pattern(self.pattern)


@dataclass(frozen=True)
class SplitAtCharacters:
    """A cut at every character of a kind: Digits, Punctuation."""

    is_of_kind: Callable[[str], bool]
    behavior: str

    def __call__(self, aligned: AlignedText) -> list[AlignedText]:
        matches = ((i, i + 1) for i, character in enumerate(aligned.text) if self.is_of_kind(character))
        return split(aligned, matches, self.behavior)


@dataclass(frozen=True)
class SplitByPattern:
    """A cut at every match of a pattern of our own: WhitespaceSplit, Whitespace, CharDelimiterSplit."""

    pattern: Any
    invert: bool = False

    def __call__(self, aligned: AlignedText) -> list[AlignedText]:
        return split(aligned, spans(self.pattern, aligned.text), REMOVED, self.invert)


@dataclass(frozen=True)
class UnicodeScripts:
    """A cut wherever the script changes; Hiragana, Katakana and Han are one, spaces go with any."""

    def __call__(self, aligned: AlignedText) -> list[AlignedText]:
        cuts = [*self._cuts(aligned.text), len(aligned.text)]
        return [aligned.part(start, stop) for start, stop in itertools.pairwise(cuts) if stop > start]

    def _cuts(self, text: str) -> Iterator[int]:
        last: str | None = None
        for i, character in enumerate(text):
            script = script_of(character)
            if script and script != last:
                yield i
                last = script


@dataclass(frozen=True)
class FixedLength:
    """Stretches of so many characters."""

    length: int

    def __call__(self, aligned: AlignedText) -> list[AlignedText]:
        n = len(aligned.text)
        return [aligned.part(i, min(i + self.length, n)) for i in range(0, n, self.length)]


WHITESPACE_SPLIT = SplitByPattern(_WHITE_SPACE)
_BERT = Sequence((WHITESPACE_SPLIT, SplitAtCharacters(is_punctuation, ISOLATED)))


def read_metaspace(settings: Mapping[str, Any]) -> Metaspace:
    """Read a Metaspace in its old spelling (add_prefix_space) or its new one (prepend_scheme)."""
    scheme = fields.field(settings, "prepend_scheme", str, "always")
    if scheme not in ("always", "first", "never"):
        raise ModelFileError(f"In the tokenizer.json, Metaspace has the prepend_scheme {scheme!r}, which is none.")
    if settings.get("add_prefix_space") is False:
        if "prepend_scheme" in settings and scheme != "never":
            raise ModelFileError(f"In the tokenizer.json, Metaspace asks for no prefix and for the scheme {scheme!r}.")
        scheme = "never"
    replacement = fields.character(settings, "replacement")
    return Metaspace(replacement, scheme, fields.field(settings, "split", bool, True))


def _read_split(settings: Mapping[str, Any]) -> PreTokenizerStep:
    is_regex, pattern = fields.pattern_of(settings)
    behavior = check_behavior(settings.get("behavior"))
    if is_regex:
        compile_pattern(pattern)
    return Split(is_regex, pattern, behavior, fields.field(settings, "invert", bool))


def _read_digits(settings: Mapping[str, Any]) -> PreTokenizerStep:
    each = fields.field(settings, "individual_digits", bool)
    return SplitAtCharacters(is_number, ISOLATED if each else CONTIGUOUS)


def _read_punctuation(settings: Mapping[str, Any]) -> PreTokenizerStep:
    return SplitAtCharacters(is_punctuation, check_behavior(settings.get("behavior", ISOLATED)))


def _read_delimiter(settings: Mapping[str, Any]) -> PreTokenizerStep:
    return SplitByPattern(literal_pattern(fields.character(settings, "delimiter")))


def _read_fixed_length(settings: Mapping[str, Any]) -> PreTokenizerStep:
    length = fields.field(settings, "length", int, 5)
    if length < 1:
        raise ModelFileError(_NO_LENGTH)
    return FixedLength(length)


_READERS: dict[str, Callable[[Mapping[str, Any]], PreTokenizerStep]] = {
    "Metaspace": read_metaspace,
    "WhitespaceSplit": lambda _: WHITESPACE_SPLIT,
    "Whitespace": lambda _: SplitByPattern(_WORDS, invert=True),
    "BertPreTokenizer": lambda _: _BERT,
    "CharDelimiterSplit": _read_delimiter,
    "Split": _read_split,
    "Digits": _read_digits,
    "Punctuation": _read_punctuation,
    "UnicodeScripts": lambda _: UnicodeScripts(),
    "FixedLength": _read_fixed_length,
}


METASPACE_FIELDS = ("replacement", "prepend_scheme", "add_prefix_space", "split", "str_rep")
"""`str_rep` is the replacement again, in old files."""

_FIELDS: dict[str, tuple[str, ...]] = {
    "Metaspace": METASPACE_FIELDS,
    "CharDelimiterSplit": ("delimiter",),
    "Split": ("pattern", "behavior", "invert"),
    "Digits": ("individual_digits",),
    "Punctuation": ("behavior",),
    "FixedLength": ("length",),
    "Sequence": ("pretokenizers",),
}


def read_pre_tokenizer(settings: object, warnings: list[str]) -> PreTokenizerStep | None:
    """Make a step from its JSON, None for none; what is not done here is added to `warnings`."""
    if settings is None:
        return None
    name = fields.type_of(settings)
    assert isinstance(settings, dict)
    if name in _READERS or name == "Sequence":
        fields.name_unknown(settings, ("type", *_FIELDS.get(name, ())), f"The pre-tokenizer {name}", warnings)
    if name == "Sequence":
        steps = [read_pre_tokenizer(step, warnings) for step in fields.field(settings, "pretokenizers", list)]
        return Sequence(tuple(step for step in steps if step is not None))
    if name not in _READERS:
        warnings.append(f"The pre-tokenizer {name} is left out: it is not known here.")
        return None
    return _READERS[name](settings)
