"""Building a trie in a hash table, and matching all its pieces at every place of a text.

A trie is any tuple with the fields of `engine.trie.Trie`. One slot of the table holds one branch: its key is
the node above and the code point, its value the node below. A hash table grows with the vocabulary alone,
whatever the script, and one branch costs one look.
"""

import numpy as np

from engine.kernels.jit import kernel

EMPTY = -1
_CODE_POINT_BITS = 21
_CODE_POINTS = (1 << _CODE_POINT_BITS) - 1


@kernel
def _slot_of(keys, key):
    """Return the slot that holds `key`, or the empty one where it belongs. len(keys) is a power of two."""
    mask = len(keys) - 1
    # Two large odd factors spread neighbours over the table; products of 31 and 21 bits do not overflow.
    spread = (key >> _CODE_POINT_BITS) * 0x7FFFFFED ^ (key & _CODE_POINTS) * 0x3C6EF35F
    slot = (spread ^ (spread >> 29)) & mask
    while keys[slot] != key and keys[slot] != EMPTY:
        slot = (slot + 1) & mask
    return slot


@kernel
def _doubled(keys, children):
    new_keys = np.full(2 * len(keys), EMPTY, np.int64)
    new_children = np.zeros(2 * len(keys), np.int32)
    for i in range(len(keys)):
        if keys[i] != EMPTY:
            slot = _slot_of(new_keys, keys[i])
            new_keys[slot] = keys[i]
            new_children[slot] = children[i]
    return new_keys, new_children


@kernel
def build_trie(code_points, offsets, ids):
    """Return keys, children and node_ids of the trie of pieces code_points[offsets[i]:offsets[i+1]]."""
    keys = np.full(64, EMPTY, np.int64)
    children = np.zeros(64, np.int32)
    node_ids = np.full(len(code_points) + 1, -1, np.int32)
    n_nodes = 1
    for i in range(len(ids)):
        node = 0
        for j in range(offsets[i], offsets[i + 1]):
            if 2 * n_nodes >= len(keys):
                keys, children = _doubled(keys, children)
            key = np.int64(node) << _CODE_POINT_BITS | np.int64(code_points[j])
            slot = _slot_of(keys, key)
            if keys[slot] == EMPTY:
                keys[slot] = key
                children[slot] = n_nodes
                n_nodes += 1
            node = children[slot]
        node_ids[node] = ids[i]
    return keys, children, node_ids[:n_nodes].copy()


@kernel
def child_of(trie, node, code_point):
    """Return the node below `node` along `code_point`, -1 where there is none."""
    key = np.int64(node) << _CODE_POINT_BITS | np.int64(code_point)
    slot = _slot_of(trie.keys, key)
    return np.int64(trie.children[slot]) if trie.keys[slot] == key else np.int64(-1)


@kernel
def longest_match(trie, symbols, start):
    """Return the length of the longest piece that stands at `start` of `symbols`, 0 where none does."""
    node = np.int64(0)
    longest = 0
    for end in range(start, len(symbols)):
        node = child_of(trie, node, symbols[end])
        if node < 0:
            break
        if trie.node_ids[node] >= 0:
            longest = end + 1 - start
    return longest


@kernel
def count_edges(code_points, trie, first, stop, n_edges):
    """Write into n_edges[first:stop] how many edges start there, that of an unknown character included."""
    for start in range(first, stop):
        node = np.int64(0)
        n = 0
        is_known = False
        for end in range(start, len(code_points)):
            node = child_of(trie, node, code_points[end])
            if node < 0:
                break
            if trie.node_ids[node] >= 0:
                n += 1
                is_known = is_known or end == start
        n_edges[start] = n if is_known else n + 1


@kernel
def list_edges(code_points, trie, unknown_id, first, stop, edge_offsets, edge_start, edge_end, edge_piece):
    """Write the edges that start at first..stop-1: by start, then by end. Same walk as `count_edges`."""
    for start in range(first, stop):
        edge = edge_offsets[start]
        # The one-character edge comes first, and is overwritten where the character is a piece.
        edge_start[edge] = start
        edge_end[edge] = start + 1
        edge_piece[edge] = unknown_id
        edge += 1
        node = np.int64(0)
        for end in range(start, len(code_points)):
            node = child_of(trie, node, code_points[end])
            if node < 0:
                break
            piece = trie.node_ids[node]
            if piece < 0:
                continue
            if end == start:
                edge -= 1
            edge_start[edge] = start
            edge_end[edge] = end + 1
            edge_piece[edge] = piece
            edge += 1
