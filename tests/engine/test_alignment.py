"""The lens: columns cover both texts, and what is marked as lost is what decoding does not give back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.alignment import Alignment, Fate, align
from engine.model import UnigramModel
from engine.normalizer import NormalizerSpec
from tests.helpers.toy_models import base_model, byte_model

typed = st.text("ab \u3000\u2581x", max_size=12)


def columns(model: UnigramModel, text: str) -> Alignment:
    return align(model.segment(text), model.normalizer_spec, byte_fallback=model.byte_fallback)


def names(alignment: Alignment) -> list[str]:
    return [Fate(fate).name for fate in alignment.fate]


def test_the_dummy_space_is_added_and_not_lost() -> None:
    alignment = columns(base_model(), "ab")
    assert names(alignment) == ["ADDED", "KEPT", "KEPT"]
    assert not alignment.is_lost.any()


def test_double_spaces_and_spaces_at_the_ends_are_lost() -> None:
    assert names(columns(base_model(), " a  b ")) == ["SPACE", "ADDED", "KEPT", "SPACE", "KEPT", "SPACE"]


def test_a_text_of_spaces_is_one_lost_column() -> None:
    assert names(columns(base_model(), "   ")) == ["SPACE"]
    assert names(columns(base_model(), "")) == []


def test_an_unknown_character_is_lost_without_bytes_and_kept_with_them() -> None:
    assert names(columns(base_model(), "x")) == ["ADDED", "UNKNOWN"]
    assert names(columns(byte_model(("\u2581", -1.0)), "x")) == ["ADDED", "KEPT"]


def test_a_marker_before_a_word_stands_for_the_space_that_was_dropped_there() -> None:
    # As a tokenizer.json normalizes that splits at spaces and then puts a marker before every word.
    cut = base_model().segment("ab ab")
    origin = np.array([0, 0, 1, 3, 3, 4, 5], dtype=np.int32)
    moved = replace(cut, normalized=replace(cut.normalized, char_to_original=origin))
    alignment = align(moved, base_model().normalizer_spec, byte_fallback=False)
    assert names(alignment) == ["ADDED", "KEPT", "KEPT", "KEPT", "KEPT", "KEPT"]


def test_a_typed_marker_is_lost_since_it_is_read_back_as_a_space() -> None:
    assert names(columns(base_model(add_dummy_prefix=False), "a\u2581")) == ["KEPT", "SPACE"]


@given(typed, st.booleans(), st.booleans(), st.booleans())
def test_columns_cover_both_texts_without_a_gap(text: str, dummy: bool, remove: bool, suffix: bool) -> None:
    model = base_model(add_dummy_prefix=dummy, remove_extra_whitespaces=remove, treat_whitespace_as_suffix=suffix)
    cut, alignment = model.segment(text), columns(model, text)
    for starts, ends, length in (
        (alignment.starts, alignment.ends, len(cut.normalized.text)),
        (alignment.original_starts, alignment.original_ends, len(text)),
    ):
        boundaries = np.append(starts, length).tolist()
        assert np.append(0, ends).tolist() == boundaries


@given(typed, st.booleans())
def test_nothing_is_marked_as_lost_exactly_where_decoding_gives_the_text_back(text: str, dummy: bool) -> None:
    model = byte_model(("\u2581", -3.0), ("a", -2.0), ("b", -2.5), add_dummy_prefix=dummy)
    alignment = columns(model, text)
    assert (not alignment.is_lost.any()) == (model.decode(model.encode(text)) == text)


def test_the_rule_that_fired_is_named_where_the_normalizer_tells_it() -> None:
    assert columns(UnigramModel.from_probabilities({"a": 1.0}), "a").rule.tolist() == [-1]
    assert NormalizerSpec().name == "identity"
