"""The rows of the decode pane for a decoder of a tokenizer.json: tokens, bytes, characters.

In: IDs and the decoded text with its way back to the pieces. Out: a `Decoding`. What a decoder takes away or adds
belongs to the token where it happens.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.byte_fallback import REPLACEMENT, ByteRole, DecodedCharacter, Decoding, decode_bytes
from engine.huggingface.aligned_text import AlignedText
from engine.normalizer import SPACE_MARKER
from engine.pieces import PieceTable


class _Rows:
    """Rows of bytes, as they are put together."""

    def __init__(self) -> None:
        self.values = bytearray()
        self.tokens: list[int] = []
        self.roles: list[int] = []
        self.dropped: list[bool] = []
        self.characters: list[DecodedCharacter] = []

    def add(self, data: bytes, tokens: Sequence[int], roles: Sequence[int], dropped: bool = False) -> None:
        self.values += data
        self.tokens += tokens
        self.roles += roles
        self.dropped += [dropped] * len(data)

    def drop_space(self, token: int) -> None:
        self.add(b" ", [token], [ByteRole.ASCII], dropped=True)

    def put(self, character: str, tokens: Sequence[int], raw: int | None) -> None:
        """Add a character that comes from these tokens; `raw` is the byte that it replaces because it is wrong."""
        data = character.encode() if raw is None else bytes([raw])
        first = len(self.values)
        if raw is not None:
            reason = next(iter(decode_bytes(data))).reason or "in a run with a wrong byte"
            self.characters.append(DecodedCharacter(REPLACEMENT, first, 1, None, reason))
            self.add(data, tokens[:1], [ByteRole.ILLEGAL])
            return
        self.characters.append(DecodedCharacter(character, first, len(data), ord(character)))
        owners = tokens if len(tokens) == len(data) else [tokens[0]] * len(data)
        self.add(data, owners, [len(data), *[ByteRole.CONTINUATION] * (len(data) - 1)])


def decoding_of(
    pieces: PieceTable, ids: NDArray[np.int32], tokens: Sequence[int], texts: Sequence[str], decoded: AlignedText
) -> Decoding:
    """Return the detail; `tokens` are the rows of `ids` that were decoded, from `texts`."""
    owner = [token for token, text in zip(tokens, texts, strict=True) for _ in text]
    source = "".join(texts)
    rows = _Rows()
    at = 0
    for i, character in enumerate(decoded.text):
        start, stop = decoded.bounds[i], decoded.bounds[i + 1]
        _drop_markers(rows, source, owner, at, start)
        at = max(at, start if stop <= start else start + 1)
        span = owner[start:stop] or [owner[min(start, len(owner) - 1)]]
        rows.put(character, list(dict.fromkeys(span)), _wrong_byte(character, source[start:stop]))
    _drop_markers(rows, source, owner, at, len(source) if not decoded.text else at)
    return Decoding(
        ids,
        tuple(pieces.texts[i] for i in ids.tolist()),
        pieces.types[ids],
        np.frombuffer(bytes(rows.values), dtype=np.uint8),
        np.array(rows.tokens, dtype=np.int32),
        np.array(rows.roles, dtype=np.int8),
        np.array(rows.dropped, dtype=np.bool_),
        tuple(rows.characters),
        decoded.text,
    )


def _drop_markers(rows: _Rows, source: str, owner: Sequence[int], start: int, stop: int) -> None:
    """Add the markers before the text that the decoder took away."""
    if rows.characters:
        return
    for i in range(start, stop):
        if source[i] in (SPACE_MARKER, " "):
            rows.drop_space(owner[i])


def _wrong_byte(character: str, piece: str) -> int | None:
    if character != REPLACEMENT or not (piece.startswith("<0x") and len(piece) == 6):
        return None
    return int(piece[3:5], 16)
