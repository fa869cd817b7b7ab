"""The other tables of a comparison: settings, figures, groups, words, texts, pieces responsible, texts not given back.

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
from engine.comparison.differences import TokenRows
from engine.comparison.figures import FIGURES
from engine.comparison.groups import BY_SCRIPT, Group, Grouping
from engine.corpus import Corpus
from unigram_gui.characters import short_name
from unigram_gui.item_models.cells import decimal_cell, piece_cell
from unigram_gui.item_models.comparison import signed
from unigram_gui.item_models.ordered_table import Column, OrderedTable
from unigram_gui.number_text import MINUS, count_text
from unigram_gui.tasks.sorting import string_ranks

LONGEST_CELL = 200
WITHOUT_VALUE = "without a value"
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
            return string_ranks(tuple(values))
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
        Column("95 %", "interval of A, by bootstrap over texts; – where some draw of few texts has no value"),
        Column("B", "value in B"),
        Column("95 %", "interval of B, by bootstrap over texts; – where some draw of few texts has no value"),
        Column("B − A", "difference; paired. Muted where it may be chance. pp: percentage points", "difference"),
        Column("95 %", "interval of the difference: without 0 in it, the two differ", "difference"),
    )

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[ComparedFigure] = ()

    def value(self, row: int, column: int) -> Any:
        figure = self._rows[row]
        return figure.figure.name if column == 0 else figure_value(figure, column)

    def cell(self, row: int, column: int) -> str:
        figure = self._rows[row]
        return figure.figure.name if column == 0 else figure_cell(figure, column)

    def tool_tip(self, row: int, column: int) -> str:
        return self._rows[row].figure.help if column == 0 else self.cell(row, column)

    def mark(self, row: int) -> str:
        """Return "" for a clear difference, "chance" for one that may be no more than that."""
        return figure_mark(self._rows[row])


def figure_value(figure: ComparedFigure, column: int) -> float:
    """Return the number behind columns 1 to 6: A, its interval, B, its interval, the difference, its interval."""
    interval = (figure.a, figure.b, figure.difference)[(column - 1) // 2]
    return interval.value if column % 2 else interval.high - interval.low


def figure_cell(figure: ComparedFigure, column: int) -> str:
    """Write what stands in these columns."""
    interval = (figure.a, figure.b, figure.difference)[(column - 1) // 2]
    of_share = _points if column >= 5 else _share  # shares differ by percentage points
    write = of_share if figure.figure.is_share else _whole if figure.figure.is_count else _number
    if column % 2:
        text = write(interval.value)
        return f"+{text}" if column == 5 and interval.value > 0 else text
    return _range(interval, write)


def figure_mark(figure: ComparedFigure) -> str:
    """Return "" for a clear difference, "chance" for one that may be no more than that."""
    return "" if figure.difference.low > 0 or figure.difference.high < 0 else "chance"


def _share(value: float) -> str:
    return "–" if math.isnan(value) else f"{100 * value:.2f} %".replace("-", MINUS)


def _points(value: float) -> str:
    return "–" if math.isnan(value) else f"{100 * value:.2f}{POINTS}".replace("-", MINUS)


def _whole(value: float) -> str:
    return "–" if math.isnan(value) else decimal_cell(value, 0)


def _number(value: float) -> str:
    return "–" if math.isnan(value) else decimal_cell(value, 0 if abs(value) >= 1000 else 3)


def _range(interval: Interval, write: Callable[[float], str]) -> str:
    if math.isnan(interval.low):
        return "–"
    low, high = write(interval.low).removesuffix(" %").removesuffix(POINTS), write(interval.high)
    return f"{low} to {high}"


POINTS = " pp"
MUCH_UNKNOWN = 0.3
"""From this share of unknown tokens on a group says so: each stands for a run of characters of any length."""
UNKNOWN_TELLS_NOTHING = (
    "An unknown token stands for a whole run of characters, so what is counted by tokens says little of these texts."
)
FIGURES_OF_GROUPS = tuple(figure.name for figure in FIGURES if figure.of_sums is not None)
_UNKNOWN = FIGURES_OF_GROUPS.index("unknown tokens")
"""What is known of each group, in the order of `Group.figures`."""


def groupings_of(corpus: Corpus | None) -> tuple[str, ...]:
    """Return by what the texts of a corpus are grouped."""
    return (BY_SCRIPT, *(column.name for column in (corpus.columns if corpus is not None else ())))


class GroupsItemModel(OrderedTable):
    """Groups of texts, by script or by a column of the corpus, with one of the figures."""

    columns = (
        Column("group", "what these texts share; Enter or a double click compares on them alone", "text"),
        Column("texts", "counts included"),
        *FiguresItemModel.columns[1:],
    )

    def __init__(self) -> None:
        super().__init__()
        self._groups: tuple[Group, ...] = ()
        self._figure = 0

    def set_groups(self, grouping: Grouping | None, figure: int) -> None:
        """Show other groups, or another figure of them."""
        self._begin_new_values()
        self._groups, self._figure = grouping.groups if grouping is not None else (), figure
        self._end_new_values()

    def name(self, row: int) -> str:
        """Return the name of a source row's group, as the corpus has it."""
        return self._groups[row].name

    def n_source_rows(self) -> int:
        return len(self._groups)

    def value(self, row: int, column: int) -> Any:
        group = self._groups[row]
        if column < 2:
            return (group.name or WITHOUT_VALUE, group.n_texts)[column]
        return figure_value(group.figures[self._figure], column - 1)

    def cell(self, row: int, column: int) -> str:
        if column < 2:
            value = self.value(row, column)
            return count_text(value) if column else f"{text_cell(value)}{self._unknown_told(row)}"
        return figure_cell(self._groups[row].figures[self._figure], column - 1)

    def _unknown_told(self, row: int) -> str:
        """How much of a group is unknown to A and to B, where that is much."""
        unknown = self._groups[row].figures[_UNKNOWN]
        shares = [(side, one.value) for side, one in (("A", unknown.a), ("B", unknown.b)) if one.value >= MUCH_UNKNOWN]
        told = ", ".join(f"{side} {100 * share:.0f} %" for side, share in shares)
        return f"  (tokens unknown: {told})" if told else ""

    def tool_tip(self, row: int, column: int) -> str:
        """Say of a group with many unknown tokens what that does to its figures."""
        told = self.cell(row, column)
        return f"{told}\n{UNKNOWN_TELLS_NOTHING}" if self._unknown_told(row) else told

    def mark(self, row: int) -> str:
        """Return "" for a clear difference, "chance" for one that may be no more than that."""
        return figure_mark(self._groups[row].figures[self._figure])

    def sort_keys(self, column: int) -> npt.NDArray[Any]:
        values = [self.value(row, column) for row in range(len(self._groups))]
        return string_ranks(tuple(values)) if column == 0 else np.array(values)


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
            return string_ranks(self._rows.texts)
        numbers = self._numbers[column - 1]
        return np.abs(numbers) if column >= 4 else numbers


class ResponsibleItemModel(RowsItemModel):
    """The pieces that make texts differ."""

    columns = (
        Column("piece", "␣ stands for a space; Enter or a double click opens the shortest text it decides", "piece"),
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

    def example(self, row: int) -> str:
        """Return the text in which a source row's piece is best seen."""
        return str(self._rows[row].example)

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
        return string_ranks(tuple(values)) if column == 0 else np.array(values)
