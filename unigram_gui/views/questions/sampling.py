"""Random paths: what is drawn at an inverse temperature, beside the exact law.

In: `Sample`s. Out: the wish for another alpha, for draws. The slider ends in the two limits: 0 draws all paths alike,
infinity only the best one.
"""

from __future__ import annotations

import math

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSlider, QWidget

from unigram_gui.number_text import count_text, percent_text
from unigram_gui.tasks.exploration import tokens_along
from unigram_gui.tasks.questions import Sample
from unigram_gui.theme import Theme
from unigram_gui.views.headings import Headings
from unigram_gui.views.question_view import QuestionView
from unigram_gui.views.sheet import Columns, Line, Sheet

ALPHAS = (*(round(0.05 * i, 2) for i in range(41)), 3.0, 5.0, 10.0, math.inf)
DEFAULT_PLACE = ALPHAS.index(0.2)
SIZES = (1, 100, 10_000)
DRAWN, COUNT, BAR_LEFT, BAR, LAW, BRICKS_END = 18.0, 70.0, 200.0, 75.0, 216.0, 282.0
COLUMNS = Columns((LAW, COUNT, DRAWN), BAR_LEFT, BAR, BRICKS_END)
HINT = "Type a text to draw from the ways to cut it."


class SamplingView(QuestionView):
    """A slider, three buttons, a line a path; `corner` goes beside the tabs."""

    alpha_requested = Signal(float)
    draws_requested = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self.rows = Sheet(theme, "Drawn paths", COLUMNS)
        super().__init__(self.rows, Headings(theme, ((LAW, "exact"), (COUNT, "drawn"), (DRAWN, "share"))), parent)
        self.rows.set_hint(HINT)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, len(ALPHAS) - 1)
        self.slider.setValue(DEFAULT_PLACE)
        self.slider.setFixedWidth(170)
        self.slider.setAccessibleName("Inverse temperature alpha")
        self.alpha = QLabel()
        self.alpha.setMinimumWidth(86)
        self.note = QLabel()
        self.note.setProperty("role", "note")
        self.buttons = {size: QPushButton(f"Draw {size:,}") for size in SIZES}
        self._arrange()
        self._connect()
        self._show_alpha()

    def set_sample(self, sample: Sample | None) -> None:
        self.rows.set_lines(() if sample is None else sample_lines(sample))
        self.note.setText("" if sample is None else _note(sample))

    def _arrange(self) -> None:
        row = QHBoxLayout()
        row.setContentsMargins(18, 0, 18, 0)
        row.setSpacing(8)
        for widget in (self.slider, self.alpha, *self.buttons.values()):
            row.addWidget(widget)
        row.addStretch()
        row.addWidget(self.note)
        self.column.addLayout(row)
        self.column.addWidget(self.rows, 1)

    def _connect(self) -> None:
        self.slider.valueChanged.connect(self._ask_alpha)
        for size, button in self.buttons.items():
            button.setAutoDefault(False)
            button.clicked.connect(lambda _=False, size=size: self.draws_requested.emit(size))

    def _ask_alpha(self) -> None:
        self._show_alpha()
        self.alpha_requested.emit(ALPHAS[self.slider.value()])

    def _show_alpha(self) -> None:
        alpha = ALPHAS[self.slider.value()]
        limit = " uniform" if alpha == 0 else " best" if math.isinf(alpha) else ""
        text = f"α = ∞{limit}" if math.isinf(alpha) else f"α = {alpha:.2f}{limit}"
        self.alpha.setText(text)
        self.slider.setAccessibleDescription(text)


def sample_lines(sample: Sample) -> tuple[Line, ...]:
    """A line for each listed or drawn path: its law, how often it came, which share that is."""
    return tuple(_line(sample, row) for row in range(len(sample.draws.paths)))


def _line(sample: Sample, row: int) -> Line:
    draws, seen = sample.draws, sample.seen
    path, law, count = draws.paths[row], float(draws.law[row]), int(draws.counts[row])
    tokens = tokens_along(seen.model, seen.lattice, path)
    is_best = path.edges == seen.best.edges
    drawn = percent_text(count / draws.size) if draws.size else ""
    spoken = f"{row + 1}: {' '.join(tokens.texts)}, law {percent_text(law)}"
    return Line(
        lead=str(row + 1),
        pieces=tokens.texts,
        ids=tokens.ids,
        figures=(percent_text(law), count_text(count) if draws.size else "", drawn),
        share=count / draws.size if draws.size else law,
        is_best=is_best,
        is_bold=is_best,
        spoken=f"{spoken}, drawn {count} times" if draws.size else spoken,
        unknown_id=tokens.unknown_id,
        key=tokens.edges,
    )


def _note(sample: Sample) -> str:
    draws, seen = sample.draws, sample.seen
    if not draws.size:
        return ""
    paths = "path" if draws.n_distinct == 1 else "paths"
    of = f" of {count_text(seen.n_paths)}" if seen.n_paths is not None else ""
    return f"{count_text(draws.n_distinct)}{of} {paths} came"
