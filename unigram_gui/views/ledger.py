"""The ledger of a pruning round: its table, the losses sorted, two criteria compared, the texts that a removal hurts.

In: a `Book`, a `Fate`, a `Hurt`. Out: wishes for another round, for a piece's fate, for the texts it is missed in.
"""

from __future__ import annotations

import math

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QSplitter, QVBoxLayout, QWidget

from engine.history import TrainingHistory
from engine.ledger import Fate, Reason
from unigram_gui.item_models.cells import piece_cell
from unigram_gui.item_models.ledger import (
    APPROXIMATE,
    BEST,
    COUNT,
    CRITERION_TITLES,
    EXACT,
    PIECE,
    REASON,
    REASONS,
    SIMPLE,
    SPLIT,
    VERDICT,
    VITERBI,
    LedgerItemModel,
    P,
)
from unigram_gui.number_text import count_text, log_text, pieces_text
from unigram_gui.tasks.replay import Book, Hurt
from unigram_gui.theme import Theme
from unigram_gui.views.choice import Choice
from unigram_gui.views.compare.segments import Pages
from unigram_gui.views.ledger_plots import CriteriaPlot, LossesPlot
from unigram_gui.views.ledger_texts import HurtTable
from unigram_gui.views.pane import NoteLabel
from unigram_gui.views.table import ROW_HEIGHT, FlatTable

MARGIN = 18
WAYS = ("all pieces", "gone", "kept", "protected")
REMOVED_IN_SIGHT = 6
NO_LEDGER = "Train on a corpus first: the ledger tells what each pruning cost."
WIDTHS = {P: 74, COUNT: 82, BEST: 72, EXACT: 96, VITERBI: 96, APPROXIMATE: 106, SIMPLE: 96, SPLIT: 150, VERDICT: 56}


class LedgerView(QWidget):
    """Shows one round.

    Signals
    -------
    round_requested : number of the round
    fate_requested : a piece as it was typed
    hurt_requested : a piece whose texts are wanted
    text_requested : a text that is to be seen in the lattice
    """

    round_requested = Signal(int)
    fate_requested = Signal(str)
    hurt_requested = Signal(str)
    text_requested = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rounds: tuple[int, ...] = ()
        self._book: Book | None = None
        self._fate: Fate | None = None
        self.item_model = LedgerItemModel()
        self.item_model.setParent(self)
        self.table = FlatTable(self.item_model, "Pruning ledger", theme)
        self.table.set_widths({PIECE: 130, **WIDTHS}, stretched=REASON)
        self.rounds, self.ways = Choice("Round"), Choice("Which pieces")
        self.ways.addItems(WAYS)
        self.question = QLineEdit()
        self.question.setPlaceholderText("When did this piece go, and why?")
        self.question.setAccessibleName("When did this piece go, and why?")
        self.question.setClearButtonEnabled(True)
        self.answer, self.note = QLabel(), NoteLabel()
        self.answer.setWordWrap(True)
        self.losses, self.criteria = LossesPlot(theme), CriteriaPlot(theme)
        self.hurt = HurtTable(theme)
        self.pages = Pages(("Losses", self.losses), ("Two criteria", self.criteria), ("Texts hurt", self.hurt))
        self._lay_out()
        self._connect()
        self.set_history(None)
        self.set_fate(None)

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setContentsMargins(MARGIN, 10, MARGIN, 4)
        top.setSpacing(8)
        self.question.setFixedWidth(290)
        for widget in (self.rounds, self.ways, self.question):
            top.addWidget(widget)
        top.addWidget(self.answer, 1)
        below = QWidget()
        column = QVBoxLayout(below)
        column.setContentsMargins(0, 0, 0, 0)
        self.pages.bar.setContentsMargins(MARGIN, 8, MARGIN, 0)
        column.addLayout(self.pages.bar)
        column.addWidget(self.pages, 1)
        self.pages.bar.addWidget(self.note, 4)
        splitter = QSplitter(Qt.Orientation.Vertical)
        splitter.setHandleWidth(1)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self.table)
        splitter.addWidget(below)
        splitter.setSizes([400, 330])
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(4)
        whole.addLayout(top)
        whole.addWidget(splitter, 1)

    def _connect(self) -> None:
        self.rounds.activated.connect(lambda i: self.round_requested.emit(self._rounds[i]))
        self.ways.currentIndexChanged.connect(lambda _: self._show_rows())
        self.question.textChanged.connect(self.fate_requested)
        self.table.row_picked.connect(self._pick)
        self.item_model.layoutChanged.connect(self._show_cut)
        self.losses.row_picked.connect(self.pick_ledger_row)
        self.criteria.row_picked.connect(self.pick_ledger_row)
        self.hurt.text_requested.connect(self.text_requested)

    def set_theme(self, theme: Theme) -> None:
        """Draw with another theme from now on."""
        for view in (self.table, self.losses, self.criteria, self.hurt):
            view.set_theme(theme)

    def set_history(self, history: TrainingHistory | None) -> None:
        """Offer the rounds of another training."""
        prunings = history.prunings if history is not None else ()
        n_special = len(history.spec.special_pieces()) if history is not None else 0
        self._rounds = tuple(pruning.round for pruning in prunings)
        self.rounds.clear()
        self.rounds.addItems([_described(p.round, p.n_before, p.n_after, n_special) for p in prunings])
        for widget in (self.rounds, self.ways, self.question):
            widget.setEnabled(bool(prunings))
        self.table.set_hint(NO_LEDGER if history is None else "Nothing was pruned in this training.")
        self.question.clear()

    def set_book(self, book: Book | None) -> None:
        """Show the ledger of a round, or its criteria once they are there."""
        is_new = book is None or self._book is None or book.ledger is not self._book.ledger
        self._book = book
        picked = self.item_model.source_row(self.table.currentIndex().row())
        self.item_model.set_book(book)
        self.losses.set_book(book)
        self.criteria.set_book(book)
        if is_new:
            self._show_rows()
            self._scroll_to_line()
            self._pick_fate()
        elif picked >= 0:
            self.table.pick_source_row(picked)
        if book is not None and book.ledger.round in self._rounds:
            self.rounds.setCurrentIndex(self._rounds.index(book.ledger.round))
        self._show_note()
        self._show_cut()

    def set_progress(self, fraction: float) -> None:
        """Say how far the other criteria are."""
        self.note.set_texts(f"computing the other criteria, {fraction:.0%}")

    def set_refused(self, sentence: str) -> None:
        """Say why there are no other criteria."""
        self.note.set_texts(sentence)

    def set_fate(self, fate: Fate | None) -> None:
        """Answer when a piece went; with a round to go to, its row is picked once that round is shown."""
        self._fate = fate
        self.answer.setText(fate_text(fate) if fate is not None else "")
        self._pick_fate()
        if fate is not None and fate.is_gone and fate.round in self._rounds:
            self.round_requested.emit(fate.round)

    def _pick_fate(self) -> None:
        if self._fate is not None and self._fate.piece >= 0:
            self.table.pick_source_row(self.item_model.row_of_piece(self._fate.piece))

    def set_hurt(self, hurt: Hurt | None) -> None:
        """Show the texts that a removal hurts most."""
        self.hurt.set_hurt(hurt)

    def pick_ledger_row(self, row: int) -> None:
        """Pick a piece in the table, as if it had been clicked."""
        assert self._book is not None
        source = self.item_model.row_of_piece(int(self._book.ledger.pieces[row]))
        self.table.pick_source_row(source)
        self._pick(source)

    def _pick(self, source_row: int) -> None:
        if source_row < 0:
            return
        piece = self.item_model.value(source_row, PIECE)
        if self.item_model.reason_of(source_row) == Reason.RARE:
            self.hurt.tell_why_none(piece)
        else:
            self.hurt_requested.emit(piece)

    def _show_rows(self) -> None:
        if self._book is None:
            return
        reason, way = self._book.ledger.reason, WAYS[max(self.ways.currentIndex(), 0)]
        gone = self._book.ledger.is_gone
        masks = {"gone": gone, "kept": ~gone, "protected": reason == Reason.PROTECTED}
        self.item_model.show_rows(self.item_model.rows_where(masks[way]) if way in masks else None)
        self._show_cut()

    def _scroll_to_line(self) -> None:
        self.table.doItemsLayout()  # now, so that the scroll bar knows the new length
        self.table.verticalScrollBar().setValue(max(0, self.item_model.cut_row() - REMOVED_IN_SIGHT) * ROW_HEIGHT)

    def _show_cut(self) -> None:
        self.table.set_cut_row(self.item_model.cut_row())

    def _show_note(self) -> None:
        if self._book is None:
            self.note.set_texts("")
            return
        book = self._book.ledger
        n_protected = int((book.reason == Reason.PROTECTED).sum())
        parts = [f"{count_text(len(book) - n_protected)} at risk", f"{count_text(int(book.is_gone.sum()))} gone"]
        parts += [f"{count_text(n_protected)} protected"] if n_protected else []
        line = f"decided by {CRITERION_TITLES[book.criterion]}, line at {_nats(book.line)}"
        self.note.set_texts(" · ".join([line, *parts]), line)


def _described(number: int, before: int, after: int, n_special: int) -> str:
    return f"round {number}:  {count_text(before)} → {pieces_text(after, n_special)}"


def _nats(value: float) -> str:
    return f"{log_text(value, 6 if abs(value) < 1 else 2)} nats"


def fate_text(fate: Fate) -> str:
    """Say in a sentence when a piece went and why.

    >>> fate_text(Fate("ca", -1, True))
    'ca never was a candidate.'
    """
    name = piece_cell(fate.text)
    if fate.reason is None:
        return f"{name} never was a candidate."
    if not fate.is_gone:
        kept = f"{name} stayed: {REASONS[fate.reason]}"
        numbers = f", loss {_nats(fate.loss)} with the line at {_nats(fate.line)}"
        return f"{kept}{numbers if not math.isnan(fate.loss) else ''}, p {fate.probability:.6g}."
    if fate.reason == Reason.CUT_BY_SCORE:
        return f"{name} went at the end, among the lowest scores: p {fate.probability:.6g}."
    if fate.reason == Reason.RARE:
        count = f"expected {fate.expected_count:.4g} times, under the threshold"
        return f"{name} went in round {fate.round}, update {fate.sub_iteration}: {count}."
    if fate.reason == Reason.NO_BEST_PATH:
        return f"{name} went in round {fate.round}: no longer on any best path."
    return f"{name} went in round {fate.round}: loss {_nats(fate.loss)}, the line was at {_nats(fate.line)}."
