"""Cut texts into units and count the distinct ones, in an open-addressing table over flat code points.

A unit is a stretch of text that pieces may span; where two neighbours can never stand in one piece, the text is
cut. `units` tables are grown by the caller: a kernel stops where the next text might not fit.
"""

from __future__ import annotations

import numpy as np

from engine.kernels.eight_bytes import part_of
from engine.kernels.jit import kernel

SPACE = 0x20
UNKNOWN_MARK = 0x2585
MARKER = 0x2581

ANY_GROUP = 255
"""Joins with every group: the whitespace marker, and digits where numbers may join letters."""
INHERITED_GROUP = 254
"""Takes the group of the character before it."""

NEVER = 1
"""Flag of a character that no piece may hold."""
ALONE = 2
"""Flag of a character that is a piece only by itself."""
STARTS_SYMBOL = 4
"""Flag of a character with which a control or user-defined symbol starts."""

TO_CUT = 255
"""What `part_of_units` says of a unit with a character that no piece may hold."""

JOINED, CUT, OUT = 0, 1, 2
"""Marks of `mark_cuts`: may stand in one piece with the character before; may not; stands in no piece at all."""


@kernel
def hash_code_points(code_points, start, end):
    """Return a 64-bit hash of code_points[start:end]."""
    h = np.uint64(0x9E3779B97F4A7C15)
    for i in range(start, end):
        h = (h ^ np.uint64(code_points[i])) * np.uint64(0xFF51AFD7ED558CCD)
        h ^= h >> np.uint64(31)
    h *= np.uint64(0xC4CEB9FE1A85EC53)
    return h ^ (h >> np.uint64(33))


@kernel
def enter_unit(code, source, start, end, count, n, table, code_points, offsets, counts):
    """Add `count` to the unit source[start:end], whose hash is `code`; return the new number n of units.

    It is entered as number `n` where it is new.
    """
    mask = np.uint64(len(table) - 1)
    length = end - start
    slot = code & mask
    while True:
        unit = table[slot]
        if unit < 0:
            table[slot] = n
            write = offsets[n]
            for k in range(length):
                code_points[write + k] = source[start + k]
            offsets[n + 1] = write + length
            counts[n] = count
            return n + 1
        if offsets[unit + 1] - offsets[unit] == length:
            base = offsets[unit]
            same = True
            for k in range(length):
                if code_points[base + k] != source[start + k]:
                    same = False
                    break
            if same:
                counts[unit] += count
                return n
        slot = (slot + np.uint64(1)) & mask


@kernel
def rebuild_table(table, code_points, offsets, n):
    """Enter units 0..n-1 into a larger, empty `table`."""
    mask = np.uint64(len(table) - 1)
    for unit in range(n):
        slot = hash_code_points(code_points, offsets[unit], offsets[unit + 1]) & mask
        while table[slot] >= 0:
            slot = (slot + np.uint64(1)) & mask
        table[slot] = unit


@kernel
def decode_text(utf8, start, end, add_dummy_prefix, remove_extra_whitespaces, as_suffix, text):
    """Write the code points of utf8[start:end] to `text`, spaces as markers; return how many.

    Extra spaces are dropped and the dummy marker added as SentencePiece's normalizer does for the identity map.
    """
    n = 0
    if add_dummy_prefix and not as_suffix:
        text[0] = MARKER
        n = 1
    first = n
    i = start
    while i < end:
        lead = np.int32(utf8[i])
        if lead < 0x80:
            c = lead
            i += 1
        elif lead < 0xE0:
            c = (lead & 0x1F) << 6 | (np.int32(utf8[i + 1]) & 0x3F)
            i += 2
        elif lead < 0xF0:
            c = (lead & 0x0F) << 12 | (np.int32(utf8[i + 1]) & 0x3F) << 6 | (np.int32(utf8[i + 2]) & 0x3F)
            i += 3
        else:
            c = (
                (lead & 0x07) << 18
                | (np.int32(utf8[i + 1]) & 0x3F) << 12
                | (np.int32(utf8[i + 2]) & 0x3F) << 6
                | (np.int32(utf8[i + 3]) & 0x3F)
            )
            i += 4
        if c == SPACE:
            if remove_extra_whitespaces and (n == first or text[n - 1] == MARKER):
                continue
            c = MARKER
        text[n] = c
        n += 1
    if remove_extra_whitespaces:
        while n > first and text[n - 1] == MARKER:
            n -= 1
    if n == first:
        return 0
    if add_dummy_prefix and as_suffix:
        text[n] = MARKER
        n += 1
    return n


@kernel
def symbol_length(text, i, n, symbols, symbol_offsets):
    """Return the length of the longest symbol that stands at text[i:], or 0."""
    longest = 0
    for s in range(len(symbol_offsets) - 1):
        length = symbol_offsets[s + 1] - symbol_offsets[s]
        if length <= longest or i + length > n:
            continue
        same = True
        for k in range(length):
            if symbols[symbol_offsets[s] + k] != text[i + k]:
                same = False
                break
        if same:
            longest = length
    return longest


@kernel
def is_cut_between(before, after, group_before, group_after, flags, split_whitespace, as_suffix, keep_runs):
    """Tell whether no piece may hold the neighbours `before` and `after`."""
    if (flags[before] | flags[after]) & ALONE:
        return True
    if split_whitespace:
        inner = before if as_suffix else after  # the one that may not be a marker
        outer = after if as_suffix else before
        if inner == MARKER and not (keep_runs and outer == MARKER):
            return True
    return group_before != ANY_GROUP and group_after != ANY_GROUP and group_before != group_after


@kernel
def mark_cuts(
    text, n_text, groups, flags, symbols, symbol_offsets, split_whitespace, as_suffix, keep_runs, marks
):  # fmt: skip
    """Mark each character of a text: CUT where no piece may span the boundary before it, OUT where none may hold it.

    OUT are characters with the flag NEVER, and those of a control or user-defined symbol. Markers inside a piece let
    its group through: where the groups on both sides differ, the cut is where the markers may not begin or end a piece.
    """
    group = np.uint8(ANY_GROUP)
    out_until = 0
    first_marker = 0
    for i in range(n_text):
        c = text[i]
        if i >= out_until:
            if flags[c] & STARTS_SYMBOL:
                out_until = i + symbol_length(text, i, n_text, symbols, symbol_offsets)
            if flags[c] & NEVER:
                out_until = max(out_until, i + 1)
        if i < out_until:
            marks[i] = OUT
            group = np.uint8(ANY_GROUP)
            continue
        own = groups[c]
        if own == INHERITED_GROUP:
            own = group
        is_cut = i == 0 or marks[i - 1] == OUT
        if not is_cut and is_cut_between(
            text[i - 1], c, group, own, flags, split_whitespace, as_suffix, keep_runs
        ):
            is_cut = True
            if groups[c] == INHERITED_GROUP:
                own = np.uint8(ANY_GROUP)
            if c != MARKER and text[i - 1] == MARKER and not as_suffix and not flags[c] & ALONE:
                is_cut = False
                marks[first_marker] = CUT
        marks[i] = CUT if is_cut else JOINED
        if c == MARKER and (i == 0 or text[i - 1] != MARKER):
            first_marker = i
        if c != MARKER or is_cut:
            group = own


@kernel
def enter_runs(text, n_text, marks, count, n, table, code_points, offsets, counts):
    """Enter the runs of characters between cuts as units; return the new number of units."""
    start = 0
    for i in range(n_text):
        if marks[i] != JOINED and i > start:
            code = hash_code_points(text, start, i)
            n = enter_unit(code, text, start, i, count, n, table, code_points, offsets, counts)
        if marks[i] == CUT:
            start = i
        elif marks[i] == OUT:
            start = i + 1
    if n_text > start:
        code = hash_code_points(text, start, n_text)
        n = enter_unit(code, text, start, n_text, count, n, table, code_points, offsets, counts)
    return n


@kernel
def has_room(length, n, table, code_points, offsets):
    """Tell whether a text of `length` characters fits, however it is cut."""
    return (
        2 * (n + length + 1) <= len(table)
        and n + length + 1 < len(offsets)
        and offsets[n] + length + 1 <= len(code_points)
    )


@kernel
def cut_texts(
    utf8, text_offsets, text_counts, first, last, longest,
    add_dummy_prefix, remove_extra_whitespaces, groups, flags, symbols, symbol_offsets,
    split_whitespace, as_suffix, keep_runs, text, marks, n, table, code_points, offsets, counts,
):  # fmt: skip
    """Cut texts first..last-1, leaving out those of more than `longest` bytes; return (next text, number of units).

    Stops before a text for which `text` or the table may have no room.
    """
    for i in range(first, last):
        length = text_offsets[i + 1] - text_offsets[i]
        if length > longest:
            continue
        if length + 1 > len(text) or not has_room(length, n, table, code_points, offsets):
            return i, n
        n_text = decode_text(
            utf8, text_offsets[i], text_offsets[i + 1],
            add_dummy_prefix, remove_extra_whitespaces, as_suffix, text,
        )  # fmt: skip
        mark_cuts(
            text, n_text, groups, flags, symbols, symbol_offsets, split_whitespace, as_suffix, keep_runs, marks
        )  # fmt: skip
        n = enter_runs(text, n_text, marks, text_counts[i], n, table, code_points, offsets, counts)
    return last, n


@kernel
def cut_words(
    utf8, word_offsets, word_counts, first, last, groups, flags, symbols, symbol_offsets,
    text, marks, n, table, code_points, offsets, counts,
):  # fmt: skip
    """Cut words first..last-1, each with a marker before it, into units; return (next word, number of units).

    Stops before a word for which `text` or the table may have no room.
    """
    for word in range(first, last):
        start, end = word_offsets[word], word_offsets[word + 1]
        if end - start + 1 > len(text) or not has_room(end - start, n, table, code_points, offsets):
            return word, n
        n_text = decode_text(utf8, start, end, True, False, False, text)
        mark_cuts(text, n_text, groups, flags, symbols, symbol_offsets, True, False, False, marks)
        n = enter_runs(text, n_text, marks, word_counts[word], n, table, code_points, offsets, counts)
    return last, n


@kernel
def flatten_texts(
    utf8, text_offsets, first, last, longest,
    add_dummy_prefix, remove_extra_whitespaces, groups, flags, symbols, symbol_offsets,
    split_whitespace, as_suffix, keep_runs, text, marks, write, code_points, reach, offsets,
):  # fmt: skip
    """Write texts first..last-1 one after the other from `write` on, each ended by a NUL; return the next place.

    Characters that no piece may hold become UNKNOWN_MARK, and so does each symbol as a whole. reach[i] is how many
    characters from i on may stand in one piece.
    """
    for i in range(first, last):
        n_text = 0
        if text_offsets[i + 1] - text_offsets[i] <= longest:
            n_text = decode_text(
                utf8, text_offsets[i], text_offsets[i + 1],
                add_dummy_prefix, remove_extra_whitespaces, as_suffix, text,
            )  # fmt: skip
        mark_cuts(
            text, n_text, groups, flags, symbols, symbol_offsets, split_whitespace, as_suffix, keep_runs, marks
        )  # fmt: skip
        n = 0
        symbol_end = 0
        for k in range(n_text):
            if k < symbol_end:
                continue
            c = text[k]
            if marks[k] == OUT:
                if flags[c] & STARTS_SYMBOL:
                    symbol_end = k + symbol_length(text, k, n_text, symbols, symbol_offsets)
                c = UNKNOWN_MARK
            code_points[write + n] = c
            marks[n] = marks[k]
            n += 1
        code_points[write + n] = 0
        reach[write + n] = 0
        run = 0
        for k in range(n - 1, -1, -1):
            run = 0 if marks[k] == OUT else min(run + 1, 0xFFFF)
            reach[write + k] = run
            if marks[k] == CUT:
                run = 0
        write += n + 1
        offsets[i + 1] = write
    return write


@kernel
def part_of_units(code_points, offsets, first, last, flags, n_parts, parts):
    """Write which of `n_parts` parts each of units first..last-1 is in, by its hash, or TO_CUT."""
    for i in range(first, last):
        parts[i] = part_of(hash_code_points(code_points, offsets[i], offsets[i + 1]), n_parts)
        for k in range(offsets[i], offsets[i + 1]):
            if flags[code_points[k]] & NEVER:
                parts[i] = TO_CUT
                break


@kernel
def enter_part(
    from_code_points, from_offsets, from_counts, parts, first, last, flags, part, n_parts,
    n, table, code_points, offsets, counts,
):  # fmt: skip
    """Enter those of units first..last-1 of another table that are in a part; return (next unit, number of units).

    `parts` are those of `part_of_units`. Units TO_CUT are cut at characters with the flag NEVER first. Stops before a
    unit for which there may be no room.
    """
    for i in range(first, last):
        if parts[i] != part and parts[i] != TO_CUT:
            continue
        start = from_offsets[i]
        end = from_offsets[i + 1]
        if not has_room(end - start, n, table, code_points, offsets):
            return i, n
        for k in range(start, end + 1):
            if k < end and not (parts[i] == TO_CUT and flags[from_code_points[k]] & NEVER):
                continue
            if k > start:
                code = hash_code_points(from_code_points, start, k)
                if part_of(code, n_parts) == part:
                    n = enter_unit(
                        code, from_code_points, start, k, from_counts[i], n, table, code_points, offsets, counts
                    )
            start = k + 1
    return last, n


@kernel
def add_character_counts(code_points, offsets, unit_counts, first, last, character_counts):
    """Add, for units first..last-1, each unit's count to each of its characters."""
    for i in range(first, last):
        for k in range(offsets[i], offsets[i + 1]):
            character_counts[code_points[k]] += unit_counts[i]
