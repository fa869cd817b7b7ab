"""The numbers of the bricks: IDs and ln p under the best lane, forward and backward under all lanes.

In: an exploration, its content and a layout whose columns are known. Out: `BrickNumbers`, which knows how many lines
it needs and writes what is in sight. Numbers are placed from left to right; what has no room is left out: it is
told under the pointer, and the legend says so of scores.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

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
MOST_SCORE_LINES = 3
BLOCK, WARM_UP = 256, 16  # tokens placed together, and of those before them that are placed again
MOST_BLOCKS_AHEAD = 8
ROW_NAMES = ("ln α", "ln β")
ROW_NAMES_GAP = 10.0  # between the names of these rows and their first numbers

NUMBER = FontSpec("sans", 9.5)
ROW_NAME = FontSpec("sans", 10.5, SEMI_BOLD)

_Placed = tuple[int, str, float, int]  # number in the block, text, middle, line


class BrickNumbers:
    """Which numbers have room where, at one zoom.

    Of a long text they are placed in blocks, each when it first comes into sight, with the end of the block before
    it, so that nothing overlaps where two blocks meet.
    """

    def __init__(
        self, seen: Exploration, content: BrickContent, layout: BrickLayout, layers: frozenset[Layer], shaper: Shaper
    ) -> None:
        self._measure = shaper.width
        self._seen, self._content, self._layout, self._layers = seen, content, layout, layers
        shows_ids = Layer.IDS in layers and layout.detail >= Detail.BEST_LETTERS
        shows_scores = Layer.LN_P in layers and layout.detail == Detail.ALL
        self._most_id_lines = (2 if layout.detail == Detail.ALL else 1) if shows_ids else 0
        self._token_starts = [token.start for token in content.tokens]
        self._id_blocks: dict[int, list[_Placed]] = {}
        self._score_blocks: dict[int, list[_Placed]] = {}
        self._n_id_lines = self._count_id_lines()
        self._shows_scores = shows_scores and len(seen.best) > 0
        self._n_score_lines = self._count_score_lines() if self._shows_scores else 0
        self.n_lines = self._n_id_lines + self._n_score_lines
        self.leaves_out_scores = Layer.LN_P in layers and len(seen.best) > 0 and self._lacks_scores()
        self.shows_rows = Layer.FORWARD_BACKWARD in layers and layout.detail >= Detail.BEST_LETTERS

    def _count_id_lines(self) -> int:
        """How many lines the IDs need; of a long text as many as they may have."""
        n_blocks = -(-len(self._token_starts) // BLOCK)
        if not self._most_id_lines or n_blocks > MOST_BLOCKS_AHEAD:
            return self._most_id_lines if n_blocks else 0
        return 1 + max((line for b in range(n_blocks) for _, _, _, line in self._ids(b)), default=-1)

    def _count_score_lines(self) -> int:
        """How many lines the scores need; of a long text as many as they may have."""
        n_blocks = -(-len(self._seen.best) // BLOCK)
        if n_blocks > MOST_BLOCKS_AHEAD:
            return MOST_SCORE_LINES
        return 1 + max((line for b in range(n_blocks) for _, _, _, line in self._scores(b)), default=0)

    def _lacks_scores(self) -> bool:
        """Whether some scores have no room; of a long text its beginning tells."""
        if not self._shows_scores:
            return True
        n_edges, n_ahead = len(self._seen.best), MOST_BLOCKS_AHEAD * BLOCK
        n_blocks = -(-min(n_edges, n_ahead) // BLOCK)
        return sum(len(self._scores(block)) for block in range(n_blocks)) < min(n_edges, n_ahead)

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

    def _ids(self, block: int) -> list[_Placed]:
        """The IDs of a block of tokens."""
        if block not in self._id_blocks:
            first = max(0, block * BLOCK - WARM_UP)
            tokens = self._content.tokens[first : (block + 1) * BLOCK]
            middles = [token_middle(self._content, self._layout, token) for token in tokens]
            texts = [str(token.id) for token in tokens]
            self._id_blocks[block] = self._placed(texts, middles, self._most_id_lines, block * BLOCK - first)
        return self._id_blocks[block]

    def _scores(self, block: int) -> list[_Placed]:
        """The ln p of a block of pieces of the best path."""
        if block not in self._score_blocks:
            first, path, x = max(0, block * BLOCK - WARM_UP), self._seen.best, self._layout.column_x
            rows = slice(first, (block + 1) * BLOCK)
            texts = [log_text(float(self._seen.lattice.edge_log_p[edge]), 2) for edge in path.edges[rows]]
            spans = zip(path.starts[rows], path.ends[rows], strict=True)
            middles = [0.5 * float(x[start] + x[end]) for start, end in spans]
            self._score_blocks[block] = self._placed(texts, middles, MOST_SCORE_LINES, block * BLOCK - first)
        return self._score_blocks[block]

    def _placed(self, texts: list[str], middles: list[float], n_lines: int, warm_up: int) -> list[_Placed]:
        lines = place_in_lines(middles, [self._measure(text, NUMBER) for text in texts], n_lines)
        rows = enumerate(zip(texts, middles, lines, strict=True))
        return [(i - warm_up, text, x, line) for i, (text, x, line) in rows if i >= warm_up and line >= 0]

    def _write_ids(self, sight: Sight) -> None:
        if not self._n_id_lines:
            return
        layout, stems, tokens = sight.layout, [], self._content.tokens
        for block in _blocks_in_sight(self._token_starts, sight.columns):
            for i, text, x, line in self._ids(block):
                token = tokens[block * BLOCK + i]
                if not sight.touches(token.start, token.end):
                    continue
                baseline = layout.ids_y + LINE_HEIGHT * line
                sight.ink.put(x, baseline, text, NUMBER, sight.palette.ink3)
                if line:
                    stems.append(QLineF(x, layout.best_y + layout.sizes.best + 2.0, x, baseline - 8.5))
        sight.painter.setPen(QPen(QColor(sight.palette.faint), 1.0))
        sight.painter.drawLines(stems)

    def _write_scores(self, sight: Sight) -> None:
        if not self._shows_scores:
            return
        path, baseline = self._seen.best, sight.layout.ids_y + LINE_HEIGHT * self._n_id_lines
        for block in _blocks_in_sight(path.starts, sight.columns):
            for i, text, x, line in self._scores(block):
                edge = block * BLOCK + i
                if sight.touches(path.starts[edge], path.ends[edge]):
                    sight.ink.put(x, baseline + LINE_HEIGHT * line, text, NUMBER, sight.palette.ink2)


def _blocks_in_sight(starts: Sequence[int], columns: tuple[int, int]) -> range:
    """The blocks of tokens or pieces that some columns may touch."""
    first = max(0, bisect_left(starts, columns[0]) - 1) // BLOCK
    return range(first, -(-bisect_left(starts, columns[1]) // BLOCK))


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
