"""What is counted of texts as they stand: words, scripts; and of their tokens.

A word is a stretch without white space, as Python's str.split() has it. Texts are well-formed UTF-8.
"""

import numpy as np

from engine.kernels.jit import allocating_kernel, kernel

UNKNOWN_TOKEN, BYTE_TOKEN, SINGLE_TOKEN = 1, 2, 4
"""Flags of a token: the unknown piece, a byte piece, a piece of one character."""


@kernel
def space_length(utf8, i, stop):
    """Return how many bytes the white space at byte i takes; 0 where there is none."""
    lead = utf8[i]
    if lead < 0x80:
        return 1 if 0x09 <= lead <= 0x0D or 0x1C <= lead <= 0x20 else 0
    if lead == 0xC2 and i + 1 < stop:
        return 2 if utf8[i + 1] == 0x85 or utf8[i + 1] == 0xA0 else 0
    if i + 2 >= stop:
        return 0
    second, third = utf8[i + 1], utf8[i + 2]
    if lead == 0xE1:
        return 3 if second == 0x9A and third == 0x80 else 0
    if lead == 0xE2 and second == 0x80:
        return 3 if third <= 0x8A or third == 0xA8 or third == 0xA9 or third == 0xAF else 0
    if lead == 0xE2:
        return 3 if second == 0x81 and third == 0x9F else 0
    return 3 if lead == 0xE3 and second == 0x80 and third == 0x80 else 0


@kernel
def next_word(utf8, i, stop):
    """Return the bounds of the first word from byte i on; both are `stop` where there is none."""
    while i < stop:
        length = space_length(utf8, i, stop)
        if length == 0:
            break
        i += length
    end = i
    while end < stop and space_length(utf8, end, stop) == 0:
        end += 1
    return i, end


@kernel
def count_words(utf8, offsets, first, last, n_words):
    """Write how many words texts first..last-1 have."""
    for text in range(first, last):
        n = 0
        i, stop = offsets[text], offsets[text + 1]
        while True:
            start, i = next_word(utf8, i, stop)
            if start == i:
                break
            n += 1
        n_words[text] = n


@allocating_kernel
def find_main_scripts(utf8, offsets, first, last, script, is_shared, none, main):
    """Write the most frequent script of texts first..last-1, the first one in a tie; `none` where all are shared."""
    tally = np.zeros(256, np.int64)
    for text in range(first, last):
        tally[:] = 0
        i, stop = offsets[text], offsets[text + 1]
        while i < stop:
            lead = utf8[i]
            if lead < 0x80:
                tally[script[lead]] += 1
                i += 1
                continue
            length = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
            code_point = np.int64(lead) & (0x7F >> length)
            for j in range(i + 1, min(i + length, stop)):
                code_point = code_point << 6 | np.int64(utf8[j]) & 0x3F
            tally[script[code_point]] += 1
            i += length
        best = none
        for s in range(256):
            if tally[s] and not is_shared[s] and (best == none or tally[s] > tally[best]):
                best = s
        main[text] = best


@kernel
def tally_tokens(ids, offsets, texts, counts, blocks, flags, block_pieces, unknown, byte, single):
    """Add the tokens of texts to block_pieces[block, ID]; write how many of each text are unknown, bytes, single.

    Run i of the IDs belongs to text texts[i] of the corpus.
    """
    for i in range(len(offsets) - 1):
        text = texts[i]
        block, count = blocks[text], counts[text]
        for t in range(offsets[i], offsets[i + 1]):
            piece = ids[t]
            block_pieces[block, piece] += count
            kind = flags[piece]
            if kind & UNKNOWN_TOKEN:
                unknown[text] += 1
            if kind & BYTE_TOKEN:
                byte[text] += 1
            if kind & SINGLE_TOKEN:
                single[text] += 1


@kernel
def find_lossless(
    utf8, text_offsets, texts, ids, offsets, surface, surface_offsets, is_matched, is_byte, has_marker,
    strips_prefix, strips_all, lossless,
):  # fmt: skip
    """Write for each run of IDs, that of text texts[i], whether decoding gives the text's own bytes.

    surface[surface_offsets[p]:surface_offsets[p+1]] is what piece p writes, the marker as a space. The rules on
    leading markers are those of engine.byte_fallback; bytes that come from encoding are always well-formed.
    """
    for i in range(len(offsets) - 1):
        at, stop = text_offsets[texts[i]], text_offsets[texts[i] + 1]
        at_start = True
        same = True
        for t in range(offsets[i], offsets[i + 1]):
            piece = ids[t]
            start, end = surface_offsets[piece], surface_offsets[piece + 1]
            dropped = False
            if at_start and not is_byte[piece]:
                if is_matched[piece] and strips_prefix and has_marker[piece]:
                    start += 1
                    dropped = True
                at_start = end == start and (strips_all or not dropped)
            else:
                at_start = False
            if end - start > stop - at:
                same = False
                break
            for k in range(end - start):
                if surface[start + k] != utf8[at + k]:
                    same = False
                    break
            if not same:
                break
            at += end - start
        lossless[texts[i]] = same and at == stop
