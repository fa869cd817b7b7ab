r"""A vocabulary as text: `.tsv` and `.csv` for reading and working with, `.vocab` as SentencePiece has it.

A `.tsv` has a header and the columns piece, log_prob and type, a row a piece in order of ID; a `.csv` the same with
commas and quotes. A `.vocab` has piece and score, no header and no types. Scores are written in all of them so that the
same float64 is read back. Tab, line feed, carriage return and backslash in a piece are written \t, \n, \r and \\ (not
in a `.vocab`, which refuses the first three). Every file is UTF-8 with line feeds, on every system.

Spreadsheet-safe tables begin every piece with an apostrophe, so that no program takes it for a formula, a number or a
date, and with a byte-order mark; the header says so and reading takes it back.
None of them holds a normalizer: one is guessed when reading.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable

from engine.errors import ModelFileError
from engine.normalizer import IDENTITY, SPACE_MARKER, VERBATIM, NormalizerSpec
from engine.pieces import PieceTable, PieceType

COLUMNS = ("piece", "log_prob", "type")
SAFE_MARK = "'"
_BREAKS = re.compile("[\t\n\r]")
_MOST_NAMED = 5
_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_UNESCAPES = {escaped: character for character, escaped in _ESCAPES.items()}
_BYTE = re.compile("<0x[0-9A-F]{2}>")


def write_tsv(pieces: PieceTable, *, spreadsheet_safe: bool = False) -> bytes:
    r"""Return the table as a `.tsv`.

    >>> write_tsv(PieceTable.from_rows([("<unk>", 0.0, 2), ("a", -0.5, 1)])).decode().splitlines()
    ['piece\tlog_prob\ttype', '<unk>\t0.0\tUNKNOWN', 'a\t-0.5\tNORMAL']
    """
    if spreadsheet_safe:
        return _written(_cells(pieces, SAFE_MARK), "\t", "utf-8-sig")
    return "".join("\t".join(row) + "\n" for row in _cells(pieces, "")).encode()


def write_csv(pieces: PieceTable, *, spreadsheet_safe: bool = False) -> bytes:
    """Return the table as a `.csv`.

    >>> write_csv(PieceTable.from_rows([("<unk>", 0.0, 2), (",", -0.5, 1)])).decode().splitlines()[1:]
    ['<unk>,0.0,UNKNOWN', '",",-0.5,NORMAL']
    """
    if spreadsheet_safe:
        return _written(_cells(pieces, SAFE_MARK), ",", "utf-8-sig")
    return _written(_cells(pieces, ""), ",", "utf-8")


def _cells(pieces: PieceTable, mark: str) -> Iterable[tuple[str, str, str]]:
    yield mark + COLUMNS[0], *COLUMNS[1:]
    for text, log_prob, kind in _rows(pieces):
        yield mark + escape(text), repr(log_prob), PieceType(kind).name


def _written(rows: Iterable[tuple[str, str, str]], delimiter: str, encoding: str) -> bytes:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return out.getvalue().encode(encoding)


def write_vocab(pieces: PieceTable) -> bytes:
    """Return the table as a `.vocab`: piece, TAB, score. ModelFileError for pieces that have a tab or line break.

    Differs from SentencePiece: scores have all their digits there are, not six.
    """
    broken = [i for i, text in enumerate(pieces.texts) if _BREAKS.search(text)]
    if broken:
        more = " and more" if len(broken) > _MOST_NAMED else ""
        named = ", ".join(map(str, broken[:_MOST_NAMED])) + more
        raise ModelFileError(f"A .vocab has no place for the tab or line break in piece {named}; save a .tsv instead.")
    return "".join(f"{text}\t{repr(score).removesuffix('.0')}\n" for text, score, _ in _rows(pieces)).encode()


def _rows(pieces: PieceTable) -> zip[tuple[str, float, int]]:
    return zip(pieces.texts, pieces.log_probs.tolist(), pieces.types.tolist(), strict=True)


def escape(text: str) -> str:
    r"""Return a piece as a field of a table.

    >>> escape("a\tb")
    'a\\tb'
    """
    return "".join(_ESCAPES.get(character, character) for character in text)


def _unescape(text: str) -> str:
    return re.sub(r"\\[\\tnr]", lambda match: _UNESCAPES[match[0]], text)


def read_vocabulary(data: bytes) -> PieceTable:
    """Read a `.tsv`, `.csv` or `.vocab`; ModelFileError names the line at fault.

    Without a type column `<unk>` is the unknown piece, `<0x00>` to `<0xFF>` are bytes if all are there, and other
    pieces in angle brackets with the score 0 are control pieces; everything else is normal.
    """
    try:
        lines = data.decode("utf-8-sig").removesuffix("\n").split("\n")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ModelFileError(f"Line {line} of the vocabulary is no valid UTF-8.") from error
    header = _HEADER.match(lines[0])
    if header is not None:
        return PieceTable.from_rows(_typed_rows(lines, header[1], header[2]))
    rows = [_read_row(line.removesuffix("\r").split("\t"), number, 2) for number, line in enumerate(lines, start=1)]
    has_bytes = sum(_BYTE.fullmatch(text) is not None for text, _ in rows) == 256
    return PieceTable.from_rows((text, score, _guess_type(text, score, has_bytes)) for text, score in rows)


_HEADER = re.compile('"?(\'?)piece"?([\t,])"?log_prob"?\\2"?type"?\r?(?:\n|$)')


def has_header(head: str) -> bool:
    """Tell whether a text begins with the header of a `.tsv` or `.csv`."""
    return _HEADER.match(head) is not None


def _typed_rows(lines: list[str], mark: str, delimiter: str) -> Iterable[tuple[str, float, int]]:
    for number, line in enumerate(lines[1:], start=2):
        columns = _columns(line.removesuffix("\r"), delimiter, is_quoted=bool(mark) or delimiter == ",")
        text, score = _read_row(columns, number, 3)
        if columns[2] not in PieceType.__members__:
            raise ModelFileError(f"Line {number} of the vocabulary has the type {columns[2]!r}, which is none.")
        yield _unescape(text.removeprefix(mark)), score, int(PieceType[columns[2]])


def _columns(line: str, delimiter: str, is_quoted: bool) -> list[str]:
    if not is_quoted:
        return line.split(delimiter)
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return []


def _read_row(columns: list[str], number: int, n_columns: int) -> tuple[str, float]:
    if len(columns) != n_columns:
        raise ModelFileError(f"Line {number} of the vocabulary has {len(columns)} columns instead of piece and score.")
    try:
        return columns[0], float(columns[1])
    except ValueError as error:
        raise ModelFileError(f"Line {number} of the vocabulary has {columns[1]!r} where a score belongs.") from error


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
