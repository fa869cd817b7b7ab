"""Single paths of a lattice: the best, the n best in order, and random ones.

In: the edges of a lattice as arrays, sorted by start, then by end, and the number of characters n. Out: runs
of edge numbers from left to right. Everything is exact at any length; nothing is cut off by an agenda.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.errors import TextError
from engine.kernels.forward_backward import order_by_end, sample_path
from engine.kernels.n_best import NONE, NOT_YET, find_next, trace_entry
from engine.kernels.viterbi import extend_best_edges
from engine.slices import EDGES_PER_SLICE, slices

Edges = NDArray[np.int32]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Path:
    """One way to cut a text: the edges it takes, what they spell and the score (the sum of ln p, in nats).

    `starts` and `ends` count code points, `edges` are rows of the lattice's edge arrays.
    """

    edges: tuple[int, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    ids: tuple[int, ...]
    pieces: tuple[str, ...]
    score: float

    def __len__(self) -> int:
        return len(self.edges)


class ViterbiTable(NamedTuple):
    """The best path into each boundary.

    score : float64[n+1] in nats, -inf where no path arrives
    previous : int32[n+1], the boundary before, -1 at the start and where no path arrives
    edge : int32[n+1], the edge by which the best path arrives, -1 likewise
    """

    score: Floats
    previous: NDArray[np.int32]
    edge: Edges


def viterbi_table(
    n: int, edge_start: Edges, edge_end: Edges, edge_log_p: Floats, cancel: threading.Event | None = None
) -> ViterbiTable:
    """Compute the best path into every boundary; on equal scores the earliest start wins."""
    score = np.full(n + 1, -np.inf)
    score[0] = 0.0
    edge = np.full(n + 1, -1, dtype=np.int32)
    for first, stop in slices(len(edge_start), EDGES_PER_SLICE, cancel):
        extend_best_edges(edge_start, edge_end, edge_log_p, first, stop, score, edge)
    previous = np.full(n + 1, -1, dtype=np.int32)
    previous[edge >= 0] = edge_start[edge[edge >= 0]]
    return ViterbiTable(_frozen(score), _frozen(previous), _frozen(edge))


class EdgesByEnd(NamedTuple):
    """The edges into boundary i are order[offsets[i]:offsets[i+1]], by start."""

    order: Edges
    offsets: NDArray[np.int64]


def edges_by_end(n: int, edge_end: Edges) -> EdgesByEnd:
    """Sort the edges by the boundary where they end."""
    order, offsets = order_by_end(edge_end, n)
    return EdgesByEnd(_frozen(order), _frozen(offsets))


class PathsInOrder:
    """Enumerates the paths of a lattice from the best down, one at a time and each exactly once.

    Iterating yields the edges of each path, int32[m]. Paths of equal score come in a fixed order, the one of
    `ViterbiTable` first.
    """

    def __init__(
        self, edge_start: Edges, edge_end: Edges, edge_log_p: Floats, into: EdgesByEnd, table: ViterbiTable
    ) -> None:
        n = len(table.score) - 1
        self._edges = (edge_end, edge_log_p, into.order, into.offsets)
        is_reached = table.score > -np.inf
        # The first entry of every boundary is its best path, and has the boundary's number.
        self._edge_entry = np.where(is_reached[edge_start], edge_start, NONE).astype(np.int64)
        self._score = table.score.copy()
        self._edge = table.edge.copy()
        self._parent = table.previous.astype(np.int64)
        self._next = np.full(n + 1, NOT_YET, dtype=np.int64)
        self._n_entries = n + 1
        self._stack = np.empty(n + 1, dtype=np.int64)
        self._n = n
        self._last = n if is_reached[n] else NONE

    def __iter__(self) -> Iterator[Edges]:
        while self._last != NONE:
            edges = np.empty(self._n, dtype=np.int32)
            first = trace_entry(self._last, self._edge, self._parent, edges)
            yield edges[first:]
            self._make_room()
            self._last, self._n_entries = find_next(
                self._last, *self._edges, self._edge_entry,
                self._score, self._edge, self._parent, self._next, self._n_entries, self._stack,
            )  # fmt: skip

    def _make_room(self) -> None:
        # One path adds at most one entry to each boundary.
        missing = self._n_entries + self._n + 1 - len(self._score)
        if missing > 0:
            room = max(missing, len(self._score))
            self._score, self._edge, self._parent, self._next = (
                np.concatenate([array, np.empty(room, array.dtype)])
                for array in (self._score, self._edge, self._parent, self._next)
            )


def sample_edges(
    edge_start: Edges, edge_log_p: Floats, log_forward: Floats, into: EdgesByEnd, rng: np.random.Generator
) -> Edges:
    """Draw the edges of one path by its probability: forward filtering, backward sampling.

    `edge_log_p` and `log_forward` belong together; for an inverse temperature both are of alpha x ln p.
    """
    if not isinstance(rng, np.random.Generator):
        raise TextError(f"rng is {rng!r:.40}, which draws no numbers; give np.random.default_rng(seed).")
    edges = np.empty(len(log_forward) - 1, dtype=np.int32)
    first = sample_path(edge_start, edge_log_p, log_forward, *into, rng.random(len(edges)), edges)
    return edges[first:]


def _frozen(array: NDArray) -> NDArray:
    array.setflags(write=False)
    return array
