"""One update of a small training, one sum at a time: E step, M step, pruning, with the numbers in the formulas.

In: a `Taught`. Out: the wish for another piece. Each step adds a line; the steps so far stay on the page.
"""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QTextEdit, QVBoxLayout, QWidget

from engine.teaching import Terms
from unigram_gui.item_models.cells import piece_cell
from unigram_gui.number_text import log_text
from unigram_gui.tasks.replay import Taught
from unigram_gui.theme import Theme
from unigram_gui.views.choice import Choice

NO_LESSON = "Train on a small corpus, such as the sample abc: its sums can be followed text by text."


class LessonView(QWidget):
    """Shows the sums of one piece.

    Signals
    -------
    piece_requested : the piece that was chosen
    """

    piece_requested = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._taught: Taught | None = None
        self.steps: tuple[str, ...] = ()
        self.shown = 0
        self.pieces, self.title = Choice("Piece"), QLabel()
        self.title.setProperty("role", "note")
        self.back, self.forth, self.all = QPushButton("‹"), QPushButton("Next sum ›"), QPushButton("All")
        self.back.setAccessibleName("Sum before")
        self.page = QTextEdit()
        self.page.setReadOnly(True)
        self.page.setAccessibleName("Sums of one update")
        self._lay_out()
        self.pieces.activated.connect(lambda _: self.piece_requested.emit(self.pieces.currentData()))
        self.back.clicked.connect(lambda: self.step(-1))
        self.forth.clicked.connect(lambda: self.step(1))
        self.all.clicked.connect(lambda: self.step(len(self.steps)))
        self.set_taught(None)

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setContentsMargins(18, 10, 18, 4)
        row.setSpacing(8)
        for widget in (self.pieces, self.back, self.forth, self.all):
            row.addWidget(widget)
        row.addWidget(self.title, 1)
        self.page.setFrameShape(QTextEdit.Shape.NoFrame)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(row)
        column.addWidget(self.page, 1)

    def set_theme(self, theme: Theme) -> None:
        """Write with another theme from now on."""
        self._theme = theme
        self._show()

    def set_taught(self, taught: Taught | None) -> None:
        """Tell another piece or update, from the first sum on."""
        self._taught = taught
        self.pieces.clear()
        for piece in taught.pieces if taught is not None else ():
            self.pieces.addItem(piece_cell(piece), piece)
        if taught is not None:
            self.pieces.setCurrentIndex(taught.pieces.index(taught.lesson.piece))
        self.title.setText(f"{taught.title}, the moment of the timeline" if taught is not None else "")
        self.steps = _steps(taught) if taught is not None else ()
        self.shown = min(1, len(self.steps))
        self._show()

    def step(self, n: int) -> None:
        """Show so many sums more, or fewer."""
        self.shown = min(max(self.shown + n, 1), len(self.steps))
        self._show()

    def _show(self) -> None:
        palette = self._theme.palette
        self.page.setStyleSheet(f"QTextEdit {{ background: {palette.paper}; }}")
        for button, is_enabled in (
            (self.back, self.shown > 1), (self.forth, self.shown < len(self.steps)),
            (self.all, self.shown < len(self.steps)), (self.pieces, bool(self.steps)),
        ):  # fmt: skip
            button.setEnabled(is_enabled)
        if not self.steps:
            self.page.setHtml(f'<p style="color:{palette.ink3}; margin:14px">{NO_LESSON}</p>')
            return
        lines = [
            f'<p style="margin:5px 18px; color:{palette.best_text if i == self.shown - 1 else palette.ink}">{line}</p>'
            for i, line in enumerate(self.steps[: self.shown])
        ]
        self.page.setHtml("".join(lines))
        self.page.verticalScrollBar().setValue(self.page.verticalScrollBar().maximum())


def _steps(taught: Taught) -> tuple[str, ...]:
    lesson = taught.lesson
    name = escape(piece_cell(lesson.piece))
    steps = [f"<b>E step.</b> C({name}) = Σ n(x) · E[{name} in x]: in each text, the shares of all paths that use it."]
    steps += _term_lines(taught, lesson.counted, "share")
    steps.append(f"C({name}) = {_sum(lesson.counted)} = <b>{_number(lesson.counted.total)}</b>")
    steps += _m_step(taught, name)
    if lesson.loss is None:
        why = "is a single character: it is protected." if len(lesson.piece) == 1 else "is not in the table any more."
        return (*steps, f"<b>Pruning.</b> {name} {why}")
    steps.append(f"<b>Pruning.</b> Δ({name}) = Σ n(x) · (ln P(x) − ln P(x without {name})), all else frozen.")
    steps += _term_lines(taught, lesson.loss, "fall of ln P")
    steps.append(f"Δ({name}) = {_sum(lesson.loss)} = <b>{_number(lesson.loss.total)} nats</b>")
    return tuple(steps)


def _term_lines(taught: Taught, terms: Terms, what: str) -> list[str]:
    """Return a line for each text, with the sum so far."""
    lines, so_far = [], 0.0
    rows = zip(terms.texts.tolist(), terms.counts.tolist(), terms.each.tolist(), terms.products.tolist(), strict=True)
    for text, count, each, product in rows:
        so_far += product
        told = escape(taught.corpus.text(text))
        lines.append(
            f"&nbsp;&nbsp;{told}: {count} × {what} {_number(each)} = {_number(product)}, so far {_number(so_far)}"
        )
    return lines


def _m_step(taught: Taught, name: str) -> list[str]:
    lesson, total = taught.lesson, _number(taught.lesson.n_tokens)
    if taught.m_step != "maximum_likelihood":
        return [f"<b>M step.</b> This training uses {taught.m_step}; with maximum likelihood p would be C/ΣC."]
    return [
        "<b>M step.</b> Which p make Σ C(t) ln p(t) largest while Σ p(t) = 1?",
        "&nbsp;&nbsp;Lagrange: L = Σ C(t) ln p(t) + λ (1 − Σ p(t)), so ∂L/∂p(t) = C(t)/p(t) − λ = 0 and p(t) = C(t)/λ.",
        f"&nbsp;&nbsp;Σ p(t) = 1 gives λ = Σ C(t) = {total}. Each C(t) ln p is concave: it is the maximum.",
        f"p({name}) = C({name})/λ = {_number(lesson.counted.total)} / {total} = <b>{_number(lesson.probability)}</b>",
    ]


def _sum(terms: Terms) -> str:
    return " + ".join(map(_number, terms.products.tolist())) or "0"


def _number(value: float) -> str:
    """Write a number with six decimals, zeros at the end left out.

    >>> _number(21.6), _number(0.6642066)
    ('21.6', '0.664207')
    """
    text = log_text(value, 6)
    return text.rstrip("0").rstrip(".") if "." in text else text
