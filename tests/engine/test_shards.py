"""Shards: results in order, failures at once, cuts that depend on the weights alone."""

from __future__ import annotations

import os
import sys
import threading
from concurrent.futures import Future, wait

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine.shards
from engine import Cancelled
from engine.shards import Checkpoint, Workers, bounds_by_weight, slices
from tests.helpers.stages import finish


def test_results_come_in_the_order_of_the_shards() -> None:
    with Workers(4) as workers:
        assert finish(workers.run(lambda shard, checkpoint: shard * shard, 20)) == [i * i for i in range(20)]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has priorities for single threads")
def test_shards_have_the_lowest_priority_and_their_caller_keeps_its_own() -> None:
    def niceness(*_: object) -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    before = niceness()
    with Workers(2) as workers:
        assert finish(workers.run(niceness, 8)) == [19] * 8
    assert niceness() == before


def test_a_shard_that_waits_for_its_turn_does_not_keep_the_caller_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shard 1 is done long before shard 0: each look at the tasks still waits for one that runs."""
    first_may_end = threading.Event()
    looks: list[set[Future[int]]] = []

    def look(futures: list[Future[int]], **options: object) -> object:
        looks.append(set(futures))
        if len(looks) == 4:
            first_may_end.set()
        return wait(futures, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(engine.shards, "wait", look)

    def task(i: int, _: Checkpoint) -> int:
        if i == 0:
            first_may_end.wait()
        return i

    with Workers(2) as workers:
        assert finish(workers.run(task, 2)) == [0, 1]
    assert [len(futures) for futures in looks[1:4]] == [1, 1, 1]


def test_a_failing_shard_stops_the_others() -> None:
    def task(shard: int, checkpoint: Checkpoint) -> None:
        if shard == 0:
            raise ValueError("shard 0")
        while True:
            checkpoint(0.5)

    with Workers(2) as workers, pytest.raises(ValueError, match="shard 0"):
        finish(workers.run(task, 4))


def test_the_cancel_token_reaches_every_shard() -> None:
    cancel = threading.Event()

    def task(shard: int, checkpoint: Checkpoint) -> None:
        cancel.set()
        while True:
            checkpoint(0.0)

    with Workers(2, cancel) as workers, pytest.raises(Cancelled):
        finish(workers.run(task, 8))


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30), st.integers(1, 9), st.integers(1, 12))
def test_cuts_and_slices_cover_every_item_once(weights: list[int], n_parts: int, weight: int) -> None:
    offsets = np.concatenate(([0], np.cumsum(weights)))
    bounds = bounds_by_weight(offsets, n_parts)
    assert len(bounds) == n_parts + 1
    assert (bounds[0], bounds[-1]) == (0, len(weights))
    assert (np.diff(bounds) >= 0).all()
    runs = list(slices(offsets, 0, len(weights), weight))
    assert [i for first, last in runs for i in range(first, last)] == list(range(len(weights)))
    for first, last in runs:
        assert last == first + 1 or offsets[last] - offsets[first] <= weight
