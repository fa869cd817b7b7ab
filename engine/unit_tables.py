"""Growing hash tables of units and of words; the kernels fill them and stop where the next text might not fit.

In: nothing, or more room. Out: arrays that the kernels of `count_units` write to. Used by `words` and `sentences`.
"""

from __future__ import annotations

import numpy as np

from engine.flat_texts import FlatTexts
from engine.kernels import count_units as kernels
from engine.shards import Checkpoint, slices

_SLICE = 1 << 19  # code points handed to a kernel at once


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
            self.code_points = np.resize(self.code_points, max(2 * len(self.code_points), used + length + 1))
        if 2 * (self.n + length + 1) > len(self.table) or self.n + length + 1 >= len(self.offsets):
            n_units = 1 << int(max(2 * len(self.counts), self.n + length + 2) - 1).bit_length()
            self.offsets = np.resize(self.offsets, n_units + 1)
            self.counts = np.resize(self.counts, n_units)
            self.table = np.full(2 * n_units, -1, dtype=np.int32)
            kernels.rebuild_table(self.table, self.code_points, self.offsets, self.n)

    def enter(self, texts: FlatTexts, counts: np.ndarray, flags: np.ndarray, checkpoint: Checkpoint) -> None:
        """Enter `texts` with their counts, cut at the characters whose flag is NEVER."""
        for start, stop in slices(texts.offsets, 0, len(counts), _SLICE):
            checkpoint(start / len(counts))
            while start < stop:
                start, self.n = kernels.cut_units(
                    texts.code_points, texts.offsets, counts, start, stop, flags, self.n, *self.arrays()
                )
                if start < stop:
                    self.grow(int(texts.offsets[start + 1] - texts.offsets[start]))

    def frozen(self) -> tuple[FlatTexts, np.ndarray]:
        """Return the units and their counts, without the room to grow."""
        offsets = self.offsets[: self.n + 1].copy()
        counts = self.counts[: self.n].copy()
        counts.setflags(write=False)
        return FlatTexts(self.code_points[: offsets[-1]].copy(), offsets), counts


class WordTable:
    """A growing hash table of words, as places in the corpus."""

    def __init__(self, n_words: int = 1 << 10) -> None:
        self.n = 0
        self.table = np.full(2 * n_words, -1, dtype=np.int32)
        self.starts, self.counts = (np.empty(n_words, dtype=np.int64) for _ in range(2))
        self.sizes = np.empty(n_words, dtype=np.int32)

    def grow(self, utf8: np.ndarray, size: int) -> None:
        """Make room for the words of a text of `size` bytes, at least doubling."""
        n_words = 1 << int(max(2 * len(self.counts), self.n + size // 2 + 2) - 1).bit_length()
        self.starts, self.counts = np.resize(self.starts, n_words), np.resize(self.counts, n_words)
        self.sizes = np.resize(self.sizes, n_words)
        self.table = np.full(2 * n_words, -1, dtype=np.int32)
        kernels.rebuild_word_table(utf8, self.table, self.starts, self.sizes, self.n)
