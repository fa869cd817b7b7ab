"""Groups of texts: by the script that most of their characters have, or by a column of the table they come from.

In: a corpus and two tallies. Out: figures of each group with intervals, from the same blocks and draws as those of the
corpus. Figures of the distribution of pieces are none of these: comparing on the group alone has them too.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.comparison.bootstrap import BlockSums, ComparedFigure, compared, draw_weights
from engine.comparison.figures import FIGURES, SUMS
from engine.comparison.tally import Tally
from engine.corpus import Corpus
from engine.corpus_columns import CorpusColumn
from engine.errors import CorpusError
from engine.kernels.text_counts import count_words, find_main_scripts
from engine.shards import N_SHARDS, Checkpoint, Workers, bounds_by_weight, slices
from engine.tables import scripts

Longs = NDArray[np.int64]
Floats = NDArray[np.float64]

BY_SCRIPT = "script"
"""The name of the grouping that every corpus has."""

_SLICE = 1 << 20  # bytes of texts handed to a kernel at once
_SHARED_SCRIPTS = ("Common", "Inherited", "Unknown")


@dataclass(frozen=True, eq=False)
class Group:
    """Some texts: what they share, how many there are (counts included), characters, figures that are made of sums."""

    name: str
    n_texts: int
    n_characters: int
    figures: tuple[ComparedFigure, ...]


@dataclass(frozen=True, eq=False)
class Grouping:
    """The texts of a corpus in groups, the largest first; `name` is "script", or that of a column."""

    name: str
    groups: tuple[Group, ...]


@dataclass(frozen=True)
class CorpusPart:
    """One group of a corpus: `grouping` is 0 for the scripts and i + 1 for column i, `value` the name of the group."""

    grouping: int
    value: str


@dataclass(frozen=True, eq=False)
class TextCounts:
    """What is counted of texts as they stand: words int64[n], and the script that most characters have, uint8[n]."""

    n_words: Longs
    main_script: NDArray[np.uint8]


def text_counts(workers: Workers, corpus: Corpus) -> Generator[float, None, TextCounts]:
    """Count words and scripts; yields the fraction done."""
    names, script = scripts()
    is_shared = np.zeros(256, dtype=np.bool_)
    is_shared[[names.index(name) for name in _SHARED_SCRIPTS]] = True
    common = names.index("Common")
    n_words, main = np.zeros(len(corpus), dtype=np.int64), np.zeros(len(corpus), dtype=np.uint8)
    bounds = bounds_by_weight(corpus.offsets, N_SHARDS)

    def count(shard: int, checkpoint: Checkpoint) -> None:
        begin, end = int(bounds[shard]), int(bounds[shard + 1])
        for first, stop in slices(corpus.offsets, begin, end, _SLICE):
            checkpoint((first - begin) / (end - begin))
            count_words(corpus.utf8, corpus.offsets, first, stop, n_words)
            find_main_scripts(corpus.utf8, corpus.offsets, first, stop, script, is_shared, common, main)

    yield from workers.run(count, N_SHARDS)
    return TextCounts(n_words, main)


def script_column(corpus: Corpus, counted: TextCounts) -> CorpusColumn:
    """Return the main script of each text as a column."""
    return CorpusColumn(
        BY_SCRIPT, scripts()[0], np.arange(len(corpus), dtype=np.int32), counted.main_script, corpus.counts
    )


def part_of(workers: Workers, corpus: Corpus, part: CorpusPart) -> Generator[float, None, Corpus]:
    """Return the texts of one group, counted as often as they stand in it. Raises CorpusError where there is none."""
    if part.grouping == 0:
        counted = yield from text_counts(workers, corpus)
        column = script_column(corpus, counted)
    else:
        column = corpus.columns[part.grouping - 1]
    if part.value not in column.values:
        raise CorpusError(f"{corpus.name} has no text whose {column.name} is {part.value}; compare on all of it.")
    return corpus.where(column, part.value)


@dataclass(frozen=True, eq=False)
class TextSums:
    """What is added up of the texts under one model; columns float64[n] in the order of `SUMS`."""

    columns: tuple[NDArray, ...]

    @classmethod
    def of(cls, corpus: Corpus, counted: TextCounts, of: Tally) -> TextSums:
        """Put the columns together."""
        columns = {
            "tokens": of.tokens, "characters": corpus.n_characters, "bytes": np.diff(corpus.offsets),
            "words": counted.n_words, "nats": -of.log_probs, "unknown": of.unknown, "byte_tokens": of.byte,
            "single": of.single,
        }  # fmt: skip
        return cls(tuple(columns[name] for name in SUMS))

    def added_up(self, groups: NDArray, texts: NDArray, counts: Longs, n_groups: int) -> Floats:
        """Return float64[n_groups, len(SUMS)]: sums of texts[i], counts[i] times, in group groups[i]."""
        sums = [np.bincount(groups, counts * column[texts], minlength=n_groups) for column in self.columns]
        return np.stack(sums, axis=1)

    def in_blocks(self, corpus: Corpus, blocks: NDArray[np.int32], of: Tally) -> BlockSums:
        """Return the sums of each block of texts with what the tally tells of its pieces."""
        every = np.arange(len(corpus))
        sums = self.added_up(blocks, every, corpus.counts, len(of.block_pieces))
        return BlockSums(sums, of.block_pieces, of.usable)


def grouping(
    column: CorpusColumn, a: TextSums, b: TextSums, blocks: NDArray[np.int32]
) -> Generator[float, None, Grouping]:
    """Return the figures of each value of a column; yields the fraction done."""
    n_values, n_blocks = len(column.values), int(blocks.max(initial=0)) + 1
    cells = column.codes.astype(np.int64) * n_blocks + blocks[column.texts]
    of_a, of_b = (
        sums.added_up(cells, column.texts, column.counts, n_values * n_blocks).reshape(n_values, n_blocks, len(SUMS))
        for sums in (a, b)
    )
    n_texts = np.bincount(column.codes, column.counts, minlength=n_values).astype(np.int64)
    order = sorted(np.flatnonzero(n_texts).tolist(), key=lambda v: (-n_texts[v], column.values[v]))
    weights, at = draw_weights(n_blocks), SUMS.index("characters")
    groups = []
    for done, v in enumerate(order):
        yield done / len(order)
        figures = _figures(of_a[v], of_b[v], weights)
        groups.append(Group(column.values[v], int(n_texts[v]), int(of_a[v, :, at].sum()), figures))
    return Grouping(column.name, tuple(groups))


def _figures(a: Floats, b: Floats, weights: Floats) -> tuple[ComparedFigure, ...]:
    drawn_a, drawn_b = weights @ a, weights @ b
    return tuple(
        compared(figure, figure.of_sums(drawn_a), figure.of_sums(drawn_b))
        for figure in FIGURES
        if figure.of_sums is not None
    )
