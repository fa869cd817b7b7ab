"""The field for the text under study. Every keystroke is a wish to see it cut."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from unigram_gui.theme import Theme

FONT_SIZE = 15
LONGEST = 1_000_000  # characters; Qt itself would cut a text off at 32,767 without a word


class TextInput(QLineEdit):
    """A one-line field in the monospaced font.

    Signals
    -------
    text_requested : the text as it now stands
    """

    text_requested = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "study")
        self.setAccessibleName("Text to cut")
        self.setMaxLength(LONGEST)
        self.setPlaceholderText("Text to cut")
        self.set_theme(theme)
        self.textChanged.connect(self.text_requested)

    def set_theme(self, theme: Theme) -> None:
        """Write in another theme's font from now on."""
        self.setFont(theme.mono(FONT_SIZE))

    def set_text(self, text: str) -> None:
        """Show a text that came from elsewhere; the cursor stays while a person types."""
        if text != self.text():
            self.setText(text)
