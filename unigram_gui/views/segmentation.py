"""The chips: how the text is cut, with the ID of each token.

In: frozen `Exploration`s. Out: which piece is hovered or picked. Chips flow in lines; more than a few lines scroll.
"""

from __future__ import annotations

import bisect
import math
import re

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from unigram_gui.ink import Ink, Label
from unigram_gui.shaping import Shaper
from unigram_gui.stamps import Stamps
from unigram_gui.tasks.exploration import Exploration
from unigram_gui.theme import BOLD, FontSpec, Theme, mix
from unigram_gui.typing_place import typing_place
from unigram_gui.views.chip_layout import Flow, flow
from unigram_gui.views.spoken_area import PieceArea

MARGIN, GAP, LINE_GAP = 18.0, 5.0, 5.0
PADDING, HEIGHT, RADIUS = 7.0, 38.0, 5.0
MOST_LINES = 2  # seen at once; the lattice needs the room

PIECE = FontSpec("mono", 13.5)
ID = FontSpec("sans", 11.0, BOLD)
_BYTE = re.compile(r"<0x[0-9A-F]{2}>")


class SegmentationView(PieceArea):
    """One chip a token: the piece above, its ID below."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("Segmentation", parent)
        self._theme, self._shaper = theme, Shaper(theme)
        self._exploration: Exploration | None = None
        self._ids: tuple[int, ...] = ()
        self._pieces: tuple[str, ...] = ()
        self._unknown_id, self._unknown_word = -1, ""
        self._widths: list[int] = []
        self._flow = Flow((), (), 0)
        self._focused = -1
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._lay_out()

    def set_theme(self, theme: Theme) -> None:
        self._theme, self._shaper = theme, Shaper(theme)
        self._measure()

    def set_exploration(self, exploration: Exploration | None) -> None:
        """Show other chips from the first, and those of a text that is typed where it changes."""
        before, self._exploration = self._exploration, exploration
        cut = exploration.segmentation if exploration is not None else None
        self._ids = tuple(cut.ids.tolist()) if cut is not None else ()
        self._pieces = tuple(cut.pieces) if cut is not None else ()
        if exploration is not None:
            table = exploration.model.pieces
            self._unknown_id, self._unknown_word = table.unknown_id, table.texts[table.unknown_id]
        self._focused = min(self._focused, len(self._ids) - 1)
        self._measure()
        if exploration is not None and (before is None or before.text != exploration.text):
            self._look_at_change(before, exploration)
        self.announce()

    def _look_at_change(self, before: Exploration | None, after: Exploration) -> None:
        place = None if before is None else typing_place(before.lattice.text, after.lattice.text)
        if place is None or not self._ids:
            self.verticalScrollBar().setValue(0)
        else:
            token = int(np.searchsorted(after.segmentation.starts, place, side="left")) - 1
            self._show_line(self._flow.line[max(0, token)])

    @property
    def tokens(self) -> tuple[tuple[str, int], ...]:
        """What the chips say: piece and ID, in order."""
        return tuple(zip(self._pieces, self._ids, strict=True))

    def is_unknown(self, token: int) -> bool:
        """Whether a token is not in the vocabulary."""
        return self._ids[token] == self._unknown_id

    def _number(self, token: int) -> str:
        """What stands under a piece: its ID, with the name of the unknown piece before it where that is it."""
        number = str(self._ids[token])
        return f"{self._unknown_word} {number}" if self.is_unknown(token) else number

    def chip_rect(self, token: int) -> QRectF:
        """Where a chip is in the viewport."""
        return QRectF(*self._place(token), self._widths[token], HEIGHT)

    def _place(self, token: int) -> tuple[float, float]:
        y = self._flow.line[token] * (HEIGHT + LINE_GAP) - self.verticalScrollBar().value() + 1.0
        return MARGIN + self._flow.x[token], y

    def labels(self, painter: QPainter) -> list[Label]:
        """Every label that is in sight; the chips are painted on `painter` in passing."""
        ink = Ink(self._shaper, keep_labels=True)
        self._paint(painter, ink)
        return ink.labels

    def _measure(self) -> None:
        width = self._shaper.width
        widths = (max(width(piece, PIECE), width(self._number(i), ID)) for i, piece in enumerate(self._pieces))
        self._widths = [math.ceil(width + 2.0 * PADDING) for width in widths]  # whole: the sides are sharp
        self._lay_out()

    def _lay_out(self) -> None:
        self._flow = flow(self._widths, self.viewport().width() - 2.0 * MARGIN, GAP)
        shown = min(max(1, self._flow.n_lines), MOST_LINES)
        height = round(shown * (HEIGHT + LINE_GAP) - LINE_GAP + 2.0)
        if self.height() != height or self.maximumHeight() != height:
            self.setFixedHeight(height)
        whole = round(self._flow.n_lines * (HEIGHT + LINE_GAP) - LINE_GAP + 2.0)
        bar = self.verticalScrollBar()
        bar.setRange(0, max(0, whole - height))
        bar.setPageStep(height)
        bar.setSingleStep(round(HEIGHT + LINE_GAP))
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self.viewport()) as painter:  # ends it after an exception too
            self._paint(painter, Ink(self._shaper))

    def _paint(self, painter: QPainter, ink: Ink) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.viewport().rect(), QColor(self._theme.palette.paper))
        stamps = None if ink.keeps_labels else self._shaper.stamps_for(painter)
        for token in self._tokens_between(0.0, float(self.viewport().height())):
            if stamps is None:
                self._paint_chip(painter, ink, token)
            else:
                self._put_chip(painter, stamps, token)
        ink.draw(painter)
        if self.hasFocus() and 0 <= self._focused < len(self._ids):
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(self._theme.palette.ink), 1.4, Qt.PenStyle.DotLine))
            rect = self.chip_rect(self._focused).adjusted(2.5, 2.5, -2.5, -2.5)
            painter.drawRoundedRect(rect, RADIUS - 2.0, RADIUS - 2.0)

    def _put_chip(self, painter: QPainter, stamps: Stamps, token: int) -> None:
        """Put down the picture of a chip."""
        key = "chip", self._pieces[token], self._number(token), self.is_lit(self._ids[token])
        picture = stamps.find(key)
        if picture is None:
            around = self.chip_rect(token).adjusted(-1.0, -1.0, 1.0, 1.0)  # the outline reaches beyond it
            picture = stamps.make(key, around, lambda inner: self._paint_alone(inner, token))
        x, y = self._place(token)
        painter.drawPixmap(round(x - 1.0), round(y - 1.0), picture)

    def _paint_alone(self, painter: QPainter, token: int) -> None:
        ink = Ink(self._shaper)
        self._paint_chip(painter, ink, token)
        ink.draw(painter)

    def _paint_chip(self, painter: QPainter, ink: Ink, token: int) -> None:
        palette, piece, rect = self._theme.palette, self._pieces[token], self.chip_rect(token)
        marked = self.is_lit(self._ids[token])
        pen = QPen(QColor(palette.picked if marked else mix(palette.best_tint, palette.best_text, 0.45)))
        pen.setWidthF(2.0 if marked else 1.0)
        dashed = _BYTE.fullmatch(piece) or self.is_unknown(token)
        pen.setStyle(Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine)
        painter.setPen(pen)
        painter.setBrush(QColor(palette.picked_tint if marked else palette.best_tint))
        painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
        colours = (palette.picked, palette.picked) if marked else (palette.ink, palette.best_text)
        ink.put(rect.center().x(), rect.top() + 17.0, piece, PIECE, colours[0], quiet=palette.ink2)
        ink.put(rect.center().x(), rect.top() + 32.0, self._number(token), ID, colours[1])

    def _tokens_between(self, top: float, bottom: float) -> range:
        """The tokens of the lines that a stretch of the viewport's height touches."""
        first, last = ((y + self.verticalScrollBar().value()) // (HEIGHT + LINE_GAP) for y in (top, bottom))
        lines = self._flow.line
        return range(bisect.bisect_left(lines, first), bisect.bisect_right(lines, last))

    def _token_at(self, x: float, y: float) -> int:
        inside = (i for i in self._tokens_between(y, y) if self.chip_rect(i).contains(x, y))
        return next(inside, -1)

    def _piece(self, token: int) -> int:
        return self._ids[token] if token >= 0 else -1

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.hover(self._piece(self._token_at(event.position().x(), event.position().y())))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._ids:
            self._focused = self._token_at(event.position().x(), event.position().y())
            self.announce()
            self.pick(self._piece(self._focused))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        key = Qt.Key(event.key())
        if key in steps and self._ids:
            self._focused = min(max(self._focused + steps[key], 0), len(self._ids) - 1)
            self.announce()
            self._show_line(self._flow.line[self._focused])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and self._focused >= 0:
            self.pick(self._piece(self._focused))
        else:
            super().keyPressEvent(event)

    def _show_line(self, line: int) -> None:
        bar, top = self.verticalScrollBar(), round(line * (HEIGHT + LINE_GAP))
        if not bar.value() <= top <= bar.value() + self.height() - HEIGHT:
            bar.setValue(top)
        self.viewport().update()

    def spoken(self) -> str:
        if self._focused >= 0:
            return self._token_spoken(self._focused)
        return " ".join(self._pieces)

    def _token_spoken(self, token: int) -> str:
        piece, number = self._pieces[token], f"ID {self._ids[token]}"
        if not self.is_unknown(token):
            return f"{piece}, {number}"
        neighbours = ", one unknown token with its neighbours" if len(piece) > 1 else ""
        return f"{piece}, not in the vocabulary{neighbours}, {self._unknown_word}, {number}"

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._lay_out()

    def sizeHint(self) -> QSize:
        return QSize(680, round(HEIGHT + 2.0))

    def minimumSizeHint(self) -> QSize:
        return QSize(120, round(HEIGHT + 2.0))
