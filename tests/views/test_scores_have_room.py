"""ln p of every piece of the best path is written, or the legend says that some have no room."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from PySide6.QtGui import QPainter
from pytestqt.qtbot import QtBot

from engine.model import UnigramModel
from unigram_gui.ink import Ink
from unigram_gui.number_text import log_text
from unigram_gui.shaping import Shaper
from unigram_gui.tasks.exploration import Exploration, explore
from unigram_gui.theme import LIGHT, Theme
from unigram_gui.views.lattice.brick_drawing import BrickDrawing
from unigram_gui.views.lattice.drawing import DEFAULT_LAYERS, Layer
from unigram_gui.views.lattice.graph_drawing import GraphDrawing
from unigram_gui.views.lattice.legend import NO_ROOM, paint_legend
from unigram_gui.views.lattice.view import LatticeView

LETTERS = "abcdefghijklm"


@pytest.fixture
def letters() -> Exploration:
    """Return a text of which every letter is a piece by itself, each with a score of its own."""
    return explore(UnigramModel.from_probabilities({a: 0.00001 * (i + 1) for i, a in enumerate(LETTERS)}), LETTERS * 3)


def _scores(seen: Exploration, places: int) -> list[str]:
    return [log_text(float(seen.lattice.edge_log_p[edge]), places) for edge in seen.best.edges]


def _texts(labels: Sequence[object]) -> list[str]:
    return [label.text for label in labels]  # type: ignore[attr-defined]


def test_narrow_bricks_have_all_their_scores_in_several_lines(
    theme: Theme, shaper: Shaper, painter: QPainter, letters: Exploration
) -> None:
    drawing = BrickDrawing(letters, theme, shaper, DEFAULT_LAYERS)
    labels = [label for label in drawing.labels(painter) if label.text.startswith("−")]
    assert sorted(_texts(labels)) == sorted(_scores(letters, 2))
    assert not drawing.leaves_out_scores
    for one in labels:  # none lies on another
        beside = [other for other in labels if other is not one and other.y == one.y]
        assert all(other.x >= one.x + one.width or other.x + other.width <= one.x for other in beside)


def test_where_columns_are_too_narrow_for_scores_the_drawing_says_so(
    theme: Theme, shaper: Shaper, painter: QPainter, letters: Exploration
) -> None:
    drawing = BrickDrawing(letters, theme, shaper, DEFAULT_LAYERS, zoom=0.6)
    assert not any(text.startswith("−") for text in _texts(drawing.labels(painter)))
    assert drawing.leaves_out_scores
    assert not BrickDrawing(letters, theme, shaper, DEFAULT_LAYERS - {Layer.LN_P}, zoom=0.6).leaves_out_scores


def test_the_legend_names_scores_without_room(shaper: Shaper, painter: QPainter) -> None:
    for lacks in (True, False):
        ink = Ink(shaper, keep_labels=True)
        paint_legend(painter, ink, LIGHT, "bricks", 0.0, 12.0, 900.0, True, lacks_scores=lacks)
        assert (NO_ROOM in _texts(ink.labels)) == lacks


def test_a_person_who_zooms_into_a_narrow_graph_gets_the_scores(
    qtbot: QtBot, theme: Theme, painter: QPainter
) -> None:
    seen = explore(UnigramModel.from_probabilities(dict.fromkeys("abcdefghi", 0.05)), "abcdefghi")
    view = LatticeView(theme)
    qtbot.addWidget(view)
    view.resize(640, 320)
    view.set_exploration(seen)
    narrow = view.drawing
    assert isinstance(narrow, GraphDrawing)
    assert narrow.leaves_out_scores
    view.zoom_in()
    wide = view.drawing
    assert isinstance(wide, GraphDrawing)
    assert not wide.leaves_out_scores
    assert wide.width * wide.scale > narrow.width * narrow.scale
    assert set(_scores(seen, 3)) <= set(_texts(wide.labels(painter)))
