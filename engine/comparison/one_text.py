"""One text under two models: where both cut, where only one does, and what makes the difference.

In: two models and a text. Out: a `TextComparison`. Cuts are compared over the characters as they were typed (see
`ruler`), so that models with different normalizers compare as well. Where the cuts differ, the stretch between
two common cuts is looked at from both sides: pieces that a model lacks, or else what the other's cut would cost it.

Both best paths run through the common cuts, so within a stretch each cut is the model's best, and the cost of the
other's cut, the difference of two sums of scores, is never negative.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.comparison.ruler import SharedRuler, align
from engine.encoder import Segmentation
from engine.lattice import Lattice
from engine.model import UnigramModel
from engine.pieces import PieceTable

Ints = NDArray[np.int32]
Spans = list[tuple[int, int]]


@dataclass(frozen=True)
class Side:
    """One model's cut of a stretch and how it stands to the other's.

    `pieces` are its own tokens. `lacks` are pieces of the other cut that it does not have. `cost` is what the other
    cut would need more here, in nats; None where that cut is not possible.
    """

    pieces: tuple[str, ...]
    lacks: tuple[str, ...]
    cost: float | None


@dataclass(frozen=True)
class Stretch:
    """A place where the cuts differ: columns of the ruler, original characters, both sides."""

    start: int
    end: int
    first_character: int
    last_character: int
    a: Side
    b: Side


@dataclass(frozen=True, eq=False)
class TextComparison:
    """Two cuts of one text.

    Attributes
    ----------
    text : str
    a, b : Segmentation
    ruler : SharedRuler
    cuts_both, cuts_a, cuts_b : int32[]
        Columns of the boundaries in both, only in A, only in B; the ends of the text are none.
    stretches : tuple of Stretch

    Examples
    --------
    >>> a = UnigramModel.from_probabilities({"u": 0.1, "n": 0.1, "able": 0.4, "un": 0.4})
    >>> b = UnigramModel.from_probabilities({"u": 0.1, "n": 0.1, "unable": 0.4, "un": 0.4})
    >>> compared = compare_on_text(a, b, "unable")
    >>> compared.cuts_a.tolist(), compared.stretches[0].a.lacks, compared.stretches[0].b.lacks
    ([2], ('unable',), ('able',))
    """

    text: str
    a: Segmentation
    b: Segmentation
    ruler: SharedRuler
    cuts_both: Ints
    cuts_a: Ints
    cuts_b: Ints
    stretches: tuple[Stretch, ...]

    @property
    def n_boundaries(self) -> tuple[int, int, int]:
        """How many boundaries there are in both, only in A, only in B."""
        return len(self.cuts_both), len(self.cuts_a), len(self.cuts_b)


def compare_on_text(a: UnigramModel, b: UnigramModel, text: str, *, costs: bool = True) -> TextComparison:
    """Cut a text with both models and compare the cuts; without `costs` no lattice is needed, and they are None."""
    cut_a, cut_b = _segment(a, text), _segment(b, text)
    aligned = align(cut_a.normalized, cut_b.normalized)
    side_a, side_b = (
        _Cut(model, text, cut, columns, costs)
        for model, cut, columns in ((a, cut_a, aligned.columns_a), (b, cut_b, aligned.columns_b))
    )
    inner_a, inner_b = side_a.inner_columns(), side_b.inner_columns()
    return TextComparison(
        text,
        cut_a,
        cut_b,
        aligned,
        np.intersect1d(inner_a, inner_b),
        np.setdiff1d(inner_a, inner_b),
        np.setdiff1d(inner_b, inner_a),
        tuple(_stretches(side_a, side_b, aligned, inner_a, inner_b)),
    )


@lru_cache(maxsize=4)
def _known(table: PieceTable) -> frozenset[str]:
    """Return the pieces that a text is matched with: looked up for every stretch, made once for a model."""
    return frozenset(table.texts[i] for i in table.edge_ids.tolist())


def _segment(model: UnigramModel, text: str) -> Segmentation:
    # Without the tokens that a template puts round every text: they say nothing about how it is cut.
    return model.segment(text, add_special_tokens=False)


@dataclass(frozen=True, eq=False)
class _Cut:
    """A model's cut of the text with the columns of its boundaries."""

    model: UnigramModel
    text: str
    cut: Segmentation
    columns: Ints
    costs: bool

    @cached_property
    def edge_columns(self) -> tuple[Ints, Ints]:
        return self.columns[self.cut.edge_starts], self.columns[self.cut.edge_ends]

    @cached_property
    def lattice(self) -> Lattice:
        return self.model.lattice(self.text)

    def inner_columns(self) -> Ints:
        """Return the columns where a token begins, but for the first one."""
        return np.unique(self.columns[self.cut.starts[1:]]) if len(self.cut) > 1 else np.zeros(0, np.int32)

    def spans(self, starts: Ints, ends: Ints) -> list[Spans]:
        """Return the edges of the cut within columns starts[i] to ends[i], as spans of its normalized text."""
        edge_starts, edge_ends = self.edge_columns  # neither of them ever falls
        first, stop = np.searchsorted(edge_starts, starts), np.searchsorted(edge_ends, ends, side="right")
        every = list(zip(self.cut.edge_starts.tolist(), self.cut.edge_ends.tolist(), strict=True))
        return [every[i:j] for i, j in zip(first.tolist(), stop.tolist(), strict=True)]

    def texts(self, spans: Spans) -> list[str]:
        return [self.cut.normalized.text[start:end] for start, end in spans]

    def score(self, spans: Spans) -> float | None:
        """Return the sum of the scores of these edges; None where one of them is no edge of the lattice."""
        lattice, total = self.lattice, 0.0
        for start, end in spans:
            first, last = lattice.edge_offsets[start], lattice.edge_offsets[start + 1]
            found = np.flatnonzero(lattice.edge_end[first:last] == end)
            if not len(found):
                return None
            total += float(lattice.edge_log_p[first + found[0]])
        return total


def _stretches(a: _Cut, b: _Cut, aligned: SharedRuler, inner_a: Ints, inner_b: Ints) -> Iterator[Stretch]:
    both = np.intersect1d(inner_a, inner_b)
    bounds = np.concatenate(([0], both, [aligned.n_columns]))
    differing = np.unique(np.searchsorted(both, np.setxor1d(inner_a, inner_b)))
    starts, ends = bounds[differing], bounds[differing + 1]
    first = np.searchsorted(aligned.character_column, starts, side="right") - 1
    last = np.minimum(np.searchsorted(aligned.character_column, ends), len(aligned.original))
    places = zip(starts.tolist(), ends.tolist(), first.tolist(), last.tolist(), strict=True)
    for place, spans_a, spans_b in zip(places, a.spans(starts, ends), b.spans(starts, ends), strict=True):
        texts_a, texts_b = a.texts(spans_a), b.texts(spans_b)
        yield Stretch(*place, _side(a, spans_a, texts_a, texts_b), _side(b, spans_b, texts_b, texts_a))


def _side(own: _Cut, spans: Spans, texts: list[str], others: list[str]) -> Side:
    lacks = tuple(dict.fromkeys(text for text in others if text not in _known(own.model.pieces)))
    same_characters = own.costs and spans and "".join(texts) == "".join(others)
    return Side(tuple(texts), lacks, _cost(own, spans, others) if same_characters else None)


def _cost(own: _Cut, spans: Spans, others: list[str]) -> float | None:
    """Return what the other's cut of the same characters would need more."""
    bounds = np.cumsum([spans[0][0], *map(len, others)]).tolist()
    mine, theirs = own.score(spans), own.score(list(pairwise(bounds)))
    if mine is None or theirs is None:
        return None
    # Rounding in the encoder's float32 may turn a tie into a hair below nothing.
    return max(0.0, mine - theirs)
