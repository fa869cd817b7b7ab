"""Many short texts as two flat arrays: a million of them are no million strings.

In: texts, or code points with offsets. Out: a sequence that makes a string only when one is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np


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


def to_code_points(text: str) -> np.ndarray:
    """Return the code points of `text`, int32[n]."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.int32)


def to_text(code_points: np.ndarray) -> str:
    """Return the text of code points, int32[n]."""
    return code_points.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
