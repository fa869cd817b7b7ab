"""Candidate pieces, and with them the lattices of all units.

In: Units and a TrainerSpec. Out: Seeds. The suffixes of all units are sorted as deep as a piece is long; runs with
a common prefix are the repeated substrings, weighted by how often their units occur. The same runs tell which
candidates begin at each position, so the training lattices need no trie and no search.

Differs from SentencePiece: substrings are counted with their texts' counts, and a unit that occurs twice counts as
going on in two ways. SentencePiece mines the running text, where a word always followed by the same character is no
candidate; seed_source "texts" does as it does.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from engine.corpus import Corpus
from engine.flat_texts import FlatTexts
from engine.kernels import suffix_array as kernels
from engine.kernels.pruning_loss import find_repeats
from engine.shards import N_SHARDS, Checkpoint, Workers, bounds_by_weight, portion, slices
from engine.spec import TrainerSpec
from engine.suffixes import SLICE, Substrings, SuffixArray, ranges, sort_suffixes
from engine.words import RunningTexts, Units


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
    edge_length : uint8[n_edges]
        How many characters each edge covers, uint16 where a piece has more than 255: beside the edges, because it is
        wanted with each of them, and a look at the piece's own length would be one at another place in memory.
    has_repeats : bool[n_units]
        Where a piece of two characters or more may occur twice in the unit; elsewhere none does.
    """

    unit_offsets: np.ndarray
    unit_counts: np.ndarray
    edge_offsets: np.ndarray
    edge_piece: np.ndarray
    edge_length: np.ndarray
    has_repeats: np.ndarray

    def __post_init__(self) -> None:
        for array in (self.unit_offsets, self.unit_counts, *self.edges(), self.has_repeats):
            array.setflags(write=False)

    def edges(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the edges as the kernels take them: offsets, pieces, lengths."""
        return self.edge_offsets, self.edge_piece, self.edge_length

    def units(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the units as the kernels take them: offsets, counts."""
        return self.unit_offsets, self.unit_counts

    @cached_property
    def largest_unit(self) -> tuple[int, int]:
        """Return the most characters and the most edges that a unit has."""
        n_edges = np.diff(self.edge_offsets[self.unit_offsets])
        return int(np.diff(self.unit_offsets).max()), int(n_edges.max())

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
        How many of them are single characters.
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

    def __post_init__(self) -> None:
        for array in (self.counts, self.lengths, self.starts):
            array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.counts)

    def without_lattices(self) -> Seeds:
        """Return the candidates alone: training goes on with smaller lattices, and these are large."""
        dtypes = (np.int64, np.int64, np.int64, np.int32, np.uint8, np.bool_)
        nothing = UnitLattices(*(np.zeros(1, dtype) for dtype in dtypes))
        return replace(self, lattices=nothing)

    def probabilities(self, seed_scores: str) -> np.ndarray:
        """Return the first probability of each candidate: by count x length, or all equal. float64[n]."""
        scores = self.counts * self.lengths.astype(np.float64) if seed_scores == "count_length" else np.ones(len(self))
        return scores / scores.sum()


def make_seeds(
    workers: Workers,
    units: Units,
    spec: TrainerSpec,
    *,
    running: RunningTexts | None = None,
    given: Corpus | None = None,
) -> Generator[float, None, Seeds]:
    """Find the candidate pieces of `units`; yields the fraction done.

    Substrings of 2 to `max_sentencepiece_length` characters, scored count x length, the best
    `seed_sentencepiece_size` (sentencepiece, MakeSeedSentencePieces); or, with seed_method "ngram", all that
    occur `ngram_min_frequency` times. Every character of `units.characters` is one too. With `running` texts the
    substrings are counted in these. With `given` pieces and their frequencies, those that occur are the candidates.
    """
    by_ngram = spec.seed_method == "ngram"
    longest = min(spec.max_sentencepiece_length, spec.ngram_max_length if by_ngram else 512)
    texts = weights = None
    if given is not None:
        texts, weights = _best_given(given, longest, spec)
    elif running is not None:
        texts, weights = yield from portion(_best_of_running(workers, running, longest, spec), 0.0, 0.4)
    sorting = sort_suffixes(workers, units.texts, units.counts, longest)
    suffixes = yield from portion(sorting, 0.0 if running is None else 0.4, 0.5)
    if texts is None or weights is None:
        found = yield from portion(_best(workers, suffixes, spec), 0.5, 0.7)
    else:
        left, size = yield from portion(suffixes.runs_of(workers, texts), 0.5, 0.7)
        lengths = np.diff(texts.offsets).astype(np.uint16)
        found = Substrings(left, size, lengths, weights).where(np.flatnonzero(size))
    characters, counts = _characters(units, spec)
    single = yield from _character_runs(workers, suffixes, characters, counts)
    runs = Substrings.joined([single, found.columns()])
    order, parts = suffixes.order, suffixes.parts
    del suffixes, found  # lattices are built where these were
    # A required character that never occurs has an empty run, and begins nowhere: any position will do.
    starts = order[np.minimum(runs.left, len(order) - 1)].astype(np.int64)
    lengths = runs.length.astype(np.int32)
    seed_texts = _with_characters(characters, _gather(units.texts.code_points, starts, lengths))
    lattices = yield from portion(_lattices(workers, units, order, parts, runs), 0.7, 1.0)
    return Seeds(seed_texts, runs.weight, lengths, len(characters), starts, lattices)


def _best(
    workers: Workers, suffixes: SuffixArray, spec: TrainerSpec, reach: np.ndarray | None = None
) -> Generator[float, None, Substrings]:
    """Return the best substrings: all that are frequent enough, or those that go on in two ways."""
    by_ngram = spec.seed_method == "ngram"
    least = spec.ngram_min_frequency if by_ngram else 2
    found = yield from suffixes.substrings(workers, spec, by_node=not by_ngram, min_weight=least, reach=reach)
    return _choose(found, spec, in_order_of_nodes=reach is not None and not by_ngram)


def _best_of_running(
    workers: Workers, running: RunningTexts, longest: int, spec: TrainerSpec
) -> Generator[float, None, tuple[FlatTexts, np.ndarray]]:
    """Return the best substrings of running texts and their weights."""
    suffixes = yield from portion(sort_suffixes(workers, running.texts, running.counts, longest), 0.0, 0.8)
    best = yield from portion(_best(workers, suffixes, spec, running.reach), 0.8, 1.0)
    starts = suffixes.order[best.left].astype(np.int64)
    return _gather(running.texts.code_points, starts, best.length.astype(np.int32)), best.weight


def _best_given(given: Corpus, longest: int, spec: TrainerSpec) -> tuple[FlatTexts, np.ndarray]:
    """Return the best pieces of a file by frequency x length; equal ones in order of text."""
    rows = [(given.text(i).replace(" ", "▁"), int(given.counts[i])) for i in range(len(given))]
    rows = [(text, count) for text, count in rows if 2 <= len(text) <= longest]
    rows.sort(key=lambda row: (-row[1] * len(row[0]), row[0]))
    rows = rows[: spec.seed_sentencepiece_size]
    return FlatTexts.from_texts([text for text, _ in rows]), np.array([count for _, count in rows], dtype=np.int64)


def _choose(found: Substrings, spec: TrainerSpec, *, in_order_of_nodes: bool = False) -> Substrings:
    """Keep the best `seed_sentencepiece_size` by weight x length; equal scores in order of text.

    Or, with `in_order_of_nodes`, in the order in which a walk over the suffix tree leaves them, as SentencePiece does:
    the one that ends first, and of two that end together the longer.
    """
    n_kept = spec.seed_sentencepiece_size
    found = found.at_least_as_good_as(n_kept)
    # Runs in suffix order are texts in code point order; a shorter one comes before its extensions.
    ties = (found.length, found.left)
    if in_order_of_nodes:
        ties = (-found.length.astype(np.int64), found.left + found.size)
    ranked = np.lexsort((*ties, -found.scores))[:n_kept]
    if spec.seed_method == "ngram":
        ranked = ranked[np.lexsort((found.left[ranked], found.length[ranked]))]
    return found.where(ranked)


def _characters(units: Units, spec: TrainerSpec) -> tuple[np.ndarray, np.ndarray]:
    """Return the characters in the order of the candidates, with their counts."""
    characters, counts = units.characters, units.character_counts
    if spec.seed_method == "ngram":
        by_code_point = np.argsort(characters)
        return characters[by_code_point], counts[by_code_point]
    return characters, counts


def _character_runs(
    workers: Workers, suffixes: SuffixArray, characters: np.ndarray, counts: np.ndarray
) -> Generator[float, None, tuple[np.ndarray, ...]]:
    single = FlatTexts(characters.astype(np.int32), np.arange(len(characters) + 1, dtype=np.int64))
    left, size = yield from portion(suffixes.runs_of(workers, single), 0.7, 0.7)
    return left, size, np.ones(len(characters), dtype=np.uint16), counts


def _gather(code_points: np.ndarray, starts: np.ndarray, lengths: np.ndarray) -> FlatTexts:
    """Return the texts of `lengths` characters that begin at `starts`."""
    offsets = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
    gathered = np.empty(offsets[-1], dtype=np.int32)
    for first, last in slices(offsets, 0, len(starts), SLICE):
        kernels.gather_texts(code_points, starts, lengths, offsets, first, last, gathered)
    return FlatTexts(gathered, offsets)


def _with_characters(characters: np.ndarray, texts: FlatTexts) -> FlatTexts:
    code_points = texts.code_points.copy()
    code_points[: len(characters)] = characters
    return FlatTexts(code_points, texts.offsets)


def _lattices(
    workers: Workers, units: Units, order: np.ndarray, parts: np.ndarray, runs: Substrings
) -> Generator[float, None, UnitLattices]:
    """Turn each run into edges: its suffixes are the places where the piece begins.

    The runs that a suffix lies in are nested, and the text of an outer one is the beginning of that of an inner one.
    """
    pieces = np.flatnonzero(runs.size)
    pieces = pieces[np.argsort(runs.left[pieces].astype(np.int64) << 16 | runs.length[pieces])].astype(np.int32)
    runs = runs.where(pieces)
    run_parts = np.searchsorted(runs.left, parts)
    edge_offsets = np.zeros(len(order) + 1, dtype=np.int64)
    depth = int(runs.length.max()) + 1

    def count(part: int, checkpoint: Checkpoint) -> None:
        stack_end, top = np.empty(depth, dtype=np.int64), 0
        run, stop = int(run_parts[part]), int(run_parts[part + 1])
        for first, last in ranges(int(parts[part]), int(parts[part + 1])):
            checkpoint(first / len(order))
            run, top = kernels.count_edges(
                order, runs.left, runs.size, run, stop, first, last, stack_end, top, edge_offsets[1:]
            )

    yield from portion(workers.run(count, len(parts) - 1), 0.0, 0.4)
    np.cumsum(edge_offsets, out=edge_offsets)
    edge_piece = np.empty(edge_offsets[-1], dtype=np.int32)
    edge_length = np.empty(edge_offsets[-1], dtype=np.min_scalar_type(depth - 1))

    def fill(part: int, checkpoint: Checkpoint) -> None:
        stack_end, stack_run, top = np.empty(depth, dtype=np.int64), np.empty(depth, dtype=np.int64), 0
        run, stop = int(run_parts[part]), int(run_parts[part + 1])
        for first, last in ranges(int(parts[part]), int(parts[part + 1])):
            checkpoint(first / len(order))
            run, top = kernels.fill_edges(
                order, runs.left, runs.size, runs.length, pieces, run, stop, first, last, stack_end, stack_run, top,
                edge_offsets, edge_piece, edge_length,
            )  # fmt: skip

    yield from portion(workers.run(fill, len(parts) - 1), 0.4, 0.8)
    n_pieces = int(pieces.max()) + 1
    has_repeats = yield from portion(
        _find_repeats(workers, units, edge_offsets, edge_piece, edge_length, n_pieces), 0.8, 1.0
    )
    return UnitLattices(units.texts.offsets, units.counts, edge_offsets, edge_piece, edge_length, has_repeats)


def _find_repeats(
    workers: Workers,
    units: Units,
    edge_offsets: np.ndarray,
    edge_piece: np.ndarray,
    edge_length: np.ndarray,
    n_pieces: int,
) -> Generator[float, None, np.ndarray]:
    """Return for each unit whether a piece of two characters or more may occur twice in it, bool[n_units]."""
    has_repeats = np.empty(len(units), dtype=np.bool_)
    work = edge_offsets[units.texts.offsets]
    bounds = bounds_by_weight(work, N_SHARDS)

    def find(shard: int, checkpoint: Checkpoint) -> None:
        seen_in = np.full(n_pieces, -1, dtype=np.int32)
        for first, last in slices(work, int(bounds[shard]), int(bounds[shard + 1]), SLICE):
            checkpoint(0.0)
            find_repeats(units.texts.offsets, edge_offsets, edge_piece, edge_length, first, last, seen_in, has_repeats)

    yield from workers.run(find, N_SHARDS)
    return has_repeats
