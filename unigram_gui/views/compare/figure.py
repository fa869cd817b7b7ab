"""The whole comparison as a figure by itself: both lattices, what makes the difference, the two vocabularies.

In: a `TextPair`, the vocabularies compared, a theme. Out: something of a fixed size that paints itself, for
`export.figures`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen

from unigram_gui.ink import Ink
from unigram_gui.shaping import Shaper
from unigram_gui.tasks.comparing import TextPair
from unigram_gui.theme import SEMI_BOLD, FontSpec, Theme
from unigram_gui.views.compare.bars import BarsDrawing
from unigram_gui.views.compare.drawing import Drawing
from unigram_gui.views.compare.reasons import ReasonsDrawing
from unigram_gui.views.compare.text_drawing import TextPairDrawing

if TYPE_CHECKING:
    from engine.comparison import VocabularyComparison

MARGIN, TITLE_HEIGHT, GAP = 48.0, 44.0, 26.0
TITLE = FontSpec("sans", 17.0, SEMI_BOLD)
REASONS = 12


class CompareFigure:
    """Two vocabularies on one text, ready to be painted at any scale."""

    def __init__(
        self, text_pair: TextPair, vocabularies: VocabularyComparison, theme: Theme, all_pieces: bool = True
    ) -> None:
        self.theme = theme
        self._shaper = Shaper(theme)
        palette = theme.palette
        text = TextPairDrawing(text_pair, palette, self._shaper, all_pieces)
        reasons = ReasonsDrawing(text_pair.compared, palette, self._shaper, REASONS)
        bars = BarsDrawing(vocabularies, palette, self._shaper, max(text.width, reasons.width))
        self.parts: tuple[Drawing, ...] = (text, reasons, bars)
        self.width = max(part.width for part in self.parts) + 2.0 * MARGIN
        self.height = MARGIN + TITLE_HEIGHT + sum(part.height + GAP for part in self.parts) + 0.4 * MARGIN

    @property
    def background(self) -> str:
        return self.theme.palette.paper

    @property
    def title(self) -> str:
        return "Compare"

    def paint(self, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        palette = self.theme.palette
        painter.fillRect(QRectF(0.0, 0.0, self.width, self.height), QColor(palette.paper))
        ink = Ink(self._shaper)
        ink.put(MARGIN, MARGIN + 2.0, self.title, TITLE, palette.ink, align=0.0)
        painter.setPen(QPen(QColor(palette.hairline), 1.0))
        painter.drawLine(QLineF(MARGIN, MARGIN + 18.0, self.width - MARGIN, MARGIN + 18.0))
        ink.draw(painter)
        y = MARGIN + TITLE_HEIGHT
        for part in self.parts:
            self._paint_part(painter, part, y)
            y += part.height + GAP

    def _paint_part(self, painter: QPainter, part: Drawing, y: float) -> None:
        painter.save()
        painter.translate(MARGIN, y)
        ink = Ink(self._shaper)
        part.paint(painter, ink, QRectF(0.0, 0.0, self.width - 2.0 * MARGIN, part.height))
        ink.draw(painter)
        painter.restore()
