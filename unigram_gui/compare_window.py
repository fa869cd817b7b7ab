"""The window that compares two vocabularies, with the library of saved ones. It connects; it owns no data.

Wishes of its views go to the session's `comparing`, facts come back from there.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QKeySequence
from PySide6.QtWidgets import QVBoxLayout, QWidget

from engine.comparison import mapping_table
from engine.errors import EngineError
from engine.files import write_file
from unigram_gui import dialogs
from unigram_gui.comparing import Comparing
from unigram_gui.export import figures
from unigram_gui.further_window import FurtherWindow
from unigram_gui.settings import Settings
from unigram_gui.tasks.comparing import Pair
from unigram_gui.theme import Theme
from unigram_gui.views.compare.choosers import Choosers
from unigram_gui.views.compare.corpus_view import CompareCorpusView
from unigram_gui.views.compare.segments import Pages
from unigram_gui.views.compare.text_view import CompareTextView
from unigram_gui.views.compare.vocabulary_view import CompareVocabularyView
from unigram_gui.views.library import LibraryView
from unigram_gui.views.message_strip import MessageStrip

WIDTH, HEIGHT = 1240, 820
TEXT, VOCABULARIES, CORPUS, SAVED = range(4)
TITLES = ("One text", "Vocabularies", "Corpus", "Saved vocabularies")


class CompareWindow(FurtherWindow):
    """Two vocabularies side by side."""

    def __init__(self, comparing: Comparing, settings: Settings, theme: Theme) -> None:
        super().__init__(theme)
        self.comparing, self.settings = comparing, settings
        self.setWindowTitle("Compare two vocabularies – Unigram GUI")
        self.resize(WIDTH, HEIGHT)
        self.strip = MessageStrip()
        self.choosers = Choosers(theme)
        self.text, self.vocabularies = CompareTextView(theme), CompareVocabularyView(theme)
        self.corpus, self.library = CompareCorpusView(theme), LibraryView(theme)
        views = (self.text, self.vocabularies, self.corpus, self.library)
        self.pages = Pages(*zip(TITLES, views, strict=True))
        self._lay_out()
        self._make_menus()
        self._connect_wishes()
        self._connect_facts()
        self._show_all()

    def _lay_out(self) -> None:
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.pages.bar.setContentsMargins(18, 10, 18, 0)
        column.addWidget(self.strip)
        column.addWidget(self.choosers)
        column.addLayout(self.pages.bar)
        column.addWidget(self.pages, 1)
        self.setCentralWidget(body)

    def _make_menus(self) -> None:
        menu = self.menuBar().addMenu("&Compare")
        self._item(menu, "&A from a file…", "Ctrl+O", lambda: self.ask_file(0))
        self._item(menu, "&B from a file…", "Ctrl+Shift+O", lambda: self.ask_file(1))
        self._item(menu, "S&wap A and B", "Ctrl+T", self.comparing.swap)
        menu.addSeparator()
        self._item(menu, "Compare on the &corpus", "Ctrl+R", self.comparing.compare_on_corpus)
        self._item(menu, "&Stop", "Ctrl+.", self.comparing.stop)
        menu.addSeparator()
        self._item(menu, "Save the &mapping of IDs…", "Ctrl+S", self.ask_save_mapping)
        self._item(menu, "&Export figure…", "Ctrl+E", self.ask_export)
        self._item(menu, "C&opy figure", "Ctrl+Shift+C", self.copy_figure)
        menu.addSeparator()
        self._item(menu, "C&lose", QKeySequence.StandardKey.Close, self.close)
        view = self.menuBar().addMenu("&View")
        for page, title in enumerate(TITLES):
            self._item(view, f"&{title}", f"Ctrl+{page + 1}", partial(self.turn_to, page))
        view.addSeparator()
        self._item(view, "All &pieces", "Ctrl+Shift+P", self.text.all_pieces.toggle)
        self._item(view, "&Find piece", QKeySequence.StandardKey.Find, self.find_piece)
        self._item(view, "Edit the te&xt", "Ctrl+L", self.edit_text)

    def _connect_wishes(self) -> None:
        comparing = self.comparing
        self.strip.dismiss_requested.connect(lambda: self.strip.set_message(""))
        self.choosers.choose_requested.connect(comparing.choose)
        self.choosers.swap_requested.connect(comparing.swap)
        self.choosers.file_requested.connect(self.ask_file)
        self.text.text_requested.connect(comparing.set_text)
        self.vocabularies.filter_requested.connect(comparing.filter_pieces)
        self.vocabularies.pieces.order_requested.connect(comparing.sort_pieces)
        self.corpus.start_requested.connect(comparing.compare_on_corpus)
        self.corpus.part_requested.connect(comparing.compare_on_group)
        self.corpus.whole_requested.connect(comparing.show_whole_corpus)
        self.corpus.stop_requested.connect(comparing.stop)
        self.corpus.text_requested.connect(self.study)
        self.library.save_requested.connect(comparing.save)
        self.library.rename_requested.connect(comparing.rename)
        self.library.delete_requested.connect(self.ask_delete)
        self.library.open_requested.connect(comparing.open_saved)
        self.library.reveal_requested.connect(self.reveal)

    def _connect_facts(self) -> None:
        # To methods of widgets alone: the session outlives the window, and such connections end with the widget.
        comparing = self.comparing
        comparing.sources_changed.connect(self._show_sources)
        comparing.chosen_changed.connect(self.choosers.set_chosen)
        comparing.pair_changed.connect(self._show_pair)
        comparing.rows_changed.connect(self.vocabularies.set_rows)
        comparing.order_changed.connect(self.vocabularies.pieces.set_order)
        comparing.text_changed.connect(self.text.input.set_text)
        comparing.text_pair_changed.connect(self.text.set_text_pair)
        comparing.corpus_changed.connect(self._show_corpus)
        comparing.corpus_started.connect(self._show_started)
        comparing.corpus_progressed.connect(self.corpus.set_progress)
        comparing.corpus_stopped.connect(self._show_stopped)
        comparing.corpus_compared.connect(self.corpus.set_comparison)
        comparing.library_changed.connect(self.library.set_content)
        comparing.kept.connect(self.library.clear_form)
        comparing.said.connect(self._show_notice)
        comparing.failed.connect(self.strip.set_message)

    def _show_all(self) -> None:
        """Show what is known already."""
        comparing = self.comparing
        self._show_sources(comparing.sources)
        self.choosers.set_chosen(comparing.chosen)
        self.text.input.set_text(comparing.text)
        self._show_pair(comparing.pair)
        self.text.set_text_pair(comparing.text_pair)
        self.corpus.set_comparison(comparing.corpus_comparison)
        self.library.set_content(comparing.content)

    @Slot(object)
    def _show_sources(self, sources: object) -> None:
        self.choosers.set_sources(self.comparing.sources)
        self.library.set_can_save(any(source.kind == "current" for source in self.comparing.sources))

    @Slot(object)
    def _show_pair(self, pair: Pair | None) -> None:
        compared = pair.vocabularies if pair is not None else None
        if pair is not None:
            self.strip.set_message("")
        self.text.set_vocabularies(compared)
        self.vocabularies.set_comparison(compared)
        self._show_corpus()

    @Slot()
    def _show_corpus(self) -> None:
        self.corpus.set_can_start(self.comparing.pair is not None, self.comparing.corpus)

    @Slot()
    def _show_started(self) -> None:
        self.corpus.set_running(True)

    @Slot()
    def _show_stopped(self) -> None:
        self.corpus.set_running(False)

    @Slot(str)
    def _show_notice(self, text: str) -> None:
        self.statusBar().showMessage(text, 4000)

    # What a person does.

    def turn_to(self, page: int) -> None:
        """Show a page."""
        self.pages.turn_to(page)

    def set_theme(self, theme: Theme) -> None:
        """Override FurtherWindow.set_theme."""
        super().set_theme(theme)
        for view in (self.choosers, self.text, self.vocabularies, self.corpus, self.library):
            view.set_theme(theme)

    def study(self, text: str) -> None:
        """Compare on a text of the corpus, in the lattices."""
        self.comparing.set_text(text)
        self.turn_to(TEXT)

    def find_piece(self) -> None:
        """Go to the filter of the pieces."""
        self.turn_to(VOCABULARIES)
        self.vocabularies.filter.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def edit_text(self) -> None:
        """Go to the field of the text."""
        self.turn_to(TEXT)
        self.text.input.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.text.input.selectAll()

    def name_to_save(self) -> None:
        """Go to the form that saves the open vocabulary."""
        self.turn_to(SAVED)
        self.library.name.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.library.name.selectAll()

    @Slot(int)
    def ask_file(self, side: int) -> None:
        """Ask for a vocabulary to compare."""
        if path := dialogs.ask_vocabulary(self, self.settings.folder):
            self.settings.folder = str(Path(path).parent)
            self.comparing.add_file(side, path)

    @Slot(str, str)
    def ask_delete(self, key: str, name: str) -> None:
        """Delete a saved vocabulary, after asking."""
        if dialogs.confirm(self, "Delete vocabulary", f"Delete the saved vocabulary {name}? This cannot be undone."):
            self.comparing.delete(key, name)

    @Slot(str)
    def reveal(self, key: str) -> None:
        """Show the folder of a saved vocabulary in the system's file manager."""
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self.comparing.library.path(key))))

    def ask_save_mapping(self) -> None:
        """Ask where to write which ID of A is which of B."""
        pair = self.comparing.pair
        if pair is None:
            self.strip.set_message("There is no mapping yet: choose two vocabularies.")
        elif path := dialogs.ask_save(self, "Save the mapping of IDs", self.settings.folder, dialogs.REPORTS, ".tsv"):
            self.settings.folder = str(Path(path).parent)
            try:
                write_file(path, mapping_table(pair.vocabularies))
            except EngineError as error:
                self.strip.set_message(str(error))
                return
            self.statusBar().showMessage(f"Saved {path}", 4000)

    # Pictures.

    def ask_export(self) -> None:
        """Ask where to write the figure of both lattices."""
        if self.text.figure() is None:
            self.strip.set_message("There is no figure yet: choose two vocabularies and type a text.")
        elif path := dialogs.ask_save(self, "Export figure", self.settings.folder, dialogs.PICTURES, ".png"):
            self.settings.folder = str(Path(path).parent)
            self.export(Path(path))

    def export(self, path: Path) -> None:
        """Write the figure of both lattices, PNG or SVG by suffix."""
        figure = self.text.figure()
        if figure is None:
            return
        try:
            (figures.save_svg if path.suffix.lower() == ".svg" else figures.save_png)(figure, path)
        except (OSError, EngineError) as error:
            self.strip.set_message(f"The figure {path} cannot be written: {error}.")
            return
        self.statusBar().showMessage(f"Saved {path}", 4000)

    def copy_figure(self) -> None:
        """Put the figure on the clipboard."""
        figure = self.text.figure()
        if figure is not None:
            figures.copy_to_clipboard(figure)
            self.statusBar().showMessage("Copied", 2000)
