"""What graph and bricks draw: the golden numbers are there, labels are clear of each other, places are found."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from tests.helpers.explorations import edge_of, exploration_of
from tests.helpers.toy_models import byte_model, golden
from unigram_gui.ink import Label
from unigram_gui.number_text import log_text, percent_text, probability_text
from unigram_gui.shaping import Shaper
from unigram_gui.tasks.exploration import Exploration, explore
from unigram_gui.theme import Theme
from unigram_gui.views.lattice.brick_drawing import BrickDrawing
from unigram_gui.views.lattice.brick_layout import Detail
from unigram_gui.views.lattice.drawing import ALL_LAYERS, LatticeDrawing, Layer, Marks
from unigram_gui.views.lattice.graph_drawing import GraphDrawing
from unigram_gui.views.lattice.looks import brick_colours

SLACK = 0.75  # pixels; the boxes of labels are those of the tallest letters


def texts(drawing: LatticeDrawing, painter: QPainter) -> list[str]:
    return [label.text for label in drawing.labels(painter)]


def assert_clear(labels: list[Label]) -> None:
    for a, b in itertools.combinations(labels, 2):
        assert not a.overlaps(b, SLACK), (a, b)


@pytest.fixture
def graph(theme: Theme, shaper: Shaper, unable: Exploration) -> GraphDrawing:
    return GraphDrawing(unable, theme, shaper, ALL_LAYERS)


@pytest.fixture
def bricks(theme: Theme, shaper: Shaper, unable: Exploration) -> BrickDrawing:
    return BrickDrawing(unable, theme, shaper, ALL_LAYERS)


def test_the_graph_shows_every_piece_with_its_score(graph: GraphDrawing, painter: QPainter) -> None:
    drawn = texts(graph, painter)
    for piece, probability in golden("unable_lattice.json")["probabilities"].items():
        assert piece in drawn
        assert log_text(float(np.log(probability))) in drawn


def test_the_graph_shows_the_golden_forward_and_backward_values(graph: GraphDrawing, painter: QPainter) -> None:
    numbers = golden("unable_lattice.json")
    drawn = texts(graph, painter)
    for value in [*numbers["forward"], *numbers["backward"]]:
        assert probability_text(value) in drawn


def test_the_graph_tells_id_and_posterior_of_the_best_path(graph: GraphDrawing, painter: QPainter) -> None:
    posterior = golden("unable_lattice.json")["posterior"]
    drawn = texts(graph, painter)
    assert f"ID 1  ·  {percent_text(posterior['un@0'])}" in drawn
    assert f"ID 2  ·  {percent_text(posterior['able@2'])}" in drawn


@pytest.mark.parametrize(
    ("layer", "text"),
    [(Layer.LN_P, "−5.298"), (Layer.POSTERIOR, "ID 1  ·  79.6 %"), (Layer.FORWARD_BACKWARD, "forward"),
     (Layer.IDS, "ID 1  ·  79.6 %")],
)  # fmt: skip
def test_a_layer_that_is_off_is_not_drawn(
    theme: Theme, shaper: Shaper, unable: Exploration, painter: QPainter, layer: Layer, text: str
) -> None:
    assert text in texts(GraphDrawing(unable, theme, shaper, ALL_LAYERS), painter)
    assert text not in texts(GraphDrawing(unable, theme, shaper, ALL_LAYERS - {layer}), painter)


def test_labels_of_the_graph_never_overlap(graph: GraphDrawing, painter: QPainter) -> None:
    assert_clear(graph.labels(painter))


@st.composite
def small_lattices(draw: st.DrawFn) -> Exploration:
    alphabet = "ab▁你\u200d"
    text = draw(st.text(alphabet, min_size=1, max_size=8))
    spans = [(i, j) for i in range(len(text)) for j in range(i + 1, min(len(text), i + 5) + 1)]
    chosen = draw(st.sets(st.sampled_from(spans), max_size=12))
    pieces = sorted({text[i:j] for i, j in chosen} | set(text))
    return exploration_of({piece: draw(st.floats(1e-5, 0.3)) for piece in pieces}, text)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seen=small_lattices(), layers=st.sets(st.sampled_from(Layer)))
def test_labels_of_no_lattice_overlap(
    theme: Theme, shaper: Shaper, painter: QPainter, seen: Exploration, layers: set[Layer]
) -> None:
    assert_clear(GraphDrawing(seen, theme, shaper, frozenset(layers)).labels(painter))
    assert_clear(BrickDrawing(seen, theme, shaper, frozenset(layers)).labels(painter))


def test_every_letter_of_a_brick_stands_under_its_letter_of_the_ruler(
    theme: Theme, shaper: Shaper, painter: QPainter, emoji: Exploration
) -> None:
    drawing = BrickDrawing(emoji, theme, shaper, frozenset())
    by_letter: dict[str, set[float]] = {}
    for label in drawing.labels(painter):
        if label.text in drawing.content.cells:
            by_letter.setdefault(label.text, set()).add(round(label.x + 0.5 * label.width, 3))
    for cell, centres in by_letter.items():
        places = [i for i, text in enumerate(drawing.content.cells) if text == cell]
        x = drawing.layout.column_x
        assert centres == {round(float(0.5 * (x[i] + x[i + 1])), 3) for i in places}


def test_an_unknown_character_shows_its_bytes_and_their_ids(
    theme: Theme, shaper: Shaper, painter: QPainter, emoji: Exploration
) -> None:
    drawn = texts(BrickDrawing(emoji, theme, shaper, ALL_LAYERS), painter)
    for byte in (0xF0, 0x9F, 0x98, 0x8A):
        assert f"{byte:02X}" in drawn
        assert str(3 + byte) in drawn


def test_ids_stand_under_the_best_path(bricks: BrickDrawing, painter: QPainter) -> None:
    drawn = bricks.labels(painter)
    first = next(label for label in drawn if label.text == "1")
    place = bricks.edge_rect(bricks.exploration.best.edges[0])
    assert first.y > place.bottom()
    # The drawing is moved to the right by the names of its rows.
    assert first.x + 0.5 * first.width + bricks.left == pytest.approx(place.center().x())


@pytest.mark.parametrize(
    ("zoom", "detail"), [(1.0, Detail.ALL), (0.7, Detail.BEST_LETTERS), (0.4, Detail.TONES), (0.1, Detail.TICKS)]
)
def test_zooming_out_drops_what_has_no_room(
    theme: Theme, shaper: Shaper, painter: QPainter, sentence: Exploration, zoom: float, detail: Detail
) -> None:
    drawing = BrickDrawing(sentence, theme, shaper, ALL_LAYERS, zoom)
    assert drawing.layout.detail == detail
    letters = sum(label.text == "a" for label in drawing.labels(painter))
    # "a" 60 times in the text, on the best path, and once among the other pieces: a, ab and abc compete.
    assert letters == {Detail.ALL: 240, Detail.BEST_LETTERS: 120}.get(detail, 0)
    assert_clear(drawing.labels(painter))


def test_only_what_is_in_sight_is_painted(
    theme: Theme, shaper: Shaper, painter: QPainter, sentence: Exploration
) -> None:
    drawing = BrickDrawing(sentence, theme, shaper, ALL_LAYERS)
    whole = len(drawing.labels(painter))
    seen = drawing.layout.columns_between(0.0, 160.0)
    assert seen == (0, 10)
    assert len(drawing.edges_between(seen)) < whole / 20


@pytest.mark.parametrize("kind", ["graph", "bricks"])
def test_every_edge_is_found_in_the_middle_of_its_place(kind: str, request: pytest.FixtureRequest) -> None:
    drawing: LatticeDrawing = request.getfixturevalue(kind)
    for edge in range(drawing.exploration.n_edges):
        centre = drawing.edge_rect(edge).center()
        assert drawing.edge_at(centre.x(), centre.y()) == edge


def test_an_arc_is_found_on_its_leg_and_on_its_run(graph: GraphDrawing, unable: Exploration) -> None:
    edge = edge_of(unable, 0, "unable")
    top = graph.band_top - graph.layout.height[edge]
    assert graph.edge_at(graph.left + graph.layout.left[edge] + 60.0, top) == edge
    assert graph.edge_at(graph.left + graph.layout.left[edge] + 2.0, graph.band_top - 20.0) == edge
    assert graph.edge_at(graph.left + 30.0, graph.band_top - 20.0) != edge


def test_nothing_is_found_beside_the_drawing(graph: GraphDrawing, bricks: BrickDrawing) -> None:
    for drawing in (graph, bricks):
        assert drawing.edge_at(-50.0, 10.0) == -1
        assert drawing.edge_at(10.0, drawing.height + 50.0) == -1


@pytest.mark.parametrize("kind", ["graph", "bricks"])
def test_arrow_keys_reach_every_edge(kind: str, request: pytest.FixtureRequest) -> None:
    drawing: LatticeDrawing = request.getfixturevalue(kind)
    reached = {drawing.move(-1, 1, 0)}
    while True:
        more = {drawing.move(edge, dx, dy) for edge in reached for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))}
        if more <= reached:
            break
        reached |= more
    assert reached == set(range(drawing.exploration.n_edges))


def test_marked_pieces_and_the_focus_are_painted_without_complaint(
    graph: GraphDrawing, bricks: BrickDrawing, painter: QPainter
) -> None:
    for drawing in (graph, bricks):
        drawing.paint(painter, QRectF(0.0, 0.0, drawing.width, drawing.height), Marks(frozenset({1, 3}), 0))


def test_a_marked_piece_is_written_in_bold_at_the_same_place(
    bricks: BrickDrawing, painter: QPainter, unable: Exploration
) -> None:
    piece = int(unable.lattice.edge_piece[edge_of(unable, 2, "ab")])
    plain = sorted((label.text, round(label.x, 1)) for label in bricks.labels(painter))
    marked = sorted((label.text, round(label.x, 1)) for label in bricks.labels(painter, Marks(frozenset({piece}))))
    assert plain == marked


def test_a_lattice_of_unknown_characters_only(theme: Theme, shaper: Shaper, painter: QPainter) -> None:
    seen = exploration_of({"a": 0.5}, "你好")
    for drawing in (GraphDrawing(seen, theme, shaper, ALL_LAYERS), BrickDrawing(seen, theme, shaper, ALL_LAYERS)):
        assert {"你", "好"} <= set(texts(drawing, painter))


def test_right_to_left_letters_stand_apart_in_logical_order_and_a_note_says_so(
    theme: Theme, shaper: Shaper, painter: QPainter
) -> None:
    word = "عربي"
    seen = exploration_of(dict.fromkeys(word, 0.1), word)
    labels = BrickDrawing(seen, theme, shaper, ALL_LAYERS).labels(painter)
    ruler = [label for label in labels if label.text in word and len(label.text) == 1]
    first_row = sorted(
        (label for label in ruler if label.y == min(label.y for label in ruler)), key=lambda label: label.x
    )
    assert [label.text for label in first_row] == list(word)
    assert "right to left, drawn in logical order →" in [label.text for label in labels]
    assert word in [label.text for label in labels]


@pytest.mark.parametrize("zoom", [1.0, 0.6])
def test_every_right_to_left_word_and_all_of_its_note_is_drawn(
    theme: Theme, shaper: Shaper, painter: QPainter, zoom: float
) -> None:
    first, second = "\u05e9\u05dc\u05d5\u05dd", "\u05e2\u05d5\u05dc\u05dd"
    letters = ((letter, -2.0) for letter in sorted(set(first + second)))
    seen = explore(byte_model(("\u2581", -1.0), *letters), f"{first} {second}")
    drawing = BrickDrawing(seen, theme, shaper, ALL_LAYERS, zoom)
    labels = {label.text: label for label in drawing.labels(painter)}
    assert first in labels
    assert second in labels
    note = next(label for text, label in labels.items() if text.startswith("right to left"))
    assert note.x >= 0.0
    assert note.x + note.width <= drawing.width - drawing.left


# Pictures of bricks.


def test_bricks_that_look_alike_share_a_picture_and_others_do_not(
    theme: Theme, shaper: Shaper, painter: QPainter, sentence: Exploration
) -> None:
    stamps = shaper.stamps_for(painter)
    assert stamps is not None
    looks = set()
    for layers in (frozenset(), frozenset({Layer.POSTERIOR})):
        drawing = BrickDrawing(sentence, theme, shaper, layers)
        for _ in range(2):
            drawing.paint(painter, QRectF(0.0, 0.0, drawing.width, drawing.height))
        for edge in range(sentence.n_edges):
            is_best = bool(sentence.is_best[edge])
            tone = brick_colours(theme.palette, int(drawing.content.level[edge])) if not is_best else ()
            looks.add((sentence.edge_text(edge), is_best, tone))
    assert stamps.count("brick") == len(looks)
