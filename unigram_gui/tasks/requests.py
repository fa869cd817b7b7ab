"""The kinds of slow work as frozen requests: each has captured all its inputs and is called with a `TaskControl`.

None of them knows Qt or the session, so each can be tested by calling it.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from engine.byte_fallback import Decoding
from engine.corpus import Corpus
from engine.corpus_statistics import CorpusFigures, corpus_figures
from engine.encoded_files import encode_file
from engine.errors import Cancelled, CorpusError, EngineError, ModelFileError
from engine.history import TrainingHistory, Update
from engine.history_file import history_path, load_history, save_history
from engine.model import UnigramModel, load_model
from engine.spec import TrainerSpec
from engine.streaming import StreamStep, huggingface_text, stream_steps
from engine.trainer import TrainingRun, train
from engine.training_step import TrainingStep
from engine.typed_tokens import decode_raw, read_typed
from unigram_gui.tasks.content import is_vocabulary
from unigram_gui.tasks.control import TaskControl
from unigram_gui.tasks.exploration import Exploration, Variant, explore

SECONDS_BETWEEN_STEPS = 0.05
WITH_HISTORY = (".model", ".spm", ".json")  # not tables: they are exports


@dataclass(frozen=True, eq=False)
class Opened:
    """What some files held: a corpus, a vocabulary or both; the vocabulary's training, where it lies beside it."""

    corpus: Corpus | None
    model: UnigramModel | None
    model_path: Path | None
    history: TrainingHistory | None = None
    remark: str = ""
    failures: tuple[str, ...] = ()  # of single files among several


@dataclass(frozen=True, eq=False)
class OpenRequest:
    """Read `paths`: the vocabulary among them by content, all others together as one corpus.

    `vocabulary` is one whatever its content looks like: what is wrong with it is then said.
    """

    paths: tuple[Path, ...]
    vocabulary: Path | None = None

    def __call__(self, control: TaskControl) -> Opened:
        vocabularies = [path for path in self.paths if is_vocabulary(path)]
        texts = [path for path in self.paths if path not in vocabularies]
        vocabularies += [self.vocabulary] if self.vocabulary is not None else []
        if len(vocabularies) > 1:
            first = vocabularies[0].name
            raise ModelFileError(f"{len(vocabularies)} vocabularies at once: open one, {first} or another.")
        errors: list[EngineError] = []
        model = _vocabulary(vocabularies, errors)
        control.check()
        corpus = _corpus(texts, control, errors)
        failures = tuple(map(str, errors))
        if model is None and corpus is None:
            raise errors[0] if len(errors) == 1 else EngineError(" ".join(failures))
        if model is None:
            return Opened(corpus, None, None, failures=failures)
        return Opened(corpus, model, vocabularies[0], *history_of(model, vocabularies[0]), failures)


def _vocabulary(paths: Sequence[Path], errors: list[EngineError]) -> UnigramModel | None:
    try:
        return load_model(paths[0]) if paths else None
    except ModelFileError as error:
        errors.append(error)
        return None


def _corpus(paths: Sequence[Path], control: TaskControl, errors: list[EngineError]) -> Corpus | None:
    """Read texts; of several files those that can be read, while the others are named in `errors`."""
    if not paths:
        return None
    try:
        return Corpus.from_files(*paths, cancel=control.cancel, progress=control.report)
    except CorpusError as error:
        if len(paths) == 1:
            errors.append(error)
            return None
    readable = [path for path in paths if _is_readable(path, control, errors)]
    return Corpus.from_files(*readable, cancel=control.cancel, progress=control.report) if readable else None


def _is_readable(path: Path, control: TaskControl, errors: list[EngineError]) -> bool:
    try:
        Corpus.from_file(path, cancel=control.cancel)
    except CorpusError as error:
        errors.append(error)
        return False
    return True


def history_of(model: UnigramModel, path: Path) -> tuple[TrainingHistory | None, str]:
    """Return the training that lies beside a vocabulary; a history that is of no use is no reason not to open it."""
    if not history_path(path).exists():
        return None, ""
    try:
        return load_history(history_path(path), model), ""
    except ModelFileError as error:
        return None, f"The vocabulary is open without its training: {error}"


@dataclass(frozen=True, eq=False)
class Saved:
    """Where which vocabulary was written.

    `losses` is what that file does not say of it, where its family is the other; `failure` says why its training is not
    beside it, "" where it is or where there is none.
    """

    path: Path
    model: UnigramModel
    is_converted: bool = False
    losses: tuple[str, ...] = ()
    failure: str = ""


@dataclass(frozen=True, eq=False)
class SaveModelRequest:
    """Write a vocabulary in the format that the suffix names, and its training beside it; each whole or not at all."""

    model: UnigramModel
    path: Path
    history: TrainingHistory | None = None
    spreadsheet_safe: bool = False

    def __call__(self, control: TaskControl) -> Saved:
        self.model.save(self.path, spreadsheet_safe=self.spreadsheet_safe)
        suffix = self.path.suffix.lower()
        if suffix not in WITH_HISTORY:
            return Saved(self.path, self.model)
        failure = self._save_history()
        is_converted = (suffix == ".json") != (self.model.tokenizer_document is not None)
        return Saved(self.path, self.model, is_converted, self.model.losses if is_converted else (), failure)

    def _save_history(self) -> str:
        """Write the training, if there is one; return why that failed: the vocabulary is saved all the same."""
        if self.history is None:
            return ""
        try:
            save_history(history_path(self.path), self.history, self.model)
        except ModelFileError as error:
            return without_history(self.path.name, error)
        return ""


def without_history(name: str, error: ModelFileError) -> str:
    """Say that a vocabulary is saved without its training."""
    return f"{name} is saved, but the history of its training is not: {error}"


@dataclass(frozen=True)
class EncodedFile:
    """A file that was encoded: where to, how many texts it has, and into how many tokens they were cut."""

    path: Path
    n_texts: int
    n_tokens: int


@dataclass(frozen=True, eq=False)
class EncodeFileRequest:
    """Write the IDs or pieces of every line of a file; the output appears whole or not at all."""

    model: UnigramModel
    source: Path
    kind: str
    output: Path

    def __call__(self, control: TaskControl) -> EncodedFile:
        cancel, progress = control.cancel, control.report
        n_texts, n_tokens = encode_file(
            self.model, self.source, self.output, self.kind, cancel=cancel, progress=progress
        )
        return EncodedFile(self.output, n_texts, n_tokens)


@dataclass(frozen=True, eq=False)
class Trained:
    """What a training run left behind."""

    model: UnigramModel
    history: TrainingHistory


class TrainingStopped(Cancelled):
    """A training was stopped; `run` still has the model of its last finished round."""

    def __init__(self, run: TrainingRun) -> None:
        super().__init__()
        self.run = run


@dataclass(frozen=True, eq=False)
class TrainRequest:
    """Train on a corpus in `TrainingStep`s: all that carry a result, of the others at most 20 a second."""

    corpus: Corpus
    spec: TrainerSpec

    def steps(self, control: TaskControl) -> Generator[TrainingStep, None, Trained]:
        run = train(self.corpus, self.spec, cancel=control.cancel)
        try:
            yield from _thinned(run)
        except Cancelled:
            raise TrainingStopped(run) from None
        finally:
            run.close()
        assert run.model is not None
        assert run.history is not None
        return Trained(run.model, run.history)


@dataclass(frozen=True, eq=False)
class FinishedRoundRequest:
    """Make a vocabulary of the last finished round of a training that was stopped."""

    run: TrainingRun

    def __call__(self, control: TaskControl) -> Trained:
        left = self.run.last_finished_round()
        assert left is not None, "asked for only where a round was finished"
        return Trained(*left)


def _thinned(run: Iterable[TrainingStep]) -> Iterator[TrainingStep]:
    told = 0.0
    for step in run:
        if _is_news(step) or time.monotonic() - told > SECONDS_BETWEEN_STEPS:
            yield step
            told = time.monotonic()


def _is_news(step: TrainingStep) -> bool:
    return step.update is not None or step.pruning is not None or step.plan is not None


def with_step(updates: tuple[Update, ...], step: TrainingStep) -> tuple[Update, ...]:
    """Add what a step tells to the updates so far; the loss after one is known only when the next stage begins."""
    if updates and updates[-1].loss_after is None:
        loss = step.loss if step.pruning is not None else step.update.loss_before if step.update is not None else None
        updates = (*updates[:-1], replace(updates[-1], loss_after=loss))
    return updates if step.update is None else (*updates, step.update)


@dataclass(frozen=True, eq=False)
class FiguresRequest:
    """Tokens and log probability of every text of a corpus under a model."""

    model: UnigramModel
    corpus: Corpus

    def __call__(self, control: TaskControl) -> CorpusFigures:
        return corpus_figures(self.model, self.corpus, cancel=control.cancel)


@dataclass(frozen=True, eq=False)
class ExploreRequest:
    """Cut a text and evaluate everything that the views will show of its lattice."""

    model: UnigramModel | Variant
    text: str
    n_best: int = 5

    def __call__(self, control: TaskControl) -> Exploration:
        return explore(self.model, self.text, n_best=self.n_best, cancel=control.cancel)


@dataclass(frozen=True, eq=False)
class Reading:
    """What was typed into the decode pane, decoded.

    `decoding` is None where nothing could be read; `steps` are what can be shown after each ID; `other` is the reading
    of HF tokenizers where it is another one; `form` is how the text was read, `remarks` are sentences about it.
    `is_reversible`: encoding the text gives the same IDs again; None where nothing but bytes was typed.
    """

    decoding: Decoding | None
    steps: tuple[StreamStep, ...]
    other: str | None
    form: str
    remarks: tuple[str, ...]
    is_reversible: bool | None = None


@dataclass(frozen=True, eq=False)
class DecodeRequest:
    """Read typed IDs, pieces or bytes and decode them byte by byte; `form` "" is what it looks like."""

    model: UnigramModel
    text: str
    form: str = ""

    def __call__(self, control: TaskControl) -> Reading:
        typed = read_typed(self.text, self.model.pieces, self.form)
        control.check()
        if not typed.ids and not typed.data:
            return Reading(None, (), None, typed.form, typed.remarks)
        decoding = self.model.decode_detail(typed.ids) if typed.ids else decode_raw(typed.data)
        control.check()
        steps, other = stream_steps(decoding), self._other(decoding)
        control.check()
        again = self._comes_again(typed.ids, decoding.text, control) if typed.ids else None
        return Reading(decoding, steps, other, typed.form, typed.remarks, again)

    def _comes_again(self, ids: Sequence[int], text: str, control: TaskControl) -> bool:
        """Whether the text is encoded to these IDs, with or without those of a template."""
        whole = self.model.segment(text, cancel=control.cancel).ids.tolist()
        if whole == list(ids) or self.model.tokenizer_document is None:
            return whole == list(ids)
        bare = self.model.segment(text, add_special_tokens=False, cancel=control.cancel)
        return bool(bare.ids.tolist() == list(ids))

    def _other(self, decoding: Decoding) -> str | None:
        """Return what HF tokenizers would make of the bytes, if something else; None under their own rules."""
        if self.model.tokenizer_document is not None or decoding.is_denormalized:
            return None
        text = huggingface_text(decoding)
        return text if text != decoding.text else None
