"""ln Z of many texts under one model, straight from the trie: no lattice is kept."""

import numpy as np

from engine.kernels.encode import code_points_of_utf8
from engine.kernels.expected_counts import add_logs
from engine.kernels.jit import kernel
from engine.kernels.normalize import normalize_utf8
from engine.kernels.trie_walk import child_of


@kernel
def _log_z(text, n, trie, edge_scores, unknown_id, log_forward):
    log_forward[0] = 0.0
    for i in range(1, n + 1):
        log_forward[i] = -np.inf
    for start in range(n):
        so_far = log_forward[start]
        if so_far == -np.inf:
            continue
        is_known = False
        node = np.int64(0)
        for end in range(start, n):
            node = child_of(trie, node, text[end])
            if node < 0:
                break
            piece = trie.node_ids[node]
            if piece >= 0:
                log_forward[end + 1] = add_logs(log_forward[end + 1], so_far + edge_scores[piece])
                is_known = is_known or end == start
        if not is_known:
            log_forward[start + 1] = add_logs(log_forward[start + 1], so_far + edge_scores[unknown_id])
    return log_forward[n]


@kernel
def sum_texts(utf8, offsets, first, last, rules, trie, edge_scores, unknown_id, log_z):
    """Write ln Z of texts first..last-1, in nats; an empty text has 0."""
    for i in range(first, last):
        normalized, _, _ = normalize_utf8(utf8[offsets[i] : offsets[i + 1]], rules)
        text = code_points_of_utf8(normalized)
        log_z[i] = _log_z(text, len(text), trie, edge_scores, unknown_id, np.empty(len(text) + 1))
