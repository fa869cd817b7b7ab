"""A field to choose one of some names: flat, with a small chevron that says so."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QPen, QPolygonF, QWheelEvent
from PySide6.QtWidgets import QComboBox, QStyledItemDelegate, QWidget

FOCUS_WIDTH = 2.0
CHEVRON_WIDTH, CHEVRON_HEIGHT, CHEVRON_MARGIN = 7.0, 3.5, 9.0


class Choice(QComboBox):
    """A combo box whose wheel scrolls the form around it rather than changing the choice unseen.

    A quiet one stands in the heading of a pane, in place of its note: no frame, the text at the right.
    """

    def __init__(self, name: str, *, quiet: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._quiet = quiet
        self.setItemDelegate(QStyledItemDelegate(self))  # the one that a style sheet tells how high a row is
        self.setAccessibleName(name)
        if quiet:
            self.setProperty("kind", "note")
            self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)

    def showPopup(self) -> None:
        """Override QComboBox::showPopup: the list is as wide as its widest name, however narrow the field is."""
        self.view().setMinimumWidth(self.view().sizeHintForColumn(0))
        super().showPopup()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Override QWidget::wheelEvent."""
        event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Override QComboBox::paintEvent: the style sheet's arrow would need an image for each theme."""
        if not self._quiet:
            super().paintEvent(event)
        with QPainter(self) as painter:  # ends it after an exception too
            if self._quiet:
                self._paint_quietly(painter)
            self._paint_chevron(painter, self._quiet_margin() if self._quiet else CHEVRON_MARGIN)

    def _paint_chevron(self, painter: QPainter, margin: float) -> None:
        right, middle = self.width() - margin, self.height() / 2.0
        chevron = QPolygonF([
            QPointF(right - CHEVRON_WIDTH, middle - CHEVRON_HEIGHT / 2.0),
            QPointF(right - CHEVRON_WIDTH / 2.0, middle + CHEVRON_HEIGHT / 2.0),
            QPointF(right, middle - CHEVRON_HEIGHT / 2.0),
        ])  # fmt: skip
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self.palette().color(QPalette.ColorRole.PlaceholderText), 1.3))
        painter.drawPolyline(chevron)

    def _quiet_margin(self) -> float:
        """Return what the right side leaves free: nearly nothing, or room for the ring."""
        return 6.0 if self.hasFocus() else 1.0

    def _paint_quietly(self, painter: QPainter) -> None:
        room = QRectF(self.rect()).adjusted(0, 0, -CHEVRON_WIDTH - 5.0 - self._quiet_margin(), 0)
        painter.setPen(self.palette().color(QPalette.ColorRole.WindowText))
        flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        text = self.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideLeft, int(room.width()))
        painter.drawText(room, int(flags), text)
        if self.hasFocus():
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(self.palette().color(QPalette.ColorRole.Highlight), FOCUS_WIDTH))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1.0, 1.0, -1.0, -1.0), 4.0, 4.0)
