"""The pruning ledger of one round as a table: a row for every piece of the table, every criterion a column."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.ledger import Reason
from unigram_gui.item_models.cells import code_points, decimal_cell, exact_number, piece_cell, probability_cell
from unigram_gui.item_models.ordered_table import Column, OrderedTable
from unigram_gui.number_text import count_text
from unigram_gui.tasks.replay import Book
from unigram_gui.tasks.sorting import Keys

PIECE, P, COUNT, BEST, EXACT, VITERBI, APPROXIMATE, SIMPLE, SPLIT, VERDICT, REASON = range(11)

CRITERION_COLUMNS = {"exact": EXACT, "viterbi": VITERBI, "sentencepiece": APPROXIMATE, "count_logp": SIMPLE}
CRITERION_TITLES = {
    "exact": "exact loss", "viterbi": "Viterbi loss", "sentencepiece": "SentencePiece", "count_logp": "count × −ln p",
}  # fmt: skip
REASONS = {
    Reason.PROTECTED: "protected",
    Reason.ABOVE_LINE: "above the line",
    Reason.BELOW_LINE: "up to the line",
    Reason.RARE: "count under threshold",
    Reason.NO_BEST_PATH: "no longer reachable",
    Reason.CUT_BY_SCORE: "lowest scores at the end",
}
WORKED_EXAMPLE_PIECES = 50


class LedgerItemModel(OrderedTable):
    """A source row is a row of the ledger, in the order of the decision: gone first, each group by the loss."""

    columns = (
        Column("piece", "␣ stands for a space", "piece"),
        Column("p", "probability before the removal"),
        Column("expected", "expected count in the corpus, from the last update before the removal"),
        Column("best path", "how often the piece is on a text's best path"),
        Column("exact loss", "how much the corpus loss over all paths would grow without the piece, nats"),
        Column("Viterbi loss", "how much the best paths of all texts would fall without the piece, nats"),
        Column("SentencePiece", "its approximation: all uses go over to the best other split, nats"),
        Column("count × −ln p", "how tutorials simplify the loss, nats"),
        Column("best other split", "the most probable way to cut the piece without itself", "text"),
        Column("verdict", "what the round did with the piece", "verdict"),
        Column("reason", "why", "text"),
    )

    def __init__(self) -> None:
        super().__init__()
        self._book: Book | None = None
        self._order_of_rows: npt.NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._place: npt.NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._n_gone = 0
        self._places = 2

    def set_book(self, book: Book | None) -> None:
        """Show another ledger, or the same with its criteria."""
        same = book is not None and self._book is not None and book.ledger is self._book.ledger
        shown = self._shown if same else None
        self._begin_new_values()
        self._book = book
        if book is None:
            self._order_of_rows, self._n_gone = np.zeros(0, dtype=np.int64), 0
        elif not same:
            self._take(book)
        self._shown = shown
        self._end_new_values()

    def _take(self, book: Book) -> None:
        self._order_of_rows, self._n_gone = book.order, book.n_gone
        self._place = np.full(len(book.ledger), -1, dtype=np.int64)
        self._place[book.ledger.pruned] = np.arange(len(book.ledger.pruned))
        self._places = 6 if len(book.ledger) <= WORKED_EXAMPLE_PIECES else 2

    def n_source_rows(self) -> int:
        """Return the number of pieces that were at risk."""
        return len(self._order_of_rows)

    def cut_row(self) -> int:
        """Return how many rows above the line are shown, or -1 while the order is another one."""
        return self._n_gone if self._book is not None and self._sorted_by[0] < 0 and self._shown is None else -1

    def row_of_piece(self, piece: int) -> int:
        """Return the source row of a candidate, or -1."""
        if self._book is None:
            return -1
        found = np.flatnonzero(self._book.ledger.pieces[self._order_of_rows] == piece)
        return int(found[0]) if len(found) else -1

    def rows_where(self, mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """Return the source rows of a mask over the ledger."""
        return np.flatnonzero(mask[self._order_of_rows])

    def cell(self, row: int, column: int) -> str:
        """Return what a cell shows."""
        value = self.value(row, column)
        if column == PIECE:
            return piece_cell(value)
        if column in (SPLIT, VERDICT, REASON):
            return str(value)
        if column == P:
            return probability_cell(value, 6)
        if column == BEST:
            return "" if math.isnan(value) else count_text(round(value))
        # How far a count is under the threshold shows only in more places.
        is_rare = column == COUNT and self.reason_of(row) == Reason.RARE
        return self._bound_sign(row, column) + decimal_cell(value, self._places + 2 if is_rare else self._places)

    def reason_of(self, row: int) -> Reason:
        """Return why the piece of a source row stayed or went."""
        assert self._book is not None
        return Reason(int(self._book.ledger.reason[self._order_of_rows[row]]))

    def _bound_sign(self, row: int, column: int) -> str:
        assert self._book is not None
        i, found = int(self._order_of_rows[row]), self._book.criteria
        if column == EXACT and found is not None:
            return "≥ " if self._place[i] >= 0 and found.exact_is_bound[self._place[i]] else ""
        is_own = column == CRITERION_COLUMNS[self._book.ledger.criterion]
        return "≥ " if is_own and self._book.ledger.loss_is_bound[i] else ""

    def value(self, row: int, column: int) -> Any:
        """Return the value behind a cell; NaN where there is none, or not yet."""
        assert self._book is not None
        i, ledger = int(self._order_of_rows[row]), self._book.ledger
        if column == PIECE:
            return self._text(i)
        if column == SPLIT:
            return self._split(i)
        if column == VERDICT:
            return "gone" if Reason(int(ledger.reason[i])) not in (Reason.PROTECTED, Reason.ABOVE_LINE) else "kept"
        if column == REASON:
            return self._reason(i)
        return float(self._numbers(column)[i])

    def _text(self, i: int) -> str:
        assert self._book is not None
        return self._book.history.piece_texts[int(self._book.ledger.pieces[i])]

    def _reason(self, i: int) -> str:
        assert self._book is not None
        ledger = self._book.ledger
        why = REASONS[Reason(int(ledger.reason[i]))]
        return f"{why}, update {ledger.sub_iteration[i]}" if ledger.sub_iteration[i] else why

    def _split(self, i: int) -> str:
        assert self._book is not None
        found, place = self._book.criteria, int(self._place[i])
        if found is None or place < 0:
            return ""
        pieces = self._book.ledger.pieces[self._book.ledger.pruned[found.split(place)]]
        return " | ".join(piece_cell(self._book.history.piece_texts[piece]) for piece in pieces.tolist())

    def _numbers(self, column: int) -> npt.NDArray[np.float64]:
        """Return a column of numbers in the order of the ledger."""
        assert self._book is not None
        ledger, found = self._book.ledger, self._book.criteria
        if column == P:
            return ledger.probabilities
        if column == COUNT:
            return ledger.expected_counts
        if found is None:
            is_own = column == CRITERION_COLUMNS[ledger.criterion]
            return ledger.losses if is_own else np.full(len(ledger), np.nan)
        name = next((name for name, place in CRITERION_COLUMNS.items() if place == column), "best_counts")
        values = np.full(len(ledger), np.nan)
        values[ledger.pruned] = getattr(found, name)
        return values

    def tool_tip(self, row: int, column: int) -> str:
        """Return a piece's code points, or a number in full."""
        value = self.value(row, column)
        if column == PIECE:
            return code_points(value)
        return exact_number(value) if isinstance(value, float) else str(value)

    def mark(self, row: int) -> str:
        """Return what became of the piece."""
        return {Reason.PROTECTED: "protected", Reason.ABOVE_LINE: ""}.get(self.reason_of(row), "removed")

    def keys_of(self, column: int) -> Callable[[], Keys]:
        """Override OrderedTable.keys_of: to look at a million pieces takes a while."""
        if column not in (PIECE, SPLIT):
            return super().keys_of(column)
        assert self._book is not None
        return partial(self._book.history.piece_texts.ranks, self._book.ledger.pieces[self._order_of_rows])

    def sort_keys(self, column: int) -> npt.NDArray[Any]:
        """Return the values of a column in the order of the decision."""
        assert self._book is not None
        ledger = self._book.ledger
        if column in (PIECE, SPLIT):
            return self.keys_of(column)()
        if column in (VERDICT, REASON):
            return ledger.reason[self._order_of_rows]
        return self._numbers(column)[self._order_of_rows]
