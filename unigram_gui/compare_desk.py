"""Where the main window keeps its compare window: made when it is first asked for, and gone with the main window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unigram_gui.compare_window import SAVED, CompareWindow
from unigram_gui.theme import Theme

if TYPE_CHECKING:
    from unigram_gui.main_window import MainWindow


class CompareDesk:
    """Opens the compare window on one of its pages."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self.window: CompareWindow | None = None

    def open(self) -> CompareWindow:
        """Show the window; where nothing is chosen yet, choose two that there are."""
        window = self._shown()
        window.comparing.choose_first_two()
        return window

    def open_saved(self) -> CompareWindow:
        """Show the saved vocabularies."""
        window = self._shown()
        window.turn_to(SAVED)
        return window

    def save_current(self) -> CompareWindow:
        """Show the form that saves the open vocabulary."""
        window = self._shown()
        window.name_to_save()
        return window

    def _shown(self) -> CompareWindow:
        session = self._window.session
        session.comparing.begin_with(session.text)
        if self.window is None:
            self.window = CompareWindow(session.comparing, self._window.settings, self._window.theme)
            session.comparing.list_library()
        if self.window.isVisible():
            self.window.raise_()
        self.window.show()
        self.window.activateWindow()
        return self.window

    def set_theme(self, theme: Theme) -> None:
        """Draw with another theme from now on."""
        if self.window is not None:
            self.window.set_theme(theme)

    def close(self) -> None:
        """Let the window go."""
        if self.window is not None:
            self.window.close()
            self.window.deleteLater()
            self.window = None
