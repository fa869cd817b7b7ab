"""The stretches between the blanks of a corpus: each distinct one once, and where they stand.

In: a Corpus. Out: `CorpusWords`. A word here is what stands between two blanks (U+0020): most models cut it by itself.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.corpus import Corpus
from engine.errors import Cancelled
from engine.kernels.text_counts import count_chunks, enter_chunks, rebuild_words
from engine.shards import slices

Longs = NDArray[np.int64]

_BYTES_PER_SLICE = 1 << 20
_FIRST_SLOTS = 1 << 16


@dataclass(frozen=True, eq=False)
class CorpusWords:
    """Distinct words of a corpus, in order of first appearance.

    Attributes
    ----------
    utf8 : uint8[]
        All distinct words, one after the other; word w is utf8[offsets[w]:offsets[w+1]].
    offsets : int64[n+1]
    counts : int64[n]
        How often each stands in the corpus, the counts of its texts included.
    occurrences : int32[]
        The words of all texts in order; those of text i are occurrences[text_offsets[i]:text_offsets[i+1]].
    text_offsets : int64[texts+1]
    """

    utf8: NDArray[np.uint8]
    offsets: Longs
    counts: Longs
    occurrences: NDArray[np.int32]
    text_offsets: Longs

    def __len__(self) -> int:
        return len(self.counts)

    def word(self, w: int) -> str:
        """Return word w."""
        return self.utf8[self.offsets[w] : self.offsets[w + 1]].tobytes().decode()


def words_of(corpus: Corpus, cancel: threading.Event | None = None) -> CorpusWords:
    """Find the distinct words of a corpus. Raises Cancelled.

    >>> words = words_of(Corpus.from_counts({"to be": 2, "be  it": 1}))
    >>> [words.word(w) for w in range(len(words))], words.counts.tolist(), words.occurrences.tolist()
    (['to', 'be', 'it'], [2, 3, 1], [0, 1, 1, 2])
    """
    n_chunks = np.zeros(len(corpus), dtype=np.int64)
    for first, stop in _turns(corpus, cancel):
        count_chunks(corpus.utf8, corpus.offsets, first, stop, n_chunks)
    text_offsets = np.concatenate(([0], np.cumsum(n_chunks)))
    text_offsets.setflags(write=False)
    found = _Table(corpus, text_offsets)
    for first, stop in _turns(corpus, cancel):
        found.enter(first, stop)
    return found.frozen()


def _turns(corpus: Corpus, cancel: threading.Event | None) -> Iterator[tuple[int, int]]:
    for turn in slices(corpus.offsets, 0, len(corpus), _BYTES_PER_SLICE):
        if cancel is not None and cancel.is_set():
            raise Cancelled
        yield turn


class _Table:
    """An open-addressing table of words that grows as they come."""

    def __init__(self, corpus: Corpus, text_offsets: Longs) -> None:
        self._corpus, self._text_offsets = corpus, text_offsets
        self._n = 0
        self._slots = np.full(_FIRST_SLOTS, -1, dtype=np.int64)
        self._starts, self._ends, self._counts = (np.zeros(_FIRST_SLOTS // 2, np.int64) for _ in range(3))
        self._occurrences = np.empty(int(text_offsets[-1]), dtype=np.int32)

    def enter(self, first: int, stop: int) -> None:
        """Enter the words of some texts."""
        corpus = self._corpus
        while first < stop:
            first, self._n = enter_chunks(
                corpus.utf8, corpus.offsets, first, stop, corpus.counts, self._text_offsets,
                self._slots, self._starts, self._ends, self._counts, self._occurrences, self._n,
            )  # fmt: skip
            if first < stop:
                self._grow(self._n + int(self._text_offsets[first + 1] - self._text_offsets[first]))

    def _grow(self, needed: int) -> None:
        size = 2 * len(self._slots)
        while size // 2 < needed:
            size *= 2
        self._slots = np.full(size, -1, dtype=np.int64)
        self._starts, self._ends, self._counts = (
            np.concatenate((rows[: self._n], np.zeros(size // 2 - self._n, np.int64)))
            for rows in (self._starts, self._ends, self._counts)
        )
        rebuild_words(self._corpus.utf8, self._slots, self._starts, self._ends, self._n)

    def frozen(self) -> CorpusWords:
        starts, lengths = self._starts[: self._n], (self._ends - self._starts)[: self._n]
        offsets = np.concatenate(([0], np.cumsum(lengths)))
        places = np.repeat(starts - offsets[:-1], lengths) + np.arange(offsets[-1])
        arrays = (self._corpus.utf8[places], offsets, self._counts[: self._n].copy(), self._occurrences)
        for array in arrays:
            array.setflags(write=False)
        return CorpusWords(*arrays, self._text_offsets)
