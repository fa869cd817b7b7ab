"""Bricks in rows: broken at best cuts, everything shown once, places found again."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QPainter

from tests.helpers.explorations import exploration_of
from unigram_gui.shaping import Shaper
from unigram_gui.tasks.exploration import Exploration
from unigram_gui.theme import Theme
from unigram_gui.views.lattice.brick_drawing import BrickDrawing
from unigram_gui.views.lattice.drawing import ALL_LAYERS, DEFAULT_LAYERS
from unigram_gui.views.lattice.wrapped_bricks import BETWEEN, WrappedBricks

ROOM = 600.0


@pytest.fixture
def wrapped(theme: Theme, shaper: Shaper, sentence: Exploration) -> WrappedBricks:
    return WrappedBricks(BrickDrawing(sentence, theme, shaper, DEFAULT_LAYERS), ROOM)


def test_rows_break_at_cuts_of_the_best_path_and_fit_the_room(wrapped: WrappedBricks, sentence: Exploration) -> None:
    assert len(wrapped.rows) > 5
    assert {row.last for row in wrapped.rows} <= set(sentence.best.ends)
    assert wrapped.width <= ROOM
    assert [row.first for row in wrapped.rows] == [0, *(row.last for row in wrapped.rows[:-1])]
    assert wrapped.rows[1].top == wrapped.rows[0].height + BETWEEN


def test_a_piece_wider_than_a_row_is_broken_as_a_last_resort(theme: Theme, shaper: Shaper) -> None:
    seen = exploration_of({"ab" * 40: 0.5, "a": 0.1, "b": 0.1}, "ab" * 40)
    rows = WrappedBricks(BrickDrawing(seen, theme, shaper, DEFAULT_LAYERS), 400.0).rows
    assert len(rows) > 2
    assert rows[-1].last == 80


def test_every_letter_of_the_text_is_shown_in_its_row(
    wrapped: WrappedBricks, sentence: Exploration, painter: QPainter
) -> None:
    labels = wrapped.labels(painter)
    text_y = wrapped.bricks.layout.text_y
    for row in wrapped.rows:
        baseline = row.top + text_y
        letters = [label for label in labels if abs(label.y + 0.76 * 15.0 - baseline) < 0.5]
        shown = "".join(label.text for label in sorted(letters, key=lambda label: label.x))
        assert sentence.lattice.text[row.first : row.last] in shown


def test_the_place_of_an_edge_is_where_it_is_hit(wrapped: WrappedBricks, sentence: Exploration) -> None:
    for edge in sentence.best.edges:
        centre = wrapped.edge_rect(edge).center()
        assert wrapped.edge_at(centre.x(), centre.y()) == edge


def test_a_place_on_a_text_line_is_a_character(wrapped: WrappedBricks) -> None:
    row = wrapped.rows[3]
    y = row.top + wrapped.bricks.layout.axis_y + 5.0
    assert wrapped.character_at(wrapped.bricks.left + 3.0, y) == row.first
    assert wrapped.character_near(1e6, y) == row.last - 1
    assert wrapped.edge_at(1e6, y) == -1


def test_rows_of_sums_are_repeated_too(theme: Theme, shaper: Shaper, sentence: Exploration, painter: QPainter) -> None:
    wrapped = WrappedBricks(BrickDrawing(sentence, theme, shaper, ALL_LAYERS), ROOM)
    labels = [label.text for label in wrapped.labels(painter)]
    assert labels.count("ln α") == len(wrapped.rows)
