"""Room for remembering what words gave, one for each thread of one call.

Out: WordMemory, the arrays that `kernels.word_memory` writes, and WorkSpace, where one word is cut. Their size is
bounded whatever the text: a full memory forgets everything and begins anew.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.word_memory import LONGEST, MOST_EDGES, MOST_ROOM

_FEWEST_WORDS, _MOST_WORDS = 1 << 8, 1 << 18
_ROOM_PER_WORD = 24  # int32s


class WordMemory(NamedTuple):
    """A hash table of words.

    Attributes
    ----------
    table : int32[m]
        Where the record of the word in each slot lies, -1 in an empty one; m is a power of two.
    records : int32[k]
        What is known of each word, see `kernels.word_memory`.
    doubles, bytes : float64, uint8
        The same memory.
    sizes : int64[2]
        How many words there are, and how much of `records` they take.
    """

    table: NDArray[np.int32]
    records: NDArray[np.int32]
    doubles: NDArray[np.float64]
    bytes: NDArray[np.uint8]
    sizes: NDArray[np.int64]

    @classmethod
    def for_bytes(cls, n_bytes: int) -> WordMemory:
        """Return an empty memory for a text of about `n_bytes`.

        >>> len(WordMemory.for_bytes(100).table), len(WordMemory.for_bytes(10**9).table)
        (512, 524288)
        """
        n = min(_MOST_WORDS, max(_FEWEST_WORDS, 1 << (n_bytes // 16).bit_length()))
        doubles = np.empty((_ROOM_PER_WORD * n + MOST_ROOM) // 2 + 1)
        records, all_bytes = doubles.view(np.int32), doubles.view(np.uint8)
        return cls(np.full(2 * n, -1, dtype=np.int32), records, doubles, all_bytes, np.zeros(2, dtype=np.int64))


class WorkSpace(NamedTuple):
    """Arrays in which one word after the other is cut: code points, sums and back pointers by place, edges, tokens."""

    code_points: NDArray[np.int32]
    first: NDArray[np.float64]
    second: NDArray[np.float64]
    best_start: NDArray[np.int32]
    best_piece: NDArray[np.int32]
    edges: NDArray[np.int32]
    starts: NDArray[np.int32]
    tokens: NDArray[np.int32]
    pending: NDArray[np.int64]

    @classmethod
    def new(cls) -> WorkSpace:
        """Return a work space."""
        n = MOST_EDGES + 1

        def numbers() -> NDArray[np.int32]:
            return np.empty(n, dtype=np.int32)

        return cls(
            np.empty(MOST_EDGES, dtype=np.int32), np.empty(n), np.empty(n),
            numbers(), numbers(), numbers(), numbers(), numbers(), np.empty(16 * LONGEST, dtype=np.int64),
        )  # fmt: skip
