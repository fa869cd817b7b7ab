"""Histories on disk: they come back as they were, belong to one model, and damage is told in one sentence."""

from __future__ import annotations

import io
import zipfile
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from engine import history_file
from engine.corpus import Corpus
from engine.errors import ModelFileError
from engine.history import TrainingHistory
from engine.history_file import history_path, load_history, save_history
from engine.history_store import HistoryStore
from engine.model import UnigramModel, load_model
from engine.spec import PRESETS
from engine.timeline import model_at, moments
from engine.trainer import train

ABC = {"a": 16, "b": 8, "c": 8, "ab": 24, "bc": 32, "abc": 12, "abca": 2, "cab": 2}


def _trained(counts: dict[str, int]) -> tuple[TrainingHistory, UnigramModel]:
    spec = replace(PRESETS["Teaching"], user_defined_symbols=("xy", "\\"), hard_vocab_limit=False)
    run = train(Corpus.from_counts(counts), spec)
    model = run.result()
    assert run.history is not None
    return run.history, model


@pytest.fixture(scope="module")
def abc() -> tuple[TrainingHistory, UnigramModel]:
    return _trained(ABC)


def _equal(a: object, b: object) -> bool:
    if isinstance(a, np.ndarray):
        assert isinstance(b, np.ndarray)
        return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    return a == b


def test_a_history_comes_back_as_it_was_bit_for_bit(abc: tuple[TrainingHistory, UnigramModel], tmp_path: Path) -> None:
    history, model = abc
    model.save(tmp_path / "abc.model")
    save_history(history_path(tmp_path / "abc.model"), history, model)
    reopened = load_model(tmp_path / "abc.model")
    found = load_history(tmp_path / "abc.model.history", reopened)
    assert list(found.piece_texts) == list(history.piece_texts)
    plain = [f.name for f in fields(history) if f.name not in ("piece_texts", "updates", "prunings")]
    assert all(_equal(getattr(history, name), getattr(found, name)) for name in plain)
    for records, others in ((history.updates, found.updates), (history.prunings, found.prunings)):
        for one, other in zip(records, others, strict=True):
            assert all(_equal(value, vars(other)[name]) for name, value in vars(one).items())


def test_a_reopened_model_can_be_looked_at_before_its_training(
    abc: tuple[TrainingHistory, UnigramModel], tmp_path: Path
) -> None:
    history, model = abc
    model.save(tmp_path / "m.model")
    save_history(tmp_path / "m.model.history", history, model)
    reopened = load_model(tmp_path / "m.model")
    found = load_history(tmp_path / "m.model.history", reopened)
    assert model_at(found, moments(found)[0], reopened).encode_pieces("abc") == ["abc"]


def test_the_history_of_another_model_is_refused(abc: tuple[TrainingHistory, UnigramModel], tmp_path: Path) -> None:
    history, model = abc
    save_history(tmp_path / "h", history, model)
    _, other = _trained({**ABC, "cc": 9})
    with pytest.raises(ModelFileError, match="h is the history of another model"):
        load_history(tmp_path / "h", other)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 nonsense", b"text\n" * 50])
def test_what_is_no_history_is_refused_in_a_sentence(
    abc: tuple[TrainingHistory, UnigramModel], tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "h").write_bytes(content)
    with pytest.raises(ModelFileError, match=r"h is no training history, or is damaged\."):
        load_history(tmp_path / "h", abc[1])


def test_a_file_that_was_cut_short_is_refused(abc: tuple[TrainingHistory, UnigramModel], tmp_path: Path) -> None:
    save_history(tmp_path / "h", *abc)
    whole = (tmp_path / "h").read_bytes()
    (tmp_path / "h").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ModelFileError, match="damaged"):
        load_history(tmp_path / "h", abc[1])


def _rezipped(whole: bytes, member: str, content: bytes) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(whole)) as old, zipfile.ZipFile(written, "w") as new:
        assert member in old.namelist()
        for name in old.namelist():
            new.writestr(name, content if name == member else old.read(name))
    return written.getvalue()


def _npy(values: object) -> bytes:
    written = io.BytesIO()
    np.save(written, np.asarray(values))
    return written.getvalue()


def _head(n: int) -> bytes:
    """Return an array file whose head is no dictionary that ends."""
    return b"\x93NUMPY\x01\x00" + n.to_bytes(2, "little") + b"{'descr': (".ljust(n)


def test_a_flipped_bit_or_byte_of_the_directory_is_damage(
    abc: tuple[TrainingHistory, UnigramModel], tmp_path: Path
) -> None:
    save_history(tmp_path / "h", *abc)
    whole = (tmp_path / "h").read_bytes()
    directory = whole.index(b"PK\x01\x02")
    for place, value in ((10, 64), (6, 109), (8, 1), (42, 255)):  # method, version, encryption, where it lies
        damaged = bytearray(whole)
        damaged[directory + place] = value
        (tmp_path / "h").write_bytes(damaged)
        with pytest.raises(ModelFileError, match="h is no training history, or is damaged"):
            load_history(tmp_path / "h", abc[1])


@pytest.mark.parametrize(
    ("member", "content"),
    [
        ("updates.0.pieces", b""),
        ("updates.0.pieces", _head(118)),
        ("updates.0.pieces", _npy([10**6] * 12)),
        ("updates.0.pieces", _npy(np.arange(2, dtype=np.int32))),
        ("updates.0.probabilities", _npy(np.zeros((2, 2)))),
        ("prunings.0.verdict", _npy(np.zeros(1, dtype=np.int8))),
        ("prunings.0.losses", _npy(["a"])),
        ("code_points", b"null"),
        ("code_points", _npy(np.full(3, 0x110000, dtype=np.int32))),
        ("text_offsets", _npy(np.array([0, 9, 3]))),
        ("text_offsets", _npy(np.array([], dtype=np.int64))),
        ("final_losses", _npy(np.zeros(3))),
        ("final_loss_is_bound", _npy(np.zeros(3))),
        ("seed_probabilities", _npy(np.float64(1.0))),
        ("head", _npy(np.frombuffer(b"[1]", dtype=np.uint8))),
    ],
)
def test_contents_that_do_not_fit_are_refused_at_opening(
    abc: tuple[TrainingHistory, UnigramModel], tmp_path: Path, member: str, content: bytes
) -> None:
    save_history(tmp_path / "h", *abc)
    (tmp_path / "h").write_bytes(_rezipped((tmp_path / "h").read_bytes(), f"{member}.npy", content))
    with pytest.raises(ModelFileError, match="h is no training history, or is damaged"):
        load_history(tmp_path / "h", abc[1])


def test_a_history_that_cannot_be_written_leaves_nothing(
    abc: tuple[TrainingHistory, UnigramModel], tmp_path: Path
) -> None:
    with pytest.raises(ModelFileError, match="cannot be written"):
        save_history(tmp_path / "nowhere" / "h", *abc)
    assert list(tmp_path.iterdir()) == []


def test_a_reopened_history_stays_within_its_memory_too(
    abc: tuple[TrainingHistory, UnigramModel], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history, model = abc
    save_history(tmp_path / "h", history, model)
    stores: list[HistoryStore] = []

    def small() -> HistoryStore:
        stores.append(HistoryStore(memory=300))
        return stores[-1]

    monkeypatch.setattr(history_file, "HistoryStore", small)
    found = load_history(tmp_path / "h", model)
    assert stores[0].in_memory <= 300 < stores[0].on_disk
    assert any(isinstance(update.probabilities, np.memmap) for update in found.updates)
    for one, other in zip(history.updates, found.updates, strict=True):
        assert all(_equal(value, vars(other)[name]) for name, value in vars(one).items())
