"""A joined row of buttons of which one is down, and the pages it turns.

In: names and widgets. Out: a row to put into a layout, and a stack that shows the page of the pressed button.
"""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QStackedWidget, QWidget

PADDING = 13


class Pages(QStackedWidget):
    """Pages with a row of buttons, `bar`, that turns them."""

    page_turned = Signal(int)

    def __init__(self, *pages: tuple[str, QWidget]) -> None:
        super().__init__()
        self.bar = QHBoxLayout()
        self.bar.setSpacing(0)
        self._group = QButtonGroup(self)
        for i, (title, page) in enumerate(pages):
            button = QPushButton(title)
            button.setCheckable(True)
            last = len(pages) - 1
            button.setProperty("segment", "only" if not last else {0: "first", last: "last"}.get(i, "middle"))
            button.setMinimumWidth(_pressed_width(button))
            self._group.addButton(button, i)
            self.bar.addWidget(button)
            self.addWidget(page)
        self.bar.addStretch(1)
        self._group.idClicked.connect(self.turn_to)
        self.turn_to(0)

    def button(self, page: int) -> QPushButton:
        """Return the button of a page."""
        button = self._group.button(page)
        assert isinstance(button, QPushButton)
        return button

    def turn_to(self, page: int) -> None:
        """Show a page."""
        self.button(page).setChecked(True)
        self.setCurrentIndex(page)
        self.page_turned.emit(page)


def _pressed_width(button: QPushButton) -> int:
    """Return the width that the title needs in the weight of the pressed button."""
    font = button.font()
    font.setWeight(font.Weight.DemiBold)
    return QFontMetrics(font).horizontalAdvance(button.text()) + 2 * PADDING
