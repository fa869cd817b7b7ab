"""One sentence to the person, inside the window: what went wrong, or what was done. It waits to be read.

No modal box: the window stays usable, and what was loaded stays on screen behind it.
"""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QAction
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget


class MessageStrip(QFrame):
    """A strip under the menu bar that shows one sentence and a button that closes it, or also one that helps.

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
        self._offers: list[tuple[str, QPushButton]] = []
        self.hide()

    def offer(self, action: QAction, words: str) -> QPushButton:
        """Have a button for an action, that is there with a message of which these words are a part."""
        button = QPushButton(action.text().replace("&", ""))
        button.setToolTip(action.toolTip())
        button.clicked.connect(action.trigger)
        button.hide()
        self._offers.append((words, button))
        row = self.layout()
        assert isinstance(row, QHBoxLayout)
        row.insertWidget(row.indexOf(self.button), button)
        return button

    def set_message(self, sentence: str) -> None:
        """Show a sentence, and have screen readers say it; an empty one hides the strip."""
        self.label.setText(sentence)
        self.setAccessibleName(sentence)
        for words, button in self._offers:
            button.setVisible(words in sentence)
        self.setVisible(bool(sentence))
        if sentence:
            QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))
