"""Jobs on a worker thread: each ends in exactly one way."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest

from engine import Cancelled, Job


class Record:
    """Everything that a job called, in order."""

    def __init__(self) -> None:
        self.calls: list[object] = []
        self.ended = threading.Event()

    def job(self, steps: Callable[[threading.Event], Iterator[object]]) -> Job:
        return Job(
            steps,
            on_step=self.calls.append,
            on_done=lambda: self._end("done"),
            on_error=lambda error: self._end(repr(error)),
            on_cancelled=lambda: self._end("cancelled"),
        )

    def _end(self, how: str) -> None:
        self.calls.append(how)
        self.ended.set()

    def of(self, job: Job) -> list[object]:
        job.start()
        assert self.ended.wait(5)
        assert job.join(5)
        assert not job.is_running
        return self.calls


def test_steps_come_in_order_and_then_done() -> None:
    record = Record()
    assert record.of(record.job(lambda cancel: iter([1, 2, 3]))) == [1, 2, 3, "done"]


def test_an_error_ends_the_job() -> None:
    def steps(cancel: threading.Event) -> Iterator[object]:
        yield 1
        raise ValueError("two")

    record = Record()
    assert record.of(record.job(steps)) == [1, "ValueError('two')"]


def test_a_cancelled_job_closes_its_iterator_and_reports_only_that() -> None:
    closed = threading.Event()
    reached = threading.Event()

    def steps(cancel: threading.Event) -> Iterator[object]:
        try:
            yield 1
            reached.set()
            assert cancel.wait(5)
            yield 2
        finally:
            closed.set()

    record = Record()
    job = record.job(steps)
    job.start()
    assert reached.wait(5)
    job.cancel()
    assert record.ended.wait(5)
    assert job.join(5)
    assert record.calls == [1, "cancelled"]
    assert closed.is_set()


def test_a_generator_that_is_cancelled_between_steps_meets_it_inside() -> None:
    met: list[BaseException] = []
    reached, go_on = threading.Event(), threading.Event()

    def steps(cancel: threading.Event) -> Iterator[object]:
        reached.set()
        assert go_on.wait(5)
        try:
            yield 1
        except Cancelled as cancelled:
            met.append(cancelled)
            raise

    record = Record()
    job = record.job(steps)
    job.start()
    assert reached.wait(5)
    job.cancel()
    go_on.set()
    assert record.ended.wait(5)
    assert job.join(5)
    assert record.calls == ["cancelled"]
    assert len(met) == 1


@pytest.mark.parametrize("raised", [Cancelled, ValueError])
def test_whatever_is_raised_after_cancel_counts_as_cancelled(raised: type[Exception]) -> None:
    def steps(cancel: threading.Event) -> Iterator[object]:
        assert cancel.wait(5)
        if cancel.is_set():
            raise raised
        yield None

    record = Record()
    job = record.job(steps)
    job.cancel()
    assert record.of(job) == ["cancelled"]


def test_a_job_that_was_never_started_needs_no_waiting() -> None:
    assert Record().job(lambda cancel: iter([])).join(0)
