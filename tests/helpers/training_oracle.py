"""What training computes, by listing every path of every text: slow, short, and independent of the engine."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

Table = Mapping[str, float]


def cuts(text: str, pieces: Table, without: str | None = None) -> Iterator[tuple[str, ...]]:
    """Yield every way to cut `text` into pieces."""
    if not text:
        yield ()
    for end in range(1, len(text) + 1):
        piece = text[:end]
        if piece in pieces and piece != without:
            for rest in cuts(text[end:], pieces, without):
                yield (piece, *rest)


def probability(text: str, pieces: Table, without: str | None = None) -> float:
    """Return the sum of the probabilities of all paths."""
    return math.fsum(math.prod(pieces[piece] for piece in cut) for cut in cuts(text, pieces, without))


def corpus_loss(corpus: Mapping[str, int], pieces: Table, without: str | None = None) -> float:
    """Return -sum of count x ln P(text); inf where a text has no path."""
    terms = []
    for text, count in corpus.items():
        p = probability(text, pieces, without)
        terms.append(-count * math.log(p) if p > 0.0 else math.inf)
    return math.fsum(terms)


def expected_counts(corpus: Mapping[str, int], pieces: Table) -> dict[str, float]:
    """Return how often each piece is expected over all paths of all texts."""
    terms: dict[str, list[float]] = {piece: [] for piece in pieces}
    for text, count in corpus.items():
        z = probability(text, pieces)
        for cut in cuts(text, pieces):
            share = math.prod(pieces[piece] for piece in cut) / z
            for piece in cut:
                terms[piece].append(count * share)
    return {piece: math.fsum(values) for piece, values in terms.items()}


def exact_losses(corpus: Mapping[str, int], pieces: Table) -> dict[str, float]:
    """Return by how much the corpus loss rises without each piece, all other probabilities frozen."""
    whole = corpus_loss(corpus, pieces)
    return {piece: corpus_loss(corpus, pieces, without=piece) - whole for piece in pieces}


def substrings(texts: Iterator[str] | list[str], longest: int) -> set[str]:
    """Return every substring of up to `longest` characters."""
    return {
        text[start:end]
        for text in texts
        for start in range(len(text))
        for end in range(start + 1, min(len(text), start + longest) + 1)
    }
