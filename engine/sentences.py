"""The sentences of SentencePiece's trainer, in its order: whole words, with a mark for what no piece may hold.

In: running texts. Out: Units to build lattices on. Where only the value of the sums counts, texts are cut wherever no
piece spans, and unknown characters are left out (`words`); where their rounding counts, this is what is summed.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

import numpy as np

from engine.flat_texts import FlatTexts
from engine.kernels import count_units as kernels
from engine.kernels.suffix_array import gather_texts
from engine.shards import Checkpoint, Workers, slices
from engine.spec import TrainerSpec
from engine.tables import N_CODE_POINTS
from engine.unit_tables import UnitTable
from engine.words import RunningTexts, Units

_SLICE = 1 << 18  # characters handed to a kernel at once
_CHARACTER_BITS, _PACKED = 21, 3  # so many characters make a key of 63 bits


def sentences(
    workers: Workers, running: RunningTexts, spec: TrainerSpec, units: Units
) -> Generator[float, None, Units]:
    """Return the sentences as Units, the rest of `units` unchanged; yields the fraction done.

    With split_by_whitespace these are the distinct words, most frequent first, equal counts in order of text;
    otherwise the texts as they follow (sentencepiece 0.2.1, SplitSentencesByWhitespace). There a text that occurs again
    is summed again in its place; here, where a corpus holds a text once, with its count.
    """

    def find(_: int, checkpoint: Checkpoint) -> Units:
        texts, counts = _counted_words(running, spec, checkpoint) if spec.split_by_whitespace else _texts(running)
        return replace(units, texts=texts, counts=counts)

    [found] = yield from workers.run(find)
    return found


def _texts(running: RunningTexts) -> tuple[FlatTexts, np.ndarray]:
    """Return the texts without the NULs behind them, empty ones left out."""
    code_points = running.texts.code_points
    sizes = np.diff(running.texts.offsets) - 1
    counts = running.counts[sizes > 0]
    counts.setflags(write=False)
    return FlatTexts(code_points[code_points != 0], np.append(0, np.cumsum(sizes[sizes > 0]))), counts


def _counted_words(
    running: RunningTexts, spec: TrainerSpec, checkpoint: Checkpoint
) -> tuple[FlatTexts, np.ndarray]:
    """Return the distinct words in order."""
    table, n = UnitTable(), len(running.counts)
    flags = np.zeros(N_CODE_POINTS, dtype=np.uint8)
    flags[0] = kernels.NEVER  # the end of a text
    for first, last in slices(running.texts.offsets, 0, n, _SLICE):
        checkpoint(first / n)
        table.enter(*_words(running, spec, first, last), flags, lambda _: None)
    return _by_count_and_text(*table.used(), checkpoint)


def _words(running: RunningTexts, spec: TrainerSpec, first: int, last: int) -> tuple[FlatTexts, np.ndarray]:
    """Return every word of texts first..last-1, the last of a text with its NUL, and the count of the text it is in."""
    offsets = running.texts.offsets[first : last + 1] - running.texts.offsets[first]
    code_points = running.texts.code_points[running.texts.offsets[first] : running.texts.offsets[last]]
    is_start = np.zeros(len(code_points), dtype=bool)
    is_start[offsets[:-1]] = True
    is_marker = code_points == kernels.MARKER
    before, after = is_marker[:-1], is_marker[1:]
    is_cut = before if spec.treat_whitespace_as_suffix else after
    if spec.allow_whitespace_only_pieces:
        is_cut = is_cut & ~(before & after)
    is_start[1:] |= is_cut
    starts = np.flatnonzero(is_start)
    counts = running.counts[first:last][np.searchsorted(offsets, starts, side="right") - 1]
    counts.setflags(write=False)
    return FlatTexts(code_points, np.append(starts, len(code_points))), counts


def _by_count_and_text(
    texts: FlatTexts, counts: np.ndarray, checkpoint: Checkpoint
) -> tuple[FlatTexts, np.ndarray]:
    """Sort distinct texts by count, highest first, then by text."""
    order = np.argsort(-counts, kind="stable")
    rank = np.cumsum(np.append(False, np.diff(counts[order]) != 0))
    depth = 0
    while True:
        checkpoint(1.0)
        sizes = np.bincount(rank)
        tied = np.flatnonzero(sizes[rank] > 1)
        if not len(tied):
            break
        keys = _packed(texts, order[tied], depth)
        by_key = np.argsort(keys, kind="stable")
        checkpoint(1.0)
        by_key = by_key[np.argsort(rank[tied][by_key], kind="stable")]
        order[tied] = order[tied][by_key]
        is_new = np.ones(len(order), dtype=bool)
        is_new[1:] = np.diff(rank) != 0
        is_new[tied[1:]] |= np.diff(keys[by_key]) != 0
        rank = np.cumsum(is_new) - 1
        depth += _PACKED
    return _in_order(texts, order), counts[order]


def _packed(texts: FlatTexts, chosen: np.ndarray, depth: int) -> np.ndarray:
    """Return the next characters of each chosen text, from `depth` on, as one number; 0 behind the end."""
    starts, ends = texts.offsets[chosen] + depth, texts.offsets[chosen + 1]
    keys = np.zeros(len(chosen), dtype=np.int64)
    for place in range(_PACKED):
        is_inside = starts + place < ends
        keys <<= _CHARACTER_BITS
        keys[is_inside] |= texts.code_points[starts[is_inside] + place] + 1
    return keys


def _in_order(texts: FlatTexts, order: np.ndarray) -> FlatTexts:
    starts, lengths = texts.offsets[order], np.diff(texts.offsets)[order].astype(np.int32)
    offsets = np.append(0, np.cumsum(lengths, dtype=np.int64))
    gathered = np.empty(offsets[-1], dtype=np.int32)
    for first, last in slices(offsets, 0, len(order), _SLICE):
        gather_texts(texts.code_points, starts, lengths, offsets, first, last, gathered)
    return FlatTexts(gathered, offsets)
