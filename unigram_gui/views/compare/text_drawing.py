"""Both lattices of one text on a shared ruler: A above it, B below.

In: a `TextPair`. Out: a drawing. The best path of each is a lane of solid bricks next to the ruler; all other pieces
stand in lanes beyond it, by posterior. A letter of a brick stands over or under the letter of the ruler. A cut in both
is a grey line, one only in A an arrow down, one only in B an arrow up; stretches that differ are shaded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from engine.encoder import Segmentation
from engine.lattice import Lattice
from unigram_gui.characters import SPACE_MARKER, cell_text
from unigram_gui.ink import Ink
from unigram_gui.lanes import packed_lanes
from unigram_gui.number_text import count_text
from unigram_gui.shaping import Shaper
from unigram_gui.tasks.comparing import TextPair
from unigram_gui.theme import MEDIUM, SEMI_BOLD, FontSpec, Palette, mix
from unigram_gui.views.compare.drawing import (
    NOTE,
    NUMBER,
    TITLE,
    paint_arrow,
    paint_badge,
    quiet_on,
    shade,
    side_fill,
    side_line,
)
from unigram_gui.views.lattice.looks import brick_colours, levels, unknown_pen

LETTER, SMALL_LETTER = 15.0, 13.0
PADDING, NARROWEST = 7.0, 15.0
NAME_ROW, ID_ROW, BRICK, RULER, LANE, LANE_STEP = 30.0, 20.0, 30.0, 67.0, 20.0, 23.0
BYTE_WIDTH, BYTE_PADDING = 27.0, 8.0
ID_GAP = 3.5

RULER_TEXT = FontSpec("mono", LETTER, MEDIUM)
BRICK_TEXT = FontSpec("mono", LETTER, SEMI_BOLD)
BRICK_TEXT_WIDE = FontSpec("mono", LETTER, MEDIUM)
LANE_TEXT = FontSpec("mono", SMALL_LETTER, MEDIUM)
BYTE_TEXT = FontSpec("code", 11.5, MEDIUM)
ID = FontSpec("sans", 9.5)
LAST_LATIN = "\u052f"

Ints = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Brick:
    """An edge or a token of a cut: columns, the letters with their columns, the IDs; `bytes` where it becomes bytes."""

    start: int
    end: int
    letters: tuple[tuple[str, int, int], ...]
    ids: tuple[int, ...]
    bytes: tuple[str, ...] = ()
    is_unknown: bool = False


@dataclass(frozen=True, eq=False)
class SideBricks:
    """One side: the bricks of its best path, and all other edges as columns, letters, lane and level."""

    side: str
    name: str
    n_tokens: int
    best: tuple[Brick, ...]
    others: tuple[Brick, ...]
    lanes: tuple[int, ...]
    levels: tuple[int, ...]
    n_lanes: int


class TextPairDrawing:
    """Paints a `TextPair`; `all_pieces` adds the pieces beside the best paths."""

    def __init__(self, text_pair: TextPair, palette: Palette, shaper: Shaper, all_pieces: bool = True) -> None:
        self.text_pair, self._palette, self._shaper = text_pair, palette, shaper
        compared = text_pair.compared
        self.a = _side("A", text_pair.name_a, compared.a, text_pair.a, compared.ruler.columns_a, all_pieces)
        self.b = _side("B", text_pair.name_b, compared.b, text_pair.b, compared.ruler.columns_b, all_pieces)
        self.column_x = self._columns()
        self.ids_a_y = NAME_ROW + LANE_STEP * self.a.n_lanes
        self.brick_a_y = self.ids_a_y + ID_ROW
        self.brick_b_y = self.brick_a_y + BRICK + RULER
        self.ids_b_y = self.brick_b_y + BRICK
        self.name_b_y = self.ids_b_y + ID_ROW + LANE_STEP * self.b.n_lanes
        self.width = float(self.column_x[-1])
        self.height = self.name_b_y + NAME_ROW

    def spoken(self) -> str:
        """The comparison in words, for screen readers."""
        both, only_a, only_b = self.text_pair.compared.n_boundaries
        cuts = ("|".join(self.text_pair.compared.a.pieces), "|".join(self.text_pair.compared.b.pieces))
        return f"A {cuts[0]}; B {cuts[1]}; boundaries {both} in both, {only_a} only in A, {only_b} only in B"

    def _columns(self) -> NDArray[np.float64]:
        ruler = self.text_pair.compared.ruler
        widths = np.full(max(ruler.n_columns, 1), NARROWEST)
        needs = [(cell.start, cell.end, self._need(_shown(cell.text))) for cell in ruler.cells]
        for brick in (*self.a.best, *self.b.best):
            needs += [(start, end, self._need(letter)) for letter, start, end in brick.letters]
            if brick.bytes:
                needs.append((brick.start, brick.end, BYTE_WIDTH * len(brick.bytes) + BYTE_PADDING))
        for start, end, need in needs:
            lacking = need - widths[start:end].sum()
            if lacking > 0 and end > start:
                widths[start:end] += lacking / (end - start)
        return np.concatenate(([0.0], np.cumsum(widths)))

    def _need(self, letter: str) -> float:
        return max(NARROWEST, self._shaper.width(letter, BRICK_TEXT) + PADDING)

    # Painting.

    def paint(self, painter: QPainter, ink: Ink, visible: QRectF) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        first, last = np.searchsorted(self.column_x, (visible.left() - 40.0, visible.right() + 40.0))
        sight = (max(0, int(first) - 1), int(last) + 1)
        self._shade_stretches(painter, sight)
        for side in (self.a, self.b):
            self._paint_lanes(painter, ink, side, sight)
            self._paint_best(painter, ink, side, sight)
        self._write_ruler(ink, sight)
        self._paint_boundaries(painter, sight)
        self._paint_name(painter, ink, self.a, max(0.0, visible.left()), 0.5 * NAME_ROW - 3.0)
        end = self._paint_name(painter, ink, self.b, max(0.0, visible.left()), self.name_b_y + 0.5 * NAME_ROW + 2.0)
        self._paint_legend(painter, ink, end, visible.right())

    def _x(self, column: int) -> float:
        return float(self.column_x[column])

    def _middle(self, start: int, end: int) -> float:
        return 0.5 * (self._x(start) + self._x(end))

    def _shade_stretches(self, painter: QPainter, sight: tuple[int, int]) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(shade(self._palette)))
        for stretch in self.text_pair.compared.stretches:
            if _touches(stretch.start, stretch.end, sight):
                left, right = self._x(stretch.start), self._x(stretch.end)
                rect = QRectF(left, self.ids_a_y, right - left, self.ids_b_y + ID_ROW - self.ids_a_y)
                painter.drawRoundedRect(rect.adjusted(0.5, 0.0, -0.5, 0.0), 6.0, 6.0)

    def _paint_best(self, painter: QPainter, ink: Ink, side: SideBricks, sight: tuple[int, int]) -> None:
        palette, top = self._palette, self.brick_a_y if side.side == "A" else self.brick_b_y
        fill, path, unknown, taken = side_fill(palette, side.side), QPainterPath(), QPainterPath(), -1e9
        for brick in side.best:
            if not _touches(brick.start, brick.end, sight):
                continue
            left, right = self._x(brick.start) + 1.0, self._x(brick.end) - 1.0
            taken = self._write_ids(ink, brick, side.side, taken)
            colours = (palette.on_best, quiet_on(palette, side.side))
            if brick.is_unknown:
                unknown.addRoundedRect(QRectF(left + 0.7, top + 0.7, right - left - 1.4, BRICK - 1.4), 6.0, 6.0)
                colours = (palette.ink, palette.ink2)
            else:
                path.addRoundedRect(QRectF(left, top, right - left, BRICK), 6.0, 6.0)
            self._write_brick(ink, brick, top + 0.5 * BRICK, *colours)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(fill))
        painter.drawPath(path)
        painter.setPen(unknown_pen(fill))
        painter.setBrush(QColor(mix(palette.paper, fill, 0.15)))
        painter.drawPath(unknown)

    def _write_ids(self, ink: Ink, brick: Brick, side: str, taken: float) -> float:
        """Write the IDs of a brick where there is room behind the last ones; return where they end."""
        text, middle = " ".join(map(str, brick.ids)), self._middle(brick.start, brick.end)
        width = ink.width(text, ID)
        if middle - 0.5 * width < taken + ID_GAP:
            return taken
        baseline = self.ids_a_y + 13.5 if side == "A" else self.ids_b_y + 13.5
        ink.put(middle, baseline, text, ID, self._palette.ink2)
        return middle + 0.5 * width

    def _write_brick(self, ink: Ink, brick: Brick, middle: float, colour: str, quiet: str) -> None:
        if brick.bytes:
            text = " ".join(brick.bytes)
            ink.put(self._middle(brick.start, brick.end), middle + 4.2, text, BYTE_TEXT, colour)
            return
        for letter, start, end in brick.letters:
            spec = BRICK_TEXT if letter[0] <= LAST_LATIN else BRICK_TEXT_WIDE
            ink.put(self._middle(start, end), middle + 0.35 * LETTER, letter, spec, colour, quiet=quiet)

    def _paint_lanes(self, painter: QPainter, ink: Ink, side: SideBricks, sight: tuple[int, int]) -> None:
        for brick, lane, level in zip(side.others, side.lanes, side.levels, strict=True):
            if not _touches(brick.start, brick.end, sight):
                continue
            top = self._lane_top(side.side, lane)
            left, right = self._x(brick.start) + 1.5, self._x(brick.end) - 1.5
            fill, border, colour = brick_colours(self._palette, level)
            painter.setPen(QPen(QColor(border), 1.0))
            painter.setBrush(QColor(fill))
            painter.drawRoundedRect(QRectF(left, top + 0.5, right - left, LANE - 1.0), 4.5, 4.5)
            baseline = top + 0.5 * LANE + 0.35 * SMALL_LETTER
            for letter, start, end in brick.letters:
                ink.put(self._middle(start, end), baseline, letter, LANE_TEXT, colour, quiet=self._palette.ink3)

    def _lane_top(self, side: str, lane: int) -> float:
        if side == "A":
            return self.ids_a_y - LANE_STEP * (lane + 1) + 2.0
        return self.ids_b_y + ID_ROW + LANE_STEP * lane

    def _write_ruler(self, ink: Ink, sight: tuple[int, int]) -> None:
        palette, baseline = self._palette, self.brick_a_y + BRICK + 0.5 * RULER + 0.35 * LETTER
        for cell in self.text_pair.compared.ruler.cells:
            if _touches(cell.start, cell.end, sight):
                colour = palette.ink3 if cell.added else palette.ink
                ink.put(self._middle(cell.start, cell.end), baseline, _shown(cell.text), RULER_TEXT, colour,
                        quiet=palette.ink3)  # fmt: skip

    def _paint_boundaries(self, painter: QPainter, sight: tuple[int, int]) -> None:
        compared, palette = self.text_pair.compared, self._palette
        top, bottom = self.brick_a_y + BRICK, self.brick_b_y
        painter.setPen(QPen(QColor(palette.faint), 1.2))
        for column in _within(compared.cuts_both, sight):
            painter.drawLine(QLineF(self._x(column), top + 4.0, self._x(column), bottom - 4.0))
        for column in _within(compared.cuts_a, sight):
            paint_arrow(painter, side_line(palette, "A"), self._x(column), top + 2.0, top + 26.0)
        for column in _within(compared.cuts_b, sight):
            paint_arrow(painter, side_line(palette, "B"), self._x(column), bottom - 2.0, bottom - 26.0)

    def _paint_name(self, painter: QPainter, ink: Ink, side: SideBricks, x: float, middle: float) -> float:
        end = paint_badge(painter, ink, self._palette, side.side, x, middle) + 9.0
        end += ink.put(end, middle + 4.3, side.name, TITLE, self._palette.ink, align=0.0) + 14.0
        tokens = f"{count_text(side.n_tokens)} token{'' if side.n_tokens == 1 else 's'}"
        return end + ink.put(end, middle + 4.3, tokens, NOTE, self._palette.ink2, align=0.0)

    def _paint_legend(self, painter: QPainter, ink: Ink, left: float, right: float) -> None:
        """Say at the right how many boundaries there are of each kind, where there is room for it."""
        palette, middle = self._palette, self.name_b_y + 0.5 * NAME_ROW + 2.0
        counts = self.text_pair.compared.n_boundaries
        words = [(count_text(n), what) for n, what in zip(counts, ("in both", "only in A", "only in B"), strict=True)]
        widths = [ink.width(n, NUMBER) + 6.0 + ink.width(what, NOTE) + 34.0 for n, what in words]
        x = right - sum(widths) + 8.0
        if x < left + 96.0:
            return
        ink.put(x - 12.0, middle + 4.3, "boundaries", TITLE, palette.ink2, align=1.0)
        for kind, ((n, what), width) in enumerate(zip(words, widths, strict=True)):
            if kind == 0:
                painter.setPen(QPen(QColor(palette.faint), 1.2))
                painter.drawLine(QLineF(x + 4.0, middle - 8.0, x + 4.0, middle + 8.0))
            else:
                start, end = (middle - 8.0, middle + 6.0) if kind == 1 else (middle + 8.0, middle - 6.0)
                paint_arrow(painter, side_line(palette, "A" if kind == 1 else "B"), x + 4.0, start, end)
            end_of_number = x + 14.0 + ink.put(x + 14.0, middle + 4.3, n, NUMBER, palette.ink, align=0.0) + 6.0
            ink.put(end_of_number, middle + 4.3, what, NOTE, palette.ink2, align=0.0)
            x += width


def _touches(start: int, end: int, sight: tuple[int, int]) -> bool:
    return end > sight[0] and start < sight[1]


def _within(columns: Ints, sight: tuple[int, int]) -> list[int]:
    return [column for column in columns.tolist() if sight[0] <= column <= sight[1]]


def _shown(character: str) -> str:
    """How a typed character stands in the ruler: a blank as the open box."""
    return SPACE_MARKER if character == " " else cell_text(character)


def _side(side: str, name: str, cut: Segmentation, lattice: Lattice, columns: Ints, all_pieces: bool) -> SideBricks:
    """Put the edges of one side into columns."""
    best = tuple(_best_bricks(cut, columns))
    others, posteriors = _other_edges(cut, lattice, all_pieces)
    bricks = tuple(_brick(lattice.text, start, end, columns, ()) for start, end in others)
    starts = np.array([brick.start for brick in bricks], dtype=np.int32)
    ends = np.array([brick.end for brick in bricks], dtype=np.int32)
    lanes = packed_lanes(starts, ends, posteriors)
    n_lanes = int(lanes.max()) + 1 if len(lanes) else 0
    tones = tuple(levels(posteriors).tolist())
    return SideBricks(side, name, len(cut), best, bricks, tuple(lanes.tolist()), tones, n_lanes)


def _best_bricks(cut: Segmentation, columns: Ints) -> Iterator[Brick]:
    text = cut.normalized.text
    shown = -1  # where the last unknown token ended: one brick stands over all its edges
    for start, end in zip(cut.edge_starts.tolist(), cut.edge_ends.tolist(), strict=True):
        if end <= shown:
            continue
        inside = np.flatnonzero((cut.starts < end) & (cut.ends > start))
        ids = tuple(cut.ids[inside].tolist())
        if ids == (cut.unknown_id,):
            shown = int(cut.ends[inside[0]])
            yield replace(_brick(text, start, shown, columns, ids), is_unknown=True)
            continue
        values = tuple(f"{byte:02X}" for byte in text[start:end].encode()) if len(ids) > 1 else ()
        yield _brick(text, start, end, columns, ids, values)


def _brick(
    text: str, start: int, end: int, columns: Ints, ids: tuple[int, ...], values: tuple[str, ...] = ()
) -> Brick:
    places = columns[start : end + 1].tolist()
    letters = tuple(
        (cell_text(text[start + i]), left, right) for i, (left, right) in enumerate(pairwise(places)) if right > left
    )
    return Brick(places[0], places[-1], letters, ids, values)


def _other_edges(
    cut: Segmentation, lattice: Lattice, all_pieces: bool
) -> tuple[list[tuple[int, int]], NDArray[np.float64]]:
    if not all_pieces:
        return [], np.zeros(0)
    best = set(zip(cut.edge_starts.tolist(), cut.edge_ends.tolist(), strict=True))
    spans = list(zip(lattice.edge_start.tolist(), lattice.edge_end.tolist(), strict=True))
    rows = [row for row, span in enumerate(spans) if span not in best and not lattice.edge_is_unknown[row]]
    return [spans[row] for row in rows], lattice.posteriors[rows]
