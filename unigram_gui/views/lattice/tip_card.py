"""The dark card beside the pointer.

In: a `Tip` and the rectangle it speaks of. Out: a small widget over the window that no pointer can touch. It is not
a QToolTip, since it has columns, follows the keyboard too, and must not wait.
"""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from unigram_gui.ink import Ink
from unigram_gui.shaping import Shaper
from unigram_gui.theme import BOLD, FontSpec, Theme
from unigram_gui.views.lattice.tips import Tip

PADDING, LINE, GAP = 12.0, 17.0, 22.0
ARROW, RADIUS, DISTANCE = 7.0, 7.0, 3.0
WHITE, PALE = "#FFFFFF", "#D5DBE1"

TITLE_TEXT = FontSpec("mono", 12.5, BOLD)
TITLE_NAME = FontSpec("sans", 12.0, BOLD)
NOTE = FontSpec("sans", 11.5, BOLD)
NAME = FontSpec("sans", 11.0)
VALUE = FontSpec("code", 11.0)


class TipCard(QWidget):
    """Shows a tip above or below what it is about, wherever there is room in the window."""

    def __init__(self, theme: Theme, shaper: Shaper, view: QWidget) -> None:
        super().__init__(view)
        self._view = view
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._theme, self._shaper = theme, shaper
        self._tip: Tip | None = None
        self._points_up = True
        self._arrow_x = 0.0
        self.hide()

    def set_theme(self, theme: Theme, shaper: Shaper) -> None:
        self._theme, self._shaper = theme, shaper
        self.hide()

    @property
    def tip(self) -> Tip | None:
        """What the card tells at the moment."""
        return self._tip if not self.isHidden() else None

    def text(self) -> str:
        """All words of the card, a line each."""
        if self.tip is None:
            return ""
        rows = (f"{name} {value}" for name, value in self.tip.rows)
        return "\n".join((f"{self.tip.title} {self.tip.note}", *self.tip.lines, *rows))

    def show_tip(self, tip: Tip, anchor: QRectF, *, above: bool = False) -> None:
        """Show `tip` for the rectangle `anchor` of the view, `above` it if there is room."""
        self._tip = tip
        size = self._size(tip)
        # Over the whole window: above and below a low view is more room than inside it.
        host = self._view.window()
        if self.parentWidget() is not host:
            self.setParent(host)
        anchor = anchor.translated(self._view.mapTo(host, QPoint()).toPointF())
        room = host.rect()
        fits_below = anchor.bottom() + DISTANCE + size.height() <= room.bottom()
        fits_above = anchor.top() - DISTANCE - size.height() >= room.top()
        self._points_up = not fits_above or (fits_below and not above)
        y = anchor.bottom() + DISTANCE if self._points_up else anchor.top() - DISTANCE - size.height()
        y = min(max(y, room.top()), max(room.top(), room.bottom() - size.height()))
        x = min(max(anchor.center().x() - 0.5 * size.width(), 2.0), max(2.0, room.width() - size.width() - 2.0))
        self._arrow_x = min(max(anchor.center().x() - x, 16.0), size.width() - 16.0)
        self.setGeometry(QRect(round(x), round(y), size.width(), size.height()))
        self.show()
        self.raise_()
        self.update()

    def _size(self, tip: Tip) -> QSize:
        measure = self._shaper.width
        widths = [measure(tip.title, self._title_spec(tip)) + GAP + measure(tip.note, NOTE)]
        widths += [measure(line, NAME) for line in tip.lines]
        widths += [measure(name, NAME) + GAP + measure(value, VALUE) for name, value in tip.rows]
        n_lines = 1 + len(tip.lines) + len(tip.rows)
        return QSize(round(max(widths) + 2.0 * PADDING), round(n_lines * LINE + 1.3 * PADDING + ARROW + 4.0))

    def _title_spec(self, tip: Tip) -> FontSpec:
        return TITLE_TEXT if tip.title_is_text else TITLE_NAME

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._tip is None:
            return
        ink = Ink(self._shaper)
        self._write(ink, self._tip)
        with QPainter(self) as painter:  # ends it after an exception too
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._paint_card(painter)
            ink.draw(painter)

    def _paint_card(self, painter: QPainter) -> None:
        palette = self._theme.palette
        top = ARROW if self._points_up else 0.5
        body = QRectF(0.5, top, self.width() - 1.0, self.height() - ARROW - 0.5)
        painter.setBrush(QColor(palette.card))
        painter.setPen(QPen(QColor(palette.card_border), 1.0))
        painter.drawRoundedRect(body, RADIUS, RADIUS)
        tip_y, base_y = (0.5, body.top()) if self._points_up else (self.height() - 0.5, body.bottom())
        left, tip, right = (
            QPointF(self._arrow_x - ARROW, base_y),
            QPointF(self._arrow_x, tip_y),
            QPointF(self._arrow_x + ARROW, base_y),
        )
        painter.setPen(QPen(QColor(palette.card), 2.0))
        painter.drawPolygon(QPolygonF([left, tip, right]))
        painter.setPen(QPen(QColor(palette.card_border), 1.0))
        painter.drawPolyline([left, tip, right])

    def _write(self, ink: Ink, tip: Tip) -> None:
        left, right = PADDING, self.width() - PADDING
        y = (ARROW if self._points_up else 0.0) + PADDING + 8.0
        spec = self._title_spec(tip)
        width = ink.put(left, y, tip.title, spec, WHITE, align=0.0)
        if tip.title_is_text:
            ink.put(left + width + 9.0, y, tip.note, NOTE, WHITE, align=0.0)
        else:
            ink.put(right, y, tip.note, VALUE, PALE, align=1.0)
        for line in tip.lines:
            y += LINE
            ink.put(left, y, line, NAME, PALE, align=0.0)
        for name, value in tip.rows:
            y += LINE
            ink.put(left, y, name, NAME, PALE, align=0.0)
            ink.put(right, y, value, VALUE, WHITE, align=1.0)
