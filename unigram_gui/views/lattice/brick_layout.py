"""Where everything stands in the bricks: columns, lanes, IDs, level of detail.

In: edges as arrays, widths of characters, a zoom. Out: a `BrickLayout` of coordinates. No Qt: y grows downwards.

A column belongs to one character, so the letter of a brick stands exactly under the letter of the ruler and labels
cannot overlap. Zooming out narrows the columns and drops, level by level, what no longer fits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

LETTER_SIZE = 15.0
COLUMN_PADDING = 7.0
NARROWEST_COLUMN = 15.0
BYTE_WIDTH, BYTE_PADDING = 27.0, 8.0
ID_GAP = 2.5  # of advances, which is 3.5 of ink
BRACKETS_HEIGHT = 48.0


class Detail(IntEnum):
    """What a column of some width has room for."""

    TICKS = 0  # under 4 px: one tick a boundary
    TONES = 1  # 4 to 9 px: no letters
    BEST_LETTERS = 2  # 9 to 15 px: letters only in ruler and best lane
    ALL = 3


@dataclass(frozen=True)
class BrickSizes:
    """Heights of a lane, from one lane to the next, and of the best lane."""

    lane: float = 21.0
    lane_step: float = 25.0
    best: float = 30.0


FIGURE_SIZES = BrickSizes()
WINDOW_SIZES = BrickSizes(lane=20.0, lane_step=23.0)
TONES_SIZES = BrickSizes(lane=6.0, lane_step=8.0, best=14.0)
LOWEST_STEP, LOWEST_PLAIN_STEP = 18.0, 8.0  # from lane to lane, with and without letters in them
BETWEEN_LANES = 3.0


@dataclass(frozen=True, eq=False)
class BrickLayout:
    """Coordinates of the bricks. Rows from the top: brackets, ruler, text, best lane, IDs, other lanes."""

    column_x: Floats  # n + 1 boundaries
    zoom: float
    column: float  # width of a Latin column at this zoom
    detail: Detail
    sizes: BrickSizes
    n_lanes: int
    axis_y: float
    text_y: float  # baseline of the text line
    best_y: float
    ids_y: float  # baseline of the first line of IDs
    lanes_y: float

    @property
    def letter_size(self) -> float:
        return LETTER_SIZE * self.zoom if self.detail < Detail.ALL else LETTER_SIZE

    @property
    def width(self) -> float:
        return float(self.column_x[-1])

    @property
    def height(self) -> float:
        if self.detail == Detail.TICKS:
            return self.axis_y + 20.0
        return self.lanes_y + self.n_lanes * self.sizes.lane_step

    def lane_top(self, lane: int) -> float:
        return self.best_y if lane < 0 else self.lanes_y + lane * self.sizes.lane_step

    def lane_height(self, lane: int) -> float:
        return self.sizes.best if lane < 0 else self.sizes.lane

    def lane_at(self, y: float) -> int | None:
        """The lane at a height: -1 is the best lane, None is none."""
        if self.best_y <= y < self.best_y + self.sizes.best:
            return -1
        lane = int((y - self.lanes_y) // self.sizes.lane_step)
        inside = 0 <= lane < self.n_lanes and y - self.lane_top(lane) <= self.sizes.lane
        return lane if inside else None

    def column_at(self, x: float) -> int | None:
        if not 0.0 <= x < self.width:
            return None
        return int(np.searchsorted(self.column_x, x, side="right")) - 1

    def columns_between(self, left: float, right: float) -> tuple[int, int]:
        """The columns that a stretch of x touches, as a half-open range."""
        last_column = len(self.column_x) - 1
        first = int(np.searchsorted(self.column_x, left, side="right")) - 1
        last = int(np.searchsorted(self.column_x, right, side="left"))
        return max(0, min(first, last_column)), max(0, min(last, last_column))


def column_widths(letter_widths: Floats, n_bytes: Ints) -> Floats:
    """Width of every column at full size: the letter with its padding, or the byte bricks of an unknown character."""
    plain = np.maximum(letter_widths + COLUMN_PADDING, NARROWEST_COLUMN)
    return np.where(n_bytes > 0, BYTE_WIDTH * n_bytes + BYTE_PADDING, plain)


def detail_of(column: float) -> Detail:
    """The level of detail of a Latin column of this width.

    >>> [detail_of(width).name for width in (16.0, 12.0, 5.0, 2.0)]
    ['ALL', 'BEST_LETTERS', 'TONES', 'TICKS']
    """
    if column >= NARROWEST_COLUMN:
        return Detail.ALL
    return Detail.BEST_LETTERS if column >= 9.0 else Detail.TONES if column >= 4.0 else Detail.TICKS


def lay_out_bricks(
    widths: Floats, column: float, zoom: float, n_lanes: int, *, brackets: bool, id_lines: int, sizes: BrickSizes
) -> BrickLayout:
    """Coordinates at a zoom of 1 or less; `column` is the width of a Latin column at full size."""
    detail = detail_of(column * zoom)
    column_x = np.concatenate(([0.0], np.cumsum(widths * zoom)))
    top = BRACKETS_HEIGHT if brackets and detail >= Detail.BEST_LETTERS else 0.0
    axis = top + 19.0 if detail != Detail.TICKS else 40.0
    if detail <= Detail.TONES:
        sizes = TONES_SIZES
        text_y, best_y = axis, axis + 7.0
        ids_y = lanes_y = best_y + sizes.best + 6.0
    else:
        text_y, best_y = axis + 22.0, axis + 31.0
        ids_y = best_y + sizes.best + 13.5
        lanes_y = best_y + sizes.best + 8.0 + 12.5 * id_lines
    return BrickLayout(column_x, zoom, column * zoom, detail, sizes, n_lanes, axis, text_y, best_y, ids_y, lanes_y)


def lower_lanes(layout: BrickLayout, height: float) -> BrickSizes:
    """Lanes as low as they must be to fit a height, and as high as they may be."""
    sizes = layout.sizes
    if layout.detail <= Detail.TONES or not layout.n_lanes:
        return sizes
    lowest = LOWEST_STEP if layout.detail == Detail.ALL else LOWEST_PLAIN_STEP
    step = max(lowest, math.floor((height - layout.lanes_y) / layout.n_lanes))
    return sizes if step >= sizes.lane_step else replace(sizes, lane=step - BETWEEN_LANES, lane_step=step)


def place_in_lines(centres: Sequence[float], widths: Sequence[float], n_lines: int, gap: float = ID_GAP) -> list[int]:
    """A line for each text from left to right: the first with room, -1 where no line has any.

    >>> place_in_lines([0, 10, 20], [12, 12, 12], 2)
    [0, 1, 0]
    """
    ends = [-np.inf] * n_lines
    lines = []
    for centre, width in zip(centres, widths, strict=True):
        left = centre - 0.5 * width
        line = next((i for i, end in enumerate(ends) if left >= end + gap), -1)
        if line >= 0:
            ends[line] = centre + 0.5 * width
        lines.append(line)
    return lines


def ruler_step(detail: Detail) -> int:
    """Characters between two numbers of the ruler."""
    return 10 if detail >= Detail.BEST_LETTERS else 50
