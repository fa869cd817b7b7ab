"""The trie of a model as the encoder of many texts walks it: one load a step, scores beside the links.

In: a trie, the score of each piece, and what normalization rules do with each character. Out: arrays for
`kernels.word_path`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.packed_trie import place_nodes
from engine.kernels.word_path import LETTER_BITS
from engine.tables import N_CODE_POINTS
from engine.trie import Trie


class PackedTrie(NamedTuple):
    """A double array over the letters of a vocabulary.

    Attributes
    ----------
    rows : uint32[k]
        For each code point below k its letter, 0 for none, and its mark above `LETTER_BITS`; others have neither.
    links : int64[2m]
        At 2s the parent of slot s in the upper half, and where its children lie in the lower. Nothing leads to a slot
        of which the parent is -1, and only a gap to one of which it is -1 - p, p being the slot before the gap.
    step_scores : float64[2m]
        The same memory: at 2s+1 what the piece that ends in slot s scores, -inf for none.
    pieces : int32[m]
        The ID of that piece, -1 for none, -2 - g before gap g; that of the unknown piece for the root, slot 0.
    unknown_score : float
        What an unknown character scores.
    gaps, gap_first : int32[l], int32[n_gaps+1]
        The trie's own.
    characters : int32[n_letters+1]
        The code point of each letter, -1 for 0.
    """

    rows: NDArray[np.uint32]
    links: NDArray[np.int64]
    step_scores: NDArray[np.float64]
    pieces: NDArray[np.int32]
    unknown_score: float
    gaps: NDArray[np.int32]
    gap_first: NDArray[np.int32]
    characters: NDArray[np.int32]

    @classmethod
    def of(cls, trie: Trie, scores: NDArray[np.floating[Any]], unknown_id: int, marks: NDArray[np.uint8]) -> PackedTrie:
        """Lay out a trie whose node_ids are rows of `scores`; marks is uint8[0x110000]."""
        is_letter = np.zeros(N_CODE_POINTS, dtype=np.bool_)
        is_letter[trie.labels[1:]] = True
        is_letter[trie.gaps] = True
        alphabet = np.flatnonzero(is_letter)
        letters = np.cumsum(is_letter, dtype=np.int32)[trie.labels]
        slots, bases, n_slots = place_nodes(trie.first, letters, len(alphabet))
        parents = np.repeat(np.arange(len(slots)), np.diff(trie.first))  # of the nodes but the root, in order
        above = slots[parents].astype(np.int64)
        above[trie.node_ids[parents] < -1] ^= -1
        links = np.full(2 * n_slots, np.int64(-1) << 32)
        links[2 * slots[1:]] = above << 32
        links[2 * slots] |= bases
        step_scores = links.view(np.float64)
        step_scores[1::2] = -np.inf
        pieces = np.full(n_slots, -1, dtype=np.int32)
        pieces[slots] = trie.node_ids
        pieces[0] = unknown_id
        is_piece = np.flatnonzero(pieces[1:] >= 0) + 1
        step_scores[2 * is_piece + 1] = scores[pieces[is_piece]]
        n_rows = max(int(alphabet.max(initial=0)), int(np.flatnonzero(marks).max(initial=0)), 0x2581) + 1
        rows = marks[:n_rows].astype(np.uint32) << np.uint32(LETTER_BITS)
        rows[alphabet] |= np.arange(1, len(alphabet) + 1, dtype=np.uint32)
        characters = np.append(-1, alphabet).astype(np.int32)
        for array in (rows, links, step_scores, pieces, characters):
            array.setflags(write=False)
        return cls(
            rows, links, step_scores, pieces, float(scores[unknown_id]), trie.gaps, trie.gap_first, characters
        )
