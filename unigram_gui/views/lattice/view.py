"""The live lattice: a graph or bricks of the text on show, with the layers, the zoom and the marks that were chosen.

In: frozen `Exploration`s and what a person chose. Out: how far it is zoomed and which drawing is shown, as signals. It
computes nothing of the model; `drawing_choice` makes the drawing, `pointing` follows pointer and keyboard on it.
"""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPointF, QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from unigram_gui.tasks.exploration import Exploration
from unigram_gui.theme import Theme
from unigram_gui.typing_place import typing_place
from unigram_gui.views.lattice.drawing import Layer, Marks, Stage
from unigram_gui.views.lattice.drawing_area import MARGIN
from unigram_gui.views.lattice.drawing_choice import MODES, DrawingMaker, Wanted
from unigram_gui.views.lattice.graph_drawing import GraphDrawing
from unigram_gui.views.lattice.pointing import PointedDrawing

ZOOM_STEP, LEAST_ZOOM, MOST_ZOOM = 1.25, 0.02, 4.0


class LatticeView(PointedDrawing):
    """Every piece that matches somewhere in a text, the best path among them."""

    zoom_changed = Signal(float)
    mode_changed = Signal(str)  # "graph" or "bricks": what is shown, after "auto" was resolved

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._wanted = Wanted()
        self._shown_mode, self._told_zoom = "graph", 1.0
        self._built_for = QSize()
        self._chosen_edges: frozenset[int] = frozenset()
        self._stage: Stage | None = None
        self.announce()

    # What is shown

    def set_theme(self, theme: Theme) -> None:
        self._maker = DrawingMaker(theme)
        self.card.set_theme(theme, self._maker.shaper)
        self._rebuild()

    def set_exploration(self, exploration: Exploration | None) -> None:
        """Show another text from its beginning, and one that is typed where it changes."""
        before, focused = self._exploration, self._focused_span()
        self._set_hovered(-1)
        self._exploration = exploration
        self._chosen_edges = frozenset()
        self._stage, self._wanted = None, replace(self._wanted, stage=None)
        if exploration is None or (self._span is not None and self._span[1] > exploration.n_characters):
            self._span = None
        self._focused = _edge_of_span(exploration, focused)
        self._rebuild()
        if exploration is not None and (before is None or before.text != exploration.text):
            self._look_at_change(before, exploration)

    def _look_at_change(self, before: Exploration | None, after: Exploration) -> None:
        place = None if before is None else typing_place(before.lattice.text, after.lattice.text)
        if place is not None and self._drawing is not None:
            self.scroll_to_boundary(place)
            return
        self.horizontalScrollBar().setValue(0)
        if self._shown_mode == "bricks":  # of a graph the band is in sight, at its lower side
            self.verticalScrollBar().setValue(0)

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

    def set_chosen_path(self, place: int) -> None:
        """Draw the edges of one of the best paths in orange; -1 for none."""
        seen = self._exploration
        has_path = seen is not None and 0 <= place < len(seen.n_best)
        self._chosen_edges = frozenset(seen.n_best[place].edges) if has_path and seen is not None else frozenset()
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

    def marks(self) -> Marks:
        pieces = frozenset(piece for piece in (self._picked, self._hovered_piece) if piece >= 0)
        focused = self._focused if self.hasFocus() else -1
        stage = self._stage
        edges = self._chosen_edges if stage is None else stage.edges
        return Marks(pieces, focused, edges, self._span, None if stage is None else stage.filled)

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
        self.announce()
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

    def zoom_by(self, steps: float, anchor: QPointF | None = None) -> None:
        self.set_zoom(self.zoom * ZOOM_STEP**steps, anchor)

    def zoom_in(self) -> None:
        self.zoom_by(1)

    def zoom_out(self) -> None:
        self.zoom_by(-1)

    def zoom_fit(self) -> None:
        """Show the whole drawing at once, from left to right and from top to bottom."""
        if self._drawing is not None and self._exploration is not None:
            self.set_zoom(self._maker.fitting_zoom(self._exploration, self._wanted, self._shown_mode))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.size() != self._built_for:
            self._rebuild()
        else:
            self._update_bars()

def _edge_of_span(seen: Exploration | None, span: tuple[int, int] | None) -> int:
    """The edge of another lattice with these ends, -1 if there is none: the focus survives a keystroke elsewhere."""
    if span is None or seen is None or span[1] > seen.n_characters:
        return -1
    lattice = seen.lattice
    first, last = int(lattice.edge_offsets[span[0]]), int(lattice.edge_offsets[span[0] + 1])
    return next((edge for edge in range(first, last) if lattice.edge_end[edge] == span[1]), -1)
