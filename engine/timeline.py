"""The timeline of a run: every moment at which its table changed, and the model that the table was then.

In: a TrainingHistory and the finished model. Out: Moments, and a TrainingState for each. Special pieces, normalizer
and byte fallback are those of the finished model; the learned pieces and their probabilities are the history's.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.history import PruningRound, TrainingHistory, Update
from engine.kernels.trie_walk import count_edges, list_edges
from engine.model import UnigramModel
from engine.pieces import PieceTable, PieceType
from engine.trie import Trie, code_points_of

SEEDS, UPDATE, REMOVAL, FINISHED = "seeds", "update", "removal", "finished"
MOST_PIECES_KEPT = 600_000
"""A timeline keeps the states seen last, up to about this many pieces together."""


@dataclass(frozen=True)
class Moment:
    """A table of the run.

    Attributes
    ----------
    kind : str
        "seeds" before the first update, "update" after one, "removal" after a pruning, or "finished".
    round, sub_iteration : int
        Of the training; 0 before it, and for what the kind has not.
    n_pieces : int
        Learned pieces in the table.
    place : int
        In history.updates or history.prunings.
    loss : float or None
        Corpus loss of the table in nats; None where nothing computed it.
    """

    kind: str
    round: int
    sub_iteration: int
    n_pieces: int
    place: int
    loss: float | None


def moments(history: TrainingHistory) -> tuple[Moment, ...]:
    """Return the moments of a run in order; the last one is the finished model."""
    updates, prunings = history.updates, {pruning.round: i for i, pruning in enumerate(history.prunings)}
    first_loss = updates[0].loss_before if updates else None
    found = [Moment(SEEDS, 0, 0, len(history.seed_probabilities), 0, first_loss)]
    for i, update in enumerate(updates):
        found.append(Moment(UPDATE, update.round, update.sub_iteration, update.n_pieces, i, update.loss_after))
        is_last = i + 1 == len(updates) or updates[i + 1].round > update.round
        if is_last and update.round in prunings:
            place = prunings[update.round]
            loss = updates[i + 1].loss_before if i + 1 < len(updates) else history.final_loss
            n_after = history.prunings[place].n_after
            found.append(Moment(REMOVAL, update.round, 0, n_after, place, loss))
    n_learned = len(history.final_losses) - len(history.spec.special_pieces())
    if found[-1].n_pieces == n_learned and found[-1].kind != SEEDS:
        return tuple(found)
    last = updates[-1].round if updates else 0
    return (*found, Moment(FINISHED, last, 0, n_learned, 0, history.final_loss))


@dataclass(frozen=True, eq=False)
class TrainingState:
    """A table of the run as a model, with what was known of its pieces.

    Attributes
    ----------
    moment : Moment
    model : UnigramModel
    expected_counts : float64[n]
        By ID: of the E step that led to the table; nan where there was none.
    losses : float64[n]
        By ID: where the table was about to be pruned, the losses that decided; else nan.
    loss_is_bound : bool[n]
    """

    moment: Moment
    model: UnigramModel
    expected_counts: NDArray[np.float64]
    losses: NDArray[np.float64]
    loss_is_bound: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class _Rows:
    """A table of the history: candidates, and what was known of them."""

    pieces: np.ndarray
    probabilities: np.ndarray
    counts: np.ndarray
    losses: np.ndarray
    is_bound: np.ndarray


def state_at(history: TrainingHistory, moment: Moment, finished: UnigramModel) -> TrainingState:
    """Return the table of a moment.

    Pieces that the table had not, and characters that were unknown to it, are left out.
    """
    if moment == moments(history)[-1]:
        final = history.final_expected_counts, history.final_losses, history.final_loss_is_bound
        return TrainingState(moment, finished, *final)
    return _state_of(history, moment, finished)


def _state_of(
    history: TrainingHistory, moment: Moment, finished: UnigramModel, only: np.ndarray | None = None
) -> TrainingState:
    """Return the table of a moment, of the candidates in `only` (ascending) where it is given."""
    rows = _rows(history, moment)
    is_there = rows.probabilities > 0.0  # nan is not
    if only is not None:
        is_there &= np.isin(rows.pieces, only)
    rows = _Rows(*(getattr(rows, name)[is_there] for name in _Rows.__dataclass_fields__))
    texts = history.piece_texts.select(rows.pieces)
    order = np.arange(len(texts))
    log_p = np.log(rows.probabilities)
    if history.spec.id_order == "score":
        order = np.lexsort((history.piece_texts.ranks(rows.pieces), -log_p))
    return _state(moment, finished, rows, texts, log_p, order)


def model_at(history: TrainingHistory, moment: Moment, finished: UnigramModel) -> UnigramModel:
    """Return the model that the table of a moment was.

    Examples
    --------
    Before the first update abc is one piece among nine, all equally probable; afterwards a and bc are dearer to keep.

    >>> from engine.corpus import Corpus
    >>> from engine.spec import PRESETS
    >>> from engine.trainer import train
    >>> corpus = Corpus.from_counts({"a": 16, "b": 8, "c": 8, "ab": 24, "bc": 32, "abc": 12, "abca": 2, "cab": 2})
    >>> run = train(corpus, PRESETS["Teaching"])
    >>> finished = run.result()
    >>> first, *_, last = moments(run.history)
    >>> [model_at(run.history, moment, finished).encode_pieces("abc") for moment in (first, last)]
    [['abc'], ['a', 'bc']]
    """
    return state_at(history, moment, finished).model


def _rows(history: TrainingHistory, moment: Moment) -> _Rows:
    if moment.kind == SEEDS:
        p = np.asarray(history.seed_probabilities, dtype=np.float64)
        unknown = np.full(len(p), np.nan)
        return _Rows(np.arange(len(p)), p, unknown, unknown, np.zeros(len(p), dtype=bool))
    if moment.kind == REMOVAL:
        pruning = history.prunings[moment.place]
        unknown = np.full(len(pruning.pieces), np.nan)
        p = np.asarray(pruning.probabilities_after, dtype=np.float64)
        return _Rows(pruning.pieces, p, pruning.expected_counts, unknown, np.zeros(len(p), dtype=bool))
    return _after_update(history.updates[moment.place], _pruning_after(history, moment.place))


def _pruning_after(history: TrainingHistory, place: int) -> PruningRound | None:
    """Return the pruning that met the very table which an update made."""
    update = history.updates[place]
    if place + 1 < len(history.updates) and history.updates[place + 1].round == update.round:
        return None
    return next((pruning for pruning in history.prunings if pruning.round == update.round), None)


def _after_update(update: Update, pruning: PruningRound | None) -> _Rows:
    p = np.asarray(update.probabilities, dtype=np.float64)
    losses, is_bound = np.full(len(p), np.nan), np.zeros(len(p), dtype=bool)
    if pruning is not None:
        there = np.searchsorted(update.pieces, pruning.pieces)  # both ascend, and the table had all of these
        losses[there], is_bound[there] = pruning.losses, pruning.loss_is_bound
    return _Rows(update.pieces, p, update.expected_counts, losses, is_bound)


def _state(
    moment: Moment, finished: UnigramModel, rows: _Rows, texts: list[str], log_p: np.ndarray, order: np.ndarray
) -> TrainingState:
    """Give IDs: special pieces at theirs, the others in `order` between them."""
    table = finished.pieces
    special = {
        int(i): (table.texts[i], float(table.log_probs[i]), int(table.types[i]))
        for i in np.flatnonzero(table.types != PieceType.NORMAL).tolist()
    }
    taken = {text for text, _, _ in special.values()}
    order = order[[texts[i] not in taken for i in order.tolist()]] if len(order) else order
    is_special = np.zeros(len(order) + len(special), dtype=bool)
    is_special[[number for number in special if number < len(is_special)]] = True
    free = np.flatnonzero(~is_special)[: len(order)]
    numbers = np.concatenate((np.array([*special], dtype=np.int64), free))
    by_id = np.argsort(numbers, kind="stable")
    all_texts = [*(text for text, _, _ in special.values()), *(texts[i] for i in order.tolist())]
    scores = np.concatenate(([score for _, score, _ in special.values()], log_p[order]))
    types = np.concatenate(([kind for _, _, kind in special.values()], np.full(len(order), int(PieceType.NORMAL))))
    pieces = PieceTable(tuple(all_texts[i] for i in by_id.tolist()), scores[by_id], types[by_id])
    columns = (
        _column(values[order], len(special), by_id, empty)
        for values, empty in ((rows.counts, np.nan), (rows.losses, np.nan), (rows.is_bound, False))
    )
    name = f"{finished.name}, {described(moment)}"
    return TrainingState(moment, replace(finished, pieces=pieces, name=name, own_settings={}, document=None), *columns)


def _column(values: np.ndarray, n_special: int, by_id: np.ndarray, empty: float) -> np.ndarray:
    column = np.concatenate((np.full(n_special, empty), values))[by_id]
    column = column.astype(bool if values.dtype == bool else np.float64)
    column.setflags(write=False)
    return column


def described(moment: Moment) -> str:
    """Say in words which moment it is.

    >>> described(Moment("update", 2, 1, 8, 2, 169.4))
    'round 2, update 1'
    """
    if moment.kind == UPDATE:
        return f"round {moment.round}, update {moment.sub_iteration}"
    return {SEEDS: "before training", REMOVAL: f"round {moment.round}, pruned", FINISHED: "finished"}[moment.kind]


class Timeline:
    """The states of one run, made when asked for; those seen last are kept. May be used from several threads."""

    def __init__(self, history: TrainingHistory, finished: UnigramModel) -> None:
        self.history = history
        self.finished = finished
        self.moments = moments(history)
        self._kept: OrderedDict[int, TrainingState] = OrderedDict()
        self._lock = threading.Lock()

    def model_before(self, text: str) -> UnigramModel:
        """Return the model before the first update, as far as `text` meets it: there it is the same lattice.

        Of a million candidates a text meets some hundred; the others need not become strings.

        >>> from engine.corpus import Corpus
        >>> from engine.spec import PRESETS
        >>> from engine.trainer import train
        >>> corpus = Corpus.from_counts({"a": 16, "b": 8, "c": 8, "ab": 24, "bc": 32, "abc": 12, "abca": 2, "cab": 2})
        >>> run = train(corpus, PRESETS["Teaching"])
        >>> finished = run.result()
        >>> lattice = Timeline(run.history, finished).model_before("abc").lattice("abc")
        >>> lattice.best().pieces, round(lattice.share(lattice.best()), 4)
        (('abc',), 0.81)
        """
        code_points = code_points_of(self.finished.normalizer.normalize(text).text)
        n_edges = np.zeros(len(code_points), dtype=np.int64)
        count_edges(code_points, self._candidates, 0, len(code_points), n_edges)
        offsets = np.concatenate(([0], np.cumsum(n_edges)))
        start, end, piece = (np.empty(offsets[-1], dtype=np.int32) for _ in range(3))
        list_edges(code_points, self._candidates, -1, 0, len(code_points), offsets, start, end, piece)
        met = np.unique(np.append(piece[piece >= 0], self._least))  # the least is what unknown characters go by
        return _state_of(self.history, self.moments[0], self.finished, met).model

    @cached_property
    def _candidates(self) -> Trie:
        texts = self.history.piece_texts
        return Trie.from_code_points(texts.code_points, texts.offsets, np.arange(len(texts), dtype=np.int32))

    @cached_property
    def _least(self) -> int:
        p = self.history.seed_probabilities
        return int(np.argmin(np.where(p > 0.0, p, np.inf)))

    def kept(self, place: int) -> TrainingState | None:
        """Return the state of a moment where it is at hand."""
        with self._lock:
            return self._kept.get(place)

    def state(self, place: int) -> TrainingState:
        """Return the state of moments[place]."""
        found = self.kept(place)
        if found is None:
            found = state_at(self.history, self.moments[place], self.finished)
        self._keep(place, found)
        return found

    def _keep(self, place: int, state: TrainingState) -> None:
        with self._lock:
            self._kept[place] = state
            self._kept.move_to_end(place)
            while len(self._kept) > 1 and self._size() > MOST_PIECES_KEPT:
                self._kept.popitem(last=False)

    def _size(self) -> int:
        return sum(len(state.model.pieces) for state in self._kept.values())
