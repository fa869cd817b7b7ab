"""A table over frozen arrays whose only state is which source row stands where.

Sorting and filtering change one integer array and no value, so a million rows are as good as ten. Subclasses
say what a cell shows, look values up and format them; nothing here computes. A large table is not sorted here: it asks
for its order, and stays as it is until that comes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from unigram_gui.tasks.sorting import Keys, SortedRows, SortRequest, stable_order

Index = QModelIndex | QPersistentModelIndex
Rows = npt.NDArray[np.int64]

VALUE_ROLE = Qt.ItemDataRole.UserRole
"""The value behind a cell: a number or a string, for whoever wants it unformatted."""
MARK_ROLE = Qt.ItemDataRole.UserRole + 1
"""What a row is, for the painter: "", "removed", "protected", or "chance" where its difference may be nothing else."""
REMARK_ROLE = Qt.ItemDataRole.UserRole + 2
"""What is said beside the piece of a row."""

MOST_SORTED_HERE = 50_000
"""Rows; sorting more would hold up the window."""

_NONE = QModelIndex()
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True)
class Column:
    """One column: its heading, what it means, and whether it holds numbers, words or pieces."""

    title: str
    help: str
    kind: str = "number"

    @property
    def alignment(self) -> Qt.AlignmentFlag:
        """Numbers end at the right, text begins at the left."""
        return _RIGHT if self.kind in ("number", "difference", "id", "verdict") else _LEFT


class OrderedTable(QAbstractTableModel):
    """Rows of frozen values in an order of the table's own. "Source row" is a row's place in the values.

    Signals
    -------
    order_requested : a SortRequest for all rows; the answer goes to `set_order`
    """

    order_requested = Signal(object)

    columns: tuple[Column, ...] = ()
    last_shown = -1
    """The last column on show, -1 for the very last: it ends at the pane's margin."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._shown: Rows | None = None
        self._order: Rows = np.empty(0, dtype=np.int64)
        self._sorted_by: tuple[int, Qt.SortOrder] = (-1, Qt.SortOrder.AscendingOrder)
        self._wanted = self._sorted_by
        self._values = object()  # another one whenever the values are others
        self._sorted: SortedRows | None = None

    # What a subclass says about its rows.

    def n_source_rows(self) -> int:
        """Return how many rows the values have."""
        raise NotImplementedError

    def cell(self, row: int, column: int) -> str:
        """Return what the cell of a source row shows."""
        raise NotImplementedError

    def value(self, row: int, column: int) -> Any:
        """Return the value behind the cell of a source row."""
        raise NotImplementedError

    def sort_keys(self, column: int) -> npt.NDArray[Any]:
        """Return one key for each source row; NaN for the rows that go last either way."""
        raise NotImplementedError

    def keys_of(self, column: int) -> Callable[[], Keys]:
        """Return what gives the sort keys of these values, on any thread; override where making them takes long."""
        keys = self.sort_keys(column)
        return lambda: keys

    def tool_tip(self, row: int, column: int) -> str:
        """Return what hovering over the cell of a source row tells."""
        return self.cell(row, column)

    def text_of(self, row: int) -> str:
        """Return a source row to be copied: texts and pieces as they are, numbers as shown, tabs between."""
        cells = (
            str(self.value(row, place)) if column.kind in ("piece", "text") else self.cell(row, place)
            for place, column in enumerate(self.columns)
        )
        return "\t".join(cells)

    def mark(self, row: int) -> str:
        """Return what a source row is: "", "removed", "protected" or "chance"."""
        return ""

    def remark(self, row: int) -> str:
        """Return what is said beside the piece of a source row."""
        return ""

    # Order.

    def source_row(self, row: int) -> int:
        """Return the source row shown at `row`, or -1."""
        return int(self._order[row]) if 0 <= row < len(self._order) else -1

    def row_of(self, source_row: int) -> int:
        """Return where a source row is shown, or -1."""
        found = np.flatnonzero(self._order == source_row)
        return int(found[0]) if len(found) else -1

    def show_rows(self, shown: Rows | None) -> None:
        """Show only these source rows (ascending), or all of them for None."""
        self.beginResetModel()
        self._shown = shown
        self._order = self._ordered()
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Override QAbstractItemModel::sort; column -1 is the order of the source. A large table asks for its order."""
        self._wanted = (column, order)
        if column < 0 or not self._is_large:
            self._sort_now()
        else:
            is_descending = order == Qt.SortOrder.DescendingOrder
            self.order_requested.emit(SortRequest(self._values, column, is_descending, self.keys_of(column)))

    def set_order(self, rows: SortedRows) -> None:
        """Take the order that was asked for; one of other values, or that nobody wants any more, is dropped."""
        request = rows.request
        order = Qt.SortOrder.DescendingOrder if request.descending else Qt.SortOrder.AscendingOrder
        if request.values is self._values and (request.column, order) == self._wanted:
            self._sorted = rows
            self._sort_now()

    @property
    def _is_large(self) -> bool:
        return self.n_source_rows() > MOST_SORTED_HERE

    def _sort_now(self) -> None:
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        sources = [self.source_row(index.row()) for index in before]
        self._sorted_by = self._wanted
        self._order = self._ordered()
        after = [
            self.index(self.row_of(source), index.column())
            for source, index in zip(sources, before, strict=True)
        ]
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()

    def _begin_new_values(self) -> None:
        """Call before the values change; what a filter showed of the old ones means nothing now."""
        self.beginResetModel()
        self._shown = None

    def _end_new_values(self) -> None:
        self._forget_order()
        self._order = self._ordered()
        self.endResetModel()
        self._sort_again()

    def _forget_order(self) -> None:
        """The values are others: no order that was asked for is theirs."""
        self._values, self._sorted = object(), None

    def _sort_again(self) -> None:
        """Have a large table sorted as it was, where its values have changed."""
        if self._is_large and self._wanted[0] >= 0:
            self.sort(*self._wanted)

    def _ordered(self) -> Rows:
        rows = np.arange(self.n_source_rows(), dtype=np.int64) if self._shown is None else self._shown
        column, order = self._sorted_by
        if column < 0 or not len(rows):
            return rows
        if self._is_large:
            return rows if self._sorted is None else self._sorted.order[self._is_shown(self._sorted.order)]
        keys = self.sort_keys(column)[rows]
        return rows[stable_order(keys, descending=order == Qt.SortOrder.DescendingOrder)]

    def _is_shown(self, rows: Rows) -> npt.NDArray[np.bool_] | slice:
        """Return which of all rows, in the order given, the filter shows."""
        if self._shown is None:
            return slice(None)
        mask = np.zeros(self.n_source_rows(), dtype=bool)
        mask[self._shown] = True
        return mask[rows]

    # Qt's questions.

    def rowCount(self, parent: Index = _NONE) -> int:
        """Override QAbstractItemModel::rowCount."""
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = _NONE) -> int:
        """Override QAbstractItemModel::columnCount."""
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Override QAbstractItemModel::data."""
        if not index.isValid():
            return None
        column = index.column()
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self.columns[column].alignment
        row = self.source_row(index.row())
        if row < 0:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.cell(row, column)
        return self._other_data(row, column, role)

    def _other_data(self, row: int, column: int, role: int) -> Any:
        if role == Qt.ItemDataRole.ToolTipRole:
            return self.tool_tip(row, column)
        if role == VALUE_ROLE:
            return self.value(row, column)
        if role == MARK_ROLE:
            return self.mark(row)
        if role == REMARK_ROLE:
            return self.remark(row)
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Override QAbstractItemModel::headerData."""
        if orientation == Qt.Orientation.Vertical:
            return None
        column = self.columns[section]
        return {
            Qt.ItemDataRole.DisplayRole: column.title,
            Qt.ItemDataRole.ToolTipRole: column.help,
            Qt.ItemDataRole.TextAlignmentRole: column.alignment,
        }.get(Qt.ItemDataRole(role))
