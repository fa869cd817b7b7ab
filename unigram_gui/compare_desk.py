"""Where the main window keeps its compare window, and the pages it opens it on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unigram_gui.compare_window import SAVED, CompareWindow
from unigram_gui.further_window import Desk

if TYPE_CHECKING:
    from unigram_gui.main_window import MainWindow


class CompareDesk(Desk[CompareWindow]):
    """Opens the compare window on one of its pages."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(self._made, window.close)
        self._window, self._session = window, window.session

    def _made(self) -> CompareWindow:
        self._session.comparing.list_library()
        return CompareWindow(self._session.comparing, self._window.settings, self._window.theme)

    def shown(self) -> CompareWindow:
        """Show the window, beginning with the text that is studied in the main one."""
        self._session.comparing.begin_with(self._session.text)
        return super().shown()

    def open(self) -> CompareWindow:
        """Show the window; where nothing is chosen yet, choose two that there are."""
        window = self.shown()
        window.comparing.choose_first_two()
        return window

    def open_saved(self) -> CompareWindow:
        """Show the saved vocabularies."""
        window = self.shown()
        window.turn_to(SAVED)
        return window

    def save_current(self) -> CompareWindow:
        """Show the form that saves the open vocabulary."""
        window = self.shown()
        window.name_to_save()
        return window
