"""The decode pane: IDs in, pieces, bytes, bits, characters out.

In: a `Decoding` (or an error in words) and the text of the ID field. Out: the wish to decode other IDs. The canvas
is in `decode_canvas.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from unigram_gui.theme import Theme
from unigram_gui.views.decode_canvas import DecodeCanvas
from unigram_gui.views.pane import Pane, with_margins

if TYPE_CHECKING:
    from engine.byte_fallback import Decoding


class DecodeView(Pane):
    """A field for IDs and what becomes of them."""

    ids_edited = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("Decode", parent)
        self.ids = QLineEdit()
        self.ids.setFont(theme.mono(12.0))
        self.ids.setProperty("kind", "mono")
        self.ids.setPlaceholderText("IDs, parted by spaces or commas")
        self.ids.setAccessibleName("IDs to decode")
        self.ids.textEdited.connect(self.ids_edited)
        self.error = QLabel()
        self.error.setProperty("role", "error")
        self.error.setWordWrap(True)
        self.error.hide()
        self.canvas = DecodeCanvas(theme)
        self.body.addLayout(with_margins(self.ids))
        self.body.addLayout(with_margins(self.error))
        self.body.addWidget(self.canvas, 1)

    def set_theme(self, theme: Theme) -> None:
        self.ids.setFont(theme.mono(12.0))
        self.canvas.set_theme(theme)

    def set_ids(self, text: str) -> None:
        """Show other IDs; the field is left alone where it shows them already, for the sake of its cursor."""
        if text != self.ids.text():
            self.ids.setText(text)
            self.ids.setCursorPosition(0)

    def set_decoding(self, decoding: Decoding | None, error: str = "") -> None:
        self.canvas.set_decoding(decoding)
        self.error.setText(error)
        self.error.setVisible(bool(error))
        self.set_note(note_text(decoding) if decoding is not None else "")


def note_text(decoding: Decoding) -> str:
    """How much of everything there is."""
    counts = ((len(decoding.ids), "ID"), (len(decoding.byte_values), "byte"), (len(decoding.characters), "character"))
    return " · ".join(f"{count:,} {name}{'' if count == 1 else 's'}" for count, name in counts)
