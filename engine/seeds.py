"""Candidate pieces from a suffix array, and with them the lattices of all units.

In: Units and a TrainerSpec. Out: Seeds. The suffixes of all units are sorted as deep as a piece is long; runs with
a common prefix are the repeated substrings, weighted by how often their units occur. The same runs tell which
candidates begin at each position, so the training lattices need no trie and no search.

Differs from SentencePiece: substrings are counted with their texts' counts, and a unit that occurs twice counts as
followed by two different characters; SentencePiece mines the running text, each distinct line once, so that a
word always followed by the same character is no candidate there.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass

import numpy as np

from engine.kernels import suffix_array as kernels
from engine.kernels.count_units import MARKER
from engine.shards import Checkpoint, Workers, slices
from engine.spec import TrainerSpec
from engine.words import FlatTexts, Units

_SLICE = 1 << 18  # suffixes or edges handed to a kernel at once


@dataclass(frozen=True, eq=False)
class UnitLattices:
    """The lattices of all units, one after the other.

    Attributes
    ----------
    unit_offsets : int64[n_units + 1]
        Unit u covers positions unit_offsets[u]:unit_offsets[u + 1].
    unit_counts : int64[n_units]
    edge_offsets : int64[n_positions + 1]
        Edges that start at position i are edge_offsets[i]:edge_offsets[i + 1], short pieces first.
    edge_piece : int32[n_edges]
    """

    unit_offsets: np.ndarray
    unit_counts: np.ndarray
    edge_offsets: np.ndarray
    edge_piece: np.ndarray

    @property
    def n_characters(self) -> int:
        """Return how many characters the corpus has that pieces cover."""
        return int(np.dot(np.diff(self.unit_offsets), self.unit_counts))


@dataclass(frozen=True, eq=False)
class Seeds:
    """Candidate pieces with their counts.

    Attributes
    ----------
    texts : FlatTexts
        Characters first, most frequent first; then substrings by score. With seed_method "ngram": by length,
        then by code points.
    counts : int64[n]
        How often each occurs, overlaps included.
    lengths : int32[n]
        In characters.
    n_characters : int
        How many of them are single characters: these are never removed.
    starts : int64[n]
        A position of the units at which each one begins.
    lattices : UnitLattices
    """

    texts: FlatTexts
    counts: np.ndarray
    lengths: np.ndarray
    n_characters: int
    starts: np.ndarray
    lattices: UnitLattices

    def __len__(self) -> int:
        return len(self.counts)

    def probabilities(self, seed_scores: str) -> np.ndarray:
        """Return the first probability of each candidate: by count x length, or all equal. float64[n]."""
        scores = self.counts * self.lengths.astype(np.float64) if seed_scores == "count_length" else np.ones(len(self))
        return scores / scores.sum()


def make_seeds(workers: Workers, units: Units, spec: TrainerSpec) -> Generator[float, None, Seeds]:
    """Find the candidate pieces of `units`; yields the fraction done.

    Substrings of 2 to `max_sentencepiece_length` characters, scored count x length, the best
    `seed_sentencepiece_size` (sentencepiece, MakeSeedSentencePieces); or, with seed_method "ngram", all that
    occur `ngram_min_frequency` times. Every character of `units.characters` is one too.
    """

    def find(_: int, checkpoint: Checkpoint) -> Seeds:
        return _SeedFinder(units, spec, checkpoint).find()

    [seeds] = yield from workers.run(find)
    return seeds


def _ranges(n: int) -> Iterator[tuple[int, int]]:
    for first in range(0, n, _SLICE):
        yield first, min(first + _SLICE, n)


@dataclass(frozen=True, eq=False)
class _Substrings:
    """Substrings as runs of sorted suffixes: left end, size, length in characters, weight."""

    left: np.ndarray
    size: np.ndarray
    length: np.ndarray
    weight: np.ndarray

    @classmethod
    def joined(cls, parts: list[tuple[np.ndarray, ...]]) -> _Substrings:
        return cls(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))

    def where(self, chosen: np.ndarray) -> _Substrings:
        return _Substrings(self.left[chosen], self.size[chosen], self.length[chosen], self.weight[chosen])


class _SeedFinder:
    """The steps of `make_seeds`, which share the sorted suffixes."""

    def __init__(self, units: Units, spec: TrainerSpec, checkpoint: Checkpoint) -> None:
        self._units = units
        self._spec = spec
        self._checkpoint = checkpoint
        self._offsets = units.texts.offsets
        self._n = int(self._offsets[-1])
        by_ngram = spec.seed_method == "ngram"
        longest = spec.max_sentencepiece_length
        self._longest = min(longest, spec.ngram_max_length) if by_ngram else longest

    def find(self) -> Seeds:
        self._number_symbols()
        order = self._sort()
        substrings = self._choose(self._walk(order))
        return self._seeds(order, substrings)

    def _number_symbols(self) -> None:
        """Number the characters densely in order of code point, and note each suffix's unit and length."""
        alphabet = np.sort(self._units.characters)
        self._symbols = np.empty(self._n, dtype=np.int32)
        self._room = np.empty(self._n, dtype=np.uint16)
        self._unit_of = np.empty(self._n, dtype=np.int32)
        code_points = self._units.texts.code_points
        for first, last in _ranges(self._n):
            self._checkpoint(0.05 * first / self._n)
            self._symbols[first:last] = np.searchsorted(alphabet, code_points[first:last]) + 1
        for first, last in self._unit_slices():
            kernels.fill_rooms(self._offsets, first, last, self._longest + 1, self._room, self._unit_of)
        self._bits = len(alphabet).bit_length()
        found = np.searchsorted(alphabet, MARKER)
        is_found = found < len(alphabet) and alphabet[found] == MARKER
        self._marker = int(found) + 1 if is_found else -1

    def _unit_slices(self) -> Iterator[tuple[int, int]]:
        return slices(self._offsets, 0, len(self._units), _SLICE)

    def _sort(self) -> np.ndarray:
        """Return the suffixes in order of their first `longest + 1` symbols, int32[n]: prefix doubling."""
        n_packed = 62 // self._bits
        keys = np.empty(self._n, dtype=np.int64)
        order = np.empty(self._n, dtype=np.int32)
        for first, last in self._unit_slices():
            kernels.fill_first_keys(
                self._symbols, self._offsets, first, last, self._bits, n_packed, keys, order
            )
        keys, order = self._radix_sort(keys, order, n_packed * self._bits)
        sorted_to = n_packed
        rank = np.empty(self._n, dtype=np.int32)
        while sorted_to <= self._longest:
            highest = 0
            for first, last in _ranges(self._n):
                self._checkpoint(0.3)
                highest = kernels.assign_ranks(keys, order, first, last, highest, rank)
            if highest == self._n:
                break
            for first, last in _ranges(self._n):
                self._checkpoint(0.3)
                kernels.fill_next_keys(order, rank, self._offsets, self._unit_of, first, last, sorted_to, keys)
            keys, order = self._radix_sort(keys, order, 32 + int(highest).bit_length())
            sorted_to *= 2
        return order

    def _radix_sort(self, keys: np.ndarray, order: np.ndarray, n_bits: int) -> tuple[np.ndarray, np.ndarray]:
        """Sort by key, least significant digit first; digits that never vary are skipped."""
        keys_out, order_out = np.empty_like(keys), np.empty_like(order)
        for shift in range(0, n_bits, kernels.RADIX_BITS):
            digit_counts = np.zeros(1 << kernels.RADIX_BITS, dtype=np.int64)
            for first, last in _ranges(self._n):
                self._checkpoint(0.2)
                kernels.count_digits(keys, first, last, shift, digit_counts)
            if digit_counts.max() == self._n:
                continue
            places = np.cumsum(digit_counts) - digit_counts
            for first, last in _ranges(self._n):
                self._checkpoint(0.2)
                kernels.scatter_digits(keys, order, first, last, shift, places, keys_out, order_out)
            keys, keys_out = keys_out, keys
            order, order_out = order_out, order
        return keys, order

    def _walk(self, order: np.ndarray) -> _Substrings:
        """Return the repeated substrings of 2 and more characters that may be pieces."""
        spec = self._spec
        by_node = spec.seed_method != "ngram"
        common = np.empty(self._n, dtype=np.uint16)
        for first, last in _ranges(self._n):
            self._checkpoint(0.5 + 0.1 * first / self._n)
            kernels.fill_common_prefixes(self._symbols, order, self._room, first, last, common)
        depth = self._longest + 2
        stack = [np.zeros(depth + 1, dtype=np.int64) for _ in range(3)]
        n_most = 2 * (_SLICE + depth) * (1 if by_node else depth)
        room = np.empty(n_most, np.int32), np.empty(n_most, np.int32), np.empty(n_most, np.uint16)
        weight = np.empty(n_most, np.int64)
        top, parts = -1, []
        for first, last in _ranges(self._n):
            self._checkpoint(0.6 + 0.1 * first / self._n)
            top, n = kernels.walk_intervals(
                self._symbols, order, common, self._room, self._unit_of, self._units.counts, first, last,
                2 if by_node else spec.ngram_min_frequency, self._longest, by_node, self._marker,
                spec.split_by_whitespace, spec.treat_whitespace_as_suffix, spec.allow_whitespace_only_pieces,
                *stack, top, *room, weight, 0,
            )  # fmt: skip
            parts.append(tuple(column[:n].copy() for column in (*room, weight)))
        return _Substrings.joined(parts)

    def _choose(self, found: _Substrings) -> _Substrings:
        """Keep the best `seed_sentencepiece_size` by weight x length; equal scores in order of text."""
        score = found.weight * found.length
        n_kept = self._spec.seed_sentencepiece_size
        if len(score) > n_kept:
            line = np.partition(score, len(score) - n_kept)[len(score) - n_kept]
            tied = np.flatnonzero(score == line)
            tied = tied[np.lexsort((found.length[tied], found.left[tied]))]
            above = np.flatnonzero(score > line)
            found = found.where(np.concatenate((above, tied[: n_kept - len(above)])))
            score = found.weight * found.length
        # Runs in suffix order are texts in code point order; a shorter one comes before its extensions.
        if self._spec.seed_method == "ngram":
            return found.where(np.lexsort((found.left, found.length)))
        return found.where(np.lexsort((found.length, found.left, -score)))

    def _seeds(self, order: np.ndarray, substrings: _Substrings) -> Seeds:
        characters, counts = self._characters()
        runs = _Substrings.joined([self._character_runs(order, characters), _columns(substrings)])
        lattices = self._lattices(order, runs)
        # A required character that never occurs has an empty run, and begins nowhere: any position will do.
        starts = order[np.minimum(runs.left, self._n - 1)].astype(np.int64)
        lengths = runs.length.astype(np.int32)
        texts = self._texts(characters, starts, lengths)
        all_counts = np.concatenate((counts, substrings.weight))
        for array in (all_counts, lengths, starts):
            array.setflags(write=False)
        return Seeds(texts, all_counts, lengths, len(characters), starts, lattices)

    def _characters(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the characters in the order of the candidates, with their counts."""
        characters, counts = self._units.characters, self._units.character_counts
        if self._spec.seed_method == "ngram":
            by_code_point = np.argsort(characters)
            return characters[by_code_point], counts[by_code_point]
        return characters, counts

    def _character_runs(self, order: np.ndarray, characters: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return the runs of suffixes that begin with each character; required ones may have none."""
        first_symbols = self._symbols[order]
        symbols = np.searchsorted(np.sort(self._units.characters), characters).astype(np.int32) + 1
        left = np.searchsorted(first_symbols, symbols, side="left")
        size = np.searchsorted(first_symbols, symbols, side="right") - left
        ones = np.ones(len(characters), dtype=np.uint16)
        return left.astype(np.int32), size.astype(np.int32), ones, size.astype(np.int64)

    def _lattices(self, order: np.ndarray, runs: _Substrings) -> UnitLattices:
        """Turn each run into edges: its suffixes are the places where the piece begins."""
        by_length = np.argsort(runs.length, kind="stable")
        left, size, pieces = runs.left[by_length], runs.size[by_length], by_length.astype(np.int32)
        work = np.concatenate(([0], np.cumsum(size, dtype=np.int64)))
        edge_offsets = np.zeros(self._n + 1, dtype=np.int64)
        for first, last in slices(work, 0, len(left), _SLICE):
            self._checkpoint(0.75 + 0.1 * first / len(left))
            kernels.count_edges(order, left, size, first, last, edge_offsets[1:])
        np.cumsum(edge_offsets, out=edge_offsets)
        edge_piece = np.empty(edge_offsets[-1], dtype=np.int32)
        cursor = edge_offsets[:-1].copy()
        for first, last in slices(work, 0, len(left), _SLICE):
            self._checkpoint(0.85 + 0.15 * first / len(left))
            kernels.fill_edges(order, left, size, pieces, first, last, cursor, edge_piece)
        edge_offsets.setflags(write=False)
        edge_piece.setflags(write=False)
        return UnitLattices(self._offsets, self._units.counts, edge_offsets, edge_piece)

    def _texts(self, characters: np.ndarray, starts: np.ndarray, lengths: np.ndarray) -> FlatTexts:
        offsets = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
        code_points = np.empty(offsets[-1], dtype=np.int32)
        source = self._units.texts.code_points
        for first, last in slices(offsets, 0, len(starts), _SLICE):
            kernels.gather_texts(source, starts, lengths, offsets, first, last, code_points)
        code_points[: len(characters)] = characters
        return FlatTexts(code_points, offsets)


def _columns(runs: _Substrings) -> tuple[np.ndarray, ...]:
    return runs.left, runs.size, runs.length, runs.weight
