"""Windows beside the main one, each with menus of its own, and the desk where the main window keeps one of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtWidgets import QMainWindow, QMenu

from unigram_gui.theme import Theme
from unigram_gui.views.focus_ring import FocusRing

QUIT = "Ctrl+Q"  # not every system names a key for it


class FurtherWindow(QMainWindow):
    """A window beside the main one. What has its focus has a ring there as well."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        theme.dress(self)
        self.statusBar()  # there from the beginning, so that nothing moves when it first says something
        self.theme = theme
        self.focus_ring = FocusRing(theme, self)

    def set_theme(self, theme: Theme) -> None:
        """Draw with another theme from now on."""
        self.theme = theme
        theme.dress(self)
        self.focus_ring.set_theme(theme)

    def _item(
        self, menu: QMenu, title: str, key: str | QKeySequence.StandardKey, do: Callable[[], object]
    ) -> None:
        """Add a menu item with its shortcut."""
        action = QAction(title, self)
        action.setShortcut(QKeySequence(key))
        action.triggered.connect(lambda: do())
        menu.addAction(action)


Window = TypeVar("Window", bound=FurtherWindow)


class Desk(Generic[Window]):
    """Where the main window keeps a further window: made when it is first asked for, gone with the main window."""

    def __init__(self, make: Callable[[], Window], quit_all: Callable[[], object]) -> None:
        self._make, self._quit = make, quit_all
        self.window: Window | None = None

    def shown(self) -> Window:
        """Show the window, in front of others, and return it."""
        if self.window is None:
            self.window = self._make()
            QShortcut(QKeySequence(QUIT), self.window, self._quit)
        if self.window.isVisible():
            self.window.raise_()
        self.window.show()
        self.window.activateWindow()
        return self.window

    def open(self) -> Window:
        """Show the window as a menu item asks for it."""
        return self.shown()

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
