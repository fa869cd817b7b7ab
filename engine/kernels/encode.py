"""Encoding many texts in one call: normalize, best path, tokens."""

import numpy as np

from engine.kernels.jit import kernel
from engine.kernels.normalize import normalize_utf8
from engine.kernels.tokens import tokens_of_path
from engine.kernels.viterbi import NONE, extend_best_paths, trace_back


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
def encode_texts(utf8, offsets, first, stop, rules, trie, edge_scores, unknown_id, byte_ids):
    """Return the IDs of the texts first..stop-1 in a row, and how many each has."""
    ids = np.empty(16 + (offsets[stop] - offsets[first]) // 2, np.int32)
    n_ids = np.zeros(stop - first, np.int64)
    size = 0
    for i in range(first, stop):
        normalized, _, _ = normalize_utf8(utf8[offsets[i] : offsets[i + 1]], rules)
        code_points = code_points_of_utf8(normalized)
        n = len(code_points)
        best_score = np.zeros(n + 1, edge_scores.dtype)
        best_start = np.full(n + 1, NONE, np.int32)
        best_piece = np.full(n + 1, NONE, np.int32)
        extend_best_paths(code_points, trie, edge_scores, unknown_id, 0, n, best_score, best_start, best_piece)
        starts, ends, pieces = trace_back(best_start, best_piece)
        tokens, _, _ = tokens_of_path(code_points, starts, ends, pieces, unknown_id, byte_ids)
        if size + len(tokens) > len(ids):
            ids = np.concatenate((ids, np.empty(len(ids) + len(tokens), np.int32)))
        ids[size : size + len(tokens)] = tokens
        size += len(tokens)
        n_ids[i - first] = len(tokens)
    return ids[:size].copy(), n_ids
