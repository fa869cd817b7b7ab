"""A scrolling area around a drawing. Arrow keys, Page Up and Page Down scroll; the drawing in words is its description.

In: a function that makes the drawing for a width. Out: painting of what is visible of it.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from unigram_gui.ink import Ink, Label
from unigram_gui.shaping import Shaper
from unigram_gui.theme import Palette, Theme
from unigram_gui.views.compare.drawing import Drawing

MARGIN = 18
Make = Callable[[Palette, Shaper, float], Drawing]


class DrawingArea(QAbstractScrollArea):
    """Shows one drawing, or a hint where there is none."""

    def __init__(self, theme: Theme, name: str, hint: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._shaper = theme, Shaper(theme)
        self._make: Make | None = None
        self._hint = hint
        self.drawing: Drawing | None = None
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(name)

    def set_theme(self, theme: Theme) -> None:
        """Draw with another theme from now on."""
        self._theme, self._shaper = theme, Shaper(theme)
        self._remake()

    def set_drawing(self, make: Make | None) -> None:
        """Show another drawing."""
        self._make = make
        self._remake()

    def set_hint(self, hint: str) -> None:
        """Say why there is no drawing."""
        self._hint = hint
        self.viewport().update()

    def labels(self, painter: QPainter) -> list[Label]:
        """Every label in sight; all is painted on `painter` in passing."""
        ink = Ink(self._shaper, keep_labels=True)
        self._paint(painter, ink)
        return ink.labels

    def _remake(self) -> None:
        room = float(self.viewport().width() - 2 * MARGIN)
        self.drawing = self._make(self._theme.palette, self._shaper, room) if self._make is not None else None
        self.setAccessibleDescription(self.drawing.spoken() if self.drawing is not None else self._hint)
        self._update_bars()
        self.viewport().update()

    def _update_bars(self) -> None:
        width, height = (self.drawing.width, self.drawing.height) if self.drawing is not None else (0.0, 0.0)
        room = self.viewport().size()
        for bar, need, have in (
            (self.horizontalScrollBar(), width + 2 * MARGIN, room.width()),
            (self.verticalScrollBar(), height + 8, room.height()),
        ):
            bar.setRange(0, max(0, round(need) - have))
            bar.setPageStep(max(1, have))
            bar.setSingleStep(24)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Override QWidget::paintEvent."""
        with QPainter(self.viewport()) as painter:  # ends it after an exception too
            self._paint(painter, Ink(self._shaper))

    def _paint(self, painter: QPainter, ink: Ink) -> None:
        palette, rect = self._theme.palette, self.viewport().rect().toRectF()
        painter.fillRect(rect, QColor(palette.paper))
        if self.drawing is None:
            painter.setFont(self._theme.sans(11.5))
            painter.setPen(QColor(palette.ink3))
            flags = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
            painter.drawText(rect.adjusted(MARGIN, MARGIN, -MARGIN, 0), int(flags), self._hint)
            return
        x, y = self.horizontalScrollBar().value() - MARGIN, self.verticalScrollBar().value()
        painter.save()
        painter.translate(-x, -y)
        self.drawing.paint(painter, ink, QRectF(x + MARGIN, y, rect.width() - 2 * MARGIN, rect.height()))
        ink.draw(painter)
        painter.restore()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Override QAbstractScrollArea::scrollContentsBy."""
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Override QWidget::resizeEvent."""
        super().resizeEvent(event)
        self._remake()

    def sizeHint(self) -> QSize:
        """Override QWidget::sizeHint."""
        return QSize(700, round(self.drawing.height) + 8 if self.drawing is not None else 180)

    def minimumSizeHint(self) -> QSize:
        """Override QWidget::minimumSizeHint."""
        return QSize(240, 80)
