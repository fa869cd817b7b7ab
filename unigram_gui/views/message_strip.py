"""One sentence to the person, inside the window: what went wrong, or what was done. It waits to be read.

No modal box: the window stays usable, and what was loaded stays on screen behind it.
"""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget


class MessageStrip(QFrame):
    """A strip under the menu bar that shows one sentence and a button that closes it.

    Signals
    -------
    dismiss_requested : the person has read it
    """

    dismiss_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "alert")
        self.label = QLabel()
        self.label.setWordWrap(True)
        self.label.setProperty("role", "error")
        self.label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.button = QPushButton("Dismiss")
        self.button.setToolTip("Close this message (Esc)")
        self.button.clicked.connect(self.dismiss_requested)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 6, 14, 6)
        row.addWidget(self.label, 1)
        row.addWidget(self.button)
        self.hide()

    def set_message(self, sentence: str) -> None:
        """Show a sentence, and have screen readers say it; an empty one hides the strip."""
        self.label.setText(sentence)
        self.setAccessibleName(sentence)
        self.setVisible(bool(sentence))
        if sentence:
            QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))
