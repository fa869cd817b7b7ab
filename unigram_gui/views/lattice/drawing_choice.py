"""Which drawing a text gets: a graph where the whole of it fits, else bricks.

In: an exploration and what a person wants (mode, layers, zoom, room). Out: a drawing at its scale.
"""

from __future__ import annotations

from dataclasses import dataclass

from unigram_gui.shaping import Shaper
from unigram_gui.tasks.exploration import Exploration
from unigram_gui.theme import Theme
from unigram_gui.views.lattice.brick_content import BrickContent
from unigram_gui.views.lattice.brick_drawing import BrickDrawing, make_content
from unigram_gui.views.lattice.drawing import DEFAULT_LAYERS, LatticeDrawing, Layer, Stage
from unigram_gui.views.lattice.graph_drawing import NARROWEST_PITCH, GraphDrawing, fitting_pitch
from unigram_gui.views.lattice.graph_layout import SMALLEST_PITCH
from unigram_gui.views.lattice.wrapped_bricks import WrappedBricks

MODES = ("auto", "graph", "bricks")
SMALLEST_STAGE = 0.75  # scale of a graph with the row of a step
LONGEST_GRAPH = 200  # characters; a longer text is drawn as bricks whatever was chosen


@dataclass(frozen=True)
class Wanted:
    """What a person chose, and the width there is for it."""

    mode: str = "auto"
    layers: frozenset[Layer] = DEFAULT_LAYERS
    zoom: float = 1.0
    room: float = 0.0
    height: float = 0.0  # only looked at while a computation is stepped through
    stage: Stage | None = None  # whose row of numbers stands under the graph
    wrap: bool = False


class DrawingMaker:
    """Makes drawings of one exploration after the other, and packs the lanes of each only once."""

    def __init__(self, theme: Theme) -> None:
        self.theme, self.shaper = theme, Shaper(theme)
        self._content: BrickContent | None = None
        self._content_of: tuple[Exploration, frozenset[Layer]] | None = None

    def make(self, seen: Exploration, wanted: Wanted) -> LatticeDrawing:
        """A graph or bricks, zoomed: up as a whole, down by narrower cells or columns."""
        drawing: LatticeDrawing | None = self._graph(seen, wanted) if wanted.mode != "bricks" else None
        if drawing is None:
            drawing = self._bricks(seen, wanted)
        drawing.scale = max(1.0, wanted.zoom)
        if wanted.stage is not None and wanted.zoom <= 1.0 and isinstance(drawing, GraphDrawing):
            # A row more than usual: a little smaller, so that nothing that is stepped through is out of sight.
            drawing.scale = min(max(wanted.height / drawing.height, SMALLEST_STAGE), 1.0)
        return drawing

    def _bricks(self, seen: Exploration, wanted: Wanted) -> LatticeDrawing:
        content = self._content_for(seen, wanted.layers)
        bricks = BrickDrawing(seen, self.theme, self.shaper, wanted.layers, wanted.zoom, content=content)
        room = wanted.room / max(1.0, wanted.zoom)
        return WrappedBricks(bricks, room) if wanted.wrap and bricks.width > room else bricks

    def _graph(self, seen: Exploration, wanted: Wanted) -> GraphDrawing | None:
        """The graph, unless it is chosen by length and does not fit, or would be too narrow to read."""
        pitch = fitting_pitch(seen, wanted.room, wanted.zoom)
        automatic = wanted.mode == "auto"
        if seen.n_characters > LONGEST_GRAPH:
            return None
        if automatic and (pitch < NARROWEST_PITCH or seen.n_characters * SMALLEST_PITCH > wanted.room):
            return None
        drawing = GraphDrawing(seen, self.theme, self.shaper, wanted.layers, pitch, stage=wanted.stage)
        if drawing.width > wanted.room:
            # Wide labels or the names of rows take room: narrower cells make up for it, as far as they may.
            narrower = pitch - (drawing.width - wanted.room) / seen.n_characters
            least = min(pitch, SMALLEST_PITCH)
            drawing = GraphDrawing(
                seen, self.theme, self.shaper, wanted.layers, max(narrower, least), stage=wanted.stage
            )
        return None if automatic and drawing.width > wanted.room else drawing

    def _content_for(self, seen: Exploration, layers: frozenset[Layer]) -> BrickContent:
        if self._content is None or self._content_of is None or self._content_of != (seen, layers):
            self._content, self._content_of = make_content(seen, self.shaper, layers), (seen, layers)
        return self._content
