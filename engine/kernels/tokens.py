"""From the edges of a path to tokens: unknown characters become bytes, or one token for each run of them."""

import numpy as np

from engine.kernels.jit import allocating_kernel, kernel


@kernel
def _utf8_length(code_point):
    if code_point < 0x80:
        return 1
    if code_point < 0x800:
        return 2
    return 3 if code_point < 0x10000 else 4


@kernel
def _utf8_byte(code_point, i, length):
    """Return byte i of a character of `length` bytes."""
    if length == 1:
        return code_point
    bits = (code_point >> (6 * (length - 1 - i))) & 0x3F
    # The lead has as many ones as the character has bytes; its bits above 0x3F are in code_point >> 6 (length-1).
    return ((0xF00 >> length) & 0xFF) | bits if i == 0 else 0x80 | bits


@allocating_kernel
def tokens_of_path(code_points, edge_starts, edge_ends, edge_pieces, unknown_id, byte_ids):
    """Return ids, starts and ends of the tokens; `byte_ids` is int32[256], or empty without byte fallback.

    All bytes of one character share its span. Without byte fallback a run of unknown characters is one token.
    """
    has_bytes = len(byte_ids) > 0
    room = len(edge_pieces) * (4 if has_bytes else 1)
    ids = np.empty(room, np.int32)
    starts = np.empty(room, np.int32)
    ends = np.empty(room, np.int32)
    n = 0
    for edge in range(len(edge_pieces)):
        is_unknown = edge_pieces[edge] == unknown_id
        if is_unknown and not has_bytes and edge > 0 and edge_pieces[edge - 1] == unknown_id:
            ends[n - 1] = edge_ends[edge]
            continue
        length = 1
        code_point = np.int64(code_points[edge_starts[edge]])
        if is_unknown and has_bytes:
            length = _utf8_length(code_point)
        for i in range(length):
            ids[n] = edge_pieces[edge]
            if is_unknown and has_bytes:
                ids[n] = byte_ids[_utf8_byte(code_point, i, length)]
            starts[n] = edge_starts[edge]
            ends[n] = edge_ends[edge]
            n += 1
    return ids[:n].copy(), starts[:n].copy(), ends[:n].copy()
