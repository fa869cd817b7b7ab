"""The rules of one training: what its E step, M step and pruning compute, whichever arithmetic does it.

In: a TrainerSpec and what is known once the candidates are found. Out: TrainingRules, which the trainer follows round
by round. Rules hold no state: they take a table and return the next one.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from engine.em import Expectations, PieceProbabilities, credit_first_piece, e_step, m_step
from engine.pruning import (
    PieceLosses,
    choose_removed,
    count_logp_losses,
    exact_losses,
    sentencepiece_losses,
    viterbi_losses,
)
from engine.seeds import Seeds, UnitLattices
from engine.shards import Workers
from engine.spec import TrainerSpec


class TrainingRules(Protocol):
    """What the trainer asks of an arithmetic."""

    def first_table(self, seeds: Seeds) -> PieceProbabilities:
        """Return the candidates with their first probabilities."""

    def e_step(
        self, workers: Workers, lattices: UnitLattices, table: PieceProbabilities, log_kappa: float
    ) -> Generator[float, None, Expectations]:
        """Compute expected counts and loss; yields the fraction done. `log_kappa` is near the nats per character."""

    def m_step(self, table: PieceProbabilities, found: Expectations) -> tuple[PieceProbabilities, np.ndarray]:
        """Return the next table, and the mask of the rows that stayed in it."""

    def size_after_pruning(self, size: int) -> int:
        """Return what is left of `size` pieces by shrinking_factor alone."""

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
        """Compute what each piece's removal costs; yields the fraction done.

        `counts` are expected counts, `starts` a position of the lattices where each piece begins, float64[n] and
        int64[n]; `n_removed` pieces are to go.
        """

    def prune(
        self, table: PieceProbabilities, found: PieceLosses, n_kept: int
    ) -> tuple[PieceProbabilities, np.ndarray]:
        """Return the table of `n_kept` pieces, as nearly as possible, and the mask of the rows that went."""

    def final_losses(
        self, workers: Workers, lattices: UnitLattices, table: PieceProbabilities, log_kappa: float
    ) -> Generator[float, None, PieceLosses]:
        """Compute the exact losses of the finished table, over the characters that its pieces cover."""


@dataclass(frozen=True)
class Float64Rules:
    """The rules that the settings name, in float64.

    `n_uncovered` characters of the corpus are no piece; at least `n_target` learned pieces are to stay.
    """

    spec: TrainerSpec
    n_uncovered: int
    n_target: int

    def first_table(self, seeds: Seeds) -> PieceProbabilities:
        """See TrainingRules."""
        first = np.maximum(seeds.probabilities(self.spec.seed_scores), 1e-300)
        return PieceProbabilities.of_seeds(seeds, np.log(first))

    def e_step(
        self, workers: Workers, lattices: UnitLattices, table: PieceProbabilities, log_kappa: float
    ) -> Generator[float, None, Expectations]:
        """See TrainingRules."""
        found = yield from e_step(workers, lattices, table, log_kappa)
        if self.spec.protect_characters:
            return found
        return replace(found, counts=credit_first_piece(table, found.counts, self.n_uncovered))

    def m_step(self, table: PieceProbabilities, found: Expectations) -> tuple[PieceProbabilities, np.ndarray]:
        """See TrainingRules."""
        spec = self.spec
        return m_step(
            table, found, spec.m_step, min_expected_count=spec.min_expected_count, at_least=self.n_target,
            protect_characters=spec.protect_characters, smoothing_epsilon=spec.smoothing_epsilon,
        )  # fmt: skip

    def size_after_pruning(self, size: int) -> int:
        """See TrainingRules."""
        return int(size * self.spec.shrinking_factor)

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
        """See TrainingRules."""
        criterion = self.spec.pruning_criterion
        if criterion == "sentencepiece":
            uncovered = None if self.spec.protect_characters else self.n_uncovered
            return (yield from sentencepiece_losses(workers, lattices, table, starts, uncovered))
        if criterion == "viterbi":
            return (yield from viterbi_losses(workers, lattices, table))
        if criterion == "count_logp":
            return count_logp_losses(table, counts)
        return (yield from exact_losses(workers, lattices, table, log_kappa, n_removed))

    def prune(
        self, table: PieceProbabilities, found: PieceLosses, n_kept: int
    ) -> tuple[PieceProbabilities, np.ndarray]:
        """See TrainingRules."""
        is_dropped = np.zeros(len(table), dtype=bool)
        if found.best_counts is not None and not self.spec.protect_characters:
            is_dropped = table.is_protected & (found.best_counts == 0.0)
        n_dropped = int(np.count_nonzero(is_dropped & ~table.is_unknown))
        n_removed = table.n_pieces - n_kept - n_dropped
        is_removed = choose_removed(found.losses, n_removed, len(table) - self.n_target)
        pruned = table.where(~is_removed, renormalize=self.spec.renormalize)
        if not self.spec.protect_characters:
            pruned = pruned.with_unknown((table.is_unknown | is_dropped)[~is_removed])
        return pruned, is_removed

    def final_losses(
        self, workers: Workers, lattices: UnitLattices, table: PieceProbabilities, log_kappa: float
    ) -> Generator[float, None, PieceLosses]:
        """See TrainingRules."""
        return (yield from exact_losses(workers, lattices, table, log_kappa))
