"""Suffixes of units, sorted to a bounded depth; the repeated substrings among them; the edges they make.

Suffix i begins at position i of the flat symbols and ends with its unit, or after `depth` symbols; room[i] is its
length. Symbols are dense numbers from 1 on, 0 stands behind the end. Equal suffixes stay in no particular order.
Kernels take a range, so that the caller can look at its cancel token between slices.
"""

from __future__ import annotations

import numpy as np

from engine.kernels.jit import kernel

RADIX_BITS = 11


@kernel
def fill_rooms(offsets, first, last, depth, room, unit_of):
    """Write, for the positions of units first..last-1, the length of each suffix and the unit it lies in."""
    for unit in range(first, last):
        end = offsets[unit + 1]
        for i in range(offsets[unit], end):
            room[i] = min(depth, end - i)
            unit_of[i] = unit


@kernel
def fill_first_keys(symbols, offsets, first, last, bits, n_packed, keys, order):
    """Pack the next `n_packed` symbols of each suffix into its key, the first one highest."""
    for unit in range(first, last):
        key = np.int64(0)
        for i in range(offsets[unit + 1] - 1, offsets[unit] - 1, -1):
            key = np.int64(symbols[i]) << (bits * (n_packed - 1)) | key >> bits
            keys[i] = key
            order[i] = i


@kernel
def fill_next_keys(order, rank, offsets, unit_of, first, last, step, keys):
    """Key of a suffix sorted to depth `step`: its rank and that of the suffix `step` symbols on, 0 behind the end."""
    for j in range(first, last):
        i = order[j]
        following = i + step
        tail = rank[following] if following < offsets[unit_of[i] + 1] else 0
        keys[j] = np.int64(rank[i]) << 32 | np.int64(tail)


@kernel
def count_digits(keys, first, last, shift, digit_counts):
    """Count the values of the radix digit at `shift`."""
    mask = (1 << RADIX_BITS) - 1
    for j in range(first, last):
        digit_counts[(keys[j] >> shift) & mask] += 1


@kernel
def scatter_digits(keys, order, first, last, shift, places, keys_out, order_out):
    """Move entries to the next free place of their digit; stable."""
    mask = (1 << RADIX_BITS) - 1
    for j in range(first, last):
        digit = (keys[j] >> shift) & mask
        place = places[digit]
        places[digit] = place + 1
        keys_out[place] = keys[j]
        order_out[place] = order[j]


@kernel
def assign_ranks(keys, order, first, last, highest, rank):
    """Give suffixes in key order their ranks from 1 on, equal keys the same; return the highest so far."""
    for j in range(first, last):
        if j == 0 or keys[j] != keys[j - 1]:
            highest += 1
        rank[order[j]] = highest
    return highest


@kernel
def fill_common_prefixes(symbols, order, room, first, last, common):
    """Length of the common prefix of sorted suffixes j - 1 and j; common[0] is 0."""
    for j in range(first, last):
        length = 0
        if j > 0:
            a = order[j - 1]
            b = order[j]
            most = min(room[a], room[b])
            while length < most and symbols[a + length] == symbols[b + length]:
                length += 1
        common[j] = length


@kernel
def is_piece(symbols, start, length, marker, split_whitespace, as_suffix, whitespace_only):
    """Tell whether symbols[start:start+length], which no cut divides, may be a piece (IsValidSentencePiece).

    Without `split_whitespace` a marker may stand inside a piece, but not last (not first in suffix mode); with
    it, runs of markers may be pieces by themselves, but not begin (end) one with letters.
    """
    n_markers = 0
    for k in range(start, start + length):
        if symbols[k] == marker:
            n_markers += 1
    if n_markers == 0 or length == 1:
        return True
    if n_markers == length:
        return whitespace_only
    if split_whitespace:
        return n_markers == 1
    outer = start if as_suffix else start + length - 1
    return symbols[outer] != marker


@kernel
def walk_intervals(
    symbols, order, common, room, reach, unit_of, unit_counts, first, last,
    min_weight, longest, by_node, marker, split_whitespace, as_suffix, whitespace_only,
    stack_depth, stack_left, stack_weight, top, left, size, length, weight, n,
):  # fmt: skip
    """Visit the substrings that end at a node of the suffix tree; return (top of the stack, number written).

    A node is a run of sorted suffixes with a common prefix that no longer one shares; a unit that occurs twice
    ends in two different ways, so a single suffix of weight 2 is a node as well. Written are the nodes' runs
    (left, size), lengths 2..longest, no longer than reach[i] allows at suffix i, and weights of at least
    `min_weight`; where not `by_node`, also every shorter prefix down to the parent node. The stack holds depth,
    left end and weight of the open nodes.
    """
    n_suffixes = len(order)
    for j in range(first, last):
        i = order[j]
        depth = np.int64(room[i])
        own = unit_counts[unit_of[i]]
        if top >= 0 and stack_depth[top] == depth:
            stack_weight[top] += own
        else:
            top += 1
            stack_depth[top] = depth
            stack_left[top] = j
            stack_weight[top] = own
        following = np.int64(common[j + 1]) if j + 1 < n_suffixes else np.int64(0)
        while top >= 0 and stack_depth[top] > following:
            depth = stack_depth[top]
            start = stack_left[top]
            sum_weight = stack_weight[top]
            top -= 1
            parent = following
            if top >= 0 and stack_depth[top] > parent:
                parent = stack_depth[top]
            if sum_weight >= min_weight:
                shortest = depth if by_node else parent + 1
                for span in range(max(2, shortest), min(depth, longest, np.int64(reach[i])) + 1):
                    if is_piece(symbols, i, span, marker, split_whitespace, as_suffix, whitespace_only):
                        left[n] = start
                        size[n] = j + 1 - start
                        length[n] = span
                        weight[n] = sum_weight
                        n += 1
            if top >= 0 and stack_depth[top] == parent:
                stack_weight[top] += sum_weight
            elif parent > 0:
                top += 1
                stack_depth[top] = parent
                stack_left[top] = start
                stack_weight[top] = sum_weight
    return top, n


@kernel
def is_before(symbols, start, room, text, begin, end, or_equal):
    """Tell whether the suffix at `start` sorts before text[begin:end], or begins with it where `or_equal`."""
    length = end - begin
    for k in range(length):
        if k >= room:
            return True
        if symbols[start + k] != text[begin + k]:
            return symbols[start + k] < text[begin + k]
    return or_equal


@kernel
def find_runs(symbols, order, room, texts, offsets, first, last, left, size):
    """Find, for texts first..last-1 (as symbols), the run of sorted suffixes that begin with each."""
    for t in range(first, last):
        bounds = np.zeros(2, np.int64)
        for which in range(2):
            low = 0
            high = len(order)
            while low < high:
                middle = (low + high) // 2
                i = order[middle]
                if is_before(symbols, i, room[i], texts, offsets[t], offsets[t + 1], which == 1):
                    low = middle + 1
                else:
                    high = middle
            bounds[which] = low
        left[t] = bounds[0]
        size[t] = bounds[1] - bounds[0]


@kernel
def count_edges(order, left, size, first, last, n_edges):
    """Add 1 to n_edges[i] for each of the runs first..last-1 that suffix i lies in."""
    for s in range(first, last):
        for j in range(left[s], left[s] + size[s]):
            n_edges[order[j]] += 1


@kernel
def fill_edges(order, left, size, pieces, lengths, first, last, cursor, edge_piece, edge_length):
    """Write the piece of each run as an edge of each of its suffixes, at `cursor` and on."""
    for s in range(first, last):
        for j in range(left[s], left[s] + size[s]):
            i = order[j]
            edge_piece[cursor[i]] = pieces[s]
            edge_length[cursor[i]] = lengths[s]
            cursor[i] += 1


@kernel
def gather_texts(code_points, starts, lengths, offsets, first, last, out):
    """Copy texts first..last-1, which begin at starts[i] of `code_points`, to offsets[i] of `out`."""
    for i in range(first, last):
        for k in range(lengths[i]):
            out[offsets[i] + k] = code_points[starts[i] + k]
