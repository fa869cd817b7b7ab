"""The graph's layout, without Qt: arcs nest, ports differ, labels are clear of each other and of higher legs."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from unigram_gui.views.lattice.graph_layout import (
    LABEL_ABOVE,
    LABEL_BELOW,
    UNDER_RUN,
    GraphContent,
    GraphLayout,
    lay_out_graph,
    leg_offset,
)

PITCH = 84.0


@st.composite
def contents(draw: st.DrawFn) -> GraphContent:
    """Draw a lattice of up to 9 characters with a best path and labels of any width."""
    n = draw(st.integers(1, 9))
    cuts = [0, *sorted(draw(st.sets(st.integers(1, n), max_size=n)) | {n})]
    best = set(itertools.pairwise(cuts))
    spans = [(i, j) for i in range(n) for j in range(i + 1, n + 1)]
    chosen = sorted(best | draw(st.sets(st.sampled_from(spans), max_size=20)))
    start, end = np.array(chosen, dtype=np.int32).T
    widths = draw(st.lists(st.floats(8.0, 90.0), min_size=len(chosen), max_size=len(chosen)))
    is_best = np.array([span in best for span in chosen])
    return GraphContent(start, end, is_best, np.array(widths), np.full(n, 30.0))


def label_box(content: GraphContent, layout: GraphLayout, edge: int) -> tuple[float, float, float, float]:
    half = 0.5 * content.label_width[edge]
    x, height = layout.label_x[edge], layout.height[edge]
    return x - half, x + half, height - LABEL_BELOW, height + LABEL_ABOVE


@settings(deadline=None)
@given(contents())
def test_labels_never_overlap(content: GraphContent) -> None:
    layout = lay_out_graph(content, PITCH)
    boxes = [label_box(content, layout, int(edge)) for edge in np.flatnonzero(layout.lane >= 0)]
    for a, b in itertools.combinations(boxes, 2):
        assert a[1] <= b[0] or b[1] <= a[0] or a[3] <= b[2] or b[3] <= a[2]


@settings(deadline=None)
@given(contents())
def test_the_number_under_a_flat_run_stands_between_the_legs_of_its_arc(content: GraphContent) -> None:
    layout = lay_out_graph(content, PITCH)
    for edge in np.flatnonzero(layout.lane >= 0):
        left, right, *_ = label_box(content, layout, int(edge))
        leg = layout.leg[edge] * leg_offset(np.array(1.0 - UNDER_RUN / layout.height[edge]))
        assert layout.left[edge] + leg <= left + 1e-6
        assert right <= layout.right[edge] - leg + 1e-6


@settings(deadline=None)
@given(contents())
def test_labels_under_the_band_stay_under_their_piece(content: GraphContent) -> None:
    layout = lay_out_graph(content, PITCH)
    for edge in np.flatnonzero(content.is_best):
        room = layout.node_x[content.end[edge]] - layout.node_x[content.start[edge]]
        assert content.label_width[edge] <= room


@settings(deadline=None)
@given(contents())
def test_no_two_arcs_share_a_port(content: GraphContent) -> None:
    layout = lay_out_graph(content, PITCH)
    arcs = np.flatnonzero(layout.lane >= 0)
    feet = [*layout.left[arcs].tolist(), *layout.right[arcs].tolist()]
    for a, b in itertools.combinations(feet, 2):
        assert abs(a - b) > 1.0


@settings(deadline=None)
@given(contents())
def test_the_longest_arc_of_a_node_stands_nearest_to_its_centre(content: GraphContent) -> None:
    layout = lay_out_graph(content, PITCH)
    arcs = np.flatnonzero(layout.lane >= 0)
    for a, b in itertools.permutations(arcs, 2):
        if content.start[a] == content.start[b] and content.end[a] > content.end[b]:
            assert layout.left[a] < layout.left[b]


def test_a_label_moves_aside_for_the_leg_of_a_higher_arc() -> None:
    # 0-4 is crossed in its middle by a leg of 2-6, which lies higher.
    start, end = np.array([0, 0, 2], np.int32), np.array([6, 4, 6], np.int32)
    content = GraphContent(start, end, np.array([True, False, False]), np.full(3, 36.0), np.zeros(6))
    layout = lay_out_graph(content, PITCH)
    assert layout.lane.tolist() == [-1, 0, 1]
    middle = 0.5 * (layout.left[1] + layout.right[1])
    assert layout.label_x[1] == middle - 0.5 * PITCH


def test_cells_are_as_wide_as_the_pitch_where_nothing_asks_for_more() -> None:
    start, end = np.array([0], np.int32), np.array([3], np.int32)
    content = GraphContent(start, end, np.array([True]), np.array([40.0]), np.zeros(3))
    assert lay_out_graph(content, 100.0).node_x.tolist() == [0.0, 100.0, 200.0, 300.0]


def test_the_wider_cell_of_a_wide_character_is_its_own() -> None:
    start, end = np.array([0], np.int32), np.array([2], np.int32)
    content = GraphContent(start, end, np.array([True]), np.array([40.0]), np.array([150.0, 20.0]))
    assert lay_out_graph(content, 100.0).node_x.tolist() == [0.0, 150.0, 250.0]
