"""The numbers of the bricks: IDs and ln p under the best lane, forward and backward under all lanes.

In: an exploration, its content and a layout whose columns are known. Out: `BrickNumbers`, which knows how many lines
it needs and writes what is in sight. Numbers are placed from left to right; what has no room is left out, since it
is told under the pointer.
"""

from __future__ import annotations

from PySide6.QtCore import QLineF
from PySide6.QtGui import QColor, QPen

from unigram_gui.number_text import log_text
from unigram_gui.shaping import Shaper
from unigram_gui.tasks.exploration import Exploration
from unigram_gui.theme import SEMI_BOLD, FontSpec
from unigram_gui.views.lattice.brick_content import BrickContent
from unigram_gui.views.lattice.brick_layout import BrickLayout, Detail, place_in_lines
from unigram_gui.views.lattice.brick_parts import Sight, token_middle
from unigram_gui.views.lattice.drawing import Layer

LINE_HEIGHT = 12.5  # of IDs and of ln p
ROW_HEIGHT = 20.0  # of forward and backward values
ROWS_MARGIN = 8.0  # above them
ROW_NAMES = ("ln α", "ln β")
ROW_NAMES_GAP = 10.0  # between the names of these rows and their first numbers

NUMBER = FontSpec("sans", 9.5)
ROW_NAME = FontSpec("sans", 10.5, SEMI_BOLD)


class BrickNumbers:
    """Which numbers have room where, at one zoom."""

    def __init__(
        self, seen: Exploration, content: BrickContent, layout: BrickLayout, layers: frozenset[Layer], shaper: Shaper
    ) -> None:
        self._measure = shaper.width
        self._seen, self._content, self._layers = seen, content, layers
        self._middles = [token_middle(content, layout, token) for token in content.tokens]
        self._id_lines = self._place_ids(layout)
        self._scores = [log_text(float(seen.lattice.edge_log_p[edge]), 2) for edge in seen.best.edges]
        self._score_lines = self._place_scores(layout)
        self._n_id_lines = 1 + max(self._id_lines, default=-1)
        self.n_lines = self._n_id_lines + int(0 in self._score_lines)
        self.shows_rows = Layer.FORWARD_BACKWARD in layers and layout.detail >= Detail.BEST_LETTERS

    @property
    def rows_height(self) -> float:
        return 2.0 * ROW_HEIGHT + ROWS_MARGIN if self.shows_rows else 0.0

    def write(self, sight: Sight, left: float) -> None:
        """Write what is in sight; the names of the rows stand at `left`."""
        self._write_ids(sight)
        self._write_scores(sight)
        if self.shows_rows:
            values = (self._seen.log_forward, self._seen.log_backward)
            for row, (name, logs) in enumerate(zip(ROW_NAMES, values, strict=True)):
                baseline = sight.layout.height + ROWS_MARGIN + ROW_HEIGHT * (row + 1) - 6.0
                _write_row(sight, baseline, left, name, {i: log_text(float(logs[i]), 2) for i in self._cuts()})

    def _cuts(self) -> tuple[int, ...]:
        return (0, *self._seen.best.ends)

    def _place_ids(self, layout: BrickLayout) -> list[int]:
        if Layer.IDS not in self._layers or layout.detail < Detail.BEST_LETTERS:
            return []
        widths = [self._measure(str(token.id), NUMBER) for token in self._content.tokens]
        return place_in_lines(self._middles, widths, 2 if layout.detail == Detail.ALL else 1)

    def _place_scores(self, layout: BrickLayout) -> list[int]:
        if Layer.LN_P not in self._layers or layout.detail != Detail.ALL:
            return []
        x, path = layout.column_x, self._seen.best
        middles = [0.5 * float(x[start] + x[end]) for start, end in zip(path.starts, path.ends, strict=True)]
        return place_in_lines(middles, [self._measure(score, NUMBER) for score in self._scores], 1)

    def _write_ids(self, sight: Sight) -> None:
        layout, stems = sight.layout, []
        rows = zip(self._content.tokens, self._middles, self._id_lines, strict=False)
        for token, x, line in rows:
            if line < 0 or not sight.touches(token.start, token.end):
                continue
            baseline = layout.ids_y + LINE_HEIGHT * line
            sight.ink.put(x, baseline, str(token.id), NUMBER, sight.palette.ink3)
            if line:
                stems.append(QLineF(x, layout.best_y + layout.sizes.best + 2.0, x, baseline - 8.5))
        sight.painter.setPen(QPen(QColor(sight.palette.faint), 1.0))
        sight.painter.drawLines(stems)

    def _write_scores(self, sight: Sight) -> None:
        path, baseline = self._seen.best, sight.layout.ids_y + LINE_HEIGHT * self._n_id_lines
        rows = zip(path.starts, path.ends, self._scores, self._score_lines, strict=False)
        for start, end, score, line in rows:
            if line == 0 and sight.touches(start, end):
                sight.ink.put(sight.middle(start, end), baseline, score, NUMBER, sight.palette.ink2)


def row_margins(seen: Exploration, layers: frozenset[Layer], shaper: Shaper) -> tuple[float, float]:
    """What the rows of forward and backward values need left and right of the columns."""
    if Layer.FORWARD_BACKWARD not in layers:
        return 0.0, 0.0
    names = max(shaper.width(name, ROW_NAME) for name in ROW_NAMES)
    half = 0.5 * shaper.width(log_text(min(seen.log_z, 0.0), 2), NUMBER)
    return names + ROW_NAMES_GAP + half, half


def _write_row(sight: Sight, baseline: float, left: float, name: str, texts: dict[int, str]) -> None:
    x, palette, rule = sight.layout.column_x, sight.palette, baseline - 14.0
    sight.painter.setPen(QPen(QColor(palette.hairline), 1.0))
    sight.painter.drawLine(QLineF(left, rule, float(x[sight.columns[1]]), rule))
    sight.ink.put(left, baseline, name, ROW_NAME, palette.ink2, align=0.0)
    places = [float(x[i]) for i in texts]
    lines = place_in_lines(places, [sight.ink.width(text, NUMBER) for text in texts.values()], 1, 5.0)
    for (i, text), line in zip(texts.items(), lines, strict=True):
        if line == 0 and sight.columns[0] <= i <= sight.columns[1]:
            sight.ink.put(float(x[i]), baseline, text, NUMBER, palette.ink)
