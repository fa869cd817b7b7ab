"""The pruning losses of one round: who was removed, who stayed, and at what price. A selector changes the round."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from engine.history import PruningRound, TrainingHistory
from unigram_gui.item_models.pruning import COUNT, LOSS, PIECE, VERDICT, P, PruningItemModel
from unigram_gui.number_text import count_text, pieces_text
from unigram_gui.theme import Theme
from unigram_gui.views.choice import Choice
from unigram_gui.views.pane import Pane
from unigram_gui.views.table import ROW_HEIGHT, FlatTable

REMOVED_IN_SIGHT = 4


class PruningView(Pane):
    """Shows the pruning losses of a chosen round.

    Signals
    -------
    round_requested : place of the chosen round in the history
    """

    round_requested = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("Pruning losses", parent)
        self.item_model = PruningItemModel()
        self.item_model.setParent(self)
        self.table = FlatTable(self.item_model, "Pruning losses", theme)
        self.table.set_widths({P: 70, COUNT: 100, LOSS: 98, VERDICT: 74}, stretched=PIECE)
        self.rounds = Choice("Pruning round", quiet=True)
        self.rounds.hide()
        self.header.addWidget(self.rounds)
        self.body.addWidget(self.table, 1)
        self.rounds.activated.connect(self.round_requested)
        self.item_model.layoutChanged.connect(self._show_cut)
        self.set_note("train to see them")

    def set_theme(self, theme: Theme) -> None:
        """Paint with another theme from now on."""
        self.table.set_theme(theme)

    def set_history(self, history: TrainingHistory | None, chosen: int) -> None:
        """Offer the rounds of a training history and show the chosen one."""
        rounds = history.prunings if history is not None else ()
        n_special = len(history.spec.special_pieces()) if history is not None else 0
        self.rounds.clear()
        self.rounds.addItems([_described(pruning, n_special) for pruning in rounds])
        self.rounds.setVisible(bool(rounds))
        self.note.setVisible(not rounds)
        self.set_note("train to see them" if history is None else _without_pruning(history))
        self.set_round(history, chosen)

    def set_round(self, history: TrainingHistory | None, chosen: int) -> None:
        """Show one round, scrolled to where removed and kept meet."""
        known = history is not None and 0 <= chosen < len(history.prunings)
        self.rounds.setCurrentIndex(chosen if known else -1)
        self.item_model.set_round(history, history.prunings[chosen] if history is not None and known else None)
        self._show_cut()
        removed = self.item_model.cut_row()
        self.table.doItemsLayout()  # now, so that the scroll bar knows the new length
        self.table.verticalScrollBar().setValue(max(0, removed - REMOVED_IN_SIGHT) * ROW_HEIGHT)

    def _show_cut(self) -> None:
        self.table.set_cut_row(self.item_model.cut_row())


def _without_pruning(history: TrainingHistory) -> str:
    """Say what made the table smaller where no round of pruning did."""
    dropped = len(history.updates[0].pieces) - history.updates[-1].n_pieces if history.updates else 0
    return f"none; {count_text(dropped)} dropped as rare" if dropped > 0 else "nothing was pruned"


def _described(pruning: PruningRound, n_special: int) -> str:
    return f"round {pruning.round}:  {count_text(pruning.n_before)} → {pieces_text(pruning.n_after, n_special)}"
