"""The best paths: rows with the golden numbers."""

from __future__ import annotations

import math

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QPainter
from pytestqt.qtbot import QtBot

from engine.model import UnigramModel
from tests.helpers.explorations import exploration_of
from tests.helpers.toy_models import golden
from unigram_gui.number_text import log_text, percent_text
from unigram_gui.tasks.exploration import Exploration, explore
from unigram_gui.theme import Theme
from unigram_gui.views.best_paths import BestPathsView
from unigram_gui.views.sheet import LEFT_OUT


@pytest.fixture
def view(qtbot: QtBot, theme: Theme, unable: Exploration) -> BestPathsView:
    view = BestPathsView(theme)
    qtbot.addWidget(view)
    view.resize(720, 150)
    view.set_exploration(unable)
    with qtbot.waitExposed(view):
        view.show()
    return view


def test_rows_show_the_golden_paths_in_order(view: BestPathsView, painter: QPainter) -> None:
    drawn = [label.text for label in view.rows.labels(painter)]
    at = 0
    for path in golden("unable_lattice.json")["paths"][:5]:
        for text in [*path["pieces"], log_text(math.log(path["probability"])), percent_text(path["share"])]:
            at = drawn.index(text, at)


def test_how_far_a_path_is_behind_is_told_from_the_second_on(view: BestPathsView, painter: QPainter) -> None:
    drawn = [label.text for label in view.rows.labels(painter)]
    assert "1.39" in drawn  # ln 0.02 - ln 0.005
    assert "0.00" not in drawn


def test_a_click_on_a_brick_picks_its_piece(qtbot: QtBot, view: BestPathsView) -> None:
    with qtbot.waitSignal(view.piece_picked) as picked:
        place = view.rows.brick_rect(1, 0).center().toPoint()
        qtbot.mouseClick(view.rows.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert picked.args == [11]


def test_what_long_rows_share_is_left_out(view: BestPathsView, sentence: Exploration, painter: QPainter) -> None:
    view.set_exploration(sentence)
    drawn = [label.text for label in view.rows.labels(painter)]
    assert drawn.count(LEFT_OUT) >= len(sentence.n_best)
    assert all(label.x + label.width <= view.rows.width() for label in view.rows.labels(painter))


def test_rows_are_told_as_text(view: BestPathsView) -> None:
    assert view.rows.accessibleDescription().startswith(
        "1: un able, ln p −3.912, 78.5 %, 1.386 before the next; 2: unable"
    )


def test_no_text_has_no_rows(view: BestPathsView, painter: QPainter) -> None:
    view.set_exploration(None)
    assert view.rows.labels(painter) == []
    view.grab()


def test_choosing_a_line_beside_its_bricks_asks_for_that_path_and_tells_its_margin(
    qtbot: QtBot, view: BestPathsView, painter: QPainter
) -> None:
    with qtbot.waitSignal(view.path_chosen_requested) as chosen:
        place = view.rows.brick_rect(2, 2).center().toPoint() + QPoint(80, 0)
        qtbot.mouseClick(view.rows.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert chosen.args == [2]
    view.set_chosen_path(2)
    margin = math.log(0.00024 / 0.0002)
    assert f"{log_text(margin)} before the next" in [label.text for label in view.rows.labels(painter)]


def test_many_paths_scroll_and_only_those_in_sight_are_painted(
    qtbot: QtBot, view: BestPathsView, painter: QPainter
) -> None:
    model = UnigramModel.from_probabilities(golden("unable_lattice.json")["probabilities"])
    view.set_exploration(explore(model, "unable", n_best=50))
    assert len(view.rows.lines) == 11
    assert view.rows.verticalScrollBar().maximum() > 0
    assert "11" not in [label.text for label in view.rows.labels(painter)]
    view.rows.setFocus()
    qtbot.keyClick(view.rows, Qt.Key.Key_End)
    assert "11" in [label.text for label in view.rows.labels(painter)]
    assert view.rows.accessibleDescription().startswith("11: u n a b l e, ")


def test_arrow_keys_walk_over_lines_and_bricks_and_say_where_they_are(qtbot: QtBot, view: BestPathsView) -> None:
    view.rows.setFocus()
    qtbot.keyClick(view.rows, Qt.Key.Key_Down)
    qtbot.keyClick(view.rows, Qt.Key.Key_Down)
    qtbot.keyClick(view.rows, Qt.Key.Key_Right)
    assert view.rows.accessibleDescription() == "unable, ID 11"
    with qtbot.waitSignal(view.piece_picked) as picked:
        qtbot.keyClick(view.rows, Qt.Key.Key_Return)
    assert picked.args == [11]


def test_another_number_of_paths_is_asked_for(qtbot: QtBot, view: BestPathsView) -> None:
    with qtbot.waitSignal(view.number_requested) as asked:
        view.number.activated.emit(2)
    assert asked.args == [20]


def test_bricks_end_before_the_scores_however_long_these_are(view: BestPathsView, painter: QPainter) -> None:
    pieces = {"a": 0.001, "b": 0.001, "ab": 1e-7}
    view.set_exploration(exploration_of(pieces, "ab" * 30_000))
    labels = [label for label in view.rows.labels(painter) if label.y < 22.0]
    score = next(label for label in labels if "," in label.text)
    bricks = [label for label in labels if label.text in (*pieces, LEFT_OUT)]
    assert max(label.x + label.width for label in bricks) < score.x


def test_a_long_percentage_stands_clear_of_its_bar(qtbot: QtBot, theme: Theme, painter: QPainter) -> None:
    model = UnigramModel.from_probabilities({"a": 0.98, "b": 0.0199, "ab": 0.0001})
    view = BestPathsView(theme)
    qtbot.addWidget(view)
    view.resize(720, 150)
    view.set_exploration(explore(model, "ababab"))
    small = [label for label in view.rows.labels(painter) if "10⁻" in label.text]
    assert small
    columns = view.rows.columns
    bar_end = view.rows.width() - columns.bar_left + columns.bar
    assert all(label.x >= bar_end + 4 for label in small)
