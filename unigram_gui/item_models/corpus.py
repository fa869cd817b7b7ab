"""A corpus as a table: a row for each distinct text, and what the current vocabulary makes of it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.corpus import Corpus
from engine.corpus_figures import CorpusFigures
from unigram_gui.item_models.cells import decimal_cell, exact_number
from unigram_gui.item_models.ordered_table import Column, OrderedTable
from unigram_gui.number_text import count_text

TEXT, N, CHARACTERS, TOKENS, LOSS = range(5)

CELL_BYTES, TIP_BYTES, KEY_BYTES = 160, 2000, 48
WORKED_EXAMPLE_TEXTS = 50


class CorpusItemModel(OrderedTable):
    """Text, count, characters, tokens and loss. A source row is a distinct text of the corpus."""

    columns = (
        Column("text", "distinct texts, in order of first appearance", "text"),
        Column("n", "how often the text stands in the corpus"),
        Column("chars", "length in characters (code points)"),
        Column("tok", "tokens that the vocabulary cuts the text into"),
        Column("loss", "−ln P(text) over all its paths, nats"),
    )

    def __init__(self) -> None:
        super().__init__()
        self._corpus: Corpus | None = None
        self._figures: CorpusFigures | None = None
        self._places = 1

    def set_corpus(self, corpus: Corpus | None) -> None:
        """Show the texts of `corpus`, without figures."""
        self._begin_new_values()
        self._corpus, self._figures = corpus, None
        self._places = 4 if self.n_source_rows() <= WORKED_EXAMPLE_TEXTS else 1
        self._end_new_values()

    def set_figures(self, figures: CorpusFigures | None) -> None:
        """Fill the columns of tokens and loss, or empty them."""
        self._figures = figures
        if self._sorted_by[0] in (TOKENS, LOSS):
            self.sort(*self._sorted_by)
        if self.rowCount():
            self.dataChanged.emit(self.index(0, TOKENS), self.index(self.rowCount() - 1, LOSS))

    def n_source_rows(self) -> int:
        """Return the number of distinct texts."""
        return 0 if self._corpus is None else len(self._corpus)

    def cell(self, row: int, column: int) -> str:
        """Return what a cell shows."""
        if column == TEXT:
            return self._head(row, CELL_BYTES)
        value = self.value(row, column)
        if column == LOSS:
            return decimal_cell(value, self._places)
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
        return int(self._figures.tokens[row]) if column == TOKENS else -float(self._figures.log_probs[row])

    def tool_tip(self, row: int, column: int) -> str:
        """Return the beginning of a long text, or a number in full."""
        if column == TEXT:
            return self._head(row, TIP_BYTES)
        return exact_number(self.value(row, LOSS)) if column == LOSS else self.cell(row, column)

    def _head(self, row: int, n_bytes: int) -> str:
        """Return the beginning of a text: a cell has no room for ten megabytes, nor time to decode them."""
        assert self._corpus is not None
        start, end = int(self._corpus.offsets[row]), int(self._corpus.offsets[row + 1])
        head = self._corpus.utf8[start : min(end, start + n_bytes)].tobytes().decode("utf-8", "ignore")
        return head + "…" if end - start > n_bytes else head

    def sort_keys(self, column: int) -> npt.NDArray[Any]:
        """Return the values of a column; texts sort by code point, by their first 48 bytes."""
        assert self._corpus is not None
        if column == TEXT:
            return _byte_prefixes(self._corpus)
        if column == N:
            return self._corpus.counts
        if column == CHARACTERS:
            return self._corpus.n_characters
        if self._figures is None:
            return np.zeros(len(self._corpus))
        return self._figures.tokens if column == TOKENS else -self._figures.log_probs


def _byte_prefixes(corpus: Corpus) -> npt.NDArray[np.bytes_]:
    """Return the first bytes of every text as fixed strings: UTF-8 sorts as code points do."""
    starts, ends = corpus.offsets[:-1], corpus.offsets[1:]
    keys = np.zeros((len(corpus), KEY_BYTES), dtype=np.uint8)
    for i in range(KEY_BYTES):
        inside = starts + i < ends
        keys[inside, i] = corpus.utf8[(starts + i)[inside]]
    return keys.view(f"S{KEY_BYTES}").ravel()
