"""How far a training is, and how long it will still take.

In: the sizes of the tables to come, and when stages begin and end. Out: the fraction of the whole, seconds passed and
seconds left. What a kind of stage takes is learned from those of its kind that are over; before there were any, it is
taken as a multiple of an E step. It computes nothing of the training itself.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

PREPARATION = {"normalize texts": 0.03, "count words": 0.06, "find candidates": 0.15}
"""Where the progress bar stands at the end of each stage before the first E step."""

E_STEP, M_STEP, LOSSES, PRUNE, FINISH, NUMBER = "E step", "M step", "pruning losses", "prune", "finish", "number pieces"
E_STEPS = {E_STEP: 1.0, M_STEP: 0.3, LOSSES: 2.5, PRUNE: 0.4, FINISH: 2.5}
"""What stages cost before any of their kind is over, in E steps over the same table (medians of 10 to 100 MB)."""

SIZE_EXPONENT = 0.2
"""Pieces that stay have most of the edges: from 157,000 to 32,000 pieces stages shrink to 0.72."""

SECONDS_PER_PIECE = 5e-6
"""To make the finished table and its model, which are plain Python and no stage."""

KNOWN_FROM = 0.2  # of a stage done, from where on its own pace says how long it takes


class TrainingClock:
    """How far a run is, and how long it will still take.

    Parameters
    ----------
    now
        Gives seconds, from any beginning on.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._began = now()
        self._training_began: float | None = None
        self._first_size = 0
        self._to_come: deque[tuple[str, int]] = deque()
        self._pace: dict[str, float] = {}  # seconds of a stage, as if over the first table
        self._stage: tuple[str, int] | None = None
        self._stage_began = 0.0
        self._part = 0.0  # of the present stage, done
        self._bar = self._bar_began = 0.0  # highest fraction so far, and that when the stage began
        self.n_rounds = 0
        self.e_step_seconds: float | None = None  # of the newest one

    def plan(self, sizes: list[int], n_updates: int, rounds_done: int) -> None:
        """Foresee the stages of the rounds to come, from their table sizes; the last table is not pruned."""
        if self._training_began is None:
            self._training_began, self._first_size = self._now(), sizes[0]
        self.n_rounds = rounds_done + len(sizes)
        self._to_come.clear()
        for size in sizes:
            self._to_come += [*[(E_STEP, size), (M_STEP, size)] * n_updates, (LOSSES, size), (PRUNE, size)]
        for kind in (PRUNE, LOSSES):
            assert self._to_come.pop()[0] == kind
        self._to_come += [(FINISH, sizes[-1]), (NUMBER, sizes[-1])]

    @property
    def planned_work(self) -> float:
        """Return the work of all rounds to come, in E steps over the first table."""
        return sum(E_STEPS[kind] * self._scale(size) for kind, size in self._to_come if kind != NUMBER)

    def begin(self, kind: str) -> None:
        """Begin a stage; those of the plan that come before it were left out, and their kind is foreseen no more."""
        self._stage, self._stage_began, self._part = (kind, self._first_size), self._now(), 0.0
        self._bar_began = self._bar
        while any(kind == coming for coming, _ in self._to_come):
            coming, size = self._to_come.popleft()
            if coming == kind:
                self._stage = (kind, size)
                return
            self._pace[coming] = 0.0

    def advance(self, fraction: float) -> None:
        """Note how much of the stage is done."""
        self._part = max(self._part, fraction)

    def end(self) -> None:
        """Note that the stage is done, and what it took."""
        assert self._stage is not None
        kind, size = self._stage
        if kind in PREPARATION:
            self._bar = PREPARATION[kind]
        else:
            seconds = self._now() - self._stage_began
            self._learn(kind, seconds / self._scale(size))
            self.e_step_seconds = seconds if kind == E_STEP else self.e_step_seconds
        self._stage = None

    def _learn(self, kind: str, seconds: float) -> None:
        """Half of what is expected is the newest stage: a machine may have other work at times."""
        known = self._pace.get(kind)
        self._pace[kind] = seconds if known is None else 0.5 * (known + seconds)

    def _scale(self, size: int) -> float:
        return float((size / self._first_size) ** SIZE_EXPONENT)

    @property
    def elapsed(self) -> float:
        """Return seconds since the beginning."""
        return self._now() - self._began

    @property
    def fraction(self) -> float:
        """Return the part of the whole run that is done; it never goes back."""
        if self._training_began is None:
            self._bar = max(self._bar, self._prepared())
        elif (left := self.remaining) is not None:
            done, begin = self._now() - self._training_began, PREPARATION["find candidates"]
            self._bar = max(self._bar, begin + (1.0 - begin) * done / (done + left) if done + left else begin)
        return self._bar

    def _prepared(self) -> float:
        if self._stage is None or self._stage[0] not in PREPARATION:
            return self._bar
        return self._bar_began + (PREPARATION[self._stage[0]] - self._bar_began) * self._part

    @property
    def remaining(self) -> float | None:
        """Return about how many seconds are left; None before anything was measured."""
        if self._training_began is None:
            return None
        e_step = self._pace.get(E_STEP) or self._pace_of_present()
        if e_step is None:
            return None
        return self._left_of_present(e_step) + sum(self._expected(*stage, e_step) for stage in self._to_come)

    def _expected(self, kind: str, size: int, e_step: float) -> float:
        if kind == NUMBER:
            return SECONDS_PER_PIECE * size
        return self._pace.get(kind, E_STEPS[kind] * e_step) * self._scale(size)

    def _pace_of_present(self) -> float | None:
        """Return what an E step takes, judged by the first one alone, once enough of it is done."""
        if self._stage is None or self._stage[0] != E_STEP or self._part < KNOWN_FROM:
            return None
        return (self._now() - self._stage_began) / self._part

    def _left_of_present(self, e_step: float) -> float:
        if self._stage is None:
            return 0.0
        if self._part >= KNOWN_FROM:
            return (self._now() - self._stage_began) * (1.0 - self._part) / self._part
        return self._expected(*self._stage, e_step) * (1.0 - self._part)
