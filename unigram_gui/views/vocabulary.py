"""The vocabulary: a row for each piece. Picking a row highlights the piece wherever it is shown."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from engine.history import TrainingHistory
from engine.model import UnigramModel
from unigram_gui.item_models.ordered_table import Rows
from unigram_gui.item_models.vocabulary import COUNT, ID, LOG_P, LOSS, PIECE, TYPE, P, VocabularyItemModel
from unigram_gui.number_text import counted
from unigram_gui.theme import Theme
from unigram_gui.views.corpus import AWAITED
from unigram_gui.views.pane import Pane, filter_field, with_margins
from unigram_gui.views.table import SCROLL_BAR, FlatTable

WHAT_TO_DO = "Open a corpus and train, or open a vocabulary from the File menu."
TRAIN = "Train, or open a vocabulary from the File menu."
LEAST_PIECE = 84  # pixels for the pieces themselves: <0x0A> and most words stand there in full


def note_texts(model: UnigramModel) -> tuple[str, ...]:
    """Return how many pieces there are, and how many of them a tokenizer.json adds behind its model's own."""
    n, document = len(model.pieces), model.tokenizer_document
    n_added = n - document.n_model_pieces if document is not None else 0
    whole = counted(n, "piece")
    return (f"{whole}, {n_added:,} of them added tokens", whole) if n_added else (whole,)


class VocabularyView(Pane):
    """Shows a vocabulary.

    Signals
    -------
    filter_requested : text typed into the filter field
    pick_requested : ID of the piece that was picked, -1 for none
    piece_hovered : ID of the piece under the pointer, -1 for none
    """

    filter_requested = Signal(str)
    pick_requested = Signal(int)
    piece_hovered = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("Vocabulary", parent)
        self.item_model = VocabularyItemModel()
        self.item_model.setParent(self)
        self.table = FlatTable(self.item_model, "Pieces of the vocabulary", theme)
        self._widths = {ID: 44, TYPE: 52, LOG_P: 55, P: 62, COUNT: 61, LOSS: 76}
        self.table.set_widths(self._widths, stretched=PIECE)
        self.filter = filter_field("Filter pieces")
        self.body.addLayout(with_margins(self.filter))
        self.body.addWidget(self.table, 1)
        self.filter.textChanged.connect(self.filter_requested)
        self.table.row_picked.connect(self.pick_requested)
        self.table.row_hovered.connect(self.piece_hovered)
        self._what_to_do = WHAT_TO_DO
        self.set_note("none yet")
        self.table.set_hint(WHAT_TO_DO)

    def set_has_corpus(self) -> None:
        """From now on there is a corpus to train on."""
        self._what_to_do = TRAIN
        self.table.set_hint(TRAIN)

    def set_theme(self, theme: Theme) -> None:
        """Paint with another theme from now on."""
        self.table.set_theme(theme)
        self._fit_columns()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Override QWidget::resizeEvent: more room may be room for more columns."""
        super().resizeEvent(event)
        self._show_columns()

    def _fit_columns(self) -> None:
        """Give each column the width of its widest cell."""
        last = LOSS if self.item_model.has_history or not self.item_model.n_source_rows() else P
        self.item_model.last_shown = last
        shown = [column for column in self._widths if column <= last]
        self._widths |= {
            column: self.table.width_for(column, self.item_model.widest_cells(column)) for column in shown
        }
        self._show_columns()

    def _show_columns(self) -> None:
        """Hide what is not known, and what has no room beside the pieces: first what another column says too."""
        last = self.item_model.last_shown
        hidden = {COUNT, LOSS} if last == P else set()
        room = self.width() - SCROLL_BAR - LEAST_PIECE
        for spared in (P, TYPE, COUNT) if self.item_model.has_telling_types else (TYPE, P, COUNT):
            if sum(width for column, width in self._widths.items() if column not in hidden) > room:
                hidden.add(spared)
        for column, width in self._widths.items():
            self.table.setColumnHidden(column, column in hidden)
            if column not in hidden:
                self.table.setColumnWidth(column, width)

    def set_awaited(self, name: str) -> None:
        """Say while there is no vocabulary which one will be opened, and when; "" once nothing keeps it waiting."""
        if self.item_model.n_source_rows():
            return
        self.set_note(*((f"waiting to open {name}", "waiting") if name else ("none yet",)))
        self.table.set_hint(AWAITED.format(name=name) if name else self._what_to_do)

    def set_vocabulary(self, model: UnigramModel, history: TrainingHistory | None) -> None:
        """Show another vocabulary, with the counts and losses that its training left."""
        self.item_model.set_vocabulary(model, history)
        self._fit_columns()
        self.set_note(*note_texts(model))

    def set_rows(self, rows: Rows | None) -> None:
        """Show only the pieces that the filter found."""
        self.item_model.show_rows(rows)
        self.table.set_hint(self._what_to_do if rows is None else f"No piece contains “{self.filter.text()}”.")

    def set_hovered_piece(self, piece_id: int) -> None:
        """Light up the row of a piece that is pointed at anywhere, where it is in sight."""
        self.table.light_source_row(piece_id)

    def set_picked_piece(self, piece_id: int) -> None:
        """Select the row of a piece that was picked anywhere."""
        self.table.pick_source_row(piece_id)
