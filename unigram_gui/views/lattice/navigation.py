"""Walking over the edges of a drawing with the arrow keys.

In: row, start and end of every edge, the edge in focus. Out: the next edge. Rows grow downwards on the screen.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]


def step_sideways(row: Ints, start: Ints, edge: int, direction: int) -> int:
    """The next edge of the same row to the right (1) or left (-1); the edge itself at the end of the row."""
    ahead = np.flatnonzero((row == row[edge]) & (direction * (start - start[edge]) > 0))
    if not len(ahead):
        return edge
    return int(ahead[np.argmin(np.abs(start[ahead] - start[edge]))])


def step_rows(row: Ints, start: Ints, end: Ints, edge: int, direction: int) -> int:
    """The nearest edge in a row below (1) or above (-1), one that shares a character where there is one."""
    ahead = np.flatnonzero(direction * (row - row[edge]) > 0)
    if not len(ahead):
        return edge
    apart = (start[ahead] >= end[edge]) | (end[ahead] <= start[edge])
    distance = np.abs(start[ahead] + end[ahead] - start[edge] - end[edge])
    order = np.lexsort((distance, np.abs(row[ahead] - row[edge]), apart))
    return int(ahead[order[0]])


def first_edge(row: Ints, start: Ints, best_row: int) -> int:
    """Where the focus enters: the first piece of the best path."""
    best = np.flatnonzero(row == best_row)
    return int(best[np.argmin(start[best])]) if len(best) else -1


def last_edge(row: Ints, start: Ints, best_row: int) -> int:
    """The last piece of the best path."""
    best = np.flatnonzero(row == best_row)
    return int(best[np.argmax(start[best])]) if len(best) else -1
