"""Words met before and what they gave: written once, looked up often.

A word is the bytes between two spaces as they stand in the text, before any rule. Everything on it lies together in
one record of `records`, int32, so that a lookup touches one or two lines of the processor's cache; `doubles` and
`bytes` are the same memory as float64 and uint8. A full memory forgets everything and begins anew, so its size is
bounded. `memory` is an `engine.memory.WordMemory`.
"""

import numpy as np

from engine.kernels.jit import inner_kernel

LONGEST = 64
"""Bytes of the longest word that is remembered: longer ones hardly come twice."""
MOST_EDGES = 4 * LONGEST
"""Edges, and tokens, that a word may have at most to be remembered."""
SEED = 0x2545F491
_PRIME = 0x01000193
_HASH, _LENGTH, N_TOKENS, N_EDGES, _LIMIT, _SCORE, _BYTES = 0, 1, 2, 3, 4, 6, 8
"""Where the parts of a record lie. Tokens follow the bytes, and edges the tokens; no edges: they are the same."""
MOST_ROOM = _BYTES + LONGEST // 4 + 2 * MOST_EDGES + 2
"""The longest record."""
_WORDS, _USED = 0, 1


@inner_kernel
def mix(code, byte):
    """Return the hash, 31 bits, of one more byte (FNV-1a)."""
    return ((code ^ byte) * np.uint64(_PRIME)) & np.uint64(0x7FFFFFFF)


@inner_kernel
def _slot(table, code):
    return np.int64((code ^ (code >> np.uint64(15))) & np.uint64(len(table) - 1))


@inner_kernel
def find_word(table, records, all_bytes, utf8, start, end, code):
    """Return where the record of a word lies, -1 where the word is new."""
    slot = _slot(table, code)
    record = np.int64(table[slot])
    while record >= 0:
        if records[record] == np.int64(code) and records[record + _LENGTH] == end - start:
            at = 4 * (record + _BYTES) - start
            i = start
            while i < end and all_bytes[at + i] == utf8[i]:
                i += 1
            if i == end:
                return record
        slot = (slot + 1) & (len(table) - 1)
        record = np.int64(table[slot])
    return np.int64(-1)


@inner_kernel
def is_full(memory):
    """Tell whether there may be no room for one more word."""
    return 2 * (memory.sizes[_WORDS] + 1) > len(memory.table) or memory.sizes[_USED] + MOST_ROOM > len(memory.records)


@inner_kernel
def forget(memory):
    """Empty a memory."""
    memory.table[:] = -1
    memory.sizes[:] = 0


@inner_kernel
def add_word(memory, utf8, start, end, code, limit, score, tokens, n_tokens, edges, n_edges):
    """Enter a new word with its values, tokens and edges; return its record. The memory must not be full."""
    record = memory.sizes[_USED]
    slot = _slot(memory.table, code)
    while memory.table[slot] >= 0:
        slot = (slot + 1) & (len(memory.table) - 1)
    memory.table[slot] = record
    memory.records[record + _HASH] = np.int64(code)
    memory.records[record + _LENGTH] = end - start
    memory.records[record + N_TOKENS] = n_tokens
    memory.records[record + N_EDGES] = n_edges
    memory.doubles[(record + _LIMIT) // 2] = limit
    memory.doubles[(record + _SCORE) // 2] = score
    for i in range(end - start):
        memory.bytes[4 * (record + _BYTES) + i] = utf8[start + i]
    at = tokens_at(memory.records, record)
    for i in range(n_tokens):
        memory.records[at + i] = tokens[i]
    for i in range(n_edges):
        memory.records[at + n_tokens + i] = edges[i]
    after = at + n_tokens + n_edges
    memory.sizes[_WORDS] += 1
    memory.sizes[_USED] = after + after % 2
    return record


@inner_kernel
def tokens_at(records, record):
    """Return where the tokens of a record begin."""
    return record + _BYTES + (records[record + _LENGTH] + 3) // 4


@inner_kernel
def limit_of(doubles, record):
    """Return up to which sum before it a word's answer serves."""
    return doubles[(record + _LIMIT) // 2]


@inner_kernel
def score_of(doubles, record):
    """Return what a word adds to the sum."""
    return doubles[(record + _SCORE) // 2]
