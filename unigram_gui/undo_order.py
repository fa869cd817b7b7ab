"""What Undo and Redo are about: typing where a field has the focus, elsewhere the edits that are tried out.

In: the two actions of the Edit menu and the focus. Out: either, done by the field or by the stack of edits; the actions
say which. In the text under study it is always the typing; any other field that has nothing to take back leaves the
key to the edits, since a number that was entered there is one of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Slot
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QLineEdit, QMenu, QWidget

if TYPE_CHECKING:
    from unigram_gui.main_window import MainWindow

TYPING = "typing"
LONGEST = 24  # characters of an edit's name in the menu


class UndoOrder(QObject):
    """Undo and Redo of one window."""

    def __init__(self, window: MainWindow, menu: QMenu, undo: QAction, redo: QAction) -> None:
        super().__init__(window)
        self._window, self._edits = window, window.session.inquiry.undo_stack
        self._undo, self._redo = undo, redo
        undo.triggered.connect(self.undo)
        redo.triggered.connect(self.redo)
        menu.aboutToShow.connect(self.show_which)
        for fact in (self._edits.canUndoChanged, self._edits.undoTextChanged):
            fact.connect(self.show_which)
        for fact in (self._edits.canRedoChanged, self._edits.redoTextChanged):
            fact.connect(self.show_which)
        QApplication.instance().focusChanged.connect(self._follow)  # type: ignore[union-attr]
        for field in (*window.findChildren(QLineEdit), *window.findChildren(QAbstractSpinBox)):
            if field is not window.text_input:
                field.installEventFilter(self)
        self.show_which()

    @Slot(QWidget, QWidget)
    def _follow(self, _: QWidget | None, now: QWidget | None) -> None:
        """The focus is elsewhere; where it leaves the window, which may be about to go, nothing is to be told."""
        if now is not None and now.window() is self._window:
            self.show_which()

    @Slot()
    def undo(self) -> None:
        """Take back what was done last where the focus is."""
        if (field := self._typed_in(QLineEdit.isUndoAvailable)) is not None:
            field.undo()
        else:
            self._edits.undo()

    @Slot()
    def redo(self) -> None:
        """Do again what was taken back."""
        if (field := self._typed_in(QLineEdit.isRedoAvailable)) is not None:
            field.redo()
        else:
            self._edits.redo()

    @Slot()
    def show_which(self) -> None:
        """Say in the menu what each would do."""
        edits = self._edits
        if (field := self._typed_in(QLineEdit.isUndoAvailable)) is not None:
            _show(self._undo, "&Undo", TYPING, field.isUndoAvailable())
        else:
            _show(self._undo, "&Undo", edits.undoText(), edits.canUndo())
        if (field := self._typed_in(QLineEdit.isRedoAvailable)) is not None:
            _show(self._redo, "&Redo", TYPING, field.isRedoAvailable())
        else:
            _show(self._redo, "&Redo", edits.redoText(), edits.canRedo())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Override QObject::eventFilter: a field with nothing to take back does not keep the keys for itself."""
        if event.type() != QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
            return False
        field = _line_edit(watched)
        if field is None:
            return False
        undoes, redoes = (event.matches(key) for key in (QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo))
        is_left = (undoes and not field.isUndoAvailable()) or (redoes and not field.isRedoAvailable())
        if is_left:
            event.ignore()
        return is_left

    def _typed_in(self, has_any: Callable[[QLineEdit], bool]) -> QLineEdit | None:
        """Return the field with the focus, if it is the text under study or has typing to take back (or do again)."""
        field = _line_edit(self._window.focusWidget())
        return field if field is not None and (field is self._window.text_input or has_any(field)) else None


def _line_edit(widget: QObject | QWidget | None) -> QLineEdit | None:
    if isinstance(widget, QAbstractSpinBox):
        return widget.lineEdit()
    return widget if isinstance(widget, QLineEdit) else None


def _show(action: QAction, verb: str, what: str, is_possible: bool) -> None:
    shown = what if len(what) <= LONGEST else f"{what[: LONGEST - 1]}…"
    action.setText(f"{verb} {shown.replace('&', '&&')}" if is_possible else verb)
    action.setEnabled(is_possible)
