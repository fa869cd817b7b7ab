"""The table of one round of a training, as a model: so that two rounds of one run can be compared.

In: a history and the finished model. Out: a model of the pieces that stood in the table when a round of pruning
began, with their probabilities then. Special pieces, normalizer and byte fallback are those of the finished model.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.errors import TrainingError
from engine.history import TrainingHistory
from engine.model import UnigramModel
from engine.pieces import PieceTable, PieceType


def model_of_round(history: TrainingHistory, number: int, finished: UnigramModel) -> UnigramModel:
    """Return the model as it stood before pruning round `number` (from 1 on) removed anything.

    IDs: the special pieces of the finished model first, then the pieces from the most probable down. Pieces whose
    probability was 0 by then are left out. Raises TrainingError for a round that there was not.
    """
    rounds = {pruning.round: pruning for pruning in history.prunings}
    if number not in rounds:
        raise TrainingError(f"There is no pruning round {number}; this training had {len(rounds)}.")
    pruning = rounds[number]
    probabilities = np.asarray(pruning.probabilities, dtype=np.float64)
    order = np.lexsort((pruning.pieces, -probabilities))
    order = order[probabilities[order] > 0.0]
    table = finished.pieces
    special = [
        (table.texts[i], float(table.log_probs[i]), int(table.types[i]))
        for i in np.flatnonzero(table.types != PieceType.NORMAL).tolist()
    ]
    taken = {text for text, _, _ in special}
    rows = [
        (history.piece_texts[int(pruning.pieces[i])], float(np.log(probabilities[i])), int(PieceType.NORMAL))
        for i in order.tolist()
    ]
    pieces = PieceTable.from_rows([*special, *(row for row in rows if row[0] not in taken)])
    return replace(
        finished, pieces=pieces, name=f"{finished.name}, round {number}", own_settings={}, document=None
    )
