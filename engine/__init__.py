"""The engine of the Unigram lattice explorer. It knows no window: everything here runs from a script.

    corpus -> normalizer -> seeds -> (EM, prune)* -> model -> lattice -> paths, marginals

A `Corpus` is distinct texts with counts. `train` turns it, with the settings of a `TrainerSpec`, into a
`UnigramModel`: candidates from a suffix array, then rounds of expectation-maximization and pruning. A model encodes
texts and decodes IDs; its `Lattice` of one text holds every way to cut it. Values are frozen, stages are pure
functions, probabilities are natural logarithms (nats), and bad input raises an `EngineError` in one sentence.
"""

from engine.alignment import Alignment, align
from engine.batches import EncodedBatch
from engine.corpus import Corpus
from engine.corpus_change import CorpusChange, corpus_change
from engine.corpus_figures import CorpusFigures, corpus_figures
from engine.edits import AddPiece, ForbidEdge, ForceEdge, RescorePiece, RetypePiece, edited_lattice, edited_model
from engine.encode_file import encode_file
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
