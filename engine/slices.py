"""Cut long work into slices between which somebody may cancel it."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from engine.errors import Cancelled

EDGES_PER_SLICE = 1 << 19
"""Lattice edges that any kernel passes over in well under 50 ms."""

CHARACTERS_PER_SLICE = 1 << 16
"""Characters from which a kernel walks a trie in well under 50 ms."""


def slices(n: int, size: int, cancel: threading.Event | None = None) -> Iterator[tuple[int, int]]:
    """Yield (first, stop) over 0..n in steps of `size`; raise Cancelled once the token is set.

    >>> list(slices(5, 2))
    [(0, 2), (2, 4), (4, 5)]
    """
    for first in range(0, n, size):
        if cancel is not None and cancel.is_set():
            raise Cancelled
        yield first, min(first + size, n)
