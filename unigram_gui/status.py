"""The two ends of the status bar in words: the vocabulary at the left, the corpus and its counts at the right."""

from __future__ import annotations

from engine.corpus import Corpus
from engine.model import UnigramModel
from engine.pieces import PieceType
from unigram_gui.characters import isolated
from unigram_gui.number_text import count_text, counted, log_text
from unigram_gui.tasks.requests import Saved

GAP = "   "
PROGRAM = "Unigram GUI"


def what_to_do(corpus: Corpus | None) -> str:
    """Say what there is to do while there is no vocabulary."""
    if corpus is None:
        return "Open a corpus and train, or open a vocabulary"
    return f"Train on {isolated(corpus.name)}, or open a vocabulary"


def skipped_sentence(corpus: Corpus) -> str:
    """Say how many lines of the corpus were skipped, and why the first one was."""
    first, n_lines = corpus.skipped[0], sum(source.n_lines for source in corpus.sources)
    were = "was" if corpus.n_skipped == 1 else "were"
    where = "" if len(corpus.sources) == 1 else f"{first.source}: "
    n_skipped = count_text(corpus.n_skipped)
    return f"{isolated(corpus.name)}: {n_skipped} of {counted(n_lines, 'line')} {were} skipped ({where}{first.clause})"


def saved_sentence(saved: Saved) -> str:
    """Say where the vocabulary was saved, and after a conversion what to look at."""
    if not saved.is_converted:
        return f"Saved {saved.path}"
    return f"Saved {saved.path}; its rules are another library's: Compare > Parity report… shows where they differ"


def vocabulary_status(model: UnigramModel | None, made_here: str, trained_on: str, saved_as: str) -> str:
    """Say what the vocabulary is, how it was made here ("trained", "edited", or "" if opened), whether it is saved."""
    if model is None:
        return what_to_do(None)
    name = isolated(trained_on or ("" if made_here else saved_as) or model.name)
    origin = f"{made_here} here" if made_here else "opened"
    if made_here:
        origin += f", saved as {isolated(saved_as)}" if saved_as else ", not saved"
    return f"{name}, {_pieces(model)}, {origin}"


def title_of(model: UnigramModel | None, trained_on: str, saved_as: str) -> str:
    """Name the vocabulary in the title of the window, with the place of Qt's mark for what is not saved."""
    if model is None:
        return PROGRAM
    name = saved_as or (f"trained on {trained_on}" if trained_on else model.name) or "vocabulary"
    return f"{name.replace('[*]', '[*][*]')}[*] – {PROGRAM}"


def _pieces(model: UnigramModel) -> str:
    """Count pieces; of a worked example, whose only special piece is <unk>, apart from it."""
    types = model.pieces.types
    n = len(types)
    if n <= 50 and int((types != PieceType.NORMAL).sum()) == 1:
        return f"{n - 1} pieces and {model.pieces.texts[model.pieces.unknown_id]}"
    return f"{count_text(n)} pieces"


def corpus_status(corpus: Corpus | None, expected: float | None) -> str:
    """Say how large the corpus is, and into how many tokens training expects it to be cut."""
    if corpus is None:
        return ""
    parts = [counted(len(corpus), "text")]
    if corpus.n_samples != len(corpus):
        parts.append(counted(corpus.n_samples, "sample"))
    if expected is not None:
        parts.append(f"{log_text(expected, 4 if expected < 1000 else 0)} expected tokens")
    return GAP.join(parts)
