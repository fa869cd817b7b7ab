"""Requests and answers across threads: newest wins, stale answers are dropped, nothing is left running."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from engine.errors import EngineError
from tests.helpers.fakes import HeldRequest, StubbornRequest, failing
from unigram_gui.tasks.runner import JobRunner, TaskRunner, Worker


@pytest.fixture
def worker() -> Iterator[Worker]:
    worker = Worker("test")
    yield worker
    worker.close()


@pytest.fixture
def runner(qtbot: QtBot, worker: Worker) -> Iterator[TaskRunner]:
    runner = TaskRunner(worker)
    yield runner
    runner.forget()


@pytest.fixture
def job_runner(qtbot: QtBot) -> Iterator[JobRunner]:
    runner = JobRunner()
    yield runner
    runner.forget()
    runner.close()


def test_an_answer_arrives_with_the_id_of_its_request(qtbot: QtBot, runner: TaskRunner) -> None:
    request = HeldRequest(answer=42)
    request.released.set()
    with qtbot.waitSignal(runner.finished) as arrived:
        request_id = runner.start(request)
    assert arrived.args == [request_id, 42]


def test_the_newest_request_is_the_only_one_answered(qtbot: QtBot, runner: TaskRunner) -> None:
    old, new = HeldRequest(answer="old"), HeldRequest(answer="new")
    answers: list[object] = []
    runner.finished.connect(lambda _, answer: answers.append(answer))
    runner.start(old)
    old.wait_until_running()
    new.released.set()
    with qtbot.waitSignal(runner.finished):
        runner.start(new)
    assert answers == ["new"]
    assert old.was_cancelled


def test_the_late_answer_of_a_request_that_does_not_stop_is_dropped(qtbot: QtBot, runner: TaskRunner) -> None:
    old, new = StubbornRequest(answer="old"), HeldRequest(answer="new")
    answers: list[object] = []
    runner.finished.connect(lambda _, answer: answers.append(answer))
    runner.start(old)
    old.wait_until_running()
    new.released.set()
    with qtbot.waitSignal(runner.finished):
        runner.start(new)
        old.released.set()
    assert answers == ["new"]


def test_an_answer_at_once_takes_the_place_of_one_that_is_still_to_come(qtbot: QtBot, runner: TaskRunner) -> None:
    old, new = HeldRequest(answer="old"), HeldRequest(answer="new")
    new.released.set()
    answers: list[object] = []
    runner.finished.connect(lambda _, answer: answers.append(answer))
    runner.start(old)
    old.wait_until_running()
    runner.answer(new)
    assert answers == ["new"]
    assert not runner.is_busy


def test_a_failure_arrives_as_the_exception(qtbot: QtBot, runner: TaskRunner) -> None:
    with qtbot.waitSignal(runner.failed) as arrived:
        runner.start(failing("No."))
    assert isinstance(arrived.args[1], EngineError)


def test_a_stopped_request_says_so_and_nothing_else(qtbot: QtBot, runner: TaskRunner) -> None:
    request = HeldRequest()
    runner.start(request)
    request.wait_until_running()
    with qtbot.assertNotEmitted(runner.finished), qtbot.waitSignal(runner.stopped):
        runner.stop()
    assert not runner.is_busy


def test_the_end_of_a_request_settles_its_runner(qtbot: QtBot, runner: TaskRunner) -> None:
    request = HeldRequest()
    request.released.set()
    with qtbot.waitSignals([runner.finished, runner.settled], order="strict"):
        runner.start(request)


def test_a_forgotten_request_leaves_the_runner_free_at_once(qtbot: QtBot, runner: TaskRunner) -> None:
    request = HeldRequest()
    runner.start(request)
    request.wait_until_running()
    runner.forget()
    assert not runner.is_busy


def test_a_request_in_steps_tells_each_and_then_its_answer(qtbot: QtBot, job_runner: JobRunner) -> None:
    request = HeldRequest(answer="done")
    request.released.set()
    with qtbot.waitSignals([job_runner.progressed, job_runner.finished], order="strict"):
        job_runner.start(request)


def test_a_request_in_steps_can_be_stopped(qtbot: QtBot, job_runner: JobRunner) -> None:
    request = HeldRequest()
    job_runner.start(request)
    request.wait_until_running()
    with qtbot.waitSignal(job_runner.stopped):
        job_runner.stop()


def test_a_failure_between_steps_arrives_as_the_exception(qtbot: QtBot, job_runner: JobRunner) -> None:
    with qtbot.waitSignal(job_runner.failed) as arrived:
        job_runner.start(failing("No."))
    assert str(arrived.args[1]) == "No."
