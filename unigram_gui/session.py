"""The session: the only mutable state of the program. Slots are wishes, signals are facts in the past tense.

It holds what is loaded and trained, sends slow work to the runners, and says what changed. It knows no widget.
Whatever goes wrong ends in one sentence of `failed`, and what was loaded before is still there.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from engine.corpus import Corpus
from engine.corpus_statistics import CorpusFigures
from engine.errors import TrainingError
from engine.history import PruningRound, TrainingHistory, Update
from engine.model import UnigramModel
from engine.spec import PRESETS, TrainerSpec
from engine.timeline import TrainingState
from engine.trainer import TrainingRun
from engine.training_step import TrainingStep
from unigram_gui.comparing import Comparing
from unigram_gui.inquiry import Inquiry
from unigram_gui.parity import Parity
from unigram_gui.replay import Replay
from unigram_gui.tasks.exploration import Exploration, Variant
from unigram_gui.tasks.filtering import FilterCorpusRequest, FilterPiecesRequest
from unigram_gui.tasks.kernels import KernelGate
from unigram_gui.tasks.requests import (
    DecodeRequest,
    EncodedFile,
    EncodeFileRequest,
    ExploreRequest,
    FiguresRequest,
    FinishedRoundRequest,
    Opened,
    OpenRequest,
    Reading,
    Saved,
    SaveModelRequest,
    Trained,
    TrainingStopped,
    TrainRequest,
    with_step,
)
from unigram_gui.tasks.runner import JobRunner, Runner, TaskRunner, Worker
from unigram_gui.tasks.sentences import first_remarks, sentence_of
from unigram_gui.tasks.sorting import SortedRows, SortRequest

MODEL_SUFFIXES = (".model", ".spm", ".json")
QUICK_SECONDS, QUICK_CHARACTERS = 0.004, 8  # a key is answered at once where the one before took no longer
DEFAULT_PRESET = next(iter(PRESETS))


class Session(QObject):
    """Owns corpus, vocabulary, training, the text under study and the picked piece.

    Attributes
    ----------
    corpus, figures : the open corpus, and its tokens and losses under the current vocabulary
    model, history, model_path : the current vocabulary, what training told of it, the file it is saved in
    made_here : how the current vocabulary was made here, "trained" or "edited"; "" where it was opened
    before_replacing : is given what puts another vocabulary in the place of the current one, and does it or not
    before_keeping : the same for what puts the edited vocabulary in its place: no edit is lost by that
    spec : the settings of the next training
    lent : whose settings those are, where they came with an opened training, and the ones before; or None
    text, exploration : the text under study, and what the vocabulary makes of it
    inquiry : what is pointed at, asked and tried out on that text
    ids_text, ids_form : what is typed in the decode pane, and as what it is read
    picked_piece : ID of the piece a person picked, or -1
    chosen_round : place of the pruning round on show
    replay : the training looked at again: the moment on show, the ledger
    parity : the rules that the vocabulary's format does not follow, on the text and on the corpus
    """

    corpus_changed = Signal(object)
    corpus_rows_changed = Signal(object)
    corpus_figures_changed = Signal(object)
    loading_progressed = Signal(float)
    opening_awaited = Signal(str)  # the corpus that is opened once the kernels are ready; "" from when they are
    vocabulary_awaited = Signal(str)  # the vocabulary, likewise
    model_changed = Signal(object)
    file_encoded = Signal(object)
    file_encoding_progressed = Signal(float)
    file_encoding_ended = Signal()  # in whatever way
    model_saved = Signal(object)
    saving_failed = Signal()
    model_kept = Signal()  # in the library, or is there no more
    moment_changed = Signal(object)
    vocabulary_rows_changed = Signal(object)
    history_changed = Signal(object)
    round_changed = Signal(int)
    updates_changed = Signal(object)
    spec_changed = Signal(object)
    lent_changed = Signal(str, bool)  # whose settings came with a vocabulary, and whether they are as they came; ""
    text_changed = Signal(str)
    exploration_changed = Signal(object)
    ids_changed = Signal(str)
    decoding_changed = Signal(object, str, object)  # the decoding, what is wrong with it, the reading around it
    picked_piece_changed = Signal(int)
    training_started = Signal()
    training_progressed = Signal(object)
    training_finished = Signal(object)
    training_stopped = Signal()
    finished_round_changed = Signal(object)
    training_failed = Signal(str)
    kernels_awaited = Signal()
    kernels_ready = Signal()
    failed = Signal(str)
    remarked = Signal(str)  # something was done, but there is more to say of it
    error_dismissed = Signal()
    became_idle = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.corpus: Corpus | None = None
        self.figures: CorpusFigures | None = None
        self.model: UnigramModel | None = None
        self.model_path: Path | None = None
        self.made_here = ""
        self.before_replacing: Callable[[Callable[[], object]], object] = lambda do: do()
        self.before_keeping: Callable[[Callable[[], object]], object] = lambda do: do()
        self._kept: tuple[UnigramModel | None, str] = (None, "")
        self.history: TrainingHistory | None = None
        self.updates: tuple[Update, ...] = ()
        self.chosen_round = -1
        self._trained_on: Corpus | None = None
        self._counted_corpus: Corpus | None = None
        self._run_corpus: Corpus | None = None
        self._run_updates: tuple[Update, ...] = ()
        self._stopped_run: TrainingRun | None = None
        self._finished_round: PruningRound | None = None
        self.spec: TrainerSpec = PRESETS[DEFAULT_PRESET]
        self.lent: tuple[str, TrainerSpec, TrainerSpec] | None = None
        self.text = ""
        self.exploration: Exploration | None = None
        self.ids_text = ""
        self.ids_form = ""
        self.picked_piece = -1
        self._with_texts: tuple[tuple[Path, ...], Path | None] = ((), None)  # vocabularies opened with a corpus
        self._decode_soon = QTimer(self)
        self._decode_soon.setSingleShot(True)
        self._decode_soon.timeout.connect(self._after_paint)
        self.gate = KernelGate(self)
        self._runners: list[Runner] = []
        self._make_runners()
        self.inquiry = Inquiry(self._runner_on, self)
        self._connect_inquiry()
        self.comparing = Comparing(self._runner_on, self)
        self._connect_comparing()
        self.replay = Replay(self._runner_on, self)
        self._connect_replay()
        self.parity = Parity(self._runner_on, self)
        self._connect_parity()

    def _connect_inquiry(self) -> None:
        inquiry = self.inquiry
        inquiry.exploration_asked.connect(self._explore)
        inquiry.exploration_came.connect(self._set_exploration)
        inquiry.kept.connect(self._keep)
        inquiry.failed.connect(self._fail)

    def _connect_comparing(self) -> None:
        comparing = self.comparing
        for fact in (self.history_changed, self.model_saved):
            fact.connect(lambda _: comparing.set_current(self.model, self.history, self._name_to_compare))
        self.corpus_changed.connect(comparing.set_corpus)
        comparing.opened.connect(lambda opened, key: self.before_replacing(lambda: self._take_saved(opened, key)))
        comparing.kept.connect(self._was_kept)
        comparing.library_changed.connect(self.model_kept)

    def _connect_replay(self) -> None:
        replay = self.replay
        self.history_changed.connect(lambda history: replay.set_run(history, self.model))
        self.corpus_changed.connect(replay.set_corpus)
        self.exploration_changed.connect(replay.set_exploration)
        self.training_started.connect(replay.pause)
        replay.state_changed.connect(self._show_state)
        replay.failed.connect(self._fail)

    def _connect_parity(self) -> None:
        self.history_changed.connect(lambda _: self.parity.set_current(self.model))
        self.corpus_changed.connect(self.parity.set_corpus)
        self.exploration_changed.connect(self.parity.set_exploration)

    def _make_runners(self) -> None:
        names = ("files", "corpus", "exploring", "encoding", "rules", "parity", "aside")
        self._workers = {name: Worker(name, yields=name not in ("exploring", "rules")) for name in names}
        files, corpus_work, exploring, encoding = (self._workers[name] for name in names[:4])
        self._opener = self._runner(files, self._opened)
        self._model_opener = self._runner(files, self._opened)  # of its own: a vocabulary takes no corpus's turn
        self._saver = self._runner(files, self._saved, self._saving_failed)
        self._file_encoder = self._runner(encoding, self._file_was_encoded)
        self._file_encoder.progressed.connect(lambda _, fraction: self.file_encoding_progressed.emit(fraction))
        self._file_encoder.settled.connect(self.file_encoding_ended)
        self._figurer = self._runner(corpus_work, self._figures_came)
        self._corpus_filter = self._runner(corpus_work, self._corpus_rows_came)
        self._piece_filter = self._runner(exploring, self._piece_rows_came)
        self._explorer = self._runner(exploring, self._exploration_came)
        self._decoder = self._runner(exploring, self._decoding_came, self._decoding_failed)
        self._trainer = JobRunner(self.gate, self)
        self._connect(self._trainer, self._training_came, self._training_failed)
        for opener in (self._opener, self._model_opener):
            opener.progressed.connect(lambda _, fraction: self.loading_progressed.emit(fraction))
        self._trainer.progressed.connect(self._training_stepped)
        self._trainer.stopped.connect(self._training_stopped)
        self._keeper = self._runner(files, self._finished_round_came)

    def _runner(self, worker: Worker, finished: Any, failed: Any = None) -> TaskRunner:
        runner = TaskRunner(worker, self.gate, self)
        self._connect(runner, finished, failed)
        return runner

    def _runner_on(self, worker: str, finished: Any, failed: Any = None) -> TaskRunner:
        return self._runner(self._workers[worker], finished, failed)

    def sorter(self, answered: Callable[[SortedRows], None]) -> Callable[[SortRequest], int]:
        """Return what a large table asks for its order; the newest wish is answered."""
        return self._runner_on("aside", lambda _, rows: answered(rows)).start

    def _connect(self, runner: Runner, finished: Any, failed: Any = None) -> None:
        runner.finished.connect(finished)
        runner.failed.connect(failed or self._task_failed)
        runner.settled.connect(self._tell_idle)
        self._runners.append(runner)

    # Life.

    def start(self) -> None:
        """Make the kernels ready. Requests may come before that; their worker threads wait."""
        self.gate.opened.connect(self.kernels_ready)
        for awaited in (self.opening_awaited, self.vocabulary_awaited):
            self.gate.opened.connect(lambda awaited=awaited: awaited.emit(""))
        self.gate.start()
        if not self.gate.is_open:
            self.kernels_awaited.emit()

    def close(self) -> None:
        """Stop everything and wait for it: afterwards no thread and no child process is left."""
        self._decode_soon.stop()
        self.inquiry.close()
        for runner in self._runners:
            runner.forget()
        self.gate.close()
        for worker in self._workers.values():
            worker.close()
        self._trainer.close()

    @property
    def is_busy(self) -> bool:
        """Whether some work is still to be answered."""
        return self._decode_soon.isActive() or any(runner.is_busy for runner in self._runners)

    @property
    def is_exploring(self) -> bool:
        """Whether the text on show is still to be cut."""
        return self._explorer.is_busy

    @property
    def is_training(self) -> bool:
        """Whether a training runs."""
        return self._trainer.is_busy

    @Slot()
    def _tell_idle(self) -> None:
        if not self.is_busy:
            self.became_idle.emit()

    def _fail(self, sentence: str) -> None:
        self.failed.emit(sentence)

    @Slot(int, object)
    def _task_failed(self, _: int, error: BaseException) -> None:
        self._fail(sentence_of(error))

    @Slot()
    def dismiss_error(self) -> None:
        """The person has read what went wrong."""
        self.error_dismissed.emit()

    # Files.

    def open_files(self, paths: Iterable[str | Path], vocabulary: str | Path | None = None) -> None:
        """Read corpora (all as one) and a vocabulary, told apart by content; `vocabulary` is known to be one.

        The newest wish wins among those for a corpus, and among those for a vocabulary; one for both is both.
        """
        known = None if vocabulary is None else Path(vocabulary)
        files = tuple(Path(path) for path in paths)
        texts = [path for path in files if not _is_whole(path)]  # as their names say; what they hold is read later
        models = [path for path in files if _is_whole(path)] + ([] if known is None else [known])
        if not self._is_opening:
            self.dismiss_error()
        if models:
            self._model_opener.forget()
        elif self._opener.is_busy and any(self._with_texts):  # only the corpus of that wish has a newer one
            self._model_opener.start(OpenRequest(*self._with_texts))
        if texts or not models:
            self._with_texts = tuple(path for path in models if path != known), known
            self._opener.start(OpenRequest(files, known))
        else:
            self._model_opener.start(OpenRequest(files, known))
        if not self.gate.is_open:
            for awaited, named in ((self.opening_awaited, texts), (self.vocabulary_awaited, models)):
                if named:
                    awaited.emit(named[0].name if len(named) == 1 else f"{len(named)} files")

    @property
    def _is_opening(self) -> bool:
        return self._opener.is_busy or self._model_opener.is_busy

    def open_model(self, path: str | Path) -> None:
        """Read a vocabulary."""
        self.open_files((), path)

    def save_model(
        self, path: str | Path, *, spreadsheet_safe: bool = False, with_edits: bool = True
    ) -> None:
        """Write the vocabulary, in the format that the suffix names; a table as no spreadsheet takes for a formula.

        With the edits that are tried out, which are kept once it is written; a table lists the pieces without them.
        """
        if self.model is None:
            self._fail("There is no vocabulary to save: train one, or open one.")
            return
        edited = self.inquiry.edited_model if with_edits and _is_whole(Path(path)) else None
        model, history = (self.model, self.history) if edited is None else (edited, None)
        self._saver.start(SaveModelRequest(model, Path(path), history, spreadsheet_safe))

    def encode_file(self, source: Path, kind: str, output: Path) -> None:
        """Write the IDs or pieces of every line of a file."""
        if self.model is None:
            self._fail("There is no vocabulary to encode with: train one, or open one.")
            return
        self._file_encoder.start(EncodeFileRequest(self.model, source, kind, output))

    def stop_encoding(self) -> None:
        """Stop encoding a file; then nothing is written."""
        self._file_encoder.stop()

    @Slot(int, object)
    def _opened(self, _: int, opened: Opened) -> None:
        if opened.corpus is not None:
            self.corpus = opened.corpus
            self._corpus_filter.forget()
            self.corpus_changed.emit(opened.corpus)
            self.inquiry.set_corpus(opened.corpus, None)
        if opened.model is not None:
            self.before_replacing(lambda: self._take_opened(opened))
        if opened.model is None or opened.model is not self.model:
            self._count_corpus()
        if opened.failures:
            self._fail(" ".join(opened.failures))

    def _take_saved(self, opened: Opened, key: str) -> None:
        """Take a vocabulary out of the library."""
        self._kept = (opened.model, key)
        self._take_opened(opened)

    def _take_opened(self, opened: Opened) -> None:
        assert opened.model is not None
        self._take_model(opened.model, opened.history, opened.model_path)
        if opened.history is not None and not self.is_training:
            self._borrow(opened.model.name, opened.history.spec)
        if remarks := [*opened.model.warnings, *([opened.remark] if opened.remark else [])]:
            self.remarked.emit(" ".join(remarks))

    @Slot(int, object)
    def _file_was_encoded(self, _: int, encoded: EncodedFile) -> None:
        self.dismiss_error()
        self.file_encoded.emit(encoded)

    @Slot(int, object)
    def _saved(self, _: int, saved: Saved) -> None:
        self.dismiss_error()
        if _is_whole(saved.path):
            if saved.model is self.model:  # another one may have come meanwhile
                self.model_path = saved.path
            elif saved.model is self.inquiry.edited_model:
                self._take_model(saved.model, None, saved.path, "edited")
        self.model_saved.emit(saved)
        if saved.losses:
            self.remarked.emit(f"Saved {saved.path.name}. {' '.join(saved.losses)}")
        if saved.failure:
            self._fail(saved.failure)

    @Slot(int, object)
    def _saving_failed(self, request: int, error: BaseException) -> None:
        self.saving_failed.emit()
        self._task_failed(request, error)

    @property
    def expected_tokens(self) -> float | None:
        """Into how many tokens training expects the open corpus to be cut; None where it was trained on another one."""
        if not self.updates or self._counted_corpus is not self.corpus:
            return None
        return self.updates[-1].expected_tokens

    @property
    def has_unsaved_vocabulary(self) -> bool:
        """Whether the current vocabulary was made here and is neither in a file nor in the library."""
        return bool(self.made_here) and not self.saved_as

    @property
    def has_unsaved(self) -> bool:
        """Whether there is anything to lose: a vocabulary that was made here, or edits that are tried out."""
        return self.has_unsaved_vocabulary or self.inquiry.edited_model is not None

    @property
    def saved_as(self) -> str:
        """The name of the file that the current vocabulary is in, or what it is called in the library; or ""."""
        if self.model_path is not None:
            return self.model_path.name
        kept, key = self._kept
        name = self.comparing.saved_name(key) if kept is not None and kept is self.model else ""
        return f"{name} in the library" if name else ""

    @property
    def _name_to_compare(self) -> str:
        """What the open vocabulary is called: as its file once it is saved."""
        if self.model_path is not None:
            return self.model_path.name
        return self.model.name if self.model is not None else ""

    @Slot(object, str)
    def _was_kept(self, model: UnigramModel, key: str) -> None:
        """A vocabulary is in the library now."""
        self._kept = (model, key)
        self.model_kept.emit()

    def _keep(self, model: UnigramModel) -> None:
        """Make a vocabulary that was edited the current one."""
        if self.is_training:
            self._fail("The vocabulary of the training that runs will be the current one: stop it to keep another.")
            return
        before = self.before_keeping if model is self.inquiry.edited_model else self.before_replacing
        before(lambda: self._take_model(model, None, None, "edited"))

    def _take_model(
        self, model: UnigramModel, history: TrainingHistory | None, path: Path | None, made_here: str = ""
    ) -> None:
        """Make a vocabulary the current one, and have everything that depends on it computed anew."""
        self._trained_on = self._run_corpus if made_here == "trained" else None
        self.model, self.history, self.model_path, self.made_here = model, history, path, made_here
        self.inquiry.start_over(model)
        self._piece_filter.forget()
        self.pick_piece(-1)
        self.model_changed.emit(model)
        self.chosen_round = len(history.prunings) - 1 if history is not None else -1
        self.history_changed.emit(history)
        self._show_own_updates()
        self._explore()
        self._count_corpus()

    @property
    def shown_model(self) -> UnigramModel | None:
        """The vocabulary on show: the current one, or what it was at another moment of its training."""
        return self.model if self.replay.state is None else self.replay.state.model

    @Slot(object)
    def _show_state(self, state: TrainingState) -> None:
        """Show everything as it was at a moment of the training; the picked piece stays picked where it was there."""
        variant = self.inquiry.variant
        text = variant.base.pieces.texts[self.picked_piece] if variant is not None and self.picked_piece >= 0 else ""
        self.inquiry.start_over(state.model)
        self._piece_filter.forget()
        self.pick_piece(-1)
        self.moment_changed.emit(state)
        piece = state.model.pieces.id_of(text) if text else None
        self.pick_piece(-1 if piece is None else piece)
        self._explore()
        if self.corpus is not None:
            self._figurer.start(FiguresRequest(state.model, self.corpus))

    # Corpus.

    def filter_corpus(self, needle: str) -> None:
        """Show only the texts that contain `needle`."""
        if self.corpus is None or not needle:
            self._corpus_filter.forget()
            self.corpus_rows_changed.emit(None)
            return
        self._corpus_filter.start(FilterCorpusRequest(self.corpus, needle))

    @Slot(int, object)
    def _corpus_rows_came(self, _: int, rows: Any) -> None:
        self.corpus_rows_changed.emit(rows)

    def _count_corpus(self) -> None:
        self.figures = None
        self.corpus_figures_changed.emit(None)
        if self.corpus is None or self.model is None:
            self._figurer.forget()
            return
        self._figurer.start(FiguresRequest(self.model, self.corpus))

    @Slot(int, object)
    def _figures_came(self, _: int, figures: CorpusFigures) -> None:
        self.figures = figures
        self.corpus_figures_changed.emit(figures)
        self.inquiry.set_corpus(self.corpus, figures)

    # Training.

    def set_setting(self, name: str, value: Any) -> None:
        """Change one setting of the next training; text is read as the command line does."""
        try:
            if isinstance(value, str):
                spec = self.spec.with_settings({name: value})
            else:
                spec = dataclasses.replace(self.spec, **{name: value})
        except TrainingError as error:
            self._fail(str(error))
            spec = self.spec
        self._set_spec(spec)

    def _set_spec(self, spec: TrainerSpec) -> None:
        self.spec = spec
        self.spec_changed.emit(spec)
        self._tell_lent()

    def _borrow(self, name: str, spec: TrainerSpec) -> None:
        """Take the settings of a training that was opened; those of a person can be had back."""
        own = self.spec if self.lent is None or self.spec != self.lent[1] else self.lent[2]
        self.lent = (name, spec, own) if spec != own else None
        self._set_spec(spec)

    def give_back(self) -> None:
        """Go back to the settings from before a training was opened."""
        if self.lent is not None:
            own, self.lent = self.lent[2], None
            self._set_spec(own)

    def _tell_lent(self) -> None:
        name, lent, _ = self.lent or ("", None, None)
        self.lent_changed.emit(name, lent == self.spec)

    def choose_preset(self, name: str) -> None:
        """Take all settings from a preset."""
        if name not in PRESETS:
            self._fail(f"There is no preset {name!r}; the presets are {', '.join(PRESETS)}.")
            return
        self._set_spec(PRESETS[name])

    @property
    def preset(self) -> str:
        """Name of the preset that the settings are, or ""."""
        return next((name for name, spec in PRESETS.items() if spec == self.spec), "")

    def train(self) -> None:
        """Train on the open corpus with the current settings."""
        if self.corpus is None:
            self._fail("There is no corpus to train on: open one, or one of the samples.")
            return
        if not self.is_training:
            self.before_replacing(self._begin_training)

    def _begin_training(self) -> None:
        if self.corpus is None or self.is_training:
            return
        self._set_finished_round(None, None)
        self._trainer.start(TrainRequest(self.corpus, self.spec))
        self._run_updates, self._run_corpus = (), self.corpus
        self.lent = None  # they are this training's own now
        self._tell_lent()
        self.training_started.emit()

    def stop(self) -> None:
        """Stop the training; the vocabulary from before stays, and that of the last finished round can be had."""
        self._trainer.stop()

    @Slot(int, object)
    def _training_stopped(self, _: int, stopped: object) -> None:
        if isinstance(stopped, TrainingStopped):
            self._set_finished_round(stopped.run, self._finished_round)
        self._show_own_updates()
        self.training_stopped.emit()

    def _set_finished_round(self, run: TrainingRun | None, pruning: PruningRound | None) -> None:
        """Note the last finished round; it can be had once its run was stopped."""
        self._stopped_run, self._finished_round = run, pruning
        self.finished_round_changed.emit(pruning if run is not None else None)

    def keep_finished_round(self) -> None:
        """Take the vocabulary of the last finished round of the training that was stopped."""
        if self._stopped_run is not None and self._finished_round is not None:
            self.before_replacing(self._make_finished_round)

    def _make_finished_round(self) -> None:
        if self._stopped_run is not None:
            self._keeper.start(FinishedRoundRequest(self._stopped_run))

    @Slot(int, object)
    def _finished_round_came(self, _: int, trained: Trained) -> None:
        self._set_finished_round(None, None)
        self._take_model(trained.model, trained.history, None, "trained")
        self.training_finished.emit(trained.history)

    @Slot(int, object)
    def _training_stepped(self, _: int, step: TrainingStep) -> None:
        self.training_progressed.emit(step)
        self._finished_round = step.pruning or self._finished_round
        if step.update is not None or step.pruning is not None:
            self._run_updates = with_step(self._run_updates, step)
            self._set_updates(self._run_updates, self._run_corpus)

    @Slot(int, object)
    def _training_came(self, _: int, trained: Trained) -> None:
        self.dismiss_error()
        self._take_model(trained.model, trained.history, None, "trained")
        self.training_finished.emit(trained.history)

    @Slot(int, object)
    def _training_failed(self, _: int, error: BaseException) -> None:
        sentence = sentence_of(error)
        self._show_own_updates()
        self.training_failed.emit(sentence)
        self._fail(sentence)

    def _show_own_updates(self) -> None:
        """Show the updates of the current vocabulary's training: of one that failed or was stopped nothing is left."""
        self._set_updates(self.history.updates if self.history is not None else (), self._trained_on)

    def _set_updates(self, updates: tuple[Update, ...], corpus: Corpus | None) -> None:
        self._counted_corpus = corpus
        self.updates = tuple(updates)
        self.updates_changed.emit(self.updates)

    def choose_round(self, chosen: int) -> None:
        """Show another pruning round."""
        n_rounds = len(self.history.prunings) if self.history is not None else 0
        if 0 <= chosen < n_rounds and chosen != self.chosen_round:
            self.chosen_round = chosen
            self.round_changed.emit(chosen)

    # Exploring.

    def set_text(self, text: str) -> None:
        """Study another text."""
        if text != self.text:
            self.text = text
            self.inquiry.set_text(text)
            self.text_changed.emit(text)
            self._explore(is_typed=True)

    def _explore(self, *, is_typed: bool = False) -> None:
        variant = self.inquiry.variant
        if variant is None or not self.text:
            self._explorer.forget()
            self._set_exploration(None)
            return
        request = ExploreRequest(variant, self.text, self.inquiry.n_best)
        if is_typed and self._is_quick(variant):
            self._explorer.answer(request)
        else:
            self._explorer.start(request)

    def _is_quick(self, variant: Variant) -> bool:
        """Whether the text on show is nearly the same and took so little that its worker would take longer to wake."""
        seen = self.exploration
        if not self.gate.is_open or seen is None or seen.variant is not variant:
            return False
        return seen.seconds < QUICK_SECONDS and abs(len(self.text) - len(seen.text)) <= QUICK_CHARACTERS

    @Slot(int, object)
    def _exploration_came(self, _: int, exploration: Exploration) -> None:
        self._set_exploration(exploration)

    def _set_exploration(self, exploration: Exploration | None) -> None:
        self._explorer.forget()
        self.exploration = exploration
        self.exploration_changed.emit(exploration)
        self.inquiry.set_exploration(exploration)
        if exploration is None:
            self._decode_cut()
        else:
            self._decode_soon.start(0)  # once the text is painted: nobody who types waits for it

    @Slot()
    def _after_paint(self) -> None:
        self._decode_cut()
        self._tell_idle()

    def _decode_cut(self) -> None:
        """Decode the IDs of the text on show."""
        ids = self.exploration.segmentation.ids.tolist() if self.exploration is not None else []
        self.ids_form = ""  # chosen for what was typed; these are IDs
        self.edit_ids(" ".join(map(str, ids)))

    def edit_ids(self, text: str) -> None:
        """Decode typed IDs."""
        self._decode_soon.stop()
        self.ids_text = text
        self.ids_changed.emit(text)
        if self.model is None or not text.strip():
            self._decoder.forget()
            self.decoding_changed.emit(None, "", None)
            return
        seen = self.exploration  # whose vocabulary may have pieces that are only tried out
        self._decoder.start(DecodeRequest(self.model if seen is None else seen.model, text, self.ids_form))

    def read_ids_as(self, form: str) -> None:
        """Read what is typed to be decoded as "IDs", "pieces" or "bytes"; "" for what it looks like."""
        self.ids_form = form
        self.edit_ids(self.ids_text)

    @Slot(int, object)
    def _decoding_came(self, _: int, reading: Reading) -> None:
        self.decoding_changed.emit(reading.decoding, first_remarks(reading.remarks), reading)

    @Slot(int, object)
    def _decoding_failed(self, _: int, error: BaseException) -> None:
        # Said in the pane itself: half a number is no reason for an alarm.
        self.decoding_changed.emit(None, sentence_of(error), None)

    def pick_piece(self, piece_id: int) -> None:
        """Highlight a piece everywhere; -1 for none."""
        if piece_id != self.picked_piece:
            self.picked_piece = piece_id
            self.picked_piece_changed.emit(piece_id)

    def filter_vocabulary(self, needle: str) -> None:
        """Show only the pieces that contain `needle`."""
        model = self.shown_model
        if model is None or not needle:
            self._piece_filter.forget()
            self.vocabulary_rows_changed.emit(None)
            return
        self._piece_filter.start(FilterPiecesRequest(model.pieces.texts, needle))

    @Slot(int, object)
    def _piece_rows_came(self, _: int, rows: Any) -> None:
        self.vocabulary_rows_changed.emit(rows)


def _is_whole(path: Path) -> bool:
    """Whether a file of this name is a vocabulary to come back to: a table of its pieces is none."""
    return path.suffix.lower() in MODEL_SUFFIXES
