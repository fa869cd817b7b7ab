"""Two computations taken apart, so that they can be watched: the Viterbi table, and the counts of an E step.

In: a lattice. Out: flat arrays of every term that is compared or added, in the order in which a person would do it by
hand, and the results that they lead to. The results are the lattice's own; nothing is computed in another way.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.lattice import Lattice

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Offsets = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ViterbiSteps:
    """How the best path is found: boundary by boundary, then back.

    Attributes
    ----------
    edges : int32[E]
        Edges by the boundary where they end; those into boundary i are edges[offsets[i]:offsets[i+1]].
    sums : float64[E]
        For each of them: best score of the boundary where it starts + its own score, nats.
    score : float64[n+1]
        The best sum into each boundary, 0 at the start.
    winner : int32[n+1]
        The edge that has it, -1 at the start and where no path arrives. On equal sums the earliest start wins.
    walk : tuple of int
        The edges of the best path from the end of the text back to its start.
    """

    edges: Ints
    offsets: Offsets
    sums: Floats
    score: Floats
    winner: Ints
    walk: tuple[int, ...]


def viterbi_steps(lattice: Lattice) -> ViterbiSteps:
    """Take the Viterbi table of a lattice apart.

    Examples
    --------
    >>> from engine.model import UnigramModel
    >>> steps = viterbi_steps(UnigramModel.from_probabilities({"a": 0.5, "b": 0.25, "ab": 0.1}).lattice("ab"))
    >>> np.exp(steps.sums).round(4).tolist(), steps.walk
    ([0.5, 0.1, 0.125], (2, 0))
    """
    table, into = lattice.best_table(), lattice.edges_by_end
    sums = table.score[lattice.edge_start[into.order]] + lattice.edge_log_p[into.order]
    walk, at = [], len(lattice)
    while at > 0 and table.edge[at] >= 0:
        walk.append(int(table.edge[at]))
        at = int(table.previous[at])
    return ViterbiSteps(into.order, into.offsets, _frozen(sums), table.score, table.edge, tuple(walk))


@dataclass(frozen=True, eq=False)
class CountSteps:
    """How an E step counts: forward sums, backward sums, then for each piece the shares of its edges.

    Attributes
    ----------
    into, into_offsets : int32[E], int64[n+2]
        Edges by the boundary where they end, as in `ViterbiSteps`.
    forward_terms : float64[E]
        For each of them ln of forward(start) x p: the logs whose exponentials add up to forward(end).
    backward_terms : float64[E]
        For each edge in the lattice's own order, by start: ln of p x backward(end).
    pieces : int32[k]
        The IDs that occur on edges, from the largest expected count down.
    edges, offsets : int32[E], int64[k+1]
        The edges of pieces[j] are edges[offsets[j]:offsets[j+1]].
    counts : float64[k]
        The sum of their posteriors: how often the piece is expected in the text.
    """

    into: Ints
    into_offsets: Offsets
    forward_terms: Floats
    backward_terms: Floats
    pieces: Ints
    edges: Ints
    offsets: Offsets
    counts: Floats


def count_steps(lattice: Lattice) -> CountSteps:
    """Take the E step on one text apart.

    Examples
    --------
    ab is one path of 0.1, a|b the other of 0.125: a is expected 0.125 / 0.225 times.

    >>> from engine.model import UnigramModel
    >>> steps = count_steps(UnigramModel.from_probabilities({"a": 0.5, "b": 0.25, "ab": 0.1}).lattice("ab"))
    >>> steps.pieces.tolist(), steps.counts.round(4).tolist()
    ([1, 2, 3], [0.5556, 0.5556, 0.4444])
    """
    into, log_p = lattice.edges_by_end, lattice.edge_log_p
    forward = lattice.log_forward[lattice.edge_start[into.order]] + log_p[into.order]
    backward = log_p + lattice.log_backward[lattice.edge_end]
    pieces, edges, offsets, counts = _counted(lattice)
    return CountSteps(into.order, into.offsets, _frozen(forward), _frozen(backward), pieces, edges, offsets, counts)


def _counted(lattice: Lattice) -> tuple[Ints, Ints, Offsets, Floats]:
    pieces, group = np.unique(lattice.edge_piece, return_inverse=True)
    counts = np.bincount(group, weights=lattice.posteriors, minlength=len(pieces))
    # From the largest count down; equal ones in the order of their IDs.
    ranked = np.lexsort((pieces, -counts))
    place = np.empty(len(pieces), dtype=np.int64)
    place[ranked] = np.arange(len(pieces))
    edges = np.argsort(place[group], kind="stable").astype(np.int32)
    sizes = np.bincount(group, minlength=len(pieces))[ranked]
    offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    return _frozen(pieces[ranked].astype(np.int32)), _frozen(edges), _frozen(offsets), _frozen(counts[ranked])


def _frozen(array: NDArray) -> NDArray:
    array.setflags(write=False)
    return array
