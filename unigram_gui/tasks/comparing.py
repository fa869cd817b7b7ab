"""The slow work of comparing and of the library, as frozen requests. None of them knows Qt or the session."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from engine.comparison import (
    CorpusComparison,
    CorpusPart,
    TextComparison,
    VocabularyComparison,
    compare_on_corpus,
    compare_on_text,
    compare_vocabularies,
)
from engine.corpus import Corpus
from engine.errors import ModelFileError
from engine.history import TrainingHistory
from engine.lattice import Lattice
from engine.model import UnigramModel, load_model
from engine.timeline import model_at, moments
from unigram_gui.library import DamagedEntry, Entry, Library
from unigram_gui.tasks.control import TaskControl
from unigram_gui.tasks.requests import Opened, history_of, without_history

LONGEST_SHOWN = 2000
"""Characters of a text that both lattices are drawn of: beyond it nobody looks, and the drawing is made at once."""


@dataclass(frozen=True)
class Source:
    """One vocabulary that can be compared.

    `kind` is "current", "saved" (`key` is that of the library), "file" (its path) or "round" (its place among the
    moments of the run).
    """

    kind: str
    key: str
    title: str


@dataclass(frozen=True, eq=False)
class Pair:
    """Two vocabularies and what they share."""

    a: UnigramModel
    b: UnigramModel
    vocabularies: VocabularyComparison


@dataclass(frozen=True, eq=False)
class PairRequest:
    """Open two vocabularies, wherever they are, and compare their pieces."""

    sources: tuple[Source, Source]
    library: Library
    current: UnigramModel | None
    history: TrainingHistory | None

    def __call__(self, control: TaskControl) -> Pair:
        a, b = (self._open(source) for source in self.sources)
        control.check()
        compared = compare_vocabularies(a, b)
        # Small views over all pieces, made here: the window only shows them.
        _ = compared.correlation, compared.scripts, compared.lengths, compared.score_change
        return Pair(a, b, compared)

    def _open(self, source: Source) -> UnigramModel:
        if source.kind == "saved":
            return self.library.open(source.key)
        if source.kind == "file":
            return load_model(Path(source.key))
        assert self.current is not None
        if source.kind == "round":
            assert self.history is not None
            model = model_at(self.history, moments(self.history)[int(source.key)], self.current)
            return replace(model, name=f"{self.current.name}, {source.title}")
        return self.current


@dataclass(frozen=True, eq=False)
class TextPair:
    """One text under both vocabularies, with both lattices evaluated; `n_left_out` characters of it are not shown."""

    compared: TextComparison
    a: Lattice
    b: Lattice
    name_a: str
    name_b: str
    n_left_out: int = 0


@dataclass(frozen=True, eq=False)
class TextPairRequest:
    """Cut a text, or the beginning of a long one, with both vocabularies."""

    pair: Pair
    text: str

    def __call__(self, control: TaskControl) -> TextPair:
        a, b, text = self.pair.a, self.pair.b, self.text[:LONGEST_SHOWN]
        compared = compare_on_text(a, b, text)
        _ = compared.ruler.cells  # made here: the window only shows them
        lattices = [model.lattice(text, cancel=control.cancel).evaluate(control.cancel) for model in (a, b)]
        return TextPair(compared, lattices[0], lattices[1], a.name, b.name, len(self.text) - len(text))


@dataclass(frozen=True, eq=False)
class CorpusPairRequest:
    """Encode a corpus, or a part of it, with both vocabularies; reports the fraction done."""

    pair: Pair
    corpus: Corpus
    part: CorpusPart | None = None

    def __call__(self, control: TaskControl) -> CorpusComparison:
        pair, cancel, report = self.pair, control.cancel, control.report
        return compare_on_corpus(pair.a, pair.b, self.corpus, of=self.part, cancel=cancel, progress=report)


@dataclass(frozen=True)
class LibraryContent:
    """What is saved, and what is damaged; what was done, in words; the vocabulary that was saved, and its key.

    `failure` says why the training of that vocabulary is not saved with it, "" where it is or where there is none.
    """

    entries: tuple[Entry, ...]
    damaged: tuple[DamagedEntry, ...]
    said: str = ""
    kept: tuple[UnigramModel, str] | None = None
    failure: str = ""


@dataclass(frozen=True, eq=False)
class LibraryRequest:
    """List the library, after doing one thing in it: "", "save", "rename" or "delete"."""

    library: Library
    action: str = ""
    key: str = ""
    name: str = ""
    note: str = ""
    origin: str = ""
    model: UnigramModel | None = None
    history: TrainingHistory | None = None

    def __call__(self, control: TaskControl) -> LibraryContent:
        if self.action == "save":
            return self._save()
        said = self._act()
        return LibraryContent(*self.library.entries(), said)

    def _save(self) -> LibraryContent:
        """Save the vocabulary and its training; without the training it is saved all the same."""
        assert self.model is not None
        entry = self.library.save(self.model, self.name, self.note, self.origin)
        failure = ""
        if self.history is not None:
            try:
                self.library.add_history(entry.key, self.history, self.model)
            except ModelFileError as error:
                failure = without_history(entry.name, error)
        said = f"Saved {entry.name} in the library"
        return LibraryContent(*self.library.entries(), said, (self.model, entry.key), failure)

    def _act(self) -> str:
        if self.action == "rename":
            self.library.rename(self.key, self.name, self.note)
            return ""
        if self.action == "delete":
            self.library.delete(self.key)
            return f"Deleted {self.name} from the library"
        return ""


@dataclass(frozen=True, eq=False)
class OpenSavedRequest:
    """Read a saved vocabulary, with its training where that was saved too; answers with its key as well."""

    library: Library
    key: str

    def __call__(self, control: TaskControl) -> tuple[Opened, str]:
        model = self.library.open(self.key)
        history, remark = history_of(model, self.library.vocabulary_path(self.key))
        return Opened(None, model, None, history, remark), self.key
