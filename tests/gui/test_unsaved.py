"""A vocabulary that was made here and not saved is not lost without a question: one, whatever would lose it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from engine.edits import AddPiece
from engine.model import UnigramModel, load_model
from tests.gui.conftest import Person
from unigram_gui import dialogs
from unigram_gui.main_window import MainWindow
from unigram_gui.session import Session
from unigram_gui.settings import Settings

LEFT = Qt.MouseButton.LeftButton
CONTROL = Qt.KeyboardModifier.ControlModifier
BUTTONS = {
    "save": QMessageBox.StandardButton.Save,
    "discard": QMessageBox.StandardButton.Discard,
    "cancel": QMessageBox.StandardButton.Cancel,
}


class Asked:
    """Answers every question with the same button and remembers what it said."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.answer = "cancel"
        self.questions: list[str] = []
        monkeypatch.setattr(QMessageBox, "question", self._reply)
        monkeypatch.setattr(Settings, "is_unattended", False)
        self._patch = monkeypatch

    def _reply(self, parent: object, title: str, question: str, *_: object) -> QMessageBox.StandardButton:
        self.questions.append(question)
        return BUTTONS[self.answer]

    def saves_to(self, path: Path | None) -> None:
        """Press Save, and name this file in the dialog that follows, or none."""
        self.answer = "save"
        self._patch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path or ""), ""))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    return Asked(monkeypatch)


@pytest.fixture
def taught(person: Person, asked: Asked) -> Person:
    """Return a person whose vocabulary was just trained, and is not saved."""
    person.opens_sample("abc")
    person.trains("Teaching")
    assert asked.questions == []
    return person


def trains(person: Person, _: Path) -> None:
    person.window.training.train_button.click()
    person.waits()


def opens_a_file(person: Person, folder: Path) -> None:
    UnigramModel.from_probabilities({"x": 0.5, "y": 0.5}).save(folder / "other.model")
    person.opens(folder / "other.model")


def opens_from_the_library(person: Person, folder: Path) -> None:
    library = person.session.comparing.library
    entry = library.save(UnigramModel.from_probabilities({"x": 0.5, "y": 0.5}), "mine")
    view = person.window.compare.open_saved().library
    person.waits()
    view.table.selectRow([e.key for e in library.entries()[0]].index(entry.key))
    person.bot.mouseClick(view.open, LEFT)
    person.waits()
    library.delete(entry.key)


def keeps(person: Person, _: Path) -> None:
    person.types("abc")
    person.session.inquiry.ask("what_if")
    person.session.inquiry.try_edit(AddPiece("cc", -2.0))
    person.waits()
    person.window.questions.what_if.keep.click()
    person.waits()


LOSING = pytest.mark.parametrize("lose", [trains, opens_a_file, opens_from_the_library, keeps])
Lose = Callable[[Person, Path], None]


@LOSING
def test_what_would_lose_it_asks_once_and_cancel_leaves_all_as_it_was(
    taught: Person, asked: Asked, tmp_path: Path, lose: Lose
) -> None:
    before = taught.session.model
    lose(taught, tmp_path)
    assert taught.session.model is before
    assert taught.session.history is not None
    assert asked.questions == ["The vocabulary trained on abc.tsv is not saved, and would be lost."]


@LOSING
def test_discard_does_what_was_wanted_after_one_question(
    taught: Person, asked: Asked, tmp_path: Path, lose: Lose
) -> None:
    before, asked.answer = taught.session.model, "discard"
    lose(taught, tmp_path)
    assert taught.session.model is not before
    assert len(asked.questions) == 1


@LOSING
def test_save_saves_first_and_then_does_what_was_wanted(
    taught: Person, asked: Asked, tmp_path: Path, lose: Lose
) -> None:
    before = taught.session.model
    assert before is not None
    asked.saves_to(tmp_path / "saved.model")
    lose(taught, tmp_path)
    assert taught.session.model is not before
    assert load_model(tmp_path / "saved.model").pieces.texts == before.pieces.texts
    assert len(asked.questions) == 1


def test_save_without_a_name_for_the_file_is_cancel(taught: Person, asked: Asked, tmp_path: Path) -> None:
    before = taught.session.model
    asked.saves_to(None)
    opens_a_file(taught, tmp_path)
    assert taught.session.model is before


def test_a_save_that_fails_loses_nothing(taught: Person, asked: Asked, tmp_path: Path) -> None:
    before = taught.session.model
    asked.saves_to(tmp_path / "no folder" / "saved.model")
    opens_a_file(taught, tmp_path)
    assert taught.session.model is before
    assert "cannot be written" in taught.window.strip.label.text()
    taught.session.save_model(tmp_path / "later.model")  # and what was given up is not done later
    taught.waits()
    assert taught.session.model is before


def test_a_kept_vocabulary_is_unsaved_until_it_is_saved(taught: Person, asked: Asked, tmp_path: Path) -> None:
    asked.answer = "discard"
    keeps(taught, tmp_path)
    kept = taught.session.model
    assert taught.window.left_status.text().endswith("edited here, not saved")
    asked.answer = "cancel"
    assert not taught.window.close()
    assert asked.questions[1:] == ["The vocabulary that was edited is not saved, and would be lost."]
    asked.saves_to(tmp_path / "kept.model")
    taught.bot.keyClick(taught.window, Qt.Key.Key_S, CONTROL)
    taught.waits()
    assert taught.window.left_status.text().endswith("edited here, saved as kept.model")
    assert kept is not None
    assert "cc" in load_model(tmp_path / "kept.model").pieces.texts
    assert taught.window.close()
    assert len(asked.questions) == 2


def test_a_vocabulary_whose_library_entry_is_deleted_is_unsaved_again(taught: Person, asked: Asked) -> None:
    comparing = taught.session.comparing
    comparing.save("kept a while")
    taught.waits()
    assert not taught.session.has_unsaved_vocabulary
    [key] = [entry.key for entry in comparing.content.entries if entry.name == "kept a while"]
    comparing.delete(key, "kept a while")
    taught.waits()
    assert taught.window.left_status.text().endswith("trained here, not saved")
    assert not taught.window.close()
    assert len(asked.questions) == 1


def test_opening_a_corpus_asks_nothing(taught: Person, asked: Asked) -> None:
    taught.opens_sample("prose")
    assert asked.questions == []
    assert taught.session.has_unsaved_vocabulary


def test_a_file_that_cannot_be_opened_asks_nothing(taught: Person, asked: Asked, tmp_path: Path) -> None:
    (tmp_path / "broken.model").write_bytes(b"\x0a\x07\x0a\x01a\x15")
    taught.opens(tmp_path / "broken.model")
    assert asked.questions == []
    assert taught.window.strip.isVisible()


def test_closing_after_saving_waits_for_the_file(taught: Person, asked: Asked, tmp_path: Path) -> None:
    asked.saves_to(tmp_path / "saved.model")
    assert not taught.window.close()
    taught.bot.waitUntil(lambda: not taught.window.isVisible())
    assert load_model(tmp_path / "saved.model").encode("abcabc") == [1, 5, 1, 5]
    assert len(asked.questions) == 1


def test_what_was_not_asked_about_is_asked_about_next(
    taught: Person, asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another vocabulary that comes while the question is up is not what was answered about."""
    other = UnigramModel.from_probabilities({"x": 0.5, "y": 0.5})
    answers = iter(["discard", "cancel"])

    def ask_unsaved(*_: object) -> str:
        taught.session._take_model(other, None, None, "edited")
        return next(answers)

    monkeypatch.setattr(dialogs, "ask_unsaved", ask_unsaved)
    assert not taught.window.close()
    assert next(answers, None) is None


def test_edits_cannot_be_kept_where_a_training_would_take_their_place(taught: Person, asked: Asked) -> None:
    asked.answer = "discard"
    taught.types("abc")
    taught.session.inquiry.try_edit(AddPiece("cc", -2.0))
    taught.waits()
    before = taught.session.model
    taught.window.training.train_button.click()
    taught.window.questions.what_if.keep.click()
    assert taught.session.model is before
    assert "stop it" in taught.window.strip.label.text()
    taught.waits()


def test_ctrl_q_quits_from_a_further_window(taught: Person, asked: Asked) -> None:
    for further in (taught.window.compare.open(), taught.window.parity.open(), taught.window.run.open()):
        asked.questions.clear()
        further.activateWindow()
        taught.bot.waitUntil(further.isActiveWindow)
        taught.bot.keyClick(further, Qt.Key.Key_Q, CONTROL)
        assert len(asked.questions) == 1
        assert taught.window.isVisible()


# Edits that are tried out.


@pytest.fixture
def editing(person: Person, asked: Asked, tmp_path: Path) -> Person:
    """Return a person who opened a vocabulary and disabled a piece of it, without keeping that."""
    person.opens_sample("abc")
    UnigramModel.from_probabilities({"a": 0.25, "b": 0.25, "c": 0.1, "ab": 0.4}).save(tmp_path / "abc.model")
    person.opens(tmp_path / "abc.model")
    person.types("abc")
    disables(person)
    assert asked.questions == []
    return person


def disables(person: Person) -> None:
    """Select the arc of "ab" and disable its piece."""
    person.session.inquiry.ask("what_if")
    person.session.inquiry.select_span((0, 2))
    person.waits()
    person.bot.mouseClick(person.window.questions.what_if.disable, LEFT)
    person.waits()
    assert person.session.inquiry.n_vocabulary_edits == 1


def closes(person: Person, _: Path) -> None:
    person.bot.keyClick(person.window, Qt.Key.Key_Q, CONTROL)
    person.waits()


TRIED = "1 edit of abc.model was tried out and not kept. Save keeps what was edited."


@pytest.mark.parametrize("lose", [trains, opens_a_file, opens_from_the_library, closes])
def test_edits_that_were_not_kept_are_asked_about_once(
    editing: Person, asked: Asked, tmp_path: Path, lose: Lose
) -> None:
    before = editing.session.model
    lose(editing, tmp_path)
    assert asked.questions == [TRIED]
    assert editing.session.model is before
    assert editing.session.inquiry.n_vocabulary_edits == 1
    assert editing.window.isVisible()


@pytest.mark.parametrize("lose", [trains, opens_a_file, opens_from_the_library, closes])
def test_to_save_edits_keeps_and_writes_them_before_they_are_replaced(
    editing: Person, asked: Asked, tmp_path: Path, lose: Lose
) -> None:
    before = editing.session.model
    asked.saves_to(tmp_path / "edited.model")
    lose(editing, tmp_path)
    editing.waits()
    assert asked.questions == [TRIED]
    assert load_model(tmp_path / "edited.model").encode_pieces("ab") == ["a", "b"]
    assert load_model(tmp_path / "abc.model").encode_pieces("ab") == ["ab"]
    assert editing.session.model is not before
    assert editing.window.isVisible() is (lose is not closes)


def test_edits_can_be_let_go(editing: Person, asked: Asked, tmp_path: Path) -> None:
    asked.answer = "discard"
    closes(editing, tmp_path)
    assert asked.questions == [TRIED]
    assert not editing.window.isVisible()


def test_ctrl_s_saves_what_is_on_show(editing: Person, asked: Asked, tmp_path: Path) -> None:
    asked.saves_to(tmp_path / "edited.model")
    editing.bot.keyClick(editing.window, Qt.Key.Key_S, CONTROL)
    editing.waits()
    assert asked.questions == []
    assert load_model(tmp_path / "edited.model").encode_pieces("ab") == ["a", "b"]
    assert editing.window.left_status.text().endswith("edited here, saved as edited.model")
    assert editing.session.inquiry.edits == ()
    closes(editing, tmp_path)
    assert asked.questions == []


def test_saving_edits_to_no_file_leaves_them_tried_out(editing: Person, asked: Asked) -> None:
    asked.saves_to(None)
    editing.bot.keyClick(editing.window, Qt.Key.Key_S, CONTROL)
    editing.waits()
    assert editing.session.inquiry.n_vocabulary_edits == 1


def test_a_table_lists_the_pieces_as_the_window_does(editing: Person, asked: Asked, tmp_path: Path) -> None:
    editing.session.save_model(tmp_path / "table.tsv")
    editing.waits()
    assert "UNUSED" not in (tmp_path / "table.tsv").read_text(encoding="utf-8").upper()
    assert editing.session.inquiry.n_vocabulary_edits == 1


def test_an_edge_that_is_forbidden_is_nothing_to_save(editing: Person, asked: Asked, tmp_path: Path) -> None:
    editing.window.asking.undo()
    editing.session.inquiry.select_span((0, 2))
    editing.session.inquiry.forbid_span()
    editing.waits()
    assert len(editing.session.inquiry.edits) == 1
    closes(editing, tmp_path)
    assert asked.questions == []


def test_edits_of_a_vocabulary_that_is_not_saved_either_take_one_question(
    taught: Person, asked: Asked, tmp_path: Path
) -> None:
    taught.types("abc")
    disables(taught)
    asked.saves_to(tmp_path / "edited.model")
    closes(taught, tmp_path)
    assert asked.questions == [
        "The vocabulary trained on abc.tsv is not saved, and would be lost. "
        "1 edit of it was tried out and not kept. Save keeps what was edited."
    ]
    assert "ab" not in load_model(tmp_path / "edited.model").encode_pieces("ab")
    assert not taught.window.isVisible()


def test_ctrl_s_with_edits_of_an_unsaved_vocabulary_asks_as_keep_does(
    taught: Person, asked: Asked, tmp_path: Path
) -> None:
    taught.types("abc")
    disables(taught)
    taught.bot.keyClick(taught.window, Qt.Key.Key_S, CONTROL)
    assert asked.questions == ["The vocabulary trained on abc.tsv is not saved, and would be lost."]
    assert taught.session.inquiry.n_vocabulary_edits == 1
    asked.saves_to(tmp_path / "both.model")
    taught.bot.keyClick(taught.window, Qt.Key.Key_S, CONTROL)
    taught.waits()
    assert "ab" not in load_model(tmp_path / "both.model").encode_pieces("ab")


@pytest.mark.usefixtures("_compiled_kernels")
def test_edits_that_end_with_the_session_are_told_to_nobody(qtbot: QtBot) -> None:
    """A stack of edits that is destroyed tells that it is empty; the window may outlive it."""
    session = Session()
    session.start()
    window = MainWindow(session, Settings(remember=False), "light")
    qtbot.addWidget(window)
    window.show()
    person = Person(qtbot, window)
    person.opens_sample("abc")
    person.trains()
    person.types("abc")
    disables(person)
    with qtbot.captureExceptions() as exceptions:
        window.end()
        delete(session)
    assert exceptions == []
