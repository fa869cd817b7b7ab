"""The Viterbi table and the counts of an E step, filled step by step: play, step, back.

In: `Steps`. Out: the `Stage` that the lattice draws along: edges in orange, a row of numbers under its nodes as far as
it is filled. Each step lists what is compared or added and what comes of it; every number is the engine's.
"""

from __future__ import annotations

import math

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QButtonGroup, QPushButton, QWidget

from unigram_gui.number_text import log_text, probability_text
from unigram_gui.tasks.questions import Steps
from unigram_gui.theme import Theme
from unigram_gui.views.headings import Headings
from unigram_gui.views.lattice.drawing import Stage
from unigram_gui.views.question_view import QuestionView
from unigram_gui.views.sheet import Columns, Line, Sheet

FIGURE = 18.0
COLUMNS = Columns((FIGURE,), bricks=110.0, lead=76.0)
HINT = "Type a text to fill its table step by step."
PLAY_MS = 700
TABLES = {"viterbi": "Viterbi", "counts": "E step"}


class StepsView(QuestionView):
    """One step in lines; `corner`, beside the tabs, has the buttons that walk."""

    stage_changed = Signal(object)  # Stage, or None where the table is not shown

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self.rows = Sheet(theme, "Steps", COLUMNS)
        self.tables = {name: QPushButton(title) for name, title in TABLES.items()}
        self.back, self.play, self.next = QPushButton("◂"), QPushButton("Play"), QPushButton("▸")
        buttons = (*self.tables.values(), self.back, self.play, self.next)
        super().__init__(self.rows, Headings(theme, (), *buttons, right=True), parent)
        self._steps: Steps | None = None
        self._table = "viterbi"
        self.step = 1
        self.rows.set_hint(HINT)
        self._timer = QTimer(self)
        self._timer.setInterval(PLAY_MS)
        self._arrange()
        self._connect()

    def _arrange(self) -> None:
        group = QButtonGroup(self)
        for i, (name, button) in enumerate(self.tables.items()):
            button.setProperty("segment", "first" if i == 0 else "last")
            button.setCheckable(True)
            button.setChecked(name == self._table)
            group.addButton(button)
        for button, name in ((self.back, "Step back"), (self.play, "Play"), (self.next, "Step")):
            button.setProperty("segment", "only")
            button.setAccessibleName(name)
            button.setToolTip(name)
        self.column.addWidget(self.rows)

    def _connect(self) -> None:
        for name, button in self.tables.items():
            button.clicked.connect(lambda _=False, name=name: self.set_table(name))
        self.back.clicked.connect(lambda: self._walk(-1))
        self.next.clicked.connect(lambda: self._walk(1))
        self.play.clicked.connect(self.toggle_play)
        self._timer.timeout.connect(self._play_on)

    def set_steps(self, steps: Steps | None) -> None:
        """Show another text's tables; the step stays where there is one of that number."""
        self._steps = steps
        self._go(min(self.step, max(1, self.n_steps)))
        if steps is None:
            self._stop()

    def set_table(self, name: str) -> None:
        """Show the table "viterbi" or "counts" from its first step."""
        self._table = name
        self.tables[name].setChecked(True)
        self._go(1)

    @property
    def n_steps(self) -> int:
        steps = self._steps
        if steps is None:
            return 0
        n = steps.seen.n_characters
        return n + len(steps.viterbi.walk) if self._table == "viterbi" else 2 * n + len(steps.counts.pieces)

    def toggle_play(self) -> None:
        """Go on by itself, from the first step where the last one is on show, or stop."""
        if self._timer.isActive():
            self._stop()
            return
        if self.step >= self.n_steps:
            self._go(1)
        self._timer.start()
        self.play.setText("Pause")

    def hide_stage(self) -> None:
        """Another question is on show: the lattice draws no step."""
        self._stop()
        self.stage_changed.emit(None)

    def _stop(self) -> None:
        self._timer.stop()
        self.play.setText("Play")

    def _play_on(self) -> None:
        self._walk(1)
        if self.step >= self.n_steps:
            self._stop()

    def _walk(self, direction: int) -> None:
        self._go(min(max(self.step + direction, 1), max(1, self.n_steps)))

    def _go(self, step: int) -> None:
        self.step = step
        self.back.setEnabled(step > 1)
        self.next.setEnabled(step < self.n_steps)
        if self._steps is None:
            self.rows.set_lines(())
            self.stage_changed.emit(None)
            return
        show = _viterbi if self._table == "viterbi" else _counts
        lines, stage = show(self._steps, step)
        self.rows.set_lines(lines)
        self.stage_changed.emit(stage)


def _viterbi(steps: Steps, step: int) -> tuple[tuple[Line, ...], Stage]:
    n = steps.seen.n_characters
    return _fill_boundary(steps, step) if step <= n else _walk_back(steps, step - n)


def _fill_boundary(steps: Steps, end: int) -> tuple[tuple[Line, ...], Stage]:
    """The candidates that end at a boundary, and the winner among them."""
    viterbi, seen = steps.viterbi, steps.seen
    rows = range(int(viterbi.offsets[end]), int(viterbi.offsets[end + 1]))
    lines = []
    for row in rows:
        edge, total = int(viterbi.edges[row]), float(viterbi.sums[row])
        start = int(seen.lattice.edge_start[edge])
        before, own = float(viterbi.score[start]), float(seen.lattice.edge_log_p[edge])
        wins = edge == viterbi.winner[end]
        note = f"{log_text(before)} at {start}  +  {log_text(own)}" + ("   best" if wins else "")
        lines.append(_edge_line(steps, edge, f"{start} → {end}", note, log_text(total), wins))
    numbers = tuple(log_text(float(score)) for score in viterbi.score)
    edges = frozenset(int(edge) for edge in viterbi.edges[rows.start : rows.stop])
    return tuple(lines), Stage(edges, "v", "best", numbers, (0, end))


def _walk_back(steps: Steps, taken: int) -> tuple[tuple[Line, ...], Stage]:
    """The winners from the end of the text back, as far as the walk has come."""
    viterbi, seen = steps.viterbi, steps.seen
    lines = []
    for edge in viterbi.walk[:taken]:
        start, end = int(seen.lattice.edge_start[edge]), int(seen.lattice.edge_end[edge])
        note = f"the best way to {end} comes from {start}"
        lines.append(_edge_line(steps, edge, f"{end} → {start}", note, log_text(float(viterbi.score[end])), True))
    numbers = tuple(log_text(float(score)) for score in viterbi.score)
    return tuple(reversed(lines)), Stage(frozenset(viterbi.walk[:taken]), "v", "best", numbers, (0, len(numbers) - 1))


def _counts(steps: Steps, step: int) -> tuple[tuple[Line, ...], Stage]:
    n = steps.seen.n_characters
    if step <= n:
        return _forward(steps, step)
    return _backward(steps, 2 * n - step) if step <= 2 * n else _count(steps, step - 2 * n)


def _forward(steps: Steps, end: int) -> tuple[tuple[Line, ...], Stage]:
    counts, seen = steps.counts, steps.seen
    rows = range(int(counts.into_offsets[end]), int(counts.into_offsets[end + 1]))
    lines = [_term_line(steps, int(counts.into[row]), float(counts.forward_terms[row]), forward=True) for row in rows]
    lines.append(_total_line(f"α({end})", float(seen.log_forward[end])))
    numbers = tuple(_value(float(x)) for x in seen.log_forward)
    edges = frozenset(int(edge) for edge in counts.into[rows.start : rows.stop])
    return tuple(lines), Stage(edges, "α", "forward", numbers, (0, end))


def _backward(steps: Steps, start: int) -> tuple[tuple[Line, ...], Stage]:
    counts, seen = steps.counts, steps.seen
    edges = range(int(seen.lattice.edge_offsets[start]), int(seen.lattice.edge_offsets[start + 1]))
    lines = [_term_line(steps, edge, float(counts.backward_terms[edge]), forward=False) for edge in edges]
    lines.append(_total_line(f"β({start})", float(seen.log_backward[start])))
    numbers = tuple(_value(float(x)) for x in seen.log_backward)
    return tuple(lines), Stage(frozenset(edges), "β", "backward", numbers, (start, len(numbers) - 1))


def _count(steps: Steps, number: int) -> tuple[tuple[Line, ...], Stage]:
    """The pieces counted so far, the newest on top: the sum of the posteriors of its edges."""
    counts, seen = steps.counts, steps.seen
    lines, newest = [], frozenset[int]()
    for i in range(number):
        edges = [int(edge) for edge in counts.edges[counts.offsets[i] : counts.offsets[i + 1]]]
        newest = frozenset(edges)
        shares = " + ".join(probability_text(float(seen.posteriors[edge])) for edge in edges[:6])
        more = " + …" if len(edges) > 6 else ""
        note = f"posterior {shares}{more}" if len(edges) == 1 else f"posteriors {shares}{more}"
        count = probability_text(float(counts.counts[i]))
        lines.append(_edge_line(steps, edges[0], "expected", note, count, i == number - 1))
    return tuple(reversed(lines)), Stage(newest, "", "", (), None)


def _edge_line(steps: Steps, edge: int, lead: str, note: str, figure: str, bold: bool) -> Line:
    seen = steps.seen
    text, piece = seen.edge_text(edge), int(seen.lattice.edge_piece[edge])
    spoken = f"{lead.replace('→', 'to')}, {text}: {note}, {figure}"
    return Line(lead, (text,), (piece,), (figure,), note=note, is_best=bold, is_bold=bold, spoken=spoken)


def _term_line(steps: Steps, edge: int, log_term: float, *, forward: bool) -> Line:
    seen, lattice = steps.seen, steps.seen.lattice
    start, end = int(lattice.edge_start[edge]), int(lattice.edge_end[edge])
    p = _value(float(lattice.edge_log_p[edge]))
    if forward:
        note = f"α({start}) · p  =  {_value(float(seen.log_forward[start]))} · {p}"
    else:
        note = f"p · β({end})  =  {p} · {_value(float(seen.log_backward[end]))}"
    return _edge_line(steps, edge, f"{start} → {end}", note, _value(log_term), False)


def _total_line(name: str, log_total: float) -> Line:
    text = _value(log_total)
    return Line("sum", note=name, figures=(text,), is_bold=True, spoken=f"{name} is {text}")


def _value(log_value: float) -> str:
    """A probability as a number where it can be read, else as e to a power."""
    return probability_text(math.exp(log_value)) if log_value > -700.0 else f"exp({log_text(log_value, 2)})"
