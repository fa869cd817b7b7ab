"""A whole file to IDs or pieces: a line is a text, whatever the size of the file.

In: a model and a file of lines (UTF-8, also packed as .gz or .xz). Out: a file that appears whole or not at all. Every
line of the one is a line of the other, an empty one too, so that both can be laid side by side. A line longer than a
corpus may have is refused: it cannot be left out here, and is nearly always a file without line ends.

| format | what is written |
|---|---|
| ids | IDs of a text, with spaces between them, a line each |
| pieces | pieces of a text likewise; a run of unknown characters stands as it is, spaces in it as the marker |
| jsonl | {"text": ..., "ids": [...], "pieces": [...]} a line |
| npy | all IDs one after the other, int32 |
| npz | `ids` as in npy, and `offsets` int64[n+1]: text i has ids[offsets[i]:offsets[i+1]] |
"""

from __future__ import annotations

import gzip
import io
import json
import lzma
import os
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.encoder import Segmentation
from engine.errors import Cancelled, TextError
from engine.files import opened_file, path_of, written_file
from engine.model import UnigramModel
from engine.normalizer import SPACE_MARKER
from engine.text_files import MAX_TEXT_BYTES

FORMATS = ("ids", "pieces", "jsonl", "npy", "npz")
_BYTES_PER_BLOCK = 1 << 20
_BYTES_PER_SMALL_BLOCK = 1 << 14  # where each text is cut by itself, in Python

Progress = Callable[[float], None]


class Written(NamedTuple):
    """What a file was encoded to."""

    n_lines: int
    n_tokens: int


def encode_file(
    model: UnigramModel,
    source: str | os.PathLike[str],
    output: str | os.PathLike[str],
    kind: str = "ids",
    *,
    threads: int | None = None,
    cancel: threading.Event | None = None,
    progress: Progress | None = None,
) -> Written:
    """Encode every line of a file; return how many there were, and into how many tokens they were cut.

    Raises
    ------
    TextError
        Where the file cannot be read, a line is not UTF-8 or longer than `MAX_TEXT_BYTES` (it is named), or `kind` is
        none of `FORMATS`.
    ModelFileError
        Where the output cannot be written.
    Cancelled
        Soon after `cancel` is set; then nothing is written.
    """
    if kind not in FORMATS:
        raise TextError(f"The format is {kind!r}; give one of {', '.join(FORMATS)}.")
    path = path_of(source, TextError)
    n_bytes = _BYTES_PER_BLOCK if kind in ("ids", "npy", "npz") else _BYTES_PER_SMALL_BLOCK

    def watched() -> Iterator[list[str]]:
        for fraction, lines in _blocks(path, n_bytes, cancel):
            yield lines
            if progress is not None:
                progress(fraction)

    with written_file(output) as file:
        if kind in ("npy", "npz"):
            return _write_arrays(model, watched(), file, kind, threads, cancel)
        return _write_lines(model, watched(), file, kind, threads, cancel)


def _write_lines(
    model: UnigramModel,
    blocks: Iterator[list[str]],
    file: IO[bytes],
    kind: str,
    threads: int | None,
    cancel: threading.Event | None,
) -> Written:
    n_lines = n_tokens = 0
    for lines in blocks:
        if kind == "ids":
            rows, n = _rows_of_ids(model, lines, threads, cancel)
        else:
            found = [model.segment(line, cancel=cancel) for line in lines]
            rows = [_row_of_pieces(cut, line, kind) for cut, line in zip(found, lines, strict=True)]
            n = sum(len(cut.ids) for cut in found)
        file.write("".join(f"{row}\n" for row in rows).encode())
        n_lines, n_tokens = n_lines + len(lines), n_tokens + n
    return Written(n_lines, n_tokens)


def _rows_of_ids(
    model: UnigramModel, lines: Sequence[str], threads: int | None, cancel: threading.Event | None
) -> tuple[list[str], int]:
    batch = model.encode_batch(lines, threads, cancel=cancel)
    numbers = list(map(str, batch.ids.tolist()))
    ends = batch.offsets.tolist()
    return [" ".join(numbers[a:b]) for a, b in pairwise(ends)], len(numbers)


def _row_of_pieces(found: Segmentation, line: str, kind: str) -> str:
    if kind == "pieces":
        return " ".join(piece.replace(" ", SPACE_MARKER) for piece in found.pieces)
    row = {"text": line, "ids": found.ids.tolist(), "pieces": list(found.pieces)}
    return json.dumps(row, ensure_ascii=False)


def _write_arrays(
    model: UnigramModel,
    blocks: Iterator[list[str]],
    file: IO[bytes],
    kind: str,
    threads: int | None,
    cancel: threading.Event | None,
) -> Written:
    batches = [model.encode_batch(lines, threads, cancel=cancel) for lines in blocks]
    ids = np.concatenate([np.zeros(0, dtype=np.int32), *(batch.ids for batch in batches)])
    lengths = [np.diff(batch.offsets) for batch in batches]
    offsets: NDArray[np.int64] = np.cumsum(np.concatenate([np.zeros(1, dtype=np.int64), *lengths]))
    if kind == "npy":
        np.save(file, ids, allow_pickle=False)
    else:
        arrays: dict[str, Any] = {"ids": ids, "offsets": offsets}
        np.savez(file, **arrays)
    return Written(len(offsets) - 1, len(ids))


def _blocks(path: Path, n_bytes: int, cancel: threading.Event | None) -> Iterator[tuple[float, list[str]]]:
    """Yield lines in blocks, each with the part of the file that was read by then."""
    try:
        size = max(path.stat().st_size, 1)
        has_cr_alone = _has_cr_alone(path, cancel)
        with opened_file(path) as raw:
            number = 1
            for data in _whole_lines(_unpacked(raw), n_bytes, cancel, has_cr_alone):
                lines = _decoded(path, data, number)
                number += len(lines)
                yield min(raw.tell() / size, 1.0), lines
    except (EOFError, lzma.LZMAError, zlib.error, gzip.BadGzipFile) as error:
        raise TextError(f"{path.name} is a damaged archive ({error}); pack it anew.") from None
    except (OSError, ValueError) as error:
        raise TextError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from None


def _has_cr_alone(path: Path, cancel: threading.Event | None) -> bool:
    """Tell whether lines end by CR: no LF is in the file."""
    has_cr = False
    with opened_file(path) as raw:
        stream = _unpacked(raw)
        while data := stream.read(_BYTES_PER_BLOCK):
            if cancel is not None and cancel.is_set():
                raise Cancelled
            if b"\n" in data:
                return False
            has_cr = has_cr or b"\r" in data
    return has_cr


def _unpacked(raw: io.BufferedReader) -> Any:
    magic = raw.peek(6)[:6]
    if magic[:2] == b"\x1f\x8b":
        return gzip.GzipFile(fileobj=raw)
    return lzma.LZMAFile(raw) if magic == b"\xfd7zXZ\x00" else raw


def _whole_lines(
    stream: IO[bytes], n_bytes: int, cancel: threading.Event | None, has_cr_alone: bool = False
) -> Iterator[bytes]:
    """Yield the content in runs of whole lines, without a byte-order mark; the last line may lack its end.

    A run that begins with a line that is too long is the last one: what follows that line is not read.
    """
    parts: list[bytes] = []  # of the line that has not ended yet
    is_first = True
    while sum(map(len, parts)) <= MAX_TEXT_BYTES + len(b"\r") and (data := stream.read(n_bytes)):
        if cancel is not None and cancel.is_set():
            raise Cancelled
        if is_first:
            data, is_first = data.removeprefix(b"\xef\xbb\xbf"), False
        if has_cr_alone:
            data = data.replace(b"\r", b"\n")
        whole, end, tail = data.rpartition(b"\n")
        if end:
            yield b"".join((*parts, whole, end))
            parts = []
        parts.append(tail)
    if rest := b"".join(parts):
        yield rest


def _decoded(path: Path, data: bytes, number: int) -> list[str]:
    """Return the lines of a run of bytes, whose first one has this number."""
    # A block is no longer than a line may be, so only a line of several blocks can be too long: the first.
    if len(data.partition(b"\n")[0].removesuffix(b"\r")) > MAX_TEXT_BYTES:
        raise TextError(
            f"Line {number:,} of {path.name} is longer than {MAX_TEXT_BYTES:,} bytes; break it into shorter ones."
        )
    try:
        lines = data.decode().removesuffix("\n").split("\n")
    except UnicodeDecodeError as error:
        line = number + data[: error.start].count(b"\n")
        raise TextError(f"Line {line} of {path.name} is not UTF-8; save the file as UTF-8.") from None
    return [line.removesuffix("\r") for line in lines]
