"""Cutting texts into units: where no piece may span, and nowhere else."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import TrainerSpec
from engine.flat_texts import FlatTexts
from tests.helpers.stages import VERBATIM, unit_counts, units_of

ALL = TrainerSpec(character_coverage=1.0)


@pytest.mark.parametrize(
    ("settings", "text", "units"),
    [
        ({}, "  the   cat ", ["▁the", "▁cat"]),
        ({"remove_extra_whitespaces": False}, " a  b ", ["▁", "▁a", "▁", "▁b", "▁"]),
        ({"remove_extra_whitespaces": False, "allow_whitespace_only_pieces": True}, "a   b", ["▁a", "▁▁▁b"]),
        ({"add_dummy_prefix": False}, "the cat", ["the", "▁cat"]),
        ({"treat_whitespace_as_suffix": True}, "the cat", ["the▁", "cat▁"]),
        ({"split_by_whitespace": False}, "the cat", ["▁the▁cat"]),
        ({"split_by_whitespace": False}, "a 1 b", ["▁a", "▁1", "▁b"]),
        ({"split_by_whitespace": False, "remove_extra_whitespaces": False}, "a  1", ["▁a", "▁▁1"]),
        ({"split_by_whitespace": False, "treat_whitespace_as_suffix": True}, "a 1 b", ["a▁", "1▁", "b▁"]),
        ({"split_by_whitespace": False, "split_digits": True}, "a 1", ["▁a▁", "1"]),
        ({"split_by_whitespace": False, "split_by_number": False}, "a 1 б", ["▁a▁1▁б"]),
        ({}, "cat.", ["▁cat", "."]),
        ({"split_by_unicode_script": False}, "cat. кот", ["▁cat.", "▁кот"]),
        ({}, "catкот", ["▁cat", "кот"]),
        ({}, "ab12", ["▁ab", "12"]),
        ({"split_by_number": False}, "ab12", ["▁ab12"]),
        ({"split_digits": True}, "ab12", ["▁ab", "1", "2"]),
        ({"split_digits": True}, "12", ["▁", "1", "2"]),
        ({}, "日本のカメラー", ["▁日本のカメラー"]),
        ({}, "e\u0301a", ["▁e\u0301a"]),
        ({}, "a\tb", ["▁a", "b"]),
        ({}, "x<s>y", ["▁x", "y"]),
        ({"user_defined_symbols": ("<|end|>",)}, "a<|end|>b", ["▁a", "b"]),
        ({"user_defined_symbols": ("ab", "abc")}, "xabcd", ["▁x", "d"]),
        ({"user_defined_symbols": ("\ta",)}, "x\tab", ["▁x", "b"]),
        ({"byte_fallback": True}, "a<0x0A>b", ["▁a", "b"]),
    ],
)
def test_texts_are_cut_where_no_piece_may_span(settings: dict[str, object], text: str, units: list[str]) -> None:
    found = units_of({text: 1}, replace(ALL, **settings))  # type: ignore[arg-type]
    assert sorted(unit_counts(found)) == sorted(set(units))
    assert sum(found.counts) == len(units)


@given(
    st.lists(st.text("ab .é́д1▁  ", min_size=1, max_size=12), min_size=1, max_size=6),
    st.booleans(),
    st.booleans(),
)
def test_cutting_each_word_once_gives_the_units_of_cutting_each_text(
    texts: list[str], add_dummy_prefix: bool, split_digits: bool
) -> None:
    # Literal markers beside spaces count as spaces only where whole texts are cut.
    corpus = {re.sub("▁+ | ▁+|^▁+|▁+$", " ", text): i + 1 for i, text in enumerate(texts)}
    corpus = {text: count for text, count in corpus.items() if text.strip()}
    if corpus:
        spec = replace(ALL, add_dummy_prefix=add_dummy_prefix, split_digits=split_digits)
        whole = replace(spec, user_defined_symbols=("never▁there",))  # a symbol with a space: words are not enough
        assert unit_counts(units_of(corpus, spec)) == unit_counts(units_of(corpus, whole))


def test_many_words_and_long_ones_find_room() -> None:
    corpus = {" ".join(f"w{i}x{j}" for j in range(300)): 2 for i in range(100)} | {"y" * 9000: 1}
    counts = unit_counts(units_of(corpus, replace(ALL, split_by_unicode_script=False)))
    assert counts == {f"▁w{i}x{j}": 2 for i in range(100) for j in range(300)} | {"▁" + "y" * 9000: 1}


def test_units_add_up_the_counts_of_their_texts() -> None:
    found = units_of({"the cat": 3, "the dog": 5_000_000_000}, ALL)
    assert unit_counts(found) == {"▁the": 5_000_000_003, "▁cat": 3, "▁dog": 5_000_000_000}


def test_coverage_leaves_out_the_rarest_characters_and_cuts_there() -> None:
    found = units_of({"aaaa": 24, "axa": 1}, replace(ALL, character_coverage=0.98, add_dummy_prefix=False))
    assert unit_counts(found) == {"aaaa": 24, "a": 2}
    assert found.characters.tolist() == [ord("a")]
    assert found.coverage == 98 / 99


def test_required_characters_stay_whatever_their_count() -> None:
    spec = replace(ALL, character_coverage=0.9, required_chars="xß", add_dummy_prefix=False)
    assert {chr(c) for c in units_of({"aaaa": 50, "axy": 1}, spec).characters} == {"a", "x", "ß"}


def test_the_order_of_units_does_not_depend_on_the_number_of_threads() -> None:
    corpus = {f"word{i % 97} other{i % 89} third{i}": 1 + i % 3 for i in range(3000)}
    tables = [units_of(corpus, ALL, threads) for threads in (1, 2, 8)]
    assert list(unit_counts(tables[0]).items()) == list(unit_counts(tables[1]).items())
    assert list(unit_counts(tables[0]).items()) == list(unit_counts(tables[2]).items())


@given(st.dictionaries(st.text("ab c", min_size=1, max_size=8), st.integers(1, 9), min_size=1, max_size=6))
def test_verbatim_settings_keep_texts_as_they_are(corpus: dict[str, int]) -> None:
    expected = {text.replace(" ", "▁"): count for text, count in corpus.items()}
    assert unit_counts(units_of(corpus, TrainerSpec(**VERBATIM))) == expected  # type: ignore[arg-type]


@given(st.lists(st.text(max_size=5)))
def test_flat_texts_are_a_sequence_of_texts(texts: list[str]) -> None:
    texts = [text for text in texts if not any("\ud800" <= c <= "\udfff" for c in text)]
    flat = FlatTexts.from_texts(texts)
    assert list(flat) == texts
    assert flat[1:] == texts[1:]
    assert [flat[i - len(texts)] for i in range(len(texts))] == texts
