"""The bricks: a ruler with the text, under it the best path as solid bricks, under that all other pieces in lanes.

In: an `Exploration`, its `BrickContent` and a zoom. Out: a `LatticeDrawing`. Only the columns in sight are painted;
bricks of one tone go into one path and letters into one glyph run a font and colour, so that the time to paint
depends on what is seen, not on the length of the text.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from unigram_gui.ink import Ink
from unigram_gui.number_text import log_text
from unigram_gui.shaping import Shaper
from unigram_gui.tasks.exploration import Exploration
from unigram_gui.theme import BOLD, MEDIUM, SEMI_BOLD, FontSpec, Theme, mix
from unigram_gui.views.lattice.brick_content import BrickContent, Token, brick_content
from unigram_gui.views.lattice.brick_layout import (
    BRACKETS_HEIGHT,
    BYTE_PADDING,
    BYTE_WIDTH,
    COLUMN_PADDING,
    LETTER_SIZE,
    WINDOW_SIZES,
    BrickLayout,
    BrickSizes,
    Detail,
    lay_out_bricks,
    place_in_lines,
    ruler_step,
)
from unigram_gui.views.lattice.drawing import BEST_ROW, LatticeDrawing, Layer, Marks
from unigram_gui.views.lattice.looks import brick_colours
from unigram_gui.views.lattice.ticks import paint_ticks

ROW_NAMES = ("ln α", "ln β")
ROW_NAMES_GAP = 10.0  # between the names of these rows and their first numbers
BEST_RADIUS, LANE_RADIUS = 6.0, 4.5
LINE_HEIGHT = 12.5  # of IDs and of ln p
NUMBERS_HEIGHT = 20.0  # of a row of forward or backward values
LAST_LATIN = "\u052f"  # Latin, Greek and Cyrillic end here: scripts that stay legible in a heavy weight

RULER_NUMBER = FontSpec("sans", 10.0)
ID_TEXT = FontSpec("sans", 9.5)
NOTE = FontSpec("sans", 10.0)
NOTE_BOLD = FontSpec("sans", 10.0, MEDIUM)
FORM = FontSpec("sans", 22.0)  # shaped as a whole, unlike the columns
BYTE_TEXT = FontSpec("mono", 11.5, MEDIUM)
ROW_NAME = FontSpec("sans", 10.5, SEMI_BOLD)


def letter_spec(cell: str, size: float, weight: int) -> FontSpec:
    """Weights above medium only for scripts whose strokes bear them."""
    return FontSpec("mono", size, weight if cell[0] <= LAST_LATIN or weight <= MEDIUM else MEDIUM)


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
    ) -> None:
        super().__init__(exploration, theme, shaper, layers)
        self.content = content or make_content(exploration, shaper, layers)
        self.row = np.where(self.content.lane < 0, BEST_ROW, self.content.lane).astype(np.int32)
        column = shaper.width("0", FontSpec("mono", LETTER_SIZE)) + COLUMN_PADDING
        half_number = self._half_number()
        names = max(shaper.width(name, ROW_NAME) for name in ROW_NAMES)
        self._x = names + ROW_NAMES_GAP + half_number if half_number else 0.0
        # Once to know the columns, and again when it is known how many lines the IDs need.
        self.layout = self._lay_out(column, min(zoom, 1.0), 0, sizes)
        self._id_lines = self._place_ids()
        self._n_id_lines = 1 + max(self._id_lines, default=-1)
        self._score_lines = self._place_scores()
        self._shows_scores = any(line == 0 for line in self._score_lines)
        n_lines = self._n_id_lines + int(self._shows_scores)
        self.layout = self._lay_out(column, min(zoom, 1.0), n_lines, sizes)
        self.letter_size = LETTER_SIZE * min(1.0, self.layout.column / column)
        self.width = self._x + self.layout.width + half_number
        self.height = self.layout.height + (2.0 * NUMBERS_HEIGHT + 8.0 if self._shows_rows else 4.0)

    # Preparation

    def _lay_out(self, column: float, zoom: float, n_lines: int, sizes: BrickSizes) -> BrickLayout:
        content = self.content
        forms = bool(content.forms)
        return lay_out_bricks(
            content.widths, column, zoom, content.n_lanes, brackets=forms, id_lines=n_lines, sizes=sizes
        )

    def _half_number(self) -> float:
        """Half the width of the longest number at the ends of the forward and backward rows."""
        if Layer.FORWARD_BACKWARD not in self.layers:
            return 0.0
        return 0.5 * self.shaper.width(log_text(min(self.exploration.log_z, 0.0), 2), ID_TEXT)

    @property
    def _shows_rows(self) -> bool:
        return Layer.FORWARD_BACKWARD in self.layers and self.layout.detail >= Detail.BEST_LETTERS

    def _place_ids(self) -> list[int]:
        if Layer.IDS not in self.layers or self.layout.detail < Detail.BEST_LETTERS:
            return []
        tokens = self.content.tokens
        centres = [self._token_centre(token) for token in tokens]
        widths = [self.shaper.width(str(token.id), ID_TEXT) for token in tokens]
        n_lines = 2 if self.layout.detail == Detail.ALL else 1
        return place_in_lines(centres, widths, n_lines)

    def _token_centre(self, token: Token) -> float:
        x = self.layout.column_x
        if token.byte < 0:
            return 0.5 * float(x[token.start] + x[token.end])
        n_bytes, width = int(self.content.n_bytes[token.start]), float(x[token.end] - x[token.start])
        return float(x[token.start]) + width * (0.5 * BYTE_PADDING + BYTE_WIDTH * (token.byte + 0.5)) / (
            BYTE_WIDTH * n_bytes + BYTE_PADDING
        )

    def _place_scores(self) -> list[int]:
        if Layer.LN_P not in self.layers or self.layout.detail != Detail.ALL:
            return []
        x, path = self.layout.column_x, self.exploration.best
        centres = [0.5 * float(x[a] + x[b]) for a, b in zip(path.starts, path.ends, strict=True)]
        widths = [self.shaper.width(self._score(edge), ID_TEXT) for edge in path.edges]
        return place_in_lines(centres, widths, 1)

    def _score(self, edge: int) -> str:
        return log_text(float(self.exploration.lattice.edge_log_p[edge]), 2)

    # Painting

    def _paint(self, painter: QPainter, visible: QRectF, marks: Marks, ink: Ink) -> None:
        painter.translate(self._x, 0.0)
        columns = self.layout.columns_between(visible.left() - self._x - 24.0, visible.right() - self._x + 24.0)
        if self.layout.detail == Detail.TICKS:
            paint_ticks(painter, self, columns, ink)
        elif columns[1] > columns[0]:
            self._paint_bricks(painter, columns, self._marked_edges(marks), marks, ink)
        ink.draw(painter)
        painter.translate(-self._x, 0.0)

    def _paint_bricks(
        self, painter: QPainter, columns: tuple[int, int], marked: NDArray[np.bool_], marks: Marks, ink: Ink
    ) -> None:
        self._paint_ruler(painter, columns, ink)
        self._paint_cuts(painter, columns)
        edges = self._edges_between(columns)
        self._paint_lanes(painter, edges[(self.content.lane[edges] >= 0) & ~marked[edges]], ink)
        best = edges[self.content.lane[edges] < 0]
        self._paint_best(painter, best, ink)
        for edge in edges[marked[edges]].tolist():
            self._paint_marked(painter, edge, ink)
        if self.layout.detail >= Detail.BEST_LETTERS:
            self._paint_bytes(painter, columns, marks, ink)
            self._write_text_line(columns, ink)
            self._write_ids(painter, columns, ink)
            self._write_scores(columns, ink)
            self._paint_forms(painter, columns, ink)
            if self._shows_rows:
                self._write_rows(painter, columns, ink)

    def _edges_between(self, columns: tuple[int, int]) -> NDArray[np.int64]:
        lattice = self.exploration.lattice
        first = int(lattice.edge_offsets[max(0, columns[0] - self.content.longest)])
        last = int(lattice.edge_offsets[columns[1]])
        edges = np.arange(first, last)
        return edges[lattice.edge_end[first:last] > columns[0]]

    def _paint_ruler(self, painter: QPainter, columns: tuple[int, int], ink: Ink) -> None:
        x, axis, palette = self.layout.column_x, self.layout.axis_y, self.palette
        step = ruler_step(self.layout.detail)
        first, last = columns
        painter.setPen(QPen(QColor(palette.faint), 1.0))
        painter.drawLine(QLineF(x[first], axis, x[last], axis))
        lines = []
        for i in range(first, last + 1):
            if i % step == 0:
                ink.put(float(x[i]), axis - 9.5, str(i), RULER_NUMBER, palette.ink2)
            if i % step == 0 or step == 10:
                lines.append(QLineF(x[i], axis - (6.0 if i % 10 == 0 else 4.0 if i % 5 == 0 else 2.5), x[i], axis))
        painter.drawLines(lines)

    def _paint_cuts(self, painter: QPainter, columns: tuple[int, int]) -> None:
        if self.layout.detail < Detail.BEST_LETTERS or not self.content.n_lanes:
            return
        x, layout = self.layout.column_x, self.layout
        # Under several lines of numbers the cuts begin below them, so that none is struck through.
        crowded = self._n_id_lines > 1 or self._shows_scores
        top = layout.lanes_y - 3.0 if crowded else layout.best_y + layout.sizes.best + 1.0
        bottom = layout.height - 3.0
        pen = QPen(QColor(mix(self.palette.paper, self.palette.faint, 0.7)), 1.0)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        pen.setDashPattern([1.0, 2.5])
        painter.setPen(pen)
        cuts = [end for end in self.exploration.best.ends if columns[0] < end <= columns[1]]
        painter.drawLines([QLineF(x[i], top, x[i], bottom) for i in cuts if i < len(self.content.cells)])

    def _rect(self, edge: int, gap: float = 1.0) -> QRectF:
        lattice, layout = self.exploration.lattice, self.layout
        left, right = layout.column_x[lattice.edge_start[edge]], layout.column_x[lattice.edge_end[edge]]
        lane = int(self.content.lane[edge])
        return QRectF(left + gap, layout.lane_top(lane), right - left - 2.0 * gap, layout.lane_height(lane))

    def _paint_lanes(self, painter: QPainter, edges: NDArray[np.int64], ink: Ink) -> None:
        small = self.layout.detail == Detail.TONES
        radius = min(1.5 if small else LANE_RADIUS, 0.45 * self.layout.column)
        paths: dict[int, QPainterPath] = defaultdict(QPainterPath)
        gap = 0.5 if small else 1.5
        inset = 0.0 if small else 0.5
        for edge, level in zip(edges.tolist(), self.content.level[edges].tolist(), strict=True):
            rect = self._rect(edge, gap).adjusted(0.0, inset, 0.0, -inset)
            paths[level].addRoundedRect(rect, radius, radius)
        for level, path in paths.items():
            fill, border, _ = brick_colours(self.palette, level)
            painter.setPen(Qt.PenStyle.NoPen if small else QPen(QColor(border), 1.0))
            # Without a border a faint brick shows by its border's colour.
            painter.setBrush(QColor(mix(fill, border, 0.5) if small else fill))
            painter.drawPath(path)
        if self.layout.detail == Detail.ALL:
            for edge, level in zip(edges.tolist(), self.content.level[edges].tolist(), strict=True):
                colour = brick_colours(self.palette, level)[2]
                self._write_letters(edge, self.letter_size - 2.0, MEDIUM, colour, self.palette.ink3, ink)

    def _write_letters(self, edge: int, size: float, weight: int, colour: str, quiet: str, ink: Ink) -> None:
        lattice, x = self.exploration.lattice, self.layout.column_x
        lane = int(self.content.lane[edge])
        baseline = self.layout.lane_top(lane) + 0.5 * self.layout.lane_height(lane) + 0.35 * size
        for i in range(int(lattice.edge_start[edge]), int(lattice.edge_end[edge])):
            cell = self.content.cells[i]
            centre = 0.5 * float(x[i] + x[i + 1])
            ink.put(centre, baseline, cell, letter_spec(cell, size, weight), colour, quiet=quiet)

    def _paint_best(self, painter: QPainter, edges: NDArray[np.int64], ink: Ink) -> None:
        radius = min(BEST_RADIUS, 0.45 * self.layout.column)
        path = QPainterPath()
        for edge in edges.tolist():
            path.addRoundedRect(self._rect(edge, 0.5 if self.layout.detail == Detail.TONES else 1.0), radius, radius)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self.palette.best))
        painter.drawPath(path)
        if self.layout.detail < Detail.BEST_LETTERS:
            return
        quiet = mix(self.palette.best, self.palette.on_best, 0.65)
        for edge in edges.tolist():
            if not self._is_bytes(edge):
                self._write_letters(edge, self.letter_size, SEMI_BOLD, self.palette.on_best, quiet, ink)

    def _is_bytes(self, edge: int) -> bool:
        is_best = self.content.lane[edge] < 0
        return bool(is_best and self.content.n_bytes[self.exploration.lattice.edge_start[edge]] > 0)

    def _paint_marked(self, painter: QPainter, edge: int, ink: Ink) -> None:
        palette = self.palette
        small = self.layout.detail == Detail.TONES
        radius = min(BEST_RADIUS if self.content.lane[edge] < 0 else LANE_RADIUS, 0.45 * self.layout.column)
        rect = self._rect(edge)
        painter.setPen(Qt.PenStyle.NoPen if small else QPen(QColor(palette.picked), 2.0))
        painter.setBrush(QColor(palette.picked if small else palette.picked_tint))
        painter.drawRoundedRect(rect if small else rect.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        in_lane = self.content.lane[edge] >= 0
        if self.layout.detail == Detail.ALL or (self.layout.detail == Detail.BEST_LETTERS and not in_lane):
            size = self.letter_size - (2.0 if in_lane else 0.0)
            if not self._is_bytes(edge):
                self._write_letters(edge, size, BOLD, palette.picked, palette.picked, ink)

    def _paint_bytes(self, painter: QPainter, columns: tuple[int, int], marks: Marks, ink: Ink) -> None:
        """Over the brick of an unknown character: a tinted frame with a solid brick for each of its bytes."""
        palette, layout = self.palette, self.layout
        zoom = layout.column / (self.shaper.width("0", FontSpec("mono", LETTER_SIZE)) + COLUMN_PADDING)
        for i in (np.flatnonzero(self.content.n_bytes[columns[0] : columns[1]]) + columns[0]).tolist():
            frame = QRectF(layout.column_x[i] + 1.0, layout.best_y, 0.0, layout.sizes.best)
            frame.setRight(layout.column_x[i + 1] - 1.0)
            painter.setPen(QPen(QColor(palette.best), 1.6))
            painter.setBrush(QColor(palette.best_tint))
            painter.drawRoundedRect(frame.adjusted(0.8, 0.8, -0.8, -0.8), BEST_RADIUS, BEST_RADIUS)
            for token in self.content.byte_tokens[i]:
                half = 0.5 * (BYTE_WIDTH - 2.0) * zoom
                brick = QRectF(self._token_centre(token) - half, frame.top() + 4.0, 2.0 * half, frame.height() - 8.0)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(palette.picked_fill if token.id in marks.pieces else palette.best))
                painter.drawRoundedRect(brick, 3.5, 3.5)
                if layout.detail == Detail.ALL:
                    ink.put(brick.center().x(), brick.center().y() + 4.2, token.text, BYTE_TEXT, palette.on_best)

    def _write_text_line(self, columns: tuple[int, int], ink: Ink) -> None:
        x, palette = self.layout.column_x, self.palette
        for i in range(*columns):
            cell = self.content.cells[i]
            spec = letter_spec(cell, self.letter_size, MEDIUM)
            ink.put(0.5 * float(x[i] + x[i + 1]), self.layout.text_y, cell, spec, palette.ink, quiet=palette.ink3)

    def _write_ids(self, painter: QPainter, columns: tuple[int, int], ink: Ink) -> None:
        top, stems = self.layout.best_y + self.layout.sizes.best, []
        for token, line in zip(self.content.tokens, self._id_lines, strict=False):
            if token.end <= columns[0] or token.start >= columns[1] or line < 0:
                continue
            x = self._token_centre(token)
            ink.put(x, self.layout.ids_y + LINE_HEIGHT * line, str(token.id), ID_TEXT, self.palette.ink3)
            if line:
                stems.append(QLineF(x, top + 2.0, x, self.layout.ids_y + LINE_HEIGHT * line - 8.5))
        painter.setPen(QPen(QColor(self.palette.faint), 1.0))
        painter.drawLines(stems)

    def _write_scores(self, columns: tuple[int, int], ink: Ink) -> None:
        if not self._shows_scores:
            return
        x, path = self.layout.column_x, self.exploration.best
        baseline = self.layout.ids_y + LINE_HEIGHT * self._n_id_lines
        for edge, start, end, line in zip(path.edges, path.starts, path.ends, self._score_lines, strict=True):
            if line == 0 and end > columns[0] and start < columns[1]:
                ink.put(0.5 * float(x[start] + x[end]), baseline, self._score(edge), ID_TEXT, self.palette.ink2)

    def _paint_forms(self, painter: QPainter, columns: tuple[int, int], ink: Ink) -> None:
        x, palette = self.layout.column_x, self.palette
        forms = self.content.forms
        centres = [0.5 * float(x[form.start] + x[form.end]) for form in forms]
        notes = [NOTE_BOLD if form.right_to_left else NOTE for form in forms]
        note_widths = [ink.width(form.note, spec) for form, spec in zip(forms, notes, strict=True)]
        note_lines = place_in_lines(centres, note_widths, 1, 8.0)
        form_lines = place_in_lines(centres, [ink.width(form.text, FORM) for form in forms], 1, 4.0)
        for i, form in enumerate(forms):
            if form.end <= columns[0] or form.start >= columns[1]:
                continue
            colour = palette.picked if form.right_to_left else palette.ink3
            self._paint_bracket(painter, float(x[form.start]), float(x[form.end]), colour)
            if form_lines[i] == 0:
                ink.put(centres[i], BRACKETS_HEIGHT - 40.0, form.text, FORM, palette.ink)
            if note_lines[i] == 0:
                ink.put(centres[i], BRACKETS_HEIGHT - 66.0, form.note, notes[i], colour)

    def _paint_bracket(self, painter: QPainter, left: float, right: float, colour: str) -> None:
        top = BRACKETS_HEIGHT - 27.0
        painter.setPen(QPen(QColor(colour), 1.3))
        painter.drawPolyline(
            [
                QPointF(left + 1.0, top + 6.0),
                QPointF(left + 1.0, top),
                QPointF(right - 1.0, top),
                QPointF(right - 1.0, top + 6.0),
            ]
        )

    def _write_rows(self, painter: QPainter, columns: tuple[int, int], ink: Ink) -> None:
        """Forward and backward at the cuts of the best path, as far as there is room."""
        seen, x, palette = self.exploration, self.layout.column_x, self.palette
        cuts = [0, *seen.best.ends]
        for row, (name, values) in enumerate(zip(ROW_NAMES, (seen.log_forward, seen.log_backward), strict=True)):
            baseline = self.layout.height + 8.0 + NUMBERS_HEIGHT * (row + 1) - 6.0
            y = baseline - 14.0
            painter.setPen(QPen(QColor(palette.hairline), 1.0))
            painter.drawLine(QLineF(-self._x, y, float(x[columns[1]]), y))
            ink.put(-self._x, baseline, name, ROW_NAME, palette.ink2, align=0.0)
            texts = [log_text(float(values[i]), 2) for i in cuts]
            lines = place_in_lines([float(x[i]) for i in cuts], [ink.width(t, ID_TEXT) for t in texts], 1, 5.0)
            for i, text, line in zip(cuts, texts, lines, strict=True):
                if line == 0 and columns[0] <= i <= columns[1]:
                    ink.put(float(x[i]), baseline, text, ID_TEXT, palette.ink)

    # What lies where

    def edge_rect(self, edge: int) -> QRectF:
        if self.layout.detail == Detail.TICKS:
            lattice, x = self.exploration.lattice, self.layout.column_x
            left, right = x[lattice.edge_start[edge]], x[lattice.edge_end[edge]]
            return QRectF(self._x + left, 4.0, right - left, self.layout.axis_y - 4.0)
        return self._rect(edge).translated(self._x, 0.0)

    def character_at(self, x: float, y: float) -> int:
        """A character of the text line or of a byte brick's column."""
        layout = self.layout
        column = layout.column_at(x - self._x)
        if column is None or not layout.axis_y <= y < layout.best_y or layout.detail < Detail.BEST_LETTERS:
            return -1
        return column

    def edge_at(self, x: float, y: float) -> int:
        layout = self.layout
        column = layout.column_at(x - self._x)
        if column is None:
            return -1
        if layout.detail == Detail.TICKS:
            return self._best_over(column) if y <= layout.axis_y else -1
        lane = layout.lane_at(y)
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
