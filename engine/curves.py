"""Curves of a run: one value for each moment, and how the probabilities of chosen pieces moved.

In: a TrainingHistory. Out: flat arrays in the order of `timeline.moments`. What needs only a table is computed here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.history import PruningRound, TrainingHistory, Update
from engine.ledger import find_text
from engine.timeline import REMOVAL, SEEDS, UPDATE, Moment, moments

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Curves:
    """A run over its moments.

    Attributes
    ----------
    moments : tuple of Moment
    loss : float64[n]
        Corpus loss of each table in nats, nan where nothing computed it.
    gain : float64[n]
        By how much an update lowered it, nats; negative after a removal; nan at the first moment.
    n_pieces : float64[n]
    expected_tokens : float64[n]
        Expected tokens of the corpus in the E step that led to the table; nan where none did.
    entropy : float64[n]
        -sum of p ln p of the table, nats a token; nan where the history has no table of its own.
    """

    moments: tuple[Moment, ...]
    loss: Floats
    gain: Floats
    n_pieces: Floats
    expected_tokens: Floats
    entropy: Floats


def curves(history: TrainingHistory) -> Curves:
    """Return the curves of a run.

    Examples
    --------
    >>> from engine.corpus import Corpus
    >>> from engine.spec import PRESETS
    >>> from engine.trainer import train
    >>> corpus = Corpus.from_counts({"a": 16, "b": 8, "c": 8, "ab": 24, "bc": 32, "abc": 12, "abca": 2, "cab": 2})
    >>> run = train(corpus, PRESETS["Teaching"])
    >>> _ = run.result()
    >>> found = curves(run.history)
    >>> found.loss[:3].round(3).tolist(), found.gain[1:3].round(3).tolist()
    ([221.64, 173.383, 170.217], [48.258, 3.166])
    """
    found = moments(history)
    loss = np.array([np.nan if moment.loss is None else moment.loss for moment in found])
    gain = np.concatenate(([np.nan], -np.diff(loss)))
    tokens = np.full(len(found), np.nan)
    entropy = np.full(len(found), np.nan)
    for i, moment in enumerate(found):
        if moment.kind == UPDATE:
            tokens[i] = history.updates[moment.place].expected_tokens
        entropy[i] = _entropy(_table(history, moment)[1])
    n_pieces = np.array([moment.n_pieces for moment in found], dtype=np.float64)
    columns = (loss, gain, n_pieces, tokens, entropy)
    for column in columns:
        column.setflags(write=False)
    return Curves(found, *columns)


def _table(history: TrainingHistory, moment: Moment) -> tuple[np.ndarray, Floats]:
    """Return the candidates of a moment's table and their probabilities; both empty for a cut by score."""
    if moment.kind == SEEDS:
        p = np.asarray(history.seed_probabilities, dtype=np.float64)
        return np.arange(len(p)), p
    record: Update | PruningRound
    if moment.kind == UPDATE:
        record = history.updates[moment.place]
        return record.pieces, np.asarray(record.probabilities, dtype=np.float64)
    if moment.kind == REMOVAL:
        record = history.prunings[moment.place]
        return record.pieces, np.asarray(record.probabilities_after, dtype=np.float64)
    return np.zeros(0, dtype=np.int32), np.zeros(0)


def _entropy(p: Floats) -> float:
    p = p[p > 0.0]  # nan is not
    return float(-(p * np.log(p)).sum()) if len(p) else np.nan


def rank_curve(history: TrainingHistory, moment: Moment) -> Floats:
    """Return the probabilities of a moment's table, the largest first."""
    _, p = _table(history, moment)
    return -np.sort(-p[p > 0.0])


@dataclass(frozen=True, eq=False)
class PieceCurve:
    """How one piece moved: its probability at each moment, nan where it was not in the table."""

    text: str
    probabilities: Floats


def piece_curves(history: TrainingHistory, texts: Sequence[str]) -> tuple[PieceCurve, ...]:
    """Return the curves of those of `texts` that were candidates."""
    found = [(text, find_text(history.piece_texts, text)) for text in texts]
    tables = [_table(history, moment) for moment in moments(history)]
    return tuple(
        PieceCurve(text, np.array([_probability(table, piece) for table in tables]))
        for text, piece in found
        if piece >= 0
    )


def _probability(table: tuple[np.ndarray, Floats], piece: int) -> float:
    pieces, p = table
    place = int(np.searchsorted(pieces, piece))
    is_there = place < len(pieces) and int(pieces[place]) == piece
    return float(p[place]) if is_there else np.nan
