"""Forward-backward over the lattices of units: log Z and expected counts, without a logarithm per edge.

Every path over a unit covers the same characters, so multiplying each piece's probability by kappa^length leaves
all posteriors as they are; a good kappa keeps the sums near 1. Where a unit leaves the safe range all the same, a
pass in the log domain finds ln alpha at each boundary, and every edge i -> j is weighted by
p exp(ln alpha(i) - ln alpha(j)) instead: again the same posteriors, and all of alpha is 1.
"""

from __future__ import annotations

import math

import numpy as np

from engine.kernels.jit import inlined_kernel, kernel

LOW, HIGH = 1e-100, 1e100
"""Forward sums outside of this range send a unit to the log domain; inside, no product leaves float64."""


@inlined_kernel
def edges_from(edge_offsets, position):
    """Return the first of the edges that start at a position, and the first behind them, as numbers without a sign.

    A number with a sign is tested at each look at an array, as it may count from the end: a third of an E step's time.
    """
    return np.uint64(edge_offsets[position]), np.uint64(edge_offsets[position + 1])


@kernel
def add_logs(a, b):
    """Return ln(e^a + e^b)."""
    if a < b:
        a, b = b, a
    if b == -np.inf:
        return a
    return a + math.log1p(math.exp(b - a))


@inlined_kernel
def forward_scaled(edge_offsets, edge_piece, edge_length, weights, start, n, edge_weight, alpha):
    """Fill alpha[0..n] and the unit's edge weights; tell whether all sums stayed in the safe range."""
    base = np.uint64(edge_offsets[start])
    alpha[0] = 1.0
    for i in range(1, n + 1):
        alpha[i] = 0.0
    for i in range(n):
        a = alpha[i]
        if not LOW < a < HIGH:
            return False
        for e in range(*edges_from(edge_offsets, start + i)):
            w = weights[np.uint32(edge_piece[e])]
            edge_weight[e - base] = w
            alpha[i + np.int64(edge_length[e])] += a * w
    return LOW < alpha[n] < HIGH


@kernel
def forward_logs(edge_offsets, edge_piece, edge_length, log_p, start, n, edge_weight, alpha, log_alpha):
    """Fill edge weights that make alpha[0..n] all 1; return ln Z."""
    base = np.uint64(edge_offsets[start])
    log_alpha[0] = 0.0
    for i in range(1, n + 1):
        log_alpha[i] = -np.inf
    for i in range(n):
        for e in range(*edges_from(edge_offsets, start + i)):
            piece = np.uint32(edge_piece[e])
            j = i + np.int64(edge_length[e])
            log_alpha[j] = add_logs(log_alpha[j], log_alpha[i] + log_p[piece])
    for i in range(n + 1):
        alpha[i] = 1.0
    for i in range(n):
        for e in range(*edges_from(edge_offsets, start + i)):
            piece = np.uint32(edge_piece[e])
            edge_weight[e - base] = math.exp(log_p[piece] + log_alpha[i] - log_alpha[i + np.int64(edge_length[e])])
    return log_alpha[n]


@inlined_kernel
def forward(
    edge_offsets, edge_piece, edge_length, weights, log_p, log_kappa, is_safe, start, n, edge_weight, alpha, log_alpha
):  # fmt: skip
    """Fill alpha and the edge weights of the unit that begins at `start`; return its ln Z in nats."""
    if is_safe and forward_scaled(edge_offsets, edge_piece, edge_length, weights, start, n, edge_weight, alpha):
        return math.log(alpha[n]) - n * log_kappa
    return forward_logs(edge_offsets, edge_piece, edge_length, log_p, start, n, edge_weight, alpha, log_alpha)


@kernel
def expected_counts(
    unit_offsets, unit_counts, edge_offsets, edge_piece, edge_length, weights, log_p, log_kappa, is_safe,
    first, last, edge_weight, alpha, beta, log_alpha, counts,
):  # fmt: skip
    """Add the expected counts of units first..last-1 to `counts`; return the sum of their count x ln Z."""
    total = 0.0
    for unit in range(first, last):
        start = unit_offsets[unit]
        n = unit_offsets[unit + 1] - start
        log_z = forward(
            edge_offsets, edge_piece, edge_length, weights, log_p, log_kappa, is_safe, start, n,
            edge_weight, alpha, log_alpha,
        )  # fmt: skip
        total += unit_counts[unit] * log_z
        share = unit_counts[unit] / alpha[n]
        base = np.uint64(edge_offsets[start])
        beta[n] = 1.0
        for i in range(n - 1, -1, -1):
            outside = share * alpha[i]
            b = 0.0
            for e in range(*edges_from(edge_offsets, start + i)):
                piece = np.uint32(edge_piece[e])
                t = edge_weight[e - base] * beta[i + np.int64(edge_length[e])]
                b += t
                counts[piece] += outside * t
            beta[i] = b
    return total


@kernel
def count_kept(edge_piece, is_kept, first, last):
    """Return how many of the edges first..last-1 have a piece that stays."""
    n = 0
    for e in range(np.uint64(first), np.uint64(last)):
        n += is_kept[np.uint32(edge_piece[e])]
    return n


@kernel
def keep_edges(
    edge_offsets_in, edge_piece_in, edge_length_in, new_number, first, last, write, end, n_before,
    edge_offsets, edge_piece, edge_length,
):  # fmt: skip
    """Copy the edges of positions first..last-1 whose piece stays to `write` and on; return where the next belongs.

    new_number[p] is the piece's new number, or -1; `n_before` is room for one number more than these are edges. All
    edges go in one loop and each is written, the next over it where it does not stay: loops and branches of which the
    end cannot be foreseen take longer. Nothing is written at `end`, where another shard's edges begin.
    """
    base = np.uint64(edge_offsets_in[first])
    for e in range(base, np.uint64(edge_offsets_in[last])):
        number = new_number[np.uint32(edge_piece_in[e])]
        if write < end:
            edge_piece[np.uint64(write)] = number
            edge_length[np.uint64(write)] = edge_length_in[e]
        n_before[e - base] = write
        write += number >= 0
    n_before[edge_offsets_in[last] - edge_offsets_in[first]] = write
    for i in range(first, last):
        edge_offsets[i + 1] = n_before[np.uint64(edge_offsets_in[i + 1]) - base]
    return write
