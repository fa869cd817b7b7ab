"""The vocabulary as a table: a row for each ID, and what training found out about it."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.edits import RescorePiece, RetypePiece
from engine.history import TrainingHistory
from engine.model import UnigramModel
from engine.pieces import PieceType
from unigram_gui.item_models.cells import (
    code_points,
    decimal_cell,
    exact_number,
    piece_cell,
    probability_cell,
)
from unigram_gui.item_models.ordered_table import Column, OrderedTable
from unigram_gui.number_text import log_text
from unigram_gui.tasks.exploration import Variant
from unigram_gui.tasks.sorting import Keys, string_ranks

ID, PIECE, TYPE, LOG_P, P, COUNT, LOSS = range(7)

TYPE_NAMES = {
    PieceType.NORMAL: "",
    PieceType.UNKNOWN: "unk",
    PieceType.CONTROL: "control",
    PieceType.USER_DEFINED: "user",
    PieceType.UNUSED: "unused",
    PieceType.BYTE: "byte",
}
WORKED_EXAMPLE_PIECES = 50
"""Up to this many pieces the table is a worked example, and shows four decimals instead of one."""

LARGE_COUNT = 100_000
"""Where counts are this large, their decimals say nothing and are left out."""
SCORED = (PieceType.NORMAL, PieceType.USER_DEFINED, PieceType.UNUSED)


NOTHING_TRIED = ("", "")


class VocabularyItemModel(OrderedTable):
    """ID, piece, type, ln p, p, expected count and loss. The source row of a piece is its ID."""

    columns = (
        Column("ID", "number of the piece in encoded text", "id"),
        Column("piece", "␣ stands for a space", "piece"),
        Column("type", "blank: an ordinary piece", "word"),
        Column("ln p", "log probability, nats"),
        Column("p", "probability"),
        Column("count", "expected count in the corpus, after the last update of training"),
        Column("loss", "how much the corpus loss would grow without the piece, nats; protected pieces always stay"),
    )

    def __init__(self) -> None:
        super().__init__()
        self._model: UnigramModel | None = None
        self._history: TrainingHistory | None = None
        self._places = 1
        self._kinds: frozenset[PieceType] = frozenset()
        self._extremes: dict[int, tuple[int, ...]] = {}
        self._tried: dict[int, tuple[str, str]] = {}

    def set_vocabulary(self, model: UnigramModel | None, history: TrainingHistory | None) -> None:
        """Show `model`, with counts and losses where a training history tells them."""
        self._begin_new_values()
        self._model, self._history = model, history
        self._kinds = _kinds_in(model.pieces.types) if model is not None else frozenset()
        self._extremes = {}
        self._places = self._places_of(history)
        self._end_new_values()

    def set_variant(self, variant: Variant | None) -> None:
        """Say beside a piece what is tried out on it: its numbers here stay those of the vocabulary itself."""
        before, self._tried = self._tried, _tried_out(variant) if variant is not None else {}
        if before != self._tried and self.rowCount():
            self.dataChanged.emit(self.index(0, PIECE), self.index(self.rowCount() - 1, PIECE))

    def _places_of(self, history: TrainingHistory | None) -> int:
        if self.n_source_rows() <= WORKED_EXAMPLE_PIECES:
            return 4
        counts = history.final_expected_counts if history is not None else np.zeros(1)
        return 0 if np.nanmax(counts, initial=0.0) >= LARGE_COUNT else 1

    @property
    def has_history(self) -> bool:
        """Whether counts and losses are known."""
        return self._history is not None

    @property
    def has_telling_types(self) -> bool:
        """Whether a type says more than the look of its piece: `<unk>`, `<s>` and `<0x41>` speak for themselves."""
        return not self._kinds.isdisjoint({PieceType.USER_DEFINED, PieceType.UNUSED})

    def widest_cells(self, column: int) -> list[str]:
        """Return cells among which a widest one of the column is: those of the extreme values."""
        if self._model is None:
            return []
        if column == TYPE:
            return [TYPE_NAMES[kind] for kind in sorted(self._kinds)]
        rows = self._extreme_rows(LOG_P if column == P else column)
        if not rows:
            first = [self.cell(row, column) for row in range(min(1, self.n_source_rows()))]
            return [*first, *self._common_cells(column, [])]
        cells = [self.cell(row, column) for row in rows]
        return [*cells, *self._common_cells(column, cells)]

    def _extreme_rows(self, column: int) -> tuple[int, ...]:
        """Return the rows of the smallest and of the largest number of a column; none where it has no number.

        Looked for once, and with comparisons alone: of a million rows this is a part of the wait for the window.
        """
        assert self._model is not None
        if column not in self._extremes:
            n = self.n_source_rows()
            self._extremes[column] = tuple(sorted({0, n - 1})) if column == ID else self._extreme_scored_rows(column)
        return self._extremes[column]

    def _extreme_scored_rows(self, column: int) -> tuple[int, ...]:
        assert self._model is not None
        types, keys = self._model.pieces.types, self.sort_keys(column)
        is_known = np.isfinite(keys)
        for kind in self._kinds.difference(SCORED):
            is_known &= types != int(kind)
        if not is_known.any():
            return ()
        least, most = np.where(is_known, keys, np.inf).argmin(), np.where(is_known, keys, -np.inf).argmax()
        return tuple(sorted({int(least), int(most)}))

    def _common_cells(self, column: int, extremes: list[str]) -> list[str]:
        """Return what else a column may say: most digits stand in the middle of the range."""
        if column == P:
            return [probability_cell(0.88888, 5), *(text for text in extremes if "e" in text)]
        if column != LOSS or self._history is None:
            return []
        return ["protected", *(f"≥ {text}" for text in extremes if self._history.final_loss_is_bound.any())]

    def n_source_rows(self) -> int:
        """Return the number of pieces."""
        return 0 if self._model is None else len(self._model.pieces)

    def cell(self, row: int, column: int) -> str:
        """Return what a cell shows."""
        value = self.value(row, column)
        if column == ID:
            return str(value)
        if column == PIECE:
            _, tried = self._tried.get(row, NOTHING_TRIED)
            return f"{piece_cell(value)}  ({tried})" if tried else piece_cell(value)
        if column == TYPE:
            return str(value)
        return self._number_cell(row, column, value)

    def remark(self, row: int) -> str:
        """Return what a piece becomes by the edits that are tried out."""
        return self._tried.get(row, NOTHING_TRIED)[0]

    def _number_cell(self, row: int, column: int, value: float) -> str:
        if column == LOG_P:
            return decimal_cell(value, 3)
        if column == P:
            return probability_cell(value, 5)
        if column == LOSS and math.isnan(value) and self._is_protected(row):
            return "protected"
        return self._bound_sign(row, column) + decimal_cell(value, self._places)

    def _bound_sign(self, row: int, column: int) -> str:
        """Say where the loss is only known to be at least this."""
        return "≥ " if column == LOSS and self._history is not None and self._history.final_loss_is_bound[row] else ""

    def value(self, row: int, column: int) -> Any:
        """Return the value behind a cell; NaN where nothing is known or nothing would make sense."""
        assert self._model is not None
        pieces = self._model.pieces
        if column == ID:
            return row
        if column == PIECE:
            return pieces.texts[row]
        if column == TYPE:
            return TYPE_NAMES[PieceType(int(pieces.types[row]))]
        return float(self.sort_keys(column)[row]) if column in (COUNT, LOSS) else self._score(row, column)

    def _score(self, row: int, column: int) -> float:
        assert self._model is not None
        if not self._has_score(row):
            return math.nan
        log_p = float(self._model.pieces.log_probs[row])
        return log_p if column == LOG_P else math.exp(log_p) if log_p < 700 else math.inf

    def _has_score(self, row: int) -> bool:
        assert self._model is not None
        return int(self._model.pieces.types[row]) in SCORED

    def _is_protected(self, row: int) -> bool:
        """Whether training met the piece and may not remove it: a single character."""
        assert self._model is not None
        pieces = self._model.pieces
        is_learned = self._history is not None and int(pieces.types[row]) == PieceType.NORMAL
        return is_learned and len(pieces.texts[row]) == 1

    def tool_tip(self, row: int, column: int) -> str:
        """Return a piece's code points, or a number in full."""
        value = self.value(row, column)
        if column == PIECE:
            _, tried = self._tried.get(row, NOTHING_TRIED)
            told = f"\n{tried}: the cut on show has it, the numbers of this table do not" if tried else ""
            return code_points(value) + told
        told = exact_number(value) if isinstance(value, float) else str(value)
        return f"{told}\n{self._floor_told()}" if column in (LOG_P, P) and self._is_at_floor(row) else told

    def _is_at_floor(self, row: int) -> bool:
        """Whether training gave a character the least count although it was expected less often."""
        if self._history is None or not self._history.spec.protect_characters or not self._is_protected(row):
            return False
        return float(self._history.final_expected_counts[row]) < self._history.spec.min_expected_count

    def _floor_told(self) -> str:
        assert self._history is not None
        least = f"{self._history.spec.min_expected_count:g} times"
        return f"A single character always stays: expected less often than {least}, it is scored as if {least}."

    def keys_of(self, column: int) -> Callable[[], Keys]:
        """Override OrderedTable.keys_of: to look at a million pieces takes a while."""
        if column == PIECE and self._model is not None:
            return partial(string_ranks, self._model.pieces.texts)
        return super().keys_of(column)

    def sort_keys(self, column: int) -> npt.NDArray[Any]:
        """Return the values of a column; p sorts as ln p does."""
        assert self._model is not None
        pieces = self._model.pieces
        if column == ID:
            return np.arange(len(pieces))
        if column == PIECE:
            return string_ranks(pieces.texts)
        if column == TYPE:
            return pieces.types
        if column in (LOG_P, P):
            return pieces.log_probs
        return self._from_history(column)

    def _from_history(self, column: int) -> npt.NDArray[np.float64]:
        if self._history is None:
            return np.full(self.n_source_rows(), np.nan)
        return self._history.final_expected_counts if column == COUNT else self._history.final_losses


def _tried_out(variant: Variant) -> dict[int, tuple[str, str]]:
    """What the edits do to pieces that the vocabulary has, by ID: for a narrow column, and in words."""
    tried: dict[int, tuple[str, str]] = {}
    for edit in variant.edits:
        if isinstance(edit, RescorePiece):
            tried[edit.piece] = (f"→ {log_text(edit.log_prob)}", f"tried with ln p {log_text(edit.log_prob)}")
        elif isinstance(edit, RetypePiece):
            name = edit.piece_type.name.lower()
            is_off = edit.piece_type == PieceType.UNUSED
            tried[edit.piece] = ("→ off", "tried disabled") if is_off else (f"→ {name}", f"tried as {name}")
    return tried


def _kinds_in(types: npt.NDArray[np.int8]) -> frozenset[PieceType]:
    return frozenset(kind for kind in PieceType if (types == int(kind)).any())
