"""The chips: how the text is cut, with the ID of each token.

In: frozen `Exploration`s. Out: which piece is hovered or picked. Chips flow in lines; more than a few lines scroll.
"""

from __future__ import annotations

import bisect
import re
from collections import defaultdict

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPainterPath, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QSizePolicy, QWidget

from unigram_gui.ink import Ink, Label
from unigram_gui.shaping import Shaper
from unigram_gui.tasks.exploration import Exploration
from unigram_gui.theme import BOLD, FontSpec, Theme, mix
from unigram_gui.views.chip_layout import Flow, flow

MARGIN, GAP, LINE_GAP = 18.0, 5.0, 5.0
PADDING, HEIGHT, RADIUS = 7.0, 38.0, 5.0
MOST_LINES = 2  # seen at once; the lattice needs the room

PIECE = FontSpec("mono", 13.5)
ID = FontSpec("sans", 11.0, BOLD)
_BYTE = re.compile(r"<0x[0-9A-F]{2}>")


class SegmentationView(QAbstractScrollArea):
    """One chip a token: the piece above, its ID below."""

    piece_hovered = Signal(int)  # piece ID, -1 for none
    piece_picked = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._shaper = theme, Shaper(theme)
        self._ids: tuple[int, ...] = ()
        self._pieces: tuple[str, ...] = ()
        self._widths: list[float] = []
        self._flow = Flow((), (), 0)
        self._picked = self._hovered = self._focused = -1
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)  # nothing beneath need be painted
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Segmentation")
        self.viewport().setMouseTracking(True)
        self._lay_out()

    def set_theme(self, theme: Theme) -> None:
        self._theme, self._shaper = theme, Shaper(theme)
        self._measure()

    def set_exploration(self, exploration: Exploration | None) -> None:
        cut = exploration.segmentation if exploration is not None else None
        self._ids = tuple(cut.ids.tolist()) if cut is not None else ()
        self._pieces = tuple(cut.pieces) if cut is not None else ()
        self._focused = min(self._focused, len(self._ids) - 1)
        self._measure()
        self._announce()

    def set_picked_piece(self, piece: int | None) -> None:
        self._picked = -1 if piece is None else piece
        self.viewport().update()

    def set_hovered_piece(self, piece: int) -> None:
        """Light up the chips of a piece that is pointed at anywhere."""
        if piece != self._hovered:
            self._hovered = piece
            self.viewport().update()

    @property
    def tokens(self) -> tuple[tuple[str, int], ...]:
        """What the chips say: piece and ID, in order."""
        return tuple(zip(self._pieces, self._ids, strict=True))

    def chip_rect(self, token: int) -> QRectF:
        """Where a chip is in the viewport."""
        y = self._flow.line[token] * (HEIGHT + LINE_GAP) - self.verticalScrollBar().value() + 1.0
        return QRectF(MARGIN + self._flow.x[token], y, self._widths[token], HEIGHT)

    def labels(self, painter: QPainter) -> list[Label]:
        """Every label that is in sight; the chips are painted on `painter` in passing."""
        ink = Ink(self._shaper, keep_labels=True)
        self._paint(painter, ink)
        return ink.labels

    def _measure(self) -> None:
        width = self._shaper.width
        self._widths = [
            max(width(piece, PIECE), width(str(number), ID)) + 2.0 * PADDING for piece, number in self.tokens
        ]
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
        painter = QPainter(self.viewport())
        self._paint(painter, Ink(self._shaper))
        painter.end()

    def _paint(self, painter: QPainter, ink: Ink) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.viewport().rect(), QColor(self._theme.palette.paper))
        tokens = self._tokens_between(0.0, float(self.viewport().height()))
        self._paint_chips(painter, tokens)
        for token in tokens:
            self._write_chip(painter, ink, token, self.chip_rect(token))
        ink.draw(painter)

    def _paint_chips(self, painter: QPainter, tokens: range) -> None:
        """The chips that look alike in one call."""
        palette = self._theme.palette
        paths: dict[tuple[bool, bool], QPainterPath] = defaultdict(QPainterPath)
        for token in tokens:
            marked = self._ids[token] in (self._picked, self._hovered)
            rect = self.chip_rect(token).adjusted(0.5, 0.5, -0.5, -0.5)
            paths[marked, bool(_BYTE.fullmatch(self._pieces[token]))].addRoundedRect(rect, RADIUS, RADIUS)
        for (marked, is_byte), path in paths.items():
            border = palette.picked if marked else mix(palette.best_tint, palette.best_text, 0.45)
            pen = QPen(QColor(border), 2.0 if marked else 1.0)
            pen.setStyle(Qt.PenStyle.DashLine if is_byte else Qt.PenStyle.SolidLine)
            painter.setPen(pen)
            painter.setBrush(QColor(palette.picked_tint if marked else palette.best_tint))
            painter.drawPath(path)

    def _write_chip(self, painter: QPainter, ink: Ink, token: int, rect: QRectF) -> None:
        palette, piece = self._theme.palette, self._pieces[token]
        marked = self._ids[token] in (self._picked, self._hovered)
        colour = palette.picked if marked else palette.ink
        ink.put(rect.center().x(), rect.top() + 17.0, piece, PIECE, colour, quiet=palette.ink2)
        id_colour = palette.picked if marked else palette.best_text
        ink.put(rect.center().x(), rect.top() + 32.0, str(self._ids[token]), ID, id_colour)
        if token == self._focused and self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(palette.ink), 1.4, Qt.PenStyle.DotLine))
            painter.drawRoundedRect(rect.adjusted(2.5, 2.5, -2.5, -2.5), RADIUS - 2.0, RADIUS - 2.0)

    def _tokens_between(self, top: float, bottom: float) -> range:
        """The tokens of the lines that a stretch of the viewport's height touches."""
        first, last = ((y + self.verticalScrollBar().value()) // (HEIGHT + LINE_GAP) for y in (top, bottom))
        lines = self._flow.line
        return range(bisect.bisect_left(lines, first), bisect.bisect_right(lines, last))

    def _token_at(self, x: float, y: float) -> int:
        inside = (i for i in self._tokens_between(y, y) if self.chip_rect(i).contains(x, y))
        return next(inside, -1)

    def _hover(self, token: int) -> None:
        piece = self._ids[token] if token >= 0 else -1
        if piece != self._hovered:
            self._hovered = piece
            self.viewport().update()
            self.piece_hovered.emit(piece)

    def _pick(self, token: int) -> None:
        piece = self._ids[token] if token >= 0 else -1
        self.set_picked_piece(-1 if piece == self._picked else piece)
        self.piece_picked.emit(self._picked)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self._token_at(event.position().x(), event.position().y()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Accept what the press began: the window below need not look at it."""
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._ids:
            self._focused = self._token_at(event.position().x(), event.position().y())
            self._announce()
            self._pick(self._focused)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Leave:
            self._hover(-1)
        return super().viewportEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        key = Qt.Key(event.key())
        if key in steps and self._ids:
            self._focused = min(max(self._focused + steps[key], 0), len(self._ids) - 1)
            self._announce()
            self._show_line(self._flow.line[self._focused])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and self._focused >= 0:
            self._pick(self._focused)
        else:
            super().keyPressEvent(event)

    def _show_line(self, line: int) -> None:
        bar, top = self.verticalScrollBar(), round(line * (HEIGHT + LINE_GAP))
        if not bar.value() <= top <= bar.value() + self.height() - HEIGHT:
            bar.setValue(top)
        self.viewport().update()

    def _announce(self) -> None:
        if self._focused >= 0:
            self.setAccessibleDescription(f"{self._pieces[self._focused]}, ID {self._ids[self._focused]}")
        else:
            self.setAccessibleDescription(" ".join(self._pieces))

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._lay_out()

    def sizeHint(self) -> QSize:
        return QSize(680, round(HEIGHT + 2.0))

    def minimumSizeHint(self) -> QSize:
        return QSize(120, round(HEIGHT + 2.0))
