"""One vocabulary under the rules of both families, as frozen requests. None of them knows Qt or the session."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from engine.corpus import Corpus
from engine.edits import ForbidEdge, ForceEdge
from engine.encoder import Segmentation
from engine.errors import ModelFileError
from engine.files import write_file
from engine.huggingface.post_processors import Template
from engine.model import UnigramModel, load_model
from engine.parity import Difference, ParityReport, RulePair
from unigram_gui.tasks.control import TaskControl
from unigram_gui.tasks.exploration import Exploration

SENTENCEPIECE, TOKENIZERS = "SentencePiece", "HF tokenizers"
PROGRESS_STEPS = 500


def families(model: UnigramModel) -> tuple[str, str]:
    """Return whose rules a model follows, and whose are the others."""
    two = (SENTENCEPIECE, TOKENIZERS)
    return two if model.tokenizer_document is None else two[::-1]


@dataclass(frozen=True, eq=False)
class Rules:
    """A vocabulary; itself under the other rules is made once, on a worker thread."""

    model: UnigramModel

    @cached_property
    def pair(self) -> RulePair:
        """Both. Raises ModelFileError where the other rules cannot be made."""
        return RulePair.of(self.model)


@dataclass(frozen=True, eq=False)
class OtherCut:
    """The text on show, cut by the rules that the opened file does not follow.

    `own` and `other` are the families; both cuts are without tokens of a template, which `has_template` tells of.
    `cut` is None where the other rules cannot be made, which `refused` says. `has_forced_edges`: the cut on show
    follows edges that are forbidden or forced, and these do not.
    """

    own: str
    other: str
    own_cut: Segmentation | None = None
    cut: Segmentation | None = None
    differences: tuple[Difference, ...] = ()
    refused: str = ""
    has_template: bool = False
    has_forced_edges: bool = False


@dataclass(frozen=True, eq=False)
class OtherCutRequest:
    """Cut the text of an exploration by the other rules."""

    rules: Rules
    seen: Exploration

    def __call__(self, control: TaskControl) -> OtherCut:
        own, other = families(self.rules.model)
        try:
            pair = self.rules.pair
        except ModelFileError as error:
            return OtherCut(own, other, refused=str(error))
        control.check()
        found = pair.compare(self.seen.text, cancel=control.cancel)
        cuts = (found.sentencepiece, found.tokenizers)
        own_cut, cut = cuts if own == SENTENCEPIECE else cuts[::-1]
        forced = any(isinstance(edit, ForbidEdge | ForceEdge) for edit in self.seen.variant.edits)
        return OtherCut(own, other, own_cut, cut, found.differences, "", _has_template(self.rules.model), forced)


def _has_template(model: UnigramModel) -> bool:
    document = model.tokenizer_document
    return document is not None and document.tokenizer.template != Template()


@dataclass(frozen=True, eq=False)
class Report:
    """A parity report with the names of what it is about; `rival` is the other file, "" for the conversion."""

    parity: ParityReport
    model_name: str
    corpus_name: str
    rival: str = ""


@dataclass(frozen=True, eq=False)
class ReportRequest:
    """Compare both sets of rules on a corpus, against another file of the tokenizer where one is given.

    The table is written to `output`, if any. Reports the fraction done.
    """

    rules: Rules
    corpus: Corpus
    rival: Path | None = None
    output: Path | None = None

    def __call__(self, control: TaskControl) -> Report:
        model = self.rules.model
        pair = self.rules.pair if self.rival is None else RulePair.of(model, load_model(self.rival))
        progress = _thinned(control.report, len(self.corpus))
        found = pair.report(self.corpus, cancel=control.cancel, progress=progress)
        if self.output is not None:
            write_file(self.output, found.as_tsv())
        return Report(found, model.name, self.corpus.name, "" if self.rival is None else self.rival.name)


def _thinned(report: Callable[[float], None], n: int) -> Callable[[int], None]:
    """Tell a part of so many texts, but not each text by itself."""

    def tell(done: int) -> None:
        if done * PROGRESS_STEPS // n != (done - 1) * PROGRESS_STEPS // n:
            report(done / n)

    return tell


@dataclass(frozen=True, eq=False)
class WriteReportRequest:
    """Write a report as a table; it appears whole or not at all."""

    report: Report
    path: Path

    def __call__(self, control: TaskControl) -> Path:
        write_file(self.path, self.report.parity.as_tsv())
        return self.path
