"""The corpus: a row for each distinct text, a field that narrows them, and what was skipped while reading."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from engine.corpus import Corpus
from engine.corpus_columns import FILE
from engine.corpus_statistics import CorpusFigures
from unigram_gui.item_models.corpus import CHARACTERS, LOSS, PER_CHARACTER, SHARE, TEXT, TOKENS, CorpusItemModel, N
from unigram_gui.item_models.ordered_table import Rows
from unigram_gui.number_text import counted
from unigram_gui.theme import Theme
from unigram_gui.views.pane import Pane, filter_field, with_margins
from unigram_gui.views.table import FlatTable

WIDTHS = {N: 40, CHARACTERS: 46, TOKENS: 42, LOSS: 66, PER_CHARACTER: 64, SHARE: 64}
WHAT_TO_DO = "Drop text files here, or open them from the File menu: your own, or a sample."
AWAITED = "Once the kernels are compiled, this opens: {name}. The line at the bottom tells how far they are."


class CorpusView(Pane):
    """Shows a corpus.

    Signals
    -------
    filter_requested : text typed into the filter field
    skipped_lines_requested : the person wants to see which lines were skipped
    text_chosen_requested : the text of a row that was double-clicked or entered
    """

    filter_requested = Signal(str)
    skipped_lines_requested = Signal()
    text_chosen_requested = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("Corpus", parent)
        self.item_model = CorpusItemModel()
        self.item_model.setParent(self)
        self.table = FlatTable(self.item_model, "Texts of the corpus", theme)
        self.table.set_widths(WIDTHS, stretched=TEXT)
        self.filter = filter_field("Filter texts")
        self.skipped = QPushButton()
        self.skipped.setProperty("kind", "link")
        self.skipped.hide()
        self.header.addWidget(self.skipped)
        self.body.addLayout(with_margins(self.filter))
        self.body.addWidget(self.table, 1)
        self.filter.textChanged.connect(self.filter_requested)
        self.skipped.clicked.connect(self.skipped_lines_requested)
        self.table.activated.connect(lambda index: self._choose(index.row()))
        self.show_more(False)
        self.set_note("none open")
        self.table.set_hint(WHAT_TO_DO)

    def set_theme(self, theme: Theme) -> None:
        """Paint with another theme from now on."""
        self.table.set_theme(theme)

    def set_awaited(self, name: str) -> None:
        """Say while there is no corpus what will be opened, and when; "" once nothing keeps it from being read."""
        if self.item_model.n_source_rows():
            return
        self.set_note(*((f"waiting to open {name}", "waiting") if name else ("none open",)))
        self.table.set_hint(AWAITED.format(name=name) if name else WHAT_TO_DO)

    def set_corpus(self, corpus: Corpus) -> None:
        """Show another corpus."""
        self.table.set_hint(WHAT_TO_DO)
        self.item_model.set_corpus(corpus)
        self.set_note(*_descriptions(corpus))
        self.skipped.setVisible(corpus.n_skipped > 0)
        self.skipped.setText(f"{counted(corpus.n_skipped, 'line')} skipped")
        self.skipped.setToolTip("Show which lines were skipped, and why")

    def set_figures(self, figures: CorpusFigures | None) -> None:
        """Fill in tokens and loss of each text, or empty the two columns."""
        self.item_model.set_figures(figures)

    def show_more(self, is_more: bool) -> None:
        """Show the columns of nats per character and share of the corpus loss, or hide them."""
        for column in (PER_CHARACTER, SHARE):
            self.table.setColumnHidden(column, not is_more)
        self.item_model.last_shown = SHARE if is_more else LOSS

    def set_rows(self, rows: Rows | None) -> None:
        """Show only the rows that the filter found."""
        self.item_model.show_rows(rows)
        self.table.set_hint(WHAT_TO_DO if rows is None else f"No text contains “{self.filter.text()}”.")

    def _choose(self, row: int) -> None:
        self.text_chosen_requested.emit(self.item_model.value(self.item_model.source_row(row), TEXT))


def _descriptions(corpus: Corpus) -> tuple[str, ...]:
    """Name the corpus and its size, with more words first."""
    texts = f"{corpus.name} · {counted(len(corpus), 'text')}"
    samples = f", {counted(corpus.n_samples, 'sample')}" if corpus.n_samples != len(corpus) else ""
    told = [column.name for column in corpus.columns if column.name != FILE]  # of files the name says it
    columns = f", by {', '.join(told)}" if told else ""
    return tuple(dict.fromkeys((f"{texts}{samples}{columns}", f"{texts}{samples}", texts, corpus.name)))
