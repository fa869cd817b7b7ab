"""How far a training is, and how long it will still take.

In: the sizes of the tables to come, and the fraction of each stage. Out: the fraction of the whole, seconds passed
and seconds left. It computes nothing of the training itself.
"""

from __future__ import annotations

import time

PREPARATION = 0.15
"""Share of the progress bar before the first E step."""


class TrainingClock:
    """How far a run is, and how long it will still take.

    The unit of work is an E step over the first table; over a smaller one it costs about in proportion to the
    square root of the size, for the pieces that stay are those with most edges.
    """

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._training_began = 0.0
        self._first_size = 0
        self._done = 0.0  # work of finished stages
        self._stage = 0.0  # work of the present stage
        self._part = 0.0  # of it, done
        self._left = 0.0  # work after the present stage
        self.n_rounds = 0

    def plan(self, sizes: list[int], n_updates: int, rounds_done: int) -> None:
        """Foresee the work of the rounds to come, from their table sizes."""
        if not self._first_size:
            self._first_size = sizes[0]
            self._training_began = time.monotonic()
            self._done = 0.0
        self._scale = (sizes[0] / self._first_size) ** 0.5
        self._left = sum((n_updates + 2) * (size / self._first_size) ** 0.5 for size in sizes)
        self.n_rounds = rounds_done + len(sizes)

    @property
    def planned_work(self) -> float:
        """Return the work of all rounds to come, in E steps over the first table."""
        return self._left

    def begin(self, share: float) -> None:
        """Begin a stage: before the plan, `share` is where the bar stands at its end; after, E steps of work."""
        self._stage = share - self._done if not self._first_size else share * self._scale
        self._part = 0.0
        if self._first_size:
            self._left = max(0.0, self._left - self._stage)

    def advance(self, fraction: float) -> None:
        """Note how much of the stage is done."""
        self._part = max(self._part, fraction)

    def end(self) -> None:
        """Note that the stage is done."""
        self._done += self._stage
        self._stage = self._part = 0.0

    @property
    def elapsed(self) -> float:
        """Return seconds since the beginning."""
        return time.monotonic() - self._began

    @property
    def fraction(self) -> float:
        """Return the part of the whole run that is done."""
        done = self._done + self._stage * self._part
        if not self._first_size:
            return done
        whole = self._done + self._stage + self._left
        return PREPARATION + (1.0 - PREPARATION) * done / whole if whole else PREPARATION

    @property
    def remaining(self) -> float | None:
        """Return about how many seconds are left; None before anything was measured."""
        done = self._done + self._stage * self._part
        if not self._first_size or done < 0.2:
            return None
        left = self._stage * (1.0 - self._part) + self._left
        return (time.monotonic() - self._training_began) * left / done
