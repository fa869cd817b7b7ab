"""The band of the graph: the best path with its letters and nodes, what is written under it, the rows below.

In: painter, ink, texts and the places of the nodes. Out: painting.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from unigram_gui.characters import cell_text
from unigram_gui.ink import Ink
from unigram_gui.tasks.exploration import Exploration
from unigram_gui.theme import BOLD, FontSpec, Palette, mix
from unigram_gui.views.lattice.graph_texts import (
    BEST_PIECE,
    BEST_SCORE,
    LETTER,
    NAME_GAP,
    ROW_NAME,
    ROW_NAME_GAP,
    ROW_TEXT,
    SCORE,
    GraphTexts,
    Row,
)
from unigram_gui.views.lattice.looks import unknown_pen

BEST_NODE, INNER_NODE, NODE_GAP = 13.0, 9.5, 3.0
BRACKET_INSET = 22.0
SPAN_REACH = BEST_NODE + NODE_GAP + 2.0
ROW_HEIGHT = 24.0
NODE_NUMBER = FontSpec("sans", 12.0, BOLD)
INNER_NUMBER = FontSpec("sans", 10.0, BOLD)


@dataclass(frozen=True, eq=False)
class Band:
    """What the band is painted with, and where: `node_x` by boundary, `top` and `height` of the band itself."""

    painter: QPainter
    ink: Ink
    palette: Palette
    seen: Exploration
    texts: GraphTexts
    node_x: NDArray[np.float64]
    top: float
    height: float

    @property
    def middle(self) -> float:
        return self.top + 0.5 * self.height


def paint_band(band: Band) -> None:
    """The pieces of the best path, the nodes, the letters."""
    x, palette, radius = band.node_x, band.palette, 0.5 * band.height
    unknown: set[int] = set()  # characters in what is not in the vocabulary
    for start, end, is_unknown in _best_stretches(band.seen):
        if is_unknown:
            unknown.update(range(start, end))
        band.painter.setPen(unknown_pen(palette.best, 2.0) if is_unknown else QPen(Qt.PenStyle.NoPen))
        band.painter.setBrush(QColor(palette.best_tint if is_unknown else palette.best))
        inset = 1.0 if is_unknown else 0.0
        rect = QRectF(x[start], band.top, x[end] - x[start], band.height).adjusted(0.0, inset, 0.0, -inset)
        band.painter.drawRoundedRect(rect, radius, radius)
    cuts = {0, *(end for _, end, _ in _best_stretches(band.seen))}
    for i in range(len(x)):
        (_paint_cut if i in cuts else _paint_inner)(band, i)
    quiet = mix(palette.best, palette.on_best, 0.65)
    baseline = band.middle + 0.36 * LETTER.size
    for i, character in enumerate(band.seen.lattice.text):
        middle = 0.5 * float(x[i] + x[i + 1])
        colours = (palette.best_text, palette.best_text) if i in unknown else (palette.on_best, quiet)
        band.ink.put(middle, baseline, cell_text(character), LETTER, colours[0], quiet=colours[1])


def _best_stretches(seen: Exploration) -> list[tuple[int, int, bool]]:
    """The tokens of the best path: where they begin and end, and whether they are unknown."""
    runs = [(*seen.run_of(edge), bool(seen.lattice.edge_is_unknown[edge])) for edge in seen.best.edges]
    return list(dict.fromkeys(runs))


def paint_span(band: Band, span: tuple[int, int]) -> None:
    """The selected stretch of the text: a frame round its letters and the nodes at its ends."""
    left, right = float(band.node_x[span[0]]), float(band.node_x[span[1]])
    around = QRectF(left, band.top, right - left, band.height).adjusted(-SPAN_REACH, -4.0, SPAN_REACH, 4.0)
    band.painter.setBrush(Qt.BrushStyle.NoBrush)
    band.painter.setPen(QPen(QColor(band.palette.picked), 2.0))
    band.painter.drawRoundedRect(around, 0.5 * around.height(), 0.5 * around.height())


def write_best(band: Band, edge: int, marked: bool) -> None:
    """Under a piece of the best path: a bracket, the piece with its ln p, ID and posterior."""
    lattice, palette, bottom = band.seen.lattice, band.palette, band.top + band.height
    left, right = float(band.node_x[lattice.edge_start[edge]]), float(band.node_x[lattice.edge_end[edge]])
    line = palette.picked if marked else mix(palette.paper, palette.best_text, 0.55)
    band.painter.setPen(QPen(QColor(line), 2.0 if marked else 1.0))
    run = band.seen.run_of(edge)
    opens = run[0] < lattice.edge_start[edge], run[1] > lattice.edge_end[edge]
    insets = [0.0 if opened else BRACKET_INSET for opened in opens]
    band.painter.drawLine(QLineF(left + insets[0], bottom + 7.5, right - insets[1], bottom + 7.5))
    middle = 0.5 * (left + right)
    _write_piece(band, edge, middle, bottom + 26.0, marked)
    if band.texts.notes[edge]:
        around = 0.5 * float(band.node_x[run[0]] + band.node_x[run[1]])
        band.ink.put(around, bottom + 42.0, band.texts.notes[edge], SCORE, palette.ink3)


def paint_row(band: Band, row: Row, top: float, width: float, filled: tuple[int, int] | None = None) -> None:
    """A row of numbers, one under each node, between two hairlines."""
    palette, baseline = band.palette, top + ROW_HEIGHT - 8.0
    band.painter.setPen(QPen(QColor(palette.hairline), 1.0))
    for y in (top, top + ROW_HEIGHT):
        band.painter.drawLine(QLineF(0.0, y, width, y))
    letter_width = band.ink.put(0.0, baseline, row.letter, ROW_NAME, palette.ink, align=0.0)
    band.ink.put(letter_width + ROW_NAME_GAP, baseline, row.name, ROW_TEXT, palette.ink3, align=0.0)
    first, last = filled if row.fills and filled is not None else (0, len(row.numbers))
    for i, (x, text) in enumerate(zip(band.node_x.tolist(), row.numbers, strict=True)):
        if first <= i <= last:
            band.ink.put(x, baseline, text, ROW_TEXT, palette.ink)


def _write_piece(band: Band, edge: int, middle: float, baseline: float, marked: bool) -> None:
    piece, score, palette = band.texts.pieces[edge], band.texts.scores[edge], band.palette
    gap = NAME_GAP if score else 0.0
    x = middle - 0.5 * (band.ink.width(piece, BEST_PIECE) + gap + band.ink.width(score, BEST_SCORE))
    colour = palette.picked if marked else palette.best_text
    x += band.ink.put(x, baseline, piece, BEST_PIECE, colour, align=0.0) + gap
    if score:
        band.ink.put(x, baseline, score, BEST_SCORE, palette.picked if marked else palette.ink, align=0.0)


def _paint_cut(band: Band, node: int) -> None:
    """A node of the best path, with a gap of paper round it."""
    centre, palette = QPointF(band.node_x[node], band.middle), band.palette
    band.painter.setPen(Qt.PenStyle.NoPen)
    band.painter.setBrush(QColor(palette.paper))
    band.painter.drawEllipse(centre, BEST_NODE + NODE_GAP, BEST_NODE + NODE_GAP)
    band.painter.setPen(QPen(QColor(palette.best), 2.5))
    band.painter.drawEllipse(centre, BEST_NODE, BEST_NODE)
    band.ink.put(centre.x(), band.middle + 4.3, str(node), NODE_NUMBER, palette.best_text)


def _paint_inner(band: Band, node: int) -> None:
    """A node inside a piece of the best path."""
    centre = QPointF(band.node_x[node], band.middle)
    band.painter.setPen(Qt.PenStyle.NoPen)
    band.painter.setBrush(QColor(band.palette.best_deep))
    band.painter.drawEllipse(centre, INNER_NODE, INNER_NODE)
    band.ink.put(centre.x(), band.middle + 3.6, str(node), INNER_NUMBER, band.palette.on_best)
