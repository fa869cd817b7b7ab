"""Suffixes of many texts, sorted to a bounded depth: the repeated substrings, and where a given text occurs.

In: flat texts with counts. Out: runs of sorted suffixes. Sorting is prefix doubling with a radix sort whose first
key packs as many characters as fit, so that usually two or three rounds are enough (Manber and Myers 1993; the
walk over nodes is that of Abouelhoda, Kurtz and Ohlebusch 2004).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from engine.flat_texts import FlatTexts
from engine.kernels import suffix_array as kernels
from engine.kernels.count_units import MARKER
from engine.shards import Checkpoint, slices
from engine.spec import TrainerSpec

SLICE = 1 << 18
"""Suffixes or edges handed to a kernel at once."""

_FACTOR_HELD = 3  # times the candidates wanted: so many are held before the worst are let go
_PACKED_BITS = 62  # of a non-negative int64 key


def ranges(n: int) -> Iterator[tuple[int, int]]:
    """Yield runs of 0..n-1 that a kernel passes over in a few milliseconds."""
    for first in range(0, n, SLICE):
        yield first, min(first + SLICE, n)


@dataclass(frozen=True, eq=False)
class Substrings:
    """Substrings as runs of sorted suffixes: left end, size, length in characters, weight; one row each."""

    left: np.ndarray
    size: np.ndarray
    length: np.ndarray
    weight: np.ndarray

    @classmethod
    def joined(cls, parts: list[tuple[np.ndarray, ...]]) -> Substrings:
        """Concatenate columns."""
        return cls(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))

    def columns(self) -> tuple[np.ndarray, ...]:
        """Return the four columns."""
        return self.left, self.size, self.length, self.weight

    def where(self, chosen: np.ndarray) -> Substrings:
        """Return the chosen rows, in that order."""
        return Substrings(*(column[chosen] for column in self.columns()))

    @property
    def scores(self) -> np.ndarray:
        """Return weight x length, int64[n] (sentencepiece, MakeSeedSentencePieces)."""
        return self.weight * self.length

    def at_least_as_good_as(self, n: int) -> Substrings:
        """Return the `n` best by score, and whatever is as good as the last of them."""
        scores = self.scores
        if len(scores) <= n:
            return self
        return self.where(np.flatnonzero(scores >= np.partition(scores, len(scores) - n)[len(scores) - n]))


class SuffixArray:
    """The suffixes of `texts`, in the order of their first `longest` + 1 characters.

    Parameters
    ----------
    texts : FlatTexts
    counts : int64[n]
        Weight of each text.
    longest : int
        Longest substring of interest.
    checkpoint
        Called between slices with the fraction done.

    Attributes
    ----------
    order : int32[n_characters]
        Positions of the suffixes, sorted.
    alphabet : int32[k]
        The characters that occur, ascending.
    """

    def __init__(self, texts: FlatTexts, counts: np.ndarray, longest: int, checkpoint: Checkpoint) -> None:
        self.texts = texts
        self.counts = counts
        self.longest = longest
        self._checkpoint = checkpoint
        self._n = len(texts.code_points)
        self._number_symbols()
        self.order = self._sort()

    def _number_symbols(self) -> None:
        """Number the characters densely in order of code point; note each suffix's text and length."""
        self.alphabet = self._used_code_points()
        numbers = np.zeros(int(self.alphabet[-1]) + 1, dtype=np.int32)
        numbers[self.alphabet] = np.arange(1, len(self.alphabet) + 1)
        self._numbers = numbers
        self._symbols = np.empty(self._n, dtype=np.int32)
        for first, last in ranges(self._n):
            self._checkpoint(0.05)
            self._symbols[first:last] = numbers[self.texts.code_points[first:last]]
        self._room = np.empty(self._n, dtype=np.uint16)
        self._text_of = np.empty(self._n, dtype=np.int32)
        for first, last in self._text_slices():
            kernels.fill_rooms(self.texts.offsets, first, last, self.longest + 1, self._room, self._text_of)

    def _used_code_points(self) -> np.ndarray:
        is_used = np.zeros(0x110000, dtype=bool)
        for first, last in ranges(self._n):
            is_used[self.texts.code_points[first:last]] = True
        return np.flatnonzero(is_used).astype(np.int32)

    def _text_slices(self) -> Iterator[tuple[int, int]]:
        return slices(self.texts.offsets, 0, len(self.texts), SLICE)

    def _sort(self) -> np.ndarray:
        bits = len(self.alphabet).bit_length()
        n_packed = _PACKED_BITS // bits
        keys = np.empty(self._n, dtype=np.int64)
        order = np.empty(self._n, dtype=np.int32)
        for first, last in self._text_slices():
            kernels.fill_first_keys(self._symbols, self.texts.offsets, first, last, bits, n_packed, keys, order)
        keys, order = self._radix_sort(keys, order, n_packed * bits)
        rank = np.empty(self._n, dtype=np.int32)
        sorted_to = n_packed
        while sorted_to <= self.longest:
            highest = self._rank(keys, order, rank)
            if highest == self._n:
                break
            for first, last in ranges(self._n):
                self._checkpoint(0.3)
                kernels.fill_next_keys(
                    order, rank, self.texts.offsets, self._text_of, first, last, sorted_to, keys
                )
            keys, order = self._radix_sort(keys, order, 32 + highest.bit_length())
            sorted_to *= 2
        return order

    def _rank(self, keys: np.ndarray, order: np.ndarray, rank: np.ndarray) -> int:
        highest = 0
        for first, last in ranges(self._n):
            self._checkpoint(0.3)
            highest = kernels.assign_ranks(keys, order, first, last, highest, rank)
        return int(highest)

    def _radix_sort(self, keys: np.ndarray, order: np.ndarray, n_bits: int) -> tuple[np.ndarray, np.ndarray]:
        """Sort by key, least significant digit first; digits that never vary are skipped."""
        keys_out, order_out = np.empty_like(keys), np.empty_like(order)
        for shift in range(0, n_bits, kernels.RADIX_BITS):
            digit_counts = np.zeros(1 << kernels.RADIX_BITS, dtype=np.int64)
            for first, last in ranges(self._n):
                self._checkpoint(0.2)
                kernels.count_digits(keys, first, last, shift, digit_counts)
            if digit_counts.max() == self._n:
                continue
            places = np.cumsum(digit_counts) - digit_counts
            for first, last in ranges(self._n):
                self._checkpoint(0.2)
                kernels.scatter_digits(keys, order, first, last, shift, places, keys_out, order_out)
            keys, keys_out = keys_out, keys
            order, order_out = order_out, order
        return keys, order

    def substrings(
        self, spec: TrainerSpec, *, by_node: bool, min_weight: int, reach: np.ndarray | None = None
    ) -> Substrings:
        """Return the substrings of 2 to `longest` characters that may be pieces and weigh `min_weight`.

        With `by_node` only those that go on in two ways or end (internal nodes of the suffix tree); otherwise all.
        `reach` (uint16[n_characters]) limits how far a piece may go from each position.
        """
        common = np.empty(self._n, dtype=np.uint16)
        for first, last in ranges(self._n):
            self._checkpoint(0.5)
            kernels.fill_common_prefixes(self._symbols, self.order, self._room, first, last, common)
        depth = self.longest + 2
        stack = [np.zeros(depth + 1, dtype=np.int64) for _ in range(3)]
        n_most = 2 * (SLICE + depth) * (1 if by_node else depth)
        columns = [np.empty(n_most, dtype) for dtype in (np.int32, np.int32, np.uint16, np.int64)]
        top, found, parts = -1, 0, []
        for first, last in ranges(self._n):
            self._checkpoint(0.6)
            top, n = kernels.walk_intervals(
                self._symbols, self.order, common, self._room, self._room if reach is None else reach,
                self._text_of, self.counts, first, last, min_weight, self.longest, by_node,
                self._number_of_marker(), spec.split_by_whitespace, spec.treat_whitespace_as_suffix,
                spec.allow_whitespace_only_pieces, *stack, top, *columns, 0,
            )  # fmt: skip
            parts.append(tuple(column[:n].copy() for column in columns))
            found += n
            if found > _FACTOR_HELD * spec.seed_sentencepiece_size:  # most are far from the best: hold no more
                parts = [Substrings.joined(parts).at_least_as_good_as(spec.seed_sentencepiece_size).columns()]
                found = len(parts[0][0])
        return Substrings.joined(parts)

    def _number_of_marker(self) -> int:
        number = int(self._numbers[MARKER]) if len(self._numbers) > MARKER else 0
        return number or -1

    def runs_of(self, texts: FlatTexts) -> tuple[np.ndarray, np.ndarray]:
        """Return left end and size, int32[n] each, of the run of suffixes that begin with each text."""
        is_known = texts.code_points < len(self._numbers)
        symbols = np.zeros(len(texts.code_points), dtype=np.int32)
        symbols[is_known] = self._numbers[texts.code_points[is_known]]
        left, size = (np.empty(len(texts), dtype=np.int32) for _ in range(2))
        for first, last in ranges(len(texts)):
            for start in range(first, last, SLICE // 64):
                self._checkpoint(0.7)
                stop = min(start + SLICE // 64, last)
                kernels.find_runs(
                    self._symbols, self.order, self._room, symbols, texts.offsets, start, stop, left, size
                )
        return left, size
