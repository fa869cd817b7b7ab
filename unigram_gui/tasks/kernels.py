"""Keeps everyone waiting, off the Qt thread, until the engine's kernels are compiled.

The first start on a machine compiles them for a minute or so. Child processes do that and leave the machine code in a
cache that this process then reads: compiling here would hold the interpreter lock and freeze the window. With more than
one processor two of them compile a part each, side by side, and a third what is left; only that one says that all is
there. Later starts find the cache filled and wait for nothing.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, QTimer, Signal, Slot

import engine
from engine import warm_up
from unigram_gui.tasks.control import TaskControl

Command = Sequence[str]
WHOLE = (sys.executable, "-m", "engine.warm_up")
PARTS = tuple((*WHOLE, part) for part in warm_up.PARTS)
PATIENCE_SECONDS = 0.05
KILL_MILLISECONDS = 2000
LOOK_MILLISECONDS = 500  # between two looks at how far the child is


class KernelGate(QObject):
    """Shut while child processes compile kernels; workers wait at it.

    `rounds` are run one after the other, the commands of a round side by side; None: as suits the machine.

    Signals
    -------
    opened : the kernels are ready (or the children gave up, and workers compile what they need themselves)
    progressed : `share_compiled` is known anew
    """

    opened = Signal()
    progressed = Signal()

    def __init__(self, parent: QObject | None = None, *, rounds: Sequence[Sequence[Command]] | None = None) -> None:
        super().__init__(parent)
        self._rounds = list(rounds_for(os.cpu_count() or 1) if rounds is None else rounds)
        self._ready = threading.Event()
        self._children: list[QProcess] = []
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
        """Open at once if the cache is filled, otherwise start the children that fill it."""
        if warm_up.is_warm():
            self._open()
        elif not self._children:
            self._start_round()

    def wait(self, control: TaskControl) -> None:
        """Wait until the gate is open (worker thread). Raises `Cancelled` when the task is to stop."""
        while not self._ready.wait(PATIENCE_SECONDS):
            control.check()

    def close(self) -> None:
        """End the child processes that still run."""
        self._looks.stop()
        children, self._children = self._children, []
        for child in children:
            if child.state() != QProcess.ProcessState.NotRunning:
                child.kill()
        for child in children:
            child.waitForFinished(KILL_MILLISECONDS)

    def _start_round(self) -> None:
        """Start the children of the next round; without one the kernels are as ready as they will be."""
        if not self._rounds:
            self._open()
            return
        commands = self._rounds.pop(0)
        self._children = [self._new_child() for _ in commands]
        self._looks.start()
        for child, command in zip(tuple(self._children), commands, strict=True):
            child.start(command[0], list(command[1:]))

    def _new_child(self) -> QProcess:
        child = QProcess(self)
        child.setProcessEnvironment(_child_environment())
        child.setStandardOutputFile(QProcess.nullDevice())
        child.setStandardErrorFile(QProcess.nullDevice())
        child.finished.connect(partial(self._child_ended, child))
        child.errorOccurred.connect(partial(self._child_ended, child))
        return child

    @Slot()
    def _look(self) -> None:
        self._share = warm_up.share_compiled()
        self.progressed.emit()

    def _child_ended(self, child: QProcess, *_: object) -> None:
        # Also when it failed: slower and less smooth is better than a window that never answers.
        if child in self._children and child.state() == QProcess.ProcessState.NotRunning:
            self._children.remove(child)
            if not self._children:
                self._start_round()

    def _open(self) -> None:
        self._looks.stop()
        if not self._ready.is_set():
            self._ready.set()
            self.opened.emit()


def rounds_for(n_processors: int) -> tuple[tuple[Command, ...], ...]:
    """Return what to run on a machine of so many processors."""
    return (PARTS, (WHOLE,)) if n_processors > 1 else ((WHOLE,),)


def _child_environment() -> QProcessEnvironment:
    """Return this process's environment, with the folder that holds `engine` on the child's path."""
    environment = QProcessEnvironment.systemEnvironment()
    home = str(Path(engine.__file__).parent.parent)
    others = environment.value("PYTHONPATH")
    environment.insert("PYTHONPATH", home + os.pathsep + others if others else home)
    return environment
