"""Normalization under a lens: original text, rule, normalized text, pieces and bytes in aligned rows.

In: `Lens`es. Out: which piece is picked. A column is a stretch of the text as it was typed and what it became. What
decoding does not give back is tinted and outlined; the dummy space, which decoding takes away again, is dashed.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QLabel, QToolTip, QWidget

from engine.alignment import Fate
from unigram_gui.characters import code_point_text
from unigram_gui.ink import Ink, Label
from unigram_gui.shaping import Shaper
from unigram_gui.tasks.questions import Lens
from unigram_gui.theme import SEMI_BOLD, FontSpec, Theme, mix
from unigram_gui.views.headings import Headings
from unigram_gui.views.question_view import QuestionView
from unigram_gui.views.spoken_area import PieceArea

LEFT, ROW, PADDING, NARROWEST = 84.0, 21.0, 5.0, 22.0
ROWS = ("original", "rule", "normalized", "piece", "bytes")
MOST_COLUMNS = 2000
NAME = FontSpec("sans", 11.0)
TEXT = FontSpec("mono", 13.0)
SMALL = FontSpec("sans", 9.5)
BYTES = FontSpec("sans", 9.5)  # in the monospaced font a space is a character under study
PIECE = FontSpec("mono", 11.5, SEMI_BOLD)
FATES = {
    Fate.KEPT: "given back by decoding",
    Fate.ADDED: "added; decoding takes it away again",
    Fate.RULE: "a rule rewrote it; decoding gives the new form",
    Fate.SPACE: "spaces were dropped or changed; decoding does not give them back",
    Fate.UNKNOWN: "no piece and no bytes stand for it; decoding gives the unknown mark",
}


@dataclass(frozen=True)
class LensColumn:
    """One column in words."""

    original: str
    rule: str
    normalized: str
    bytes: str
    fate: Fate
    start: int  # in the normalized text
    end: int

    @property
    def is_lost(self) -> bool:
        return self.fate >= Fate.RULE

    @property
    def spoken(self) -> str:
        old = " ".join(map(code_point_text, self.original)) or "nothing"
        new = " ".join(map(code_point_text, self.normalized)) or "nothing"
        return f"{self.original or 'nothing'} ({old}) became {self.normalized or 'nothing'} ({new}): {FATES[self.fate]}"


class LensView(QuestionView):
    """The rows, with a note on the whole beside the tabs."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self.canvas = LensCanvas(theme)
        self.note = QLabel()
        super().__init__(self.canvas, Headings(theme, (), self.note, right=True), parent)
        self.note.setProperty("role", "note")
        self.column.addWidget(self.canvas)

    def set_lens(self, lens: Lens | None) -> None:
        self.canvas.set_lens(lens)
        self.note.setText("" if lens is None else _note(lens))


class LensCanvas(PieceArea):
    """The aligned rows, scrolled sideways."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("Normalization", parent)
        self._theme, self.shaper = theme, Shaper(theme)
        self._lens: Lens | None = None
        self.columns: tuple[LensColumn, ...] = ()
        self._x: list[float] = [0.0]
        self._tokens: list[tuple[float, float, str, int]] = []
        self._focused = -1

    def set_theme(self, theme: Theme) -> None:
        self._theme, self.shaper = theme, Shaper(theme)
        self._lay_out()

    def set_lens(self, lens: Lens | None) -> None:
        self._lens = lens
        self.columns = () if lens is None else lens_columns(lens)
        self._focused = min(self._focused, len(self.columns) - 1)
        self._lay_out()
        self.announce()

    def labels(self, painter: QPainter) -> list[Label]:
        """Every label that is in sight; the rows are painted on `painter` in passing."""
        ink = Ink(self.shaper, keep_labels=True)
        self._paint(painter, ink)
        return ink.labels

    def column_rect(self, column: int) -> QRectF:
        """A column in the viewport."""
        left = LEFT + self._x[column] - self.horizontalScrollBar().value()
        return QRectF(left, 2.0 - self.verticalScrollBar().value(), self._x[column + 1] - self._x[column], 5.0 * ROW)

    def _lay_out(self) -> None:
        width = self.shaper.width
        self._x = [0.0]
        for column in self.columns:
            texts = ((column.original, TEXT), (column.normalized, TEXT), (column.rule, SMALL), (column.bytes, BYTES))
            widest = max(width(text, spec) for text, spec in texts)
            self._x.append(self._x[-1] + max(NARROWEST, widest + 2.0 * PADDING))
        self._tokens = [] if self._lens is None else self._place_tokens(self._lens)
        bars = (self.horizontalScrollBar(), self.verticalScrollBar())
        whole = (LEFT + self._x[-1] + 18.0, 5.0 * ROW + 4.0)
        for bar, size, room in zip(bars, whole, (self.viewport().width(), self.viewport().height()), strict=True):
            bar.setRange(0, max(0, round(size) - room))
            bar.setPageStep(max(1, room))
            bar.setSingleStep(24)
        self.viewport().update()

    def _place_tokens(self, lens: Lens) -> list[tuple[float, float, str, int]]:
        """Left, right, text and ID of every token that lies in the columns."""
        places: dict[int, float] = {}
        for i, column in enumerate(self.columns):
            inner = column.end - column.start
            for k in range(inner + 1):
                places[column.start + k] = self._x[i] + (self._x[i + 1] - self._x[i]) * (k / inner if inner else 0.0)
        cut = lens.cut
        tokens: list[tuple[float, float, str, int]] = []
        rows = zip(cut.starts.tolist(), cut.ends.tolist(), cut.pieces, cut.ids.tolist(), strict=True)
        for start, end, text, number in rows:
            if end not in places:
                break
            if tokens and tokens[-1][0] == places[start] and tokens[-1][1] == places[end]:
                tokens[-1] = (*tokens[-1][:2], f"{tokens[-1][2]} {text}", tokens[-1][3])  # bytes of one character
            elif end > start:
                tokens.append((places[start], places[end], text, number))
        return tokens

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self.viewport()) as painter:  # ends it after an exception too
            self._paint(painter, Ink(self.shaper))

    def _paint(self, painter: QPainter, ink: Ink) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.viewport().rect(), QColor(self._theme.palette.paper))
        for i in self._columns_in_sight():
            self._paint_column(painter, ink, i)
        for token in self._tokens:
            self._paint_token(painter, ink, token)
        ink.draw(painter)
        names, palette = Ink(self.shaper), self._theme.palette
        painter.fillRect(QRectF(0.0, 0.0, LEFT - 2.0, self.viewport().height()), QColor(palette.paper))
        top = 2.0 - self.verticalScrollBar().value()
        for row, name in enumerate(ROWS):
            names.put(18.0, top + row * ROW + 15.0, name, NAME, palette.ink2, align=0.0)
        names.draw(painter)
        if self.hasFocus() and self._focused >= 0:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(palette.ink), 1.4, Qt.PenStyle.DotLine))
            painter.drawRoundedRect(self.column_rect(self._focused).adjusted(1.0, -1.0, -1.0, 0.0), 4.0, 4.0)

    def _columns_in_sight(self) -> range:
        shift, room = self.horizontalScrollBar().value(), self.viewport().width()
        inside = [i for i in range(len(self.columns)) if self._x[i + 1] >= shift and self._x[i] <= shift + room - LEFT]
        return range(inside[0], inside[-1] + 1) if inside else range(0)

    def _paint_column(self, painter: QPainter, ink: Ink, i: int) -> None:
        column, palette, rect = self.columns[i], self._theme.palette, self.column_rect(i)
        for row, text in ((0, column.original), (2, column.normalized)):
            cell = QRectF(rect.left() + 1.0, rect.top() + row * ROW + 1.0, rect.width() - 2.0, ROW - 2.0)
            self._paint_cell(painter, cell, column, bool(text))
            colour = palette.removed if column.is_lost and row == 0 else palette.ink
            ink.put(cell.center().x(), cell.center().y() + 4.7, text, TEXT, colour, quiet=palette.ink3)
        middle = rect.center().x()
        rule_colour = palette.removed if column.is_lost else palette.ink3
        ink.put(middle, rect.top() + ROW + 14.0, column.rule, SMALL, rule_colour)
        ink.put(middle, rect.top() + 4.0 * ROW + 14.0, column.bytes, BYTES, palette.ink2)

    def _paint_cell(self, painter: QPainter, cell: QRectF, column: LensColumn, has_text: bool) -> None:
        palette = self._theme.palette
        if column.is_lost:
            painter.setPen(QPen(QColor(palette.removed), 1.2))
            painter.setBrush(QColor(palette.removed_tint))
        else:
            style = Qt.PenStyle.DashLine if column.fate == Fate.ADDED or not has_text else Qt.PenStyle.SolidLine
            painter.setPen(QPen(QColor(palette.hairline), 1.0, style))
            painter.setBrush(QColor(palette.panel) if has_text else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(cell, 3.5, 3.5)

    def _paint_token(self, painter: QPainter, ink: Ink, token: tuple[float, float, str, int]) -> None:
        left, right, text, number = token
        palette, shift = self._theme.palette, LEFT - self.horizontalScrollBar().value()
        if left + shift > self.viewport().width() or right + shift < LEFT:
            return
        marked = self.is_lit(number)
        top = 2.0 - self.verticalScrollBar().value() + 3.0 * ROW
        rect = QRectF(left + shift + 1.0, top + 2.0, right - left - 2.0, ROW - 4.0)
        border = palette.picked if marked else mix(palette.best_tint, palette.best_text, 0.45)
        painter.setPen(QPen(QColor(border), 2.0 if marked else 1.0))
        painter.setBrush(QColor(palette.picked_tint if marked else palette.best_tint))
        painter.drawRoundedRect(rect, 4.0, 4.0)
        if self.shaper.width(text, PIECE) <= rect.width() - 2.0:
            colour = palette.picked if marked else palette.ink
            ink.put(rect.center().x(), rect.center().y() + 4.2, text, PIECE, colour, quiet=palette.ink3)

    # Pointer and keyboard

    def _column_at(self, x: float) -> int:
        place = x - LEFT + self.horizontalScrollBar().value()
        inside = (i for i in range(len(self.columns)) if self._x[i] <= place < self._x[i + 1])
        return next(inside, -1) if x >= LEFT else -1

    def _token_at(self, x: float) -> int:
        place = x - LEFT + self.horizontalScrollBar().value()
        return next((token[3] for token in self._tokens if token[0] <= place < token[1]), -1)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.hover(self._token_at(event.position().x()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._focused = self._column_at(event.position().x())
        self.announce()
        self.pick(self._token_at(event.position().x()))

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            column = self._column_at(event.pos().x())
            QToolTip.showText(event.globalPos(), self.columns[column].spoken if column >= 0 else "", self)
            return True
        return super().viewportEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        key, last = Qt.Key(event.key()), len(self.columns) - 1
        if key in steps and last >= 0:
            self._focused = min(max(self._focused + steps[key], 0), last)
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End) and last >= 0:
            self._focused = 0 if key == Qt.Key.Key_Home else last
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and self._focused >= 0:
            self.pick(self._token_at(self.column_rect(self._focused).center().x()))
        else:
            super().keyPressEvent(event)
            return
        self._show_focused()
        self.announce()

    def _show_focused(self) -> None:
        rect, bar = self.column_rect(self._focused), self.horizontalScrollBar()
        if rect.left() < LEFT:
            bar.setValue(round(bar.value() + rect.left() - LEFT))
        elif rect.right() > self.viewport().width():
            bar.setValue(round(bar.value() + rect.right() - self.viewport().width() + 8.0))
        self.viewport().update()

    def enter(self) -> None:
        if self._focused < 0 and self.columns:
            self._focused = 0
            self.announce()

    def spoken(self) -> str:
        if self._focused >= 0:
            return self.columns[self._focused].spoken
        return "" if self._lens is None else _note(self._lens)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def sizeHint(self) -> QSize:
        return QSize(680, round(5 * ROW + 6.0))

    def minimumSizeHint(self) -> QSize:
        return QSize(240, 60)


def lens_columns(lens: Lens) -> tuple[LensColumn, ...]:
    """The columns of a lens in words, the first 2,000 of them."""
    found = lens.alignment
    rows = zip(
        found.original_starts.tolist(), found.original_ends.tolist(), found.starts.tolist(), found.ends.tolist(),
        found.rule.tolist(), found.fate.tolist(), strict=True,
    )  # fmt: skip
    return tuple(_column(lens, row) for _, row in zip(range(MOST_COLUMNS), rows, strict=False))


def _column(lens: Lens, row: tuple[int, int, int, int, int, int]) -> LensColumn:
    first, last, start, end, rule, fate = row
    normalized, original = lens.cut.normalized.text[start:end], lens.cut.normalized.original[first:last]
    utf8 = normalized.encode("utf-8", "replace").hex(" ").upper()
    return LensColumn(original, _rule_text(lens, rule, Fate(fate)), normalized, utf8, Fate(fate), start, end)


def _rule_text(lens: Lens, rule: int, fate: Fate) -> str:
    """The rule that fired, by its code points."""
    if rule < 0:
        return {Fate.ADDED: "dummy", Fate.SPACE: "spaces", Fate.UNKNOWN: "unknown"}.get(fate, "")
    normalized = lens.cut.normalized
    source = normalized.original[int(normalized.rule_starts[rule]) : int(normalized.rule_ends[rule])]
    target = normalized.rule_targets[rule]
    return f"{' '.join(map(_hex, source))} → {' '.join(map(_hex, target)) or '∅'}"


def _hex(character: str) -> str:
    return f"{ord(character):04X}"


def _note(lens: Lens) -> str:
    found = lens.alignment
    shown = f"the first {MOST_COLUMNS:,} of {len(found):,} places; " if len(found) > MOST_COLUMNS else ""
    n_lost = int(found.is_lost.sum())
    if lens.gives_back:
        return f"{shown}decoding gives the text back"
    places = "place" if n_lost == 1 else "places"
    return f"{shown}{n_lost:,} {places} decoding does not give back"
