"""The sentences that SentencePiece counts, against the same rule in plain Python."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import PRESETS, Corpus, TrainerSpec
from engine.sentences import sentences
from engine.shards import Workers
from engine.words import Units, count_units, running_texts
from tests.helpers.stages import finish

LIKE_SENTENCEPIECE = replace(PRESETS["SentencePiece 0.2.1"], character_coverage=1.0)


def sentences_of(corpus: Corpus, spec: TrainerSpec, threads: int = 1) -> list[tuple[str, int]]:
    with Workers(threads) as workers:
        units = finish(count_units(workers, corpus, spec))
        running = finish(running_texts(workers, corpus, spec, units))
        found: Units = finish(sentences(workers, running, spec, units))
    return list(zip(found.texts, found.counts.tolist(), strict=True))


def words(text: str, *, as_suffix: bool, keeps_runs: bool) -> list[str]:
    """Cut at each marker: before it, or behind it; runs of markers stay together where they may be pieces."""
    found: list[str] = []
    for i, c in enumerate(text):
        before = text[i - 1] if i else ""
        outer, inner = (before, c) if as_suffix else (c, before)
        is_cut = i == 0 or (outer == "▁" and not (keeps_runs and inner == "▁"))
        found[-1:] = [c] if is_cut and not found else [found[-1], c] if is_cut else [found[-1] + c]
    return found


@settings(deadline=None)
@given(
    st.dictionaries(st.text("ab ", min_size=1, max_size=12).filter(str.strip), st.integers(1, 9), min_size=1),
    st.booleans(),
    st.booleans(),
)
def test_words_come_by_count_then_by_text(counts: dict[str, int], as_suffix: bool, keeps_runs: bool) -> None:
    spec = replace(
        LIKE_SENTENCEPIECE, remove_extra_whitespaces=False, add_dummy_prefix=False,
        treat_whitespace_as_suffix=as_suffix, allow_whitespace_only_pieces=keeps_runs,
    )  # fmt: skip
    expected: Counter[str] = Counter()
    for text, count in counts.items():
        for word in words(text.replace(" ", "▁"), as_suffix=as_suffix, keeps_runs=keeps_runs):
            expected[word] += count
    in_order = sorted(expected.items(), key=lambda row: (-row[1], row[0]))
    assert sentences_of(Corpus.from_counts(counts), spec) == in_order


def test_words_that_begin_alike_are_told_apart_however_late() -> None:
    long = "x" * 70
    corpus = Corpus.from_counts({long + "b": 2, long: 2, long + "a": 2, "y": 3, "\U0001f600": 2, "w": 2})
    found = sentences_of(corpus, replace(LIKE_SENTENCEPIECE, add_dummy_prefix=False))
    assert [text for text, _ in found] == ["y", "w", long, long + "a", long + "b", "\U0001f600"]


@pytest.mark.parametrize(
    ("change", "text", "expected"),
    [
        ({}, "cat <user> sat", ["▁cat", "▁sat", "▁▅"]),
        ({}, "in<user>on", ["▁in▅on"]),
        ({}, "a\tb", ["▁a▅b"]),
        ({"character_coverage": 0.9}, "aaaaaaaaaaaaab", ["▁aaaaaaaaaaaaa▅"]),
        ({"split_by_whitespace": False}, "cat <user> sat", ["▁cat▁▅▁sat"]),
    ],
)
def test_what_no_piece_may_hold_is_one_mark(change: dict[str, Any], text: str, expected: list[str]) -> None:
    spec = replace(LIKE_SENTENCEPIECE, user_defined_symbols=("<user>",), **change)
    assert [word for word, _ in sentences_of(Corpus.from_counts({text: 1}), spec)] == expected


def test_a_symbol_of_characters_that_are_no_pieces_is_still_one_mark() -> None:
    spec = replace(LIKE_SENTENCEPIECE, control_symbols=("and", "a"))
    assert sentences_of(Corpus.from_counts({"band a sand": 1}), spec) == [("▁b▅", 1), ("▁s▅", 1), ("▁▅", 1)]


def test_whole_texts_keep_their_order_and_their_counts() -> None:
    spec = replace(LIKE_SENTENCEPIECE, split_by_whitespace=False)
    corpus = Corpus.from_counts({"b a": 1, "a b": 2, "  a   b ": 3})
    assert sentences_of(corpus, spec) == [("▁b▁a", 1), ("▁a▁b", 2), ("▁a▁b", 3)]


def test_sentences_do_not_depend_on_the_number_of_threads() -> None:
    corpus = Corpus.from_file("resources/samples/prose.txt")
    assert sentences_of(corpus, LIKE_SENTENCEPIECE, 1) == sentences_of(corpus, LIKE_SENTENCEPIECE, 8)
