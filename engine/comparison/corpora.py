"""Two models on one corpus: figures with intervals, and where the differences come from.

In: two models and a corpus. Out: a `CorpusComparison`. Both models see the same texts; figures of one are comparable
with those of the other because characters, bytes and words are counted in the corpus as it stands. Distinct words are
found once for both; a model that cuts word by word cuts each of them once, and texts are put together from them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.comparison.bootstrap import ComparedFigure, compare_figures, random_blocks
from engine.comparison.differences import (
    ResponsiblePiece,
    TokenRows,
    responsible_pieces,
    texts_that_differ,
    word_tokens,
    words_cut_most,
)
from engine.comparison.groups import (
    CorpusPart,
    Grouping,
    TextSums,
    grouping,
    part_of,
    script_column,
    text_counts,
)
from engine.comparison.tally import ByWords, Tally, tally
from engine.comparison.word_cuts import cuts_of
from engine.comparison.words import CorpusWords, words_of
from engine.corpus import Corpus
from engine.encoder import Encoder
from engine.model import UnigramModel
from engine.shards import Workers, finish, portion

Longs = NDArray[np.int64]
Progress = Callable[[float], None]
T = TypeVar("T")

N_LOSSY = 1000


@dataclass(frozen=True, eq=False)
class CorpusComparison:
    """Two models on one corpus.

    Attributes
    ----------
    corpus : Corpus
        What was compared on: a part of the corpus where one was asked for.
    part : CorpusPart or None
    name_a, name_b : str
    figures : tuple of ComparedFigure
    n_blocks : int
        Into how many random blocks the texts were put for the intervals.
    groupings : tuple of Grouping
        By the script that most of a text's characters have, and by each column of the corpus.
    words : TokenRows
        Of the words between blanks those cut into most pieces, weighted or not, and those that differ most.
    texts : TokenRows
        The texts that differ most in tokens x count, most first.
    pieces : tuple of ResponsiblePiece
        What makes the first `n_examined` of these texts differ, by tokens, most first.
    n_examined : int
    n_lossless : tuple of int
        Samples (counts included) that decode(encode(x)) gives back, in A and in B.
    lossy : int64[]
        The first texts that are not given back by one of the two or by both; `lossy_a`, `lossy_b` tell by which.
    """

    corpus: Corpus
    part: CorpusPart | None
    name_a: str
    name_b: str
    figures: tuple[ComparedFigure, ...]
    n_blocks: int
    groupings: tuple[Grouping, ...]
    words: TokenRows
    texts: TokenRows
    pieces: tuple[ResponsiblePiece, ...]
    n_examined: int
    n_lossless: tuple[int, int]
    lossy: Longs
    lossy_a: NDArray[np.bool_]
    lossy_b: NDArray[np.bool_]


def compare_on_corpus(
    a: UnigramModel,
    b: UnigramModel,
    corpus: Corpus,
    *,
    of: CorpusPart | None = None,
    threads: int | None = None,
    cancel: threading.Event | None = None,
    progress: Progress | None = None,
) -> CorpusComparison:
    """Encode a corpus, or one group `of` it, with both models and compare what comes out.

    Raises Cancelled, and CorpusError where there is no such group. The answer does not depend on `threads`.

    >>> a = UnigramModel.from_probabilities({"u": 0.2, "n": 0.2, "able": 0.3, "un": 0.3})
    >>> b = UnigramModel.from_probabilities({"u": 0.2, "n": 0.2, "unable": 0.3, "un": 0.3})
    >>> compared = compare_on_corpus(a, b, Corpus.from_counts({"unable": 3, "un": 1}))
    >>> compared.figures[0].a.value, compared.figures[0].b.value, compared.pieces[0].tokens
    (7.0, 4.0, -1.5)
    """
    with Workers(threads, cancel) as workers:
        return finish(_compared(workers, (a, b), corpus, of), progress)


def _compared(
    workers: Workers, models: tuple[UnigramModel, UnigramModel], corpus: Corpus, of: CorpusPart | None
) -> Generator[float, None, CorpusComparison]:
    if of is not None:
        corpus = yield from portion(part_of(workers, corpus, of), 0.0, 0.02)
    counted = yield from portion(text_counts(workers, corpus), 0.02, 0.08)
    words = yield from portion(words_of(workers, corpus), 0.08, 0.25)
    blocks = random_blocks(len(corpus))
    a = yield from portion(_side(workers, models[0], corpus, blocks, words), 0.25, 0.55)
    b = yield from portion(_side(workers, models[1], corpus, blocks, words), 0.55, 0.85)
    sums_a, sums_b = (TextSums.of(corpus, counted, side.tally) for side in (a, b))
    in_blocks = (sums_a.in_blocks(corpus, blocks, a.tally), sums_b.in_blocks(corpus, blocks, b.tally))
    figures = yield from portion(_checked(workers, compare_figures(*in_blocks)), 0.85, 0.89)
    groupings = []
    for column in (script_column(corpus, counted), *corpus.columns):
        groupings.append((yield from portion(_checked(workers, grouping(column, sums_a, sums_b, blocks)), 0.89, 0.9)))
    yield 0.9
    texts = texts_that_differ(corpus, a.tally, b.tally)
    pieces, n_examined = yield from portion(responsible_pieces(workers, *models, texts), 0.9, 1.0)
    is_lossless = (a.tally.lossless, b.tally.lossless)
    lossy = np.flatnonzero(~(is_lossless[0] & is_lossless[1]))[:N_LOSSY]
    return CorpusComparison(
        corpus, of, models[0].name, models[1].name,
        figures, len(np.unique(blocks)), tuple(groupings),
        words_cut_most(words, a.word_tokens, b.word_tokens), texts, pieces, n_examined,
        (int(corpus.counts[is_lossless[0]].sum()), int(corpus.counts[is_lossless[1]].sum())),
        lossy, ~is_lossless[0][lossy], ~is_lossless[1][lossy],
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Side:
    """What one model makes of the corpus: its tally, and the tokens of each word."""

    tally: Tally
    word_tokens: NDArray[np.int32]


def _checked(workers: Workers, stage: Generator[float, None, T]) -> Generator[float, None, T]:
    """Run a stage that knows no workers, and stop it where they are to stop."""
    while True:
        workers.check()
        try:
            yield next(stage)
        except StopIteration as end:
            result: T = end.value
            return result


def _side(
    workers: Workers, model: UnigramModel, corpus: Corpus, blocks: NDArray[np.int32], words: CorpusWords
) -> Generator[float, None, _Side]:
    by_words = None
    if isinstance(model.encoder, Encoder) and model.encoder.tables.is_by_word:
        by_words = ByWords(words, (yield from portion(cuts_of(workers, model.encoder, words), 0.0, 0.3)))
    found = yield from portion(tally(workers, model, corpus, blocks, by_words), 0.3, 0.8)
    return _Side(found, (yield from portion(word_tokens(workers, model, words, by_words), 0.8, 1.0)))

