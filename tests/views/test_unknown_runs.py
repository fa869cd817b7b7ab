"""A run of unknown characters is one token: chips, bricks, graph, best paths and comparison show it as one."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from engine.comparison import compare_vocabularies
from engine.model import UnigramModel
from tests.helpers.explorations import edge_of
from tests.helpers.toy_models import base_model, byte_model
from unigram_gui.ink import Ink
from unigram_gui.shaping import Shaper
from unigram_gui.tasks.comparing import Pair, TextPairRequest
from unigram_gui.tasks.control import TaskControl
from unigram_gui.tasks.exploration import Exploration, explore
from unigram_gui.theme import LIGHT, Theme
from unigram_gui.views.best_paths import BestPathsView
from unigram_gui.views.compare.text_drawing import TextPairDrawing
from unigram_gui.views.lattice.brick_drawing import BrickDrawing
from unigram_gui.views.lattice.drawing import ALL_LAYERS, NO_MARKS, Marks
from unigram_gui.views.lattice.graph_drawing import GraphDrawing
from unigram_gui.views.lattice.tips import edge_sentence, edge_tip
from unigram_gui.views.segmentation import SegmentationView

TEXT = "ab日本a語"
"""Normalized ▁ab日本a語: tokens ▁, ab, 日本, a, 語."""


@pytest.fixture
def seen() -> Exploration:
    return explore(base_model(), TEXT)


def test_each_listed_path_has_the_tokens_that_the_encoder_counts(seen: Exploration) -> None:
    assert seen.n_best_tokens[0].texts == tuple(seen.segmentation.pieces) == ("▁", "ab", "日本", "a", "語")
    assert seen.n_best_tokens[0].ids == tuple(seen.segmentation.ids.tolist())
    assert seen.n_best_tokens[1].texts == ("▁", "a", "b", "日本", "a", "語")
    assert len(seen.best) == 6  # the lattice keeps an edge a character


def test_bytes_of_unknown_characters_are_not_joined() -> None:
    seen = explore(byte_model(("a", -1.5), ("▁", -1.0)), "a日本")
    assert seen.n_best_tokens[0].texts == ("▁", "a", "日", "本")
    assert not any(seen.is_joined(edge) for edge in seen.best.edges)


def test_the_card_and_the_sentence_of_an_unknown_edge_say_that_it_is_one_token_with_its_neighbours(
    seen: Exploration,
) -> None:
    joined, alone, known = (edge_of(seen, place, text) for place, text in ((3, "日"), (6, "語"), (5, "a")))
    words = "not in the vocabulary, one unknown token with its neighbours"
    assert edge_tip(seen, joined).note == "<unk>, ID 0"
    assert edge_tip(seen, joined).lines[0] == words
    assert edge_sentence(seen, joined).startswith(f"日, {words}, <unk>, ID 0")
    assert edge_tip(seen, alone).lines == ("not in the vocabulary: unknown",)
    assert edge_tip(seen, known).lines == ()


def test_no_number_of_a_card_has_a_hyphen_for_a_minus(seen: Exploration) -> None:
    rows = [value for edge in range(seen.n_edges) for _, value in edge_tip(seen, edge).rows]
    assert any("\N{MINUS SIGN}" in value for value in rows)
    assert not any("-" in value for value in rows)


def _painted(drawing: BrickDrawing | GraphDrawing, marks: Marks = NO_MARKS) -> QImage:
    image = QImage(round(drawing.width) + 2, round(drawing.height) + 2, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(QColor(LIGHT.paper))
    with QPainter(image) as painter:
        drawing.paint(painter, QRectF(image.rect()), marks)
    return image


def test_bricks_of_one_unknown_token_stand_without_a_gap_and_others_with_one(
    theme: Theme, shaper: Shaper, seen: Exploration
) -> None:
    drawing = BrickDrawing(seen, theme, shaper, ALL_LAYERS)
    image = _painted(drawing)
    y = round(drawing.layout.best_y + 0.5 * drawing.layout.sizes.best)

    def across(boundary: int) -> set[str]:
        x = round(drawing.left + float(drawing.layout.column_x[boundary]))
        return {image.pixelColor(place, y).name() for place in range(x - 2, x + 3)}

    tint, solid, paper = (QColor(colour).name() for colour in (LIGHT.best_tint, LIGHT.best, LIGHT.paper))
    assert across(4) == {tint}  # within 日本 there is neither a gap nor an outline
    assert paper in across(5)
    assert paper in across(3)
    assert solid in across(1)


def test_the_graph_writes_one_id_under_the_run(
    theme: Theme, shaper: Shaper, painter: QPainter, seen: Exploration
) -> None:
    drawing = GraphDrawing(seen, theme, shaper, ALL_LAYERS)
    texts = [label.text for label in drawing.labels(painter)]
    assert texts.count("<unk>, ID 0, one token") == 1
    assert sum(text.startswith("<unk>, ID 0") for text in texts) == 2  # 日本 and 語


def test_a_chip_of_an_unknown_token_says_so(qtbot: QtBot, theme: Theme, painter: QPainter, seen: Exploration) -> None:
    chips = SegmentationView(theme)
    qtbot.addWidget(chips)
    chips.resize(700, 60)
    chips.set_exploration(seen)
    drawn = [label.text for label in chips.labels(painter)]
    assert drawn[4:6] == ["日本", "<unk> 0"]
    for _ in range(3):
        qtbot.keyClick(chips, Qt.Key.Key_Right)
    words = "日本, not in the vocabulary, one unknown token with its neighbours, <unk>, ID 0"
    assert chips.accessibleDescription() == words


def test_a_best_path_has_one_brick_for_the_run(
    qtbot: QtBot, theme: Theme, painter: QPainter, seen: Exploration
) -> None:
    view = BestPathsView(theme)
    qtbot.addWidget(view)
    view.resize(720, 150)
    view.set_exploration(seen)
    drawn = [label.text for label in view.rows.labels(painter)]
    assert drawn.count("日本") == 1 + sum("日本" in tokens.texts for tokens in seen.n_best_tokens[1:])
    assert "日" not in drawn
    with qtbot.waitSignal(view.piece_picked) as picked:
        qtbot.mouseClick(view.rows.viewport(), Qt.MouseButton.LeftButton, pos=_middle(view, 2))
    assert picked.args == [0]


def _middle(view: BestPathsView, brick: int) -> QPoint:
    return view.rows.brick_rect(0, brick).center().toPoint()


def test_the_comparison_draws_as_many_bricks_as_it_counts_tokens(
    theme: Theme, shaper: Shaper, painter: QPainter
) -> None:
    a = base_model(("日", -4.0), ("本", -4.0))
    pair = _pair(a, base_model())
    compared = TextPairRequest(pair, TEXT)(TaskControl())
    drawing = TextPairDrawing(compared, theme.palette, shaper)
    for side in (drawing.a, drawing.b):
        assert len(side.best) == side.n_tokens
    assert [brick.end - brick.start for brick in drawing.b.best if brick.is_unknown] == [2, 1]
    assert compared.compared.n_boundaries[1] == 1  # 日|本 is cut only in A, and only A draws it cut
    ink = Ink(shaper, keep_labels=True)
    drawing.paint(painter, ink, QRectF(0.0, 0.0, drawing.width, drawing.height))
    assert "5 tokens" in [label.text for label in ink.labels]


def _pair(a: UnigramModel, b: UnigramModel) -> Pair:
    return Pair(a, b, compare_vocabularies(a, b))
