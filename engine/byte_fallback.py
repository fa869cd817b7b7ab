"""From IDs back to text: pieces to bytes, runs of bytes to characters, with every step kept for the reader.

In: a piece table, the settings that decoding depends on, and IDs. Out: a `Decoding`: the tokens, their bytes
and what each byte is, the characters, the text. The rules are SentencePiece's (sentencepiece_processor.cc,
Decode): every byte that belongs to no well-formed character is one U+FFFD.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from engine.errors import TextError
from engine.normalizer import SPACE_MARKER
from engine.pieces import PieceTable, PieceType

REPLACEMENT = "\ufffd"
# As plain numbers, which compare ten times faster.
_UNKNOWN, _CONTROL, _BYTE = int(PieceType.UNKNOWN), int(PieceType.CONTROL), int(PieceType.BYTE)
_SMALLEST = {1: 0, 2: 0x80, 3: 0x800, 4: 0x10000}  # the smallest code point that needs so many bytes


class ByteRole(IntEnum):
    """What a byte is in the text; a lead carries the number of bytes of its character."""

    CONTINUATION = 0
    ASCII = 1
    LEAD_OF_2 = 2
    LEAD_OF_3 = 3
    LEAD_OF_4 = 4
    ILLEGAL = 5


@dataclass(frozen=True)
class DecodedCharacter:
    """One character of the decoded text (before a denormalizer).

    `text` is U+FFFD where `reason` says what is wrong with the byte: "no lead", "incomplete", "overlong",
    "surrogate", "out of range" or "never used" (a byte that occurs nowhere in UTF-8). `code_point` is None there.
    """

    text: str
    first_byte: int
    n_bytes: int
    code_point: int | None
    reason: str = ""


@dataclass(frozen=True, eq=False)
class Decoding:
    """How a list of IDs becomes a text.

    Attributes
    ----------
    ids : int32[t]; pieces : tuple of str; types : int8[t]
        The tokens.
    byte_values : uint8[b]; byte_tokens : int32[b]
        The bytes of all tokens in order, and the token each comes from. Control pieces have none.
    byte_roles : int8[b]
        `ByteRole`.
    byte_dropped : bool[b]
        Leading spaces that the dummy prefix or the removal of extra spaces put there: not in the text.
    characters : tuple of DecodedCharacter
        They cover all bytes that are not dropped.
    text : str
        The decoded text.
    is_denormalized : bool
        The model's denormalizer has changed the text: it is not the characters in a row.
    """

    ids: NDArray[np.int32]
    pieces: tuple[str, ...]
    types: NDArray[np.int8]
    byte_values: NDArray[np.uint8]
    byte_tokens: NDArray[np.int32]
    byte_roles: NDArray[np.int8]
    byte_dropped: NDArray[np.bool_]
    characters: tuple[DecodedCharacter, ...]
    text: str
    is_denormalized: bool = False


@dataclass(frozen=True)
class DecodeRules:
    """What decoding depends on beside the vocabulary."""

    strips_prefix: bool
    strips_all_leading: bool
    unk_surface: str


def decode_bytes(data: bytes, offset: int = 0) -> Iterator[DecodedCharacter]:
    r"""Yield the characters of a run of bytes; a byte that belongs to none is one U+FFFD.

    >>> [(c.text, c.reason) for c in decode_bytes(b"a\x9f")]
    [('a', ''), ('�', 'no lead')]
    """
    at = 0
    while at < len(data):
        length = _length_of(data[at])
        reason = _fault(data[at : at + max(length, 1)], length)
        if reason:
            yield DecodedCharacter(REPLACEMENT, offset + at, 1, None, reason)
            at += 1
        else:
            text = data[at : at + length].decode()
            yield DecodedCharacter(text, offset + at, length, ord(text))
            at += length


def _length_of(lead: int) -> int:
    """Return how many bytes the lead announces; 0 for a continuation, -1 for what is never used."""
    if lead < 0x80:
        return 1
    ones = 8 - (lead ^ 0xFF).bit_length()
    return {1: 0, 2: 2, 3: 3, 4: 4}.get(ones, -1)


def _fault(data: bytes, length: int) -> str:
    if length < 1:
        return "no lead" if length == 0 else "never used"
    if len(data) < length or any(value >> 6 != 0b10 for value in data[1:]):
        return "incomplete"
    code_point = data[0] & (0x7F if length == 1 else 0x7F >> length)
    for value in data[1:]:
        code_point = code_point << 6 | value & 0x3F
    if code_point < _SMALLEST[length]:
        return "overlong"
    if 0xD800 <= code_point < 0xE000:
        return "surrogate"
    return "out of range" if code_point > 0x10FFFF else ""


@dataclass(slots=True)
class _Surface:
    """What one token contributes: bytes that are dropped, then bytes that stay."""

    dropped: bytes
    kept: bytes
    is_byte: bool = False


def decode_ids(pieces: PieceTable, ids: Sequence[int] | NDArray[np.int32], rules: DecodeRules) -> Decoding:
    """Decode IDs with all detail; TextError names an ID out of range."""
    checked = check_ids(ids, len(pieces))
    surfaces = list(_surfaces(pieces, checked, rules))
    data = b"".join(surface.dropped + surface.kept for surface in surfaces)
    lengths = [len(surface.dropped) + len(surface.kept) for surface in surfaces]
    dropped = np.zeros(len(data), dtype=np.bool_)
    tokens = np.repeat(np.arange(len(checked), dtype=np.int32), lengths)
    starts = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64))).tolist()
    for start, surface in zip(starts, surfaces, strict=False):
        dropped[start : start + len(surface.dropped)] = True
    characters = tuple(c for at, run in _runs(surfaces) for c in decode_bytes(run, at))
    return Decoding(
        checked,
        tuple(pieces.texts[i] for i in checked.tolist()),
        pieces.types[checked],
        np.frombuffer(data, dtype=np.uint8),
        tokens,
        _roles(data, characters, dropped),
        dropped,
        characters,
        "".join(character.text for character in characters),
    )


def check_ids(ids: Sequence[int] | NDArray[np.int32], n_pieces: int) -> NDArray[np.int32]:
    """Return the IDs as int32[t]; TextError for one that is no whole number or out of range."""
    values = np.asarray(ids)
    if values.size == 0:
        return np.zeros(0, dtype=np.int32)
    if values.ndim != 1 or not np.issubdtype(values.dtype, np.integer):
        raise TextError("IDs must be a list of whole numbers.")
    strange = values[(values < 0) | (values >= n_pieces)]
    if len(strange):
        raise TextError(f"There is no piece {strange[0]}; IDs run from 0 to {n_pieces - 1}.")
    return values.astype(np.int32)


def _surfaces(pieces: PieceTable, ids: NDArray[np.int32], rules: DecodeRules) -> Iterator[_Surface]:
    # A leading marker is taken off until the text has begun: off the first piece only, or off all of them.
    at_start = True
    for i, kind in zip(ids.tolist(), pieces.types[ids].tolist(), strict=True):
        if not at_start or kind == _BYTE:
            surface = _plain_surface(pieces.texts[i], kind, rules)
            at_start = False
        else:
            surface = _first_surface(pieces.texts[i], kind, rules)
            at_start = not surface.kept and (rules.strips_all_leading or not surface.dropped)
        yield surface


def _plain_surface(text: str, kind: int, rules: DecodeRules) -> _Surface:
    if kind == _BYTE:
        return _Surface(b"", bytes([int(text[3:5], 16)]), is_byte=True)
    if kind == _CONTROL:
        return _Surface(b"", b"")
    shown = rules.unk_surface if kind == _UNKNOWN else text.replace(SPACE_MARKER, " ")
    return _Surface(b"", shown.encode())


def _first_surface(text: str, kind: int, rules: DecodeRules) -> _Surface:
    is_matched = kind not in (_CONTROL, _UNKNOWN)
    if is_matched and rules.strips_prefix and text.startswith(SPACE_MARKER):
        return replace(_plain_surface(text[1:], kind, rules), dropped=b" ")
    return _plain_surface(text, kind, rules)


def decode_text(pieces: PieceTable, ids: Sequence[int] | NDArray[np.int32], rules: DecodeRules) -> str:
    """Return only the text of `decode_ids`, without the detail."""
    surfaces = _surfaces(pieces, check_ids(ids, len(pieces)), rules)
    return "".join(_text_of(run) for _, run in _runs(surfaces))


def _text_of(run: bytes) -> str:
    try:
        return run.decode()
    except UnicodeDecodeError:
        return "".join(character.text for character in decode_bytes(run))


def _runs(surfaces: Iterable[_Surface]) -> Iterator[tuple[int, bytes]]:
    """Yield stretches of kept bytes and where they begin; neighbouring byte pieces join up to one stretch."""
    at = 0
    run = b""
    for surface in surfaces:
        if not surface.is_byte and run:
            yield at - len(run), run
            run = b""
        at += len(surface.dropped) + len(surface.kept)
        if surface.is_byte:
            run += surface.kept
        elif surface.kept:
            yield at - len(surface.kept), surface.kept
    if run:
        yield at - len(run), run


def _roles(data: bytes, characters: tuple[DecodedCharacter, ...], dropped: NDArray[np.bool_]) -> NDArray[np.int8]:
    roles = np.full(len(data), ByteRole.CONTINUATION, dtype=np.int8)
    roles[dropped] = ByteRole.ASCII
    for character in characters:
        roles[character.first_byte] = ByteRole.ILLEGAL if character.reason else character.n_bytes
    return roles
