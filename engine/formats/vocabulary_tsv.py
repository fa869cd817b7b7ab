r"""A vocabulary as text: `.tsv` for reading and working with, `.vocab` as SentencePiece writes it.

A `.tsv` has a header and the columns piece, log_prob and type, a row a piece in order of ID; the score is written
so that the same float64 is read back. A `.vocab` has piece and score with six digits, no header and no types.
Tab, line feed, carriage return and backslash in a piece are written \t, \n, \r and \\ (in a `.tsv` only).
Neither holds a normalizer: one is guessed when reading.
"""

from __future__ import annotations

import re

from engine.errors import ModelFileError
from engine.normalizer import IDENTITY, SPACE_MARKER, VERBATIM, NormalizerSpec
from engine.pieces import PieceTable, PieceType

HEADER = "piece\tlog_prob\ttype"
_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_UNESCAPES = {escaped: character for character, escaped in _ESCAPES.items()}
_BYTE = re.compile("<0x[0-9A-F]{2}>")


def write_tsv(pieces: PieceTable) -> bytes:
    r"""Return the table as a `.tsv`.

    >>> write_tsv(PieceTable.from_rows([("<unk>", 0.0, 2), ("a", -0.5, 1)])).decode().splitlines()
    ['piece\tlog_prob\ttype', '<unk>\t0.0\tUNKNOWN', 'a\t-0.5\tNORMAL']
    """
    lines = [HEADER]
    for text, log_prob, kind in _rows(pieces):
        lines.append(f"{_escape(text)}\t{log_prob!r}\t{PieceType(kind).name}")
    return ("\n".join(lines) + "\n").encode()


def write_vocab(pieces: PieceTable) -> bytes:
    """Return the table as SentencePiece's `.vocab`: piece, TAB, score with six significant digits."""
    return "".join(f"{text}\t{log_prob:g}\n" for text, log_prob, _ in _rows(pieces)).encode()


def _rows(pieces: PieceTable) -> zip[tuple[str, float, int]]:
    return zip(pieces.texts, pieces.log_probs.tolist(), pieces.types.tolist(), strict=True)


def _escape(text: str) -> str:
    return "".join(_ESCAPES.get(character, character) for character in text)


def _unescape(text: str) -> str:
    return re.sub(r"\\[\\tnr]", lambda match: _UNESCAPES[match[0]], text)


def read_vocabulary(data: bytes) -> PieceTable:
    """Read a `.tsv` or `.vocab`; ModelFileError names the line at fault.

    Without a type column `<unk>` is the unknown piece, `<0x00>` to `<0xFF>` are bytes if all are there, and other
    pieces in angle brackets with the score 0 are control pieces; everything else is normal.
    """
    try:
        lines = data.decode("utf-8-sig").removesuffix("\n").split("\n")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ModelFileError(f"Line {line} of the vocabulary is no valid UTF-8.") from error
    has_header = lines[0].removesuffix("\r") == HEADER
    rows = [_read_row(line, number, has_header) for number, line in enumerate(lines, start=1)][has_header:]
    if not has_header:
        has_bytes = sum(_BYTE.fullmatch(text) is not None for text, _, _ in rows) == 256
        rows = [(text, score, _guess_type(text, score, has_bytes)) for text, score, _ in rows]
    return PieceTable.from_rows(rows)


def _read_row(line: str, number: int, has_header: bool) -> tuple[str, float, int]:
    columns = line.removesuffix("\r").split("\t")
    if len(columns) != (3 if has_header else 2):
        raise ModelFileError(f"Line {number} of the vocabulary has {len(columns)} columns instead of piece and score.")
    if has_header and number == 1:
        return "", 0.0, 0
    try:
        score = float(columns[1])
    except ValueError as error:
        raise ModelFileError(f"Line {number} of the vocabulary has {columns[1]!r} where a score belongs.") from error
    if not has_header:
        return columns[0], score, 0
    if columns[2] not in PieceType.__members__:
        raise ModelFileError(f"Line {number} of the vocabulary has the type {columns[2]!r}, which is none.")
    return _unescape(columns[0]), score, int(PieceType[columns[2]])


def _guess_type(text: str, score: float, has_bytes: bool) -> int:
    if text == "<unk>":
        return int(PieceType.UNKNOWN)
    if has_bytes and _BYTE.fullmatch(text):
        return int(PieceType.BYTE)
    is_symbol = score == 0 and len(text) > 2 and text[0] == "<" and text[-1] == ">"
    return int(PieceType.CONTROL if is_symbol else PieceType.NORMAL)


def guess_normalizer(pieces: PieceTable) -> NormalizerSpec:
    """Return SentencePiece's identity normalizer if a piece has the marker of a space, else one that does nothing."""
    return IDENTITY if any(SPACE_MARKER in text for text in pieces.texts) else VERBATIM
