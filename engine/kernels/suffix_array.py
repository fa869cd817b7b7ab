"""Suffixes of units, sorted to a bounded depth; the repeated substrings among them; the edges they make.

Suffix i begins at position i of the flat symbols and ends with its unit, or after `depth` symbols; room[i] is its
length. Symbols are dense numbers from 1 on, 0 stands behind the end. Equal suffixes stay in no particular order.
Kernels take a range, so that the caller can look at its cancel token between slices.
"""

from __future__ import annotations

import numpy as np

from engine.kernels.jit import kernel

RADIX_BITS = 11

FEW = 24
"""So many keys are sorted by insertion."""


@kernel
def fill_symbols(code_points, numbers, first, last, symbols):
    """Write the numbers of the characters first..last-1."""
    for i in range(first, last):
        symbols[i] = numbers[code_points[i]]


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
def mark_groups(keys, bits, first, last, is_same):
    """Tell for suffixes first..last-1, sorted by key, whether each agrees with the one before as far as keys reach.

    Suffixes that end there agree in all they have: they are in their final order, and each counts as a group.
    """
    last_symbol = (np.int64(1) << bits) - 1
    for j in range(first, last):
        is_same[j] = j > 0 and keys[j] == keys[j - 1] and keys[j] & last_symbol != 0


@kernel
def end_of_group(is_same, start):
    """Return where the group that begins at `start` ends."""
    end = start + 1
    while end < len(is_same) and is_same[end]:
        end += 1
    return end


@kernel
def _key_at(symbols, start, room, depth, bits, n_packed):
    """Pack symbols depth..depth+n_packed-1 of the suffix at `start`; 0 behind its end."""
    key = np.int64(0)
    for k in range(depth, depth + n_packed):
        key <<= bits
        if k < room:
            key |= np.int64(symbols[start + k])
    return key


@kernel
def fill_keys_at(symbols, room, order, first, last, depth, bits, n_packed, keys):
    """Pack symbols depth..depth+n_packed-1 of the suffixes first..last-1 in the present order."""
    for j in range(first, last):
        keys[j] = _key_at(symbols, order[j], np.int64(room[order[j]]), depth, bits, n_packed)


@kernel
def _insert_sorted(keys, order, first, last):
    """Sort a few suffixes by key; stable."""
    for j in range(first + 1, last):
        key = keys[j]
        own = order[j]
        k = j - 1
        while k >= first and keys[k] > key:
            keys[k + 1] = keys[k]
            order[k + 1] = order[k]
            k -= 1
        keys[k + 1] = key
        order[k + 1] = own


@kernel
def _merge(keys, order, first, middle, last, other_keys, other_order):
    """Merge the sorted suffixes first..middle-1 and middle..last-1 into the other arrays; stable."""
    left, right = first, middle
    for write in range(first, last):
        if right >= last or (left < middle and keys[left] <= keys[right]):
            other_keys[write] = keys[left]
            other_order[write] = order[left]
            left += 1
        else:
            other_keys[write] = keys[right]
            other_order[write] = order[right]
            right += 1


@kernel
def _merge_sort(keys, order, other_keys, other_order, first, last):
    """Sort suffixes by key; stable. The other arrays are room."""
    for run in range(first, last, FEW):
        _insert_sorted(keys, order, run, min(run + FEW, last))
    width = FEW
    is_swapped = False
    while width < last - first:
        for run in range(first, last, 2 * width):
            middle, end = min(run + width, last), min(run + 2 * width, last)
            if is_swapped:
                _merge(other_keys, other_order, run, middle, end, keys, order)
            else:
                _merge(keys, order, run, middle, end, other_keys, other_order)
        is_swapped = not is_swapped
        width *= 2
    if is_swapped:
        for j in range(first, last):
            keys[j] = other_keys[j]
            order[j] = other_order[j]


@kernel
def sort_groups(
    symbols, room, order, keys, other_order, other_keys, is_same, start, stop, depth, bits, n_packed,
    large, large_groups, n_large,
):  # fmt: skip
    """Sort each group that begins at start..stop-1 by the next `n_packed` symbols, and divide it; stable.

    A group of more than `large` suffixes is only written down, as a row of large_groups (int64[:, 2]). The other
    arrays are room. Returns (where the last group ends, number of rows).
    """
    last_symbol = (np.int64(1) << bits) - 1
    while start < stop:
        end = end_of_group(is_same, start)
        size = end - start
        if size > large:
            large_groups[n_large, 0] = start
            large_groups[n_large, 1] = end
            n_large += 1
        elif size > 1:
            for j in range(start, end):
                keys[j] = _key_at(symbols, order[j], np.int64(room[order[j]]), depth, bits, n_packed)
            _merge_sort(keys, order, other_keys, other_order, start, end)
            for j in range(start + 1, end):
                is_same[j] = keys[j] == keys[j - 1] and keys[j] & last_symbol != 0
        start = end
    return start, n_large


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
def _bound(symbols, order, room, texts, start, end, is_upper):
    """Return where the sorted suffixes that begin with texts[start:end] begin, or with `is_upper`, where they end."""
    low = 0
    high = len(order)
    while low < high:
        middle = (low + high) // 2
        i = order[middle]
        if is_before(symbols, i, room[i], texts, start, end, is_upper):
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def find_runs(symbols, order, room, texts, offsets, first, last, left, size):
    """Find, for texts first..last-1 (as symbols), the run of sorted suffixes that begin with each."""
    for t in range(first, last):
        left[t] = _bound(symbols, order, room, texts, offsets[t], offsets[t + 1], False)
        size[t] = _bound(symbols, order, room, texts, offsets[t], offsets[t + 1], True) - left[t]


@kernel
def count_edges(order, left, size, run, n_runs, first, last, stack_end, top, n_edges):
    """Write for the sorted suffixes first..last-1 how many runs each lies in; return (next run, open runs).

    Runs come by left end, then by length, so that those which contain a suffix lie on a stack, the shortest text
    lowest; stack_end[k] is where the k-th open run ends.
    """
    for j in range(first, last):
        while top > 0 and stack_end[top - 1] <= j:
            top -= 1
        while run < n_runs and left[run] == j:
            stack_end[top] = left[run] + size[run]
            top += 1
            run += 1
        n_edges[order[j]] = top
    return run, top


@kernel
def fill_edges(
    order, left, size, length, pieces, run, n_runs, first, last, stack_end, stack_run, top,
    edge_offsets, edge_piece, edge_length,
):  # fmt: skip
    """Write the edges that begin at the sorted suffixes first..last-1, short ones first; as `count_edges`."""
    for j in range(first, last):
        while top > 0 and stack_end[top - 1] <= j:
            top -= 1
        while run < n_runs and left[run] == j:
            stack_end[top] = left[run] + size[run]
            stack_run[top] = run
            top += 1
            run += 1
        edge = edge_offsets[order[j]]
        for k in range(top):
            edge_piece[edge + k] = pieces[stack_run[k]]
            edge_length[edge + k] = length[stack_run[k]]
    return run, top


@kernel
def gather_texts(code_points, starts, lengths, offsets, first, last, out):
    """Copy texts first..last-1, which begin at starts[i] of `code_points`, to offsets[i] of `out`."""
    for i in range(first, last):
        for k in range(lengths[i]):
            out[offsets[i] + k] = code_points[starts[i] + k]
