"""Cutting a text at the matches of a pattern: the five ways of tokenizers' SplitDelimiterBehavior."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.errors import ModelFileError
from engine.huggingface.aligned_text import AlignedText

REMOVED, ISOLATED, WITH_PREVIOUS, WITH_NEXT, CONTIGUOUS = BEHAVIORS = (
    "Removed",
    "Isolated",
    "MergedWithPrevious",
    "MergedWithNext",
    "Contiguous",
)

Span = tuple[int, int]
Part = tuple[int, int, bool]


def split(aligned: AlignedText, matches: Iterable[Span], behavior: str, invert: bool = False) -> list[AlignedText]:
    """Return the parts of a text, none of them empty.

    >>> [part.text for part in split(AlignedText.of("a--b"), [(1, 2), (2, 3)], "MergedWithNext")]
    ['a', '-', '-b']
    """
    parts = [(start, stop, is_match != invert) for start, stop, is_match in _parts(matches, len(aligned.text))]
    return [aligned.part(start, stop) for start, stop in _SPANS[behavior](parts) if stop > start]


def check_behavior(name: object) -> str:
    """Return the name of a behavior; ModelFileError for any other."""
    if name not in BEHAVIORS:
        raise ModelFileError(f"A text cannot be split by the behavior {name!r}; there are {', '.join(BEHAVIORS)}.")
    return str(name)


def _parts(matches: Iterable[Span], length: int) -> Iterator[Part]:
    at = 0
    for start, stop in matches:
        if start > at:
            yield at, start, False
        yield start, stop, True
        at = stop
    if at < length:
        yield at, length, False


def _removed(parts: list[Part]) -> list[Span]:
    return [(start, stop) for start, stop, is_match in parts if not is_match]


def _isolated(parts: list[Part]) -> list[Span]:
    return [(start, stop) for start, stop, _ in parts]


def _contiguous(parts: list[Part]) -> list[Span]:
    spans: list[Span] = []
    before = False
    for start, stop, is_match in parts:
        if is_match == before and spans:
            spans[-1] = (spans[-1][0], stop)
        else:
            spans.append((start, stop))
        before = is_match
    return spans


def _with_previous(parts: list[Part]) -> list[Span]:
    spans: list[Span] = []
    before = False
    for start, stop, is_match in parts:
        if is_match and not before and spans:
            spans[-1] = (spans[-1][0], stop)
        else:
            spans.append((start, stop))
        before = is_match
    return spans


def _with_next(parts: list[Part]) -> list[Span]:
    spans: list[Span] = []
    before = False
    for start, stop, is_match in reversed(parts):
        if is_match and not before and spans:
            spans[-1] = (start, spans[-1][1])
        else:
            spans.append((start, stop))
        before = is_match
    return spans[::-1]


_SPANS = {
    REMOVED: _removed,
    ISOLATED: _isolated,
    WITH_PREVIOUS: _with_previous,
    WITH_NEXT: _with_next,
    CONTIGUOUS: _contiguous,
}
