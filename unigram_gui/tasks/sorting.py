"""The order of a large table, found on a worker: a million rows take longer than a person should wait for a window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unigram_gui.tasks.control import TaskControl

# A text's first bytes as whole numbers sort ten times as fast as strings, and without holding the interpreter.
WORD_BYTES, STRING_WORDS = 8, 4


Keys = npt.NDArray[np.generic]


@dataclass(frozen=True, eq=False)
class SortRequest:
    """Sort the rows of a table by one of its columns; equal keys keep their order.

    Attributes
    ----------
    values : what the rows are of; an order of other values is of no use to a table
    column, descending : the wish
    keys : called on the worker: one key for each row
    """

    values: object
    column: int
    descending: bool
    keys: Callable[[], Keys]

    def __call__(self, control: TaskControl) -> SortedRows:
        keys = self.keys()
        control.check()
        return SortedRows(self, keys, stable_order(keys, descending=self.descending))


@dataclass(frozen=True, eq=False)
class SortedRows:
    """All rows in their order, and the keys that it is by."""

    request: SortRequest
    keys: Keys
    order: npt.NDArray[np.int64]


def stable_order(keys: Keys, *, descending: bool) -> npt.NDArray[np.int64]:
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


def text_ranks(utf8: npt.NDArray[np.uint8], offsets: npt.NDArray[np.int64], words: int = 3) -> npt.NDArray[np.int64]:
    """Return the place of each text in the order of code points, which is the order of their UTF-8 bytes.

    Text i is bytes offsets[i] to offsets[i + 1]; looked at are its first 8 x `words`. Alike so far, texts keep order.

    >>> text_ranks(np.frombuffer("béaab".encode(), np.uint8), np.array([0, 1, 3, 4, 6])).tolist()
    [2, 3, 0, 1]
    """
    order = np.lexsort([_word(utf8, offsets, i) for i in reversed(range(words))])
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order))
    return ranks


def string_ranks(texts: Sequence[str]) -> npt.NDArray[np.int64]:
    """Return the place of each string in the order of code points, by the first 32 bytes.

    >>> string_ranks(["b", "é", "a", "ab"]).tolist()
    [2, 3, 0, 1]
    """
    data = bytearray()
    offsets = np.zeros(len(texts) + 1, dtype=np.int64)
    for i, text in enumerate(texts):  # one by one: a single call for all would hold the interpreter
        data += text[: 8 * STRING_WORDS].encode("utf-8", "surrogatepass")
        offsets[i + 1] = len(data)
    return text_ranks(np.frombuffer(data, dtype=np.uint8), offsets, STRING_WORDS)


def _word(utf8: npt.NDArray[np.uint8], offsets: npt.NDArray[np.int64], word: int) -> npt.NDArray[np.uint64]:
    """Return bytes 8 x word to 8 x word + 7 of each text as one number, zeros behind its end."""
    key = np.zeros(len(offsets) - 1, dtype=np.uint64)
    for i in range(word * WORD_BYTES, (word + 1) * WORD_BYTES):
        place = offsets[:-1] + i
        inside = place < offsets[1:]
        byte = np.zeros(len(key), dtype=np.uint64)
        byte[inside] = utf8[place[inside]]
        key = (key << np.uint64(8)) | byte
    return key
