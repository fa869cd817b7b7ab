"""The strip under a drawing that says how looks and posteriors go together.

In: a theme and which drawing it is for. Out: painting at a place, as many samples as fit a width.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from unigram_gui.ink import Ink
from unigram_gui.theme import SEMI_BOLD, FontSpec, Palette
from unigram_gui.views.lattice.looks import arc_tone, arc_width, brick_border, brick_fill, strength, wall_pen

HEIGHT = 24.0
NAME = FontSpec("sans", 11.0, SEMI_BOLD)
TEXT = FontSpec("sans", 11.0)
PATCH = 24.0
NARROWEST_GAP, WIDEST_GAP = 9.0, 22.0
WALL, WALL_GAP = "no piece spans it", 16.0
NO_ROOM = "some ln p have no room: zoom in"
OTHERS = "other pieces, by posterior"
GRAPH_SAMPLES = ((0.5, "50 %"), (0.2, "20 %"), (0.05, "5 %"), (0.01, "1 %"), (0.001, "0.1 %"), (0.0001, "≤ 0.01 %"))
BRICK_SAMPLES = ((0.5, "50 %"), (0.1, "10 %"), (0.01, "1 %"), (0.001, "0.1 %"), (0.0001, "≤ 0.01 %"))


def paint_legend(
    painter: QPainter,
    ink: Ink,
    palette: Palette,
    mode: str,
    x: float,
    y: float,
    width: float,
    posterior: bool,
    walls: bool = False,
    lacks_scores: bool = False,
) -> None:
    """Draw the strip with its middle line at `y`; samples that do not fit `width` are left out, but for the walls."""
    end = x + width
    if lacks_scores and 1.6 * ink.width(NO_ROOM, TEXT) < width:
        end -= ink.put(end, y + 4.0, NO_ROOM, TEXT, palette.ink2, align=1.0) + WALL_GAP
        width = end - x
    if walls and 2.0 * ink.width(WALL, TEXT) < width:
        end -= ink.put(end, y + 4.0, WALL, TEXT, palette.ink3, align=1.0) + WALL_GAP
        painter.setPen(wall_pen(palette))
        painter.drawLine(QLineF(end + 0.5 * WALL_GAP, y - 7.0, end + 0.5 * WALL_GAP, y + 7.0))
        width = end - x
    between = _gap(ink, mode, width) if posterior else WIDEST_GAP
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(palette.best))
    radius = 5.5 if mode == "graph" else 4.0
    painter.drawRoundedRect(QRectF(x, y - 5.5, PATCH + 5.0, 11.0), radius, radius)
    x += PATCH + 13.0
    x += ink.put(x, y + 4.0, _best_name(mode), NAME, palette.ink2, align=0.0) + between
    others = OTHERS if posterior else "other pieces"
    if x + ink.width(others, TEXT) > end:
        return
    x += ink.put(x, y + 4.0, others, TEXT, palette.ink3, align=0.0) + 12.0
    samples = GRAPH_SAMPLES if mode == "graph" else BRICK_SAMPLES
    for share, text in samples if posterior else ((0.0001, ""),):
        if x + PATCH + 6.0 + ink.width(text, TEXT) > end:
            return
        (_paint_arc if mode == "graph" else _paint_brick)(painter, palette, share, x, y)
        x += PATCH + 6.0
        x += ink.put(x, y + 4.0, text, TEXT, palette.ink3, align=0.0) + 0.7 * between


def _gap(ink: Ink, mode: str, width: float) -> float:
    """The gap that lets all samples fit, as far as it stays a gap."""
    samples = GRAPH_SAMPLES if mode == "graph" else BRICK_SAMPLES
    words = ink.width(_best_name(mode), NAME) + ink.width(OTHERS, TEXT)
    taken = PATCH + 25.0 + words + sum(PATCH + 6.0 + ink.width(text, TEXT) for _, text in samples)
    gap = (width - taken) / (1.0 + 0.7 * (len(samples) - 1))
    return min(max(gap, NARROWEST_GAP), WIDEST_GAP)


def _best_name(mode: str) -> str:
    return "best path" if mode == "graph" else "best path, ID below"


def _paint_arc(painter: QPainter, palette: Palette, share: float, x: float, y: float) -> None:
    posterior = np.array([share])
    pen = QPen(QColor(arc_tone(palette, float(strength(posterior)[0]))), float(arc_width(posterior)[0]))
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    painter.setPen(pen)
    painter.drawLine(QLineF(x, y, x + PATCH, y))


def _paint_brick(painter: QPainter, palette: Palette, share: float, x: float, y: float) -> None:
    s = float(strength(np.array([share]))[0])
    painter.setPen(QPen(QColor(brick_border(palette, s)), 1.0))
    painter.setBrush(QColor(brick_fill(palette, s)))
    painter.drawRoundedRect(QRectF(x, y - 5.5, PATCH, 11.0), 3.5, 3.5)
