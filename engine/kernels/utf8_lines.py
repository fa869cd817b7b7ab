"""UTF-8 lines: find and check them, read a count behind a TAB, find equal ones, close the gaps between them.

All kernels take a range of bytes or lines, so that a caller can look at its cancel token between slices.
"""

from __future__ import annotations

import numpy as np

from engine.kernels.eight_bytes import are_ascii, are_same, find_byte, hash_bytes
from engine.kernels.jit import kernel

OK, EMPTY, NOT_UTF8, TOO_LONG, NO_COUNT, BAD_COUNT, OTHER_FIELDS, HEADER = range(8)
"""What `scan_lines` says of a line; `HEADER` is for who knows that the first one is."""

NO_TEXT = -1


@kernel
def count_characters(data, start, end):  # noqa: C901 - the rows of the standard's table
    """Return the number of code points in data[start:end], or -1 where it is not well-formed UTF-8.

    Well-formed as in the Unicode Standard, table 3-7: shortest forms only, no surrogates, up to U+10FFFF.
    """
    characters = 0
    i = start
    while i < end:
        if i + 8 <= end and are_ascii(data, i):
            i += 8
            characters += 8
            continue
        lead = data[i]
        if lead < 0x80:
            i += 1
            characters += 1
            continue
        low, high = 0x80, 0xBF  # bounds of the second byte
        if 0xC2 <= lead <= 0xDF:
            length = 2
        elif 0xE0 <= lead <= 0xEF:
            length = 3
            if lead == 0xE0:
                low = 0xA0
            elif lead == 0xED:
                high = 0x9F
        elif 0xF0 <= lead <= 0xF4:
            length = 4
            if lead == 0xF0:
                low = 0x90
            elif lead == 0xF4:
                high = 0x8F
        else:
            return -1
        if i + length > end or data[i + 1] < low or data[i + 1] > high:
            return -1
        for j in range(i + 2, i + length):
            if data[j] & 0xC0 != 0x80:
                return -1
        i += length
        characters += 1
    return characters


@kernel
def parse_count(data, start, end):
    """Return the positive decimal number in data[start:end], or -1 where it is none or leaves 62 bits."""
    if start == end:
        return -1
    value = 0
    for i in range(start, end):
        digit = np.int64(data[i]) - 48
        if digit < 0 or digit > 9 or value > 461168601842738789:
            return -1
        value = value * 10 + digit
    return value if value > 0 else -1


@kernel
def count_line_ends(data, start, end):
    """Return how many LF bytes data[start:end] holds."""
    n = 0
    for i in range(start, end):
        if data[i] == 10:
            n += 1
    return n


@kernel
def _line_end(data, position):
    """Return where the line at a position ends, LF or CR LF left out, and where the next one begins."""
    end = find_byte(data, position, len(data), 10)
    following = end + 1
    if end > position and data[end - 1] == 13:
        end -= 1
    return end, following


@kernel
def _field(data, start, end, place):
    """Return the bounds of a field of a line, and how many TABs the line has."""
    field_start, field_end = start, end
    n = 0
    for i in range(start, end):
        if data[i] == 9:
            if n == place:
                field_end = i
            n += 1
            if n == place:
                field_start = i + 1
    return field_start, field_end, n


@kernel
def scan_lines(
    data, position, stop, n_fields, text_field, count_field, longest, line,
    starts, ends, counts, characters, status, begins,
):  # fmt: skip
    """Describe the lines that begin in data[position:stop]; return (next position, next line).

    A line ends before LF or CR LF. Arrays are written from index `line` on: where the text starts and ends, its count
    (1, or the number in field `count_field`), its length in code points, its status, and, in `begins` where it is not
    empty, where the line begins. A text is a whole line where `n_fields` is 1, else its field `text_field`.
    """
    while position < stop:
        end, following = _line_end(data, position)
        text_start, text_end = position, end
        counts[line] = 1
        status[line] = OK
        if n_fields > 1 and end > position:
            text_start, text_end, n_tabs = _field(data, position, end, text_field)
            if n_tabs != n_fields - 1:
                status[line] = NO_COUNT if n_fields == 2 and count_field == 1 else OTHER_FIELDS
                text_start, text_end = position, end
            elif count_field >= 0:
                count_start, count_end, _ = _field(data, position, end, count_field)
                counts[line] = parse_count(data, count_start, count_end)
                if counts[line] < 0:
                    status[line] = BAD_COUNT
        starts[line] = text_start
        ends[line] = text_end
        characters[line] = 0
        if len(begins):
            begins[line] = position
        if text_end == text_start:
            status[line] = EMPTY
        elif text_end - text_start > longest:
            status[line] = TOO_LONG
        else:
            found = count_characters(data, text_start, text_end)
            if found < 0:
                status[line] = NOT_UTF8
            else:
                characters[line] = found
        line += 1
        position = following
    return position, line


@kernel
def enter_values(data, begins, first, last, place, slots, bounds, n, codes):
    """Number the different values in a field of the lines that begin at begins[first..last-1]; return how many.

    codes[i] is the number of line i's, and bounds[number] are a value's bytes. `slots` is an open-addressing table of
    int32, -1 where free, with more slots than `bounds` has rows. Where these are full, a new value is number
    len(bounds).
    """
    for i in range(first, last):
        line_end, _ = _line_end(data, begins[i])
        start, end, _ = _field(data, begins[i], line_end, place)
        slot = np.int64(hash_bytes(data, start, end) % np.uint64(len(slots)))
        while slots[slot] >= 0:
            at = bounds[slots[slot], 0]
            if bounds[slots[slot], 1] - at == end - start and are_same(data, start, end, data, at):
                break
            slot = (slot + 1) % len(slots)
        codes[i] = slots[slot]
        if slots[slot] < 0:
            codes[i] = n
            if n < len(bounds):
                bounds[n] = start, end
                slots[slot] = n
                n += 1
    return n


@kernel
def find_equal_lines(data, starts, ends, first, last, table, twin):
    """Enter lines first..last-1 into the open-addressing `table`; twin[i] is the first line equal to line i.

    `table` has a power of two of int32 slots, -1 where free, and is at most half full.
    """
    mask = np.uint64(len(table) - 1)
    for i in range(first, last):
        length = ends[i] - starts[i]
        slot = hash_bytes(data, starts[i], ends[i]) & mask
        while True:
            other = table[slot]
            if other < 0:
                table[slot] = i
                twin[i] = i
                break
            if ends[other] - starts[other] == length and are_same(data, starts[i], ends[i], data, starts[other]):
                twin[i] = other
                break
            slot = (slot + np.uint64(1)) & mask


@kernel
def close_gaps(data, starts, ends, first, last, write):
    """Move lines first..last-1 down to `write` on, one after the other; return where the next one goes.

    Lines stand in order and never move up, so this works in place.
    """
    for i in range(first, last):
        start = starts[i]
        length = ends[i] - start
        if start != write:
            for k in range(length):
                data[write + k] = data[start + k]
        starts[i] = write
        ends[i] = write + length
        write += length
    return write
