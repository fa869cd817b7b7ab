"""The frame that all panes share: a bold name at the left, a quiet note at the right, then the body."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QSizePolicy, QVBoxLayout, QWidget

MARGIN = 14
HEADER_HEIGHT = 26


class Pane(QFrame):
    """A titled part of the window. Subclasses add to `body` (no margins) and `header`, and set the note."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "pane")
        self.setAccessibleName(title)
        self.title = QLabel(title)
        self.title.setProperty("role", "title")
        self.note = NoteLabel()
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

    def set_note(self, *texts: str) -> None:
        """Say the state of the pane in a few words, or in fewer where there is no room for the first text."""
        self.note.set_texts(*texts)


class NoteLabel(QLabel):
    """A quiet line at the right end of a heading; shows the first of its texts that has room."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "note")
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._texts: tuple[str, ...] = ("",)

    def set_texts(self, *texts: str) -> None:
        """Show one of `texts`, the longest first; hovering tells the first one."""
        self._texts = texts
        self.setToolTip(texts[0])
        self.setAccessibleName(texts[0])
        self._choose()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Override QWidget::resizeEvent."""
        super().resizeEvent(event)
        self._choose()

    def _choose(self) -> None:
        metrics, room = self.fontMetrics(), self.width() - 1
        fitting = [text for text in self._texts if metrics.horizontalAdvance(text) <= room]
        last = metrics.elidedText(self._texts[-1], Qt.TextElideMode.ElideMiddle, room)
        self.setText(fitting[0] if fitting else last)


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
