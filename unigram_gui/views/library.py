"""The library of saved vocabularies: a table, and a form to save the open one or to rename a saved one.

In: `LibraryContent`. Out: wishes. Selecting a row fills the form with its name and note.
"""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from unigram_gui.item_models.library import NAME, NOTE, ORIGIN, PIECES, SAVED, LibraryItemModel
from unigram_gui.tasks.comparing import LibraryContent
from unigram_gui.theme import Theme
from unigram_gui.views.table import FlatTable

MARGIN = 18
NOTHING_SAVED = "Nothing is saved yet. Give the open vocabulary a name below and save it."


class LibraryView(QWidget):
    """Shows what is saved.

    Signals
    -------
    save_requested : name and note for the open vocabulary
    rename_requested : key, name, note
    delete_requested : key, name
    open_requested, reveal_requested : key
    """

    save_requested = Signal(str, str)
    rename_requested = Signal(str, str, str)
    delete_requested = Signal(str, str)
    open_requested = Signal(str)
    reveal_requested = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.item_model = LibraryItemModel()
        self.item_model.setParent(self)
        self.table = FlatTable(self.item_model, "Saved vocabularies", theme)
        self.table.set_widths({NAME: 220, PIECES: 76, SAVED: 150, ORIGIN: 220}, stretched=NOTE)
        self.table.set_hint(NOTHING_SAVED)
        self.name, self.note = _field("Name"), _field("Note")
        self.save = QPushButton("Save open vocabulary")
        self.save.setProperty("kind", "primary")
        self.rename, self.open = QPushButton("Rename"), QPushButton("Open")
        self.reveal, self.delete = QPushButton("Show in folder"), QPushButton("Delete")
        self._has_model = False
        self._lay_out()
        self._connect()
        self._enable()

    def _lay_out(self) -> None:
        form = QHBoxLayout()
        for label, field in (("Name", self.name), ("Note", self.note)):
            form.addWidget(QLabel(label))
            form.addWidget(field, 1)
        form.addWidget(self.save)
        form.addWidget(self.rename)
        row = QHBoxLayout()
        for button in (self.open, self.reveal, self.delete):
            row.addWidget(button)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 14)
        column.setSpacing(8)
        column.addWidget(self.table, 1)
        for line in (row, form):
            line.setContentsMargins(MARGIN, 0, MARGIN, 0)
            line.setSpacing(8)
            column.addLayout(line)

    def _connect(self) -> None:
        self.table.row_picked.connect(lambda _: self._fill())
        self.table.activated.connect(lambda _: self._ask_open())
        self.name.textChanged.connect(lambda _: self._enable())
        self.save.clicked.connect(lambda: self.save_requested.emit(self.name.text(), self.note.text()))
        self.rename.clicked.connect(
            lambda: self.rename_requested.emit(self.key(), self.name.text(), self.note.text())
        )
        self.open.clicked.connect(lambda: self._ask_open())
        self.reveal.clicked.connect(lambda: self.reveal_requested.emit(self.key()))
        self.delete.clicked.connect(lambda: self.delete_requested.emit(self.key(), self._selected(NAME)))

    def set_theme(self, theme: Theme) -> None:
        """Paint with another theme from now on."""
        self.table.set_theme(theme)

    def set_content(self, content: LibraryContent) -> None:
        """Show what is saved now."""
        self.item_model.set_content(content)
        self._enable()

    def set_can_save(self, has_model: bool) -> None:
        """Say whether a vocabulary is open."""
        self._has_model = has_model
        self._enable()

    def clear_form(self) -> None:
        """Empty name and note: what was typed there is saved, and belongs to no other vocabulary."""
        self.name.clear()
        self.note.clear()

    def key(self) -> str:
        """Return the key of the selected entry, "" for none."""
        row = self._row()
        return self.item_model.key(row) if row >= 0 else ""

    def _row(self) -> int:
        rows = self.table.selectionModel().selectedRows()
        return self.item_model.source_row(rows[0].row()) if rows else -1

    def _selected(self, column: int) -> str:
        return str(self.item_model.value(self._row(), column)) if self.key() else ""

    def _fill(self) -> None:
        if self.key():
            self.name.setText(self._selected(NAME))
            self.note.setText(self._selected(NOTE))
        self._enable()

    def _ask_open(self) -> None:
        if self.key():
            self.open_requested.emit(self.key())

    def _enable(self) -> None:
        is_chosen, is_named = bool(self.key()), bool(self.name.text().strip())
        self.save.setEnabled(self._has_model and is_named)
        self.rename.setEnabled(is_chosen and is_named)
        for button in (self.open, self.reveal, self.delete):
            button.setEnabled(is_chosen)


def _field(name: str) -> QLineEdit:
    field = QLineEdit()
    field.setAccessibleName(f"{name} of the vocabulary")
    field.setMinimumWidth(120)
    return field
