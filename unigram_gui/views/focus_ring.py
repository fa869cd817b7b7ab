"""A ring around what has the keyboard's focus and shows it by no border of its own: tables, drawings, curves.

In: an application and a theme. One frame, always around the one widget in focus; it takes no clicks.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QLineEdit,
    QMainWindow,
    QMenu,
    QMenuBar,
    QPlainTextEdit,
    QWidget,
)
from shiboken6 import isValid

from unigram_gui.theme import Theme
from unigram_gui.views.lattice.tip_card import TipCard

WIDTH = 2.0
RADIUS = 4.0
WITH_BORDERS = (
    QAbstractButton, QAbstractSlider, QAbstractSpinBox, QComboBox, QDialog, QLineEdit, QMainWindow, QMenu, QMenuBar,
    QPlainTextEdit,
)  # fmt: skip


class FocusRing(QWidget):
    """The ring of one window, around whatever is in focus there."""

    def __init__(self, theme: Theme, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._theme = theme
        self._around: QWidget | None = None
        self._watched: list[QWidget] = []
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._follow)

    def set_theme(self, theme: Theme) -> None:
        """Paint with another theme from now on."""
        self._theme = theme
        self.update()

    def _follow(self, _: QWidget | None, now: QWidget | None) -> None:
        """Go to what has the focus, where it is in this window and needs a ring."""
        wants = now is not None and now.window() is self._window and not isinstance(now, WITH_BORDERS)
        for widget in self._watched:
            if isValid(widget):
                widget.removeEventFilter(self)
        self._around = now if wants else None
        self._watched = [] if self._around is None else [self._around, *self._parents_of(self._around)]
        for widget in self._watched:
            widget.installEventFilter(self)
        self.setVisible(self._around is not None)
        self._surround()

    def _parents_of(self, widget: QWidget) -> list[QWidget]:
        parents = []
        while (parent := widget.parentWidget()) is not None and parent is not self._window:
            parents.append(parent)
            widget = parent
        return parents

    def _surround(self) -> None:
        """Lie over the widget as a child of the window: one of the widget's own would be in its painter's way."""
        if self._around is not None and isValid(self._around):
            place = self._around.mapTo(self._window, QPoint(0, 0))
            self.setGeometry(QRect(place, self._around.size()))
            self.raise_()
            for card in self._window.findChildren(TipCard, options=Qt.FindChildOption.FindDirectChildrenOnly):
                card.raise_()  # what it says is not crossed out

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Override QObject::eventFilter: follow the widget where it goes, itself or with its pane."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move):
            self._surround()
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        """Override QWidget::paintEvent."""
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(self._theme.palette.best_text), WIDTH))
            painter.drawRoundedRect(self.rect().toRectF().adjusted(1.0, 1.0, -1.0, -1.0), RADIUS, RADIUS)
