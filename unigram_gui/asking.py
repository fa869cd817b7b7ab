"""Connects what is pointed at, asked and tried out: the lattice, chips, vocabulary and questions with the inquiry.

Like the window it owns no data: wishes of the views go to the session's inquiry, its facts go to the views.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unigram_gui.inquiry import Span
    from unigram_gui.main_window import MainWindow
    from unigram_gui.views.lattice import LatticePane
    from unigram_gui.views.question_view import QuestionView
    from unigram_gui.views.segmentation import SegmentationView


class Asking:
    """The connections of one window."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._connect_pointing()
        self._connect_questions()
        self._connect_edits()

    def ask(self, question: str) -> None:
        """Show a question and put the focus into its view."""
        self._window.questions.setVisible(True)
        self._window.session.inquiry.ask(question)
        self._window.questions.focus_view()

    def undo(self) -> None:
        """Undo the last edit that was tried out."""
        self._window.session.inquiry.undo_stack.undo()

    def redo(self) -> None:
        """Do it again."""
        self._window.session.inquiry.undo_stack.redo()

    def _connect_pointing(self) -> None:
        window, session, inquiry = self._window, self._window.session, self._window.session.inquiry
        views: list[QuestionView | SegmentationView | LatticePane] = [window.segmentation, window.lattice]
        views += window.questions.views.values()
        for view in views:
            view.piece_picked.connect(session.pick_piece)
        for hovered in (*views, window.vocabulary):
            hovered.piece_hovered.connect(inquiry.hover_piece)
            inquiry.hovered_piece_changed.connect(hovered.set_hovered_piece)
        session.picked_piece_changed.connect(window.questions.set_picked_piece)
        session.exploration_changed.connect(window.questions.set_exploration)
        window.lattice.span_selected.connect(inquiry.select_span)
        inquiry.span_changed.connect(window.lattice.set_span)
        inquiry.span_changed.connect(self._pick_span)
        inquiry.path_chosen.connect(window.lattice.set_chosen_path)
        inquiry.path_chosen.connect(window.questions.best_paths.set_chosen_path)

    def _pick_span(self, span: Span | None) -> None:
        """A selected stretch that is a piece lights that piece up everywhere; where it is none, nothing is lit."""
        seen = self._window.session.exploration
        if seen is not None and span is not None:
            self._window.session.pick_piece(seen.piece_over(*span))

    def _connect_questions(self) -> None:
        questions, inquiry = self._window.questions, self._window.session.inquiry
        questions.question_requested.connect(inquiry.ask)
        self._window.lattice.steps_requested.connect(lambda: self.ask("steps"))
        inquiry.question_changed.connect(questions.set_question)
        questions.best_paths.path_chosen_requested.connect(inquiry.choose_path)
        questions.best_paths.number_requested.connect(inquiry.set_n_best)
        questions.sampling.alpha_requested.connect(inquiry.set_alpha)
        questions.sampling.draws_requested.connect(inquiry.draw)
        inquiry.sample_changed.connect(questions.sampling.set_sample)
        inquiry.answer_changed.connect(questions.why_not.set_answer)
        inquiry.answer_changed.connect(questions.what_if.set_answer)
        inquiry.lens_changed.connect(questions.lens.set_lens)
        inquiry.steps_changed.connect(questions.steps.set_steps)
        questions.steps.stage_changed.connect(self._window.lattice.set_stage)

    def _connect_edits(self) -> None:
        inquiry, what_if = self._window.session.inquiry, self._window.questions.what_if
        what_if.edit_requested.connect(inquiry.try_edit)
        self._window.questions.why_not.edit_requested.connect(inquiry.try_edit)
        what_if.forbid_requested.connect(inquiry.forbid_span)
        what_if.force_requested.connect(inquiry.force_span)
        what_if.keep_requested.connect(inquiry.keep)
        what_if.undo_requested.connect(self.undo)
        what_if.redo_requested.connect(self.redo)
        inquiry.variant_changed.connect(what_if.set_variant)
        inquiry.variant_changed.connect(self._window.vocabulary.item_model.set_variant)
        inquiry.corpus_change_changed.connect(what_if.set_change)
        self._window.session.corpus_changed.connect(what_if.set_corpus)
        for stack_fact, show in (
            (inquiry.undo_stack.canUndoChanged, what_if.set_can_undo),
            (inquiry.undo_stack.canRedoChanged, what_if.set_can_redo),
        ):
            stack_fact.connect(show)
            show(False)
        what_if.set_variant(None)
