"""Which rows of a table hold a typed text. Runs on a worker in slices, so that a million rows are no matter.

ASCII letters match in either case; all others match exactly.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.corpus import Corpus
from unigram_gui.tasks.control import TaskControl

SLICE_BYTES = 1 << 17  # searched in some milliseconds, during which nobody else has the interpreter
SLICE_ROWS = 4096

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class FilterCorpusRequest:
    """Find the texts of a corpus that contain `needle`."""

    corpus: Corpus
    needle: str

    def __call__(self, control: TaskControl) -> Rows:
        pattern = re.compile(re.escape(self.needle.encode("utf-8")), re.IGNORECASE)
        rows: list[int] = []
        offsets = self.corpus.offsets
        first = 0
        while first < len(self.corpus):
            control.check()
            last = max(first + 1, int(np.searchsorted(offsets, offsets[first] + SLICE_BYTES, "right")) - 1)
            rows += self._rows_of_slice(pattern, first, last)
            first = last
        return np.array(rows, dtype=np.int64)

    def _rows_of_slice(self, pattern: re.Pattern[bytes], first: int, last: int) -> list[int]:
        """Search the bytes of texts `first` to `last` at once; after a hit, go on at the next text."""
        offsets = self.corpus.offsets[first : last + 1]
        start = int(offsets[0])
        haystack = self.corpus.utf8[start : int(offsets[-1])].tobytes()
        rows, position = [], 0
        while match := pattern.search(haystack, position):
            row = int(np.searchsorted(offsets, start + match.start(), "right")) - 1
            end = int(offsets[row + 1]) - start
            if match.end() <= end:
                rows.append(first + row)
                position = end
            else:  # the match runs over into the next text
                position = match.start() + 1
        return rows


@dataclass(frozen=True, eq=False)
class FilterPiecesRequest:
    """Find the pieces that contain `needle`; a typed space means the space marker."""

    texts: Sequence[str]
    needle: str

    def __call__(self, control: TaskControl) -> Rows:
        needle = self.needle.replace(" ", "▁").replace("␣", "▁").lower()
        rows: list[int] = []
        for first in range(0, len(self.texts), SLICE_ROWS):
            control.check()
            part = self.texts[first : first + SLICE_ROWS]
            rows += [first + i for i, text in enumerate(part) if needle in text.lower()]
        return np.array(rows, dtype=np.int64)
