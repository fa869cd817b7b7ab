"""One pruning round as a table: what removing each piece would cost, and who went."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.history import PruningRound, TrainingHistory, Verdict
from unigram_gui.item_models.cells import code_points, decimal_cell, exact_number, piece_cell, probability_cell
from unigram_gui.item_models.ordered_table import Column, OrderedTable

PIECE, P, COUNT, LOSS, VERDICT = range(5)

VERDICT_NAMES = {Verdict.KEPT: "kept", Verdict.REMOVED: "removed", Verdict.PROTECTED: "protected"}
WORKED_EXAMPLE_PIECES = 50


class PruningItemModel(OrderedTable):
    """Piece, p, expected count, loss if removed, verdict. A source row is a row of the round.

    The order of the source is the order of the decision: removed pieces, then kept, each by loss, then protected.
    """

    columns = (
        Column("piece", "␣ stands for a space", "piece"),
        Column("p", "probability before the removal"),
        Column("expected count", "expected count in the corpus, from the last update before the removal"),
        Column("loss if removed", "how much the corpus loss would grow without the piece, all else frozen, nats"),
        Column("verdict", "the cheapest pieces go; protected ones always stay", "verdict"),
    )

    def __init__(self) -> None:
        super().__init__()
        self._history: TrainingHistory | None = None
        self._round: PruningRound | None = None
        self._decision: npt.NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self._more_places = 0

    def set_round(self, history: TrainingHistory | None, pruning: PruningRound | None) -> None:
        """Show one round of a training history."""
        self._begin_new_values()
        self._history, self._round = history, pruning
        self._decision = _decision_order(pruning)
        self._more_places = 2 if self.n_source_rows() <= WORKED_EXAMPLE_PIECES else 0
        self._end_new_values()

    def n_source_rows(self) -> int:
        """Return the number of pieces before the removal."""
        return len(self._decision)

    def cut_row(self) -> int:
        """Return how many rows above the cut line are shown, or -1 while the order is another one."""
        if self._round is None or self._sorted_by[0] >= 0:
            return -1
        return int(np.count_nonzero(self._round.verdict == Verdict.REMOVED))

    def cell(self, row: int, column: int) -> str:
        """Return what a cell shows."""
        value = self.value(row, column)
        if column == PIECE:
            return piece_cell(value)
        if column == VERDICT:
            return str(value)
        if column == P:
            return probability_cell(value, 6)
        places = (2 if column == COUNT else 4) + self._more_places
        return self._bound_sign(row, column) + decimal_cell(value, places)

    def _bound_sign(self, row: int, column: int) -> str:
        assert self._round is not None
        return "≥ " if column == LOSS and self._round.loss_is_bound[self._decision[row]] else ""

    def value(self, row: int, column: int) -> Any:
        """Return the value behind a cell; the loss of a protected piece is NaN."""
        assert self._round is not None
        assert self._history is not None
        i = int(self._decision[row])
        if column == PIECE:
            return self._history.piece_texts[int(self._round.pieces[i])]
        if column == VERDICT:
            return VERDICT_NAMES[Verdict(int(self._round.verdict[i]))]
        return float(self._column(column)[i])

    def _column(self, column: int) -> npt.NDArray[np.float64]:
        assert self._round is not None
        return {P: self._round.probabilities, COUNT: self._round.expected_counts, LOSS: self._round.losses}[column]

    def tool_tip(self, row: int, column: int) -> str:
        """Return a piece's code points, or a number in full."""
        value = self.value(row, column)
        if column == PIECE:
            return code_points(value)
        return exact_number(value) if isinstance(value, float) else str(value)

    def mark(self, row: int) -> str:
        """Return what became of the piece."""
        verdict = str(self.value(row, VERDICT))
        return "" if verdict == "kept" else verdict

    def sort_keys(self, column: int) -> npt.NDArray[Any]:
        """Return the values of a column in the order of the decision."""
        assert self._round is not None
        assert self._history is not None
        if column == PIECE:
            texts = self._history.piece_texts
            return np.array([texts[i] for i in self._round.pieces[self._decision].tolist()])
        if column == VERDICT:
            return self._round.verdict[self._decision]
        return self._column(column)[self._decision]


def _decision_order(pruning: PruningRound | None) -> npt.NDArray[np.int64]:
    if pruning is None:
        return np.empty(0, dtype=np.int64)
    group = np.array([1, 0, 2])[pruning.verdict]  # removed before kept before protected
    losses = np.where(np.isnan(pruning.losses), math.inf, pruning.losses)
    return np.lexsort((losses, group))
