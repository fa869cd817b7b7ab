"""Questions about one place of a text: why it is not cut out, and what if it had to be, or must not be.

In: a lattice and a span in code points. Out: a `SpanAnswer` with the best path over the span, the best path that
avoids it and the score that parts them; or the lattice that is left when edges are forbidden or forced. All scores
but those in question stay as they are. It changes no model (`edits`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.errors import TextError
from engine.lattice import Lattice
from engine.paths import Path

Span = tuple[int, int]
_JUST_ABOVE = 1e-9  # nats: what a score exceeds another by when it is to win and not to tie


@dataclass(frozen=True)
class SpanAnswer:
    """Why a span is, or is not, a piece of the best path.

    Attributes
    ----------
    start, end, text
        The span, in code points of the lattice's text.
    edge : int
        Its row in the lattice, -1 where no edge lies there.
    is_piece : bool
        Whether it is an edge that a piece spells; an unknown character is an edge, but no piece.
    log_p : float
        What the edge scores, nats; nan without an edge.
    on_best : bool
        Whether the best path takes it.
    around : float
        The best score of the text before and after the span, nats; -inf where forbidden edges leave no way.
    cuts : tuple of int
        The boundaries of the best path over the span.
    rival : Path or None
        The best path that does not take the span; None where there is no other.
    needed : float
        The score at which the span ties with its rival: above it the span wins at this place. -inf without a rival.
    wins_everywhere : bool
        Whether the span still wins when the same piece scores just above `needed` at each of its places.
    n_places : int
        How often the span's text stands in the text, overlaps included.
    """

    start: int
    end: int
    text: str
    edge: int
    is_piece: bool
    log_p: float
    on_best: bool
    around: float
    cuts: tuple[int, ...]
    rival: Path | None
    needed: float
    wins_everywhere: bool
    n_places: int

    @property
    def margin(self) -> float:
        """By how much the span leads its rival, nats; negative where it is behind, nan without an edge."""
        return self.log_p - self.needed

    @property
    def through_score(self) -> float:
        """The score of the best path over the span, nats; nan without an edge."""
        return self.around + self.log_p

    @property
    def window(self) -> Span:
        """The stretch round the span outside of which it and its rival are cut at the same boundaries."""
        if self.rival is None:
            return self.start, self.end
        common = {0, *self.rival.ends}.intersection(self.cuts)
        return max(i for i in common if i <= self.start), min(i for i in common if i >= self.end)


def why_not(lattice: Lattice, start: int, end: int) -> SpanAnswer:
    """Return why the best path does or does not take the span start..end of the lattice's text.

    Raises TextError for a span outside of the text.

    Examples
    --------
    The text ab with p(a) = 0.5, p(b) = 0.25 and p(ab) = 0.1: a|b has 0.125, so ab would need more than that.

    >>> from engine.model import UnigramModel
    >>> lattice = UnigramModel.from_probabilities({"a": 0.5, "b": 0.25, "ab": 0.1}).lattice("ab")
    >>> answer = why_not(lattice, 0, 2)
    >>> answer.rival.pieces, round(math.exp(answer.needed), 12), round(math.exp(answer.margin), 12)
    (('a', 'b'), 0.125, 0.8)
    """
    _check_span(lattice, start, end)
    edge = edge_at(lattice, start, end)
    over = _best(_with_edges(lattice, [(start, end)], 0.0, clear=True))
    rival = _best(lattice if edge < 0 else lattice.keeping(np.arange(lattice.n_edges) != edge))
    around = -math.inf if over is None else over.score
    needed = (math.inf if over is None else -math.inf) if rival is None else rival.score - around
    best = _best(lattice)
    return SpanAnswer(
        start=start,
        end=end,
        text=lattice.text[start:end],
        edge=edge,
        is_piece=edge >= 0 and not lattice.edge_is_unknown[edge],
        log_p=float(lattice.edge_log_p[edge]) if edge >= 0 else math.nan,
        on_best=best is not None and edge in best.edges,
        around=around,
        cuts=() if over is None else (0, *over.ends),
        rival=rival,
        needed=needed,
        wins_everywhere=_wins_everywhere(lattice, start, end, needed),
        n_places=len(places_of(lattice, start, end)),
    )


def edge_at(lattice: Lattice, start: int, end: int) -> int:
    """Return the row of the edge from `start` to `end`, -1 where there is none."""
    first, last = int(lattice.edge_offsets[start]), int(lattice.edge_offsets[start + 1])
    found = np.flatnonzero(lattice.edge_end[first:last] == end)
    return first + int(found[0]) if len(found) else -1


def places_of(lattice: Lattice, start: int, end: int) -> list[Span]:
    """Return every place of the text where the characters of the span stand, overlaps included."""
    wanted, places, at = lattice.text[start:end], [], lattice.text.find(lattice.text[start:end])
    while at >= 0:
        places.append((at, at + len(wanted)))
        at = lattice.text.find(wanted, at + 1)
    return places


def constrained(lattice: Lattice, *, forbidden: Iterable[Span] = (), forced: Iterable[Span] = ()) -> Lattice:
    """Return the lattice whose paths take every forced edge and none of the forbidden ones.

    Raises TextError where a span is no edge, or no path is left.
    """
    keep = np.ones(lattice.n_edges, dtype=np.bool_)
    for start, end in forced:
        apart = (lattice.edge_end <= start) | (lattice.edge_start >= end)
        apart[_edge_of(lattice, start, end)] = True
        keep &= apart
    for start, end in forbidden:
        keep[_edge_of(lattice, start, end)] = False
    left = lattice.keeping(keep)
    if not np.isfinite(left.best_table().score[-1]):
        raise TextError("No path through the text would be left; allow another piece first.")
    return left


def _edge_of(lattice: Lattice, start: int, end: int) -> int:
    _check_span(lattice, start, end)
    edge = edge_at(lattice, start, end)
    if edge < 0:
        raise TextError(
            f"{lattice.text[start:end]!r} is no piece from {start} to {end}; add it to the vocabulary first."
        )
    return edge


def _check_span(lattice: Lattice, start: int, end: int) -> None:
    if not 0 <= start < end <= len(lattice):
        raise TextError(f"From {start} to {end} is no stretch of a text of {len(lattice)} characters.")


def _best(lattice: Lattice) -> Path | None:
    found = lattice.n_best(1)
    return found[0] if found else None


def _wins_everywhere(lattice: Lattice, start: int, end: int, needed: float) -> bool:
    if not math.isfinite(needed):
        return needed < 0.0
    score = needed + max(_JUST_ABOVE, 1e-12 * abs(needed))
    best = _best(_with_edges(lattice, places_of(lattice, start, end), score))
    return best is not None and (start, end) in zip(best.starts, best.ends, strict=True)


def _with_edges(lattice: Lattice, spans: list[Span], log_p: float, *, clear: bool = False) -> Lattice:
    """Return the lattice with edges of that score at the spans, in place of those that lie there.

    With `clear` nothing else may touch the spans: every path runs over them.
    """
    n = len(lattice) + 1
    numbers = lattice.edge_start.astype(np.int64) * n + lattice.edge_end
    added = np.array([start * n + end for start, end in spans], dtype=np.int64)
    keep = ~np.isin(numbers, added)
    for start, end in spans if clear else ():
        keep &= (lattice.edge_end <= start) | (lattice.edge_start >= end)
    order = np.argsort(np.concatenate((numbers[keep], added)), kind="stable")

    def joined(old: NDArray, new: NDArray) -> NDArray:
        return np.concatenate((old[keep], new.astype(old.dtype)))[order]

    starts = joined(lattice.edge_start, added // n)
    return replace(
        lattice,
        edge_start=starts,
        edge_end=joined(lattice.edge_end, added % n),
        edge_piece=joined(lattice.edge_piece, np.full(len(added), -1)),
        edge_log_p=joined(lattice.edge_log_p, np.full(len(added), log_p)),
        edge_is_unknown=joined(lattice.edge_is_unknown, np.zeros(len(added), dtype=np.bool_)),
        edge_offsets=np.searchsorted(starts, np.arange(n)).astype(np.int64),
    )
