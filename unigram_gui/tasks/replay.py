"""The slow work of looking back at a training, as frozen requests. None of them knows Qt or the session."""

from __future__ import annotations

import threading
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import TypeVar

from engine.corpus import Corpus
from engine.criteria import Candidates, Criteria, HurtTexts, criteria, find_candidates, hurt_texts
from engine.history import TrainingHistory
from engine.ledger import Fate, Ledger, fate, ledger
from engine.shards import Workers
from engine.timeline import Timeline, TrainingState
from unigram_gui.tasks.control import TaskControl

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class StateRequest:
    """Make the table of a moment."""

    timeline: Timeline
    place: int

    def __call__(self, control: TaskControl) -> TrainingState:
        return self.timeline.state(self.place)


@dataclass(eq=False)
class CandidateStore:
    """The candidates of one training, found once and kept as long as its history is on show."""

    corpus: Corpus
    history: TrainingHistory
    found: Candidates | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def candidates(self, workers: Workers, control: TaskControl) -> Candidates:
        """Return the candidates; the first time they are looked for."""
        with self.lock:
            if self.found is None:
                self.found = _result(find_candidates(workers, self.corpus, self.history), control, 0.0, 0.6)
            return self.found


@dataclass(frozen=True, eq=False)
class Book:
    """One round of a training as the ledger shows it; the criteria come later, where the corpus is at hand."""

    history: TrainingHistory
    ledger: Ledger
    criteria: Criteria | None = None


@dataclass(frozen=True, eq=False)
class LedgerRequest:
    """Make the ledger of a round."""

    history: TrainingHistory
    number: int

    def __call__(self, control: TaskControl) -> Book:
        return Book(self.history, ledger(self.history, self.number))


@dataclass(frozen=True, eq=False)
class CriteriaRequest:
    """Compute every criterion of a round whose ledger is there."""

    store: CandidateStore
    book: Book

    def __call__(self, control: TaskControl) -> Book:
        history, number = self.book.history, self.book.ledger.round
        pruning = next(pruning for pruning in history.prunings if pruning.round == number)
        with Workers(cancel=control.cancel) as workers:
            candidates = self.store.candidates(workers, control)
            found = _result(criteria(workers, candidates, history, pruning), control, 0.6, 1.0)
        _ = found.correlations  # ranks of all pieces, which the window only looks up
        return Book(history, self.book.ledger, found)


def _result(stage: Generator[float, None, T], control: TaskControl, first: float, last: float) -> T:
    """Run a stage to its end; what it yields is reported between `first` and `last`."""
    while True:
        try:
            fraction = next(stage)
        except StopIteration as end:
            result: T = end.value
            return result
        control.report(first + (last - first) * fraction)


@dataclass(frozen=True, eq=False)
class FateRequest:
    """Ask when a piece went and why."""

    timeline: Timeline
    text: str

    def __call__(self, control: TaskControl) -> Fate:
        return fate(self.timeline.history, self.timeline.finished, self.text)


@dataclass(frozen=True, eq=False)
class Hurt:
    """The texts that the removal of a piece hurts most, with the piece."""

    piece: str
    corpus: Corpus
    found: HurtTexts


@dataclass(frozen=True, eq=False)
class HurtRequest:
    """Find the texts that lose most without a piece, in the table that a round's pruning met."""

    timeline: Timeline
    corpus: Corpus
    number: int
    piece: str

    def __call__(self, control: TaskControl) -> Hurt:
        moments = self.timeline.moments
        place = max(i for i, moment in enumerate(moments) if moment.round == self.number and moment.kind == "update")
        model = self.timeline.state(place).model
        control.check()
        return Hurt(self.piece, self.corpus, hurt_texts(model, self.piece, self.corpus, cancel=control.cancel))
