from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine import Corpus, load_model
from engine.encoded_files import encode_file
from engine.errors import CorpusError, EngineError, ModelFileError, TextError
from engine.files import read_file, write_file
from engine.history_file import history_path, load_history
from tests.helpers.toy_models import base_model


def test_a_file_is_replaced_whole_and_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "模型 (1).model"
    path.write_bytes(b"old")
    path.chmod(0o640)
    write_file(path, b"new")
    assert read_file(path) == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_a_new_file_has_the_mode_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "plain").write_bytes(b"")
    write_file(tmp_path / "new", b"")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_file(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "a.model"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(ModelFileError, match=r"cannot be written: No space left on device\."):
        write_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.model"]


def test_where_nothing_can_be_read_or_written_a_sentence_says_why(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="There is no file"):
        read_file(tmp_path / "missing")
    with pytest.raises(ModelFileError, match="is a folder"):
        read_file(tmp_path)
    with pytest.raises(ModelFileError, match=r"^\. is a folder"):
        read_file("")
    with pytest.raises(ModelFileError, match="it is a device, not a file"):
        read_file(os.devnull)
    with pytest.raises(ModelFileError, match="it is a folder"):
        write_file(tmp_path, b"")
    with pytest.raises(ModelFileError, match="No such file or directory"):
        write_file(tmp_path / "missing" / "a.model", b"")
    with pytest.raises(ModelFileError, match="it is a device, not a file"):
        write_file(os.devnull, b"")
    for act in (lambda: read_file("a\0b"), lambda: write_file("a\0b", b"")):
        with pytest.raises(ModelFileError, match="null"):
            act()


@pytest.mark.parametrize("path", [3, None, b"a.txt", [], 1.5, object])
def test_what_is_no_path_is_refused_in_the_callers_words(path: Any, tmp_path: Path) -> None:
    model = base_model()
    calls: list[tuple[type[EngineError], Callable[[], object]]] = [
        (ModelFileError, lambda: load_model(path)),
        (ModelFileError, lambda: model.save(path)),
        (ModelFileError, lambda: load_history(path, model)),
        (ModelFileError, lambda: history_path(path)),
        (CorpusError, lambda: Corpus.from_file(path)),
        (CorpusError, lambda: Corpus.from_files(tmp_path / "a.txt", path)),
        (TextError, lambda: encode_file(model, path, tmp_path / "out.txt")),
        (ModelFileError, lambda: encode_file(model, tmp_path / "a.txt", path)),
    ]
    (tmp_path / "a.txt").write_text("ab")
    for kind, call in calls:
        with pytest.raises(kind, match=r"is no path; give the name of a file as a text\.$"):
            call()
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.txt"]


def test_what_is_no_file_is_refused_and_stays_what_it_is(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    for name in ("pipe", "link"):
        with pytest.raises(ModelFileError, match=rf"{name} cannot be written: it is a device, not a file\.$"):
            write_file(tmp_path / name, b"new")
    assert (tmp_path / "pipe").is_fifo()
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["link", "pipe"]


def test_a_pipe_is_refused_by_everything_that_reads_a_file(tmp_path: Path) -> None:
    pipe, model = tmp_path / "pipe", base_model()
    os.mkfifo(pipe)
    calls: list[tuple[type[EngineError], Callable[[], object]]] = [
        (ModelFileError, lambda: read_file(pipe)),
        (ModelFileError, lambda: load_model(pipe)),
        (ModelFileError, lambda: load_history(pipe, model)),
        (CorpusError, lambda: Corpus.from_file(pipe)),
        (TextError, lambda: encode_file(model, pipe, tmp_path / "out.txt")),
    ]
    for kind, call in calls:
        with pytest.raises(kind, match=r"pipe cannot be read: it is a device, not a file\.$"):
            call()
