"""Pruning: what the corpus loses without each piece, and which pieces go.

In: the lattices of all units and a table. Out: PieceLosses, then the mask of what stays. The exact loss is
L(without the piece) - L with all other probabilities frozen. Where a piece repeats in long units its exact loss
costs a pass of its own; then only as many are computed as the decision needs, and the others are lower bounds
that are marked as such and already lie above the cutting line.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.em import SLICE, PieceProbabilities, ScaledTable, UnitScratch, credit_first_piece, unit_work
from engine.kernels import pruning_loss as kernels
from engine.seeds import UnitLattices
from engine.shards import N_SHARDS, Checkpoint, Workers, bounds_by_weight, slices

_ALL_AT_ONCE = 4
"""Exact losses of repeated pieces are computed at once as long as that visits at most this many times the edges there
are; what is put off is computed for all pieces where that visits at most this many times the edges ..."""

_AFFORDABLE = 50_000_000
"""... or at most this many edges: a fraction of a second."""

_AHEAD = 1.2
"""How many more pieces than are to go are computed at once, so that one more look usually settles it."""


@dataclass(frozen=True, eq=False)
class PieceLosses:
    """Losses in nats of all texts together.

    Attributes
    ----------
    losses : float64[n]
        Rise of the corpus loss without the piece; nan where it is protected.
    is_bound : bool[n]
        Where `losses` holds a lower bound only.
    corpus_loss : float or None
        The corpus loss of the table itself, where the criterion computes it.
    best_counts : float64[n] or None
        How often each piece is on a best path, where the criterion counts that.
    """

    losses: np.ndarray
    is_bound: np.ndarray
    corpus_loss: float | None = None
    best_counts: np.ndarray | None = None

    def __post_init__(self) -> None:
        self.losses.setflags(write=False)
        self.is_bound.setflags(write=False)


def exact_losses(
    workers: Workers,
    lattices: UnitLattices,
    table: PieceProbabilities,
    log_kappa: float,
    n_removed: int | None = None,
) -> Generator[float, None, PieceLosses]:
    """Compute delta(s) = L(without s) - L for every piece that is not protected; yields the fraction done.

    Where the exact passes over repeated pieces would be dear, and `n_removed` is given, they are done only until
    the `n_removed` smallest losses are certain; with None they are then left as bounds.
    """
    passes = _ExactPasses(workers, lattices, table, log_kappa)
    losses, bounds, loss, put_off = yield from passes.run(np.ones(len(table), dtype=bool), only_put_off=False)
    is_bound = bounds > 0.0
    if put_off <= max(_AFFORDABLE, _ALL_AT_ONCE * len(lattices.edge_piece)):
        wanted = is_bound
    else:
        wanted = _doubtful(losses + bounds, is_bound, table.is_protected, n_removed)
    while wanted.any():
        repeats, _, _, _ = yield from passes.run(wanted, only_put_off=True)
        losses = losses + repeats
        bounds = np.where(wanted, 0.0, bounds)
        is_bound = is_bound & ~wanted
        wanted = _doubtful(losses + bounds, is_bound, table.is_protected, n_removed)
    return PieceLosses(np.where(table.is_protected, np.nan, losses + bounds), is_bound, loss)


def _doubtful(values: np.ndarray, is_bound: np.ndarray, is_protected: np.ndarray, n_removed: int | None) -> np.ndarray:
    """Return the mask of the bounds that could still lie below the line; empty where the line is certain."""
    n_candidates = int(np.count_nonzero(~is_protected))
    if not n_removed or not is_bound.any() or n_removed >= n_candidates:
        return np.zeros(len(values), dtype=bool)
    candidates = np.sort(values[~is_protected])
    if not (is_bound & (values <= candidates[n_removed - 1])).any():
        return np.zeros(len(values), dtype=bool)
    line = candidates[min(int(_AHEAD * n_removed), n_candidates - 1)]
    return is_bound & (values <= line)


class _ExactScratch(UnitScratch):
    """Room for one unit at a time, where its pieces occur, and the shares that wait to become losses."""

    def __init__(self, lattices: UnitLattices, n_pieces: int) -> None:
        super().__init__(lattices)
        n_edges = len(self.edge_weight)
        newest = np.full(n_pieces, -1, dtype=np.int64)
        self.occurrences = newest, np.empty(n_edges, dtype=np.int32), np.empty(n_edges)
        n_waiting = kernels.WAITING + n_edges
        self.waiting = np.empty(n_waiting, dtype=np.int32), np.empty(n_waiting), np.empty(n_waiting)

    def columns(self) -> tuple[Any, ...]:
        """Return the fields in the order of the kernels' parameters."""
        return self.edge_weight, self.alpha, self.beta, self.log_alpha, self.other, self.occurrences, self.waiting


class _ExactPasses:
    """Passes over all units that share one scaled table: one over all, then some over those that it put off."""

    def __init__(
        self, workers: Workers, lattices: UnitLattices, table: PieceProbabilities, log_kappa: float
    ) -> None:
        self._workers = workers
        self._lattices = lattices
        self._scaled = ScaledTable.of(table, log_kappa)
        self._longest = int(table.lengths.max())
        self._n_pieces = len(table)
        self._work = unit_work(lattices)
        self._bounds = bounds_by_weight(self._work, N_SHARDS)
        self._is_put_off = np.zeros(len(lattices.unit_counts), dtype=bool)

    def run(
        self, is_wanted: np.ndarray, *, only_put_off: bool
    ) -> Generator[float, None, tuple[np.ndarray, np.ndarray, float, float]]:
        """Return (losses, bounds, corpus loss, edges put off); see kernels.exact_losses."""
        lattices, n = self._lattices, self._n_pieces

        def lose(shard: int, checkpoint: Checkpoint) -> tuple[np.ndarray, np.ndarray, float, float]:
            first, last = int(self._bounds[shard]), int(self._bounds[shard + 1])
            scratch, losses, bounds = _ExactScratch(lattices, n), np.zeros(n), np.zeros(n)
            total = put_off = 0.0
            for start, stop in slices(self._work, first, last, SLICE):
                checkpoint((start - first) / (last - first))
                log_z, later = kernels.exact_losses(
                    *lattices.units(), lattices.has_repeats, *lattices.edges(), *self._scaled.columns(),
                    self._longest, _ALL_AT_ONCE, is_wanted, self._is_put_off, only_put_off, start, stop,
                    *scratch.columns(), losses, bounds,
                )  # fmt: skip
                total += log_z
                put_off += later
            return losses, bounds, total, put_off

        losses, lower, total, put_off = yield from self._workers.add_up(lose, N_SHARDS)
        return losses, lower, -total, put_off


def viterbi_losses(
    workers: Workers, lattices: UnitLattices, table: PieceProbabilities
) -> Generator[float, None, PieceLosses]:
    """Compute by how much the best paths of all texts fall without each piece; yields the fraction done.

    Exact for best paths: texts whose best path uses the piece are cut anew without it (Kudo 2018 sums over all paths
    instead). 0 for a piece that is on no best path.
    """
    work = unit_work(lattices)
    bounds = bounds_by_weight(work, N_SHARDS)
    longest = int(table.lengths.max())

    def lose(shard: int, checkpoint: Checkpoint) -> tuple[np.ndarray]:
        losses, scratch = np.zeros(len(table)), UnitScratch(lattices)
        first_at, last_at = np.full(len(table), -1, dtype=np.int32), np.empty(len(table), dtype=np.int32)
        first, last = int(bounds[shard]), int(bounds[shard + 1])
        for start, stop in slices(work, first, last, SLICE):
            checkpoint((start - first) / (last - first))
            kernels.viterbi_losses(
                *lattices.units(), *lattices.edges(), table.log_p, longest, start, stop,
                scratch.alpha, scratch.best_edge, scratch.beta, scratch.other, first_at, last_at, losses,
            )  # fmt: skip
        return (losses,)

    (losses,) = yield from workers.add_up(lose, N_SHARDS)
    losses = np.where(table.is_protected, np.nan, losses)
    return PieceLosses(losses, np.zeros(len(table), dtype=bool))


def sentencepiece_losses(
    workers: Workers,
    lattices: UnitLattices,
    table: PieceProbabilities,
    starts: np.ndarray,
    n_uncovered: int | None = None,
) -> Generator[float, None, PieceLosses]:
    """Compute SentencePiece's approximation of each loss, scaled to all texts; yields the fraction done.

    `starts` is a position of the units where each piece begins, int64[n]. -inf: on no best path, or worse than its
    own best split, and dropped whatever the size; inf: no other split. With `n_uncovered` unknown characters count
    as SentencePiece counts them, see `em.credit_first_piece`.
    """
    work = unit_work(lattices)
    bounds = bounds_by_weight(work, N_SHARDS)

    def count_shard(shard: int, checkpoint: Checkpoint) -> tuple[np.ndarray]:
        counts, scratch = np.zeros(len(table)), UnitScratch(lattices)
        first, last = int(bounds[shard]), int(bounds[shard + 1])
        for start, stop in slices(work, first, last, SLICE):
            checkpoint((start - first) / (last - first))
            kernels.best_path_counts(
                *lattices.units(), *lattices.edges(), table.log_p, start, stop,
                scratch.alpha, scratch.best_edge, counts,
            )  # fmt: skip
        return (counts,)

    (counts,) = yield from workers.add_up(count_shard, N_SHARDS)
    if n_uncovered is not None:
        counts = credit_first_piece(table, counts, n_uncovered)
    total = counts.sum()
    looked_up = np.where(table.is_unknown, counts[int(np.argmin(table.is_unknown))], counts)
    losses = np.empty(len(table))

    def lose(_: int, checkpoint: Checkpoint) -> None:
        scratch = UnitScratch(lattices)
        for first in range(0, len(table), SLICE // 32):
            checkpoint(first / len(table))
            kernels.sentencepiece_losses(
                *lattices.edges(), table.lengths, table.log_p, starts, looked_up, total,
                first, min(first + SLICE // 32, len(table)), scratch.alpha, scratch.best_edge, losses,
            )  # fmt: skip

    yield from workers.run(lose)
    losses = np.where(table.is_protected, np.nan, losses)
    return PieceLosses(losses, np.zeros(len(table), dtype=bool), best_counts=counts)


def count_logp_losses(table: PieceProbabilities, counts: np.ndarray) -> PieceLosses:
    """Return count x -ln p, with expected counts: how tutorials simplify the loss."""
    losses = np.where(table.is_protected, np.nan, -counts * table.log_p)
    return PieceLosses(losses, np.zeros(len(table), dtype=bool))


def choose_removed(losses: np.ndarray, n_removed: int, n_most: int) -> np.ndarray:
    """Return the mask of the `n_removed` smallest losses; nan is never chosen, -inf always (up to `n_most`).

    Of equal losses the piece with the higher number goes first.

    >>> choose_removed(np.array([np.nan, 2.0, 1.0, 1.0]), 1, 3)
    array([False, False, False,  True])
    """
    order = len(losses) - 1 - np.argsort(losses[::-1], kind="stable")  # nan sorts last
    n_removable = int(np.count_nonzero(~np.isnan(losses)))
    n = min(max(n_removed, int(np.count_nonzero(np.isneginf(losses)))), n_most, n_removable)
    is_removed = np.zeros(len(losses), dtype=bool)
    is_removed[order[:n]] = True
    return is_removed
