"""Suffixes of many texts, sorted to a bounded depth: the repeated substrings, and where a given text occurs.

In: flat texts with counts. Out: runs of sorted suffixes. A radix sort whose key packs as many characters as fit puts
most suffixes in their place; groups that still agree are sorted by the characters that follow, in the cache, until
the depth is reached. The walk over nodes is that of Abouelhoda, Kurtz and Ohlebusch 2004. All of it runs on threads;
how the work is cut depends on the texts alone.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass

import numpy as np

from engine.flat_texts import FlatTexts
from engine.kernels import suffix_array as kernels
from engine.kernels.count_units import MARKER
from engine.shards import N_SHARDS, Checkpoint, Workers, bounds_by_weight, portion, slices
from engine.spec import TrainerSpec

SLICE = 1 << 18
"""Suffixes or edges handed to a kernel at once."""

_FACTOR_HELD = 3  # times the candidates wanted: so many are held before the worst are let go
_PACKED_BITS = 62  # of a non-negative int64 key
_LARGE_GROUP = 1 << 16  # suffixes: a larger group is sorted like the whole, so that cancelling stays prompt

Stage = Generator[float, None, None]


def ranges(first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield runs of first..last-1 that a kernel passes over in a few milliseconds."""
    for start in range(first, last, SLICE):
        yield start, min(start + SLICE, last)


def in_parts(workers: Workers, first: int, last: int, work: Callable[[int, int], object]) -> Stage:
    """Call work(start, stop) for slices of first..last-1, which must not depend on each other, on threads."""
    bounds = np.linspace(first, last, N_SHARDS + 1).astype(np.int64)

    def part(i: int, checkpoint: Checkpoint) -> None:
        for start, stop in ranges(int(bounds[i]), int(bounds[i + 1])):
            checkpoint((start - bounds[i]) / (bounds[i + 1] - bounds[i]))
            work(start, stop)

    yield from workers.run(part, N_SHARDS)


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


@dataclass(frozen=True, eq=False)
class SuffixArray:
    """The suffixes of `texts`, in the order of their first `longest` + 1 characters.

    Attributes
    ----------
    texts : FlatTexts
    counts : int64[n]
        Weight of each text.
    longest : int
        Longest substring of interest.
    alphabet : int32[k]
        The characters that occur, ascending.
    symbols : int32[n_characters]
        For each character its number in the alphabet, from 1 on.
    room : uint16[n_characters]
        How long the suffix at each position is, at most `longest` + 1.
    text_of : int32[n_characters]
        The text in which each position lies.
    order : int32[n_characters]
        Positions of the suffixes, sorted.
    common : uint16[n_characters]
        How many characters the suffix in each place has in common with the one before.
    parts : int64[m + 1]
        Places where the order may be cut: no substring occurs on both sides of one.
    """

    texts: FlatTexts
    counts: np.ndarray
    longest: int
    alphabet: np.ndarray
    symbols: np.ndarray
    room: np.ndarray
    text_of: np.ndarray
    order: np.ndarray
    common: np.ndarray
    parts: np.ndarray

    def substrings(
        self,
        workers: Workers,
        spec: TrainerSpec,
        *,
        by_node: bool,
        min_weight: int,
        reach: np.ndarray | None = None,
    ) -> Generator[float, None, Substrings]:
        """Return the substrings of 2 to `longest` characters that may be pieces and weigh `min_weight`.

        With `by_node` only those that go on in two ways or end (internal nodes of the suffix tree); otherwise all.
        `reach` (uint16[n_characters]) limits how far a piece may go from each position.
        """
        depth = self.longest + 2
        n_most = 2 * (SLICE + depth) * (1 if by_node else depth)
        marker = int(np.searchsorted(self.alphabet, MARKER))
        is_used = marker < len(self.alphabet) and self.alphabet[marker] == MARKER

        def walk(part: int, checkpoint: Checkpoint) -> Substrings:
            stack = [np.zeros(depth + 1, dtype=np.int64) for _ in range(3)]
            columns = [np.empty(n_most, dtype) for dtype in (np.int32, np.int32, np.uint16, np.int64)]
            top, found, kept = -1, 0, []
            begin, end = int(self.parts[part]), int(self.parts[part + 1])
            for first, last in ranges(begin, end):
                checkpoint((first - begin) / (end - begin))
                top, n = kernels.walk_intervals(
                    self.symbols, self.order, self.common, self.room, self.room if reach is None else reach,
                    self.text_of, self.counts, first, last, min_weight, self.longest, by_node,
                    marker + 1 if is_used else -1, spec.split_by_whitespace, spec.treat_whitespace_as_suffix,
                    spec.allow_whitespace_only_pieces, *stack, top, *columns, 0,
                )  # fmt: skip
                kept.append(tuple(column[:n].copy() for column in columns))
                found += n
                if found > _FACTOR_HELD * spec.seed_sentencepiece_size:  # most are far from the best: hold no more
                    kept = [Substrings.joined(kept).at_least_as_good_as(spec.seed_sentencepiece_size).columns()]
                    found = len(kept[0][0])
            return Substrings.joined(kept)

        found = yield from workers.run(walk, len(self.parts) - 1)
        return Substrings.joined([part.columns() for part in found])

    def runs_of(
        self, workers: Workers, texts: FlatTexts
    ) -> Generator[float, None, tuple[np.ndarray, np.ndarray]]:
        """Return left end and size, int32[n] each, of the run of suffixes that begin with each text."""
        numbers = _numbers(self.alphabet)
        is_known = texts.code_points < len(numbers)
        symbols = np.zeros(len(texts.code_points), dtype=np.int32)
        symbols[is_known] = numbers[texts.code_points[is_known]]
        left, size = (np.empty(len(texts), dtype=np.int32) for _ in range(2))
        bounds = bounds_by_weight(texts.offsets, N_SHARDS)

        def find(part: int, checkpoint: Checkpoint) -> None:
            for first in range(int(bounds[part]), int(bounds[part + 1]), SLICE // 64):
                checkpoint(0.0)
                last = min(first + SLICE // 64, int(bounds[part + 1]))
                kernels.find_runs(self.symbols, self.order, self.room, symbols, texts.offsets, first, last, left, size)

        yield from workers.run(find, N_SHARDS)
        return left, size


def sort_suffixes(
    workers: Workers, texts: FlatTexts, counts: np.ndarray, longest: int
) -> Generator[float, None, SuffixArray]:
    """Sort the suffixes of `texts` to `longest` + 1 characters; yields the fraction done."""
    n = len(texts.code_points)
    alphabet = yield from _used_code_points(workers, texts.code_points)
    numbers = _numbers(alphabet)
    symbols, room = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.uint16)
    text_of = np.empty(n, dtype=np.int32)

    def describe(first: int, last: int) -> None:
        begin, end = texts.offsets[first], texts.offsets[last]
        kernels.fill_symbols(texts.code_points, numbers, begin, end, symbols)
        kernels.fill_rooms(texts.offsets, first, last, longest + 1, room, text_of)

    yield from portion(_over_texts(workers, texts, describe), 0.0, 0.1)
    sorting = _Sorting(workers, texts, symbols, room, len(alphabet).bit_length())
    order = yield from portion(sorting.run(longest + 1), 0.1, 0.8)
    del sorting
    common = np.empty(n, dtype=np.uint16)

    def compare(first: int, last: int) -> None:
        kernels.fill_common_prefixes(symbols, order, room, first, last, common)

    yield from portion(in_parts(workers, 0, n, compare), 0.8, 1.0)
    parts = _cut(np.flatnonzero(common == 0), n)
    return SuffixArray(texts, counts, longest, alphabet, symbols, room, text_of, order, common, parts)


def _over_texts(workers: Workers, texts: FlatTexts, work: Callable[[int, int], None]) -> Stage:
    """Call work(first, last) for runs of texts, on threads."""
    bounds = bounds_by_weight(texts.offsets, N_SHARDS)

    def part(i: int, checkpoint: Checkpoint) -> None:
        for first, last in slices(texts.offsets, int(bounds[i]), int(bounds[i + 1]), SLICE):
            checkpoint((first - bounds[i]) / (bounds[i + 1] - bounds[i]))
            work(first, last)

    yield from workers.run(part, N_SHARDS)


def _used_code_points(workers: Workers, code_points: np.ndarray) -> Generator[float, None, np.ndarray]:
    is_used = np.zeros(0x110000, dtype=bool)

    def mark(first: int, last: int) -> None:
        is_used[code_points[first:last]] = True

    yield from portion(in_parts(workers, 0, len(code_points), mark), 0.0, 0.05)
    return np.flatnonzero(is_used).astype(np.int32)


def _numbers(alphabet: np.ndarray) -> np.ndarray:
    """Return the number of each code point up to the highest used, int32[c]; 0 for one that is not used."""
    numbers = np.zeros(int(alphabet[-1]) + 1, dtype=np.int32)
    numbers[alphabet] = np.arange(1, len(alphabet) + 1)
    return numbers


def _cut(places: np.ndarray, n: int) -> np.ndarray:
    """Choose, of the `places` where 0..n-1 may be cut, those that make parts of about equal size."""
    targets = np.linspace(0, n, N_SHARDS + 1)[:-1]
    chosen = places[np.minimum(np.searchsorted(places, targets), len(places) - 1)]
    return np.append(np.unique(chosen), n)


class _Sorting:
    """Suffixes on their way into order: the keys of the last round, and which suffixes still agree."""

    def __init__(
        self, workers: Workers, texts: FlatTexts, symbols: np.ndarray, room: np.ndarray, bits: int
    ) -> None:
        self._workers = workers
        self._texts = texts
        self._symbols = symbols
        self._room = room
        self._bits = bits
        self._n_packed = _PACKED_BITS // bits
        self._n = len(symbols)
        self._keys, self._other_keys = (np.empty(self._n, dtype=np.int64) for _ in range(2))
        self._order, self._other_order = (np.empty(self._n, dtype=np.int32) for _ in range(2))

    def run(self, depth: int) -> Generator[float, None, np.ndarray]:
        """Sort to `depth` symbols; return the order, int32[n]."""
        yield from portion(_over_texts(self._workers, self._texts, self._fill_first_keys), 0.0, 0.1)
        yield from portion(self._radix_sort(0, self._n), 0.1, 0.6)
        is_same = np.empty(self._n, dtype=np.bool_)

        def mark(first: int, last: int) -> None:
            kernels.mark_groups(self._keys, self._bits, first, last, is_same)

        yield from portion(in_parts(self._workers, 0, self._n, mark), 0.6, 0.65)
        for sorted_to in range(self._n_packed, depth, self._n_packed):
            for first, last in (yield from self._sort_groups(is_same, sorted_to)):
                yield from self._sort_large_group(is_same, sorted_to, first, last)
        return self._order

    def _fill_first_keys(self, first: int, last: int) -> None:
        kernels.fill_first_keys(
            self._symbols, self._texts.offsets, first, last, self._bits, self._n_packed, self._keys, self._order
        )

    def _radix_sort(self, first: int, last: int) -> Stage:
        """Sort first..last-1 by key, least significant digit first; stable; digits that never vary are skipped."""
        bounds = np.linspace(first, last, N_SHARDS + 1).astype(np.int64)
        for shift in range(0, self._n_packed * self._bits, kernels.RADIX_BITS):
            counts = yield from self._count_digits(bounds, shift)
            if counts.sum(axis=0).max() == last - first:
                continue
            # The entries of a digit go together, those of the parts in their order.
            by_digit = counts.T.ravel()
            places = first + (np.cumsum(by_digit) - by_digit).reshape(counts.shape[::-1]).T
            yield from self._scatter_digits(bounds, shift, np.ascontiguousarray(places))
            self._swap(first, last)

    def _count_digits(self, bounds: np.ndarray, shift: int) -> Generator[float, None, np.ndarray]:
        """Return how often each value of a digit occurs in each part, int64[n_parts, n_values]."""
        counts = np.zeros((N_SHARDS, 1 << kernels.RADIX_BITS), dtype=np.int64)

        def count(part: int, checkpoint: Checkpoint) -> None:
            for start, stop in ranges(int(bounds[part]), int(bounds[part + 1])):
                checkpoint(0.0)
                kernels.count_digits(self._keys, start, stop, shift, counts[part])

        yield from self._workers.run(count, N_SHARDS)
        return counts

    def _scatter_digits(self, bounds: np.ndarray, shift: int, places: np.ndarray) -> Stage:
        def scatter(part: int, checkpoint: Checkpoint) -> None:
            for start, stop in ranges(int(bounds[part]), int(bounds[part + 1])):
                checkpoint(0.0)
                kernels.scatter_digits(
                    self._keys, self._order, start, stop, shift, places[part], self._other_keys, self._other_order
                )

        yield from self._workers.run(scatter, N_SHARDS)

    def _swap(self, first: int, last: int) -> None:
        """Make what was scattered the present state; of a part of the suffixes, copy it."""
        if last - first == self._n:
            self._keys, self._other_keys = self._other_keys, self._keys
            self._order, self._other_order = self._other_order, self._order
        else:
            self._keys[first:last] = self._other_keys[first:last]
            self._order[first:last] = self._other_order[first:last]

    def _sort_groups(
        self, is_same: np.ndarray, sorted_to: int
    ) -> Generator[float, None, list[tuple[int, int]]]:
        """Sort the groups that agree in `sorted_to` symbols by those that follow; return the large ones unsorted."""
        targets = np.linspace(0, self._n, N_SHARDS + 1).astype(np.int64)
        bounds = [0, *(kernels.end_of_group(is_same, t - 1) if t else 0 for t in targets[1:-1]), self._n]

        def sort(part: int, checkpoint: Checkpoint) -> list[tuple[int, int]]:
            large = np.empty((self._n // _LARGE_GROUP + 1, 2), dtype=np.int64)
            n_large, start, end = 0, int(bounds[part]), int(bounds[part + 1])
            while start < end:
                checkpoint(0.0)
                start, n_large = kernels.sort_groups(
                    self._symbols, self._room, self._order, self._keys, self._other_order, self._other_keys, is_same,
                    start, min(start + SLICE // 4, end), sorted_to, self._bits, self._n_packed,
                    _LARGE_GROUP, large, n_large,
                )  # fmt: skip
            return [(int(first), int(last)) for first, last in large[:n_large]]

        found = yield from portion(self._workers.run(sort, N_SHARDS), 0.65, 1.0)
        return [group for groups in found for group in groups]

    def _sort_large_group(self, is_same: np.ndarray, sorted_to: int, first: int, last: int) -> Stage:
        def fill(start: int, stop: int) -> None:
            kernels.fill_keys_at(
                self._symbols, self._room, self._order, start, stop, sorted_to, self._bits, self._n_packed, self._keys
            )

        def mark(start: int, stop: int) -> None:
            kernels.mark_groups(self._keys, self._bits, start, stop, is_same)

        yield from portion(in_parts(self._workers, first, last, fill), 0.9, 0.9)
        yield from portion(self._radix_sort(first, last), 0.9, 0.9)
        yield from portion(in_parts(self._workers, first, last, mark), 0.9, 0.9)
        is_same[first] = False
