"""Sums of training taken apart text by text, for corpora that a person can follow by hand.

In: the model of a moment, a piece, a corpus. Out: each text's term, in the order of the corpus, and their sum. Only
texts that have the piece are named.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.corpus import Corpus
from engine.errors import TextError
from engine.model import UnigramModel

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Terms:
    """The terms of a sum over texts.

    Attributes
    ----------
    texts : int64[k]
        Places in the corpus.
    counts : int64[k]
        How often each text occurs.
    each : float64[k]
        What one occurrence adds.
    """

    texts: NDArray[np.int64]
    counts: NDArray[np.int64]
    each: Floats

    @property
    def products(self) -> Floats:
        """Return count x each."""
        return self.counts * self.each

    @property
    def total(self) -> float:
        """Return the sum."""
        return float(self.products.sum())


def _terms(corpus: Corpus, each: list[float]) -> Terms:
    values = np.array(each)
    places = np.flatnonzero(values)
    columns = (places, corpus.counts[places], values[places])
    for column in columns:
        column.setflags(write=False)
    return Terms(*columns)


def count_terms(model: UnigramModel, piece: str, corpus: Corpus) -> Terms:
    """Take C(piece) of an E step apart: how often the piece is expected in each text.

    Examples
    --------
    Nine pieces, all equally probable: ab is expected 0.9 times in the text ab, and there are 24 of them.

    >>> nine = ["a", "b", "c", "ab", "bc", "ca", "abc", "bca", "cab"]
    >>> model = UnigramModel.from_probabilities(dict.fromkeys(nine, 1 / 9))
    >>> found = count_terms(model, "ab", Corpus.from_counts({"b": 8, "ab": 24, "abca": 2, "cab": 2}))
    >>> found.products.round(6).tolist(), round(found.total, 6)
    ([21.6, 0.664207, 0.18], 22.444207)
    """
    number = model.pieces.id_of(piece)
    each = []
    for i in range(len(corpus)):
        lattice = model.lattice(corpus.text(i))
        each.append(float(lattice.posteriors[lattice.edge_piece == number].sum()))
    return _terms(corpus, each)


def loss_terms(model: UnigramModel, piece: str, corpus: Corpus) -> Terms:
    """Take the exact loss of a piece apart: by how much each text's ln P falls without it, all else frozen.

    Examples
    --------
    >>> model = UnigramModel.from_probabilities({"a": 0.5, "b": 0.25, "ab": 0.25})
    >>> found = loss_terms(model, "ab", Corpus.from_counts({"b": 4, "ab": 2}))
    >>> found.each.round(6).tolist(), round(found.total, 6)
    ([1.098612], 2.197225)

    Raises
    ------
    TextError
        Where a text could not be cut at all without the piece: then it is protected.
    """
    each = []
    for i in range(len(corpus)):
        lattice = model.lattice(corpus.text(i))
        without = lattice.without(piece)
        if not np.isfinite(without.log_z):
            raise TextError(f"Without {piece} the text {corpus.text(i)} has no path: it is protected.")
        each.append(float(lattice.log_z - without.log_z))
    return _terms(corpus, [0.0 if abs(value) < 1e-14 else value for value in each])


@dataclass(frozen=True, eq=False)
class Lesson:
    """One update and the pruning after it, for one piece.

    Attributes
    ----------
    piece : str
    counted : Terms
        The E step: C(piece).
    n_tokens : float
        The sum of all C.
    probability : float
        The M step: C / sum of C.
    loss : Terms or None
        The exact loss in the table after the update; None where the piece is protected or gone.
    """

    piece: str
    counted: Terms
    n_tokens: float
    probability: float
    loss: Terms | None


def lesson(before: UnigramModel, after: UnigramModel, n_tokens: float, piece: str, corpus: Corpus) -> Lesson:
    """Walk one piece through an update: `before` and `after` are the tables around it, `n_tokens` the sum of all C."""
    counted = count_terms(before, piece, corpus)
    loss = None
    if len(piece) > 1 and after.pieces.id_of(piece) is not None:
        loss = loss_terms(after, piece, corpus)
    return Lesson(piece, counted, n_tokens, counted.total / n_tokens, loss)
