"""What the graph and the bricks have in common: the face they show to the view and to figures.

In: an `Exploration` and a theme. Out: an object of fixed size that paints any part of itself, says which edge lies at
a point and where an edge lies, and walks from edge to edge. Coordinates start at the upper left corner of the
drawing; the view adds scrolling and scale.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from unigram_gui.ink import Ink, Label
from unigram_gui.shaping import Shaper
from unigram_gui.tasks.exploration import Exploration
from unigram_gui.theme import Palette, Theme
from unigram_gui.views.lattice import navigation

FOCUS_RADIUS = 6.0
BEST_ROW = -1


class Layer(StrEnum):
    """What a drawing shows beside the pieces themselves."""

    LN_P = "ln_p"
    POSTERIOR = "posterior"
    FORWARD_BACKWARD = "forward_backward"
    IDS = "ids"


ALL_LAYERS = frozenset(Layer)
DEFAULT_LAYERS = frozenset({Layer.LN_P, Layer.POSTERIOR, Layer.IDS})


@dataclass(frozen=True)
class Stage:
    """One step of a computation that is drawn along: its edges, and a row of numbers under the nodes.

    The row shows its numbers from boundary filled[0] to filled[1]; None: there is no row.
    """

    edges: frozenset[int]
    letter: str
    name: str
    numbers: tuple[str, ...]
    filled: tuple[int, int] | None


@dataclass(frozen=True)
class Marks:
    """What a person points at: pieces and edges in orange, the edge in keyboard focus, the selected span."""

    pieces: frozenset[int] = frozenset()
    focused: int = -1
    edges: frozenset[int] = frozenset()
    span: tuple[int, int] | None = None
    filled: tuple[int, int] | None = None


NO_MARKS = Marks()


class LatticeDrawing(ABC):
    """A drawing of one lattice. It holds prepared arrays and paths, and never changes."""

    width: float
    height: float
    scale: float = 1.0  # of the whole drawing; width and height are before it
    row: NDArray[np.int32]  # of every edge, growing downwards, BEST_ROW for the best path

    def __init__(self, exploration: Exploration, theme: Theme, shaper: Shaper, layers: frozenset[Layer]) -> None:
        self.exploration = exploration
        self.theme = theme
        self.shaper = shaper
        self.layers = layers

    @property
    def palette(self) -> Palette:
        return self.theme.palette

    @property
    def leaves_out_scores(self) -> bool:
        """Whether ln p of some pieces has no room although its layer is on."""
        return False

    @property
    def has_walls(self) -> bool:
        return len(self.exploration.lattice.walls) > 0

    def paint(self, painter: QPainter, visible: QRectF, marks: Marks = NO_MARKS) -> None:
        """Draw what lies in `visible` (in the drawing's coordinates)."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint(painter, visible, marks, Ink(self.shaper))
        if marks.focused >= 0:
            self._paint_focus(painter, self.edge_rect(marks.focused))

    def labels(self, painter: QPainter, marks: Marks = NO_MARKS) -> list[Label]:
        """Every label of the whole drawing; it is painted on `painter` in passing."""
        ink = Ink(self.shaper, keep_labels=True)
        self._paint(painter, QRectF(0.0, 0.0, self.width, self.height), marks, ink)
        return ink.labels

    @abstractmethod
    def _paint(self, painter: QPainter, visible: QRectF, marks: Marks, ink: Ink) -> None: ...

    @abstractmethod
    def edge_at(self, x: float, y: float) -> int:
        """The edge at a point, -1 where there is none."""

    @abstractmethod
    def edge_rect(self, edge: int) -> QRectF:
        """The rectangle that stands for an edge: for the focus ring, the tooltip and scrolling."""

    @abstractmethod
    def boundary_place(self, boundary: int) -> QPointF:
        """Where a boundary of the text is, at the upper side of what belongs to it."""

    def character_at(self, x: float, y: float) -> int:
        """The character of the text line at a point, -1 where there is none."""
        return -1

    def wall_at(self, x: float, y: float) -> int:
        """The boundary of a wall at a point, -1 where there is none."""
        return -1

    def _nearest_wall(self, distances: NDArray[np.float64], reach: float) -> int:
        walls = self.exploration.lattice.walls
        nearest = int(np.argmin(np.abs(distances))) if len(walls) else -1
        return int(walls[nearest]) if nearest >= 0 and abs(distances[nearest]) <= reach else -1

    def character_near(self, x: float, y: float = 0.0) -> int:
        """The character whose column is nearest to a place: where a drag along the text has come to."""
        raise NotImplementedError

    def move(self, edge: int, dx: int, dy: int) -> int:
        """The edge that an arrow key leads to."""
        lattice = self.exploration.lattice
        if edge < 0:
            return navigation.first_edge(self.row, lattice.edge_start, BEST_ROW)
        if dx:
            return navigation.step_sideways(self.row, lattice.edge_start, edge, dx)
        return navigation.step_rows(self.row, lattice.edge_start, lattice.edge_end, edge, dy)

    def end(self, direction: int) -> int:
        """The first (-1) or last (1) piece of the best path."""
        find = navigation.first_edge if direction < 0 else navigation.last_edge
        return find(self.row, self.exploration.lattice.edge_start, BEST_ROW)

    def _marked_edges(self, marks: Marks, edges: NDArray[np.int64]) -> NDArray[np.bool_]:
        marked = np.isin(self.exploration.lattice.edge_piece[edges], list(marks.pieces))
        return marked | np.isin(edges, list(marks.edges)) if marks.edges else marked

    def _paint_focus(self, painter: QPainter, rect: QRectF) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for colour, style in ((self.palette.paper, Qt.PenStyle.SolidLine), (self.palette.ink, Qt.PenStyle.DotLine)):
            painter.setPen(QPen(QColor(colour), 1.6, style))
            painter.drawRoundedRect(rect.adjusted(-2.5, -2.5, 2.5, 2.5), FOCUS_RADIUS, FOCUS_RADIUS)
