"""Sums over all paths of a lattice: forward, backward, posteriors, entropy and the number of paths.

In: the edges of a lattice as arrays, sorted by start, then by end, and the number of characters n. Out:
float64 arrays in the log domain, so that 0.01 to the power of 200 is -921.034 and not 0. The normalizer log Z
is log_forward[n], the log probability of the text.
"""

from __future__ import annotations

import math
import threading

import numpy as np
from numpy.typing import NDArray

from engine.kernels.forward_backward import extend_backward, extend_forward
from engine.slices import EDGES_PER_SLICE, slices

Edges = NDArray[np.int32]
Floats = NDArray[np.float64]
Offsets = NDArray[np.int64]

_EDGES_IN_PYTHON = 1 << 14  # taken out of their arrays at once: a few milliseconds with the interpreter's lock


def log_forward(
    n: int, edge_start: Edges, edge_end: Edges, edge_log_p: Floats, cancel: threading.Event | None = None
) -> Floats:
    """Return the log of the summed probability of all paths from the start to each boundary, float64[n+1].

    forward(0) = 1, forward(j) = sum over the edges i -> j of forward(i) p(edge).
    """
    sums = np.full(n + 1, -np.inf)
    sums[0] = 0.0
    for first, stop in slices(len(edge_start), EDGES_PER_SLICE, cancel):
        extend_forward(edge_start, edge_end, edge_log_p, first, stop, sums)
    sums.setflags(write=False)
    return sums


def log_backward(
    n: int, edge_start: Edges, edge_end: Edges, edge_log_p: Floats, cancel: threading.Event | None = None
) -> Floats:
    """Return the log of the summed probability of all paths from each boundary to the end, float64[n+1].

    backward(n) = 1, backward(i) = sum over the edges i -> j of p(edge) backward(j).
    """
    sums = np.full(n + 1, -np.inf)
    sums[n] = 0.0
    n_edges = len(edge_start)
    for first, stop in slices(n_edges, EDGES_PER_SLICE, cancel):
        extend_backward(edge_start, edge_end, edge_log_p, n_edges - stop, n_edges - first, sums)
    sums.setflags(write=False)
    return sums


def edge_posteriors(
    edge_start: Edges, edge_end: Edges, edge_log_p: Floats, forward: Floats, backward: Floats
) -> Floats:
    """Return the share of the text's probability that runs over each edge, float64[E]; all 0 without a path.

    forward(start) p(edge) backward(end) / Z, given the logs of forward and backward.
    """
    return _shares(forward[edge_start] + edge_log_p + backward[edge_end], forward[-1])


def boundary_posteriors(forward: Floats, backward: Floats) -> Floats:
    """Return the share of the text's probability that is cut at each boundary, float64[n+1]."""
    return _shares(forward + backward, forward[-1])


def _shares(log_values: Floats, log_z: float) -> Floats:
    # Rounding, coarse where scores are huge, must make no share larger than the whole.
    shares = np.exp(np.minimum(log_values - log_z, 0.0)) if log_z > -np.inf else np.zeros(len(log_values))
    shares.setflags(write=False)
    return shares


def entropy(edge_start: Edges, edge_end: Edges, edge_log_p: Floats, backward: Floats, posteriors: Floats) -> float:
    """Return the entropy in nats of the paths, each weighted by its share of the text's probability.

    By the chain rule: the sum over edges of posterior x -log P(edge | start), where
    P(edge | start) = p(edge) backward(end) / backward(start). No term is negative, so nothing cancels.
    """
    used = posteriors > 0.0
    start, end = edge_start[used], edge_end[used]
    log_choice = np.minimum(edge_log_p[used] + backward[end] - backward[start], 0.0)
    return float(-np.sum(posteriors[used] * log_choice)) + 0.0


def n_paths(edge_start: Edges, edge_end: Edges, edge_offsets: Offsets, cancel: threading.Event | None = None) -> int:
    """Return the exact number of paths, of any size.

    The text is taken apart at boundaries that no edge jumps over: the product of small counts is found far
    faster than one count whose numbers grow with every character.
    """
    n = len(edge_offsets) - 1
    bridges = _is_bridge(edge_end, edge_offsets).tolist()
    counts = [1] + [0] * n
    factors: list[int] = []
    reached = 0
    for first, stop in slices(len(edge_start), _EDGES_IN_PYTHON, cancel):
        edges = zip(edge_start[first:stop].tolist(), edge_end[first:stop].tolist(), strict=True)
        for start, end in edges:
            if start != reached:
                # What lies behind is not looked at again, and may be a very long number.
                counts[reached] = 0
                reached = start
                if bridges[start]:
                    factors.append(counts[start])
                    counts[start] = 1
            counts[end] += counts[start]
    return _product([*factors, counts[n]])


def _is_bridge(edge_end: Edges, edge_offsets: Offsets) -> NDArray[np.bool_]:
    """Return bool[n+1]: boundaries that every path is cut at, as no edge jumps over them."""
    n = len(edge_offsets) - 1
    has_edges = np.diff(edge_offsets) > 0
    # The longest edge of each start is its last one.
    furthest = np.zeros(n, dtype=np.int32)
    furthest[has_edges] = edge_end[edge_offsets[1:][has_edges] - 1]
    return np.concatenate(([True], np.maximum.accumulate(furthest) <= np.arange(1, n + 1)))


def _product(factors: list[int]) -> int:
    """Multiply in pairs: numbers of equal length multiply fastest."""
    while len(factors) > 32:
        factors = [math.prod(factors[i : i + 2]) for i in range(0, len(factors), 2)]
    return math.prod(factors)
