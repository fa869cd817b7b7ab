"""Saved vocabularies: what is saved comes back, and what is damaged is named and left alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from engine import Corpus, TrainerSpec, train
from engine.errors import ModelFileError
from tests.helpers.toy_models import base_model
from unigram_gui.library import ENTRY_FILE, Library
from unigram_gui.session import Session


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "library")


def test_a_saved_vocabulary_comes_back_as_it_was(library: Library) -> None:
    model = base_model(("ba", -3.5))
    entry = library.save(model, "  My   model ", "a note", "trained on abc")
    [listed], damaged = library.entries()
    assert (listed, damaged) == (entry, ())
    assert (entry.name, entry.note, entry.origin, entry.n_pieces) == ("My model", "a note", "trained on abc", 8)
    opened = library.open(entry.key)
    assert opened.pieces.texts == model.pieces.texts
    assert opened.name == "My model"


def test_two_of_one_name_stand_side_by_side_the_newest_first(library: Library) -> None:
    first, second = library.save(base_model(), "same"), library.save(base_model(), "same")
    assert first.key != second.key
    assert {entry.key for entry in library.entries()[0]} == {first.key, second.key}


def test_renaming_changes_name_and_note_only(library: Library) -> None:
    entry = library.save(base_model(), "old", "note")
    renamed = library.rename(entry.key, "new", "other")
    assert library.entries()[0] == (renamed,)
    assert (renamed.name, renamed.note, renamed.digest) == ("new", "other", entry.digest)


def test_a_deleted_one_is_gone(library: Library) -> None:
    entry = library.save(base_model(), "x")
    library.delete(entry.key)
    assert library.entries() == ((), ())
    assert list(library.folder.iterdir()) == []
    with pytest.raises(ModelFileError):
        library.delete(entry.key)


def test_damaged_entries_are_named_and_left_alone(library: Library) -> None:
    keys = [library.save(base_model(), name).key for name in ("json", "missing", "good")]
    (library.path(keys[0]) / ENTRY_FILE).write_text("{ not json", encoding="utf-8")
    (library.path(keys[1]) / "vocabulary.model").unlink()
    (library.folder / "stray").mkdir()
    before = sorted(str(path) for path in library.folder.rglob("*"))
    good, damaged = library.entries()
    assert [entry.name for entry in good] == ["good"]
    assert {entry.key for entry in damaged} == {keys[0], keys[1], "stray"}
    assert all(entry.reason.endswith(".") for entry in damaged)
    assert sorted(str(path) for path in library.folder.rglob("*")) == before


@pytest.mark.parametrize("content", ["[]", "{}", '{"name": 1}', "null", '{"surprise": 1}', "[" * 100_000])
def test_any_other_json_is_damage_and_no_crash(library: Library, content: str) -> None:
    entry = library.save(base_model(), "x")
    (library.path(entry.key) / ENTRY_FILE).write_text(content, encoding="utf-8")
    assert [damaged.key for damaged in library.entries()[1]] == [entry.key]


@pytest.mark.parametrize("broken", ["write_file", "settings_in_words"])
def test_saving_that_fails_leaves_no_half_entry(
    library: Library, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    kept = library.save(base_model(), "kept")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(f"unigram_gui.library.{broken}", fail)
    with pytest.raises(ModelFileError, match=r"cannot be written: No space left on device\.$"):
        library.save(base_model(), "lost")
    assert library.entries() == ((kept,), ())
    assert [path.name for path in library.folder.iterdir()] == [kept.key]


def test_an_entry_tells_how_its_vocabulary_was_trained(library: Library) -> None:
    model = train(Corpus.from_counts({"abc": 3, "ab": 2}), TrainerSpec(vocab_size=8, hard_vocab_limit=False)).result()
    settings = library.save(model, "x").settings
    assert (settings["vocab_size"], settings["normalizer"]) == ("8", "identity")
    assert settings["m_step"] == "maximum_likelihood"


def test_a_file_that_was_changed_is_not_opened_as_if_it_were_the_saved_one(library: Library) -> None:
    entry = library.save(base_model(), "mine")
    base_model(("ba", -1.0)).save(library.path(entry.key) / entry.file)
    with pytest.raises(ModelFileError, match=r"mine: .* changed since"):
        library.open(entry.key)


def test_an_entry_cannot_lead_out_of_its_folder(library: Library) -> None:
    entry = library.save(base_model(), "x")
    content = json.loads((library.path(entry.key) / ENTRY_FILE).read_text(encoding="utf-8"))
    content["file"] = "../../secret.model"
    (library.path(entry.key) / ENTRY_FILE).write_text(json.dumps(content), encoding="utf-8")
    assert library.entries()[1][0].key == entry.key
    with pytest.raises(ModelFileError):
        library.path("../x")


def test_a_name_is_needed(library: Library) -> None:
    with pytest.raises(ModelFileError, match="needs a name"):
        library.save(base_model(), "  ")
    assert library.entries() == ((), ())


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(ModelFileError, match=r"cannot be made: .*\.$"):
        Library(tmp_path / "file" / "library").save(base_model(), "x")


def test_a_folder_that_cannot_be_read_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "iterdir", refuse)
    with pytest.raises(ModelFileError, match=r"cannot be read: Permission denied\.$"):
        Library(tmp_path).entries()


def test_a_library_that_cannot_be_listed_is_said_once(
    qtbot: QtBot, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Library] = []

    def fail(library: Library) -> None:
        asked.append(library)
        raise ModelFileError("The library cannot be read.")

    said: list[str] = []
    session.comparing.failed.connect(said.append)
    monkeypatch.setattr(Library, "entries", fail)
    session.comparing.list_library()
    qtbot.waitUntil(lambda: not session.is_busy)
    assert (len(asked), said) == (1, ["The library cannot be read."])
    session.comparing.delete("nothing", "x")  # fails, lists again, which fails too, and that is all
    qtbot.waitUntil(lambda: not session.is_busy)
    assert (len(asked), len(said)) == (2, 3)


def refuse(_: Path) -> None:
    raise PermissionError(13, "Permission denied")
