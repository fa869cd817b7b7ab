"""What the painters of the bricks share: a stretch of columns to paint, with all that it takes.

In: painter, ink, palette, layout, content, columns. Out: a frozen bundle, made anew for every painting, and the
fonts of the bricks.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from unigram_gui.ink import Ink
from unigram_gui.stamps import Stamps
from unigram_gui.tasks.exploration import Exploration
from unigram_gui.theme import MEDIUM, FontSpec, Palette
from unigram_gui.views.lattice.brick_content import BrickContent, Token
from unigram_gui.views.lattice.brick_layout import BYTE_PADDING, BYTE_WIDTH, BrickLayout

LAST_LATIN = "\u052f"  # Latin, Greek and Cyrillic end here: scripts that stay legible in a heavy weight


@dataclass(frozen=True, eq=False)
class Sight:
    """The columns in sight, as a half-open range, and what they are painted with."""

    painter: QPainter
    ink: Ink
    palette: Palette
    seen: Exploration
    content: BrickContent
    layout: BrickLayout
    columns: tuple[int, int]
    ends: tuple[float, float]  # between which notes stay
    stamps: Stamps | None  # pictures of bricks, where the painter can put them down

    def touches(self, start: int, end: int) -> bool:
        """Whether a stretch of characters is in sight."""
        return end > self.columns[0] and start < self.columns[1]

    def middle(self, start: int, end: int) -> float:
        """The middle of a stretch of characters."""
        x = self.layout.column_x
        return 0.5 * float(x[start] + x[end])


@functools.cache
def letter_spec(cell: str, size: float, weight: int) -> FontSpec:
    """The font of a letter: weights above medium only for scripts whose strokes bear them."""
    return FontSpec("mono", size, weight if cell[0] <= LAST_LATIN or weight <= MEDIUM else MEDIUM)


def token_middle(content: BrickContent, layout: BrickLayout, token: Token) -> float:
    """The middle of a token: of its piece, or of one byte of an unknown character."""
    start, end = float(layout.column_x[token.start]), float(layout.column_x[token.end])
    if token.byte < 0:
        return 0.5 * (start + end)
    whole = BYTE_WIDTH * int(content.n_bytes[token.start]) + BYTE_PADDING
    return start + (end - start) * (0.5 * BYTE_PADDING + BYTE_WIDTH * (token.byte + 0.5)) / whole


def brick_rect(seen: Exploration, content: BrickContent, layout: BrickLayout, edge: int, gap: float = 1.0) -> QRectF:
    """The place of a brick, `gap` in from each side."""
    x, lane = layout.column_x, int(content.lane[edge])
    left, right = x[seen.lattice.edge_start[edge]], x[seen.lattice.edge_end[edge]]
    return QRectF(left + gap, layout.lane_top(lane), right - left - 2.0 * gap, layout.lane_height(lane))
