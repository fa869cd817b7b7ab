"""Does the steps of a command line one after the other, each when the one before has been answered.

The same wishes to the same session as a person's clicks: nothing here can do what the window cannot.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from engine.corpus import Corpus
from unigram_gui.command_line import Options, complain
from unigram_gui.main_window import MainWindow
from unigram_gui.session import Session
from unigram_gui.status import skipped_sentence

Step = Callable[[], None]


class Errand(QObject):
    """Runs the steps of `options`; the first failure ends it.

    Signals
    -------
    ended : exit code, 0 when every step succeeded and 1 otherwise

    Attributes
    ----------
    is_broken_off : whether the window was closed before all steps were done
    code : the exit code, 1 until every step has succeeded
    """

    ended = Signal(int)

    def __init__(self, session: Session, window: MainWindow, options: Options) -> None:
        super().__init__(window)
        self._session = session
        self._steps = deque(steps_of(session, window, options))
        self._waits = False
        self._has_failed = False
        self.is_broken_off = False
        self.code = 1
        session.failed.connect(self._note_failure)
        session.remarked.connect(complain)
        session.became_idle.connect(self._go_on)
        session.corpus_changed.connect(self._tell_skipped)
        window.closing.connect(self._break_off)

    @Slot()
    def start(self) -> None:
        """Do the first step, once the event loop runs: an end before that would not be heard."""
        QTimer.singleShot(0, self._next)

    def _next(self) -> None:
        if self._has_failed or not self._steps:
            self._end()
            return
        try:
            self._steps.popleft()()
        finally:  # also after a bug in a step, which must end the errand and not leave it waiting
            self._waits = True
            if not self._session.is_busy:
                QTimer.singleShot(0, self._go_on)

    @Slot()
    def _go_on(self) -> None:
        if self._waits:
            self._waits = False
            self._next()

    @Slot(str)
    def _note_failure(self, sentence: str) -> None:
        self._has_failed = True
        complain(sentence)

    @Slot(object)
    def _tell_skipped(self, corpus: Corpus) -> None:
        """Skipped lines are no failure, but nobody may be there to see them in the window."""
        if corpus.n_skipped:
            complain(skipped_sentence(corpus))

    @Slot()
    def _break_off(self) -> None:
        """The window closes: what is not done will not be done."""
        if self._steps or self._waits:
            self._stop_listening()
            self._steps.clear()
            self._waits = False
            self.is_broken_off = True
            complain("The window was closed before all steps of the command line were done.")

    def _stop_listening(self) -> None:
        self._session.failed.disconnect(self._note_failure)
        self._session.remarked.disconnect(complain)
        self._session.became_idle.disconnect(self._go_on)
        self._session.corpus_changed.disconnect(self._tell_skipped)

    def _end(self) -> None:
        self._stop_listening()
        self._steps.clear()  # a failure ends the errand: what was left is no step that the window breaks off
        self.code = 1 if self._has_failed else 0
        self.ended.emit(self.code)


def steps_of(session: Session, window: MainWindow, options: Options) -> list[Step]:
    """Return what the command line asks for, in the order a person would do it."""
    steps: list[Step] = []
    if options.sample is not None:
        steps.append(partial(window.documents.open_sample, options.sample))
    if options.files or options.model is not None:
        steps.append(partial(session.open_files, options.files, options.model))
    if options.preset is not None:
        steps.append(partial(session.choose_preset, options.preset))
    steps += [partial(session.set_setting, name, value) for name, value in options.settings.items()]
    if options.train:
        steps.append(session.train)
    if options.text is not None:
        steps.append(partial(session.set_text, options.text))
    steps += [partial(session.save_model, path) for path in options.save]
    if options.encode is not None and options.output is not None:
        steps.append(partial(session.encode_file, options.encode, options.format, options.output))
    if options.parity is not None:
        steps.append(partial(session.parity.compare, options.parity))
    if options.screenshot is not None:
        steps.append(partial(window.pictures.save, "window", options.screenshot))
    return steps
