from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kernels.trie_walk import build_trie, count_edges, lay_out, list_edges, longest_match
from engine.trie import Trie, code_points_of

words = st.text("ab▁好😊", min_size=1, max_size=5)


@settings(deadline=None)
@given(st.lists(words, unique=True, max_size=12), st.text("ab▁好😊", max_size=12))
def test_the_longest_piece_is_found_at_every_place(pieces: list[str], text: str) -> None:
    trie = Trie.from_texts(pieces)
    for start in range(len(text)):
        lengths = [len(piece) for piece in pieces if text.startswith(piece, start)]
        assert trie.longest_match(text, start) == max(lengths, default=0)


@settings(deadline=None, max_examples=25)
@given(st.lists(words, unique=True, min_size=1, max_size=6), st.text("ab▁好😊", max_size=8))
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
    arrays = build_trie.py_func(code_points, offsets, np.arange(40, dtype=np.int32))
    trie = Trie.from_texts(texts)
    branches = np.flatnonzero(arrays[0] >= 0)
    branches = branches[np.argsort(arrays[0][branches])]
    laid_out = lay_out.py_func(arrays[0][branches], arrays[1][branches], arrays[2])
    assert [array.tolist() for array in laid_out] == [array.tolist() for array in trie[:3]]
    assert longest_match.py_func(trie, code_points, 0) == 3


def test_no_pieces_match_nothing() -> None:
    assert Trie.from_texts([]).longest_match("a") == 0


def test_arrays_are_read_only() -> None:
    assert not any(array.flags.writeable for array in Trie.from_texts(["a"]))
