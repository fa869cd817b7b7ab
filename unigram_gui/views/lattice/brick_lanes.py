"""The bricks themselves: the best lane, the other lanes, picked bricks, the bytes of unknown characters.

In: what is in sight and which edges. Out: painting. Bricks of one tone go into one path; letters go into the ink.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainterPath, QPen

from unigram_gui.theme import BOLD, MEDIUM, SEMI_BOLD, FontSpec, mix
from unigram_gui.views.lattice.brick_content import Token
from unigram_gui.views.lattice.brick_layout import BYTE_WIDTH, Detail
from unigram_gui.views.lattice.brick_parts import Sight, brick_rect, letter_spec, token_middle
from unigram_gui.views.lattice.looks import brick_colours

BEST_RADIUS, LANE_RADIUS, TONE_RADIUS, BYTE_RADIUS = 6.0, 4.5, 1.5, 3.5
SMALLER = 2.0  # letters of other lanes are so much smaller than those of the best lane
BYTE_TEXT = FontSpec("mono", 11.5, MEDIUM)


def paint_lanes(sight: Sight, edges: Iterable[int]) -> None:
    """All bricks beside the best path."""
    edges = list(edges)
    tones = sight.layout.detail == Detail.TONES
    for level, path in _paths_by_level(sight, edges, tones).items():
        fill, border, _ = brick_colours(sight.palette, level)
        sight.painter.setPen(Qt.PenStyle.NoPen if tones else QPen(QColor(border), 1.0))
        # Without a border a faint brick shows by its border's colour.
        sight.painter.setBrush(QColor(mix(fill, border, 0.5) if tones else fill))
        sight.painter.drawPath(path)
    if sight.layout.detail == Detail.ALL:
        for edge in edges:
            colour = brick_colours(sight.palette, int(sight.content.level[edge]))[2]
            _write_letters(sight, edge, MEDIUM, colour, sight.palette.ink3)


def paint_best(sight: Sight, edges: Iterable[int]) -> None:
    """The bricks of the best path."""
    edges = list(edges)
    radius = _radius(sight, BEST_RADIUS)
    gap = 0.5 if sight.layout.detail == Detail.TONES else 1.0
    path = QPainterPath()
    for edge in edges:
        path.addRoundedRect(_rect(sight, edge, gap), radius, radius)
    sight.painter.setPen(Qt.PenStyle.NoPen)
    sight.painter.setBrush(QColor(sight.palette.best))
    sight.painter.drawPath(path)
    quiet = mix(sight.palette.best, sight.palette.on_best, 0.65)
    for edge in edges if sight.layout.detail >= Detail.BEST_LETTERS else ():
        if not _is_bytes(sight, edge):
            _write_letters(sight, edge, SEMI_BOLD, sight.palette.on_best, quiet)


def paint_marked(sight: Sight, edge: int) -> None:
    """A brick that is pointed at or picked: tinted, outlined, its letters bold."""
    palette, tones = sight.palette, sight.layout.detail == Detail.TONES
    in_lane = sight.content.lane[edge] >= 0
    radius = _radius(sight, LANE_RADIUS if in_lane else BEST_RADIUS)
    rect = _rect(sight, edge, 1.0 if tones else 1.5)
    sight.painter.setPen(Qt.PenStyle.NoPen if tones else QPen(QColor(palette.picked), 2.0))
    sight.painter.setBrush(QColor(palette.picked if tones else palette.picked_tint))
    sight.painter.drawRoundedRect(rect if tones else rect.adjusted(0.0, 0.5, 0.0, -0.5), radius, radius)
    least = Detail.ALL if in_lane else Detail.BEST_LETTERS
    if sight.layout.detail >= least and not _is_bytes(sight, edge):
        _write_letters(sight, edge, BOLD, palette.picked, palette.picked)


def paint_bytes(sight: Sight, marked_pieces: frozenset[int]) -> None:
    """Over the brick of an unknown character: a tinted frame with a solid brick for each of its bytes."""
    palette, layout, x = sight.palette, sight.layout, sight.layout.column_x
    first, last = sight.columns
    for i in (np.flatnonzero(sight.content.n_bytes[first:last]) + first).tolist():
        frame = QRectF(x[i] + 1.0, layout.best_y, x[i + 1] - x[i] - 2.0, layout.sizes.best)
        sight.painter.setPen(QPen(QColor(palette.best), 1.6))
        sight.painter.setBrush(QColor(palette.best_tint))
        sight.painter.drawRoundedRect(frame.adjusted(0.8, 0.8, -0.8, -0.8), BEST_RADIUS, BEST_RADIUS)
        for token in sight.content.byte_tokens[i]:
            _paint_byte(sight, token, frame, token.id in marked_pieces)


def _paint_byte(sight: Sight, token: Token, frame: QRectF, marked: bool) -> None:
    palette, zoom = sight.palette, sight.layout.zoom
    middle = token_middle(sight.content, sight.layout, token)
    width = (BYTE_WIDTH - 2.0) * zoom
    brick = QRectF(middle - 0.5 * width, frame.top() + 4.0, width, frame.height() - 8.0)
    sight.painter.setPen(Qt.PenStyle.NoPen)
    sight.painter.setBrush(QColor(palette.picked_fill if marked else palette.best))
    sight.painter.drawRoundedRect(brick, BYTE_RADIUS, BYTE_RADIUS)
    if sight.layout.detail == Detail.ALL:
        sight.ink.put(middle, brick.center().y() + 4.2, token.text, BYTE_TEXT, palette.on_best)


def _paths_by_level(sight: Sight, edges: list[int], tones: bool) -> dict[int, QPainterPath]:
    radius = _radius(sight, TONE_RADIUS if tones else LANE_RADIUS)
    gap, inset = (0.5, 0.0) if tones else (1.5, 0.5)
    paths: dict[int, QPainterPath] = defaultdict(QPainterPath)
    for edge, level in zip(edges, sight.content.level[edges].tolist(), strict=True):
        paths[level].addRoundedRect(_rect(sight, edge, gap).adjusted(0.0, inset, 0.0, -inset), radius, radius)
    return paths


def _rect(sight: Sight, edge: int, gap: float) -> QRectF:
    return brick_rect(sight.seen, sight.content, sight.layout, edge, gap)


def _radius(sight: Sight, radius: float) -> float:
    return min(radius, 0.45 * sight.layout.column)


def _is_bytes(sight: Sight, edge: int) -> bool:
    is_best = sight.content.lane[edge] < 0
    return bool(is_best and sight.content.n_bytes[sight.seen.lattice.edge_start[edge]] > 0)


def _write_letters(sight: Sight, edge: int, weight: int, colour: str, quiet: str) -> None:
    lattice, layout, lane = sight.seen.lattice, sight.layout, int(sight.content.lane[edge])
    size = layout.letter_size - (SMALLER if lane >= 0 else 0.0)
    baseline = layout.lane_top(lane) + 0.5 * layout.lane_height(lane) + 0.35 * size
    start, end, put = int(lattice.edge_start[edge]), int(lattice.edge_end[edge]), sight.ink.put
    x = layout.column_x[start : end + 1].tolist()
    for cell, left, right in zip(sight.content.cells[start:end], x, x[1:], strict=False):
        put(0.5 * (left + right), baseline, cell, letter_spec(cell, size, weight), colour, quiet=quiet)
