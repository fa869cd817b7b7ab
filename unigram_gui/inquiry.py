"""The part of the session that is about the text on show: what is pointed at, asked, and tried out.

In: wishes of the views, and the session's explorations. Out: facts as signals. It owns the span, the chosen path, the
question on show and the edits with their undo stack. Answers to an exploration that is gone are never told.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QUndoCommand, QUndoStack

from engine.corpus import Corpus
from engine.corpus_statistics import CorpusFigures
from engine.edits import AddPiece, Edit, ForbidEdge, ForceEdge, RescorePiece
from engine.model import UnigramModel
from unigram_gui.tasks.exploration import Exploration, Variant
from unigram_gui.tasks.questions import (
    Answer,
    ChangeRequest,
    DrawRequest,
    LensRequest,
    SpanRequest,
    StepsRequest,
    TryRequest,
)
from unigram_gui.tasks.runner import TaskRunner

Span = tuple[int, int]
QUESTIONS = ("best_paths", "sampling", "why_not", "what_if", "lens", "steps")
N_BEST = 5
DEFAULT_ALPHA = 0.2
SPACE_MARKER = "\u2581"


class Inquiry(QObject):
    """What a person points at, asks and tries out.

    Attributes
    ----------
    seen : the exploration on show
    span : (start, end) of the selected stretch of its text, or None
    hovered_piece : ID of the piece under the pointer, or -1
    chosen_path : place in the list of best paths, or -1
    question : which question is on show
    n_best : how many best paths are listed
    alpha : inverse temperature of sampling
    variant : the vocabulary with the edits that are tried out
    undo_stack : those edits, to be undone and done again
    """

    span_changed = Signal(object)
    hovered_piece_changed = Signal(int)
    path_chosen = Signal(int)
    question_changed = Signal(str)
    steps_changed = Signal(object)
    lens_changed = Signal(object)
    answer_changed = Signal(object)
    sample_changed = Signal(object)
    variant_changed = Signal(object)
    corpus_change_changed = Signal(object)
    exploration_asked = Signal()  # the text is to be seen anew
    exploration_came = Signal(object)  # and already was, together with an edit
    kept = Signal(object)  # a model to be the current vocabulary
    failed = Signal(str)

    def __init__(self, make_runner: Callable[..., TaskRunner], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.seen: Exploration | None = None
        self.span: Span | None = None
        self.hovered_piece = self.chosen_path = -1
        self.question = QUESTIONS[0]
        self.n_best = N_BEST
        self.alpha = DEFAULT_ALPHA
        self.variant: Variant | None = None
        self.corpus: Corpus | None = None
        self.figures: CorpusFigures | None = None
        self.undo_stack = QUndoStack(self)
        self._answer: Answer | None = None
        self._text = ""
        self._seed = 0
        self._pending: tuple[Edit, ...] | None = None
        self._asker = make_runner("exploring", self._answered)
        self._span_asker = make_runner("exploring", lambda _, answer: self._tell_answer(answer))
        self._drawer = make_runner("exploring", lambda _, sample: self.sample_changed.emit(sample))
        self._editor = make_runner("exploring", self._edited, self._edit_failed)
        self._changer = make_runner("corpus", lambda _, change: self.corpus_change_changed.emit(change))

    # What the session tells.

    def start_over(self, model: UnigramModel) -> None:
        """Another vocabulary is current: no edits yet."""
        self._editor.forget()
        self._pending = None
        self.variant = Variant(model)
        self.undo_stack.clear()
        self._tell_variant()

    def close(self) -> None:
        """Let the edits go while whoever hears of it is still there: a stack that is destroyed tells of it as well."""
        self.undo_stack.clear()

    def set_corpus(self, corpus: Corpus | None, figures: CorpusFigures | None) -> None:
        """Another corpus, or other figures of it, are there."""
        self.corpus, self.figures = corpus, figures
        self._count_change()

    def set_text(self, text: str) -> None:
        """Another text is about to be studied."""
        self._text = text

    def set_exploration(self, seen: Exploration | None) -> None:
        """Another exploration is on show: what was pointed at in the old one is let go."""
        same = seen is not None and self.seen is not None and seen.lattice.text == self.seen.lattice.text
        self.seen = seen
        self.choose_path(-1)
        if not same:
            self.select_span(None)
        self._ask_all()

    # Pointing.

    def hover_piece(self, piece: int) -> None:
        """Light up a piece everywhere while the pointer is on it; -1 for none."""
        if piece != self.hovered_piece:
            self.hovered_piece = piece
            self.hovered_piece_changed.emit(piece)

    def select_span(self, span: Span | None) -> None:
        """Select a stretch of the normalized text; one that the lattice on show does not have is ignored."""
        if span is not None and (self.seen is None or not 0 <= span[0] < span[1] <= self.seen.n_characters):
            return
        if span != self.span:
            self.span = span
            self.span_changed.emit(span)
            self._ask_span()

    def choose_path(self, place: int) -> None:
        """Highlight one of the best paths in the lattice; -1 for none."""
        if place != self.chosen_path:
            self.chosen_path = place
            self.path_chosen.emit(place)

    # Asking.

    def ask(self, question: str) -> None:
        """Show another question; only what is on show is computed."""
        if question in QUESTIONS and question != self.question:
            self.question = question
            self.question_changed.emit(question)
            self._ask_all()

    def set_n_best(self, n_best: int) -> None:
        """List another number of best paths."""
        if n_best != self.n_best:
            self.n_best = n_best
            self.exploration_asked.emit()

    def set_alpha(self, alpha: float) -> None:
        """Sample at another inverse temperature; the law follows at once, drawn paths are gone."""
        self.alpha = alpha
        self._draw(0)

    def draw(self, size: int) -> None:
        """Draw paths at the current alpha, other ones each time."""
        self._seed += 1
        self._draw(size)

    def _draw(self, size: int) -> None:
        if self.seen is not None and self.seen.n_characters:
            self._drawer.start(DrawRequest(self.seen, self.alpha, size, self._seed))

    def _ask_all(self) -> None:
        for runner in (self._asker, self._span_asker, self._drawer):
            runner.forget()
        seen = self.seen
        if seen is None or not seen.n_characters:
            self._tell_answer(None)
            for fact in (self.steps_changed, self.lens_changed, self.sample_changed):
                fact.emit(None)
            return
        if self.question == "steps":
            self._asker.start(StepsRequest(seen))
        elif self.question == "lens":
            self._asker.start(LensRequest(seen))
        elif self.question == "sampling":
            self._draw(0)
        self._ask_span()

    def _ask_span(self) -> None:
        if self.seen is None or self.span is None:
            self._span_asker.forget()
            self._tell_answer(None)
        elif self.question in ("why_not", "what_if"):
            self._span_asker.start(SpanRequest(self.seen, *self.span))

    def _tell_answer(self, answer: Answer | None) -> None:
        if answer is not None or self._answer is not None:  # nothing again is no news, and comes with every key
            self._answer = answer
            self.answer_changed.emit(answer)

    @Slot(int, object)
    def _answered(self, _: int, answer: Any) -> None:
        (self.steps_changed if self.question == "steps" else self.lens_changed).emit(answer)

    # Trying out.

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The edits in force, oldest first."""
        return self.variant.edits if self.variant is not None else ()

    @property
    def edited_model(self) -> UnigramModel | None:
        """The vocabulary with the edits that are tried out; None where they leave it as it is."""
        variant = self.variant
        return variant.model if variant is not None and variant.model is not variant.base else None

    @property
    def n_vocabulary_edits(self) -> int:
        """How many edits change the vocabulary: an edge that is forbidden or forced is one of this text alone."""
        return sum(not isinstance(edit, ForbidEdge | ForceEdge) for edit in self.edits)

    def try_edit(self, edit: Edit) -> None:
        """Try an edit on top of those in force. It enters the stack once it has succeeded."""
        if self.variant is None:
            return
        self._pending = with_edit(self.edits if self._pending is None else self._pending, edit)
        self._editor.start(TryRequest(Variant(self.variant.base, self._pending), self._text, self.n_best))

    def forbid_span(self) -> None:
        """No path may run over the selected span in one piece."""
        if self.seen is not None and self.span is not None:
            self.try_edit(ForbidEdge(self.seen.lattice.text, *self.span))

    def force_span(self) -> None:
        """Every path must run over the selected span in one piece."""
        if self.seen is not None and self.span is not None:
            self.try_edit(ForceEdge(self.seen.lattice.text, *self.span))

    def keep(self) -> None:
        """Make the edited vocabulary the current one."""
        if (edited := self.edited_model) is not None:
            self.kept.emit(edited)

    def name_unknown_piece(self) -> None:
        """Make the current vocabulary one whose tokenizer.json names its unknown piece."""
        if self.variant is not None and self.variant.base.lacks_unknown_piece:
            self.kept.emit(self.variant.base.with_unknown_piece())

    @Slot(int, object)
    def _edited(self, _: int, found: Exploration | Variant) -> None:
        self._pending = None
        after = found if isinstance(found, Variant) else found.variant
        if self.variant is None:
            return
        command = _EditCommand(self, self.variant, after)
        if isinstance(found, Exploration) and found.text == self._text:
            command.fresh = found
        self.undo_stack.push(command)

    @Slot(int, object)
    def _edit_failed(self, _: int, error: BaseException) -> None:
        self._pending = None
        self.failed.emit(str(error))

    def set_variant(self, variant: Variant, fresh: Exploration | None) -> None:
        """Take another set of edits; called by the undo stack."""
        self._editor.forget()
        self._pending = None
        self.variant = variant
        if fresh is not None:
            self.exploration_came.emit(fresh)
        else:
            self.exploration_asked.emit()
        self._tell_variant()

    def _tell_variant(self) -> None:
        self.variant_changed.emit(self.variant)
        self._count_change()

    def _count_change(self) -> None:
        self._changer.forget()
        self.corpus_change_changed.emit(None)
        if self.variant is None or self.corpus is None or not _touches_vocabulary(self.variant):
            return
        self._changer.start(ChangeRequest(self.variant, self.corpus, self.figures))


class _EditCommand(QUndoCommand):
    """From one set of edits to the next, and back."""

    def __init__(self, inquiry: Inquiry, before: Variant, after: Variant) -> None:
        super().__init__(_in_words(before, after))
        self._inquiry, self._before, self._after = inquiry, before, after
        self.fresh: Exploration | None = None

    def redo(self) -> None:
        fresh, self.fresh = self.fresh, None  # only the first time is the exploration still that of the text on show
        self._inquiry.set_variant(self._after, fresh)

    def undo(self) -> None:
        self._inquiry.set_variant(self._before, None)


def with_edit(edits: tuple[Edit, ...], edit: Edit) -> tuple[Edit, ...]:
    """Add an edit; it takes the place of the last one where that scored the same piece."""
    last = edits[-1] if edits else None
    if isinstance(edit, RescorePiece) and isinstance(last, RescorePiece) and last.piece == edit.piece:
        return (*edits[:-1], edit)
    return (*edits, edit)


def _in_words(before: Variant, after: Variant) -> str:
    """Name what came with `after`, in a word or two for a menu."""
    new = after.edits[len(before.edits) :] or after.edits[-1:]  # a score may have taken the place of another
    if len(new) != 1:
        return f"{len(new)} edits"
    edit = new[0]
    if isinstance(edit, ForbidEdge | ForceEdge):
        verb, text = "forbidding" if isinstance(edit, ForbidEdge) else "forcing", edit.text[edit.start : edit.end]
    elif isinstance(edit, AddPiece):
        verb, text = "adding", edit.text
    else:
        verb, text = "rescoring" if isinstance(edit, RescorePiece) else "retyping", after.model.pieces.texts[edit.piece]
    return f"{verb} {text.replace(SPACE_MARKER, '␣')}"


def _touches_vocabulary(variant: Variant) -> bool:
    return any(not isinstance(edit, ForbidEdge | ForceEdge) for edit in variant.edits)
