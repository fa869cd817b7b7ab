"""One ruler for two normalized forms of a text: columns over the original characters.

In: the original text and two `Normalized` forms of it. Out: a `SharedRuler`: for every boundary of either form the
column where it lies. A character as typed takes one column; one that a normalizer writes as several (½ as 1⁄2), or
before which it puts a space, takes as many as the longer of the two forms needs. A character of a normalized form
that stands for several typed ones spans all of their columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.normalizer import SPACE_MARKER, Normalized

Ints = NDArray[np.int32]


@dataclass(frozen=True)
class RulerCell:
    """What the ruler shows over columns start to end; `added` is a space that no person typed."""

    text: str
    start: int
    end: int
    added: bool = False


@dataclass(frozen=True, eq=False)
class SharedRuler:
    """Columns of a text in two forms.

    Attributes
    ----------
    original : str
    n_columns : int
    columns_a, columns_b : int32[n+1]
        The column of each boundary of the normalized form; boundary i lies before its character i. They never fall.
    character_column : int32[len(original)+1]
        The column where each original character begins.
    starts_with_added : bool
        Whether one of the forms begins with a space that stands for no character.
    """

    original: str
    n_columns: int
    columns_a: Ints
    columns_b: Ints
    character_column: Ints
    starts_with_added: bool

    @cached_property
    def cells(self) -> tuple[RulerCell, ...]:
        """What stands in the columns, from left to right: made for who shows it."""
        return tuple(self._cells())

    def _cells(self) -> Iterator[RulerCell]:
        bounds = [*self.character_column.tolist(), self.n_columns]
        for i, character in enumerate(self.original):
            start, end = bounds[i], bounds[i + 1]
            if i == 0 and self.starts_with_added and end - start > 1:
                yield RulerCell(SPACE_MARKER, start, start + 1, added=True)
                start += 1
            yield RulerCell(character, start, end)
        if bounds[-1] > bounds[-2]:
            yield RulerCell(SPACE_MARKER, bounds[-2], bounds[-1], added=True)


def align(a: Normalized, b: Normalized) -> SharedRuler:
    """Lay two normalized forms of one text on one ruler.

    >>> from engine.normalizer import Normalizer, NormalizerSpec, VERBATIM
    >>> aligned = align(Normalizer(NormalizerSpec()).normalize("ab"), Normalizer(VERBATIM).normalize("ab"))
    >>> aligned.columns_a.tolist(), aligned.columns_b.tolist(), [cell.text for cell in aligned.cells]
    ([0, 1, 2, 3], [1, 2, 3], ['▁', 'a', 'b'])
    """
    n = len(a.original)
    widths = np.ones(n + 1, dtype=np.int32)
    widths[n] = 0
    for form in (a, b):
        widths = np.maximum(widths, np.bincount(form.char_to_original[:-1], minlength=n + 1))
    first = np.concatenate(([0], np.cumsum(widths))).astype(np.int32)
    added = _added_before(a) or _added_before(b)
    aligned = SharedRuler(a.original, int(first[-1]), _columns(a, first), _columns(b, first), first[:-1].copy(), added)
    for array in (aligned.columns_a, aligned.columns_b, aligned.character_column):
        array.setflags(write=False)
    return aligned


def _columns(form: Normalized, first: Ints) -> Ints:
    """Return the column of every boundary: characters that share an original one stand at its last columns."""
    origin = form.char_to_original
    places = origin[:-1]
    follows = np.searchsorted(places, places, side="right") - np.arange(len(places))
    columns = first[places + 1] - follows
    # The first of them takes what is left over before it, but not a column that holds only the other's added space.
    is_first = np.concatenate(([True], places[1:] != places[:-1]))[: len(places)]
    columns = np.where(is_first & (places > 0), first[places], columns)
    return np.append(columns, first[origin[-1]]).astype(np.int32)


def _added_before(form: Normalized) -> bool:
    """Tell whether the form begins with a space that stands for no character."""
    origin = form.char_to_original
    return bool(len(origin) > 2 and origin[0] == origin[1] == 0 and form.text.startswith((SPACE_MARKER, " ")))
