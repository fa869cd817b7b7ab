"""Growing hash tables of units and of words; the kernels fill them and stop where the next text might not fit.

In: nothing, or more room. Out: arrays that kernels write to. Used by `words`, `sentences` and `comparison.words`.
"""

from __future__ import annotations

import numpy as np

from engine.flat_texts import FlatTexts
from engine.kernels import count_units as kernels
from engine.kernels.distinct_words import fill_slots, join_part, join_words, part_of_words
from engine.shards import Checkpoint, slices

_SLICE = 1 << 19  # code points handed to a kernel at once
_FIRST_WORDS = 1 << 15


class UnitTable:
    """A growing hash table of units."""

    def __init__(self, n_characters: int = 1 << 16, n_units: int = 1 << 13) -> None:
        self.n = 0
        self.table = np.full(2 * n_units, -1, dtype=np.int32)
        self.offsets = np.zeros(n_units + 1, dtype=np.int64)
        self.counts = np.zeros(n_units, dtype=np.int64)
        self.code_points = np.empty(n_characters, dtype=np.int32)

    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return what the kernels write to, in the order of their parameters."""
        return self.table, self.code_points, self.offsets, self.counts

    def grow(self, length: int) -> None:
        """Make room for a text of `length` characters, at least doubling what is full."""
        used = int(self.offsets[self.n])
        if used + length + 1 > len(self.code_points):
            self.code_points = _longer(self.code_points, used + length + 1)
        if 2 * (self.n + length + 1) > len(self.table) or self.n + length + 1 >= len(self.offsets):
            n_units = 1 << int(max(2 * len(self.counts), self.n + length + 2) - 1).bit_length()
            self.offsets, self.counts = _longer(self.offsets, n_units + 1), _longer(self.counts, n_units)
            self.table = np.full(2 * n_units, -1, dtype=np.int32)
            kernels.rebuild_table(self.table, self.code_points, self.offsets, self.n)

    def enter(self, texts: FlatTexts, counts: np.ndarray, flags: np.ndarray, checkpoint: Checkpoint) -> None:
        """Enter `texts` with their counts, cut at the characters whose flag is NEVER."""
        self.enter_part(texts, counts, parts_of(texts, flags, 1), flags, 0, 1, checkpoint)

    def enter_part(
        self,
        texts: FlatTexts,
        counts: np.ndarray,
        parts: np.ndarray,
        flags: np.ndarray,
        part: int,
        n_parts: int,
        checkpoint: Checkpoint,
    ) -> None:
        """Enter, of texts that fall into parts as `parts_of` says, those of one, cut as `enter` cuts them."""
        for start, stop in slices(texts.offsets, 0, len(counts), _SLICE):
            checkpoint(start / len(counts))
            while start < stop:
                start, self.n = kernels.enter_part(
                    texts.code_points, texts.offsets, counts, parts, start, stop, flags, part, n_parts,
                    self.n, *self.arrays(),
                )  # fmt: skip
                if start < stop:
                    self.grow(int(texts.offsets[start + 1] - texts.offsets[start]))

    def used(self) -> tuple[FlatTexts, np.ndarray]:
        """Return the units and their counts, without the room to grow, as long as nothing else is entered."""
        offsets = self.offsets[: self.n + 1]
        return FlatTexts(self.code_points[: offsets[-1]], offsets), self.counts[: self.n]


def parts_of(texts: FlatTexts, flags: np.ndarray, n_parts: int) -> np.ndarray:
    """Return which of `n_parts` parts each text is in, by its characters alone; uint8[n], see `part_of_units`."""
    parts = np.empty(len(texts), dtype=np.uint8)
    kernels.part_of_units(texts.code_points, texts.offsets, 0, len(texts), flags, n_parts, parts)
    return parts


def concatenated(tables: list[UnitTable]) -> tuple[FlatTexts, np.ndarray]:
    """Return the units of tables that have none in common, one table after the other, and their counts."""
    used = [table.used() for table in tables]
    counts = np.concatenate([counts for _, counts in used])
    counts.setflags(write=False)
    code_points = np.concatenate([texts.code_points for texts, _ in used])
    begins = np.cumsum([0, *(len(texts.code_points) for texts, _ in used)])
    offsets = [texts.offsets[:-1] + begin for (texts, _), begin in zip(used, begins, strict=False)]
    return FlatTexts(code_points, np.concatenate([*offsets, begins[-1:]])), counts


class WordTable:
    """A growing hash table of words: what stands between blanks; see `engine.kernels.distinct_words`."""

    def __init__(self) -> None:
        self.n = 0
        self.pool = np.empty(8 * _FIRST_WORDS, dtype=np.uint8)
        self.offsets, self.totals = np.zeros(_FIRST_WORDS + 1, np.int64), np.zeros(_FIRST_WORDS, np.int64)
        self._slots = np.full(2 * _FIRST_WORDS, -1, dtype=np.int64)

    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, int]:
        """Return what the kernels write to, in the order of their parameters, and how many words there are."""
        return self._slots, self.pool, self.offsets, self.totals, self.n

    def make_room(self, n_words: int, n_bytes: int) -> None:
        """Have room for so many more words of so many bytes together."""
        self.pool = _longer(self.pool, int(self.offsets[self.n]) + n_bytes)
        if self.n + n_words > len(self.totals):
            size = len(self.totals)
            while size < self.n + n_words:
                size *= 2
            self.totals, self.offsets = _longer(self.totals, size), _longer(self.offsets, size + 1)
            self._slots = np.full(2 * size, -1, dtype=np.int64)
            fill_slots(self._slots, self.pool, self.offsets, self.n)

    def join(self, other: WordTable) -> np.ndarray:
        """Enter the words of another table; return the number that each has here, int32[other.n]."""
        self.make_room(other.n, int(other.offsets[other.n]))
        numbers = np.empty(other.n, dtype=np.int32)
        self.n = join_words(other.pool, other.offsets, other.totals, *self.arrays(), numbers)
        return numbers

    def parts(self, n_parts: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the part that each word is in, uint8[n], by its text alone, and words and bytes, int64[n_parts, 2]."""
        parts, sizes = np.empty(self.n, dtype=np.uint8), np.zeros((n_parts, 2), dtype=np.int64)
        part_of_words(self.pool, self.offsets, self.n, n_parts, parts, sizes)
        return parts, sizes

    def join_part(self, other: WordTable, parts: np.ndarray, sizes: np.ndarray, part: int) -> None:
        """Enter the words of another table that are in a part; the arrays are those of its `parts`."""
        self.make_room(*sizes[part].tolist())
        self.n = join_part(other.pool, other.offsets, other.totals, parts, part, *self.arrays())


def _longer(array: np.ndarray, size: int) -> np.ndarray:
    """Return an array of at least `size` that begins with this one."""
    if size <= len(array):
        return array
    longer = np.empty(max(size, 2 * len(array)), dtype=array.dtype)
    longer[: len(array)] = array
    return longer
