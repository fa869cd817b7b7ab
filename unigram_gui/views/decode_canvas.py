"""The columns of the decode pane: tokens above, bytes and bits, characters below.

In: a `Decoding`. Out: painting and scrolling; only the columns in sight are painted. A canvas with more height also
shows what each byte is for, the code points and how their bits come together. The last row is the text so far, which a
low canvas scrolls to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from unigram_gui.characters import SPACE_MARKER
from unigram_gui.ink import Ink, Label
from unigram_gui.shaping import Shaper
from unigram_gui.theme import BOLD, MEDIUM, SEMI_BOLD, FontSpec, Theme, mix
from unigram_gui.views.decode_layout import DecodeColumns, code_point_bits, decode_columns, prefix_length

if TYPE_CHECKING:
    from engine.byte_fallback import DecodedCharacter, Decoding
    from engine.streaming import StreamStep

COLUMN, NAMES_WIDTH, MARGIN, FADE = 66.0, 92.0, 14.0, 26.0
TALL = 232.0  # from this height on there is room for roles and code points
RADIUS = 6.0
DIGIT = 0.6  # em; advance of a binary digit
ROLE_WORDS = {"CONTINUATION": "continues", "LEAD_OF_2": "lead of 2", "LEAD_OF_3": "lead of 3", "LEAD_OF_4": "lead of 4"}
TYPE_WORDS = {1: "normal", 2: "unknown", 3: "control", 4: "user defined", 5: "unused", 6: "byte"}
BYTE_TYPE = 6

ROW_NAME = FontSpec("sans", 11.5)
ID = FontSpec("sans", 13.5, BOLD)
PIECE = FontSpec("mono", 12.5)
SMALL = FontSpec("sans", 9.5)
SMALL_BOLD = FontSpec("sans", 9.5, SEMI_BOLD)
BYTE = FontSpec("code", 12.5, MEDIUM)
BITS = FontSpec("code", 10.5)
BITS_BOLD = FontSpec("code", 10.5, BOLD)
CODE_POINT = FontSpec("code", 11.5, BOLD)


SO_FAR = FontSpec("mono", 12.5)
FILL_STEP = 10.0


class Rows:
    """The heights of the rows, for a canvas with or without room for all of them."""

    def __init__(self, tall: bool) -> None:
        self.tall = tall
        self.tokens = QRectF(0.0, 6.0, 0.0, 62.0 if tall else 50.0)
        bottom = self.tokens.bottom()
        self.byte = bottom + (22.0 if tall else 19.0)
        self.bits = self.byte + (24.0 if tall else 20.0)
        self.role = self.bits + 15.0
        self.code_bits = self.role + 25.0
        self.code_point = self.code_bits + 15.0
        self.characters = QRectF(0.0, self.code_point + 8.0 if tall else self.bits + 10.0, 0.0, 36.0 if tall else 26.0)
        self.so_far = self.characters.bottom() + (24.0 if tall else 17.0)
        self.height = self.so_far + 16.0


class DecodeCanvas(QAbstractScrollArea):
    """Tokens, bytes, bits and characters, a column a byte."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._shaper = theme, Shaper(theme)
        self._decoding: Decoding | None = None
        self._columns: DecodeColumns | None = None
        self._rows = Rows(tall=False)
        self._steps: tuple[StreamStep, ...] = ()
        self._painted: tuple[object, ...] = ()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Decoded bytes")
        self.horizontalScrollBar().setProperty("inset", "true")
        self._update_bar()

    def set_theme(self, theme: Theme) -> None:
        self._theme, self._shaper = theme, Shaper(theme)
        self.viewport().update()

    def set_decoding(self, decoding: Decoding | None, steps: tuple[StreamStep, ...] = ()) -> None:
        """Show other tokens, and what can be read after each of them."""
        self._decoding, self._steps = decoding, steps
        self._columns = decode_columns(decoding) if decoding is not None else None
        self.setAccessibleDescription(decoding.text if decoding is not None else "")
        self._update_bar()
        # A text that grows at its end leaves the columns in sight as they are.
        if self._in_sight() != self._painted:
            self.viewport().update()

    def _in_sight(self) -> tuple[object, ...]:
        """All that the painting depends on, but for the theme."""
        across, down, size = self.horizontalScrollBar(), self.verticalScrollBar().value(), self.viewport().size()
        decoding, columns = self._decoding, self._columns
        if decoding is None or columns is None:
            return size, down
        goes_on = across.value() < across.maximum()
        tokens = _stretch(self._rows_in_sight(columns.token_start, columns.token_end))
        characters = _stretch(self._rows_in_sight(columns.character_start, columns.character_end))
        first, last = np.searchsorted(columns.byte, self._columns_in_sight())
        arrays: list[NDArray[Any]] = [decoding.ids, decoding.types, columns.token_start, columns.token_end]
        seen = [array[tokens].tobytes() for array in arrays]
        arrays = [decoding.byte_values, decoding.byte_roles, decoding.byte_dropped]
        seen += [array[first:last].tobytes() for array in arrays]
        return (
            size, down, across.value(), goes_on, decoding.pieces[tokens], decoding.characters[characters],
            decoding.text[: characters.stop], self._steps[tokens], *seen,
        )  # fmt: skip

    @property
    def columns(self) -> DecodeColumns | None:
        return self._columns

    def labels(self, painter: QPainter) -> list[Label]:
        """Every label in sight; the canvas is painted on `painter` in passing."""
        ink = Ink(self._shaper, keep_labels=True)
        self._paint(painter, ink)
        return ink.labels

    def _update_bar(self) -> None:
        self._rows = Rows(self.viewport().height() >= TALL)
        n_columns = self._columns.n_columns if self._columns is not None else 0
        room = round(self.viewport().width() - NAMES_WIDTH - MARGIN)
        bar = self.horizontalScrollBar()
        bar.setRange(0, max(0, round(n_columns * COLUMN) - room))
        bar.setPageStep(max(1, room))
        bar.setSingleStep(round(COLUMN))
        down = self.verticalScrollBar()
        down.setRange(0, max(0, round(self._rows.height) - self.viewport().height()) if n_columns else 0)
        down.setPageStep(max(1, self.viewport().height()))
        down.setSingleStep(22)

    def _x(self, column: Any) -> Any:
        return NAMES_WIDTH + column * COLUMN - self.horizontalScrollBar().value()

    def paintEvent(self, event: QPaintEvent) -> None:
        self._painted = self._in_sight()
        with QPainter(self.viewport()) as painter:  # ends it after an exception too
            self._paint(painter, Ink(self._shaper))

    def _paint(self, painter: QPainter, ink: Ink) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = self.viewport().rect().toRectF()
        painter.fillRect(rect, QColor(self._theme.palette.paper))
        if self._decoding is None or self._columns is None or not self._columns.n_columns:
            return
        down = self.verticalScrollBar().value()
        painter.save()
        painter.translate(0.0, -down)
        painter.setClipRect(rect.adjusted(NAMES_WIDTH - 4.0, down, 0.0, down))
        self._paint_tokens(painter, ink, self._decoding, self._columns)
        self._paint_bytes(painter, ink, self._decoding, self._columns)
        self._paint_characters(painter, ink, self._decoding, self._columns)
        self._paint_so_far(painter, ink, self._decoding, self._columns)
        ink.draw(painter)
        painter.translate(0.0, down)
        self._paint_fade(painter, rect)
        painter.restore()
        painter.translate(0.0, -down)
        self._write_names(painter)
        painter.translate(0.0, down)

    def _rows_in_sight(self, start: NDArray[Any], end: NDArray[Any]) -> list[int]:
        """Which of many stretches of columns are in sight, looked up in one go."""
        return np.flatnonzero((self._x(end) > NAMES_WIDTH - 4.0) & (self._x(start) < self.viewport().width())).tolist()

    def _write_names(self, painter: QPainter) -> None:
        rows = self._rows
        names = [(rows.tokens.top() + 20.0, "ID"), (rows.tokens.top() + 40.0, "piece")]
        names += [(rows.byte, "bytes"), (rows.bits, "bits"), (rows.characters.center().y() + 4.0, "character")]
        if rows.tall:
            names.append((rows.code_point - 6.0, "code point"))
        if self._steps:
            names.append((rows.so_far, "text so far"))
        name_ink = Ink(self._shaper)
        for baseline, name in names:
            name_ink.put(MARGIN, baseline, name, ROW_NAME, self._theme.palette.ink2, align=0.0)
        name_ink.draw(painter)

    def _paint_fade(self, painter: QPainter, rect: QRectF) -> None:
        """Columns that go on beyond the right side fade out there."""
        bar = self.horizontalScrollBar()
        if bar.value() >= bar.maximum():
            return
        paper = QColor(self._theme.palette.paper)
        clear = QColor(paper)
        clear.setAlpha(0)
        fade = QLinearGradient(rect.right() - FADE, 0.0, rect.right(), 0.0)
        fade.setColorAt(0.0, clear)
        fade.setColorAt(1.0, paper)
        painter.fillRect(QRectF(rect.right() - FADE, 0.0, FADE, rect.height()), fade)

    def _paint_tokens(self, painter: QPainter, ink: Ink, decoding: Decoding, columns: DecodeColumns) -> None:
        palette, rows = self._theme.palette, self._rows
        for token in self._rows_in_sight(columns.token_start, columns.token_end):
            start, end = int(columns.token_start[token]), int(columns.token_end[token])
            is_byte = int(decoding.types[token]) == BYTE_TYPE
            rect = QRectF(self._x(start), rows.tokens.top(), (end - start) * COLUMN - 4.0, rows.tokens.height())
            border = palette.best_text if is_byte else mix(palette.best_tint, palette.best_text, 0.5)
            pen = QPen(QColor(border), 1.2, Qt.PenStyle.DashLine if is_byte else Qt.PenStyle.SolidLine)
            painter.setPen(pen)
            painter.setBrush(QColor(palette.best_tint))
            painter.drawRoundedRect(rect.adjusted(0.6, 0.6, -0.6, -0.6), RADIUS, RADIUS)
            middle = self._middle_in_sight(rect)
            ink.put(middle, rect.top() + 20.0, _id_text(int(decoding.ids[token])), ID, palette.best_text)
            ink.put(middle, rect.top() + 40.0, decoding.pieces[token], PIECE, palette.ink, quiet=palette.ink2)
            if rows.tall:
                kind = TYPE_WORDS.get(int(decoding.types[token]), "")
                ink.put(middle, rect.top() + 55.0, kind, SMALL, palette.ink2)

    def _middle_in_sight(self, rect: QRectF) -> float:
        """The middle of what is seen of a wide token, so that its name is never scrolled away."""
        seen = rect.intersected(QRectF(NAMES_WIDTH, rect.top(), self.viewport().width() - NAMES_WIDTH, 1.0))
        narrow = seen.width() < COLUMN - 8.0
        return rect.center().x() if narrow else seen.center().x()

    def _paint_bytes(self, painter: QPainter, ink: Ink, decoding: Decoding, columns: DecodeColumns) -> None:
        first, last = np.searchsorted(columns.byte, self._columns_in_sight())
        reasons = {c.first_byte: c.reason for c in decoding.characters if c.reason}
        for i in range(int(first), int(last)):
            centre = self._x(int(columns.byte[i]) + 0.5) - 2.0
            role = decoding.byte_roles[i]
            name = _role_name(int(role))
            self._paint_byte(painter, ink, centre, int(decoding.byte_values[i]), name, bool(decoding.byte_dropped[i]))
            if self._rows.tall:
                self._write_role(ink, centre, name, reasons.get(i, ""), bool(decoding.byte_dropped[i]))

    def _columns_in_sight(self) -> tuple[int, int]:
        offset = self.horizontalScrollBar().value()
        first = int(offset // COLUMN)
        return first, first + int((self.viewport().width() - NAMES_WIDTH) // COLUMN) + 2

    def _paint_byte(self, painter: QPainter, ink: Ink, centre: float, value: int, role: str, dropped: bool) -> None:
        palette, rows = self._theme.palette, self._rows
        illegal = role == "ILLEGAL"
        colour = palette.ink3 if dropped else palette.removed if illegal else palette.ink
        ink.put(centre, rows.byte, f"{value:02X}", BYTE, colour)
        digits, prefix = f"{value:08b}", prefix_length(role)
        advance = DIGIT * BITS.size
        gap = 3.0 if prefix else 0.0
        left = centre - 0.5 * (8.0 * advance + gap)
        if illegal:
            self._paint_box(painter, left, 8, palette.removed_tint, palette.removed)
        elif prefix:
            lead = role.startswith("LEAD")
            fill, border = (
                (palette.picked, palette.picked) if lead else (palette.continuation_tint, palette.continuation)
            )
            self._paint_box(painter, left, prefix, fill, border)
            ink.put(left, rows.bits, digits[:prefix], BITS_BOLD, palette.paper if lead else border, align=0.0)
        rest = palette.ink3 if dropped else palette.removed if illegal else palette.ink2
        ink.put(left + prefix * advance + gap, rows.bits, digits[prefix:], BITS, rest, align=0.0)

    def _paint_box(self, painter: QPainter, left: float, digits: int, fill: str, border: str) -> None:
        painter.setPen(QPen(QColor(border), 1.1))
        painter.setBrush(QColor(fill))
        rect = QRectF(left - 2.0, self._rows.bits - 12.0, digits * DIGIT * BITS.size + 4.0, 16.0)
        painter.drawRoundedRect(rect, 3.0, 3.0)

    def _write_role(self, ink: Ink, centre: float, role: str, reason: str, dropped: bool) -> None:
        palette = self._theme.palette
        if dropped:
            ink.put(centre, self._rows.role, "removed", SMALL, palette.ink3)
        elif reason:
            ink.put(centre, self._rows.role, reason, SMALL_BOLD, palette.removed)
        elif role in ROLE_WORDS:
            lead = role.startswith("LEAD")
            colour = palette.picked if lead else palette.continuation
            ink.put(centre, self._rows.role, ROLE_WORDS[role], SMALL_BOLD if lead else SMALL, colour)

    def _paint_characters(self, painter: QPainter, ink: Ink, decoding: Decoding, columns: DecodeColumns) -> None:
        for i in self._rows_in_sight(columns.character_start, columns.character_end):
            start, end = int(columns.character_start[i]), int(columns.character_end[i])
            self._paint_character(painter, ink, decoding.characters[i], start, end)
        dropped = columns.byte[np.flatnonzero(decoding.byte_dropped)]
        for i in self._rows_in_sight(dropped, dropped + 1):
            self._paint_dropped(painter, ink, int(dropped[i]))

    def _cell(self, start: int, end: int) -> QRectF:
        rows = self._rows
        return QRectF(self._x(start), rows.characters.top(), (end - start) * COLUMN - 4.0, rows.characters.height())

    def _paint_character(self, painter: QPainter, ink: Ink, character: DecodedCharacter, start: int, end: int) -> None:
        palette, rect = self._theme.palette, self._cell(start, end)
        illegal = bool(character.reason)
        painter.setPen(QPen(QColor(palette.removed if illegal else palette.hairline), 1.2))
        painter.setBrush(QColor(palette.removed_tint if illegal else palette.panel))
        painter.drawRoundedRect(rect.adjusted(0.6, 0.6, -0.6, -0.6), RADIUS, RADIUS)
        size = 20.0 if self._rows.tall else 15.0
        text = SPACE_MARKER if character.text == " " else character.text
        colour = palette.removed if illegal else palette.ink
        centre, baseline = rect.center().x(), rect.center().y() + 0.36 * size
        if illegal and not self._rows.tall:
            # No row of its own for the reason: it stands beside the replacement character.
            room = ink.width(text, FontSpec("mono", size)) + 3.0 + ink.width(character.reason, SMALL_BOLD)
            left = centre - 0.5 * room
            left += ink.put(left, baseline, text, FontSpec("mono", size), colour, align=0.0) + 3.0
            ink.put(left, rect.center().y() + 3.5, character.reason, SMALL_BOLD, colour, align=0.0)
        else:
            ink.put(centre, baseline, text, FontSpec("mono", size), colour, quiet=palette.ink2)
        if self._rows.tall and character.code_point is not None:
            self._write_code_point(painter, ink, character.code_point, character.n_bytes, rect)

    def _write_code_point(self, painter: QPainter, ink: Ink, code_point: int, n_bytes: int, rect: QRectF) -> None:
        palette, rows, centre = self._theme.palette, self._rows, rect.center().x()
        ink.put(centre, rows.code_point, f"U+{code_point:04X}", CODE_POINT, palette.ink)
        if n_bytes > 1:
            ink.put(centre, rows.code_bits, code_point_bits(code_point), BITS, palette.ink2)
            y = rows.role + 12.0
            painter.setPen(QPen(QColor(palette.ink3), 1.2))
            painter.drawPolyline(
                [
                    QPointF(rect.left(), y - 5.0),
                    QPointF(rect.left(), y),
                    QPointF(rect.right(), y),
                    QPointF(rect.right(), y - 5.0),
                ]
            )

    def _paint_dropped(self, painter: QPainter, ink: Ink, column: int) -> None:
        palette, rect = self._theme.palette, self._cell(column, column + 1).adjusted(8.0, 1.0, -8.0, -1.0)
        painter.setPen(QPen(QColor(palette.faint), 1.0, Qt.PenStyle.DashLine))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(rect, 4.0, 4.0)
        ink.put(rect.center().x(), rect.center().y() + 3.5, "dropped", SMALL, palette.ink3)

    def _paint_so_far(self, painter: QPainter, ink: Ink, decoding: Decoding, columns: DecodeColumns) -> None:
        """The text that can be shown after each token, and how much there is of a character that has begun."""
        palette, baseline = self._theme.palette, self._rows.so_far
        for i in self._rows_in_sight(columns.token_start, columns.token_end):
            if i >= len(self._steps):
                break
            step, start, end = self._steps[i], int(columns.token_start[i]), int(columns.token_end[i])
            middle, room = self._x(0.5 * (start + end)) - 2.0, (end - start) * COLUMN - 10.0
            text = self._last_of(decoding, step.n_characters, room, ink)
            spec = SO_FAR if text else SMALL
            ink.put(middle, baseline, text or "(empty)", spec, palette.ink3 if step.need or not text else palette.ink,
                    quiet=palette.ink3)  # fmt: skip
            self._paint_fill(painter, middle, baseline + 7.0, step.have, step.need)

    def _last_of(self, decoding: Decoding, n: int, room: float, ink: Ink) -> str:
        """As much of the end of the first n characters as there is room for."""
        shown, width = "", ink.width("…", SO_FAR)
        for i in range(n - 1, -1, -1):
            character = SPACE_MARKER if decoding.characters[i].text == " " else decoding.characters[i].text
            width += ink.width(character, SO_FAR)
            if width > room:
                return "…" + shown
            shown = character + shown
        return shown

    def _paint_fill(self, painter: QPainter, middle: float, top: float, have: int, need: int) -> None:
        """A mark for each byte of an unfinished character, those that are there filled."""
        colour = QColor(self._theme.palette.ink3)
        left = middle - 0.5 * (need * FILL_STEP - 2.0)
        for i in range(need):
            painter.setPen(QPen(colour, 1.1))
            painter.setBrush(colour if i < have else Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(left + i * FILL_STEP, top, FILL_STEP - 2.0, 5.5), 2.0, 2.0)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._update_bar()

    def sizeHint(self) -> QSize:
        return QSize(560, 180)

    def minimumSizeHint(self) -> QSize:
        return QSize(220, 120)


def _stretch(rows: list[int]) -> slice:
    """Rows that follow one another, as a slice."""
    return slice(rows[0], rows[-1] + 1) if rows else slice(0, 0)


def _id_text(token_id: int) -> str:
    """Bytes without a piece have no ID."""
    return str(token_id) if token_id >= 0 else "–"


_ROLE_NAMES = ("CONTINUATION", "ASCII", "LEAD_OF_2", "LEAD_OF_3", "LEAD_OF_4", "ILLEGAL")


def _role_name(role: int) -> str:
    """The name of an engine `ByteRole`; views know the engine's values, not its code."""
    return _ROLE_NAMES[role]
