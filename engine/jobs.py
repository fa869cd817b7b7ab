"""Job: an iterator of steps run on a worker thread, with progress and cancellation. No Qt here.

In: a function that is given the cancel token and returns an iterator of steps. Out: calls of `on_step` for each,
then exactly one of `on_done`, `on_error` or `on_cancelled`, all on the worker thread. A job that was cancelled
calls nothing but `on_cancelled` from then on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from engine.errors import Cancelled
from engine.shards import lower_thread_priority


class Job:
    """One piece of work on a thread of its own.

    Parameters
    ----------
    steps
        Called on the worker thread with the cancel token; its iterator is run to the end.
    on_step, on_done, on_error, on_cancelled
        Called on the worker thread.
    """

    def __init__(
        self,
        steps: Callable[[threading.Event], Iterator[Any]],
        *,
        on_step: Callable[[Any], None],
        on_done: Callable[[], None],
        on_error: Callable[[BaseException], None],
        on_cancelled: Callable[[], None],
        name: str = "engine-job",
    ) -> None:
        self._steps = steps
        self._on_step, self._on_done = on_step, on_done
        self._on_error, self._on_cancelled = on_error, on_cancelled
        self._cancel = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def cancel(self) -> None:
        """Ask the work to stop; it does within a fraction of a second."""
        self._cancel.set()

    def join(self, timeout: float | None = None) -> bool:
        """Wait for the thread to end; tell whether it did."""
        if self._thread.ident is not None:
            self._thread.join(timeout)
        return not self._thread.is_alive()

    @property
    def is_running(self) -> bool:
        """Tell whether the thread is alive."""
        return self._thread.is_alive()

    def _run(self) -> None:
        lower_thread_priority()
        try:
            self._exhaust()
        except Cancelled:
            self._on_cancelled()
        except BaseException as error:  # a panic in a native library is no Exception; it is told all the same
            if self._cancel.is_set():
                self._on_cancelled()
            else:
                self._on_error(error)
        else:
            self._on_done()

    def _exhaust(self) -> None:
        steps = self._steps(self._cancel)
        try:
            for step in steps:
                if self._cancel.is_set():
                    _stop(steps)
                self._on_step(step)
        finally:
            close = getattr(steps, "close", None)
            if close is not None:
                close()


def _stop(steps: Iterator[Any]) -> NoReturn:
    """Raise Cancelled: inside the iterator where it is a generator, which may have something to say on its end."""
    throw = getattr(steps, "throw", None)
    if throw is not None:
        throw(Cancelled())
    raise Cancelled
