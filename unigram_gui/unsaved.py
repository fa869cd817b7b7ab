"""Asks before a vocabulary that was made here and not saved is lost: one question for whatever would lose it.

In: what a person wants done that puts another vocabulary in its place, or closes the window. Out: it is done at once,
once the vocabulary is saved, or not at all. Saving is the window's own; it takes a while, so what was wanted waits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from unigram_gui.tasks.requests import Saved

if TYPE_CHECKING:
    from unigram_gui.main_window import MainWindow

Do = Callable[[], object]


class Unsaved(QObject):
    """The guard of one window's vocabulary."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window, self._session = window, window.session
        self._wanted: Do | None = None
        self._session.before_replacing = self.before
        self._session.model_saved.connect(self._go_on)
        self._session.saving_failed.connect(self._give_up)

    def before(self, do: Do) -> None:
        """Do what would lose the vocabulary, if it is saved or a person lets it go."""
        if self.may_go_on(lambda: self.before(do)):
            do()

    def may_go_on(self, again: Do) -> bool:
        """Tell whether nothing is lost, or a person wants to lose it. To save takes a while: `again` is called then."""
        self._wanted = None
        session = self._session
        while session.has_unsaved_vocabulary and not self._window.settings.is_unattended:
            asked_about = session.model
            answer = self._window.ask_unsaved()
            if answer == "cancel":
                return False
            if session.model is not asked_about:  # another one came while the question was up
                continue
            if answer == "discard":
                return True
            if self._window.documents.ask_save_model():
                self._wanted = again
            return False
        return True

    @Slot(object)
    def _go_on(self, saved: Saved) -> None:
        """Do what waited for the vocabulary to be saved, unless its training was not: that is read first."""
        wanted, self._wanted = self._wanted, None
        if wanted is not None and not saved.failure:
            wanted()

    @Slot()
    def _give_up(self) -> None:
        self._wanted = None
