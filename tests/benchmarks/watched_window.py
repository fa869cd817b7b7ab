"""The window with a timer beside it that notes when it ticks. Imported late, once the environment is set."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PySide6.QtCore import QEventLoop, Qt, QTimer

from tests.benchmarks.responsiveness import INTERVAL_MS, Lateness, lateness, waited_for_processor
from unigram_gui import assets, command_line
from unigram_gui.app import make_application, settle
from unigram_gui.main_window import MainWindow
from unigram_gui.session import Session
from unigram_gui.settings import Settings

TYPED = "I was unable to understand the headmaster of the school "
KEY_MS = 80
AFTERWARDS_MS = 8000


class WatchedWindow:
    """Opens a window, puts it into a state, and watches the Qt thread's timer meanwhile."""

    def __init__(self) -> None:
        self.app = make_application(command_line.Options(exit=True))
        assets.load_fonts()
        self.session = Session()
        self.window = MainWindow(self.session, Settings(remember=False), "light")
        self.window.show()
        settle()

    def watch_first_start(self) -> Lateness:
        """Watch from the start of the session, the window being there, until its kernels are compiled."""
        for _ in range(5):
            self.app.processEvents()
        return self._watch("first start, compiling", self.session.start, self.session.kernels_ready)

    def watch_idle(self, seconds: float) -> Lateness:
        """Watch the window doing nothing."""
        self.session.start()
        return self._watch("idle", lambda: None, None, seconds)

    def open(self, path: Path) -> None:
        """Open a corpus, unwatched."""
        loop = QEventLoop()
        self.session.became_idle.connect(loop.quit)
        self.session.open_files([path])
        loop.exec()
        self.session.became_idle.disconnect(loop.quit)

    def watch_training(self, state: str, seconds: float, *, typing: bool) -> Lateness:
        """Watch a training for some seconds, with or without a person who types, then stop it."""
        keys = self._typist()
        if typing:
            keys.start()
        late = self._watch(state, self.session.train, self.session.training_finished, seconds)
        keys.stop()
        self._stop()
        return late

    def watch_whole_run(self, vocab_size: int) -> tuple[Lateness, list[Lateness]]:
        """Watch a training, and somebody who types, until its result is on show; return the whole and its phases."""
        phases: list[tuple[float, str]] = [(time.perf_counter(), "begin")]
        keys = self._typist()
        loop = QEventLoop()

        def note(phase: str) -> None:
            phases.append((time.perf_counter(), phase))

        def show_result() -> None:
            keys.stop()
            note("the result is shown")
            QTimer.singleShot(AFTERWARDS_MS, loop.quit)

        ticks, timer = self._ticking()
        self.session.set_setting("vocab_size", vocab_size)
        self.session.training_progressed.connect(lambda step: note(step.phase))
        self.session.training_finished.connect(show_result)
        keys.start()
        timer.start()
        self.session.train()
        loop.exec()
        timer.stop()
        whole = lateness(f"a whole run to {vocab_size:,}", ticks)
        began, names = zip(*phases, strict=True)
        times = [time for time, _ in ticks[:-1]]
        at = np.array([names[i] for i in np.searchsorted(began, times, side="right") - 1])
        phases_met = dict.fromkeys(at.tolist())
        found = [Lateness(name, whole.late[at == name], whole.waited[at == name]) for name in phases_met]
        return whole, found

    def _typist(self) -> QTimer:
        keys = QTimer()
        keys.setInterval(KEY_MS)
        texts = itertools.cycle(TYPED[: i + 1] for i in range(len(TYPED)))
        keys.timeout.connect(lambda: self.window.text_input.setText(next(texts)))
        return keys

    def measure_stop(self) -> float:
        """Return the longest time in milliseconds from Stop until the training has ended, over some moments."""
        times = []
        for seconds in (0.3, 1.0, 2.0, 4.0):
            self._watch("", self.session.train, self.session.training_finished, seconds)
            times.append(self._stop())
        return max(times)

    def close(self) -> None:
        """Close the window."""
        self.window.close()

    def _stop(self) -> float:
        loop = QEventLoop()
        self.session.training_stopped.connect(loop.quit)
        began = time.perf_counter()
        self.session.stop()
        if self.session.is_training:
            loop.exec()
        self.session.training_stopped.disconnect(loop.quit)
        return (time.perf_counter() - began) * 1000.0

    def _watch(self, state: str, begin: Callable[[], None], ended: object, seconds: float = 0.0) -> Lateness:
        loop = QEventLoop()
        ticks, timer = self._ticking()
        if ended is not None:
            ended.connect(loop.quit)  # type: ignore[attr-defined]
        if seconds:
            QTimer.singleShot(int(seconds * 1000), loop.quit)
        timer.start()
        begin()
        loop.exec()
        timer.stop()
        if ended is not None:
            ended.disconnect(loop.quit)  # type: ignore[attr-defined]
        return lateness(state, ticks)

    def _ticking(self) -> tuple[list[tuple[float, float]], QTimer]:
        """Return a timer, and the times at which it will have ticked, each with the wait for a processor until then."""
        ticks: list[tuple[float, float]] = []
        timer = QTimer()
        timer.setTimerType(Qt.TimerType.PreciseTimer)
        timer.setInterval(INTERVAL_MS)
        timer.timeout.connect(lambda: ticks.append((time.perf_counter(), waited_for_processor())))
        return ticks, timer
