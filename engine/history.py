"""TrainingHistory: what each update and each pruning of a run looked like, so that it can be looked at afterwards.

Tables of up to `EXACT_UP_TO` pieces are kept in float64; larger ones in float32, which a picture cannot tell from
it and which halves the memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from engine.flat_texts import FlatTexts
from engine.spec import TrainerSpec

EXACT_UP_TO = 100_000


class Verdict(IntEnum):
    """What a pruning round did with a piece."""

    KEPT = 0
    REMOVED = 1
    PROTECTED = 2


def compact(values: np.ndarray) -> np.ndarray:
    """Return read-only `values`, in float32 where there are more than `EXACT_UP_TO`."""
    values = values.astype(np.float64 if len(values) <= EXACT_UP_TO else np.float32)
    values.setflags(write=False)
    return values


@dataclass(frozen=True, eq=False)
class Update:
    """One E step and the M step that followed.

    Attributes
    ----------
    round, sub_iteration : int
        From 1 on.
    n_pieces : int
        Pieces after the update.
    loss_before, loss_after : float or None
        Corpus loss in nats of the tables before and after it; after is None where nothing computed it.
    expected_tokens : float
        Sum of the expected counts.
    pieces : int32[n]
        The pieces of the table before the update, as indices into the history's piece_texts.
    expected_counts, probabilities : float[n]
        Of these pieces; the probabilities are those after the update, nan for pieces it dropped.
    objective : float or None
        loss_before as SentencePiece logs it, where its arithmetic is followed: nats a sentence, which is a word, summed
        in float32, and unknown characters counted in.
    """

    round: int
    sub_iteration: int
    n_pieces: int
    loss_before: float
    loss_after: float | None
    expected_tokens: float
    pieces: np.ndarray
    expected_counts: np.ndarray
    probabilities: np.ndarray
    objective: float | None = None


@dataclass(frozen=True, eq=False)
class PruningRound:
    """One pruning: every piece of the table with its loss and what became of it.

    Attributes
    ----------
    round, n_before, n_after : int
    criterion : str
        Which loss decided, as in TrainerSpec.pruning_criterion.
    pieces : int32[n]
        Indices into the history's piece_texts.
    probabilities, expected_counts, losses : float[n]
        Losses in nats of all texts together; nan where the piece is protected.
    verdict : int8[n]
        Verdict of each piece.
    loss_is_bound : bool[n]
        Where the loss is a lower bound only (it lies above the cutting line all the same).
    probabilities_after : float[n]
        After the removal, as the next E step takes them: renormalized where the settings say so, over all rows that
        stay; nan where the piece was removed, and for characters that are unknown ones. Where characters are not
        protected, the others sum to 1 less what those had: e^-10 of the least probable piece where one was unknown
        before, its own probability where it became so in this very round.
    """

    round: int
    n_before: int
    n_after: int
    criterion: str
    pieces: np.ndarray
    probabilities: np.ndarray
    expected_counts: np.ndarray
    losses: np.ndarray
    verdict: np.ndarray
    loss_is_bound: np.ndarray
    probabilities_after: np.ndarray


@dataclass(frozen=True, eq=False)
class TrainingHistory:
    """A whole run.

    Attributes
    ----------
    corpus_name : str
    spec : TrainerSpec
    piece_texts : FlatTexts
        All candidates; updates and prunings hold indices into it.
    updates : tuple of Update
    prunings : tuple of PruningRound
    final_expected_counts : float64[vocab_size]
        By ID: expected counts of the last E step; nan for special pieces.
    final_losses : float64[vocab_size]
        By ID: what the corpus would lose without the piece; nan where protected or special.
    final_loss_is_bound : bool[vocab_size]
    final_loss : float
        Corpus loss of the finished model, nats.
    notes : tuple of str
        What a person should know: texts left out, characters not covered, a size that was met only nearly.
    dropped_characters : tuple of (str, int)
        Characters of the corpus that are no pieces, with their counts, most frequent first.
    seed_probabilities : float[n_candidates]
        The table before the first update.
    n_characters : int
        The first so many candidates are single characters.
    """

    corpus_name: str
    spec: TrainerSpec
    piece_texts: FlatTexts
    updates: tuple[Update, ...]
    prunings: tuple[PruningRound, ...]
    final_expected_counts: np.ndarray
    final_losses: np.ndarray
    final_loss_is_bound: np.ndarray
    final_loss: float
    notes: tuple[str, ...]
    dropped_characters: tuple[tuple[str, int], ...]
    seed_probabilities: np.ndarray
    n_characters: int
