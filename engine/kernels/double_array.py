"""Building and listing a darts-clone double array, the trie of a precompiled charsmap.

A unit is a uint32: bits 0-7 the byte that leads to it, bit 8 whether a key ends there, bits 10-30 where its children
lie, relative to it by xor (bit 9: shifted by 8). A child lies at base ^ byte; the value of a key at base ^ 0, with
bit 31 set, which no byte matches. Equal subtrees are stored once: 225,000 NFKC rules share 60,000 units.
"""

import numpy as np

from engine.kernels.jit import allocating_kernel, kernel

VALUE = 0x80000000
_BLOCK = 256
_OPEN_BLOCKS = 16
"""Gaps in older blocks are no longer filled: the search stays short and few units are lost."""


@kernel
def _common_length(keys, a, b, c):
    """Return how many bytes keys[a:b] and keys[b:c] have in common at their beginning."""
    n = 0
    while a + n < b and b + n < c and keys[a + n] == keys[b + n]:
        n += 1
    return n


@allocating_kernel
def _register(table, first, labels, targets, n_states, n_edges, own_labels, own_targets):
    """Return the state with these edges, and the new numbers of states and edges."""
    mask = len(table) - 1
    n = len(own_labels)
    hashed = np.uint64(n)
    for i in range(n):
        hashed = (hashed ^ np.uint64(own_labels[i])) * np.uint64(0x100000001B3)
        hashed = (hashed ^ np.uint64(own_targets[i])) * np.uint64(0x9E3779B97F4A7C15)
        hashed ^= hashed >> np.uint64(29)
    slot = np.int64(hashed & np.uint64(mask))
    while table[slot] >= 0:
        state = table[slot]
        start = first[state]
        is_same = first[state + 1] - start == n
        for i in range(n):
            if not is_same or labels[start + i] != own_labels[i] or targets[start + i] != own_targets[i]:
                is_same = False
                break
        if is_same:
            return state, n_states, n_edges
        slot = (slot + 1) & mask
    table[slot] = n_states
    labels[n_edges : n_edges + n] = own_labels
    targets[n_edges : n_edges + n] = own_targets
    first[n_states + 1] = n_edges + n
    return n_states, n_states + 1, n_edges + n


@allocating_kernel
def build_states(keys, offsets, values):
    """Return the smallest automaton of sorted keys: first[s]:first[s+1] are the edges of state s, and root.

    An edge has a label and a target: a state, or for label 0 the key's value (Daciuk et al. 2000, sorted input).
    """
    n_most = len(keys) + len(values) + 2
    size = 64
    while size < 2 * n_most:
        size *= 2
    table = np.full(size, -1, np.int32)
    first = np.zeros(n_most + 1, np.int32)
    labels = np.empty(n_most, np.uint8)
    targets = np.empty(n_most, np.int32)
    longest = 0
    for i in range(len(values)):
        longest = max(longest, offsets[i + 1] - offsets[i])
    # Edges of the nodes along the current key, deepest on top; opened[d] is where those of depth d begin.
    pending_labels = np.empty(256 * (longest + 1) + 1, np.uint8)
    pending_targets = np.empty(len(pending_labels), np.int32)
    opened = np.zeros(longest + 2, np.int64)
    top = 0
    depth = 0
    n_states = 0
    n_edges = 0
    for i in range(len(values) + 1):
        shared = 0
        if 0 < i < len(values):
            shared = _common_length(keys, offsets[i - 1], offsets[i], offsets[i + 1])
        while depth > shared:
            begin = opened[depth]
            state, n_states, n_edges = _register(
                table, first, labels, targets, n_states, n_edges, pending_labels[begin:top], pending_targets[begin:top]
            )
            depth -= 1
            pending_labels[begin] = keys[offsets[i - 1] + depth]
            pending_targets[begin] = state
            top = begin + 1
        if i == len(values):
            break
        while depth < offsets[i + 1] - offsets[i]:
            depth += 1
            opened[depth] = top
        pending_labels[top] = 0
        pending_targets[top] = values[i]
        top += 1
    root, n_states, n_edges = _register(
        table, first, labels, targets, n_states, n_edges, pending_labels[:top], pending_targets[:top]
    )
    return first[: n_states + 1].copy(), labels[:n_edges].copy(), targets[:n_edges].copy(), root


@kernel
def _add_block(next_free, previous_free, head, tail, n_units):
    """Link the free slots of one more block at the end of the list; drop those of a block too old."""
    n_units += _BLOCK
    if n_units > len(next_free):
        return head, tail, n_units, False
    for slot in range(n_units - _BLOCK, n_units):
        previous_free[slot] = tail
        next_free[slot] = -1
        if tail >= 0:
            next_free[tail] = slot
        else:
            head = slot
        tail = slot
    while head >= 0 and head < n_units - _OPEN_BLOCKS * _BLOCK:
        head = next_free[head]
        previous_free[head] = -1
    return head, tail, n_units, True


@kernel
def _find_base(labels, first, last, is_used, is_base, next_free, head):
    """Return a base under which all children labels[first:last] have a free place; -1 where there is none.

    A base is no slot in use, since those of the parents are: sentencepiece refuses a unit that leads to itself.
    """
    slot = head
    while slot >= 0:
        base = slot ^ np.int64(labels[first])
        is_fit = not is_base[base] and not is_used[base]
        for edge in range(first + 1, last):
            if not is_fit:
                break
            is_fit = not is_used[base ^ np.int64(labels[edge])]
        if is_fit:
            return base
        slot = next_free[slot]
    return np.int64(-1)


@allocating_kernel
def place_states(first, labels, root, n_most):
    """Return the base of each state, and how many units they take; 0 units where `n_most` are too few."""
    n_states = len(first) - 1
    bases = np.full(n_states, -1, np.int64)
    is_used = np.zeros(n_most, np.bool_)
    is_base = np.zeros(n_most, np.bool_)
    next_free = np.empty(n_most, np.int64)
    previous_free = np.empty(n_most, np.int64)
    head = np.int64(-1)
    tail = np.int64(-1)
    n_units = 0
    # Unit 0 is the root's own. Parents are registered after their children, and placed before them.
    for state in range(n_states - 1, -1, -1):
        base = np.int64(-1)
        if n_units > 0:
            base = _find_base(labels, first[state], first[state + 1], is_used, is_base, next_free, head)
        while base < 0:
            head, tail, n_units, has_room = _add_block(next_free, previous_free, head, tail, n_units)
            if not has_room:
                return bases, 0
            if n_units == _BLOCK:
                is_used[0] = True
                head = next_free[0]
                previous_free[head] = -1
            start = max(head, n_units - _BLOCK)
            base = _find_base(labels, first[state], first[state + 1], is_used, is_base, next_free, start)
        bases[state] = base
        is_base[base] = True
        for edge in range(first[state], first[state + 1]):
            slot = base ^ np.int64(labels[edge])
            is_used[slot] = True
            before = previous_free[slot]
            after = next_free[slot]
            if before >= 0:
                next_free[before] = after
            else:
                head = after
            if after >= 0:
                previous_free[after] = before
            else:
                tail = before
    return bases, n_units


@allocating_kernel
def write_units(first, labels, targets, root, bases, n_units):
    """Return the units of placed states, uint32[n_units]. A place that is free matches no byte, not even NUL."""
    units = np.full(n_units, VALUE, np.uint32)
    units[0] = bases[root] << 10
    for state in range(len(bases)):
        for edge in range(first[state], first[state + 1]):
            label = np.int64(labels[edge])
            slot = bases[state] ^ label
            if label == 0:
                units[slot] = VALUE | np.int64(targets[edge])
                continue
            child = targets[edge]
            ends = np.int64(labels[first[child]] == 0)
            units[slot] = (slot ^ bases[child]) << 10 | ends << 8 | label
    return units


@kernel
def base_of(slot, unit):
    """Return where the children of the unit in a slot lie, counted from the start."""
    return slot ^ ((unit >> 10) << ((unit & 512) >> 6))


@allocating_kernel
def reads_byte(units, first, children, byte):
    """Tell whether any key has this byte; arguments as of `list_keys`."""
    is_seen = np.zeros(len(units), np.bool_)
    stack = np.empty(len(units) + 1, np.int64)
    stack[0] = 0
    top = 1
    while top > 0:
        top -= 1
        slot = stack[top]
        base = base_of(slot, np.int64(units[slot]))
        if base >= len(units):
            continue
        for i in range(first[base], first[base + 1]):
            child = children[i]
            if units[child] & 255 == byte:
                return True
            if not is_seen[child]:
                is_seen[child] = True
                stack[top] = child
                top += 1
    return False


@allocating_kernel
def list_keys(units, first, children, n_most):
    """Return keys, offsets and values of a double array in order, and whether `n_most` steps were enough.

    children[first[b]:first[b+1]] are the slots of the children that lie at base b, by byte. A damaged array may lead
    in circles, so steps and bytes of keys are counted.
    """
    keys = np.empty(1024, np.uint8)
    offsets = np.zeros(256, np.int64)
    values = np.empty(256, np.int64)
    n = 0
    steps = 0
    # One frame for each byte of the current key: its byte, and which of the children below come next.
    key = np.empty(64, np.uint8)
    next_child = np.empty(64, np.int64)
    last_child = np.empty(64, np.int64)
    depth = 0
    slot = np.int64(0)
    while depth >= 0 and steps <= n_most:
        # The unit in `slot` is new: note the key that ends here, and go on with its children.
        steps += 1
        unit = np.int64(units[slot])
        base = base_of(slot, unit)
        if depth > 0 and unit & 256 and base < len(units):
            if n + 2 > len(offsets):
                offsets = np.concatenate((offsets, np.zeros(len(offsets), np.int64)))
                values = np.concatenate((values, np.empty(len(values), np.int64)))
            while offsets[n] + depth > len(keys):
                keys = np.concatenate((keys, np.empty(len(keys), np.uint8)))
            keys[offsets[n] : offsets[n] + depth] = key[:depth]
            offsets[n + 1] = offsets[n] + depth
            values[n] = np.int64(units[base]) & 0x7FFFFFFF
            n += 1
            steps += depth
        if depth == len(key):
            key = np.concatenate((key, np.empty(depth, np.uint8)))
            next_child = np.concatenate((next_child, np.empty(depth, np.int64)))
            last_child = np.concatenate((last_child, np.empty(depth, np.int64)))
        next_child[depth] = first[base] if base < len(units) else 0
        last_child[depth] = first[base + 1] if base < len(units) else 0
        while depth >= 0 and next_child[depth] == last_child[depth]:
            depth -= 1
        if depth >= 0:
            slot = np.int64(children[next_child[depth]])
            next_child[depth] += 1
            key[depth] = units[slot] & 255
            depth += 1
    return keys[: offsets[n]], offsets[: n + 1], values[:n], steps <= n_most
