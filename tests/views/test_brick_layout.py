"""The bricks' layout, without Qt: columns, levels of detail, IDs in lines."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unigram_gui.views.lattice.brick_layout import (
    WINDOW_SIZES,
    Detail,
    column_widths,
    detail_of,
    lay_out_bricks,
    place_in_lines,
)
from unigram_gui.views.lattice.ticks import number_step, tallest_by_pixel


def layout(widths: list[float], zoom: float = 1.0, n_lanes: int = 3):  # type: ignore[no-untyped-def]
    return lay_out_bricks(np.array(widths), 16.0, zoom, n_lanes, brackets=False, id_lines=1, sizes=WINDOW_SIZES)


@given(st.lists(st.tuples(st.floats(0, 900), st.floats(4, 60)), max_size=40), st.integers(1, 2))
def test_placed_texts_never_overlap(texts: list[tuple[float, float]], n_lines: int) -> None:
    texts = sorted(texts)
    centres, widths = [c for c, _ in texts], [w for _, w in texts]
    lines = place_in_lines(centres, widths, n_lines, gap=3.0)
    for line in range(n_lines):
        placed = [(c - 0.5 * w, c + 0.5 * w) for c, w, at in zip(centres, widths, lines, strict=True) if at == line]
        assert all(b[0] >= a[1] for a, b in itertools.pairwise(placed))


def test_a_text_too_close_to_its_neighbour_drops_to_the_second_line_or_is_left_out() -> None:
    assert place_in_lines([0.0, 10.0, 12.0], [12.0] * 3, 2) == [0, 1, -1]


def test_a_column_is_the_letter_with_its_padding_and_a_byte_column_holds_its_bytes() -> None:
    assert column_widths(np.array([9.0, 15.0, 2.0]), np.array([0, 0, 4])).tolist() == [16.0, 22.0, 116.0]


@pytest.mark.parametrize(
    ("width", "detail"), [(15.0, Detail.ALL), (14.9, Detail.BEST_LETTERS), (8.9, Detail.TONES), (3.9, Detail.TICKS)]
)
def test_the_width_of_a_column_decides_what_is_drawn(width: float, detail: Detail) -> None:
    assert detail_of(width) == detail


@given(st.lists(st.floats(15.0, 60.0), min_size=1, max_size=50), st.floats(0.05, 1.0), st.floats(0.0, 0.999))
def test_the_column_at_a_point_contains_it(widths: list[float], zoom: float, share: float) -> None:
    drawn = layout(widths, zoom)
    x = share * drawn.width
    column = drawn.column_at(x)
    assert column is not None
    assert drawn.column_x[column] <= x < drawn.column_x[column + 1]


def test_visible_columns_are_those_that_a_stretch_touches() -> None:
    drawn = layout([16.0] * 10)
    assert drawn.columns_between(20.0, 50.0) == (1, 4)
    assert drawn.columns_between(-100.0, 1000.0) == (0, 10)


def test_every_lane_is_found_at_its_own_height() -> None:
    drawn = layout([16.0] * 4)
    for lane in (-1, 0, 1, 2):
        assert drawn.lane_at(drawn.lane_top(lane) + 0.5 * drawn.lane_height(lane)) == lane
    assert drawn.lane_at(drawn.height + 5.0) is None


def test_of_ticks_that_share_a_pixel_the_tallest_is_drawn() -> None:
    pixels, tall = tallest_by_pixel(np.array([0.2, 0.7, 3.1]), np.array([1.0, 9.0, 4.0]))
    assert pixels.tolist() == [0, 3]
    assert tall.tolist() == [9.0, 4.0]


@pytest.mark.parametrize("column", [0.02, 0.5, 3.9, 8.0])
def test_numbers_under_the_ticks_have_room(column: float) -> None:
    assert number_step(column) * column >= 40.0 or number_step(column) == 100_000
