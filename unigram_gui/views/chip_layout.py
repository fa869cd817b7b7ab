"""Chips in lines, like words on a page.

In: widths of chips and of a line. Out: their places. Pure arithmetic, no Qt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Flow:
    """Left sides and lines of the chips, and how many lines there are."""

    x: tuple[float, ...]
    line: tuple[int, ...]
    n_lines: int


def flow(widths: Sequence[float], room: float, gap: float) -> Flow:
    """Place chips from left to right; one that does not fit begins a new line.

    >>> flow([30, 30, 30], 70, 5)
    Flow(x=(0.0, 35.0, 0.0), line=(0, 0, 1), n_lines=2)
    """
    xs, lines = [], []
    x, line = 0.0, 0
    for width in widths:
        if x > 0.0 and x + width > room:
            x, line = 0.0, line + 1
        xs.append(x)
        lines.append(line)
        x += width + gap
    return Flow(tuple(xs), tuple(lines), line + 1 if xs else 0)
