"""The slow work of looking back at a training, as frozen requests. None of them knows Qt or the session."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from engine.corpus import Corpus
from engine.criteria import Candidates, Criteria, HurtTexts, criteria, find_candidates, hurt_texts
from engine.curves import Curves, PieceCurve, curves, piece_curves, rank_curve
from engine.errors import TextError
from engine.history import TrainingHistory
from engine.lattice import Lattice, Path
from engine.ledger import Fate, Ledger, fate, ledger
from engine.model import UnigramModel
from engine.pieces import PieceType
from engine.shards import Workers, finish, portion
from engine.teaching import Lesson, lesson
from engine.timeline import Timeline, TrainingState, described
from unigram_gui.tasks.control import TaskControl
from unigram_gui.tasks.exploration import Exploration

MOST_TEXTS, MOST_BYTES = 60, 2000  # of a corpus whose sums are told text by text
MOST_KEPT = 100 << 20  # bytes of edges; larger lattices are made anew for each round
MOST_FOLLOWED = 9  # pieces whose curves are drawn where none were named


@dataclass(frozen=True, eq=False)
class StateRequest:
    """Make the table of a moment."""

    timeline: Timeline
    place: int

    def __call__(self, control: TaskControl) -> TrainingState:
        return self.timeline.state(self.place)


@dataclass(frozen=True, eq=False)
class Before:
    """What the paths of a text were worth before training.

    Attributes
    ----------
    seen : what it is about
    shares : of its best paths, parts of P(x) then; 0 where a piece was no candidate
    best : the best path then
    best_share : its part of P(x) then
    best_share_now : and under the vocabulary of `seen`; 0 where a piece is gone
    """

    seen: Exploration
    shares: tuple[float, ...]
    best: Path
    best_share: float
    best_share_now: float


@dataclass(frozen=True, eq=False)
class BeforeRequest:
    """Set the best paths of a text against the table before training."""

    timeline: Timeline
    seen: Exploration

    def __call__(self, control: TaskControl) -> Before:
        now = self.seen.lattice
        then = self.timeline.model_before(self.seen.text).lattice(self.seen.text, cancel=control.cancel)
        best = then.best()
        shares = tuple(_share(then, path) for path in self.seen.n_best)
        return Before(self.seen, shares, best, then.share(best), _share(now, best))


def _share(lattice: Lattice, path: Path) -> float:
    """Return what a path of another lattice of the same text is worth in this one."""
    try:
        return lattice.share(lattice.path_from_cuts(path.starts, path.ends))
    except TextError:  # one of its pieces is not here
        return 0.0


@dataclass(eq=False)
class CandidateStore:
    """The candidates of one training, found once and kept as long as its history is on show, unless they are many."""

    corpus: Corpus
    history: TrainingHistory
    found: Candidates | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def candidates(self, workers: Workers, control: TaskControl) -> Candidates:
        """Return the candidates; the first time they are looked for."""
        with self.lock:
            if self.found is not None:
                return self.found
            found = finish(portion(find_candidates(workers, self.corpus, self.history), 0.0, 0.6), control.report)
            if found.seeds.lattices.edge_piece.nbytes <= MOST_KEPT:
                self.found = found
            return found


@dataclass(frozen=True, eq=False)
class Book:
    """One round of a training as the ledger shows it; the criteria come later, where the corpus is at hand.

    Attributes
    ----------
    order : the rows of the ledger in the order of the decision: gone first, each group by what decided
    """

    history: TrainingHistory
    ledger: Ledger
    order: npt.NDArray[np.int64]
    n_gone: int
    criteria: Criteria | None = None


@dataclass(frozen=True, eq=False)
class LedgerRequest:
    """Make the ledger of a round."""

    history: TrainingHistory
    number: int

    def __call__(self, control: TaskControl) -> Book:
        found = ledger(self.history, self.number)
        control.check()
        return Book(self.history, found, found.order_of_decision(), int(np.count_nonzero(found.is_gone)))


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
            found = finish(portion(criteria(workers, candidates, history, pruning), 0.6, 1.0), control.report)
        _ = found.correlations  # ranks of all pieces, which the window only looks up
        return replace(self.book, criteria=found)


@dataclass(frozen=True, eq=False)
class CurveSet:
    """The curves of a run, with what depends on the moment on show and on the pieces that are followed.

    Attributes
    ----------
    curves : Curves
    place : the moment on show
    ranks : by name, the probabilities of a table, the largest first
    pieces : how the followed pieces moved
    """

    curves: Curves
    place: int
    ranks: tuple[tuple[str, npt.NDArray[np.float64]], ...]
    pieces: tuple[PieceCurve, ...]


@dataclass(frozen=True, eq=False)
class CurvesRequest:
    """Compute the curves of a run; those that are `known` already are not computed again."""

    timeline: Timeline
    place: int
    texts: tuple[str, ...]
    known: Curves | None

    def __call__(self, control: TaskControl) -> CurveSet:
        history, moments = self.timeline.history, self.timeline.moments
        found = curves(history) if self.known is None else self.known
        control.check()
        last = max(i for i, moment in enumerate(moments) if moment.kind != "finished")
        ranks = [
            (described(moments[place]), rank_curve(history, moments[place]))
            for place in sorted({0, min(self.place, last), last})
        ]
        control.check()
        return CurveSet(found, self.place, tuple(ranks), piece_curves(history, self.texts or self._usual_texts()))

    def _usual_texts(self) -> tuple[str, ...]:
        """Name all candidates of a worked example, else the most probable pieces of the finished table."""
        texts = self.timeline.history.piece_texts
        if len(texts) <= MOST_FOLLOWED:
            return tuple(texts)
        table = self.timeline.finished.pieces
        learned = np.flatnonzero(table.types == PieceType.NORMAL)
        best = learned[np.argsort(-table.log_probs[learned], kind="stable")[:MOST_FOLLOWED]]
        return tuple(table.texts[i] for i in best.tolist())


@dataclass(frozen=True, eq=False)
class Taught:
    """A lesson with what it is about: the update, the corpus, the pieces that one can ask for."""

    title: str
    lesson: Lesson
    corpus: Corpus
    m_step: str
    pieces: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class LessonRequest:
    """Walk a piece through the update that made a moment's table, or the one before it; None for a large corpus."""

    timeline: Timeline
    place: int
    corpus: Corpus
    piece: str

    def __call__(self, control: TaskControl) -> Taught | None:
        moments, history = self.timeline.moments, self.timeline.history
        is_small = len(self.corpus) <= MOST_TEXTS and len(self.corpus.utf8) <= MOST_BYTES
        updates = [i for i, moment in enumerate(moments) if moment.kind == "update"]
        if not is_small or not updates:
            return None
        place = max([i for i in updates if i <= self.place] or updates[:1])
        before, after = self.timeline.state(place - 1).model, self.timeline.state(place).model
        control.check()
        pieces = _learned(before)
        piece = self.piece if self.piece in pieces else max(pieces, key=len)
        n_tokens = history.updates[moments[place].place].expected_tokens
        told = lesson(before, after, n_tokens, piece, self.corpus)
        return Taught(described(moments[place]), told, self.corpus, history.spec.m_step, pieces)


def _learned(model: UnigramModel) -> tuple[str, ...]:
    table = model.pieces
    return tuple(table.texts[i] for i in np.flatnonzero(table.types == PieceType.NORMAL).tolist())


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
