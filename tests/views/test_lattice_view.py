"""The live lattice under a person's hands: one act, one visible fact."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QCoreApplication, QPoint, QPointF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from tests.helpers.case_models import json_model
from tests.helpers.explorations import edge_of, exploration_of
from unigram_gui.tasks.exploration import Exploration, explore
from unigram_gui.theme import DARK, Theme
from unigram_gui.views.lattice import ALL_LAYERS, LatticePane, LatticeView
from unigram_gui.views.lattice.graph_drawing import GraphDrawing

ABC = {"a": 0.2, "b": 0.1, "c": 0.1, "ab": 0.2, "bc": 0.3, "abc": 0.02}


@pytest.fixture
def view(qtbot: QtBot, theme: Theme, unable: Exploration) -> LatticeView:
    """Return a shown view of the worked example."""
    view = LatticeView(theme)
    qtbot.addWidget(view)
    view.resize(760, 420)
    view.set_exploration(unable)
    with qtbot.waitExposed(view):
        view.show()
    return view


@pytest.fixture
def pane(qtbot: QtBot, theme: Theme, unable: Exploration) -> LatticePane:
    pane = LatticePane(theme)
    qtbot.addWidget(pane)
    pane.resize(760, 460)
    pane.set_exploration(unable)
    with qtbot.waitExposed(pane):
        pane.show()
    return pane


def point_at(qtbot: QtBot, view: LatticeView, edge: int) -> None:
    place = view.edge_place(edge).center().toPoint()
    qtbot.mouseMove(view.viewport(), place + QPoint(1, 1))
    qtbot.mouseMove(view.viewport(), place)
    qtbot.waitUntil(lambda: view.hovered_edge == edge)


def test_a_short_text_is_a_graph_and_a_long_one_is_bricks(
    view: LatticeView, sentence: Exploration, unable: Exploration
) -> None:
    assert view.shown_mode == "graph"
    view.set_exploration(sentence)
    assert view.shown_mode == "bricks"
    view.set_exploration(unable)
    assert view.shown_mode == "graph"


def test_a_narrow_view_turns_the_graph_into_bricks(qtbot: QtBot, view: LatticeView) -> None:
    with qtbot.waitSignal(view.mode_changed) as changed:
        view.resize(300, 420)
    assert changed.args == ["bricks"]


def test_a_chosen_mode_stays(view: LatticeView, unable: Exploration) -> None:
    view.set_mode("bricks")
    view.set_exploration(unable)
    assert view.shown_mode == "bricks"
    with pytest.raises(ValueError, match="auto, graph, bricks"):
        view.set_mode("circles")


@pytest.mark.parametrize("mode", ["graph", "bricks"])
def test_hovering_tells_all_numbers_of_a_piece(qtbot: QtBot, view: LatticeView, unable: Exploration, mode: str) -> None:
    view.set_mode(mode)
    point_at(qtbot, view, edge_of(unable, 0, "unable"))
    told = view.card.text()
    assert told.splitlines()[0] == "unable ID 11"
    for line in ("p 0.005", "ln p −5.298", "posterior 19.6 %", "ln α(0), ln β(6) 0.00, 0.00"):
        assert line in told
    assert "= α(0) · p · β(6) / P(x) 1 · 0.005 · 1 / 0.02546" in told


def test_hovering_emits_the_piece_and_leaving_emits_none(qtbot: QtBot, view: LatticeView, unable: Exploration) -> None:
    seen: list[int] = []
    view.piece_hovered.connect(seen.append)
    point_at(qtbot, view, edge_of(unable, 2, "ab"))
    qtbot.mouseMove(view.viewport(), QPoint(3, 3))
    qtbot.waitUntil(lambda: view.hovered_edge == -1)
    assert seen == [4, -1]
    assert view.card.text() == ""


def test_a_hovered_piece_is_orange_wherever_it_stands(qtbot: QtBot, view: LatticeView) -> None:
    seen = exploration_of(ABC, "abcabc")
    view.set_exploration(seen)
    point_at(qtbot, view, edge_of(seen, 0, "abc"))
    assert view.marks().pieces == {6}


def test_a_character_of_the_text_line_tells_its_name(qtbot: QtBot, view: LatticeView) -> None:
    view.set_exploration(exploration_of({"a": 0.5}, "a\u200da"))
    view.set_mode("bricks")
    drawing = view.drawing
    assert drawing is not None
    edge = view.exploration.best.edges[1]  # type: ignore[union-attr]
    place = view.edge_place(edge).center().toPoint()
    qtbot.mouseMove(view.viewport(), QPoint(place.x(), place.y() - 26))
    qtbot.mouseMove(view.viewport(), QPoint(place.x(), place.y() - 25))
    qtbot.waitUntil(lambda: "ZERO WIDTH JOINER" in view.card.text())
    assert "U+200D" in view.card.text()
    assert "UTF-8 E2 80 8D" in view.card.text()


def test_clicking_picks_a_piece_and_clicking_again_lets_it_go(
    qtbot: QtBot, view: LatticeView, unable: Exploration
) -> None:
    place = view.edge_place(edge_of(unable, 0, "unable")).center().toPoint()
    picked: list[int] = []
    view.piece_picked.connect(picked.append)
    for _ in range(2):
        qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert picked == [11, -1]


def test_a_piece_picked_elsewhere_is_marked(view: LatticeView) -> None:
    view.set_picked_piece(3)
    assert view.marks().pieces == {3}
    view.set_picked_piece(None)
    assert view.marks().pieces == frozenset()


def test_arrow_keys_walk_over_the_edges_and_say_where_they_are(
    qtbot: QtBot, view: LatticeView, unable: Exploration
) -> None:
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert view.focused_edge == edge_of(unable, 0, "un")
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert view.focused_edge == edge_of(unable, 2, "able")
    qtbot.keyClick(view, Qt.Key.Key_Up)
    assert view.drawing is not None
    assert view.drawing.row[view.focused_edge] == -2
    assert "able" not in view.accessibleDescription()
    qtbot.keyClick(view, Qt.Key.Key_Down)
    assert view.focused_edge == edge_of(unable, 2, "able")
    assert view.accessibleDescription() == ("able, ID 2, from 2 to 6, ln p −2.303, posterior 79.3 %, on the best path")


def test_the_focus_is_drawn_only_while_the_view_has_it(qtbot: QtBot, view: LatticeView) -> None:
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_End)
    assert view.marks().focused == view.focused_edge >= 0
    view.clearFocus()
    assert view.marks().focused == -1


def test_return_picks_the_edge_in_focus_and_escape_lets_go(qtbot: QtBot, view: LatticeView) -> None:
    qtbot.keyClick(view, Qt.Key.Key_Home)
    with qtbot.waitSignal(view.piece_picked) as picked:
        qtbot.keyClick(view, Qt.Key.Key_Return)
    assert picked.args == [1]
    with qtbot.waitSignal(view.piece_picked) as released:
        qtbot.keyClick(view, Qt.Key.Key_Escape)
    assert released.args == [-1]


def test_the_focus_survives_a_keystroke_at_the_end(qtbot: QtBot, view: LatticeView) -> None:
    view.set_exploration(exploration_of(ABC, "abc"))
    qtbot.keyClick(view, Qt.Key.Key_Home)
    before = view.exploration.edge_text(view.focused_edge)  # type: ignore[union-attr]
    longer = exploration_of(ABC, "abcab")
    view.set_exploration(longer)
    assert view.focused_edge >= 0
    assert longer.edge_text(view.focused_edge) == before


def test_walking_scrolls_the_edge_into_sight(qtbot: QtBot, view: LatticeView, sentence: Exploration) -> None:
    view.set_exploration(sentence)
    qtbot.keyClick(view, Qt.Key.Key_End)
    place = view.edge_place(view.focused_edge)
    assert 0.0 <= place.left() <= place.right() <= view.viewport().width()


def test_who_looks_at_the_end_keeps_looking_at_the_end(view: LatticeView) -> None:
    view.set_exploration(exploration_of(ABC, "abc" * 60))
    bar = view.horizontalScrollBar()
    bar.setValue(bar.maximum())
    view.set_exploration(exploration_of(ABC, "abc" * 61))
    assert bar.value() == bar.maximum()


def test_zooming_keeps_what_is_in_the_middle(view: LatticeView, sentence: Exploration) -> None:
    view.set_exploration(sentence)
    bar = view.horizontalScrollBar()
    bar.setValue(bar.maximum() // 2)
    middle = view.to_drawing(view.viewport().rect().center().toPointF()).x() / view.drawing.width  # type: ignore[union-attr]
    view.zoom_out()
    after = view.to_drawing(view.viewport().rect().center().toPointF()).x() / view.drawing.width  # type: ignore[union-attr]
    assert after == pytest.approx(middle, abs=0.01)


def test_fitting_shows_the_whole_text(view: LatticeView, sentence: Exploration) -> None:
    view.set_exploration(sentence)
    view.zoom_fit()
    assert view.horizontalScrollBar().maximum() == 0


def test_an_empty_text_says_what_to_do(view: LatticeView) -> None:
    view.set_exploration(None)
    assert view.drawing is None
    assert "Type a text" in view.accessibleDescription()
    view.viewport().grab()


def test_another_theme_is_taken_over_at_once(view: LatticeView) -> None:
    view.set_theme(Theme(DARK))
    image = view.viewport().grab().toImage()
    assert image.pixelColor(2, 2).name().upper() == DARK.paper


# The pane


def test_the_summary_tells_tokens_pieces_paths_probability_and_entropy(pane: LatticePane) -> None:
    assert (
        pane.summary.text()
        == "2 tokens   11 pieces   11 paths   −3.670 = ln P(x)   0.599 nats entropy   1.386 nats margin"
    )


def test_the_automatic_choice_says_what_it_chose(pane: LatticePane, sentence: Exploration) -> None:
    assert pane.mode_buttons["auto"].text() == "Auto: graph"
    pane.set_exploration(sentence)
    assert pane.mode_buttons["auto"].text() == "Auto: bricks"


def test_a_layer_button_switches_its_layer(qtbot: QtBot, pane: LatticePane) -> None:
    for layer, button in pane.layer_buttons.items():
        shown = layer in pane.view.layers
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        assert (layer in pane.view.layers) is not shown


def test_mode_buttons_choose_the_drawing(qtbot: QtBot, pane: LatticePane) -> None:
    qtbot.mouseClick(pane.mode_buttons["bricks"], Qt.MouseButton.LeftButton)
    assert pane.view.shown_mode == "bricks"
    assert not pane.mode_buttons["auto"].isChecked()


def test_zoom_buttons_zoom_and_tell_how_far(qtbot: QtBot, pane: LatticePane) -> None:
    qtbot.mouseClick(pane.zoom_buttons["in"], Qt.MouseButton.LeftButton)
    assert pane.zoom_buttons["reset"].text() == "125 %"
    qtbot.mouseClick(pane.zoom_buttons["reset"], Qt.MouseButton.LeftButton)
    assert pane.view.zoom == 1.0


def test_the_keyboard_reaches_every_group_of_buttons(pane: LatticePane) -> None:
    # Of buttons that exclude each other Qt gives the focus to the one that is down; arrow keys do the rest.
    buttons: list[QWidget] = [pane.mode_buttons["auto"], *pane.layer_buttons.values(), pane.fit_button]
    assert all(button.focusPolicy() & Qt.FocusPolicy.TabFocus for button in buttons)


@pytest.mark.parametrize("act", [LatticeView.zoom_in, LatticeView.zoom_out, LatticeView.zoom_fit])
def test_zooming_nothing_does_nothing_bad(qtbot: QtBot, theme: Theme, act: Callable[[LatticeView], None]) -> None:
    view = LatticeView(theme)
    qtbot.addWidget(view)
    act(view)
    assert view.drawing is None


def test_all_layers_can_be_shown_at_once(pane: LatticePane) -> None:
    pane.set_layers(ALL_LAYERS)
    assert pane.view.layers == ALL_LAYERS
    pane.grab()


def test_of_a_graph_that_is_too_tall_the_text_is_in_sight(view: LatticeView) -> None:
    letters = "abcdefghij"
    pieces = {letters[i:j]: 0.01 for i in range(len(letters)) for j in range(i + 1, len(letters) + 1)}
    seen = exploration_of(pieces, letters)
    view.set_mode("graph")
    view.set_exploration(seen)
    assert view.verticalScrollBar().maximum() > 0
    place = view.edge_place(seen.best.edges[0])
    assert 0.0 <= place.top() <= place.bottom() <= view.viewport().height()


def test_a_tall_graph_that_just_fits_does_not_flicker(qtbot: QtBot, view: LatticeView) -> None:
    letters = "abcdef"
    pieces = {letters[i:j]: 0.01 for i in range(len(letters)) for j in range(i + 1, len(letters) + 1)}
    view.set_exploration(exploration_of(pieces, letters))
    changes: list[str] = []
    view.mode_changed.connect(changes.append)
    for width in range(560, 700, 4):
        view.resize(width, 200)
        for _ in range(4):
            QCoreApplication.processEvents()
    assert len(changes) <= 2


def test_the_rows_of_a_graph_take_their_room_from_its_cells(view: LatticeView) -> None:
    view.resize(716, 480)
    view.set_layers(ALL_LAYERS)
    assert view.shown_mode == "graph"
    assert view.drawing is not None
    assert view.drawing.width <= view.room


# Room: what fits, what scrolls, how far it is zoomed.

LETTERS = "unbelievable"
WORD = dict.fromkeys(LETTERS, 0.03) | {"un": 0.05, "bel": 0.02, "able": 0.1, "iev": 0.02, "ble": 0.03}


def whole_is_in_sight(view: LatticeView) -> bool:
    return view.horizontalScrollBar().maximum() == view.verticalScrollBar().maximum() == 0


@pytest.mark.parametrize("mode", ["graph", "bricks"])
def test_fit_shows_all_of_a_word_in_width_and_height(view: LatticeView, mode: str) -> None:
    view.set_exploration(exploration_of(WORD, LETTERS))
    view.resize(716, 260)
    view.set_mode(mode)
    view.zoom_fit()
    assert whole_is_in_sight(view)
    assert view.drawing is not None
    last = view.edge_place(view.exploration.best.edges[-1])  # type: ignore[union-attr]
    assert last.right() <= view.viewport().width()
    assert view.zoom < 1.0 or mode == "bricks"


def test_graph_and_bricks_keep_a_zoom_each(qtbot: QtBot, pane: LatticePane) -> None:
    pane.set_mode("graph")
    pane.view.set_zoom(0.6)
    qtbot.mouseClick(pane.mode_buttons["bricks"], Qt.MouseButton.LeftButton)
    assert pane.zoom_buttons["reset"].text() == "100 %"
    qtbot.mouseClick(pane.mode_buttons["graph"], Qt.MouseButton.LeftButton)
    assert pane.zoom_buttons["reset"].text() == "60 %"


def test_auto_decides_by_text_and_pane_whatever_the_zoom_was(view: LatticeView, sentence: Exploration) -> None:
    view.set_exploration(sentence)
    view.set_zoom(0.2)
    word = exploration_of(WORD, LETTERS)
    view.set_exploration(word)
    assert (view.shown_mode, view.zoom) == ("graph", 1.0)
    view.set_zoom(0.4)
    assert view.shown_mode == "graph"
    view.set_mode("bricks")
    view.set_mode("auto")
    assert (view.shown_mode, view.zoom) == ("graph", 1.0)
    assert whole_is_in_sight(view)


def test_a_drawing_that_just_fits_has_no_scroll_bars(view: LatticeView) -> None:
    view.set_mode("bricks")
    view.set_exploration(exploration_of(WORD, LETTERS * 3))
    assert view.drawing is not None
    width = round(view.drawing.width) + 40
    for height in range(140, 320, 7):
        for room in (width, width + 8, width + 30):
            view.resize(room, height)
            fits_down = view.drawing.height <= view.whole_height
            assert (view.verticalScrollBar().maximum() == 0) == fits_down
            if fits_down:
                assert view.horizontalScrollBar().maximum() == 0


def test_a_new_text_is_shown_from_its_beginning_and_one_that_is_typed_where_it_changes(view: LatticeView) -> None:
    view.set_mode("bricks")
    view.resize(400, 150)
    view.set_wrap(True)
    view.set_exploration(exploration_of(ABC, "abc" * 60))
    down, across = view.verticalScrollBar(), view.horizontalScrollBar()
    down.setValue(down.maximum())
    view.set_exploration(exploration_of(ABC, "cab" * 60))
    assert down.value() == 0
    view.set_wrap(False)
    across.setValue(300)
    view.set_exploration(exploration_of(ABC, "cab" * 60 + "a"))
    assert across.value() == across.maximum() > 300
    typed = exploration_of(ABC, "cab" * 20 + "b" + "cab" * 40 + "a")
    view.set_exploration(typed)
    assert 0 < across.value() < across.maximum()
    assert view.viewport().rect().contains(view.edge_place(edge_of(typed, 60, "b")).center().toPoint())
    view.set_exploration(exploration_of(ABC, "abc" * 60))
    assert across.value() == 0


def test_a_low_pane_shows_lanes_nearer_to_each_other_before_it_scrolls(view: LatticeView) -> None:
    letters = "abcdef"
    pieces = {letters[i:j]: 0.01 for i in range(len(letters)) for j in range(i + 1, len(letters) + 1)}
    view.set_mode("bricks")
    view.set_exploration(exploration_of(pieces, letters))
    high = view.drawing.height  # type: ignore[union-attr]
    view.resize(760, round(high) + 24 - 20)
    assert view.verticalScrollBar().maximum() == 0
    assert view.drawing.height < high  # type: ignore[union-attr]


# Walls: where the rules of a tokenizer cut the text before pieces are looked for.


@pytest.mark.parametrize("mode", ["graph", "bricks"])
def test_a_wall_is_told_under_the_pointer_and_to_screen_readers(qtbot: QtBot, view: LatticeView, mode: str) -> None:
    view.set_mode(mode)
    view.set_exploration(explore(json_model(), "ab ba"))
    assert view.drawing is not None
    assert view.drawing.has_walls
    assert "1 wall that no piece spans" in view.accessibleDescription()
    boundary = view.drawing.boundary_place(3)
    below = 0.5 * view.drawing.sizes.band if isinstance(view.drawing, GraphDrawing) else 30.0
    place = view.to_viewport(boundary + QPointF(0.0, below)).toPoint()
    qtbot.mouseMove(view.viewport(), place + QPoint(40, 0))
    qtbot.mouseMove(view.viewport(), place)
    qtbot.waitUntil(lambda: view.card.isVisible() and "Wall at 3" in view.card.text())
    assert "no piece spans it" in view.card.text()


def test_a_lattice_without_walls_says_nothing_of_them(view: LatticeView) -> None:
    assert view.drawing is not None
    assert not view.drawing.has_walls
    assert "wall" not in view.accessibleDescription()


def test_an_exception_while_painting_leaves_no_painter_behind(
    view: LatticeView, monkeypatch: pytest.MonkeyPatch
) -> None:
    painters: list[QPainter] = []

    def fail(painter: QPainter, *_: object) -> None:
        painters.append(painter)
        assert painter.isActive()
        raise IndexError("no such edge")

    with monkeypatch.context() as patch:
        patch.setattr(view.drawing, "paint", fail)
        with pytest.raises(IndexError, match="no such edge"):
            view.viewport().repaint()
    assert [painter.isActive() for painter in painters] == [False]
    view.viewport().repaint()  # and the next event paints
