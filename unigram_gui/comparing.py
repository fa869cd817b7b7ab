"""The part of the session that compares two vocabularies, and keeps the library of saved ones.

In: wishes of the compare window and of the library. Out: facts as signals. It owns which two are chosen, the text they
are compared on and all answers; the current vocabulary, its training and the corpus are told to it by the session.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from engine.comparison import CorpusComparison, CorpusPart
from engine.corpus import Corpus
from engine.history import TrainingHistory
from engine.model import UnigramModel
from engine.timeline import described, moments
from unigram_gui.library import Library
from unigram_gui.tasks.comparing import (
    CorpusPairRequest,
    LibraryContent,
    LibraryRequest,
    OpenSavedRequest,
    Pair,
    PairRequest,
    Source,
    TextPair,
    TextPairRequest,
)
from unigram_gui.tasks.filtering import FilterPiecesRequest
from unigram_gui.tasks.runner import TaskRunner
from unigram_gui.tasks.sentences import sentence_of
from unigram_gui.tasks.sorting import SortRequest

EXAMPLE = "The explorer draws every way to cut unbelievably long words"


class Comparing(QObject):
    """Two vocabularies side by side.

    Attributes
    ----------
    sources : what can be chosen
    chosen : the two that are, each a Source or None
    pair : both opened, with their vocabularies compared
    text, text_pair : the text that both cut, and the two cuts
    corpus_comparison : both on the open corpus, or on a group of its texts
    content : the library's entries
    """

    sources_changed = Signal(object)
    chosen_changed = Signal(object)
    pair_changed = Signal(object)
    rows_changed = Signal(object)
    text_changed = Signal(str)
    text_pair_changed = Signal(object)
    corpus_changed = Signal(object)
    corpus_started = Signal()
    corpus_progressed = Signal(float)
    corpus_stopped = Signal()
    corpus_compared = Signal(object)
    order_changed = Signal(object)
    library_changed = Signal(object)
    opened = Signal(object, str)  # a saved vocabulary, to be the current one, with its training; its key
    kept = Signal(object, str)  # a vocabulary that was saved in the library, and its key there
    said = Signal(str)
    failed = Signal(str)

    def __init__(self, make_runner: Callable[..., TaskRunner], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.library = Library()
        self.content = LibraryContent((), ())
        self.sources: tuple[Source, ...] = ()
        self.chosen: tuple[Source | None, Source | None] = (None, None)
        self.pair: Pair | None = None
        self.text = self._begun_with = EXAMPLE
        self.text_pair: TextPair | None = None
        self.corpus: Corpus | None = None
        self.corpus_comparison: CorpusComparison | None = None
        self._of_whole_corpus: CorpusComparison | None = None
        self._model: UnigramModel | None = None
        self._history: TrainingHistory | None = None
        self._name = ""
        self._files: tuple[Source, ...] = ()
        self._opener = make_runner("files", self._pair_came, self._task_failed)
        self._lister = make_runner("files", self._library_came, self._task_failed)
        self._librarian = make_runner("files", self._library_came, self._library_failed)
        self._saved_opener = make_runner("files", lambda _, found: self.opened.emit(*found), self._library_failed)
        self._cutter = make_runner("exploring", self._text_pair_came, self._task_failed)
        self._sorter = make_runner("aside", lambda _, rows: self.order_changed.emit(rows))
        self._filter = make_runner("exploring", lambda _, rows: self.rows_changed.emit(rows))
        self._counter = make_runner("corpus", self._corpus_comparison_came, self._corpus_failed)
        self._counter.progressed.connect(lambda _, fraction: self.corpus_progressed.emit(fraction))
        self._counter.stopped.connect(lambda *_: self.corpus_stopped.emit())

    # What the session tells.

    def set_current(self, model: UnigramModel | None, history: TrainingHistory | None, name: str) -> None:
        """Another vocabulary is open, or has another name: what was compared stays until somebody chooses anew."""
        self._model, self._history, self._name = model, history, name
        self._list_sources()

    def set_corpus(self, corpus: Corpus | None) -> None:
        """Another corpus is open."""
        self.corpus = corpus
        self._forget_corpus_comparison()
        self.corpus_changed.emit(corpus)

    def saved_name(self, key: str) -> str:
        """Return what a saved vocabulary is called in the library by now, "" where it is not there any more."""
        return next((entry.name for entry in self.content.entries if entry.key == key), "")

    # Choosing two.

    def _list_sources(self) -> None:
        sources = []
        if self._model is not None:
            sources.append(Source("current", "", f"{self._name or 'open vocabulary'} (open)"))
        sources += [Source("saved", entry.key, entry.name) for entry in self.content.entries]
        sources += self._files
        if self._history is not None and self._model is not None:
            sources += [
                Source("round", str(place), f"{described(moment)}, {moment.n_pieces:,} learned")
                for place, moment in enumerate(moments(self._history)[:-1])
            ]
        self.sources = tuple(sources)
        # A round of a training that is gone, or an entry that was deleted, is no longer a choice.
        there = {(one.kind, one.key): one for one in sources}  # by another name it is still the same
        self.chosen = tuple(there.get((one.kind, one.key)) if one else None for one in self.chosen)  # type: ignore[assignment]
        self.sources_changed.emit(self.sources)
        self.chosen_changed.emit(self.chosen)

    def choose(self, side: int, source: Source | None) -> None:
        """Choose the vocabulary of side 0 (A) or 1 (B)."""
        both = list(self.chosen)
        both[side] = source
        self._choose_both(both[0], both[1])

    def swap(self) -> None:
        """Make A of B and B of A."""
        self._choose_both(self.chosen[1], self.chosen[0])

    def choose_first_two(self) -> None:
        """Choose two that there are, where nothing is chosen yet."""
        if self.chosen == (None, None) and len(self.sources) > 1:
            self._choose_both(self.sources[0], self.sources[1])

    def add_file(self, side: int, path: str | Path) -> None:
        """Choose a vocabulary from a file."""
        source = Source("file", str(path), Path(path).name)
        if source not in self._files:
            self._files = (*self._files, source)
            self._list_sources()
        self.choose(side, source)

    def _choose_both(self, a: Source | None, b: Source | None) -> None:
        self.chosen = (a, b)
        self.chosen_changed.emit(self.chosen)
        self._forget_pair()
        if a is not None and b is not None:
            named = replace(self._model, name=self._name) if self._model is not None and self._name else self._model
            self._opener.start(PairRequest((a, b), self.library, named, self._history))

    def _forget_pair(self) -> None:
        self._opener.forget()
        self._set_pair(None)

    @Slot(int, object)
    def _pair_came(self, _: int, pair: Pair) -> None:
        self._set_pair(pair)

    def _set_pair(self, pair: Pair | None) -> None:
        self.pair = pair
        self._filter.forget()
        self._forget_corpus_comparison()
        self.pair_changed.emit(pair)
        self._cut()

    # One text.

    def begin_with(self, text: str) -> None:
        """Compare on the text that is studied elsewhere, unless somebody chose another one here."""
        if text and self.text == self._begun_with:
            self._begun_with = text
            self.set_text(text)

    def set_text(self, text: str) -> None:
        """Compare on another text."""
        if text != self.text:
            self.text = text
            self.text_changed.emit(text)
            self._cut()

    def _cut(self) -> None:
        if self.pair is None or not self.text:
            self._cutter.forget()
            self._text_pair_came(0, None)
            return
        self._cutter.start(TextPairRequest(self.pair, self.text))

    @Slot(int, object)
    def _text_pair_came(self, _: int, text_pair: TextPair | None) -> None:
        self.text_pair = text_pair
        self.text_pair_changed.emit(text_pair)

    # Pieces.

    def filter_pieces(self, needle: str, texts: tuple[str, ...]) -> None:
        """Find the rows of a table whose piece contains `needle`."""
        if not needle:
            self._filter.forget()
            self.rows_changed.emit(None)
            return
        self._filter.start(FilterPiecesRequest(texts, needle))

    def sort_pieces(self, request: SortRequest) -> None:
        """Find the order of the pieces of two large vocabularies."""
        self._sorter.start(request)

    # A corpus.

    def compare_on_corpus(self) -> None:
        """Encode the open corpus with both."""
        if self.pair is None or self.corpus is None:
            self.failed.emit("Choose two vocabularies and open a corpus first.")
            return
        self._count(CorpusPairRequest(self.pair, self.corpus))

    def compare_on_group(self, grouping: int, value: str) -> None:
        """Encode one group of what was compared on, alone: a row of the groups on show."""
        if self.pair is not None and self.corpus_comparison is not None:
            self._count(CorpusPairRequest(self.pair, self.corpus_comparison.corpus, CorpusPart(grouping, value)))

    def _count(self, request: CorpusPairRequest) -> None:
        self._counter.start(request)
        self.corpus_started.emit()

    def show_whole_corpus(self) -> None:
        """Go back from a group to all texts."""
        self._show_corpus_comparison(self._of_whole_corpus)

    def stop(self) -> None:
        """Stop counting; what was compared before stays."""
        self._counter.stop()

    def _forget_corpus_comparison(self) -> None:
        self._counter.forget()
        self._corpus_comparison_came(0, None)

    @Slot(int, object)
    def _corpus_comparison_came(self, _: int, compared: CorpusComparison | None) -> None:
        if compared is None or compared.part is None:
            self._of_whole_corpus = compared
        self._show_corpus_comparison(compared)

    def _show_corpus_comparison(self, compared: CorpusComparison | None) -> None:
        self.corpus_comparison = compared
        self.corpus_compared.emit(compared)

    # The library.

    def list_library(self) -> None:
        """Look at what is saved."""
        self._lister.start(LibraryRequest(self.library))

    def save(self, name: str, note: str = "") -> None:
        """Save the open vocabulary."""
        if self._model is None:
            self.failed.emit("There is no vocabulary to save: train one, or open one.")
            return
        trained_on = f"trained on {self._history.corpus_name}" if self._history is not None else self._model.name
        self._librarian.start(
            LibraryRequest(self.library, "save", "", name, note, trained_on, self._model, self._history)
        )

    def open_saved(self, key: str) -> None:
        """Make a saved vocabulary the current one."""
        self._saved_opener.start(OpenSavedRequest(self.library, key))

    def rename(self, key: str, name: str, note: str) -> None:
        """Give a saved vocabulary another name and note."""
        self._librarian.start(LibraryRequest(self.library, "rename", key, name, note))

    def delete(self, key: str, name: str) -> None:
        """Delete a saved vocabulary."""
        self._librarian.start(LibraryRequest(self.library, "delete", key, name))

    @Slot(int, object)
    def _library_came(self, _: int, content: LibraryContent) -> None:
        self.content = content
        self._list_sources()
        self.library_changed.emit(content)
        if content.said:
            self.said.emit(content.said)
        if content.kept is not None:
            self.kept.emit(*content.kept)
        if content.failure:
            self.failed.emit(content.failure)

    # What went wrong.

    @Slot(int, object)
    def _task_failed(self, _: int, error: BaseException) -> None:
        self.failed.emit(sentence_of(error))

    @Slot(int, object)
    def _library_failed(self, _: int, error: BaseException) -> None:
        """Something done in the library failed: the list shows how it is now. A list that fails is said, once."""
        self.failed.emit(sentence_of(error))
        self.list_library()

    @Slot(int, object)
    def _corpus_failed(self, _: int, error: BaseException) -> None:
        self.corpus_stopped.emit()
        self.failed.emit(sentence_of(error))
