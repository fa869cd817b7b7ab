"""A scrolling list of lines: a number, a path as small bricks, figures in columns, a bar.

In: frozen `Line`s. Out: which line is chosen, which piece is hovered or picked. Only lines in sight are painted. Arrow
keys walk over lines and over the bricks of a line; what they stand on is told to screen readers.
"""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QWidget

from unigram_gui.ink import Ink, Label
from unigram_gui.shaping import Shaper
from unigram_gui.theme import Theme
from unigram_gui.views.sheet_lines import BRICK, LEFT_OUT, MARGIN, NUMBER, ROW, Columns, Line, SheetLayout, parting
from unigram_gui.views.sheet_painter import RADIUS, SheetPainter
from unigram_gui.views.spoken_area import PieceArea

__all__ = ["LEFT_OUT", "ROW", "Columns", "Line", "Sheet", "parting"]

_PICKING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class Sheet(PieceArea):
    """Shows lines and lets a person walk over them."""

    line_chosen = Signal(int)  # -1 where the choice is undone

    def __init__(self, theme: Theme, name: str, columns: Columns, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self._theme, self.shaper = theme, Shaper(theme)
        self._columns = columns
        self._lines: tuple[Line, ...] = ()
        self._chosen = self._line = self._brick = -1  # the last two are in keyboard focus
        self._hint = ""
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._lay_out()

    # What is shown

    def set_theme(self, theme: Theme) -> None:
        self._theme, self.shaper = theme, Shaper(theme)
        self._lay_out()

    def set_lines(self, lines: tuple[Line, ...]) -> None:
        self._lines = lines
        self._line = min(self._line, len(lines) - 1)
        self._brick = min(self._brick, len(lines[self._line].pieces) - 1) if self._line >= 0 else -1
        self._lay_out()
        self.announce()

    def set_columns(self, columns: Columns) -> None:
        if columns == self._columns:
            return
        self._columns = columns
        self._lay_out()

    def has_room_for(self, lines: tuple[Line, ...], columns: Columns) -> bool:
        """Whether all bricks of these lines would be in sight beside these columns."""
        return SheetLayout(lines, columns, self.width(), self.shaper.width).is_whole

    def set_hint(self, hint: str) -> None:
        """Say what to do while there are no lines."""
        if hint != self._hint:  # it is said anew with every key
            self._hint = hint
            self.announce()
            self.viewport().update()

    def set_chosen(self, line: int) -> None:
        self._chosen = line
        self.viewport().update()

    @property
    def columns(self) -> Columns:
        return self._columns

    @property
    def lines(self) -> tuple[Line, ...]:
        return self._lines

    def labels(self, painter: QPainter) -> list[Label]:
        """Every label that is in sight; the lines are painted on `painter` in passing."""
        ink = Ink(self.shaper, keep_labels=True)
        self._paint(painter, ink)
        return ink.labels

    def brick_rect(self, line: int, brick: int) -> QRectF:
        """Where a brick is in the viewport; empty where it is left out."""
        row = self._layout.row(line)
        place = brick - row.first
        if not 0 <= place < len(row.lefts):
            return QRectF()
        return QRectF(row.lefts[place], self._top(line) + 0.5 * (ROW - BRICK), row.widths[place], BRICK)

    def _top(self, line: int) -> float:
        return line * ROW - self.verticalScrollBar().value()

    def _lay_out(self) -> None:
        # From the right side of the sheet, whether or not there is a scroll bar: under the titles in the corner.
        self._layout = SheetLayout(self._lines, self._columns, self.width(), self.shaper.width)
        bar, room = self.verticalScrollBar(), self.viewport().height()
        bar.setRange(0, max(0, round(len(self._lines) * ROW) - room))
        bar.setPageStep(max(1, room))
        bar.setSingleStep(round(ROW))
        self.viewport().update()

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self.viewport()) as painter:  # ends it after an exception too
            self._paint(painter, Ink(self.shaper))

    def _paint(self, painter: QPainter, ink: Ink) -> None:
        palette = self._theme.palette
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.viewport().rect(), QColor(palette.paper))
        if not self._lines and self._hint:
            ink.put(MARGIN, 15.0, self._hint, NUMBER, palette.ink3, align=0.0)
        lines = SheetPainter(painter, ink, palette, self._columns, self._layout, self.width(), self.is_lit)
        for number in self._lines_in_sight():
            lines.paint_line(number, self._lines[number], self._top(number), number == self._chosen)
        ink.draw(painter)
        if self.hasFocus():
            self._paint_focus(painter)

    def _lines_in_sight(self) -> range:
        first = int(self.verticalScrollBar().value() // ROW)
        last = int((self.verticalScrollBar().value() + self.viewport().height()) // ROW) + 1
        return range(max(0, first), min(len(self._lines), last))

    def _paint_focus(self, painter: QPainter) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(self._theme.palette.ink), 1.4, Qt.PenStyle.DotLine))
        width = self.viewport().width() - 8.0
        if self._line < 0:
            painter.drawRoundedRect(QRectF(4.0, 1.0, width, self.viewport().height() - 2.0), RADIUS, RADIUS)
            return
        painter.drawRoundedRect(QRectF(4.0, self._top(self._line) + 1.0, width, ROW - 2.0), RADIUS, RADIUS)
        brick = self.brick_rect(self._line, self._brick)
        if not brick.isEmpty():
            painter.drawRoundedRect(brick.adjusted(-1.5, -1.5, 1.5, 1.5), 4.0, 4.0)

    # Pointer

    def _line_at(self, y: float) -> int:
        line = int((y + self.verticalScrollBar().value()) // ROW)
        return line if 0 <= line < len(self._lines) else -1

    def _brick_at(self, x: float, y: float) -> tuple[int, int]:
        """The line and the brick at a place, -1 for none."""
        number = self._line_at(y)
        return number, self._layout.row(number).brick_at(x) if number >= 0 else -1

    def _piece(self, line: int, brick: int) -> int:
        return self._lines[line].id_of(brick) if line >= 0 else -1

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.hover(self._piece(*self._brick_at(event.position().x(), event.position().y())))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """On a brick: pick its piece. Beside the bricks: choose the line."""
        self._line, self._brick = self._brick_at(event.position().x(), event.position().y())
        self.announce()
        if self._brick >= 0:
            self.pick(self._piece(self._line, self._brick))
        elif self._line >= 0:
            self._choose(self._line)
        self.viewport().update()

    def _choose(self, line: int) -> None:
        self.set_chosen(-1 if line == self._chosen else line)
        self.line_chosen.emit(self._chosen)

    # Keyboard

    def enter(self) -> None:
        if self._line < 0 and self._lines:
            self._line = 0
            self.announce()

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
            most = len(self._lines[self._line].pieces) - 1
            self._brick = min(max(self._brick + bricks[key], self._layout.skipped(self._line)), most)
        else:
            return False
        self._show_line()
        self.announce()
        return True

    def _act(self, key: Qt.Key) -> bool:
        if key not in _PICKING or self._line < 0:
            return False
        piece = self._piece(self._line, self._brick)
        if piece >= 0:
            self.pick(piece)
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

    def spoken(self) -> str:
        if not self._lines:
            return self._hint
        if self._line < 0:
            return "; ".join(line.spoken for line in self._lines[:5])
        line = self._lines[self._line]
        if self._brick >= 0:
            unknown = "not in the vocabulary, " if line.is_unknown(self._brick) else ""
            return f"{line.pieces[self._brick]}, {unknown}ID {line.id_of(self._brick)}"
        return line.spoken

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def sizeHint(self) -> QSize:
        return QSize(680, round(5 * ROW))

    def minimumSizeHint(self) -> QSize:
        return QSize(240, round(2 * ROW))
