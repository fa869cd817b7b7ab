"""The frame that all panes share: a bold name at the left, a quiet note at the right, then the body."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QSizePolicy, QVBoxLayout, QWidget

MARGIN = 14
HEADER_HEIGHT = 26


class Pane(QFrame):
    """A titled part of the window. Subclasses add to `body` (no margins) and `header`, and set the note."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "pane")
        self.setAccessibleName(title)
        self.title = _label(title, "title")
        self.note = _label("", "note")
        self.note.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.header = QHBoxLayout()
        self.header.setContentsMargins(MARGIN, 6, MARGIN, 0)
        self.header.setSpacing(8)
        self.header.addWidget(self.title)
        self.header.addWidget(self.note, 1)
        self.body = QVBoxLayout(self)
        self.body.setContentsMargins(0, 0, 0, 0)
        self.body.setSpacing(4)
        self.body.addLayout(self.header)
        self.title.setMinimumHeight(HEADER_HEIGHT)

    def set_note(self, text: str) -> None:
        """Say the state of the pane in a few words."""
        self.note.setText(text)
        self.note.setToolTip(text)


def _label(text: str, role: str) -> QLabel:
    label = QLabel(text)
    label.setProperty("role", role)
    return label


def filter_field(placeholder: str) -> QLineEdit:
    """Return a field that narrows a table, with a button that empties it."""
    field = QLineEdit()
    field.setPlaceholderText(placeholder)
    field.setAccessibleName(placeholder)
    field.setClearButtonEnabled(True)
    return field


def with_margins(widget: QWidget, margin: int = MARGIN) -> QHBoxLayout:
    """Return a row that keeps `widget` off the pane's sides."""
    row = QHBoxLayout()
    row.setContentsMargins(margin, 0, margin, 0)
    row.addWidget(widget)
    return row
