"""The titles of a sheet's columns, on the line of the tabs, with a control beside them where there is one."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from unigram_gui.ink import Ink
from unigram_gui.shaping import Shaper
from unigram_gui.theme import FontSpec, Theme

HEADING = FontSpec("sans", 11.0)
GAP = 6


class Headings(QWidget):
    """Writes each title so that it ends where its column ends, measured from the right side, if there is room.

    Signals
    -------
    room_changed : there is more or less room for titles beside the controls
    """

    room_changed = Signal()

    def __init__(
        self, theme: Theme, titles: tuple[tuple[float, str], ...] = (), *controls: QWidget, right: bool = False
    ) -> None:
        super().__init__()
        self._theme, self._shaper = theme, Shaper(theme)
        self._titles = titles
        self._controls = () if right else controls
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 18 if right else 0, 0)
        row.setSpacing(GAP)
        if right:
            row.addStretch()
        for control in controls:
            row.addWidget(control)
        if not right:
            row.addStretch()

    def set_theme(self, theme: Theme) -> None:
        self._theme, self._shaper = theme, Shaper(theme)
        self.update()

    def set_titles(self, titles: tuple[tuple[float, str], ...]) -> None:
        if titles == self._titles:
            return
        self._titles = titles
        self.setAccessibleDescription(", ".join(text for _, text in titles))
        self.update()

    @property
    def room(self) -> float:
        """How far from the right side titles may begin."""
        return self.width() - sum(control.sizeHint().width() + GAP for control in self._controls)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.room_changed.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        ink, colour = Ink(self._shaper), self._theme.palette.ink2
        baseline = 0.5 * self.height() + 4.0
        for right, text in self._titles:
            if right + self._shaper.width(text, HEADING) > self.room:
                continue
            ink.put(self.width() - right, baseline, text, HEADING, colour, align=1.0)
        with QPainter(self) as painter:  # ends it after an exception too
            ink.draw(painter)

    def sizeHint(self) -> QSize:
        return QSize(282, 26)
