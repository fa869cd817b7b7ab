"""What makes the difference: a row for each stretch that is cut differently.

In: a `TextComparison`. Out: a drawing: where, both cuts, and in words which piece is missing or what it would cost.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from unigram_gui.ink import Ink
from unigram_gui.number_text import log_text
from unigram_gui.shaping import Shaper
from unigram_gui.theme import Palette
from unigram_gui.views.compare.drawing import BODY, NOTE, PIECE, chips_width, paint_chips, paint_heading

if TYPE_CHECKING:
    from engine.comparison import TextComparison
    from engine.comparison.one_text import Side, Stretch

HEADING, ROW = 44.0, 31.0
PLACE_WIDTH, GAP, WIDEST_CUT = 62.0, 26.0, 300.0
LISTED = 200
Words = tuple[tuple[str, bool], ...]
"""A sentence in parts, each with whether it is a piece."""


class ReasonsDrawing:
    """Paints the stretches that differ."""

    def __init__(self, compared: TextComparison, palette: Palette, shaper: Shaper, listed: int = LISTED) -> None:
        self._palette = palette
        self._all = compared.stretches
        self.stretches = compared.stretches[:listed]
        self.sentences = tuple(sentence_of_stretch(stretch) for stretch in self.stretches)
        ink = Ink(shaper)
        cuts = [chips_width(ink, side.pieces) for stretch in self.stretches for side in (stretch.a, stretch.b)]
        self._cut_width = min(max(cuts, default=120.0), WIDEST_CUT)
        words = [sum(ink.width(text, PIECE if is_piece else BODY) for text, is_piece in s) for s in self.sentences]
        self.width = PLACE_WIDTH + 2.0 * (self._cut_width + GAP) + max(words, default=200.0)
        self.height = HEADING + ROW * max(len(self.stretches), 1)

    def spoken(self) -> str:
        """All sentences, for screen readers."""
        return " ".join("".join(text for text, _ in sentence) for sentence in self.sentences) or NO_DIFFERENCE

    def paint(self, painter: QPainter, ink: Ink, visible: QRectF) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        right, left_out = max(self.width, visible.right()), len(self._all) - len(self.stretches)
        note = f"{left_out:,} more stretches" if left_out else ""
        paint_heading(painter, ink, self._palette, "What makes the difference", note, 18.0, 0.0, right)
        if not self.stretches:
            ink.put(0.0, HEADING + 12.0, NO_DIFFERENCE, BODY, self._palette.ink2, align=0.0)
        for row, (stretch, sentence) in enumerate(zip(self.stretches, self.sentences, strict=True)):
            middle = HEADING + ROW * (row + 0.5) - 4.0
            if visible.top() - ROW < middle < visible.bottom() + ROW:
                self._paint_row(painter, ink, stretch, sentence, middle)

    def _paint_row(self, painter: QPainter, ink: Ink, stretch: Stretch, sentence: Words, middle: float) -> None:
        palette, x = self._palette, PLACE_WIDTH
        ink.put(0.0, middle + 4.2, f"{stretch.start}–{stretch.end}", NOTE, palette.ink2, align=0.0)
        for side, pieces in (("A", stretch.a.pieces), ("B", stretch.b.pieces)):
            paint_chips(painter, ink, palette, side, _fitting(ink, pieces, self._cut_width), x, middle)
            x += self._cut_width + GAP
        for text, is_piece in sentence:
            colour = palette.ink if is_piece else palette.ink2
            x += ink.put(x, middle + 4.2, text, PIECE if is_piece else BODY, colour, 0.0, palette.ink3)


NO_DIFFERENCE = "Both cut this text alike."


def _fitting(ink: Ink, pieces: tuple[str, ...], room: float) -> tuple[str, ...]:
    """Return as many pieces as there is room for, and a dot for the rest."""
    if chips_width(ink, pieces) <= room + 0.5:
        return pieces
    shown = pieces
    while shown and chips_width(ink, (*shown, "…")) > room:
        shown = shown[:-1]
    return (*shown, "…")


def sentence_of_stretch(stretch: Stretch) -> Words:
    """Say which pieces are missing, and what the other cut would cost where it is possible."""
    words = [*_lacking("A", stretch.a), *_lacking("B", stretch.b), *_costs(stretch)]
    if not words:
        return (("The two write these characters differently.", False),)
    return tuple(words)


def _lacking(name: str, side: Side) -> Iterator[tuple[str, bool]]:
    if not side.lacks:
        return
    yield f"{name} lacks ", False
    for i, piece in enumerate(side.lacks):
        if i:
            yield ", ", False
        yield piece, True
    yield ".  ", False


def _costs(stretch: Stretch) -> Iterator[tuple[str, bool]]:
    for name, other, side in (("A", "B", stretch.a), ("B", "A", stretch.b)):
        if side.cost is None:
            continue
        if round(side.cost, 2) == 0.0:
            yield f"In {name} the cut of {other} is as good.  ", False
        else:
            yield f"In {name} the cut of {other} would need {log_text(side.cost, 2)} nats more.  ", False
