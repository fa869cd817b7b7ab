"""The units that training counts: texts cut wherever no piece may span, distinct units with their counts.

In: a Corpus and a TrainerSpec. Out: Units, flat code points with offsets and counts. Where two neighbouring
characters can never stand in one piece (a space, another script, an isolated digit), the probability of a text is
the product of the probabilities of both sides; so training needs each distinct unit once, however often it
occurs. Spaces become the marker U+2581 here, as in SentencePiece's identity normalization.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from engine.corpus import Corpus
from engine.errors import TrainingError
from engine.flat_texts import FlatTexts, to_code_points
from engine.kernels import count_units as kernels
from engine.kernels.distinct_words import enter_words
from engine.shards import N_SHARDS, Checkpoint, Workers, bounds_by_weight, portion, slices, turns
from engine.spec import TrainerSpec
from engine.tables import N_CODE_POINTS, scripts
from engine.unit_tables import UnitTable, WordTable, concatenated, parts_of

_SLICE = 1 << 19  # bytes or code points handed to a kernel at once
_FORBIDDEN = "\0\t▅"
"""What SentencePiece 0.2.1 lets no piece hold: NUL, its boundary TAB, its mark of an unknown character U+2585."""
_FULL_WIDTH_ZERO = 0xFF10


@dataclass(frozen=True, eq=False)
class Units:
    """Distinct units with counts.

    Attributes
    ----------
    texts : FlatTexts
    counts : int64[n]
        How often each unit occurs in the corpus.
    characters : int32[k]
        The characters that are pieces, most frequent first, ties by code point.
    character_counts : int64[k]
    n_uncovered : int
        How many characters of the corpus are none of `characters`, counted with their texts.
    dropped : tuple of (str, int)
        These characters with their counts, most frequent first.
    """

    texts: FlatTexts
    counts: np.ndarray
    characters: np.ndarray
    character_counts: np.ndarray
    n_uncovered: int
    dropped: tuple[tuple[str, int], ...] = ()

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def coverage(self) -> float:
        """Return the share of the corpus's characters that `characters` make up."""
        covered = int(self.character_counts.sum())
        return covered / (covered + self.n_uncovered)


def count_units(workers: Workers, corpus: Corpus, spec: TrainerSpec) -> Generator[float, None, Units]:
    """Cut a corpus into units and count them; yields the fraction done.

    Raises
    ------
    TrainingError
        Where nothing is left to train on.
    """
    rules = _CutRules(spec)
    if rules.are_words_independent:
        words = yield from portion(_count_words(workers, corpus, spec), 0.0, 0.5)
        shards = yield from portion(_cut_words(workers, words, rules), 0.5, 0.9)
        del words
    else:
        shards = yield from portion(_cut_texts(workers, corpus, rules), 0.0, 0.9)

    return (yield from portion(_joined_units(workers, shards, spec), 0.9, 1.0))


class _CutRules:
    """What `cut_texts` needs to know of the settings, as arrays indexed by code point."""

    def __init__(self, spec: TrainerSpec) -> None:
        self.spec = spec
        self.groups = _groups(spec)
        self.flags = np.zeros(N_CODE_POINTS, dtype=np.uint8)
        self.flags[to_code_points(_FORBIDDEN)] |= kernels.NEVER
        if spec.split_digits:
            self.flags[_digits()] |= kernels.ALONE
        symbols = [text for text, _ in spec.special_pieces().values()]
        if spec.pretokenization_delimiter:
            symbols.append(spec.pretokenization_delimiter.replace(" ", "▁"))
        # Then every space is a cut, and a word is cut alike wherever it stands: each distinct one is cut once.
        self.are_words_independent = (
            spec.split_by_whitespace
            and spec.add_dummy_prefix
            and spec.remove_extra_whitespaces
            and not spec.treat_whitespace_as_suffix
            and not any("▁" in symbol for symbol in symbols)
        )
        self.symbols = FlatTexts.from_texts(symbols)
        self.flags[self.symbols.code_points[self.symbols.offsets[:-1]]] |= kernels.STARTS_SYMBOL


def _digits() -> np.ndarray:
    """Return the ASCII and full-width digits, which SentencePiece calls numbers."""
    return np.concatenate((np.arange(48, 58), np.arange(_FULL_WIDTH_ZERO, _FULL_WIDTH_ZERO + 10)))


def _groups(spec: TrainerSpec) -> np.ndarray:
    """Return for each code point the group it joins with, uint8[0x110000].

    Hiragana, Katakana and U+30FC count as Han (sentencepiece, trainer_interface.cc).
    """
    if not spec.split_by_unicode_script:
        return np.full(N_CODE_POINTS, kernels.ANY_GROUP, dtype=np.uint8)
    names, script = scripts()
    groups = script.copy()
    han = names.index("Han")
    groups[(script == names.index("Hiragana")) | (script == names.index("Katakana"))] = han
    groups[0x30FC] = han
    groups[script == names.index("Inherited")] = kernels.INHERITED_GROUP
    groups[kernels.MARKER] = kernels.ANY_GROUP
    if not spec.split_by_number:
        groups[_digits()] = kernels.ANY_GROUP
    return groups


@dataclass(frozen=True, eq=False)
class RunningTexts:
    """Whole texts, each ended by a NUL, for counting substrings across the cuts between units.

    Attributes
    ----------
    texts : FlatTexts
        Characters that no piece may hold, and symbols, are U+2585 each, as in SentencePiece 0.2.1.
    counts : int64[n]
    reach : uint16[n_characters]
        How many characters from a position on may stand in one piece.
    """

    texts: FlatTexts
    counts: np.ndarray
    reach: np.ndarray


def running_texts(
    workers: Workers, corpus: Corpus, spec: TrainerSpec, units: Units
) -> Generator[float, None, RunningTexts]:
    """Lay out the whole texts of a corpus; characters not in `units.characters` stand in no piece."""
    rules = _CutRules(spec)
    is_known = np.zeros(N_CODE_POINTS, dtype=bool)
    is_known[units.characters] = True
    rules.flags[~is_known] |= kernels.NEVER

    def flatten(_: int, checkpoint: Checkpoint) -> RunningTexts:
        return _flatten(corpus, rules, checkpoint)

    [running] = yield from workers.run(flatten)
    return running


def _flatten(corpus: Corpus, rules: _CutRules, checkpoint: Checkpoint) -> RunningTexts:
    spec = rules.spec
    n_most = int(corpus.n_characters.sum()) + 2 * len(corpus)
    code_points, reach = np.empty(n_most, dtype=np.int32), np.empty(n_most, dtype=np.uint16)
    offsets = np.zeros(len(corpus) + 1, dtype=np.int64)
    longest = int(corpus.n_characters.max()) + 1
    text, marks = np.empty(longest, dtype=np.int32), np.empty(longest, dtype=np.uint8)
    write = 0
    for start, stop in slices(corpus.offsets, 0, len(corpus), _SLICE):
        checkpoint(start / len(corpus))
        write = kernels.flatten_texts(
            corpus.utf8, corpus.offsets, start, stop, spec.max_sentence_length,
            spec.add_dummy_prefix, spec.remove_extra_whitespaces, rules.groups, rules.flags,
            rules.symbols.code_points, rules.symbols.offsets,
            spec.split_by_whitespace, spec.treat_whitespace_as_suffix, spec.allow_whitespace_only_pieces,
            text, marks, write, code_points, reach, offsets,
        )  # fmt: skip
    return RunningTexts(FlatTexts(code_points[:write].copy(), offsets), corpus.counts, reach[:write].copy())


def _cut_texts(workers: Workers, corpus: Corpus, rules: _CutRules) -> Generator[float, None, list[UnitTable]]:
    """Cut all texts; return the units of each shard."""
    spec = rules.spec
    bounds = bounds_by_weight(corpus.offsets, N_SHARDS)

    def cut(shard: int, checkpoint: Checkpoint) -> UnitTable:
        units = UnitTable()
        text, marks = np.empty(1 << 12, dtype=np.int32), np.empty(1 << 12, dtype=np.uint8)
        for start, stop in turns(corpus.offsets, bounds, shard, _SLICE, checkpoint):
            while start < stop:
                start, units.n = kernels.cut_texts(
                    corpus.utf8, corpus.offsets, corpus.counts, start, stop, spec.max_sentence_length,
                    spec.add_dummy_prefix, spec.remove_extra_whitespaces, rules.groups, rules.flags,
                    rules.symbols.code_points, rules.symbols.offsets,
                    spec.split_by_whitespace, spec.treat_whitespace_as_suffix, spec.allow_whitespace_only_pieces,
                    text, marks, units.n, *units.arrays(),
                )  # fmt: skip
                if start < stop:
                    length = int(corpus.offsets[start + 1] - corpus.offsets[start])
                    units.grow(length)
                    text = np.empty(max(len(text), length + 1), dtype=np.int32)
                    marks = np.empty(len(text), dtype=np.uint8)
        return units

    return (yield from workers.run(cut, N_SHARDS))


def _count_words(
    workers: Workers, corpus: Corpus, spec: TrainerSpec
) -> Generator[float, None, list[WordTable]]:
    """Return the distinct words of texts no longer than `max_sentence_length`, each in one of the tables."""
    bounds = bounds_by_weight(corpus.offsets, N_SHARDS)

    def count(shard: int, checkpoint: Checkpoint) -> WordTable:
        words = WordTable()
        for start, stop in turns(corpus.offsets, bounds, shard, _SLICE, checkpoint):
            while start < stop:
                start, words.n = enter_words(
                    corpus.utf8, corpus.offsets, corpus.counts, start, stop, spec.max_sentence_length, *words.arrays()
                )
                if start < stop:
                    n_bytes = int(corpus.offsets[start + 1] - corpus.offsets[start])
                    words.make_room((n_bytes + 1) // 2, n_bytes)
        return words

    shards = yield from portion(workers.run(count, N_SHARDS), 0.0, 0.9)
    return (yield from portion(_joined_words(workers, shards), 0.9, 1.0))


def _joined_words(workers: Workers, shards: list[WordTable]) -> Generator[float, None, list[WordTable]]:
    """Join tables of words, side by side: a word's text says to which of `N_SHARDS` tables it comes."""

    def divide(shard: int, checkpoint: Checkpoint) -> tuple[np.ndarray, np.ndarray]:
        return shards[shard].parts(N_SHARDS)

    parts = yield from portion(workers.run(divide, N_SHARDS), 0.0, 0.2)

    def join(part: int, checkpoint: Checkpoint) -> WordTable:
        joined = WordTable()
        for shard, words in enumerate(shards):
            checkpoint(shard / N_SHARDS)
            joined.join_part(words, *parts[shard], part)
        return joined

    return (yield from portion(workers.run(join, N_SHARDS), 0.2, 1.0))


def _cut_words(
    workers: Workers, words: list[WordTable], rules: _CutRules
) -> Generator[float, None, list[UnitTable]]:
    """Cut each word once, as `_cut_texts` does all texts; return the units of each table."""

    def cut(shard: int, checkpoint: Checkpoint) -> UnitTable:
        units, table = UnitTable(), words[shard]
        text, marks = np.empty(1 << 12, dtype=np.int32), np.empty(1 << 12, dtype=np.uint8)
        offsets = table.offsets[: table.n + 1]
        for at, stop in turns(offsets, np.array([0, table.n]), 0, _SLICE, checkpoint):
            while at < stop:
                at, units.n = kernels.cut_words(
                    table.pool, offsets, table.totals, at, stop, rules.groups, rules.flags,
                    rules.symbols.code_points, rules.symbols.offsets, text, marks, units.n, *units.arrays(),
                )  # fmt: skip
                if at < stop:
                    size = int(offsets[at + 1] - offsets[at])
                    units.grow(size)
                    text = np.empty(max(len(text), size + 1), dtype=np.int32)
                    marks = np.empty(len(text), dtype=np.uint8)
        return units

    return (yield from workers.run(cut, len(words)))


def _joined_units(
    workers: Workers, shards: list[UnitTable], spec: TrainerSpec
) -> Generator[float, None, Units]:
    """Choose the characters, cut the shards' units at those left out, and join them as `_joined_words` joins words."""

    def choose(_: int, checkpoint: Checkpoint) -> tuple[np.ndarray, np.ndarray, tuple[tuple[str, int], ...]]:
        return _choose_characters(shards, spec, checkpoint)

    [(characters, character_counts, dropped)] = yield from portion(workers.run(choose), 0.0, 0.2)
    flags = np.full(N_CODE_POINTS, kernels.NEVER, dtype=np.uint8)
    flags[characters] = 0

    def divide(shard: int, checkpoint: Checkpoint) -> np.ndarray:
        return parts_of(shards[shard].used()[0], flags, N_SHARDS)

    parts = yield from portion(workers.run(divide, N_SHARDS), 0.2, 0.4)

    def join(part: int, checkpoint: Checkpoint) -> UnitTable:
        joined = UnitTable()
        for shard, units in enumerate(shards):
            joined.enter_part(*units.used(), parts[shard], flags, part, N_SHARDS, checkpoint)
        return joined

    tables = yield from portion(workers.run(join, N_SHARDS), 0.4, 1.0)
    shards.clear()  # as large as what follows
    texts, counts = concatenated(tables)
    return Units(texts, counts, characters, character_counts, sum(count for _, count in dropped), dropped)


def _choose_characters(
    shards: list[UnitTable], spec: TrainerSpec, checkpoint: Checkpoint
) -> tuple[np.ndarray, np.ndarray, tuple[tuple[str, int], ...]]:
    """Return the characters that are pieces, their counts, and those that are not, with their counts.

    Most frequent first until `character_coverage` is reached, tested before each one is added; required
    characters come before all others (sentencepiece, trainer_interface.cc). The space marker is always required:
    without it every text would hold an unknown character (differs from SentencePiece).
    """
    totals = np.zeros(N_CODE_POINTS, dtype=np.int64)
    for number, shard in enumerate(shards):
        checkpoint(number / len(shards))
        texts, counts = shard.used()
        kernels.add_character_counts(texts.code_points, texts.offsets, counts, 0, len(counts), totals)
    if not totals.any():
        raise TrainingError(
            "Nothing is left to train on: every text is empty, longer than max_sentence_length, or made of "
            "characters that no piece may hold; look at the corpus and at max_sentence_length."
        )
    is_required = np.zeros(N_CODE_POINTS, dtype=bool)
    is_required[to_code_points(spec.required_chars.replace(" ", "▁"))] = True
    is_required[kernels.MARKER] |= totals[kernels.MARKER] > 0
    found = np.flatnonzero((totals > 0) | is_required)
    order = np.lexsort((found, -totals[found], ~is_required[found]))
    found = found[order]
    before = np.cumsum(totals[found]) - totals[found]
    is_kept = (before < spec.character_coverage * totals.sum()) | is_required[found]
    kept = found[is_kept].astype(np.int32)
    kept = kept[np.lexsort((kept, -totals[kept]))]
    dropped = tuple((chr(c), int(totals[c])) for c in found[~is_kept].tolist())
    return kept, totals[kept], dropped
