"""Which columns the tokens, bytes and characters of a decoding span.

In: a `Decoding`. Out: columns. A column is a byte; a token without bytes (a control piece) takes one for itself.
Pure arithmetic, no Qt.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from engine.byte_fallback import Decoding

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class DecodeColumns:
    """Half-open column ranges by token, the column of every byte, ranges by character."""

    token_start: Ints
    token_end: Ints
    byte: Ints
    character_start: Ints
    character_end: Ints
    n_columns: int


def decode_columns(decoding: Decoding) -> DecodeColumns:
    """Give every token as many columns as it has bytes, at least one."""
    n_bytes = np.bincount(decoding.byte_tokens, minlength=len(decoding.ids)).astype(np.int64)
    ends = np.cumsum(np.maximum(n_bytes, 1))
    starts = ends - np.maximum(n_bytes, 1)
    first_byte = np.cumsum(n_bytes) - n_bytes
    byte = np.arange(len(decoding.byte_values)) - first_byte[decoding.byte_tokens] + starts[decoding.byte_tokens]
    first = np.array([character.first_byte for character in decoding.characters], dtype=np.int64)
    count = np.array([character.n_bytes for character in decoding.characters], dtype=np.int64)
    return DecodeColumns(
        token_start=starts,
        token_end=ends,
        byte=byte,
        character_start=byte[first],
        character_end=byte[first + count - 1] + 1,
        n_columns=int(ends[-1]) if len(ends) else 0,
    )


def prefix_length(role_name: str) -> int:
    """How many of a byte's bits say what it is, and not which character.

    >>> prefix_length("LEAD_OF_3"), prefix_length("CONTINUATION"), prefix_length("ASCII")
    (4, 2, 0)
    """
    if role_name.startswith("LEAD_OF_"):
        return int(role_name[-1]) + 1
    return 2 if role_name == "CONTINUATION" else 0


def code_point_bits(code_point: int) -> str:
    """The bits of a code point in groups of four, at least sixteen.

    >>> code_point_bits(0x4F60)
    '0100 1111 0110 0000'
    """
    digits = f"{code_point:016b}"
    digits = digits.zfill(-4 * (-len(digits) // 4))
    return " ".join(digits[i : i + 4] for i in range(0, len(digits), 4))
