"""The other tables of a comparison: settings, figures, scripts, words, texts, pieces responsible, texts not given back.

In: frozen values of engine.comparison. Out: Qt item models; a row's place in the values is its source row.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.comparison import CorpusComparison
from engine.comparison.bootstrap import ComparedFigure, Interval
from engine.comparison.corpora import ScriptSums, TokenRows
from unigram_gui.characters import short_name
from unigram_gui.item_models.cells import decimal_cell, piece_cell, piece_sort_keys
from unigram_gui.item_models.comparison import signed
from unigram_gui.item_models.ordered_table import Column, OrderedTable
from unigram_gui.number_text import MINUS, count_text, percent_text

LONGEST_CELL = 200
BLANK_NAME = f"⟨{short_name(' ')}⟩"


class RowsItemModel(OrderedTable):
    """A table over any sequence of rows: each column says how to read its value and how to write it."""

    readers: tuple[Callable[[Any], Any], ...] = ()
    writers: tuple[Callable[[Any], str], ...] = ()

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[Any] = ()

    def set_rows(self, rows: Sequence[Any]) -> None:
        """Show other rows."""
        self._begin_new_values()
        self._rows = rows
        self._end_new_values()

    def row(self, row: int) -> Any:
        """Return a source row."""
        return self._rows[row]

    def n_source_rows(self) -> int:
        return len(self._rows)

    def value(self, row: int, column: int) -> Any:
        return self.readers[column](self._rows[row])

    def cell(self, row: int, column: int) -> str:
        return self.writers[column](self.value(row, column))

    def sort_keys(self, column: int) -> npt.NDArray[Any]:
        values = [self.value(row, column) for row in range(len(self._rows))]
        if self.columns[column].kind == "piece":
            return piece_sort_keys(tuple(values))
        return np.array(values)


class SettingsItemModel(RowsItemModel):
    """The settings that differ."""

    columns = (
        Column("setting", "SentencePiece's name where there is one", "text"),
        Column("of", "what it belongs to", "word"),
        Column("A", "value in A", "text"),
        Column("B", "value in B", "text"),
    )
    readers = (lambda r: r.name, lambda r: r.group, lambda r: r.a, lambda r: r.b)
    writers = (str, str, str, str)


class FiguresItemModel(RowsItemModel):
    """Figures of a corpus with their intervals; they stay in their order."""

    columns = (
        Column("figure", "what is measured", "text"),
        Column("A", "value in A"),
        Column("95 %", "interval of A, by bootstrap over texts"),
        Column("B", "value in B"),
        Column("95 %", "interval of B, by bootstrap over texts"),
        Column("B − A", "difference; paired"),
        Column("95 %", "interval of the difference: without 0 in it, the two differ"),
    )

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[ComparedFigure] = ()

    def value(self, row: int, column: int) -> Any:
        figure = self._rows[row]
        if column == 0:
            return figure.figure.name
        interval = (figure.a, figure.b, figure.difference)[(column - 1) // 2]
        return interval.value if column % 2 else interval.high - interval.low

    def cell(self, row: int, column: int) -> str:
        figure = self._rows[row]
        if column == 0:
            return figure.figure.name
        interval = (figure.a, figure.b, figure.difference)[(column - 1) // 2]
        write = _share if figure.figure.is_share else _whole if figure.figure.is_count else _number
        if column % 2:
            text = write(interval.value)
            return f"+{text}" if column == 5 and interval.value > 0 else text
        return _range(interval, write)

    def tool_tip(self, row: int, column: int) -> str:
        return self._rows[row].figure.help if column == 0 else self.cell(row, column)

    def mark(self, row: int) -> str:
        """Return "" for a clear difference, "protected" (muted) for one that may be chance."""
        interval = self._rows[row].difference
        return "" if interval.low > 0 or interval.high < 0 else "protected"


def _share(value: float) -> str:
    return "–" if math.isnan(value) else f"{100 * value:.2f} %".replace("-", MINUS)


def _whole(value: float) -> str:
    return "–" if math.isnan(value) else decimal_cell(value, 0)


def _number(value: float) -> str:
    return "–" if math.isnan(value) else decimal_cell(value, 0 if abs(value) >= 1000 else 3)


def _range(interval: Interval, write: Callable[[float], str]) -> str:
    if math.isnan(interval.low):
        return ""
    low, high = write(interval.low).removesuffix(" %"), write(interval.high)
    return f"{low} to {high}"


class ScriptsItemModel(RowsItemModel):
    """Texts by main script."""

    columns = (
        Column("script", "that of most characters of a text", "text"),
        Column("texts", "counts included"),
        Column("characters", "of these texts"),
        Column("chars a token A", "characters for one token"),
        Column("B", "characters for one token"),
        Column("nats a char A", "-ln P over all paths"),
        Column("B", "-ln P over all paths"),
        Column("unk + bytes A", "share of the tokens that are the unknown piece or bytes"),
        Column("B", "share of the tokens that are the unknown piece or bytes"),
    )

    # The columns of the sums, as in engine.comparison.figures.SUMS.
    _TOKENS, _CHARACTERS, _NATS, _UNKNOWN, _BYTES = 0, 1, 4, 5, 6

    def value(self, row: int, column: int) -> Any:
        sums: ScriptSums = self._rows[row]
        if column < 3:
            return (sums.script, sums.n_texts, float(sums.a[self._CHARACTERS]))[column]
        of = sums.a if column % 2 else sums.b
        above, below = {
            1: (of[self._CHARACTERS], of[self._TOKENS]),
            2: (of[self._NATS], of[self._CHARACTERS]),
            3: (of[self._UNKNOWN] + of[self._BYTES], of[self._TOKENS]),
        }[(column - 1) // 2]
        return float(above / below) if below else math.nan

    def cell(self, row: int, column: int) -> str:
        value = self.value(row, column)
        if column == 0:
            return str(value)
        if column < 3:
            return count_text(int(value))
        if math.isnan(value):
            return ""
        return percent_text(value) if column >= 7 else decimal_cell(value, 3)


def text_cell(text: str) -> str:
    r"""Write the beginning of a text: blanks as they are, names for characters that hide.

    >>> text_cell("a b\tc")
    'a b⟨TAB⟩c'
    """
    return piece_cell(text[:LONGEST_CELL]).replace(BLANK_NAME, " ")


class TokensItemModel(OrderedTable):
    """Words or texts with their tokens in both."""

    columns = (
        Column("text", "as it stands in the corpus", "text"),
        Column("n", "how often"),
        Column("tok A", "tokens in A"),
        Column("tok B", "tokens in B"),
        Column("Δ", "tokens in B less those in A"),
        Column("Δ × n", "the same for all occurrences"),
    )

    def __init__(self) -> None:
        super().__init__()
        self._rows: TokenRows | None = None

    def set_rows(self, rows: TokenRows | None) -> None:
        """Show other rows."""
        self._begin_new_values()
        self._rows = rows
        self.__dict__.pop("_numbers", None)
        self._end_new_values()

    @cached_property
    def _numbers(self) -> tuple[npt.NDArray[Any], ...]:
        rows = self._rows
        assert rows is not None
        change = rows.tokens_b.astype(np.int64) - rows.tokens_a
        return rows.counts, rows.tokens_a, rows.tokens_b, change, change * rows.counts

    def n_source_rows(self) -> int:
        return 0 if self._rows is None else len(self._rows)

    def value(self, row: int, column: int) -> Any:
        assert self._rows is not None
        return self._rows.texts[row] if column == 0 else int(self._numbers[column - 1][row])

    def cell(self, row: int, column: int) -> str:
        value = self.value(row, column)
        if column == 0:
            return text_cell(value)
        return signed(value, 0) if column >= 4 else count_text(value)

    def sort_keys(self, column: int) -> npt.NDArray[Any]:
        assert self._rows is not None
        if column == 0:
            return piece_sort_keys(self._rows.texts)
        numbers = self._numbers[column - 1]
        return np.abs(numbers) if column >= 4 else numbers


class ResponsibleItemModel(RowsItemModel):
    """The pieces that make texts differ."""

    columns = (
        Column("piece", "␣ stands for a space", "piece"),
        Column("in", "which vocabulary has it; both: the scores decide", "word"),
        Column("places", "stretches cut differently in which it stands, counts included"),
        Column("tokens", "how many more B has there, shared out among the pieces of a stretch"),
    )
    readers = (
        lambda r: r.piece,
        lambda r: "both" if r.owner == "both" else f"only {r.owner}",
        lambda r: r.places,
        lambda r: r.tokens,
    )
    writers = (piece_cell, str, count_text, lambda value: signed(value, 1))

    def sort_keys(self, column: int) -> npt.NDArray[Any]:
        keys = super().sort_keys(column)
        return np.abs(keys) if column == 3 else keys


class LossyItemModel(OrderedTable):
    """Texts that decoding does not give back."""

    columns = (
        Column("text", "as it stands in the corpus", "text"),
        Column("not given back by", "whose decode(encode(text)) is another text", "word"),
    )

    def __init__(self) -> None:
        super().__init__()
        self._compared: CorpusComparison | None = None

    def set_comparison(self, compared: CorpusComparison | None) -> None:
        """Show another comparison."""
        self._begin_new_values()
        self._compared = compared
        self._end_new_values()

    def n_source_rows(self) -> int:
        return 0 if self._compared is None else len(self._compared.lossy)

    def value(self, row: int, column: int) -> Any:
        compared = self._compared
        assert compared is not None
        if column == 0:
            return compared.corpus.text(int(compared.lossy[row]))
        in_a, in_b = bool(compared.lossy_a[row]), bool(compared.lossy_b[row])
        return "A and B" if in_a and in_b else "A" if in_a else "B"

    def cell(self, row: int, column: int) -> str:
        value = self.value(row, column)
        return text_cell(value) if column == 0 else str(value)

    def sort_keys(self, column: int) -> npt.NDArray[Any]:
        values = [self.value(row, column) for row in range(self.n_source_rows())]
        return piece_sort_keys(tuple(values)) if column == 0 else np.array(values)
