"""The live lattice: a scrolling view of a graph or bricks that follows pointer and keyboard.

In: frozen `Exploration`s. Out: facts as signals: which piece is hovered or picked, how far it is zoomed, which
drawing is shown. It computes nothing of the model; `graph_drawing` and `brick_drawing` paint.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QColor,
    QFocusEvent,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from unigram_gui.ink import Ink
from unigram_gui.shaping import Shaper
from unigram_gui.tasks.exploration import Exploration
from unigram_gui.theme import FontSpec, Theme
from unigram_gui.views.lattice import legend
from unigram_gui.views.lattice.brick_content import BrickContent
from unigram_gui.views.lattice.brick_drawing import BrickDrawing, make_content
from unigram_gui.views.lattice.drawing import DEFAULT_LAYERS, LatticeDrawing, Layer, Marks
from unigram_gui.views.lattice.graph_drawing import NARROWEST_PITCH, GraphDrawing, fitting_pitch
from unigram_gui.views.lattice.graph_layout import SMALLEST_PITCH
from unigram_gui.views.lattice.tip_card import TipCard
from unigram_gui.views.lattice.tips import character_tip, edge_sentence, edge_tip

MARGIN, TOP_MARGIN = 18.0, 12.0
ZOOM_STEP, LEAST_ZOOM, MOST_ZOOM = 1.25, 0.02, 4.0
MOST_FIT = 2.0  # fitting a short text does not blow it up further
MODES = ("auto", "graph", "bricks")
LONGEST_GRAPH = 200  # characters; a longer text is drawn as bricks whatever was chosen
EMPTY = "Type a text to see every way to cut it."
NOTE = FontSpec("sans", 12.0)

_ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}


class LatticeView(QAbstractScrollArea):
    """Every piece that matches somewhere in a text, the best path among them."""

    piece_hovered = Signal(int)  # piece ID, -1 for none
    piece_picked = Signal(int)
    zoom_changed = Signal(float)
    mode_changed = Signal(str)  # "graph" or "bricks": what is shown, after "auto" was resolved

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._shaper = theme, Shaper(theme)
        self._exploration: Exploration | None = None
        self._drawing: LatticeDrawing | None = None
        self._content: BrickContent | None = None
        self._mode, self._shown_mode = "auto", "graph"
        self._layers: frozenset[Layer] = DEFAULT_LAYERS
        self._zoom = 1.0
        self._picked = self._hovered_piece = self._hovered = self._focused = -1
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Lattice")
        self.viewport().setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
        self.horizontalScrollBar().valueChanged.connect(self._scrolled)
        self.verticalScrollBar().valueChanged.connect(self._scrolled)
        self.card = TipCard(theme, self._shaper, self.viewport())

    # What is shown

    def set_theme(self, theme: Theme) -> None:
        self._theme, self._shaper = theme, Shaper(theme)
        self.card.set_theme(theme, self._shaper)
        self._content = None
        self._rebuild()

    def set_exploration(self, exploration: Exploration | None) -> None:
        """Show another text. Who looks at the end of a text that grows keeps looking at its end."""
        bar = self.horizontalScrollBar()
        at_end = bar.maximum() > 0 and bar.value() == bar.maximum()
        focused = self._focused_span()
        self._exploration, self._content = exploration, None
        self._set_hovered(-1)
        self._focused = self._edge_of_span(focused)
        self._rebuild()
        if at_end:
            bar.setValue(bar.maximum())

    def set_mode(self, mode: str) -> None:
        if mode not in MODES:
            raise ValueError(f"the mode is one of {', '.join(MODES)}, not {mode!r}")
        self._mode = mode
        self._rebuild()

    def set_layers(self, layers: frozenset[str]) -> None:
        self._layers = frozenset(Layer(layer) for layer in layers)
        self._content = None
        self._rebuild()

    def set_picked_piece(self, piece: int | None) -> None:
        """Draw all edges of a piece in orange; None or -1 is no piece."""
        self._picked = -1 if piece is None else piece
        self.viewport().update()

    @property
    def drawing(self) -> LatticeDrawing | None:
        """What is painted at the moment."""
        return self._drawing

    @property
    def exploration(self) -> Exploration | None:
        return self._exploration

    @property
    def theme(self) -> Theme:
        return self._theme

    @property
    def shown_mode(self) -> str:
        return self._shown_mode

    @property
    def layers(self) -> frozenset[Layer]:
        return self._layers

    @property
    def focused_edge(self) -> int:
        return self._focused

    @property
    def hovered_edge(self) -> int:
        return self._hovered

    # Zoom

    @property
    def zoom(self) -> float:
        return self._zoom

    def set_zoom(self, zoom: float, anchor: QPointF | None = None) -> None:
        """Zoom so that what lies under `anchor` (by default the middle) stays there."""
        zoom = min(max(zoom, LEAST_ZOOM), MOST_ZOOM)
        if zoom == self._zoom:
            return
        anchor = anchor or QPointF(0.5 * self.viewport().width(), 0.0)
        share = self._to_drawing(anchor).x() / self._drawing.width if self._drawing else 0.0
        self._zoom = zoom
        self._rebuild()
        if self._drawing is not None:
            place = MARGIN + share * self._drawing.width * self._drawing.scale
            self.horizontalScrollBar().setValue(round(place - anchor.x()))
        self.zoom_changed.emit(zoom)

    def zoom_in(self) -> None:
        self.set_zoom(self._zoom * ZOOM_STEP)

    def zoom_out(self) -> None:
        self.set_zoom(self._zoom / ZOOM_STEP)

    def zoom_fit(self) -> None:
        """Show the whole text at once."""
        if self._drawing is None:
            return
        room = self.viewport().width() - 2.0 * MARGIN
        natural = self._drawing.width / min(1.0, self._zoom)
        self.set_zoom(min(room / natural, MOST_FIT))

    # Building

    def _rebuild(self) -> None:
        self.card.hide()
        mode, drawing = self._make_drawing()
        self._drawing = drawing
        self._update_bars()
        if mode == "graph":
            # Of a tall graph the band is shown, with the arcs next to it: the text is never out of sight.
            self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())
        self._announce()
        self.viewport().update()
        if mode != self._shown_mode:
            self._shown_mode = mode
            self.mode_changed.emit(mode)

    def _make_drawing(self) -> tuple[str, LatticeDrawing | None]:
        seen = self._exploration
        if seen is None or not seen.n_characters:
            return self._shown_mode, None
        graph = self._make_graph(seen) if self._mode != "bricks" else None
        if graph is not None:
            return "graph", graph
        if self._content is None:
            self._content = make_content(seen, self._shaper, self._layers)
        drawing = BrickDrawing(seen, self._theme, self._shaper, self._layers, self._zoom, content=self._content)
        drawing.scale = max(1.0, self._zoom)
        return "bricks", drawing

    def _make_graph(self, seen: Exploration) -> GraphDrawing | None:
        """The graph, unless it is chosen by length and does not fit, or would be too narrow to read."""
        room = self.viewport().width() - 2.0 * MARGIN
        pitch = fitting_pitch(seen, room, self._zoom)
        if self._mode == "auto":
            if pitch < NARROWEST_PITCH or seen.n_characters * SMALLEST_PITCH > room:
                return None
        elif seen.n_characters > LONGEST_GRAPH:
            return None
        drawing = GraphDrawing(seen, self._theme, self._shaper, self._layers, pitch)
        drawing.scale = max(1.0, self._zoom)
        return drawing if self._mode == "graph" or drawing.width <= room else None

    def _update_bars(self) -> None:
        size = QSize(0, 0)
        if self._drawing is not None:
            scale = self._drawing.scale
            size = QSize(
                round(self._drawing.width * scale + 2.0 * MARGIN), round(self._drawing.height * scale + TOP_MARGIN)
            )
        for bar, whole, room in (
            (self.horizontalScrollBar(), size.width(), self.viewport().width()),
            (self.verticalScrollBar(), size.height(), round(self.viewport().height() - legend.HEIGHT)),
        ):
            bar.setRange(0, max(0, whole - room))
            bar.setPageStep(max(1, room))
            bar.setSingleStep(24)

    # Places

    def _origin(self) -> QPointF:
        """Where the drawing's upper left corner is in the viewport; the graph stands in the middle."""
        drawing = self._drawing
        assert drawing is not None
        x, y = MARGIN - self.horizontalScrollBar().value(), TOP_MARGIN - self.verticalScrollBar().value()
        if self._shown_mode == "graph":
            x += max(0.0, 0.5 * (self.viewport().width() - 2.0 * MARGIN - drawing.width * drawing.scale))
            room = self.viewport().height() - legend.HEIGHT - TOP_MARGIN
            y += max(0.0, 0.5 * (room - drawing.height * drawing.scale))
        return QPointF(x, y)

    def _to_drawing(self, place: QPointF) -> QPointF:
        return (place - self._origin()) / self._drawing.scale if self._drawing else QPointF()

    def edge_place(self, edge: int) -> QRectF:
        """The rectangle of an edge in the viewport."""
        assert self._drawing is not None
        rect, scale, origin = self._drawing.edge_rect(edge), self._drawing.scale, self._origin()
        return QRectF(
            origin.x() + rect.x() * scale, origin.y() + rect.y() * scale, rect.width() * scale, rect.height() * scale
        )

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), QColor(self._theme.palette.paper))
        if self._drawing is None:
            self._paint_nothing(painter)
        else:
            self._paint_drawing(painter, event.rect().toRectF())
            self._paint_legend(painter)
        painter.end()

    def _paint_nothing(self, painter: QPainter) -> None:
        ink = Ink(self._shaper)
        rect = self.viewport().rect()
        ink.put(0.5 * rect.width(), 0.5 * rect.height(), EMPTY, NOTE, self._theme.palette.ink3)
        ink.draw(painter)

    def _paint_drawing(self, painter: QPainter, exposed: QRectF) -> None:
        assert self._drawing is not None
        painter.save()
        area = self.viewport().rect().toRectF().adjusted(0.0, 0.0, 0.0, -legend.HEIGHT)
        painter.setClipRect(area)
        painter.translate(self._origin())
        painter.scale(self._drawing.scale, self._drawing.scale)
        shown = exposed.intersected(area)
        visible = QRectF(self._to_drawing(shown.topLeft()), self._to_drawing(shown.bottomRight()))
        self._drawing.paint(painter, visible, self.marks())
        painter.restore()

    def _paint_legend(self, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ink = Ink(self._shaper)
        rect = self.viewport().rect()
        posterior = Layer.POSTERIOR in self._layers
        middle, width = rect.height() - 0.5 * legend.HEIGHT, rect.width() - 2.0 * MARGIN
        legend.paint_legend(painter, ink, self._theme.palette, self._shown_mode, MARGIN, middle, width, posterior)
        ink.draw(painter)

    def marks(self) -> Marks:
        """What is in orange, and what has the focus."""
        pieces = frozenset(piece for piece in (self._picked, self._hovered_piece) if piece >= 0)
        return Marks(pieces, self._focused if self.hasFocus() else -1)

    # Pointer

    def _hover(self, place: QPointF) -> None:
        if self._drawing is None or self._exploration is None:
            return
        inner = self._to_drawing(place)
        edge = self._drawing.edge_at(inner.x(), inner.y())
        self._set_hovered(edge)
        character = self._drawing.character_at(inner.x(), inner.y()) if edge < 0 else -1
        if edge >= 0:
            self._show_card(edge, self._card_anchor(edge, place))
        elif character >= 0:
            anchor = QRectF(place.x() - 1.0, place.y() - 10.0, 2.0, 20.0)
            self.card.show_tip(character_tip(self._exploration, character), anchor)
        else:
            self.card.hide()

    def _show_card(self, edge: int, anchor: QRectF) -> None:
        # What one compares a piece with lies under an arc, and above a brick.
        assert self._exploration is not None
        self.card.show_tip(edge_tip(self._exploration, edge), anchor, above=self._shown_mode == "graph")

    def _card_anchor(self, edge: int, place: QPointF) -> QRectF:
        """The edge itself, but no wider than what is near the pointer: a card stays where one looks."""
        rect = self.edge_place(edge)
        left, right = max(rect.left(), place.x() - 60.0), min(rect.right(), place.x() + 60.0)
        return QRectF(left, rect.top(), max(1.0, right - left), rect.height())

    def _set_hovered(self, edge: int) -> None:
        if edge == self._hovered:
            return
        self._hovered = edge
        seen = self._exploration
        piece = int(seen.lattice.edge_piece[edge]) if edge >= 0 and seen is not None else -1
        if piece != self._hovered_piece:
            self._hovered_piece = piece
            self.viewport().update()
            self.piece_hovered.emit(piece)

    def _pick(self, edge: int) -> None:
        piece = int(self._exploration.lattice.edge_piece[edge]) if edge >= 0 and self._exploration else -1
        self.set_picked_piece(-1 if piece == self._picked else piece)
        self.piece_picked.emit(self._picked)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Leave:
            self._set_hovered(-1)
            self.card.hide()
        return super().viewportEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Accept what the press began: the window below need not look at it."""
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or self._drawing is None:
            return
        inner = self._to_drawing(event.position())
        edge = self._drawing.edge_at(inner.x(), inner.y())
        self._focused = edge
        self._announce()
        self._pick(edge)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Turning scrolls sideways where there is nothing to scroll down; with Control it zooms at the pointer."""
        turn = event.angleDelta()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.set_zoom(self._zoom * ZOOM_STEP ** (turn.y() / 120.0), event.position())
            event.accept()
        elif turn.y() and not turn.x() and self.verticalScrollBar().maximum() == 0:
            bar = self.horizontalScrollBar()
            bar.setValue(bar.value() - turn.y())
            event.accept()
        else:
            super().wheelEvent(event)

    def _scrolled(self) -> None:
        self.card.hide()
        self._set_hovered(-1)
        self.viewport().update()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Paint anew instead of moving pixels: the legend stays where it is."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._shown_mode == "graph" or self._mode == "auto":
            self._rebuild()
        else:
            self._update_bars()

    # Keyboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if self._drawing is None or not self._handle_key(key):
            super().keyPressEvent(event)

    def _handle_key(self, key: Qt.Key) -> bool:
        assert self._drawing is not None
        if key in _ARROWS:
            self._set_focused(self._drawing.move(self._focused, *_ARROWS[key]))
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self._set_focused(self._drawing.end(-1 if key == Qt.Key.Key_Home else 1))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and self._focused >= 0:
            self._pick(self._focused)
        elif key == Qt.Key.Key_Escape and (self._picked >= 0 or not self.card.isHidden()):
            self.card.hide()
            self.set_picked_piece(-1)
            self.piece_picked.emit(-1)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom_in()
        elif key == Qt.Key.Key_Minus:
            self.zoom_out()
        elif key == Qt.Key.Key_0:
            self.zoom_fit()
        else:
            return False
        return True

    def _set_focused(self, edge: int) -> None:
        self._focused = edge
        self._announce()
        if edge < 0 or self._exploration is None:
            return
        self._scroll_to(edge)
        self._show_card(edge, self.edge_place(edge))
        self.viewport().update()

    def _scroll_to(self, edge: int) -> None:
        place = self.edge_place(edge)
        height = self.viewport().height() - legend.HEIGHT
        for bar, low, high, room in (
            (self.horizontalScrollBar(), place.left(), place.right(), self.viewport().width()),
            (self.verticalScrollBar(), place.top(), place.bottom(), height),
        ):
            if low < MARGIN:
                bar.setValue(round(bar.value() + low - MARGIN))
            elif high > room - MARGIN:
                bar.setValue(round(bar.value() + high - room + MARGIN))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        by_key = event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
        if by_key and self._drawing is not None and self._focused < 0:
            self._set_focused(self._drawing.end(-1))
        self.viewport().update()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.card.hide()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.card.hide()
        self.viewport().update()

    def _announce(self) -> None:
        """Say the edge in focus to those who listen."""
        seen = self._exploration
        if seen is None or not seen.n_characters:
            text = EMPTY
        elif self._focused >= 0:
            text = edge_sentence(seen, self._focused)
        else:
            text = f"{seen.n_tokens} tokens, {seen.n_edges} pieces; arrow keys walk over the pieces"
        if text != self.accessibleDescription():
            self.setAccessibleDescription(text)
            QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.DescriptionChanged))

    def _focused_span(self) -> tuple[int, int] | None:
        if self._focused < 0 or self._exploration is None:
            return None
        lattice = self._exploration.lattice
        return int(lattice.edge_start[self._focused]), int(lattice.edge_end[self._focused])

    def _edge_of_span(self, span: tuple[int, int] | None) -> int:
        """The edge of the present lattice with these ends: the focus survives a keystroke elsewhere."""
        if span is None or self._exploration is None or span[1] > self._exploration.n_characters:
            return -1
        lattice = self._exploration.lattice
        first, last = int(lattice.edge_offsets[span[0]]), int(lattice.edge_offsets[span[0] + 1])
        return next((edge for edge in range(first, last) if lattice.edge_end[edge] == span[1]), -1)

    def sizeHint(self) -> QSize:
        return QSize(680, 280)

    def minimumSizeHint(self) -> QSize:
        return QSize(240, 140)
