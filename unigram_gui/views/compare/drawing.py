"""What the drawings of a comparison share: colours of the two sides, badges, chips, and the face they show.

In: a painter and ink. Out: painting. A is blue, B is orange, and each also has its letter and its place: A above, B
below.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from unigram_gui.ink import Ink
from unigram_gui.theme import BOLD, MEDIUM, SEMI_BOLD, FontSpec, Palette, mix

BADGE_RADIUS = 9.5
CHIP_HEIGHT, CHIP_PADDING, CHIP_GAP = 19.0, 5.0, 3.0

TITLE = FontSpec("sans", 12.5, SEMI_BOLD)
NOTE = FontSpec("sans", 11.5)
BODY = FontSpec("sans", 11.5)
NUMBER = FontSpec("sans", 11.5, BOLD)
BADGE = FontSpec("sans", 11.0, BOLD)
CHIP = FontSpec("mono", 11.5, MEDIUM)
PIECE = FontSpec("mono", 11.5, SEMI_BOLD)


class Drawing(Protocol):
    """Something of a size that paints what is visible of it."""

    width: float
    height: float

    def paint(self, painter: QPainter, ink: Ink, visible: QRectF) -> None: ...

    def spoken(self) -> str: ...


def side_fill(palette: Palette, side: str) -> str:
    """The solid colour of a side, for white letters."""
    return palette.best if side == "A" else palette.picked_fill


def side_line(palette: Palette, side: str) -> str:
    """The colour of a side for lines on paper."""
    return palette.best_text if side == "A" else palette.picked


def quiet_on(palette: Palette, side: str) -> str:
    """Space markers on a solid brick."""
    return mix(side_fill(palette, side), palette.on_best, 0.65)


def shade(palette: Palette) -> str:
    """The ground of a stretch that is cut differently."""
    return mix(palette.paper, palette.edge, 0.14 if palette.dark else 0.10)


def paint_badge(painter: QPainter, ink: Ink, palette: Palette, side: str, x: float, middle: float) -> float:
    """Paint the letter of a side in its disc; return where it ends."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(side_fill(palette, side)))
    painter.drawEllipse(QPointF(x + BADGE_RADIUS, middle), BADGE_RADIUS, BADGE_RADIUS)
    ink.put(x + BADGE_RADIUS, middle + 4.0, side, BADGE, palette.on_best)
    return x + 2.0 * BADGE_RADIUS


def paint_chips(
    painter: QPainter, ink: Ink, palette: Palette, side: str, pieces: Iterable[str], x: float, middle: float
) -> float:
    """Paint pieces as small bricks of a side; return where they end."""
    for piece in pieces:
        width = ink.width(piece, CHIP) + 2.0 * CHIP_PADDING
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(side_fill(palette, side)))
        painter.drawRoundedRect(QRectF(x, middle - 0.5 * CHIP_HEIGHT, width, CHIP_HEIGHT), 4.5, 4.5)
        ink.put(x + CHIP_PADDING, middle + 4.0, piece, CHIP, palette.on_best, 0.0, quiet_on(palette, side))
        x += width + CHIP_GAP
    return x - CHIP_GAP


def chips_width(ink: Ink, pieces: Iterable[str]) -> float:
    """How wide `paint_chips` paints them."""
    return sum(ink.width(piece, CHIP) + 2.0 * CHIP_PADDING + CHIP_GAP for piece in pieces) - CHIP_GAP


def paint_arrow(painter: QPainter, colour: str, x: float, start: float, end: float) -> None:
    """Paint an upright arrow from `start` to its head at `end`."""
    back = 5.0 if end < start else -5.0
    painter.setPen(QPen(QColor(colour), 2.0))
    painter.drawLine(QLineF(x, start, x, end + back))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    painter.drawPolygon([QPointF(x - 4.0, end + back), QPointF(x + 4.0, end + back), QPointF(x, end)])


def paint_heading(
    painter: QPainter, ink: Ink, palette: Palette, title: str, note: str, baseline: float, left: float, right: float
) -> None:
    """Paint a title, a note at the right, a hairline below."""
    ink.put(left, baseline, title, TITLE, palette.ink, align=0.0)
    if note:
        ink.put(right, baseline, note, NOTE, palette.ink2, align=1.0)
    painter.setPen(QPen(QColor(palette.hairline), 1.0))
    painter.drawLine(QLineF(left, baseline + 12.0, right, baseline + 12.0))
