"""Two vocabularies as sets: the bars, a table of all pieces, scores as a scatter, make-up, settings that differ.

In: a `VocabularyComparison`. Out: the wish to filter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from unigram_gui.item_models.comparison import (
    CHANGE,
    ID_A,
    ID_B,
    ID_CHANGE,
    KINDS,
    LN_P_A,
    LN_P_B,
    PIECE,
    TYPE,
    WHERE,
    PiecesItemModel,
)
from unigram_gui.item_models.corpus_comparison import RowsItemModel, SettingsItemModel
from unigram_gui.item_models.ordered_table import Column, Rows
from unigram_gui.number_text import count_text
from unigram_gui.theme import Theme
from unigram_gui.views.choice import Choice
from unigram_gui.views.compare.area import MARGIN, DrawingArea
from unigram_gui.views.compare.bars import BarsDrawing
from unigram_gui.views.compare.scatter import ScoreScatter
from unigram_gui.views.compare.segments import Pages
from unigram_gui.views.compare.text_view import NOTHING_CHOSEN
from unigram_gui.views.pane import filter_field
from unigram_gui.views.table import FlatTable

if TYPE_CHECKING:
    from engine.comparison import VocabularyComparison

BARS_HEIGHT = 172
KIND_TITLES = {"all": "all pieces", "only A": "only in A", "only B": "only in B", "both": "in both"}


class MakeUpItemModel(RowsItemModel):
    """How many normal pieces each vocabulary has of a script or a length."""

    columns = (
        Column("normal pieces", "script of the first character that has one, or length in characters", "text"),
        Column("A", "pieces in A"),
        Column("B", "pieces in B"),
    )
    readers = (lambda r: r[0], lambda r: r[1], lambda r: r[2])
    writers = (str, count_text, count_text)


class CompareVocabularyView(QWidget):
    """Shows what two vocabularies share and what they do not."""

    filter_requested = Signal(str, object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: Rows | None = None
        self.bars = DrawingArea(theme, "The two vocabularies", NOTHING_CHOSEN)
        self.bars.setFixedHeight(BARS_HEIGHT)
        self.pieces, self.settings, self.make_up = PiecesItemModel(), SettingsItemModel(), MakeUpItemModel()
        for model in (self.pieces, self.settings, self.make_up):
            model.setParent(self)
        self.table = FlatTable(self.pieces, "Pieces of both vocabularies", theme)
        widths = {WHERE: 54, ID_A: 54, ID_B: 54, ID_CHANGE: 62, LN_P_A: 68, LN_P_B: 68, CHANGE: 68, TYPE: 104}
        self.table.set_widths(widths, stretched=PIECE)
        self.filter = filter_field("Filter pieces of both")
        self.kind = Choice("Which pieces")
        self.kind.addItems([KIND_TITLES.get(kind, kind) for kind in KINDS])
        self.scatter = ScoreScatter(theme)
        self.settings_table = FlatTable(self.settings, "Settings that differ", theme)
        self.settings_table.set_widths({0: 170, 1: 76, 2: 110}, stretched=3)
        self.make_up_table = FlatTable(self.make_up, "Scripts and lengths", theme)
        self.make_up_table.set_widths({1: 90, 2: 90}, stretched=0)
        self.pages = Pages(
            ("Scores", self.scatter), ("Make-up", self.make_up_table), ("Settings", self.settings_table)
        )
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setContentsMargins(MARGIN, 8, 14, 4)
        row.addWidget(self.filter, 1)
        row.addWidget(self.kind)
        left, right = QWidget(), QWidget()
        for half, top, body in ((left, row, self.table), (right, self.pages.bar, self.pages)):
            column = QVBoxLayout(half)
            column.setContentsMargins(0, 0, 0, 0)
            column.setSpacing(4)
            column.addLayout(top)
            column.addWidget(body, 1)
        self.pages.bar.setContentsMargins(14, 8, 14, 4)
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setHandleWidth(1)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(left)
        splitter.addWidget(right)
        splitter.setSizes([690, 430])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.bars)
        column.addWidget(splitter, 1)

    def _connect(self) -> None:
        self.filter.textChanged.connect(lambda needle: self.filter_requested.emit(needle, self.pieces.texts))
        self.kind.currentIndexChanged.connect(lambda _: self._show_rows())
        self.scatter.row_picked.connect(self._pick)

    def set_theme(self, theme: Theme) -> None:
        """Draw with another theme from now on."""
        for view in (self.bars, self.table, self.scatter, self.settings_table, self.make_up_table):
            view.set_theme(theme)

    def set_comparison(self, compared: VocabularyComparison | None) -> None:
        """Show another comparison."""
        self._rows = None
        self.filter.clear()
        self.pieces.set_comparison(compared)
        self.scatter.set_comparison(compared)
        self.settings.set_rows(compared.settings if compared is not None else ())
        self.settings_table.set_hint("" if compared is None else "All settings are the same.")
        self.make_up.set_rows(_make_up(compared) if compared is not None else ())
        self.bars.set_drawing(
            None if compared is None else lambda palette, shaper, room: BarsDrawing(compared, palette, shaper, room)
        )
        self._show_rows()

    def set_rows(self, rows: Rows | None) -> None:
        """Show only the pieces that the filter found."""
        self._rows = rows
        self._show_rows()

    def _show_rows(self) -> None:
        if not self.pieces.texts:
            return
        kind = KINDS[max(self.kind.currentIndex(), 0)]
        rows = self.pieces.rows_of_kind(kind)
        self.pieces.show_rows(rows if self._rows is None else np.intersect1d(rows, self._rows))
        self.table.set_hint("No piece is like this.")

    def _pick(self, row: int) -> None:
        self.table.pick_source_row(self.pieces.source_row_of_both(row))


def _make_up(compared: VocabularyComparison) -> list[tuple[str, int, int]]:
    of_a, of_b = (lengths.tolist() for lengths in compared.lengths)
    last = len(of_a) - 1
    titles = [f"{n} character{'' if n == 1 else 's'}{' and more' if n == last else ''}" for n in range(len(of_a))]
    lengths = [row for row in zip(titles, of_a, of_b, strict=True) if row[1] or row[2]]
    return [*compared.scripts, *lengths]
