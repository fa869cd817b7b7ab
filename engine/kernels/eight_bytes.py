"""Eight bytes at a time: hash them, compare them, find one among them.

A loop over single bytes waits for a multiplication at every byte; here a number of 64 bits is read at once. Bytes
behind an array's end are never read: there they are put together one by one.
"""

from __future__ import annotations

import numpy as np

from engine.kernels.jit import inlined_kernel

_ONES = np.uint64(0x0101010101010101)
_HIGH_BITS = np.uint64(0x8080808080808080)


@inlined_kernel
def _at(data, i):
    """Return data[i:i+8] as a number, the first byte lowest; all eight must be there."""
    # Unsigned indices: no look at whether one counts from the end, so the compiler makes one load of the eight.
    i = np.uint64(i)
    return (
        np.uint64(data[i])
        | np.uint64(data[i + np.uint64(1)]) << np.uint64(8)
        | np.uint64(data[i + np.uint64(2)]) << np.uint64(16)
        | np.uint64(data[i + np.uint64(3)]) << np.uint64(24)
        | np.uint64(data[i + np.uint64(4)]) << np.uint64(32)
        | np.uint64(data[i + np.uint64(5)]) << np.uint64(40)
        | np.uint64(data[i + np.uint64(6)]) << np.uint64(48)
        | np.uint64(data[i + np.uint64(7)]) << np.uint64(56)
    )


@inlined_kernel
def first_bytes(data, start, end):
    """Return the first eight bytes of data[start:end] as a number, zeros for what is behind `end`."""
    n = end - start
    if start + 8 <= len(data):
        found = _at(data, start)
        return found if n >= 8 else found & ((np.uint64(1) << np.uint64(8 * n)) - np.uint64(1))
    found = np.uint64(0)
    for i in range(min(n, 8)):
        found |= np.uint64(data[start + i]) << np.uint64(8 * i)
    return found


@inlined_kernel
def hash_bytes(data, start, end):
    """Return a 64-bit hash of data[start:end] (multiply and mix)."""
    h = np.uint64(0x9E3779B97F4A7C15) ^ np.uint64(end - start)
    while start < end:
        h = (h ^ first_bytes(data, start, end)) * np.uint64(0xFF51AFD7ED558CCD)
        h ^= h >> np.uint64(32)
        start += 8
    h *= np.uint64(0xC4CEB9FE1A85EC53)
    return h ^ (h >> np.uint64(32))


@inlined_kernel
def part_of(code, n_parts):
    """Return which of `n_parts` equal parts of all 64-bit hashes this one is in."""
    return np.int64(((code >> np.uint64(32)) * np.uint64(n_parts)) >> np.uint64(32))


@inlined_kernel
def are_same(one, start, end, other, other_start):
    """Tell whether one[start:end] and as many bytes of `other` from `other_start` on are the same."""
    other_end = other_start + end - start
    while start < end:
        if first_bytes(one, start, end) != first_bytes(other, other_start, other_end):
            return False
        start += 8
        other_start += 8
    return True


@inlined_kernel
def find_byte(data, start, end, byte):
    """Return where `byte` stands first in data[start:end], or `end`."""
    wanted = _ONES * np.uint64(byte)
    while start < end and start + 8 <= len(data):
        differs = _at(data, start) ^ wanted  # zero where the byte stands: the lowest bit set below is its highest
        zeros = (differs - _ONES) & ~differs & _HIGH_BITS
        if zeros != np.uint64(0):
            lowest = (zeros & (~zeros + np.uint64(1))) >> np.uint64(7)
            before = (lowest - np.uint64(1)) & _ONES  # a bit for each byte before it
            return min(end, start + np.int64((before * _ONES) >> np.uint64(56)))
        start += 8
    while start < end and data[start] != byte:
        start += 1
    return min(start, end)


@inlined_kernel
def are_ascii(data, start):
    """Tell whether the eight bytes data[start:start+8] are ASCII; all eight must be there."""
    return _at(data, start) & _HIGH_BITS == np.uint64(0)
