"""Sums as SentencePiece 0.2.1 makes them: float32, in the log domain, sentence by sentence in its order.

Pieces that occur equally often differ there by the rounding of these sums alone, and hundreds of them may stand where
the vocabulary is cut; so the kinds of numbers and the order of every sum are followed, not only the formulas. Facts:
unigram_model.cc and unigram_model_trainer.cc of release 0.2.1, built for x86-64, which fuses no multiply and add.

A position of a sentence is left by its pieces, short ones first, and last by an unknown character where no piece of
one character begins. Edges of characters that dropped out (`is_unknown`) are passed over. Every float64 here is
meant: NumPy's float32 and Python's float would make float32.
"""

from __future__ import annotations

import math

import numpy as np

from engine.kernels.jit import allocating_kernel, kernel

NO_NODE = -1
END, BEGINNING = -1, -2
"""What stands in a path after its last node, and before its first."""

MOST_OPEN_PATHS, FEWER_OPEN_PATHS = 10_000, 20
"""When so many paths are open at once, only so many are kept."""


@kernel
def add_logs(x, y):
    """Return ln(e^x + e^y) of two float32; below the larger one by 50 the smaller one is nothing."""
    low = min(x, y)
    high = max(x, y)
    if high > low + np.float32(50.0):
        return high
    return np.float32(np.float64(high) + math.log(math.exp(np.float64(low - high)) + 1.0))


@kernel
def sum_in_order(values):
    """Return the sum of float32 values, one after the other."""
    total = np.float32(0.0)
    for value in values:
        total += value
    return total


@kernel
def digamma(x):
    """Return the derivative of ln Gamma at x > 0 in float64: recurrence up to 7, then four terms around x - 1/2."""
    result = 0.0
    while x < 7.0:
        result -= 1.0 / x
        x += 1.0
    x -= 0.5
    inverse = 1.0 / x
    square = inverse * inverse
    fourth = square * square
    series = math.log(x) + (1.0 / 24.0) * square - (7.0 / 960.0) * fourth
    return result + (series + (31.0 / 8064.0) * fourth * square - (127.0 / 30720.0) * fourth * fourth)


@kernel
def fill_seed_scores(weights, scores):
    """Write ln(weight / sum of the weights): float32 weights, float32 sum."""
    log_total = np.float32(math.log(np.float64(sum_in_order(weights))))
    for i in range(len(weights)):
        scores[i] = np.float32(math.log(np.float64(weights[i])) - np.float64(log_total))


@kernel
def fill_digamma_scores(counts, scores):
    """Write digamma(count) - digamma(sum of the counts): float32 counts, float32 sum."""
    log_total = np.float32(digamma(np.float64(sum_in_order(counts))))
    for i in range(len(counts)):
        scores[i] = np.float32(digamma(np.float64(counts[i])) - np.float64(log_total))


@kernel
def has_character(edge_offsets, edge_piece, edge_length, is_unknown, at):
    """Tell whether a piece of one character begins at position `at`: the first of its edges, if any."""
    e = edge_offsets[at]
    return e < edge_offsets[at + 1] and edge_length[e] == 1 and not is_unknown[edge_piece[e]]


@kernel
def fill_forward(edge_offsets, edge_piece, edge_length, scores, is_unknown, unknown_score, start, n, alpha, is_reached):
    """Fill alpha[0..n], the logarithm of all paths from the beginning to each boundary."""
    for i in range(1, n + 1):
        is_reached[i] = False
    alpha[0] = np.float32(0.0)
    for i in range(n):
        for e in range(edge_offsets[start + i], edge_offsets[start + i + 1]):
            piece = edge_piece[e]
            if is_unknown[piece]:
                continue
            j = i + np.int64(edge_length[e])
            term = scores[piece] + alpha[i]
            alpha[j] = add_logs(alpha[j], term) if is_reached[j] else term
            is_reached[j] = True
        if not has_character(edge_offsets, edge_piece, edge_length, is_unknown, start + i):
            term = unknown_score + alpha[i]
            alpha[i + 1] = add_logs(alpha[i + 1], term) if is_reached[i + 1] else term
            is_reached[i + 1] = True


@kernel
def fill_backward(edge_offsets, edge_piece, edge_length, scores, is_unknown, unknown_score, start, n, beta):
    """Fill beta[0..n], the logarithm of all paths from each boundary to the end."""
    beta[n] = np.float32(0.0)
    for i in range(n - 1, -1, -1):
        is_first = True
        total = np.float32(0.0)
        for e in range(edge_offsets[start + i], edge_offsets[start + i + 1]):
            piece = edge_piece[e]
            if is_unknown[piece]:
                continue
            term = scores[piece] + beta[i + np.int64(edge_length[e])]
            total = term if is_first else add_logs(total, term)
            is_first = False
        if not has_character(edge_offsets, edge_piece, edge_length, is_unknown, start + i):
            term = unknown_score + beta[i + 1]
            total = term if is_first else add_logs(total, term)
        beta[i] = total


@kernel
def add_share(counts, piece, count, log_share):
    """Add count e^log_share to the piece's expected count: a float64 sum, kept as float32."""
    counts[piece] = np.float32(np.float64(counts[piece]) + np.float64(count) * math.exp(np.float64(log_share)))


@allocating_kernel
def expected_counts(
    unit_offsets, unit_counts, edge_offsets, edge_piece, edge_length, scores, is_unknown, unknown_score, first_piece,
    n_units, first, last, alpha, is_reached, beta, counts, objective,
):  # fmt: skip
    """Add the expected counts of units first..last-1 to `counts`; return the sum of their count x ln Z in float64.

    Those of unknown characters are the first piece's, whose number they share. Characters that were never pieces, at
    positions without edges, are left out of ln Z again: every path holds them. Returned too is the float32 `objective`
    less count x ln Z / n_units, these characters included.
    """
    total = 0.0
    logged = np.float32(objective)
    for unit in range(first, last):
        start = unit_offsets[unit]
        n = unit_offsets[unit + 1] - start
        fill_forward(
            edge_offsets, edge_piece, edge_length, scores, is_unknown, unknown_score, start, n, alpha, is_reached
        )
        fill_backward(edge_offsets, edge_piece, edge_length, scores, is_unknown, unknown_score, start, n, beta)
        count = np.float32(unit_counts[unit])
        log_z = alpha[n]
        for i in range(n):
            for e in range(edge_offsets[start + i], edge_offsets[start + i + 1]):
                piece = edge_piece[e]
                if not is_unknown[piece]:
                    share = alpha[i] + scores[piece] + beta[i + np.int64(edge_length[e])] - log_z
                    add_share(counts, piece, count, share)
            if not has_character(edge_offsets, edge_piece, edge_length, is_unknown, start + i):
                add_share(counts, first_piece, count, alpha[i] + unknown_score + beta[i + 1] - log_z)
            if edge_offsets[start + i] == edge_offsets[start + i + 1]:
                total -= np.float64(count) * np.float64(unknown_score)
        total += np.float64(count) * np.float64(log_z)
        logged -= count * log_z / np.float32(n_units)
    return total, np.float64(logged)


@kernel
def lay_nodes(
    edge_offsets, edge_piece, edge_length, scores, is_unknown, unknown_score, first_piece, start, n,
    node_begin, node_end, node_piece, node_score, into, into_offsets,
):  # fmt: skip
    """Write the nodes of the text that covers positions start..start+n-1, and which of them end at each boundary.

    Those that end at boundary j are into[into_offsets[j]:into_offsets[j + 1]], early ones first. Returns how many
    nodes there are; an unknown character's carries the number of the first piece.
    """
    n_nodes = 0
    for i in range(n):
        for e in range(edge_offsets[start + i], edge_offsets[start + i + 1]):
            piece = edge_piece[e]
            end = i + np.int64(edge_length[e])
            if is_unknown[piece] or end > n:
                continue
            node_begin[n_nodes] = i
            node_end[n_nodes] = end
            node_piece[n_nodes] = piece
            node_score[n_nodes] = scores[piece]
            n_nodes += 1
        if not has_character(edge_offsets, edge_piece, edge_length, is_unknown, start + i):
            node_begin[n_nodes] = i
            node_end[n_nodes] = i + 1
            node_piece[n_nodes] = first_piece
            node_score[n_nodes] = unknown_score
            n_nodes += 1
    for j in range(n + 2):
        into_offsets[j] = 0
    for node in range(n_nodes):
        into_offsets[node_end[node] + 1] += 1
    for j in range(n + 1):
        into_offsets[j + 1] += into_offsets[j]
    for node in range(n_nodes):
        into[into_offsets[node_end[node]]] = node
        into_offsets[node_end[node]] += 1
    for j in range(n + 1, 0, -1):
        into_offsets[j] = into_offsets[j - 1]
    into_offsets[0] = 0
    return n_nodes


@kernel
def best_before(boundary, score, into, into_offsets, node_best):
    """Return the node before `boundary` with the highest sum with `score`, and that sum; of equal sums the first."""
    if boundary == 0:
        return NO_NODE, score
    best_node = NO_NODE
    best = np.float32(0.0)
    for k in range(into_offsets[boundary], into_offsets[boundary + 1]):
        total = node_best[into[k]] + score
        if best_node == NO_NODE or total > best:
            best_node = into[k]
            best = total
    return best_node, best


@kernel
def find_best_path(n_nodes, n, node_begin, node_score, into, into_offsets, node_best, node_before):
    """Fill the best sum up to each node and the node before it; return the last node of the best path, and its sum."""
    for node in range(n_nodes):
        node_before[node], node_best[node] = best_before(
            node_begin[node], node_score[node], into, into_offsets, node_best
        )
    return best_before(n, np.float32(0.0), into, into_offsets, node_best)


@kernel
def best_path_counts(
    unit_offsets, unit_counts, edge_offsets, edge_piece, edge_length, scores, is_unknown, unknown_score, first_piece,
    first, last, node_begin, node_end, node_piece, node_score, node_best, node_before, into, into_offsets, counts,
):  # fmt: skip
    """Add, for units first..last-1, the unit's count to each piece of its best path, in float32."""
    for unit in range(first, last):
        start = unit_offsets[unit]
        n = unit_offsets[unit + 1] - start
        n_nodes = lay_nodes(
            edge_offsets, edge_piece, edge_length, scores, is_unknown, unknown_score, first_piece, start, n,
            node_begin, node_end, node_piece, node_score, into, into_offsets,
        )  # fmt: skip
        node, _ = find_best_path(n_nodes, n, node_begin, node_score, into, into_offsets, node_best, node_before)
        while node != NO_NODE:
            counts[node_piece[node]] += np.float32(unit_counts[unit])
            node = node_before[node]


@kernel
def push_path(heap, size, path, priority):
    """Add `path` to a heap of `size` with the highest priority first."""
    place = size
    while place > 0 and priority[heap[(place - 1) // 2]] < priority[path]:
        heap[place] = heap[(place - 1) // 2]
        place = (place - 1) // 2
    heap[place] = path


@kernel
def pop_path(heap, size, priority):
    """Return the top of a heap of `size`; the last one takes its place as std::pop_heap does in libstdc++.

    The gap goes all the way down, on equal priorities to the right, before the last one rises from there: among
    equal paths this decides which one comes next.
    """
    top = heap[0]
    last = heap[size - 1]
    size -= 1
    place = 0
    while 2 * place + 2 < size:
        child = 2 * place + 2
        if priority[heap[child]] < priority[heap[child - 1]]:
            child -= 1
        heap[place] = heap[child]
        place = child
    if 2 * place + 2 == size:
        heap[place] = heap[2 * place + 1]
        place = 2 * place + 1
    push_path(heap, place, last, priority)
    return top


@allocating_kernel
def longer(array):
    """Return a copy with twice the room."""
    copy = np.empty(2 * len(array), dtype=array.dtype)
    copy[: len(array)] = array
    return copy


@allocating_kernel
def two_best_paths(
    best_sum, n, node_begin, node_score, node_best, into, into_offsets, heap, path_node, path_next, path_sum, priority
):  # fmt: skip
    """Search for the two best paths from the end of the text backwards (A*); return how many there are, and them.

    A path is a list from its first node on: path_node[p], then that of path_next[p], to END. Its priority is its sum
    plus the best sum before it. The arrays of paths are returned too, as they may have grown. Where very many paths
    are open at once all but a few are given up, as there.
    """
    found = np.full(2, NO_NODE)
    n_found = 0
    path_node[0] = END
    path_sum[0] = np.float32(0.0)
    priority[0] = best_sum
    heap[0] = 0
    size = 1
    n_paths = 1
    while size > 0 and n_found < 2:
        top = pop_path(heap, size, priority)
        size -= 1
        if path_node[top] == BEGINNING:
            found[n_found] = path_next[top]
            n_found += 1
            continue
        boundary = n if path_node[top] == END else node_begin[path_node[top]]
        n_more = into_offsets[boundary + 1] - into_offsets[boundary] if boundary > 0 else 1
        if n_paths + n_more > len(path_node):
            path_node, path_next, path_sum, priority = (
                longer(path_node), longer(path_next), longer(path_sum), longer(priority)
            )  # fmt: skip
        for k in range(n_more):
            if boundary > 0:
                node = into[into_offsets[boundary] + k]
                path_node[n_paths] = node
                path_sum[n_paths] = node_score[node] + path_sum[top]
                priority[n_paths] = node_best[node] + path_sum[top]
            else:
                path_node[n_paths] = BEGINNING
                path_sum[n_paths] = path_sum[top]
                priority[n_paths] = path_sum[top]
            path_next[n_paths] = top
            push_path(heap, size, n_paths, priority)
            size += 1
            n_paths += 1
        if size >= MOST_OPEN_PATHS:
            size = keep_best_open(heap, size, priority)
    return n_found, found, path_node, path_next, path_sum, priority


@allocating_kernel
def keep_best_open(heap, size, priority):
    """Leave only the best open paths in the heap; return its new size."""
    best = np.empty(FEWER_OPEN_PATHS, dtype=heap.dtype)
    for k in range(FEWER_OPEN_PATHS):
        best[k] = pop_path(heap, size, priority)
        size -= 1
    for k in range(FEWER_OPEN_PATHS):
        push_path(heap, k, best[k], priority)
    return FEWER_OPEN_PATHS


@allocating_kernel
def approximate_losses(
    edge_offsets, edge_piece, edge_length, scores, is_unknown, unknown_score, first_piece, lengths, starts,
    best_counts, n_units, total, first, last,
    node_begin, node_end, node_piece, node_score, node_best, node_before, into, into_offsets, losses,
):  # fmt: skip
    """Write the loss of pieces first..last-1: all their uses on best paths go over to their second best split.

    F (ln P - sum ln P of the split), F being the share of best_counts in `n_units`, `total` the sum of best_counts,
    and the split's counts raised by the piece's own (PruneSentencePieces). -inf where the piece is on no best path
    or is itself best cut in two; inf where there is no split.
    """
    longest = len(into_offsets)
    heap = np.empty(MOST_OPEN_PATHS + longest, dtype=np.int32)
    path_node, path_next = np.empty(4096 + longest, dtype=np.int32), np.empty(4096 + longest, dtype=np.int32)
    path_sum, priority = np.empty(4096 + longest, dtype=np.float32), np.empty(4096 + longest, dtype=np.float32)
    all_uses = np.float32(total)
    log_total = np.float32(math.log(np.float64(all_uses)))
    for p in range(first, last):
        count = best_counts[p]
        if count == 0.0 or is_unknown[p]:
            losses[p] = -np.inf
            continue
        n = lengths[p]
        n_nodes = lay_nodes(
            edge_offsets, edge_piece, edge_length, scores, is_unknown, unknown_score, first_piece, starts[p], n,
            node_begin, node_end, node_piece, node_score, into, into_offsets,
        )  # fmt: skip
        _, best_sum = find_best_path(n_nodes, n, node_begin, node_score, into, into_offsets, node_best, node_before)
        n_found, found, path_node, path_next, path_sum, priority = two_best_paths(
            best_sum, n, node_begin, node_score, node_best, into, into_offsets,
            heap, path_node, path_next, path_sum, priority,
        )  # fmt: skip
        if n_found == 1:
            losses[p] = np.inf
            continue
        if path_node[path_next[found[0]]] != END:
            losses[p] = -np.inf
            continue
        n_split = 0
        path = found[1]
        while path_node[path] != END:
            n_split += 1
            path = path_next[path]
        log_total_without = np.float32(math.log(np.float64(all_uses + count * np.float32(n_split - 1))))
        log_split = np.float32(0.0)
        path = found[1]
        while path_node[path] != END:
            raised = best_counts[node_piece[path_node[path]]] + count
            log_split = np.float32(
                np.float64(log_split) + (math.log(np.float64(raised)) - np.float64(log_total_without))
            )
            path = path_next[path]
        log_own = np.float32(math.log(np.float64(count)) - np.float64(log_total))
        losses[p] = count / np.float32(n_units) * (log_own - log_split)
