"""A scrolling list of lines: a number, a path as small bricks, figures in columns, a bar.

In: frozen `Line`s. Out: which line is chosen, which piece is hovered or picked. Only lines in sight are painted. Arrow
keys walk over lines and over the bricks of a line; what they stand on is told to screen readers. Where lines are too
long, what all of them begin with is left out: the difference is what one looks for.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QColor,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from unigram_gui.ink import Ink, Label
from unigram_gui.shaping import Shaper
from unigram_gui.theme import BOLD, SEMI_BOLD, FontSpec, Palette, Theme, mix
from unigram_gui.views.lattice.looks import brick_border, brick_fill

MARGIN, ROW, FIRST_BRICK = 18.0, 22.0, 38.0
BRICK, PADDING, GAP, RADIUS = 17.0, 3.0, 2.0, 3.5
BAR_HEIGHT = 10.0
LEFT_OUT = "…"
LEFT_OUT_ROOM, FIGURE_GAP = 14.0, 8.0
BY_TAB = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason, Qt.FocusReason.ShortcutFocusReason)

NUMBER = FontSpec("sans", 11.5)
NUMBER_BOLD = FontSpec("sans", 11.5, SEMI_BOLD)
PIECE = FontSpec("mono", 11.5)
PIECE_BOLD = FontSpec("mono", 11.5, BOLD)


@dataclass(frozen=True)
class Line:
    """One line. `pieces` with their `ids` are the bricks; `figures` fill the columns, "" for none.

    `lead` stands in front, `note` behind the bricks; `share` is the length of the bar, None for no bar. `is_best`
    makes the bricks solid, `outlined` draws a frame round one of them. `spoken` is the line as words.
    """

    lead: str = ""
    pieces: tuple[str, ...] = ()
    ids: tuple[int, ...] = ()
    figures: tuple[str, ...] = ()
    note: str = ""
    share: float | None = None
    is_best: bool = False
    is_bold: bool = False
    outlined: int = -1
    spoken: str = ""
    key: tuple[int, ...] = ()  # what tells paths apart, for what they share at the beginning


@dataclass(frozen=True)
class Columns:
    """Where things end, measured from the right side: each figure, the bar's left end and width, the bricks."""

    figures: tuple[float, ...] = ()
    bar_left: float = 0.0
    bar: float = 0.0
    bricks: float = MARGIN
    lead: float = FIRST_BRICK


@dataclass(frozen=True)
class _Look:
    """How a brick looks."""

    fill: str
    border: str
    width: float
    colour: str
    quiet: str
    spec: FontSpec


@functools.cache
def _looks(palette: Palette) -> dict[str, _Look]:
    """The looks of bricks: of the best path, of others, of those that are picked or pointed at."""

    def look(fill: str, border: str, width: float, colour: str, spec: FontSpec) -> _Look:
        return _Look(fill, border, width, colour, mix(fill, colour, 0.7), spec)

    return {
        "plain": look(brick_fill(palette, 0.25), brick_border(palette, 0.25), 1.0, palette.ink2, PIECE),
        "best": look(palette.best, palette.best, 1.0, palette.on_best, PIECE),
        "marked": look(palette.picked_tint, palette.picked, 2.0, palette.picked, PIECE_BOLD),
    }


class Sheet(QAbstractScrollArea):
    """Shows lines and lets a person walk over them."""

    line_chosen = Signal(int)  # -1 where the choice is undone
    piece_hovered = Signal(int)
    piece_picked = Signal(int)

    def __init__(self, theme: Theme, name: str, columns: Columns, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self.shaper = theme, Shaper(theme)
        self._columns = columns
        self._lines: tuple[Line, ...] = ()
        self._skipped = 0
        self._figures_reach = 0.0
        self._picked = self._hovered = self._chosen = -1
        self._line = self._brick = -1  # in keyboard focus
        self._hint = ""
        self._bricks: dict[tuple[str, str, float], QPainterPath] = defaultdict(QPainterPath)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)  # nothing beneath need be painted
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(name)
        self.viewport().setMouseTracking(True)

    # What is shown

    def set_theme(self, theme: Theme) -> None:
        self._theme, self.shaper = theme, Shaper(theme)
        self._lay_out()

    def set_lines(self, lines: tuple[Line, ...]) -> None:
        self._lines = lines
        self._line = min(self._line, len(lines) - 1)
        self._brick = min(self._brick, len(lines[self._line].pieces) - 1) if self._line >= 0 else -1
        self._lay_out()
        self._announce()

    def set_columns(self, columns: Columns) -> None:
        self._columns = columns
        self._lay_out()

    def set_hint(self, hint: str) -> None:
        """Say what to do while there are no lines."""
        self._hint = hint
        self._announce()
        self.viewport().update()

    def set_picked_piece(self, piece: int | None) -> None:
        self._picked = -1 if piece is None else piece
        self.viewport().update()

    def set_hovered_piece(self, piece: int) -> None:
        if piece != self._hovered:
            self._hovered = piece
            self.viewport().update()

    def set_chosen(self, line: int) -> None:
        self._chosen = line
        self.viewport().update()

    @property
    def lines(self) -> tuple[Line, ...]:
        return self._lines

    def labels(self, painter: QPainter) -> list[Label]:
        """Every label that is in sight; the lines are painted on `painter` in passing."""
        ink = Ink(self.shaper, keep_labels=True)
        self._paint(painter, ink)
        return ink.labels

    def brick_rect(self, line: int, brick: int) -> QRectF:
        """Where a brick is in the viewport (it may lie outside of what is shown)."""
        x = self._columns.lead + (LEFT_OUT_ROOM if self._skipped else 0.0)
        pieces = self._lines[line].pieces
        x += sum(self._brick_width(text) + GAP for text in pieces[self._skipped : brick])
        return QRectF(x, self._top(line) + 0.5 * (ROW - BRICK), self._brick_width(pieces[brick]), BRICK)

    # Layout

    def _top(self, line: int) -> float:
        return line * ROW - self.verticalScrollBar().value()

    def _lay_out(self) -> None:
        bar, room = self.verticalScrollBar(), self.viewport().height()
        bar.setRange(0, max(0, round(len(self._lines) * ROW) - room))
        bar.setPageStep(max(1, room))
        bar.setSingleStep(round(ROW))
        self._figures_reach = self._first_figures_reach()
        self._skip()
        self.viewport().update()

    def _first_figures_reach(self) -> float:
        """How far the first column of figures reaches from the right side, with a gap beside it."""
        longest = max((line.figures[0] for line in self._lines if line.figures), key=len, default="")
        place = self._columns.figures[0] if self._columns.figures else 0.0
        return place + self.shaper.width(longest, NUMBER_BOLD) + FIGURE_GAP if longest else 0.0

    def _brick_width(self, text: str) -> float:
        return self.shaper.width(text, PIECE) + 2.0 * PADDING

    def _end(self) -> float:
        """Where bricks end: before the first figures, however long they are."""
        return self.width() - max(self._columns.bricks, self._figures_reach)

    def _skip(self) -> None:
        """Leave out the common beginning, but for one piece, where a line would not fit."""
        self._skipped = 0
        lines = [line for line in self._lines if line.key]
        if len(lines) < 2:
            return
        # Every brick is wider than this, so a long text is not measured in vain.
        too_many = max(len(line.pieces) for line in lines) * 3.0 * PADDING > self.width()
        if too_many or any(self._is_too_long(line) for line in lines):
            self._skipped = max(0, _common_beginning([line.key for line in lines]) - 1)

    def _is_too_long(self, line: Line) -> bool:
        return self._columns.lead + sum(self._brick_width(text) + GAP for text in line.pieces) > self._end()

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        self._paint(painter, Ink(self.shaper))
        painter.end()

    def _paint(self, painter: QPainter, ink: Ink) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.viewport().rect(), QColor(self._theme.palette.paper))
        if not self._lines and self._hint:
            ink.put(MARGIN, 15.0, self._hint, NUMBER, self._theme.palette.ink3, align=0.0)
        self._bricks.clear()
        for line in self._lines_in_sight():
            self._paint_line(painter, ink, line)
        self._draw_bricks(painter)
        ink.draw(painter)
        if self.hasFocus():
            self._paint_focus(painter)

    def _lines_in_sight(self) -> range:
        first = int(self.verticalScrollBar().value() // ROW)
        last = int((self.verticalScrollBar().value() + self.viewport().height()) // ROW) + 1
        return range(max(0, first), min(len(self._lines), last))

    def _paint_line(self, painter: QPainter, ink: Ink, number: int) -> None:
        line, palette, top = self._lines[number], self._theme.palette, self._top(number)
        # From the right side of the sheet, whether or not there is a scroll bar: under the titles in the corner.
        baseline, right = top + 15.0, self.width()
        if number == self._chosen:
            painter.fillRect(QRectF(0.0, top, right, ROW), QColor(palette.picked_tint))
        spec = NUMBER_BOLD if line.is_bold else NUMBER
        lead_end = self._columns.lead - 4.0
        if line.lead:
            colour = palette.ink if line.is_bold else palette.ink2
            ink.put(MARGIN, baseline, self._elided(line.lead, spec, lead_end - MARGIN), spec, colour, align=0.0)
        end = self._paint_bricks(painter, ink, number)
        if line.note:
            left = end if line.pieces else self._columns.lead
            note = self._elided(line.note, NUMBER, self._end() - left - 8.0)
            ink.put(left + (8.0 if line.pieces else 0.0), baseline, note, NUMBER, palette.ink2, align=0.0)
        for place, text in zip(self._columns.figures, line.figures, strict=False):
            if text:
                ink.put(right - place, baseline, text, spec, palette.ink, align=1.0)
        if line.share is not None and self._columns.bar:
            bar = QRectF(right - self._columns.bar_left, top + 6.0, self._columns.bar, BAR_HEIGHT)
            self._paint_bar(painter, bar, line.share, line.is_best)

    def _elided(self, text: str, spec: FontSpec, room: float) -> str:
        if self.shaper.width(text, spec) <= room:
            return text
        while text and self.shaper.width(text + LEFT_OUT, spec) > room:
            text = text[:-1]
        return text + LEFT_OUT

    def _paint_bar(self, painter: QPainter, rect: QRectF, share: float, is_best: bool) -> None:
        palette = self._theme.palette
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(palette.grid))
        painter.drawRoundedRect(rect, 2.0, 2.0)
        filled = QRectF(rect.left(), rect.top(), max(1.0, rect.width() * min(share, 1.0)), rect.height())
        painter.setBrush(QColor(palette.best if is_best else mix(palette.paper, palette.edge, 0.5)))
        painter.drawRoundedRect(filled, 2.0, 2.0)

    def _paint_bricks(self, painter: QPainter, ink: Ink, number: int) -> float:
        """Paint what has room; return where the last brick ends."""
        line, top, palette = self._lines[number], self._top(number), self._theme.palette
        x = self._columns.lead
        if not line.pieces:
            return x
        skipped = self._skipped if line.key else 0
        if skipped:
            ink.put(x + 5.0, top + 14.0, LEFT_OUT, PIECE, palette.ink3)
            x += LEFT_OUT_ROOM
        for i in range(skipped, len(line.pieces)):
            width = self._brick_width(line.pieces[i])
            is_last = i == len(line.pieces) - 1
            if x + width > self._end() - (0.0 if is_last else LEFT_OUT_ROOM):
                ink.put(x + 5.0, top + 14.0, LEFT_OUT, PIECE, palette.ink3)
                return x + LEFT_OUT_ROOM
            self._paint_brick(ink, QRectF(x, top + 0.5 * (ROW - BRICK), width, BRICK), line, i)
            x += width + GAP
        return x

    def _paint_brick(self, ink: Ink, rect: QRectF, line: Line, i: int) -> None:
        piece = line.ids[i] if i < len(line.ids) else -1
        marked = i == line.outlined or (piece >= 0 and piece in (self._picked, self._hovered))
        look = _looks(self._theme.palette)["marked" if marked else "best" if line.is_best else "plain"]
        path = self._bricks[look.fill, look.border, look.width]
        path.addRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
        ink.put(rect.center().x(), rect.center().y() + 4.0, line.pieces[i], look.spec, look.colour, quiet=look.quiet)

    def _draw_bricks(self, painter: QPainter) -> None:
        """All bricks of one look in one call."""
        for (fill, border, width), path in self._bricks.items():
            painter.setPen(QPen(QColor(border), width))
            painter.setBrush(QColor(fill))
            painter.drawPath(path)

    def _paint_focus(self, painter: QPainter) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(self._theme.palette.ink), 1.4, Qt.PenStyle.DotLine))
        width = self.viewport().width() - 8.0
        if self._line < 0:
            painter.drawRoundedRect(QRectF(4.0, 1.0, width, self.viewport().height() - 2.0), RADIUS, RADIUS)
            return
        painter.drawRoundedRect(QRectF(4.0, self._top(self._line) + 1.0, width, ROW - 2.0), RADIUS, RADIUS)
        if self._skipped <= self._brick < len(self._lines[self._line].pieces):
            painter.drawRoundedRect(self.brick_rect(self._line, self._brick).adjusted(-1.5, -1.5, 1.5, 1.5), 4.0, 4.0)

    # Pointer

    def _line_at(self, y: float) -> int:
        line = int((y + self.verticalScrollBar().value()) // ROW)
        return line if 0 <= line < len(self._lines) else -1

    def _brick_at(self, x: float, y: float) -> tuple[int, int]:
        """The line and the brick at a place, -1 for none."""
        number = self._line_at(y)
        if number < 0 or x > self._end() or not self._lines[number].pieces:
            return number, -1
        line = self._lines[number]
        skipped = self._skipped if line.key else 0
        right = self._columns.lead + (LEFT_OUT_ROOM if skipped else 0.0)
        for i in range(skipped, len(line.pieces)):
            left, right = right, right + self._brick_width(line.pieces[i]) + GAP
            if left <= x < right:
                return number, i
            if right > self._end():
                break
        return number, -1

    def _piece(self, line: int, brick: int) -> int:
        ids = self._lines[line].ids if line >= 0 else ()
        return ids[brick] if 0 <= brick < len(ids) else -1

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        piece = self._piece(*self._brick_at(event.position().x(), event.position().y()))
        if piece != self._hovered:
            self.set_hovered_piece(piece)
            self.piece_hovered.emit(piece)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Accept what the press began: the window below need not look at it."""
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """On a brick: pick its piece. Beside the bricks: choose the line."""
        line, brick = self._brick_at(event.position().x(), event.position().y())
        self._line, self._brick = line, brick
        self._announce()
        if brick >= 0:
            self._pick(self._piece(line, brick))
        elif line >= 0:
            self._choose(line)
        self.viewport().update()

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Leave and self._hovered >= 0:
            self.set_hovered_piece(-1)
            self.piece_hovered.emit(-1)
        return super().viewportEvent(event)

    def _pick(self, piece: int) -> None:
        self.set_picked_piece(-1 if piece == self._picked else piece)
        self.piece_picked.emit(self._picked)

    def _choose(self, line: int) -> None:
        self.set_chosen(-1 if line == self._chosen else line)
        self.line_chosen.emit(self._chosen)

    # Keyboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if not self._lines or not (self._walk(key) or self._act(key)):
            super().keyPressEvent(event)

    def _walk(self, key: Qt.Key) -> bool:
        last = len(self._lines) - 1
        lines = {
            Qt.Key.Key_Up: self._line - 1,
            Qt.Key.Key_Down: self._line + 1,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }
        bricks = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        if key in lines:
            self._line, self._brick = min(max(lines[key], 0), last), -1
        elif key in bricks and self._line >= 0 and self._lines[self._line].pieces:
            least = self._skipped if self._lines[self._line].key else 0
            most = len(self._lines[self._line].pieces) - 1
            self._brick = min(max(self._brick + bricks[key], least), most)
        else:
            return False
        self._show_line()
        self._announce()
        return True

    def _act(self, key: Qt.Key) -> bool:
        if key not in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) or self._line < 0:
            return False
        piece = self._piece(self._line, self._brick)
        if piece >= 0:
            self._pick(piece)
        else:
            self._choose(self._line)
        return True

    def _show_line(self) -> None:
        bar, top = self.verticalScrollBar(), round(self._line * ROW)
        if top < bar.value():
            bar.setValue(top)
        elif top + ROW > bar.value() + self.viewport().height():
            bar.setValue(top + round(ROW) - self.viewport().height())
        self.viewport().update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() in BY_TAB and self._line < 0 and self._lines:
            self._line = 0
            self._announce()
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()

    def _announce(self) -> None:
        """Say what has the focus, or all lines, to those who listen."""
        text = self.spoken()
        if text != self.accessibleDescription():
            self.setAccessibleDescription(text)
            QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.DescriptionChanged))

    def spoken(self) -> str:
        """What a screen reader says."""
        if not self._lines:
            return self._hint
        if self._line < 0:
            return "; ".join(line.spoken for line in self._lines[:5])
        line = self._lines[self._line]
        if self._brick >= 0:
            return f"{line.pieces[self._brick]}, ID {self._piece(self._line, self._brick)}"
        return line.spoken

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def sizeHint(self) -> QSize:
        return QSize(680, round(5 * ROW))

    def minimumSizeHint(self) -> QSize:
        return QSize(240, round(2 * ROW))


def _common_beginning(paths: list[tuple[int, ...]]) -> int:
    """How many edges all paths begin with; 0 when there is only one path."""
    if len(paths) < 2:
        return 0
    together = zip(*paths, strict=False)
    return next((i for i, edges in enumerate(together) if len(set(edges)) > 1), 0)
