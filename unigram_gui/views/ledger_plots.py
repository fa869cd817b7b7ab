"""Two pictures of a pruning round: its losses sorted with the line that cut them; two criteria against each other."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from engine.ledger import Reason
from unigram_gui.item_models.cells import piece_cell
from unigram_gui.item_models.ledger import CRITERION_TITLES
from unigram_gui.number_text import count_text, log_text
from unigram_gui.tasks.replay import Book
from unigram_gui.theme import Theme
from unigram_gui.views.choice import Choice
from unigram_gui.views.plot import Axes, Mark, Plot, Series

NAMES = tuple(CRITERION_TITLES)


class LossesPlot(Plot):
    """The losses that decided, from the smallest up."""

    row_picked = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Sorted losses", "No losses yet.", parent)
        self._rows = np.zeros(0, dtype=np.int64)
        self.point_picked.connect(lambda number, point: self.row_picked.emit(int(self._parts[number][point])))
        self._parts: tuple[np.ndarray, ...] = ()
        self.set_book(None)

    def set_book(self, book: Book | None) -> None:
        """Show another round."""
        axes = Axes("pieces, the cheapest first", "loss if removed, nats", log_y=True, legend="left", whole_x=True)
        if book is None:
            self._parts = ()
            self.show_series(axes, ())
            return
        ledger = book.ledger
        rows = np.flatnonzero(~np.isnan(ledger.losses))
        rows = rows[np.argsort(ledger.losses[rows], kind="stable")]
        gone = ledger.is_gone[rows]
        rank = np.arange(1, len(rows) + 1, dtype=np.float64)
        self._parts = rows[gone], rows[~gone]
        series = [
            _ranked(book, "gone", rows[gone], rank[gone], "removed"),
            _ranked(book, "kept", rows[~gone], rank[~gone], "best_text"),
        ]
        line = Mark("y", ledger.line, f"line at {log_text(ledger.line, 4)} nats")
        self.show_series(axes, series, (line,))


def _ranked(book: Book, name: str, rows: np.ndarray, rank: np.ndarray, colour: str) -> Series:
    losses = book.ledger.losses[rows].astype(np.float64)

    def words(i: int) -> str:
        return f"{_piece(book, int(rows[i]))}\nplace {count_text(int(rank[i]))}\n{log_text(float(losses[i]), 6)} nats"

    return Series(name, rank, losses, words, colour, is_line=len(rows) > 60)


def _piece(book: Book, row: int) -> str:
    return piece_cell(book.history.piece_texts[int(book.ledger.pieces[row])])


class CriteriaPlot(QWidget):
    """Any two criteria of a round as a scatter, with their rank correlation."""

    row_picked = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._book: Book | None = None
        self._parts: tuple[np.ndarray, ...] = ()
        self.plot = Plot(theme, "Two criteria", "The other criteria need the corpus of the training.")
        self.across, self.up = Choice("Criterion across"), Choice("Criterion up")
        for choice, first in ((self.across, 0), (self.up, 2)):
            choice.addItems(list(CRITERION_TITLES.values()))
            choice.setCurrentIndex(first)
            choice.currentIndexChanged.connect(lambda _: self._show())
        self.correlation = QLabel()
        self.correlation.setProperty("role", "note")
        row = QHBoxLayout()
        row.setContentsMargins(18, 6, 18, 0)
        row.setSpacing(8)
        for widget in (self.up, QLabel("against"), self.across):
            row.addWidget(widget)
        row.addWidget(self.correlation, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(self.plot, 1)
        self.plot.point_picked.connect(self._pick)
        self._show()

    def set_theme(self, theme: Theme) -> None:
        """Draw with another theme from now on."""
        self.plot.set_theme(theme)

    def set_book(self, book: Book | None) -> None:
        """Show another round."""
        self._book = book
        self._show()

    def _pick(self, number: int, point: int) -> None:
        self.row_picked.emit(int(self._parts[number][point]))

    def _show(self) -> None:
        across, up = NAMES[self.across.currentIndex()], NAMES[self.up.currentIndex()]
        title_x, title_y = (f"{CRITERION_TITLES[name]}, nats" for name in (across, up))
        axes = Axes(title_x, title_y, log_x=True, log_y=True, legend="left")
        book = self._book
        if book is None or book.criteria is None:
            self._parts = ()
            self.correlation.setText("")
            self.plot.show_series(axes, ())
            return
        x, y = (getattr(book.criteria, name) for name in (across, up))
        reason = book.ledger.reason[book.ledger.pruned]
        masks = ((reason == Reason.ABOVE_LINE), (reason == Reason.BELOW_LINE) | (reason == Reason.NO_BEST_PATH))
        self._parts = tuple(book.ledger.pruned[mask] for mask in masks)
        self.plot.show_series(axes, [
            _cloud(book, name, rows, x[mask], y[mask], colour)
            for name, rows, mask, colour in zip(
                ("kept", "gone"), self._parts, masks, ("best_text", "removed"), strict=True
            )
        ])  # fmt: skip
        self.correlation.setText(self._told(book.criteria.correlations[across, up], x, y))

    @staticmethod
    def _told(correlation: float, x: np.ndarray, y: np.ndarray) -> str:
        """Name the rank correlation, and how many points a logarithmic axis cannot show."""
        has_losses = ~(np.isnan(x) | np.isnan(y))
        n_hidden = int(np.count_nonzero(has_losses & ~((x > 0) & (y > 0) & np.isfinite(x) & np.isfinite(y))))
        hidden = f" · {count_text(n_hidden)} without a positive finite loss not drawn" if n_hidden else ""
        return f"rank correlation {log_text(correlation)}{hidden}"


def _cloud(book: Book, name: str, rows: np.ndarray, x: np.ndarray, y: np.ndarray, colour: str) -> Series:
    def words(i: int) -> str:
        return f"{_piece(book, int(rows[i]))}\n{log_text(float(x[i]), 4)} across\n{log_text(float(y[i]), 4)} up"

    return Series(name, x, y, words, colour, is_line=False)
