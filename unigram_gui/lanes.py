"""Which height each piece gets, so that no two overlapping pieces share one.

In: start and end of edges. Out: a lane number for each. Pure functions over arrays: no Qt, no fonts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]


def nested_lanes(start: Ints, end: Ints) -> Ints:
    """Lanes of the graph: short pieces first, then from the left, each above every earlier piece it overlaps.

    So height grows with length and nested arcs nest.

    >>> nested_lanes(np.array([0, 0, 1], np.int32), np.array([2, 1, 2], np.int32)).tolist()
    [1, 0, 0]
    """
    lanes = np.zeros(len(start), dtype=np.int32)
    length = int(end.max()) if len(end) else 0
    free_from = np.zeros(length, dtype=np.int32)  # by character: the first lane above all pieces so far
    for edge in np.lexsort((start, end - start)):
        span = slice(int(start[edge]), int(end[edge]))
        lanes[edge] = free_from[span].max(initial=0)
        free_from[span] = lanes[edge] + 1
    return lanes


def packed_lanes(start: Ints, end: Ints, weight: NDArray[np.float64]) -> Ints:
    """Lanes of the bricks: the heaviest first, each into the first lane with room (ties: start, then longer).

    >>> packed_lanes(np.array([0, 0], np.int32), np.array([2, 1], np.int32), np.array([0.1, 0.9])).tolist()
    [1, 0]
    """
    lanes = np.zeros(len(start), dtype=np.int32)
    taken = [0] * (int(end.max()) if len(end) else 0)  # by character: the lanes that are taken there, a bit each
    order = np.lexsort((-end, start, -weight))
    # Plain whole numbers: ten times faster than array slices of a few characters each.
    for edge, first, last in zip(order.tolist(), start[order].tolist(), end[order].tolist(), strict=True):
        here = 0
        for lanes_there in taken[first:last]:
            here |= lanes_there
        room = ~here & (here + 1)  # the bit of the first lane that is free all along
        for i in range(first, last):
            taken[i] |= room
        lanes[edge] = room.bit_length() - 1
    return lanes


def lane_grid(start: Ints, end: Ints, lanes: Ints, edges: Ints, n_characters: int) -> Ints:
    """For each lane and character the edge that lies there, -1 where none does: the map of the hit test."""
    n_lanes = int(lanes.max()) + 1 if len(lanes) else 0
    grid = np.full((n_lanes, n_characters), -1, dtype=np.int32)
    length = end - start
    before = np.repeat(np.cumsum(length) - length, length)  # by character of an edge: those of all edges before it
    place = np.repeat(start, length) + np.arange(len(before)) - before
    grid[np.repeat(lanes, length), place] = np.repeat(edges, length)
    return grid
