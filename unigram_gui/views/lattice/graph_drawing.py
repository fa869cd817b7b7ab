"""The graph: the best path as a band with the text's letters, every other piece an arc over it.

In: an `Exploration`, a pitch that the view's width allows. Out: a `LatticeDrawing`. Coordinates come from
`graph_layout.py`, widths and tones from `looks.py`, texts from `graph_texts.py`; this module turns arcs into paths,
once, and paints them; `graph_band.py` paints the rest.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from unigram_gui.ink import Ink
from unigram_gui.shaping import Shaper
from unigram_gui.tasks.exploration import Exploration
from unigram_gui.theme import Theme, mix
from unigram_gui.views.lattice.drawing import BEST_ROW, LatticeDrawing, Layer, Marks, Stage
from unigram_gui.views.lattice.graph_band import (
    BEST_NODE,
    ROW_HEIGHT,
    Band,
    paint_band,
    paint_row,
    paint_span,
    write_best,
)
from unigram_gui.views.lattice.graph_layout import (
    LARGEST_PITCH,
    SMALLEST_PITCH,
    WINDOW_SIZES,
    GraphSizes,
    lay_out_graph,
    leg_offset,
)
from unigram_gui.views.lattice.graph_texts import (
    PIECE,
    PIECE_BOLD,
    SCORE,
    SCORE_BOLD,
    graph_content,
    graph_texts,
    label_width,
    row_names_width,
    widest_number,
)
from unigram_gui.views.lattice.looks import (
    THINNEST_ARC,
    arc_tone,
    arc_width,
    label_ink,
    strength,
    unknown_pen,
    wall_pen,
)

NARROWEST_PITCH = 56.0  # what is narrower is scaled as a whole
SIDE_MARGIN, TOP_MARGIN = 20.0, 24.0
UNDER_BAND = 42.0  # what stands under the band, without and with the line of IDs and posteriors
UNDER_BAND_WITH_NOTES = 58.0
WALL_FOOT = 8.0  # how far walls reach below the band
FOOT = 12.0  # how far arcs reach down behind the band
CASING = 4.0  # paper on both sides of an arc together: crossings read as bridges
THINNEST_MARKED = 3.0
HIT_DISTANCE = 5.0
PLAIN_STRENGTH = 0.4  # of all arcs where posteriors are not shown


def fitting_pitch(exploration: Exploration, available: float) -> float:
    """The pitch that fills a width within its bounds."""
    room = (available - 2.0 * SIDE_MARGIN) / max(1, exploration.n_characters)
    return float(np.clip(room, SMALLEST_PITCH, LARGEST_PITCH))


class GraphDrawing(LatticeDrawing):
    """A lattice of one or two words. `pitch` is the least distance between two boundaries."""

    def __init__(
        self,
        exploration: Exploration,
        theme: Theme,
        shaper: Shaper,
        layers: frozenset[Layer],
        pitch: float = SMALLEST_PITCH,
        sizes: GraphSizes = WINDOW_SIZES,
        stage: Stage | None = None,
    ) -> None:
        super().__init__(exploration, theme, shaper, layers)
        self.sizes, self.pitch = sizes, max(pitch, NARROWEST_PITCH)
        is_narrow = self.pitch < SMALLEST_PITCH
        self.shows_scores = Layer.LN_P in layers and not is_narrow
        self.texts = graph_texts(
            exploration, layers, shows_scores=self.shows_scores, stage=stage, brief_notes=is_narrow
        )
        content = graph_content(exploration, self.texts, shaper)
        self.layout = lay_out_graph(content, self.pitch, sizes)
        self.row = np.where(self.layout.lane < 0, BEST_ROW, -2 - self.layout.lane).astype(np.int32)
        self._measure()
        self._prepare_looks()
        self._arcs = [self._arc_path(int(edge)) for edge in self._order]

    @property
    def leaves_out_scores(self) -> bool:
        return Layer.LN_P in self.layers and not self.shows_scores

    # Preparation

    def _measure(self) -> None:
        texts, layout = self.texts, self.layout
        self.left = row_names_width(texts, self.shaper) if texts.rows else SIDE_MARGIN
        self.band_top = TOP_MARGIN + layout.top
        under = UNDER_BAND_WITH_NOTES if any(texts.notes) else UNDER_BAND
        self._rows_top = self.band_top + self.sizes.band + under
        self.width = self.left + layout.width + SIDE_MARGIN + 0.5 * widest_number(texts, self.shaper)
        self.height = self._rows_top + (len(texts.rows) * ROW_HEIGHT + 8.0 if texts.rows else 0.0)

    def _prepare_looks(self) -> None:
        posteriors = self.exploration.posteriors
        shown = Layer.POSTERIOR in self.layers
        s = strength(posteriors) if shown else np.full(len(posteriors), PLAIN_STRENGTH)
        self._arc_widths = arc_width(posteriors) if shown else np.full(len(posteriors), THINNEST_ARC)
        self._tones = [arc_tone(self.palette, float(x)) for x in s]
        self._inks = [label_ink(self.palette, float(x)) for x in s]
        arcs = np.flatnonzero(self.layout.lane >= 0)
        self._order: NDArray[np.intp] = arcs[np.argsort(posteriors[arcs], kind="stable")]

    def _arc_path(self, edge: int) -> QPainterPath:
        layout = self.layout
        left, right = self.left + layout.left[edge], self.left + layout.right[edge]
        leg, height = layout.leg[edge], layout.height[edge]
        base, top = self.band_top, self.band_top - height
        path = QPainterPath(QPointF(left, base + FOOT))
        path.lineTo(left, base)
        path.cubicTo(left + 0.06 * leg, base - 0.64 * height, left + 0.28 * leg, top, left + leg, top)
        path.lineTo(right - leg, top)
        path.cubicTo(right - 0.28 * leg, top, right - 0.06 * leg, base - 0.64 * height, right, base)
        path.lineTo(right, base + FOOT)
        return path

    # Painting

    def _paint(self, painter: QPainter, visible: QRectF, marks: Marks, ink: Ink) -> None:
        marked, shown = self._marked_edges(marks, np.arange(self.exploration.n_edges)), self._visible_edges(visible)
        node_x = self.left + self.layout.node_x
        band = Band(painter, ink, self.palette, self.exploration, self.texts, node_x, self.band_top, self.sizes.band)
        self._paint_walls(painter, node_x)
        self._paint_arcs(painter, shown, marked)
        paint_band(band)
        if marks.span is not None:
            paint_span(band, marks.span)
        for edge in np.flatnonzero(shown).tolist():
            if self.exploration.is_best[edge]:
                write_best(band, edge, bool(marked[edge]))
            else:
                self._write_arc(ink, edge, bool(marked[edge]))
        for i, row in enumerate(self.texts.rows):
            paint_row(band, row, self._rows_top + i * ROW_HEIGHT, self.width, marks.filled)
        ink.draw(painter)

    def _visible_edges(self, visible: QRectF) -> NDArray[np.bool_]:
        lattice, x = self.exploration.lattice, self.left + self.layout.node_x
        return (x[lattice.edge_start] < visible.right()) & (x[lattice.edge_end] > visible.left())

    def _paint_arcs(self, painter: QPainter, shown: NDArray[np.bool_], marked: NDArray[np.bool_]) -> None:
        """Faint ones first, probable ones later, marked ones last."""
        painter.setBrush(Qt.BrushStyle.NoBrush)
        ranked = [(bool(marked[edge]), i) for i, edge in enumerate(self._order) if shown[edge]]
        for is_marked, i in sorted(ranked):
            edge, path = int(self._order[i]), self._arcs[i]
            if is_marked:
                self._paint_double(painter, path, max(THINNEST_MARKED, float(self._arc_widths[edge])))
            else:
                self._stroke(painter, path, self.palette.paper, self._arc_widths[edge] + CASING)
                self._stroke(painter, path, self._tones[edge], self._arc_widths[edge], dashed=self._is_unknown(edge))

    def _paint_walls(self, painter: QPainter, node_x: NDArray[np.float64]) -> None:
        bottom = self.band_top + self.sizes.band + WALL_FOOT
        painter.setPen(wall_pen(self.palette))
        painter.drawLines([QLineF(x, TOP_MARGIN, x, bottom) for x in node_x[self.exploration.lattice.walls].tolist()])

    def _paint_double(self, painter: QPainter, path: QPainterPath, width: float) -> None:
        self._stroke(painter, path, self.palette.paper, width + CASING)
        self._stroke(painter, path, self.palette.picked, width)
        self._stroke(painter, path, self.palette.paper, max(1.0, width - 3.0))

    def _is_unknown(self, edge: int) -> bool:
        return bool(self.exploration.lattice.edge_is_unknown[edge])

    def _stroke(
        self, painter: QPainter, path: QPainterPath, colour: str, width: float, *, dashed: bool = False
    ) -> None:
        pen = unknown_pen(colour, width) if dashed else QPen(QColor(colour), width)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
        painter.drawPath(path)

    def _write_arc(self, ink: Ink, edge: int, marked: bool) -> None:
        palette, layout = self.palette, self.layout
        x, y = self.left + layout.label_x[edge], self.band_top - layout.height[edge]
        colour = palette.picked if marked else self._inks[edge]
        half = 0.5 * float(self._arc_widths[edge]) - 0.5
        piece, score = self.texts.pieces[edge], self.texts.scores[edge]
        ink.put(x, y - 5.5 - half, piece, PIECE_BOLD if marked else PIECE, colour, quiet=palette.ink3)
        if score:
            score_colour = palette.picked if marked else mix(palette.ink3, colour, 0.35)
            ink.put(x, y + 13.0 + half, score, SCORE_BOLD if marked else SCORE, score_colour)

    # What lies where

    def edge_rect(self, edge: int) -> QRectF:
        """The label of an arc; a piece of the band."""
        layout, lattice = self.layout, self.exploration.lattice
        if layout.lane[edge] >= 0:
            half = 0.5 * max(24.0, label_width(self.exploration, self.texts, self.shaper, edge) + 8.0)
            y, height = self.band_top - layout.height[edge], 38.0 if self.texts.scores[edge] else 23.0
            return QRectF(self.left + layout.label_x[edge] - half, y - 20.0, 2.0 * half, height)
        left, right = layout.node_x[lattice.edge_start[edge]], layout.node_x[lattice.edge_end[edge]]
        return QRectF(self.left + left, self.band_top - 1.0, right - left, self.sizes.band + 2.0)

    def edge_at(self, x: float, y: float) -> int:
        if y >= self.band_top:
            return self._best_edge_at(x - self.left) if y < self._rows_top else -1
        for edge in self._order[::-1].tolist():
            if self.edge_rect(edge).contains(x, y):
                return edge
        distance = self._arc_distances(x - self.left, self.band_top - y)
        nearest = int(np.argmin(distance))
        return nearest if distance[nearest] <= HIT_DISTANCE else -1

    def boundary_place(self, boundary: int) -> QPointF:
        return QPointF(self.left + float(self.layout.node_x[boundary]), self.band_top)

    def wall_at(self, x: float, y: float) -> int:
        """A wall at its node."""
        on_node = abs(y - self.band_top - 0.5 * self.sizes.band) <= BEST_NODE
        places = self.left + self.layout.node_x[self.exploration.lattice.walls]
        return self._nearest_wall(places - x, BEST_NODE) if on_node else -1

    def character_at(self, x: float, y: float) -> int:
        """A character of the band, -1 beside it."""
        inside = self.band_top <= y < self.band_top + self.sizes.band and 0.0 <= x - self.left < self.layout.width
        return self.character_near(x) if inside else -1

    def character_near(self, x: float, y: float = 0.0) -> int:
        column = int(np.searchsorted(self.layout.node_x, x - self.left, side="right")) - 1
        return min(max(column, 0), self.exploration.n_characters - 1)

    def _best_edge_at(self, x: float) -> int:
        if not 0.0 <= x < self.layout.width:
            return -1
        path = self.exploration.best
        character = int(np.searchsorted(self.layout.node_x, x, side="right")) - 1
        return path.edges[int(np.searchsorted(path.ends, character, side="right"))]

    def _arc_distances(self, x: float, height: float) -> NDArray[np.float64]:
        """How far a point is from each arc: across its leg, or from its flat run."""
        layout = self.layout
        reached = (layout.lane >= 0) & (layout.height >= height - HIT_DISTANCE)
        share = np.clip(height / np.where(layout.height > 0.0, layout.height, 1.0), 0.0, 1.0)
        offset = layout.leg * leg_offset(share)
        across = np.minimum(np.abs(x - layout.left - offset), np.abs(layout.right - offset - x))
        over_run = (x >= layout.left + layout.leg) & (x <= layout.right - layout.leg)
        distance = np.where(over_run, np.minimum(across, np.abs(height - layout.height)), across)
        return np.where(reached, np.maximum(0.0, distance - 0.5 * self._arc_widths), np.inf)
