"""The curves of a training: loss, gain, tokens, size, entropy, probability by rank, and how pieces moved.

In: a `CurveSet`. Out: the wish to see a moment (a point was clicked), and to follow pieces. It formats, and looks up.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from engine.timeline import Moment
from unigram_gui.item_models.cells import piece_cell
from unigram_gui.number_text import count_text, log_text, probability_text
from unigram_gui.tasks.replay import CurveSet
from unigram_gui.theme import Theme
from unigram_gui.views.plot import COLOURS, Axes, Mark, Plot, Series, Words
from unigram_gui.views.timeline import moment_title

CURVE_TITLES = ("&Loss", "&Gain", "&Tokens", "&Size", "&Entropy", "By &rank", "&Pieces")
LOSS, GAIN, TOKENS, SIZE, ENTROPY, RANK, PIECES = range(7)
MOST_TICKS = 12
LARGE_RATIO = 20.0  # from the smallest to the largest table: then the axis is logarithmic
NO_CURVES = "Train on a corpus first: the curves tell how it learned."


class CurvesView(QWidget):
    """Shows one kind of curve at a time.

    Signals
    -------
    place_requested : the moment whose point was clicked
    follow_requested : pieces, parted by spaces
    """

    place_requested = Signal(int)
    follow_requested = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._found: CurveSet | None = None
        self._places: list[np.ndarray] = []
        self._kind = LOSS
        self.plot = Plot(theme, "Curves of the training", NO_CURVES)
        self.followed = QLineEdit()
        self.followed.setPlaceholderText("Pieces to follow, parted by spaces; ␣ begins a word")
        self.followed.setAccessibleName("Pieces to follow")
        self.followed.setClearButtonEnabled(True)
        self._group = QButtonGroup(self)
        self._lay_out()
        self.plot.point_picked.connect(self._pick)
        self.followed.textChanged.connect(self.follow_requested)
        self._group.idClicked.connect(self.turn_to)
        self.turn_to(LOSS)

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setContentsMargins(18, 10, 18, 4)
        row.setSpacing(0)
        last = len(CURVE_TITLES) - 1
        for i, title in enumerate(CURVE_TITLES):
            button = QPushButton(title.replace("&", ""))
            button.setCheckable(True)
            button.setProperty("segment", {0: "first", last: "last"}.get(i, "middle"))
            self._group.addButton(button, i)
            row.addWidget(button)
        row.addSpacing(12)
        row.addWidget(self.followed, 1)
        row.addStretch(0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(self.plot, 1)

    def set_theme(self, theme: Theme) -> None:
        """Draw with another theme from now on."""
        self.plot.set_theme(theme)

    def turn_to(self, kind: int) -> None:
        """Show another kind of curve."""
        self._kind = kind
        self._group.button(kind).setChecked(True)
        self.followed.setEnabled(kind == PIECES)
        self._show()

    def set_curves(self, found: CurveSet | None) -> None:
        """Show the curves of another run, or of the same at another moment."""
        if found is None:
            self.followed.clear()
        self._found = found
        self._show()

    def _show(self) -> None:
        if self._found is None:
            self._places = []
            self.plot.show_series(Axes("moment", ""), ())
            return
        draw = {
            LOSS: self._show_loss, GAIN: self._show_gain, TOKENS: self._show_tokens, SIZE: self._show_size,
            ENTROPY: self._show_entropy, RANK: self._show_rank, PIECES: self._show_pieces,
        }  # fmt: skip
        draw[self._kind](self._found)

    def _pick(self, series: int, point: int) -> None:
        if series < len(self._places):
            self.place_requested.emit(int(self._places[series][point]))

    # One value a moment.

    def _over_moments(self, found: CurveSet, values: np.ndarray, title: str, unit: str, *, log: bool = False) -> None:
        moments, places = found.curves.moments, np.arange(len(values))

        def words(i: int) -> str:
            pieces = f"{count_text(moments[i].n_pieces)} learned pieces"
            return f"{moment_title(moments[i])}\n{pieces}\n{_number(values[i])} {unit}"

        axes = Axes("moment of the training", f"{title}, {unit}", log_y=log, ticks=_ticks(moments))
        is_known = np.flatnonzero(~np.isnan(values))
        shown = Series("", is_known.astype(np.float64), values[is_known], lambda i: words(int(is_known[i])))
        self._places = [places[is_known]]
        self.plot.show_series(axes, (shown,), _marks(moments, found.place))

    def _show_loss(self, found: CurveSet) -> None:
        self._over_moments(found, found.curves.loss, "corpus loss", "nats")

    def _show_tokens(self, found: CurveSet) -> None:
        self._over_moments(found, found.curves.expected_tokens, "expected length of the corpus", "tokens")

    def _show_size(self, found: CurveSet) -> None:
        n = found.curves.n_pieces
        self._over_moments(found, n, "vocabulary size", "pieces", log=n.max() > LARGE_RATIO * n.min())

    def _show_entropy(self, found: CurveSet) -> None:
        self._over_moments(found, found.curves.entropy, "entropy of the table", "nats a token")

    # Others.

    def _show_gain(self, found: CurveSet) -> None:
        """A line for each update of a round: whether the third is still worth it."""
        moments, series = found.curves.moments, []
        self._places = []
        for number in sorted({moment.sub_iteration for moment in moments if moment.kind == "update"}):
            places = np.array([i for i, m in enumerate(moments) if m.kind == "update" and m.sub_iteration == number])
            self._places.append(places)
            series.append(_gain(found, number, places))
        ticks = tuple((float(r), str(r)) for r in sorted({m.round for m in moments if m.round}))
        step = -(-len(ticks) // MOST_TICKS)
        axes = Axes("round", "fall of the corpus loss by an update, nats", log_y=True, ticks=ticks[::step])
        self.plot.show_series(axes, series)

    def _show_rank(self, found: CurveSet) -> None:
        axes = Axes("rank of the piece", "probability", log_x=True, log_y=True)
        colours = ("ink3", "picked", "best_text")[-len(found.ranks) :]
        if len(found.ranks) == 2:
            colours = ("ink3", "best_text")
        series = [
            Series(name, np.arange(1, len(p) + 1, dtype=np.float64), p, _rank_words(name, p), colour)
            for (name, p), colour in zip(found.ranks, colours, strict=True)
        ]
        self._places = []
        self.plot.show_series(axes, series)

    def _show_pieces(self, found: CurveSet) -> None:
        moments, series = found.curves.moments, []
        self._places = []
        for i, piece in enumerate(found.pieces):
            places = np.flatnonzero(piece.probabilities > 0)
            name, p = piece_cell(piece.text), piece.probabilities[places]
            self._places.append(places)
            words = _piece_words(name, moments, places, p)
            colour, is_dashed = COLOURS[i % len(COLOURS)], i >= len(COLOURS)
            series.append(Series(name, places.astype(np.float64), p, words, colour, is_dashed=is_dashed))
        axes = Axes("moment of the training", "probability", log_y=True, ticks=_ticks(moments))
        self.plot.show_series(axes, series, _marks(moments, found.place))


def _gain(found: CurveSet, number: int, places: np.ndarray) -> Series:
    moments, gain = found.curves.moments, found.curves.gain[places]
    rounds = np.array([moments[i].round for i in places.tolist()], dtype=np.float64)

    def words(i: int) -> str:
        return f"{moment_title(moments[int(places[i])])}\nloss fell by {_number(gain[i])} nats"

    return Series(f"update {number}", rounds, gain, words, COLOURS[(number - 1) % len(COLOURS)])


def _rank_words(name: str, p: np.ndarray) -> Words:
    return lambda i: f"{name}\nrank {count_text(i + 1)}\np {probability_text(float(p[i]))}"


def _piece_words(name: str, moments: tuple[Moment, ...], places: np.ndarray, p: np.ndarray) -> Words:
    return lambda i: f"{name}\n{moment_title(moments[int(places[i])])}\np {probability_text(float(p[i]))}"


def _number(value: float) -> str:
    return log_text(float(value), 4 if abs(value) < 100 else 2 if abs(value) < 20_000 else 0)


def _ticks(moments: tuple[Moment, ...]) -> tuple[tuple[float, str], ...]:
    """Name the first update of each round, as many as there is room for."""
    firsts = [(i, moment) for i, moment in enumerate(moments) if moment.kind == "update" and moment.sub_iteration == 1]
    step = -(-len(firsts) // MOST_TICKS) or 1
    return tuple((float(i), f"round {moment.round}") for i, moment in firsts[::step])


def _marks(moments: tuple[Moment, ...], place: int) -> list[Mark]:
    """Mark removals, and the moment on show."""
    removals = [i for i, moment in enumerate(moments) if moment.kind == "removal"]
    lines = [Mark("x", float(i), colour="hairline", is_dashed=True) for i in removals]
    return [*lines, Mark("x", float(place), colour="picked")]
