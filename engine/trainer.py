"""train(): from a corpus and settings to a model, in steps that a window can show and stop.

In: a Corpus and a TrainerSpec. Out: a TrainingRun, an iterator of TrainingStep; when it ends, `run.model` and
`run.history` are set. The method is Kudo's (2018, "Subword Regularization", section 3.2): many candidates, then
rounds of expectation-maximization and pruning until the vocabulary has its size. The same corpus and settings give
the same model, bit for bit, whatever the number of threads.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Iterator
from dataclasses import asdict, dataclass, replace
from typing import TypeVar

import numpy as np

from engine.corpus import Corpus
from engine.em import Expectations, PieceProbabilities, credit_first_piece, e_step, keep_pieces, m_step
from engine.errors import TrainingError
from engine.history import PruningRound, TrainingHistory, Update, Verdict, compact
from engine.model import UnigramModel
from engine.normalized_corpus import charsmap_of, normalized_corpus
from engine.normalizer import NormalizerSpec
from engine.pieces import PieceTable, PieceType
from engine.pruning import (
    PieceLosses,
    choose_removed,
    count_logp_losses,
    exact_losses,
    sentencepiece_losses,
    viterbi_losses,
)
from engine.seeds import Seeds, UnitLattices, make_seeds
from engine.shards import Workers
from engine.spec import TrainerSpec
from engine.words import Units, count_units, running_texts

Result = TypeVar("Result")

OWN_SETTINGS = (
    "m_step", "smoothing_epsilon", "pruning_criterion", "pieces_removed_per_round", "min_expected_count",
    "final_cut_factor", "protect_characters", "renormalize", "seed_method", "seed_source", "seed_scores",
    "ngram_max_length", "ngram_min_frequency", "id_order", "sample_seed", "normalization_rule_tsv",
)  # fmt: skip
"""Settings that SentencePiece's trainer_spec has no field for; the model records them beside it."""

_PREPARATION = 0.15  # share of the progress bar before the first E step
_SHOWN = 10  # characters listed in a note
_FIRST_SCALE = 0.6  # nats per character before the first E step, as a share of the characters' entropy


@dataclass(frozen=True, eq=False)
class TrainingStep:
    """Where a training stands.

    Attributes
    ----------
    phase : str
        "count words", "find candidates", "E step", "M step", "pruning losses", "prune" or "finish".
    round, sub_iteration : int
        From 1 on; 0 before the first E step.
    n_rounds_expected : int
    n_pieces : int
        Pieces in the table, special ones not counted; 0 before there are any.
    fraction : float
        Done of the whole run, 0 to 1.
    elapsed, remaining : float
        Seconds; remaining is None before the first E step.
    loss : float or None
        Newest corpus loss, nats.
    update, pruning
        Set on the step that finished one.
    """

    phase: str
    round: int
    sub_iteration: int
    n_rounds_expected: int
    n_pieces: int
    fraction: float
    elapsed: float
    remaining: float | None
    loss: float | None
    update: Update | None = None
    pruning: PruningRound | None = None


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
        self._clock = _Clock()
        self._updates: list[Update] = []
        self._prunings: list[PruningRound] = []
        self._notes: list[str] = []
        self._loss: float | None = None
        self._round = 0
        self._sub_iteration = 0

    def run(
        self, workers: Workers
    ) -> Generator[TrainingStep, None, tuple[UnigramModel, TrainingHistory]]:
        """The whole training, as the paper tells it."""
        self._workers = workers
        self._draw_sample()
        self._note_long_texts()
        self._charsmap = charsmap_of(self._spec)
        if self._charsmap:
            rewriting = normalized_corpus(workers, self._corpus, self._spec, self._charsmap)
            self._corpus = yield from self._stage("normalize texts", 0.03, rewriting)
        units = yield from self._stage("count words", 0.06, count_units(workers, self._corpus, self._spec))
        self._note_left_out(units)
        self._seeds = yield from self._stage("find candidates", _PREPARATION, self._find_candidates(units))
        self._target = self._reachable_size() - len(self._specials)
        self._start(units)
        self._round = 1
        while True:
            for sub_iteration in range(1, self._spec.num_sub_iterations + 1):
                yield from self._update(sub_iteration)
            if self._table.n_pieces <= self._size_to_stop_at():
                break
            yield from self._prune()
            self._round += 1
        return (yield from self._finish())

    # -- before the first round ------------------------------------------------------------------------------

    def _draw_sample(self) -> None:
        spec = self._spec
        if not 0 < spec.input_sentence_size < self._corpus.n_samples:
            return
        rng = np.random.default_rng(spec.sample_seed) if spec.shuffle_input_sentence else None
        self._notes.append(
            f"Trained on {spec.input_sentence_size:,} of {self._corpus.n_samples:,} texts (input_sentence_size)."
        )
        self._corpus = self._corpus.sample(spec.input_sentence_size, rng)

    def _note_long_texts(self) -> None:
        """Note the texts that are too long; raise where all are."""
        corpus, limit = self._corpus, self._spec.max_sentence_length
        sizes = np.diff(corpus.offsets)
        is_long = sizes > limit
        if not is_long.any():
            return
        n = int(corpus.counts[is_long].sum())
        first = int(np.argmax(is_long))
        line = "" if corpus.first_lines is None else f", the first in line {int(corpus.first_lines[first]):,}"
        which = f"{n:,} of {corpus.n_samples:,} texts are longer than {limit:,} bytes, up to {int(sizes.max()):,}{line}"
        if is_long.all():
            raise TrainingError(f"Nothing to train on: {which}; raise max_sentence_length or split the lines.")
        self._notes.append(f"{which}; they were left out (max_sentence_length).")

    def _note_left_out(self, units: Units) -> None:
        self._dropped = units.dropped
        if units.dropped:
            stand_in = "bytes" if self._spec.byte_fallback else self._spec.unk_piece
            shown = ", ".join(f"{c} U+{ord(c):04X} ({n:,})" for c, n in units.dropped[:_SHOWN])
            more = f" and {len(units.dropped) - _SHOWN:,} more" if len(units.dropped) > _SHOWN else ""
            self._notes.append(
                f"{len(units.characters):,} characters cover {100 * units.coverage:.3f} % of the corpus; these "
                f"become {stand_in} (character_coverage): {shown}{more}."
            )

    def _find_candidates(self, units: Units) -> Generator[float, None, Seeds]:
        running = given = None
        if self._spec.seed_method == "file":
            given = self._read_candidates()
        elif self._spec.seed_source == "texts":
            running = yield from running_texts(self._workers, self._corpus, self._spec, units)
        return (yield from make_seeds(self._workers, units, self._spec, running=running, given=given))

    def _read_candidates(self) -> Corpus:
        name = self._spec.seed_sentencepieces_file
        if not name:
            raise TrainingError("seed_method is 'file'; name the file in seed_sentencepieces_file.")
        return Corpus.from_file(name)

    def _reachable_size(self) -> int:
        """Return vocab_size, or the nearest size this corpus can give where the limit is soft."""
        smallest = self._seeds.n_characters + len(self._specials)
        largest = len(self._seeds) + len(self._specials)
        wanted = self._spec.vocab_size
        if smallest <= wanted <= largest:
            return wanted
        nearest = min(max(wanted, smallest), largest)
        reach = f"{smallest:,} to {largest:,}" if smallest < largest else f"{smallest:,}"
        if self._spec.hard_vocab_limit:
            remedy = "or lower character_coverage" if wanted < smallest else "or turn off hard_vocab_limit"
            raise TrainingError(
                f"vocab_size {wanted:,} is out of reach: this corpus can give {reach} pieces, "
                f"{len(self._specials):,} special ones included; choose a size in that range {remedy}."
            )
        self._notes.append(f"vocab_size {wanted:,} is out of reach; the model has {nearest:,} pieces instead.")
        return nearest

    def _start(self, units: Units) -> None:
        """Set up the first table and lattices, and a first scale for the forward sums."""
        seeds = self._seeds
        self._lattices: UnitLattices = seeds.lattices
        self._n_characters = max(1, self._lattices.n_characters)
        first = np.maximum(seeds.probabilities(self._spec.seed_scores), 1e-300)
        self._table = PieceProbabilities.of_seeds(seeds, np.log(first))
        self._n_uncovered = units.n_uncovered
        share = np.maximum(units.character_counts, 1) / max(1, units.character_counts.sum())
        self._log_kappa = _FIRST_SCALE * float(-(share * np.log(share)).sum())
        self._clock.plan(self._sizes(), self._spec.num_sub_iterations, 0)

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
        return max(self._size_to_stop_at(), int(size * self._spec.shrinking_factor))

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
            "E step", 1.0, e_step(self._workers, self._lattices, before, self._log_kappa)
        )
        self._set_loss(found.loss)
        if not self._spec.protect_characters:
            found = replace(found, counts=credit_first_piece(before, found.counts, self._n_uncovered))
        self._table, is_kept = m_step(
            before, found, self._spec.m_step, min_expected_count=self._spec.min_expected_count,
            at_least=self._target, protect_characters=self._spec.protect_characters,
            smoothing_epsilon=self._spec.smoothing_epsilon,
        )  # fmt: skip
        if not is_kept.all():
            yield from self._stage("M step", 0.0, self._keep(is_kept))
        self._expected = found.counts[is_kept]
        self._updates.append(self._record_update(before, found, is_kept))
        yield self._step("M step", update=self._updates[-1])

    def _keep(self, is_kept: np.ndarray) -> Generator[float, None, None]:
        self._lattices = yield from keep_pieces(self._workers, self._lattices, is_kept)

    def _record_update(self, before: PieceProbabilities, found: Expectations, is_kept: np.ndarray) -> Update:
        probabilities = np.full(len(before), np.nan)
        probabilities[is_kept] = _of_pieces(self._table)
        return Update(
            self._round, self._sub_iteration, self._table.n_pieces, found.loss, None, found.n_tokens,
            before.seeds, compact(found.counts), compact(probabilities),
        )  # fmt: skip

    def _set_loss(self, loss: float) -> None:
        """Note the loss of the present table; it is also the loss after the update before."""
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
        n_removed = table.n_pieces - self._next_size(table.n_pieces)
        found = yield from self._stage("pruning losses", 2.0, self._losses(n_removed))
        if found.corpus_loss is not None:
            self._set_loss(found.corpus_loss)
        is_dropped = np.zeros(len(table), dtype=bool)
        if found.best_counts is not None and not self._spec.protect_characters:
            is_dropped = table.is_protected & (found.best_counts == 0.0)
        n_dropped = int(np.count_nonzero(is_dropped & ~table.is_unknown))
        is_removed = choose_removed(found.losses, n_removed - n_dropped, len(table) - self._target)
        self._table = table.where(~is_removed, renormalize=self._spec.renormalize)
        if not self._spec.protect_characters:
            self._table = self._table.with_unknown((table.is_unknown | is_dropped)[~is_removed])
        yield from self._stage("prune", 0.0, self._keep(~is_removed))
        self._prunings.append(self._record_pruning(table, found, is_removed))
        yield self._step("prune", pruning=self._prunings[-1])
        self._clock.plan(self._sizes(), self._spec.num_sub_iterations, self._round)

    def _losses(self, n_removed: int) -> Generator[float, None, PieceLosses]:
        criterion = self._spec.pruning_criterion
        if criterion == "sentencepiece":
            starts = self._seeds.starts[self._table.seeds]
            uncovered = None if self._spec.protect_characters else self._n_uncovered
            return (yield from sentencepiece_losses(self._workers, self._lattices, self._table, starts, uncovered))
        if criterion == "viterbi":
            return (yield from viterbi_losses(self._workers, self._lattices, self._table))
        if criterion == "count_logp":
            return count_logp_losses(self._table, self._expected)
        return (yield from exact_losses(self._workers, self._lattices, self._table, self._log_kappa, n_removed))

    def _record_pruning(
        self, table: PieceProbabilities, found: PieceLosses, is_removed: np.ndarray
    ) -> PruningRound:
        verdict = np.where(is_removed, Verdict.REMOVED, Verdict.KEPT)
        verdict = np.where(table.is_protected, Verdict.PROTECTED, verdict).astype(np.int8)
        verdict.setflags(write=False)
        after = np.full(len(table), np.nan)
        after[~is_removed] = _of_pieces(self._table)
        return PruningRound(
            self._round, table.n_pieces, self._table.n_pieces, self._spec.pruning_criterion, table.seeds,
            compact(_of_pieces(table)), compact(self._expected), compact(found.losses),
            verdict, found.is_bound, compact(after),
        )  # fmt: skip

    # -- the end ---------------------------------------------------------------------------------------------

    def _finish(self) -> Generator[TrainingStep, None, tuple[UnigramModel, TrainingHistory]]:
        """Cut what is over by score, compute the final losses, and number the pieces."""
        self._table = _with_all_characters(self._table)
        n_over = len(self._table) - self._target
        if n_over > 0:
            is_removed = self._lowest_scores(n_over)
            self._expected = self._expected[~is_removed]
            self._table = self._table.where(~is_removed, renormalize=self._spec.renormalize)
            yield from self._stage("finish", 0.0, self._keep(~is_removed))
        found = yield from self._stage(
            "finish", 2.0, exact_losses(self._workers, self._lattices, self._table, self._log_kappa)
        )
        assert found.corpus_loss is not None
        if n_over <= 0:
            self._set_loss(found.corpus_loss)
        self._loss = found.corpus_loss
        pieces, ids = self._number()
        model = self._model(pieces)
        history = self._history(len(pieces), ids, found)
        yield self._step("finish", is_last=True)
        return model, history

    def _lowest_scores(self, n: int) -> np.ndarray:
        """Return the mask of the `n` lowest scores, characters aside; of equal ones the later text goes first.

        Compared as the float32 that is saved, so that expected counts that are equal but for rounding are ties.
        """
        texts = np.array([self._seeds.texts[i] for i in self._table.seeds.tolist()], dtype=object)
        rank = np.empty(len(texts), dtype=np.int64)
        rank[np.argsort(texts)] = np.arange(len(texts))
        candidates = np.flatnonzero(~self._table.is_protected)
        order = np.lexsort((-rank[candidates], self._table.log_p[candidates].astype(np.float32)))
        is_removed = np.zeros(len(texts), dtype=bool)
        is_removed[candidates[order[:n]]] = True
        return is_removed

    def _number(self) -> tuple[PieceTable, np.ndarray]:
        """Give IDs: special pieces at theirs, learned ones in order between them; return the learned ones' IDs."""
        texts = [self._seeds.texts[i] for i in self._table.seeds.tolist()]
        order = list(range(len(texts)))
        if self._spec.id_order == "score":
            order.sort(key=lambda i: (-self._table.log_p[i], texts[i]))
        n = len(texts) + len(self._specials)
        free = (i for i in range(n) if i not in self._specials)
        ids = np.empty(len(texts), dtype=np.int32)
        rows: list[tuple[str, float, int]] = [("", 0.0, int(PieceType.NORMAL))] * n
        for number, (text, kind) in self._specials.items():
            if number >= n:
                raise TrainingError(f"{text} has the ID {number}, but the model has only {n:,} pieces; lower the ID.")
            rows[number] = (text, 0.0, int(kind))
        for i, number in zip(order, free, strict=True):
            ids[i] = number
            rows[number] = (texts[i], float(self._table.log_p[i]), int(PieceType.NORMAL))
        return PieceTable.from_rows(rows), ids

    def _model(self, pieces: PieceTable) -> UnigramModel:
        spec = self._spec
        settings = {**asdict(spec), "vocab_size": len(pieces), "model_type": 1}
        own = {name: settings.pop(name) for name in OWN_SETTINGS}
        normalizer = NormalizerSpec(
            name=settings.pop("normalization_rule_name"),
            precompiled_charsmap=self._charsmap,
            add_dummy_prefix=settings.pop("add_dummy_prefix"),
            remove_extra_whitespaces=settings.pop("remove_extra_whitespaces"),
            treat_whitespace_as_suffix=spec.treat_whitespace_as_suffix,
        )
        return UnigramModel.trained(
            pieces, normalizer, byte_fallback=spec.byte_fallback,
            trainer_fields=settings, own_settings=own, name=self._corpus.name,
        )  # fmt: skip

    def _history(self, n: int, ids: np.ndarray, found: PieceLosses) -> TrainingHistory:
        by_id = [np.full(n, np.nan), np.full(n, np.nan), np.zeros(n, dtype=bool)]
        for column, values in zip(by_id, (self._expected, found.losses, found.is_bound), strict=True):
            column[ids] = values
            column.setflags(write=False)
        assert self._loss is not None
        return TrainingHistory(
            self._corpus.name, self._spec, self._seeds.texts, tuple(self._updates), tuple(self._prunings),
            by_id[0], by_id[1], by_id[2], self._loss, tuple(self._notes), self._dropped,
        )  # fmt: skip

    # -- progress --------------------------------------------------------------------------------------------

    def _stage(
        self, phase: str, share: float, stage: Generator[float, None, Result]
    ) -> Generator[TrainingStep, None, Result]:
        """Run one stage; turn the fractions it yields into steps."""
        self._clock.begin(share)
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
        self, phase: str, update: Update | None = None, pruning: PruningRound | None = None, is_last: bool = False
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
        )


def _of_pieces(table: PieceProbabilities) -> np.ndarray:
    """Return the probabilities, nan for characters that are unknown ones."""
    return np.where(table.is_unknown, np.nan, table.probabilities)


def _with_all_characters(table: PieceProbabilities) -> PieceProbabilities:
    """Return the table with unknown characters as pieces again, a little above the lowest score.

    The rarer a character, the higher: each one 0.0001 above the one before (sentencepiece, FinalizeSentencePieces).
    """
    if not table.is_unknown.any():
        return table
    log_p = table.log_p.copy()
    steps = np.arange(int(np.count_nonzero(table.is_unknown)))
    log_p[table.is_unknown] = log_p[~table.is_unknown].min() + 0.0001 * steps
    return replace(table, log_p=log_p, is_unknown=np.zeros(len(table), dtype=bool))


class _Clock:
    """How far a run is, and how long it will still take.

    The unit of work is an E step over the first table; over a smaller one it costs about in proportion to the
    square root of the size, for the pieces that stay are those with most edges.
    """

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._training_began = 0.0
        self._planned: list[float] = []
        self._first_size = 0
        self._done = 0.0  # work of finished stages
        self._stage = 0.0  # work of the present stage
        self._part = 0.0  # of it, done
        self._left = 0.0  # work after the present stage
        self.n_rounds = 0

    def plan(self, sizes: list[int], n_updates: int, rounds_done: int) -> None:
        """Foresee the work of the rounds to come, from their table sizes."""
        if not self._first_size:
            self._first_size = sizes[0]
            self._training_began = time.monotonic()
            self._done = 0.0
        self._scale = (sizes[0] / self._first_size) ** 0.5
        self._left = sum((n_updates + 2) * (size / self._first_size) ** 0.5 for size in sizes)
        self.n_rounds = rounds_done + len(sizes)

    def begin(self, share: float) -> None:
        """Begin a stage: before the plan, `share` is where the bar stands at its end; after, E steps of work."""
        self._stage = share - self._done if not self._first_size else share * self._scale
        self._part = 0.0
        if self._first_size:
            self._left = max(0.0, self._left - self._stage)

    def advance(self, fraction: float) -> None:
        """Note how much of the stage is done."""
        self._part = max(self._part, fraction)

    def end(self) -> None:
        """Note that the stage is done."""
        self._done += self._stage
        self._stage = self._part = 0.0

    @property
    def elapsed(self) -> float:
        """Return seconds since the beginning."""
        return time.monotonic() - self._began

    @property
    def fraction(self) -> float:
        """Return the part of the whole run that is done."""
        done = self._done + self._stage * self._part
        if not self._first_size:
            return done
        whole = self._done + self._stage + self._left
        return _PREPARATION + (1.0 - _PREPARATION) * done / whole if whole else _PREPARATION

    @property
    def remaining(self) -> float | None:
        """Return about how many seconds are left; None before anything was measured."""
        done = self._done + self._stage * self._part
        if not self._first_size or done < 0.2:
            return None
        left = self._stage * (1.0 - self._part) + self._left
        return (time.monotonic() - self._training_began) * left / done
