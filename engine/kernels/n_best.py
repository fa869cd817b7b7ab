"""The next best path of a lattice, exactly, by recursive enumeration (Jimenez and Marzal 1999).

Every boundary keeps the list of its best paths found so far, each of them an entry: its score, the edge it
came by, the entry it continues (at the edge's start) and the entry that follows it in the list. An edge
offers one entry at a time. To find the next path, the edge that gave the last one moves on to the next entry
of its start, which may have to be found first, and so on to the left; then the best offer wins. That costs
at most one step for each character and path, whatever the number of paths.
"""

import numpy as np

from engine.kernels.jit import kernel

NONE = -1
NOT_YET = -2


@kernel
def _best_offer(node, into, into_offsets, edge_log_p, edge_entry, entry_score):
    best_edge = NONE
    best = -np.inf
    for i in range(into_offsets[node], into_offsets[node + 1]):
        edge = into[i]
        if edge_entry[edge] != NONE:
            score = entry_score[edge_entry[edge]] + edge_log_p[edge]
            if best_edge == NONE or score > best:
                best_edge = edge
                best = score
    return best_edge, best


@kernel
def find_next(
    last, edge_end, edge_log_p, into, into_offsets, edge_entry,
    entry_score, entry_edge, entry_parent, entry_next, n_entries, stack,
):  # fmt: skip
    """Find the path that follows the entry `last`; return its entry, or NONE, and the new number of entries."""
    stack[0] = last
    depth = 1
    while entry_edge[stack[depth - 1]] != NONE and entry_next[entry_parent[stack[depth - 1]]] == NOT_YET:
        stack[depth] = entry_parent[stack[depth - 1]]
        depth += 1
    for level in range(depth - 1, -1, -1):
        entry = stack[level]
        entry_next[entry] = NONE
        used = entry_edge[entry]
        if used == NONE:
            continue
        edge_entry[used] = entry_next[entry_parent[entry]]
        edge, score = _best_offer(edge_end[used], into, into_offsets, edge_log_p, edge_entry, entry_score)
        if edge == NONE:
            continue
        entry_next[entry] = n_entries
        entry_next[n_entries] = NOT_YET
        entry_score[n_entries] = score
        entry_edge[n_entries] = edge
        entry_parent[n_entries] = edge_entry[edge]
        n_entries += 1
    return entry_next[last], n_entries


@kernel
def trace_entry(entry, entry_edge, entry_parent, edges):
    """Write the edges of the path that ends in `entry` to the end of `edges`; return where they begin."""
    first = len(edges)
    while entry_edge[entry] != NONE:
        first -= 1
        edges[first] = entry_edge[entry]
        entry = entry_parent[entry]
    return first
