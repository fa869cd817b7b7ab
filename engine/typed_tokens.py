r"""What a person types or pastes to have it decoded: IDs, pieces or bytes.

In: text and a piece table. Out: `TypedTokens`: IDs, in which form they were read, and a sentence for each word that is
none. What can be read is read: one wrong word does not hide the others.

IDs are decimal numbers parted by spaces, commas or line ends, or a JSON list of numbers. Pieces are words, the space as
U+2581 or the open box, or a JSON list of strings. Bytes are two hexadecimal digits each, also as 0xE4, \xE4 or <0xE4>.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from engine.byte_fallback import DecodeRules, Decoding, decode_ids
from engine.normalizer import SPACE_MARKER
from engine.pieces import PieceTable, PieceType

FORMS = ("IDs", "pieces", "bytes")
OPEN_BOX = "\u2423"
NO_ID = -1
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?$")
_MARKED_BYTE = re.compile(r"(?:0x|\\x|<0x)([0-9A-Fa-f]{2})>?$")
_BARE_BYTES = re.compile(r"(?:[0-9A-Fa-f]{2})+$")
_UPPER_BYTES = re.compile(r"(?:[0-9A-F]{2})+$")
_LONGEST_NUMBER = 15


@dataclass(frozen=True)
class TypedTokens:
    """`ids` in order; `form` is one of `FORMS`; `remarks` are sentences; `data` are bytes that no piece stands for."""

    ids: tuple[int, ...]
    form: str
    remarks: tuple[str, ...] = ()
    data: bytes = b""


def read_typed(text: str, pieces: PieceTable, form: str = "") -> TypedTokens:
    """Read what was typed, as the form that is asked for or the one that it looks like.

    >>> table = PieceTable.from_rows([("<unk>", 0.0, 2), ("▁a", -1.0, 1), ("b", -2.0, 1)])
    >>> read_typed("1, 2", table).ids, read_typed('["▁a", "b"]', table).ids, read_typed("␣a b", table).form
    ((1, 2), (1, 2), 'pieces')
    >>> read_typed("1 7", table)
    TypedTokens(ids=(1,), form='IDs', remarks=('“7” is no ID of this vocabulary: IDs go from 0 to 2.',), data=b'')
    """
    words = _words(text)
    form = form or _form_of(words)
    if form == "bytes":
        return _bytes(words, pieces)
    read: Callable[[str, PieceTable, list[str]], Iterator[int]] = _ids if form == "IDs" else _pieces
    remarks: list[str] = []
    ids = tuple(i for word in words for i in read(word, pieces, remarks))
    return TypedTokens(ids, form, tuple(dict.fromkeys(remarks)))


def _words(text: str) -> list[str]:
    """Return the elements of a JSON list, or what stands between spaces and commas."""
    if text.lstrip().startswith("["):
        try:
            return [element if isinstance(element, str) else json.dumps(element) for element in json.loads(text)]
        except ValueError:
            text = text.strip().lstrip("[").rstrip("]")
    return text.replace(",", " ").split()


def _form_of(words: list[str]) -> str:
    """Return what most words look like: where half of them are numbers, a wrong word among IDs is named as such."""
    n_numbers = sum(bool(_NUMBER.match(word)) for word in words)
    if n_numbers and 2 * n_numbers >= len(words) and not any(map(_MARKED_BYTE.match, words)):
        looks_like_bytes = all(len(word) == 2 and _UPPER_BYTES.match(word) for word in words)
        return "bytes" if looks_like_bytes and not all(word.isdigit() for word in words) else "IDs"
    if words and all(_MARKED_BYTE.match(word) or _UPPER_BYTES.match(word) for word in words):
        return "bytes"
    return "pieces" if words else "IDs"


def _ids(word: str, pieces: PieceTable, remarks: list[str]) -> Iterator[int]:
    size = len(pieces)
    if not re.match(r"[+-]?\d+$", word):
        remarks.append(f"“{word[:40]}” is no whole number: IDs go from 0 to {size - 1:,}.")
        return
    if len(word) > _LONGEST_NUMBER or not 0 <= int(word) < size:
        remarks.append(f"“{word[:40]}” is no ID of this vocabulary: IDs go from 0 to {size - 1:,}.")
        return
    if not word.isascii():
        remarks.append(f"“{word}” is read as {int(word)}.")
    yield int(word)


def _pieces(word: str, pieces: PieceTable, remarks: list[str]) -> Iterator[int]:
    found = pieces.id_of(word)
    if found is None:
        found = pieces.id_of(word.replace(OPEN_BOX, SPACE_MARKER))
    if found is None:
        remarks.append(f"“{word[:40]}” is no piece of this vocabulary.")
    else:
        yield found


def _bytes(words: list[str], pieces: PieceTable) -> TypedTokens:
    data, remarks = bytearray(), []
    for word in words:
        marked = _MARKED_BYTE.match(word)
        digits = marked.group(1) if marked else word
        if _BARE_BYTES.match(digits):
            data += bytes.fromhex(digits)
        else:
            remarks.append(f"“{word[:40]}” is no byte: write two hexadecimal digits for each.")
    if pieces.byte_ids is not None:
        return TypedTokens(tuple(pieces.byte_ids[list(data)].tolist()), "bytes", tuple(remarks))
    if data:
        remarks.append("This vocabulary has no byte pieces: these are bytes without IDs.")
    return TypedTokens((), "bytes", tuple(remarks), bytes(data))


def decode_raw(data: bytes) -> Decoding:
    r"""Decode bytes that have no IDs; those of the answer are -1.

    >>> decode_raw("é".encode() + b"\xff").text
    'é�'
    """
    byte_rows = [(f"<0x{value:02X}>", 0.0, int(PieceType.BYTE)) for value in range(256)]
    table = PieceTable.from_rows([("<unk>", 0.0, int(PieceType.UNKNOWN)), *byte_rows])
    decoding = decode_ids(table, [1 + value for value in data], DecodeRules(False, False, ""))
    return replace(decoding, ids=np.full(len(data), NO_ID, dtype=np.int32))
