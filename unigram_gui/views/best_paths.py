"""The most probable ways to cut the text, a line each.

In: frozen `Exploration`s, and what the paths were worth before training. Out: which piece is picked, which path is
chosen, how many are wanted. A line shows the pieces as small bricks, ln p, how far it is behind the first, and its
share of P(x) as a bar and a number; the share before training is a tick on the bar, and a number beside it unless the
pieces need its room. Where the best path of that time is none of those listed, it has the last line.
"""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from unigram_gui.number_text import log_text, percent_text
from unigram_gui.tasks.exploration import Exploration
from unigram_gui.tasks.replay import Before
from unigram_gui.theme import Theme
from unigram_gui.views.choice import Choice
from unigram_gui.views.headings import HEADING, Headings
from unigram_gui.views.question_view import QuestionView
from unigram_gui.views.sheet import Columns, Line, Sheet
from unigram_gui.views.sheet_lines import NUMBER_BOLD

RIGHT, BAR, LEAST_SHARE = 18.0, 75.0, 49.0  # pixels; longer percentages push what is left of them to the left
SHARE_GAP, BAR_GAP, BEHIND_GAP, SCORE, BRICKS = 14.0, 8.0, 16.0, 50.0, 66.0
BEHIND, SHARE, BEFORE = 1, 2, 3  # places among a line's figures
NUMBERS = (5, 10, 20, 50, 100, 1000)


class BestPathsView(QuestionView):
    """The list of best paths; `corner` goes beside the tabs."""

    path_chosen_requested = Signal(int)
    number_requested = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self.rows = Sheet(theme, "Best paths", Columns())
        self.number = Choice("How many paths are listed", quiet=True)
        self._headings = Headings(theme, (), self.number)
        super().__init__(self.rows, self._headings, parent)
        self._exploration: Exploration | None = None
        self._before: Before | None = None
        self._has_behind = True
        self._chosen = -1
        self.number.addItems([f"{number:,}" for number in NUMBERS])
        self.number.setToolTip("How many paths are listed")
        self.column.addWidget(self.rows)
        self.rows.line_chosen.connect(self.path_chosen_requested)
        self._headings.room_changed.connect(self._show)
        self.number.activated.connect(lambda place: self.number_requested.emit(NUMBERS[place]))
        self._show()

    def set_exploration(self, exploration: Exploration | None) -> None:
        self._exploration = exploration
        self._show()

    def set_before(self, before: Before | None) -> None:
        """Show what the paths were worth before training; None where no training is known."""
        if before is not self._before:  # None for each key that is typed where there is no training to look back at
            self._before = before
            self._show()

    def set_chosen_path(self, place: int) -> None:
        """Tint the chosen path's line and tell its margin."""
        if place != self._chosen:
            self._chosen = place
            self.rows.set_chosen(place)
            self._show()

    def _show(self) -> None:
        seen = self._exploration
        before = self._before if self._before is not None and self._before.seen is seen else None
        lines: tuple[Line, ...] = ()
        if seen is not None and seen.n_characters > 0:
            lines = tuple(self._line(seen, row, before) for row in range(len(seen.n_best)))
            lines += _line_of_then(before)
        columns = self._columns(lines, has_before=self._before is not None)
        if self._before is not None and not self.rows.has_room_for(lines[:1], columns):
            lines = tuple(_without(line, BEFORE) for line in lines)
            columns = self._columns(lines, has_before=False)
        if not self._has_behind:
            lines = tuple(_without(line, BEHIND) for line in lines)
        self.rows.set_columns(columns)
        self.rows.set_lines(lines)

    def _columns(self, lines: tuple[Line, ...], *, has_before: bool) -> Columns:
        """Place the columns and their titles; percentages get the room they need: the small ones are long."""
        share, before = (
            max([LEAST_SHARE, *(self.rows.shaper.width(line.figures[place], NUMBER_BOLD) for line in lines)])
            for place in (SHARE, BEFORE)
        )
        share_end = RIGHT + (before + SHARE_GAP if has_before else 0.0)
        bar_left = share_end + share + BAR_GAP + BAR
        behind = bar_left + BEHIND_GAP
        score = behind + SCORE
        self._has_behind = score + self.rows.shaper.width("ln p", HEADING) <= self._headings.room
        if not self._has_behind:
            score = behind
        titles = [(score, "ln p"), (share_end, "share of P(x)")]
        titles += [(behind, "behind")] if self._has_behind else []
        titles += [(RIGHT, "before")] if has_before else []
        self._headings.set_titles(tuple(titles))
        tick = "the tick on a bar, and before: the path's share before training"
        self._headings.setToolTip(tick if self._before is not None else "")
        return Columns((score, behind, share_end, RIGHT), bar_left, BAR, score + BRICKS)

    def _line(self, seen: Exploration, row: int, before: Before | None) -> Line:
        path, tokens, share = seen.n_best[row], seen.n_best_tokens[row], seen.shares[row]
        is_best = path.edges == seen.best.edges
        behind = f"{seen.n_best[0].score - path.score:.2f}" if row else ""
        margin = _margin(seen, row)
        then = None if before is None else before.shares[row]
        return Line(
            lead=str(row + 1),
            pieces=tokens.texts,
            ids=tokens.ids,
            figures=(log_text(path.score), behind, percent_text(share), "" if then is None else percent_text(then)),
            note=margin if row == self._chosen else "",
            share=share,
            tick=then,
            is_best=is_best,
            is_bold=is_best,
            spoken=_spoken(row, tokens.texts, path.score, share, then, margin),
            unknown_id=tokens.unknown_id,
            key=tokens.edges,
        )


def _without(line: Line, place: int) -> Line:
    """Return the line without one of its figures."""
    return replace(line, figures=tuple("" if i == place else figure for i, figure in enumerate(line.figures)))


def _line_of_then(before: Before | None) -> tuple[Line, ...]:
    """Show the best path before training where it is none of those listed."""
    if before is None or any(path.ends == before.best.ends for path in before.seen.n_best):
        return ()
    then, now = percent_text(before.best_share), percent_text(before.best_share_now)
    return (
        Line(
            lead="–", pieces=before.best.pieces, figures=("", "", now, then), note="best before training",
            share=before.best_share_now, tick=before.best_share,
            spoken=f"best before training: {' '.join(before.best.pieces)}, {now}, before training {then}",
        ),
    )  # fmt: skip


def _spoken(
    row: int, pieces: tuple[str, ...], score: float, share: float, then: float | None, margin: str
) -> str:
    words = f"{row + 1}: {' '.join(pieces)}, ln p {log_text(score)}, {percent_text(share)}"
    if then is not None:
        words += f", before training {percent_text(then)}"
    return f"{words}, {margin}" if margin else words


def _margin(seen: Exploration, row: int) -> str:
    """How far a path is before the next one."""
    if row + 1 >= len(seen.n_best):
        return ""
    return f"{log_text(seen.n_best[row].score - seen.n_best[row + 1].score)} before the next"
