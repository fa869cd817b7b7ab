"""The engine of the Unigram lattice explorer. It knows no window: everything here runs from a script.

    corpus -> normalizer -> seeds -> (EM, prune)* -> model -> lattice -> paths, marginals

A `Corpus` is distinct texts with counts. `train` turns it, with the settings of a `TrainerSpec`, into a
`UnigramModel`: candidates from a suffix array, then rounds of expectation-maximization and pruning. A model encodes
texts and decodes IDs; its `Lattice` of one text holds every way to cut it. Values are frozen, stages are pure
functions, probabilities are natural logarithms (nats), and bad input raises an `EngineError` in one sentence.
"""

from engine.corpus import Corpus
from engine.corpus_figures import CorpusFigures, corpus_figures
from engine.encoder import EncodedBatch, Segmentation
from engine.errors import Cancelled, CorpusError, EngineError, ModelFileError, TextError, TrainingError
from engine.history import PruningRound, TrainingHistory, Update, Verdict
from engine.jobs import Job
from engine.lattice import Lattice
from engine.model import UnigramModel, load_model
from engine.normalizer import Normalized, NormalizerSpec
from engine.parity import Difference, ParityReport, parity_report
from engine.paths import Path
from engine.pieces import PieceTable, PieceType
from engine.spec import PRESETS, SPEC_FIELDS, SpecField, TrainerSpec
from engine.text_files import SkippedLine
from engine.trainer import TrainingRun, train
from engine.training_step import TrainingPlan, TrainingStep

__all__ = [
    "PRESETS",
    "SPEC_FIELDS",
    "Cancelled",
    "Corpus",
    "CorpusError",
    "CorpusFigures",
    "Difference",
    "EncodedBatch",
    "EngineError",
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
    "Segmentation",
    "SkippedLine",
    "SpecField",
    "TextError",
    "TrainerSpec",
    "TrainingError",
    "TrainingHistory",
    "TrainingPlan",
    "TrainingRun",
    "TrainingStep",
    "UnigramModel",
    "Update",
    "Verdict",
    "corpus_figures",
    "load_model",
    "parity_report",
    "train",
]
