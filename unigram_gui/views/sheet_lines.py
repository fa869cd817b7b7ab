"""The lines of a sheet and where their bricks stand.

In: frozen `Line`s, a width, a way to measure text. Out: a `SheetLayout`. Where lines are too long, what all of them
begin with is left out: the difference is what one looks for. No painting.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from unigram_gui.theme import SEMI_BOLD, FontSpec

MARGIN, ROW, FIRST_BRICK = 18.0, 22.0, 38.0
BRICK, PADDING, GAP = 17.0, 3.0, 2.0
LEFT_OUT = "…"
LEFT_OUT_ROOM, FIGURE_GAP = 14.0, 8.0

NUMBER = FontSpec("sans", 11.5)
NUMBER_BOLD = FontSpec("sans", 11.5, SEMI_BOLD)
PIECE = FontSpec("mono", 11.5)


@dataclass(frozen=True)
class Line:
    """One line. `pieces` with their `ids` are the bricks; `figures` fill the columns, "" for none.

    `lead` stands in front, `note` behind the bricks; `share` is the length of the bar, None for no bar, `tick` where a
    mark stands on it. `is_best` makes the bricks solid, those in `outlined` have a frame. `spoken` is it all in words.
    """

    lead: str = ""
    pieces: tuple[str, ...] = ()
    ids: tuple[int, ...] = ()
    figures: tuple[str, ...] = ()
    note: str = ""
    share: float | None = None
    tick: float | None = None
    is_best: bool = False
    is_bold: bool = False
    outlined: range = range(0)
    unknown_id: int = -1  # bricks with this ID are not in the vocabulary
    spoken: str = ""
    key: tuple[Hashable, ...] = ()  # what tells paths apart, for what they share at the beginning

    def id_of(self, brick: int) -> int:
        """The ID of a brick, -1 where it has none."""
        return self.ids[brick] if 0 <= brick < len(self.ids) else -1

    def is_unknown(self, brick: int) -> bool:
        """Whether a brick is not in the vocabulary."""
        return self.unknown_id >= 0 and self.id_of(brick) == self.unknown_id


@dataclass(frozen=True)
class Columns:
    """Where things end, measured from the right side: each figure, the bar's left end and width, the bricks."""

    figures: tuple[float, ...] = ()
    bar_left: float = 0.0
    bar: float = 0.0
    bricks: float = MARGIN
    lead: float = FIRST_BRICK


@dataclass(frozen=True)
class BrickRow:
    """The bricks of a line that have room: first..first+n-1, left sides and widths; more follow where `is_cut`."""

    first: int
    lefts: tuple[float, ...]
    widths: tuple[float, ...]
    is_cut: bool
    end: float

    def brick_at(self, x: float) -> int:
        """The brick at a place, with the gap behind it; -1 for none."""
        inside = (i for i, left in enumerate(self.lefts) if left <= x < left + self.widths[i] + GAP)
        return self.first + next(inside, -1 - self.first)


class SheetLayout:
    """Where the bricks of some lines stand in a sheet of some width. Rows are placed when they are asked for."""

    def __init__(
        self, lines: tuple[Line, ...], columns: Columns, width: float, measure: Callable[[str, FontSpec], float]
    ) -> None:
        self._lines, self._columns, self._measure, self._width = lines, columns, measure, width
        self._rows: dict[int, BrickRow] = {}
        # Where bricks end: before the first figures, however long they are.
        self.bricks_end = width - max(columns.bricks, self._figures_reach())
        self._skipped = self._common_beginning()

    @property
    def is_whole(self) -> bool:
        """Whether each line has room for all its bricks."""
        return not any(self._is_too_long(line) for line in self._lines)

    def row(self, number: int) -> BrickRow:
        """The bricks of a line that have room."""
        if number not in self._rows:
            self._rows[number] = self._place(self._lines[number])
        return self._rows[number]

    def skipped(self, number: int) -> int:
        """How many bricks are left out at the beginning of a line."""
        return self._skipped if self._lines[number].key else 0

    def _figures_reach(self) -> float:
        """How far the first column of figures reaches from the right side, with a gap beside it."""
        longest = max((line.figures[0] for line in self._lines if line.figures), key=len, default="")
        place = self._columns.figures[0] if self._columns.figures else 0.0
        return place + self._measure(longest, NUMBER_BOLD) + FIGURE_GAP if longest else 0.0

    def _brick_width(self, text: str) -> float:
        return math.ceil(self._measure(text, PIECE) + 2.0 * PADDING)  # whole: the sides of bricks are sharp

    def _common_beginning(self) -> int:
        """What to leave out where a line would not fit: the common beginning, but for one piece."""
        lines = [line for line in self._lines if line.key]
        if len(lines) < 2:
            return 0
        # Every brick is wider than this, so a long text is not measured in vain.
        too_many = max(len(line.pieces) for line in lines) * 3.0 * PADDING > self._width
        if too_many or any(self._is_too_long(line) for line in lines):
            return max(0, _n_common([line.key for line in lines]) - 1)
        return 0

    def _is_too_long(self, line: Line) -> bool:
        widths = sum(self._brick_width(text) + GAP for text in line.pieces)
        return self._columns.lead + widths > self.bricks_end

    def _place(self, line: Line) -> BrickRow:
        first, lefts, widths = self._skipped if line.key else 0, list[float](), list[float]()
        x = self._columns.lead + (LEFT_OUT_ROOM if first else 0.0)
        for i in range(first, len(line.pieces)):
            width = self._brick_width(line.pieces[i])
            is_last = i == len(line.pieces) - 1
            if x + width > self.bricks_end - (0.0 if is_last else LEFT_OUT_ROOM):
                return BrickRow(first, tuple(lefts), tuple(widths), True, x + LEFT_OUT_ROOM)
            lefts.append(x)
            widths.append(width)
            x += width + GAP
        return BrickRow(first, tuple(lefts), tuple(widths), False, x)


def parting(pieces: Sequence[Hashable], others: Sequence[Hashable]) -> range:
    """Return which pieces of a cut are neither at the beginning nor at the end of both.

    >>> parting(("a", "b", "c"), ("a", "bc"))
    range(1, 3)
    """
    shorter = min(len(pieces), len(others))
    first = next((i for i in range(shorter) if pieces[i] != others[i]), shorter)
    rest = shorter - first
    last = next((i for i in range(rest) if pieces[-1 - i] != others[-1 - i]), rest)
    return range(first, len(pieces) - last)


def _n_common(paths: list[tuple[Hashable, ...]]) -> int:
    """How many edges all paths begin with."""
    together = zip(*paths, strict=False)
    return next((i for i, edges in enumerate(together) if len(set(edges)) > 1), 0)
