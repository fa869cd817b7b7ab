"""What the bricks show, before anything has a place: the plan of an exploration with the widths of its letters.

In: an `Exploration` and a way to measure letters. Out: a frozen `BrickContent`, the same at every zoom, so that
zooming and scrolling never measure again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unigram_gui.characters import Composed
from unigram_gui.tasks.brick_plan import Ints, Token
from unigram_gui.tasks.exploration import Exploration
from unigram_gui.views.lattice.brick_layout import column_widths
from unigram_gui.views.lattice.looks import levels

__all__ = ["BrickContent", "Token", "brick_content"]


@dataclass(frozen=True, eq=False)
class BrickContent:
    """Arrays by character (`cells`, `n_bytes`, `widths`) and by edge (`lane`, -1 on the best path; `level`)."""

    cells: tuple[str, ...]
    n_bytes: Ints
    widths: NDArray[np.float64]
    lane: Ints
    n_lanes: int
    level: Ints
    grid: Ints  # by lane and character: the edge that lies there
    longest: int  # characters of the longest edge
    joins: NDArray[np.uint8]  # by edge: 1 where the token goes on to the left, 2 to the right, 3 to both
    tokens: tuple[Token, ...]
    byte_tokens: dict[int, tuple[Token, ...]]  # by character
    forms: tuple[Composed, ...]


def brick_content(seen: Exploration, measure: Callable[[str], float], *, shows_posterior: bool = True) -> BrickContent:
    """All that the bricks of an exploration show; `measure` gives the width of a letter at full size."""
    plan = seen.bricks
    letter_width = {cell: measure(cell) for cell in set(plan.cells)}
    widths = np.array([letter_width[cell] for cell in plan.cells])
    return BrickContent(
        cells=plan.cells,
        n_bytes=plan.n_bytes,
        widths=column_widths(widths, plan.n_bytes),
        lane=plan.lane,
        n_lanes=plan.n_lanes,
        level=levels(seen.posteriors) if shows_posterior else np.zeros(seen.n_edges, dtype=np.int32),
        grid=plan.grid,
        longest=plan.longest,
        joins=_joins(seen),
        tokens=plan.tokens,
        byte_tokens=plan.byte_tokens,
        forms=plan.forms,
    )


def _joins(seen: Exploration) -> NDArray[np.uint8]:
    plan, lattice = seen.bricks, seen.lattice
    left, right = plan.run_start < lattice.edge_start, plan.run_end > lattice.edge_end
    return (left + 2 * right).astype(np.uint8)
