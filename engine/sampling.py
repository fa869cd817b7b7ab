"""Many random paths of one lattice, counted beside the law that they follow.

In: a lattice, an inverse temperature alpha, a number of draws and a generator. Out: `Draws`: which paths came how
often, and the exact probability of each, at any length of text. Kudo 2018, "Subword Regularization", draws so.
"""

from __future__ import annotations

import hashlib
import math
import threading
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine import marginals, paths
from engine.errors import Cancelled, TextError
from engine.lattice import Lattice
from engine.paths import Path

_EDGES_KEPT = 5_000_000  # of all distinct paths together; beyond it a path is counted but cannot be listed
_DRAWS_BETWEEN_LOOKS = 16


@dataclass(frozen=True, eq=False)
class Draws:
    """Some paths, how often each was drawn and how probable each is.

    Attributes
    ----------
    alpha : float
        Inverse temperature: 0 draws all paths alike, 1 by their probability, infinity only the best one.
    size : int
        How many were drawn.
    paths : tuple of Path
        The ones asked for first, then the drawn ones, the most frequent first.
    counts : int64[k]
    law : float64[k]
        The probability of each path in one draw: p ** alpha over the sum of all paths' p ** alpha.
    n_distinct : int
        How many different paths were drawn, listed or not.
    """

    alpha: float
    size: int
    paths: tuple[Path, ...]
    counts: NDArray[np.int64]
    law: NDArray[np.float64]
    n_distinct: int


class Sampler:
    """Draws from one lattice at one alpha; the sums over all paths are made once.

    Examples
    --------
    >>> from engine.model import UnigramModel
    >>> lattice = UnigramModel.from_probabilities({"a": 0.5, "b": 0.25, "ab": 0.1}).lattice("ab")
    >>> best = lattice.best()
    >>> [round(Sampler(lattice, alpha).probability(best), 4) for alpha in (0.0, 1.0, math.inf)]
    [0.5, 0.5556, 1.0]
    """

    def __init__(self, lattice: Lattice, alpha: float, cancel: threading.Event | None = None) -> None:
        if math.isnan(alpha) or alpha < 0:
            raise TextError(f"alpha is {alpha}; the inverse temperature must be 0 or more.")
        self._lattice, self._alpha = lattice, alpha
        self._best = lattice.best()
        if math.isfinite(alpha):
            self._log_p = lattice.edge_log_p * alpha
            self._log_p.setflags(write=False)
            edges = (len(lattice), lattice.edge_start, lattice.edge_end, self._log_p)
            self._sums = marginals.log_forward(*edges, cancel)

    def probability(self, path: Path) -> float:
        """Return the probability that one draw gives this path."""
        if math.isinf(self._alpha):
            return float(path.edges == self._best.edges)
        return math.exp(self._alpha * path.score - float(self._sums[-1]))

    def draw(self, rng: np.random.Generator) -> NDArray[np.int32]:
        """Return the edges of one random path."""
        if math.isinf(self._alpha):
            return np.array(self._best.edges, dtype=np.int32)
        lattice = self._lattice
        return paths.sample_edges(lattice.edge_start, self._log_p, self._sums, lattice.edges_by_end, rng)


class _Tally:
    """How often each path came. Paths are told apart by a digest: those of a long text would not fit into memory."""

    def __init__(self) -> None:
        self.counts: dict[bytes, int] = {}
        self.edges: dict[bytes, NDArray[np.int32]] = {}
        self._n_edges = 0

    def add(self, edges: NDArray[np.int32]) -> None:
        key = _digest(edges)
        self.counts[key] = self.counts.get(key, 0) + 1
        if key not in self.edges and self._n_edges < _EDGES_KEPT:
            self.edges[key] = edges
            self._n_edges += len(edges)


def draw_paths(
    lattice: Lattice,
    alpha: float,
    size: int,
    *,
    rng: np.random.Generator,
    listed: Iterable[Path] = (),
    most: int = 50,
    cancel: threading.Event | None = None,
) -> Draws:
    """Draw `size` paths with probability in proportion to p ** alpha and count them.

    `listed` paths are listed whether or not they come; of the others the `most` frequent. Raises TextError for an
    alpha under 0, Cancelled.
    """
    sampler, tally = Sampler(lattice, alpha, cancel), _Tally()
    for i in range(size):
        if i % _DRAWS_BETWEEN_LOOKS == 0 and cancel is not None and cancel.is_set():
            raise Cancelled
        tally.add(sampler.draw(rng))
    shown = list(listed)
    keys = [_digest(np.array(path.edges, dtype=np.int32)) for path in shown]
    others = sorted(tally.edges.keys() - set(keys), key=lambda key: (-tally.counts[key], tally.edges[key].tolist()))
    shown += [lattice.path(tally.edges[key]) for key in others[:most]]
    counts = np.array([tally.counts.get(key, 0) for key in keys + others[:most]], dtype=np.int64)
    law = np.array([sampler.probability(path) for path in shown])
    for array in (counts, law):
        array.setflags(write=False)
    return Draws(alpha, size, tuple(shown), counts, law, len(tally.counts))


def _digest(edges: NDArray[np.int32]) -> bytes:
    return hashlib.blake2b(edges.tobytes(), digest_size=16).digest()
