"""A file is named for what it is, whatever its name says."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from engine.errors import ModelFileError
from engine.model import UnigramModel, load_model
from tests.helpers.toy_models import base_model

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:0123\nsize 791656\n"


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "The file is empty"),
        (POINTER, "Git LFS pointer, not the model of 791,656 bytes"),
        (b"IQ== 0\nIg== 1\nIw== 2\n", "tiktoken list of a BPE"),
        (b"<!DOCTYPE html><html><body>404</body></html>", "a web page"),
        (b"\n <html>", "a web page"),
        (b"PK\x03\x04....", "a ZIP archive; unpack it"),
        (gzip.compress(b"x"), "gzip-compressed"),
        (b'{"version": "1.0", "model": {}}', "is JSON"),
        (b'\xef\xbb\xbf{\n "model": {}}', "is JSON"),
        ('{"a": 1}'.encode("utf-16"), "is JSON"),
        (b"Just a text.\n", "no SentencePiece model"),
        (b"\0" * 100, "no SentencePiece model"),
    ],
)
def test_what_is_no_vocabulary_is_named(tmp_path: Path, data: bytes, sentence: str) -> None:
    path = tmp_path / "tokenizer.model"
    path.write_bytes(data)
    with pytest.raises(ModelFileError, match=f"^tokenizer.model: .*{sentence}"):
        load_model(path)


def test_the_content_decides(tmp_path: Path) -> None:
    base_model().save(tmp_path / "m.model")
    base_model().save(tmp_path / "m.tsv")
    (tmp_path / "m.model").rename(tmp_path / "really_a_model.tsv")
    (tmp_path / "m.tsv").rename(tmp_path / "really_a_table.model")
    assert load_model(tmp_path / "really_a_model.tsv").document is not None
    assert load_model(tmp_path / "really_a_table.model").document is None


def test_a_table_may_hold_control_characters_and_no_marker(tmp_path: Path) -> None:
    for suffix in (".tsv", ".vocab"):
        model = UnigramModel.from_probabilities({"\x01": 0.5, "\x00": 0.25})
        model.save(tmp_path / f"m{suffix}")
        assert load_model(tmp_path / f"m{suffix}").pieces.texts == model.pieces.texts


def test_files_to_refuse_are_refused(shared: Path) -> None:
    for path in sorted((shared / "data" / "refused").iterdir()):
        with pytest.raises(ModelFileError):
            load_model(path)
