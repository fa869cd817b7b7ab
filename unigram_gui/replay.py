"""The part of the session that looks back at a training: the moment on show, playing it, the ledger of a round.

In: wishes of the timeline and of the training's own window. Out: facts as signals. The session tells it of each new
run and corpus; a state that arrives goes to the session, which shows everything else through it.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from engine.corpus import Corpus
from engine.history import TrainingHistory
from engine.ledger import rounds
from engine.model import UnigramModel
from engine.timeline import Timeline, TrainingState
from unigram_gui.tasks.exploration import Exploration
from unigram_gui.tasks.replay import (
    BeforeRequest,
    Book,
    CandidateStore,
    CriteriaRequest,
    CurveSet,
    CurvesRequest,
    FateRequest,
    HurtRequest,
    LedgerRequest,
    LessonRequest,
    StateRequest,
    Taught,
)
from unigram_gui.tasks.runner import TaskRunner
from unigram_gui.tasks.sentences import sentence_of

SPEEDS = (0.5, 1.0, 2.0, 4.0, 8.0)
"""Moments a second that playing can go at."""


class Replay(QObject):
    """A finished training, looked at again.

    Attributes
    ----------
    timeline : the moments of the run, None without a history
    place : the moment on show
    state : the table of that moment, once it is there
    speed : moments a second while it plays
    book : the ledger of the chosen round, with all criteria once they are computed
    followed : the pieces whose curves are drawn
    curve_set : the curves, once somebody looks at them
    """

    timeline_changed = Signal(object)
    before_changed = Signal(object)
    place_changed = Signal(int)
    state_changed = Signal(object)
    playing_changed = Signal(bool)
    book_changed = Signal(object)
    criteria_progressed = Signal(float)
    criteria_failed = Signal(str)
    fate_changed = Signal(object)
    curves_changed = Signal(object)
    lesson_changed = Signal(object)
    hurt_changed = Signal(object)
    failed = Signal(str)

    def __init__(self, make_runner: Callable[..., TaskRunner], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.timeline: Timeline | None = None
        self.place = -1
        self.state: TrainingState | None = None
        self.speed = 1.0
        self.book: Book | None = None
        self._corpus: Corpus | None = None
        self._store: CandidateStore | None = None
        self._is_playing = False
        self.followed: tuple[str, ...] = ()
        self.curve_set: CurveSet | None = None
        self.taught: Taught | None = None
        self._lesson_piece = ""
        self._is_lesson_wanted = self._is_ledger_wanted = self._are_curves_wanted = False
        self._round = -1
        self._seen: Exploration | None = None
        self._weigher = make_runner("aside", lambda _, before: self.before_changed.emit(before), self._task_failed)
        self._stater = make_runner("exploring", self._state_came, self._task_failed)
        self._bookkeeper = make_runner("exploring", self._book_came, self._task_failed)
        self._teller = make_runner("exploring", lambda _, found: self.fate_changed.emit(found), self._task_failed)
        self._calculator = make_runner("corpus", self._criteria_came, self._criteria_refused)
        self._hurter = make_runner("corpus", lambda _, found: self.hurt_changed.emit(found), self._task_failed)
        self._plotter = make_runner("exploring", self._curves_came, self._task_failed)
        self._teacher = make_runner("exploring", self._lesson_came, self._task_failed)
        self._calculator.progressed.connect(lambda _, fraction: self.criteria_progressed.emit(fraction))
        self._ticks = QTimer(self)
        self._ticks.setSingleShot(True)
        self._ticks.timeout.connect(self._play_on)

    # What the session tells.

    def set_run(self, history: TrainingHistory | None, model: UnigramModel | None) -> None:
        """Another vocabulary is current; without a history there is nothing to look back at."""
        self.pause()
        for runner in (
            self._weigher, self._stater, self._bookkeeper, self._calculator, self._teller, self._hurter, self._plotter,
            self._teacher,
        ):  # fmt: skip
            runner.forget()
        self.timeline = Timeline(history, model) if history is not None and model is not None else None
        self.state, self._store = None, None
        self.place = len(self.timeline.moments) - 1 if self.timeline is not None else -1
        self.timeline_changed.emit(self.timeline)
        self.place_changed.emit(self.place)
        self.fate_changed.emit(None)
        self._weigh()
        self._round = rounds(history)[-1] if history is not None and history.prunings else -1
        self._show_book()
        self.followed = ()
        self._curves_came(0, None)
        self._plot()
        self._teach()

    def set_corpus(self, corpus: Corpus | None) -> None:
        """Another corpus is open: whether it is that of the training shows when it is needed."""
        self._corpus, self._store = corpus, None
        self.hurt_changed.emit(None)
        self._teach()
        if self.book is not None and self.book.criteria is None:
            self._calculate()

    def set_exploration(self, seen: Exploration | None) -> None:
        """Another text is on show: its best paths are set against the table before training."""
        self._seen = seen
        self._weigh()

    def _weigh(self) -> None:
        if self.timeline is None or self._seen is None or not self._seen.n_characters:
            self._weigher.forget()
            self.before_changed.emit(None)
            return
        self._weigher.start(BeforeRequest(self.timeline, self._seen))

    # The timeline.

    def go_to(self, place: int) -> None:
        """Show another moment."""
        if self.timeline is None:
            return
        place = min(max(place, 0), len(self.timeline.moments) - 1)
        if place != self.place:
            self.place = place
            self.place_changed.emit(place)
            self._stater.start(StateRequest(self.timeline, place))
            self._plot()
            self._teach()

    def step(self, n: int) -> None:
        """Go on by some moments, or back."""
        self.pause()
        self.go_to(self.place + n)

    def go_to_end(self, *, first: bool) -> None:
        """Go to the table before training, or to the finished one."""
        self.pause()
        self.go_to(0 if first else 1 << 30)

    @Slot(int, object)
    def _state_came(self, _: int, state: TrainingState) -> None:
        self.state = state
        self.state_changed.emit(state)
        if self._is_playing:
            self._ticks.start(round(1000.0 / self.speed))

    # Playing: the next moment is asked for only when this one is shown, so a slow one is never skipped or queued.

    @property
    def is_playing(self) -> bool:
        """Whether moments go by on their own."""
        return self._is_playing

    def play(self) -> None:
        """Play from here on; from the end, play it all again."""
        if self.timeline is None or self._is_playing:
            return
        self._set_playing(True)
        if self.place == len(self.timeline.moments) - 1:
            self.go_to(0)
        else:
            self._play_on()

    def pause(self) -> None:
        """Stop playing; what is shown stays."""
        self._ticks.stop()
        self._set_playing(False)

    def toggle_playing(self) -> None:
        """Play, or pause."""
        if self._is_playing:
            self.pause()
        else:
            self.play()

    def set_speed(self, speed: float) -> None:
        """Play at so many moments a second."""
        self.speed = speed

    def _set_playing(self, is_playing: bool) -> None:
        if is_playing != self._is_playing:
            self._is_playing = is_playing
            self.playing_changed.emit(is_playing)

    @Slot()
    def _play_on(self) -> None:
        assert self.timeline is not None
        if self.place >= len(self.timeline.moments) - 1:
            self.pause()
        else:
            self.go_to(self.place + 1)

    # The curves.

    def want_curves(self) -> None:
        """Somebody looks at the curves from now on: before that, none are made."""
        if not self._are_curves_wanted:
            self._are_curves_wanted = True
            self._plot()

    def follow(self, words: str) -> None:
        """Draw how these pieces moved, parted by spaces; without any, those that are usual."""
        self.followed = tuple(dict.fromkeys(word.replace("␣", "▁") for word in words.replace(",", " ").split()))
        self._plot()

    def _plot(self) -> None:
        if self.timeline is None or not self._are_curves_wanted:
            return
        known = self.curve_set.curves if self.curve_set is not None else None
        self._plotter.start(CurvesRequest(self.timeline, self.place, self.followed, known))

    @Slot(int, object)
    def _curves_came(self, _: int, found: CurveSet | None) -> None:
        self.curve_set = found
        self.curves_changed.emit(found)

    # The lesson.

    def want_lesson(self) -> None:
        """Somebody looks at the sums from now on: before that, none are told."""
        if not self._is_lesson_wanted:
            self._is_lesson_wanted = True
            self._teach()

    def teach(self, piece: str) -> None:
        """Tell the sums of another piece."""
        self._lesson_piece = piece
        self._teach()

    def _teach(self) -> None:
        if not self._is_lesson_wanted:
            return
        if self.timeline is None or self._corpus is None:
            self._teacher.forget()
            self._lesson_came(0, None)
            return
        self._teacher.start(LessonRequest(self.timeline, self.place, self._corpus, self._lesson_piece))

    @Slot(int, object)
    def _lesson_came(self, _: int, taught: Taught | None) -> None:
        self.taught = taught
        self.lesson_changed.emit(taught)

    # The ledger.

    def want_ledger(self) -> None:
        """Somebody looks at the ledger from now on: before that, none is made."""
        if not self._is_ledger_wanted:
            self._is_ledger_wanted = True
            self._show_book()

    def choose_round(self, number: int) -> None:
        """Show the ledger of another round."""
        if self.timeline is not None and number in rounds(self.timeline.history) and number != self._round:
            self._round = number
            self._show_book()

    def _show_book(self) -> None:
        self._calculator.forget()
        self.hurt_changed.emit(None)
        if self.timeline is None or self._round < 0:
            self._set_book(None)
        elif self._is_ledger_wanted:
            self._bookkeeper.start(LedgerRequest(self.timeline.history, self._round))

    def _set_book(self, book: Book | None) -> None:
        self.book = book
        self.book_changed.emit(book)

    @Slot(int, object)
    def _book_came(self, _: int, book: Book) -> None:
        self._set_book(book)
        self._calculate()

    def _calculate(self) -> None:
        """Compute the criteria that did not decide, where a corpus is open."""
        assert self.book is not None
        if self._corpus is None:
            self.criteria_failed.emit(f"Open {self.book.history.corpus_name} to see the other criteria.")
            return
        if self._store is None:
            self._store = CandidateStore(self._corpus, self.book.history)
        self._calculator.start(CriteriaRequest(self._store, self.book))

    @Slot(int, object)
    def _criteria_came(self, _: int, book: Book) -> None:
        self._set_book(book)

    @Slot(int, object)
    def _criteria_refused(self, _: int, error: BaseException) -> None:
        self.criteria_failed.emit(sentence_of(error))

    def ask_fate(self, text: str) -> None:
        """Ask when a piece went and why; nothing typed is no question."""
        if self.timeline is None or not text:
            self._teller.forget()
            self.fate_changed.emit(None)
            return
        self._teller.start(FateRequest(self.timeline, text))

    def ask_hurt(self, piece: str) -> None:
        """Ask which texts lose most without a piece."""
        if self.timeline is None or self.book is None or self._corpus is None:
            return
        self._hurter.start(HurtRequest(self.timeline, self._corpus, self.book.ledger.round, piece))

    @Slot(int, object)
    def _task_failed(self, _: int, error: BaseException) -> None:
        self.failed.emit(sentence_of(error))

