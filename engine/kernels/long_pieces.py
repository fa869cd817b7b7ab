"""The part of a trie that lies deep: pieces are sorted, and where nothing branches or ends, no nodes are made.

Down to PLAIN_DEPTH every character of a piece has its node. Below, a run of at least SHORTEST_GAP characters with
neither a branch nor the end of a piece is a gap: it is compared with the text as it stands. So a piece has at most
PLAIN_DEPTH + 2 * (SHORTEST_GAP + 1) nodes of its own, however long it is.
"""

import numpy as np

from engine.kernels.jit import allocating_kernel, kernel
from engine.kernels.trie_walk import CODE_POINT_BITS, doubled, slot_of

PLAIN_DEPTH = 16
"""As long as most trainers let pieces become: a vocabulary of such pieces has no gaps."""
SHORTEST_GAP = 8


@kernel
def _common_length(code_points, offsets, a, b, start):
    """Return how many characters pieces a and b have in common, given that the first `start` are."""
    n = min(offsets[a + 1] - offsets[a], offsets[b + 1] - offsets[b])
    at = start
    while at < n and code_points[offsets[a] + at] == code_points[offsets[b] + at]:
        at += 1
    return at


@kernel
def _is_after(code_points, offsets, a, b):
    """Tell whether piece a comes after piece b by its code points."""
    at = _common_length(code_points, offsets, a, b, 0)
    if offsets[a] + at == offsets[a + 1]:
        return False
    return offsets[b] + at == offsets[b + 1] or code_points[offsets[a] + at] > code_points[offsets[b] + at]


@kernel
def _merge(code_points, offsets, order, low, middle, high, merged):
    left, right = low, middle
    for i in range(low, high):
        takes_right = left == middle
        if not takes_right and right < high:
            takes_right = _is_after(code_points, offsets, order[left], order[right])
        if takes_right:
            merged[i] = order[right]
            right += 1
        else:
            merged[i] = order[left]
            left += 1


@allocating_kernel
def sort_pieces(code_points, offsets, pieces):
    """Return numbers of pieces, int64, in order of their code points; equal ones stay as they are."""
    order = pieces.copy()
    merged = np.empty_like(order)
    width = 1
    while width < len(order):
        for low in range(0, len(order), 2 * width):
            middle = min(low + width, len(order))
            _merge(code_points, offsets, order, low, middle, min(low + 2 * width, len(order)), merged)
        order, merged = merged, order
        width *= 2
    return order


@allocating_kernel
def add_long_pieces(code_points, offsets, ids, order, heads, keys, children, node_ids, n_nodes):
    """Hang pieces below the nodes `heads` that their first PLAIN_DEPTH characters lead to; they come in `order`.

    Returns keys, children, node_ids, and the gaps as starts and stops in `code_points`. A node that a gap follows has
    the ID -2 - g, g being the gap's number; its one child comes behind the gap.
    """
    n = len(order)
    # What waits: pieces order[low:high] that have their first `depth` characters in common, which lead to a node.
    waiting = np.empty((2 * n + 1, 4), np.int64)
    gaps = np.empty((2 * n + 1, 2), np.int64)
    n_gaps = 0
    top = 0
    low = 0
    for high in range(1, n + 1):
        if high == n or heads[order[high]] != heads[order[low]]:
            waiting[top] = (low, high, PLAIN_DEPTH, np.int64(heads[order[low]]))
            top += 1
            low = high
    while top > 0:
        top -= 1
        low, high, depth, node = waiting[top]
        while low < high and offsets[order[low] + 1] - offsets[order[low]] == depth:
            node_ids[node] = ids[order[low]]
            low += 1
        while low < high:
            first = offsets[order[low]]
            stop = low + 1
            while stop < high and code_points[offsets[order[stop]] + depth] == code_points[first + depth]:
                stop += 1
            common = _common_length(code_points, offsets, order[low], order[stop - 1], depth)
            has_gap = common - depth - 2 >= SHORTEST_GAP
            child = node
            at = depth
            while at < common:
                if 2 * n_nodes >= len(keys):
                    keys, children = doubled(keys, children)
                if n_nodes >= len(node_ids):
                    node_ids = np.concatenate((node_ids, np.full(len(node_ids), -1, np.int32)))
                key = np.int64(child) << CODE_POINT_BITS | np.int64(code_points[first + at])
                slot = slot_of(keys, key)
                keys[slot] = key
                children[slot] = n_nodes
                child = n_nodes
                n_nodes += 1
                at += 1
                if has_gap and at == depth + 1:
                    node_ids[child] = -2 - n_gaps
                    gaps[n_gaps] = (first + at, first + common - 1)
                    n_gaps += 1
                    at = common - 1
            waiting[top] = (low, stop, common, child)
            top += 1
            low = stop
    return keys, children, node_ids, gaps[:n_gaps].copy()


@allocating_kernel
def copy_gaps(code_points, gaps, first):
    """Return the characters of all gaps in a row, those of gap g at first[g]:first[g+1]."""
    copied = np.empty(first[-1], np.int32)
    for g in range(len(gaps)):
        for i in range(gaps[g, 1] - gaps[g, 0]):
            copied[first[g] + i] = code_points[gaps[g, 0] + i]
    return copied
