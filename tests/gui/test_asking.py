"""One selection everywhere, questions about the text, edits that are tried out, undone and kept."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QAction, QImage, QKeySequence, QMouseEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QApplication,
    QLineEdit,
    QMenu,
    QWidget,
)
from pytestqt.qtbot import QtBot

from engine.edits import AddPiece, RescorePiece
from engine.model import UnigramModel
from tests.gui.conftest import Person
from tests.helpers.explorations import edge_of
from tests.helpers.toy_models import golden
from unigram_gui.inquiry import Inquiry
from unigram_gui.item_models.vocabulary import LOG_P, PIECE
from unigram_gui.main_window import MainWindow

LEFT = Qt.MouseButton.LeftButton
UNABLE = golden("unable_lattice.json")


@pytest.fixture
def inquiry(person: Person) -> Inquiry:
    return person.session.inquiry


@pytest.fixture
def unable(person: Person) -> Person:
    """Return a person who looks at the worked example."""
    person.session._take_model(UnigramModel.from_probabilities(UNABLE["probabilities"]), None, None)
    person.types("unable")
    return person


def lattice_place(window: MainWindow, start: int, text: str) -> QPoint:
    view = window.lattice.view
    assert view.exploration is not None
    return view.edge_place(edge_of(view.exploration, start, text)).center().toPoint()


def drag_over(bot: QtBot, window: MainWindow, first: int, last: int) -> None:
    """Drag along the letters of the band from one character to another."""
    view = window.lattice.view
    drawing = view.drawing
    assert drawing is not None
    y = lattice_place(window, 2, "able").y()
    middles = [QPoint(round(lattice_place(window, i, "unable"[i]).x()), y) for i in (first, last)]
    bot.mousePress(view.viewport(), LEFT, pos=middles[0])
    bot.mouseMove(view.viewport(), middles[1])
    place = QPointF(middles[1])
    none = Qt.KeyboardModifier.NoModifier
    everywhere = view.viewport().mapToGlobal(place)
    move = QMouseEvent(QEvent.Type.MouseMove, place, everywhere, Qt.MouseButton.NoButton, LEFT, none)
    QApplication.sendEvent(view.viewport(), move)
    bot.mouseRelease(view.viewport(), LEFT, pos=middles[1])


# One selection.


def test_what_one_view_points_at_lights_up_in_all_others(unable: Person, inquiry: Inquiry) -> None:
    window = unable.window
    window.segmentation.piece_hovered.emit(2)
    assert inquiry.hovered_piece == 2
    assert 2 in window.lattice.view.marks().pieces
    assert window.questions.best_paths.rows._hovered == 2
    assert window.vocabulary.table._lit >= 0
    window.vocabulary.piece_hovered.emit(-1)
    assert window.lattice.view.marks().pieces == frozenset()


def test_an_edge_that_is_clicked_is_the_selected_stretch_and_the_picked_piece(unable: Person, inquiry: Inquiry) -> None:
    window = unable.window
    unable.bot.mouseClick(window.lattice.view.viewport(), LEFT, pos=lattice_place(window, 0, "unable"))
    assert unable.session.picked_piece == 11
    assert inquiry.span == (0, 6)
    assert [index.row() for index in window.vocabulary.table.selectionModel().selectedRows()] == [11]


def test_dragging_over_the_text_selects_a_stretch_and_answers_it(unable: Person, inquiry: Inquiry) -> None:
    inquiry.ask("why_not")
    drag_over(unable.bot, unable.window, 0, 2)
    unable.waits()
    assert inquiry.span == (0, 3)
    assert "no piece; it wins above ln p 3.507" in unable.window.questions.why_not.rows.lines[0].note


def test_shift_and_arrows_stretch_the_selection_and_say_it(unable: Person, inquiry: Inquiry) -> None:
    view = unable.window.lattice.view
    shift, control = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
    view.setFocus()
    for _ in range(3):
        unable.bot.keyClick(view, Qt.Key.Key_Right, shift)
    assert inquiry.span == (0, 3)
    unable.bot.keyClick(view, Qt.Key.Key_Right, shift | control)
    assert inquiry.span == (1, 3)
    assert view.accessibleDescription() == "selected from 1 to 3: na"


def test_a_stretch_that_is_a_piece_is_picked(unable: Person, inquiry: Inquiry) -> None:
    inquiry.select_span((2, 6))
    assert unable.session.picked_piece == 2


@pytest.mark.parametrize("span", [(2, 7), (-1, 2), (3, 3), (4, 2), (50, 60)])
def test_a_stretch_outside_the_text_is_not_selected(unable: Person, inquiry: Inquiry, span: tuple[int, int]) -> None:
    inquiry.select_span((2, 6))
    inquiry.select_span(span)
    assert inquiry.span == (2, 6)
    assert unable.window.grab().width() > 0


def test_a_chosen_path_is_drawn_in_the_lattice_until_the_text_changes(unable: Person, inquiry: Inquiry) -> None:
    window = unable.window
    window.questions.best_paths.path_chosen_requested.emit(2)
    seen = unable.session.exploration
    assert seen is not None
    assert window.lattice.view.marks().edges == frozenset(seen.n_best[2].edges)
    unable.types("able")
    assert window.lattice.view.marks().edges == frozenset()
    assert inquiry.chosen_path == -1


# Questions.


def test_only_the_question_on_show_is_computed(unable: Person, inquiry: Inquiry) -> None:
    told: list[object] = []
    inquiry.lens_changed.connect(told.append)
    unable.types("able")
    assert told == []
    unable.window.questions.tabs["lens"].click()
    unable.waits()
    assert len(told) == 1


def test_every_question_has_a_key(unable: Person, inquiry: Inquiry) -> None:
    keys = {action.shortcut().toString(): action for action in unable.window.findChildren(QAction)}
    for key, question in zip(
        ("F3", "F4", "F5", "F6", "F7", "F2"),
        ("sampling", "why_not", "what_if", "lens", "steps", "best_paths"),
        strict=True,
    ):
        keys[key].trigger()
        unable.waits()
        assert inquiry.question == question


def test_the_steps_button_opens_the_table_and_the_lattice_draws_along(unable: Person) -> None:
    window = unable.window
    window.lattice.steps_button.click()
    unable.waits()
    window.questions.steps.next.click()
    assert len(window.lattice.view.marks().edges) == 2
    assert window.lattice.view.marks().filled == (0, 2)
    window.questions.tabs["best_paths"].click()
    assert window.lattice.view.marks().edges == frozenset()


def test_more_paths_are_listed_when_asked_for(unable: Person) -> None:
    unable.window.questions.best_paths.number_requested.emit(20)
    unable.waits()
    assert len(unable.window.questions.best_paths.rows.lines) == 11


def test_drawing_twice_draws_other_paths(unable: Person, inquiry: Inquiry) -> None:
    unable.window.questions.tabs["sampling"].click()
    unable.waits()
    counts = []
    for _ in range(2):
        unable.window.questions.sampling.buttons[10_000].click()
        unable.waits()
        counts.append([line.figures[1] for line in unable.window.questions.sampling.rows.lines])
    assert counts[0] != counts[1]


# Edits.


@pytest.fixture
def trying(unable: Person, inquiry: Inquiry) -> Person:
    """Return a person with a corpus open and the What if tab on show."""
    inquiry.ask("what_if")
    inquiry.select_span((2, 6))
    unable.waits()
    return unable


def test_disabling_a_piece_changes_everything_at_once_and_undo_brings_it_back(trying: Person) -> None:
    window = trying.window
    window.questions.what_if.disable.click()
    trying.waits()
    assert [piece for piece, _ in window.segmentation.tokens] == ["unable"]
    seen = trying.session.exploration
    assert seen is not None
    assert seen.log_z_before - seen.log_z == pytest.approx(UNABLE["exact_delta"]["able"])
    window.questions.what_if.undo.click()
    trying.waits()
    assert [piece for piece, _ in window.segmentation.tokens] == ["un", "able"]
    window.questions.what_if.redo.click()
    trying.waits()
    assert [piece for piece, _ in window.segmentation.tokens] == ["unable"]


def test_forbidden_and_forced_edges_count_for_this_text_alone(trying: Person, inquiry: Inquiry) -> None:
    window = trying.window
    inquiry.forbid_span()
    trying.waits()
    assert [piece for piece, _ in window.segmentation.tokens] == ["unable"]
    trying.types("able")
    assert [piece for piece, _ in window.segmentation.tokens] == ["able"]
    trying.types("unable")
    assert [piece for piece, _ in window.segmentation.tokens] == ["unable"]


def test_an_added_piece_is_cut_and_decoded_though_the_vocabulary_lacks_it(trying: Person, inquiry: Inquiry) -> None:
    inquiry.try_edit(AddPiece("una", 4.0))
    trying.waits()
    assert trying.session.ids_text.startswith("12 ")
    assert trying.window.segmentation.tokens[0] == ("una", 12)
    assert trying.session.model is not None
    assert len(trying.session.model.pieces) == 12


def test_an_edit_that_cannot_be_made_is_said_and_changes_nothing(trying: Person, inquiry: Inquiry) -> None:
    inquiry.try_edit(AddPiece("able", -1.0))
    trying.waits()
    assert "is piece 2 already" in trying.window.strip.label.text()
    assert not inquiry.undo_stack.canUndo()


def test_two_edits_in_one_breath_are_both_made(trying: Person, inquiry: Inquiry) -> None:
    inquiry.try_edit(RescorePiece(2, -9.0))
    inquiry.try_edit(RescorePiece(11, -9.0))
    trying.waits()
    assert inquiry.edits == (RescorePiece(2, -9.0), RescorePiece(11, -9.0))


def test_the_corpus_is_counted_in_the_background(trying: Person, inquiry: Inquiry, tmp_path: Path) -> None:
    path = tmp_path / "words.tsv"
    path.write_text("unable\t3\nable\t2\nun\t4\n", encoding="utf-8")
    trying.opens(path)
    inquiry.try_edit(RescorePiece(2, -9.0))
    trying.waits()
    parts = {name: number for number, name in trying.window.questions.what_if.effects._parts}
    assert parts["texts cut otherwise"] == "2 of 3"
    before = 3 * -math.log(UNABLE["p_x"])
    assert before < float(parts["loss of the corpus"].split(" → ")[0].replace(",", ""))


def test_kept_edits_are_the_new_vocabulary_and_nothing_is_left_to_undo(trying: Person, inquiry: Inquiry) -> None:
    inquiry.try_edit(AddPiece("una", -2.0))
    trying.waits()
    trying.window.questions.what_if.keep.click()
    trying.waits()
    model = trying.session.model
    assert model is not None
    assert model.name.startswith("edited")
    assert trying.window.vocabulary.item_model.rowCount() == 13
    assert not inquiry.undo_stack.canUndo()
    assert inquiry.edits == ()


def key_of(window: MainWindow, key: QKeySequence.StandardKey) -> QAction:
    return next(action for action in window.findChildren(QAction) if action.shortcut() == QKeySequence(key))


def presses(person: Person, key: QKeySequence.StandardKey) -> None:
    """Press a key with the hands where the focus is."""
    widget = person.window.focusWidget()
    assert widget is not None
    person.bot.keySequence(widget, QKeySequence(key))
    person.waits()


UNDO, REDO = QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo


def test_undo_is_about_typing_in_the_text_and_about_edits_elsewhere(trying: Person, inquiry: Inquiry) -> None:
    window = trying.window
    trying.types("ables")
    inquiry.select_span((0, 4))
    trying.waits()
    trying.bot.mouseClick(window.questions.what_if.forbid, LEFT)
    trying.waits()
    undo, redo = key_of(window, UNDO), key_of(window, REDO)
    assert (undo.text(), redo.text()) == ("&Undo forbidding able", "&Redo")
    window.text_input.setFocus()
    assert (undo.text(), redo.isEnabled()) == ("&Undo typing", False)
    presses(trying, UNDO)
    assert window.text_input.text() != "ables"
    assert len(inquiry.edits) == 1
    window.lattice.view.setFocus()
    presses(trying, UNDO)
    assert list(inquiry.edits) == []
    assert (undo.isEnabled(), redo.text()) == (False, "&Redo forbidding able")
    presses(trying, REDO)
    assert len(inquiry.edits) == 1
    typed = window.text_input.text()
    window.text_input.setFocus()
    presses(trying, REDO)
    assert window.text_input.text() != typed


def test_undo_in_the_text_never_goes_on_to_the_edits(trying: Person, inquiry: Inquiry) -> None:
    inquiry.try_edit(RescorePiece(2, -9.0))
    trying.waits()
    trying.window.text_input.setText("unable")  # which cannot be taken back
    trying.window.text_input.setFocus()
    presses(trying, UNDO)
    assert len(inquiry.edits) == 1
    trying.window.text_input.setText("able")
    menu = trying.window.menuBar().actions()[1].menu()
    assert isinstance(menu, QMenu)
    menu.aboutToShow.emit()
    assert not key_of(trying.window, UNDO).isEnabled()


def test_a_score_that_was_entered_is_undone_in_its_own_field(trying: Person, inquiry: Inquiry) -> None:
    score = trying.window.questions.what_if.score
    score.setFocus()
    score.selectAll()
    trying.bot.keyClicks(score, "-9")
    presses(trying, UNDO)
    assert "9" not in score.text()  # typing, while there is some
    assert list(inquiry.edits) == []
    score.selectAll()
    trying.bot.keyClicks(score, "-9")
    trying.bot.keyClick(score, Qt.Key.Key_Return)
    trying.waits()
    assert list(inquiry.edits) == [RescorePiece(2, -9.0)]
    assert trying.window.focusWidget() is score
    presses(trying, UNDO)
    assert list(inquiry.edits) == []
    assert score.value() == pytest.approx(math.log(0.1), abs=1e-6)
    presses(trying, REDO)
    assert list(inquiry.edits) == [RescorePiece(2, -9.0)]


# Keyboard and screen readers.


def test_whatever_takes_the_focus_has_a_name_for_screen_readers(unable: Person) -> None:
    nameless = []
    for widget in unable.window.findChildren(QWidget):
        takes_focus = widget.isVisible() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        if not takes_focus or isinstance(widget.parent(), QAbstractScrollArea | QAbstractSpinBox):
            continue
        face = QAccessible.queryAccessibleInterface(widget)
        name = face.text(QAccessible.Text.Name) if face is not None else ""
        if not name and not isinstance(widget.parent(), QAbstractButton | QLineEdit):
            nameless.append(f"{type(widget).__name__} in {type(widget.parent()).__name__}")
    assert nameless == []


def test_the_piece_in_focus_is_spoken(unable: Person) -> None:
    view = unable.window.lattice.view
    view.setFocus(Qt.FocusReason.TabFocusReason)
    unable.bot.keyClick(view, Qt.Key.Key_Right)
    face = QAccessible.queryAccessibleInterface(view)
    assert face is not None
    assert face.text(QAccessible.Text.Name) == "Lattice"
    spoken = face.text(QAccessible.Text.Description)
    assert spoken == "able, ID 2, from 2 to 6, ln p −2.303, posterior 79.3 %, on the best path"


def test_tabs_are_walked_with_arrow_keys(unable: Person, inquiry: Inquiry) -> None:
    tabs = unable.window.questions.tabs
    tabs["best_paths"].setFocus()
    unable.bot.keyClick(tabs["best_paths"], Qt.Key.Key_Right)
    assert inquiry.question == "sampling"
    unable.bot.keyClick(tabs["sampling"], Qt.Key.Key_Left)
    assert inquiry.question == "best_paths"


def test_what_is_tried_out_is_said_at_the_lattice_and_in_the_vocabularys_row(trying: Person, inquiry: Inquiry) -> None:
    window = trying.window
    row = window.vocabulary.item_model
    own = row.index(2, LOG_P).data()
    assert "tried" not in row.index(2, PIECE).data()
    table = window.vocabulary.table
    cell = table.visualRect(row.index(2, PIECE)).adjusted(0, 2, 0, -2)

    def look() -> QImage:
        return table.viewport().grab(cell).toImage()

    bare = look()
    inquiry.try_edit(RescorePiece(2, -9.0))
    trying.waits()
    assert ("with", "1 edit tried out") in window.lattice.summary.parts_with_room()
    assert look() != bare  # it is painted too
    assert row.index(2, PIECE).data() == "able  (tried with ln p −9.000)"
    assert row.index(2, LOG_P).data() == own  # the number of the vocabulary itself
    assert "the numbers of this table do not" in row.index(2, PIECE).data(Qt.ItemDataRole.ToolTipRole)
    window.questions.what_if.undo.click()
    trying.waits()
    assert "with" not in dict(window.lattice.summary._parts)
    assert row.index(2, PIECE).data() == "able"
    assert look() == bare


def test_a_score_above_0_is_remarked_upon(trying: Person) -> None:
    what_if = trying.window.questions.what_if
    trying.session.inquiry.ask("what_if")
    trying.session.inquiry.select_span((0, 3))  # una, no piece
    trying.waits()
    assert what_if.score.isEnabled()
    what_if.score.setValue(20.001)
    assert not what_if.remark.isHidden()
    assert "above 1" in what_if.remark.text()
    what_if.score.setValue(-1.0)
    assert what_if.remark.isHidden()
