"""Which drawing a text gets: a graph where the whole of it fits, else bricks.

In: an exploration and what a person wants (mode, layers, zoom, room). Out: a drawing at its scale. Graph and bricks
have a zoom each, and which of them is drawn never depends on it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from unigram_gui.shaping import Shaper
from unigram_gui.tasks.exploration import Exploration
from unigram_gui.theme import Theme
from unigram_gui.views.lattice.brick_content import BrickContent
from unigram_gui.views.lattice.brick_drawing import BrickDrawing, make_content
from unigram_gui.views.lattice.drawing import DEFAULT_LAYERS, LatticeDrawing, Layer, Stage
from unigram_gui.views.lattice.graph_drawing import NARROWEST_PITCH, GraphDrawing, fitting_pitch
from unigram_gui.views.lattice.graph_layout import SMALLEST_PITCH, WINDOW_SIZES, GraphSizes, lower_arcs
from unigram_gui.views.lattice.wrapped_bricks import WrappedBricks

MODES = ("auto", "graph", "bricks")
SMALLEST_STAGE = 0.75  # scale of a graph with the row of a step
SMALLEST_SCALE = 0.85  # of a graph that would not fit otherwise: its numbers stay legible
MOST_FIT, FIT_ROUNDS = 2.0, 10  # fitting a short text does not blow it up further
LONGEST_GRAPH = 200  # characters; a longer text is drawn as bricks whatever was chosen


@dataclass(frozen=True)
class Wanted:
    """What a person chose, and the width there is for it."""

    mode: str = "auto"
    layers: frozenset[Layer] = DEFAULT_LAYERS
    graph_zoom: float = 1.0
    bricks_zoom: float = 1.0
    room: float = 0.0
    height: float = 0.0
    bar: float = 0.0  # what a scroll bar takes of the height
    stage: Stage | None = None  # whose row of numbers stands under the graph
    wrap: bool = False

    def zoom_of(self, mode: str) -> float:
        return self.graph_zoom if mode == "graph" else self.bricks_zoom

    def zoomed(self, mode: str, zoom: float) -> Wanted:
        """The same with another zoom of the "graph" or the "bricks"."""
        return replace(self, graph_zoom=zoom) if mode == "graph" else replace(self, bricks_zoom=zoom)


class DrawingMaker:
    """Makes drawings of one exploration after the other, and packs the lanes of each only once."""

    def __init__(self, theme: Theme) -> None:
        self.theme, self.shaper = theme, Shaper(theme)
        self._content: BrickContent | None = None
        self._content_of: tuple[Exploration, frozenset[Layer]] | None = None

    def make(self, seen: Exploration, wanted: Wanted) -> LatticeDrawing:
        """A graph or bricks, zoomed: up as a whole, down by narrower cells or columns."""
        graph = self._graph(seen, wanted) if wanted.mode != "bricks" else None
        return self._bricks(seen, wanted) if graph is None else graph

    def fitting_zoom(self, seen: Exploration, wanted: Wanted, mode: str) -> float:
        """The zoom that shows all of the graph or of the bricks, in width and in height."""
        zoom, wanted = MOST_FIT, replace(wanted, mode=mode)
        for _ in range(FIT_ROUNDS):
            drawing = self.make(seen, wanted.zoomed(mode, zoom))
            width, height = drawing.width * drawing.scale, drawing.height * drawing.scale
            share = min(wanted.room / width, wanted.height / height)
            if share >= 1.0:
                break
            zoom *= 0.999 * max(share, 0.01)
        return zoom

    def _bricks(self, seen: Exploration, wanted: Wanted) -> LatticeDrawing:
        content, zoom = self._content_for(seen, wanted.layers), wanted.bricks_zoom
        scale = max(1.0, zoom)
        room, height = wanted.room / scale, wanted.height / scale
        is_wide = float(content.widths.sum()) * min(zoom, 1.0) > room
        height -= wanted.bar / scale if is_wide else 0.0
        bricks = BrickDrawing(seen, self.theme, self.shaper, wanted.layers, zoom, content=content, height=height)
        wraps = wanted.wrap and bricks.width > room
        drawing: LatticeDrawing = WrappedBricks(bricks, room) if wraps else bricks
        drawing.scale = scale
        return drawing

    def _graph(self, seen: Exploration, wanted: Wanted) -> GraphDrawing | None:
        """The graph, unless it is chosen by length and does not fit, or would be too long to read."""
        if seen.n_characters > LONGEST_GRAPH:
            return None
        automatic, zoom = wanted.mode == "auto", wanted.graph_zoom
        if automatic and seen.n_characters * NARROWEST_PITCH * SMALLEST_SCALE > wanted.room:
            return None
        drawing = self._fitted_graph(seen, wanted)
        if automatic and drawing.width * drawing.scale > wanted.room:
            return None
        if zoom > 1.0 and drawing.leaves_out_scores:
            # Cells that are wide enough for scores come first, then larger letters.
            wider = self._graph_of(seen, wanted, SMALLEST_PITCH)
            wider.scale = max(SMALLEST_SCALE, zoom * drawing.scale * drawing.width / wider.width)
            return wider
        if zoom >= 1.0:
            drawing.scale *= zoom
            return drawing
        width = zoom * drawing.width * drawing.scale
        narrower = self._graph_of(seen, wanted, zoom * drawing.pitch, drawing.sizes)
        narrower.scale = min(1.0, width / narrower.width)
        return narrower

    def _fitted_graph(self, seen: Exploration, wanted: Wanted) -> GraphDrawing:
        """At full size: cells, arcs and at last the whole drawing a little smaller, as far as it then fits."""
        # Only bricks show what a text with composed forms looks like as a whole.
        is_automatic = wanted.mode == "auto"
        least = NARROWEST_PITCH if is_automatic and not seen.bricks.forms else SMALLEST_PITCH
        drawing = self._graph_of(seen, wanted, fitting_pitch(seen, wanted.room))
        for bound in (SMALLEST_PITCH, least):
            # Wide labels or the names of rows take room: narrower cells make up for it, as far as they may.
            if drawing.width > wanted.room and drawing.pitch > bound:
                missing = (drawing.width - wanted.room) / seen.n_characters
                drawing = self._graph_of(seen, wanted, max(drawing.pitch - missing, bound))
        if drawing.height > wanted.height > 0.0:
            low = lower_arcs(drawing.layout, drawing.height - wanted.height, shows_scores=drawing.shows_scores)
            drawing = self._graph_of(seen, wanted, drawing.pitch, low)
        share = wanted.height / drawing.height if wanted.height > 0.0 else 1.0
        if is_automatic:
            share = min(share, wanted.room / drawing.width)
        drawing.scale = min(max(share, SMALLEST_SCALE if wanted.stage is None else SMALLEST_STAGE), 1.0)
        return drawing

    def _graph_of(
        self, seen: Exploration, wanted: Wanted, pitch: float, sizes: GraphSizes = WINDOW_SIZES
    ) -> GraphDrawing:
        return GraphDrawing(seen, self.theme, self.shaper, wanted.layers, pitch, sizes, wanted.stage)

    def _content_for(self, seen: Exploration, layers: frozenset[Layer]) -> BrickContent:
        if self._content is None or self._content_of is None or self._content_of != (seen, layers):
            self._content, self._content_of = make_content(seen, self.shaper, layers), (seen, layers)
        return self._content
