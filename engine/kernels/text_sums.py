"""ln Z of many texts under one model, straight from the trie: no lattice is kept.

Where no piece spans the place before a marker, ln Z of a text is the sum of that of its words, exactly: each word's is
computed once and remembered.
"""

import numpy as np

from engine.kernels.encode import code_points_of_utf8, has_marker
from engine.kernels.expected_counts import add_logs
from engine.kernels.jit import allocating_kernel, kernel
from engine.kernels.normalize import normalize_utf8
from engine.kernels.trie_walk import step_in
from engine.kernels.word_memory import LONGEST, add_word, find_word, forget, is_full, scan_word, score_of
from engine.kernels.word_path import read_word


@kernel
def log_z(text, n, trie, edge_scores, unknown_id, log_forward):
    """Return ln Z of n code points in nats; `log_forward` is float64[n+1] to work in."""
    first, labels, bits, below_root, node_ids = trie.first, trie.labels, trie.bits, trie.below_root, trie.node_ids
    gaps, gap_first = trie.gaps, trie.gap_first
    log_forward[0] = 0.0
    for i in range(1, n + 1):
        log_forward[i] = -np.inf
    for start in range(n):
        so_far = log_forward[start]
        if so_far == -np.inf:
            continue
        is_known = False
        node = np.int64(0)
        end = start
        while end < n:
            node, end = step_in(first, labels, bits, below_root, node_ids, gaps, gap_first, node, text, end, n)
            if node < 0:
                break
            piece = node_ids[node]
            if piece >= 0:
                log_forward[end] = add_logs(log_forward[end], so_far + edge_scores[piece])
                is_known = is_known or end == start + 1
        if not is_known:
            log_forward[start + 1] = add_logs(log_forward[start + 1], so_far + edge_scores[unknown_id])
    return log_forward[n]


@allocating_kernel
def _log_z_of(utf8, start, end, rules, tables):
    """Return ln Z of a run of bytes, and how many characters it has when normalized."""
    normalized, _, _ = normalize_utf8(utf8[start:end], rules)
    text = code_points_of_utf8(normalized)
    n = len(text)
    return log_z(text, n, tables.trie, tables.scores, tables.unknown_id, np.empty(n + 1)), n


@allocating_kernel
def _log_z_of_words(utf8, start, end, tables, memory, work):
    """Return ln Z of one text, NaN where it holds a marker."""
    table, records, ints, doubles, sizes = memory
    total = 0.0
    is_first = tables.is_first_apart
    position = start
    while position < end:
        word_end, code = scan_word(utf8, position, end, work.keys, 0)
        length = word_end - position
        is_short = 0 < length <= LONGEST and not is_first
        record = np.int64(-1)
        if is_short:
            record = find_word(table, records, ints, work.keys, 0, length, code)
        if record >= 0:
            total += score_of(doubles, record)
        elif has_marker(utf8, position, word_end):
            return np.nan
        elif length > 0:
            n = np.int64(-1)
            if is_short:
                n = read_word(utf8, position, word_end, tables.word_rules, tables.packed.rows, work.code_points)
            if n >= 0:
                own = log_z(work.code_points, n, tables.trie, tables.scores, tables.unknown_id, work.first)
                if is_full(table, records, sizes):
                    forget(table, sizes)
                add_word(
                    table, records, ints, doubles, sizes, work.keys, 0, length, code, 0.0, own, work.edges, 0, 0
                )  # fmt: skip
            else:
                rules = tables.rules if is_first else tables.word_rules
                own, n = _log_z_of(utf8, position, word_end, rules, tables)
                is_first = is_first and n == 0
            total += own
        position = word_end + 1
    return total


@allocating_kernel
def sum_texts(utf8, offsets, first, last, tables, memory, work, sums):
    """Write ln Z of texts first..last-1 into `sums`, in nats; an empty text has 0. Arguments as of `encode_texts`."""
    for i in range(first, last):
        own = np.nan
        if tables.is_by_word:
            own = _log_z_of_words(utf8, offsets[i], offsets[i + 1], tables, memory, work)
        if np.isnan(own):
            own, _ = _log_z_of(utf8, offsets[i], offsets[i + 1], tables.rules, tables)
        sums[i] = own
