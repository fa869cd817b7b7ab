"""The live lattice: a graph or bricks that follow pointer and keyboard.

In: frozen `Exploration`s. Out: facts as signals: which piece is hovered or picked, how far it is zoomed, which
drawing is shown. It computes nothing of the model; `drawing_choice` makes the drawing, `drawing_area` shows it.
"""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QFocusEvent,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from unigram_gui.shaping import Shaper
from unigram_gui.tasks.exploration import Exploration
from unigram_gui.theme import Palette, Theme
from unigram_gui.views.lattice.drawing import Layer, Marks, Stage
from unigram_gui.views.lattice.drawing_area import EMPTY, MARGIN, DrawingArea
from unigram_gui.views.lattice.drawing_choice import MODES, DrawingMaker, Wanted
from unigram_gui.views.lattice.graph_drawing import GraphDrawing
from unigram_gui.views.lattice.tip_card import TipCard
from unigram_gui.views.lattice.tips import character_tip, edge_sentence, edge_tip

ZOOM_STEP, LEAST_ZOOM, MOST_ZOOM = 1.25, 0.02, 4.0
CARD_REACH = 60.0  # how far from the pointer the card of a wide edge may stand

_ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}
_PICKING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
_BY_TAB = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)


class LatticeView(DrawingArea):
    """Every piece that matches somewhere in a text, the best path among them."""

    piece_hovered = Signal(int)  # piece ID, -1 for none
    piece_picked = Signal(int)
    zoom_changed = Signal(float)
    span_selected = Signal(object)  # (start, end) in the normalized text, or None
    mode_changed = Signal(str)  # "graph" or "bricks": what is shown, after "auto" was resolved

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._maker = DrawingMaker(theme)
        self._exploration: Exploration | None = None
        self._wanted = Wanted()
        self._shown_mode, self._told_zoom = "graph", 1.0
        self._built_for = QSize()
        self._picked = self._hovered_piece = self._hovered = self._focused = -1
        self._chosen_edges: frozenset[int] = frozenset()
        self._span: tuple[int, int] | None = None
        self._stage: Stage | None = None
        self._drag_from = -1
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Lattice")
        self.viewport().setMouseTracking(True)
        self.card = TipCard(theme, self._maker.shaper, self.viewport())
        self._announce()

    # What is shown

    def set_theme(self, theme: Theme) -> None:
        self._maker = DrawingMaker(theme)
        self.card.set_theme(theme, self._maker.shaper)
        self._rebuild()

    def set_exploration(self, exploration: Exploration | None) -> None:
        """Show another text from its beginning. Who looks at the end of a text that grows keeps looking at its end."""
        bar = self.horizontalScrollBar()
        at_end = bar.value() == bar.maximum() > 0
        before, after = (None if seen is None else seen.text for seen in (self._exploration, exploration))
        is_new = before != after
        goes_on = before is not None and after is not None and (after.startswith(before) or before.startswith(after))
        focused = self._focused_span()
        self._set_hovered(-1)
        self._exploration = exploration
        self._chosen_edges = frozenset()
        self._stage, self._wanted = None, replace(self._wanted, stage=None)
        if exploration is None or (self._span is not None and self._span[1] > exploration.n_characters):
            self._span = None
        self._focused = _edge_of_span(exploration, focused)
        self._rebuild()
        if is_new and self._shown_mode == "bricks":
            self.verticalScrollBar().setValue(0)
        if is_new and not goes_on:
            bar.setValue(0)
        elif at_end:
            bar.setValue(bar.maximum())

    def set_mode(self, mode: str) -> None:
        """Choose "graph" or "bricks", or leave it to the length of the text with "auto", at full size."""
        if mode not in MODES:
            raise ValueError(f"the mode is one of {', '.join(MODES)}, not {mode!r}")
        self._wanted = replace(self._wanted, mode=mode)
        if mode == "auto":
            self._wanted = replace(self._wanted, graph_zoom=1.0, bricks_zoom=1.0)
        self._rebuild()

    def set_layers(self, layers: frozenset[str]) -> None:
        self._wanted = replace(self._wanted, layers=frozenset(Layer(layer) for layer in layers))
        self._rebuild()

    def set_picked_piece(self, piece: int | None) -> None:
        """Draw all edges of a piece in orange; None or -1 is no piece."""
        self._picked = -1 if piece is None else piece
        self.viewport().update()

    def set_hovered_piece(self, piece: int) -> None:
        """Draw all edges of a piece in orange while it is pointed at anywhere."""
        if piece != self._hovered_piece:
            self._hovered_piece = piece
            self.viewport().update()

    def set_chosen_path(self, place: int) -> None:
        """Draw the edges of one of the best paths in orange; -1 for none."""
        seen = self._exploration
        has_path = seen is not None and 0 <= place < len(seen.n_best)
        self._chosen_edges = frozenset(seen.n_best[place].edges) if has_path and seen is not None else frozenset()
        self.viewport().update()

    def set_span(self, span: tuple[int, int] | None) -> None:
        """Frame a stretch of the text."""
        self._span = span
        self._announce()
        self.viewport().update()

    def set_stage(self, stage: Stage | None) -> None:
        """Draw one step of a computation: its edges in orange, its numbers under the nodes."""
        if self._exploration is None:
            stage = None
        self._stage = stage
        row = None
        if stage is not None:
            row = replace(stage, edges=frozenset(), filled=None if stage.filled is None else (0, 0))
        if row != self._wanted.stage:
            self._wanted = replace(self._wanted, stage=row)
            self._rebuild()
        self.viewport().update()

    def set_wrap(self, wrap: bool) -> None:
        """Show bricks in rows rather than on one line that scrolls."""
        self._wanted = replace(self._wanted, wrap=wrap)
        self._rebuild()

    @property
    def exploration(self) -> Exploration | None:
        return self._exploration

    @property
    def theme(self) -> Theme:
        return self._maker.theme

    @property
    def shown_mode(self) -> str:
        return self._shown_mode

    @property
    def layers(self) -> frozenset[Layer]:
        return self._wanted.layers

    @property
    def zoom(self) -> float:
        """Of the drawing that is shown: graph and bricks have a zoom each."""
        return self._wanted.zoom_of(self._shown_mode)

    @property
    def focused_edge(self) -> int:
        return self._focused

    @property
    def hovered_edge(self) -> int:
        return self._hovered

    def palette_in_use(self) -> Palette:
        return self._maker.theme.palette

    def shaper_in_use(self) -> Shaper:
        return self._maker.shaper

    def marks(self) -> Marks:
        pieces = frozenset(piece for piece in (self._picked, self._hovered_piece) if piece >= 0)
        focused = self._focused if self.hasFocus() else -1
        stage = self._stage
        edges = self._chosen_edges if stage is None else stage.edges
        return Marks(pieces, focused, edges, self._span, None if stage is None else stage.filled)

    @property
    def span(self) -> tuple[int, int] | None:
        return self._span

    @property
    def wraps(self) -> bool:
        return self._wanted.wrap

    def _rebuild(self) -> None:
        self.card.hide()
        seen = self._exploration
        has_text = seen is not None and seen.n_characters > 0
        self._wanted = replace(self._wanted, room=self.room, height=self.whole_height, bar=self.bar_extent)
        self._built_for = self.size()
        self._show_drawing(self._maker.make(seen, self._wanted) if seen is not None and has_text else None)
        self._announce()
        self._tell_mode()

    def _tell_mode(self) -> None:
        if self._drawing is None:
            return
        mode = "graph" if isinstance(self._drawing, GraphDrawing) else "bricks"
        if mode != self._shown_mode:
            self._shown_mode = mode
            self.mode_changed.emit(mode)
        if self.zoom != self._told_zoom:
            self._told_zoom = self.zoom
            self.zoom_changed.emit(self.zoom)

    # Zoom

    def set_zoom(self, zoom: float, anchor: QPointF | None = None) -> None:
        """Zoom so that what lies under `anchor` (by default the middle) stays there."""
        zoom = min(max(zoom, LEAST_ZOOM), MOST_ZOOM)
        if zoom == self.zoom or self._drawing is None:
            return
        anchor = anchor or QPointF(0.5 * self.viewport().width(), 0.0)
        share = self.to_drawing(anchor).x() / self._drawing.width
        self._wanted = self._wanted.zoomed(self._shown_mode, zoom)
        self._rebuild()
        place = MARGIN + share * self._drawing.width * self._drawing.scale
        self.horizontalScrollBar().setValue(round(place - anchor.x()))

    def zoom_in(self) -> None:
        self.set_zoom(self.zoom * ZOOM_STEP)

    def zoom_out(self) -> None:
        self.set_zoom(self.zoom / ZOOM_STEP)

    def zoom_fit(self) -> None:
        """Show the whole drawing at once, from left to right and from top to bottom."""
        if self._drawing is not None and self._exploration is not None:
            self.set_zoom(self._maker.fitting_zoom(self._exploration, self._wanted, self._shown_mode))

    # Pointer

    def _hover(self, place: QPointF) -> None:
        if self._drawing is None or self._exploration is None:
            return
        inner = self.to_drawing(place)
        edge = self._drawing.edge_at(inner.x(), inner.y())
        character = self._drawing.character_at(inner.x(), inner.y()) if edge < 0 else -1
        self._set_hovered(edge)
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

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Leave:
            self._set_hovered(-1)
            self.card.hide()
        return super().viewportEvent(event)

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
            self._announce()
            self._pick(self._focused)
        else:
            self._select((self._drag_from, self._drag_from + 1))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Accept what the press began: the window below need not look at it."""
        self._drag_from = -1
        event.accept()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Turning scrolls sideways where there is nothing to scroll down; with Control it zooms at the pointer."""
        turn = event.angleDelta()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.set_zoom(self.zoom * ZOOM_STEP ** (turn.y() / 120.0), event.position())
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

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.size() != self._built_for:
            self._rebuild()
        else:
            self._update_bars()

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
            Qt.Key.Key_Plus: self.zoom_in,
            Qt.Key.Key_Equal: self.zoom_in,
            Qt.Key.Key_Minus: self.zoom_out,
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
        self._announce()
        if edge >= 0:
            self.scroll_to(edge)
            self._show_card(edge, self.edge_place(edge))
            self.viewport().update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() in _BY_TAB and self._drawing is not None and self._focused < 0:
            self._set_focused(self._drawing.end(-1))
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.card.hide()
        self.viewport().update()

    def _announce(self) -> None:
        """Say the edge in focus to those who listen."""
        text = _description(self._exploration, self._focused, self._span)
        if text != self.accessibleDescription():
            self.setAccessibleDescription(text)
            QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.DescriptionChanged))

    def _focused_span(self) -> tuple[int, int] | None:
        return self._span_of(self._focused)


def _description(seen: Exploration | None, focused: int, span: tuple[int, int] | None) -> str:
    if seen is None or not seen.n_characters:
        return EMPTY
    if span is not None and span[1] <= seen.n_characters and focused < 0:
        return f"selected from {span[0]} to {span[1]}: {seen.lattice.text[slice(*span)]}"
    if focused >= 0:
        return edge_sentence(seen, focused)
    return f"{seen.n_tokens} tokens, {seen.n_edges} pieces; arrow keys walk over the pieces"


def _edge_of_span(seen: Exploration | None, span: tuple[int, int] | None) -> int:
    """The edge of another lattice with these ends, -1 if there is none: the focus survives a keystroke elsewhere."""
    if span is None or seen is None or span[1] > seen.n_characters:
        return -1
    lattice = seen.lattice
    first, last = int(lattice.edge_offsets[span[0]]), int(lattice.edge_offsets[span[0] + 1])
    return next((edge for edge in range(first, last) if lattice.edge_end[edge] == span[1]), -1)
