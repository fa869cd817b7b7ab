"""The bricks: a ruler with the text, under it the best path as solid bricks, under that all other pieces in lanes.

In: an `Exploration`, its `BrickContent` and a zoom. Out: a `LatticeDrawing`. Only the columns in sight are painted;
a brick is put down as a picture and letters go into one glyph run a font and colour, so that the time to paint depends
on what is seen, not on the length of the text.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from unigram_gui.ink import Ink
from unigram_gui.shaping import Shaper
from unigram_gui.tasks.exploration import Exploration
from unigram_gui.theme import SEMI_BOLD, FontSpec, Theme
from unigram_gui.views.lattice.brick_content import BrickContent, brick_content
from unigram_gui.views.lattice.brick_lanes import paint_best, paint_bytes, paint_lanes, paint_marked
from unigram_gui.views.lattice.brick_layout import (
    COLUMN_PADDING,
    LETTER_SIZE,
    WINDOW_SIZES,
    BrickLayout,
    BrickSizes,
    Detail,
    lay_out_bricks,
    lower_lanes,
)
from unigram_gui.views.lattice.brick_numbers import BrickNumbers, row_margins
from unigram_gui.views.lattice.brick_parts import Sight, brick_rect, letter_spec
from unigram_gui.views.lattice.brick_ruler import (
    note_spec,
    paint_cuts,
    paint_forms,
    paint_ruler,
    paint_span,
    paint_walls,
    write_text_line,
)
from unigram_gui.views.lattice.drawing import BEST_ROW, LatticeDrawing, Layer, Marks
from unigram_gui.views.lattice.ticks import paint_ticks

FOOT = 4.0
WALL_REACH = 3.0  # how near to a wall the pointer must be
OVERHANG = 24.0  # how far numbers reach beyond their columns


class BrickDrawing(LatticeDrawing):
    """A lattice of any length. `zoom` under 1 narrows the columns, above 1 the view scales the whole."""

    def __init__(
        self,
        exploration: Exploration,
        theme: Theme,
        shaper: Shaper,
        layers: frozenset[Layer],
        zoom: float = 1.0,
        sizes: BrickSizes = WINDOW_SIZES,
        content: BrickContent | None = None,
        height: float = math.inf,
    ) -> None:
        super().__init__(exploration, theme, shaper, layers)
        self.content = content or make_content(exploration, shaper, layers)
        self.row = np.where(self.content.lane < 0, BEST_ROW, self.content.lane).astype(np.int32)
        self.left, right = row_margins(exploration, layers, shaper)
        # Once to know the columns, and again when it is known how many lines the numbers need.
        columns = self._lay_out(zoom, 0, sizes)
        self.numbers = BrickNumbers(exploration, self.content, columns, layers, shaper)
        layout = self._lay_out(zoom, self.numbers.n_lines, sizes)
        below = self.numbers.rows_height + FOOT
        if layout.height + below > height:
            layout = self._lay_out(zoom, self.numbers.n_lines, lower_lanes(layout, height - below))
        self.layout = layout
        self.width = self.left + max(layout.width + right, self._widest_note())
        self.height = layout.height + below

    @property
    def leaves_out_scores(self) -> bool:
        return self.numbers.leaves_out_scores

    def _lay_out(self, zoom: float, n_lines: int, sizes: BrickSizes) -> BrickLayout:
        column = self.shaper.width("0", FontSpec("mono", LETTER_SIZE)) + COLUMN_PADDING
        widths, n_lanes, brackets = self.content.widths, self.content.n_lanes, bool(self.content.forms)
        return lay_out_bricks(widths, column, min(zoom, 1.0), n_lanes, brackets=brackets, id_lines=n_lines, sizes=sizes)

    def _widest_note(self) -> float:
        """The room that a note over the brackets needs, however short the text is."""
        if not self.content.forms or self.layout.detail < Detail.BEST_LETTERS:
            return 0.0
        return max(self.shaper.width(form.note, note_spec(form)) for form in self.content.forms)

    # Painting

    def _paint(self, painter: QPainter, visible: QRectF, marks: Marks, ink: Ink) -> None:
        painter.translate(self.left, 0.0)
        left, right = visible.left() - self.left - OVERHANG, visible.right() - self.left + OVERHANG
        self.paint_stretch(painter, self.layout.columns_between(left, right), marks, ink)
        painter.translate(-self.left, 0.0)

    def paint_stretch(
        self,
        painter: QPainter,
        columns: tuple[int, int],
        marks: Marks,
        ink: Ink,
        ends: tuple[float, float] | None = None,
    ) -> None:
        """Draw some columns, the painter being where the first column of all begins; notes stay between `ends`."""
        ends = ends or (0.0, self.width - self.left)
        stamps = None if ink.keeps_labels else self.shaper.stamps_for(painter)
        sight = Sight(painter, ink, self.palette, self.exploration, self.content, self.layout, columns, ends, stamps)
        if self.layout.detail == Detail.TICKS:
            paint_ticks(sight)
        elif columns[1] > columns[0]:
            self._paint_columns(sight, marks)
        ink.draw(painter)

    def _paint_columns(self, sight: Sight, marks: Marks) -> None:
        letters = self.layout.detail >= Detail.BEST_LETTERS
        if marks.span is not None:
            paint_span(sight, marks.span)
        paint_ruler(sight)
        if letters and self.content.n_lanes:
            paint_cuts(sight, self._cuts_top())
        if letters:
            paint_walls(sight)
        edges = self.edges_between(sight.columns)
        marked = self._marked_edges(marks, edges)
        in_lanes = self.content.lane[edges] >= 0
        paint_lanes(sight, edges[in_lanes & ~marked])
        paint_best(sight, edges[~in_lanes & ~marked])
        for edge in edges[marked].tolist():
            paint_marked(sight, edge)
        if letters:
            paint_bytes(sight, marks.pieces)
            write_text_line(sight)
            self.numbers.write(sight, -self.left)
            paint_forms(sight)

    def _cuts_top(self) -> float:
        """Under several lines of numbers the cuts begin below them, so that none is struck through."""
        layout = self.layout
        return layout.lanes_y - 3.0 if self.numbers.n_lines > 1 else layout.best_y + layout.sizes.best + 1.0

    def edges_between(self, columns: tuple[int, int]) -> NDArray[np.int64]:
        """The edges that a range of columns touches."""
        lattice = self.exploration.lattice
        first = int(lattice.edge_offsets[max(0, columns[0] - self.content.longest)])
        last = int(lattice.edge_offsets[columns[1]])
        edges = np.arange(first, last)
        return edges[lattice.edge_end[first:last] > columns[0]]

    # What lies where

    def edge_rect(self, edge: int) -> QRectF:
        rect = brick_rect(self.exploration, self.content, self.layout, edge)
        if self.layout.detail == Detail.TICKS:
            rect = QRectF(rect.x(), 4.0, rect.width(), self.layout.axis_y - 4.0)
        return rect.translated(self.left, 0.0)

    def boundary_place(self, boundary: int) -> QPointF:
        return QPointF(self.left + float(self.layout.column_x[boundary]), 0.0)

    def wall_at(self, x: float, y: float) -> int:
        """A wall where it crosses the text line."""
        layout, walls = self.layout, self.exploration.lattice.walls
        on_line = layout.axis_y <= y < layout.best_y and layout.detail >= Detail.BEST_LETTERS
        return self._nearest_wall(layout.column_x[walls] + self.left - x, WALL_REACH) if on_line else -1

    def character_at(self, x: float, y: float) -> int:
        """A character of the text line."""
        layout = self.layout
        column = layout.column_at(x - self.left)
        on_line = layout.axis_y <= y < layout.best_y and layout.detail >= Detail.BEST_LETTERS
        return column if column is not None and on_line else -1

    def character_near(self, x: float, y: float = 0.0) -> int:
        place = min(max(x - self.left, 0.0), self.layout.width - 1e-6)
        return self.layout.column_at(place) or 0

    def edge_at(self, x: float, y: float) -> int:
        column = self.layout.column_at(x - self.left)
        if column is None:
            return -1
        if self.layout.detail == Detail.TICKS:
            return self._best_over(column) if y <= self.layout.axis_y else -1
        lane = self.layout.lane_at(y)
        if lane is None:
            return -1
        return self._best_over(column) if lane < 0 else int(self.content.grid[lane, column])

    def _best_over(self, column: int) -> int:
        path = self.exploration.best
        return path.edges[int(np.searchsorted(path.ends, column, side="right"))]


def make_content(exploration: Exploration, shaper: Shaper, layers: frozenset[Layer]) -> BrickContent:
    """The content of the bricks, measured in the drawing's own letters."""

    def measure(cell: str) -> float:
        return shaper.width(cell, letter_spec(cell, LETTER_SIZE, SEMI_BOLD))

    return brick_content(exploration, measure, shows_posterior=Layer.POSTERIOR in layers)
