"""SentencePiece 0.2.1's E step, M step and pruning in its own arithmetic, bit for bit where that can be had.

In: lattices over its sentences and a table in the order of its list. Out: the next table. Numbers are float32 where
its are (kernels.sentencepiece_sums), and every sum runs on one thread in the order that it has there with
num_threads=1; so pieces that tie in exact arithmetic fall as they fall there. Facts: unigram_model_trainer.cc.

Differs from SentencePiece: never so many pieces are dropped that the vocabulary could not have its size, where that
one gives up in the end.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from engine.em import COUNT_FLOOR, Expectations, PieceProbabilities, most_expected, unit_work
from engine.errors import TrainingError
from engine.kernels import sentencepiece_sums as kernels
from engine.pieces import UNKNOWN_PENALTY
from engine.pruning import PieceLosses, exact_losses
from engine.seeds import Seeds, UnitLattices
from engine.shards import Checkpoint, Workers, slices
from engine.spec import TrainerSpec

_SLICE = 1 << 17  # edges handed to a kernel at once: some ten milliseconds
_PIECES = 1 << 12  # pieces handed to a kernel at once


@dataclass(frozen=True, eq=False)
class ListedPieces(PieceProbabilities):
    """A table whose pieces also have their places in SentencePiece's list; `log_p` holds float32 values.

    Attributes
    ----------
    order : int64[n_pieces]
        The rows that are pieces, in the order of the list: that of the candidates, and after a pruning the
        characters, then the others by their loss.
    """

    order: np.ndarray

    def __post_init__(self) -> None:
        super().__post_init__()
        self.order.setflags(write=False)

    def scored(self) -> tuple[np.ndarray, np.ndarray, np.float32, int]:
        """Return scores, is_unknown, the score of an unknown character and the first piece, as kernels take them."""
        scores = self.log_p.astype(np.float32)
        unknown_score = scores[self.order].min() - np.float32(UNKNOWN_PENALTY)
        return scores, self.is_unknown, unknown_score, int(self.order[0])


class _NodeScratch:
    """Room for the nodes of one unit at a time."""

    def __init__(self, lattices: UnitLattices) -> None:
        longest = int(np.diff(lattices.unit_offsets).max())
        n_nodes = int(np.diff(unit_work(lattices)).max()) + longest
        begin, end, piece, before, into = (np.empty(n_nodes, dtype=np.int32) for _ in range(5))
        score, best = (np.empty(n_nodes, dtype=np.float32) for _ in range(2))
        self.columns = (begin, end, piece, score, best, before, into, np.empty(longest + 2, dtype=np.int32))


@dataclass(frozen=True)
class SentencePieceRules:
    """See `TrainingRules`; at least `n_target` learned pieces are to stay."""

    spec: TrainerSpec
    n_target: int

    def first_table(self, seeds: Seeds) -> ListedPieces:
        """Return the candidates; a required character that never occurs is none of SentencePiece's yet."""
        table = PieceProbabilities.of_seeds(seeds, np.zeros(len(seeds)))
        order = np.flatnonzero(seeds.counts > 0)
        weights = (seeds.counts * seeds.lengths)[order].astype(np.float32)
        scores = np.empty(len(order), dtype=np.float32)
        kernels.fill_seed_scores(weights, scores)
        return _listed(table, np.ones(len(seeds), dtype=bool), order, scores)

    def e_step(
        self, workers: Workers, lattices: UnitLattices, table: PieceProbabilities, log_kappa: float
    ) -> Generator[float, None, Expectations]:
        """Compute expected counts in float32, those of unknown characters credited to the first piece of the list."""
        assert isinstance(table, ListedPieces)
        columns = table.scored()
        longest = int(np.diff(lattices.unit_offsets).max())

        n_sentences = float(lattices.unit_counts.sum())

        def count(_: int, checkpoint: Checkpoint) -> Expectations:
            counts, total, objective = np.zeros(len(table), dtype=np.float32), 0.0, 0.0
            alpha, beta = (np.empty(longest + 1, dtype=np.float32) for _ in range(2))
            is_reached = np.empty(longest + 1, dtype=bool)
            for start, stop in _slices(lattices, checkpoint):
                log_z, objective = kernels.expected_counts(
                    *lattices.units(), *lattices.edges(), *columns, n_sentences, start, stop,
                    alpha, is_reached, beta, counts, objective,
                )  # fmt: skip
                total += log_z
            return Expectations(_frozen(counts), -total, objective)

        [found] = yield from workers.run(count)
        return found

    def m_step(self, table: PieceProbabilities, found: Expectations) -> tuple[PieceProbabilities, np.ndarray]:
        """Return the table of the pieces expected often enough: score digamma(C) - digamma(sum C) in float32."""
        assert isinstance(table, ListedPieces)
        counts = found.counts.astype(np.float32)
        is_piece = ~table.is_unknown & (counts >= np.float32(self.spec.min_expected_count))
        is_kept = is_piece | table.is_protected
        if np.count_nonzero(is_kept) < self.n_target:
            is_kept = most_expected(table, found.counts, self.n_target)
            is_piece |= is_kept & ~table.is_protected
        order = _some(table.order[is_piece[table.order]])
        scores = np.empty(len(order), dtype=np.float32)
        kernels.fill_digamma_scores(np.maximum(counts[order], np.float32(COUNT_FLOOR)), scores)
        return _listed(table, is_kept, order, scores), is_kept

    def size_after_pruning(self, size: int) -> int:
        """Return the share of `size` pieces that a round keeps: a float32 product, rounded down."""
        return int(np.float32(self.spec.shrinking_factor) * np.float32(size))

    def losses(
        self,
        workers: Workers,
        lattices: UnitLattices,
        table: PieceProbabilities,
        counts: np.ndarray,
        starts: np.ndarray,
        log_kappa: float,
        n_removed: int,
    ) -> Generator[float, None, PieceLosses]:
        """Compute the approximate losses; here times the number of sentences, to be nats of all texts."""
        assert isinstance(table, ListedPieces)
        columns = table.scored()
        n_sentences = kernels.sum_in_order(lattices.unit_counts.astype(np.float32))

        def lose(_: int, checkpoint: Checkpoint) -> tuple[np.ndarray, np.ndarray]:
            scratch = _NodeScratch(lattices)
            best_counts = np.zeros(len(table), dtype=np.float32)
            for start, stop in _slices(lattices, checkpoint):
                kernels.best_path_counts(
                    *lattices.units(), *lattices.edges(), *columns, start, stop, *scratch.columns, best_counts,
                )  # fmt: skip
            total = np.float32(best_counts.sum(dtype=np.float64))
            losses = np.empty(len(table), dtype=np.float32)
            for first in range(0, len(table), _PIECES):
                checkpoint(1.0)
                kernels.approximate_losses(
                    *lattices.edges(), *columns, table.lengths, starts, best_counts, n_sentences, total,
                    first, min(first + _PIECES, len(table)), *scratch.columns, losses,
                )  # fmt: skip
            return losses, best_counts

        [(losses, best_counts)] = yield from workers.run(lose)
        # Exact in float64, so that the order of the losses and their ties stay.
        in_nats = np.where(table.is_protected, np.nan, losses.astype(np.float64) * np.float64(n_sentences))
        is_bound = np.zeros(len(table), dtype=bool)
        return PieceLosses(in_nats, is_bound, best_counts=best_counts.astype(np.float64))

    def prune(
        self, table: PieceProbabilities, found: PieceLosses, n_kept: int
    ) -> tuple[PieceProbabilities, np.ndarray]:
        """Keep the characters on best paths, then the others by loss, of equal ones the earlier in the list."""
        assert isinstance(table, ListedPieces)
        assert found.best_counts is not None
        is_character = table.is_protected[table.order]
        characters, others = table.order[is_character], table.order[~is_character]
        characters = characters[found.best_counts[characters] > 0.0]
        others = others[np.argsort(-found.losses[others], kind="stable")]
        n_used = int(np.count_nonzero(~np.isneginf(found.losses[others])))
        n_least = self.n_target - int(np.count_nonzero(table.is_protected))
        n_others = max(min(n_kept - len(characters), n_used), n_least, 0)
        order = _some(np.concatenate((characters, others[:n_others])))
        is_kept = table.is_protected.copy()
        is_kept[order] = True
        return _listed(table, is_kept, order, table.log_p[order].astype(np.float32)), ~is_kept

    def final_losses(
        self, workers: Workers, lattices: UnitLattices, table: PieceProbabilities, log_kappa: float
    ) -> Generator[float, None, PieceLosses]:
        """Compute exact losses in float64, over the sentences without what no piece covers."""

        def cut(_: int, checkpoint: Checkpoint) -> UnitLattices:
            return _cut_at_unknown(lattices, checkpoint)

        [units] = yield from workers.run(cut)
        return (yield from exact_losses(workers, units, table, log_kappa))


def _cut_at_unknown(lattices: UnitLattices, checkpoint: Checkpoint) -> UnitLattices:
    """Cut units wherever no edge crosses, and leave out the positions where none begins."""
    n_positions = len(lattices.edge_offsets) - 1
    is_covered = np.diff(lattices.edge_offsets) > 0
    checkpoint(0.0)
    longest = lattices.edge_length[lattices.edge_offsets[1:][is_covered] - 1]  # the last of each position
    reach = np.arange(n_positions)
    reach[is_covered] += longest
    reach[~is_covered] += 1
    checkpoint(0.2)
    is_start = is_covered.copy()
    is_start[1:] &= np.maximum.accumulate(reach)[:-1] <= np.arange(1, n_positions)
    starts = np.flatnonzero(is_start)
    checkpoint(0.5)
    unit_of = np.searchsorted(lattices.unit_offsets, starts, side="right") - 1
    checkpoint(0.8)
    n_covered = np.append(0, np.cumsum(is_covered))  # before each position
    return UnitLattices(
        n_covered[np.append(starts, n_positions)], lattices.unit_counts[unit_of],
        np.append(lattices.edge_offsets[:-1][is_covered], lattices.edge_offsets[-1]),
        lattices.edge_piece, lattices.edge_length, lattices.has_repeats[unit_of],
    )  # fmt: skip


def _some(order: np.ndarray) -> np.ndarray:
    if not len(order):
        raise TrainingError("No piece is expected often enough to stay: lower min_expected_count, or add texts.")
    return order


def _listed(
    table: PieceProbabilities, is_kept: np.ndarray, order: np.ndarray, scores: np.ndarray
) -> ListedPieces:
    """Return the rows of the mask `is_kept`; those in `order` are pieces with these scores, the others unknown."""
    is_unknown = np.ones(len(table), dtype=bool)
    is_unknown[order] = False
    log_p = np.full(len(table), scores.min() - np.float32(UNKNOWN_PENALTY), dtype=np.float64)
    log_p[order] = scores
    new_row = np.cumsum(is_kept) - 1
    return ListedPieces(
        table.seeds[is_kept], table.lengths[is_kept], log_p[is_kept], table.is_protected[is_kept],
        is_unknown[is_kept], new_row[order],
    )  # fmt: skip


def _slices(lattices: UnitLattices, checkpoint: Checkpoint) -> Generator[tuple[int, int], None, None]:
    """Yield runs of units, all of them in order."""
    work, n = unit_work(lattices), len(lattices.unit_counts)
    for start, stop in slices(work, 0, n, _SLICE):
        checkpoint(start / n)
        yield start, stop


def _frozen(counts: np.ndarray) -> np.ndarray:
    counts = counts.astype(np.float64)
    counts.setflags(write=False)
    return counts
