"""Paints the lines of a sheet: leads, bricks, notes, figures, bars.

In: what is shown and where. Out: painting; bricks are put down as pictures where the painter can.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from unigram_gui.ink import Ink
from unigram_gui.theme import BOLD, FontSpec, Palette, mix
from unigram_gui.views.lattice.looks import brick_border, brick_fill, unknown_pen
from unigram_gui.views.sheet_lines import (
    BRICK,
    LEFT_OUT,
    LEFT_OUT_ROOM,
    MARGIN,
    NUMBER,
    NUMBER_BOLD,
    PIECE,
    ROW,
    Columns,
    Line,
    SheetLayout,
)

RADIUS, BAR_HEIGHT = 3.5, 10.0
PIECE_BOLD = FontSpec("mono", 11.5, BOLD)


@dataclass(frozen=True)
class _Look:
    """How a brick looks."""

    fill: str
    border: str
    width: float
    colour: str
    quiet: str
    spec: FontSpec
    dashed: bool = False


@functools.cache
def _looks(palette: Palette) -> dict[str, _Look]:
    """The looks of bricks: of the best path, of others, of those that are picked or pointed at."""

    def look(fill: str, border: str, width: float, colour: str, spec: FontSpec) -> _Look:
        return _Look(fill, border, width, colour, mix(fill, colour, 0.7), spec)

    looks = {
        "plain": look(brick_fill(palette, 0.25), brick_border(palette, 0.25), 1.0, palette.ink2, PIECE),
        "best": look(palette.best, palette.best, 1.0, palette.on_best, PIECE),
        "marked": look(palette.picked_tint, palette.picked, 2.0, palette.picked, PIECE_BOLD),
    }
    dashed = {f"unknown {name}": replace(one, dashed=True) for name, one in looks.items()}
    dashed["unknown best"] = replace(look(palette.best_tint, palette.best, 1.0, palette.best_text, PIECE), dashed=True)
    return looks | dashed


class SheetPainter:
    """Paints lines on one painter, once."""

    def __init__(
        self,
        painter: QPainter,
        ink: Ink,
        palette: Palette,
        columns: Columns,
        layout: SheetLayout,
        width: float,
        is_lit: Callable[[int], bool],
    ) -> None:
        self._painter, self._ink, self._palette = painter, ink, palette
        self._columns, self._layout, self._width, self._is_lit = columns, layout, width, is_lit
        self._stamps = None if ink.keeps_labels else ink.shaper.stamps_for(painter)

    def paint_line(self, number: int, line: Line, top: float, is_chosen: bool) -> None:
        """Paint one line from its upper side on."""
        palette, baseline, put = self._palette, top + 15.0, self._ink.put
        if is_chosen:
            self._painter.fillRect(QRectF(0.0, top, self._width, ROW), QColor(palette.picked_tint))
        spec = NUMBER_BOLD if line.is_bold else NUMBER
        if line.lead:
            colour, room = palette.ink if line.is_bold else palette.ink2, self._columns.lead - 4.0 - MARGIN
            put(MARGIN, baseline, self._elided(line.lead, spec, room), spec, colour, align=0.0)
        end = self._paint_bricks(number, line, top) if line.pieces else self._columns.lead
        if line.note:
            left = end + (8.0 if line.pieces else 0.0)
            note = self._elided(line.note, NUMBER, self._layout.bricks_end - end - 8.0)
            put(left, baseline, note, NUMBER, palette.ink2, align=0.0)
        for place, text in zip(self._columns.figures, line.figures, strict=False):
            if text:
                put(self._width - place, baseline, text, spec, palette.ink, align=1.0)
        if line.share is not None and self._columns.bar:
            bar = QRectF(self._width - self._columns.bar_left, top + 6.0, self._columns.bar, BAR_HEIGHT)
            self._paint_bar(bar, line.share, line.is_best)
            if line.tick is not None:
                x = bar.left() + bar.width() * min(line.tick, 1.0)
                painter = self._painter
                painter.fillRect(QRectF(x - 1.0, bar.top() - 3.0, 2.0, bar.height() + 6.0), QColor(palette.picked))

    def _elided(self, text: str, spec: FontSpec, room: float) -> str:
        if self._ink.width(text, spec) <= room:
            return text
        while text and self._ink.width(text + LEFT_OUT, spec) > room:
            text = text[:-1]
        return text + LEFT_OUT

    def _paint_bar(self, rect: QRectF, share: float, is_best: bool) -> None:
        palette, painter = self._palette, self._painter
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(palette.grid))
        painter.drawRoundedRect(rect, 2.0, 2.0)
        filled = QRectF(rect.left(), rect.top(), max(1.0, rect.width() * min(share, 1.0)), rect.height())
        painter.setBrush(QColor(palette.best if is_best else mix(palette.paper, palette.edge, 0.5)))
        painter.drawRoundedRect(filled, 2.0, 2.0)

    def _paint_bricks(self, number: int, line: Line, top: float) -> float:
        """Paint what has room; return where the last brick ends."""
        row, baseline, ink3 = self._layout.row(number), top + 14.0, self._palette.ink3
        if row.first:
            self._ink.put(self._columns.lead + 5.0, baseline, LEFT_OUT, PIECE, ink3)
        for i, (left, width) in enumerate(zip(row.lefts, row.widths, strict=True), row.first):
            marked = i in line.outlined or self._is_lit(line.id_of(i))
            look = "marked" if marked else "best" if line.is_best else "plain"
            look = f"unknown {look}" if line.is_unknown(i) else look
            self._put_brick(left, top + 0.5 * (ROW - BRICK), width, line.pieces[i], look)
        if row.is_cut:
            self._ink.put(row.end - LEFT_OUT_ROOM + 5.0, baseline, LEFT_OUT, PIECE, ink3)
        return row.end

    def _put_brick(self, left: float, top: float, width: float, text: str, look: str) -> None:
        if self._stamps is None:
            rect = QRectF(left, top, width, BRICK)
            _paint_brick(self._painter, self._ink, rect, text, _looks(self._palette)[look])
            return
        key = "line", text, look
        picture = self._stamps.find(key)
        if picture is None:
            around = QRectF(left, top, width, BRICK).adjusted(-1.0, -1.0, 1.0, 1.0)  # the outline reaches beyond it
            picture = self._stamps.make(key, around, lambda painter: self._paint_alone(painter, around, text, look))
        self._painter.drawPixmap(round(left - 1.0), round(top - 1.0), picture)

    def _paint_alone(self, painter: QPainter, rect: QRectF, text: str, look: str) -> None:
        ink = Ink(self._ink.shaper)
        _paint_brick(painter, ink, rect.adjusted(1.0, 1.0, -1.0, -1.0), text, _looks(self._palette)[look])
        ink.draw(painter)


def _paint_brick(painter: QPainter, ink: Ink, rect: QRectF, text: str, look: _Look) -> None:
    painter.setPen(unknown_pen(look.border, look.width) if look.dashed else QPen(QColor(look.border), look.width))
    painter.setBrush(QColor(look.fill))
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
    ink.put(rect.center().x(), rect.center().y() + 4.0, text, look.spec, look.colour, quiet=look.quiet)
