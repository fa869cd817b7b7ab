"""The stretches between the blanks of a corpus: each distinct one once, and where they stand.

In: a Corpus. Out: `CorpusWords`. A word here is what stands between two blanks (U+0020): most models cut it by itself.
Parts of the corpus have tables of their own, side by side; these are joined in the order of the parts, so the words
stand in order of first appearance whatever the number of threads.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.corpus import Corpus, taken
from engine.kernels.distinct_words import count_chunks, enter_chunks, renumber
from engine.shards import N_SHARDS, Checkpoint, Workers, bounds_by_weight, portion, turns
from engine.unit_tables import WordTable

Longs = NDArray[np.int64]

_SLICE = 1 << 19  # bytes of texts, or of words to be joined, handed to a kernel at once


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

    def enter(shard: int, checkpoint: Checkpoint) -> WordTable:
        table = WordTable()
        for first, stop in turns(corpus.offsets, bounds, shard, _SLICE, checkpoint):
            _enter(table, corpus, text_offsets, occurrences, first, stop)
        return table

    tables = yield from portion(workers.run(enter, N_SHARDS), 0.05, 0.85)
    joined, numbers = WordTable(), []
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
        for first, stop in turns(corpus.offsets, bounds, shard, _SLICE, checkpoint):
            count_chunks(corpus.utf8, corpus.offsets, first, stop, n_chunks)

    yield from workers.run(count, N_SHARDS)
    text_offsets = np.concatenate(([0], np.cumsum(n_chunks)))
    text_offsets.setflags(write=False)
    return text_offsets


def _enter(
    table: WordTable, corpus: Corpus, text_offsets: Longs, occurrences: NDArray[np.int32], first: int, stop: int
) -> None:
    """Enter the words of some texts into a table, and write their numbers."""
    while first < stop:
        first, table.n = enter_chunks(
            corpus.utf8, corpus.offsets, first, stop, corpus.counts, text_offsets, *table.arrays(), occurrences
        )
        if first < stop:
            n_words, n_bytes = text_offsets[first + 1] - text_offsets[first], corpus.offsets[first : first + 2]
            table.make_room(int(n_words), int(n_bytes[1] - n_bytes[0]))
