"""Stand-ins for slow work whose progress a test controls: no sleeps, "running" is a state that it can wait for."""

from __future__ import annotations

import threading
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

from engine.errors import EngineError
from unigram_gui.tasks.control import TaskControl

PATIENCE_SECONDS = 10.0
LOOK_SECONDS = 0.005


@dataclass
class HeldRequest:
    """A request that begins, and ends only when the test lets it go or asks it to stop."""

    answer: Any = "answer"
    error: Exception | None = None
    begun: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)
    was_cancelled: bool = False

    def __call__(self, control: TaskControl) -> Any:
        self.begun.set()
        while not self.released.wait(LOOK_SECONDS):
            if control.cancel.is_set():
                self.was_cancelled = True
                control.check()
        if self.error is not None:
            raise self.error
        return self.answer

    def steps(self, control: TaskControl) -> Generator[Any, None, Any]:
        """Tell one step, then do the same as a plain request."""
        yield "step"
        return self(control)

    def wait_until_running(self) -> None:
        """Return once a worker thread is inside the request."""
        assert self.begun.wait(PATIENCE_SECONDS)


@dataclass
class StubbornRequest(HeldRequest):
    """A request that does not look at its cancel token: its late answer must be dropped."""

    def __call__(self, control: TaskControl) -> Any:
        self.begun.set()
        assert self.released.wait(PATIENCE_SECONDS)
        return self.answer


def failing(sentence: str) -> HeldRequest:
    """Return a request that fails at once with an EngineError."""
    request = HeldRequest(error=EngineError(sentence))
    request.released.set()
    return request
