"""A training is saved beside its vocabulary and comes back with it; a finished one says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QWidget

from engine.model import load_model
from tests.gui.conftest import SECONDS, Person


@pytest.fixture
def saved(person: Person, tmp_path: Path) -> Path:
    """The file of a vocabulary that was trained on abc and saved."""
    person.opens_sample("abc")
    person.trains("Teaching")
    with person.bot.waitSignal(person.session.model_saved, timeout=SECONDS):
        person.session.save_model(tmp_path / "abc.model")
    return tmp_path / "abc.model"


def test_the_training_lies_beside_the_vocabulary(saved: Path) -> None:
    assert sorted(path.name for path in saved.parent.iterdir()) == ["abc.model", "abc.model.history"]


def test_a_training_that_cannot_be_written_is_told_and_the_vocabulary_is_saved(person: Person, tmp_path: Path) -> None:
    person.opens_sample("abc")
    person.trains("Teaching")
    (tmp_path / "abc.model.history").mkdir()
    with person.bot.waitSignal(person.session.failed, timeout=SECONDS) as failed:
        person.session.save_model(tmp_path / "abc.model")
    assert failed.args is not None
    said = failed.args[0]
    assert said.startswith("abc.model is saved, but the history of its training is not: ")
    assert said.endswith("abc.model.history cannot be written: it is a folder.")
    assert person.window.strip.label.text() == said
    assert not person.session.has_unsaved_training
    assert load_model(tmp_path / "abc.model").pieces.texts[:3] == ("<unk>", "a", "b")


def test_a_reopened_vocabulary_has_its_timeline_and_losses(person: Person, saved: Path) -> None:
    person.opens(saved)
    person.types("abc")
    assert person.window.timeline.slider.isEnabled()
    assert person.window.pruning.rounds.count() == 3
    assert person.window.left_status.text() == "abc.model, 6 pieces and <unk>, opened"
    person.session.replay.go_to(0)
    person.waits()
    assert person.window.segmentation.tokens[0][0] == "abc"


def test_a_damaged_training_is_told_and_the_vocabulary_opened_all_the_same(person: Person, saved: Path) -> None:
    saved.with_name("abc.model.history").write_bytes(b"PK")
    person.opens(saved)
    assert person.session.history is None
    said = person.window.strip.label.text()
    assert said.startswith("The vocabulary is open without its training: abc.model.history is no training history")


def test_exporting_a_table_writes_no_training(person: Person, saved: Path) -> None:
    with person.bot.waitSignal(person.session.model_saved, timeout=SECONDS):
        person.session.save_model(saved.parent / "abc.tsv")
    assert not (saved.parent / "abc.tsv.history").exists()


def test_a_finished_training_notifies(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    alerted: list[QWidget] = []
    monkeypatch.setattr(QApplication, "alert", alerted.append)
    person.opens_sample("abc")
    person.trains("Teaching")
    assert alerted == [person.window]
    assert person.window.statusBar().currentMessage() == "Training finished: 7 pieces"
