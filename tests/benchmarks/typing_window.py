"""A window that is typed into, with a clock from the key event to the end of the paint that answers it."""

from __future__ import annotations

import itertools
import time
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QEventLoop, Qt, QTimer
from PySide6.QtGui import QPaintEvent
from PySide6.QtTest import QTest

from engine.model import UnigramModel
from engine.normalizer import NormalizerSpec
from engine.pieces import PieceTable
from tests.benchmarks.responsiveness import waited_for_processor
from unigram_gui import assets, command_line
from unigram_gui.app import make_application
from unigram_gui.main_window import MainWindow
from unigram_gui.session import Session
from unigram_gui.settings import Settings
from unigram_gui.views.lattice.view import LatticeView
from unigram_gui.views.segmentation import SegmentationView
from unigram_gui.views.sheet import Sheet

PROSE = (
    "The explorer draws every way to cut unbelievably long words, and the headmaster was unable to understand why the "
    "children of the whole neighbourhood kept on asking for another story about tokenizers, unigrams and lattices. "
)
BETWEEN_KEYS_MS = 60
PATIENCE_MS = 5000
SCROLL_FRAMES = 120


class TypingWindow:
    """Types, scrolls and pastes, and tells how long each took, in milliseconds."""

    def __init__(self) -> None:
        self.app = make_application(command_line.Options(exit=True))
        assets.load_fonts()
        self.session = Session()
        self.window = MainWindow(self.session, Settings(remember=False), "light")
        self.window.show()
        self._wanted, self._painted_at = "", 0.0
        self._painted: set[Any] = set()
        self._loop = QEventLoop()
        self._patience = QTimer(singleShot=True)
        self._patience.timeout.connect(self._loop.quit)
        # Milliseconds that the Qt thread itself worked, and waited for a processor that had other work; a key each.
        self.cpu: list[float] = []
        self.waits: list[float] = []
        self._model: UnigramModel | None = None
        self._trains = False
        self._watch_paints()
        self.session.start()
        self._wait(lambda: self.session.gate.is_open)

    def _watch_paints(self) -> None:
        """Note when chips, lattice and best paths have all painted the text that is waited for."""
        for kind in (SegmentationView, LatticeView, Sheet):
            self._watch(kind)

    def _watch(self, kind: Any) -> None:
        paint, me = kind.paintEvent, self

        def watched(view: Any, event: QPaintEvent) -> None:
            paint(view, event)
            seen = me.session.exploration
            if seen is not None and seen.text == me._wanted:
                me._painted.add(kind)
                if len(me._painted) == 3:
                    me._painted_at = time.perf_counter()
                    me._wanted = ""
                    me._loop.quit()

        kind.paintEvent = watched

    def take(self, model: UnigramModel) -> None:
        """Make a model the current vocabulary and wait until all is quiet."""
        self._model = model
        self.session.set_text("")
        self.session._take_model(model, None, None)
        self._settle()

    def begin_training(self, corpus: Path) -> None:
        """Open a corpus and train on it, again and again until `end_training`."""
        self.session.open_files([corpus])
        self._settle()
        self.session.train()
        self._trains = True

    def _train_again(self, text: str) -> None:
        """Where the training has ended, begin another one, with vocabulary and text as they were."""
        assert self._model is not None
        if self._trains and not self.session.is_training:
            self.take(self._model)
            self.session.train()
            self._show(text)

    def end_training(self) -> None:
        """Stop the training."""
        self._trains = False
        self.session.stop()
        self._wait(lambda: not self.session.is_training)
        self._settle()

    def measure_keys(self, n_keys: int) -> tuple[float, ...]:
        """Type on behind 200 characters, one key after the other, taking each back again.

        While training, as many more keys as it takes to have `n_keys` that were pressed while one ran.
        """
        field, base = self.window.text_input, (PROSE * 2)[:200]
        self._show(base)
        field.setFocus()
        letters = itertools.cycle("etaoin shrdlu")
        times: list[float] = []
        self.cpu, self.waits = [], []
        for i in itertools.count():
            if len(times) == n_keys:
                return tuple(times)
            letter = next(letters) if i % 2 == 0 else ""
            if letter:
                self._train_again(base)
            counts = self.session.is_training or not self._trains
            elapsed, cpu, wait = self._measure(base + letter, letter)
            if counts:
                times.append(elapsed)
                self.cpu.append(cpu)
                self.waits.append(wait)
            self._idle(BETWEEN_KEYS_MS)
        raise AssertionError("keys without end")

    def _measure(self, text: str, letter: str) -> tuple[float, float, float]:
        """Press a key; return the time until its answer is painted, the Qt thread's work and its wait, milliseconds."""
        self._wanted = text
        self._painted.clear()
        began, cpu, wait = time.perf_counter(), time.thread_time(), waited_for_processor()
        if letter:
            QTest.keyClick(self.window.text_input, letter)  # type: ignore[call-overload]
        else:
            QTest.keyClick(self.window.text_input, Qt.Key.Key_Backspace)
        if self._wanted:
            self._patience.start(PATIENCE_MS)
            self._loop.exec()
            self._patience.stop()
        assert not self._wanted, "the answer was not painted in time"
        parts = self._painted_at - began, time.thread_time() - cpu, waited_for_processor() - wait
        return parts[0] * 1000.0, parts[1] * 1000.0, parts[2] * 1000.0

    def measure_scrolling(self, length: int, *, wrap: bool = False) -> tuple[float, ...]:
        """Scroll over a long text and paint each place."""
        view = self.window.lattice.view
        self.window.lattice.set_wrap(wrap)
        self._show((PROSE * (length // len(PROSE) + 1))[:length])
        bar = view.verticalScrollBar() if wrap else view.horizontalScrollBar()
        times = []
        for place in np.linspace(0, bar.maximum(), SCROLL_FRAMES).astype(int).tolist():
            began = time.perf_counter()
            bar.setValue(place)
            view.viewport().repaint()
            times.append((time.perf_counter() - began) * 1000.0)
        self.window.lattice.set_wrap(False)
        return tuple(times)

    def measure_paste(self, length: int) -> tuple[float, ...]:
        """Paste a very long text, type on at once, and tell how late a 10 ms pulse came, worst first."""
        ticks: list[float] = []
        pulse = QTimer()
        pulse.setTimerType(Qt.TimerType.PreciseTimer)
        pulse.setInterval(10)
        pulse.timeout.connect(lambda: ticks.append(time.perf_counter()))
        pulse.start()
        text = (PROSE * (length // len(PROSE) + 1))[:length]
        self.window.text_input.setText(text)
        self._idle(100)
        QTest.keyClick(self.window.text_input, "x")  # type: ignore[call-overload]
        self._wait(lambda: self.window.lattice.view.exploration is not None and not self.session.is_busy)
        assert self.window.lattice.view.exploration is not None
        assert self.window.lattice.view.exploration.text == text + "x"
        pulse.stop()
        late = np.maximum(np.diff(ticks) * 1000.0 - 10.0, 0.0)
        return (float(late.max()),)

    def close(self) -> None:
        """Close the window."""
        self.window.close()

    def _show(self, text: str) -> None:
        self.window.text_input.setText(text)
        self._settle()

    def _settle(self) -> None:
        self._wait(lambda: not self.session.is_busy or self.session.is_training)
        self._idle(200)

    def _idle(self, milliseconds: int) -> None:
        loop = QEventLoop()
        QTimer.singleShot(milliseconds, loop.quit)
        loop.exec()

    def _wait(self, is_true: Any) -> None:
        while not is_true():
            self._idle(5)


def large_model(n_pieces: int) -> UnigramModel:
    """Return a made-up vocabulary of that size whose pieces are parts of words, as a trained one's are."""
    rng = np.random.default_rng(1)
    words = PROSE.replace(".", "").replace(",", "").split()
    texts = dict.fromkeys([chr(i) for i in range(33, 127)] + ["\u2581"])
    for word in words:
        marked = f"\u2581{word}"
        texts.update(dict.fromkeys(marked[i:j] for i in range(len(marked)) for j in range(i + 1, len(marked) + 1)))
    letters = list("etaoinshrdlcumwfgypbvk")
    while len(texts) < n_pieces - 1:
        size = int(rng.integers(3, 10))
        texts["".join(rng.choice(letters, size))] = None
    rows = [("<unk>", 0.0, 2), *((text, -8.0 - 0.3 * len(text) ** 0.5 - rng.random(), 1) for text in texts)]
    return UnigramModel(PieceTable.from_rows(rows), NormalizerSpec(), name="made up")
