"""Lanes: no two overlapping pieces share a height, whatever the lattice."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from unigram_gui.lanes import lane_grid, nested_lanes, packed_lanes

Edges = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]


@st.composite
def edges(draw: st.DrawFn) -> Edges:
    """Draw distinct stretches of a text of up to 12 characters, with weights."""
    n = draw(st.integers(1, 12))
    spans = [(i, j) for i in range(n) for j in range(i + 1, n + 1)]
    chosen = sorted(draw(st.sets(st.sampled_from(spans), min_size=1, max_size=30)))
    weights = draw(st.lists(st.floats(0.0, 1.0), min_size=len(chosen), max_size=len(chosen)))
    start, end = np.array(chosen, dtype=np.int32).T
    return np.ascontiguousarray(start), np.ascontiguousarray(end), np.array(weights)


def overlaps(start: NDArray[np.int32], end: NDArray[np.int32], a: int, b: int) -> bool:
    return bool(start[a] < end[b] and start[b] < end[a])


@given(edges())
def test_overlapping_pieces_never_share_a_lane(drawn: Edges) -> None:
    start, end, weight = drawn
    for lanes in (nested_lanes(start, end), packed_lanes(start, end, weight)):
        for a, b in itertools.combinations(range(len(start)), 2):
            assert not (overlaps(start, end, a, b) and lanes[a] == lanes[b])


@given(edges())
def test_in_the_graph_a_longer_piece_lies_above_every_piece_inside_it(drawn: Edges) -> None:
    start, end, _ = drawn
    lanes = nested_lanes(start, end)
    for a, b in itertools.permutations(range(len(start)), 2):
        if start[a] <= start[b] and end[b] <= end[a]:
            assert lanes[a] > lanes[b]


@given(edges())
def test_the_heaviest_piece_lies_in_the_first_lane(drawn: Edges) -> None:
    start, end, weight = drawn
    assert packed_lanes(start, end, weight)[weight == weight.max()].min() == 0


@given(edges())
def test_no_lane_is_left_empty(drawn: Edges) -> None:
    start, end, weight = drawn
    for lanes in (nested_lanes(start, end), packed_lanes(start, end, weight)):
        assert set(lanes.tolist()) == set(range(int(lanes.max()) + 1))


@given(edges())
def test_the_map_of_lanes_finds_every_piece_at_each_of_its_characters(drawn: Edges) -> None:
    start, end, weight = drawn
    lanes = packed_lanes(start, end, weight)
    numbers = np.arange(len(start), dtype=np.int32)
    grid = lane_grid(start, end, lanes, numbers, int(end.max()))
    for edge in numbers:
        assert (grid[lanes[edge], start[edge] : end[edge]] == edge).all()
    assert (grid >= 0).sum() == (end - start).sum()


def test_ties_go_to_the_left_and_to_the_longer_piece() -> None:
    start, end = np.array([0, 0, 1], dtype=np.int32), np.array([1, 2, 2], dtype=np.int32)
    assert packed_lanes(start, end, np.array([0.5, 0.5, 0.5])).tolist() == [1, 0, 1]


@pytest.mark.parametrize("function", [nested_lanes, lambda s, e: packed_lanes(s, e, np.zeros(0))])
def test_no_pieces_need_no_lanes(function) -> None:  # type: ignore[no-untyped-def]
    nothing = np.zeros(0, dtype=np.int32)
    assert len(function(nothing, nothing)) == 0
