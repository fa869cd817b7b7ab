"""The two ends of the status bar in words: the vocabulary at the left, the corpus and its counts at the right."""

from __future__ import annotations

from pathlib import Path

from engine.corpus import Corpus
from engine.history import Update
from engine.model import UnigramModel
from engine.pieces import PieceType
from unigram_gui.number_text import count_text, log_text

GAP = "   "


def vocabulary_status(model: UnigramModel | None, trained_on: str, path: Path | None) -> str:
    """Say what the vocabulary is, where it came from and whether it is saved."""
    if model is None:
        return "Open a corpus and train, or open a vocabulary"
    name = trained_on or (path.name if path is not None else model.name)
    origin = "trained here" if trained_on else "opened"
    if trained_on:
        origin += f", saved as {path.name}" if path is not None else ", not saved"
    return f"{name}, {_pieces(model)}, {origin}"


def _pieces(model: UnigramModel) -> str:
    """Count pieces; of a worked example, whose only special piece is <unk>, apart from it."""
    types = model.pieces.types
    n = len(types)
    if n <= 50 and int((types != PieceType.NORMAL).sum()) == 1:
        return f"{n - 1} pieces and {model.pieces.texts[model.pieces.unknown_id]}"
    return f"{count_text(n)} pieces"


def corpus_status(corpus: Corpus | None, updates: tuple[Update, ...]) -> str:
    """Say how large the corpus is, and into how many tokens training expects it to be cut."""
    if corpus is None:
        return ""
    parts = [f"{count_text(len(corpus))} texts"]
    if corpus.n_samples != len(corpus):
        parts.append(f"{count_text(corpus.n_samples)} samples")
    if updates:
        expected = updates[-1].expected_tokens
        parts.append(f"{log_text(expected, 4 if expected < 1000 else 0)} expected tokens")
    return GAP.join(parts)
