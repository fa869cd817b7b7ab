"""Many short texts as two flat arrays: a million of them are no million strings.

In: texts, or code points with offsets. Out: a sequence that makes a string only when one is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np

_SELECTED_AT_ONCE = 4096
_IN_WORD, _BITS = 3, 21  # code points, and the bits of each, in a number of 64


class FlatTexts(Sequence[str]):
    """Many short texts as flat arrays: code_points int32[n_characters] and offsets int64[n + 1].

    >>> texts = FlatTexts.from_texts(["ab", "c"])
    >>> len(texts), texts[0], list(texts)
    (2, 'ab', ['ab', 'c'])
    """

    def __init__(self, code_points: np.ndarray, offsets: np.ndarray) -> None:
        self.code_points = code_points
        self.offsets = offsets
        code_points.setflags(write=False)
        offsets.setflags(write=False)

    @classmethod
    def from_texts(cls, texts: Sequence[str]) -> FlatTexts:
        """Flatten `texts`."""
        offsets = np.zeros(len(texts) + 1, dtype=np.int64)
        np.cumsum([len(text) for text in texts], out=offsets[1:])
        return cls(to_code_points("".join(texts)), offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, i: int) -> str: ...
    @overload
    def __getitem__(self, i: slice) -> list[str]: ...
    def __getitem__(self, i: int | slice) -> str | list[str]:
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        if i < 0:
            i += len(self)
        if not 0 <= i < len(self):
            raise IndexError(i)
        return to_text(self.code_points[self.offsets[i] : self.offsets[i + 1]])

    def __iter__(self) -> Iterator[str]:
        return (self[i] for i in range(len(self)))

    def select(self, places: np.ndarray) -> list[str]:
        """Return the texts at `places`, int[k]; for many this is much faster than one after the other.

        >>> FlatTexts.from_texts(["ab", "c", "d"]).select(np.array([2, 0]))
        ['d', 'ab']
        """
        found: list[str] = []
        for start in range(0, len(places), _SELECTED_AT_ONCE):  # to decode millions of characters holds the interpreter
            found += self._selected(places[start : start + _SELECTED_AT_ONCE])
        return found

    def _selected(self, places: np.ndarray) -> list[str]:
        first, lengths = self.offsets[places], self.offsets[places + 1] - self.offsets[places]
        ends = np.cumsum(lengths)
        characters = np.repeat(first - (ends - lengths), lengths) + np.arange(lengths.sum())
        whole = to_text(self.code_points[characters])
        return [whole[end - length : end] for end, length in zip(ends.tolist(), lengths.tolist(), strict=True)]

    def ranks(self, places: np.ndarray) -> np.ndarray:
        """Return which place each of these texts has among them in the order of code points, int64[k].

        Compared are whole numbers of three code points each, so no string is made and no other thread waits.

        >>> FlatTexts.from_texts(["b", "a", "ab"]).ranks(np.array([0, 1, 2])).tolist()
        [2, 0, 1]
        """
        first, last = self.offsets[places], self.offsets[places + 1]
        longest = int((last - first).max(initial=0))
        words = [self._word(first, last, i) for i in range(0, longest, _IN_WORD)]
        order = np.lexsort(words[::-1]) if words else np.arange(len(places))
        found = np.empty(len(places), dtype=np.int64)
        found[order] = np.arange(len(places))
        return found

    def _word(self, first: np.ndarray, last: np.ndarray, i: int) -> np.ndarray:
        """Return code points i to i + 2 of each text as one number, zero behind its end."""
        word = np.zeros(len(first), dtype=np.int64)
        for k in range(i, i + _IN_WORD):
            is_there = first + k < last
            word <<= _BITS
            word[is_there] |= self.code_points[first[is_there] + k] + 1
        return word


def to_code_points(text: str) -> np.ndarray:
    """Return the code points of `text`, int32[n]."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.int32)


def to_text(code_points: np.ndarray) -> str:
    """Return the text of code points, int32[n]."""
    return code_points.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
