"""The most probable ways to cut the text, a line each.

In: frozen `Exploration`s. Out: which piece is picked, which path is chosen, how many are wanted. A line shows the
pieces as small bricks, ln p, how far it is behind the first, and its share of P(x) as a bar and a number.
"""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from unigram_gui.number_text import log_text, percent_text
from unigram_gui.tasks.exploration import Exploration
from unigram_gui.theme import Theme
from unigram_gui.views.choice import Choice
from unigram_gui.views.headings import Headings
from unigram_gui.views.question_view import QuestionView
from unigram_gui.views.sheet import LEFT_OUT, Columns, Line, Sheet

SHARE, BAR_LEFT, BAR, BEHIND, SCORE, BRICKS_END = 18.0, 150.0, 75.0, 166.0, 216.0, 282.0  # from the right side
COLUMNS = Columns((SCORE, BEHIND, SHARE), BAR_LEFT, BAR, BRICKS_END)
NUMBERS = (5, 10, 20, 50, 100, 1000)

__all__ = ["LEFT_OUT", "BestPathsView"]


class BestPathsView(QuestionView):
    """The list of best paths; `corner` goes beside the tabs."""

    path_chosen_requested = Signal(int)
    number_requested = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self.rows = Sheet(theme, "Best paths", COLUMNS)
        self.number = Choice("How many paths are listed", quiet=True)
        headings = ((SCORE, "ln p"), (BEHIND, "behind"), (SHARE, "share of P(x)"))
        super().__init__(self.rows, Headings(theme, headings, self.number), parent)
        self._exploration: Exploration | None = None
        self._chosen = -1
        self.number.addItems([f"{number:,}" for number in NUMBERS])
        self.number.setToolTip("How many paths are listed")
        self.column.addWidget(self.rows)
        self.rows.line_chosen.connect(self.path_chosen_requested)
        self.number.activated.connect(lambda place: self.number_requested.emit(NUMBERS[place]))

    def set_exploration(self, exploration: Exploration | None) -> None:
        self._exploration = exploration
        self._show()

    def set_chosen_path(self, place: int) -> None:
        """Tint the chosen path's line and tell its margin."""
        if place != self._chosen:
            self._chosen = place
            self.rows.set_chosen(place)
            self._show()

    def _show(self) -> None:
        seen = self._exploration
        has_text = seen is not None and seen.n_characters > 0
        n_rows = len(seen.n_best) if has_text and seen is not None else 0
        self.rows.set_lines(tuple(self._line(seen, row) for row in range(n_rows)) if seen is not None else ())

    def _line(self, seen: Exploration, row: int) -> Line:
        path, share = seen.n_best[row], seen.shares[row]
        is_best = path.edges == seen.best.edges
        behind = f"{seen.n_best[0].score - path.score:.2f}" if row else ""
        margin = _margin(seen, row)
        return Line(
            lead=str(row + 1),
            pieces=path.pieces,
            ids=path.ids,
            figures=(log_text(path.score), behind, percent_text(share)),
            note=margin if row == self._chosen else "",
            share=share,
            is_best=is_best,
            is_bold=is_best,
            spoken=_spoken(row, path.pieces, path.score, share, margin),
            key=path.edges,
        )


def _spoken(row: int, pieces: tuple[str, ...], score: float, share: float, margin: str) -> str:
    words = f"{row + 1}: {' '.join(pieces)}, ln p {log_text(score)}, {percent_text(share)}"
    return f"{words}, {margin}" if margin else words


def _margin(seen: Exploration, row: int) -> str:
    """How far a path is before the next one."""
    if row + 1 >= len(seen.n_best):
        return ""
    return f"{log_text(seen.n_best[row].score - seen.n_best[row + 1].score)} before the next"
