"""The bricks themselves: the best lane, the other lanes, picked bricks, the bytes of unknown characters.

In: what is in sight and which edges. Out: painting. A brick that looks like one before is put down as its picture, with
its letters; where that cannot be, letters go into the ink.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from unigram_gui.ink import Ink
from unigram_gui.stamps import Key
from unigram_gui.theme import BOLD, MEDIUM, SEMI_BOLD, FontSpec, mix
from unigram_gui.views.lattice.brick_content import Token
from unigram_gui.views.lattice.brick_layout import BYTE_WIDTH, Detail
from unigram_gui.views.lattice.brick_parts import Sight, brick_rect, letter_spec, token_middle
from unigram_gui.views.lattice.looks import brick_colours, run_outline, unknown_pen

BEST_RADIUS, LANE_RADIUS, TONE_RADIUS, BYTE_RADIUS = 6.0, 4.5, 1.5, 3.5
SMALLER = 2.0  # letters of other lanes are so much smaller than those of the best lane
BYTE_TEXT = FontSpec("mono", 11.5, MEDIUM)

Edges = NDArray[np.int64]
BrickPainter = Callable[[Sight, int], None]


def paint_lanes(sight: Sight, edges: Edges) -> None:
    """All bricks beside the best path."""
    _paint_bricks(sight, edges, _paint_in_lane, Detail.ALL)


def paint_best(sight: Sight, edges: Edges) -> None:
    """The bricks of the best path."""
    _paint_bricks(sight, edges, _paint_in_best, Detail.BEST_LETTERS)


def _paint_bricks(sight: Sight, edges: Edges, paint: BrickPainter, letters_from: Detail) -> None:
    stamps, put = sight.stamps, sight.painter.drawPixmap
    if stamps is None:
        for edge in edges.tolist():
            paint(sight, edge)
        return
    lefts = np.rint(sight.layout.column_x[sight.seen.lattice.edge_start[edges]]).astype(np.int64)
    tops = [round(sight.layout.lane_top(lane)) for lane in range(-1, sight.layout.n_lanes)]
    lanes, keys = sight.content.lane[edges], _keys(sight, edges, letters_from)
    for edge, left, lane, key in zip(edges.tolist(), lefts.tolist(), lanes.tolist(), keys, strict=True):
        picture = stamps.find(key)
        if picture is None:
            picture = stamps.make(key, _rect(sight, edge, 0.0), _alone(sight, edge, paint))
        put(left, tops[lane + 1], picture)


def _keys(sight: Sight, edges: Edges, letters_from: Detail) -> Iterator[Key]:
    """What bricks look like: those with the same key are alike to the pixel."""
    lattice, layout, content = sight.seen.lattice, sight.layout, sight.content
    starts, ends = lattice.edge_start[edges], lattice.edge_end[edges]
    widths = np.round(layout.column_x[ends] - layout.column_x[starts], 2).tolist()
    levels = np.where(content.lane[edges] < 0, -1, content.level[edges]).tolist()
    has_letters, look = layout.detail >= letters_from, (layout.detail, layout.zoom, layout.sizes)
    kinds = zip(lattice.edge_is_unknown[edges].tolist(), content.joins[edges].tolist(), strict=True)
    rows = zip(starts.tolist(), ends.tolist(), widths, levels, kinds, strict=True)
    for start, end, width, level, (unknown, joins) in rows:
        text = lattice.text[start:end] if has_letters else ""
        wide = content.n_bytes[start:end].tobytes() if content.byte_tokens else b""  # whose columns are wider
        yield "brick", text, width, wide, level, look, unknown, joins


def _alone(sight: Sight, edge: int, paint: BrickPainter) -> Callable[[QPainter], None]:
    """How to paint one brick with its letters on another painter."""

    def paint_one(painter: QPainter) -> None:
        ink = Ink(sight.ink.shaper)
        paint(replace(sight, painter=painter, ink=ink), edge)
        ink.draw(painter)

    return paint_one


def _paint_in_lane(sight: Sight, edge: int) -> None:
    tones = sight.layout.detail == Detail.TONES
    fill, border, colour = brick_colours(sight.palette, int(sight.content.level[edge]))
    gap, inset = (0.5, 0.0) if tones else (1.5, 0.5)
    pen = unknown_pen(border, 1.0) if _is_unknown(sight, edge) else QPen(QColor(border), 1.0)
    radius = _radius(sight, TONE_RADIUS if tones else LANE_RADIUS)
    sight.painter.setPen(Qt.PenStyle.NoPen if tones else pen)
    # Without a border a faint brick shows by its border's colour.
    sight.painter.setBrush(QColor(mix(fill, border, 0.5) if tones else fill))
    sight.painter.drawRoundedRect(_rect(sight, edge, gap).adjusted(0.0, inset, 0.0, -inset), radius, radius)
    if sight.layout.detail == Detail.ALL:
        _write_letters(sight, edge, MEDIUM, colour, sight.palette.ink3)


def _paint_in_best(sight: Sight, edge: int) -> None:
    if _is_unknown(sight, edge) and not _is_bytes(sight, edge):
        _paint_unknown(sight, edge)
        return
    palette, radius = sight.palette, _radius(sight, BEST_RADIUS)
    gap = 0.5 if sight.layout.detail == Detail.TONES else 1.0
    sight.painter.setPen(Qt.PenStyle.NoPen)
    sight.painter.setBrush(QColor(palette.best))
    sight.painter.drawRoundedRect(_rect(sight, edge, gap), radius, radius)
    if sight.layout.detail >= Detail.BEST_LETTERS and not _is_bytes(sight, edge):
        _write_letters(sight, edge, SEMI_BOLD, palette.on_best, mix(palette.best, palette.on_best, 0.65))


def _paint_unknown(sight: Sight, edge: int) -> None:
    """What is not in the vocabulary: tinted with a dashed outline, without a gap where the token goes on."""
    palette, tones = sight.palette, sight.layout.detail == Detail.TONES
    fill = mix(palette.best_tint, palette.best, 0.5) if tones else palette.best_tint
    _paint_run(sight, edge, fill, None if tones else unknown_pen(palette.best), 0.5 if tones else 1.0)
    if sight.layout.detail >= Detail.BEST_LETTERS:
        _write_letters(sight, edge, SEMI_BOLD, palette.best_text, palette.best_text)


def _paint_run(sight: Sight, edge: int, fill: str, pen: QPen | None, gap: float) -> None:
    joins = int(sight.content.joins[edge])
    opens = bool(joins & 1), bool(joins & 2)
    inset = 0.5 * pen.widthF() if pen is not None else 0.0
    left, right = (0.0 if opened else gap + inset for opened in opens)
    rect = _rect(sight, edge, 0.0).adjusted(left, inset, -right, -inset)
    radius = _radius(sight, BEST_RADIUS)
    sight.painter.fillPath(run_outline(rect, radius, *opens, closed=True), QColor(fill))
    if pen is not None:
        sight.painter.strokePath(run_outline(rect, radius, *opens, closed=False), pen)


def paint_marked(sight: Sight, edge: int) -> None:
    """A brick that is pointed at or picked: tinted, outlined, its letters bold."""
    palette, tones = sight.palette, sight.layout.detail == Detail.TONES
    in_lane = sight.content.lane[edge] >= 0
    radius = _radius(sight, LANE_RADIUS if in_lane else BEST_RADIUS)
    fill = palette.picked if tones else palette.picked_tint
    if sight.content.joins[edge]:
        _paint_run(sight, edge, fill, None if tones else unknown_pen(palette.picked, 2.0), 0.5)
    else:
        rect = _rect(sight, edge, 1.0 if tones else 1.5)
        pen = unknown_pen(palette.picked, 2.0) if _is_unknown(sight, edge) else QPen(QColor(palette.picked), 2.0)
        sight.painter.setPen(Qt.PenStyle.NoPen if tones else pen)
        sight.painter.setBrush(QColor(fill))
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


def _rect(sight: Sight, edge: int, gap: float) -> QRectF:
    return brick_rect(sight.seen, sight.content, sight.layout, edge, gap)


def _radius(sight: Sight, radius: float) -> float:
    return min(radius, 0.45 * sight.layout.column)


def _is_unknown(sight: Sight, edge: int) -> bool:
    return bool(sight.seen.lattice.edge_is_unknown[edge])


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
