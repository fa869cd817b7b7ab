"""A scroll area that shows one `LatticeDrawing` over a legend, and knows where its edges are on the screen.

In: a drawing. Out: painting, scrolling, places. What a pointer or key does is the business of `view.py`.
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from unigram_gui.ink import Ink
from unigram_gui.shaping import Shaper
from unigram_gui.theme import FontSpec, Palette
from unigram_gui.views.lattice import legend
from unigram_gui.views.lattice.drawing import NO_MARKS, LatticeDrawing, Layer, Marks
from unigram_gui.views.lattice.graph_drawing import GraphDrawing
from unigram_gui.views.spoken_area import SpokenArea

MARGIN, TOP_MARGIN = 18.0, 12.0
SCROLL_STEP = 24
TYPING_SHARE, LEAST_BELOW = 0.75, 90.0  # where in the width one types; what is to be seen below the place
LOW = 220  # under this height there is no legend
EMPTY = "Type a text to see every way to cut it."
NOTE = FontSpec("sans", 12.0)


class DrawingArea(SpokenArea):
    """Paints a drawing; subclasses set it, and say what is marked."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self._drawing: LatticeDrawing | None = None
        self.hint = EMPTY
        self.viewport().setAutoFillBackground(False)
        self._legend_of: tuple[object, ...] = ()

    def set_hint(self, hint: str) -> None:
        """Say what to do while there is nothing to draw."""
        if hint != self.hint:
            self.hint = hint
            self.viewport().update()

    @property
    def drawing(self) -> LatticeDrawing | None:
        """What is painted at the moment."""
        return self._drawing

    @property
    def room(self) -> float:
        """The width that a drawing has without scrolling, the same with and without a vertical scroll bar.

        Otherwise a tall graph would take away its own room, give it back as bricks, and so on for ever.
        """
        return self.width() - self.bar_extent - 2.0 * MARGIN

    def palette_in_use(self) -> Palette:
        raise NotImplementedError

    def shaper_in_use(self) -> Shaper:
        raise NotImplementedError

    def marks(self) -> Marks:
        """What is in orange, and what has the focus."""
        return NO_MARKS

    def edge_place(self, edge: int) -> QRectF:
        """The rectangle of an edge in the viewport."""
        assert self._drawing is not None
        rect, scale, origin = self._drawing.edge_rect(edge), self._drawing.scale, self._origin()
        return QRectF(origin + rect.topLeft() * scale, rect.size() * scale)

    def to_drawing(self, place: QPointF) -> QPointF:
        """A place of the viewport in the drawing's own coordinates."""
        return (place - self._origin()) / self._drawing.scale if self._drawing is not None else QPointF()

    def to_viewport(self, place: QPointF) -> QPointF:
        """A place of the drawing in the viewport."""
        return self._origin() + place * self._drawing.scale if self._drawing is not None else QPointF()

    def scroll_to(self, edge: int) -> None:
        """Bring an edge into sight."""
        place = self.edge_place(edge)
        sides = ((place.left(), place.right(), self.viewport().width()), (place.top(), place.bottom(), self._height()))
        bars = (self.horizontalScrollBar(), self.verticalScrollBar())
        for bar, (low, high, room) in zip(bars, sides, strict=True):
            if low < MARGIN:
                bar.setValue(round(bar.value() + low - MARGIN))
            elif high > room - MARGIN:
                bar.setValue(round(bar.value() + high - room + MARGIN))

    def scroll_to_boundary(self, boundary: int) -> None:
        """Bring a place of the text into sight, with room for what may be typed there."""
        assert self._drawing is not None
        place = self.to_viewport(self._drawing.boundary_place(boundary))
        sides = ((place.x(), self.viewport().width()), (place.y(), self._height() - LEAST_BELOW))
        for bar, (at, room) in zip((self.horizontalScrollBar(), self.verticalScrollBar()), sides, strict=True):
            if not MARGIN <= at <= room - MARGIN:
                bar.setValue(round(bar.value() + at - TYPING_SHARE * room))

    def _show_drawing(self, drawing: LatticeDrawing | None) -> None:
        self._drawing = drawing
        self._update_bars()
        if isinstance(drawing, GraphDrawing):
            # Of a tall graph the band is shown, with the arcs next to it: the text is never out of sight.
            self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())
        self._update_drawing()

    def _update_drawing(self) -> None:
        """Paint anew what may have changed: the legend says the same for one text after the other."""
        drawing = self._drawing
        said = (drawing.layers, drawing.has_walls, drawing.leaves_out_scores) if drawing is not None else None
        legend_of = (type(drawing), self.palette_in_use(), said)
        if drawing is not None and legend_of == self._legend_of and self._legend_height():
            self.viewport().update(QRect(0, 0, self.viewport().width(), round(self._height())))
        else:
            self.viewport().update()
        self._legend_of = legend_of

    def _update_bars(self) -> None:
        """What can be scrolled follows from the size of the whole widget.

        The viewport's own size would let each bar ask for the other one, and both stay where neither is needed.
        """
        width = height = 0.0
        if self._drawing is not None:
            width = self._drawing.width * self._drawing.scale + 2.0 * MARGIN
            height = self._drawing.height * self._drawing.scale
        across, down = float(self.width()), self.whole_height
        has_bar = width > across, height > down
        has_bar = (width > across - has_bar[1] * self.bar_extent, height > down - has_bar[0] * self.bar_extent)
        rooms = (across - has_bar[1] * self.bar_extent, down - has_bar[0] * self.bar_extent)
        bars, sizes = (self.horizontalScrollBar(), self.verticalScrollBar()), (width, height)
        for bar, needed, size, room in zip(bars, has_bar, sizes, rooms, strict=True):
            bar.setRange(0, max(0, round(size - room)) if needed else 0)
            bar.setPageStep(max(1, round(room)))
            bar.setSingleStep(SCROLL_STEP)

    @property
    def bar_extent(self) -> float:
        """What a scroll bar takes of the height, or of the width."""
        return float(self.verticalScrollBar().sizeHint().width())

    @property
    def whole_height(self) -> float:
        """The height over the legend while nothing scrolls sideways."""
        return self.height() - self._legend_height()

    def _legend_height(self) -> float:
        """A low pane leaves its room to the drawing."""
        return legend.HEIGHT if self.height() >= LOW else 0.0

    def _height(self) -> float:
        """The height over the legend."""
        return self.viewport().height() - self._legend_height()

    def _top_margin(self) -> float:
        """The room above the drawing, given up where the drawing needs it."""
        height = self._drawing.height * self._drawing.scale if self._drawing is not None else 0.0
        return min(TOP_MARGIN, max(0.0, self._height() - height))

    def _origin(self) -> QPointF:
        """Where the drawing's upper left corner is in the viewport; the graph stands in the middle."""
        x, y = MARGIN - self.horizontalScrollBar().value(), self._top_margin() - self.verticalScrollBar().value()
        drawing = self._drawing
        if isinstance(drawing, GraphDrawing):
            x += max(0.0, 0.5 * (self.room - drawing.width * drawing.scale))
            y += max(0.0, 0.5 * (self._height() - self._top_margin() - drawing.height * drawing.scale))
        return QPointF(round(x), round(y))  # whole: what is put down as pictures and what is painted lie alike

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        # Qt ends the program where a painter outlives the event, as one that is not ended does in a traceback.
        with QPainter(self.viewport()) as painter:
            self._paint(painter, event.rect())

    def _paint(self, painter: QPainter, exposed: QRect) -> None:
        painter.fillRect(exposed, QColor(self.palette_in_use().paper))
        if self._drawing is None:
            self._paint_nothing(painter)
            return
        self._paint_drawing(painter, self._drawing, exposed.toRectF())
        if self._legend_height() and exposed.bottom() >= self._height():
            self._paint_legend(painter, self._drawing)

    def _paint_nothing(self, painter: QPainter) -> None:
        ink, rect = Ink(self.shaper_in_use()), self.viewport().rect()
        ink.put(0.5 * rect.width(), 0.5 * rect.height(), self.hint, NOTE, self.palette_in_use().ink3)
        ink.draw(painter)

    def _paint_drawing(self, painter: QPainter, drawing: LatticeDrawing, exposed: QRectF) -> None:
        area = QRectF(0.0, 0.0, self.viewport().width(), self._height())
        shown = exposed.intersected(area)
        painter.save()
        painter.setClipRect(area)
        painter.translate(self._origin())
        painter.scale(drawing.scale, drawing.scale)
        visible = QRectF(self.to_drawing(shown.topLeft()), self.to_drawing(shown.bottomRight()))
        try:
            drawing.paint(painter, visible, self.marks())
        finally:
            painter.restore()

    def _paint_legend(self, painter: QPainter, drawing: LatticeDrawing) -> None:
        mode = "graph" if isinstance(drawing, GraphDrawing) else "bricks"
        posterior, walls, room = Layer.POSTERIOR in drawing.layers, drawing.has_walls, self.room
        lacks = drawing.leaves_out_scores
        shaper, palette, top = self.shaper_in_use(), self.palette_in_use(), round(self._height())

        def paint(inner: QPainter) -> None:
            ink = Ink(shaper)
            inner.setRenderHint(QPainter.RenderHint.Antialiasing)
            legend.paint_legend(inner, ink, palette, mode, MARGIN, 0.5 * legend.HEIGHT, room, posterior, walls, lacks)
            ink.draw(inner)

        stamps = shaper.stamps_for(painter)  # whatever scrolls paints all of the viewport, and the legend stays
        if stamps is None:
            painter.translate(0.0, top)
            paint(painter)
            painter.translate(0.0, -top)
            return
        key = "legend", mode, room, posterior, walls, lacks
        picture = stamps.find(key) or stamps.make(key, QRectF(0.0, 0.0, room + 2.0 * MARGIN, legend.HEIGHT), paint)
        painter.drawPixmap(0, top, picture)

    def sizeHint(self) -> QSize:
        return QSize(680, 280)

    def minimumSizeHint(self) -> QSize:
        return QSize(240, 140)
