"""Words met before and what they gave: written once, looked up often.

A word is the bytes between two spaces as they stand in the text, before any rule, and is read and compared eight bytes
at a time. Everything on it lies together in one record, so that a lookup touches one or two lines of the processor's
cache. A full memory forgets everything and begins anew, so its size is bounded. `memory` is an
`engine.memory.WordMemory`; places in it count eight bytes.
"""

import numpy as np

from engine.kernels.jit import inlined_kernel
from engine.kernels.trie_walk import count_ones

LONGEST = 64
"""Bytes of the longest word that is remembered: longer ones hardly come twice."""
MOST_EDGES = 4 * LONGEST
"""Edges, and tokens, that a word may have at most to be remembered."""
_HEAD, _LIMIT, _SCORE, _BYTES = 0, 1, 2, 3
"""Where the parts of a record lie: length and number of tokens, limit, score, bytes filled up with 0, tokens."""
COPIED_AT_ONCE = 4
"""Tokens that are copied whether or not a word has so many: room for them follows every record."""
MOST_ROOM = _BYTES + (LONGEST + 4 * MOST_EDGES) // 8 + COPIED_AT_ONCE
"""The longest record, and the room behind it."""
WORDS_AT_ONCE = 16
"""Words that are read before the first of them is looked up: the processor fetches what is known of them meanwhile."""
PLACE_BITS = 24
"""Of a slot of the table: a record's place, counted from 1; above it are bits of the word's hash."""
_WORDS, _USED = 0, 1
_EIGHTS = LONGEST // 8

_ONE, _TWO, _THREE, _FOUR, _FIVE, _SIX, _SEVEN = (np.uint64(i) for i in range(1, 8))
_BITS = np.uint64(8)
_SPACES = np.uint64(0x2020202020202020)
_ONES = np.uint64(0x0101010101010101)
_HIGHS = np.uint64(0x8080808080808080)
_NONE = np.uint64(0)
_SEED = np.uint64(0x9E3779B97F4A7C15)
_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
_HALF = np.uint64(32)
_PLACE = np.uint64((1 << PLACE_BITS) - 1)
_TAG = np.uint64(0xFFFFFFFF - (1 << PLACE_BITS) + 1)
_SPACE = 0x20


@inlined_kernel
def _eight(utf8, at):
    """Return the eight bytes at a place, the first lowest; as it is written, the compiler makes it one load."""
    return (
        np.uint64(utf8[at])
        | np.uint64(utf8[at + _ONE]) << np.uint64(8)
        | np.uint64(utf8[at + _TWO]) << np.uint64(16)
        | np.uint64(utf8[at + _THREE]) << np.uint64(24)
        | np.uint64(utf8[at + _FOUR]) << np.uint64(32)
        | np.uint64(utf8[at + _FIVE]) << np.uint64(40)
        | np.uint64(utf8[at + _SIX]) << np.uint64(48)
        | np.uint64(utf8[at + _SEVEN]) << np.uint64(56)
    )


@inlined_kernel
def _last_bytes(utf8, at, end):
    """Return the bytes at..end-1, fewer than eight, and a space behind them."""
    eight = np.uint64(_SPACE)
    for i in range(end - 1, at - 1, -1):
        eight = eight << _BITS | np.uint64(utf8[i])
    return eight


@inlined_kernel
def scan_word(utf8, position, end, keys, word):
    """Write the bytes of the word at a position into row `word` of `keys`; return where it ends, and its hash.

    A row is LONGEST / 8 uint64s. Of a longer word only the end is found.
    """
    code = _SEED
    n = 0
    at = position
    while True:
        eight = _eight(utf8, np.uint64(at)) if end - at >= 8 else _last_bytes(utf8, at, end)
        x = eight ^ _SPACES
        spaces = (x - _ONES) & ~x & _HIGHS  # the high bit of each byte that is a space; of the first one, for sure
        length = 8
        if spaces != _NONE:
            before = ((spaces & (_NONE - spaces)) >> _SEVEN) - _ONE
            length = count_ones(before) >> 3
            eight &= before
        if length > 0 and n < _EIGHTS:
            keys[_EIGHTS * word + n] = eight
            code = (code ^ eight) * _FACTOR
            code ^= code >> _HALF
            n += 1
        at += length
        if spaces != _NONE:
            return at, code


@inlined_kernel
def scan_words(utf8, position, end, table, records, keys, codes, spans):
    """Read the next words, up to WORDS_AT_ONCE; return how many there are, and where to go on.

    Their bytes are written into the rows of `keys`, their hashes into `codes`, and where word i begins and ends into
    spans[2i] and spans[2i+1].
    """
    mask = np.uint64(len(table) - 1)
    touched = _NONE
    n = 0
    while position < end and n < WORDS_AT_ONCE:
        word_end, code = scan_word(utf8, position, end, keys, n)
        if word_end > position:
            spans[2 * n] = position
            spans[2 * n + 1] = word_end
            codes[n] = code
            touched ^= records[np.uint64(table[code & mask]) & _PLACE]
            n += 1
        position = word_end + 1
    codes[WORDS_AT_ONCE] = touched  # nobody reads it, but without a use the compiler drops the loads
    return n, position


@inlined_kernel
def find_word(table, records, ints, keys, word, length, code):
    """Return the record of a word of `length` bytes that was scanned, -1 where it is new."""
    mask = np.uint64(len(table) - 1)
    slot = code & mask
    while table[slot] != 0:
        entry = np.uint64(table[slot])
        if entry & ~_PLACE == code >> _HALF & _TAG:
            record = np.int64(entry & _PLACE) - 1
            if ints[2 * record] == length:
                n = (length + 7) >> 3
                i = 0
                while i < n and records[record + _BYTES + i] == keys[_EIGHTS * word + i]:
                    i += 1
                if i == n:
                    return record
        slot = (slot + _ONE) & mask
    return np.int64(-1)


@inlined_kernel
def is_full(table, records, sizes):
    """Tell whether there may be no room for one more word."""
    return 2 * (sizes[_WORDS] + 1) > len(table) or sizes[_USED] + MOST_ROOM > len(records)


@inlined_kernel
def forget(table, sizes):
    """Empty a memory."""
    table[:] = 0
    sizes[:] = 0


@inlined_kernel
def add_word(table, records, ints, doubles, sizes, keys, word, length, code, limit, score, tokens, first, stop):
    """Enter a new word with its values and tokens[first:stop]; return its record. The memory must not be full."""
    record = sizes[_USED]
    mask = np.uint64(len(table) - 1)
    slot = code & mask
    while table[slot] != 0:
        slot = (slot + _ONE) & mask
    table[slot] = np.uint32(code >> _HALF & _TAG | np.uint64(record + 1))
    ints[2 * (record + _HEAD)] = length
    ints[2 * (record + _HEAD) + 1] = stop - first
    doubles[record + _LIMIT] = limit
    doubles[record + _SCORE] = score
    n = (length + 7) >> 3
    for i in range(n):
        records[record + _BYTES + i] = keys[_EIGHTS * word + i]
    at = 2 * (record + _BYTES + n)
    for i in range(stop - first):
        ints[at + i] = tokens[first + i]
    sizes[_WORDS] += 1
    sizes[_USED] = (at + stop - first + 1) >> 1
    return record


@inlined_kernel
def put_record(ints, record, ids, size):
    """Write the tokens of a word behind the first `size` IDs, where there is room for any word; return the new size."""
    first = 2 * (record + _BYTES + ((np.int64(ints[2 * record]) + 7) >> 3))
    n = np.int64(ints[2 * record + 1])
    for i in range(COPIED_AT_ONCE):
        ids[size + i] = ints[first + i]
    for i in range(COPIED_AT_ONCE, n):
        ids[size + i] = ints[first + i]
    return size + n


@inlined_kernel
def limit_of(doubles, record):
    """Return up to which sum before it a word's answer serves."""
    return doubles[record + _LIMIT]


@inlined_kernel
def score_of(doubles, record):
    """Return what a word adds to the sum."""
    return doubles[record + _SCORE]
