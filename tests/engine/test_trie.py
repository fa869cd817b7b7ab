from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.kernels.long_pieces import PLAIN_DEPTH, SHORTEST_GAP, add_long_pieces, copy_gaps, sort_pieces
from engine.kernels.trie_walk import build_trie, count_edges, lay_out, list_edges, longest_match
from engine.trie import Trie, code_points_of

words = st.text("ab▁好😊", min_size=1, max_size=5)
STEMS = ("a", "好" * PLAIN_DEPTH, "b" * (SHORTEST_GAP + 2), "ab" * (PLAIN_DEPTH + SHORTEST_GAP), "▁a😊")
long_words = st.lists(st.sampled_from(STEMS), min_size=1, max_size=5).map("".join)


@settings(deadline=None)
@given(st.lists(words | long_words, unique=True, max_size=12), st.text("ab▁好😊", max_size=12) | long_words)
def test_the_longest_piece_is_found_at_every_place(pieces: list[str], text: str) -> None:
    trie = Trie.from_texts(pieces)
    for start in range(len(text)):
        lengths = [len(piece) for piece in pieces if text.startswith(piece, start)]
        assert trie.longest_match(text, start) == max(lengths, default=0)


@settings(deadline=None, max_examples=25)
@given(
    st.lists(words, unique=True, min_size=1, max_size=6) | st.lists(long_words, unique=True, min_size=1, max_size=6),
    st.text("ab▁好😊", max_size=8) | long_words,
)
def test_edges_in_three_voices(pieces: list[str], text: str) -> None:
    """Compiled, as plain Python, and by looking at every piece everywhere."""
    trie, code_points, unknown = Trie.from_texts(pieces), code_points_of(text), len(pieces)
    expected = []
    for start in range(len(text)):
        found = [(start, start + len(p), i) for i, p in enumerate(pieces) if text.startswith(p, start)]
        if not any(end == start + 1 for _, end, _ in found):
            found.append((start, start + 1, unknown))
        expected += sorted(found)
    for count, fill in ((count_edges, list_edges), (count_edges.py_func, list_edges.py_func)):
        n_edges = np.zeros(len(text), dtype=np.int64)
        count(code_points, trie, 0, len(text), n_edges)
        offsets = np.concatenate(([0], np.cumsum(n_edges)))
        offsets.setflags(write=False)
        edges = [np.empty(offsets[-1], dtype=np.int32) for _ in range(3)]
        fill(code_points, trie, unknown, 0, len(text), offsets, *edges)
        assert list(zip(*(array.tolist() for array in edges), strict=True)) == expected


def test_building_and_matching_as_plain_python() -> None:
    texts = [chr(0x4E00 + i) * 3 for i in range(40)]  # more nodes than the first table has room for
    offsets = np.arange(0, 121, 3)
    code_points = code_points_of("".join(texts))
    trie = Trie.from_texts(texts)
    assert_built_alike(trie, code_points, offsets)
    assert longest_match.py_func(trie, code_points, 0) == 3


def assert_built_alike(trie: Trie, code_points: NDArray[np.int32], offsets: NDArray[np.int64]) -> None:
    ids = np.arange(len(offsets) - 1, dtype=np.int32)
    *arrays, n_nodes, heads = build_trie.py_func(code_points, offsets, ids, PLAIN_DEPTH)
    order = sort_pieces.py_func(code_points, offsets, np.flatnonzero(heads >= 0))
    keys, children, node_ids, spans = add_long_pieces.py_func(
        code_points, offsets, ids, order, heads, *arrays, n_nodes
    )
    assert copy_gaps.py_func(code_points, spans, trie.gap_first).tolist() == trie.gaps.tolist()
    branches = np.flatnonzero(keys >= 0)
    branches = branches[np.argsort(keys[branches])]
    laid_out = lay_out.py_func(keys[branches], children[branches], node_ids)
    assert [array.tolist() for array in laid_out] == [array.tolist() for array in trie[:3]]


@settings(deadline=None, max_examples=50)
@given(st.lists(words | long_words, max_size=12))
def test_long_pieces_are_sorted_and_entered_as_plain_python(pieces: list[str]) -> None:
    code_points = code_points_of("".join(pieces))
    offsets = np.cumsum([0, *map(len, pieces)])
    numbers = np.arange(len(pieces))
    in_order = sorted(numbers.tolist(), key=pieces.__getitem__)
    for sort in (sort_pieces, sort_pieces.py_func):
        assert sort(code_points, offsets, numbers).tolist() == in_order
    assert_built_alike(Trie.from_texts(pieces), code_points, offsets)


@settings(deadline=None, max_examples=50)
@given(st.lists(words | long_words | st.integers(1, 400).map(lambda n: "ab" * n), min_size=1, max_size=30))
def test_a_piece_has_few_nodes_however_long_it_is(pieces: list[str]) -> None:
    trie = Trie.from_texts(pieces)
    n_long = sum(len(piece) > PLAIN_DEPTH for piece in pieces)
    n_plain = sum(min(len(piece), PLAIN_DEPTH) for piece in pieces)
    assert len(trie.node_ids) <= 1 + n_plain + 2 * (SHORTEST_GAP + 1) * n_long


def test_pieces_of_usual_length_have_no_gaps() -> None:
    assert len(Trie.from_texts(["abcdefgh" * 2, "b" * PLAIN_DEPTH + "c" * SHORTEST_GAP]).gaps) == 0
    assert len(Trie.from_texts(["b" * PLAIN_DEPTH + "c" * (SHORTEST_GAP + 2)]).gaps) == SHORTEST_GAP


def test_no_pieces_match_nothing() -> None:
    assert Trie.from_texts([]).longest_match("a") == 0


def test_arrays_are_read_only() -> None:
    assert not any(array.flags.writeable for array in Trie.from_texts(["a"]))
