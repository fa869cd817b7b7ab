"""The window that looks back at a training: the ledger of its prunings, curves, sums. It connects; it owns no data.

Wishes of its views go to the session's `replay`, facts come back from there.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QVBoxLayout, QWidget

from engine.errors import EngineError
from unigram_gui import dialogs
from unigram_gui.export import figures
from unigram_gui.further_window import Desk, FurtherWindow
from unigram_gui.session import Session
from unigram_gui.settings import Settings
from unigram_gui.theme import Theme
from unigram_gui.views.compare.segments import Pages
from unigram_gui.views.curves import CURVE_TITLES, CurvesView
from unigram_gui.views.ledger import LedgerView
from unigram_gui.views.lesson import LessonView

if TYPE_CHECKING:
    from unigram_gui.main_window import MainWindow

WIDTH, HEIGHT = 1260, 860
LEDGER, CURVES, LESSON = range(3)
TITLES = ("Pruning ledger", "Curves", "Sums")


class RunWindow(FurtherWindow):
    """One training, looked at again."""

    def __init__(self, session: Session, settings: Settings, theme: Theme) -> None:
        super().__init__(theme)
        self.session, self.replay, self.settings = session, session.replay, settings
        self.setWindowTitle("Training – Unigram GUI")
        self.resize(WIDTH, HEIGHT)
        self.ledger, self.curves, self.lesson = LedgerView(theme), CurvesView(theme), LessonView(theme)
        self.pages = Pages(*zip(TITLES, self._views(), strict=True))
        self._lay_out()
        self._make_menus()
        self._connect()
        self._show_all()

    def _views(self) -> tuple[LedgerView, CurvesView, LessonView]:
        return self.ledger, self.curves, self.lesson

    def _lay_out(self) -> None:
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.pages.bar.setContentsMargins(18, 10, 18, 0)
        column.addLayout(self.pages.bar)
        column.addWidget(self.pages, 1)
        self.setCentralWidget(body)

    def _make_menus(self) -> None:
        menu = self.menuBar().addMenu("&Training")
        self._item(menu, "&Previous round", "Alt+PgUp", lambda: self.turn_round(-1))
        self._item(menu, "&Next round", "Alt+PgDown", lambda: self.turn_round(1))
        self._item(menu, "&When did a piece go?", QKeySequence.StandardKey.Find, self.ask)
        menu.addSeparator()
        self._item(menu, "&Export picture…", "Ctrl+E", self.ask_export)
        self._item(menu, "C&opy picture", "Ctrl+Shift+C", self.copy_picture)
        menu.addSeparator()
        self._item(menu, "C&lose", QKeySequence.StandardKey.Close, self.close)
        view = self.menuBar().addMenu("&View")
        for page, title in enumerate(TITLES):
            self._item(view, f"&{title}", f"Ctrl+{page + 1}", partial(self.pages.turn_to, page))
        view.addSeparator()
        for page, title in enumerate(("&Losses", "&Two criteria", "Te&xts hurt")):
            self._item(view, title, f"Ctrl+Shift+{page + 1}", partial(self._turn_ledger, page))

        view.addSeparator()
        for page, title in enumerate(CURVE_TITLES):
            self._item(view, title, f"Alt+{page + 1}", partial(self._turn_curves, page))
        view.addSeparator()
        self._item(view, "Next s&um", "Alt+Down", lambda: self._turn_sum(1))
        self._item(view, "S&um before", "Alt+Up", lambda: self._turn_sum(-1))
        self._item(view, "&Follow pieces", "Ctrl+L", self._follow)

    def _connect(self) -> None:
        ledger, curves, replay = self.ledger, self.curves, self.replay
        curves.place_requested.connect(replay.go_to)
        curves.follow_requested.connect(replay.follow)
        replay.curves_changed.connect(curves.set_curves)
        self.lesson.piece_requested.connect(replay.teach)
        replay.lesson_changed.connect(self.lesson.set_taught)
        ledger.round_requested.connect(replay.choose_round)
        ledger.fate_requested.connect(replay.ask_fate)
        ledger.hurt_requested.connect(replay.ask_hurt)
        ledger.item_model.order_requested.connect(self.session.sorter(ledger.item_model.set_order))
        ledger.text_requested.connect(self.session.set_text)
        replay.timeline_changed.connect(self._show_run)
        replay.book_changed.connect(ledger.set_book)
        replay.criteria_progressed.connect(ledger.set_progress)
        replay.criteria_failed.connect(ledger.set_refused)
        replay.fate_changed.connect(ledger.set_fate)
        replay.hurt_changed.connect(ledger.set_hurt)

    def _show_all(self) -> None:
        """Show what is known already, and have the ledger made."""
        self._show_run()
        self.ledger.set_book(self.replay.book)
        self.curves.set_curves(self.replay.curve_set)
        self.replay.want_ledger()
        self.pages.page_turned.connect(self._want_page)

    @Slot()
    def _show_run(self) -> None:
        history = self.replay.timeline.history if self.replay.timeline is not None else None
        self.ledger.set_history(history)
        name = history.corpus_name if history is not None else "nothing trained yet"
        self.setWindowTitle(f"Training: {name} – Unigram GUI")

    @Slot(int)
    def _want_page(self, page: int) -> None:
        """Have the curves made once they are looked at."""
        if page == CURVES:
            self.replay.want_curves()
        elif page == LESSON:
            self.replay.want_lesson()

    # What a person does.

    def turn_round(self, n: int) -> None:
        """Show the ledger of the round before, or after."""
        if self.replay.book is not None:
            self.replay.choose_round(self.replay.book.ledger.round + n)

    def ask(self) -> None:
        """Go to the field that asks when a piece went."""
        self.pages.turn_to(LEDGER)
        self.ledger.question.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.ledger.question.selectAll()

    def _turn_ledger(self, page: int) -> None:
        self.pages.turn_to(LEDGER)
        self.ledger.pages.turn_to(page)

    def _turn_curves(self, page: int) -> None:
        self.pages.turn_to(CURVES)
        self.curves.turn_to(page)

    def _turn_sum(self, n: int) -> None:
        self.pages.turn_to(LESSON)
        self.lesson.step(n)

    def _follow(self) -> None:
        """Go to the field that names pieces."""
        self._turn_curves(len(CURVE_TITLES) - 1)
        self.curves.followed.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def set_theme(self, theme: Theme) -> None:
        """Override FurtherWindow.set_theme."""
        super().set_theme(theme)
        for view in self._views():
            view.set_theme(theme)

    def ask_export(self) -> None:
        """Ask where to write a picture of the page on show."""
        if path := dialogs.ask_save(self, "Export picture", self.settings.folder, dialogs.PICTURES, ".png"):
            self.export(Path(path))

    def export(self, path: Path) -> None:
        """Write a picture of the page on show, PNG or SVG by suffix."""
        write = figures.save_widget_svg if path.suffix.lower() == ".svg" else figures.save_widget_png
        try:
            write(self._page(), path)
            self.statusBar().showMessage(f"Saved {path}", 4000)
        except (OSError, EngineError) as error:
            self.session.failed.emit(f"The picture {path} cannot be written: {error}.")

    def _page(self) -> QWidget:
        return self._views()[self.pages.currentIndex()]

    def copy_picture(self) -> None:
        """Put a picture of the page on show on the clipboard."""
        figures.copy_to_clipboard(self._page())
        self.statusBar().showMessage("Copied", 2000)


class RunDesk(Desk[RunWindow]):
    """Opens this window on one of its pages."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(lambda: RunWindow(window.session, window.settings, window.theme), window.close)

    def open_at(self, page: int) -> RunWindow:
        """Show the window on one of its pages."""
        window = self.shown()
        window.pages.turn_to(page)
        return window
