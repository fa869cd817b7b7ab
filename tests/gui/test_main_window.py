"""What a person does with the window, and what is then to be seen."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, QPointF, QRect, Qt, QUrl
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent, QGuiApplication, QImage, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QApplication,
    QLabel,
    QLineEdit,
    QMenu,
    QMessageBox,
    QScrollArea,
    QWidget,
)
from pytestqt.qtbot import QtBot

from engine.model import UnigramModel, load_model
from engine.training_step import TrainingStep
from tests.gui.conftest import SECONDS, Person
from tests.helpers.case_models import json_bytes
from unigram_gui import dialogs
from unigram_gui.item_models.vocabulary import COUNT, ID, LOG_P, LOSS, PIECE, P
from unigram_gui.main_window import MainWindow
from unigram_gui.session import Session
from unigram_gui.settings import Settings
from unigram_gui.tasks import interpreter, requests
from unigram_gui.views.focus_ring import WITH_BORDERS
from unigram_gui.views.lines_dialog import LinesDialog
from unigram_gui.views.plot import Plot
from unigram_gui.views.training import rounds_text

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def prose(person: Person) -> Person:
    """Return a person with a small corpus of words open."""
    person.opens_sample("prose")
    return person


@pytest.fixture
def taught(person: Person) -> Person:
    person.opens_sample("abc")
    person.trains("Teaching")
    return person


def drop(window: MainWindow, path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    place, action = QPointF(50, 50), Qt.DropAction.CopyAction
    enter = QDragEnterEvent(place.toPoint(), action, data, LEFT, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(window, enter)
    assert enter.isAccepted()
    QApplication.sendEvent(window, QDropEvent(place, action, data, LEFT, Qt.KeyboardModifier.NoModifier))


# Opening.


def test_a_dropped_file_is_opened(person: Person, tmp_path: Path) -> None:
    path = tmp_path / "dropped.txt"
    path.write_text("one\ntwo\ntwo\n", encoding="utf-8")
    drop(person.window, path)
    person.waits()
    assert person.window.corpus.note.toolTip() == "dropped.txt · 2 texts, 3 samples"


def test_no_field_takes_a_dropped_file_for_text(window: MainWindow) -> None:
    assert not any(field.acceptDrops() for field in window.findChildren(QLineEdit))


def test_several_files_are_one_corpus(person: Person, tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(f"{name}\n", encoding="utf-8")
    person.opens(tmp_path / "a.txt", tmp_path / "b.txt")
    assert person.window.corpus.note.toolTip() == "2 files · 2 texts"


def test_the_menu_opens_what_the_dialog_answers(
    person: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "chosen.txt"
    path.write_text("text\n", encoding="utf-8")
    monkeypatch.setattr(dialogs, "ask_corpora", lambda parent, folder: [str(path)])
    person.window.documents.ask_corpora()
    person.waits()
    assert person.window.corpus.item_model.rowCount() == 1


def test_an_opened_vocabulary_is_shown_and_cuts_the_text(person: Person, tmp_path: Path) -> None:
    UnigramModel.from_probabilities({"a": 0.5, "b": 0.3, "ab": 0.2}).save(tmp_path / "m.model")
    person.types("abb")
    person.opens(tmp_path / "m.model")
    assert person.window.vocabulary.note.text() == "4 pieces"
    assert [text for text, _ in person.window.segmentation.tokens] == ["ab", "b"]
    assert person.window.left_status.text().startswith("m.model, ")


def test_what_a_tokenizer_json_asks_for_in_vain_is_said_and_it_opens(person: Person, tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_bytes(json_bytes(truncation={"max_length": 9}))
    person.types("ab a")
    person.opens(tmp_path / "tokenizer.json")
    assert [text for text, _ in person.window.segmentation.tokens] == ["▁", "ab", "▁", "a"]
    assert person.window.strip.label.text() == "Texts are not cut off here, though the file asks for truncation."


def test_skipped_lines_are_counted_and_listed_by_number(person: Person, tmp_path: Path) -> None:
    path = tmp_path / "mixed.txt"
    path.write_bytes(b"good\n\xff\xfe bad\nalso good\n\xc3\x28\n")
    person.opens(path)
    assert person.window.corpus.skipped.text() == "2 lines skipped"
    person.bot.mouseClick(person.window.corpus.skipped, LEFT)
    dialog = person.window.findChild(LinesDialog)
    assert dialog is not None
    assert [dialog.list.item(i).text() for i in range(2)] == [
        "mixed.txt, line 2: not UTF-8",
        "mixed.txt, line 4: not UTF-8",
    ]
    dialog.close()


# Bad input: one sentence, and nothing is lost.


def bad_missing(folder: Path) -> Path:
    return folder / "missing.txt"


def bad_folder(folder: Path) -> Path:
    return folder


def bad_binary(folder: Path) -> Path:
    (folder / "picture.txt").write_bytes(b"abc\x00\x01\x02" * 100)
    return folder / "picture.txt"


def bad_empty(folder: Path) -> Path:
    (folder / "empty.txt").write_bytes(b"")
    return folder / "empty.txt"


def bad_long_line(folder: Path) -> Path:
    (folder / "long.txt").write_bytes(b"x" * 10_000_000)
    return folder / "long.txt"


@pytest.mark.parametrize("make", [bad_missing, bad_folder, bad_binary, bad_empty, bad_long_line])
def test_a_bad_file_gives_one_sentence_and_loses_nothing(taught: Person, tmp_path: Path, make: object) -> None:
    taught.types("abc")
    path = make(tmp_path)  # type: ignore[operator]
    taught.opens(path)
    window = taught.window
    sentence = window.strip.label.text()
    assert window.strip.isVisible()
    assert path.name in sentence
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert window.corpus.item_model.rowCount() == 8
    assert window.vocabulary.item_model.rowCount() == 7
    assert len(window.segmentation.tokens) == 2


def test_a_size_out_of_reach_names_the_range_and_keeps_the_vocabulary(taught: Person) -> None:
    taught.sets("vocab_size", "500")
    taught.window.training.train_button.click()
    taught.waits()
    assert "vocab_size 500 is out of reach: this corpus can give 4 to " in taught.window.strip.label.text()
    assert taught.window.vocabulary.item_model.rowCount() == 7
    assert taught.window.training.state.text() == "failed"
    assert taught.window.training.train_button.isEnabled()


def test_a_training_that_is_refused_takes_nothing_of_the_one_before(taught: Person) -> None:
    window = taught.window
    curve, status = window.objective.losses().tolist(), window.right_status.text()
    assert status.endswith("expected tokens")
    taught.sets("vocab_size", "500")
    window.training.train_button.click()
    assert window.objective.losses().tolist() == curve
    taught.waits()
    assert "out of reach" in window.strip.label.text()
    assert window.objective.losses().tolist() == curve
    assert window.right_status.text() == status
    assert window.training.round_label.toolTip() == "before: round 4 of 4 · 7 pieces"
    assert window.training.loss_label.text() == "168.7401 nats"


def test_a_training_that_is_stopped_gives_the_curve_of_the_one_before_back(taught: Person) -> None:
    curve = taught.window.objective.losses().tolist()
    taught.opens_sample("prose")
    taught.session.choose_preset("Unigram GUI")
    taught.window.training.train_button.click()
    taught.bot.waitUntil(lambda: taught.window.objective.losses().tolist() not in ([], curve), timeout=SECONDS)
    taught.window.training.stop_button.click()
    taught.waits()
    assert taught.window.objective.losses().tolist() == curve
    assert "expected tokens" not in taught.window.right_status.text()


def test_a_message_is_dismissed_with_its_button(person: Person, tmp_path: Path) -> None:
    person.opens(tmp_path / "missing.txt")
    person.bot.mouseClick(person.window.strip.button, LEFT)
    assert not person.window.strip.isVisible()


def test_a_message_is_dismissed_with_escape(person: Person, tmp_path: Path) -> None:
    person.opens(tmp_path / "missing.txt")
    person.bot.keyClick(person.window, Qt.Key.Key_Escape)
    assert not person.window.strip.isVisible()


def test_a_message_goes_when_the_next_thing_succeeds(person: Person, tmp_path: Path) -> None:
    person.opens(tmp_path / "missing.txt")
    person.opens_sample("abc")
    assert not person.window.strip.isVisible()


# Filters.


def test_typing_into_the_corpus_filter_narrows_the_table(taught: Person) -> None:
    taught.bot.keyClicks(taught.window.corpus.filter, "bc")
    taught.bot.waitUntil(lambda: taught.window.corpus.item_model.rowCount() == 3)
    taught.window.corpus.filter.clear()
    assert taught.window.corpus.item_model.rowCount() == 8


def test_typing_into_the_vocabulary_filter_narrows_the_table(taught: Person) -> None:
    taught.bot.keyClicks(taught.window.vocabulary.filter, "ab")
    taught.bot.waitUntil(lambda: taught.window.vocabulary.item_model.rowCount() == 2)


def test_a_click_on_a_heading_sorts_by_number(taught: Person) -> None:
    table = taught.window.corpus.table
    heading = table.horizontalHeader()
    x = heading.sectionViewportPosition(1) + 10
    taught.bot.mouseClick(heading.viewport(), LEFT, pos=QPointF(x, 12).toPoint())
    assert [table.model().index(i, 1).data() for i in range(3)] == ["2", "2", "8"]


# The columns of the vocabulary.


def assert_vocabulary_is_whole(window: MainWindow) -> None:
    """Every number has room even in bold, and the pieces have room too."""
    table, model = window.vocabulary.table, window.vocabulary.item_model
    for column in (ID, LOG_P, P, COUNT, LOSS):
        if not table.isColumnHidden(column):
            cells = [str(model.index(row, column).data()) for row in range(model.rowCount())]
            assert table.columnWidth(column) >= table.width_for(column, cells), column
    assert table.columnWidth(PIECE) >= 84


def test_all_numbers_of_a_trained_vocabulary_have_room(prose: Person) -> None:
    prose.trains("Unigram GUI")
    assert_vocabulary_is_whole(prose.window)
    assert not any(map(prose.window.vocabulary.table.isColumnHidden, range(7)))


def test_large_counts_have_room_and_no_decimals(prose: Person) -> None:
    prose.trains("Unigram GUI")
    history, model, view = prose.session.history, prose.session.model, prose.window.vocabulary
    assert history is not None
    assert model is not None
    counts, losses = history.final_expected_counts * 400, history.final_losses * 5000
    view.set_vocabulary(model, replace(history, final_expected_counts=counts, final_losses=losses))
    assert_vocabulary_is_whole(prose.window)
    assert view.item_model.index(3, COUNT).data().count(".") == 0


def test_an_opened_vocabulary_has_no_empty_columns(person: Person, shared: Path) -> None:
    person.opens(shared / "data/tokenizer_json/kitoken_xlnet_base_cased.tokenizer.json")
    assert_vocabulary_is_whole(person.window)
    hidden = [column for column in range(7) if person.window.vocabulary.table.isColumnHidden(column)]
    assert hidden == [COUNT, LOSS]
    person.opens_sample("abc")
    person.trains("Teaching")
    assert not person.window.vocabulary.table.isColumnHidden(LOSS)


# Exploring.


class _Painted(QObject):
    """Calls a function whenever the widget that it watches is painted."""

    def __init__(self, tell: Callable[[], None], parent: QObject) -> None:
        super().__init__(parent)
        self._tell = tell

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self._tell()
        return False


def test_every_keystroke_is_followed(taught: Person) -> None:
    seen = []
    taught.session.exploration_changed.connect(lambda e: seen.append(e.text if e else ""))
    for key in "abc":
        taught.bot.keyClick(taught.window.text_input, key)
        taught.waits()
    assert seen == ["a", "ab", "abc"]


def test_a_key_is_answered_and_painted_before_the_next_event(taught: Person) -> None:
    taught.types("ab")
    QApplication.processEvents()
    view, shown = taught.window.lattice.view, []
    watcher = _Painted(lambda: shown.append(view.exploration.text if view.exploration else ""), view)
    view.viewport().installEventFilter(watcher)
    taught.bot.keyClick(taught.window.text_input, "c")
    assert shown == ["abc"]
    assert sys.getswitchinterval() == pytest.approx(interpreter.SHARED_SECONDS)


def test_a_text_that_is_pasted_is_cut_on_a_worker(taught: Person) -> None:
    taught.types("ab")
    taught.window.text_input.setText("abc" * 100)
    assert taught.session.is_exploring
    taught.waits()
    assert taught.session.exploration is not None
    assert taught.session.exploration.text == "abc" * 100


def test_an_empty_text_empties_the_views(taught: Person) -> None:
    taught.types("abc")
    taught.window.text_input.clear()
    assert taught.window.segmentation.tokens == ()
    assert taught.window.decode.ids.text() == ""


def test_typed_ids_are_decoded(taught: Person) -> None:
    taught.window.decode.ids.selectAll()
    taught.bot.keyClicks(taught.window.decode.ids, "4, 5")
    taught.waits()
    assert taught.window.decode.note.toolTip() == "2 IDs · 4 bytes · 4 characters"


def test_among_numbers_the_first_word_that_is_no_id_is_named(taught: Person) -> None:
    decode = taught.window.decode
    decode.ids.selectAll()
    taught.bot.keyClicks(decode.ids, "1 -5 abc 2 99999 3 4")
    taught.waits()
    assert decode.error.text().startswith("“-5” is no ID of this vocabulary: IDs go from 0 to 6.")
    assert decode.error.text().endswith("(and 1 more)")
    assert decode.note.toolTip().startswith("4 IDs")


def test_the_form_that_is_chosen_holds_until_another_text_is_cut(taught: Person) -> None:
    decode = taught.window.decode
    decode.ids.selectAll()
    taught.bot.keyClicks(decode.ids, "41 42")
    decode.form.setCurrentIndex(3)
    decode.form.activated.emit(3)
    taught.waits()
    assert decode.form.currentText() == "read as bytes"
    assert "no byte pieces" in decode.error.text()
    taught.types("abc")
    taught.waits()
    assert decode.form.currentText() == "looks like IDs"
    assert not decode.error.isVisible()


def test_an_id_that_does_not_exist_is_named_in_the_decode_pane(taught: Person) -> None:
    taught.bot.keyClicks(taught.window.decode.ids, "99")
    taught.waits()
    assert "“99” is no ID of this vocabulary" in taught.window.decode.error.text()
    assert not taught.window.strip.isVisible()


def test_a_double_click_on_a_text_of_the_corpus_studies_it(taught: Person) -> None:
    table = taught.window.corpus.table
    table.activated.emit(table.model().index(6, 0))
    taught.waits()
    assert taught.window.text_input.text() == "abca"


# Training.


def test_train_waits_for_a_corpus(person: Person) -> None:
    assert not person.window.training.train_button.isEnabled()
    person.opens_sample("abc")
    assert person.window.training.train_button.isEnabled()


def test_choosing_a_preset_fills_the_form(person: Person) -> None:
    person.window.session.choose_preset("Teaching")
    editors = person.window.training.editors
    assert editors["vocab_size"].value() == 7
    assert editors["pieces_removed_per_round"].isVisible()
    assert not editors["shrinking_factor"].isVisible()


def test_changing_a_setting_leaves_the_preset(person: Person) -> None:
    person.sets("vocab_size", "321")
    assert person.session.spec.vocab_size == 321
    assert person.window.training.presets.currentText() == "changed"


def test_every_setting_is_in_the_form_under_its_own_name_with_help(person: Person) -> None:
    person.bot.mouseClick(person.window.training.more, LEFT)
    for editor in person.window.training.editors.values():
        assert editor.isVisibleTo(person.window)
        assert editor.input.accessibleName() == editor.field.name
        assert editor.input.toolTip() == editor.field.help


def test_every_field_of_the_form_is_seen_whole(person: Person) -> None:
    person.bot.mouseClick(person.window.training.more, LEFT)
    form = person.window.training.findChild(QScrollArea)
    assert form is not None
    sheet = form.widget()
    assert sheet is not None
    person.bot.waitUntil(lambda: form.verticalScrollBar().maximum() > 0)
    for name, editor in person.window.training.editors.items():
        place = editor.input.rect().translated(editor.input.mapTo(sheet, editor.input.rect().topLeft()))
        assert 0 <= place.left() < place.right() <= form.viewport().width() - 10, name


def shows_all(label: QLabel) -> bool:
    return label.width() >= label.fontMetrics().horizontalAdvance(label.text())


def test_how_far_a_training_is_is_never_cut_in_the_middle_of_a_word(person: Person) -> None:
    view = person.window.training
    view.set_running(True)
    view.set_result(rounds_text(114, 114, 32_000), 512_061_123.0, ["a remark"])
    view.set_step(TrainingStep("pruning losses", 14, 1, 14, 1_000_000, 0.5, 6.0, 1.0, 512_061_123.0))
    for label in (view.state, view.round_label):
        person.bot.waitUntil(partial(shows_all, label))
        assert "…" not in label.text()
    assert view.state.toolTip() == "pruning losses · 0:06, 0:01 left"
    assert view.round_label.toolTip() == "round 14 of 14 · 1,000,000 + 3 special pieces"
    view.set_running(False)


def test_how_fast_a_training_goes_and_what_it_holds_is_told(person: Person) -> None:
    view = person.window.training
    step = TrainingStep("E step", 2, 1, 9, 8000, 0.5, 6.0, 1.0, 9.5, speed=12_345_678.0, memory=482_000_000)
    view.set_running(True)
    view.set_step(step)
    told = "round 2 of 9 · 8,000 + 3 special pieces · 12,346 thousand characters a second · 482 MB"
    assert view.round_label.toolTip() == view.round_label.accessibleName() == told
    view.set_running(False)


def test_stop_ends_a_training_at_once_and_keeps_the_vocabulary(taught: Person, shared: Path) -> None:
    taught.opens(shared / "data/corpora/botchan.txt")
    taught.session.choose_preset("Unigram GUI")
    training = taught.window.training
    with taught.bot.waitSignal(taught.session.training_progressed, timeout=SECONDS):
        training.train_button.click()
    with taught.bot.waitSignal(taught.session.training_stopped, timeout=1000):
        taught.bot.mouseClick(training.stop_button, LEFT)
    assert training.state.text() == "stopped"
    assert taught.window.vocabulary.item_model.rowCount() == 7


def test_a_stopped_training_offers_the_vocabulary_of_its_last_finished_round(
    prose: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    was_clicked = threading.Event()

    def held_after_round_3(run: Iterable[TrainingStep]) -> Iterator[TrainingStep]:
        for step in run:
            yield step
            if step.pruning is not None and step.round == 3:
                was_clicked.wait(SECONDS / 1000)  # the worker must not run ahead of the person

    monkeypatch.setattr(requests, "_thinned", held_after_round_3)
    prose.sets("pieces_removed_per_round", "5")
    training, session = prose.window.training, prose.session
    at_round_3: dict[str, Any] = {"check_params_cb": lambda s: s.pruning is not None and s.round == 3}
    with prose.bot.waitSignal(session.training_progressed, timeout=SECONDS, **at_round_3):
        training.train_button.click()
    with prose.bot.waitSignal(session.training_stopped, timeout=SECONDS):
        prose.bot.mouseClick(training.stop_button, LEFT)
        was_clicked.set()
    assert training.finished_round.isVisible()
    number = int(training.finished_round.text().removeprefix("Use round "))
    assert number >= 3
    with prose.bot.waitSignal(session.training_finished, timeout=SECONDS):
        prose.bot.mouseClick(training.finished_round, LEFT)
    assert not training.finished_round.isVisible()
    assert session.history is not None
    assert session.history.prunings[-1].round == number
    assert prose.window.vocabulary.item_model.rowCount() == session.history.prunings[-1].n_after + 3


def test_the_sizes_within_reach_are_said_before_em_starts(prose: Person) -> None:
    said: list[str] = []
    training = prose.window.training
    progressed = prose.session.training_progressed
    progressed.connect(lambda step: said.append(training.round_label.text()) if step.plan else None)
    prose.trains("Unigram GUI")
    assert len(said) == 1
    assert said[0].endswith(" pieces")
    assert " to " in said[0]
    assert said[0] in training.editors["vocab_size"].input.toolTip()


def test_closing_the_window_in_the_middle_of_a_training_leaves_no_thread(prose: Person) -> None:
    with prose.bot.waitSignal(prose.session.training_progressed, timeout=SECONDS):
        prose.window.training.train_button.click()
    prose.window.close()
    assert not [thread.name for thread in threading.enumerate() if thread.name.startswith("unigram")]


def test_the_curve_grows_while_a_training_runs(person: Person) -> None:
    sizes: list[int] = []
    person.session.updates_changed.connect(lambda _: sizes.append(len(person.window.objective.losses())))
    person.opens_sample("abc")
    person.trains("Teaching")
    assert sizes == sorted(sizes)
    assert set(sizes) == set(range(9))


def test_the_curve_of_a_training_that_runs_is_drawn_in_a_while_and_waits_for_keys(taught: Person) -> None:
    objective, updates = taught.window.objective, taught.session.updates
    objective.follow_updates(updates[:3])
    objective.wait()
    assert len(objective.losses()) == 3
    assert len(objective.curve.xData) == len(updates)
    taught.bot.waitUntil(lambda: len(objective.curve.xData) == 3)


def test_remarks_on_a_training_are_offered_and_listed(prose: Person) -> None:
    prose.trains("Unigram GUI")
    notes = prose.window.training.notes
    assert notes.text() == "1 remark"
    prose.bot.mouseClick(notes, LEFT)
    dialog = prose.window.findChild(LinesDialog)
    assert dialog is not None
    assert "character_coverage" in dialog.list.item(0).text()
    dialog.close()


# Saving.


def test_saving_writes_a_model_and_says_so(taught: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "saved.model"
    monkeypatch.setattr(dialogs, "ask_save_as", lambda *_: (str(path), ""))
    taught.window.documents.ask_save_model()
    taught.waits()
    assert load_model(path).encode_pieces("abcabc") == ["a", "bc", "a", "bc"]
    assert taught.window.left_status.text().endswith("saved as saved.model")


def test_a_table_of_the_pieces_is_no_saved_vocabulary(
    taught: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suggested: list[str] = []

    def ask_save_as(parent: object, title: str, name: str, *_: str) -> tuple[str, str]:
        suggested.append(name)
        return str(tmp_path / f"saved.{'tsv' if name.endswith('.tsv') else 'model'}"), ""

    monkeypatch.setattr(dialogs, "ask_save_as", ask_save_as)
    taught.window.documents.ask_save_tsv()
    taught.waits()
    assert (tmp_path / "saved.tsv").exists()
    assert taught.window.left_status.text().endswith("not saved")
    taught.window.documents.ask_save_model()
    taught.waits()
    taught.window.documents.ask_save_tsv()
    taught.waits()
    assert taught.window.left_status.text().endswith("saved as saved.model")
    assert suggested == ["abc.tsv", "abc.model", "saved.tsv"]


# Closing.


@pytest.fixture
def attended(taught: Person, monkeypatch: pytest.MonkeyPatch) -> Person:
    """Return a person who can be asked, and has trained."""
    monkeypatch.setattr(Settings, "is_unattended", False)
    return taught


@pytest.mark.parametrize(("answer", "closes"), [("discard", True), ("cancel", False)])
def test_closing_asks_before_a_trained_vocabulary_is_lost(
    attended: Person, monkeypatch: pytest.MonkeyPatch, answer: str, closes: bool
) -> None:
    asked: list[MainWindow] = []

    def ask_unsaved(window: MainWindow) -> str:
        asked.append(window)
        return answer

    monkeypatch.setattr(MainWindow, "ask_unsaved", ask_unsaved)
    assert attended.window.close() is closes
    assert attended.window.isVisible() is not closes
    assert len(asked) == 1
    monkeypatch.setattr(Settings, "is_unattended", True)


def test_saving_on_the_way_out_saves_and_closes(
    attended: Person, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(MainWindow, "ask_unsaved", lambda window: "save")
    monkeypatch.setattr(dialogs, "ask_save_as", lambda *_: (str(tmp_path / "m.model"), ""))
    attended.window.close()
    attended.bot.waitUntil(lambda: not attended.window.isVisible(), timeout=SECONDS)
    assert load_model(tmp_path / "m.model").encode("abcabc") == [1, 5, 1, 5]


def test_a_saved_vocabulary_needs_no_question(
    attended: Person, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    attended.session.save_model(tmp_path / "m.model")
    attended.waits()
    monkeypatch.setattr(MainWindow, "ask_unsaved", lambda window: pytest.fail("asked"))
    assert attended.window.close()


def test_a_vocabulary_saved_in_the_library_needs_no_question(
    attended: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = attended.window.compare.save_current().library
    attended.bot.keyClicks(library.name, "My words")
    attended.bot.mouseClick(library.save, LEFT)
    attended.waits()
    assert attended.window.left_status.text().endswith("trained here, saved as My words in the library")
    monkeypatch.setattr(MainWindow, "ask_unsaved", lambda window: pytest.fail("asked"))
    assert attended.window.close()


def test_a_vocabulary_trained_after_the_saved_one_is_asked_about(
    attended: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    attended.session.comparing.save("My words")
    attended.waits()
    attended.trains("Teaching")
    monkeypatch.setattr(MainWindow, "ask_unsaved", lambda window: "cancel")
    assert not attended.window.close()
    monkeypatch.setattr(Settings, "is_unattended", True)


# What is left of the one before.


def test_another_corpus_has_no_expected_tokens_yet(taught: Person, tmp_path: Path) -> None:
    assert taught.window.right_status.text().endswith("expected tokens")
    (tmp_path / "one.txt").write_text("one\n", encoding="utf-8")
    taught.opens(tmp_path / "one.txt")
    assert taught.window.right_status.text() == "1 text"


def test_an_opened_vocabulary_takes_the_news_of_the_training_away(taught: Person, tmp_path: Path) -> None:
    UnigramModel.from_probabilities({"a": 0.5, "b": 0.5}).save(tmp_path / "m.model")
    taught.opens(tmp_path / "m.model")
    training = taught.window.training
    assert (training.state.text(), training.round_label.text(), training.loss_label.text()) == ("", "", "")
    assert "expected" not in taught.window.right_status.text()


def test_the_status_says_what_to_do_next(person: Person) -> None:
    assert person.window.left_status.text() == "Open a corpus and train, or open a vocabulary"
    person.opens_sample("abc")
    assert person.window.left_status.text().endswith(", or open a vocabulary")
    assert person.window.left_status.text().startswith("Train on abc")


@pytest.mark.parametrize("name", ["window", "lattice", "objective", "vocabulary", "pruning", "decode"])
def test_every_view_becomes_a_png(taught: Person, tmp_path: Path, name: str) -> None:
    taught.types("abc")
    taught.window.pictures.save(name, tmp_path / "picture.png")
    image = QImage(str(tmp_path / "picture.png"))
    assert image.width() > 200
    assert image.height() > 30


@pytest.mark.parametrize("name", ["window", "lattice", "objective"])
def test_views_become_svg(taught: Person, tmp_path: Path, name: str) -> None:
    taught.types("abc")
    taught.window.pictures.save(name, tmp_path / "picture.svg")
    assert "<path" in (tmp_path / "picture.svg").read_text(encoding="utf-8")


def test_a_picture_that_cannot_be_written_gives_one_sentence(taught: Person, tmp_path: Path) -> None:
    taught.window.pictures.save("window", tmp_path / "no folder" / "picture.png")
    assert "no folder" in taught.window.strip.label.text()


def test_a_picture_is_copied_to_the_clipboard(taught: Person) -> None:
    taught.window.pictures.copy("objective")
    assert not QGuiApplication.clipboard().image().isNull()
    # The offscreen platform would delete data of Python's making after the interpreter is gone.
    QGuiApplication.clipboard().clear()


# Look and keyboard.


def test_switching_the_theme_turns_every_pane_dark(taught: Person) -> None:
    taught.types("abc")
    before = taught.window.grab().toImage().pixelColor(700, 400).lightness()
    taught.window.switch_theme()
    after = taught.window.grab().toImage().pixelColor(700, 400).lightness()
    assert before > 200 > 60 > after


class _StyleChanges(QObject):
    """Counts how often widgets are told that their style is another one."""

    n = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.n += event.type() == QEvent.Type.StyleChange
        return False


def test_switching_the_theme_restyles_no_widget_once_for_each_that_it_lies_in(taught: Person) -> None:
    changes = _StyleChanges(taught.window)
    QApplication.instance().installEventFilter(changes)  # type: ignore[union-attr]
    taught.window.switch_theme()
    QApplication.instance().removeEventFilter(changes)  # type: ignore[union-attr]
    n_widgets = len(taught.window.findChildren(QWidget))
    assert n_widgets <= changes.n <= 3 * n_widgets


def test_a_dialog_of_a_dark_window_is_dark(prose: Person) -> None:
    prose.window.choose_theme("dark")
    prose.window.show_about()
    box = prose.window.findChild(QMessageBox)
    assert box is not None
    assert box.grab().toImage().pixelColor(4, 4).lightness() < 60
    box.close()


def test_a_pane_is_hidden_and_shown_from_the_menu(window: MainWindow) -> None:
    action = next(a for a in window.findChildren(QAction) if a.text() == "Decode")
    action.trigger()
    assert not window.decode.isVisible()
    action.trigger()
    assert window.decode.isVisible()


def test_no_two_actions_share_a_shortcut(window: MainWindow) -> None:
    shortcuts = [action.shortcut().toString() for action in window.findChildren(QAction)]
    used = [shortcut for shortcut in shortcuts if shortcut]
    assert len(used) == len(set(used)) > 20


EDITING = ("undo", "redo", "cut", "copy", "paste", "select all")


def test_no_field_takes_the_keys_of_a_menu(window: MainWindow) -> None:
    taken = []
    for action in window.findChildren(QAction):
        keys = action.shortcut()
        if keys.isEmpty() or action.text().replace("&", "").lower() in EDITING:
            continue
        pressed = keys[0]  # type: ignore[index]
        event = QKeyEvent(QEvent.Type.ShortcutOverride, pressed.key().value, pressed.keyboardModifiers())
        event.ignore()
        QApplication.sendEvent(window.text_input, event)
        if event.isAccepted():
            taken.append(f"{action.text()}: {keys.toString()}")
    assert taken == []


def test_what_has_nothing_to_act_on_is_disabled(taught: Person) -> None:
    actions = {action.text().replace("&", ""): action for action in taught.window.findChildren(QAction)}
    undo, forbid = actions["Undo what was tried out"], actions["Forbid the selected edge"]
    timeline = actions["Timeline"]
    assert timeline.isEnabled()
    assert not undo.isEnabled()
    assert not forbid.isEnabled()
    taught.types("abc")
    taught.session.inquiry.select_span((0, 2))
    assert forbid.isEnabled()
    forbid.trigger()
    taught.waits()
    assert undo.isEnabled()
    undo.trigger()
    assert not undo.isEnabled()


def test_every_menu_and_every_action_in_it_is_reached_by_keys(window: MainWindow) -> None:
    for menu in window.menuBar().actions():
        assert "&" in menu.text()
        inner = menu.menu()
        assert isinstance(inner, QMenu)
        for action in inner.actions():
            assert action.isSeparator() or "&" in action.text() or action.shortcut().toString(), action.text()


def test_every_field_and_table_has_a_name_for_screen_readers(window: MainWindow) -> None:
    for field in filter(QLineEdit.isVisible, window.findChildren(QLineEdit)):
        parent = field.parentWidget()
        assert field.accessibleName() or (parent is not None and parent.accessibleName())
    for view in (window.corpus.table, window.vocabulary.table, window.pruning.table, window.training.bar):
        assert view.accessibleName()


@pytest.mark.parametrize(
    "name", ["corpus.table", "vocabulary.table", "pruning.table", "segmentation", "objective.plot"]
)
def test_what_has_the_focus_has_a_ring(taught: Person, name: str) -> None:
    taught.types("abc")
    window = taught.window
    widget: object = window
    for part in name.split("."):
        widget = getattr(widget, part)
    if isinstance(widget, QWidget) and widget.focusPolicy() == Qt.FocusPolicy.NoFocus:
        widget = widget.parentWidget()
    assert isinstance(widget, QWidget)
    window.text_input.setFocus()
    assert not window.focus_ring.isVisible()
    window.activateWindow()
    widget.setFocus()
    taught.bot.waitUntil(window.focus_ring.isVisible)
    assert window.focus_ring.geometry().topLeft() == widget.mapTo(window, QPoint(0, 0))
    window.places.splitters["top"].setSizes([340, 600, 460])
    ring = window.focus_ring
    taught.bot.waitUntil(lambda: ring.geometry() == QRect(widget.mapTo(window, QPoint(0, 0)), widget.size()))


@pytest.mark.parametrize("name", ["compare", "run", "parity"])
def test_what_has_the_focus_has_a_ring_in_the_other_windows_too(taught: Person, name: str) -> None:
    window = getattr(taught.window, name).shown()
    ringed = next(
        child for child in window.findChildren(QWidget)
        if child.isVisible() and isinstance(child, QAbstractScrollArea | Plot)
        and child.focusPolicy() != Qt.FocusPolicy.NoFocus and not isinstance(child, WITH_BORDERS)
    )  # fmt: skip
    window.activateWindow()
    ringed.setFocus()
    ring = window.focus_ring
    taught.bot.waitUntil(ring.isVisible)
    assert ring.geometry() == QRect(ringed.mapTo(window, QPoint(0, 0)), ringed.size())


def test_ctrl_l_goes_to_the_text(qtbot: QtBot, window: MainWindow) -> None:
    window.vocabulary.filter.setFocus()
    qtbot.keyClick(window, Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)
    assert window.focusWidget() is window.text_input


def test_about_names_the_versions(qtbot: QtBot, window: MainWindow) -> None:
    window.show_about()
    box = window.findChild(QMessageBox)
    assert box is not None
    assert "numba" in box.informativeText()
    box.close()


def test_a_text_without_a_vocabulary_says_what_is_missing(person: Person) -> None:
    person.types("abc")
    assert "open a vocabulary" in person.window.lattice.view.hint
    person.opens_sample("abc")
    person.trains("Teaching")
    assert person.window.lattice.view.hint == ""
    person.window.text_input.clear()
    person.waits()
    assert "Type a text" in person.window.lattice.view.hint


def test_hovering_over_the_curve_tells_round_and_loss(taught: Person) -> None:
    view = taught.window.objective
    box = view.plot.getViewBox()
    view.plot.scene().sigMouseMoved.emit(box.mapViewToScene(QPointF(1.0, float(view.losses()[1]))))
    assert view.hover_label.isVisible()
    assert view.hover_label.toPlainText() == "round 1, update 2\n9 learned pieces\n170.2169 nats"


def test_leaving_the_curve_hides_what_hovering_told(taught: Person) -> None:
    view = taught.window.objective
    box = view.plot.getViewBox()
    view.plot.scene().sigMouseMoved.emit(box.mapViewToScene(QPointF(1.0, float(view.losses()[1]))))
    view.plot.scene().sigMouseMoved.emit(QPointF(-500.0, -500.0))
    assert not view.hover_label.isVisible()


def test_the_theme_is_remembered(qtbot: QtBot, session: Session) -> None:
    window = MainWindow(session, Settings(), "light")
    qtbot.addWidget(window)
    window.choose_theme("dark")
    window.close()
    assert Settings().theme == "dark"


def test_the_sizes_of_panes_are_remembered(qtbot: QtBot, session: Session) -> None:
    window = MainWindow(session, Settings(), "light")
    qtbot.addWidget(window)
    window.show()
    window.places.splitters["left"].setSizes([100, 500])
    state = window.places.splitters["left"].saveState()
    window.close()
    assert Settings().layout("left") == state


def test_an_unattended_run_remembers_nothing() -> None:
    settings = Settings(remember=False)
    settings.theme = "dark"
    assert settings.theme == "system"
