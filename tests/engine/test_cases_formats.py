"""Faults that people reported of files, with the right behaviour: one test a case.

Acts on the window (drops, what is said of a conversion) are in `gui/test_cases_window`. Not applicable: FMT-16's
question before overwriting, since saving always asks for a name, and the file dialog asks about one that is there;
FIL-01's paths of Windows, FIL-02's code pages and FIL-07's locked files, which need another system (their like on this
one is tested).
FIL-04 is a case of corpora (`test_corpus`), and trained here once.
"""

from __future__ import annotations

import json
import os
import random
import signal
import stat
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer

from engine.comparison import compare_vocabularies, mapping_table
from engine.corpus import Corpus
from engine.errors import ModelFileError
from engine.formats.json_text import rust_float
from engine.model import UnigramModel, load_model
from engine.pieces import PieceType
from engine.spec import PRESETS
from engine.trainer import train
from tests.helpers.case_models import BASE_BYTES, BASE_ROWS, added_token, base, json_bytes, json_model
from tests.helpers.toy_models import base_model

REPOSITORY = Path(__file__).parents[2]


def test_the_file_of_the_cases_is_base() -> None:
    model = UnigramModel.from_bytes(BASE_BYTES)
    assert model.encode_pieces("ab a") == ["▁", "ab", "▁", "a"]
    assert model.to_document().data == BASE_BYTES
    opened = UnigramModel.from_bytes(BASE_BYTES)
    assert opened.warnings == ()
    assert opened.to_document().data == BASE_BYTES
    # FMT-08: the way through a tokenizer.json is not byte-identical, and says why.
    assert any("bos and which is eos" in loss for loss in opened.losses)
    assert opened.as_tokenizer().as_sentencepiece().losses == ()


def test_fmt_01_what_is_no_model_is_named_and_the_content_decides(tmp_path: Path) -> None:
    (tmp_path / "x.model").write_bytes(json_bytes())
    (tmp_path / "tokenizer.json").write_bytes(BASE_BYTES)
    assert load_model(tmp_path / "x.model").tokenizer_document is not None
    assert load_model(tmp_path / "tokenizer.json").document is not None


@pytest.mark.parametrize(("number", "kind"), [(2, "BPE"), (3, "word"), (4, "character"), (9, "unknown")])
def test_fmt_04_other_models_are_refused_by_name(number: int, kind: str) -> None:
    data = BASE_BYTES.replace(b"\x12\x07\x18\x01", b"\x12\x07\x18" + bytes([number]))
    assert data != BASE_BYTES
    with pytest.raises(ModelFileError, match=f"of the kind {kind}"):
        UnigramModel.from_bytes(data)


@pytest.mark.parametrize("kind", ["BPE", "WordPiece", "WordLevel", "Morfessor"])
def test_fmt_04_other_json_models_are_refused_by_name(kind: str) -> None:
    with pytest.raises(ModelFileError, match=f"with a {kind} model"):
        UnigramModel.from_bytes(json_bytes(model={"type": kind, "vocab": {"a": 0}, "merges": []}))


def test_fmt_04_a_list_of_pairs_without_a_type_is_unigram() -> None:
    document = json.loads(json_bytes())
    del document["model"]["type"]
    assert UnigramModel.from_bytes(json.dumps(document).encode()).encode("ab") == json_model().encode("ab")
    alone = json.dumps(document["model"]).encode()
    assert UnigramModel.from_bytes(alone).encode("ab") == [6]


UNTITLED = (("<unk>", 0.0), *BASE_ROWS[3:])


@pytest.mark.parametrize("absent", [True, False])
def test_fmt_05_without_an_unknown_piece_it_opens_with_a_warning(absent: bool) -> None:
    document = json.loads(json_bytes(UNTITLED, model={"unk_id": None}))
    if absent:
        del document["model"]["unk_id"]
    model = UnigramModel.from_bytes(json.dumps(document).encode())
    assert "names no unknown piece" in model.warnings[0]
    assert model.encode("ab 漢") == [1, 4, 1, 0]
    repaired = replace(model).as_sentencepiece().as_tokenizer()
    assert repaired.warnings == ()
    without = json_model(BASE_ROWS[3:], model={"unk_id": None})
    assert without.encode_pieces("ab 漢") == ["▁", "ab", "▁", "漢"]
    assert without.encode("ab 漢")[-1] == 4


@pytest.mark.parametrize("has_tokens", [False, True])
@pytest.mark.parametrize("rows", [UNTITLED, BASE_ROWS[3:]], ids=["unnamed", "none"])
def test_fmt_05_the_unknown_piece_is_repaired(rows: Any, has_tokens: bool) -> None:
    tokens = [added_token(len(rows), "<X>")] if has_tokens else []
    model = json_model(rows, model={"unk_id": None}, added_tokens=tokens)
    assert model.lacks_unknown_piece
    repaired = model.with_unknown_piece()
    data = repaired.to_tokenizer_document().data
    unknown = 0 if rows is UNTITLED else len(rows)
    assert json.loads(data)["model"]["unk_id"] == unknown
    assert repaired.pieces.texts[unknown] == "<unk>"
    for one in (repaired, UnigramModel.from_bytes(data)):
        assert not one.lacks_unknown_piece
        assert one.with_unknown_piece() is one
        assert one.encode("ab 漢") == Tokenizer.from_str(data.decode()).encode("ab 漢").ids
        assert one.encode("ab 漢")[-1] == unknown
        # What moves is said.
        assert len(one.warnings) == (has_tokens and unknown > 0)
        assert all("has the ID" in sentence for sentence in one.warnings)
    with pytest.raises(Exception, match="unk_id"):
        Tokenizer.from_str(model.to_tokenizer_document().data.decode()).encode("漢")


@pytest.mark.parametrize(("rows", "number"), [(UNTITLED, 99), (UNTITLED, -2), ((), 0)])
def test_fmt_05_an_unknown_piece_that_is_not_there(rows: tuple[tuple[str, float], ...], number: int) -> None:
    with pytest.raises(ModelFileError, match="must be from 0 to 4" if rows else "is empty"):
        json_model(rows, model={"unk_id": number})


DAMAGE = (
    ("-2.2]", '"-2"]', r"Entry 6 of the vocabulary \(line 1, column \d+\) has the score '-2'"),
    ("-2.2]", "null]", "Entry 6 .* has the score None"),
    ("-2.2]", "true]", "Entry 6 .* has the score True"),
    ("-2.2]", "NaN]", "NaN is no number in JSON"),
    ("-2.2]", "-Infinity]", "-Infinity is no number in JSON"),
    ("-2.2]", "-2.2, 1]", r"Entry 6 .*line 1, column \d+\) is no pair"),
    ("-2.2]", "-2.2,]", "at line 1, column"),
    ("-2.2]", "-1e999]", "score -inf"),
    ('"ab"', '"\\ud800"', "Entry 6 .* lone surrogate"),
    ('"ab"', '""', "Entry 6 .* is an empty piece"),
    ('"ab"', '"a"', "'a' stands twice"),
)


@pytest.mark.parametrize(("before", "after", "sentence"), DAMAGE)
def test_fmt_06_damage_is_named_with_its_place(before: str, after: str, sentence: str) -> None:
    text = json_bytes().decode()
    assert before in text
    with pytest.raises(ModelFileError, match=sentence):
        UnigramModel.from_bytes(text.replace(before, after).encode())


def test_fmt_06_a_vocabulary_as_an_object_is_another_model() -> None:
    with pytest.raises(ModelFileError, match="must be a list of pieces"):
        json_model(model={"vocab": {"a": -1.0}})


def test_fmt_06_a_byte_order_mark_and_whole_numbers_are_no_damage() -> None:
    data = b"\xef\xbb\xbf" + json_bytes([(text, round(score)) for text, score in BASE_ROWS])
    assert UnigramModel.from_bytes(data).pieces.log_probs.tolist() == [0, 0, 0, -3, -2, -2, -2]


SCORES = (-2.2, -2.5, 0.0, -0.0, 1.17549435e-38, -13.5298, -2, -2.0122928619384766, -1e-45, -3.4e38)


def test_fmt_08_scores_keep_their_32_bits(tmp_path: Path) -> None:
    rows = [(f"p{i}", float(np.float32(score))) for i, score in enumerate(SCORES)]
    model = UnigramModel.from_bytes(base_model(*rows).to_document().data)
    model.save(tmp_path / "tokenizer.json")
    opened = load_model(tmp_path / "tokenizer.json")
    opened.save(tmp_path / "again.model")
    bits = [
        one.pieces.log_probs.astype(np.float32).view(np.int32) for one in (model, load_model(tmp_path / "again.model"))
    ]
    assert bits[0].tolist() == bits[1].tolist()
    theirs = json.loads(Tokenizer.from_file(str(tmp_path / "tokenizer.json")).to_str())["model"]["vocab"]
    assert [score for _, score in theirs] == opened.pieces.log_probs.tolist()
    assert "-2.200000047683716" in (tmp_path / "tokenizer.json").read_text(encoding="utf-8")


def test_fmt_08_numbers_are_read_as_the_library_reads_them() -> None:
    for digits, value in (("-2.0122928619384766", -2.012292861938477), ("1e400", float("inf")), ("-0.0", -0.0),
                          ("0.1", 0.1), ("123456789012345678901234567890", 1.2345678901234568e29)):  # fmt: skip
        assert rust_float(digits) == value


def test_fmt_09_two_numberings_of_one_vocabulary() -> None:
    rows = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), *BASE_ROWS[3:], ("<mask>", 0.0)]
    other = json_model(rows, model={"unk_id": 3})
    assert base().encode("ab 漢") == [3, 6, 3, 0]
    assert other.encode("ab 漢") == [4, 7, 4, 3]
    assert other.as_sentencepiece().pieces.texts == other.pieces.texts
    assert other.as_sentencepiece().encode("ab 漢") == [4, 7, 4, 3]
    # By text they pair: a shift by one, and the unknown piece elsewhere.
    compared = compare_vocabularies(base(), other)
    assert compared.id_change.tolist() == [3, -1, 0, 1, 1, 1, 1]
    head, *lines = (line.split("\t") for line in mapping_table(compared).decode().splitlines())
    table = [dict(zip(head, line, strict=True)) for line in lines]
    ids = {row["id_a"]: row["id_b"] for row in table}
    assert [ids[str(i)] for i in base().encode("ab 漢")] == ["4", "7", "4", "3"]
    assert [row["piece"] for row in table if not row["id_a"]] == ["<pad>", "<mask>"]
    assert (table[0]["piece"], table[0]["id_change"], table[0]["type_b"]) == ("<unk>", "3", "UNKNOWN")


def test_fmt_10_added_tokens_outside_the_vocabulary() -> None:
    model = json_model(added_tokens=[added_token(7, "<extra_id_1>"), added_token(8, "<extra_id_0>")])
    assert model.encode("ab <extra_id_0>") == [3, 6, 3, 8]
    assert model.tokenizer_document is not None
    assert (len(model.pieces), model.tokenizer_document.n_model_pieces) == (9, 7)
    assert model.as_sentencepiece().pieces.types[7:].tolist() == [PieceType.USER_DEFINED] * 2
    moved = json_model(added_tokens=[added_token(20, "<extra_id_1>"), added_token(8, "<extra_id_0>")])
    assert moved.encode("ab <extra_id_1>")[-1] == 7
    assert "has the ID 7 here, as in HF tokenizers, not 20" in moved.warnings[0]


def test_fmt_12_pieces_that_break_lines(tmp_path: Path) -> None:
    odd = [(text, -1.0, 4) for text in ("\t", "\n", "\r", "\u2028", "\x85", "\x83")]
    model = base(*odd)
    for suffix in (".tsv", ".csv"):
        model.save(tmp_path / f"m{suffix}")
        assert (tmp_path / f"m{suffix}").read_bytes().count(b"\n") == len(model.pieces) + 1
        assert load_model(tmp_path / f"m{suffix}").pieces.texts == model.pieces.texts
    with pytest.raises(ModelFileError, match="piece 7, 8, 9"):
        model.save(tmp_path / "m.vocab")


def test_fmt_14_fields_from_elsewhere_survive_an_edit() -> None:
    strange = bytes.fromhex("0a0a0a016315000000401809")
    data = strange.join(base_model().to_document().data.partition(b"\x12")[::2]).replace(strange, strange + b"\x12")
    data += bytes.fromhex("e01207")
    model = UnigramModel.from_bytes(data)
    assert model.to_document().data == data
    assert (model.pieces.texts[-1], model.pieces.types[-1]) == ("c", PieceType.NORMAL)
    rows = [*zip(model.pieces.texts, model.pieces.log_probs.tolist(), model.pieces.types.tolist(), strict=True)]
    edited = replace(model, pieces=model.pieces.from_rows([*rows[:6], ("ab", -2.3, 1), *rows[7:]]))
    before, after = (np.float32(value).tobytes() for value in (-2.2, -2.3))
    assert edited.to_document().data == data.replace(before, after)


def test_fmt_15_what_is_absent_is_not_false() -> None:
    data = bytes.fromhex(
        "0a0e0a053c756e6b3e150000000018020a0c0a033c733e150000000018030a0d0a043c2f733e150000000018030a0a0a03e29681150000"
        "40c00a080a016115000000c00a080a016215000020c00a090a02616215cdcc0cc0"
    )
    model = UnigramModel.from_bytes(data)
    assert model.encode_pieces("  ab  a") == ["▁", "ab", "▁", "a"]
    assert model.decode(model.encode("  ab  a")) == "ab a"
    assert model.to_document().data == data


def test_fmt_16_saving_needs_no_source(tmp_path: Path) -> None:
    (tmp_path / "m.model").write_bytes(BASE_BYTES)
    model = load_model(tmp_path / "m.model")
    (tmp_path / "m.model").unlink()
    model.save(tmp_path / "copy.model")
    assert (tmp_path / "copy.model").read_bytes() == BASE_BYTES


@pytest.mark.parametrize(
    "name", ["模型 (1).model", "a%20b#c&d.model", "é e\u0301.model", "😀" * 30 + ".model", "\udcf0.model"]
)
def test_fil_01_names_of_any_kind(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "Üser ж" / "아라 😀"
    folder.mkdir(parents=True)
    base().save(folder / name)
    assert load_model(folder / name).encode("ab") == [3, 6]
    with pytest.raises(ModelFileError, match="cannot be written"):
        base().save(folder / ("x" * 300 + ".model"))


def test_fil_02_files_are_utf8_in_any_locale(tmp_path: Path) -> None:
    code = (
        "import sys, warnings; from engine import load_model\n"
        "warnings.filterwarnings('error', category=EncodingWarning, module='engine'); m = load_model(sys.argv[1])\n"
        "for s in ('tsv', 'csv', 'vocab', 'json', 'model'): m.save(f'{sys.argv[2]}.{s}')"
    )
    base().save(tmp_path / "m.model")
    for locale in ("C", "C.UTF-8"):
        command = [sys.executable, "-X", "warn_default_encoding", "-W", "ignore", "-c", code]
        environment = {**os.environ, "LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONPATH": str(REPOSITORY)}
        done = subprocess.run(
            [*command, str(tmp_path / "m.model"), str(tmp_path / locale)],
            env=environment,
            capture_output=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b"")
    for suffix in ("tsv", "csv", "vocab", "json", "model"):
        assert (tmp_path / f"C.{suffix}").read_bytes() == (tmp_path / f"C.UTF-8.{suffix}").read_bytes()


def test_fil_04_lines_of_windows_give_the_same_vocabulary(tmp_path: Path) -> None:
    (tmp_path / "unix.txt").write_bytes(b"ab ab\nab cd\n" * 4)
    (tmp_path / "windows.txt").write_bytes(b"\xef\xbb\xbf" + b"ab ab\r\nab cd\r\n" * 4)
    spec = replace(PRESETS["Unigram GUI"], vocab_size=20, hard_vocab_limit=False)
    corpora = [Corpus.from_file(tmp_path / f"{kind}.txt") for kind in ("unix", "windows")]
    texts = [train(corpus, spec).result().pieces.texts for corpus in corpora]
    assert texts[0] == texts[1]
    assert not {"\r", "\ufeff"} & set("".join(texts[1]))


# The case asks for a million pieces and 50 kills: that takes a while.
SECONDS_A_BYTE = 3e-8  # longer than writing takes
KILLS = [(20_000, 5), pytest.param(1_000_000, 50, marks=pytest.mark.slow)]


@pytest.mark.parametrize(("n_pieces", "n_kills"), KILLS)
def test_fil_06_killed_while_saving_the_file_is_old_or_new(tmp_path: Path, n_pieces: int, n_kills: int) -> None:
    rows = [(f"piece{i}", -float(i + 1)) for i in range(n_pieces)]
    base_model(*rows).save(tmp_path / "new.model")
    base().save(tmp_path / "m.model")
    old, new = (tmp_path / "m.model").read_bytes(), (tmp_path / "new.model").read_bytes()
    code = (
        "import sys; from engine.files import write_file; data = open(sys.argv[1], 'rb').read()\n"
        "print('ready', flush=True)\nwhile True: write_file(sys.argv[2], data)"
    )
    found, moments = set(), random.Random(6)
    for _ in range(n_kills):
        (tmp_path / "m.model").write_bytes(old)
        child = subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path / "new.model"), str(tmp_path / "m.model")],
            stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        )  # fmt: skip
        with child:
            assert child.stdout is not None
            child.stdout.readline()
            time.sleep(moments.uniform(0.0, SECONDS_A_BYTE * len(new)))
            child.send_signal(signal.SIGKILL)
        left = (tmp_path / "m.model").read_bytes()
        assert left in (old, new)
        found.add(left)
        for part in tmp_path.glob(".*.part"):  # only where it was killed
            part.unlink()
    assert n_kills < 50 or len(found) == 2, "every kill came too early, or too late"


def test_fil_06_links_and_modes_are_kept_and_a_full_disk_is_told(tmp_path: Path) -> None:
    base().save(tmp_path / "real.model")
    (tmp_path / "real.model").chmod(0o600)
    (tmp_path / "link.model").symlink_to(tmp_path / "real.model")
    base(("x", -9.0)).save(tmp_path / "link.model")
    assert (tmp_path / "link.model").is_symlink()
    assert stat.S_IMODE((tmp_path / "real.model").stat().st_mode) == 0o600
    assert len(load_model(tmp_path / "real.model").pieces) == 8
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.model", "real.model"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_fil_07_a_folder_without_rights(tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir()
    base().save(folder / "m.model")
    folder.chmod(0o555)
    try:
        with pytest.raises(ModelFileError, match="cannot be written: Permission denied"):
            base().save(folder / "m.model")
    finally:
        folder.chmod(0o755)
    base(("x", -9.0)).save(folder / "m.model")


def test_fil_07_a_folder_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="cannot be written: No such file"):
        base().save(tmp_path / "gone" / "m.model")
