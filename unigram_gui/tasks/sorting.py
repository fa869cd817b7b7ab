"""The order of a large table, found on a worker: a million rows take longer than a person should wait for a window."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.corpus import Corpus
from unigram_gui.tasks.control import TaskControl

KEY_WORDS, WORD_BYTES = 3, 8  # a text's first bytes as whole numbers, which sort ten times as fast as strings


@dataclass(frozen=True, eq=False)
class SortRequest:
    """Sort rows by `keys`, or by the texts of `corpus` where there are none; equal keys keep their order."""

    column: int
    descending: bool
    corpus: Corpus
    keys: npt.NDArray[np.generic] | None

    def __call__(self, control: TaskControl) -> SortedRows:
        keys = text_ranks(self.corpus) if self.keys is None else self.keys
        control.check()
        return SortedRows(self, keys, stable_order(keys, descending=self.descending))


@dataclass(frozen=True, eq=False)
class SortedRows:
    """All rows in their order, and the keys that it is by."""

    request: SortRequest
    keys: npt.NDArray[np.generic]
    order: npt.NDArray[np.int64]


def stable_order(keys: npt.NDArray[np.generic], *, descending: bool) -> npt.NDArray[np.int64]:
    """Return the order that sorts `keys`; equal keys keep their order, NaN goes last either way.

    >>> stable_order(np.array([2.0, np.nan, 5.0, 2.0]), descending=True).tolist()
    [2, 0, 3, 1]
    """
    if not descending:
        return np.argsort(keys, kind="stable")
    if keys.dtype.kind == "f":
        return np.argsort(-keys.astype(np.float64), kind="stable")
    backwards = np.argsort(keys[::-1], kind="stable")[::-1]
    return len(keys) - 1 - backwards


def text_ranks(corpus: Corpus) -> npt.NDArray[np.int64]:
    """Return the place of each text in the order of code points, which is the order of their UTF-8 bytes.

    >>> text_ranks(Corpus.from_texts(["b", "é", "a", "ab"])).tolist()
    [2, 3, 0, 1]
    """
    order = np.lexsort([_word(corpus, i) for i in reversed(range(KEY_WORDS))])
    ranks = np.empty(len(corpus), dtype=np.int64)
    ranks[order] = np.arange(len(corpus))
    return ranks


def _word(corpus: Corpus, word: int) -> npt.NDArray[np.uint64]:
    """Return bytes 8 x word to 8 x word + 7 of each text as one number, zeros behind its end."""
    key = np.zeros(len(corpus), dtype=np.uint64)
    for i in range(word * WORD_BYTES, (word + 1) * WORD_BYTES):
        place = corpus.offsets[:-1] + i
        inside = place < corpus.offsets[1:]
        byte = np.zeros(len(corpus), dtype=np.uint64)
        byte[inside] = corpus.utf8[place[inside]]
        key = (key << np.uint64(8)) | byte
    return key
