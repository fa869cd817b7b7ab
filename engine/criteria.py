"""All pruning criteria of one round side by side, computed anew in float64, though only one of them decided.

In: a history, the corpus it was trained on, and a round. Out: Criteria. The candidates are found again from corpus and
settings, as the training found them; a corpus that gives others is refused.
"""

from __future__ import annotations

import threading
from collections.abc import Generator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np

from engine.corpus import Corpus
from engine.corpus_statistics import corpus_figures
from engine.em import PieceProbabilities, keep_pieces
from engine.errors import TrainingError
from engine.flat_texts import FlatTexts
from engine.history import PruningRound, TrainingHistory, Verdict
from engine.kernels.alternative_splits import best_alternatives
from engine.model import UnigramModel
from engine.normalized_corpus import charsmap_of, normalized_corpus
from engine.pieces import PieceTable
from engine.pruning import count_logp_losses, exact_losses, sentencepiece_losses, viterbi_losses
from engine.seeds import Seeds, UnitLattices, make_seeds
from engine.shards import Checkpoint, Workers
from engine.words import count_units, running_texts

T = TypeVar("T")
CRITERIA = ("exact", "viterbi", "sentencepiece", "count_logp")
_SLICE = 1 << 14


@dataclass(frozen=True, eq=False)
class Candidates:
    """The candidates of a training with their lattices, found again."""

    seeds: Seeds
    n_uncovered: int


@dataclass(frozen=True, eq=False)
class Criteria:
    """Losses of every piece that stood in the table of a pruning, in the order of `PruningRound.pieces`.

    Attributes
    ----------
    exact, viterbi, sentencepiece, count_logp : float64[n]
        Nats of all texts together; nan where the piece is protected. sentencepiece is -inf on no best path, and
        inf where there is no other split.
    exact_is_bound : bool[n]
    best_counts : float64[n]
        How often the piece is on a best path.
    split_offsets, split_pieces, split_sizes : int64[n + 1], int32, int64[n]
        The best other split of piece i, as rows of the same table: split_sizes[i] of them from split_offsets[i] on.
    split_log_p : float64[n]
        The sum of its ln p, -inf where there is none.
    """

    exact: np.ndarray
    exact_is_bound: np.ndarray
    viterbi: np.ndarray
    sentencepiece: np.ndarray
    count_logp: np.ndarray
    best_counts: np.ndarray
    split_offsets: np.ndarray
    split_pieces: np.ndarray
    split_sizes: np.ndarray
    split_log_p: np.ndarray

    def __post_init__(self) -> None:
        for array in vars(self).values():
            array.setflags(write=False)

    def split(self, row: int) -> list[int]:
        """Return the rows of the best other split, none where there is none."""
        first = int(self.split_offsets[row])
        return self.split_pieces[first : first + int(self.split_sizes[row])].tolist()

    @cached_property
    def correlations(self) -> dict[tuple[str, str], float]:
        """Return the rank correlation of every two criteria."""
        return {(a, b): rank_correlation(getattr(self, a), getattr(self, b)) for a in CRITERIA for b in CRITERIA}


def rank_correlation(a: np.ndarray, b: np.ndarray) -> float:
    """Return Spearman's correlation of the rows where neither is nan; equal values share their mean rank.

    >>> rank_correlation(np.array([1.0, 2.0, 3.0, np.nan]), np.array([1.0, 4.0, 9.0, 0.0]))
    1.0
    """
    is_known = ~(np.isnan(a) | np.isnan(b))
    x, y = _ranks(a[is_known]), _ranks(b[is_known])
    if len(x) < 2:
        return np.nan
    x, y = x - x.mean(), y - y.mean()
    scale = float(np.sqrt((x * x).sum() * (y * y).sum()))
    return float((x * y).sum()) / scale if scale else np.nan


def _ranks(values: np.ndarray) -> np.ndarray:
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(sizes) - (sizes - 1) / 2.0)[group]


def find_candidates(workers: Workers, corpus: Corpus, history: TrainingHistory) -> Generator[float, None, Candidates]:
    """Find the candidates of a training again; yields the fraction done.

    Raises
    ------
    TrainingError
        Where the corpus gives others than the history has: it is not the one, or has changed.
    """
    spec = history.spec
    if 0 < spec.input_sentence_size < corpus.n_samples:
        rng = np.random.default_rng(spec.sample_seed) if spec.shuffle_input_sentence else None
        corpus = corpus.sample(spec.input_sentence_size, rng)
    charsmap = charsmap_of(spec)
    if charsmap:
        corpus = yield from normalized_corpus(workers, corpus, spec, charsmap)
    units = yield from count_units(workers, corpus, spec)
    running = given = None
    if spec.seed_method == "file":
        given = Corpus.from_file(spec.seed_sentencepieces_file)
    elif spec.seed_source == "texts":
        running = yield from running_texts(workers, corpus, spec, units)
    seeds = yield from make_seeds(workers, units, spec, running=running, given=given)
    if not _are_equal(seeds.texts, history.piece_texts):
        raise TrainingError(
            f"The open corpus is not the one of this training: open {history.corpus_name} to see the other criteria."
        )
    return Candidates(seeds, units.n_uncovered)


def _are_equal(a: FlatTexts, b: FlatTexts) -> bool:
    return np.array_equal(a.offsets, b.offsets) and np.array_equal(a.code_points, b.code_points)


def criteria(
    workers: Workers, candidates: Candidates, history: TrainingHistory, pruning: PruningRound
) -> Generator[float, None, Criteria]:
    """Compute all criteria for the table of a pruning; yields the fraction done of one after the other."""
    table = _table(candidates.seeds, pruning)
    is_there = np.zeros(len(candidates.seeds), dtype=bool)
    is_there[pruning.pieces] = True
    lattices = yield from keep_pieces(workers, candidates.seeds.lattices, is_there)
    n_removed = int(np.count_nonzero(pruning.verdict == Verdict.REMOVED))
    log_kappa = _loss(history, pruning) / max(1, lattices.n_characters)
    exact = yield from exact_losses(workers, lattices, table, log_kappa, n_removed)
    viterbi = yield from viterbi_losses(workers, lattices, table)
    starts = candidates.seeds.starts[table.seeds]
    uncovered = None if history.spec.protect_characters else candidates.n_uncovered
    approximate = yield from sentencepiece_losses(workers, lattices, table, starts, uncovered)
    assert approximate.best_counts is not None
    simple = count_logp_losses(table, np.asarray(pruning.expected_counts, dtype=np.float64))
    splits = yield from _splits(workers, lattices, table, starts)
    return Criteria(
        exact.losses, exact.is_bound, viterbi.losses, approximate.losses, simple.losses,
        approximate.best_counts, *splits,
    )  # fmt: skip


def _table(seeds: Seeds, pruning: PruningRound) -> PieceProbabilities:
    """Return the table that a pruning met."""
    p = np.asarray(pruning.probabilities, dtype=np.float64)
    is_unknown, is_protected = np.isnan(p), pruning.verdict == Verdict.PROTECTED
    log_p = np.log(np.where(is_unknown, 1.0, p))
    lengths = seeds.lengths[pruning.pieces]
    table = PieceProbabilities(pruning.pieces, lengths, log_p, is_protected, np.zeros(len(p), dtype=bool))
    return table.with_unknown(is_unknown) if is_unknown.any() else table


def _loss(history: TrainingHistory, pruning: PruningRound) -> float:
    """Return the corpus loss near a pruning: it only sets the scale of the sums."""
    return next(update.loss_before for update in history.updates if update.round == pruning.round)


def _splits(
    workers: Workers, lattices: UnitLattices, table: PieceProbabilities, starts: np.ndarray
) -> Generator[float, None, tuple[np.ndarray, ...]]:
    n = len(table)
    offsets = np.concatenate(([0], np.cumsum(table.lengths, dtype=np.int64)))
    splits, sizes, scores = np.empty(offsets[-1], dtype=np.int32), np.empty(n, dtype=np.int64), np.empty(n)

    def find(_: int, checkpoint: Checkpoint) -> None:
        longest = int(table.lengths.max()) + 1
        best, best_edge = np.empty(longest), np.empty(longest, dtype=np.int64)
        for first in range(0, n, _SLICE):
            checkpoint(first / n)
            best_alternatives(
                lattices.edge_offsets, lattices.edge_piece, table.lengths, table.log_p, starts,
                first, min(first + _SLICE, n), best, best_edge, offsets, splits, sizes, scores,
            )  # fmt: skip

    yield from workers.run(find)
    return offsets, splits, sizes, scores


@dataclass(frozen=True, eq=False)
class HurtTexts:
    """The texts that a removal hurts most.

    Attributes
    ----------
    texts : int64[k]
        Places in the corpus, the dearest first.
    losses : float64[k]
        By how much count x ln P falls without the piece, nats.
    total : float
        Of all texts.
    """

    texts: np.ndarray
    losses: np.ndarray
    total: float


def hurt_texts(
    model: UnigramModel,
    piece: str,
    corpus: Corpus,
    n_most: int = 20,
    *,
    threads: int | None = None,
    cancel: threading.Event | None = None,
) -> HurtTexts:
    """Find the texts whose probability falls most when `piece` is taken out of `model`, all else frozen.

    Examples
    --------
    >>> model = UnigramModel.from_probabilities({"a": 0.5, "b": 0.25, "ab": 0.25})
    >>> hurt = hurt_texts(model, "ab", Corpus.from_counts({"b": 4, "ab": 2}))
    >>> hurt.texts.tolist(), hurt.losses.round(4).tolist()
    ([1], [2.1972])
    """
    pieces = model.pieces
    gone = pieces.id_of(piece)
    if gone is None:
        raise TrainingError(f"{piece} is no piece of this table.")
    rows = [
        (text, float(log_p), int(kind))
        for i, (text, log_p, kind) in enumerate(zip(pieces.texts, pieces.log_probs, pieces.types, strict=True))
        if i != gone
    ]
    without = replace(model, pieces=PieceTable.from_rows(rows), document=None)
    old, new = (corpus_figures(one, corpus, threads=threads, cancel=cancel) for one in (model, without))
    losses = corpus.counts * (old.log_probs - new.log_probs)
    order = np.argsort(-losses, kind="stable")[:n_most]
    order = order[losses[order] > 1e-12]
    return HurtTexts(order, losses[order], float(losses.sum()))


def criteria_of_round(
    history: TrainingHistory,
    corpus: Corpus,
    number: int,
    *,
    threads: int | None = None,
    cancel: threading.Event | None = None,
) -> Criteria:
    """Compute all criteria for the pruning of round `number`, from the corpus on.

    Examples
    --------
    >>> from engine.spec import PRESETS
    >>> from engine.trainer import train
    >>> corpus = Corpus.from_counts({"a": 16, "b": 8, "c": 8, "ab": 24, "bc": 32, "abc": 12, "abca": 2, "cab": 2})
    >>> run = train(corpus, PRESETS["Teaching"])
    >>> _ = run.result()
    >>> found = criteria_of_round(run.history, corpus, 1)
    >>> bca = [run.history.piece_texts[i] for i in run.history.prunings[0].pieces].index("bca")
    >>> round(float(found.exact[bca]), 6), float(found.best_counts[bca]), len(found.split(bca))
    (0.006503, 0.0, 2)
    """
    pruning = next(pruning for pruning in history.prunings if pruning.round == number)
    with Workers(threads, cancel) as workers:
        candidates = _end_of(find_candidates(workers, corpus, history))
        return _end_of(criteria(workers, candidates, history, pruning))


def _end_of(stage: Generator[float, None, T]) -> T:
    while True:
        try:
            next(stage)
        except StopIteration as end:
            result: T = end.value
            return result
