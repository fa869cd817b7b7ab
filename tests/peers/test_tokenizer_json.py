"""IDs and texts equal those of HF tokenizers 0.23 for every tokenizer.json that there is."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from engine.model import UnigramModel, load_model
from tests.helpers.odd_texts import odd_texts
from tests.helpers.shared_data import sample_lines

FILES = (
    "kitoken_xlnet_base_cased.tokenizer.json",
    "llmjp_ver2.2_50k.tokenizer.json",
    "ort_nmt.tokenizer.json",
    "ort_t5-small.tokenizer.json",
)
Pair = tuple[UnigramModel, Tokenizer]


@pytest.fixture(scope="module", params=FILES)
def pair(request: pytest.FixtureRequest, shared: Path) -> Pair:
    path = shared / "data" / "tokenizer_json" / request.param
    return load_model(path), Tokenizer.from_file(str(path))


def agree(pair: Pair, text: str) -> None:
    ours, theirs = pair
    for with_template in (True, False):
        ids = theirs.encode(text, add_special_tokens=with_template).ids
        assert ours.encode(text, add_special_tokens=with_template) == ids, text
        decoded = theirs.decode(ids)
        assert ours.decode(ids) == decoded, text
    assert ours.decode_detail(ids).text == decoded


def specials_of(model: UnigramModel) -> list[str]:
    assert model.tokenizer_document is not None
    return [token.content for token in model.tokenizer_document.tokenizer.added_tokens.tokens]


def test_lines_of_two_novels_and_sixty_languages(pair: Pair, shared: Path) -> None:
    with lzma.open(shared / "data" / "corpora" / "multi30.txt.xz", "rt", encoding="utf-8") as file:
        lines = file.read().split("\n")
    for text in sample_lines(shared, 150) + lines[:: len(lines) // 600]:
        agree(pair, text)


@pytest.mark.slow
def test_every_line_of_the_corpora(pair: Pair, shared: Path) -> None:
    ours, theirs = pair
    corpora = shared / "data" / "corpora"
    with lzma.open(corpora / "multi30.txt.xz", "rt", encoding="utf-8") as file:
        lines = file.read().split("\n")
    for name in ("botchan.txt", "wagahaiwa_nekodearu.txt"):
        lines += (corpora / name).read_text(encoding="utf-8").split("\n")
    for first in range(0, len(lines), 1000):
        some = lines[first : first + 1000]
        batch = ours.encode_batch(some)
        for i, (text, encoding) in enumerate(zip(some, theirs.encode_batch(some), strict=True)):
            assert ours.encode(text) == encoding.ids, text
            assert batch[i].tolist() == encoding.ids, text


def test_odd_texts(pair: Pair) -> None:
    texts = list(odd_texts(1000, seed=1, specials=specials_of(pair[0])))
    for text in texts:
        agree(pair, text)
    assert pair[0].encode_batch(texts).tolist() == [encoding.ids for encoding in pair[1].encode_batch(texts)]


@pytest.mark.slow
def test_twenty_thousand_odd_texts(pair: Pair) -> None:
    texts = list(odd_texts(20_000, seed=2, specials=specials_of(pair[0])))
    for text in texts:
        agree(pair, text)
    assert pair[0].encode_batch(texts).tolist() == [encoding.ids for encoding in pair[1].encode_batch(texts)]


@settings(max_examples=200, deadline=None)
@given(text=st.text(st.characters(exclude_categories=["Cs", "Cn"]), max_size=60))
def test_any_text(pair: Pair, text: str) -> None:
    agree(pair, text)


SLOW_UNITS = ("▁", " ", "ab ", "漢字かな", "e\u0301", "👨‍👩‍👧", "\u1100\u1161")


@pytest.mark.parametrize("unit", ["x", *(pytest.param(unit, marks=pytest.mark.slow) for unit in SLOW_UNITS)])
def test_a_hundred_thousand_characters(pair: Pair, unit: str) -> None:
    agree(pair, unit * (100_000 // len(unit)))


def test_any_ids_decode_alike(pair: Pair) -> None:
    ours, theirs = pair
    n = theirs.get_vocab_size()
    for first in range(0, n - 40, max(n // 300, 1)):
        ids = [*range(first, first + 20), 3, 3, 0, *range(first, first + 9, 3)]
        assert ours.decode(ids) == theirs.decode(ids)
        assert ours.decode_detail(ids).text == ours.decode(ids)


def test_the_cut_is_a_path_of_the_lattice_that_scores_best(pair: Pair) -> None:
    ours, _ = pair
    for text in odd_texts(200, seed=3, specials=specials_of(ours)):
        found, lattice = ours.segment(text), ours.lattice(text)
        assert lattice.text == found.normalized.text
        path = lattice.path_from_cuts(found.edge_starts, found.edge_ends)
        assert path.score == pytest.approx(lattice.best().score, rel=1e-12)
        assert found.score == pytest.approx(path.score, rel=1e-12)
        for wall in lattice.walls.tolist():
            assert not ((lattice.edge_start < wall) & (wall < lattice.edge_end)).any()


def test_offsets_point_at_the_text(pair: Pair) -> None:
    ours, _ = pair
    for text in odd_texts(300, seed=4, specials=specials_of(ours)):
        normalized = ours.segment(text).normalized
        bounds = normalized.char_to_original.tolist()
        assert len(bounds) == len(normalized.text) + 1
        assert bounds == sorted(bounds)
        assert not bounds or 0 <= bounds[0] <= bounds[-1] <= len(text)
