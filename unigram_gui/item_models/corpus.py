"""A corpus as a table: a row for each distinct text, and what the current vocabulary makes of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.corpus import Corpus
from engine.corpus_statistics import CorpusFigures
from unigram_gui.item_models.cells import decimal_cell, exact_number
from unigram_gui.item_models.ordered_table import Column, OrderedTable
from unigram_gui.number_text import count_text, percent_text
from unigram_gui.tasks.sorting import Keys, SortedRows, text_ranks

TEXT, N, CHARACTERS, TOKENS, LOSS, PER_CHARACTER, SHARE = range(7)

CELL_BYTES, TIP_BYTES = 160, 2000
WORKED_EXAMPLE_TEXTS = 50


class CorpusItemModel(OrderedTable):
    """Text, count, characters, tokens, loss, and what follows from it. A source row is a distinct text."""

    columns = (
        Column("text", "distinct texts, in order of first appearance", "text"),
        Column("n", "how often the text stands in the corpus"),
        Column("chars", "length in characters (code points)"),
        Column("tok", "tokens that the vocabulary cuts the text into"),
        Column("loss", "−ln P(text) over all its paths, nats"),
        Column("per char", "loss for each character, nats"),
        Column("share", "n × loss, as a part of the loss of the whole corpus"),
    )

    def __init__(self) -> None:
        super().__init__()
        self._corpus: Corpus | None = None
        self._figures: CorpusFigures | None = None
        self._text_ranks: npt.NDArray[Any] | None = None
        self._places = 1

    def set_corpus(self, corpus: Corpus | None) -> None:
        """Show the texts of `corpus`, without figures."""
        self._begin_new_values()
        self._corpus, self._figures, self._text_ranks = corpus, None, None
        self._places = 4 if self.n_source_rows() <= WORKED_EXAMPLE_TEXTS else 1
        self._end_new_values()

    def set_figures(self, figures: CorpusFigures | None) -> None:
        """Fill the columns of tokens and loss, or empty them."""
        self._figures = figures
        if self._wanted[0] >= TOKENS:
            self._values = object()
            self.sort(*self._wanted)
        if self.rowCount():
            self.dataChanged.emit(self.index(0, TOKENS), self.index(self.rowCount() - 1, SHARE))

    # Order.

    def set_order(self, rows: SortedRows) -> None:
        """Override OrderedTable.set_order: the places of the texts among each other stay what they are."""
        if rows.request.column == TEXT and rows.request.values is self._values:
            self._text_ranks = rows.keys
        super().set_order(rows)

    def keys_of(self, column: int) -> Callable[[], Keys]:
        """Override OrderedTable.keys_of: to rank a million texts takes a while."""
        if column == TEXT and self._text_ranks is None and self._corpus is not None:
            return partial(text_ranks, self._corpus.utf8, self._corpus.offsets)
        return super().keys_of(column)

    # Cells.

    def n_source_rows(self) -> int:
        """Return the number of distinct texts."""
        return 0 if self._corpus is None else len(self._corpus)

    def cell(self, row: int, column: int) -> str:
        """Return what a cell shows."""
        if column == TEXT:
            return self._head(row, CELL_BYTES)
        value = self.value(row, column)
        if column in (LOSS, PER_CHARACTER):
            return decimal_cell(value, self._places if column == LOSS else 3)
        if column == SHARE:
            return "" if math.isnan(value) else percent_text(value)
        return "" if value is None else count_text(value)

    def value(self, row: int, column: int) -> Any:
        """Return the value behind a cell; None or NaN while no vocabulary was applied."""
        assert self._corpus is not None
        if column == TEXT:
            return self._corpus.text(row)
        if column == N:
            return int(self._corpus.counts[row])
        if column == CHARACTERS:
            return int(self._corpus.n_characters[row])
        if self._figures is None:
            return None if column == TOKENS else math.nan
        return int(self._figures.tokens[row]) if column == TOKENS else self._loss(row, column)

    def _loss(self, row: int, column: int) -> float:
        assert self._corpus is not None
        assert self._figures is not None
        loss = -float(self._figures.log_probs[row])
        if column == PER_CHARACTER:
            return loss / max(1, int(self._corpus.n_characters[row]))
        return loss if column == LOSS else loss * int(self._corpus.counts[row]) / (self._figures.loss or 1.0)

    def tool_tip(self, row: int, column: int) -> str:
        """Return the beginning of a long text, or a number in full."""
        if column == TEXT:
            return self._head(row, TIP_BYTES)
        return exact_number(self.value(row, column)) if column >= LOSS else self.cell(row, column)

    def _head(self, row: int, n_bytes: int) -> str:
        """Return the beginning of a text: a cell has no room for ten megabytes, nor time to decode them."""
        assert self._corpus is not None
        start, end = int(self._corpus.offsets[row]), int(self._corpus.offsets[row + 1])
        head = self._corpus.utf8[start : min(end, start + n_bytes)].tobytes().decode("utf-8", "ignore")
        return head + "…" if end - start > n_bytes else head

    def sort_keys(self, column: int) -> npt.NDArray[Any]:
        """Return the values of a column; texts sort by code point, by their first 24 bytes."""
        assert self._corpus is not None
        if column == TEXT:
            if self._text_ranks is None:
                self._text_ranks = text_ranks(self._corpus.utf8, self._corpus.offsets)
            return self._text_ranks
        if column == N:
            return self._corpus.counts
        if column == CHARACTERS:
            return self._corpus.n_characters
        if self._figures is None:
            return np.zeros(len(self._corpus))
        if column == TOKENS:
            return self._figures.tokens
        weights = {LOSS: 1.0, PER_CHARACTER: 1.0 / np.maximum(self._corpus.n_characters, 1), SHARE: self._corpus.counts}
        return -self._figures.log_probs * weights[column]
