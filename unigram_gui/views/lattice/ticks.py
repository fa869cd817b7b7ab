"""The farthest zoom of the bricks: one tick a boundary, as tall as the probability that a path cuts there.

In: boundary posteriors and columns. Out: lines. Where several boundaries share a pixel the most probable is drawn.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from unigram_gui.theme import FontSpec
from unigram_gui.views.lattice.brick_parts import Sight

TALLEST = 36.0
LEAST_SEEN = 0.5  # pixels; shorter ticks are not drawn
NUMBER_ROOM = 44.0
NUMBER = FontSpec("sans", 10.0)
STEPS = (10, 50, 100, 500, 1000, 5000, 10000, 50000, 100000)


def paint_ticks(sight: Sight) -> None:
    """Blue ticks on the best path, orange elsewhere, over a ruler."""
    layout, palette, seen, painter = sight.layout, sight.palette, sight.seen, sight.painter
    first, last = sight.columns[0], sight.columns[1] + 1
    x = layout.column_x[first:last]
    height = TALLEST * np.nan_to_num(seen.boundary_posteriors[first:last])
    on_best = np.isin(np.arange(first, last), (0, *seen.best.ends))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    for mask, colour in ((~on_best, palette.picked), (on_best, palette.best_text)):
        pen = QPen(QColor(colour), 1.0 if layout.column < 2.0 else 1.5)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
        painter.drawLines(_tick_lines(x[mask], height[mask], layout.axis_y))
    painter.setPen(QPen(QColor(palette.faint), 1.0))
    painter.drawLine(QLineF(x[0], layout.axis_y, x[-1], layout.axis_y))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    step = number_step(layout.column)
    for i in range(first + -first % step, last, step):
        sight.ink.put(float(layout.column_x[i]), layout.axis_y + 15.0, str(i), NUMBER, palette.ink2)


def number_step(column: float) -> int:
    """Characters between two numbers that do not touch."""
    return next((step for step in STEPS if step * column >= NUMBER_ROOM), STEPS[-1])


def tallest_by_pixel(
    x: NDArray[np.float64], height: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """For each pixel that has any tick the tallest of them.

    >>> tallest_by_pixel(np.array([0.1, 0.6, 2.0]), np.array([3.0, 7.0, 5.0]))
    (array([0, 2]), array([7., 5.]))
    """
    pixels = np.floor(x).astype(np.int64)
    places, index = np.unique(pixels, return_inverse=True)
    tallest = np.zeros(len(places))
    np.maximum.at(tallest, index, height)
    return places, tallest


def _tick_lines(x: NDArray[np.float64], height: NDArray[np.float64], axis: float) -> list[QLineF]:
    pixels, tall = tallest_by_pixel(x, height)
    rows = zip(pixels.tolist(), tall.tolist(), strict=True)
    return [QLineF(place + 0.5, axis - tick, place + 0.5, axis) for place, tick in rows if tick >= LEAST_SEEN]
