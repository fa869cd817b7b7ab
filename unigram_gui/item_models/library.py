"""The saved vocabularies as a table: good entries first, damaged ones after them with the reason."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from unigram_gui.item_models.ordered_table import Column, OrderedTable
from unigram_gui.number_text import count_text
from unigram_gui.tasks.comparing import LibraryContent

NAME, PIECES, SAVED, ORIGIN, NOTE = range(5)


class LibraryItemModel(OrderedTable):
    """A row for each entry."""

    columns = (
        Column("name", "what the vocabulary was saved as", "text"),
        Column("pieces", "how many pieces it has"),
        Column("saved", "when", "word"),
        Column("from", "where it came from", "text"),
        Column("note", "what you noted, or why the entry cannot be used", "text"),
    )

    def __init__(self) -> None:
        super().__init__()
        self._content = LibraryContent((), ())

    def set_content(self, content: LibraryContent) -> None:
        """Show what is saved."""
        self._begin_new_values()
        self._content = content
        self._end_new_values()

    def key(self, row: int) -> str:
        """Return the key of a source row's entry, "" for a damaged one."""
        return self._content.entries[row].key if 0 <= row < len(self._content.entries) else ""

    def n_source_rows(self) -> int:
        return len(self._content.entries) + len(self._content.damaged)

    def value(self, row: int, column: int) -> Any:
        if row >= len(self._content.entries):
            damaged = self._content.damaged[row - len(self._content.entries)]
            return {NAME: damaged.key, PIECES: -1, NOTE: damaged.reason}.get(column, "")
        entry = self._content.entries[row]
        return (entry.name, entry.n_pieces, entry.saved, entry.origin, entry.note)[column]

    def cell(self, row: int, column: int) -> str:
        value = self.value(row, column)
        if column == PIECES:
            return count_text(value) if value >= 0 else ""
        return str(value).replace("T", " ") if column == SAVED else str(value)

    def tool_tip(self, row: int, column: int) -> str:
        """Return how the vocabulary was trained."""
        if row >= len(self._content.entries) or column == NOTE:
            return self.cell(row, column)
        settings = self._content.entries[row].settings
        return "\n".join(f"{name}: {value[:80]}" for name, value in settings.items()) or self.cell(row, column)

    def mark(self, row: int) -> str:
        return "removed" if row >= len(self._content.entries) else ""

    def sort_keys(self, column: int) -> npt.NDArray[Any]:
        return np.array([self.value(row, column) for row in range(self.n_source_rows())])
