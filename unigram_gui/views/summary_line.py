"""A line of figures: numbers in bold, what they count beside them.

In: pairs of number and name. Out: a widget of one line that leaves out, from the right, what has no room.
"""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from unigram_gui.ink import Ink
from unigram_gui.shaping import Shaper
from unigram_gui.theme import SEMI_BOLD, FontSpec, Theme

NUMBER = FontSpec("sans", 12.0, SEMI_BOLD)
NAME = FontSpec("sans", 12.0)
MARGIN, BETWEEN, GAP = 18.0, 24.0, 5.0


class SummaryLine(QWidget):
    """The figures under a view."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._shaper = theme, Shaper(theme)
        self._parts: tuple[tuple[str, str], ...] = ()
        self.setFixedHeight(24)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_theme(self, theme: Theme) -> None:
        self._theme, self._shaper = theme, Shaper(theme)
        self.update()

    def set_parts(self, parts: tuple[tuple[str, str], ...]) -> None:
        self._parts = parts
        self.setAccessibleName(self.text())
        self.update()

    def text(self) -> str:
        return "   ".join(f"{number} {name}" for number, name in self._parts)

    def parts_with_room(self) -> tuple[tuple[str, str], ...]:
        """Return the figures that are drawn."""
        end, shown = MARGIN, 0
        for number, name in self._parts:
            end += self._shaper.width(number, NUMBER) + GAP + self._shaper.width(name, NAME)
            if end > self.width():
                break
            end, shown = end + BETWEEN, shown + 1
        return self._parts[:shown]

    def paintEvent(self, event: QPaintEvent) -> None:
        ink, x, palette = Ink(self._shaper), MARGIN, self._theme.palette
        for number, name in self.parts_with_room():
            x += ink.put(x, 16.0, number, NUMBER, palette.ink, align=0.0) + GAP
            x += ink.put(x, 16.0, name, NAME, palette.ink2, align=0.0) + BETWEEN
        with QPainter(self) as painter:  # ends it after an exception too
            ink.draw(painter)

    def sizeHint(self) -> QSize:
        return QSize(500, 24)
