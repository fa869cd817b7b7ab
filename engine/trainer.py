"""train(): from a corpus and settings to a model, in steps that a window can show and stop.

In: a Corpus and a TrainerSpec. Out: a TrainingRun, an iterator of TrainingStep; when it ends, `run.model` and
`run.history` are set. The method is Kudo's (2018, "Subword Regularization", section 3.2): many candidates, then
rounds of expectation-maximization and pruning until the vocabulary has its size. The same corpus and settings give
the same model, bit for bit, whatever the number of threads.
"""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator
from dataclasses import replace
from typing import TypeVar

import numpy as np

from engine.corpus import Corpus
from engine.em import Expectations, PieceProbabilities, keep_pieces
from engine.errors import TrainingError
from engine.history import PruningRound, TrainingHistory, Update, Verdict
from engine.history_store import HistoryStore
from engine.model import UnigramModel
from engine.normalized_corpus import charsmap_of, normalized_corpus
from engine.pruning import PieceLosses
from engine.seeds import Seeds, UnitLattices, make_seeds
from engine.sentencepiece_rules import SentencePieceRules
from engine.sentences import sentences
from engine.shards import N_SHARDS, Workers
from engine.spec import TrainerSpec
from engine.training_clock import TrainingClock
from engine.training_notes import note_dropped_characters, note_long_texts, note_sample, note_symbols, reachable_size
from engine.training_result import by_id, lowest_scores, number_pieces, trained_model, with_all_characters
from engine.training_rules import Float64Rules, TrainingRules
from engine.training_step import TrainingPlan, TrainingStep, memory_held
from engine.words import Units, count_units, running_texts

Result = TypeVar("Result")

_PROGRAM_MEMORY = 170_000_000  # bytes: the interpreter, NumPy and the compiled kernels
_SECONDS_PER_EDGE = 6e-9  # of an E step, on one thread
_FIRST_SCALE = 0.6  # nats per character before the first E step, as a share of the characters' entropy


def train(
    corpus: Corpus,
    spec: TrainerSpec,
    *,
    threads: int | None = None,
    cancel: threading.Event | None = None,
) -> TrainingRun:
    """Train a Unigram model.

    Parameters
    ----------
    corpus, spec
        What to learn from, and how.
    threads
        How many; None: as many as there are processors. The result does not depend on it.
    cancel
        When set, the run raises Cancelled within a fraction of a second.

    Returns
    -------
    TrainingRun
        An iterator of TrainingStep; nothing happens before it is asked for the first one.

    Raises
    ------
    TrainingError
        From the iterator, where vocab_size cannot be reached (the message names the reachable range) or nothing is
        left to train on.

    Examples
    --------
    >>> from engine.spec import PRESETS
    >>> corpus = Corpus.from_counts({"a": 16, "b": 8, "c": 8, "ab": 24, "bc": 32, "abc": 12, "abca": 2, "cab": 2})
    >>> train(corpus, PRESETS["Teaching"]).result().encode_pieces("abcabc")
    ['a', 'bc', 'a', 'bc']
    """
    return TrainingRun(corpus, spec, threads, cancel)


class TrainingRun(Iterator[TrainingStep]):
    """A training under way; ends with `model` and `history` set."""

    def __init__(
        self, corpus: Corpus, spec: TrainerSpec, threads: int | None, cancel: threading.Event | None
    ) -> None:
        if not isinstance(corpus, Corpus):
            raise TrainingError(f"{corpus!r:.40} is no corpus; make one with Corpus.from_file or Corpus.from_texts.")
        if not isinstance(spec, TrainerSpec):
            raise TrainingError(f"{spec!r:.40} are no settings; give a TrainerSpec.")
        self.model: UnigramModel | None = None
        self.history: TrainingHistory | None = None
        self._trainer = _Trainer(corpus, spec)
        self._steps = self._run(threads, cancel)

    def _run(
        self, threads: int | None, cancel: threading.Event | None
    ) -> Generator[TrainingStep, None, None]:
        with Workers(threads, cancel) as workers:
            self.model, self.history = yield from self._trainer.run(workers)

    def __next__(self) -> TrainingStep:
        return next(self._steps)

    def close(self) -> None:
        """Stop: threads end before this returns."""
        self._steps.close()

    def last_finished_round(self) -> tuple[UnigramModel, TrainingHistory] | None:
        """Return the model that the last finished round left behind, for a run that was stopped; None before that.

        It is usable as it is, and larger than was asked for. May be called from any thread once the run has ended.
        """
        return self._trainer.last_finished_round()

    def result(self) -> UnigramModel:
        """Run to the end and return the model."""
        for _ in self:
            pass
        assert self.model is not None
        return self.model


class _Trainer:
    """The state of one run: the table, its lattices, and the record of both."""

    def __init__(self, corpus: Corpus, spec: TrainerSpec) -> None:
        self._corpus = corpus
        self._spec = spec
        self._specials = spec.special_pieces()
        self._clock = TrainingClock()
        self._updates: list[Update] = []
        self._prunings: list[PruningRound] = []
        self._store = HistoryStore()
        self._notes: list[str] = []
        self._loss: float | None = None
        self._finished: tuple[PieceProbabilities, np.ndarray, int] | None = None
        self._round = 0
        self._sub_iteration = 0

    def run(
        self, workers: Workers
    ) -> Generator[TrainingStep, None, tuple[UnigramModel, TrainingHistory]]:
        """The whole training, as the paper tells it."""
        self._workers = workers
        self._take_texts()
        self._charsmap = charsmap_of(self._spec)
        if self._charsmap:
            rewriting = normalized_corpus(workers, self._corpus, self._spec, self._charsmap)
            self._corpus = yield from self._stage("normalize texts", rewriting)
        units = yield from self._stage("count words", count_units(workers, self._corpus, self._spec))
        self._dropped = units.dropped
        self._notes += note_dropped_characters(units, self._spec)
        self._seeds = yield from self._stage("find candidates", self._find_candidates(units))
        self._set_target()
        self._start(units)
        del units
        yield self._step("find candidates", plan=self._plan())
        self._seeds = self._seeds.without_lattices()
        self._round = 1
        while True:
            for sub_iteration in range(1, self._spec.num_sub_iterations + 1):
                yield from self._update(sub_iteration)
            if self._table.n_pieces <= self._size_to_stop_at():
                break
            yield from self._prune()
            self._finished = (self._table, self._expected_after_pruning, self._round)
            self._round += 1
        return (yield from self._finish())

    # -- before the first round ------------------------------------------------------------------------------

    def _take_texts(self) -> None:
        """Draw the sample, and note what is left out of it."""
        spec = self._spec
        self._notes += note_symbols(spec) + note_sample(self._corpus, spec)
        if 0 < spec.input_sentence_size < self._corpus.n_samples:
            rng = np.random.default_rng(spec.sample_seed) if spec.shuffle_input_sentence else None
            self._corpus = self._corpus.sample(spec.input_sentence_size, rng)
        self._notes += note_long_texts(self._corpus, spec)

    def _find_candidates(self, units: Units) -> Generator[float, None, Seeds]:
        running = given = None
        if self._spec.seed_method == "file":
            given = self._read_candidates()
        elif self._spec.seed_source == "texts":
            running = yield from running_texts(self._workers, self._corpus, self._spec, units)
            if self._spec.arithmetic == "sentencepiece":
                units = yield from sentences(self._workers, running, self._spec, units)
        return (yield from make_seeds(self._workers, units, self._spec, running=running, given=given))

    def _read_candidates(self) -> Corpus:
        name = self._spec.seed_sentencepieces_file
        if not name:
            raise TrainingError("seed_method is 'file'; name the file in seed_sentencepieces_file.")
        return Corpus.from_file(name)

    def _set_target(self) -> None:
        """Note how many learned pieces are wanted."""
        n_specials = len(self._specials)
        smallest, largest = self._seeds.n_characters + n_specials, len(self._seeds) + n_specials
        size, notes = reachable_size(self._spec, smallest, largest)
        self._target = size - n_specials
        self._notes += notes

    def _start(self, units: Units) -> None:
        """Set up the first table and lattices, and a first scale for the forward sums."""
        seeds = self._seeds
        self._lattices: UnitLattices = seeds.lattices
        self._n_characters = max(1, self._lattices.n_characters)
        self._rules: TrainingRules
        if self._spec.arithmetic == "sentencepiece":
            self._rules = SentencePieceRules(self._spec, self._target)
        else:
            self._rules = Float64Rules(self._spec, units.n_uncovered, self._target)
        self._table = self._rules.first_table(seeds)
        self._store.reserve(seeds.texts.code_points.nbytes + seeds.texts.offsets.nbytes)
        self._first = self._store.numbers(self._table.probabilities)
        share = np.maximum(units.character_counts, 1) / max(1, units.character_counts.sum())
        self._log_kappa = _FIRST_SCALE * float(-(share * np.log(share)).sum())
        self._clock.plan(self._sizes(), self._spec.num_sub_iterations, 0)

    def _plan(self) -> TrainingPlan:
        n_edges, n = len(self._lattices.edge_piece), len(self._seeds)
        positions = len(self._lattices.edge_offsets)
        held = self._corpus.utf8.nbytes + 40 * len(self._corpus) + 8 * positions + 4 * n_edges
        # Beside them: a second copy of the edges while they are renumbered, and each shard's sums.
        peak = _PROGRAM_MEMORY + held + 8 * positions + 4 * n_edges + 8 * n * (2 * N_SHARDS + 8)
        seconds = self._clock.planned_work * n_edges * _SECONDS_PER_EDGE / self._workers.threads
        smallest = self._seeds.n_characters + len(self._specials)
        return TrainingPlan(smallest, n + len(self._specials), n, n_edges, peak, seconds)

    # -- rounds ----------------------------------------------------------------------------------------------

    def _size_to_stop_at(self) -> int:
        """Return at how many learned pieces EM ends; what is left over is cut by score."""
        if self._spec.final_cut_factor == 1.0:
            return self._target
        return max(self._target, int(self._spec.vocab_size * self._spec.final_cut_factor))

    def _next_size(self, size: int) -> int:
        """Return the size after pruning a table of `size` pieces."""
        if self._spec.pieces_removed_per_round:
            return max(self._size_to_stop_at(), size - self._spec.pieces_removed_per_round)
        return max(self._size_to_stop_at(), self._rules.size_after_pruning(size))

    def _sizes(self) -> list[int]:
        """Return the sizes of the rounds from here on, as far as they can be foreseen."""
        sizes = [self._table.n_pieces]
        while sizes[-1] > self._size_to_stop_at():
            sizes.append(self._next_size(sizes[-1]))
        return sizes

    def _update(self, sub_iteration: int) -> Generator[TrainingStep, None, None]:
        """One E step and one M step."""
        self._sub_iteration = sub_iteration
        before = self._table
        found = yield from self._stage(
            "E step", self._rules.e_step(self._workers, self._lattices, before, self._log_kappa)
        )
        self._set_loss(found.loss)
        self._table, is_kept = self._rules.m_step(before, found)
        if not is_kept.all():
            yield from self._stage("M step", self._keep(is_kept))
        self._expected = found.counts[is_kept]
        self._updates.append(self._record_update(before, found, is_kept))
        yield self._step("M step", update=self._updates[-1])

    def _keep(self, is_kept: np.ndarray) -> Generator[float, None, None]:
        self._lattices = yield from keep_pieces(self._workers, self._lattices, is_kept)

    def _record_update(self, before: PieceProbabilities, found: Expectations, is_kept: np.ndarray) -> Update:
        hold, keep = self._store.hold, self._store.numbers
        probabilities = np.full(len(before), np.nan)
        probabilities[is_kept] = _of_pieces(self._table)
        return Update(
            self._round, self._sub_iteration, self._table.n_pieces, found.loss, None, found.n_tokens,
            hold(before.seeds), keep(found.counts), keep(probabilities), found.objective,
        )  # fmt: skip

    def _set_loss(self, loss: float) -> None:
        """Note the loss of the present table; it is also the loss after the update before."""
        if not np.isfinite(loss):
            raise TrainingError(
                f"In round {self._round} the corpus loss became {loss}, which is no number to go on with: look for "
                "counts that are far too large, or train with another m_step."
            )
        self._loss = loss
        self._log_kappa = loss / self._n_characters
        if self._updates and self._updates[-1].loss_after is None and self._is_fresh():
            self._updates[-1] = replace(self._updates[-1], loss_after=loss)

    def _is_fresh(self) -> bool:
        """Tell whether the table is still the one that the last update made."""
        return not self._prunings or self._prunings[-1].round < self._updates[-1].round

    def _prune(self) -> Generator[TrainingStep, None, None]:
        """Compute losses, remove the pieces with the smallest, renormalize."""
        table = self._table
        n_kept = self._next_size(table.n_pieces)
        losses = self._rules.losses(
            self._workers, self._lattices, table, self._expected, self._seeds.starts[table.seeds],
            self._log_kappa, table.n_pieces - n_kept,
        )  # fmt: skip
        found = yield from self._stage("pruning losses", losses)
        if found.corpus_loss is not None:
            self._set_loss(found.corpus_loss)
        self._table, is_removed = self._rules.prune(table, found, n_kept)
        self._expected_after_pruning = self._expected[~is_removed]
        yield from self._stage("prune", self._keep(~is_removed))
        self._prunings.append(self._record_pruning(table, found, is_removed))
        yield self._step("prune", pruning=self._prunings[-1])
        self._clock.plan(self._sizes(), self._spec.num_sub_iterations, self._round)

    def _record_pruning(
        self, table: PieceProbabilities, found: PieceLosses, is_removed: np.ndarray
    ) -> PruningRound:
        hold, keep = self._store.hold, self._store.numbers
        verdict = np.where(is_removed, Verdict.REMOVED, Verdict.KEPT)
        verdict = np.where(table.is_protected, Verdict.PROTECTED, verdict).astype(np.int8)
        verdict.setflags(write=False)
        after = np.full(len(table), np.nan)
        after[~is_removed] = _of_pieces(self._table)
        return PruningRound(
            self._round, table.n_pieces, self._table.n_pieces, self._spec.pruning_criterion, hold(table.seeds),
            keep(_of_pieces(table)), keep(self._expected), keep(found.losses),
            hold(verdict), hold(found.is_bound), keep(after),
        )  # fmt: skip

    # -- the end ---------------------------------------------------------------------------------------------

    def _finish(self) -> Generator[TrainingStep, None, tuple[UnigramModel, TrainingHistory]]:
        """Cut what is over by score, compute the final losses, and number the pieces."""
        self._table = with_all_characters(self._table, renormalize=self._spec.renormalize)
        n_over = len(self._table) - self._target
        if n_over > 0:
            is_removed = lowest_scores(self._table, self._seeds, n_over)
            self._expected = self._expected[~is_removed]
            self._table = self._table.where(~is_removed, renormalize=self._spec.renormalize)
            yield from self._stage("prune", self._keep(~is_removed))
        losses = self._rules.final_losses(self._workers, self._lattices, self._table, self._log_kappa)
        found = yield from self._stage("finish", losses)
        assert found.corpus_loss is not None
        if n_over <= 0:
            self._set_loss(found.corpus_loss)
        self._loss = found.corpus_loss
        result = self._result(self._table, self._expected, found, self._notes, self._updates)
        yield self._step("finish", is_last=True)
        return result

    def last_finished_round(self) -> tuple[UnigramModel, TrainingHistory] | None:
        """See TrainingRun."""
        if self._finished is None:
            return None
        table, expected, number = self._finished
        n = len(table) + len(self._specials)
        note = f"Stopped after round {number}: {n:,} pieces instead of {self._spec.vocab_size:,}."
        not_computed = PieceLosses(np.full(len(table), np.nan), np.zeros(len(table), dtype=bool))
        notes, updates = [note, *self._notes], [update for update in self._updates if update.round <= number]
        table = with_all_characters(table, renormalize=self._spec.renormalize)
        return self._result(table, expected, not_computed, notes, updates)

    def _result(
        self,
        table: PieceProbabilities,
        expected: np.ndarray,
        found: PieceLosses,
        notes: list[str],
        updates: list[Update],
    ) -> tuple[UnigramModel, TrainingHistory]:
        pieces, ids = number_pieces(table, self._seeds, self._spec)
        n = len(pieces)
        assert self._loss is not None
        history = TrainingHistory(
            self._corpus.name, self._spec, self._seeds.texts, tuple(updates), tuple(self._prunings),
            by_id(expected, ids, n), by_id(found.losses, ids, n), by_id(found.is_bound, ids, n), self._loss,
            tuple(notes), self._dropped, self._first, self._seeds.n_characters,
        )  # fmt: skip
        return trained_model(pieces, self._spec, self._charsmap, self._corpus.name), history

    # -- progress --------------------------------------------------------------------------------------------

    def _stage(
        self, phase: str, stage: Generator[float, None, Result]
    ) -> Generator[TrainingStep, None, Result]:
        """Run one stage; turn the fractions it yields into steps."""
        self._clock.begin(phase)
        try:
            while True:
                self._clock.advance(next(stage))
                yield self._step(phase)
        except StopIteration as end:
            self._clock.end()
            return end.value
        finally:
            stage.close()

    def _step(
        self,
        phase: str,
        update: Update | None = None,
        pruning: PruningRound | None = None,
        plan: TrainingPlan | None = None,
        is_last: bool = False,
    ) -> TrainingStep:
        return TrainingStep(
            phase,
            self._round,
            self._sub_iteration,
            self._clock.n_rounds,
            self._table.n_pieces if self._round else 0,
            1.0 if is_last else self._clock.fraction,
            self._clock.elapsed,
            0.0 if is_last else self._clock.remaining,
            self._loss,
            update,
            pruning,
            plan,
            None if self._clock.e_step_seconds is None else self._n_characters / max(self._clock.e_step_seconds, 1e-6),
            memory_held(),
        )


def _of_pieces(table: PieceProbabilities) -> np.ndarray:
    """Return the probabilities, nan for characters that are unknown ones."""
    return np.where(table.is_unknown, np.nan, table.probabilities)
