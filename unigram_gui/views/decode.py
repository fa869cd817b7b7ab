"""The decode pane: IDs, pieces or bytes in; pieces, bytes, bits, characters and the text so far out.

In: a `Decoding` (or an error in words), the `Reading` around it, and the text of the field. Out: the wishes to decode
something else, to read it as something else, to study the sample. The canvas is in `decode_canvas.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton, QWidget

from unigram_gui.theme import Theme
from unigram_gui.views.choice import Choice
from unigram_gui.views.decode_canvas import DecodeCanvas
from unigram_gui.views.pane import Pane, with_margins

if TYPE_CHECKING:
    from engine.byte_fallback import Decoding
    from unigram_gui.tasks.requests import Reading

SAMPLE = "你好😊"
FORMS = (("", "read as it looks"), ("IDs", "read as IDs"), ("pieces", "read as pieces"), ("bytes", "read as bytes"))

ONE_WAY, ONE_WAY_SHORT = "not reversible: its text has other IDs", "not reversible"
LONGEST = 10_000_000  # characters of a list of IDs; Qt itself would cut it off at 32,767


class DecodeView(Pane):
    """A field for IDs, pieces or bytes and what becomes of them.

    Signals
    -------
    ids_edited : the text as it now stands
    form_requested : "IDs", "pieces", "bytes", or "" for what it looks like
    sample_requested : a text whose IDs show what this pane is for
    """

    ids_edited = Signal(str)
    form_requested = Signal(str)
    sample_requested = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("Decode", parent)
        self.ids = QLineEdit()
        self.ids.setMaxLength(LONGEST)
        self.ids.setFont(theme.mono(12.0))
        self.ids.setProperty("kind", "mono")
        self.ids.setPlaceholderText("IDs, pieces or bytes, parted by spaces or commas")
        self.ids.setAccessibleName("IDs to decode")
        self.ids.textEdited.connect(self.ids_edited)
        self.error = _line("error")
        self.other = _line("note")
        self.canvas = DecodeCanvas(theme)
        self._make_header()
        self.body.addLayout(with_margins(self.ids))
        self.body.addLayout(with_margins(self.error))
        self.body.addWidget(self.canvas, 1)
        self.body.addLayout(with_margins(self.other))

    def _make_header(self) -> None:
        self.sample = QPushButton(SAMPLE)
        self.sample.setProperty("kind", "link")
        self.sample.setToolTip("Study a text of three characters, with its bytes")
        self.sample.setAccessibleName(f"Sample {SAMPLE}")
        self.sample.clicked.connect(lambda: self.sample_requested.emit(SAMPLE))
        self.form = Choice("How to read what is typed", quiet=True)
        self.form.addItems([title for _, title in FORMS])
        self.form.activated.connect(lambda row: self.form_requested.emit(FORMS[row][0]))
        self.header.addWidget(self.sample)
        self.header.addWidget(self.form)

    def set_theme(self, theme: Theme) -> None:
        self.ids.setFont(theme.mono(12.0))
        self.canvas.set_theme(theme)

    def set_ids(self, text: str) -> None:
        """Show other IDs; the field is left alone where it shows them already, for the sake of its cursor."""
        if text != self.ids.text():
            self.ids.setText(text)
            self.ids.setCursorPosition(0)

    def set_decoding(self, decoding: Decoding | None, error: str = "", reading: Reading | None = None) -> None:
        """Show a decoding, what is wrong with it, and from its reading: the form, the text so far, another reading."""
        self.canvas.set_decoding(decoding, reading.steps if reading is not None else ())
        self.error.setText(error)
        self.error.setVisible(bool(error))
        other = reading.other if reading is not None else None
        self.other.setVisible(other is not None)
        self.other.setText(f"HF tokenizers read “{other}”: there one wrong byte spoils its whole run.")
        is_one_way = reading is not None and reading.is_reversible is False
        note = note_text(decoding) if decoding is not None else ""
        self.set_note(*((f"{note} · {ONE_WAY}", f"{note} · {ONE_WAY_SHORT}", note) if is_one_way else (note,)))
        if reading is None:
            self._name_form(FORMS[0][1])
        else:
            self._show_form(reading.form)

    def _show_form(self, form: str) -> None:
        """Say what the field looked like; a form that was chosen for another text is chosen no longer."""
        if FORMS[self.form.currentIndex()][0] != form:
            self.form.setCurrentIndex(0)
        self._name_form(FORMS[0][1] if self.form.currentIndex() else f"looks like {form}")

    def _name_form(self, name: str) -> None:
        """Name the choice that leaves it to the looks; the same name again is no news, and comes with every key."""
        if name != self.form.itemText(0):
            self.form.setItemText(0, name)


def _line(role: str) -> QLabel:
    label = QLabel()
    label.setProperty("role", role)
    label.setWordWrap(True)
    label.hide()
    return label


def note_text(decoding: Decoding) -> str:
    """How much of everything there is."""
    counts = ((len(decoding.ids), "ID"), (len(decoding.byte_values), "byte"), (len(decoding.characters), "character"))
    return " · ".join(f"{count:,} {name}{'' if count == 1 else 's'}" for count, name in counts)
