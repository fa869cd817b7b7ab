"""Run one task a shard on threads, with progress and cancellation; results come back in the order of the shards.

In: a task that takes a shard's number and a checkpoint. Out: its results. The number of shards belongs to the
work, never to the number of threads, and results are added up in shard order: sums are the same for 1, 2 or
8 threads. This is the only place that knows shards run on threads; a cluster's engine can take its place.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, TypeVar

import numpy as np

from engine.errors import Cancelled, EngineError, is_whole_number

Result = TypeVar("Result")
Checkpoint = Callable[[float], None]
"""Called by a task between slices of at most 50 ms with its fraction done; raises Cancelled."""

N_SHARDS = 8
"""Into how many parts the sums over a corpus are cut: enough for eight threads, and few enough arrays."""

BACKGROUND_NICENESS = 19
"""The lowest priority short of the one that a busy machine starves. At 10, a thread that answers a key loses whole
time slices to a training, of 3 to 4 ms each: their length does not depend on the priority, only how often they come."""

_REPORT_INTERVAL = 0.05  # seconds between two looks at the tasks


def thread_count(threads: int | None) -> int:
    """Return `threads`, or as many as this process may use where it is None. Raises EngineError below 1."""
    if threads is not None:
        if not is_whole_number(threads, 1):
            raise EngineError(f"threads is {threads!r:.40}; give a whole number from 1 on, or None: one a processor.")
        return int(threads)
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS and Windows
        return os.cpu_count() or 1


def lower_thread_priority() -> None:
    """Let the calling thread yield to interactive ones, where the system has priorities for single threads."""
    if hasattr(os, "setpriority") and os.uname().sysname == "Linux":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), BACKGROUND_NICENESS)


def bounds_by_weight(offsets: np.ndarray, n_parts: int) -> np.ndarray:
    """Cut items with cumulative weights `offsets` (int64[n+1]) into `n_parts` runs of about equal weight.

    Returns int64[n_parts+1], the first item of each part and the end. Depends on the weights alone.

    >>> bounds_by_weight(np.array([0, 1, 2, 3, 4]), 2)
    array([0, 2, 4])
    """
    # Whole numbers, as the weights are: NumPy would turn all of these into floats first.
    targets = np.ceil(np.linspace(offsets[0], offsets[-1], n_parts + 1)[1:-1]).astype(np.int64)
    inner = np.searchsorted(offsets, targets, side="left")
    return np.concatenate(([0], inner, [len(offsets) - 1])).astype(np.int64)


def slices(offsets: np.ndarray, first: int, last: int, weight: int) -> Iterator[tuple[int, int]]:
    """Yield runs of the items first..last-1, each of about `weight` (at least one item)."""
    while first < last:
        stop = int(np.searchsorted(offsets, offsets[first] + weight, side="right")) - 1
        stop = min(max(stop, first + 1), last)
        yield first, stop
        first = stop


def turns(
    offsets: np.ndarray, bounds: np.ndarray, shard: int, weight: int, checkpoint: Checkpoint
) -> Iterator[tuple[int, int]]:
    """Yield what there is to do in a shard, about `weight` at a time, each time after looking at the checkpoint.

    The shard's items are bounds[shard]..bounds[shard + 1]-1, with the cumulative weights `offsets`.
    """
    begin, end = int(bounds[shard]), int(bounds[shard + 1])
    for first, stop in slices(offsets, begin, end, weight):
        checkpoint((first - begin) / (end - begin))
        yield first, stop


def finish(stage: Generator[float, None, Result], progress: Callable[[float], None] | None = None) -> Result:
    """Run a stage to its end, report the fractions that it yields, and return what it returns."""
    while True:
        try:
            fraction = next(stage)
        except StopIteration as end:
            result: Result = end.value
            return result
        if progress is not None:
            progress(fraction)


def portion(
    stage: Generator[float, None, Result], begin: float, end: float
) -> Generator[float, None, Result]:
    """Run a stage as a part of a longer one: the fractions that it yields come to lie between `begin` and `end`."""
    try:
        while True:
            yield begin + (end - begin) * next(stage)
    except StopIteration as stop:
        return stop.value
    finally:
        stage.close()


class Workers:
    """A pool of threads for one run of the engine; use it as a context manager."""

    def __init__(self, threads: int | None = None, cancel: threading.Event | None = None) -> None:
        self.threads = thread_count(threads)
        self.cancel = cancel
        self._abandoned = threading.Event()
        self._pool = ThreadPoolExecutor(
            self.threads, thread_name_prefix="engine-shard", initializer=lower_thread_priority
        )

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self._abandoned.set()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def check(self) -> None:
        """Raise Cancelled where the cancel token is set or the run was abandoned."""
        if self._abandoned.is_set() or (self.cancel is not None and self.cancel.is_set()):
            raise Cancelled

    def run(
        self, task: Callable[[int, Checkpoint], Result], n: int = 1
    ) -> Generator[float, None, list[Result]]:
        """Run task(0..n-1, checkpoint); yield the fraction done now and then; return the results in order."""
        results: list[Result] = []
        yield from self._each(task, n, results.append)
        return results

    def add_up(
        self, task: Callable[[int, Checkpoint], tuple[Any, ...]], n: int
    ) -> Generator[float, None, tuple[Any, ...]]:
        """Run task(0..n-1, checkpoint) and add up the tuples they return, column by column, in shard order.

        Arrays are added as soon as those before them are there, so that only a few are held at once.
        """
        sums: list[Any] = []

        def add(result: tuple[Any, ...]) -> None:
            if not sums:
                sums.extend(result)
                return
            for column, value in enumerate(result):
                sums[column] += value

        yield from self._each(task, n, add)
        return tuple(sums)

    def _each(
        self, task: Callable[[int, Checkpoint], Result], n: int, take: Callable[[Result], None]
    ) -> Generator[float, None, None]:
        """Run tasks on the pool; hand their results to `take` in order; raise the first failure."""
        fractions = [0.0] * n

        def start(i: int) -> Result:
            def checkpoint(fraction: float) -> None:
                fractions[i] = fraction
                self.check()

            self.check()
            result = task(i, checkpoint)
            fractions[i] = 1.0
            return result

        waiting = deque(self._pool.submit(start, i) for i in range(n))
        try:
            while waiting:
                # Only for the unfinished: one that is done, but waits for its turn, would end each wait at once.
                unfinished = [future for future in waiting if not future.done()]
                wait(unfinished, timeout=_REPORT_INTERVAL, return_when=FIRST_COMPLETED)
                _raise_failure(waiting)
                while waiting and waiting[0].done():
                    take(waiting.popleft().result())
                yield sum(fractions) / n
        except BaseException:  # a shard failed, or nobody asks for more: the others stop too
            self._abandoned.set()
            raise


def _raise_failure(futures: Iterable[Future[Any]]) -> None:
    for future in futures:
        if future.done():
            future.result()
