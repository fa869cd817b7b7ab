"""Why a selected stretch of the text is, or is not, a piece of the cut.

In: `Answer`s. Out: the wish to try the score that it would need. Three lines: the stretch with its verdict, the best
path over it, and the path that beats it, both only where they differ.
"""

from __future__ import annotations

import math

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from engine.edits import AddPiece, RescorePiece
from unigram_gui.number_text import log_text
from unigram_gui.tasks.questions import Answer
from unigram_gui.theme import Theme
from unigram_gui.views.headings import Headings
from unigram_gui.views.question_view import QuestionView
from unigram_gui.views.sheet import Columns, Line, Sheet

SCORE = 18.0
COLUMNS = Columns((SCORE,), bricks=96.0, lead=88.0)
HINT = "Drag over the text in the lattice, or press Shift+→ there, to ask why a stretch is no piece of the cut."
JUST_ABOVE = 0.001  # nats: what is tried above the needed score, so that the numbers on screen show a difference


class WhyNotView(QuestionView):
    """The answer; `corner` goes beside the tabs."""

    edit_requested = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self.rows = Sheet(theme, "Why not this piece", COLUMNS)
        self.button = QPushButton("Give it that score")
        super().__init__(self.rows, Headings(theme, (), self.button, right=True), parent)
        self._answer: Answer | None = None
        self.rows.set_hint(HINT)
        self.button.clicked.connect(self._ask)
        self.column.addWidget(self.rows)
        self.set_answer(None)

    def set_answer(self, answer: Answer | None) -> None:
        self._answer = answer
        self.rows.set_lines(() if answer is None else answer_lines(answer))
        self.button.setEnabled(answer is not None and _can_win(answer))
        is_new = answer is not None and answer.piece < 0
        self.button.setText("Add it with that score" if is_new else "Give it that score")

    def _ask(self) -> None:
        answer = self._answer
        if answer is None:
            return
        score = answer.span.needed + JUST_ABOVE
        text = answer.span.text
        self.edit_requested.emit(AddPiece(text, score) if answer.piece < 0 else RescorePiece(answer.piece, score))


def answer_lines(answer: Answer) -> tuple[Line, ...]:
    """The answer in lines of bricks and words."""
    span, text = answer.span, verdict(answer)
    ids = (answer.piece,) if answer.piece >= 0 else ()
    lines = [Line("selected", (span.text,), ids, note=text, spoken=f"{span.text}: {text}")]
    if span.cuts:
        place = [i for i, piece in enumerate(answer.own.pieces) if piece == span.text]
        score = log_text(span.through_score) if span.edge >= 0 else ""
        note = "" if span.edge >= 0 else f"{log_text(span.around)} + its own score"
        lines.append(
            Line(
                "over it", answer.own.pieces, answer.own.ids, (score,), note, is_best=span.on_best,
                outlined=range(place[0], place[0] + 1) if place and not span.on_best else range(0),
                spoken=f"best path over it: {' '.join(answer.own.pieces)}, ln p {score or note}",
            )
        )  # fmt: skip
    if span.rival is not None:
        score = log_text(span.rival.score)
        what = "best path" if not span.on_best else "best path without it"
        lines.append(
            Line(
                "without it", answer.instead.pieces, answer.instead.ids, (score,), is_best=not span.on_best,
                is_bold=not span.on_best, spoken=f"{what}: {' '.join(answer.instead.pieces)}, ln p {score}",
            )
        )  # fmt: skip
    if not span.wins_everywhere:
        lines.append(Line("", note=_elsewhere(answer), spoken=_elsewhere(answer)))
    return tuple(lines)


def verdict(answer: Answer) -> str:
    """One sentence: what it is, by how much it wins or loses, what it would need."""
    span = answer.span
    if span.rival is None:
        return "every path takes it" if span.cuts else "no path can take it"
    needed = f"it wins above ln p {log_text(span.needed)}"
    if span.edge < 0:
        kind = "no piece" if answer.piece < 0 else f"piece {answer.piece}, disabled"
        return f"{kind}; {needed}"
    kind = f"ID {answer.piece}, ln p {log_text(span.log_p)}" if span.is_piece else "an unknown character"
    if span.on_best:
        return f"{kind}; on the best path, {log_text(span.margin)} ahead of the best path without it"
    return f"{kind}; {log_text(-span.margin)} behind; {needed}"


def _elsewhere(answer: Answer) -> str:
    if not math.isfinite(answer.span.needed):
        return "Edges that are forbidden or forced leave no way over it."
    return f"With that score the same piece wins elsewhere: it stands {answer.span.n_places} times here, overlapping."


def _can_win(answer: Answer) -> bool:
    span = answer.span
    return not span.on_best and math.isfinite(span.needed) and (span.edge < 0 or span.is_piece)
