"""Where the arrays of a history lie: in memory up to a budget, beyond it in a file that goes with the last of them.

In: arrays as training records them. Out: the same values, read-only, in memory or mapped from a temporary file.
"""

from __future__ import annotations

import tempfile

import numpy as np

from engine.history import compact

MEMORY = 256 << 20
"""Bytes of a run's history that are held in memory."""

LARGEST = 2 << 30
"""Bytes that may lie in the file besides; beyond it counts and probabilities are not kept (nan)."""


class HistoryStore:
    """The arrays of one run."""

    def __init__(self, memory: int = MEMORY, largest: int = LARGEST) -> None:
        self._memory, self._largest = memory, largest
        self.in_memory = self.on_disk = 0

    def reserve(self, n_bytes: int) -> None:
        """Count what a history holds besides, and always in memory: the texts of its candidates."""
        self.in_memory += n_bytes

    def numbers(self, values: np.ndarray) -> np.ndarray:
        """Keep figures of pieces, as `history.compact` does."""
        return self.hold(compact(values))

    def hold(self, values: np.ndarray) -> np.ndarray:
        """Keep an array as it is.

        >>> store = HistoryStore(memory=16)
        >>> [type(store.hold(np.zeros(2))).__name__ for _ in range(2)]
        ['ndarray', 'memmap']
        """
        if self.in_memory + values.nbytes <= self._memory:
            self.in_memory += values.nbytes
            return values
        if not values.nbytes or self.on_disk + values.nbytes > self._largest:
            return values if values.dtype.kind != "f" else _nothing(len(values), values.dtype)
        self.on_disk += values.nbytes
        return _on_disk(values)


def _on_disk(values: np.ndarray) -> np.ndarray:
    """Write an array to a file without a name: it is gone when nobody maps it any more."""
    with tempfile.TemporaryFile(prefix="unigram-history-") as file:
        mapped: np.ndarray = np.memmap(file, dtype=values.dtype, mode="w+", shape=values.shape)
        mapped[:] = values
    mapped.setflags(write=False)
    return mapped


def _nothing(n: int, dtype: np.dtype) -> np.ndarray:
    """Return n times nan, which take no room."""
    return np.broadcast_to(np.array(np.nan, dtype=dtype), n)
