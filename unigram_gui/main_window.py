"""The main window: panes in their places, menus, status bar. It connects; it owns no data.

Wishes of the views go to the session, facts of the session go to the views; nothing else happens here.
"""

from __future__ import annotations

import platform
from importlib import metadata
from typing import Any

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QMainWindow, QWidget

from engine.history import TrainingHistory, Update
from engine.spec import PRESETS, SPEC_FIELDS
from unigram_gui import dialogs
from unigram_gui.actions import build_menus
from unigram_gui.asking import Asking
from unigram_gui.compare_desk import CompareDesk
from unigram_gui.documents import Documents
from unigram_gui.file_encoding import FileEncoding
from unigram_gui.parity_window import ParityDesk
from unigram_gui.pictures import Pictures
from unigram_gui.places import Places
from unigram_gui.replay import SPEEDS
from unigram_gui.replaying import Replaying
from unigram_gui.run_window import LEDGER, RunDesk
from unigram_gui.session import Session
from unigram_gui.settings import Settings
from unigram_gui.status import PROGRAM, corpus_status, saved_sentence, title_of, vocabulary_status, what_to_do
from unigram_gui.tasks import interpreter
from unigram_gui.tasks.requests import Saved
from unigram_gui.theme import Theme, current_theme
from unigram_gui.unsaved import Unsaved
from unigram_gui.views.corpus import CorpusView
from unigram_gui.views.decode import DecodeView
from unigram_gui.views.focus_ring import FocusRing
from unigram_gui.views.lattice import LatticePane
from unigram_gui.views.lattice.drawing_area import EMPTY
from unigram_gui.views.lines_dialog import LinesDialog, skipped_lines
from unigram_gui.views.message_strip import MessageStrip
from unigram_gui.views.objective import ObjectiveView
from unigram_gui.views.other_rules import OtherRulesView
from unigram_gui.views.pane import Pane
from unigram_gui.views.pruning import PruningView
from unigram_gui.views.questions import QuestionsPane
from unigram_gui.views.segmentation import SegmentationView
from unigram_gui.views.text_input import TextInput
from unigram_gui.views.timeline import TimelineBar
from unigram_gui.views.training import TrainingView, rounds_text
from unigram_gui.views.vocabulary import VocabularyView

NO_VOCABULARY = "Train on a corpus, or open a vocabulary, to see every way to cut a text."
NOTICE_MILLISECONDS = 8000
NO_OTHER_CUT = "Train on a corpus, or open a vocabulary, to see how the other rules cut a text."
NO_TEXT_FOR_OTHERS = "Type a text to see how the other rules cut it."


class MainWindow(QMainWindow):
    """All panes around one session.

    Signals
    -------
    closing : the window is about to close, and all work to stop
    """

    closing = Signal()

    def __init__(self, session: Session, settings: Settings, theme_name: str = "system") -> None:
        super().__init__()
        self.session = session
        self.settings = settings
        self._theme_name = theme_name
        self._trained_on = ""
        self._is_closed = False
        self.theme = _theme_of(theme_name)
        self.theme.apply(_application())  # before any widget is made: those made earlier keep another font
        self.theme.dress(self)
        self.setWindowTitle(PROGRAM)
        self.setAcceptDrops(True)
        self._make_views()
        self._lay_out()
        self.documents = Documents(self)
        self.unsaved = Unsaved(self)
        self.file_encoding = FileEncoding(self)
        self.pictures = Pictures(self)
        self.compare = CompareDesk(self)
        self.parity = ParityDesk(self)
        self.asking = Asking(self)
        self.replaying = Replaying(self)
        self.run = RunDesk(self)
        self.actions_ = build_menus(self)
        self.focus_ring = FocusRing(self.theme, self)
        self._connect_wishes()
        self._connect_facts()
        self._show_initial_state()
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._follow_system)

    # Views and their places.

    def _make_views(self) -> None:
        theme = self.theme
        self.strip = MessageStrip()
        self.corpus = CorpusView(theme)
        self.training = TrainingView(SPEC_FIELDS, tuple(PRESETS))
        self.text_input = TextInput(theme)
        self.segmentation = SegmentationView(theme)
        self.other_rules = OtherRulesView(theme)
        self.lattice = LatticePane(theme)
        self.questions = QuestionsPane(theme)
        self.vocabulary = VocabularyView(theme)
        self.pruning = PruningView(theme)
        self.objective = ObjectiveView(theme)
        self.decode = DecodeView(theme)
        self.timeline = TimelineBar(theme, SPEEDS)
        self.left_status, self.right_status = QLabel(), QLabel()

    def _lay_out(self) -> None:
        self.places = Places(self)
        self.places.restore(self.settings)
        bar = self.statusBar()
        bar.setContentsMargins(8, 0, 8, 0)
        bar.addWidget(self.left_status, 1)
        bar.addPermanentWidget(self.right_status)
        bar.setSizeGripEnabled(False)

    def panes(self) -> tuple[Pane | QWidget, ...]:
        """Return the panes that the View menu shows and hides."""
        return (
            self.corpus, self.training, self.vocabulary, self.questions, self.pruning, self.objective, self.decode,
        )  # fmt: skip

    # Connections.

    def _connect_wishes(self) -> None:
        session = self.session
        self.strip.dismiss_requested.connect(session.dismiss_error)
        self.corpus.filter_requested.connect(session.filter_corpus)
        for table in (self.corpus.item_model, self.vocabulary.item_model, self.pruning.item_model):
            table.order_requested.connect(session.sorter(table.set_order))
        self.corpus.text_chosen_requested.connect(session.set_text)
        self.corpus.skipped_lines_requested.connect(self._show_skipped_lines)
        self.training.setting_requested.connect(session.set_setting)
        self.training.preset_requested.connect(session.choose_preset)
        self.training.own_settings_requested.connect(session.give_back)
        self.training.train_requested.connect(session.train)
        self.training.stop_requested.connect(session.stop)
        self.training.notes_requested.connect(self._show_notes)
        self.training.finished_round_requested.connect(session.keep_finished_round)
        self.text_input.text_requested.connect(self._study)
        self.vocabulary.filter_requested.connect(session.filter_vocabulary)
        self.vocabulary.pick_requested.connect(session.pick_piece)
        self.pruning.round_requested.connect(session.choose_round)
        self.decode.ids_edited.connect(session.edit_ids)
        self.decode.form_requested.connect(session.read_ids_as)
        self.decode.sample_requested.connect(session.set_text)

    def _connect_facts(self) -> None:
        session = self.session
        session.failed.connect(self.strip.set_message)
        session.remarked.connect(self.strip.set_message)
        session.error_dismissed.connect(lambda: self.strip.set_message(""))
        QShortcut(QKeySequence(Qt.Key.Key_Escape), self, session.dismiss_error)
        session.corpus_changed.connect(self._show_corpus)
        session.opening_awaited.connect(self.corpus.set_awaited)
        session.vocabulary_awaited.connect(self.vocabulary.set_awaited)
        session.corpus_rows_changed.connect(self.corpus.set_rows)
        session.corpus_figures_changed.connect(self.corpus.set_figures)
        session.loading_progressed.connect(lambda part: self.left_status.setText(f"Reading, {part:.0%}"))
        session.model_changed.connect(self._show_model)
        session.model_saved.connect(self._show_saved)
        session.model_kept.connect(self._show_status)
        session.vocabulary_rows_changed.connect(self.vocabulary.set_rows)
        session.history_changed.connect(self._show_history)
        session.round_changed.connect(lambda chosen: self.pruning.set_round(session.history, chosen))
        session.updates_changed.connect(self._show_updates)
        session.spec_changed.connect(lambda spec: self.training.set_spec(spec, session.preset))
        session.lent_changed.connect(self.training.set_lender)
        session.text_changed.connect(self._show_text)
        for view in (self.segmentation, self.lattice):
            session.exploration_changed.connect(view.set_exploration)
            session.picked_piece_changed.connect(view.set_picked_piece)
        session.picked_piece_changed.connect(self.vocabulary.set_picked_piece)
        session.ids_changed.connect(self.decode.set_ids)
        session.decoding_changed.connect(self.decode.set_decoding)
        self._connect_training()

    def _connect_training(self) -> None:
        session = self.session
        session.training_started.connect(self._show_training_started)
        session.training_progressed.connect(self.training.set_step)
        session.training_finished.connect(self._show_training_finished)
        session.training_stopped.connect(lambda: self._show_training_broken_off("stopped"))
        session.training_failed.connect(lambda _: self._show_training_broken_off("failed"))
        session.finished_round_changed.connect(self.training.set_finished_round)
        session.inquiry.variant_changed.connect(self._show_title)
        session.kernels_awaited.connect(self._show_status)
        session.kernels_ready.connect(self._show_status)
        session.gate.progressed.connect(self._show_status)

    def _show_initial_state(self) -> None:
        self.training.set_spec(self.session.spec, self.session.preset)
        for action in [*self.actions_.need_model, self.actions_.stop, self.actions_.train]:
            action.setEnabled(False)
        self.actions_.themes[self._theme_name].setChecked(True)
        for field in self.findChildren(QLineEdit):
            field.setAcceptDrops(False)  # a file dropped on a field is opened, its name is not typed there
        self._show_hint()
        self._show_status()
        self.text_input.setFocus()

    @Slot(str)
    def _study(self, text: str) -> None:
        """See what is typed cut. Where the answer is there at once, it is painted before anything else has a turn."""
        interpreter.keep()
        try:
            self.session.set_text(text)
            if not self.session.is_exploring:
                self._paint_now()
        finally:
            interpreter.share()

    def _paint_now(self) -> None:
        """Paint all that has changed. A repaint keeps the interpreter, unlike sending the events that wait."""
        frame = self.segmentation.parentWidget()
        if frame is not None and (layout := frame.layout()) is not None:
            layout.activate()  # the chips may have taken another line
        self.lattice.view.viewport().repaint(0, 0, 1, 1)

    # Facts that touch more than one view.

    @Slot(object)
    def _show_corpus(self, corpus: Any) -> None:
        self.corpus.filter.clear()
        self.corpus.set_corpus(corpus)
        self.vocabulary.set_has_corpus()
        self.training.set_can_train(not self.session.is_training)
        self.actions_.train.setEnabled(not self.session.is_training)
        self._show_status()

    @Slot(object)
    def _show_model(self, model: Any) -> None:
        history = self.session.history
        self._trained_on = history.corpus_name if history is not None and self.session.made_here == "trained" else ""
        self.vocabulary.filter.clear()
        self.vocabulary.set_vocabulary(model, self.session.history)
        self.vocabulary.table.scrollToTop()  # where somebody looked at the one before is nowhere in this one
        if not self._trained_on and not self.session.is_training:
            self.training.forget()
            self._show_result()
        self._show_hint()
        for action in self.actions_.need_model:
            action.setEnabled(True)
        self._show_status()

    @Slot(str)
    def _show_text(self, text: str) -> None:
        self.text_input.set_text(text)
        self.objective.wait()
        self._show_hint()

    def _show_hint(self) -> None:
        """Say in the empty lattice what is missing: a vocabulary, or a text."""
        text, model = self.session.text, self.session.model
        self.lattice.view.set_hint(NO_VOCABULARY if model is None else "" if text else EMPTY)
        self.other_rules.set_hint(NO_OTHER_CUT if model is None else "" if text else NO_TEXT_FOR_OTHERS)

    @Slot(object)
    def _show_history(self, history: TrainingHistory | None) -> None:
        self.pruning.set_history(history, self.session.chosen_round)

    @Slot(object)
    def _show_saved(self, saved: Saved) -> None:
        self._show_status()
        self.statusBar().showMessage(saved_sentence(saved), NOTICE_MILLISECONDS)

    @Slot()
    def _show_training_started(self) -> None:
        self.training.set_running(True)
        self.training.set_state("training" if self.session.gate.is_open else "waits for kernels")
        self.actions_.train.setEnabled(False)
        self.actions_.stop.setEnabled(True)

    @Slot(object)
    def _show_updates(self, updates: tuple[Update, ...]) -> None:
        if self.session.is_training:
            self.objective.follow_updates(updates)
        else:
            self.objective.set_updates(updates)
        self._show_status()

    def _show_training_ended(self, state: str) -> None:
        self.objective.set_updates(self.session.updates)
        self.training.set_running(False)
        self.training.set_state(state)
        self.actions_.train.setEnabled(True)
        self.actions_.stop.setEnabled(False)
        self._show_status()

    def _show_training_broken_off(self, state: str) -> None:
        self._show_training_ended(state)
        self._show_result(is_earlier=True)

    def _show_result(self, *, is_earlier: bool = False) -> None:
        """Show how the training of the open vocabulary ended, which may not be the one that a person began last."""
        history = self.session.history
        if history is None:
            return
        n_rounds = history.updates[-1].round if history.updates else 0
        rounds = rounds_text(n_rounds, n_rounds, len(history.final_losses))
        self.training.set_result(rounds, history.final_loss, history.notes, is_earlier=is_earlier)

    @Slot(object)
    def _show_training_finished(self, history: TrainingHistory) -> None:
        self._show_training_ended("finished")
        self._show_result()
        n_pieces = f"{len(history.final_losses):,} pieces"
        self.statusBar().showMessage(f"Training finished: {n_pieces}", NOTICE_MILLISECONDS)
        QApplication.alert(self)  # in the task bar, where somebody is elsewhere meanwhile

    @Slot()
    def _show_status(self) -> None:
        session = self.session
        text = what_to_do(session.corpus)
        if session.model is not None:
            text = vocabulary_status(session.model, session.made_here, self._trained_on, session.saved_as)
        if not session.gate.is_open:
            share = session.gate.share_compiled
            text = f"First start: compiling the kernels, {share:.0%}; what you ask for is done when they are ready"
        self.left_status.setText(text)
        self.right_status.setText(corpus_status(session.corpus, session.expected_tokens))
        self._show_title()

    @Slot()
    def _show_title(self) -> None:
        """Name the vocabulary in the title, and mark what would be lost."""
        session = self.session
        title = title_of(session.model, self._trained_on, session.saved_as)
        self.setWindowTitle(title)
        self.setWindowModified("[*]" in title and session.has_unsaved)

    def _show_skipped_lines(self) -> None:
        if self.session.corpus is not None:
            skipped_lines(self.session.corpus, self.theme, self).show()

    def _show_notes(self) -> None:
        history = self.session.history
        if history is not None:
            summary = f"On the training with {history.corpus_name}:"
            LinesDialog("Remarks", summary, history.notes, self.theme, self).show()

    # Dropped files.

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Override QWidget::dragEnterEvent: files are welcome anywhere."""
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Override QWidget::dropEvent: open what was dropped."""
        if self.documents.open_dropped(event.mimeData()):
            event.acceptProposedAction()

    # Look.

    def preset_names(self) -> tuple[str, ...]:
        """Return the presets in the order of the menu."""
        return tuple(PRESETS)

    def choose_theme(self, name: str, remember: bool = True) -> None:
        """Use the "light", "dark" or "system" theme."""
        self._theme_name = name
        if remember:
            self.settings.theme = name
        self.actions_.themes[name].setChecked(True)
        self._apply_theme(_theme_of(name))

    def switch_theme(self) -> None:
        """Go from light to dark or back."""
        self.choose_theme("light" if self.theme.palette.dark else "dark")

    @Slot()
    def _follow_system(self) -> None:
        if self._theme_name == "system":
            self.choose_theme("system", remember=False)

    def _apply_theme(self, theme: Theme) -> None:
        self.theme = theme
        theme.apply(_application())
        theme.dress(self)
        self.compare.set_theme(theme)
        self.run.set_theme(theme)
        self.parity.set_theme(theme)
        for view in (
            self.corpus, self.training, self.text_input, self.segmentation, self.lattice, self.questions,
            self.vocabulary, self.pruning, self.objective, self.decode, self.timeline, self.focus_ring,
        ):  # fmt: skip
            view.set_theme(theme)

    def toggle_full_screen(self) -> None:
        """Fill the screen, or go back."""
        self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)

    def show_run(self, page: int = LEDGER) -> None:
        """Open the window that looks back at the training."""
        self.run.open_at(page)

    def focus_field(self, field: QLineEdit) -> None:
        """Put the cursor into a field, everything in it selected."""
        field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        field.selectAll()

    def show_about(self) -> None:
        """Show what the program is made of."""
        dialogs.show_about(self, _versions())

    def ask_unsaved(self) -> str:
        """Ask what to do with the vocabulary that would be lost, or edits of it: "save", "discard" or "cancel"."""
        session = self.session
        which = f"trained on {self._trained_on}" if self._trained_on else "that was edited"
        name = session.saved_as or (session.model.name if session.model is not None else "") or "the vocabulary"
        return dialogs.ask_unsaved(self, which if session.has_unsaved_vocabulary else "", name, self.unsaved.n_edits)

    def end(self) -> None:
        """Close without a question: the system ends the session, and nobody may be there to answer."""
        self._is_closed = True
        self.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Override QWidget::closeEvent: stop all work first, so that nothing outlives the window."""
        if not self._is_closed and not self.unsaved.may_go_on(self.close):
            event.ignore()
            return
        self._is_closed = True
        self.closing.emit()
        self.places.save(self.settings)
        self.compare.close()
        self.run.close()
        self.parity.close()
        self.session.close()
        super().closeEvent(event)


def _versions() -> str:
    names = ("PySide6_Essentials", "numpy", "numba", "pyqtgraph")
    parts = [f"{name} {metadata.version(name)}" for name in names]
    return ", ".join([f"Python {platform.python_version()}", *parts])


def _application() -> QApplication:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    return app


def _theme_of(name: str) -> Theme:
    system_is_dark = QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
    return current_theme(dark=name == "dark" or (name == "system" and system_is_dark))
