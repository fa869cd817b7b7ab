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
"""

import numpy as np

from engine.kernels.jit import inner_kernel, kernel
from engine.kernels.normalize import longest_rule, normalize_utf8, target_end
from engine.kernels.tokens import tokens_of_path
from engine.kernels.trie_walk import child_in, longest_match
from engine.kernels.viterbi import NONE, extend_best_paths, trace_back
from engine.kernels.word_memory import (
    LONGEST,
    MOST_EDGES,
    N_EDGES,
    N_TOKENS,
    SEED,
    add_word,
    find_word,
    forget,
    is_full,
    limit_of,
    mix,
    score_of,
    tokens_at,
)

_SPACE = 0x20
_MARKER = 0x2581


@kernel
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


@kernel
def byte_offsets(utf8, character_offsets):
    """Return where texts begin in bytes, given where they begin in characters."""
    offsets = np.empty(len(character_offsets), np.int64)
    n_characters = 0
    text = 0
    for i in range(len(utf8)):
        if (utf8[i] & 0xC0) != 0x80:
            while character_offsets[text] == n_characters:
                offsets[text] = i
                text += 1
            n_characters += 1
    offsets[text:] = len(utf8)
    return offsets


@kernel
def _cut(code_points, tables, before):
    """Return starts, ends and pieces of the best path behind the sum `before`, and the sum after it."""
    n = len(code_points)
    best_score = np.zeros(n + 1, tables.scores.dtype)
    best_score[0] = before
    best_start = np.full(n + 1, NONE, np.int32)
    best_piece = np.full(n + 1, NONE, np.int32)
    extend_best_paths(
        code_points, tables.trie, tables.scores, tables.unknown_id, 0, n, best_score, best_start, best_piece
    )
    starts, ends, pieces = trace_back(best_start, best_piece)
    return starts, ends, pieces, best_score[n]


@inner_kernel
def _offer_two(first, second, best_start, best_piece, start, end, piece, score):
    """Merge the two best paths to `start`, lengthened by a piece, into the two best to `end`."""
    a = first[start] + score
    if a > first[end]:
        second[end] = max(first[end], second[start] + score)
        first[end] = a
        best_start[end] = start
        best_piece[end] = piece
    else:
        second[end] = max(second[end], a)


@inner_kernel
def two_best(code_points, n, trie, scores, unknown_id, first, second, best_start, best_piece):
    """Fill the sums of the best path to each place and of the runner-up, -inf where there is none."""
    trie_first, labels, bits, below_root = trie.first, trie.labels, trie.bits, trie.below_root
    node_ids = trie.node_ids
    for i in range(n + 1):
        first[i] = -np.inf
        second[i] = -np.inf
    first[0] = 0.0
    for start in range(n):
        node = np.int64(0)
        is_known = False
        for end in range(start, n):
            node = child_in(trie_first, labels, bits, below_root, node, code_points[end])
            if node < 0:
                break
            piece = node_ids[node]
            if piece >= 0:
                _offer_two(
                    first, second, best_start, best_piece, start, end + 1, piece, np.float64(scores[piece])
                )
                is_known = is_known or end == start
        if not is_known:
            score = np.float64(scores[unknown_id])
            _offer_two(first, second, best_start, best_piece, start, start + 1, unknown_id, score)


@inner_kernel
def certain_up_to(best, runner_up, n, tables):
    """Return up to which |S| a word's answer serves, see above; negative or NaN where it never does."""
    if n == 0:
        return np.inf
    return (best - runner_up) / (4.0 * tables.roundoff * n) - abs(best) - 2.0 * tables.highest * n


@inner_kernel
def _character(data, at):
    """Return the character that begins at a byte of well-formed UTF-8, and its length in bytes."""
    lead = np.int32(data[at])
    if lead < 0x80:
        return lead, 1
    length = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
    value = lead & (0xFF >> (length + 1))
    for i in range(1, length):
        value = value << 6 | (np.int32(data[at + i]) & 0x3F)
    return value, length


@inner_kernel
def _put_plain(utf8, start, end, is_plain, code_points):
    """Write the marker and the bytes that stay as they are; return where they end."""
    code_points[0] = _MARKER
    i = start
    while i < end and is_plain[utf8[i]]:
        code_points[1 + i - start] = utf8[i]
        i += 1
    # A letter before a mark beyond ASCII may begin a rule.
    return i - 1 if start < i < end else i


@inner_kernel
def _put_characters(data, at, stop, code_points, n):
    """Write the characters of some bytes behind the first n; return how many there are then, -1 for too many."""
    if n + stop - at > len(code_points):
        return -1
    while at < stop:
        code_points[n], step = _character(data, at)
        at += step
        n += 1
    return n


@inner_kernel
def _put_target(data, at, drops_spaces, code_points, n):
    """Do the same for a NUL-terminated text: spaces become markers, the first ones are dropped on request."""
    while data[at] != 0:
        character, step = _character(data, at)
        at += step
        if n >= len(code_points):
            return -1
        if character != _SPACE:
            code_points[n] = character
            n += 1
        elif not drops_spaces:
            code_points[n] = _MARKER
            n += 1
        drops_spaces = drops_spaces and character == _SPACE
    return n


@inner_kernel
def read_word(utf8, start, end, rules, is_plain, code_points):
    """Write the code points of one normalized word and return how many; -1 where there are too many.

    Does what `normalize_utf8` does with `word_rules`: a marker first, then the word, its spaces as markers, none of
    them twice or last. The word has at least one byte.
    """
    if len(code_points) < 2 + end - start:
        return -1
    i = _put_plain(utf8, start, end, is_plain, code_points)
    n = 1 + i - start
    if i == end:
        return n
    units, targets = rules.units, rules.targets
    utf8 = utf8[:end]  # what follows belongs to another text, if it is no space
    has_symbols = len(rules.symbols.node_ids) > 1
    drops_spaces = n == 1
    while i < end and n >= 0:
        length = longest_match(rules.symbols, utf8, i) if has_symbols else 0
        value = np.int64(-1)
        if length == 0:
            length, value = longest_rule(units, utf8, i)
            if length == 0 or value >= len(targets):
                length, value = _character(utf8, i)[1], np.int64(-1)
        if value < 0:
            n = _put_characters(utf8, i, i + length, code_points, n)
            drops_spaces = False
        elif targets[value] != 0:
            n = _put_target(targets, value, drops_spaces, code_points, n)
            drops_spaces = targets[target_end(targets, value) - 1] == _SPACE
        i += length
    while n > 0 and code_points[n - 1] == _MARKER:
        n -= 1
    return n


@kernel
def _remember(utf8, start, end, code, tables, memory, work):
    """Cut a new word and enter it; return its record, -1 for one that becomes very long. There must be room."""
    n = read_word(utf8, start, end, tables.word_rules, tables.is_plain, work.code_points)
    if n < 0:
        return np.int64(-1)
    best_start, best_piece = work.best_start, work.best_piece
    two_best(
        work.code_points, n, tables.trie, tables.scores, tables.unknown_id,
        work.first, work.second, best_start, best_piece,
    )  # fmt: skip
    limit = certain_up_to(work.first[n], work.second[n], n, tables)
    first_edge = len(work.edges)  # from right to left, so they fill the room from its end
    has_unknown = False
    place = np.int64(n)
    while place > 0:
        first_edge -= 1
        work.edges[first_edge] = best_piece[place]
        work.starts[first_edge] = best_start[place]
        has_unknown = has_unknown or best_piece[place] == tables.unknown_id
        place = np.int64(best_start[place])
    edges, n_edges = work.edges[first_edge:], len(work.edges) - first_edge
    if not has_unknown:
        return add_word(memory, utf8, start, end, code, limit, work.first[n], edges, n_edges, edges, 0)
    if len(tables.byte_ids) == 0:
        n_tokens = _join_unknown(edges, tables.unknown_id, work.tokens)
        return add_word(memory, utf8, start, end, code, limit, work.first[n], work.tokens, n_tokens, edges, n_edges)
    starts = work.starts[first_edge:]
    ends = np.append(starts[1:], np.int32(n))
    tokens, _, _ = tokens_of_path(work.code_points, starts, ends, edges, tables.unknown_id, tables.byte_ids)
    if len(tokens) > MOST_EDGES:
        return np.int64(-1)
    return add_word(memory, utf8, start, end, code, limit, work.first[n], tokens, len(tokens), edges, n_edges)


@inner_kernel
def _join_unknown(edges, unknown_id, tokens):
    """Write the edges as tokens, one for each run of unknown characters; return how many."""
    n = 0
    for i in range(len(edges)):
        if edges[i] != unknown_id or i == 0 or edges[i - 1] != unknown_id:
            tokens[n] = edges[i]
            n += 1
    return n


@inner_kernel
def _add_up(pending, n_pending, memory, tables, total):
    """Add the scores of pending words to the exact sum, edge by edge as the whole text would."""
    for i in range(n_pending):
        record = pending[i]
        first = tokens_at(memory.records, record)
        n = np.int64(memory.records[record + N_EDGES])
        if n > 0:
            first += memory.records[record + N_TOKENS]
        else:
            n = np.int64(memory.records[record + N_TOKENS])
        for edge in range(first, first + n):
            total[0] = total[0] + tables.scores[memory.records[edge]]


@inner_kernel
def has_marker(utf8, start, end):
    """Tell whether U+2581 stands in some bytes: such a text is no sequence of words."""
    for i in range(start, end - 2):  # noqa: SIM110 - Numba has no generators here
        if utf8[i] == 0xE2 and utf8[i + 1] == 0x96 and utf8[i + 2] == 0x81:
            return True
    return False


@inner_kernel
def end_of_word(utf8, position, end):
    """Return where the word at a position ends, and its hash."""
    code = np.uint64(SEED)
    while position < end and utf8[position] != _SPACE:
        code = mix(code, np.uint64(utf8[position]))
        position += 1
    return position, code


@kernel
def _recall(records, record, ids, size):
    """Write the tokens of a remembered word; returns as `_put`."""
    n = np.int64(records[record + N_TOKENS])
    if size + n > len(ids):
        ids = np.concatenate((ids, np.empty(len(ids) + n, np.int32)))
    first = tokens_at(records, record)
    for i in range(n):
        ids[size + i] = records[first + i]
    return ids, size + n


@kernel
def _put(ids, size, tokens):
    """Write tokens behind the first `size` IDs; return ids, larger where there was no room, and the new size."""
    n = len(tokens)
    if size + n > len(ids):
        ids = np.concatenate((ids, np.empty(len(ids) + n, np.int32)))
    for i in range(n):
        ids[size + i] = tokens[i]
    return ids, size + n


@kernel
def _tokens_of(code_points, tables, before):
    starts, ends, edges, after = _cut(code_points, tables, before)
    tokens, _, _ = tokens_of_path(code_points, starts, ends, edges, tables.unknown_id, tables.byte_ids)
    return tokens, after, len(code_points)


@kernel
def _tokens(utf8, start, end, rules, tables, before):
    """Return the tokens of a run of bytes behind the sum `before`, the sum after it, and how many characters."""
    normalized, _, _ = normalize_utf8(utf8[start:end], rules)
    return _tokens_of(code_points_of_utf8(normalized), tables, before)


@kernel
def _word_tokens(utf8, start, end, is_first, tables, before):
    """Do the same for one word, behind a space unless it is the first."""
    if is_first:
        return _tokens(utf8, start, end, tables.rules, tables, before)
    code_points = np.empty(2 * (end - start) + 16, np.int32)
    n = read_word(utf8, start, end, tables.word_rules, tables.is_plain, code_points)
    if n < 0:
        return _tokens(utf8, start, end, tables.word_rules, tables, before)
    return _tokens_of(code_points[:n], tables, before)


@kernel
def _encode_words(utf8, start, end, tables, memory, work, ids, size):
    """Write the IDs of one text word by word; return ids and the new size, -1 where the text holds a marker."""
    table, records, doubles, all_bytes = memory.table, memory.records, memory.doubles, memory.bytes
    pending = work.pending
    total = np.zeros(1, tables.scores.dtype)  # exact up to the last word that was cut in its place
    about = 0.0  # the same up to here, in float64
    n_pending = 0
    is_first = tables.is_first_apart
    position = start
    while position < end:
        word_end, code = end_of_word(utf8, position, end)
        is_short = 0 < word_end - position <= LONGEST and not is_first
        record = np.int64(-1)
        if is_short:
            record = find_word(table, records, all_bytes, utf8, position, word_end, code)
        if record < 0 and has_marker(utf8, position, word_end):
            return ids, -1
        if is_short and record < 0:
            if is_full(memory):
                _add_up(pending, n_pending, memory, tables, total)
                n_pending = 0
                forget(memory)
            record = _remember(utf8, position, word_end, code, tables, memory, work)
        if record >= 0 and abs(about) <= limit_of(doubles, record):
            ids, size = _recall(records, record, ids, size)
            about += score_of(doubles, record)
            pending[n_pending] = record
            n_pending += 1
            if n_pending == len(pending):
                _add_up(pending, n_pending, memory, tables, total)
                n_pending = 0
        elif word_end > position:
            _add_up(pending, n_pending, memory, tables, total)
            n_pending = 0
            tokens, after, n = _word_tokens(utf8, position, word_end, is_first, tables, total[0])
            is_first = is_first and n == 0
            total[0] = after
            about = np.float64(after)
            ids, size = _put(ids, size, tokens)
        position = word_end + 1
    return ids, size


@kernel
def encode_texts(utf8, offsets, first, stop, tables, memory, work):
    """Return the IDs of the texts first..stop-1 in a row, and how many each has.

    `tables` is an `engine.encoder.Tables`, `work` an `engine.memory.WorkSpace`; words are remembered where
    `tables.is_by_word`.
    """
    ids = np.empty(16 + (offsets[stop] - offsets[first]) // 2, np.int32)
    n_ids = np.zeros(stop - first, np.int64)
    size = 0
    for i in range(first, stop):
        after = -1
        if tables.is_by_word:
            ids, after = _encode_words(utf8, offsets[i], offsets[i + 1], tables, memory, work, ids, size)
        if after < 0:
            tokens, _, _ = _tokens(utf8, offsets[i], offsets[i + 1], tables.rules, tables, 0)
            ids, after = _put(ids, size, tokens)
        n_ids[i - first] = after - size
        size = after
    return ids[:size].copy(), n_ids
