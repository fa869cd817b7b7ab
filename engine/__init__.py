"""The engine of the Unigram lattice explorer. It knows no window: everything here runs from a script.

    corpus -> normalizer -> seeds -> (EM, prune)* -> model -> lattice -> paths, marginals

A `Corpus` is distinct texts with counts. `train` turns it, with the settings of a `TrainerSpec`, into a
`UnigramModel`: candidates from a suffix array, then rounds of expectation-maximization and pruning. A model encodes
texts and decodes IDs; its `Lattice` of one text holds every way to cut it. Values are frozen, stages are pure
functions, probabilities are natural logarithms (nats), and bad input raises an `EngineError` in one sentence.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.alignment import Alignment, align
    from engine.batches import EncodedBatch
    from engine.corpus import Corpus
    from engine.corpus_effect import CorpusChange, corpus_change
    from engine.corpus_statistics import CorpusFigures, corpus_figures
    from engine.edits import AddPiece, ForbidEdge, ForceEdge, RescorePiece, RetypePiece, edited_lattice, edited_model
    from engine.encoded_files import encode_file
    from engine.encoder import Segmentation
    from engine.errors import Cancelled, CorpusError, EngineError, ModelFileError, TextError, TrainingError
    from engine.history import PruningRound, TrainingHistory, Update, Verdict
    from engine.jobs import Job
    from engine.lattice import Lattice
    from engine.model import UnigramModel, load_model
    from engine.normalizer import Normalized, NormalizerSpec
    from engine.parity import Difference, ParityReport, RulePair, TextParity, parity_report
    from engine.paths import Path
    from engine.pieces import PieceTable, PieceType
    from engine.sampling import Draws, draw_paths
    from engine.spec import PRESETS, SPEC_FIELDS, SpecField, TrainerSpec
    from engine.step_by_step import count_steps, viterbi_steps
    from engine.text_files import SkippedLine
    from engine.trainer import TrainingRun, train
    from engine.training_step import TrainingPlan, TrainingStep
    from engine.what_if import SpanAnswer, constrained, why_not

__all__ = [
    "PRESETS",
    "SPEC_FIELDS",
    "AddPiece",
    "Alignment",
    "Cancelled",
    "Corpus",
    "CorpusChange",
    "CorpusError",
    "CorpusFigures",
    "Difference",
    "Draws",
    "EncodedBatch",
    "EngineError",
    "ForbidEdge",
    "ForceEdge",
    "Job",
    "Lattice",
    "ModelFileError",
    "Normalized",
    "NormalizerSpec",
    "ParityReport",
    "Path",
    "PieceTable",
    "PieceType",
    "PruningRound",
    "RescorePiece",
    "RetypePiece",
    "RulePair",
    "Segmentation",
    "SkippedLine",
    "SpanAnswer",
    "SpecField",
    "TextError",
    "TextParity",
    "TrainerSpec",
    "TrainingError",
    "TrainingHistory",
    "TrainingPlan",
    "TrainingRun",
    "TrainingStep",
    "UnigramModel",
    "Update",
    "Verdict",
    "align",
    "constrained",
    "corpus_change",
    "corpus_figures",
    "count_steps",
    "draw_paths",
    "edited_lattice",
    "edited_model",
    "encode_file",
    "load_model",
    "parity_report",
    "train",
    "viterbi_steps",
    "why_not",
]

_HOMES = {
    "engine.alignment": "Alignment align",
    "engine.batches": "EncodedBatch",
    "engine.corpus": "Corpus",
    "engine.corpus_effect": "CorpusChange corpus_change",
    "engine.corpus_statistics": "CorpusFigures corpus_figures",
    "engine.edits": "AddPiece ForbidEdge ForceEdge RescorePiece RetypePiece edited_lattice edited_model",
    "engine.encoded_files": "encode_file",
    "engine.encoder": "Segmentation",
    "engine.errors": "Cancelled CorpusError EngineError ModelFileError TextError TrainingError",
    "engine.history": "PruningRound TrainingHistory Update Verdict",
    "engine.jobs": "Job",
    "engine.lattice": "Lattice",
    "engine.model": "UnigramModel load_model",
    "engine.normalizer": "Normalized NormalizerSpec",
    "engine.parity": "Difference ParityReport RulePair TextParity parity_report",
    "engine.paths": "Path",
    "engine.pieces": "PieceTable PieceType",
    "engine.sampling": "Draws draw_paths",
    "engine.spec": "PRESETS SPEC_FIELDS SpecField TrainerSpec",
    "engine.step_by_step": "count_steps viterbi_steps",
    "engine.text_files": "SkippedLine",
    "engine.trainer": "TrainingRun train",
    "engine.training_step": "TrainingPlan TrainingStep",
    "engine.what_if": "SpanAnswer constrained why_not",
}
"""The public names by the module that each lives in; it is imported when one of its names is asked for (PEP 562).

A script that trains waits for what training needs, and for nothing else. No public name may be a module's as well.
"""


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names.split():
            value = getattr(importlib.import_module(home), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
