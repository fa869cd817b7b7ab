"""The vocabulary: a row for each piece. Picking a row highlights the piece wherever it is shown."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from engine.history import TrainingHistory
from engine.model import UnigramModel
from unigram_gui.item_models.ordered_table import Rows
from unigram_gui.item_models.vocabulary import COUNT, ID, LOG_P, LOSS, PIECE, TYPE, P, VocabularyItemModel
from unigram_gui.number_text import count_text
from unigram_gui.theme import Theme
from unigram_gui.views.pane import Pane, filter_field, with_margins
from unigram_gui.views.table import FlatTable

WHAT_TO_DO = "Open a corpus and train, or open a vocabulary from the File menu."


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
        widths = {ID: 44, TYPE: 52, LOG_P: 55, P: 62, COUNT: 61, LOSS: 76}
        self.table.set_widths(widths, stretched=PIECE)
        self.filter = filter_field("Filter pieces")
        self.body.addLayout(with_margins(self.filter))
        self.body.addWidget(self.table, 1)
        self.filter.textChanged.connect(self.filter_requested)
        self.table.row_picked.connect(self.pick_requested)
        self.table.row_hovered.connect(self.piece_hovered)
        self.set_note("none yet")
        self.table.set_hint(WHAT_TO_DO)

    def set_theme(self, theme: Theme) -> None:
        """Paint with another theme from now on."""
        self.table.set_theme(theme)

    def set_vocabulary(self, model: UnigramModel, history: TrainingHistory | None) -> None:
        """Show another vocabulary, with the counts and losses that its training left."""
        self.item_model.set_vocabulary(model, history)
        self.set_note(f"{count_text(len(model.pieces))} pieces")

    def set_rows(self, rows: Rows | None) -> None:
        """Show only the pieces that the filter found."""
        self.item_model.show_rows(rows)
        self.table.set_hint(WHAT_TO_DO if rows is None else f"No piece contains “{self.filter.text()}”.")

    def set_hovered_piece(self, piece_id: int) -> None:
        """Light up the row of a piece that is pointed at anywhere, where it is in sight."""
        self.table.light_source_row(piece_id)

    def set_picked_piece(self, piece_id: int) -> None:
        """Select the row of a piece that was picked anywhere."""
        self.table.pick_source_row(piece_id)
