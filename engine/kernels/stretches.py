"""Best paths and edges in a text that is cut in stretches beforehand: no piece crosses from one to the next.

`limits` is int32[n], the end of the stretch that each character is in; `fixed` is int32[n]: FREE where pieces are
matched, else a stretch is one token: its ID at the first character and INSIDE at the others. IDs from
`n_pieces` on stand for the unknown piece's own text, found in the text.
"""

import numpy as np

from engine.kernels.jit import allocating_kernel, kernel
from engine.kernels.tokens import _utf8_byte, _utf8_length
from engine.kernels.trie_walk import step
from engine.kernels.viterbi import _offer

FREE = -1
INSIDE = -2


@kernel
def _is_wall(limits, boundary):
    """Tell whether a stretch begins at the boundary."""
    return boundary == 0 or limits[boundary - 1] == boundary


@kernel
def extend_stretch_paths(
    code_points, limits, fixed, trie, edge_scores, unknown_id, first, stop, best_score, best_start, best_piece
):
    """Push the best paths that reach first..stop-1 on by one piece; sums begin anew with each stretch."""
    for start in range(first, stop):
        if fixed[start] == INSIDE:
            continue
        if fixed[start] >= 0:
            _offer(0.0, start, limits[start], fixed[start], best_score, best_start, best_piece)
            continue
        so_far = 0.0 if _is_wall(limits, start) else best_score[start]
        is_known = False
        node = np.int64(0)
        end = start
        while end < limits[start]:
            node, end = step(trie, node, code_points, end, limits[start])
            if node < 0:
                break
            piece = trie.node_ids[node]
            if piece >= 0:
                _offer(so_far + edge_scores[piece], start, end, piece, best_score, best_start, best_piece)
                is_known = is_known or end == start + 1
        if not is_known:
            score = so_far + edge_scores[unknown_id]
            _offer(score, start, start + 1, unknown_id, best_score, best_start, best_piece)


@kernel
def _piece_of(code_points, start, end, trie):
    """Return the piece that is exactly the text start..end-1, -1 for none."""
    node = np.int64(0)
    at = start
    while at < end:
        node, at = step(trie, node, code_points, at, end)
        if node < 0:
            return -1
    return max(trie.node_ids[node], -1)


@kernel
def _has_all_bytes(code_points, start, end, byte_ids):
    for i in range(start, end):
        length = _utf8_length(np.int64(code_points[i]))
        for j in range(length):
            if byte_ids[_utf8_byte(np.int64(code_points[i]), j, length)] < 0:
                return False
    return len(byte_ids) > 0


@kernel
def _end_of_unknown(edge, edge_starts, edge_pieces, limits, fixed, unknown_id, n_pieces):
    """Return the edge after the run of unknown ones that begins with `edge`, in the same stretch."""
    stop = edge
    while stop < len(edge_pieces):
        start = edge_starts[stop]
        is_unknown = edge_pieces[stop] == unknown_id or edge_pieces[stop] >= n_pieces
        if not is_unknown or fixed[start] >= 0 or (stop > edge and _is_wall(limits, start)):
            break
        stop += 1
    return stop


@allocating_kernel
def tokens_of_stretches(
    code_points, limits, fixed, edge_starts, edge_ends, edge_pieces, trie, unknown_id, n_pieces, byte_ids
):
    """Return ids, starts and ends of the tokens, by the rules of HF tokenizers.

    A run of unknown edges is one text: that of a piece, if there is one; else its bytes, each with the span of the
    whole run, where `byte_ids` (int32[256], -1 for a missing one, or empty) has all of them; else one unknown token.
    """
    room = len(code_points) * (4 if len(byte_ids) else 1)
    ids = np.empty(room, np.int32)
    starts = np.empty(room, np.int32)
    ends = np.empty(room, np.int32)
    n = 0
    edge = 0
    while edge < len(edge_pieces):
        start = edge_starts[edge]
        stop = _end_of_unknown(edge, edge_starts, edge_pieces, limits, fixed, unknown_id, n_pieces)
        piece = edge_pieces[edge]
        if stop > edge:
            end = edge_ends[stop - 1]
            piece = _piece_of(code_points, start, end, trie)
            if piece < 0 and _has_all_bytes(code_points, start, end, byte_ids):
                for i in range(start, end):
                    code_point = np.int64(code_points[i])
                    length = _utf8_length(code_point)
                    for j in range(length):
                        ids[n] = byte_ids[_utf8_byte(code_point, j, length)]
                        starts[n] = start
                        ends[n] = end
                        n += 1
                edge = stop
                continue
            edge = stop - 1
        ids[n] = unknown_id if piece < 0 or piece >= n_pieces else piece
        starts[n] = start
        ends[n] = edge_ends[edge]
        n += 1
        edge += 1
    return ids[:n].copy(), starts[:n].copy(), ends[:n].copy()


@kernel
def count_stretch_edges(code_points, limits, fixed, trie, first, stop, n_edges):
    """Write into n_edges[first:stop] how many edges start there, that of an unknown character included."""
    for start in range(first, stop):
        if fixed[start] != FREE:
            n_edges[start] = 0 if fixed[start] == INSIDE else 1
            continue
        node = np.int64(0)
        n = 0
        is_known = False
        end = start
        while end < limits[start]:
            node, end = step(trie, node, code_points, end, limits[start])
            if node < 0:
                break
            if trie.node_ids[node] >= 0:
                n += 1
                is_known = is_known or end == start + 1
        n_edges[start] = n if is_known else n + 1


@kernel
def list_stretch_edges(
    code_points, limits, fixed, trie, unknown_id, first, stop, edge_offsets, edge_start, edge_end, edge_piece
):
    """Write the edges that start at first..stop-1: by start, then by end. Same walk as `count_stretch_edges`."""
    for start in range(first, stop):
        edge = edge_offsets[start]
        if fixed[start] == INSIDE:
            continue
        edge_start[edge] = start
        edge_end[edge] = limits[start] if fixed[start] >= 0 else start + 1
        edge_piece[edge] = fixed[start] if fixed[start] >= 0 else unknown_id
        if fixed[start] >= 0:
            continue
        edge += 1
        node = np.int64(0)
        end = start
        while end < limits[start]:
            node, end = step(trie, node, code_points, end, limits[start])
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
