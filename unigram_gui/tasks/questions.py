"""What a person asks about the text on show, as frozen requests; each answer names the exploration that it is about.

None of them knows Qt or the session, so each can be tested by calling it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from engine.alignment import Alignment, align
from engine.corpus import Corpus
from engine.corpus_effect import CorpusChange, corpus_change
from engine.corpus_statistics import CorpusFigures
from engine.encoder import Segmentation
from engine.lattice import Lattice
from engine.model import UnigramModel
from engine.normalizer import SPACE_MARKER, NormalizerSpec
from engine.sampling import Draws, draw_paths
from engine.step_by_step import CountSteps, ViterbiSteps, count_steps, viterbi_steps
from engine.what_if import SpanAnswer, edge_at, why_not
from unigram_gui.tasks.control import TaskControl
from unigram_gui.tasks.exploration import Exploration, Variant, explore


@dataclass(frozen=True, eq=False)
class Steps:
    """The Viterbi table and the E step of a text, step by step."""

    seen: Exploration
    viterbi: ViterbiSteps
    counts: CountSteps


@dataclass(frozen=True, eq=False)
class StepsRequest:
    """Take both computations apart."""

    seen: Exploration

    def __call__(self, control: TaskControl) -> Steps:
        lattice = self.seen.lattice
        viterbi = viterbi_steps(lattice)
        control.check()
        return Steps(self.seen, viterbi, count_steps(lattice))


@dataclass(frozen=True, eq=False)
class Lens:
    """A text in aligned rows, and what decoding makes of its pieces."""

    seen: Exploration
    cut: Segmentation
    alignment: Alignment
    decoded: str

    @property
    def gives_back(self) -> bool:
        """Whether decoding gives the typed text back."""
        return self.decoded == self.cut.normalized.original


@dataclass(frozen=True, eq=False)
class LensRequest:
    """Set the typed text against the normalized one."""

    seen: Exploration

    def __call__(self, control: TaskControl) -> Lens:
        model, cut = self.seen.model, self.seen.segmentation
        alignment = align(cut, _spec_of(model, cut), byte_fallback=model.byte_fallback)
        control.check()
        return Lens(self.seen, cut, alignment, model.decode(cut.ids))


def _spec_of(model: UnigramModel, cut: Segmentation) -> NormalizerSpec:
    """The model's settings; those of a tokenizer.json are rules, of which a space put in front shows in the text."""
    if model.tokenizer_document is None:
        return model.normalizer_spec
    text, original = cut.normalized.text, cut.normalized.original
    return replace(model.normalizer_spec, add_dummy_prefix=text[:1] == SPACE_MARKER and original[:1] not in ("", " "))


@dataclass(frozen=True)
class Stretch:
    """A part of a path: its pieces with their IDs, -1 for what is no piece."""

    pieces: tuple[str, ...]
    ids: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Answer:
    """Why a span is or is not a piece of the cut. `piece` is its ID, -1 where the vocabulary has no such piece."""

    seen: Exploration
    span: SpanAnswer
    piece: int
    own: Stretch  # the best path over the span, inside of the window
    instead: Stretch  # its rival there, empty without one


@dataclass(frozen=True, eq=False)
class SpanRequest:
    """Ask why a span is not a piece of the cut."""

    seen: Exploration
    start: int
    end: int

    def __call__(self, control: TaskControl) -> Answer:
        span = why_not(self.seen.lattice, self.start, self.end)
        piece = self.seen.model.pieces.id_of(span.text)
        rival = () if span.rival is None else (0, *span.rival.ends)
        own, instead = (_stretch(self.seen.lattice, cuts, span.window) for cuts in (span.cuts, rival))
        return Answer(self.seen, span, -1 if piece is None else piece, own, instead)


def _stretch(lattice: Lattice, cuts: tuple[int, ...], window: tuple[int, int]) -> Stretch:
    inside = [cut for cut in cuts if window[0] <= cut <= window[1]]
    edges = [edge_at(lattice, start, end) for start, end in pairwise(inside)]
    ids = tuple(int(lattice.edge_piece[edge]) if edge >= 0 else -1 for edge in edges)
    return Stretch(tuple(lattice.text[start:end] for start, end in pairwise(inside)), ids)


@dataclass(frozen=True, eq=False)
class Sample:
    """Drawn paths of a text beside their exact law."""

    seen: Exploration
    draws: Draws


@dataclass(frozen=True, eq=False)
class DrawRequest:
    """Draw `size` paths at `alpha`; with a size of 0 only the law of the best paths is told."""

    seen: Exploration
    alpha: float
    size: int
    seed: int = 0

    def __call__(self, control: TaskControl) -> Sample:
        rng, listed = np.random.default_rng(self.seed), self.seen.n_best
        draws = draw_paths(self.seen.lattice, self.alpha, self.size, rng=rng, listed=listed, cancel=control.cancel)
        return Sample(self.seen, draws)


@dataclass(frozen=True, eq=False)
class TryRequest:
    """Make the edits of a variant and see the text through it."""

    variant: Variant
    text: str
    n_best: int

    def __call__(self, control: TaskControl) -> Exploration | Variant:
        _ = self.variant.model, self.variant.unknown_scores  # made here: the window only shows them
        control.check()
        if not self.text:
            return self.variant
        return explore(self.variant, self.text, n_best=self.n_best, cancel=control.cancel)


@dataclass(frozen=True, eq=False)
class ChangeRequest:
    """Count what the edits of a variant do to a corpus; `figures` are those of its base, where they are known."""

    variant: Variant
    corpus: Corpus
    figures: CorpusFigures | None

    def __call__(self, control: TaskControl) -> CorpusChange:
        variant = self.variant
        return corpus_change(variant.base, variant.model, self.corpus, figures=self.figures, cancel=control.cancel)
