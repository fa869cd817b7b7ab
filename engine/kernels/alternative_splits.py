"""The best way to cut each piece without itself: a Viterbi search inside the piece."""

from __future__ import annotations

import numpy as np

from engine.kernels.jit import kernel


@kernel
def best_alternatives(
    edge_offsets, edge_piece, lengths, log_p, starts, first, last, best, best_edge, offsets, splits, sizes, scores
):
    """Write the best split of pieces first..last-1 that is not the piece itself.

    The pieces of p's split go to splits[offsets[p]:offsets[p] + sizes[p]], the sum of their ln p to scores[p]; 0 and
    -inf where there is none. `starts` is a position of the units where each piece begins; offsets[p + 1] - offsets[p]
    is at least its length.
    """
    for p in range(first, last):
        start = starts[p]
        n = lengths[p]
        best[0] = 0.0
        for i in range(1, n + 1):
            best[i] = -np.inf
        for i in range(n if n > 1 else 0):
            if best[i] == -np.inf:
                continue
            for e in range(edge_offsets[start + i], edge_offsets[start + i + 1]):
                j = i + lengths[edge_piece[e]]
                if j > n or edge_piece[e] == p:
                    continue
                score = best[i] + log_p[edge_piece[e]]
                if score > best[j]:
                    best[j] = score
                    best_edge[j] = e
        scores[p] = best[n]
        sizes[p] = 0
        if best[n] == -np.inf:
            continue
        j = n
        while j > 0:
            piece = edge_piece[best_edge[j]]
            splits[offsets[p] + sizes[p]] = piece
            sizes[p] += 1
            j -= lengths[piece]
        for i in range(sizes[p] // 2):
            other = offsets[p] + sizes[p] - 1 - i
            splits[offsets[p] + i], splits[other] = splits[other], splits[offsets[p] + i]
