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

CELL_BYTES, TIP_BYTES = 160, 2000
KEY_WORDS, WORD_BYTES = 3, 8  # a text's first bytes as whole numbers, which sort ten times as fast as strings
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
        self._text_ranks: npt.NDArray[np.int64] | None = None
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
        """Return the values of a column; texts sort by code point, by their first 24 bytes."""
        assert self._corpus is not None
        if column == TEXT:
            if self._text_ranks is None:
                self._text_ranks = text_ranks(self._corpus)
            return self._text_ranks
        if column == N:
            return self._corpus.counts
        if column == CHARACTERS:
            return self._corpus.n_characters
        if self._figures is None:
            return np.zeros(len(self._corpus))
        return self._figures.tokens if column == TOKENS else -self._figures.log_probs


def text_ranks(corpus: Corpus) -> npt.NDArray[np.int64]:
    """Return the place of each text in the order of code points, which is the order of their UTF-8 bytes.

    >>> text_ranks(Corpus.from_texts(["b", "é", "a", "ab"])).tolist()
    [2, 3, 0, 1]
    """
    order = np.lexsort([_word(corpus, i) for i in reversed(range(KEY_WORDS))])
    ranks = np.empty(len(corpus), dtype=np.int64)
    ranks[order] = np.arange(len(corpus))
    return ranks


def _word(corpus: Corpus, word: int) -> npt.NDArray[np.uint64]:
    """Return bytes 8 x word to 8 x word + 7 of each text as one number, zeros behind its end."""
    key = np.zeros(len(corpus), dtype=np.uint64)
    for i in range(word * WORD_BYTES, (word + 1) * WORD_BYTES):
        place = corpus.offsets[:-1] + i
        inside = place < corpus.offsets[1:]
        byte = np.zeros(len(corpus), dtype=np.uint64)
        byte[inside] = corpus.utf8[place[inside]]
        key = (key << np.uint64(8)) | byte
    return key
