"""The best paths: rows with the golden numbers."""

from __future__ import annotations

import math

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter
from pytestqt.qtbot import QtBot

from tests.helpers.toy_models import golden
from unigram_gui.number_text import log_text, percent_text
from unigram_gui.tasks.exploration import Exploration
from unigram_gui.theme import Theme
from unigram_gui.views.best_paths import LEFT_OUT, BestPathsView


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
        qtbot.mouseClick(view.rows, Qt.MouseButton.LeftButton, pos=place)
    assert picked.args == [11]


def test_what_long_rows_share_is_left_out(view: BestPathsView, sentence: Exploration, painter: QPainter) -> None:
    view.set_exploration(sentence)
    drawn = [label.text for label in view.rows.labels(painter)]
    assert drawn.count(LEFT_OUT) >= len(sentence.n_best)
    assert all(label.x + label.width <= view.rows.width() for label in view.rows.labels(painter))


def test_rows_are_told_as_text(view: BestPathsView) -> None:
    assert view.rows.accessibleDescription().startswith("1: un able, ln p −3.912, 78.5 %; 2: unable")


def test_no_text_has_no_rows(view: BestPathsView, painter: QPainter) -> None:
    view.set_exploration(None)
    assert view.rows.labels(painter) == []
    view.grab()
