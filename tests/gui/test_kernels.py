"""The gate at which work waits on a first start, until a child process has compiled the kernels."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QProcess
from pytestqt.qtbot import QtBot

from engine import UnigramModel, warm_up
from tests.helpers.fakes import HeldRequest
from unigram_gui.main_window import MainWindow
from unigram_gui.session import Session
from unigram_gui.settings import Settings
from unigram_gui.tasks import kernels
from unigram_gui.tasks.kernels import WHOLE, KernelGate, rounds_for
from unigram_gui.tasks.runner import TaskRunner, Worker

SUCCEEDS = (sys.executable, "-c", "")
FAILS = (sys.executable, "-c", "raise SystemExit(3)")
NEVER_ENDS = (sys.executable, "-c", "import time; time.sleep(1000)")
MISSING = ("/no/such/program",)

MakeGate = Callable[..., KernelGate]


@pytest.fixture
def make_gate(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeGate]:
    """Return a maker of gates on a machine where nothing is compiled."""
    monkeypatch.setattr(warm_up, "is_warm", lambda: False)
    gates: list[KernelGate] = []

    def make(*rounds: tuple[tuple[str, ...], ...]) -> KernelGate:
        gates.append(KernelGate(rounds=rounds))
        return gates[-1]

    yield make
    for gate in gates:
        gate.close()


def test_the_gate_is_open_at_once_where_kernels_are_compiled(
    make_gate: MakeGate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warm_up, "is_warm", lambda: True)
    gate = make_gate((NEVER_ENDS,))
    gate.start()
    assert gate.is_open


@pytest.mark.parametrize("compiler", [SUCCEEDS, FAILS, MISSING])
def test_the_gate_opens_when_the_child_has_ended_however(
    qtbot: QtBot, make_gate: MakeGate, compiler: tuple[str, ...]
) -> None:
    gate = make_gate((compiler,))
    with qtbot.waitSignal(gate.opened):
        gate.start()
    assert gate.is_open


def test_work_waits_at_the_shut_gate_and_goes_on_when_it_opens(qtbot: QtBot, make_gate: MakeGate) -> None:
    gate, worker = make_gate((SUCCEEDS,)), Worker("test")
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
    runner = TaskRunner(worker, make_gate((SUCCEEDS,)))
    runner.start(HeldRequest())
    with qtbot.waitSignal(runner.stopped):
        runner.stop()
    worker.close()


def test_while_the_child_works_its_share_is_told(
    qtbot: QtBot, make_gate: MakeGate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warm_up, "share_compiled", lambda: 0.25)
    gate = make_gate((NEVER_ENDS,))
    gate.start()
    qtbot.waitSignal(gate.progressed).wait()
    assert gate.share_compiled == 0.25


def test_closing_ends_the_child(make_gate: MakeGate) -> None:
    gate = make_gate((NEVER_ENDS,))
    gate.start()
    child = gate.findChild(QProcess)
    assert child is not None
    assert child.waitForStarted()
    gate.close()
    assert child.state() == QProcess.ProcessState.NotRunning
    assert not gate.is_open


# Two processors.


def appends(path: Path, text: str) -> tuple[str, ...]:
    return (sys.executable, "-c", f"open({str(path)!r}, 'a').write({text!r})")


def test_the_children_of_a_round_run_side_by_side_and_the_next_round_after_all_of_them(
    qtbot: QtBot, make_gate: MakeGate, tmp_path: Path
) -> None:
    meets = "import pathlib, sys, time; mine, other = map(pathlib.Path, sys.argv[1:]); mine.touch()\n"
    meets += "while not other.exists(): time.sleep(0.01)"
    paths = str(tmp_path / "a"), str(tmp_path / "b")
    pair = tuple((sys.executable, "-c", meets, *names) for names in (paths, paths[::-1]))
    checks = f"import pathlib, sys; all(map(pathlib.Path.exists, map(pathlib.Path, {paths!r}))) or sys.exit(1)"
    last = (sys.executable, "-c", f"{checks}; open({str(tmp_path / 'last')!r}, 'w')")
    gate = make_gate(pair, (last,))
    with qtbot.waitSignal(gate.opened, timeout=20_000):
        gate.start()
    assert (tmp_path / "last").exists()


def test_a_part_that_fails_leaves_its_kernels_to_the_last_round(
    qtbot: QtBot, make_gate: MakeGate, tmp_path: Path
) -> None:
    gate = make_gate((FAILS, MISSING), (appends(tmp_path / "log", "x"),))
    with qtbot.waitSignal(gate.opened, timeout=20_000):
        gate.start()
    assert (tmp_path / "log").read_text() == "x"


def test_closing_ends_all_children_of_a_round(make_gate: MakeGate) -> None:
    gate = make_gate((NEVER_ENDS, NEVER_ENDS), (SUCCEEDS,))
    gate.start()
    children = gate.findChildren(QProcess)
    assert len(children) == 2
    assert all(child.waitForStarted() for child in children)
    gate.close()
    assert [child.state() for child in children] == [QProcess.ProcessState.NotRunning] * 2
    assert not gate.is_open
    assert len(gate.findChildren(QProcess)) == 2


def test_one_processor_compiles_all_in_one_child_and_two_share_the_parts() -> None:
    assert rounds_for(1) == ((WHOLE,),)
    parts, last = rounds_for(2)
    assert [command[-1] for command in parts] == list(warm_up.PARTS)
    assert last == (WHOLE,)


# What is asked for meanwhile.


def test_what_will_be_opened_is_said_and_opened_when_the_kernels_are_ready(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels, "rounds_for", lambda _: ((NEVER_ENDS,),))
    session = Session()
    window = MainWindow(session, Settings(remember=False), "light")
    qtbot.addWidget(window, before_close_func=MainWindow.end)
    monkeypatch.setattr(warm_up, "is_warm", lambda: False)
    session.start()
    assert window.corpus.note.toolTip() == "none open"
    window.documents.open_sample("abc")
    assert window.corpus.note.toolTip() == "waiting to open abc.tsv"
    assert window.corpus.table.accessibleDescription().startswith("Once the kernels are compiled, this opens: abc.tsv.")
    child = session.gate.findChild(QProcess)
    assert child is not None
    assert child.waitForStarted()
    child.kill()
    qtbot.waitUntil(lambda: session.corpus is not None, timeout=20_000)
    assert window.corpus.note.toolTip().startswith("abc.tsv · 8 texts")


def test_what_cannot_be_opened_is_awaited_no_more(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(kernels, "rounds_for", lambda _: ((SUCCEEDS,),))
    session = Session()
    window = MainWindow(session, Settings(remember=False), "light")
    qtbot.addWidget(window, before_close_func=MainWindow.end)
    monkeypatch.setattr(warm_up, "is_warm", lambda: False)
    session.open_files([tmp_path / "a.txt", tmp_path / "b.txt"])
    assert window.corpus.note.toolTip() == "waiting to open 2 files"
    session.start()
    qtbot.waitUntil(lambda: not session.is_busy, timeout=20_000)
    assert window.corpus.note.toolTip() == "none open"
    assert window.strip.label.text() != ""


def test_a_corpus_and_a_vocabulary_that_wait_are_both_opened(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The newest wish wins among those of one kind only, however they were asked for."""
    for name in ("first", "second", "third"):
        UnigramModel.from_probabilities({"a": 0.5, name: 0.5}).save(tmp_path / f"{name}.model")
    (tmp_path / "old.txt").write_text("old", encoding="utf-8")
    monkeypatch.setattr(kernels, "rounds_for", lambda _: ((SUCCEEDS,),))
    for wishes, opened in (
        (((["old.txt"], None), ([], "first.model"), ([], "second.model"), (["new.txt"], None)), "second"),
        (((["old.txt"], "first.model"), (["new.txt"], None)), "first"),
        (((["old.txt", "first.model"], None), (["new.txt"], None), (["third.model"], None)), "third"),
        ((([], "first.model"), (["new.txt", "third.model"], None)), "third"),
    ):
        (tmp_path / "new.txt").write_text("new", encoding="utf-8")
        session = Session()
        window = MainWindow(session, Settings(remember=False), "light")
        qtbot.addWidget(window, before_close_func=MainWindow.end)
        monkeypatch.setattr(warm_up, "is_warm", lambda: False)
        for texts, vocabulary in wishes:
            session.open_files([tmp_path / name for name in texts], vocabulary and tmp_path / vocabulary)
        assert window.corpus.note.toolTip() in ("waiting to open old.txt", "waiting to open new.txt")
        assert window.vocabulary.note.toolTip() == f"waiting to open {opened}.model"
        with qtbot.waitSignal(session.became_idle, timeout=20_000):
            session.start()
        assert session.corpus is not None
        assert session.corpus.name == "new.txt"
        assert session.model is not None
        assert opened in session.model.pieces.texts
        window.end()
