"""Building a trie, and matching all its pieces at every place of a text.

A trie is any tuple with the fields of `engine.trie.Trie`. It is built in a hash table, one slot a branch (its key is
the node above and the code point, its value the node below), and then laid out level by level: the children of a node
lie side by side, sorted, so that one step touches one or two lines of the processor's cache, whatever the script.

Pieces that are very long end in gaps (`kernels.long_pieces`): `step` goes over one character or over a gap and the
character behind it.
"""

import numpy as np

from engine.kernels.jit import allocating_kernel, kernel

EMPTY = -1
CODE_POINT_BITS = 21
_CODE_POINTS = (1 << CODE_POINT_BITS) - 1
_LOW = 0x20
_FEW = 6  # children that are looked at one after the other


@kernel
def slot_of(keys, key):
    """Return the slot that holds `key`, or the empty one where it belongs. len(keys) is a power of two."""
    mask = len(keys) - 1
    # Two large odd factors spread neighbours over the table; products of 31 and 21 bits do not overflow.
    spread = (key >> CODE_POINT_BITS) * 0x7FFFFFED ^ (key & _CODE_POINTS) * 0x3C6EF35F
    slot = (spread ^ (spread >> 29)) & mask
    while keys[slot] != key and keys[slot] != EMPTY:
        slot = (slot + 1) & mask
    return slot


@allocating_kernel
def doubled(keys, children):
    """Return the table of branches with twice the room."""
    new_keys = np.full(2 * len(keys), EMPTY, np.int64)
    new_children = np.zeros(2 * len(keys), np.int32)
    for i in range(len(keys)):
        if keys[i] != EMPTY:
            slot = slot_of(new_keys, keys[i])
            new_keys[slot] = keys[i]
            new_children[slot] = children[i]
    return new_keys, new_children


@allocating_kernel
def build_trie(code_points, offsets, ids, depth):
    """Return keys, children, node_ids and n_nodes of the trie of pieces code_points[offsets[i]:offsets[i+1]].

    Only the first `depth` characters of a piece are entered. The last array, int32[len(ids)], says which node those of
    a longer piece lead to, -1 for the others.
    """
    keys = np.full(64, EMPTY, np.int64)
    children = np.zeros(64, np.int32)
    node_ids = np.full(64, -1, np.int32)
    heads = np.full(len(ids), -1, np.int32)
    n_nodes = 1
    for i in range(len(ids)):
        node = 0
        stop = min(offsets[i + 1], offsets[i] + depth)
        for j in range(offsets[i], stop):
            if 2 * n_nodes >= len(keys):
                keys, children = doubled(keys, children)
                node_ids = np.concatenate((node_ids, np.full(len(node_ids), -1, np.int32)))
            key = np.int64(node) << CODE_POINT_BITS | np.int64(code_points[j])
            slot = slot_of(keys, key)
            if keys[slot] == EMPTY:
                keys[slot] = key
                children[slot] = n_nodes
                n_nodes += 1
            node = children[slot]
        if stop == offsets[i + 1]:
            node_ids[node] = ids[i]
        else:
            heads[i] = node
    return keys, children, node_ids, n_nodes, heads


@allocating_kernel
def lay_out(keys, children, node_ids):
    """Return first, labels and node_ids of the nodes level by level.

    `keys` and `children` are the branches, sorted by key; those of node i are first[i]:first[i+1], by label.
    """
    n = len(keys) + 1
    branches = np.zeros(n + 1, np.int64)
    for key in keys:
        branches[(key >> CODE_POINT_BITS) + 1] += 1
    for i in range(n):
        branches[i + 1] += branches[i]
    queue = np.zeros(n, np.int32)
    first = np.empty(n + 1, np.int32)
    labels = np.zeros(n, np.int32)
    ids = np.empty(n, np.int32)
    tail = 1
    for i in range(n):
        first[i] = tail
        ids[i] = node_ids[queue[i]]
        for branch in range(branches[queue[i]], branches[queue[i] + 1]):
            queue[tail] = children[branch]
            labels[tail] = keys[branch] & _CODE_POINTS
            tail += 1
    first[n] = tail
    return first, labels, ids


@allocating_kernel
def branch_bits(first, labels):
    """Return, for each node, which code points _LOW.._LOW+127 lead on, as bits of two numbers: uint64[2 * n_nodes]."""
    bits = np.zeros(2 * len(labels), np.uint64)
    for node in range(len(labels)):
        for child in range(first[node], first[node + 1]):
            place = np.int64(labels[child]) - _LOW
            if 0 <= place < 128:
                bits[2 * node + (place >> 6)] |= np.uint64(1) << np.uint64(place & 63)
    return bits


@kernel
def count_ones(x):
    """Return how many bits of a uint64 are 1; the compiler knows this way of counting, and makes it one instruction."""
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel
def child_in(first, labels, bits, below_root, node, code_point):
    """Return the node below `node` along `code_point`, -1 where there is none.

    For most letters of most texts no search is needed, which a processor cannot foresee: one bit says whether the
    child is there, and the number of bits before it where.
    """
    if node == 0 and code_point < len(below_root):
        return np.int64(below_root[code_point])
    place = np.int64(code_point) - _LOW
    if 0 <= place < 128:
        word = bits[2 * node + (place >> 6)]
        bit = np.uint64(1) << np.uint64(place & 63)
        if word & bit == 0:
            return np.int64(-1)
        before = count_ones(word & (bit - np.uint64(1)))
        if place >= 64:
            before += count_ones(bits[2 * node])
        # No piece of sense has a code point below _LOW; where one does, it comes first.
        child = np.int64(first[node]) + before
        while labels[child] != code_point:
            child += 1
        return child
    low = np.int64(first[node])
    high = np.int64(first[node + 1])
    while high - low > _FEW:
        middle = (low + high) >> 1
        if labels[middle] <= code_point:
            low = middle
        else:
            high = middle
    for child in range(low, high):
        if labels[child] == code_point:
            return child
    return np.int64(-1)


@kernel
def step(trie, node, text, end, stop):
    """Return the node below `node` along the characters from `end` on, -1 for none, and where they stop.

    That is one character, or a gap and one character, none of them from `stop` on.
    """
    return step_in(
        trie.first, trie.labels, trie.bits, trie.below_root, trie.node_ids, trie.gaps, trie.gap_first,
        node, text, end, stop,
    )  # fmt: skip


@kernel
def step_in(first, labels, bits, below_root, node_ids, gaps, gap_first, node, text, end, stop):
    """Do what `step` does, for loops that take the trie's arrays out of the tuple once."""
    if len(gap_first) > 1 and node_ids[node] < -1:
        gap = np.int64(-2 - node_ids[node])
        at = np.int64(gap_first[gap])
        gap_stop = np.int64(gap_first[gap + 1])
        if end + gap_stop - at >= stop:
            return np.int64(-1), end
        while at < gap_stop:
            if text[end] != gaps[at]:
                return np.int64(-1), end
            end += 1
            at += 1
    return child_in(first, labels, bits, below_root, node, text[end]), end + 1


@kernel
def longest_match(trie, symbols, start):
    """Return the length of the longest piece that stands at `start` of `symbols`, 0 where none does."""
    node = np.int64(0)
    longest = 0
    end = start
    while end < len(symbols):
        node, end = step(trie, node, symbols, end, len(symbols))
        if node < 0:
            break
        if trie.node_ids[node] >= 0:
            longest = end - start
    return longest


@kernel
def count_edges(code_points, trie, first, stop, n_edges):
    """Write into n_edges[first:stop] how many edges start there, that of an unknown character included."""
    for start in range(first, stop):
        node = np.int64(0)
        n = 0
        is_known = False
        end = start
        while end < len(code_points):
            node, end = step(trie, node, code_points, end, len(code_points))
            if node < 0:
                break
            if trie.node_ids[node] >= 0:
                n += 1
                is_known = is_known or end == start + 1
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
        end = start
        while end < len(code_points):
            node, end = step(trie, node, code_points, end, len(code_points))
            if node < 0:
                break
            piece = trie.node_ids[node]
            if piece < 0:
                continue
            if end == start + 1:
                edge -= 1
            edge_start[edge] = start
            edge_end[edge] = end
            edge_piece[edge] = piece
            edge += 1
