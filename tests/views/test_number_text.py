"""How numbers are worded."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unigram_gui.number_text import count_text, log_text, percent_text, probability_text


@pytest.mark.parametrize(
    ("share", "text"),
    [(1.0, "100 %"), (0.99996, "> 99.9 %"), (0.7957, "79.6 %"), (0.1, "10.0 %"), (0.0708, "7.1 %"), (0.0001, "0.010 %"),
     (3e-7, "3.0 × 10⁻⁵ %"), (0.0, "0 %"), (9.97e-5, "1.0 × 10⁻² %"), (9.97e-6, "1.0 × 10⁻³ %"),
     (9.94e-6, "9.9 × 10⁻⁴ %"), (0.009996, "1.0 %"), (0.0009996, "0.10 %")],
)  # fmt: skip
def test_percentages(share: float, text: str) -> None:
    assert percent_text(share) == text


def test_logarithms_have_a_true_minus_sign_and_no_negative_zero() -> None:
    assert log_text(-5.2041) == "−5.204"
    assert log_text(-0.0001) == "0.000"
    assert log_text(-math.inf) == "−∞"
    assert log_text(-12345.678, 1) == "−12,345.7"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0254647008, "0.02546"), (0.000126048, "0.000126"), (0.00506552, "0.005066"), (1.25e-9, "1.25 × 10⁻⁹"),
     (0, "0"), (9.999e-6, "1.00 × 10⁻⁵"), (9.994e-7, "9.99 × 10⁻⁷")],
)  # fmt: skip
def test_probabilities(value: float, text: str) -> None:
    assert probability_text(value) == text


@given(st.integers(0, 10**400))
def test_every_count_can_be_written(count: int) -> None:
    assert len(count_text(count)) <= 20


def test_counts_are_written_out_as_far_as_a_person_reads() -> None:
    assert count_text(8162795520) == "8,162,795,520"
    assert count_text(2**200) == "1.61 × 10⁶⁰"
    assert count_text(2**4999).endswith("× 10¹⁵⁰⁴")
    assert count_text(9999 * 10**15) == "1.00 × 10¹⁹"
