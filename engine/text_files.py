"""Reading text files: lines with counts, checked, the equal ones joined, and what was skipped on the way.

In: paths of plain text, `.tsv`, .gz or .xz. Out: FileTexts, flat arrays, with the further columns of tables. The
kernels see a megabyte at a time, and the cancel token is looked at in between. What makes a corpus of it is `corpus`.
"""

from __future__ import annotations

import gzip
import io
import lzma
import threading
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.corpus_columns import FILE, MAX_VALUES, OTHER_VALUES, PLAIN_TEXT, CorpusColumn, LineValues, TableLayout
from engine.errors import Cancelled, CorpusError
from engine.files import opened_file
from engine.kernels import utf8_lines

MAX_TEXT_BYTES = 1 << 20
"""A longer line is skipped, and listed: it is nearly always a file without line ends."""

MAX_TOTAL = 1 << 62
"""The largest sum of count x characters: beyond it 64-bit sums would overflow."""

MAX_LISTED = 1000
_CHUNK = 1 << 20  # bytes read, or handed to a kernel, between two looks at the cancel token
_LINES = 20_000  # lines handed to a kernel at once

Progress = Callable[[float], None]

_REASONS = {
    utf8_lines.NOT_UTF8: "not UTF-8",
    utf8_lines.TOO_LONG: f"longer than {MAX_TEXT_BYTES:,} bytes",
    utf8_lines.NO_COUNT: "not of the form text TAB count",
    utf8_lines.OTHER_FIELDS: "not of as many fields as the first line",
    utf8_lines.BAD_COUNT: "its count is not a positive whole number below 4.6 x 10^18",
}
_REMEDIES = {
    _REASONS[utf8_lines.NOT_UTF8]: "save it as UTF-8 text",
    _REASONS[utf8_lines.TOO_LONG]: "break its lines into shorter ones",
    _REASONS[utf8_lines.NO_COUNT]: "write a text, TAB and its count in each line, or end its name in .txt",
    _REASONS[utf8_lines.OTHER_FIELDS]: "write as many TABs in each line as the first one has",
    _REASONS[utf8_lines.BAD_COUNT]: "write whole numbers from 1 on as counts",
}


@dataclass(frozen=True)
class SkippedLine:
    """A line that is not part of the corpus: file name, line number from 1, and why."""

    source: str
    line: int
    reason: str

    @property
    def clause(self) -> str:
        """Return which line it is and why it was skipped, as a part of a sentence."""
        if self.reason.startswith("its "):
            return self.reason.replace("its count", f"the count of line {self.line:,}", 1)
        return f"line {self.line:,} is {self.reason}"

    @property
    def remedy(self) -> str:
        """Return what to do about lines like this one."""
        return _REMEDIES[self.reason]


@dataclass(frozen=True)
class SourceFile:
    """A file that was read: its name, how many lines it has, how many of them are empty and how many were skipped."""

    name: str
    n_lines: int
    n_empty: int
    n_skipped: int


@dataclass(frozen=True, eq=False)
class FileTexts:
    """The distinct texts of some files; fields as in `corpus.Corpus`."""

    utf8: np.ndarray
    offsets: np.ndarray
    counts: np.ndarray
    n_characters: np.ndarray
    first_lines: np.ndarray
    skipped: tuple[SkippedLine, ...]
    sources: tuple[SourceFile, ...]
    columns: tuple[CorpusColumn, ...] = ()


def read_text_files(paths: list[Path], cancel: threading.Event | None, progress: Progress | None) -> FileTexts:
    """Read files one after the other. Raises CorpusError naming the file, or Cancelled."""
    return _Reader(len(paths), cancel, progress).read(paths)


class _Reader:
    """Reads files into one corpus, looking at the cancel token and reporting progress on the way."""

    def __init__(self, n_files: int, cancel: threading.Event | None, progress: Progress | None) -> None:
        self._n_files = n_files
        self._cancel = cancel
        self._progress = progress
        self._file = 0
        self._skipped: list[SkippedLine] = []
        self._sources: list[SourceFile] = []

    def read(self, paths: list[Path]) -> FileTexts:
        data = bytearray()
        tables = [self._read_file(path, data) for path in paths]
        values = _values_of_all(tables, _names(paths))
        lines = _Lines.joined([lines for lines, _ in tables])
        del tables
        lines, columns = self._distinct(np.frombuffer(data, dtype=np.uint8), lines, values)
        offsets = np.append(lines.starts, lines.ends[-1:] if len(lines.ends) else 0)
        utf8 = np.frombuffer(data, dtype=np.uint8)[: offsets[-1]].copy()
        return FileTexts(
            utf8, offsets, lines.counts, lines.characters, lines.numbers, tuple(self._skipped), tuple(self._sources),
            columns,
        )  # fmt: skip

    def _step(self, fraction_of_file: float) -> None:
        if self._cancel is not None and self._cancel.is_set():
            raise Cancelled
        if self._progress is not None:
            self._progress(min(1.0, (self._file + fraction_of_file) / self._n_files))

    def _read_file(self, path: Path, data: bytearray) -> tuple[_Lines, dict[str, LineValues]]:
        """Append the file's bytes to `data`; return its usable lines and what stands in their further columns."""
        begin = len(data)
        self._append(path, data)
        if data[begin : begin + 3] == b"\xef\xbb\xbf":
            begin += 3
        if data.find(b"\n", begin) < 0 and data.find(b"\r", begin) >= 0:
            data[begin:] = data[begin:].replace(b"\r", b"\n")  # lines end by CR, as they did on old Macintoshes
        found = self._scan(path, np.frombuffer(data, dtype=np.uint8), begin)
        self._file += 1
        return found

    def _append(self, path: Path, data: bytearray) -> None:
        begin = len(data)
        try:
            size = max(1, path.stat().st_size)
            with opened_file(path) as raw, _unpacked(raw) as stream:
                while chunk := stream.read(_CHUNK):
                    _refuse_binary(path, chunk, data, begin)
                    data += chunk
                    self._step(0.5 * raw.tell() / size)
        except FileNotFoundError:
            raise CorpusError(f"There is no file {path}; check its name and folder.") from None
        except IsADirectoryError:
            raise CorpusError(f"{path} is a folder; choose a text file in it.") from None
        except (EOFError, lzma.LZMAError, zlib.error, gzip.BadGzipFile) as error:
            raise CorpusError(f"{path.name} is a damaged archive ({error}); pack it anew.") from None
        except (OSError, ValueError) as error:
            raise CorpusError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from None

    def _scan(self, path: Path, data: np.ndarray, begin: int) -> tuple[_Lines, dict[str, LineValues]]:
        """Find the lines from byte `begin` on; note what is skipped."""
        layout = _layout(path, data, begin)
        source = SourceFile(path.name, 0, 0, 0)
        found, places = [_Lines.empty(0)], [np.empty(0, dtype=np.int64)]
        position = begin
        # Only usable lines are kept from one range to the next: a file may have more empty ones than memory holds.
        for start, stop in self._ranges(begin, len(data), 0.5, 0.3):
            n_lines = 1 + utf8_lines.count_line_ends(data, start, stop)  # the last one may end further on
            lines = _Lines.empty(n_lines, source.n_lines + 1)
            status, begins = np.empty(n_lines, dtype=np.int8), np.empty(n_lines, dtype=np.int64)
            position, n_lines = utf8_lines.scan_lines(
                data, position, stop, layout.n_fields, layout.text, layout.count, MAX_TEXT_BYTES, 0,
                lines.starts, lines.ends, lines.counts, lines.characters, status, begins,
            )  # fmt: skip
            if layout.has_header and start == begin:
                status[0] = utf8_lines.HEADER
            source = self._with_skipped(source, status[:n_lines])
            usable = np.flatnonzero(status[:n_lines] == utf8_lines.OK)
            found.append(lines.where(usable))
            if layout.columns:
                places.append(begins[usable])
        self._sources.append(source)
        begins = np.concatenate(places)
        values = {name: self._values(data, begins, place) for place, name in layout.columns}
        return _Lines.joined(found), values

    def _values(self, data: np.ndarray, begins: np.ndarray, place: int) -> LineValues:
        """Read one field of the lines that begin there."""
        slots = np.full(4 * MAX_VALUES, utf8_lines.NO_TEXT, dtype=np.int32)
        bounds = np.zeros((MAX_VALUES, 2), dtype=np.int64)
        codes = np.empty(len(begins), dtype=np.int32)
        n = 0
        for first in range(0, len(begins), _LINES):
            self._step(0.8)
            last = min(first + _LINES, len(begins))
            n = utf8_lines.enter_values(data, begins, first, last, place, slots, bounds, n, codes)
        values = [data[start:end].tobytes().decode("utf-8", "replace") for start, end in bounds[:n].tolist()]
        if (codes == n).any():
            values.append(OTHER_VALUES)
        return LineValues(tuple(values), codes)

    def _ranges(self, begin: int, end: int, done: float, share: float) -> Iterator[tuple[int, int]]:
        for start in range(begin, end, _CHUNK):
            self._step(done + share * (start - begin) / (end - begin))
            yield start, min(start + _CHUNK, end)

    def _with_skipped(self, source: SourceFile, status: np.ndarray) -> SourceFile:
        """Count and list what is skipped of a file's next lines; return the file with them."""
        bad = np.flatnonzero(~np.isin(status, (utf8_lines.OK, utf8_lines.EMPTY, utf8_lines.HEADER)))
        for i in bad[: MAX_LISTED - len(self._skipped)].tolist():
            self._skipped.append(SkippedLine(source.name, source.n_lines + i + 1, _REASONS[int(status[i])]))
        n_empty = int(np.count_nonzero(status == utf8_lines.EMPTY))
        return SourceFile(
            source.name, source.n_lines + len(status), source.n_empty + n_empty, source.n_skipped + len(bad)
        )

    def _distinct(
        self, data: np.ndarray, lines: _Lines, values: dict[str, LineValues]
    ) -> tuple[_Lines, tuple[CorpusColumn, ...]]:
        """Keep the first of equal lines with the sum of their counts; move their bytes to the front of `data`."""
        self._file = self._n_files - 1
        n = len(lines.starts)
        table = np.full(1 << max(4, int(2 * n).bit_length()), utf8_lines.NO_TEXT, dtype=np.int32)
        twin = np.empty(n, dtype=np.int32)
        for first in range(0, n, _LINES):
            self._step(0.8 + 0.1 * first / n)
            utf8_lines.find_equal_lines(
                data, lines.starts, lines.ends, first, min(first + _LINES, n), table, twin
            )
        if float(lines.counts.sum(dtype=np.float64)) >= MAX_TOTAL:
            raise CorpusError("The counts of this corpus add up to more than 2^62; divide them by a constant.")
        sums = np.zeros(n, dtype=np.int64)
        np.add.at(sums, twin, lines.counts)
        is_first = twin == np.arange(n, dtype=np.int32)
        owners = (np.cumsum(is_first) - 1)[twin]
        columns = []
        for name, found in values.items():
            self._step(0.9)
            columns.append(CorpusColumn.of(name, found.values, owners, found.codes, lines.counts))
        distinct = lines.with_counts(sums).where(np.flatnonzero(is_first))
        write = 0
        for first in range(0, len(distinct.starts), _LINES):
            self._step(0.9 + 0.1 * first / n)
            last = min(first + _LINES, len(distinct.starts))
            write = utf8_lines.close_gaps(data, distinct.starts, distinct.ends, first, last, write)
        return distinct, tuple(columns)


@dataclass(frozen=True, eq=False)
class _Lines:
    """Lines of a byte array: where each starts and ends, its count, its length in code points, its number."""

    starts: np.ndarray
    ends: np.ndarray
    counts: np.ndarray
    characters: np.ndarray
    numbers: np.ndarray

    @classmethod
    def empty(cls, n: int, first_number: int = 1) -> _Lines:
        starts, ends, counts = (np.empty(n, dtype=np.int64) for _ in range(3))
        numbers = np.arange(first_number, first_number + n, dtype=np.int32)
        return cls(starts, ends, counts, np.empty(n, dtype=np.int32), numbers)

    @classmethod
    def joined(cls, tables: list[_Lines]) -> _Lines:
        if len(tables) == 1:
            return tables[0]
        return cls(*(np.concatenate(columns) for columns in zip(*(t.columns() for t in tables), strict=True)))

    def columns(self) -> tuple[np.ndarray, ...]:
        return self.starts, self.ends, self.counts, self.characters, self.numbers

    def where(self, chosen: np.ndarray) -> _Lines:
        return _Lines(*(column[chosen] for column in self.columns()))

    def with_counts(self, counts: np.ndarray) -> _Lines:
        return _Lines(self.starts, self.ends, counts, self.characters, self.numbers)


def _layout(path: Path, data: np.ndarray, begin: int) -> TableLayout:
    """Tell what the fields of a file's lines are: by its name, and a table by its first line."""
    if ".tsv" not in [suffix.lower() for suffix in path.suffixes]:
        return PLAIN_TEXT
    first, _, _ = data[begin : begin + MAX_TEXT_BYTES].tobytes().partition(b"\n")
    return TableLayout.of(first.decode("utf-8", "replace"))


def _names(paths: list[Path]) -> list[str]:
    """Return what to call each of several files: its name, with its folder where another one is called so."""
    names = [path.name for path in paths]
    return [str(path) if names.count(path.name) > 1 else path.name for path in paths]


def _values_of_all(tables: list[tuple[_Lines, dict[str, LineValues]]], files: list[str]) -> dict[str, LineValues]:
    """Join the columns of all files by name, and make one of the files' names; a file without a column has "" in it."""
    names = dict.fromkeys(name for _, values in tables for name in values)
    joined = {}
    if len(tables) > 1:
        every = [LineValues((file,), _zeros(lines)) for file, (lines, _) in zip(files, tables, strict=True)]
        joined[FILE] = LineValues.joined(every)
    for name in names:
        title = f"{name} (column)" if name in joined else name
        joined[title] = LineValues.joined(
            [values.get(name, LineValues(("",), _zeros(lines))) for lines, values in tables]
        )
    return joined


def _zeros(lines: _Lines) -> np.ndarray:
    return np.zeros(len(lines.starts), dtype=np.int32)


def _unpacked(raw: io.BufferedReader) -> io.BufferedIOBase:
    """Return a stream of the file's content, unpacked where its first bytes are gzip's or xz's."""
    magic = raw.peek(6)[:6]
    if magic[:2] == b"\x1f\x8b":
        return gzip.GzipFile(fileobj=raw)
    if magic == b"\xfd7zXZ\x00":
        return lzma.LZMAFile(raw)
    return raw


def _refuse_binary(path: Path, chunk: bytes, data: bytearray, begin: int) -> None:
    if len(data) == begin and chunk[:4] in (b"\xff\xfe\0\0", b"\0\0\xfe\xff"):
        raise CorpusError(f"{path.name} is UTF-32 text; save it as UTF-8.")
    if len(data) == begin and chunk[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise CorpusError(f"{path.name} is UTF-16 text; save it as UTF-8.")
    at = chunk.find(b"\0")
    if at >= 0:
        line = data.count(b"\n", begin) + chunk.count(b"\n", 0, at) + 1
        raise CorpusError(f"{path.name} is a binary file (a NUL byte in line {line:,}); choose a text file.")
