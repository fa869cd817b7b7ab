"""Candidates: the repeated substrings and nothing else, with their counts; and the edges that they make."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import TrainerSpec
from engine.seeds import Seeds
from tests.helpers.stages import ALL_SUBSTRINGS, VERBATIM, seeds_of

SUFFIX_ARRAY = TrainerSpec(**VERBATIM, max_sentencepiece_length=4)  # type: ignore[arg-type]
NGRAM = TrainerSpec(**ALL_SUBSTRINGS)  # type: ignore[arg-type]

corpora = st.dictionaries(st.text("abc", min_size=1, max_size=9), st.integers(1, 4), min_size=1, max_size=6)


def occurrences(corpus: dict[str, int], longest: int) -> Counter[str]:
    found: Counter[str] = Counter()
    for text, count in corpus.items():
        for start in range(len(text)):
            for end in range(start + 1, min(start + longest, len(text)) + 1):
                found[text[start:end]] += count
    return found


def followers(corpus: dict[str, int], piece: str) -> int:
    """Return in how many different ways `piece` goes on; every end of a text is one of its own."""
    found, ends = set(), 0
    for text, count in corpus.items():
        for start in range(len(text) - len(piece) + 1):
            if text.startswith(piece, start):
                after = text[start + len(piece) : start + len(piece) + 1]
                found.add(after)
                ends += count if not after else 0
    return len(found - {""}) + ends


def as_dict(seeds: Seeds) -> dict[str, int]:
    return dict(zip(seeds.texts, seeds.counts.tolist(), strict=True))


@given(corpora)
def test_suffix_array_candidates_are_the_substrings_that_go_on_in_two_ways(corpus: dict[str, int]) -> None:
    expected = {
        piece: count
        for piece, count in occurrences(corpus, 4).items()
        if len(piece) == 1 or followers(corpus, piece) >= 2
    }
    assert as_dict(seeds_of(corpus, SUFFIX_ARRAY)) == expected


@given(corpora, st.integers(1, 3))
def test_ngram_candidates_are_all_substrings_that_are_frequent_enough(corpus: dict[str, int], least: int) -> None:
    expected = {
        piece: count for piece, count in occurrences(corpus, 4).items() if len(piece) == 1 or count >= least
    }
    assert as_dict(seeds_of(corpus, replace(NGRAM, ngram_min_frequency=least))) == expected


@given(corpora)
def test_edges_are_the_candidates_that_start_at_each_position(corpus: dict[str, int]) -> None:
    seeds = seeds_of(corpus, NGRAM)
    texts, lattices = list(seeds.texts), seeds.lattices
    found = {}
    for unit, count in enumerate(lattices.unit_counts.tolist()):
        positions = range(*lattices.unit_offsets[unit : unit + 2].tolist())
        edges = [
            [texts[piece] for piece in lattices.edge_piece[slice(*lattices.edge_offsets[i : i + 2])]] for i in positions
        ]
        text = "".join(pieces[0] for pieces in edges)
        found[text] = count
        assert edges == [
            [text[start:end] for end in range(start + 1, min(start + 4, len(text)) + 1)] for start in range(len(text))
        ]
    assert found == corpus


def test_characters_come_first_then_substrings_by_score() -> None:
    seeds = seeds_of({"abab": 3, "abc": 2, "xyxyz": 4, "xyxz": 1}, SUFFIX_ARRAY)
    scores = seeds.counts * seeds.lengths
    n = seeds.n_characters
    assert (seeds.lengths[:n] == 1).all()
    assert (seeds.lengths[n:] > 1).all()
    assert (np.diff(seeds.counts[:n]) <= 0).all()
    assert (np.diff(scores[n:]) <= 0).all()


@pytest.mark.parametrize("size", [1, 2, 5])
def test_only_the_best_candidates_are_kept_and_ties_go_by_text(size: int) -> None:
    corpus = {"abab": 3, "cdcd": 3, "efef": 3, "xyxy": 9}
    everything = seeds_of(corpus, SUFFIX_ARRAY)
    few = seeds_of(corpus, replace(SUFFIX_ARRAY, seed_sentencepiece_size=size))
    assert few.n_characters == everything.n_characters
    assert list(few.texts) == list(everything.texts)[: everything.n_characters + size]


def test_long_alphabets_and_long_pieces_sort_right() -> None:
    alphabet = [chr(0x4E00 + i) for i in range(3000)]
    corpus = {"".join(alphabet[i : i + 30]): 2 for i in range(0, 2900, 7)}
    spec = TrainerSpec(**VERBATIM, max_sentencepiece_length=25)  # type: ignore[arg-type]
    found = as_dict(seeds_of(corpus, spec))
    expected = {
        piece: count for piece, count in occurrences(corpus, 25).items() if len(piece) == 1 or piece in found
    }
    assert found == expected
    assert max(map(len, found)) == 25


def test_counts_beyond_32_bits_are_exact() -> None:
    seeds = seeds_of({"abab": 10_000_000_000}, SUFFIX_ARRAY)
    assert as_dict(seeds)["ab"] == 20_000_000_000


@settings(deadline=None)
@given(st.lists(st.text("ab ", min_size=1, max_size=12), min_size=1, max_size=5))
def test_no_candidate_breaks_the_whitespace_rule(texts: list[str]) -> None:
    corpus = {text: 2 for text in texts if text.strip()}
    if not corpus:
        return
    base = TrainerSpec(character_coverage=1.0, remove_extra_whitespaces=False)
    for text in seeds_of(corpus, base).texts:
        assert "▁" not in text[1:]
    for text in seeds_of(corpus, replace(base, allow_whitespace_only_pieces=True)).texts:
        assert "▁" not in text[1:] or set(text) == {"▁"}
    for text in seeds_of(corpus, replace(base, split_by_whitespace=False)).texts:
        assert len(text) == 1 or not text.endswith("▁")
    for text in seeds_of(corpus, replace(base, split_by_whitespace=False, treat_whitespace_as_suffix=True)).texts:
        assert len(text) == 1 or not text.startswith("▁")
