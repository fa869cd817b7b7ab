"""What a training tells on its way: steps, and the plan that is known before the first E step."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from engine.history import PruningRound, Update


@dataclass(frozen=True)
class TrainingPlan:
    """What is known of a run once its candidates are: before the first E step.

    Attributes
    ----------
    smallest, largest : int
        The sizes of vocabulary, special pieces included, that this corpus can give.
    n_candidates, n_edges : int
        Candidate pieces, and edges in the lattices of all units.
    memory : int
        About how many bytes the run takes at its peak.
    seconds : float
        About how long the rounds take.
    """

    smallest: int
    largest: int
    n_candidates: int
    n_edges: int
    memory: int
    seconds: float


@dataclass(frozen=True, eq=False)
class TrainingStep:
    """Where a training stands.

    Attributes
    ----------
    phase : str
        "count words", "find candidates", "E step", "M step", "pruning losses", "prune" or "finish".
    round, sub_iteration : int
        From 1 on; 0 before the first E step.
    n_rounds_expected : int
    n_pieces : int
        Pieces in the table, special ones not counted; 0 before there are any.
    fraction : float
        Done of the whole run, 0 to 1.
    elapsed, remaining : float
        Seconds; remaining is None before the first E step.
    loss : float or None
        Newest corpus loss, nats.
    speed : float or None
        Characters of distinct units that the newest E step went over in a second; None before the first one.
    memory : int
        Bytes that the process holds now, everything else in it included; 0 where the system does not tell.
    update, pruning, plan
        Set on the step that finished one, or made the plan.
    """

    phase: str
    round: int
    sub_iteration: int
    n_rounds_expected: int
    n_pieces: int
    fraction: float
    elapsed: float
    remaining: float | None
    loss: float | None
    update: Update | None = None
    pruning: PruningRound | None = None
    plan: TrainingPlan | None = None
    speed: float | None = None
    memory: int = 0


def memory_held() -> int:
    """Return how many bytes of memory this process holds, 0 where the system does not tell (all but Linux)."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
