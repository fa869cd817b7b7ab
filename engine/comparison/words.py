"""The stretches between the blanks of a corpus: each distinct one once, and where they stand.

In: a Corpus. Out: `CorpusWords`. A word here is what stands between two blanks (U+0020): most models cut it by itself.
Parts of the corpus have tables of their own, side by side; these are joined in the order of the parts, so the words
stand in order of first appearance whatever the number of threads.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.corpus import Corpus, taken
from engine.kernels.distinct_words import count_chunks, enter_chunks, fill_slots, join_words, renumber
from engine.shards import N_SHARDS, Checkpoint, Workers, bounds_by_weight, portion, slices

Longs = NDArray[np.int64]

_SLICE = 1 << 19  # bytes of texts, or of words to be joined, handed to a kernel at once
_FIRST_WORDS = 1 << 15


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

    def bytes_of(self, words: Longs) -> tuple[NDArray[np.uint8], Longs]:
        """Return the bytes of these words in a row, and where each begins, int64[len(words) + 1]."""
        return taken(self.utf8, self.offsets, words)

    def word(self, w: int) -> str:
        """Return word w."""
        return self.utf8[self.offsets[w] : self.offsets[w + 1]].tobytes().decode()


def words_of(workers: Workers, corpus: Corpus) -> Generator[float, None, CorpusWords]:
    """Find the distinct words of a corpus; yields the fraction done.

    >>> from engine.shards import finish
    >>> with Workers(1) as workers:
    ...     words = finish(words_of(workers, Corpus.from_counts({"to be": 2, "be  it": 1})))
    >>> [words.word(w) for w in range(len(words))], words.counts.tolist(), words.occurrences.tolist()
    (['to', 'be', 'it'], [2, 3, 1], [0, 1, 1, 2])
    """
    bounds = bounds_by_weight(corpus.offsets, N_SHARDS)
    text_offsets = yield from portion(_count(workers, corpus, bounds), 0.0, 0.05)
    occurrences = np.empty(int(text_offsets[-1]), dtype=np.int32)

    def enter(shard: int, checkpoint: Checkpoint) -> _Table:
        table = _Table()
        for first, stop in _turns(corpus, bounds, shard, checkpoint):
            table.enter(corpus, text_offsets, occurrences, first, stop)
        return table

    tables = yield from portion(workers.run(enter, N_SHARDS), 0.05, 0.85)
    joined, numbers = _Table(), []
    for table in tables:
        workers.check()
        numbers.append(joined.join(table))

    def tell(shard: int, checkpoint: Checkpoint) -> None:
        first, last = text_offsets[bounds[shard]], text_offsets[bounds[shard + 1]]
        renumber(occurrences[first:last], numbers[shard])

    yield from portion(workers.run(tell, N_SHARDS), 0.95, 1.0)
    offsets = joined.offsets[: joined.n + 1].copy()
    arrays = (joined.pool[: offsets[-1]].copy(), offsets, joined.totals[: joined.n].copy(), occurrences)
    for array in arrays:
        array.setflags(write=False)
    return CorpusWords(*arrays, text_offsets)


def _count(workers: Workers, corpus: Corpus, bounds: Longs) -> Generator[float, None, Longs]:
    """Return where the words of each text begin among all occurrences."""
    n_chunks = np.zeros(len(corpus), dtype=np.int64)

    def count(shard: int, checkpoint: Checkpoint) -> None:
        for first, stop in _turns(corpus, bounds, shard, checkpoint):
            count_chunks(corpus.utf8, corpus.offsets, first, stop, n_chunks)

    yield from workers.run(count, N_SHARDS)
    text_offsets = np.concatenate(([0], np.cumsum(n_chunks)))
    text_offsets.setflags(write=False)
    return text_offsets


def _turns(corpus: Corpus, bounds: Longs, shard: int, checkpoint: Checkpoint) -> Iterator[tuple[int, int]]:
    """Yield the texts of a shard, some at a time."""
    begin, end = int(bounds[shard]), int(bounds[shard + 1])
    for first, stop in slices(corpus.offsets, begin, end, _SLICE):
        checkpoint((first - begin) / (end - begin))
        yield first, stop


class _Table:
    """A table of words that grows as they come (see `engine.kernels.distinct_words`)."""

    def __init__(self) -> None:
        self.n = 0
        self.pool = np.empty(8 * _FIRST_WORDS, dtype=np.uint8)
        self.offsets, self.totals = np.zeros(_FIRST_WORDS + 1, np.int64), np.zeros(_FIRST_WORDS, np.int64)
        self._slots = np.full(2 * _FIRST_WORDS, -1, dtype=np.int64)

    def enter(self, corpus: Corpus, text_offsets: Longs, occurrences: NDArray[np.int32], first: int, stop: int) -> None:
        """Enter the words of some texts, and write their numbers."""
        while first < stop:
            first, self.n = enter_chunks(
                corpus.utf8, corpus.offsets, first, stop, corpus.counts, text_offsets,
                self._slots, self.pool, self.offsets, self.totals, self.n, occurrences,
            )  # fmt: skip
            if first < stop:
                n_words, n_bytes = text_offsets[first + 1] - text_offsets[first], corpus.offsets[first : first + 2]
                self._make_room(int(n_words), int(n_bytes[1] - n_bytes[0]))

    def join(self, other: _Table) -> NDArray[np.int32]:
        """Enter the words of another table; return the number that each has here."""
        self._make_room(other.n, int(other.offsets[other.n]))
        numbers = np.empty(other.n, dtype=np.int32)
        self.n = join_words(
            other.pool, other.offsets, other.totals,
            self._slots, self.pool, self.offsets, self.totals, self.n, numbers,
        )  # fmt: skip
        return numbers

    def _make_room(self, n_words: int, n_bytes: int) -> None:
        """Have room for so many more words of so many bytes together."""
        self.pool = _longer(self.pool, int(self.offsets[self.n]) + n_bytes)
        if self.n + n_words > len(self.totals):
            size = len(self.totals)
            while size < self.n + n_words:
                size *= 2
            self.totals, self.offsets = _longer(self.totals, size), _longer(self.offsets, size + 1)
            self._slots = np.full(2 * size, -1, dtype=np.int64)
            fill_slots(self._slots, self.pool, self.offsets, self.n)


def _longer(array: NDArray, size: int) -> NDArray:
    """Return an array of at least `size` that begins with this one."""
    if size <= len(array):
        return array
    longer = np.empty(max(size, 2 * len(array)), dtype=array.dtype)
    longer[: len(array)] = array
    return longer
