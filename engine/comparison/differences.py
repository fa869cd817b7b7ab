"""Where two models differ on a corpus: the texts that differ most, the words cut most, the pieces responsible.

In: tallies, cuts of words. Out: rows for a person to look at, the most telling first.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.comparison.one_text import Stretch, compare_on_text
from engine.comparison.tally import ByWords, Tally
from engine.comparison.words import CorpusWords
from engine.corpus import Corpus
from engine.encoder import Encoder
from engine.model import UnigramModel
from engine.shards import Workers

Longs = NDArray[np.int64]

N_TEXTS, N_WORDS, N_EXAMINED = 1000, 500, 120
_LONGEST_EXAMINED = 20_000  # characters


@dataclass(frozen=True, eq=False)
class TokenRows:
    """Texts or words with their count and their tokens in each model; row i of each array belongs together.

    `places` are numbers of texts in the corpus, or of words among its words.
    """

    places: Longs
    texts: tuple[str, ...]
    counts: Longs
    tokens_a: NDArray[np.int32]
    tokens_b: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.places)


@dataclass(frozen=True)
class ResponsiblePiece:
    """A piece that makes texts differ.

    `owner` is "A" or "B" where only that model has the piece, "both" where the scores decide. `places` is where it
    stands in a differing stretch (counts included), `tokens` how many tokens B has more in these, shared out evenly
    among the pieces of a stretch. `example` is the shortest of these texts.
    """

    piece: str
    owner: str
    places: int
    tokens: float
    example: str


def texts_that_differ(corpus: Corpus, a: Tally, b: Tally) -> TokenRows:
    """Return the texts that differ most in tokens x count, most first."""
    weight = corpus.counts * np.abs(b.tokens.astype(np.int64) - a.tokens)
    order = np.argsort(-weight, kind="stable")[:N_TEXTS]
    order = order[weight[order] > 0]
    texts = tuple(corpus.text(int(i)) for i in order)
    return TokenRows(order, texts, corpus.counts[order], a.tokens[order], b.tokens[order])


def word_tokens(
    workers: Workers, model: UnigramModel, words: CorpusWords, by_words: ByWords | None
) -> Generator[float, None, NDArray[np.int32]]:
    """Return how many tokens each word has as a text by itself, int32[n]; yields the fraction done."""
    if not isinstance(model.encoder, Encoder):
        return (yield from _tokens_one_by_one(workers, model, words))
    if by_words is None:
        n_tokens, left = np.zeros(len(words), dtype=np.int32), np.arange(len(words))
    else:
        n_tokens, left = by_words.cuts.opening.n_tokens, np.flatnonzero(~by_words.cuts.opening.is_certain)
    encoded = model.encoder.encode_utf8(*words.bytes_of(left), workers.threads, workers.cancel)
    n_tokens[left] = np.diff(encoded.offsets)
    return n_tokens


def _tokens_one_by_one(
    workers: Workers, model: UnigramModel, words: CorpusWords
) -> Generator[float, None, NDArray[np.int32]]:
    n_tokens = np.zeros(len(words), dtype=np.int32)
    for w in range(len(words)):
        workers.check()
        n_tokens[w] = len(model.segment(words.word(w), add_special_tokens=False))
        yield w / len(words)
    return n_tokens


def words_cut_most(words: CorpusWords, a: NDArray[np.int32], b: NDArray[np.int32]) -> TokenRows:
    """Return the words cut into most pieces, weighted or not, and those that differ most, by tokens x count."""
    most = np.maximum(a, b).astype(np.int64)
    chosen: set[int] = set()
    for weight in (most, (most - 1) * words.counts, np.abs(b.astype(np.int64) - a) * words.counts):
        chosen.update(np.argsort(-weight, kind="stable")[:N_WORDS].tolist())
    places = np.array(sorted(chosen), dtype=np.int64)
    places = places[np.argsort(-((most - 1) * words.counts)[places], kind="stable")]
    texts = tuple(words.word(int(w)) for w in places)
    return TokenRows(places, texts, words.counts[places], a[places], b[places])


def responsible_pieces(
    workers: Workers, a: UnigramModel, b: UnigramModel, texts: TokenRows
) -> Generator[float, None, tuple[tuple[ResponsiblePiece, ...], int]]:
    """Return what makes the first of these texts differ, by tokens, and how many were looked at."""
    examined = [row for row, text in enumerate(texts.texts[:N_EXAMINED]) if len(text) <= _LONGEST_EXAMINED]
    shares: dict[tuple[str, str], _Share] = {}
    for i, row in enumerate(examined):
        workers.check()
        yield i / len(examined)
        text = texts.texts[row]
        for stretch in compare_on_text(a, b, text, costs=False).stretches:
            _blame(stretch, text, int(texts.counts[row]), shares)
    found = [ResponsiblePiece(*key, share.places, share.tokens, share.example) for key, share in shares.items()]
    return tuple(sorted(found, key=lambda row: (-abs(row.tokens), row.piece, row.owner))), len(examined)


@dataclass
class _Share:
    """What is known of a piece so far."""

    example: str
    places: int = 0
    tokens: float = 0.0


def _blame(stretch: Stretch, text: str, count: int, shares: dict[tuple[str, str], _Share]) -> None:
    """Share out the tokens of a stretch among the pieces that only one model has, or else those that differ."""
    keys = [(piece, "B") for piece in stretch.a.lacks] + [(piece, "A") for piece in stretch.b.lacks]
    if not keys:
        differing = set(stretch.a.pieces).symmetric_difference(stretch.b.pieces)
        keys = [(piece, "both") for piece in sorted(differing)]
    gained = count * (len(stretch.b.pieces) - len(stretch.a.pieces)) / max(len(keys), 1)
    for key in keys:
        share = shares.setdefault(key, _Share(text))
        share.places += count
        share.tokens += gained
        if len(text) < len(share.example):
            share.example = text
