"""Whole files: a line in, a line out, in each format."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import os
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from engine.encoded_files import FORMATS, _whole_lines, encode_file
from engine.errors import Cancelled, ModelFileError, TextError
from engine.text_files import MAX_TEXT_BYTES
from tests.helpers.toy_models import base_model

LINES = ["ab ab", "", "a b", "漢字 ab", "  ", "b\u2028a"] * 3
MODEL = base_model()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "in.txt"
    path.write_bytes(b"\xef\xbb\xbf" + "\r\n".join(LINES).encode())
    return path


def test_ids_and_pieces_stand_line_by_line(source: Path, tmp_path: Path) -> None:
    assert encode_file(MODEL, source, tmp_path / "ids").n_lines == len(LINES)
    rows = (tmp_path / "ids").read_text(encoding="utf-8").split("\n")
    assert rows == [*(" ".join(map(str, MODEL.encode(line))) for line in LINES), ""]
    encode_file(MODEL, source, tmp_path / "pieces", "pieces")
    rows = (tmp_path / "pieces").read_bytes().decode().split("\n")
    assert rows == [*(" ".join(MODEL.encode_pieces(line)) for line in LINES), ""]


def test_json_lines(source: Path, tmp_path: Path) -> None:
    encode_file(MODEL, source, tmp_path / "out", "jsonl", threads=1)
    rows = [json.loads(row) for row in (tmp_path / "out").read_bytes().decode().removesuffix("\n").split("\n")]
    assert rows == [{"text": t, "ids": MODEL.encode(t), "pieces": MODEL.encode_pieces(t)} for t in LINES]


@pytest.mark.parametrize("kind", FORMATS)
def test_lines_and_tokens_are_counted(source: Path, tmp_path: Path, kind: str) -> None:
    n_tokens = sum(len(MODEL.encode(line)) for line in LINES)
    assert encode_file(MODEL, source, tmp_path / "out", kind) == (len(LINES), n_tokens)


def test_arrays(source: Path, tmp_path: Path) -> None:
    for kind in ("npy", "npz"):
        assert encode_file(MODEL, source, tmp_path / kind, kind).n_lines == len(LINES)
    batch = MODEL.encode_batch(LINES)
    ids = np.load(tmp_path / "npy")
    assert ids.dtype == np.int32
    assert ids.tolist() == batch.ids.tolist()
    with np.load(tmp_path / "npz") as arrays:
        assert arrays["ids"].tolist() == batch.ids.tolist()
        assert arrays["offsets"].tolist() == batch.offsets.tolist()


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_packed_files_and_files_of_many_blocks(pack: object, tmp_path: Path) -> None:
    text = "ab a b\n" * 300_000 + "last"
    (tmp_path / "packed").write_bytes(pack(text.encode()))  # type: ignore[operator]
    seen: list[float] = []
    assert encode_file(MODEL, tmp_path / "packed", tmp_path / "out", progress=seen.append).n_lines == 300_001
    assert seen == sorted(seen)
    assert (len(seen) > 1, seen[-1]) == (True, 1.0)
    assert (tmp_path / "out").read_text().count("\n") == 300_001


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress])
def test_lines_end_by_cr_where_a_file_has_no_lf(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    for data, n in ((b"\xef\xbb\xbfab\rb a\r\ra\r", 4), (b"ab\rb a\na", 2), (b"ab " * 400_000 + b"\rb", 2)):
        (tmp_path / "in.txt").write_bytes(pack(data))
        if len(data) > MAX_TEXT_BYTES:
            with pytest.raises(TextError, match=r"Line 1 of in.txt is longer"):
                encode_file(base_model(), tmp_path / "in.txt", tmp_path / "out.txt")
            continue
        assert encode_file(base_model(), tmp_path / "in.txt", tmp_path / "out.txt").n_lines == n
        texts = data.removeprefix(b"\xef\xbb\xbf").decode().removesuffix("\r").split("\r" if n == 4 else "\n")
        rows = [" ".join(map(str, base_model().encode(text))) for text in texts]
        assert (tmp_path / "out.txt").read_text().splitlines() == rows


def test_what_goes_wrong_is_said_and_nothing_is_written(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(TextError, match="The format is 'csv'; give one of ids"):
        encode_file(MODEL, source, out, "csv")
    with pytest.raises(TextError, match="cannot be read"):
        encode_file(MODEL, tmp_path / "missing", out)
    source.write_bytes(b"a\nb\n\xff\n")
    with pytest.raises(TextError, match=r"Line 3 of in\.txt is not UTF-8"):
        encode_file(MODEL, source, out)
    source.write_bytes(gzip.compress(b"abc" * 99)[:-9])
    with pytest.raises(TextError, match="damaged archive"):
        encode_file(MODEL, source, out)
    with pytest.raises(ModelFileError, match="cannot be written"):
        encode_file(MODEL, source, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["in.txt"]


@pytest.mark.parametrize("kind", FORMATS)
def test_it_stops_when_cancelled_and_leaves_nothing(kind: str, source: Path, tmp_path: Path) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        encode_file(MODEL, source, tmp_path / "out", kind, cancel=cancel)
    assert [path.name for path in tmp_path.iterdir()] == ["in.txt"]


def test_an_empty_file_has_no_texts(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(b"")
    assert encode_file(MODEL, tmp_path / "in", tmp_path / "out").n_lines == 0
    assert (tmp_path / "out").read_bytes() == b""


def test_a_line_that_is_too_long_is_named_and_the_longest_one_is_not(tmp_path: Path) -> None:
    longest = "a" * MAX_TEXT_BYTES
    for kind in ("ids", "pieces"):
        (tmp_path / "in").write_text(f"b\n{longest}\r\nb", newline="")
        assert encode_file(MODEL, tmp_path / "in", tmp_path / "out", kind).n_lines == 3
        (tmp_path / "in").write_text(f"b\n{longest}a\r\nb", newline="")
        with pytest.raises(TextError, match=r"^Line 2 of in is longer than 1,048,576 bytes; break it"):
            encode_file(MODEL, tmp_path / "in", tmp_path / "out", kind)


class _Stream(io.RawIOBase):
    """Gives one endless line, counts the reads and sets the cancel token on the third."""

    def __init__(self) -> None:
        self.n_reads = 0
        self.cancel = threading.Event()

    def read(self, size: int = -1) -> bytes:
        self.n_reads += 1
        if self.n_reads == 3:
            self.cancel.set()
        return b"a" * size


def test_every_block_of_one_long_line_is_a_chance_to_stop_and_its_limit_ends_the_reading() -> None:
    stream = _Stream()
    with pytest.raises(Cancelled):
        list(_whole_lines(stream, 1 << 14, stream.cancel))  # type: ignore[arg-type]
    assert stream.n_reads == 3
    (run,) = _whole_lines(stream, 1 << 14, None)  # type: ignore[arg-type]
    assert MAX_TEXT_BYTES < len(run) <= MAX_TEXT_BYTES + (1 << 14) + 1


def test_a_pipe_or_a_device_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for source in (tmp_path / "pipe", os.devnull):
        with pytest.raises(TextError, match="cannot be read: it is a device, not a file"):
            encode_file(MODEL, source, tmp_path / "out")
