"""Two vocabularies as two bars, shifted so that they overlap by what they share.

In: a `VocabularyComparison`. Out: a drawing as wide as there is room.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from unigram_gui.ink import Ink
from unigram_gui.number_text import count_text, log_text, percent_text
from unigram_gui.shaping import Shaper
from unigram_gui.theme import BOLD, FontSpec, Palette
from unigram_gui.views.compare.drawing import NOTE, paint_heading, side_fill

if TYPE_CHECKING:
    from engine.comparison import VocabularyComparison

HEADING, BAR, BAR_GAP = 44.0, 24.0, 4.0
LARGE = FontSpec("sans", 15.0, BOLD)
ON_BAR = FontSpec("sans", 11.5, BOLD)
EXAMPLE = FontSpec("mono", 11.5)
LEAST_WIDTH = 560.0
EXAMPLE_GAP = 14.0
LABEL_INSET, LABEL_GAP = 11.0, 7.0


class BarsDrawing:
    """Paints how much two vocabularies share, with the most probable pieces that only one has."""

    def __init__(self, compared: VocabularyComparison, palette: Palette, shaper: Shaper, width: float) -> None:
        self._compared, self._palette = compared, palette
        self.width = max(width, LEAST_WIDTH)
        self.height = HEADING + 2.0 * BAR + BAR_GAP + 62.0
        self.only = {side: compared.most_probable_only(side) for side in ("A", "B")}

    def spoken(self) -> str:
        """The counts in words."""
        compared = self._compared
        return (
            f"{len(compared.only_a):,} pieces only in A, {len(compared.both_a):,} in both, "
            f"{len(compared.only_b):,} only in B"
        )

    def paint(self, painter: QPainter, ink: Ink, visible: QRectF) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        compared, palette, width = self._compared, self._palette, self.width
        share = percent_text(len(compared.both_a) / max(compared.n_union, 1))
        note = f"{count_text(compared.n_union)} pieces together; {share} of them in both"
        paint_heading(painter, ink, palette, "The two vocabularies", note, 18.0, 0.0, width)
        ends = self._ends()
        self._paint_bar(painter, ink, "A", QRectF(0.0, HEADING, ends[1], BAR))
        self._paint_bar(painter, ink, "B", QRectF(ends[0], HEADING + BAR + BAR_GAP, width - ends[0], BAR))
        painter.setPen(QPen(QColor(palette.ink3), 1.0, Qt.PenStyle.DotLine))
        for x in ends if len(compared.both_a) else ():
            painter.drawLine(QLineF(x, HEADING - 6.0, x, HEADING + 2.0 * BAR + BAR_GAP + 6.0))
        self._write_counts(ink)

    def _ends(self) -> tuple[float, float]:
        """Where B begins and where A ends."""
        compared, scale = self._compared, self.width / max(self._compared.n_union, 1)
        return len(compared.only_a) * scale, (len(compared.only_a) + len(compared.both_a)) * scale

    def _paint_bar(self, painter: QPainter, ink: Ink, side: str, rect: QRectF) -> None:
        palette = self._palette
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(side_fill(palette, side)))
        painter.drawRoundedRect(rect, 5.0, 5.0)
        n = count_text(len(self._compared.a if side == "A" else self._compared.b))
        text = f"A  {n}" if side == "A" else f"{n}  B"
        is_inside = ink.width(text, ON_BAR) + 20.0 < rect.width()
        # A bar too short for its label has room beside it: at its far end, where the other vocabulary's pieces are.
        at_left = rect.left() + LABEL_INSET if is_inside else rect.right() + LABEL_GAP
        at_right = rect.right() - LABEL_INSET if is_inside else rect.left() - LABEL_GAP
        x, align = (at_left, 0.0) if side == "A" else (at_right, 1.0)
        colour = palette.on_best if is_inside else palette.ink
        ink.put(x, rect.center().y() + 4.2, text, ON_BAR, colour, align=align)

    def _write_counts(self, ink: Ink) -> None:
        compared = self._compared
        correlation = compared.correlation
        relation = "" if math.isnan(correlation) else f"ln p correlates with r = {log_text(correlation, 2)}"
        columns = (
            (len(compared.only_a), "only in A", self.only["A"], ""),
            (len(compared.both_a), "in both", (), relation),
            (len(compared.only_b), "only in B", self.only["B"], ""),
        )
        third = self.width / 3.0
        for i, (n, what, pieces, note) in enumerate(columns):
            self._write_column(ink, third * (i + 0.5), third - 16.0, count_text(n), what, pieces, note)

    def _write_column(
        self, ink: Ink, middle: float, room: float, n: str, what: str, pieces: tuple[str, ...], note: str
    ) -> None:
        palette, baseline = self._palette, HEADING + 2.0 * BAR + BAR_GAP + 28.0
        width = ink.width(n, LARGE) + 7.0 + ink.width(what, NOTE)
        x = middle - 0.5 * width
        x += ink.put(x, baseline, n, LARGE, palette.ink, align=0.0) + 7.0
        ink.put(x, baseline, what, NOTE, palette.ink2, align=0.0)
        if note:
            ink.put(middle, baseline + 22.0, note, NOTE, palette.ink2)
        shown = list(pieces)
        while shown and sum(ink.width(p, EXAMPLE) + EXAMPLE_GAP for p in shown) > room:
            shown.pop()
        x = middle - 0.5 * (sum(ink.width(p, EXAMPLE) + EXAMPLE_GAP for p in shown) - EXAMPLE_GAP)
        for piece in shown:
            x += ink.put(x, baseline + 22.0, piece, EXAMPLE, palette.ink2, 0.0, palette.ink3) + EXAMPLE_GAP
