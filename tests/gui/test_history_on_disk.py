"""A training is saved beside its vocabulary and comes back with it; a finished one says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from engine.errors import ModelFileError
from engine.history_file import history_path
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
    assert not person.session.has_unsaved_vocabulary
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


# Whose settings are shown.


def test_an_opened_training_brings_its_settings_and_there_is_a_way_back(person: Person, saved: Path) -> None:
    person.session.choose_preset("Unigram GUI")
    person.sets("vocab_size", "123")
    person.window.text_input.setFocus()
    own, training = person.session.spec, person.window.training
    assert not training.lender_row.isVisible()
    person.opens(saved)
    assert person.session.history is not None
    assert person.session.spec == person.session.history.spec
    assert training.presets.currentText() == "Teaching"
    assert training.lender.toolTip() == "settings of abc.model"
    person.bot.mouseClick(training.own_settings, Qt.MouseButton.LeftButton)
    assert person.session.spec == own
    assert training.editors["vocab_size"].value() == 123
    assert not training.lender_row.isVisible()


def test_settings_that_were_changed_since_say_so_and_still_lead_back(person: Person, saved: Path) -> None:
    person.session.choose_preset("Unigram GUI")
    own, training = person.session.spec, person.window.training
    person.opens(saved)
    person.sets("vocab_size", "6")
    person.window.text_input.setFocus()
    assert training.lender.toolTip() == "changed since abc.model"
    person.opens(saved)  # now the changed ones are a person's own
    person.bot.mouseClick(training.own_settings, Qt.MouseButton.LeftButton)
    assert person.session.spec.vocab_size == 6
    person.session.choose_preset("Unigram GUI")
    person.opens(saved)
    person.opens(saved)
    person.bot.mouseClick(training.own_settings, Qt.MouseButton.LeftButton)
    assert person.session.spec == own


def test_a_training_with_borrowed_settings_makes_them_its_own(person: Person, saved: Path) -> None:
    person.session.choose_preset("Unigram GUI")
    person.opens(saved)
    person.window.training.train_button.click()
    person.waits()
    assert not person.window.training.lender_row.isVisible()
    assert person.window.training.presets.currentText() == "Teaching"


def test_an_opened_training_shows_its_result_and_remarks(person: Person, saved: Path) -> None:
    training = person.window.training
    shown = (training.round_label.toolTip(), training.loss_label.text(), training.notes.text())
    person.opens(saved)
    assert (training.round_label.toolTip(), training.loss_label.text(), training.notes.text()) == shown
    assert shown[0] == "round 4 of 4 · 7 pieces"
    assert training.state.toolTip() == ""


# In the library.


def test_the_library_keeps_the_training_with_the_vocabulary(person: Person, saved: Path) -> None:
    comparing = person.session.comparing
    view = person.window.compare.save_current().library
    person.bot.keyClicks(view.name, "with its training")
    person.bot.mouseClick(view.save, Qt.MouseButton.LeftButton)
    person.waits()
    [entry] = [entry for entry in comparing.content.entries if entry.name == "with its training"]
    folder = comparing.library.path(entry.key)
    assert sorted(path.name for path in folder.iterdir()) == [
        "entry.json", "vocabulary.model", "vocabulary.model.history",
    ]  # fmt: skip
    losses = person.window.objective.losses().tolist()
    person.session._take_model(load_model(saved), None, None)
    assert not person.window.timeline.slider.isEnabled()
    view.table.selectRow([row.key for row in comparing.content.entries].index(entry.key))
    person.bot.mouseClick(view.open, Qt.MouseButton.LeftButton)
    person.waits()
    assert person.window.timeline.slider.isEnabled()
    assert person.window.objective.losses().tolist() == losses
    assert person.window.left_status.text() == "with its training in the library, 6 pieces and <unk>, opened"
    comparing.delete(entry.key, entry.name)
    person.waits()
    assert not folder.exists()


def test_a_damaged_training_in_the_library_is_told_and_the_vocabulary_opened(person: Person, saved: Path) -> None:
    comparing = person.session.comparing
    comparing.save("damaged training")
    person.waits()
    [key] = [entry.key for entry in comparing.content.entries if entry.name == "damaged training"]
    history_path(comparing.library.vocabulary_path(key)).write_bytes(b"PK")
    comparing.open_saved(key)
    person.waits()
    assert person.session.history is None
    assert person.window.strip.label.text().startswith("The vocabulary is open without its training: ")
    comparing.library.delete(key)


def test_a_training_that_the_library_cannot_take_is_told_and_the_vocabulary_saved(
    person: Person, saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise ModelFileError("The disk is full.")

    monkeypatch.setattr("unigram_gui.library.save_history", refuse)
    comparing, said = person.session.comparing, []  # type: ignore[var-annotated]
    comparing.failed.connect(said.append)
    comparing.save("no room")
    person.waits()
    assert said == ["no room is saved, but the history of its training is not: The disk is full."]
    [key] = [entry.key for entry in comparing.content.entries if entry.name == "no room"]
    assert comparing.library.open(key).pieces.texts == load_model(saved).pieces.texts
    comparing.library.delete(key)
