"""A lattice as a figure that stands by itself: header, drawing, legend.

In: an `Exploration`, a theme, layers and which drawing. Out: something of a fixed size that paints itself, for PNG,
SVG and the clipboard. It is the same drawing as in the window, a little roomier.
"""

from __future__ import annotations

import math

from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen

from unigram_gui.ink import Ink, Label
from unigram_gui.number_text import count_text, count_text_of_log, log_text, probability_text
from unigram_gui.shaping import Shaper
from unigram_gui.tasks.exploration import Exploration
from unigram_gui.theme import BOLD, FontSpec, Theme
from unigram_gui.views.lattice import brick_layout, graph_layout, legend
from unigram_gui.views.lattice.brick_drawing import BrickDrawing
from unigram_gui.views.lattice.drawing import NO_MARKS, LatticeDrawing, Layer, Marks
from unigram_gui.views.lattice.graph_drawing import GraphDrawing, fitting_pitch

MARGIN, HEADER, LEGEND = 46.0, 66.0, 54.0
NARROWEST = 760.0  # the header and the legend need it
COMFORTABLE = 820.0  # what a short graph stretches to
SMALLEST_P = math.log(1e-6)

TITLE_TEXT = FontSpec("mono", 17.0, BOLD)
TITLE_NAME = FontSpec("sans", 17.0, BOLD)
NAME = FontSpec("sans", 12.0)
NUMBER = FontSpec("sans", 12.0, BOLD)
LONGEST_TITLE = 24  # characters of a text that is its own title


class LatticeFigure:
    """One lattice with its figures, ready to be painted at any scale."""

    def __init__(
        self,
        exploration: Exploration,
        theme: Theme,
        layers: frozenset[Layer],
        mode: str = "bricks",
        zoom: float = 1.0,
        marks: Marks = NO_MARKS,
    ) -> None:
        self.exploration, self.theme, self.mode = exploration, theme, mode
        self._layers, self._marks = layers, marks
        self._shaper = Shaper(theme)
        self.drawing = self._make_drawing(min(zoom, 1.0))
        self.width = max(NARROWEST, self.drawing.width) + 2.0 * MARGIN
        self.height = MARGIN + HEADER + self.drawing.height + LEGEND + 0.6 * MARGIN

    @property
    def background(self) -> str:
        return self.theme.palette.paper

    @property
    def title(self) -> str:
        seen = self.exploration
        return seen.text if self._text_is_title() else seen.model_name or "Lattice"

    def statistics(self) -> tuple[tuple[str, str], ...]:
        """Name and number of each figure in the header."""
        seen = self.exploration
        paths = count_text_of_log(seen.log_n_paths) if seen.n_paths is None else count_text(seen.n_paths)
        parts = [("paths", paths), ("pieces", count_text(seen.n_edges))]
        if not self._text_is_title():
            count, matching = count_text(seen.n_characters), count_text(seen.n_edges)
            parts = [("characters", count), ("pieces that match", matching), parts[0]]
        if seen.log_z > SMALLEST_P:
            parts.append(("P(x)", probability_text(math.exp(seen.log_z))))
        parts.append(("ln P(x)", log_text(seen.log_z)))
        parts.append(("entropy", f"{log_text(seen.entropy)} nats"))
        return tuple(parts)

    def paint(self, painter: QPainter) -> None:
        self._paint(painter, Ink(self._shaper))

    def labels(self, painter: QPainter) -> list[Label]:
        """The labels of header and legend, then those of the drawing; all is painted in passing."""
        ink = Ink(self._shaper, keep_labels=True)
        self._paint(painter, ink)
        return ink.labels + self.drawing.labels(painter, self._marks)

    def _text_is_title(self) -> bool:
        return self.mode == "graph" and len(self.exploration.text) <= LONGEST_TITLE

    def _make_drawing(self, zoom: float) -> LatticeDrawing:
        seen, theme, shaper = self.exploration, self.theme, self._shaper
        if self.mode == "graph":
            pitch = fitting_pitch(seen, COMFORTABLE - 2.0 * MARGIN)
            return GraphDrawing(seen, theme, shaper, self._layers, pitch, graph_layout.FIGURE_SIZES)
        return BrickDrawing(seen, theme, shaper, self._layers, zoom, brick_layout.FIGURE_SIZES)

    def _paint(self, painter: QPainter, ink: Ink) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(QRectF(0.0, 0.0, self.width, self.height), QColor(self.background))
        self._paint_header(painter, ink)
        painter.save()
        painter.translate(self._left(), MARGIN + HEADER)
        self.drawing.paint(painter, QRectF(0.0, 0.0, self.drawing.width, self.drawing.height), self._marks)
        painter.restore()
        middle = MARGIN + HEADER + self.drawing.height + 0.6 * LEGEND
        posterior = Layer.POSTERIOR in self._layers
        palette, room = self.theme.palette, self.width - 2.0 * MARGIN
        walls = self.drawing.has_walls  # nobody can zoom a figure: what has no room is not spoken of
        legend.paint_legend(painter, ink, palette, self.mode, MARGIN, middle, room, posterior, walls)
        ink.draw(painter)

    def _left(self) -> float:
        """A graph stands in the middle, bricks begin where the header begins."""
        return 0.5 * (self.width - self.drawing.width) if self.mode == "graph" else MARGIN

    def _paint_header(self, painter: QPainter, ink: Ink) -> None:
        palette, right, baseline = self.theme.palette, self.width - MARGIN, MARGIN + 4.0
        spec = TITLE_TEXT if self._text_is_title() else TITLE_NAME
        title_end = MARGIN + ink.put(MARGIN, baseline, self.title, spec, palette.ink, align=0.0, quiet=palette.ink3)
        for name, number in reversed(self.statistics()):
            width = ink.width(number, NUMBER) + 7.0 + ink.width(name, NAME)
            if right - width < title_end + 20.0:
                break
            ink.put(right, baseline, number, NUMBER, palette.ink, align=1.0)
            ink.put(right - width, baseline, name, NAME, palette.ink2, align=0.0)
            right -= width + 22.0
        painter.setPen(QPen(QColor(palette.hairline), 1.0))
        painter.drawLine(QLineF(MARGIN, baseline + 18.0, self.width - MARGIN, baseline + 18.0))
