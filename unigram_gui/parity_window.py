"""The window that compares the rules of SentencePiece and of HF tokenizers on a corpus. It connects; it owns no data.

Wishes of its view go to the session's `parity`, facts come back from there. `ParityDesk` keeps it, and connects the
line under the chips that shows the same for one text.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Slot
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QVBoxLayout, QWidget

from unigram_gui import dialogs
from unigram_gui.further_window import Desk, FurtherWindow
from unigram_gui.number_text import counted
from unigram_gui.parity import Parity
from unigram_gui.tasks.parity import families
from unigram_gui.theme import Theme
from unigram_gui.views.message_strip import MessageStrip
from unigram_gui.views.parity import ParityView

if TYPE_CHECKING:
    from unigram_gui.main_window import MainWindow

WIDTH, HEIGHT = 1180, 720
NOTICE_MILLISECONDS = 4000


class ParityWindow(FurtherWindow):
    """One vocabulary, two sets of rules."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window.theme)
        self._window, self.parity, self._settings = window, window.session.parity, window.settings
        self.setWindowTitle("Parity report – Unigram GUI")
        self.resize(WIDTH, HEIGHT)
        self.strip, self.view = MessageStrip(), ParityView(window.theme)
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.strip)
        column.addWidget(self.view, 1)
        self.setCentralWidget(body)
        self._make_menus()
        self._connect()
        self._show_subject()
        self.view.set_report(self.parity.report)
        self.view.start.setFocus()

    def _make_menus(self) -> None:
        menu = self.menuBar().addMenu("&Report")
        self._item(menu, "&Compare on the corpus", "Ctrl+R", self.parity.compare)
        self._item(menu, "&Stop", "Ctrl+.", self.parity.stop)
        menu.addSeparator()
        self._item(menu, "With &another file…", QKeySequence.StandardKey.Open, self.ask_rival)
        self._item(menu, "With its con&version", "Ctrl+Shift+O", lambda: self.parity.choose_rival(None))
        menu.addSeparator()
        self._item(menu, "Save &table…", QKeySequence.StandardKey.Save, self.ask_save)
        menu.addSeparator()
        self._item(menu, "C&lose", QKeySequence.StandardKey.Close, self.close)

    def _connect(self) -> None:
        view, parity = self.view, self.parity
        self.strip.dismiss_requested.connect(lambda: self.strip.set_message(""))
        view.compare_requested.connect(parity.compare)
        view.stop_requested.connect(parity.stop)
        view.rival_requested.connect(self.ask_rival)
        view.own_requested.connect(lambda: parity.choose_rival(None))
        view.save_requested.connect(self.ask_save)
        view.text_requested.connect(self.study)
        parity.subject_changed.connect(self._show_subject)
        parity.report_started.connect(self._show_started)
        parity.report_progressed.connect(view.set_progress)
        parity.report_changed.connect(view.set_report)
        parity.report_ended.connect(self._show_ended)
        parity.said.connect(self._show_notice)
        parity.failed.connect(self.strip.set_message)

    @Slot()
    def _show_ended(self) -> None:
        self.view.set_running(False)

    @Slot(str)
    def _show_notice(self, text: str) -> None:
        self.statusBar().showMessage(text, NOTICE_MILLISECONDS)

    @Slot()
    def _show_started(self) -> None:
        self.strip.set_message("")
        self.view.set_running(True)

    @Slot()
    def _show_subject(self) -> None:
        self.view.set_subject(subject_of(self.parity), self._can_start, self.parity.rival is not None)

    @property
    def _can_start(self) -> bool:
        return self.parity.model is not None and self.parity.corpus is not None

    def set_theme(self, theme: Theme) -> None:
        """Override FurtherWindow.set_theme."""
        super().set_theme(theme)
        self.view.set_theme(theme)

    # What a person does.

    def study(self, text: str) -> None:
        """Put a text into the lattice, with the other rules' cut beside it."""
        self._window.session.set_text(text)
        self.parity.show(True)
        self._window.activateWindow()

    def ask_rival(self) -> None:
        """Ask for another file of the same tokenizer."""
        if path := dialogs.ask_vocabulary(self, self._settings.folder):
            self._settings.folder = str(Path(path).parent)
            self.parity.choose_rival(Path(path))

    def ask_save(self) -> None:
        """Ask where to write the table."""
        suggested = str(Path(self._settings.folder, "parity.tsv"))
        if path := dialogs.ask_save(self, "Save parity report", suggested, dialogs.REPORTS, ".tsv"):
            self._settings.folder = str(Path(path).parent)
            self.parity.write(Path(path))


def subject_of(parity: Parity) -> str:
    """Say in a sentence what is compared with what, and on which texts."""
    if parity.model is None:
        return "Open a vocabulary, and a corpus to compare on."
    own, other = families(parity.model)
    against = f"its conversion, by those of {other}" if parity.rival is None else f"{parity.rival.name}"
    corpus = parity.corpus
    where = f"{corpus.name}, {counted(len(corpus), 'text')}" if corpus is not None else "no corpus yet: open one"
    return f"{parity.model.name or 'The vocabulary'} by the rules of {own}, and {against}  ·  on {where}"


class ParityDesk(Desk[ParityWindow]):
    """Keeps the report's window, and connects the line under the chips."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(lambda: ParityWindow(window), window.close)
        self._window, self._parity = window, window.session.parity
        self._connect_line()

    def _connect_line(self) -> None:
        line, session, inquiry = self._window.other_rules, self._window.session, self._window.session.inquiry
        line.hide()
        self._parity.shown_changed.connect(line.setVisible)
        self._parity.cut_changed.connect(line.set_cut)
        line.piece_picked.connect(session.pick_piece)
        line.piece_hovered.connect(inquiry.hover_piece)
        session.picked_piece_changed.connect(line.set_picked_piece)
        inquiry.hovered_piece_changed.connect(line.set_hovered_piece)
        self._parity.failed.connect(self._tell_failure)

    def _tell_failure(self, sentence: str) -> None:
        """Without a window of its own, what goes wrong is said in the main one."""
        if self.window is None or not self.window.isVisible():
            self._window.session.failed.emit(sentence)

    def set_theme(self, theme: Theme) -> None:
        """Draw with another theme from now on, the line too."""
        self._window.other_rules.set_theme(theme)
        super().set_theme(theme)
