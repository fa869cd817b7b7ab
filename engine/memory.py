"""Room for remembering what words gave, one for each thread of one call.

Out: WordMemory, the arrays that `kernels.word_memory` writes, and WorkSpace, where one word is cut. Their size is
bounded whatever the text: a full memory forgets everything and begins anew.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.word_memory import LONGEST, MOST_ROOM, WORDS_AT_ONCE

_FEWEST_WORDS, _MOST_WORDS = 1 << 8, 1 << 18
_ROOM_PER_WORD = 8  # of eight bytes
_LONGEST_APART = 1 << 11
"""Characters of the longest word that is cut by itself, remembered or not."""


class WordMemory(NamedTuple):
    """A hash table of words.

    Attributes
    ----------
    table : uint32[m]
        In each slot some bits of a word's hash and, from 1, where its record lies; 0 in an empty one. m is a power of
        two.
    records, ints, doubles : uint64[k], int32[2k], float64[k]
        What is known of each word, see `kernels.word_memory`: the same memory.
    sizes : int64[2]
        How many words there are, and how much of `records` they take.
    """

    table: NDArray[np.uint32]
    records: NDArray[np.uint64]
    ints: NDArray[np.int32]
    doubles: NDArray[np.float64]
    sizes: NDArray[np.int64]

    @classmethod
    def for_bytes(cls, n_bytes: int, most_words: int = _MOST_WORDS) -> WordMemory:
        """Return an empty memory for a text of about `n_bytes`; `most_words` is a power of two.

        >>> len(WordMemory.for_bytes(100).table), len(WordMemory.for_bytes(10**9).table)
        (512, 524288)
        """
        n = min(most_words, max(_FEWEST_WORDS, 1 << (n_bytes // 16).bit_length()))
        records = np.empty(_ROOM_PER_WORD * n + MOST_ROOM, dtype=np.uint64)
        table, sizes = np.zeros(2 * n, dtype=np.uint32), np.zeros(2, dtype=np.int64)
        return cls(table, records, records.view(np.int32), records.view(np.float64), sizes)


class WorkSpace(NamedTuple):
    """Arrays in which one word after the other is cut.

    `keys` and `codes` uint64, `spans` int64: what is known of the words that were read ahead. `code_points` int32 and
    `letters` uint32: a word's characters. `first`, `second` float64, `back` int64: what is known of the best paths to
    each place. `edges` int32.
    """

    keys: NDArray[np.uint64]
    codes: NDArray[np.uint64]
    spans: NDArray[np.int64]
    code_points: NDArray[np.int32]
    letters: NDArray[np.uint32]
    first: NDArray[np.float64]
    second: NDArray[np.float64]
    back: NDArray[np.int64]
    edges: NDArray[np.int32]

    @classmethod
    def new(cls) -> WorkSpace:
        """Return a work space."""
        n = _LONGEST_APART
        return cls(
            np.empty(LONGEST // 8 * WORDS_AT_ONCE, dtype=np.uint64), np.empty(WORDS_AT_ONCE + 1, dtype=np.uint64),
            np.empty(2 * WORDS_AT_ONCE, dtype=np.int64),
            np.empty(n, dtype=np.int32), np.empty(n, dtype=np.uint32),
            np.empty(n + 1), np.empty(n + 1), np.empty(n + 1, dtype=np.int64), np.empty(4 * n, dtype=np.int32),
        )  # fmt: skip
