"""Forward-backward over the lattices of units: log Z and expected counts, without a logarithm per edge.

Every path over a unit covers the same characters, so multiplying each piece's probability by kappa^length leaves
all posteriors as they are; a good kappa keeps the sums near 1. Where a unit leaves the safe range all the same, a
pass in the log domain finds ln alpha at each boundary, and every edge i -> j is weighted by
p exp(ln alpha(i) - ln alpha(j)) instead: again the same posteriors, and all of alpha is 1.
"""

from __future__ import annotations

import math

import numpy as np

from engine.kernels.jit import inner_kernel, kernel

LOW, HIGH = 1e-100, 1e100
"""Forward sums outside of this range send a unit to the log domain; inside, no product leaves float64."""


@inner_kernel
def add_logs(a, b):
    """Return ln(e^a + e^b)."""
    if a < b:
        a, b = b, a
    if b == -np.inf:
        return a
    return a + math.log1p(math.exp(b - a))


@kernel
def forward_scaled(edge_offsets, edge_piece, edge_length, weights, start, n, edge_weight, alpha):
    """Fill alpha[0..n] and the unit's edge weights; tell whether all sums stayed in the safe range."""
    base = edge_offsets[start]
    alpha[0] = 1.0
    for i in range(1, n + 1):
        alpha[i] = 0.0
    for i in range(n):
        a = alpha[i]
        if not LOW < a < HIGH:
            return False
        for e in range(edge_offsets[start + i], edge_offsets[start + i + 1]):
            piece = edge_piece[e]
            w = weights[piece]
            edge_weight[e - base] = w
            alpha[i + np.int64(edge_length[e])] += a * w
    return LOW < alpha[n] < HIGH


@kernel
def forward_logs(edge_offsets, edge_piece, edge_length, log_p, start, n, edge_weight, alpha, log_alpha):
    """Fill edge weights that make alpha[0..n] all 1; return ln Z."""
    base = edge_offsets[start]
    log_alpha[0] = 0.0
    for i in range(1, n + 1):
        log_alpha[i] = -np.inf
    for i in range(n):
        for e in range(edge_offsets[start + i], edge_offsets[start + i + 1]):
            piece = edge_piece[e]
            j = i + np.int64(edge_length[e])
            log_alpha[j] = add_logs(log_alpha[j], log_alpha[i] + log_p[piece])
    for i in range(n + 1):
        alpha[i] = 1.0
    for i in range(n):
        for e in range(edge_offsets[start + i], edge_offsets[start + i + 1]):
            piece = edge_piece[e]
            edge_weight[e - base] = math.exp(log_p[piece] + log_alpha[i] - log_alpha[i + np.int64(edge_length[e])])
    return log_alpha[n]


@kernel
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
        base = edge_offsets[start]
        beta[n] = 1.0
        for i in range(n - 1, -1, -1):
            outside = share * alpha[i]
            b = 0.0
            for e in range(edge_offsets[start + i], edge_offsets[start + i + 1]):
                piece = edge_piece[e]
                t = edge_weight[e - base] * beta[i + np.int64(edge_length[e])]
                b += t
                counts[piece] += outside * t
            beta[i] = b
    return total


@kernel
def count_kept(edge_offsets, edge_piece, is_kept, first, last, n_kept):
    """Write for positions first..last-1 how many edges have a piece that stays."""
    for i in range(first, last):
        n = 0
        for e in range(edge_offsets[i], edge_offsets[i + 1]):
            n += is_kept[edge_piece[e]]
        n_kept[i] = n


@kernel
def keep_edges(
    edge_offsets_in, edge_piece_in, edge_length_in, new_number, first, last, edge_offsets, edge_piece, edge_length
):
    """Copy the edges of positions first..last-1 whose piece stays, to their new places and with its new number.

    new_number[p] is the piece's new number, or -1.
    """
    for i in range(first, last):
        write = edge_offsets[i]
        for e in range(edge_offsets_in[i], edge_offsets_in[i + 1]):
            number = new_number[edge_piece_in[e]]
            if number >= 0:
                edge_piece[write] = number
                edge_length[write] = edge_length_in[e]
                write += 1
