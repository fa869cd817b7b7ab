"""The bricks of a long text in rows, broken at cuts of the best path where that can be.

In: a `BrickDrawing` and the room for a row. Out: a `LatticeDrawing` that paints stretches of it one under the other,
each with its ruler, its best lane and as many lanes as its own bricks need. A brick that crosses a break shows in
both rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from unigram_gui.ink import Ink
from unigram_gui.views.lattice.brick_drawing import BrickDrawing
from unigram_gui.views.lattice.brick_layout import Detail
from unigram_gui.views.lattice.drawing import LatticeDrawing, Marks

BETWEEN = 28.0
OVERHANG = 8.0  # numbers of the ruler reach out of their row


@dataclass(frozen=True)
class RowOfBricks:
    """The characters first..last-1 at a height."""

    first: int
    last: int
    top: float
    height: float


class WrappedBricks(LatticeDrawing):
    """Rows of one brick drawing."""

    def __init__(self, bricks: BrickDrawing, room: float) -> None:
        super().__init__(bricks.exploration, bricks.theme, bricks.shaper, bricks.layers)
        self.bricks = bricks
        self.rows = self._rows(row_breaks(bricks, room))
        x = bricks.layout.column_x
        widest = max(float(x[row.last] - x[row.first]) for row in self.rows)
        self.width = bricks.left + widest + OVERHANG
        self.height = self.rows[-1].top + self.rows[-1].height
        self.row = bricks.row

    @property
    def leaves_out_scores(self) -> bool:
        return self.bricks.leaves_out_scores

    def _rows(self, breaks: list[int]) -> tuple[RowOfBricks, ...]:
        rows, top = [], 0.0
        for first, last in pairwise(breaks):
            height = self._height(first, last)
            rows.append(RowOfBricks(first, last, top, height))
            top += height + BETWEEN
        return tuple(rows)

    def _height(self, first: int, last: int) -> float:
        bricks, layout = self.bricks, self.bricks.layout
        if layout.detail == Detail.TICKS:
            return bricks.height
        lanes = bricks.content.lane[bricks.edges_between((first, last))]
        if bricks.numbers.rows_height:
            return bricks.height  # forward and backward stand under the lanes of the whole text
        return layout.lanes_y + (int(lanes.max(initial=-1)) + 1) * layout.sizes.lane_step + 4.0

    def row_of(self, character: int) -> RowOfBricks:
        """The row that a character stands in."""
        firsts = [row.first for row in self.rows]
        return self.rows[max(0, int(np.searchsorted(firsts, character, side="right")) - 1)]

    def _shift(self, row: RowOfBricks) -> float:
        """What a row is moved to the left, compared with all of it on one line."""
        return float(self.bricks.layout.column_x[row.first])

    def _paint(self, painter: QPainter, visible: QRectF, marks: Marks, ink: Ink) -> None:
        left = self.bricks.left
        for row in self.rows:
            if row.top > visible.bottom() or row.top + row.height < visible.top():
                continue
            shift, width = self._shift(row), self.width - left
            inner = Ink(ink.shaper, keep_labels=ink.keeps_labels)
            painter.save()
            painter.translate(left - shift, row.top)
            clip = QRectF(shift - left - OVERHANG, -OVERHANG, left + width + 2.0 * OVERHANG, row.height + OVERHANG)
            painter.setClipRect(clip, Qt.ClipOperation.IntersectClip)
            ends = (shift, shift + self.width - left - OVERHANG)
            self.bricks.paint_stretch(painter, (row.first, row.last), marks, inner, ends)
            painter.restore()
            ink.labels.extend(label.moved(left - shift, row.top) for label in inner.labels)

    def edge_rect(self, edge: int) -> QRectF:
        """The part of a brick in the row where it begins."""
        lattice, x = self.exploration.lattice, self.bricks.layout.column_x
        row = self.row_of(int(lattice.edge_start[edge]))
        rect = self.bricks.edge_rect(edge)
        right = min(rect.right(), self.bricks.left + float(x[row.last]))
        return QRectF(rect.left() - self._shift(row), rect.top() + row.top, right - rect.left(), rect.height())

    def boundary_place(self, boundary: int) -> QPointF:
        """At the end of a row rather than at the beginning of the next one."""
        row = self.row_of(max(0, boundary - 1))
        return self.bricks.boundary_place(boundary) + QPointF(-self._shift(row), row.top)

    def _row_at(self, y: float) -> RowOfBricks | None:
        return next((row for row in self.rows if row.top <= y < row.top + row.height), None)

    def edge_at(self, x: float, y: float) -> int:
        row = self._row_at(y)
        if row is None or not self._is_inside(row, x):
            return -1
        return self.bricks.edge_at(x + self._shift(row), y - row.top)

    def character_at(self, x: float, y: float) -> int:
        row = self._row_at(y)
        if row is None or not self._is_inside(row, x):
            return -1
        return self.bricks.character_at(x + self._shift(row), y - row.top)

    def wall_at(self, x: float, y: float) -> int:
        row = self._row_at(y)
        return -1 if row is None else self.bricks.wall_at(x + self._shift(row), y - row.top)

    def _is_inside(self, row: RowOfBricks, x: float) -> bool:
        place = x - self.bricks.left + self._shift(row)
        return float(self.bricks.layout.column_x[row.first]) <= place < float(self.bricks.layout.column_x[row.last])

    def character_near(self, x: float, y: float = 0.0) -> int:
        row = min(self.rows, key=lambda row: abs(y - row.top - 0.5 * row.height))
        found = self.bricks.character_near(x + self._shift(row))
        return min(max(found, row.first), row.last - 1)


def row_breaks(bricks: BrickDrawing, room: float) -> list[int]:
    """The boundaries where rows begin and end: the last best cut that fits, else the last character that fits.

    Breaking inside of a piece is the last resort, for one that is wider than a row.
    """
    x, n = bricks.layout.column_x, bricks.exploration.n_characters
    cuts = np.array((0, *bricks.exploration.best.ends))
    width = max(room - bricks.left - OVERHANG, 40.0)
    breaks = [0]
    while breaks[-1] < n:
        first = breaks[-1]
        furthest = max(first + 1, int(np.searchsorted(x, x[first] + width, side="right")) - 1)
        cut = int(cuts[np.searchsorted(cuts, furthest, side="right") - 1])
        breaks.append(cut if cut > first else min(furthest, n))
    return breaks
