"""Encoding many texts by the rules of HF tokenizers, where a text is its words: each is a stretch of its own.

Sums begin anew with every stretch, so what a word gave once holds everywhere. A word of whose characters each is
known to stay, or to become certain others, is cut here; for any other one the caller is asked, once.
"""

import numpy as np

from engine.kernels.jit import inlined_kernel, kernel
from engine.kernels.word_memory import (
    COPIED_AT_ONCE,
    LONGEST,
    MOST_EDGES,
    add_word,
    find_word,
    forget,
    is_full,
    put_record,
    scan_word,
    scan_words,
)
from engine.kernels.word_path import LETTER, LETTER_BITS, best_sums, character_at, piece_of

DONE, NO_ROOM, ASKS = 0, 1, 2
CHANGES, MAPS, JOINS = 1, 2, 4
"""Marks of a character: its word has to be asked for; it becomes others whatever stands beside it; what becomes of it
is known only where the one that it joins stays as it is. None: it stays."""
_ASKS, _MAPS, _JOINS = CHANGES << LETTER_BITS, MAPS << LETTER_BITS, JOINS << LETTER_BITS
CUT = LETTER
"""Stands among the letters that a character becomes for a space: another stretch begins there."""
_MARKER = 0x2581
_MAY_NOT, _HAS_NO_ROOM = -1, -2


@inlined_kernel
def _trace_tokens(letters, n, packed, back, unknown_id, n_pieces, has_bytes, edges, at):
    """Write the tokens of the best path before edges[at]; return where they begin there.

    A run of unknown characters is one token: the piece with that text, if there is one, else the unknown one. Where it
    may become bytes, nothing is done: _MAY_NOT.
    """
    place = np.int64(n)
    run_end = np.int64(-1)
    while place > 0 or run_end >= 0:
        start, piece = np.int64(0), np.int64(-1)
        if place > 0:
            start = back[place] >> 32
            piece = np.int64(packed.pieces[back[place] & 0xFFFFFFFF])
        is_unknown = place > 0 and (piece == unknown_id or piece >= n_pieces)
        if is_unknown and has_bytes:
            return np.int64(_MAY_NOT)
        if run_end >= 0 and not is_unknown:
            at -= 1
            found = piece_of(letters, place, run_end, packed)
            edges[at] = unknown_id if found < 0 or found >= n_pieces else found
            run_end = -1
        if place > 0 and not is_unknown:
            at -= 1
            edges[at] = piece
        elif is_unknown and run_end < 0:
            run_end = place
        place = start
    return at


@inlined_kernel
def _read_normalized(utf8, start, end, rows, maps, needs_single_spaces, letters):
    """Write the marker's letter and those of a normalized word; return how many, _MAY_NOT where that is not known.

    A character stays as it is, or it `MAPS`: then its row says where in `maps` its letters lie behind their number. One
    that `JOINS` those before must not begin the word, and the one that all of them join must stay as it is. With
    `needs_single_spaces` a space that arises must have others than spaces on both sides.
    """
    letters[0] = rows[_MARKER] & LETTER
    n = 1
    at = start
    before = np.int64(_MAPS)
    while at < end:
        character, length = character_at(utf8, at)
        at += length
        row = np.int64(rows[character])
        if row & _ASKS or (row & _JOINS and before & _MAPS):
            return _MAY_NOT
        before = before if row & _JOINS else row
        if row & _MAPS == 0:
            letters[n] = row & LETTER
            n += 1
            continue
        first = row & LETTER
        if n + np.int64(maps[first]) + end - at > len(letters):
            return _MAY_NOT
        for i in range(np.int64(maps[first])):
            letter = maps[first + 1 + i]
            if letter == CUT and needs_single_spaces and (n == 1 or letters[n - 1] == CUT):
                return _MAY_NOT
            letters[n] = letter
            n += 1
    if needs_single_spaces and (n == 1 or letters[n - 1] == CUT):
        return _MAY_NOT
    return n


@inlined_kernel
def _cut_word(utf8, start, end, tables, work):
    """Cut a word all of whose characters are known; return where its tokens begin in `work.edges`, else _MAY_NOT."""
    packed, letters = tables.packed, work.letters
    if end - start + 2 > len(letters):
        return np.int64(_MAY_NOT)
    n = np.int64(_read_normalized(utf8, start, end, packed.rows, tables.maps, tables.needs_single_spaces, letters))
    at = np.int64(len(work.edges)) if n >= 0 else np.int64(_MAY_NOT)
    while n > 1 and at >= 0:
        first = n - 1
        while first > 0 and letters[first] != CUT:
            first -= 1
        if n - first > 1:
            letters[first] = letters[0]
            at = _cut_stretch(letters[first:n], n - first, tables, work, at)
        n = first
    return at


@inlined_kernel
def _cut_stretch(letters, n, tables, work, at):
    """Write the tokens of one stretch before work.edges[at]; return where they begin there, else _MAY_NOT."""
    best_sums(letters, n, tables.packed, work.first, work.second, work.back)
    if work.first[n] == -np.inf:
        return np.int64(_MAY_NOT)
    return _trace_tokens(
        letters, n, tables.packed, work.back, tables.unknown_id, tables.n_pieces, tables.has_bytes, work.edges, at
    )


@inlined_kernel
def _has_odd_spaces(utf8, start, end):
    """Tell whether a text begins or ends with a space, or has two in a row."""
    before = True
    for i in range(start, end):
        is_space = utf8[i] == 0x20
        if before and is_space:
            return True
        before = is_space
    return before and end > start


@inlined_kernel
def _put(tokens, first, stop, ids, size):
    """Copy tokens behind the first `size` IDs, where there is room; return the new size."""
    for i in range(first, stop):
        ids[size + i - first] = tokens[i]
    return size + stop - first


@inlined_kernel
def _put_word(utf8, word, tables, memory, work, n_around, ids, size):
    """Write the tokens of a scanned word behind the first `size` IDs; return the new size, _MAY_NOT or _HAS_NO_ROOM."""
    table, records, ints, doubles, sizes = memory
    start, end, code = work.spans[2 * word], work.spans[2 * word + 1], work.codes[word]
    length = end - start
    edges = work.edges
    record = np.int64(-1)
    if length <= LONGEST:
        record = find_word(table, records, ints, work.keys, word, length, code)
    if record >= 0:
        if size + MOST_EDGES + n_around + COPIED_AT_ONCE > len(ids):
            return _HAS_NO_ROOM
        return put_record(ints, record, ids, size)
    at = _cut_word(utf8, start, end, tables, work)
    if at < 0:
        return _MAY_NOT
    n_tokens = len(edges) - at
    if size + n_tokens + n_around + COPIED_AT_ONCE > len(ids):
        return _HAS_NO_ROOM
    if length <= LONGEST and n_tokens <= MOST_EDGES:
        if is_full(table, records, sizes):
            forget(table, sizes)
        add_word(
            table, records, ints, doubles, sizes, work.keys, word, length, code, np.inf, 0.0, edges, at, len(edges)
        )
    return _put(edges, at, len(edges), ids, size)


@kernel
def encode_stretches(utf8, offsets, first, stop, tables, memory, work, ids, n_ids, size):
    """Write the IDs of the texts first..stop-1 behind the first `size` IDs, and how many each has into `n_ids`.

    Returns DONE, NO_ROOM or ASKS, the text that it stopped at, the number of IDs before that text, and the word that
    it asks for, as a span of `utf8`; of a text that is none of its words, the whole text. `tables` is an
    `engine.huggingface.batch.WordTables`, n_ids int64[stop].
    """
    n_around = len(tables.before) + len(tables.after)
    for text in range(first, stop):
        position, end = offsets[text], offsets[text + 1]
        if tables.needs_single_spaces and _has_odd_spaces(utf8, position, end):
            return ASKS, text, size, position, end
        if size + n_around + COPIED_AT_ONCE > len(ids):
            return NO_ROOM, text, size, position, end
        after = _put(tables.before, 0, len(tables.before), ids, size)
        while position < end:
            n_words, position = scan_words(
                utf8, position, end, memory.table, memory.records, work.keys, work.codes, work.spans
            )
            for word in range(n_words):
                after = _put_word(utf8, word, tables, memory, work, n_around, ids, after)
                if after < 0:
                    state = ASKS if after == _MAY_NOT else NO_ROOM
                    return state, text, size, work.spans[2 * word], work.spans[2 * word + 1]
        after = _put(tables.after, 0, len(tables.after), ids, after)
        n_ids[text] = after - size
        size = after
    return DONE, stop, size, np.int64(0), np.int64(0)


@kernel
def remember(word, tokens, memory, work):
    """Enter a word, all its bytes, none of them a space, at most LONGEST, with its tokens, at most MOST_EDGES."""
    table, records, ints, doubles, sizes = memory
    _, code = scan_word(word, 0, len(word), work.keys, 0)
    if is_full(table, records, sizes):
        forget(table, sizes)
    add_word(
        table, records, ints, doubles, sizes, work.keys, 0, len(word), code, np.inf, 0.0, tokens, 0, len(tokens)
    )
