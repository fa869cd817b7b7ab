"""The pieces of two vocabularies as one table. In: a `VocabularyComparison`. Out: a row for each piece of either."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.comparison import VocabularyComparison
from unigram_gui.item_models.cells import code_points, decimal_cell, exact_number, piece_cell
from unigram_gui.item_models.ordered_table import Column, OrderedTable, Rows
from unigram_gui.item_models.vocabulary import TYPE_NAMES
from unigram_gui.number_text import MINUS
from unigram_gui.tasks.sorting import Keys, string_ranks

PIECE, WHERE, ID_A, ID_B, ID_CHANGE, LN_P_A, LN_P_B, CHANGE, TYPE = range(9)
ONLY_A, ONLY_B, IN_BOTH = "only A", "only B", "both"
NORMAL_TYPE = 1
KINDS = ("all", ONLY_A, ONLY_B, IN_BOTH, "rescored", "renumbered", "retyped")


class PiecesItemModel(OrderedTable):
    """A row for each piece of either vocabulary: those of A in order of ID, then those that only B has."""

    columns = (
        Column("piece", "␣ stands for a space", "piece"),
        Column("in", "which vocabulary has the piece", "word"),
        Column("ID A", "number of the piece in A", "id"),
        Column("ID B", "number of the piece in B", "id"),
        Column("Δ ID", "ID in B less that in A"),
        Column("ln p A", "log probability in A, nats"),
        Column("ln p B", "log probability in B, nats"),
        Column("Δ ln p", "log probability in B less that in A, nats"),
        Column("type", "blank: an ordinary piece in both; A → B where they differ", "word"),
    )

    def __init__(self) -> None:
        super().__init__()
        self._compared: VocabularyComparison | None = None
        self.texts: tuple[str, ...] = ()
        self._numbers: dict[int, npt.NDArray[np.float64]] = {}
        self._types: npt.NDArray[np.int64] = np.zeros((0, 2), dtype=np.int64)

    def set_comparison(self, compared: VocabularyComparison | None) -> None:
        """Show another comparison."""
        self._begin_new_values()
        self._compared = compared
        self.texts, self._numbers = (), {}
        self._types = np.zeros((0, 2), dtype=np.int64)
        if compared is not None:
            self._fill(compared)
        self._end_new_values()

    def _fill(self, compared: VocabularyComparison) -> None:
        a, b = compared.a, compared.b
        n = len(a) + len(compared.only_b)
        ids = np.full((n, 2), np.nan)
        ids[: len(a), 0] = np.arange(len(a))
        ids[compared.both_a, 1] = compared.both_b
        ids[len(a) :, 1] = compared.only_b
        self.texts = (*a.texts, *(b.texts[i] for i in compared.only_b.tolist()))
        self._types = np.stack([_looked_up(table.types, ids[:, side]) for side, table in enumerate((a, b))], axis=1)
        scores = [_looked_up(table.log_probs, ids[:, side], np.nan) for side, table in enumerate((a, b))]
        for side in (0, 1):
            scores[side] = np.where(self._types[:, side] == NORMAL_TYPE, scores[side], np.nan)
        self._numbers = {
            ID_A: ids[:, 0], ID_B: ids[:, 1], ID_CHANGE: ids[:, 1] - ids[:, 0],
            LN_P_A: scores[0], LN_P_B: scores[1], CHANGE: scores[1] - scores[0],
        }  # fmt: skip

    def rows_of_kind(self, kind: str) -> Rows:
        """Return the source rows of a kind, one of `KINDS`."""
        has_a, has_b = (~np.isnan(self._numbers[column]) for column in (ID_A, ID_B))
        chosen = {
            "all": has_a | has_b,
            ONLY_A: ~has_b,
            ONLY_B: ~has_a,
            IN_BOTH: has_a & has_b,
            "rescored": np.nan_to_num(self._numbers[CHANGE]) != 0.0,
            "renumbered": np.nan_to_num(self._numbers[ID_CHANGE]) != 0.0,
            "retyped": has_a & has_b & (self._types[:, 0] != self._types[:, 1]),
        }
        return np.flatnonzero(chosen[kind])

    def source_row_of_both(self, row: int) -> int:
        """Return the source row of row `row` of the pieces that both have."""
        return int(self._compared.both_a[row]) if self._compared is not None else -1

    def n_source_rows(self) -> int:
        """Return how many pieces there are together."""
        return len(self.texts)

    def value(self, row: int, column: int) -> Any:
        """Return the value behind a cell."""
        if column == PIECE:
            return self.texts[row]
        if column == WHERE:
            return self._where(row)
        if column == TYPE:
            return self._type(row)
        return float(self._numbers[column][row])

    def _where(self, row: int) -> str:
        if math.isnan(self._numbers[ID_B][row]):
            return ONLY_A
        return ONLY_B if math.isnan(self._numbers[ID_A][row]) else IN_BOTH

    def _type(self, row: int) -> str:
        of_a, of_b = (TYPE_NAMES.get(int(kind), "") for kind in self._types[row])  # type: ignore[call-overload]
        if self._where(row) != IN_BOTH or of_a == of_b:
            return of_b if self._where(row) == ONLY_B else of_a
        return f"{of_a or 'normal'} → {of_b or 'normal'}"

    def cell(self, row: int, column: int) -> str:
        """Return what a cell shows."""
        value = self.value(row, column)
        if column == PIECE:
            return piece_cell(value)
        if column in (ID_A, ID_B, ID_CHANGE):
            return decimal_cell(value, 0).replace(",", "") if column != ID_CHANGE else signed(value, 0)
        if column == CHANGE:
            return signed(value, 3)
        return decimal_cell(value, 3) if isinstance(value, float) else str(value)

    def tool_tip(self, row: int, column: int) -> str:
        """Return a piece's code points, or a number in full."""
        value = self.value(row, column)
        if column == PIECE:
            return code_points(value)
        return exact_number(value) if isinstance(value, float) else str(value)

    def keys_of(self, column: int) -> Callable[[], Keys]:
        """Override OrderedTable.keys_of: to look at a million pieces takes a while."""
        return partial(string_ranks, self.texts) if column == PIECE else super().keys_of(column)

    def sort_keys(self, column: int) -> npt.NDArray[Any]:
        """Return the values of a column; changes sort by their size."""
        if column == PIECE:
            return string_ranks(self.texts)
        if column == WHERE:
            return np.isnan(self._numbers[ID_A]) * 2 + ~np.isnan(self._numbers[ID_B])
        if column == TYPE:
            return self._types[:, 0] * 16 + self._types[:, 1]
        numbers = self._numbers[column]
        return np.abs(numbers) if column in (CHANGE, ID_CHANGE) else numbers


def _looked_up(values: npt.NDArray[Any], ids: npt.NDArray[np.float64], none: float = 0) -> npt.NDArray[Any]:
    """Return the value of each ID, `none` where there is no ID."""
    return np.where(np.isnan(ids), none, values[np.nan_to_num(ids).astype(np.int64)])


def signed(number: float, places: int) -> str:
    """Write a change with its sign; nan leaves the cell empty.

    >>> signed(0.25, 2), signed(-3.0, 0), signed(0.0, 1)
    ('+0.25', '−3', '0.0')
    """
    text = decimal_cell(number, places)
    return text if not text or number == 0 or text.startswith(MINUS) or not text.strip("0.") else f"+{text}"
