"""Normalizing UTF-8 byte by byte, as SentencePiece does (normalizer.cc): longest rule first, then spaces.

`rules` is an `engine.normalizer.Rules`: the double array and the targets of a precompiled charsmap (both may
be empty), the trie of user-defined symbols over bytes, and four switches. Texts are well-formed UTF-8.
"""

import numpy as np

from engine.kernels.jit import allocating_kernel, kernel
from engine.kernels.trie_walk import longest_match

_SPACE = 0x20
_MARKER = (0xE2, 0x96, 0x81)  # U+2581 in UTF-8


@kernel
def _offset_of(unit):
    """Return where the children of a unit of a darts-clone double array lie, relative to it by xor."""
    return (unit >> 10) << ((unit & 512) >> 6)


@kernel
def longest_rule(units, utf8, start):
    """Return the length in bytes of the longest rule that matches at `start` and its value; 0, 0 for none."""
    length = 0
    value = 0
    if len(units) == 0:
        return length, value
    node = _offset_of(np.int64(units[0]))
    for end in range(start, len(utf8)):
        node ^= np.int64(utf8[end])
        if node >= len(units):
            break
        unit = np.int64(units[node])
        if unit & 0x800000FF != utf8[end]:
            break
        node ^= _offset_of(unit)
        if unit & 256 and node < len(units):
            length = end + 1 - start
            value = np.int64(units[node]) & 0x7FFFFFFF
    return length, value


@kernel
def target_end(targets, start):
    """Return where the text that begins at `start` ends, before its NUL."""
    end = start
    while targets[end] != 0:
        end += 1
    return end


@kernel
def _character_length(lead):
    if lead < 0xC0:
        return 1
    if lead < 0xE0:
        return 2
    return 3 if lead < 0xF0 else 4


@kernel
def _next_chunk(utf8, rules, start):
    """Return whether a rule fires at `start`, where what it writes begins and its length, and the bytes it reads.

    Without a rule these are the bytes themselves: a user-defined symbol or one character.
    """
    if len(rules.symbols.node_ids) > 1:
        length = longest_match(rules.symbols, utf8, start)
        if length > 0:
            return False, start, length, length
    length, value = longest_rule(rules.units, utf8, start)
    if length > 0 and value < len(rules.targets):
        return True, value, target_end(rules.targets, value) - value, length
    length = min(_character_length(utf8[start]), len(utf8) - start)
    return False, start, length, length


@kernel
def _skip_leading_spaces(utf8, rules):
    start = 0
    while start < len(utf8):
        is_rule, at, length, consumed = _next_chunk(utf8, rules, start)
        if length != 1 or (rules.targets[at] if is_rule else utf8[at]) != _SPACE:
            break
        start += consumed
    return start


@kernel
def _put_space(out, origin, size, source, escape):
    """Write a space, or its marker, that comes from the byte `source`; return the new size."""
    if not escape:
        out[size] = _SPACE
        origin[size] = source
        return size + 1
    for i in range(3):
        out[size + i] = _MARKER[i]
        origin[size + i] = source
    return size + 3


@kernel
def _ends_with_space(out, size, escape):
    if not escape:
        return size >= 1 and out[size - 1] == _SPACE
    return size >= 3 and out[size - 3] == _MARKER[0] and out[size - 2] == _MARKER[1] and out[size - 1] == _MARKER[2]


@allocating_kernel
def normalize_utf8(utf8, rules):
    """Return the normalized bytes, the input byte each of them comes from, and where the used input ends."""
    out = np.empty(3 * len(utf8) + 16, np.uint8)
    origin = np.empty(len(out), np.int32)
    size = 0
    position = _skip_leading_spaces(utf8, rules) if rules.remove_extra_whitespaces else 0
    if position >= len(utf8):
        return out[:0], origin[:0], 0
    if rules.add_dummy_prefix and not rules.as_suffix:
        size = _put_space(out, origin, size, position, rules.escape)
    drops_spaces = rules.remove_extra_whitespaces  # those at the beginning of a chunk
    while position < len(utf8):
        is_rule, at, length, consumed = _next_chunk(utf8, rules, position)
        # Room for this chunk with every byte a marker, and for the dummy suffix.
        if size + 3 * length + 3 > len(out):
            out = np.concatenate((out, np.empty(len(out) + 3 * length, np.uint8)))
            origin = np.concatenate((origin, np.empty(len(out) - len(origin), np.int32)))
        for i in range(at, at + length):
            byte = rules.targets[i] if is_rule else utf8[i]
            if byte != _SPACE:
                out[size] = byte
                origin[size] = position
                size += 1
                drops_spaces = False
            elif not drops_spaces:
                size = _put_space(out, origin, size, position, rules.escape)
        if length > 0:
            byte = rules.targets[at + length - 1] if is_rule else utf8[at + length - 1]
            drops_spaces = rules.remove_extra_whitespaces and byte == _SPACE
        position += consumed
    used = position
    while rules.remove_extra_whitespaces and _ends_with_space(out, size, rules.escape):
        size -= 3 if rules.escape else 1
        used = np.int64(origin[size])
    if rules.add_dummy_prefix and rules.as_suffix:
        size = _put_space(out, origin, size, used, rules.escape)
    return out[:size], origin[:size], used


@allocating_kernel
def find_rules(utf8, rules):
    """Return where rules of the charsmap fire, from left to right: first byte, length, value."""
    starts = np.empty(len(utf8), np.int64)
    lengths = np.empty(len(utf8), np.int64)
    values = np.empty(len(utf8), np.int64)
    n = 0
    position = 0
    while position < len(utf8):
        consumed = longest_match(rules.symbols, utf8, position)
        if consumed == 0:
            consumed, value = longest_rule(rules.units, utf8, position)
            if consumed > 0 and value < len(rules.targets):
                starts[n] = position
                lengths[n] = consumed
                values[n] = value
                n += 1
            else:
                consumed = _character_length(utf8[position])
        position += consumed
    return starts[:n].copy(), lengths[:n].copy(), values[:n].copy()


@allocating_kernel
def normalize_texts(utf8, offsets, first, stop, longest, rules):
    """Return the normalized texts first..stop-1 in a row, and the length of each; longer ones than `longest` as is."""
    out = np.empty(16 + (offsets[stop] - offsets[first]) * 5 // 4, np.uint8)
    lengths = np.empty(stop - first, np.int64)
    size = 0
    for i in range(first, stop):
        text = utf8[offsets[i] : offsets[i + 1]]
        n = len(text)
        if n <= longest:
            normalized, _, _ = normalize_utf8(text, rules)
            n = len(normalized)
        if size + n > len(out):
            out = np.concatenate((out, np.empty(len(out) + n, np.uint8)))
        if len(text) <= longest:
            out[size : size + n] = normalized
        else:
            out[size : size + n] = text
        lengths[i - first] = n
        size += n
    return out[:size].copy(), lengths
