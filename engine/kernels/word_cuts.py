"""Cutting each distinct word of a corpus once, and putting its texts together from their words again.

Where no piece spans the place before a marker, the tokens of a text are those of its words in a row, and its ln Z is
the sum of theirs. Sums of b bits can break a near tie in another way behind another beginning; up to which sum a
word's answer is sure to be the encoder's is told by `limit_of_path` of `engine.kernels.word_path`. A text with a word
beyond that, or with one that could not be cut here, is left to the encoder.
"""

import numpy as np

from engine.kernels.encode import code_points_of_utf8, has_marker
from engine.kernels.jit import allocating_kernel
from engine.kernels.normalize import normalize_utf8
from engine.kernels.text_sums import log_z
from engine.kernels.tokens import tokens_of_path
from engine.kernels.word_path import best_sums, letters_of, limit_of_path, read_word, trace_path

LIMIT, SCORE, LOG_Z = range(3)
"""Columns of what is known of a word: up to which sum before it its tokens serve, its best path's score, its ln Z."""


@allocating_kernel
def _with_room(array, n):
    """Return an int32 array of at least n, with what `array` holds."""
    if n <= len(array):
        return array
    longer = np.empty(2 * n, np.int32)
    longer[: len(array)] = array
    return longer


@allocating_kernel
def _read(utf8, start, end, is_first, tables, code_points):
    """Write the code points of a normalized word and return how many; -1 where only its text can be cut."""
    if has_marker(utf8, start, end):
        return -1
    if not is_first:
        return read_word(utf8, start, end, tables.word_rules, tables.packed.rows, code_points)
    normalized, _, _ = normalize_utf8(utf8[start:end], tables.rules)
    text = code_points_of_utf8(normalized)
    n = len(text)
    # Of a first word that vanishes nothing is left, and the next one is the first.
    if n == 0 or n > len(code_points):
        return -1
    code_points[:n] = text
    return n


@allocating_kernel
def cut_words(utf8, offsets, first, last, is_first, tables, log_scores, space, known, n_tokens):
    """Cut words first..last-1, behind a blank or as the first of a text; return the tokens of all in a row.

    Writes known[w] (see above) and n_tokens[w]. The limit of a word that cannot be cut here is negative. `tables` is
    an `engine.encoder.Tables`, `log_scores` the scores that ln Z is summed of, `space` an
    `engine.comparison.word_cuts.CutSpace`.
    """
    tokens = np.empty(16 + (offsets[last] - offsets[first]) // 2, np.int32)
    size = 0
    code_points, letters, back, edges = space.code_points, space.letters, space.back, space.edges
    trie, unknown_id, packed = tables.trie, tables.unknown_id, tables.packed
    for word in range(first, last):
        known[word, LIMIT] = -1.0
        known[word, SCORE] = known[word, LOG_Z] = 0.0
        n_tokens[word] = 0
        n = _read(utf8, offsets[word], offsets[word + 1], is_first, tables, code_points)
        if n < 0:
            continue
        letters_of(code_points, n, packed.rows, letters)
        best_sums(letters, n, packed, space.first, space.second, back)
        at, margin, has_unknown = trace_path(n, packed.pieces, space.first, space.second, back, edges)
        if np.isnan(margin):
            continue
        known[word, LIMIT] = limit_of_path(space.first, margin, n, tables)
        known[word, SCORE] = space.first[n]
        known[word, LOG_Z] = log_z(code_points, n, trie, log_scores, unknown_id, space.first)
        own = _with_joined_unknown(code_points, n, back, tables, edges[at:]) if has_unknown else edges[at:]
        tokens = _with_room(tokens, size + len(own))
        tokens[size : size + len(own)] = own
        size += len(own)
        n_tokens[word] = len(own)
    return tokens[:size].copy()


@allocating_kernel
def _with_joined_unknown(code_points, n, back, tables, edges):
    """Return the tokens of a best path whose edges these are, some of them unknown."""
    starts = np.empty(len(edges), np.int32)
    ends = np.empty(len(edges), np.int32)
    place = np.int64(n)
    for edge in range(len(edges) - 1, -1, -1):
        ends[edge] = place
        place = back[place] >> 32
        starts[edge] = place
    tokens, _, _ = tokens_of_path(code_points, starts, ends, edges, tables.unknown_id, tables.byte_ids)
    return tokens


@allocating_kernel
def recall_texts(texts, first, last, occurrences, text_offsets, opening, inner, log_probs, is_left):
    """Return the IDs of texts[first..last-1] in a row and the bounds of each, int64[last - first + 1].

    The words of a text are occurrences[text_offsets[text]:text_offsets[text+1]]. `opening` holds what is known of a
    word that begins a text, `inner` of one behind a blank, as (known, token_offsets, tokens). Writes the sum of ln Z;
    a text that is left to the encoder has no IDs here, and is_left[text] is set.
    """
    bounds = np.zeros(last - first + 1, np.int64)
    ids = np.empty(64 * (last - first), np.int32)
    size = 0
    for i in range(first, last):
        text = texts[i]
        before, total = 0.0, 0.0
        begin = size
        known, token_offsets, tokens = opening
        for k in range(text_offsets[text], text_offsets[text + 1]):
            word = occurrences[k]
            if not abs(before) <= known[word, LIMIT]:
                is_left[text] = True
                size = begin
                break
            before += known[word, SCORE]
            total += known[word, LOG_Z]
            start, end = token_offsets[word], token_offsets[word + 1]
            ids = _with_room(ids, size + end - start)
            for t in range(start, end):
                ids[size] = tokens[t]
                size += 1
            known, token_offsets, tokens = inner
        log_probs[text] = total
        bounds[i - first + 1] = size
    return ids[:size].copy(), bounds
