"""Encoding many texts in one call: normalize, best path, tokens; words that come again are remembered.

Where no piece holds a space marker but at its beginning, no piece spans the place before a marker: the best path of a
text is that of its words one after the other, so a word need be cut only once.

With sums of b bits a near tie can fall differently after different beginnings. Let S be the sum before a word, W that
of its best path in exact arithmetic, d how far the runner-up is behind, L its characters, u = 2^-b, and p the highest
score where that is positive, else 0. A path of at most L edges is summed with an error of at most
u L (|S| + sum of |scores|), and the |scores| of a path that scores V add up to at most |V| + 2 p L. So the best path
wins as well in rounded sums where d > 2 u L (|S| + |W| + 2 p L) / (1 - u L). A remembered answer therefore serves
where |S| <= d / (4 u L) - |W| - 2 p L, with 4 instead of 2 for u L and for the roundings of S, W and d themselves;
elsewhere the word is cut behind the exact S, added up in the order of the edges as the whole text would have it.

S begins anew where a sum is too far from 0 (`extend_best_paths`), be it on the best path or off it. A remembered answer
tells nothing of that, so it serves only where no place of the word can be so far. What S is known to be is off by at
most u n T behind n edges, T the largest sum: a sixty-fourth of T after 2^18 edges, when S is added up in any case. So a
word may come near T by a sixteenth. The place behind it is the next word's; there no piece has gone further yet.

Until a text is done, its IDs are its edges: one for each unknown character, or its bytes, the first of which scores
what the character does and the others 0 (`token_scores`). So the exact S is the sum over the IDs.
"""

import numpy as np

from engine.kernels.jit import allocating_kernel, inlined_kernel, kernel
from engine.kernels.normalize import normalize_utf8
from engine.kernels.tokens import tokens_of_path
from engine.kernels.viterbi import NONE, extend_best_paths, trace_back
from engine.kernels.word_memory import (
    COPIED_AT_ONCE,
    LONGEST,
    MOST_EDGES,
    add_word,
    find_word,
    forget,
    is_full,
    limit_of,
    put_record,
    scan_words,
    score_of,
)
from engine.kernels.word_path import best_sums, letters_of, limit_of_path, read_letters, read_word, trace_path

HAS_MARKER = -1
NO_ROOM = -2
_TOO_LONG = -3
_MOST_NOT_ADDED = 1 << 18
"""IDs up to which the exact sum may be behind."""


@allocating_kernel
def code_points_of_utf8(utf8):
    """Return the code points, int32; the bytes are well-formed UTF-8."""
    out = np.empty(len(utf8), np.int32)
    n = 0
    for i in range(len(utf8)):
        value = np.int32(utf8[i])
        if value < 0x80:
            out[n] = value
            n += 1
        elif value >= 0xC0:
            out[n] = value & (0x1F if value < 0xE0 else 0x0F)
            n += 1
        elif n > 0:
            out[n - 1] = out[n - 1] << 6 | value & 0x3F
    return out[:n].copy()


@allocating_kernel
def _cut(code_points, tables, before):
    """Return starts, ends and pieces of the best path behind the sum `before`, and the sum after it."""
    n = len(code_points)
    best_score = np.zeros(n + 1, tables.scores.dtype)
    best_score[0] = before
    best_start = np.full(n + 1, NONE, np.int32)
    best_piece = np.full(n + 1, NONE, np.int32)
    extend_best_paths(
        code_points, tables.trie, tables.scores, tables.unknown_id, tables.largest_sum,
        0, n, 0, best_score, best_start, best_piece,
    )  # fmt: skip
    starts, ends, pieces = trace_back(best_start, best_piece)
    return starts, ends, pieces, best_score[n]


@allocating_kernel
def _put_path(code_points, tables, before, ids, size):
    """Write the edges of the best path behind the sum `before` as IDs; return the new size and the sum after them.

    The new size is NO_ROOM where there is none.
    """
    starts, ends, edges, after = _cut(code_points, tables, before)
    if len(tables.byte_ids) > 0:
        edges, _, _ = tokens_of_path(code_points, starts, ends, edges, tables.unknown_id, tables.byte_ids)
    n = len(edges)
    if size + n + COPIED_AT_ONCE > len(ids):
        return NO_ROOM, after
    for i in range(n):
        ids[size + i] = edges[i]
    return size + n, after


@allocating_kernel
def _put_text(utf8, start, end, rules, tables, before, ids, size):
    """Do the same for a run of bytes; return also whether it was empty when normalized."""
    normalized, _, _ = normalize_utf8(utf8[start:end], rules)
    size, after = _put_path(code_points_of_utf8(normalized), tables, before, ids, size)
    return size, after, len(normalized) == 0


@allocating_kernel
def _put_word(utf8, start, end, is_first, tables, before, ids, size):
    """Do the same for one word, behind a space unless it is the first."""
    if is_first:
        return _put_text(utf8, start, end, tables.rules, tables, before, ids, size)
    code_points = np.empty(2 * (end - start) + 16, np.int32)
    n = read_word(utf8, start, end, tables.word_rules, tables.packed.rows, code_points)
    if n < 0:
        return _put_text(utf8, start, end, tables.word_rules, tables, before, ids, size)
    size, after = _put_path(code_points[:n], tables, before, ids, size)
    return size, after, n == 0


@kernel
def has_marker(utf8, start, end):
    """Tell whether U+2581 stands in some bytes: such a text is no sequence of words."""
    for i in range(start, end - 2):  # noqa: SIM110 - Numba has no generators here
        if utf8[i] == 0xE2 and utf8[i + 1] == 0x96 and utf8[i + 2] == 0x81:
            return True
    return False


@inlined_kernel
def _cut_apart(utf8, start, end, tables, work):
    """Cut a word by itself; return where its edges begin in `work.edges`, its limit and its sum.

    _TOO_LONG for one that has no room there, HAS_MARKER where U+2581 is in it: such a text is no sequence of words.
    """
    packed = tables.packed
    letters = work.letters
    if end - start + 2 > len(letters):
        return HAS_MARKER if has_marker(utf8, start, end) else _TOO_LONG, 0.0, 0.0
    n, needs_care = read_letters(utf8, start, end, packed.rows, letters)
    if n < 0:
        return HAS_MARKER, 0.0, 0.0
    if needs_care:
        n = read_word(utf8, start, end, tables.word_rules, packed.rows, work.code_points)
        if n < 0:
            return _TOO_LONG, 0.0, 0.0
        letters_of(work.code_points, n, packed.rows, letters)
    best_sums(letters, n, packed, work.first, work.second, work.back)
    at, margin, has_unknown = trace_path(n, packed.pieces, work.first, work.second, work.back, work.edges)
    limit = limit_of_path(work.first, margin, n, tables)
    if has_unknown and len(tables.byte_ids) > 0:
        at = _edges_to_bytes(utf8, start, end, at, tables, work)
    return at, limit, work.first[n]


@allocating_kernel
def _edges_to_bytes(utf8, start, end, at, tables, work):
    """Replace the unknown characters among `work.edges` by their bytes; return where the IDs begin there then."""
    n = read_word(utf8, start, end, tables.word_rules, tables.packed.rows, work.code_points)
    edges = work.edges[at:].copy()
    ends = np.empty(len(edges), np.int32)
    place = np.int64(n)
    for edge in range(len(edges) - 1, -1, -1):
        ends[edge] = place
        place = work.back[place] >> 32
    starts = np.append(np.int32(0), ends)[:-1]
    tokens, _, _ = tokens_of_path(work.code_points, starts, ends, edges, tables.unknown_id, tables.byte_ids)
    if len(tokens) > len(work.edges):
        return _TOO_LONG
    work.edges[len(work.edges) - len(tokens) :] = tokens
    return len(work.edges) - len(tokens)


@inlined_kernel
def _put_edges(edges, first, stop, ids, size):
    """Copy edges behind the first `size` IDs; return the new size, NO_ROOM where there is none."""
    n = stop - first
    if size + n + COPIED_AT_ONCE > len(ids):
        return NO_ROOM
    for i in range(n):
        ids[size + i] = edges[first + i]
    return size + n


@kernel
def _added_up(before, ids, first, size, token_scores):
    """Return the exact sum after some IDs, given that before them."""
    total = before
    for i in range(first, size):
        total = total + token_scores[ids[i]]
    return total


@inlined_kernel
def _caught_up(exact, about, ids, n_exact, size, token_scores):
    """Add up the exact sum where it is far behind; return it, the sum that is known, and the ID it goes up to."""
    if size - n_exact <= _MOST_NOT_ADDED:
        return exact, about, n_exact
    exact = _added_up(exact, ids, n_exact, size, token_scores)
    return exact, np.float64(exact), size


@kernel
def _joined_unknown(ids, first, size, unknown_id):
    """Make one ID of every run of unknown characters of a text; return the new size."""
    n = first
    before = np.int32(-1)
    for i in range(first, size):
        piece = ids[i]
        ids[n] = piece
        n += piece != unknown_id or before != unknown_id
        before = piece
    return n


@inlined_kernel
def _encode_words(utf8, start, end, tables, memory, work, ids, first):
    """Write the edges of one text word by word behind the first IDs; return the new size, HAS_MARKER or NO_ROOM."""
    table, records, ints, doubles, sizes = memory
    keys, codes, spans = work.keys, work.codes, work.spans
    exact = tables.scores.dtype.type(0)  # the sum up to the ID `n_exact`
    about = 0.0  # the sum up to here, in float64
    n_exact = first
    size = first
    is_first = tables.is_first_apart
    position = start
    while position < end:
        exact, about, n_exact = _caught_up(exact, about, ids, n_exact, size, tables.token_scores)
        n_words, position = scan_words(utf8, position, end, table, records, keys, codes, spans)
        for word in range(n_words):
            word_start, word_end, code = spans[2 * word], spans[2 * word + 1], codes[word]
            length = word_end - word_start
            is_short = length <= LONGEST and not is_first
            record = np.int64(-1)
            if is_short:
                record = find_word(table, records, ints, keys, word, length, code)
            if record >= 0 and abs(about) <= limit_of(doubles, record):
                if size + MOST_EDGES + COPIED_AT_ONCE > len(ids):
                    return NO_ROOM
                size = put_record(ints, record, ids, size)
                about += score_of(doubles, record)
                continue
            at, limit, score = np.int64(_TOO_LONG), -1.0, 0.0
            if record < 0:
                at, limit, score = _cut_apart(utf8, word_start, word_end, tables, work)
            if at == HAS_MARKER:
                return HAS_MARKER
            stop = len(work.edges)
            if is_short and at >= 0 and stop - at <= MOST_EDGES:
                if is_full(table, records, sizes):
                    forget(table, sizes)
                add_word(
                    table, records, ints, doubles, sizes, keys, word, length, code, limit, score, work.edges, at, stop
                )
            if at >= 0 and not is_first and abs(about) <= limit:
                size = _put_edges(work.edges, at, stop, ids, size)
                about += score
            else:
                before = _added_up(exact, ids, n_exact, size, tables.token_scores)
                size, exact, is_empty = _put_word(utf8, word_start, word_end, is_first, tables, before, ids, size)
                about = np.float64(exact)
                n_exact = size
                is_first = is_first and is_empty
            if size < 0:
                return size
    return size


@kernel
def encode_texts(utf8, offsets, first, stop, tables, memory, work, ids, n_ids):
    """Write the IDs of the texts first..stop-1 in a row, and how many each has into n_ids[: stop - first].

    Returns the first text that there was no room for, `stop` where there was for all, and how many IDs there are.
    `tables` is an `engine.encoder.Tables`, `work` an `engine.memory.WorkSpace`; words are remembered where
    `tables.is_by_word`.
    """
    size = 0
    for text in range(first, stop):
        after = HAS_MARKER
        start, end = offsets[text], offsets[text + 1]
        if tables.is_by_word:
            after = _encode_words(utf8, start, end, tables, memory, work, ids, size)
        if after == HAS_MARKER:
            before = tables.scores.dtype.type(0)
            after, _, _ = _put_text(utf8, start, end, tables.rules, tables, before, ids, size)
        if after == NO_ROOM:
            return text, size
        if len(tables.byte_ids) == 0:
            after = _joined_unknown(ids, size, after, tables.unknown_id)
        n_ids[text - first] = after - size
        size = after
    return stop, size
