"""The curve of the objective: corpus loss after each update of training, over the size of the table.

Pruning makes the loss grow and updates make it shrink, so the curve is a saw that climbs: hovering tells which
update a point is.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QElapsedTimer, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from engine.history import Update
from unigram_gui.number_text import count_text, counted, log_text
from unigram_gui.theme import Theme
from unigram_gui.views.pane import MARGIN, Pane
from unigram_gui.views.training import loss_text

THOUSAND_FROM = 20_000
MAX_TICKS = 8
HOVER_PIXELS = 24
LABEL_REACH = 1.35  # of its own height: how far the number beside the last point reaches from it
MOST_FOR_LABEL = 0.5  # of the plot's height
REST, MOST_WAIT = 250, 1000  # milliseconds between two drawings of a curve that grows, and at most while keys come


class ObjectiveView(Pane):
    """Shows the corpus loss after each update.

    Signals
    -------
    update_requested : place of the update whose point was clicked
    """

    update_requested = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("Loss by update", parent)
        self._theme = theme
        self._updates: tuple[Update, ...] = ()
        self._unit = 1.0
        self._moment: tuple[float, float] | None = None
        self._drawn = QElapsedTimer()
        self._draw_soon = QTimer(self)
        self._draw_soon.setSingleShot(True)
        self._draw_soon.timeout.connect(self._draw)
        self.plot = _plot()
        # Symbols from pyqtgraph's cache are pixels, which would look coarse in an SVG.
        self.boundaries = pg.PlotCurveItem(connect="pairs")
        self.boundaries.setZValue(-10)
        self.curve = pg.PlotDataItem(antialias=True, symbol="o", symbolSize=6, useCache=False)
        self.last = pg.ScatterPlotItem(size=7, antialias=True, useCache=False)
        self.value_label = pg.TextItem(anchor=(0.85, LABEL_REACH))
        self.hover_label = pg.TextItem(anchor=(0.5, 1.25))
        self.hover_point = pg.ScatterPlotItem(size=10, antialias=True)
        self.moment_line = pg.InfiniteLine(angle=90)
        self.moment_point = pg.ScatterPlotItem(size=9, antialias=True, useCache=False)
        beneath, over = (self.boundaries, self.moment_line, self.moment_point), (self.value_label, self.hover_label)
        for item in (*beneath, self.curve, self.last, self.hover_point, *over):
            self.plot.addItem(item, ignoreBounds=True)
        row = QHBoxLayout()
        row.setContentsMargins(MARGIN - 4, 0, MARGIN, 0)
        row.addWidget(self.plot)
        self.body.addLayout(row, 1)
        self.body.addLayout(self._axis_notes())
        self.plot.getViewBox().sigResized.connect(lambda _: self._fit_again())
        self.plot.scene().sigMouseMoved.connect(self._hover)
        self.plot.scene().sigMouseClicked.connect(self._click)
        self.set_theme(theme)

    def _axis_notes(self) -> QHBoxLayout:
        self.axis_note, self.count_note = QLabel("pieces in the table"), QLabel()
        row = QHBoxLayout()
        row.setContentsMargins(MARGIN + 44, 0, MARGIN, 6)
        for label in (self.axis_note, self.count_note):
            label.setProperty("role", "note")
            label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        row.addWidget(self.axis_note)
        row.addStretch(1)
        row.addWidget(self.count_note)
        return row

    def set_theme(self, theme: Theme) -> None:
        """Draw with another theme from now on."""
        self._theme = theme
        palette = theme.palette
        self.plot.setBackground(palette.paper)
        self.boundaries.setPen(pg.mkPen(palette.hairline, width=1, style=Qt.PenStyle.DotLine))
        self.curve.setPen(pg.mkPen(palette.best_text, width=1.75))
        self.curve.setSymbolPen(pg.mkPen(palette.best_text, width=1.5))
        self.curve.setSymbolBrush(pg.mkBrush(palette.paper))
        self.last.setPen(pg.mkPen(palette.best_text, width=1.5))
        self.last.setBrush(pg.mkBrush(palette.best_text))
        self.moment_line.setPen(pg.mkPen(palette.picked, width=1.2))
        self.moment_point.setPen(pg.mkPen(palette.picked, width=2))
        self.moment_point.setBrush(pg.mkBrush(palette.paper))
        self.hover_point.setPen(pg.mkPen(palette.picked, width=2))
        self.hover_point.setBrush(pg.mkBrush(palette.paper))
        self.value_label.setColor(palette.ink)
        self.value_label.setFont(theme.sans(11.5, 600))
        self.hover_label.setFont(theme.sans(10.5))
        self.hover_label.setColor("#FFFFFF")
        self.hover_label.fill = pg.mkBrush(palette.card)
        self.hover_label.border = pg.mkPen(palette.card_border)
        for label in (self.axis_note, self.count_note):
            label.setFont(theme.sans(10.5))
        self._dress_axes()
        self.set_updates(self._updates)

    def _dress_axes(self) -> None:
        palette = self._theme.palette
        grid = QColor(palette.hairline)
        for name in ("left", "bottom"):
            axis = self.plot.getAxis(name)
            axis.setTextPen(palette.ink2)
            axis.setPen(pg.mkPen(None))
            axis.setTickPen(pg.mkPen(grid, width=1))
            axis.setTickFont(self._theme.sans(10.5))
            axis.setStyle(maxTickLevel=0, tickLength=0, hideOverlappingLabels=False)

    def set_updates(self, updates: Sequence[Update]) -> None:
        """Show these updates; one whose loss is not known yet is left out."""
        self._updates = tuple(update for update in updates if update.loss_after is not None)
        self._draw()

    def follow_updates(self, updates: Sequence[Update]) -> None:
        """Show these updates of a training that runs, soon: it makes many a second, and drawing them takes its time."""
        self._updates = tuple(update for update in updates if update.loss_after is not None)
        if not self._draw_soon.isActive():
            self._draw_soon.start(max(0, REST - self._drawn.elapsed()) if self._drawn.isValid() else 0)

    def wait(self) -> None:
        """A person types elsewhere: the curve can wait until the keys rest, but not for ever."""
        if self._draw_soon.isActive() and self._drawn.elapsed() < MOST_WAIT:
            self._draw_soon.start(REST)

    def _draw(self) -> None:
        self._draw_soon.stop()
        self._drawn.start()
        losses = self.losses()
        self._unit = 1000.0 if len(losses) and losses.max() >= THOUSAND_FROM else 1.0
        x, y = np.arange(len(losses), dtype=float), losses / self._unit
        self.curve.setData(x, y)
        self.last.setData(x[-1:], y[-1:])
        self._show_last(x, y)
        firsts = self._firsts_of_rounds()
        self._show_ticks(firsts)
        self._fit(x, y)
        self._show_boundaries(np.array(firsts[1:], dtype=float) - 0.5)
        self._show_moment()
        self._clear_hover()

    def set_moment(self, place: float | None, loss: float | None = None) -> None:
        """Mark a moment of the run: an update by its place, anything else between two; None for no mark."""
        self._moment = None if place is None else (place, math.nan if loss is None else loss)
        self._show_moment()

    def _show_moment(self) -> None:
        self.moment_line.setVisible(self._moment is not None)
        self.moment_point.setData([], [])
        if self._moment is None:
            return
        place, loss = self._moment
        first, last = self.plot.viewRange()[0]
        self.moment_line.setPos(min(max(place, first + 0.02), last))
        if place.is_integer() and not math.isnan(loss):
            self.moment_point.setData([place], [loss / self._unit])

    def losses(self) -> np.ndarray:
        """Return what the curve shows, in nats."""
        return np.array([update.loss_after for update in self._updates], dtype=float)

    def _show_last(self, x: np.ndarray, y: np.ndarray) -> None:
        n = len(x)
        unit = "thousand nats" if self._unit > 1 else "nats"
        self.set_note(f"corpus loss after each update, {unit}" if self._unit == 1 else f"corpus loss, {unit}")
        prunings = sum(a.round != b.round for a, b in itertools.pairwise(self._updates))
        counts = f"{counted(n, 'update')}, {counted(prunings, 'pruning')}"
        self.count_note.setText(counts if n else "train to see the curve")
        self.axis_note.setVisible(n > 0)
        for name in ("left", "bottom"):
            self.plot.getAxis(name).setStyle(showValues=n > 0)
        self.plot.showGrid(y=n > 0, alpha=1.0)
        self.value_label.setVisible(n > 0)
        if n:
            self.value_label.setText(log_text(y[-1], 1 if self._unit > 1 else 3))
            self.value_label.setAnchor((0.85, 1.0 - LABEL_REACH if _falls_steeply(y) else LABEL_REACH))
            self.value_label.setPos(x[-1], y[-1])

    def _firsts_of_rounds(self) -> list[int]:
        """The first update of each round."""
        firsts = [0] if self._updates else []
        return firsts + [i + 1 for i, (a, b) in enumerate(itertools.pairwise(self._updates)) if a.round != b.round]

    def _show_ticks(self, firsts: list[int]) -> None:
        """Name the table's size at the first update of each round, as many as there is room for."""
        step = -(-len(firsts) // MAX_TICKS) or 1
        ticks = [(i, count_text(self._updates[i].n_pieces)) for i in firsts[::step]]
        self.plot.getAxis("bottom").setTicks([ticks])

    def _show_boundaries(self, places: np.ndarray) -> None:
        """Part the rounds by dotted lines: between two of them the table was pruned."""
        self.boundaries.setData(np.repeat(places, 2), np.tile(self.plot.viewRange()[1], len(places)))

    def _fit(self, x: np.ndarray, y: np.ndarray) -> None:
        if not len(x):
            self.plot.getAxis("left").setTicks([[]])
            self.plot.setRange(xRange=(0, 1), yRange=(0, 1), padding=0)
            return
        low, high, last = float(y.min()), float(y.max()), float(y[-1])
        room = 0.08 * (high - low) or 1.0
        ticks = [(tick, f"{tick:,.10g}") for tick in round_ticks(low - room, high)]
        self.plot.getAxis("left").setTicks([ticks])
        bottom, top, share = low - room, high + room, self._label_share()
        if _falls_steeply(y):
            bottom = min(bottom, (last - share * top) / (1.0 - share))
        else:
            top = max(top, (last - share * bottom) / (1.0 - share))
        self.plot.setRange(xRange=(-0.3, max(len(x) - 0.7, 0.5)), yRange=(bottom, top), padding=0)

    def _label_share(self) -> float:
        """What part of the plot's height the number beside the last point takes."""
        height = self.plot.getViewBox().height()
        needed = LABEL_REACH * self.value_label.boundingRect().height()
        return min(needed / height, MOST_FOR_LABEL) if height > 0.0 else MOST_FOR_LABEL

    def _fit_again(self) -> None:
        """The plot has another height: the number takes another part of it."""
        losses = self.losses() / self._unit
        self._fit(np.arange(len(losses), dtype=float), losses)
        self._show_boundaries(np.array(self._firsts_of_rounds()[1:], dtype=float) - 0.5)

    # Hovering.

    def _hover(self, position: QPointF) -> None:
        nearest = self._nearest(position)
        if nearest is None:
            self._clear_hover()
            return
        update = self._updates[nearest]
        x, y = float(nearest), float(self.losses()[nearest] / self._unit)
        self.hover_point.setData([x], [y])
        self.hover_label.setText(
            f"round {update.round}, update {update.sub_iteration}\n"
            f"{count_text(update.n_pieces)} learned pieces\n{loss_text(self.losses()[nearest])} nats"
        )
        self.hover_label.setAnchor(((nearest + 0.5) / max(len(self._updates), 1), 1.15 if self._is_low(y) else -0.15))
        self.hover_label.setPos(x, y)
        self.hover_label.show()

    def _click(self, event: object) -> None:
        nearest = self._nearest(event.scenePos())  # type: ignore[attr-defined]
        if nearest is not None:
            self.update_requested.emit(nearest)

    def _is_low(self, y: float) -> bool:
        low, high = self.plot.viewRange()[1]
        return y < (low + high) / 2

    def _nearest(self, position: QPointF) -> int | None:
        if not self._updates or not self.plot.sceneBoundingRect().contains(position):
            return None
        view = self.plot.getViewBox()
        place = round(view.mapSceneToView(position).x())
        place = min(max(place, 0), len(self._updates) - 1)
        point = view.mapViewToScene(QPointF(place, self.losses()[place] / self._unit))
        return place if abs(point.x() - position.x()) < HOVER_PIXELS else None

    def _clear_hover(self) -> None:
        self.hover_point.setData([], [])
        self.hover_label.hide()


def _falls_steeply(y: np.ndarray) -> bool:
    """Tell whether the curve comes down to its last point so that a number above it would lie on the curve."""
    return len(y) > 1 and bool(y[-2] - y[-1] > 0.2 * (y.max() - y.min()))


def round_ticks(low: float, high: float, at_most: int = 6) -> list[float]:
    """Return round numbers from `low` to `high`, a 1, 2 or 5 times a power of ten apart.

    >>> round_ticks(167.9, 173.4), round_ticks(411.0, 540.0)
    ([168, 169, 170, 171, 172, 173], [420, 440, 460, 480, 500, 520, 540])
    """
    rough = (high - low) / at_most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough * 0.9)
    ticks = [round(i * step, 10) for i in range(math.ceil(low / step), math.floor(high / step) + 1)]
    return [int(tick) if tick == int(tick) else tick for tick in ticks]


def _plot() -> pg.PlotWidget:
    """Return a plot that only shows: no menu, no dragging, no auto-range button."""
    plot = pg.PlotWidget(enableMenu=False)
    # pyqtgraph makes a menu without a parent even so, which nothing would ever delete.
    plot.getPlotItem().ctrlMenu.setParent(plot, Qt.WindowType.Popup)
    plot.setAccessibleName("Curve of the corpus loss")
    plot.setMouseEnabled(x=False, y=False)
    plot.hideButtons()
    plot.setMinimumHeight(80)
    plot.showGrid(y=True, alpha=1.0)
    return plot
