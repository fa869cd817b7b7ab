"""A training history as a file beside its model: NAME.model.history.

In: a history and the finished model. Out: one NumPy archive (npz, no pickles) that appears whole or not at all. The
arrays of all updates and prunings lie one after the other. A digest of the pieces ties the file to its model.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
import tokenize
import zipfile
import zlib
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import EngineError, ModelFileError
from engine.files import opened_file, path_of, read_file, written_file
from engine.flat_texts import FlatTexts
from engine.history import PruningRound, TrainingHistory, Update, Verdict
from engine.history_store import HistoryStore
from engine.model import UnigramModel
from engine.spec import TrainerSpec
from engine.tables import N_CODE_POINTS

VERSION = 1
SUFFIX = ".history"
_UPDATE_ARRAYS = ("pieces", "expected_counts", "probabilities")
_PRUNING_ARRAYS = (
    "pieces", "probabilities", "expected_counts", "losses", "verdict", "loss_is_bound", "probabilities_after",
)  # fmt: skip
_UPDATE_SCALARS = ("round", "sub_iteration", "n_pieces", "loss_before", "loss_after", "expected_tokens", "objective")
_PRUNING_SCALARS = ("round", "n_before", "n_after", "criterion")
_DAMAGE = (
    OSError, ValueError, LookupError, TypeError, AttributeError, EOFError, MemoryError, OverflowError, SyntaxError,
    RuntimeError, struct.error, tokenize.TokenError, zipfile.BadZipFile, zlib.error, EngineError,
)  # fmt: skip
"""What zipfile, NumPy's reader of headers and the makers of records raise where bytes are not what was written."""
_FINAL = ("final_expected_counts", "final_losses", "final_loss_is_bound", "seed_probabilities")


def history_path(model_path: str | os.PathLike[str]) -> Path:
    """Return where the history of a model lies.

    >>> history_path("en.model").name
    'en.model.history'
    """
    path = path_of(model_path, ModelFileError)
    return path.with_name(path.name + SUFFIX)


def save_history(path: str | os.PathLike[str], history: TrainingHistory, model: UnigramModel) -> None:
    """Write a history; raises ModelFileError where it cannot be written, and then nothing has changed."""
    head = {
        "version": VERSION,
        "model": _digest(model),
        "corpus_name": history.corpus_name,
        "spec": asdict(history.spec),
        "final_loss": history.final_loss,
        "notes": history.notes,
        "dropped_characters": history.dropped_characters,
        "n_characters": history.n_characters,
        "updates": [{name: getattr(update, name) for name in _UPDATE_SCALARS} for update in history.updates],
        "prunings": [{name: getattr(pruning, name) for name in _PRUNING_SCALARS} for pruning in history.prunings],
    }
    arrays: dict[str, np.ndarray] = {
        "head": np.frombuffer(json.dumps(head).encode(), dtype=np.uint8),
        "code_points": history.piece_texts.code_points,
        "text_offsets": history.piece_texts.offsets,
        **{name: getattr(history, name) for name in _FINAL},
    }
    for kind, names in (("updates", _UPDATE_ARRAYS), ("prunings", _PRUNING_ARRAYS)):
        for i, record in enumerate(getattr(history, kind)):
            arrays |= {f"{kind}.{i}.{name}": getattr(record, name) for name in names}
    with written_file(path) as file:  # array by array: what lies on disk need not come into memory
        np.savez(file, **arrays)  # type: ignore[arg-type]


def load_history(path: str | os.PathLike[str], model: UnigramModel) -> TrainingHistory:
    """Read the history of `model`; beyond the memory of a `HistoryStore` it lies in a file again.

    Raises
    ------
    ModelFileError
        Where the file is none, is damaged, is of another version, or belongs to another model.
    """
    path = path_of(path, ModelFileError)
    if not path.is_file():
        read_file(path)  # which says what is wrong
    store = HistoryStore()
    try:
        with opened_file(path) as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: store.hold(archive[name]) for name in archive.files}
        head = json.loads(arrays["head"].tobytes())
        return _history(head, arrays, model, path.name)
    except ModelFileError:
        raise
    except _DAMAGE as error:
        raise ModelFileError(f"{path.name} is no training history, or is damaged.") from error


def _history(
    head: dict[str, Any], arrays: dict[str, np.ndarray], model: UnigramModel, name: str
) -> TrainingHistory:
    if head["version"] != VERSION:
        raise ModelFileError(f"{name} is a history of version {head['version']}; this program reads {VERSION}.")
    if head["model"] != _digest(model):
        raise ModelFileError(f"{name} is the history of another model.")
    for array in arrays.values():
        array.setflags(write=False)
    history = TrainingHistory(
        corpus_name=head["corpus_name"],
        spec=_spec(head["spec"]),
        piece_texts=FlatTexts(arrays["code_points"], arrays["text_offsets"]),
        updates=tuple(
            Update(**_record(scalars, arrays, f"updates.{i}", _UPDATE_ARRAYS))
            for i, scalars in enumerate(head["updates"])
        ),
        prunings=tuple(
            PruningRound(**_record(scalars, arrays, f"prunings.{i}", _PRUNING_ARRAYS))
            for i, scalars in enumerate(head["prunings"])
        ),
        final_loss=head["final_loss"],
        notes=tuple(head["notes"]),
        dropped_characters=tuple((text, count) for text, count in head["dropped_characters"]),
        n_characters=head["n_characters"],
        **_record({}, {f"final.{name}": arrays[name] for name in _FINAL}, "final", _FINAL),
    )
    if not _is_consistent(history, len(model.pieces)):
        raise ValueError("columns that do not fit each other")
    return history


def _is_consistent(history: TrainingHistory, n_ids: int) -> bool:
    """Tell whether every column has its type and length, and every index is one, so that no view fails later."""
    n = len(history.piece_texts)
    final = (history.final_expected_counts, history.final_losses)
    records = [(update, _UPDATE_ARRAYS) for update in history.updates]
    records += [(pruning, _PRUNING_ARRAYS) for pruning in history.prunings]  # type: ignore[misc]
    return (
        _are_texts(history.piece_texts)
        and 0 <= history.n_characters <= n
        and _is_column(history.seed_probabilities, "f", n)
        and all(_is_column(column, "f", n_ids) for column in final)
        and _is_column(history.final_loss_is_bound, "b", n_ids)
        and all(_is_record([getattr(record, name) for name in names], names, n) for record, names in records)
        and all(_is_count(update.n_pieces, len(update.pieces)) for update in history.updates)
        and all(_is_count(pruning.n_after, len(pruning.pieces)) for pruning in history.prunings)
    )


def _are_texts(texts: FlatTexts) -> bool:
    offsets, characters = texts.offsets, texts.code_points
    return (
        _is_column(offsets, "i", len(offsets))
        and _is_column(characters, "i", len(characters))
        and int(offsets[0]) == 0
        and int(offsets[-1]) == len(characters)
        and bool((np.diff(offsets) > 0).all())
        and _is_within(characters, N_CODE_POINTS)
    )


def _is_record(columns: list[np.ndarray], names: tuple[str, ...], n_texts: int) -> bool:
    """Tell whether the columns of one update or pruning are as long as its pieces, each of its own type."""
    kinds = {"pieces": "i", "verdict": "i", "loss_is_bound": "b"}
    named = dict(zip(names, columns, strict=True))
    n = len(named["pieces"])
    return (
        all(_is_column(column, kinds.get(name, "f"), n) for name, column in named.items())
        and _is_within(named["pieces"], n_texts)
        and ("verdict" not in named or _is_within(named["verdict"], len(Verdict)))
    )


def _is_column(values: np.ndarray, kind: str, n: int) -> bool:
    return values.dtype.kind == kind and values.shape == (n,)


def _is_within(indices: np.ndarray, n: int) -> bool:
    return not len(indices) or (int(indices.min()) >= 0 and int(indices.max()) < n)


def _is_count(count: int, most: int) -> bool:
    return isinstance(count, int) and 0 <= count <= most


def _record(
    scalars: dict[str, Any], arrays: dict[str, np.ndarray], prefix: str, names: tuple[str, ...]
) -> dict[str, Any]:
    return {**scalars, **{name: arrays[f"{prefix}.{name}"] for name in names}}


def _spec(settings: dict[str, Any]) -> TrainerSpec:
    """JSON has no tuples: its lists are the settings that are tuples."""
    fields: dict[str, Any] = {}
    for name, value in settings.items():
        fields[name] = tuple(value) if isinstance(value, list) else value
    return TrainerSpec(**fields)


def _digest(model: UnigramModel) -> str:
    """Return what tells a model's pieces from those of any other: texts, and scores as a file holds them."""
    texts = "\n".join(text.replace("\\", "\\\\").replace("\n", "\\n") for text in model.pieces.texts)
    scores = model.pieces.log_probs.astype("<f4").tobytes()
    return hashlib.sha256(texts.encode("utf-8", "surrogatepass") + scores).hexdigest()
