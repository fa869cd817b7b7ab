"""Keeps everyone waiting, off the Qt thread, until the engine's kernels are compiled.

The first start on a machine compiles them for some seconds. A child process does that and leaves the machine
code in a cache that this process then reads: compiling here would hold the interpreter lock and freeze the
window. Later starts find the cache filled and wait for nothing.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, QTimer, Signal, Slot

import engine
from engine import warm_up
from unigram_gui.tasks.control import TaskControl

COMPILER = (sys.executable, "-m", "engine.warm_up")
PATIENCE_SECONDS = 0.05
KILL_MILLISECONDS = 2000
LOOK_MILLISECONDS = 500  # between two looks at how far the child is


class KernelGate(QObject):
    """Shut while a child process compiles kernels; workers wait at it.

    Signals
    -------
    opened : the kernels are ready (or the child gave up, and workers compile what they need themselves)
    progressed : `share_compiled` is known anew
    """

    opened = Signal()
    progressed = Signal()

    def __init__(self, parent: QObject | None = None, *, compiler: Sequence[str] = COMPILER) -> None:
        super().__init__(parent)
        self._compiler = compiler
        self._ready = threading.Event()
        self._child: QProcess | None = None
        self._looks = QTimer(self)
        self._looks.setInterval(LOOK_MILLISECONDS)
        self._looks.timeout.connect(self._look)
        self._share = 0.0

    @property
    def is_open(self) -> bool:
        """Whether workers may go on."""
        return self._ready.is_set()

    @property
    def share_compiled(self) -> float:
        """About which share of the kernels was compiled at the last look, 0..1."""
        return self._share

    def start(self) -> None:
        """Open at once if the cache is filled, otherwise start the child that fills it."""
        if warm_up.is_warm():
            self._open()
        elif self._child is None:
            self._start_child()

    def wait(self, control: TaskControl) -> None:
        """Wait until the gate is open (worker thread). Raises `Cancelled` when the task is to stop."""
        while not self._ready.wait(PATIENCE_SECONDS):
            control.check()

    def close(self) -> None:
        """End the child process, if one still runs."""
        self._looks.stop()
        child, self._child = self._child, None
        if child is None:
            return
        if child.state() != QProcess.ProcessState.NotRunning:
            child.kill()
            child.waitForFinished(KILL_MILLISECONDS)

    def _start_child(self) -> None:
        self._child = QProcess(self)
        self._child.setProcessEnvironment(_child_environment())
        self._child.setStandardOutputFile(QProcess.nullDevice())
        self._child.setStandardErrorFile(QProcess.nullDevice())
        self._child.finished.connect(self._on_child_ended)
        self._child.errorOccurred.connect(self._on_child_ended)
        self._child.start(self._compiler[0], list(self._compiler[1:]))
        self._looks.start()

    @Slot()
    def _look(self) -> None:
        self._share = warm_up.share_compiled()
        self.progressed.emit()

    @Slot()
    def _on_child_ended(self) -> None:
        # Also when it failed: slower and less smooth is better than a window that never answers.
        if self._child is not None:
            self._open()

    def _open(self) -> None:
        self._looks.stop()
        if not self._ready.is_set():
            self._ready.set()
            self.opened.emit()


def _child_environment() -> QProcessEnvironment:
    """Return this process's environment, with the folder that holds `engine` on the child's path."""
    environment = QProcessEnvironment.systemEnvironment()
    home = str(Path(engine.__file__).parent.parent)
    others = environment.value("PYTHONPATH")
    environment.insert("PYTHONPATH", home + os.pathsep + others if others else home)
    return environment
