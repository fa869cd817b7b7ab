"""What a running task may use of the world: a cancel token and a place to report progress.

Pure Python, no Qt, so that requests are testable without a runner.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from typing import Any, Protocol

from engine.errors import Cancelled


def _ignore(progress: object) -> None:
    """Where nobody listens."""


class TaskControl:
    """Given to a request when it runs.

    Attributes
    ----------
    cancel : the token that long functions of the engine look at
    report : call it with anything that shows progress
    """

    def __init__(
        self, report: Callable[[Any], None] = _ignore, cancel: threading.Event | None = None
    ) -> None:
        self.cancel = threading.Event() if cancel is None else cancel
        self.report = report

    def check(self) -> None:
        """Raise `Cancelled` once somebody asked this task to stop."""
        if self.cancel.is_set():
            raise Cancelled


class Request(Protocol):
    """A job with all its inputs captured: frozen, callable, no state outside itself."""

    def __call__(self, control: TaskControl) -> Any: ...


class SteppedRequest(Protocol):
    """A long job with all its inputs captured, done in steps: yields each and returns the answer."""

    def steps(self, control: TaskControl) -> Generator[Any, None, Any]: ...
