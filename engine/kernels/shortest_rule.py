"""The shortest rule of a precompiled charsmap that a text begins with: HF tokenizers' way to look up a cluster."""

import numpy as np

from engine.kernels.jit import kernel
from engine.kernels.normalize import _offset_of

NONE = -1


@kernel
def shortest_rule(units, utf8):
    """Return the value of the shortest rule that matches at the start of `utf8`, NONE where none does."""
    if len(units) == 0:
        return np.int64(NONE)
    node = _offset_of(np.int64(units[0]))
    for end in range(len(utf8)):
        node ^= np.int64(utf8[end])
        if utf8[end] == 0 or node >= len(units):
            break
        unit = np.int64(units[node])
        if unit & 0x800000FF != utf8[end]:
            break
        node ^= _offset_of(unit)
        if unit & 256 and node < len(units):
            return np.int64(units[node]) & 0x7FFFFFFF
    return np.int64(NONE)
