"""The pruning ledger: what became of every piece that was at risk in a round, and why.

In: a TrainingHistory. Out: a Ledger of one round, at once; Fates, which say when and why a piece went. The criteria
that did not decide the round need the corpus as well: see `criteria`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np

from engine.flat_texts import FlatTexts, to_code_points
from engine.history import PruningRound, TrainingHistory, Update, Verdict
from engine.model import UnigramModel


class Reason(IntEnum):
    """Why a piece stayed or went."""

    PROTECTED = 0
    ABOVE_LINE = 1
    BELOW_LINE = 2
    RARE = 3
    NO_BEST_PATH = 4
    CUT_BY_SCORE = 5


REMOVALS = frozenset({Reason.BELOW_LINE, Reason.RARE, Reason.NO_BEST_PATH, Reason.CUT_BY_SCORE})


@dataclass(frozen=True, eq=False)
class Ledger:
    """One round: a row for every piece that its first update met.

    Attributes
    ----------
    round : int
    criterion : str
        Which loss decided, as in TrainerSpec.pruning_criterion.
    pieces : int32[n]
        Indices into the history's piece_texts, ascending.
    probabilities, expected_counts, losses : float64[n]
        Before the removal. For a piece that an update dropped: the count of that update, and the probability before
        it. The loss is nan where there was none to compute.
    loss_is_bound : bool[n]
    reason : int8[n]
        A Reason for each.
    sub_iteration : int8[n]
        The update that dropped the piece, 0 for none.
    pruned : int64[k]
        The rows that stood in the table when the losses were computed, in the order of the pruning's arrays.
    line : float
        The largest loss that was removed, nats; nan where nothing was.
    """

    round: int
    criterion: str
    pieces: np.ndarray
    probabilities: np.ndarray
    expected_counts: np.ndarray
    losses: np.ndarray
    loss_is_bound: np.ndarray
    reason: np.ndarray
    sub_iteration: np.ndarray
    pruned: np.ndarray
    line: float

    def __len__(self) -> int:
        return len(self.pieces)

    @property
    def is_gone(self) -> np.ndarray:
        """Return which rows left the table in this round, bool[n]."""
        return np.isin(self.reason, [int(reason) for reason in REMOVALS])

    def order_of_decision(self) -> np.ndarray:
        """Return the rows by what became of them: too rare, removed, kept, protected; each group by what decided."""
        group = np.where(self.is_gone, np.where(self.reason == Reason.RARE, 0, 1), 2)
        group[self.reason == Reason.PROTECTED] = 3
        return np.lexsort((np.where(np.isnan(self.losses), self.expected_counts, self.losses), group))


def rounds(history: TrainingHistory) -> tuple[int, ...]:
    """Return the rounds that have a ledger: those that were pruned."""
    return tuple(pruning.round for pruning in history.prunings)


def ledger(history: TrainingHistory, number: int) -> Ledger:
    """Return the ledger of round `number`, one of `rounds(history)`."""
    pruning = next(pruning for pruning in history.prunings if pruning.round == number)
    updates = [update for update in history.updates if update.round == number]
    pieces = updates[0].pieces
    n = len(pieces)
    p, counts, losses = (np.full(n, np.nan) for _ in range(3))
    is_bound, reason = np.zeros(n, dtype=bool), np.full(n, Reason.RARE, dtype=np.int8)
    sub_iteration = np.zeros(n, dtype=np.int8)
    newest = _table_before(history, number)
    records: list[Update | PruningRound] = [*updates[1:], pruning]
    for update, following in zip(updates, records, strict=True):
        rows = np.searchsorted(pieces, update.pieces)
        p[rows], counts[rows] = newest[rows], update.expected_counts
        newest[rows] = update.probabilities
        # Not those without a probability: unknown characters have none and stay.
        sub_iteration[np.setdiff1d(rows, np.searchsorted(pieces, following.pieces))] = update.sub_iteration
    pruned = np.searchsorted(pieces, pruning.pieces)
    p[pruned], counts[pruned], losses[pruned] = pruning.probabilities, pruning.expected_counts, pruning.losses
    is_bound[pruned], reason[pruned] = pruning.loss_is_bound, _reasons(pruning)
    removed = pruning.losses[pruning.verdict == Verdict.REMOVED]
    line = float(removed.max()) if len(removed) else np.nan
    columns = (pieces, p, counts, losses, is_bound, reason, sub_iteration, pruned)
    for column in columns:
        column.setflags(write=False)
    return Ledger(number, pruning.criterion, *columns, line)


def _table_before(history: TrainingHistory, number: int) -> np.ndarray:
    """Return the probabilities of the table that a round began with, in order of its pieces."""
    if number == history.updates[0].round:
        return history.seed_probabilities.astype(np.float64)
    earlier = next(pruning for pruning in history.prunings if pruning.round == number - 1)
    return np.asarray(earlier.probabilities_after, dtype=np.float64)[earlier.verdict != Verdict.REMOVED]


def _reasons(pruning: PruningRound) -> np.ndarray:
    reason = np.choose(pruning.verdict, [Reason.ABOVE_LINE, Reason.BELOW_LINE, Reason.PROTECTED]).astype(np.int8)
    unreachable = (pruning.verdict == Verdict.REMOVED) & np.isneginf(pruning.losses)
    reason[unreachable] = Reason.NO_BEST_PATH
    return reason


@dataclass(frozen=True)
class Fate:
    """What became of one candidate in the run.

    Attributes
    ----------
    text : str
    piece : int
        Its place among the candidates, -1 where it never was one.
    is_gone : bool
    round, sub_iteration : int
        When it went; the update is 0 where a pruning removed it. 0 and 0 where it stayed or never was there.
    reason : Reason or None
        None where it never was a candidate.
    probability, expected_count, loss, line : float
        The last ones known; loss and line (nats) only where a pruning decided, else nan.
    n_rounds_kept : int
        How many prunings it came through.
    """

    text: str
    piece: int
    is_gone: bool
    round: int = 0
    sub_iteration: int = 0
    reason: Reason | None = None
    probability: float = np.nan
    expected_count: float = np.nan
    loss: float = np.nan
    line: float = np.nan
    n_rounds_kept: int = 0


def fate(history: TrainingHistory, finished: UnigramModel, text: str) -> Fate:
    """Tell when a piece went and why; spaces may be typed as they are or as U+2581.

    Examples
    --------
    >>> from engine.corpus import Corpus
    >>> from engine.spec import PRESETS
    >>> from engine.trainer import train
    >>> corpus = Corpus.from_counts({"a": 16, "b": 8, "c": 8, "ab": 24, "bc": 32, "abc": 12, "abca": 2, "cab": 2})
    >>> run = train(corpus, PRESETS["Teaching"])
    >>> model = run.result()
    >>> gone = fate(run.history, model, "ca")
    >>> gone.round, gone.reason.name, gone.n_rounds_kept
    (2, 'BELOW_LINE', 1)
    """
    text = text.replace(" ", "▁")
    piece = find_text(history.piece_texts, text)
    if piece < 0:
        return Fate(text, -1, True)
    known = Fate(text, piece, False, reason=Reason.ABOVE_LINE, probability=float(history.seed_probabilities[piece]))
    for record in _records(history):
        place = int(np.searchsorted(record.pieces, piece))
        if isinstance(record, PruningRound):
            known = _after_pruning(known, record, place)
        else:
            known = _after_update(known, record, place, piece < history.n_characters)
        if known.is_gone:
            return known
    return _at_the_end(known, piece < history.n_characters, finished)


def find_text(texts: FlatTexts, text: str) -> int:
    """Return the place of `text` among texts, or -1."""
    wanted = to_code_points(text)
    rows = np.flatnonzero(np.diff(texts.offsets) == len(wanted))
    for i, code_point in enumerate(wanted.tolist()):
        rows = rows[texts.code_points[texts.offsets[rows] + i] == code_point]
    return int(rows[0]) if len(rows) and len(wanted) else -1


def _records(history: TrainingHistory) -> Iterator[Update | PruningRound]:
    """Yield updates and prunings in the order in which they happened."""
    prunings = {pruning.round: pruning for pruning in history.prunings}
    for i, update in enumerate(history.updates):
        yield update
        is_last = i + 1 == len(history.updates) or history.updates[i + 1].round > update.round
        if is_last and update.round in prunings:
            yield prunings[update.round]


def _after_update(known: Fate, update: Update, place: int, is_character: bool) -> Fate:
    p, count = float(update.probabilities[place]), float(update.expected_counts[place])
    if np.isnan(p) and not is_character:
        known = replace(known, round=update.round, sub_iteration=update.sub_iteration)
        return replace(known, is_gone=True, reason=Reason.RARE, expected_count=count)
    return replace(known, probability=p, expected_count=count)


def _after_pruning(known: Fate, pruning: PruningRound, place: int) -> Fate:
    removed = pruning.losses[pruning.verdict == Verdict.REMOVED]
    known = replace(
        known, probability=float(pruning.probabilities[place]), expected_count=float(pruning.expected_counts[place]),
        loss=float(pruning.losses[place]), line=float(removed.max()) if len(removed) else np.nan,
    )  # fmt: skip
    if pruning.verdict[place] != Verdict.REMOVED:
        return replace(known, n_rounds_kept=known.n_rounds_kept + 1)
    why = Reason.NO_BEST_PATH if np.isneginf(pruning.losses[place]) else Reason.BELOW_LINE
    return replace(known, is_gone=True, round=pruning.round, reason=why)


def _at_the_end(known: Fate, is_character: bool, finished: UnigramModel) -> Fate:
    if is_character:
        return replace(known, reason=Reason.PROTECTED)
    if finished.pieces.id_of(known.text) is None:
        return replace(known, is_gone=True, reason=Reason.CUT_BY_SCORE)
    return known
