"""Posterior to looks, and the palettes: what is written can be read."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unigram_gui.theme import DARK, LIGHT, Palette, mix
from unigram_gui.views.lattice.looks import LEVELS, arc_width, brick_fill, label_ink, levels, strength

PALETTES = pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255.0 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


@PALETTES
def test_text_keeps_its_contrast_on_every_ground(palette: Palette) -> None:
    pairs = [(getattr(palette, ink), palette.paper) for ink in ("ink", "ink2", "ink3", "best_text", "picked")]
    pairs += [(palette.ink2, palette.panel), (palette.on_best, palette.best), (palette.on_best, palette.picked_fill)]
    pairs += [(palette.best_text, palette.best_tint), (palette.picked, palette.picked_tint)]
    pairs += [(palette.continuation, palette.continuation_tint), (palette.removed, palette.removed_tint)]
    for ink, ground in pairs:
        assert contrast(ink, ground) >= 4.5, (ink, ground)


@PALETTES
def test_letters_of_a_brick_can_be_read_at_every_strength(palette: Palette) -> None:
    for s in np.linspace(0.0, 1.0, LEVELS):
        assert contrast(label_ink(palette, float(s)), brick_fill(palette, float(s))) >= 4.4


@given(st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_a_more_probable_edge_never_looks_weaker(a: float, b: float) -> None:
    low, high = sorted((a, b))
    both = np.array([low, high])
    for looks in (strength(both), arc_width(both), levels(both)):
        assert looks[0] <= looks[1]


def test_the_scale_ends_at_a_hundredth_of_a_percent() -> None:
    assert strength(np.array([1.0, 1e-4, 1e-9, 0.0])).tolist() == [1.0, 0.0, 0.0, 0.0]


def test_an_arc_of_forty_percent_is_twice_as_wide_as_one_of_twenty() -> None:
    widths = arc_width(np.array([0.4, 0.2, 0.0]))
    assert widths[0] == pytest.approx(2.0 * widths[1])
    assert widths[2] == 1.25


def test_mixing_nothing_and_all() -> None:
    assert mix("#102030", "#FFFFFF", 0.0) == "#102030"
    assert mix("#102030", "#FFFFFF", 1.0) == "#ffffff"
