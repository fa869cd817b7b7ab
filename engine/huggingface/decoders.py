"""How pieces become text again: the "decoder" of a tokenizer.json.

In: the pieces of a list of IDs, each an `AlignedText` whose original is all pieces in a row. Out: the parts of the
text, still aligned, so that every character of it can be traced to its token.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from engine.byte_fallback import REPLACEMENT
from engine.errors import ModelFileError
from engine.huggingface import fields
from engine.huggingface.aligned_text import AlignedText
from engine.huggingface.normalizers import Replace as ReplaceNormalizer
from engine.huggingface.oniguruma import compile_pattern
from engine.huggingface.pre_tokenizers import METASPACE_FIELDS, read_metaspace
from engine.huggingface.pre_tokenizers import Metaspace as MetaspaceSpec

# The library parses the two characters as a Rust number, which may have a sign.
_BYTE = re.compile("<0x([0-9A-Fa-f]{2}|\\+[0-9A-Fa-f])>")

Parts = list[AlignedText]


class DecoderStep(Protocol):
    """One step: parts of the text become other parts."""

    def __call__(self, parts: Parts) -> Parts: ...


@dataclass(frozen=True)
class Sequence:
    """Steps one after the other."""

    steps: tuple[DecoderStep, ...]

    def __call__(self, parts: Parts) -> Parts:
        for step in self.steps:
            parts = step(parts)
        return parts


@dataclass(frozen=True)
class Metaspace:
    """Markers become spaces; those of the first piece go, unless nothing was put before the text."""

    spec: MetaspaceSpec

    def __call__(self, parts: Parts) -> Parts:
        marker, drops = self.spec.replacement, self.spec.prepend_scheme != "never"
        shown = [part._replace(text=part.text.replace(marker, " ")) for part in parts]
        if drops and parts:
            first = parts[0]
            shown[0] = first.edited((i, i + 1, "") for i, character in enumerate(first.text) if character == marker)
        return shown


@dataclass(frozen=True)
class ByteFallback:
    """A run of byte pieces becomes its characters, or one U+FFFD for each byte if any of them is wrong."""

    def __call__(self, parts: Parts) -> Parts:
        return list(self._decoded(parts))

    def _decoded(self, parts: Parts) -> Iterator[AlignedText]:
        run: Parts = []
        for part in parts:
            if _byte_of(part.text) is not None:
                run.append(part)
                continue
            yield from _text_of(run)
            run = []
            yield part
        yield from _text_of(run)


def _byte_of(piece: str) -> int | None:
    match = _BYTE.fullmatch(piece)
    return int(match[1], 16) if match else None


def _text_of(run: Parts) -> Iterator[AlignedText]:
    if not run:
        return
    data = bytes(value for part in run if (value := _byte_of(part.text)) is not None)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        yield from (part._replace(text=REPLACEMENT, bounds=(part.bounds[0], part.bounds[-1])) for part in run)
        return
    bounds, at = [], 0
    for character in text:
        bounds.append(run[at].bounds[0])
        at += len(character.encode())
    yield AlignedText(text, [*bounds, run[-1].bounds[-1]])


@dataclass(frozen=True)
class Fuse:
    """All parts become one."""

    def __call__(self, parts: Parts) -> Parts:
        return [joined(parts)] if parts else [AlignedText.of("")]


def joined(parts: Parts) -> AlignedText:
    """Return the parts in a row as one text."""
    bounds: list[int] = []
    for part in parts:
        bounds += part.bounds[: len(part.text)]
    end = max((part.bounds[-1] for part in parts), default=0)
    return AlignedText("".join(part.text for part in parts), [*bounds, end])


@dataclass(frozen=True)
class Replace:
    """Every match of a pattern in every part becomes `content`."""

    step: ReplaceNormalizer

    def __call__(self, parts: Parts) -> Parts:
        return [self.step(part) for part in parts]


@dataclass(frozen=True)
class Strip:
    """Up to so many of one character off each end of every part."""

    content: str
    start: int
    stop: int

    def __call__(self, parts: Parts) -> Parts:
        return [self._stripped(part) for part in parts]

    def _stripped(self, part: AlignedText) -> AlignedText:
        n = len(part.text)
        first = min(n - len(part.text.lstrip(self.content)), self.start)
        last = n - min(n - len(part.text.rstrip(self.content)), self.stop, n - first)
        edits = [(0, first, "")] if first else []
        return part.edited([*edits, (last, n, "")] if last < n else edits)


def _read_replace(settings: Mapping[str, Any]) -> DecoderStep:
    is_regex, pattern = fields.pattern_of(settings)
    if is_regex:
        compile_pattern(pattern)
    return Replace(ReplaceNormalizer(is_regex, pattern, fields.field(settings, "content", str)))


def _read_strip(settings: Mapping[str, Any]) -> DecoderStep:
    counts = [fields.field(settings, name, int) for name in ("start", "stop")]
    if min(counts) < 0:
        raise ModelFileError("In the tokenizer.json, Strip counts characters with a negative number.")
    return Strip(fields.character(settings, "content"), *counts)


_READERS: dict[str, Callable[[Mapping[str, Any]], DecoderStep]] = {
    "Metaspace": lambda settings: Metaspace(read_metaspace(settings)),
    "ByteFallback": lambda _: ByteFallback(),
    "Fuse": lambda _: Fuse(),
    "Replace": _read_replace,
    "Strip": _read_strip,
}


_FIELDS: dict[str, tuple[str, ...]] = {
    "Metaspace": METASPACE_FIELDS,
    "Replace": ("pattern", "content"),
    "Strip": ("content", "start", "stop"),
    "Sequence": ("decoders",),
}


def read_decoder(settings: object, warnings: list[str]) -> DecoderStep | None:
    """Make a step from its JSON, None for none; what is not done here is added to `warnings`."""
    if settings is None:
        return None
    name = fields.type_of(settings)
    assert isinstance(settings, dict)
    if name in _READERS or name == "Sequence":
        fields.name_unknown(settings, ("type", *_FIELDS.get(name, ())), f"The decoder {name}", warnings)
    if name == "Sequence":
        steps = [read_decoder(step, warnings) for step in fields.field(settings, "decoders", list)]
        return Sequence(tuple(step for step in steps if step is not None))
    if name not in _READERS:
        warnings.append(f"The decoder {name} is left out: it is not known here.")
        return None
    return _READERS[name](settings)
