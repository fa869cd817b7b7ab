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
    length = int(end.max()) if len(end) else 0
    taken: list[bytearray] = []
    order = np.lexsort((-end, start, -weight))
    # Plain whole numbers and bytearrays: ten times faster than array slices of a few characters each.
    for edge, first, last in zip(order.tolist(), start[order].tolist(), end[order].tolist(), strict=True):
        lane = 0
        while lane < len(taken) and taken[lane].find(1, first, last) >= 0:
            lane += 1
        if lane == len(taken):
            taken.append(bytearray(length))
        taken[lane][first:last] = b"\x01" * (last - first)
        lanes[edge] = lane
    return lanes


def lane_grid(start: Ints, end: Ints, lanes: Ints, edges: Ints, n_characters: int) -> Ints:
    """For each lane and character the edge that lies there, -1 where none does: the map of the hit test."""
    n_lanes = int(lanes.max()) + 1 if len(lanes) else 0
    grid = np.full((n_lanes, n_characters), -1, dtype=np.int32)
    for first, last, lane, edge in zip(start.tolist(), end.tolist(), lanes.tolist(), edges.tolist(), strict=True):
        grid[lane, first:last] = edge
    return grid
