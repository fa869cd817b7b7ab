"""A trie of pieces in flat arrays, for finding all pieces that start at a place in a text.

In: texts and their IDs. Out: arrays that a kernel walks one code point (or byte) at a time; the walk itself
stands in `kernels.trie_walk`. It does not keep the texts, but for stretches of very long pieces where nothing branches
or ends: these are kept as they are, which is where `kernels.long_pieces` comes in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.long_pieces import PLAIN_DEPTH, add_long_pieces, copy_gaps, sort_pieces
from engine.kernels.trie_walk import branch_bits, build_trie, lay_out, longest_match

_DIRECT = 1 << 16


def code_points_of(text: str) -> NDArray[np.int32]:
    """Return the code points of a text, int32[len(text)], read-only.

    >>> code_points_of("a▁").tolist()
    [97, 9601]
    """
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.int32)


class Trie(NamedTuple):
    """The arrays of a trie whose nodes are numbered level by level; node 0 is the root.

    Attributes
    ----------
    first : int32[n_nodes+1]
        The children of node i are first[i]:first[i+1].
    labels : int32[n_nodes]
        The code point that leads to a node; children of one node are sorted by it.
    node_ids : int32[n_nodes]
        The ID of the piece that ends in a node, -1 where none does; -2 - g where gap g follows.
    bits : uint64[2*n_nodes]
        Which of the code points from U+0020 to U+009F lead on from a node.
    below_root : int32[k]
        The child of the root along each code point below k, -1 for none.
    gaps : int32[l]
        The characters between a node and its only child, those of gap g at gaps[gap_first[g]:gap_first[g+1]].
    gap_first : int32[n_gaps+1]
    """

    first: NDArray[np.int32]
    labels: NDArray[np.int32]
    node_ids: NDArray[np.int32]
    bits: NDArray[np.uint64]
    below_root: NDArray[np.int32]
    gaps: NDArray[np.int32]
    gap_first: NDArray[np.int32]

    @classmethod
    def from_code_points(
        cls, code_points: NDArray[np.int32], offsets: NDArray[np.int64], ids: NDArray[np.int32]
    ) -> Trie:
        """Build the trie of pieces code_points[offsets[i]:offsets[i+1]] with IDs ids[i]; of twins the last counts."""
        texts, ids = (_read_only(code_points), _read_only(offsets)), _read_only(ids)
        keys, children, node_ids, n_nodes, heads = build_trie(*texts, ids, PLAIN_DEPTH)
        order = sort_pieces(*texts, np.flatnonzero(heads >= 0))
        keys, children, node_ids, spans = add_long_pieces(
            *texts, ids, order, heads, keys, children, node_ids, n_nodes
        )
        gap_first = np.concatenate(([0], np.cumsum(spans[:, 1] - spans[:, 0]))).astype(np.int32)
        gaps = copy_gaps(texts[0], spans, gap_first)
        branches = np.flatnonzero(keys >= 0)
        branches = branches[np.argsort(keys[branches])]
        first, labels, node_ids = lay_out(keys[branches], children[branches], node_ids)
        bits, below_root = branch_bits(first, labels), _below_root(first, labels)
        return cls(*map(_read_only, (first, labels, node_ids, bits, below_root, gaps, gap_first)))

    @classmethod
    def from_texts(cls, texts: Sequence[str], ids: NDArray[np.int32] | None = None) -> Trie:
        """Build the trie of `texts` with the given IDs, or with their numbers.

        >>> Trie.from_texts(["ab", "abc"]).longest_match("abcd")
        3
        """
        offsets = np.zeros(len(texts) + 1, dtype=np.int64)
        np.cumsum([len(text) for text in texts], out=offsets[1:])
        numbers = np.arange(len(texts), dtype=np.int32) if ids is None else ids
        return cls.from_code_points(code_points_of("".join(texts)), offsets, numbers)

    def longest_match(self, text: str, start: int = 0) -> int:
        """Return the length in characters of the longest piece at `start` of the text, 0 where there is none."""
        return int(longest_match(self, code_points_of(text), start))


def _below_root(first: NDArray[np.int32], labels: NDArray[np.int32]) -> NDArray[np.int32]:
    children = np.arange(first[0], first[1], dtype=np.int32)
    direct = children[labels[children] < _DIRECT]
    below = np.full(int(labels[direct].max(initial=-1)) + 1, -1, dtype=np.int32)
    below[labels[direct]] = direct
    return below


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    # Numba compiles a kernel separately for read-only arrays: inputs are always given as such.
    view = array.view()
    view.setflags(write=False)
    return view
