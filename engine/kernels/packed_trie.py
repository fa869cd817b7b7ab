"""Laying out a trie so that one step of a walk is one load, and marking letters for it.

The child of the node in slot s along letter l lies in slot base(s) + l, and knows its parent: a double array (Aoe
1989), over the letters of the vocabulary instead of bytes. Letters are numbered from 1; 0 stands for all others.
"""

import numpy as np

from engine.kernels.double_array import base_of
from engine.kernels.jit import allocating_kernel, kernel

_MOST_TRIES = 64
"""Free slots that are tried for a node with several children before the search moves on for good."""

_MOST_STEPS = 1 << 24

IS_RULE, BEGINS, FOLLOWS = 1, 2, 4
"""What normalization rules do with a character: read it alone, first of several, or later among several."""


@kernel
def _next_free(after, slot):
    """Return the first free slot from `slot` on; after[s] is s where it is free, else a later slot."""
    free = slot
    while after[free] != free:
        free = np.int64(after[free])
    while after[slot] != free:
        following = np.int64(after[slot])
        after[slot] = free
        slot = following
    return free


@kernel
def _all_free(after, base, letters, low, high):
    for child in range(low, high):  # noqa: SIM110 - Numba has no generators here
        if after[base + letters[child]] != base + letters[child]:
            return False
    return True


@allocating_kernel
def place_nodes(first, letters, n_letters):
    """Return the slot of each node and its base, and how many slots there are; the root has slot and base 0.

    The children of node i are first[i]:first[i+1], sorted by letter; nodes are numbered level by level.
    """
    n = len(first) - 1
    slots = np.zeros(n, np.int32)
    bases = np.zeros(n, np.int32)
    after = np.arange(2 * n + 2 * n_letters + 2).astype(np.int32)
    after[0] = 1
    last = 0
    search = np.int64(1)
    for node in range(n):
        low, high = np.int64(first[node]), np.int64(first[node + 1])
        if low == high:
            continue
        base = np.int64(0)
        if node > 0:
            lead = np.int64(letters[low])
            free = _next_free(after, lead if high - low == 1 else max(search, lead))
            tries = 0
            while high - low > 1 and not _all_free(after, free - lead, letters, low, high):
                free = _next_free(after, free + 1)
                tries += 1
                if tries == _MOST_TRIES:
                    search = free
            base = free - lead
        for child in range(low, high):
            slot = base + letters[child]
            slots[child] = slot
            after[slot] = slot + 1
        bases[node] = base
        last = max(last, base)
        if last + 2 * n_letters + 2 > len(after):
            old = len(after)
            after = np.concatenate((after, np.arange(old, 2 * old).astype(np.int32)))
    return slots, bases, last + n_letters + 1


@kernel
def _lead(byte):
    """Return how many bytes of a character follow the first one, and the bits that are in it."""
    if byte < 0x80:
        return 0, byte
    following = 1 if byte < 0xE0 else 2 if byte < 0xF0 else 3
    return following, byte & (0x3F >> following)


@kernel
def _mark_of(unit, goes_on, is_first):
    """Return what a rule does with a character that was read to its last byte, whose unit this is."""
    if not is_first:
        return FOLLOWS
    return (IS_RULE if unit & 256 else 0) | (BEGINS if goes_on else 0)


@allocating_kernel
def mark_characters(units, first, children, marks):
    """Write into `marks`, uint8[0x110000], what the rules of a charsmap do with each character.

    children[first[b]:first[b+1]] are the slots of the children that lie at base b. Returns False for a damaged array:
    a rule ends within a character, or there are far too many paths.
    """
    n = len(units)
    # What waits: a slot, how many bytes of a character are still to come, its bits so far, whether it is the first.
    waiting = np.empty((1024, 4), np.int64)
    waiting[0] = (0, 0, 0, 1)
    top = 1
    steps = 0
    is_seen = np.zeros(n, np.bool_)
    while top > 0:
        top -= 1
        slot, to_come, bits, is_first = waiting[top]
        base = base_of(slot, np.int64(units[slot]))
        for i in range(first[base], first[base + 1]) if base < n else range(0):
            steps += 1
            child = np.int64(children[i])
            unit = np.int64(units[child])
            left, value = (to_come - 1, bits << 6 | unit & 0x3F) if to_come > 0 else _lead(unit & 255)
            if (unit & 256 and left > 0) or steps > _MOST_STEPS:
                return False
            if left == 0:
                below = base_of(child, unit)
                goes_on = below < n and first[below + 1] > first[below]
                if value < len(marks):
                    marks[value] |= _mark_of(unit, goes_on, is_first)
                if not goes_on or is_seen[child]:
                    continue
                is_seen[child] = True
            if top == len(waiting):
                waiting = np.concatenate((waiting, np.empty_like(waiting)))
            waiting[top] = (child, left, value if left > 0 else 0, is_first if left > 0 else 0)
            top += 1
    return True
