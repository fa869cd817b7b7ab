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
        (gzip.compress(b"x", mtime=0), "gzip-compressed"),
        (b'{"version": "1.0", "model": {}}', "is JSON but no tokenizer.json"),
        (b'\xef\xbb\xbf{\n "model": {}}', "is JSON but no tokenizer.json"),
        ('{"a": 1}'.encode("utf-16"), "is JSON but no tokenizer.json"),
        ('{"a": 1}'.encode("utf-16-be"), "no SentencePiece model"),
        (b'[{"a": 1}]', "is JSON but no object"),
        (b'{"a": [1, 2', "JSON that is cut short or damaged: Expecting ',' delimiter at line 1, column 12"),
        (b'{"a": "\xff"}', "no valid UTF-8 at byte 7"),
        (b'{"a": ' + b"[" * 99_999, "nested too deeply"),
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


REFUSED = {
    "concatenated_twice.model": "2 unknown pieces",
    "empty.model": "is empty",
    "envit5.tokenizer.json": "with a BPE model",
    "envit5_lfs_pointer.spiece.model": "Git LFS pointer, not the model of 1,102,207 bytes",
    "gzipped.model": "gzip-compressed",
    "html_error_page.model": "a web page",
    "kerashub_t5_test_vocab.spm": "of the kind word",
    "kitoken_bert_base_cased.tokenizer.json": "with a WordPiece model",
    "kitoken_gpt_neox.tokenizer.json": "with a BPE model",
    "kitoken_llama2.model": "of the kind BPE",
    "t5_truncated.tokenizer.json": "cut short or damaged: .* at line 1, column 677618",
    "trailing_garbage.model": "cut short or damaged",
    "truncated_half.model": "cut short or damaged",
    "truncated_minus1.model": "cut short or damaged",
    "utf8_mangled.model": "cut short or damaged",
    "yeast_spiece.model": "of the kind character",
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("renamed", ["x.model", "x.json", "x.txt"])
def test_files_to_refuse_are_refused_by_kind_whatever_their_name(
    shared: Path, tmp_path: Path, name: str, renamed: str
) -> None:
    (tmp_path / renamed).write_bytes((shared / "data" / "refused" / name).read_bytes())
    with pytest.raises(ModelFileError, match=REFUSED[name]) as caught:
        load_model(tmp_path / renamed)
    sentence = str(caught.value)
    assert sentence.endswith(".")
    assert "\n" not in sentence


@pytest.mark.parametrize("name", ["t5_bom.tokenizer.json", "t5_utf16.tokenizer.json"])
def test_a_byte_order_mark_is_no_damage(shared: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "x.model").write_bytes((shared / "data" / "refused" / name).read_bytes())
    plain = load_model(shared / "data" / "tokenizer_json" / "ort_t5-small.tokenizer.json")
    assert load_model(tmp_path / "x.model").encode("Hello, wörld!") == plain.encode("Hello, wörld!")


def test_every_file_to_refuse_is_in_the_list(shared: Path) -> None:
    names = {path.name for path in (shared / "data" / "refused").iterdir()}
    assert names == {*REFUSED, "t5_bom.tokenizer.json", "t5_utf16.tokenizer.json"}
