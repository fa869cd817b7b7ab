"""Every distinct word of a corpus under one model, cut once: what its texts are put together from.

In: an `Encoder` that cuts word by word, and `CorpusWords`. Out: `WordCuts`, as a text's first word and as a later one.
The words are shared out over threads; each is cut by itself, so the number of threads changes nothing.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.comparison.words import CorpusWords
from engine.encoder import Encoder
from engine.kernels.word_cuts import LIMIT, cut_words
from engine.shards import N_SHARDS, Checkpoint, Workers, bounds_by_weight, portion, slices

Longs = NDArray[np.int64]

_SLICE = 1 << 15  # bytes of words handed to a kernel at once
_LONGEST = 1 << 14  # bytes of the longest word that is cut here: beyond it words are texts without a blank


class CutSpace(NamedTuple):
    """Arrays in which one word after the other is cut; see `engine.kernels.word_path`."""

    code_points: NDArray[np.int32]
    letters: NDArray[np.uint32]
    first: NDArray[np.float64]
    second: NDArray[np.float64]
    back: NDArray[np.int64]
    edges: NDArray[np.int32]

    @classmethod
    def for_words(cls, words: CorpusWords) -> CutSpace:
        """Return room for the longest of these words: rules may write a character as several."""
        longest = int(np.diff(words.offsets).max(initial=0))
        n = 2 * min(longest, _LONGEST) + 256
        code_points, edges = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
        letters, back = np.empty(n, dtype=np.uint32), np.empty(n + 1, dtype=np.int64)
        return cls(code_points, letters, np.empty(n + 1), np.empty(n + 1), back, edges)


class WordCuts(NamedTuple):
    """Words under one model.

    Attributes
    ----------
    known : float64[n, 3]
        Up to which sum before it a word's tokens are sure to be the encoder's (negative: never), the score of its best
        path, its ln Z; nats.
    token_offsets : int64[n+1]
    tokens : int32[]
        Word w has tokens[token_offsets[w]:token_offsets[w+1]].
    """

    known: NDArray[np.float64]
    token_offsets: Longs
    tokens: NDArray[np.int32]

    @property
    def n_tokens(self) -> NDArray[np.int32]:
        """int32[n]: tokens of each word; 0 where it could not be cut by itself."""
        return np.diff(self.token_offsets).astype(np.int32)

    @property
    def is_certain(self) -> NDArray[np.bool_]:
        """bool[n]: whether the tokens are the encoder's for the word as a text."""
        return self.known[:, LIMIT] >= 0.0


@dataclass(frozen=True, eq=False)
class CutsInTexts:
    """The words as the first one of a text, `opening`, and as a later one, `inner`; often the same."""

    opening: WordCuts
    inner: WordCuts


def cuts_of(workers: Workers, encoder: Encoder, words: CorpusWords) -> Generator[float, None, CutsInTexts]:
    """Cut every word; yields the fraction done. The encoder must cut word by word (`tables.is_by_word`)."""
    is_apart = encoder.tables.is_first_apart
    inner = yield from portion(_cut(workers, encoder, words, False), 0.0, 0.5 if is_apart else 1.0)
    if not is_apart:
        return CutsInTexts(inner, inner)
    opening = yield from portion(_cut(workers, encoder, words, True), 0.5, 1.0)
    return CutsInTexts(opening, inner)


def _cut(workers: Workers, encoder: Encoder, words: CorpusWords, is_first: bool) -> Generator[float, None, WordCuts]:
    n = len(words)
    known, n_tokens = np.empty((n, 3)), np.empty(n, dtype=np.int64)
    tables, log_scores = encoder.tables, encoder.pieces.edge_log_probs()
    bounds = bounds_by_weight(words.offsets, N_SHARDS)

    def cut(shard: int, checkpoint: Checkpoint) -> list[NDArray[np.int32]]:
        first, last = int(bounds[shard]), int(bounds[shard + 1])
        space, runs = CutSpace.for_words(words), []
        for start, stop in slices(words.offsets, first, last, _SLICE):
            checkpoint((start - first) / (last - first))
            runs.append(
                cut_words(words.utf8, words.offsets, start, stop, is_first, tables, log_scores, space, known, n_tokens)
            )
        return runs

    shards = yield from workers.run(cut, N_SHARDS)
    tokens = np.concatenate([np.zeros(0, np.int32), *(run for runs in shards for run in runs)])
    cuts = WordCuts(known, np.concatenate(([0], np.cumsum(n_tokens))), tokens)
    for array in cuts:
        array.setflags(write=False)
    return cuts
