"""The one look of all tables: quiet heading, 22-pixel rows, no grid, the picked row tinted through and through.

In: an `OrderedTable` and a theme. Cells are painted here rather than by the style sheet, since a row may be
struck through, a piece is monospaced, and a space inside a piece is drawn as an open box.
"""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QPointF, QRect, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QGuiApplication,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from unigram_gui.ink import Ink
from unigram_gui.item_models.ordered_table import MARK_ROLE, REMARK_ROLE, VALUE_ROLE, Column, OrderedTable
from unigram_gui.shaping import Shaper
from unigram_gui.theme import FontSpec, Palette, Theme

ROW_HEIGHT, HEADING_HEIGHT = 22, 26
SIDE, GAP = 14, 6
SCROLL_BAR = 10
CUT_WIDTH = 2
TEXT_SIZE = 11.5
MAX_CHARACTERS = 64
BASELINE, STRIKE = 0.36, 0.27  # em below the middle of a row, em above the baseline
Index = QModelIndex | QPersistentModelIndex


class FlatTable(QTableView):
    """Shows an `OrderedTable`; the picked row is the selected one.

    Signals
    -------
    row_picked : the source row that a person chose with mouse or keyboard, -1 when the choice was undone
    """

    row_picked = Signal(int)
    row_hovered = Signal(int)  # source row under the pointer, -1 for none

    def __init__(self, model: OrderedTable, name: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self._table = model
        self._theme = theme
        self._cut_row = -1
        self._is_told = False
        self._hovered = self._lit = -1
        self._hint = ""
        self._widths: dict[int, int] = {}
        self._stretched, self._least_stretched = 0, 0
        self._heading = _Heading(theme, self)
        self.setHorizontalHeader(self._heading)
        self.setModel(model)
        self.setItemDelegate(_CellPainter(theme, self))
        self._behave()
        self.selectionModel().selectionChanged.connect(self._tell_picked)

    def _behave(self) -> None:
        self.setMouseTracking(True)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        rows = self.verticalHeader()
        rows.setVisible(False)
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setMinimumSectionSize(ROW_HEIGHT)
        rows.setDefaultSectionSize(ROW_HEIGHT)
        self._heading.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self._heading.setSortIndicatorClearable(True)
        self.setSortingEnabled(True)

    def set_widths(self, widths: dict[int, int], stretched: int) -> None:
        """Give columns their widths in pixels; the stretched one takes what is left."""
        self._widths, self._stretched = widths, stretched
        self._heading.setMinimumSectionSize(24)
        for column, width in widths.items():
            self._heading.resizeSection(column, width)
        self._heading.setSectionResizeMode(stretched, QHeaderView.ResizeMode.Stretch)

    def widen_to_content(self) -> None:
        """Give all columns what their titles and cells need, and scroll where that is too much; for few rows."""
        for column, least in self._widths.items():
            self._heading.resizeSection(column, max(least, self.content_width(column)))
        self._least_stretched = self.content_width(self._stretched)
        self._settle_stretched()

    @property
    def full_width(self) -> int:
        """How many pixels all columns take since `widen_to_content`, with the scroll bar."""
        return self._least_stretched + sum(map(self.columnWidth, self._widths)) + SCROLL_BAR

    def _settle_stretched(self) -> None:
        """Stretch the column that takes what is left, but not to less than it needs."""
        has_room = self.viewport().width() >= self.full_width - SCROLL_BAR
        mode = QHeaderView.ResizeMode.Stretch if has_room else QHeaderView.ResizeMode.Interactive
        self._heading.setSectionResizeMode(self._stretched, mode)
        if not has_room:
            self._heading.resizeSection(self._stretched, self._least_stretched)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Override QTableView::resizeEvent."""
        super().resizeEvent(event)
        if self._least_stretched:
            self._settle_stretched()

    def content_width(self, column: int) -> int:
        """Return how many pixels a column needs for all that is in it."""
        rows = range(self._table.rowCount())
        return self.width_for(column, (str(self._table.index(row, column).data()) for row in rows))

    def width_for(self, column: int, cells: Iterable[str]) -> int:
        """Return how many pixels a column needs for its title and these cells, in the weight of the picked row."""
        bold, plain = self._theme.sans(TEXT_SIZE, 600), self._theme.sans(TEXT_SIZE)
        title = QFontMetrics(plain).horizontalAdvance(f"↑ {self._table.columns[column].title}")
        widest = max([title, *map(QFontMetrics(bold).horizontalAdvance, cells)])
        return widest - _padded(QRect(0, 0, 0, 0), column, self._table).width() + 2

    def set_theme(self, theme: Theme) -> None:
        """Paint with another theme from now on."""
        self._theme = theme
        self._heading.set_theme(theme)
        self.setItemDelegate(_CellPainter(theme, self))
        self.viewport().update()

    def set_hint(self, hint: str) -> None:
        """Say what to do, or why, while there are no rows."""
        self._hint = hint
        self.setAccessibleDescription(hint)
        self.viewport().update()

    def set_cut_row(self, row: int) -> None:
        """Draw the line between removed and kept above row `row`, or none for -1."""
        self._cut_row = row
        self.viewport().update()

    def pick_source_row(self, source_row: int) -> None:
        """Select what is picked elsewhere, without telling it back."""
        row = self._table.row_of(source_row)
        if row >= 0 and [index.row() for index in self.selectionModel().selectedRows()] == [row]:
            return
        self._is_told = True
        if row < 0:
            self.clearSelection()
            self.setCurrentIndex(QModelIndex())
        else:
            self.selectRow(row)
            self.scrollTo(self._table.index(row, 0))
        self._is_told = False

    def light_source_row(self, source_row: int) -> None:
        """Outline what is pointed at elsewhere; nothing scrolls."""
        row = self._table.row_of(source_row) if source_row >= 0 else -1
        if row != self._lit:
            self._lit = row
            self.viewport().update()

    def copy(self) -> None:
        """Put the picked row on the clipboard, as the Edit menu wants it."""
        if rows := self.selectionModel().selectedRows():
            text = self._table.text_of(self._table.source_row(rows[0].row()))
            QGuiApplication.clipboard().setText(text)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Override QTableView::mouseMoveEvent: tell the row under the pointer."""
        super().mouseMoveEvent(event)
        self._tell_hovered(self.indexAt(event.position().toPoint()).row())

    def viewportEvent(self, event: QEvent) -> bool:
        """Override QTableView::viewportEvent: the pointer may leave."""
        if event.type() == QEvent.Type.Leave:
            self._tell_hovered(-1)
        return super().viewportEvent(event)

    def _tell_hovered(self, row: int) -> None:
        source_row = self._table.source_row(row) if row >= 0 else -1
        if source_row != self._hovered:
            self._hovered = source_row
            self.row_hovered.emit(source_row)

    def _tell_picked(self) -> None:
        if self._is_told:
            return
        rows = self.selectionModel().selectedRows()
        self.row_picked.emit(self._table.source_row(rows[0].row()) if rows else -1)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Override QTableView::paintEvent: the cut line lies over the rows."""
        super().paintEvent(event)
        if not self._table.rowCount() and self._hint:
            self._paint_hint()
        if self._cut_row >= 0:
            self._paint_cut()
        if self._lit >= 0:
            self._paint_lit()

    def _paint_hint(self) -> None:
        room = self.viewport().rect().adjusted(SIDE, SIDE, -SIDE, -SIDE)
        flags = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
        with QPainter(self.viewport()) as painter:  # ends it after an exception too
            painter.setFont(self._theme.sans(TEXT_SIZE))
            painter.setPen(QColor(self._theme.palette.ink3))
            painter.drawText(room, int(flags), self._hint)

    def _paint_lit(self) -> None:
        top = self.rowViewportPosition(self._lit)
        with QPainter(self.viewport()) as painter:
            painter.setPen(QPen(QColor(self._theme.palette.picked), 1.4))
            painter.drawRoundedRect(QRect(2, top, self.viewport().width() - 5, ROW_HEIGHT - 1), 4, 4)

    def _paint_cut(self) -> None:
        y = self._cut_row * ROW_HEIGHT - self.verticalScrollBar().value()
        with QPainter(self.viewport()) as painter:
            painter.fillRect(0, y - CUT_WIDTH // 2, self.viewport().width(), CUT_WIDTH, self._theme.palette.removed)


class _Heading(QHeaderView):
    """Column titles: muted, aligned as their cells, a hairline below, a small arrow at the sorted one."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._theme = theme
        self.setSectionsClickable(True)
        self.setHighlightSections(False)
        self.setFixedHeight(HEADING_HEIGHT)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.viewport().update()

    def paintSection(self, painter: QPainter, rect: QRect, logical: int) -> None:
        """Override QHeaderView::paintSection."""
        table = self.model()
        if not isinstance(table, OrderedTable):
            return
        palette = self._theme.palette
        column = table.columns[logical]
        painter.save()
        painter.fillRect(rect, palette.paper)
        painter.fillRect(rect.left(), rect.bottom(), rect.width(), 1, palette.hairline)
        painter.setFont(self._theme.sans(11.5))
        painter.setPen(QColor(palette.ink2))
        painter.drawText(_padded(rect, logical, table), int(column.alignment), self._title(column, logical))
        painter.restore()

    def _title(self, column: Column, logical: int) -> str:
        if self.sortIndicatorSection() != logical:
            return column.title
        arrow = "↑" if self.sortIndicatorOrder() == Qt.SortOrder.AscendingOrder else "↓"
        is_right = bool(column.alignment & Qt.AlignmentFlag.AlignRight)
        return f"{arrow} {column.title}" if is_right else f"{column.title} {arrow}"


class _CellPainter(QStyledItemDelegate):
    """Paints one cell by the kind of its column and the mark of its row."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._shaper = Shaper(theme)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Override QStyledItemDelegate::paint."""
        table = index.model()
        assert isinstance(table, OrderedTable)
        state, rect = option.state, option.rect
        picked = bool(state & QStyle.StateFlag.State_Selected)
        palette, column = self._theme.palette, table.columns[index.column()]
        mark = index.data(MARK_ROLE)
        painter.save()
        if picked:
            painter.fillRect(rect, palette.picked_tint)
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, palette.panel)
        weight = 600 if picked or (mark == "removed" and column.kind == "verdict") else 400
        colour = _colour(palette, column, mark, picked)
        room = _padded(rect, index.column(), table)
        if column.kind == "piece":
            font = FontSpec("mono", TEXT_SIZE, weight)
            drawn = self._draw_piece(painter, room, index.data(VALUE_ROLE), font, colour, mark)
            self._draw_text(painter, room.adjusted(drawn, 0, 0, 0), index.data(REMARK_ROLE), column, colour)
        else:
            self._draw_text(painter, room, index.data(), column, colour, weight)
        painter.restore()

    def _draw_text(
        self, painter: QPainter, room: QRect, text: str, column: Column, colour: str, weight: int = 400
    ) -> None:
        painter.setFont(self._theme.sans(TEXT_SIZE, weight))
        painter.setPen(QColor(colour))
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, int(column.alignment | Qt.TextFlag.TextSingleLine), shown)

    def _draw_piece(self, painter: QPainter, room: QRect, text: str, font: FontSpec, colour: str, mark: str) -> int:
        """Draw a piece as the lattice does: open boxes for spaces, names for characters that hide.

        Returns where what follows it begins.
        """
        ink = Ink(self._shaper)
        baseline = room.center().y() + 0.5 + BASELINE * font.size
        shown = self._elided(text, font, room.width())
        width = ink.put(room.left(), baseline, shown, font, colour, 0.0, self._theme.palette.ink3)
        ink.draw(painter)
        if mark == "removed":
            y = baseline - STRIKE * font.size
            painter.setPen(QPen(QColor(self._theme.palette.removed), 1.2))
            painter.drawLine(QPointF(room.left() - 2, y), QPointF(room.left() + width + 2, y))
        return int(width) + 2 * GAP

    def _elided(self, text: str, font: FontSpec, room: int) -> str:
        """Return as much of a piece as there is room for."""
        text = text[:MAX_CHARACTERS]
        if self._shaper.width(text, font) <= room:
            return text
        while text and self._shaper.width(text + "…", font) > room:
            text = text[:-1]
        return text + "…"


def _colour(palette: Palette, column: Column, mark: str, picked: bool) -> str:
    if picked:
        return palette.picked
    if mark == "removed":
        return palette.removed if column.kind == "verdict" else palette.ink3
    is_muted = column.kind in ("id", "word") or (mark == "chance" and column.kind == "difference")
    return palette.ink3 if is_muted else palette.ink


def _padded(rect: QRect, column: int, table: OrderedTable) -> QRect:
    """Leave the pane's margin at both ends of a row, and a small gap between columns.

    Numbers stand at the right and may fill their column to its left edge: the gap before them is its neighbour's.
    """
    last = table.columnCount() - 1 if table.last_shown < 0 else table.last_shown
    right = SIDE - SCROLL_BAR // 2 if column == last else GAP
    is_number = bool(table.columns[column].alignment & Qt.AlignmentFlag.AlignRight)
    left = SIDE if column == 0 else 0 if is_number else GAP
    return rect.adjusted(left, 0, -right, 0)
