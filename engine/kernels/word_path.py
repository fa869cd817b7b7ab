"""One word: its letters, and its best path with how far the runner-up is behind.

The runner-up leaves the best path somewhere and joins it again for good at some place, by another piece: so it is
behind by the least that, at the places of the best path, the second best piece to end there is. One number more a
place is enough to know the margin.
"""

import numpy as np

from engine.kernels.jit import inlined_kernel, kernel
from engine.kernels.normalize import longest_rule, target_end
from engine.kernels.packed_trie import BEGINS, FOLLOWS, IS_RULE
from engine.kernels.trie_walk import longest_match

_SPACE = 0x20
_MARKER = 0x2581
LETTER_BITS = 21
LETTER = (1 << LETTER_BITS) - 1
"""A row of the table of letters: the letter's number below, what rules do with it above."""
_IS_RULE, _BEGINS, _FOLLOWS = IS_RULE << LETTER_BITS, BEGINS << LETTER_BITS, FOLLOWS << LETTER_BITS
_NEEDS_CARE = _IS_RULE | _FOLLOWS
_ONE = np.uint64(1)
_TWO = np.uint64(2)
_LOW_HALF = (1 << 32) - 1
_SURELY_WITHIN = 15 / 16
"""A sum known but for roundings that is within this part of the largest one is so with all of them."""


@inlined_kernel
def character_at(data, at):
    """Return the character that begins at a byte of well-formed UTF-8, and its length in bytes."""
    lead = np.int64(data[at])
    if lead < 0x80:
        return lead, 1
    if lead < 0xE0:
        return (lead & 0x1F) << 6 | np.int64(data[at + 1]) & 0x3F, 2
    middle = np.int64(data[at + 1]) & 0x3F
    if lead < 0xF0:
        return (lead & 0x0F) << 12 | middle << 6 | np.int64(data[at + 2]) & 0x3F, 3
    low = (np.int64(data[at + 2]) & 0x3F) << 6 | np.int64(data[at + 3]) & 0x3F
    return (lead & 0x07) << 18 | middle << 12 | low, 4


@inlined_kernel
def row_of(rows, character):
    """Return what the table of letters says of a character."""
    return np.int64(rows[character]) if character < len(rows) else 0


@inlined_kernel
def read_letters(utf8, start, end, rows, letters):
    """Write the marker's letter and those of a word's characters as they are; return how many, and what rules may do.

    There must be room for one more than there are bytes. -1 letters where the word holds a marker.
    """
    letters[0] = rows[_MARKER] & LETTER
    n = 1
    met = np.int64(0)
    at = start
    while at < end:
        character, length = character_at(utf8, at)
        if character == _MARKER:
            return -1, False
        row = row_of(rows, character)
        met |= row
        letters[n] = row & LETTER
        n += 1
        at += length
    return n, met & _NEEDS_CARE != 0


@kernel
def _put_target(data, at, drops_spaces, code_points, n):
    """Write a NUL-terminated text behind the first n characters: spaces as markers, the first ones dropped on request.

    Returns how many characters there are then, -1 for too many.
    """
    while data[at] != 0:
        character, step = character_at(data, at)
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


@inlined_kernel
def _is_left_alone(utf8, at, end, row, rows):
    """Tell whether surely no rule reads the character before `at`, whose row this is, first."""
    if row & _IS_RULE:
        return False
    if not row & _BEGINS or at >= end:
        return True
    return row_of(rows, character_at(utf8, at)[0]) & _FOLLOWS == 0


@kernel
def read_word(utf8, start, end, rules, rows, code_points):
    """Write the code points of one normalized word and return how many; -1 where there are too many.

    Does what `normalize_utf8` does with `word_rules`: a marker first, then the word, its spaces as markers, none of
    them twice or last. The word has at least one byte.
    """
    if len(code_points) < 2 + end - start:
        return -1
    code_points[0] = _MARKER
    n = 1
    units, targets = rules.units, rules.targets
    utf8 = utf8[:end]  # what follows belongs to another text, if it is no space
    has_symbols = len(rules.symbols.node_ids) > 1
    drops_spaces = True
    at = start
    while at < end and n >= 0:
        character, step = character_at(utf8, at)
        length, value = 0, np.int64(-1)
        if not _is_left_alone(utf8, at + step, end, row_of(rows, character), rows):
            length = longest_match(rules.symbols, utf8, at) if has_symbols else 0
            if length == 0:
                length, value = longest_rule(units, utf8, at)
                if length == 0 or value >= len(targets):
                    length, value = 0, np.int64(-1)
        stop = at + max(length, step)
        if value < 0:
            if n + stop - at > len(code_points):
                return -1
            while at < stop:
                code_points[n], step = character_at(utf8, at)
                at += step
                n += 1
            drops_spaces = False
            continue
        if targets[value] != 0:
            n = _put_target(targets, value, drops_spaces, code_points, n)
            drops_spaces = targets[target_end(targets, value) - 1] == _SPACE
        at += length
    while n > 0 and code_points[n - 1] == _MARKER:
        n -= 1
    return n


@inlined_kernel
def letters_of(code_points, n, rows, letters):
    """Write the letters of n characters."""
    for i in range(n):
        letters[i] = row_of(rows, np.int64(code_points[i])) & LETTER


@inlined_kernel
def _touch(letters, n, links):
    """Load where the second step from every place leads, so that these loads need not wait for one another.

    A walk ends where nobody can foresee, and only then does the processor go on with the next one. Returns a number
    without a meaning, lest the compiler drop the loads.
    """
    touched = np.int64(0)
    for i in range(n - 1):
        base = links[np.uint64(2 * np.int64(letters[i]))] & _LOW_HALF
        touched ^= links[np.uint64(2 * (base + np.int64(letters[i + 1])))]
    return touched


@inlined_kernel
def _behind_gap(letters, at, stop, gap, gaps, gap_first, characters):
    """Return where a gap ends that begins with letter `at`; -1 where the letters differ, or none comes behind it."""
    i = np.int64(gap_first[gap])
    gap_stop = np.int64(gap_first[gap + 1])
    if at + gap_stop - i >= stop:
        return np.int64(-1)
    while i < gap_stop:
        if characters[letters[at]] != gaps[i]:
            return np.int64(-1)
        at += 1
        i += 1
    return at


@inlined_kernel
def best_sums(letters, n, packed, first, second, back):
    """Fill the sums of the best path to each place, of the next best piece to end there, and where the best came from.

    `back` holds the start of the last piece in its upper half and the piece's slot in the lower, 0 for the unknown one;
    letters is uint32[n], first and second float64[n+1], back int64[n+1]. A sum is -inf where nothing ends. `packed` is
    an `engine.packed_trie.PackedTrie`.
    """
    links, step_scores, pieces, unknown_score = packed.links, packed.step_scores, packed.pieces, packed.unknown_score
    gaps, gap_first, characters = packed.gaps, packed.gap_first, packed.characters
    for i in range(1, n + 1):
        first[i] = -np.inf
        second[i] = -np.inf
    first[0] = 0.0
    back[0] = _touch(letters, n, links)
    has_gaps = len(gap_first) > 1
    stop = np.uint64(n)
    start = np.uint64(0)
    while start < stop:
        so_far = first[start]
        origin = np.int64(start) << 32
        if letters[start] == 0:
            # No piece holds this character, so nothing else ends behind it.
            start += _ONE
            first[start] = so_far + unknown_score
            back[start] = origin
            continue
        slot = np.int64(letters[start])
        link = links[np.uint64(2 * slot)]
        node = np.int64(0)
        end = start
        while True:
            while link >> 32 == node:
                # A node that is no piece scores -inf: nothing changes, and there is no branch to foresee.
                score = so_far + step_scores[np.uint64(2 * slot + 1)]
                end += _ONE
                best = first[end]
                is_better = score > best
                loser = best if is_better else score
                first[end] = score if is_better else best
                second[end] = loser if loser > second[end] else second[end]
                back[end] = origin | slot if is_better else back[end]
                if end == stop:
                    break
                node = slot
                slot = (link & _LOW_HALF) + np.int64(letters[end])
                link = links[np.uint64(2 * slot)]
            if not has_gaps or end == stop or node <= 0 or pieces[node] >= -1:
                break
            behind = _behind_gap(letters, np.int64(end), n, -2 - np.int64(pieces[node]), gaps, gap_first, characters)
            if behind < 0:
                break
            end = np.uint64(behind)
            slot = (links[np.uint64(2 * node)] & _LOW_HALF) + np.int64(letters[end])
            link = links[np.uint64(2 * slot)]
            node = -1 - node
        if end == start or pieces[np.uint64(letters[start])] < 0:
            end = start + _ONE
            score = so_far + unknown_score
            best = first[end]
            if score > best:
                second[end] = best
                first[end] = score
                back[end] = origin
            elif score > second[end]:
                second[end] = score
        start += _ONE


@inlined_kernel
def trace_path(n, pieces, first, second, back, edges):
    """Write the pieces of the best path at the end of `edges`.

    Returns where they begin, by how much it is better than the runner-up (NaN where no path has a finite sum), and
    whether an unknown character is in it.
    """
    at = len(edges)
    margin = np.inf
    if first[n] == -np.inf:
        return at, np.nan, False
    has_unknown = False
    place = n
    while place > 0:
        slot = back[place] & _LOW_HALF
        margin = min(margin, first[place] - second[place])
        at -= 1
        edges[at] = pieces[slot]
        has_unknown = has_unknown or slot == 0
        place = back[place] >> 32
    return at, margin, has_unknown


@inlined_kernel
def piece_of(letters, start, end, packed):
    """Return the piece that is exactly some letters, -1 for none."""
    links, pieces = packed.links, packed.pieces
    slot = np.int64(0)
    at = np.int64(start)
    while at < end:
        above = slot
        if slot > 0 and pieces[slot] < -1:
            gap = -2 - np.int64(pieces[slot])
            at = _behind_gap(letters, at, end, gap, packed.gaps, packed.gap_first, packed.characters)
            if at < 0:
                return np.int64(-1)
            above = -1 - slot
        slot = (links[2 * slot] & _LOW_HALF) + np.int64(letters[at])
        if links[2 * slot] >> 32 != above:
            return np.int64(-1)
        at += 1
    return max(np.int64(pieces[slot]), np.int64(-1))


@inlined_kernel
def limit_of_path(first, margin, n, tables):
    """Return up to which |S| the path of n characters serves, see `kernels.encode`; negative or NaN: never.

    `first` holds the sums of the best paths to each place, float64[n+1]; `tables` is an `engine.encoder.Tables`.
    """
    if n == 0:
        return np.inf
    limit = margin / (4.0 * tables.roundoff * n) - abs(first[n]) - 2.0 * tables.highest * n
    # No piece scores less than an unknown character does, but symbols above 0.
    farthest = n * max(abs(tables.packed.unknown_score), tables.highest)
    if farthest > (1.0 - _SURELY_WITHIN) * tables.largest_sum:
        farthest = 0.0
        for place in range(n):
            farthest = max(farthest, abs(first[place]))
    unmoved = _SURELY_WITHIN * tables.largest_sum - farthest
    return unmoved if unmoved < limit else limit  # not min, which need not keep a NaN
