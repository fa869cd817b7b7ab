"""A trie of pieces in flat arrays, for finding all pieces that start at a place in a text.

In: texts and their IDs. Out: arrays that a kernel walks one code point (or byte) at a time; the walk itself
stands in `kernels.trie_walk`. It does not keep the texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.trie_walk import build_trie, longest_match


def code_points_of(text: str) -> NDArray[np.int32]:
    """Return the code points of a text, int32[len(text)], read-only.

    >>> code_points_of("a▁").tolist()
    [97, 9601]
    """
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.int32)


class Trie(NamedTuple):
    """The arrays of a trie: a hash table from (node, code point) to the node below.

    Attributes
    ----------
    keys : int64[m]
        node << 21 | code point of the branch in each slot, -1 in an empty one; m is a power of two.
    children : int32[m]
        The node below. Node 0 is the root.
    node_ids : int32[n_nodes]
        The ID of the piece that ends in a node, -1 where none does.
    """

    keys: NDArray[np.int64]
    children: NDArray[np.int32]
    node_ids: NDArray[np.int32]

    @classmethod
    def from_code_points(
        cls, code_points: NDArray[np.int32], offsets: NDArray[np.int64], ids: NDArray[np.int32]
    ) -> Trie:
        """Build the trie of pieces code_points[offsets[i]:offsets[i+1]] with IDs ids[i]; of twins the last counts."""
        keys, children, node_ids = build_trie(_read_only(code_points), _read_only(offsets), _read_only(ids))
        return cls(_read_only(keys), _read_only(children), _read_only(node_ids))

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


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    # Numba compiles a kernel separately for read-only arrays: inputs are always given as such.
    view = array.view()
    view.setflags(write=False)
    return view
