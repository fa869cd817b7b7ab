"""Two vocabularies on the open corpus: figures with intervals, and where the differences come from.

In: a `CorpusComparison`. Out: the wishes to count, to stop, and to study a text.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QSplitter, QVBoxLayout, QWidget

from unigram_gui.item_models.corpus_comparison import (
    FIGURES_OF_GROUPS,
    FiguresItemModel,
    GroupsItemModel,
    LossyItemModel,
    ResponsibleItemModel,
    TokensItemModel,
    groupings_of,
)
from unigram_gui.item_models.ordered_table import OrderedTable
from unigram_gui.number_text import count_text, percent_text
from unigram_gui.theme import Theme
from unigram_gui.views.choice import Choice
from unigram_gui.views.compare.area import MARGIN
from unigram_gui.views.compare.segments import Pages
from unigram_gui.views.table import FlatTable

if TYPE_CHECKING:
    from engine.comparison import CorpusComparison
    from engine.comparison.groups import Grouping
    from engine.corpus import Corpus

WHAT_TO_DO = "Compare on the corpus to see figures with intervals, and the texts and pieces behind them."
WHAT_GROUPS_ARE = "The same by script, by file or by a column of the corpus; Enter on a group compares on it alone."
FIRST_FIGURE = "characters a token"
FIGURES_HEIGHT = 26 + 11 * 22 + 4


class CompareCorpusView(QWidget):
    """Shows two vocabularies on a corpus."""

    start_requested = Signal()
    part_requested = Signal(int, str)  # which grouping, which group
    whole_requested = Signal()
    stop_requested = Signal()
    text_requested = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._corpus: Corpus | None = None
        self._groupings: tuple[Grouping, ...] = ()
        self._can_start = False
        self.start, self.stop = QPushButton("Compare on the corpus"), QPushButton("Stop")
        self.by, self.figure = Choice("Group texts by"), Choice("Figure of the groups")
        self.figure.addItems(FIGURES_OF_GROUPS)
        self.figure.setCurrentText(FIRST_FIGURE)
        self.whole = QPushButton("All texts")
        self.start.setProperty("kind", "primary")
        self.bar, self.note = QProgressBar(), QLabel()
        self.bar.setAccessibleName("Progress of the comparison")
        self.bar.setTextVisible(False)
        self.bar.setRange(0, 1000)
        self.note.setProperty("role", "note")
        self.figures, self.groups, self.lossy = FiguresItemModel(), GroupsItemModel(), LossyItemModel()
        self.texts, self.words, self.pieces = TokensItemModel(), TokensItemModel(), ResponsibleItemModel()
        self._make_tables(theme)
        self._lay_out()
        self.start.clicked.connect(lambda: self.start_requested.emit())
        self.whole.clicked.connect(lambda: self.whole_requested.emit())
        for choice in (self.by, self.figure):
            choice.currentIndexChanged.connect(lambda _: self._show_groups())
        self.stop.clicked.connect(lambda: self.stop_requested.emit())
        self.set_running(False)

    def _make_tables(self, theme: Theme) -> None:
        self.figures_table = self._table(self.figures, "Figures of the corpus", theme)
        self.figures_table.set_widths({1: 64, 2: 112, 3: 64, 4: 112, 5: 70, 6: 112}, stretched=0)
        self.figures_table.setSortingEnabled(False)
        self.groups_table = self._table(self.groups, "Groups of texts", theme)
        self.groups_table.set_widths({1: 54, 2: 64, 3: 112, 4: 64, 5: 112, 6: 70, 7: 112}, stretched=0)
        self.groups_table.activated.connect(self._ask_for_part)
        self.groups_table.set_hint(WHAT_GROUPS_ARE)
        self.texts_table = self._table(self.texts, "Texts that differ most", theme)
        self.words_table = self._table(self.words, "Words cut into most pieces", theme)
        for table in (self.texts_table, self.words_table):
            table.set_widths({1: 60, 2: 54, 3: 54, 4: 50, 5: 64}, stretched=0)
            table.activated.connect(partial(self._study, table))
        self.pieces_table = self._table(self.pieces, "Pieces responsible", theme)
        self.pieces_table.set_widths({1: 70, 2: 70, 3: 84}, stretched=0)
        self.pieces_table.activated.connect(self._study_example)
        self.lossy_table = self._table(self.lossy, "Texts that decoding does not give back", theme)
        self.lossy_table.set_widths({1: 150}, stretched=0)
        self.lossy_table.activated.connect(partial(self._study, self.lossy_table))
        self.pages = Pages(
            ("Texts that differ", self.texts_table), ("Pieces responsible", self.pieces_table),
            ("Words cut most", self.words_table), ("Not given back", self.lossy_table),
        )  # fmt: skip

    def _table(self, model: OrderedTable, name: str, theme: Theme) -> FlatTable:
        model.setParent(self)
        table = FlatTable(model, name, theme)
        table.set_hint(WHAT_TO_DO)
        return table

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setContentsMargins(MARGIN, 12, MARGIN, 0)
        row.setSpacing(10)
        for widget in (self.start, self.stop, self.whole):
            row.addWidget(widget)
        row.addWidget(self.bar, 1)
        row.addWidget(self.note)
        left, right = QWidget(), QWidget()
        self.figures_table.setMinimumHeight(FIGURES_HEIGHT)
        for half, parts in ((left, (self.figures_table, self.groups_table)), (right, (self.pages,))):
            column = QVBoxLayout(half)
            column.setContentsMargins(0, 0, 0, 0)
            column.setSpacing(4)
            if half is right:
                self.pages.bar.setContentsMargins(14, 0, 14, 0)
                column.addLayout(self.pages.bar)
            for part in parts:
                if part is self.groups_table:
                    column.addLayout(self._group_bar())
                column.addWidget(part, 1)
        self.splitter = splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setHandleWidth(1)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(left)
        splitter.addWidget(right)
        splitter.setSizes([780, 420])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        column.addLayout(row)
        column.addWidget(splitter, 1)

    def _group_bar(self) -> QHBoxLayout:
        """Return the row over the groups: by what, and which figure of them."""
        row = QHBoxLayout()
        row.setContentsMargins(MARGIN, 6, 14, 0)
        row.setSpacing(8)
        for label, choice in (("Texts by", self.by), ("with", self.figure)):
            note = QLabel(label)
            note.setProperty("role", "note")
            note.setBuddy(choice)
            choice.setSizeAdjustPolicy(Choice.SizeAdjustPolicy.AdjustToContents)
            row.addWidget(note)
            row.addWidget(choice)
        row.addStretch(1)
        return row

    def set_theme(self, theme: Theme) -> None:
        """Draw with another theme from now on."""
        for table in (
            self.figures_table, self.groups_table, self.texts_table, self.words_table, self.pieces_table,
            self.lossy_table,
        ):  # fmt: skip
            table.set_theme(theme)

    def set_can_start(self, pair_is_there: bool, corpus: Corpus | None) -> None:
        """Say on what it would be compared."""
        self._corpus, self._can_start = corpus, pair_is_there and corpus is not None
        if not self._groupings:
            self._offer(self._coming())
        self.start.setEnabled(self._can_start and not self.stop.isEnabled())
        if corpus is None:
            self.note.setText("No corpus is open")
        elif not self._can_start:
            self.note.setText("Choose two vocabularies")
        else:
            self.note.setText(f"{corpus.name}, {count_text(len(corpus))} texts")

    def set_running(self, running: bool) -> None:
        """Show whether it is being counted."""
        self.stop.setEnabled(running)
        self.start.setEnabled(self._can_start and not running)
        self.bar.setValue(0)

    def set_progress(self, fraction: float) -> None:
        """Show how much is done."""
        self.bar.setValue(round(1000 * fraction))

    def set_comparison(self, compared: CorpusComparison | None) -> None:
        """Show another comparison, or none."""
        self.set_running(False)
        self.figures.set_rows(compared.figures if compared is not None else ())
        self._show_groupings(compared)
        self.texts.set_rows(compared.texts if compared is not None else None)
        self.words.set_rows(compared.words if compared is not None else None)
        self.pieces.set_rows(compared.pieces if compared is not None else ())
        self.lossy.set_comparison(compared)
        self._make_room()
        self.whole.setVisible(compared is not None and compared.part is not None)
        for table in (self.texts_table, self.pieces_table, self.lossy_table):
            table.set_hint(WHAT_TO_DO if compared is None else "None.")
        if compared is not None:
            self.bar.setValue(1000)
            self.note.setText(note_of(compared))
            self.pages.button(1).setToolTip(
                f"From the {compared.n_examined} texts that differ most; tokens are shared out evenly in a stretch"
            )

    def _show_groupings(self, compared: CorpusComparison | None) -> None:
        """Offer the groupings of another comparison; the one on show stays where it is among them."""
        self._groupings = compared.groupings if compared is not None else ()
        self._offer([grouping.name for grouping in self._groupings] or self._coming())

    def _coming(self) -> list[str]:
        """Return by what the texts of the open corpus will be grouped."""
        return list(groupings_of(self._corpus))

    def _offer(self, names: list[str]) -> None:
        before = self.by.currentText()
        self.by.blockSignals(True)
        self.by.clear()
        self.by.addItems(names)
        self.by.setCurrentIndex(max(self.by.findText(before), 0))
        self.by.blockSignals(False)
        self._show_groups()

    def _show_groups(self) -> None:
        by = self.by.currentIndex()
        self.groups.set_groups(self._groupings[by] if 0 <= by < len(self._groupings) else None, self._figure_row())
        self.groups_table.widen_to_content()

    def _figure_row(self) -> int:
        return max(self.figure.currentIndex(), 0)

    def _ask_for_part(self, index: QModelIndex) -> None:
        """Compare on one group alone."""
        name = self.groups.name(self.groups.source_row(index.row()))
        self.part_requested.emit(self.by.currentIndex(), name)

    def _make_room(self) -> None:
        """Let numbers be read to their ends: first from the columns beside them, then from the other half."""
        self.figures_table.widen_to_content()
        left, right = self.splitter.sizes()
        if left < (needed := max(self.figures_table.full_width, self.groups_table.full_width)):
            self.splitter.setSizes([needed, left + right - needed])

    def _study_example(self, index: QModelIndex) -> None:
        """Open a text in which the piece makes a difference."""
        self.text_requested.emit(self.pieces.example(self.pieces.source_row(index.row())))

    def _study(self, table: FlatTable, index: QModelIndex) -> None:
        model = table.model()
        assert isinstance(model, OrderedTable)
        self.text_requested.emit(str(model.value(model.source_row(index.row()), 0)))


def note_of(compared: CorpusComparison) -> str:
    """Say how many texts come back, and of what the intervals are made; and of which part of the corpus it is."""
    n = max(compared.corpus.n_samples, 1)
    shares = [percent_text(whole / n) for whole in compared.n_lossless]
    name = f"{compared.corpus.name} · " if compared.part is not None else ""
    given_back = f"decode(encode(x)) = x for {shares[0]} in A, {shares[1]} in B"
    return f"{name}{given_back} · intervals from {compared.n_blocks} blocks"
