"""The vocabulary as a table: a piece's text, its log probability and its type; the row is the ID.

In: rows in the order of their IDs. Out: a `PieceTable` that has been checked once and never changes, so that
nothing behind it has to check again. It does not know how texts are matched (`trie`) or read from files.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from engine.errors import ModelFileError
from engine.values import Value

UNKNOWN_PENALTY = 10.0
"""An unknown character scores this much below the least probable piece, in nats (SentencePiece's kUnkPenalty)."""

USER_DEFINED_BONUS = 0.1
"""What each byte of a user-defined piece beyond the first adds to its score, in nats."""

LARGEST_SCORE = float(np.finfo(np.float32).max)
"""No piece scores further from 0, in nats: a `.model` holds scores as float32."""


class PieceType(IntEnum):
    """What a piece stands for, numbered as in SentencePiece's ModelProto."""

    NORMAL = 1
    UNKNOWN = 2
    CONTROL = 3
    USER_DEFINED = 4
    UNUSED = 5
    BYTE = 6


# Two pieces may share a text when they are looked up differently: "<s>" typed in a text is no control piece.
_MATCHED_IN_TEXT = (PieceType.NORMAL, PieceType.USER_DEFINED, PieceType.UNUSED)
BYTE_TEXTS = tuple(f"<0x{value:02X}>" for value in range(256))
"""The names of the byte pieces."""


@dataclass(frozen=True, eq=False)
class PieceTable(Value):
    """All pieces of a model; index = ID.

    Parameters
    ----------
    texts : tuple of str
        The pieces as they stand in normalized text, the space as U+2581.
    log_probs : float64[n]
        Scores in nats; float32 values are widened.
    types : int8[n]
        `PieceType` of each piece.

    Raises
    ------
    ModelFileError
        An empty piece, a duplicate, no or two UNKNOWN pieces, an incomplete set of bytes, or a score
        beyond `LARGEST_SCORE`.

    Examples
    --------
    >>> table = PieceTable.from_rows([("<unk>", 0.0, PieceType.UNKNOWN), ("ab", -1.5, PieceType.NORMAL)])
    >>> len(table), table.id_of("ab"), table.id_of("a"), table.unknown_id
    (2, 1, None, 0)
    """

    texts: tuple[str, ...]
    log_probs: NDArray[np.float64]
    types: NDArray[np.int8]

    def __post_init__(self) -> None:
        for name, dtype in (("log_probs", np.float64), ("types", np.int8)):
            values = np.array(getattr(self, name), dtype=dtype)
            values.setflags(write=False)
            object.__setattr__(self, name, values)
        _check(self)

    @classmethod
    def from_rows(cls, rows: Iterable[tuple[str, float, int]]) -> PieceTable:
        """Make a table of (text, log probability, type) rows in the order of their IDs."""
        listed = list(rows)
        return cls(
            tuple(text for text, _, _ in listed),
            np.array([log_prob for _, log_prob, _ in listed], dtype=np.float64),
            np.array([piece_type for _, _, piece_type in listed], dtype=np.int8),
        )

    def __len__(self) -> int:
        return len(self.texts)

    def id_of(self, text: str) -> int | None:
        """Return the ID of a piece; a control, unknown or byte piece comes before a normal one of the same text."""
        return self._ids.get(text)

    @cached_property
    def _ids(self) -> dict[str, int]:
        ids = {text: i for i, text in enumerate(self.texts)}
        ids.update((self.texts[i], i) for i in np.flatnonzero(~self.is_matched).tolist())
        return ids

    @cached_property
    def is_matched(self) -> NDArray[np.bool_]:
        """bool[n]: pieces whose text is a text's own (normal, user-defined, unused), not a symbol's name."""
        return np.isin(self.types, _MATCHED_IN_TEXT)

    @cached_property
    def unknown_id(self) -> int:
        """The ID of the one UNKNOWN piece."""
        return int(np.flatnonzero(self.types == PieceType.UNKNOWN)[0])

    @cached_property
    def byte_ids(self) -> NDArray[np.int32] | None:
        """int32[256]: the ID of each byte's piece, or None where the table has no bytes."""
        if not np.any(self.types == PieceType.BYTE):
            return None
        ids = np.array([self._ids[text] for text in BYTE_TEXTS], dtype=np.int32)
        ids.setflags(write=False)
        return ids

    @cached_property
    def edge_ids(self) -> NDArray[np.int32]:
        """int32[m]: the pieces that a text is matched with, in order of ID (normal and user-defined)."""
        return np.flatnonzero(np.isin(self.types, (PieceType.NORMAL, PieceType.USER_DEFINED))).astype(np.int32)

    def edge_log_probs(self, dtype: DTypeLike = np.float64) -> NDArray[np.floating[Any]]:
        """Return what each piece scores as an edge of a lattice, dtype[n] in nats.

        A normal piece scores its log probability. The row of the unknown piece is the score of one unknown
        character: the lowest normal score less 10. A user-defined piece of b bytes scores 0.1 (b - 1), whatever
        the table says, so that it wins against any pieces of negative score (measured with SentencePiece 0.2.3;
        in 0.2.1 it was -0.1).
        """
        scores = self.log_probs.astype(dtype)
        normal = scores[self.types == PieceType.NORMAL]
        lowest = normal.min() if len(normal) else scores.dtype.type(0)
        scores[self.unknown_id] = lowest - scores.dtype.type(UNKNOWN_PENALTY)
        for i in np.flatnonzero(self.types == PieceType.USER_DEFINED).tolist():
            scores[i] = USER_DEFINED_BONUS * len(self.texts[i].encode()) - USER_DEFINED_BONUS
        scores.setflags(write=False)
        return scores


def _check(table: PieceTable) -> None:
    if not len(table.texts) == len(table.log_probs) == len(table.types):
        raise ModelFileError("The lists of pieces, scores and types differ in length; the model is damaged.")
    _check_types(table)
    _check_scores(table)
    _check_texts(table)
    _check_bytes(table)


def _check_types(table: PieceTable) -> None:
    strange = np.flatnonzero(~np.isin(table.types, [int(kind) for kind in PieceType]))
    if len(strange):
        row = int(strange[0])
        raise ModelFileError(f"Piece {row} has the type {table.types[row]}; the types known here are 1 to 6.")
    n_unknown = int(np.count_nonzero(table.types == PieceType.UNKNOWN))
    if n_unknown != 1:
        raise ModelFileError(f"The vocabulary has {n_unknown} unknown pieces; a model needs exactly one.")


def _check_scores(table: PieceTable) -> None:
    strange = np.flatnonzero(~(np.abs(table.log_probs) <= LARGEST_SCORE))  # so that nan is strange too
    if len(strange):
        row = int(strange[0])
        raise ModelFileError(
            f"Piece {row} ({table.texts[row]!r}) has the score {table.log_probs[row]}; give it a finite number that "
            "32 bits can hold, from -3.4e38 to 3.4e38."
        )


def _check_texts(table: PieceTable) -> None:
    try:
        "".join(table.texts).encode()
    except UnicodeEncodeError as error:
        raise ModelFileError("A piece holds a lone surrogate, which is no character.") from error
    seen: tuple[dict[str, int], dict[str, int]] = ({}, {})
    for row, (text, matched) in enumerate(zip(table.texts, table.is_matched.tolist(), strict=True)):
        if not text:
            raise ModelFileError(f"Piece {row} is empty; every piece needs at least one character.")
        first = seen[matched].setdefault(text, row)
        if first != row:
            raise ModelFileError(f"Piece {text!r} stands twice in the vocabulary, as IDs {first} and {row}.")


def _check_bytes(table: PieceTable) -> None:
    found = {table.texts[i] for i in np.flatnonzero(table.types == PieceType.BYTE)}
    if not found:
        return
    strange = sorted(found.difference(BYTE_TEXTS))
    if strange:
        raise ModelFileError(f"Byte piece {strange[0]!r} is not written as <0x00> to <0xFF>.")
    missing = sorted(set(BYTE_TEXTS).difference(found))
    if missing:
        raise ModelFileError(f"The byte piece {missing[0]} is missing; a model has all 256 byte pieces or none.")
