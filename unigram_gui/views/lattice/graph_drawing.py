"""The graph: the best path as a band with the text's letters, every other piece an arc over it.

In: an `Exploration`, a pitch that the view's width allows. Out: a `LatticeDrawing`. Coordinates come from
`graph_layout.py`, widths and tones from `looks.py`; this module turns them into paths, once, and paints them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from unigram_gui.characters import cell_text
from unigram_gui.ink import Ink
from unigram_gui.number_text import log_text, percent_text, probability_text
from unigram_gui.shaping import Shaper
from unigram_gui.tasks.exploration import Exploration
from unigram_gui.theme import BOLD, SEMI_BOLD, FontSpec, Theme, mix
from unigram_gui.views.lattice.drawing import BEST_ROW, LatticeDrawing, Layer, Marks
from unigram_gui.views.lattice.graph_layout import (
    LARGEST_PITCH,
    SMALLEST_PITCH,
    WINDOW_SIZES,
    GraphContent,
    GraphSizes,
    lay_out_graph,
    leg_offset,
)
from unigram_gui.views.lattice.looks import THINNEST_ARC, arc_tone, arc_width, label_ink, strength

NARROWEST_PITCH = 56.0  # under it the view goes to bricks
SIDE_MARGIN, TOP_MARGIN = 20.0, 24.0
ROW_NAMES_GAP = 14.0  # between the names of the forward and backward rows and their first numbers
BEST_NODE, INNER_NODE, NODE_GAP = 13.0, 9.5, 3.0
NAME_GAP = 9.0  # between a piece and its ln p under the band
ROW_HEIGHT = 24.0
FOOT = 12.0  # how far arcs reach down behind the band
HIT_DISTANCE = 5.0
SMALLEST_PLAIN = 1e-6  # forward and backward smaller than this are written as logarithms

PIECE = FontSpec("mono", 13.5)
PIECE_BOLD = FontSpec("mono", 13.5, BOLD)
SCORE = FontSpec("sans", 10.5)
SCORE_BOLD = FontSpec("sans", 10.5, BOLD)
LETTER = FontSpec("mono", 25.0, SEMI_BOLD)
BEST_PIECE = FontSpec("mono", 14.0, BOLD)
BEST_SCORE = FontSpec("sans", 11.5, BOLD)
NODE_NUMBER = FontSpec("sans", 12.0, BOLD)
INNER_NUMBER = FontSpec("sans", 10.0, BOLD)
ROW_NAME = FontSpec("sans", 12.0, BOLD)
ROW_TEXT = FontSpec("sans", 11.5)


def fitting_pitch(exploration: Exploration, available: float, zoom: float = 1.0) -> float:
    """The pitch that fills a width within its bounds; a zoom under 1 goes below them."""
    room = (available - 2.0 * SIDE_MARGIN) / max(1, exploration.n_characters)
    return float(np.clip(room, SMALLEST_PITCH, LARGEST_PITCH)) * min(1.0, zoom)


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
    ) -> None:
        super().__init__(exploration, theme, shaper, layers)
        self.sizes = sizes
        self._shows_scores = Layer.LN_P in layers and pitch >= SMALLEST_PITCH
        self._prepare_texts()
        self.layout = lay_out_graph(self._content(), max(pitch, NARROWEST_PITCH), sizes)
        self.row = np.where(self.layout.lane < 0, BEST_ROW, -2 - self.layout.lane).astype(np.int32)
        self._measure()
        self._prepare_looks()
        self._arcs = [self._arc_path(int(edge)) for edge in self._order]

    # Preparation

    def _prepare_texts(self) -> None:
        seen, lattice = self.exploration, self.exploration.lattice
        self._pieces = [seen.edge_text(edge) for edge in range(seen.n_edges)]
        self._scores = [log_text(float(score)) for score in lattice.edge_log_p] if self._shows_scores else []
        self._notes = {int(edge): self._note(int(edge)) for edge in np.flatnonzero(seen.is_best)}
        self._rows = self._forward_backward_rows() if Layer.FORWARD_BACKWARD in self.layers else ()

    def _note(self, edge: int) -> str:
        """What stands under a piece of the best path."""
        share = percent_text(float(self.exploration.posteriors[edge]))
        if Layer.IDS not in self.layers:
            return f"posterior {share}" if Layer.POSTERIOR in self.layers else ""
        numbers = "ID " + " ".join(str(i) for i in self.exploration.token_ids(edge))
        return f"{numbers}  ·  {share}" if Layer.POSTERIOR in self.layers else numbers

    def _forward_backward_rows(self) -> tuple[tuple[str, str, list[str]], ...]:
        logs = (self.exploration.log_forward, self.exploration.log_backward)
        plain = min(float(values.min()) for values in logs) >= np.log(SMALLEST_PLAIN)
        sign, write = ("", lambda x: probability_text(float(np.exp(x)))) if plain else ("ln ", log_text)
        names = (("α", "forward"), ("β", "backward"))
        return tuple(
            (sign + letter, name, [write(float(x)) for x in values])
            for (letter, name), values in zip(names, logs, strict=True)
        )

    def _content(self) -> GraphContent:
        lattice = self.exploration.lattice
        width = np.array([self._label_width(edge) for edge in range(len(self._pieces))])
        letters = [self.shaper.width(cell_text(c), LETTER) for c in lattice.text]
        cell_width = np.array(letters) + 2.0 * (INNER_NODE + NODE_GAP + 3.0)
        if self._rows:
            cell_width = np.maximum(cell_width, self._widest_number() + 12.0)
        return GraphContent(lattice.edge_start, lattice.edge_end, self.exploration.is_best, width, cell_width)

    def _label_width(self, edge: int) -> float:
        measure = self.shaper.width
        if not self.exploration.is_best[edge]:
            score = measure(self._scores[edge], SCORE_BOLD) if self._scores else 0.0
            return max(measure(self._pieces[edge], PIECE_BOLD), score)
        score = NAME_GAP + measure(self._scores[edge], BEST_SCORE) if self._scores else 0.0
        return max(measure(self._pieces[edge], BEST_PIECE) + score, measure(self._notes[edge], SCORE))

    def _measure(self) -> None:
        layout = self.layout
        self._x = self._row_names_width() if self._rows else SIDE_MARGIN
        self._band_top = TOP_MARGIN + layout.top
        self._middle = self._band_top + 0.5 * self.sizes.band
        self._rows_top = self._band_top + self.sizes.band + (58.0 if any(self._notes.values()) else 42.0)
        end = SIDE_MARGIN + (0.5 * self._widest_number() if self._rows else 0.0)
        self.width = self._x + layout.width + end
        self.height = self._rows_top + (2.0 * ROW_HEIGHT + 8.0 if self._rows else 0.0)

    def _widest_number(self) -> float:
        return max(self.shaper.width(text, ROW_TEXT) for _, _, row in self._rows for text in row)

    def _row_names_width(self) -> float:
        """Room left of the first node, so that its numbers stand clear of the names of the rows."""
        measure = self.shaper.width
        names = max(measure(letter, ROW_NAME) + 6.0 + measure(name, ROW_TEXT) for letter, name, _ in self._rows)
        return names + ROW_NAMES_GAP + 0.5 * max(measure(row[0], ROW_TEXT) for _, _, row in self._rows)

    def _prepare_looks(self) -> None:
        posteriors = self.exploration.posteriors
        shown = Layer.POSTERIOR in self.layers
        s = strength(posteriors) if shown else np.full(len(posteriors), 0.4)
        widths = arc_width(posteriors) if shown else np.full(len(posteriors), THINNEST_ARC)
        self._arc_widths = widths
        self._tones = [arc_tone(self.palette, float(x)) for x in s]
        self._inks = [label_ink(self.palette, float(x)) for x in s]
        arcs = np.flatnonzero(self.layout.lane >= 0)
        self._order: NDArray[np.intp] = arcs[np.argsort(posteriors[arcs], kind="stable")]

    def _arc_path(self, edge: int) -> QPainterPath:
        layout = self.layout
        left, right = self._x + layout.left[edge], self._x + layout.right[edge]
        leg, height = layout.leg[edge], layout.height[edge]
        base, top = self._band_top, self._band_top - height
        path = QPainterPath(QPointF(left, base + FOOT))
        path.lineTo(left, base)
        path.cubicTo(left + 0.06 * leg, base - 0.64 * height, left + 0.28 * leg, top, left + leg, top)
        path.lineTo(right - leg, top)
        path.cubicTo(right - 0.28 * leg, top, right - 0.06 * leg, base - 0.64 * height, right, base)
        path.lineTo(right, base + FOOT)
        return path

    # Painting

    def _paint(self, painter: QPainter, visible: QRectF, marks: Marks, ink: Ink) -> None:
        marked = self._marked_edges(marks)
        shown = self._visible_edges(visible)
        self._paint_arcs(painter, shown, marked)
        self._paint_band(painter, ink)
        for edge in np.flatnonzero(shown):
            self._write_edge(painter, ink, int(edge), bool(marked[edge]))
        if self._rows:
            self._paint_rows(painter, ink)
        ink.draw(painter)

    def _visible_edges(self, visible: QRectF) -> NDArray[np.bool_]:
        lattice, x = self.exploration.lattice, self._x + self.layout.node_x
        return (x[lattice.edge_start] < visible.right()) & (x[lattice.edge_end] > visible.left())

    def _paint_arcs(self, painter: QPainter, shown: NDArray[np.bool_], marked: NDArray[np.bool_]) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        ranked = [(bool(marked[edge]), i, int(edge)) for i, edge in enumerate(self._order) if shown[edge]]
        for is_marked, i, edge in sorted(ranked):
            width = max(3.0, self._arc_widths[edge]) if is_marked else self._arc_widths[edge]
            self._stroke(painter, self._arcs[i], self.palette.paper, width + 4.0)
            self._stroke(painter, self._arcs[i], self.palette.picked if is_marked else self._tones[edge], width)
            if is_marked:
                self._stroke(painter, self._arcs[i], self.palette.paper, max(1.0, width - 3.0))

    def _stroke(self, painter: QPainter, path: QPainterPath, colour: str, width: float) -> None:
        pen = QPen(QColor(colour), width)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
        painter.drawPath(path)

    def _paint_band(self, painter: QPainter, ink: Ink) -> None:
        x, palette = self._x + self.layout.node_x, self.palette
        path = self.exploration.best
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(palette.best))
        for start, end in zip(path.starts, path.ends, strict=True):
            rect = QRectF(x[start], self._band_top, x[end] - x[start], self.sizes.band)
            painter.drawRoundedRect(rect, 0.5 * self.sizes.band, 0.5 * self.sizes.band)
        self._paint_nodes(painter, ink)
        baseline = self._middle + 0.36 * LETTER.size
        quiet = mix(palette.best, palette.on_best, 0.65)
        for i, character in enumerate(self.exploration.lattice.text):
            ink.put(0.5 * (x[i] + x[i + 1]), baseline, cell_text(character), LETTER, palette.on_best, quiet=quiet)

    def _paint_nodes(self, painter: QPainter, ink: Ink) -> None:
        x, palette = self._x + self.layout.node_x, self.palette
        cuts = {0, *self.exploration.best.ends}
        for i in range(len(x)):
            centre = QPointF(x[i], self._middle)
            if i in cuts:
                self._paint_cut(painter, centre)
                ink.put(x[i], self._middle + 4.3, str(i), NODE_NUMBER, palette.best_text)
            else:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(palette.best_deep))
                painter.drawEllipse(centre, INNER_NODE, INNER_NODE)
                ink.put(x[i], self._middle + 3.6, str(i), INNER_NUMBER, palette.on_best)

    def _paint_cut(self, painter: QPainter, centre: QPointF) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self.palette.paper))
        painter.drawEllipse(centre, BEST_NODE + NODE_GAP, BEST_NODE + NODE_GAP)
        painter.setPen(QPen(QColor(self.palette.best), 2.5))
        painter.drawEllipse(centre, BEST_NODE, BEST_NODE)

    def _write_edge(self, painter: QPainter, ink: Ink, edge: int, marked: bool) -> None:
        if self.exploration.is_best[edge]:
            self._write_best(painter, ink, edge, marked)
            return
        palette, layout = self.palette, self.layout
        x, y = self._x + layout.label_x[edge], self._band_top - layout.height[edge]
        colour = palette.picked if marked else self._inks[edge]
        half = 0.5 * float(self._arc_widths[edge]) - 0.5
        ink.put(x, y - 5.5 - half, self._pieces[edge], PIECE_BOLD if marked else PIECE, colour, quiet=palette.ink3)
        if self._scores:
            score_colour = palette.picked if marked else mix(palette.ink3, colour, 0.35)
            ink.put(x, y + 13.0 + half, self._scores[edge], SCORE_BOLD if marked else SCORE, score_colour)

    def _write_best(self, painter: QPainter, ink: Ink, edge: int, marked: bool) -> None:
        lattice, palette, node_x = self.exploration.lattice, self.palette, self._x + self.layout.node_x
        left, right = node_x[lattice.edge_start[edge]], node_x[lattice.edge_end[edge]]
        bottom = self._band_top + self.sizes.band
        line = palette.picked if marked else mix(palette.paper, palette.best_text, 0.55)
        painter.setPen(QPen(QColor(line), 2.0 if marked else 1.0))
        painter.drawLine(QLineF(left + 22.0, bottom + 7.5, right - 22.0, bottom + 7.5))
        middle, colour = 0.5 * (left + right), palette.picked if marked else palette.best_text
        score = self._scores[edge] if self._scores else ""
        piece_width, score_width = ink.width(self._pieces[edge], BEST_PIECE), ink.width(score, BEST_SCORE)
        start = middle - 0.5 * (piece_width + (NAME_GAP + score_width if score else 0.0))
        ink.put(start, bottom + 26.0, self._pieces[edge], BEST_PIECE, colour, align=0.0)
        if score:
            score_colour = palette.picked if marked else palette.ink
            ink.put(start + piece_width + NAME_GAP, bottom + 26.0, score, BEST_SCORE, score_colour, align=0.0)
        if self._notes[edge]:
            ink.put(middle, bottom + 42.0, self._notes[edge], SCORE, palette.ink3)

    def _paint_rows(self, painter: QPainter, ink: Ink) -> None:
        x, palette = self._x + self.layout.node_x, self.palette
        painter.setPen(QPen(QColor(palette.hairline), 1.0))
        for i in range(3):
            y = self._rows_top + ROW_HEIGHT * i
            painter.drawLine(QLineF(0.0, y, self.width, y))
        for i, (letter, name, texts) in enumerate(self._rows):
            baseline = self._rows_top + ROW_HEIGHT * (i + 1) - 8.0
            width = ink.put(0.0, baseline, letter, ROW_NAME, palette.ink, align=0.0)
            ink.put(width + 6.0, baseline, name, ROW_TEXT, palette.ink3, align=0.0)
            for node, text in enumerate(texts):
                ink.put(x[node], baseline, text, ROW_TEXT, palette.ink)

    # What lies where

    def edge_rect(self, edge: int) -> QRectF:
        layout, lattice = self.layout, self.exploration.lattice
        if layout.lane[edge] >= 0:
            half = 0.5 * max(24.0, self._label_width(edge) + 8.0)
            y = self._band_top - layout.height[edge]
            return QRectF(self._x + layout.label_x[edge] - half, y - 20.0, 2.0 * half, 38.0 if self._scores else 23.0)
        left, right = layout.node_x[lattice.edge_start[edge]], layout.node_x[lattice.edge_end[edge]]
        return QRectF(self._x + left, self._band_top - 1.0, right - left, self.sizes.band + 2.0)

    def character_at(self, x: float, y: float) -> int:
        if abs(y - self._middle) > 0.5 * self.sizes.band or not 0.0 <= x - self._x < self.layout.width:
            return -1
        return int(np.searchsorted(self.layout.node_x, x - self._x, side="right")) - 1

    def edge_at(self, x: float, y: float) -> int:
        character = self.character_at(x, min(y, self._middle)) if self._band_top <= y < self._rows_top else -1
        if character >= 0 or y >= self._band_top:
            return self._best_edge_over(character)
        for edge in self._order[::-1]:
            if self.edge_rect(int(edge)).contains(x, y):
                return int(edge)
        distance = self._arc_distances(x - self._x, self._band_top - y)
        nearest = int(np.argmin(distance)) if len(distance) else -1
        return nearest if nearest >= 0 and distance[nearest] <= HIT_DISTANCE else -1

    def _best_edge_over(self, character: int) -> int:
        if character < 0:
            return -1
        path = self.exploration.best
        return path.edges[int(np.searchsorted(path.ends, character, side="right"))]

    def _arc_distances(self, x: float, height: float) -> NDArray[np.float64]:
        """How far a point is from each arc: across its leg, or from its flat run."""
        layout = self.layout
        inside = (layout.lane >= 0) & (layout.height >= height - HIT_DISTANCE)
        share = np.clip(height / np.where(layout.height > 0.0, layout.height, 1.0), 0.0, 1.0)
        offset = layout.leg * leg_offset(share)
        across = np.minimum(np.abs(x - layout.left - offset), np.abs(layout.right - offset - x))
        over_run = (x >= layout.left + layout.leg) & (x <= layout.right - layout.leg)
        distance = np.where(over_run, np.minimum(across, np.abs(height - layout.height)), across)
        return np.where(inside, np.maximum(0.0, distance - 0.5 * self._arc_widths), np.inf)
