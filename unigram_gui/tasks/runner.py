"""Runs requests on worker threads and hands the answers to the Qt thread. Newest wins.

A `Worker` is one thread that does one thing after the other. A `TaskRunner` is one kind of request on a worker, a
`JobRunner` one kind of long request on threads of its own: starting a request forgets the one before it and asks
it to stop. Every signal carries the request's id; an answer to a forgotten request is dropped here, so nobody else
ever sees one.

Threads: everything is called on the Qt thread except what a task does when it runs on a worker. It talks back through
one queued signal and nothing else.
"""

from __future__ import annotations

import itertools
import logging
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal, Slot

from engine.errors import Cancelled, EngineError
from engine.jobs import Job
from engine.shards import lower_thread_priority
from unigram_gui.tasks.control import Request, SteppedRequest, TaskControl
from unigram_gui.tasks.kernels import KernelGate

log = logging.getLogger(__name__)

_request_ids = itertools.count(1)


class Outcome(Enum):
    """How a message from a worker is to be read."""

    PROGRESS = "progressed"
    DONE = "finished"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True, eq=False)
class _Message:
    request_id: int
    outcome: Outcome
    value: Any = None


class Worker:
    """One thread that does one thing after the other; it is born with its first task.

    One that `yields` has a lower priority, and so have the threads that it begins: somebody types meanwhile.
    """

    def __init__(self, name: str, *, yields: bool = True) -> None:
        self._executor = ThreadPoolExecutor(
            max_workers=1,
            thread_name_prefix=f"unigram {name}",
            initializer=lower_thread_priority if yields else None,
        )

    def submit(self, task: _Task) -> None:
        """Queue `task` behind what this worker already has to do."""
        self._executor.submit(task.run)

    def close(self) -> None:
        """Wait for the running task and end the thread. Cancel its tasks first."""
        self._executor.shutdown(wait=True, cancel_futures=True)


class _Task:
    """One request on its way through a worker."""

    def __init__(self, runner: Runner, request_id: int, request: Request, gate: KernelGate | None) -> None:
        self.request_id = request_id
        self.control = TaskControl(self._report)
        self._send = runner._arrived.emit
        self._request = request
        self._gate = gate

    def cancel(self) -> None:
        self.control.cancel.set()

    def run(self) -> None:
        """Do the work (worker thread) and send exactly one last message."""
        self._tell(*self._outcome())

    def _outcome(self) -> tuple[Outcome, Any]:
        try:
            if self._gate is not None:
                self._gate.wait(self.control)
            self.control.check()
            return Outcome.DONE, self._request(self.control)
        except Cancelled:
            return Outcome.STOPPED, None
        except BaseException as error:  # a panic in a native library is no Exception, and somebody waits for an answer
            _log_bug(error)
            return Outcome.FAILED, error

    def _report(self, progress: Any) -> None:
        self._tell(Outcome.PROGRESS, progress)

    def _tell(self, outcome: Outcome, value: Any) -> None:
        self._send(_Message(self.request_id, outcome, value))


class _SteppedTask:
    """One request that is done in steps, on a job's own thread."""

    def __init__(
        self, runner: Runner, request_id: int, request: SteppedRequest, gate: KernelGate | None
    ) -> None:
        self.request_id = request_id
        self._send = runner._arrived.emit
        self._request = request
        self._gate = gate
        self._answer: Any = None
        self.job = Job(
            self._steps,
            on_step=partial(self._tell, Outcome.PROGRESS),
            on_done=lambda: self._tell(Outcome.DONE, self._answer),
            on_error=self._fail,
            on_cancelled=lambda: self._tell(Outcome.STOPPED, self._answer),
            name="unigram training",
        )

    def cancel(self) -> None:
        self.job.cancel()

    def _steps(self, cancel: threading.Event) -> Iterator[Any]:
        control = TaskControl(cancel=cancel)
        if self._gate is not None:
            self._gate.wait(control)
        try:
            self._answer = yield from self._request.steps(control)
        except Cancelled as stopped:
            self._answer = stopped
            raise

    def _fail(self, error: BaseException) -> None:
        _log_bug(error)
        self._tell(Outcome.FAILED, error)

    def _tell(self, outcome: Outcome, value: Any) -> None:
        self._send(_Message(self.request_id, outcome, value))


class Runner(QObject):
    """One kind of request; the newest request is the only one that is answered.

    Signals carry the request's id: `progressed` with what the task reported, `finished` with its answer,
    `failed` with its exception, `stopped` after `stop()`, with the Cancelled that a request in steps ended with;
    `settled` follows each of the last three.
    """

    progressed = Signal(int, object)
    finished = Signal(int, object)
    failed = Signal(int, object)
    stopped = Signal(int, object)
    settled = Signal()

    _arrived = Signal(object)

    def __init__(self, gate: KernelGate | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._gate = gate
        self._task: _Task | _SteppedTask | None = None
        self._arrived.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    @property
    def is_busy(self) -> bool:
        """Whether an answer is still to come."""
        return self._task is not None

    def stop(self) -> None:
        """Ask the current request to stop; `stopped` tells when it did."""
        if self._task is not None:
            self._task.cancel()

    def forget(self) -> None:
        """Ask the current request to stop, and never answer it."""
        self.stop()
        self._task = None

    @Slot(object)
    def _deliver(self, message: _Message) -> None:
        if self._task is None or message.request_id != self._task.request_id:
            return
        if message.outcome is Outcome.PROGRESS:
            self.progressed.emit(message.request_id, message.value)
            return
        self._task = None
        self._tell_end(message)
        self.settled.emit()

    def _tell_end(self, message: _Message) -> None:
        if message.outcome is Outcome.DONE:
            self.finished.emit(message.request_id, message.value)
        elif message.outcome is Outcome.FAILED:
            self.failed.emit(message.request_id, message.value)
        else:
            self.stopped.emit(message.request_id, message.value)


class TaskRunner(Runner):
    """A runner for short requests, on a worker that it may share."""

    def __init__(self, worker: Worker, gate: KernelGate | None = None, parent: QObject | None = None) -> None:
        super().__init__(gate, parent)
        self._worker = worker

    def start(self, request: Request) -> int:
        """Forget the current request and begin this one; return its id."""
        self.forget()
        task = self._task = _Task(self, next(_request_ids), request, self._gate)
        self._worker.submit(task)
        return task.request_id

    def answer(self, request: Request) -> None:
        """Forget the current request and do this one at once, on the Qt thread: for what takes less than a frame."""
        self.forget()
        task = self._task = _Task(self, next(_request_ids), request, self._gate)
        self._deliver(_Message(task.request_id, *task._outcome()))


class JobRunner(Runner):
    """A runner for requests that are done in steps: each is a `Job` on a thread of its own, of lowered priority."""

    def __init__(self, gate: KernelGate | None = None, parent: QObject | None = None) -> None:
        super().__init__(gate, parent)
        self._jobs: list[Job] = []

    def start(self, request: SteppedRequest) -> int:
        """Forget the current request and begin this one; return its id."""
        self.forget()
        task = self._task = _SteppedTask(self, next(_request_ids), request, self._gate)
        self._jobs = [job for job in self._jobs if job.is_running] + [task.job]
        task.job.start()
        return task.request_id

    def close(self) -> None:
        """Wait for the threads to end. Cancel the request first."""
        for job in self._jobs:
            job.join()


def _log_bug(error: BaseException) -> None:
    """Print what no person can mend: the sentence on screen would hide where it happened."""
    if not isinstance(error, (EngineError, OSError, MemoryError)):
        log.error("a task failed unexpectedly", exc_info=error)
