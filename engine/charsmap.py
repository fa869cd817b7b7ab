"""A precompiled charsmap: SentencePiece's table of normalization rules, as it lies in a `.model`.

In: the blob. Out: the double array and the targets, ready for the kernel that walks them. Layout (builder.cc):
uint32 size of the double array in bytes, little endian; the darts-clone double array as uint32 units; then
NUL-terminated UTF-8 targets, which the values of the double array point into. It builds no tables.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.errors import ModelFileError

_HEADER = 4
_UNIT = 4


class Charsmap(NamedTuple):
    """units : uint32[m], the double array; targets : uint8[k], NUL-terminated texts. Both read-only."""

    units: NDArray[np.uint32]
    targets: NDArray[np.uint8]

    @classmethod
    def from_bytes(cls, blob: bytes) -> Charsmap:
        """Take a blob apart; an empty one has no rules. Raises ModelFileError for a damaged one.

        >>> len(Charsmap.from_bytes(b"").units)
        0
        """
        if not blob:
            return cls(np.frombuffer(b"", dtype=np.uint32), np.frombuffer(b"\0", dtype=np.uint8))
        size = int.from_bytes(blob[:_HEADER], "little")
        if len(blob) < _HEADER or size % _UNIT or size == 0 or _HEADER + size > len(blob):
            raise ModelFileError(
                f"The normalization table (precompiled_charsmap, {len(blob)} bytes) is damaged: "
                f"its trie cannot have {size} bytes."
            )
        units = np.frombuffer(blob, dtype="<u4", count=size // _UNIT, offset=_HEADER).astype(np.uint32)
        units.setflags(write=False)
        # One more NUL, so that a table which was cut short still ends.
        return cls(units, np.frombuffer(blob[_HEADER + size :] + b"\0", dtype=np.uint8))
