"""Sums over all paths of a lattice, in the log domain, and sampling by them.

Edges are sorted by start, so one pass from left to right meets every edge into a boundary before any edge
out of it. Rabiner 1989, "A tutorial on hidden Markov models", gives the recursion; here an edge may span
several characters.
"""

import numpy as np

from engine.kernels.jit import allocating_kernel, kernel


@kernel
def _log_add(x, y):
    """Return log(exp(x) + exp(y)); -inf is the log of nothing."""
    if x < y:
        x, y = y, x
    if y == -np.inf:
        return x
    return x + np.log1p(np.exp(y - x))


@kernel
def extend_forward(edge_start, edge_end, edge_log_p, first, stop, log_forward):
    """Add the edges first..stop-1 into the forward sums of the boundaries where they end."""
    for edge in range(first, stop):
        end = edge_end[edge]
        log_forward[end] = _log_add(log_forward[end], log_forward[edge_start[edge]] + edge_log_p[edge])


@kernel
def extend_backward(edge_start, edge_end, edge_log_p, first, stop, log_backward):
    """Add the edges stop-1 down to first into the backward sums of the boundaries where they start."""
    for edge in range(stop - 1, first - 1, -1):
        start = edge_start[edge]
        log_backward[start] = _log_add(log_backward[start], log_backward[edge_end[edge]] + edge_log_p[edge])


@allocating_kernel
def order_by_end(edge_end, n):
    """Return the edges sorted by end, then by start, and the offsets int64[n+2] of those into each boundary."""
    offsets = np.zeros(n + 2, np.int64)
    for edge in range(len(edge_end)):
        offsets[edge_end[edge] + 1] += 1
    offsets = np.cumsum(offsets)
    following = offsets.copy()
    order = np.empty(len(edge_end), np.int32)
    for edge in range(len(edge_end)):
        end = edge_end[edge]
        order[following[end]] = edge
        following[end] += 1
    return order, offsets


@kernel
def sample_path(edge_start, edge_log_p, log_forward, into, into_offsets, uniforms, edges):
    """Draw one path backward from the end of the text; return where in `edges` it begins.

    An edge into a boundary is drawn with probability forward(start) x p(edge) / forward(boundary).
    """
    node = np.int64(len(log_forward) - 1)
    first = len(edges)
    while node > 0:
        first -= 1
        reached = 0.0
        for i in range(into_offsets[node], into_offsets[node + 1]):
            edge = into[i]
            share = np.exp(log_forward[edge_start[edge]] + edge_log_p[edge] - log_forward[node])
            reached += share
            # Rounding may leave the sum a little below 1: then the last possible edge is the one drawn.
            if share > 0.0:
                edges[first] = edge
            if uniforms[first] < reached:
                break
        node = np.int64(edge_start[edges[first]])
    return first
