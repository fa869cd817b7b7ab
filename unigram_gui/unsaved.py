"""Asks before a vocabulary that was made here, or edits of one, are lost unsaved: one question for whatever loses them.

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
        self.n_edits = 0  # that the question is about
        self._session.before_replacing = self.before
        self._session.before_keeping = self.before_keeping
        self._session.model_saved.connect(self._go_on)
        self._session.saving_failed.connect(self._give_up)

    def before(self, do: Do) -> None:
        """Do what would lose the vocabulary, if it is saved or a person lets it go."""
        if self.may_go_on(lambda: self.before(do)):
            do()

    def before_keeping(self, do: Do) -> None:
        """Do what keeps the edits, if the vocabulary without them is saved or a person lets it go."""
        if self.may_go_on(lambda: self.before_keeping(do), keeps_edits=True):
            do()

    def may_go_on(self, again: Do, *, keeps_edits: bool = False) -> bool:
        """Tell whether nothing is lost, or a person wants to lose it. To save takes a while: `again` is called then."""
        self._wanted = None
        session = self._session
        while not self._window.settings.is_unattended:
            self.n_edits = 0 if keeps_edits else session.inquiry.n_vocabulary_edits
            if not (session.has_unsaved_vocabulary if keeps_edits else session.has_unsaved):
                return True
            model, edited = session.model, session.inquiry.edited_model
            answer = self._window.ask_unsaved()
            if answer == "cancel":
                return False
            if session.model is not model or session.inquiry.edited_model is not edited:
                continue  # another one came while the question was up
            if answer == "discard":
                return True
            if self._window.documents.ask_save_model(with_edits=not keeps_edits):
                self._wanted = again
            return False
        return True  # nobody is there to be asked

    @Slot(object)
    def _go_on(self, saved: Saved) -> None:
        """Do what waited for the vocabulary to be saved, unless its training was not: that is read first."""
        wanted, self._wanted = self._wanted, None
        if wanted is not None and not saved.failure:
            wanted()

    @Slot()
    def _give_up(self) -> None:
        self._wanted = None
