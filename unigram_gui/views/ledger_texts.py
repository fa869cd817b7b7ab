"""The texts that a removal hurts most: a table; a row that is entered goes to the lattice."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from unigram_gui.item_models.cells import decimal_cell, exact_number, piece_cell
from unigram_gui.item_models.ordered_table import Column, OrderedTable
from unigram_gui.number_text import count_text, log_text, percent_text
from unigram_gui.tasks.replay import Hurt
from unigram_gui.theme import Theme
from unigram_gui.views.table import FlatTable

TEXT, N, LOSS, SHARE = range(4)
LONGEST = 160
HINT = "Pick a piece in the table to see the texts that its removal hurts most."


class HurtItemModel(OrderedTable):
    """Text, count, how much its probability falls, part of the whole loss."""

    columns = (
        Column("text", "the texts that lose most, the dearest first", "text"),
        Column("n", "how often the text stands in the corpus"),
        Column("loss", "by how much count × ln P falls without the piece, nats"),
        Column("share", "part of what all texts lose together"),
    )

    def __init__(self) -> None:
        super().__init__()
        self._hurt: Hurt | None = None

    def set_hurt(self, hurt: Hurt | None) -> None:
        """Show the texts of another piece."""
        self._begin_new_values()
        self._hurt = hurt
        self._end_new_values()

    def n_source_rows(self) -> int:
        """Return how many texts are named."""
        return 0 if self._hurt is None else len(self._hurt.found.texts)

    def value(self, row: int, column: int) -> Any:
        """Return the value behind a cell."""
        assert self._hurt is not None
        found, text = self._hurt.found, int(self._hurt.found.texts[row])
        if column == TEXT:
            return self._hurt.corpus.text(text)
        if column == N:
            return int(self._hurt.corpus.counts[text])
        loss = float(found.losses[row])
        return loss if column == LOSS else loss / found.total if found.total else 0.0

    def cell(self, row: int, column: int) -> str:
        """Return what a cell shows."""
        value = self.value(row, column)
        if column == TEXT:
            return str(value)[:LONGEST]
        if column == N:
            return count_text(value)
        return decimal_cell(value, 4) if column == LOSS else percent_text(value)

    def tool_tip(self, row: int, column: int) -> str:
        """Return a text, or a number in full."""
        value = self.value(row, column)
        return exact_number(value) if isinstance(value, float) else str(value)

    def sort_keys(self, column: int) -> npt.NDArray[Any]:
        """Return the values of a column."""
        return np.array([self.value(row, column) for row in range(self.n_source_rows())])


class HurtTable(QWidget):
    """The table under its sum."""

    text_requested = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.item_model = HurtItemModel()
        self.item_model.setParent(self)
        self.table = FlatTable(self.item_model, "Texts that the removal hurts most", theme)
        self.table.set_widths({N: 60, LOSS: 110, SHARE: 84}, stretched=TEXT)
        self.sum = QLabel()
        self.sum.setProperty("role", "note")
        self.sum.setContentsMargins(18, 6, 18, 2)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.sum)
        column.addWidget(self.table, 1)
        self.table.activated.connect(lambda index: self._choose(index.row()))
        self.set_hurt(None)

    def set_theme(self, theme: Theme) -> None:
        """Paint with another theme from now on."""
        self.table.set_theme(theme)

    def set_hurt(self, hurt: Hurt | None) -> None:
        """Show the texts of another piece."""
        self.item_model.set_hurt(hurt)
        self.sum.setVisible(hurt is not None)
        self.table.set_hint(HINT if hurt is None else "No text loses anything.")
        if hurt is not None:
            self.sum.setText(f"without {piece_cell(hurt.piece)} all texts lose {log_text(hurt.found.total, 4)} nats")

    def tell_why_none(self, piece: str) -> None:
        """Say that a piece went in the M step: no loss was computed, so that no text is known to lose by it."""
        self.set_hurt(None)
        self.table.set_hint(
            f"{piece_cell(piece)} went before the losses were computed: it was expected less often than the threshold."
        )

    def _choose(self, row: int) -> None:
        self.text_requested.emit(self.item_model.value(self.item_model.source_row(row), TEXT))
