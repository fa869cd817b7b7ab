"""Best paths: the encoder's, straight from the trie, and that of a lattice.

Both push from left to right and keep what came first unless the new score is strictly greater: on equal
scores the earliest start wins, that is the longest last piece (unigram_model.cc, EncodeOptimized).

The encoder's sums begin anew at a place where one is further from 0 than `largest_sum`: that sum is taken off those of
all places reached so far beyond it. So small differences count in the longest text, and near ties there fall
differently from those of plain sums.
"""

import numpy as np

from engine.kernels.jit import allocating_kernel, kernel
from engine.kernels.trie_walk import step

NONE = -1


@kernel
def _offer(candidate, start, end, piece, best_score, best_start, best_piece):
    if best_start[end] == NONE or candidate > best_score[end]:
        best_score[end] = candidate
        best_start[end] = start
        best_piece[end] = piece


@kernel
def extend_best_paths(
    code_points, trie, edge_scores, unknown_id, largest_sum, first, stop, reached, best_score, best_start, best_piece
):
    """Push the best paths that reach first..stop-1 on by one piece; call it slice after slice.

    Sums and comparisons have the type that `edge_scores` and `best_score` share: float32 for a `.model`. `reached` is
    the last place that a path has reached, 0 at first. Returns what it is then, and the sum in nats that was taken off.
    """
    n = len(code_points)
    taken_off = 0.0
    for start in range(first, stop):
        so_far = best_score[start]
        if abs(so_far) > largest_sum:
            taken_off += so_far
            for end in range(start + 1, reached + 1):
                if best_start[end] != NONE:
                    best_score[end] -= so_far
            so_far = best_score.dtype.type(0)
        is_known = False
        node = np.int64(0)
        end = start
        while end < n:
            node, end = step(trie, node, code_points, end, n)
            if node < 0:
                break
            piece = trie.node_ids[node]
            if piece >= 0:
                _offer(so_far + edge_scores[piece], start, end, piece, best_score, best_start, best_piece)
                is_known = is_known or end == start + 1
                reached = max(reached, end)
        if not is_known:
            score = so_far + edge_scores[unknown_id]
            _offer(score, start, start + 1, unknown_id, best_score, best_start, best_piece)
            reached = max(reached, start + 1)
    return reached, taken_off


@allocating_kernel
def trace_back(best_start, best_piece):
    """Return starts, ends and pieces of the best path of the whole text, from left to right."""
    n = 0
    end = len(best_start) - 1
    while end > 0:
        end = best_start[end]
        n += 1
    starts = np.empty(n, np.int32)
    ends = np.empty(n, np.int32)
    pieces = np.empty(n, np.int32)
    end = len(best_start) - 1
    for i in range(n - 1, -1, -1):
        starts[i] = best_start[end]
        ends[i] = end
        pieces[i] = best_piece[end]
        end = best_start[end]
    return starts, ends, pieces


@kernel
def extend_best_edges(edge_start, edge_end, edge_log_p, first, stop, best_score, best_edge):
    """Push the best paths of a lattice over the edges first..stop-1, which are sorted by start."""
    for edge in range(first, stop):
        start = edge_start[edge]
        end = edge_end[edge]
        candidate = best_score[start] + edge_log_p[edge]
        if candidate > best_score[end]:
            best_score[end] = candidate
            best_edge[end] = edge
