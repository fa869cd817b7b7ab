"""The titles of a sheet's columns, on the line of the tabs, with a control beside them where there is one."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from unigram_gui.ink import Ink
from unigram_gui.shaping import Shaper
from unigram_gui.theme import FontSpec, Theme

HEADING = FontSpec("sans", 11.0)


class Headings(QWidget):
    """Writes each title so that it ends where its column ends, measured from the right side."""

    def __init__(
        self, theme: Theme, titles: tuple[tuple[float, str], ...] = (), *controls: QWidget, right: bool = False
    ) -> None:
        super().__init__()
        self._theme, self._shaper = theme, Shaper(theme)
        self._titles = titles
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 18 if right else 0, 0)
        row.setSpacing(6)
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
        self._titles = titles
        self.setAccessibleDescription(", ".join(text for _, text in titles))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        ink, colour = Ink(self._shaper), self._theme.palette.ink2
        baseline = 0.5 * self.height() + 4.0
        for right, text in self._titles:
            ink.put(self.width() - right, baseline, text, HEADING, colour, align=1.0)
        ink.draw(painter)
        painter.end()

    def sizeHint(self) -> QSize:
        return QSize(282, 26)
