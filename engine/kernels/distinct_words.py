"""The distinct stretches between blanks (U+0020) of texts, numbered in order of first appearance.

A table is `slots`, open addressing in a power of two of int64, -1 where free, else the upper half of the word's hash
above its number; `pool`, the bytes of all words one after the other, `offsets`, where each begins; `totals`, how often
each occurs. Words that come often come early, so their bytes lie close together, wherever they stand in the texts.
"""

import numpy as np

from engine.kernels.eight_bytes import are_same, find_byte, hash_bytes, part_of
from engine.kernels.jit import inlined_kernel, kernel

BLANK = 0x20
_NUMBER = 0xFFFFFFFF


@kernel
def count_chunks(utf8, offsets, first, last, n_chunks):
    """Write how many stretches without a blank texts first..last-1 have."""
    for text in range(first, last):
        n = 0
        before = True
        for i in range(offsets[text], offsets[text + 1]):
            is_blank = utf8[i] == BLANK
            if before and not is_blank:
                n += 1
            before = is_blank
        n_chunks[text] = n


@inlined_kernel
def _tag(code):
    """Return what a slot keeps of a hash: its upper 31 bits, in place."""
    return np.int64(code >> np.uint64(33)) << 32


@inlined_kernel
def _number_of(code, utf8, start, end, slots, pool, offsets, totals, n):
    """Return the number of a word with the hash `code`, entering it as number n where it is new; there must be room."""
    tag = _tag(code)
    slot = np.int64(code & np.uint64(len(slots) - 1))
    while slots[slot] >= 0:
        if slots[slot] & ~_NUMBER == tag:
            word = slots[slot] & _NUMBER
            at = offsets[word]
            if offsets[word + 1] - at == end - start and are_same(utf8, start, end, pool, at):
                return word
        slot = (slot + 1) & (len(slots) - 1)
    slots[slot] = tag | n
    at = offsets[n]
    for i in range(start, end):
        pool[at + i - start] = utf8[i]
    offsets[n + 1] = at + end - start
    totals[n] = 0
    return n


@kernel
def enter_words(utf8, text_offsets, counts, first, last, longest, slots, pool, offsets, totals, n):
    """Enter the stretches of texts first..last-1 into a table of n words; return (next text, how many there are).

    totals adds up the texts' counts. Texts of more than `longest` bytes are left out. Stops before a text for which
    there may be no room: `totals` has half as many rows as there are slots.
    """
    for text in range(first, last):
        i, stop = text_offsets[text], text_offsets[text + 1]
        if stop - i > longest:
            continue
        if n + (stop - i + 1) // 2 > len(totals) or offsets[n] + stop - i > len(pool):
            return text, n
        while i < stop:
            if utf8[i] == BLANK:
                i += 1
                continue
            start = i
            i = find_byte(utf8, i, stop, BLANK)
            code = hash_bytes(utf8, start, i)
            word = _number_of(code, utf8, start, i, slots, pool, offsets, totals, n)
            n = max(n, word + 1)
            totals[word] += counts[text]
    return last, n


@kernel
def enter_chunks(utf8, text_offsets, first, last, counts, chunk_offsets, slots, pool, offsets, totals, n, words):
    """Enter the stretches of texts first..last-1 as `enter_words` does, and write which words they are.

    The k-th stretch of a text is word words[chunk_offsets[text] + k].
    """
    for text in range(first, last):
        i, stop = text_offsets[text], text_offsets[text + 1]
        if n + chunk_offsets[text + 1] - chunk_offsets[text] > len(totals) or offsets[n] + stop - i > len(pool):
            return text, n
        for chunk in range(chunk_offsets[text], chunk_offsets[text + 1]):
            while utf8[i] == BLANK:
                i += 1
            start = i
            i = find_byte(utf8, i, stop, BLANK)
            code = hash_bytes(utf8, start, i)
            word = _number_of(code, utf8, start, i, slots, pool, offsets, totals, n)
            n = max(n, word + 1)
            totals[word] += counts[text]
            words[chunk] = word
    return last, n


@kernel
def join_words(other_pool, other_offsets, other_totals, slots, pool, offsets, totals, n, numbers):
    """Enter the words of another table, for which there is room; return how many there are.

    Word i of the other is word numbers[i] of this one from now on.
    """
    for i in range(len(numbers)):
        start, end = other_offsets[i], other_offsets[i + 1]
        code = hash_bytes(other_pool, start, end)
        word = _number_of(code, other_pool, start, end, slots, pool, offsets, totals, n)
        n = max(n, word + 1)
        totals[word] += other_totals[i]
        numbers[i] = word
    return n


@kernel
def part_of_words(pool, offsets, n_words, n_parts, parts, sizes):
    """Write which of `n_parts` parts each of words 0..n_words-1 is in, by its hash, and add up its bytes there.

    sizes[p] is how many words part p has, and how many bytes.
    """
    for word in range(n_words):
        code = hash_bytes(pool, offsets[word], offsets[word + 1])
        part = part_of(code, n_parts)
        parts[word] = part
        sizes[part, 0] += 1
        sizes[part, 1] += offsets[word + 1] - offsets[word]


@kernel
def join_part(other_pool, other_offsets, other_totals, parts, part, slots, pool, offsets, totals, n):
    """Enter the words of another table that are in one part, for which there is room; return how many there are."""
    for i in range(len(parts)):
        if parts[i] != part:
            continue
        start, end = other_offsets[i], other_offsets[i + 1]
        code = hash_bytes(other_pool, start, end)
        word = _number_of(code, other_pool, start, end, slots, pool, offsets, totals, n)
        n = max(n, word + 1)
        totals[word] += other_totals[i]
    return n


@kernel
def fill_slots(slots, pool, offsets, n):
    """Enter words 0..n-1 into empty slots: of a table that has grown."""
    for word in range(n):
        code = hash_bytes(pool, offsets[word], offsets[word + 1])
        slot = np.int64(code & np.uint64(len(slots) - 1))
        while slots[slot] >= 0:
            slot = (slot + 1) & (len(slots) - 1)
        slots[slot] = _tag(code) | word


@kernel
def renumber(words, numbers):
    """Write numbers[w] in the place of each word w."""
    for i in range(len(words)):
        words[i] = numbers[words[i]]
