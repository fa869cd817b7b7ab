"""The gate at which work waits on a first start, until a child process has compiled the kernels."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QProcess
from pytestqt.qtbot import QtBot

from engine import warm_up
from tests.helpers.fakes import HeldRequest
from unigram_gui.tasks.kernels import KernelGate
from unigram_gui.tasks.runner import TaskRunner, Worker

SUCCEEDS = (sys.executable, "-c", "")
FAILS = (sys.executable, "-c", "raise SystemExit(3)")
NEVER_ENDS = (sys.executable, "-c", "import time; time.sleep(1000)")
MISSING = ("/no/such/program",)

MakeGate = Callable[[tuple[str, ...]], KernelGate]


@pytest.fixture
def make_gate(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeGate]:
    """Return a maker of gates on a machine where nothing is compiled."""
    monkeypatch.setattr(warm_up, "is_warm", lambda: False)
    gates: list[KernelGate] = []

    def make(compiler: tuple[str, ...]) -> KernelGate:
        gates.append(KernelGate(compiler=compiler))
        return gates[-1]

    yield make
    for gate in gates:
        gate.close()


def test_the_gate_is_open_at_once_where_kernels_are_compiled(
    make_gate: MakeGate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warm_up, "is_warm", lambda: True)
    gate = make_gate(NEVER_ENDS)
    gate.start()
    assert gate.is_open


@pytest.mark.parametrize("compiler", [SUCCEEDS, FAILS, MISSING])
def test_the_gate_opens_when_the_child_has_ended_however(
    qtbot: QtBot, make_gate: MakeGate, compiler: tuple[str, ...]
) -> None:
    gate = make_gate(compiler)
    with qtbot.waitSignal(gate.opened):
        gate.start()
    assert gate.is_open


def test_work_waits_at_the_shut_gate_and_goes_on_when_it_opens(qtbot: QtBot, make_gate: MakeGate) -> None:
    gate, worker = make_gate(SUCCEEDS), Worker("test")
    runner = TaskRunner(worker, gate)
    request = HeldRequest()
    request.released.set()
    runner.start(request)
    assert not request.begun.wait(0.1)
    with qtbot.waitSignal(runner.finished):
        gate.start()
    worker.close()


def test_work_that_waits_can_be_stopped(qtbot: QtBot, make_gate: MakeGate) -> None:
    worker = Worker("test")
    runner = TaskRunner(worker, make_gate(SUCCEEDS))
    runner.start(HeldRequest())
    with qtbot.waitSignal(runner.stopped):
        runner.stop()
    worker.close()


def test_while_the_child_works_its_share_is_told(
    qtbot: QtBot, make_gate: MakeGate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warm_up, "share_compiled", lambda: 0.25)
    gate = make_gate(NEVER_ENDS)
    gate.start()
    qtbot.waitSignal(gate.progressed).wait()
    assert gate.share_compiled == 0.25


def test_closing_ends_the_child(make_gate: MakeGate) -> None:
    gate = make_gate(NEVER_ENDS)
    gate.start()
    child = gate.findChild(QProcess)
    assert child is not None
    assert child.waitForStarted()
    gate.close()
    assert child.state() == QProcess.ProcessState.NotRunning
    assert not gate.is_open
