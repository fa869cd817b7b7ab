"""The clock of a training, by a time that the test turns itself."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from engine.training_clock import (
    E_STEP,
    E_STEPS,
    FINISH,
    LOSSES,
    M_STEP,
    NUMBER,
    PRUNE,
    SECONDS_PER_PIECE,
    TrainingClock,
)

SIZES = [100_000, 75_000, 56_000, 42_000, 32_000]


@dataclass
class Time:
    """Seconds that pass only when they are told to."""

    seconds: float = 1000.0

    def __call__(self) -> float:
        return self.seconds


@dataclass(frozen=True)
class Said:
    """What the clock told at a moment of a run."""

    at: float
    round: int
    fraction: float
    remaining: float | None


def run(costs: dict[str, float], exponent: float, m_steps_until: int = 99) -> tuple[list[Said], float]:
    """Go through a whole training whose stages take `costs` seconds on the first table; return what was said."""
    time = Time()
    clock = TrainingClock(time)
    said: list[Said] = []

    def stage(kind: str, seconds: float, number: int) -> None:
        clock.begin(kind)
        for part in range(10):
            clock.advance(part / 10)
            said.append(Said(time.seconds, number, clock.fraction, clock.remaining))
            time.seconds += seconds / 10
        clock.end()

    for kind in ("count words", "find candidates"):
        stage(kind, 5.0, 0)
    for number, size in enumerate(SIZES, start=1):
        clock.plan(SIZES[number - 1 :], 2, number - 1)
        scale = (size / SIZES[0]) ** exponent
        for _ in range(2):
            stage(E_STEP, costs[E_STEP] * scale, number)
            if number <= m_steps_until:
                stage(M_STEP, costs[M_STEP] * scale, number)
        if size != SIZES[-1]:
            stage(LOSSES, costs[LOSSES] * scale, number)
            stage(PRUNE, costs[PRUNE] * scale, number)
    stage(FINISH, costs[FINISH] * scale, number)
    time.seconds += costs[NUMBER]
    return said, time.seconds


LIKE_FORESEEN = {kind: 10.0 * share for kind, share in E_STEPS.items()} | {NUMBER: SECONDS_PER_PIECE * SIZES[-1]}


def test_stages_that_cost_what_is_foreseen_are_foreseen_to_the_second() -> None:
    said, end = run(LIKE_FORESEEN, 0.2)
    told = [moment for moment in said if moment.remaining is not None]
    assert len(told) > 200
    for moment in told[2:]:
        assert moment.remaining == pytest.approx(end - moment.at, rel=1e-9)


@pytest.mark.parametrize("exponent", [0.0, 0.1, 0.3, 0.45])
@pytest.mark.parametrize(("dearer", "m_steps_until"), [(LOSSES, 1), (PRUNE, 1), (LOSSES, 99), (M_STEP, 99)])
def test_after_the_first_round_the_time_left_is_right_within_a_factor_of_one_and_a_half(
    exponent: float, m_steps_until: int, dearer: str
) -> None:
    said, end = run(LIKE_FORESEEN | {dearer: 5.0 * LIKE_FORESEEN[dearer]}, exponent, m_steps_until)
    for moment in said:
        if moment.round > 1:
            assert moment.remaining is not None
            assert (end - moment.at) / 1.5 <= moment.remaining <= (end - moment.at) * 1.5


def test_nothing_is_said_before_anything_was_measured() -> None:
    said, _ = run(LIKE_FORESEEN, 0.2)
    first_told = next(i for i, moment in enumerate(said) if moment.remaining is not None)
    assert said[first_told].round == 1
    assert all(moment.remaining is None for moment in said[:first_told])


@pytest.mark.parametrize("exponent", [0.0, 0.9])
def test_the_bar_never_goes_back_and_never_passes_its_end(exponent: float) -> None:
    fractions = [moment.fraction for moment in run(LIKE_FORESEEN | {PRUNE: 200.0, NUMBER: 9.0}, exponent)[0]]
    assert fractions == sorted(fractions)
    assert 0.0 <= fractions[0] < 0.01
    assert 0.8 < fractions[-1] <= 1.0


def test_stages_that_are_left_out_are_foreseen_no_more() -> None:
    time = Time()
    clock = TrainingClock(time)
    clock.plan(SIZES, 2, 0)
    work = clock.planned_work
    clock.begin(E_STEP)
    assert clock.planned_work == pytest.approx(work - 1.0)
    clock.end()
    clock.begin(E_STEP)  # without an M step between
    assert clock.planned_work == pytest.approx(work - 2.0 - E_STEPS[M_STEP])
