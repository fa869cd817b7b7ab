"""What a pointer and a keyboard do on a drawing of a lattice: hover, pick, select a stretch, walk from edge to edge.

In: events. Out: facts as signals, the card beside what is pointed at, words for screen readers. What is drawn, and at
which zoom, is the business of `view.py`.
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QHideEvent, QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from unigram_gui.number_text import counted
from unigram_gui.shaping import Shaper
from unigram_gui.tasks.exploration import Exploration
from unigram_gui.theme import Palette, Theme
from unigram_gui.views.lattice.drawing_area import EMPTY, DrawingArea
from unigram_gui.views.lattice.drawing_choice import DrawingMaker
from unigram_gui.views.lattice.graph_drawing import GraphDrawing
from unigram_gui.views.lattice.tip_card import TipCard
from unigram_gui.views.lattice.tips import character_tip, edge_sentence, edge_tip, wall_tip

CARD_REACH = 60.0  # how far from the pointer the card of a wide edge may stand

_ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}
_PICKING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class PointedDrawing(DrawingArea):
    """A drawing under a pointer and a keyboard; the subclass says what is drawn, and zooms."""

    piece_hovered = Signal(int)  # piece ID, -1 for none
    piece_picked = Signal(int)
    span_selected = Signal(object)  # (start, end) in the normalized text, or None

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("Lattice", parent)
        self._maker = DrawingMaker(theme)
        self._exploration: Exploration | None = None
        self._picked = self._hovered_piece = self._hovered = self._focused = -1
        self._span: tuple[int, int] | None = None
        self._drag_from = -1
        self.card = TipCard(theme, self._maker.shaper, self.viewport())

    def set_picked_piece(self, piece: int | None) -> None:
        """Draw all edges of a piece in orange; None or -1 is no piece."""
        self._picked = -1 if piece is None else piece
        self.viewport().update()

    def set_hovered_piece(self, piece: int) -> None:
        """Draw all edges of a piece in orange while it is pointed at anywhere."""
        if piece != self._hovered_piece:
            self._hovered_piece = piece
            self.viewport().update()

    def set_span(self, span: tuple[int, int] | None) -> None:
        """Frame a stretch of the text."""
        self._span = span
        self.announce()
        self.viewport().update()

    @property
    def focused_edge(self) -> int:
        return self._focused

    @property
    def hovered_edge(self) -> int:
        return self._hovered

    @property
    def span(self) -> tuple[int, int] | None:
        return self._span

    def zoom_by(self, steps: float, anchor: QPointF | None = None) -> None:
        """Zoom in by steps, or out; what lies under `anchor`, by default the middle, stays there."""
        raise NotImplementedError

    def zoom_fit(self) -> None:
        """Show the whole drawing at once."""
        raise NotImplementedError

    def palette_in_use(self) -> Palette:
        return self._maker.theme.palette

    def shaper_in_use(self) -> Shaper:
        return self._maker.shaper

    # Pointer

    def _hover(self, place: QPointF) -> None:
        if self._drawing is None or self._exploration is None:
            return
        inner = self.to_drawing(place)
        wall = self._drawing.wall_at(inner.x(), inner.y())
        edge = self._drawing.edge_at(inner.x(), inner.y()) if wall < 0 else -1
        character = self._drawing.character_at(inner.x(), inner.y()) if edge < 0 else -1
        self._set_hovered(edge)
        small = QRectF(place.x() - 1.0, place.y() - 10.0, 2.0, 20.0)
        if wall >= 0:
            self.card.show_tip(wall_tip(wall), small)
        elif edge >= 0:
            self._show_card(edge, self._card_anchor(edge, place))
        elif character >= 0:
            self.card.show_tip(character_tip(self._exploration, character), small)
        else:
            self.card.hide()

    def _show_card(self, edge: int, anchor: QRectF) -> None:
        # What one compares a piece with lies under an arc, and above a brick.
        assert self._exploration is not None
        self.card.show_tip(edge_tip(self._exploration, edge), anchor, above=isinstance(self._drawing, GraphDrawing))

    def _card_anchor(self, edge: int, place: QPointF) -> QRectF:
        """The edge itself, but no wider than what is near the pointer: a card stays where one looks."""
        rect = self.edge_place(edge)
        left, right = max(rect.left(), place.x() - CARD_REACH), min(rect.right(), place.x() + CARD_REACH)
        return QRectF(left, rect.top(), max(1.0, right - left), rect.height())

    def _piece_of(self, edge: int) -> int:
        seen = self._exploration
        return int(seen.lattice.edge_piece[edge]) if edge >= 0 and seen is not None else -1

    def _set_hovered(self, edge: int) -> None:
        self._hovered = edge
        piece = self._piece_of(edge)
        if piece != self._hovered_piece:
            self._hovered_piece = piece
            self.viewport().update()
            self.piece_hovered.emit(piece)

    def _pick(self, edge: int) -> None:
        """Pick a piece, and select the stretch where it was picked; picking it there again lets both go."""
        piece, span = self._piece_of(edge), self._span_of(edge)
        again = piece == self._picked and span == self._span
        self.set_picked_piece(-1 if again else piece)
        self._select(None if again else span)
        self.piece_picked.emit(self._picked)

    def _span_of(self, edge: int) -> tuple[int, int] | None:
        if edge < 0 or self._exploration is None:
            return None
        lattice = self._exploration.lattice
        return int(lattice.edge_start[edge]), int(lattice.edge_end[edge])

    def left(self) -> None:
        self._set_hovered(-1)
        self.card.hide()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._drag_from >= 0 and event.buttons() & Qt.MouseButton.LeftButton and self._drawing is not None:
            inner = self.to_drawing(event.position())
            reached = self._drawing.character_near(inner.x(), inner.y())
            if reached != self._drag_from or self._span is not None:
                self.card.hide()
                self._select((min(self._drag_from, reached), max(self._drag_from, reached) + 1))
            return
        self._hover(event.position())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or self._drawing is None:
            return
        inner = self.to_drawing(event.position())
        self._drag_from = self._drawing.character_at(inner.x(), inner.y())
        self._focused = self._drawing.edge_at(inner.x(), inner.y())
        if self._focused >= 0 or self._drag_from < 0:
            self.announce()
            self._pick(self._focused)
        else:
            self._select((self._drag_from, self._drag_from + 1))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        self._drag_from = -1

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Turning scrolls sideways where there is nothing to scroll down; with Control it zooms at the pointer."""
        turn = event.angleDelta()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom_by(turn.y() / 120.0, event.position())
            event.accept()
        elif turn.y() and not turn.x() and self.verticalScrollBar().maximum() == 0:
            self.horizontalScrollBar().setValue(self.horizontalScrollBar().value() - turn.y())
            event.accept()
        else:
            super().wheelEvent(event)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        super().scrollContentsBy(dx, dy)
        self.card.hide()
        self._set_hovered(-1)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.card.hide()

    # Keyboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            moves_start = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
            self._stretch_span(-1 if key == Qt.Key.Key_Left else 1, moves_start=moves_start)
        elif self._drawing is None or not (self._walk(key) or self._act(key)):
            super().keyPressEvent(event)

    def _walk(self, key: Qt.Key) -> bool:
        assert self._drawing is not None
        if key in _ARROWS:
            self._set_focused(self._drawing.move(self._focused, *_ARROWS[key]))
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self._set_focused(self._drawing.end(-1 if key == Qt.Key.Key_Home else 1))
        return key in _ARROWS or key in (Qt.Key.Key_Home, Qt.Key.Key_End)

    def _act(self, key: Qt.Key) -> bool:
        zooms = {
            Qt.Key.Key_Plus: lambda: self.zoom_by(1),
            Qt.Key.Key_Equal: lambda: self.zoom_by(1),
            Qt.Key.Key_Minus: lambda: self.zoom_by(-1),
            Qt.Key.Key_0: self.zoom_fit,
        }
        if key in zooms:
            zooms[key]()
        elif key in _PICKING and self._focused >= 0:
            self._pick(self._focused)
        elif key == Qt.Key.Key_Escape and (self._picked >= 0 or not self.card.isHidden()):
            self.card.hide()
            self._pick(-1)
        else:
            return False
        return True

    def _stretch_span(self, step: int, *, moves_start: bool) -> None:
        """Shift with an arrow moves the end of the selected stretch, with Control too its start."""
        seen = self._exploration
        if seen is None or not seen.n_characters:
            return
        span = self._span or self._focused_span()
        if span is None:
            self._select((0, 1))
            return
        start, end = span
        if moves_start:
            start = min(max(start + step, 0), end - 1)
        else:
            end = min(max(end + step, start + 1), seen.n_characters)
        self._select((start, end))

    def _select(self, span: tuple[int, int] | None) -> None:
        if span != self._span:
            self.set_span(span)
            self.span_selected.emit(span)

    def _set_focused(self, edge: int) -> None:
        self._focused = edge
        self.announce()
        if edge >= 0:
            self.scroll_to(edge)
            self._show_card(edge, self.edge_place(edge))
            self.viewport().update()

    def enter(self) -> None:
        if self._drawing is not None and self._focused < 0:
            self._set_focused(self._drawing.end(-1))

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.card.hide()

    def spoken(self) -> str:
        return _description(self._exploration, self._focused, self._span)

    def _focused_span(self) -> tuple[int, int] | None:
        return self._span_of(self._focused)


def _description(seen: Exploration | None, focused: int, span: tuple[int, int] | None) -> str:
    if seen is None or not seen.n_characters:
        return EMPTY
    if span is not None and span[1] <= seen.n_characters and focused < 0:
        return f"selected from {span[0]} to {span[1]}: {seen.lattice.text[slice(*span)]}"
    if focused >= 0:
        return edge_sentence(seen, focused)
    n_walls = len(seen.lattice.walls)
    walls = f", {counted(n_walls, 'wall')} that no piece spans" if n_walls else ""
    return f"{seen.n_tokens} tokens, {seen.n_edges} pieces{walls}; arrow keys walk over the pieces"
