"""Changes to a vocabulary, or to one text's lattice, as values: what a person tries out, undoes and keeps.

In: a model and edits in the order they were made. Out: a new model, all IDs as before and added pieces behind them; or
the lattice of a text without the forbidden edges. The old model is never touched, so undoing is forgetting an edit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from engine.encoder import Segmentation
from engine.errors import ModelFileError
from engine.lattice import Lattice
from engine.model import UnigramModel
from engine.paths import Path
from engine.pieces import PieceTable, PieceType
from engine.what_if import constrained

EDITABLE = (PieceType.NORMAL, PieceType.USER_DEFINED, PieceType.UNUSED)
"""Types that a piece may be given or taken from; the others are symbols that the model's other settings name."""


@dataclass(frozen=True)
class RescorePiece:
    """A piece scores `log_prob`, in nats."""

    piece: int
    log_prob: float


@dataclass(frozen=True)
class RetypePiece:
    """A piece is of another type. UNUSED disables it everywhere and keeps its ID."""

    piece: int
    piece_type: PieceType


@dataclass(frozen=True)
class AddPiece:
    """A new piece gets the first free ID."""

    text: str
    log_prob: float
    piece_type: PieceType = PieceType.NORMAL


@dataclass(frozen=True)
class ForbidEdge:
    """In this normalized text no path runs from start to end in one piece."""

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class ForceEdge:
    """In this normalized text every path runs from start to end in one piece."""

    text: str
    start: int
    end: int


Edit = RescorePiece | RetypePiece | AddPiece | ForbidEdge | ForceEdge


def edited_model(model: UnigramModel, edits: Iterable[Edit]) -> UnigramModel:
    """Return the model with its vocabulary changed; edges of one text are no part of a vocabulary.

    Raises ModelFileError for an edit that cannot be made, in one sentence.

    Examples
    --------
    >>> model = UnigramModel.from_probabilities({"a": 0.5, "b": 0.25, "ab": 0.1})
    >>> model.encode_pieces("ab"), edited_model(model, [RescorePiece(3, -1.0)]).encode_pieces("ab")
    (['a', 'b'], ['ab'])
    """
    changes = [edit for edit in edits if not isinstance(edit, ForbidEdge | ForceEdge)]
    if not changes:
        return model
    table = model.pieces
    texts, log_probs, types = list(table.texts), table.log_probs.tolist(), table.types.tolist()
    for edit in changes:
        if isinstance(edit, AddPiece):
            _check_new(edit, texts, types)
            texts.append(edit.text)
            log_probs.append(edit.log_prob)
            types.append(int(edit.piece_type))
        elif isinstance(edit, RescorePiece):
            _check_score(edit, texts, types)
            log_probs[edit.piece] = edit.log_prob
        else:
            _check_type(edit, texts, types)
            types[edit.piece] = int(edit.piece_type)
    pieces = PieceTable(tuple(texts), np.array(log_probs), np.array(types, dtype=np.int8))
    return replace(model, pieces=pieces, name=f"edited {model.name.removeprefix('edited ')}".strip())


def edited_lattice(lattice: Lattice, edits: Iterable[Edit]) -> Lattice:
    """Return the lattice without the edges that the edits of this very text rule out.

    Raises TextError where no path is left.
    """
    here = [edit for edit in edits if isinstance(edit, ForbidEdge | ForceEdge) and edit.text == lattice.text]
    if not here:
        return lattice
    return constrained(
        lattice,
        forbidden=[(edit.start, edit.end) for edit in here if isinstance(edit, ForbidEdge)],
        forced=[(edit.start, edit.end) for edit in here if isinstance(edit, ForceEdge)],
    )


def cut_along(model: UnigramModel, cut: Segmentation, lattice: Lattice, path: Path) -> Segmentation:
    """Return a segmentation whose tokens are those of another path than the encoder's own.

    Unknown characters become what the encoder makes of them: their bytes, or one token for a run of them.
    """
    rows: list[tuple[int, int, int]] = []
    byte_ids = model.pieces.byte_ids if model.byte_fallback else None
    for edge, start, end, piece in zip(path.edges, path.starts, path.ends, path.ids, strict=True):
        if not lattice.edge_is_unknown[edge]:
            rows.append((piece, start, end))
        elif byte_ids is not None:
            rows += [(int(byte_ids[value]), start, end) for value in lattice.text[start:end].encode()]
        elif rows and rows[-1][0] == piece and rows[-1][2] == start:
            rows[-1] = (piece, rows[-1][1], end)
        else:
            rows.append((piece, start, end))
    ids, starts, ends = np.array(rows, dtype=np.int32).reshape(-1, 3).T.copy()
    edges = (np.array(path.starts, dtype=np.int32), np.array(path.ends, dtype=np.int32))
    return replace(cut, ids=ids, starts=starts, ends=ends, edge_starts=edges[0], edge_ends=edges[1], score=path.score)


def _check_new(edit: AddPiece, texts: list[str], types: list[int]) -> None:
    _check_finite(edit.text, edit.log_prob)
    if not edit.text:
        raise ModelFileError("A piece needs at least one character; select some text first.")
    if edit.text in texts:
        raise ModelFileError(f"{edit.text!r} is piece {texts.index(edit.text)} already; change its score or its type.")
    if edit.piece_type not in EDITABLE:
        raise ModelFileError(f"A piece cannot be added as {edit.piece_type.name}; choose normal or user-defined.")


def _check_score(edit: RescorePiece, texts: list[str], types: list[int]) -> None:
    _check_piece(edit.piece, texts, types)
    _check_finite(texts[edit.piece], edit.log_prob)
    if types[edit.piece] == PieceType.USER_DEFINED:
        raise ModelFileError(
            f"{texts[edit.piece]!r} is user-defined and scores by its length alone; make it normal first."
        )


def _check_type(edit: RetypePiece, texts: list[str], types: list[int]) -> None:
    _check_piece(edit.piece, texts, types)
    if edit.piece_type not in EDITABLE:
        raise ModelFileError(f"A piece cannot become {edit.piece_type.name}; choose normal, user-defined or unused.")


def _check_piece(piece: int, texts: list[str], types: list[int]) -> None:
    if not 0 <= piece < len(texts):
        raise ModelFileError(f"There is no piece {piece}; IDs run from 0 to {len(texts) - 1}.")
    if types[piece] not in EDITABLE:
        kind = PieceType(types[piece]).name.lower()
        raise ModelFileError(f"{texts[piece]!r} is a {kind} piece, which the model needs as it is; choose another.")


def _check_finite(text: str, log_prob: float) -> None:
    if not math.isfinite(log_prob):
        raise ModelFileError(f"{text!r} cannot score {log_prob}; a score must be a finite number.")
