"""Expectation-maximization: expected counts of all paths, and the next probabilities from them.

In: the lattices of all units and one probability a piece. Out: Expectations, then a new table. Shards run on
threads and are added up in their own order, so the sums do not depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace

import numpy as np

from engine.errors import TrainingError
from engine.kernels import expected_counts as kernels
from engine.pieces import UNKNOWN_PENALTY
from engine.seeds import Seeds, UnitLattices
from engine.shards import N_SHARDS, Checkpoint, Workers, bounds_by_weight, portion, slices

SLICE = 1 << 19
"""Edges handed to a kernel at once: a few milliseconds."""

COUNT_FLOOR = 1e-12
"""Least expected count of a piece that stays: its probability is above 0 though no path needs it."""

DIGAMMA_FLOOR = 0.5
"""The same for the digamma M step, as digamma(C) is about -1 / C near 0: SentencePiece's own threshold
(kExpectedFrequencyThreshold), digamma(0.5) = -1.96."""


@dataclass(frozen=True, eq=False)
class PieceProbabilities:
    """The table that training works on: which candidates are left, and their probabilities.

    Attributes
    ----------
    seeds : int32[n]
        Each piece's number among the candidates, ascending.
    lengths : int32[n]
        In characters.
    log_p : float64[n]
        Natural logarithms of the probabilities.
    is_protected : bool[n]
        Single characters: without them a text could have no path.
    is_unknown : bool[n]
        Characters that dropped out: they stay in the lattices, but as unknown characters, no piece of the table.
    """

    seeds: np.ndarray
    lengths: np.ndarray
    log_p: np.ndarray
    is_protected: np.ndarray
    is_unknown: np.ndarray

    def __post_init__(self) -> None:
        for array in (self.seeds, self.lengths, self.log_p, self.is_protected, self.is_unknown):
            array.setflags(write=False)

    @classmethod
    def of_seeds(cls, seeds: Seeds, log_p: np.ndarray) -> PieceProbabilities:
        """Return the first table: all candidates, the characters among them protected."""
        n = len(seeds)
        is_character = np.arange(n) < seeds.n_characters
        return cls(np.arange(n, dtype=np.int32), seeds.lengths, log_p, is_character, np.zeros(n, dtype=bool))

    def __len__(self) -> int:
        return len(self.seeds)

    @property
    def n_pieces(self) -> int:
        """Return how many rows are pieces."""
        return len(self) - int(np.count_nonzero(self.is_unknown))

    @property
    def probabilities(self) -> np.ndarray:
        """Return the probabilities, float64[n]."""
        return np.exp(self.log_p)

    def with_log_p(self, log_p: np.ndarray) -> PieceProbabilities:
        """Return the same pieces with other probabilities."""
        return replace(self, log_p=log_p)

    def where(self, is_kept: np.ndarray, *, renormalize: bool) -> PieceProbabilities:
        """Return the pieces of the mask `is_kept`, their probabilities summing to 1 again where asked."""
        log_p = self.log_p[is_kept]
        if renormalize:
            log_p = log_p - np.log(np.exp(log_p).sum())
        rest = (column[is_kept] for column in (self.is_protected, self.is_unknown))
        return PieceProbabilities(self.seeds[is_kept], self.lengths[is_kept], log_p, *rest)

    def with_unknown(self, is_unknown: np.ndarray) -> PieceProbabilities:
        """Return the table with these characters as unknown ones: they score 10 below the least probable piece.

        Raises TrainingError where no piece would be left.
        """
        if is_unknown.all():
            raise TrainingError(
                "No piece is left, as every character dropped out: set protect_characters, or raise vocab_size."
            )
        log_p = self.log_p.copy()
        log_p[is_unknown] = log_p[~is_unknown].min() - UNKNOWN_PENALTY
        return replace(self, log_p=log_p, is_unknown=is_unknown)


@dataclass(frozen=True, eq=False)
class Expectations:
    """What an E step found.

    Attributes
    ----------
    counts : float64[n]
        Expected count of each piece over all paths of all texts.
    loss : float
        -sum of count x ln Z, nats.
    objective : float or None
        The loss as SentencePiece logs it, where its arithmetic is followed; see `history.Update`.
    """

    counts: np.ndarray
    loss: float
    objective: float | None = None

    @property
    def n_tokens(self) -> float:
        """Return the expected number of tokens of the corpus."""
        return float(self.counts.sum())


@dataclass(frozen=True, eq=False)
class ScaledTable:
    """Probabilities as the kernels take them: p kappa^length, ln p, ln kappa, and whether p kappa^length is tame."""

    weights: np.ndarray
    log_p: np.ndarray
    log_kappa: float
    is_safe: bool

    @classmethod
    def of(cls, table: PieceProbabilities, log_kappa: float) -> ScaledTable:
        """Scale `table` by kappa, given as its logarithm: about the corpus's nats per character."""
        log_weights = table.log_p + log_kappa * table.lengths
        with np.errstate(over="ignore", under="ignore"):
            weights = np.exp(log_weights)
        is_safe = bool(weights.min() > kernels.LOW and weights.max() < kernels.HIGH)
        weights.setflags(write=False)
        return cls(weights, table.log_p, float(log_kappa), is_safe)

    def columns(self) -> tuple[np.ndarray, np.ndarray, float, bool]:
        """Return the fields in the order of the kernels' parameters."""
        return self.weights, self.log_p, self.log_kappa, self.is_safe


class UnitScratch:
    """Room for one unit at a time; each shard has its own."""

    def __init__(self, lattices: UnitLattices) -> None:
        longest, n_edges = lattices.largest_unit
        self.edge_weight = np.empty(n_edges)
        self.alpha, self.beta, self.log_alpha, self.other = (np.empty(longest + 1) for _ in range(4))
        self.best_edge = np.empty(longest + 1, dtype=np.int64)


def unit_work(lattices: UnitLattices) -> np.ndarray:
    """Return the cumulative number of edges before each unit, int64[n_units + 1]: what a shard costs."""
    return lattices.edge_offsets[lattices.unit_offsets]


def e_step(
    workers: Workers, lattices: UnitLattices, table: PieceProbabilities, log_kappa: float
) -> Generator[float, None, Expectations]:
    """Compute the expected count of each piece by forward-backward; yields the fraction done.

    C(t) = sum over units f sum over edges of t alpha(i) p(t) beta(j) / Z, in float64 (Kudo 2018, section 3.2).
    `log_kappa` is a scale near the loss per character; it changes no result beyond rounding.
    """
    scaled = ScaledTable.of(table, log_kappa)
    work = unit_work(lattices)
    bounds = bounds_by_weight(work, N_SHARDS)

    def count_shard(shard: int, checkpoint: Checkpoint) -> tuple[np.ndarray, float]:
        first, last = int(bounds[shard]), int(bounds[shard + 1])
        counts, total = np.zeros(len(table)), 0.0
        scratch = UnitScratch(lattices)
        for start, stop in slices(work, first, last, SLICE):
            checkpoint((start - first) / (last - first))
            total += kernels.expected_counts(
                *lattices.units(), *lattices.edges(), *scaled.columns(), start, stop,
                scratch.edge_weight, scratch.alpha, scratch.beta, scratch.log_alpha, counts,
            )  # fmt: skip
        return counts, total

    counts, total = yield from workers.add_up(count_shard, N_SHARDS)
    counts.setflags(write=False)
    return Expectations(counts, -total)


def m_step(
    table: PieceProbabilities,
    expectations: Expectations,
    rule: str,
    *,
    min_expected_count: float = 0.0,
    at_least: int = 0,
    protect_characters: bool = True,
    smoothing_epsilon: float = 0.0,
) -> tuple[PieceProbabilities, np.ndarray]:
    """Return the next table, and the mask of the pieces that stayed in it.

    With "maximum_likelihood" p = C / sum C, the maximum of sum C ln p under sum p = 1; with "digamma"
    ln p = digamma(C) - digamma(sum C), which favours few pieces (sentencepiece, RunMStep), no C below
    `DIGAMMA_FLOOR`; with "additive"
    p = (C + epsilon) / (sum C + epsilon |V|), `smoothing_epsilon` being epsilon.

    Pieces expected less often than `min_expected_count` are dropped, but never so many that fewer than
    `at_least` stay. With "digamma" those below `DIGAMMA_FLOOR` are dropped whatever the setting. Protected ones are
    never dropped: they count at least that often; or, without `protect_characters`, they become unknown ones.

    Raises
    ------
    TrainingError
        Where, without `protect_characters`, no piece is expected often enough to stay.
    """
    floor = DIGAMMA_FLOOR if rule == "digamma" else COUNT_FLOOR
    threshold = max(min_expected_count, floor)
    is_piece = expectations.counts >= threshold
    is_kept = table.is_protected | is_piece
    if is_kept.sum() < at_least:
        is_kept = most_expected(table, expectations.counts, at_least)
        is_piece |= is_kept & ~table.is_protected
    counts = np.maximum(expectations.counts, floor)
    if protect_characters:
        counts = np.maximum(counts, np.where(table.is_protected, threshold, 0.0))
        log_p = _log_probabilities(counts[is_kept], rule, smoothing_epsilon)
        return table.where(is_kept, renormalize=False).with_log_p(log_p), is_kept
    if not is_piece.any():
        raise TrainingError("No piece is expected often enough to stay: lower min_expected_count, or add texts.")
    log_p = np.zeros(len(table))
    log_p[is_piece] = _log_probabilities(counts[is_piece], rule, smoothing_epsilon)
    kept = table.with_log_p(log_p).where(is_kept, renormalize=False)
    return kept.with_unknown(~is_piece[is_kept]), is_kept


def _log_probabilities(counts: np.ndarray, rule: str, epsilon: float) -> np.ndarray:
    if rule == "digamma":
        return digamma(counts) - digamma(np.array([counts.sum()]))
    if rule == "additive":
        counts = counts + epsilon
    return np.log(counts / counts.sum())


def credit_first_piece(table: PieceProbabilities, counts: np.ndarray, n_uncovered: int) -> np.ndarray:
    """Return counts with those of unknown characters given to the first piece of the table.

    SentencePiece's trainer numbers an unknown character 0, which is the number of its first piece, usually the most
    frequent character; so that one is credited (unigram_model.cc). Followed only where its own training is.
    """
    credited = np.where(table.is_unknown, 0.0, counts)
    credited[int(np.argmin(table.is_unknown))] += counts[table.is_unknown].sum() + n_uncovered
    return credited


def most_expected(table: PieceProbabilities, counts: np.ndarray, n_kept: int) -> np.ndarray:
    """Return the mask of the protected pieces and the most expected others, `n_kept` in all."""
    order = np.lexsort((np.arange(len(table)), -counts, ~table.is_protected))
    is_kept = np.zeros(len(table), dtype=bool)
    is_kept[order[:n_kept]] = True
    return is_kept


def digamma(x: np.ndarray) -> np.ndarray:
    """Return the derivative of ln Gamma at x > 0, to about 1e-12.

    Recurrence up to x >= 10, then the asymptotic series (Bernardo 1976, Algorithm AS 103).

    >>> bool(abs(digamma(np.array([1.0]))[0] + 0.5772156649015329) < 1e-11)
    True
    """
    x = np.array(x, dtype=np.float64)
    result = np.zeros_like(x)
    while (is_small := x < 10.0).any():
        result[is_small] -= 1.0 / x[is_small]
        x[is_small] += 1.0
    y = 1.0 / (x * x)
    series = y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y * (1 / 132 - y * 691 / 32760)))))
    return result + np.log(x) - 0.5 / x - series


def keep_pieces(
    workers: Workers, lattices: UnitLattices, is_kept: np.ndarray
) -> Generator[float, None, UnitLattices]:
    """Return the lattices without the edges of removed pieces, numbered anew in order; yields the fraction done."""
    new_number = np.where(is_kept, np.cumsum(is_kept) - 1, -1).astype(np.int32)
    offsets = lattices.edge_offsets
    bounds = bounds_by_weight(offsets, N_SHARDS)

    def count(shard: int, checkpoint: Checkpoint) -> int:
        first, last = int(offsets[bounds[shard]]), int(offsets[bounds[shard + 1]])
        n = 0
        for start in range(first, last, SLICE):
            checkpoint((start - first) / (last - first))
            n += kernels.count_kept(lattices.edge_piece, is_kept, start, min(start + SLICE, last))
        return n

    counts = yield from portion(workers.run(count, N_SHARDS), 0.0, 0.3)
    begins = np.concatenate(([0], np.cumsum(counts)))
    edge_offsets = np.empty_like(offsets)
    edge_offsets[0] = 0
    edge_piece = np.empty(begins[-1], dtype=np.int32)
    edge_length = np.empty(begins[-1], dtype=lattices.edge_length.dtype)

    def keep(shard: int, checkpoint: Checkpoint) -> None:
        first, last = int(bounds[shard]), int(bounds[shard + 1])
        write, end = int(begins[shard]), int(begins[shard + 1])
        for start, stop in slices(offsets, first, last, SLICE):
            checkpoint((start - first) / (last - first))
            n_before = np.empty(offsets[stop] - offsets[start] + 1, dtype=np.int64)
            write = kernels.keep_edges(
                *lattices.edges(), new_number, start, stop, write, end, n_before,
                edge_offsets, edge_piece, edge_length,
            )  # fmt: skip

    yield from portion(workers.run(keep, N_SHARDS), 0.3, 1.0)
    return replace(lattices, edge_offsets=edge_offsets, edge_piece=edge_piece, edge_length=edge_length)
