"""Requests without a runner: called as the plain functions they are."""

from __future__ import annotations

import gzip
import lzma
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.corpus import Corpus
from engine.errors import Cancelled, CorpusError, EngineError, ModelFileError
from engine.history import Update
from engine.model import UnigramModel
from engine.spec import PRESETS
from engine.trainer import train
from tests.gui.conftest import ABC
from tests.helpers.toy_models import byte_model
from unigram_gui.tasks.content import is_vocabulary
from unigram_gui.tasks.control import TaskControl
from unigram_gui.tasks.filtering import FilterCorpusRequest, FilterPiecesRequest
from unigram_gui.tasks.requests import DecodeRequest, OpenRequest, SaveModelRequest, TrainRequest, with_step
from unigram_gui.tasks.sentences import sentence_of

MODEL = UnigramModel.from_probabilities({"a": 0.5, "b": 0.25, "ab": 0.25})


def filtered(corpus: Corpus, needle: str) -> list[int]:
    return FilterCorpusRequest(corpus, needle)(TaskControl()).tolist()


def test_a_filter_finds_texts_in_either_case() -> None:
    assert filtered(Corpus.from_texts(["Abc", "xyz", "zAB", "日本"]), "ab") == [0, 2]


def test_a_filter_finds_other_scripts() -> None:
    assert filtered(Corpus.from_texts(["Abc", "日本語", "本"]), "本") == [1, 2]


def test_a_filter_does_not_find_a_match_that_runs_over_two_texts() -> None:
    assert filtered(Corpus.from_texts(["xa", "bx", "ab"]), "ab") == [2]


def test_a_filter_finds_a_match_right_behind_one_that_runs_over() -> None:
    assert filtered(Corpus.from_texts(["a", "aa"]), "aa") == [1]


def test_a_filter_looks_at_every_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unigram_gui.tasks.filtering.SLICE_BYTES", 5)
    assert filtered(Corpus.from_texts(["one", "two", "a long text", "one more"]), "one") == [0, 3]


def test_a_filter_stops_when_it_is_told_to() -> None:
    control = TaskControl()
    control.cancel.set()
    with pytest.raises(Cancelled):
        FilterCorpusRequest(ABC, "a")(control)


def test_a_typed_space_finds_pieces_that_begin_a_word() -> None:
    assert FilterPiecesRequest(("▁the", "the", "a▁"), " t")(TaskControl()).tolist() == [0]


@pytest.mark.parametrize("text", ["1 2", "1, 2", "1,2,"])
def test_ids_are_read_between_spaces_and_commas(text: str) -> None:
    reading = DecodeRequest(MODEL, text)(TaskControl())
    assert reading.decoding is not None
    assert list(reading.decoding.ids) == [1, 2]
    assert reading.remarks == ()


@pytest.mark.parametrize("text", ["x", "-1", "4", "1.5", "99999999999999999999", "²"])
def test_what_is_no_id_is_named(text: str) -> None:
    reading = DecodeRequest(MODEL, text, "IDs")(TaskControl())
    assert reading.decoding is None
    assert reading.remarks[0].startswith(f"“{text}” is no ")
    assert reading.remarks[0].endswith("IDs go from 0 to 3.")


def test_bytes_have_a_reading_of_their_own() -> None:
    reading = DecodeRequest(byte_model(("▁", -1.0)), "C3 A9 FF")(TaskControl())
    assert reading.decoding is not None
    assert (reading.form, reading.decoding.text, reading.other) == ("bytes", "é\ufffd", "\ufffd\ufffd\ufffd")
    assert [step.have for step in reading.steps] == [1, 0, 0]


def test_a_vocabulary_is_told_by_its_content(tmp_path: Path) -> None:
    MODEL.save(tmp_path / "looks_like.txt.model")
    (tmp_path / "looks_like.txt.model").rename(tmp_path / "looks_like.txt")
    MODEL.save(tmp_path / "table.tsv")
    assert is_vocabulary(tmp_path / "looks_like.txt")
    assert is_vocabulary(tmp_path / "table.tsv")


def test_a_tokenizer_json_is_a_vocabulary(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text('{"version": "1.0", "model": {"vocab": [["a", -1.0]]}}', encoding="utf-8")
    assert is_vocabulary(path)


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"\n\n\n\n", b"a text\n", b"ab\t24\n", b"a\t-\n", b"{curly}\n", b"\n\x00\n\x00"),
        gzip.compress(b"text", mtime=0),
    ],
)
def test_texts_are_no_vocabulary(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "corpus.model"
    path.write_bytes(content)
    assert not is_vocabulary(path)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("packed.txt", gzip.compress(byte_model(("▁", -1.0)).to_bytes("m.model"), mtime=0)),
        ("packed.txt", lzma.compress(b'{"version": "1.0", "model": {"type": "BPE"}}')),
        ("fields_in_another_order.txt", b"\x12\x02\x18\x01\n\x08\n\x01a\x15\0\0\x80\xbf"),
        ("long_first_piece.txt", b"\n\xcd\x01\n\xc8\x01" + b"a" * 200 + b"\x15\0\0\0\0"),
        ("pointer.txt", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 791656\n"),
        ("ranks.txt", b"IQ== 0\nIg== 1\n"),
        ("page.model", b"<!DOCTYPE html><html><body>404</body></html>"),
    ],
)
def test_what_is_or_was_to_be_a_vocabulary_is_no_corpus(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    assert is_vocabulary(tmp_path / name)


BLANK_FIRST = b"\nA\n a line of text with a blank before it, and so on\n"


@pytest.mark.parametrize("content", [b"<html>a text</html>\n", BLANK_FIRST])
def test_texts_that_look_a_little_like_one_are_texts(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "corpus.txt").write_bytes(content)
    assert not is_vocabulary(tmp_path / "corpus.txt")


def test_what_is_refused_is_refused_when_it_is_dropped_too(shared: Path) -> None:
    readable = {"t5_bom.tokenizer.json", "t5_utf16.tokenizer.json"}
    for path in (shared / "data/refused").iterdir():
        if path.name in readable:
            assert OpenRequest((path,))(TaskControl()).model is not None
            continue
        with pytest.raises(EngineError, match=r"\.$"):
            OpenRequest((path,))(TaskControl())


def test_a_vocabulary_beside_another_is_told_by_its_content(tmp_path: Path) -> None:
    MODEL.save(tmp_path / "a.model")
    MODEL.save(tmp_path / "b.model")
    (tmp_path / "b.model").rename(tmp_path / "b.txt")
    (tmp_path / "corpus.model").write_text("a text\n", encoding="utf-8")
    with pytest.raises(ModelFileError, match="2 vocabularies at once"):
        OpenRequest((tmp_path / "b.txt",), tmp_path / "a.model")(TaskControl())
    opened = OpenRequest((tmp_path / "corpus.model",), tmp_path / "a.model")(TaskControl())
    assert opened.corpus is not None
    assert opened.corpus.text(0) == "a text"
    assert opened.model is not None


def test_every_shared_model_is_told_from_a_corpus(shared: Path) -> None:
    assert all(is_vocabulary(path) for path in (shared / "data/models").iterdir())
    assert all(is_vocabulary(path) for path in (shared / "data/tokenizer_json").iterdir())
    assert not any(is_vocabulary(path) for path in (shared / "data/corpora").iterdir())
    assert not any(is_vocabulary(path) for path in (shared / "data/freq").iterdir())


def test_a_corpus_and_a_vocabulary_are_opened_together(tmp_path: Path) -> None:
    MODEL.save(tmp_path / "m.model")
    (tmp_path / "c.txt").write_text("ab\nab\nb\n", encoding="utf-8")
    opened = OpenRequest((tmp_path / "c.txt", tmp_path / "m.model"))(TaskControl())
    assert opened.corpus is not None
    assert opened.model is not None
    assert (len(opened.corpus), len(opened.model.pieces)) == (2, 4)


def test_two_vocabularies_at_once_are_refused(tmp_path: Path) -> None:
    MODEL.save(tmp_path / "1.model")
    MODEL.save(tmp_path / "2.model")
    with pytest.raises(ModelFileError, match="2 vocabularies at once"):
        OpenRequest((tmp_path / "1.model", tmp_path / "2.model"))(TaskControl())


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"missing\.txt"):
        OpenRequest((tmp_path / "missing.txt",))(TaskControl())


def test_a_vocabulary_that_cannot_be_written_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(EngineError):
        SaveModelRequest(MODEL, tmp_path / "no such folder" / "m.model")(TaskControl())
    assert list(tmp_path.iterdir()) == []


def test_the_steps_of_a_training_tell_every_update_and_pruning() -> None:
    steps = list(TrainRequest(ABC, PRESETS["Teaching"]).steps(TaskControl()))
    assert sum(step.update is not None for step in steps) == 8
    assert sum(step.pruning is not None for step in steps) == 3


def test_the_curve_drawn_during_a_training_is_that_of_its_history() -> None:
    updates: tuple[Update, ...] = ()
    run = train(ABC, PRESETS["Teaching"])
    for step in run:
        updates = with_step(updates, step)
    assert run.history is not None
    assert updates[-1].loss_after is None
    told = np.array([update.loss_after for update in updates[:-1]], dtype=float)
    kept = np.array([update.loss_after for update in run.history.updates[:-1]], dtype=float)
    np.testing.assert_allclose(told, kept, rtol=1e-12)


def test_a_stopped_training_ends_with_cancelled() -> None:
    control = TaskControl()
    control.cancel.set()
    with pytest.raises(Cancelled):
        list(TrainRequest(ABC, replace(PRESETS["Teaching"])).steps(control))


def test_an_error_of_the_system_names_file_and_reason() -> None:
    assert sentence_of(PermissionError(13, "Permission denied", "a.txt")) == "a.txt: Permission denied."


def test_a_bug_is_called_one() -> None:
    assert sentence_of(ZeroDivisionError("x")).startswith("Something failed that should not have")


def test_a_pipe_among_files_is_refused_and_the_others_open(tmp_path: Path) -> None:
    pipe, texts = tmp_path / "pipe", tmp_path / "corpus.txt"
    os.mkfifo(pipe)
    texts.write_text("ab\n")
    with pytest.raises(CorpusError, match=r"pipe cannot be read: it is a device, not a file\.$"):
        OpenRequest((pipe,))(TaskControl())
    opened = OpenRequest((pipe, texts))(TaskControl())
    assert opened.corpus is not None
    assert opened.corpus.text(0) == "ab"
    assert len(opened.failures) == 1
    MODEL.save(tmp_path / "a.model")
    os.mkfifo(tmp_path / "a.model.history")
    beside = OpenRequest((tmp_path / "a.model",))(TaskControl())
    assert "without its training" in beside.remark
