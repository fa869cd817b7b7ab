"""The field for the text under study. Every keystroke is a wish to see it cut."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QColor, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QLineEdit, QWidget

from unigram_gui.theme import SEMI_BOLD, Theme

FONT_SIZE = 15
TOGGLE_SIZE, TOGGLE_SIGN, TOGGLE_RADIUS = 18, "≠", 4.0
DEVICE_PIXELS = (1, 2, 3)  # for one logical pixel of an icon
LONGEST = 1_000_000  # characters; Qt itself would cut a text off at 32,767 without a word


class TextInput(QLineEdit):
    """A one-line field in the monospaced font.

    Signals
    -------
    text_requested : the text as it now stands
    """

    text_requested = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "study")
        self.setAccessibleName("Text to cut")
        self.setMaxLength(LONGEST)
        self.setPlaceholderText("Text to cut")
        self._toggle: QAction | None = None
        self.set_theme(theme)
        self.textChanged.connect(self.text_requested)

    def set_theme(self, theme: Theme) -> None:
        """Write in another theme's font from now on."""
        self._theme = theme
        self.setFont(theme.mono(FONT_SIZE))
        self._show_toggle()

    def add_toggle(self, action: QAction) -> None:
        """Put a checkable action of the menu at the right end of the field as well."""
        self._toggle = action
        action.setIconVisibleInMenu(False)
        action.toggled.connect(lambda _: self._show_toggle())
        self._show_toggle()
        self.addAction(action, QLineEdit.ActionPosition.TrailingPosition)

    def _show_toggle(self) -> None:
        if self._toggle is not None:
            self._toggle.setIcon(_toggle_icon(self._theme, self._toggle.isChecked()))

    def set_text(self, text: str) -> None:
        """Show a text that came from elsewhere; the cursor stays while a person types."""
        if text != self.text():
            self.setText(text)


def _toggle_icon(theme: Theme, checked: bool) -> QIcon:
    """Draw the sign of the toggle, on a tinted ground while it is down."""
    icon = QIcon()
    for pixels in DEVICE_PIXELS:
        pixmap = QPixmap(QSize(TOGGLE_SIZE, TOGGLE_SIZE) * pixels)
        pixmap.setDevicePixelRatio(pixels)
        pixmap.fill(Qt.GlobalColor.transparent)
        with QPainter(pixmap) as painter:
            _paint_toggle(painter, theme, checked)
        icon.addPixmap(pixmap)
    return icon


def _paint_toggle(painter: QPainter, theme: Theme, checked: bool) -> None:
    palette, room = theme.palette, QRectF(0.0, 0.0, TOGGLE_SIZE, TOGGLE_SIZE)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if checked:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(palette.best_tint))
        painter.drawRoundedRect(room, TOGGLE_RADIUS, TOGGLE_RADIUS)
    painter.setFont(theme.sans(14.0, SEMI_BOLD))
    painter.setPen(QColor(palette.best_text if checked else palette.ink3))
    painter.drawText(room, Qt.AlignmentFlag.AlignCenter, TOGGLE_SIGN)
