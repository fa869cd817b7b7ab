"""A plot of the program's look: quiet axes with names and units, a grid, a legend, the value under the pointer.

In: series of points, each with the words for its points. Out: which point was clicked. It only draws.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from unigram_gui.number_text import log_text
from unigram_gui.theme import Palette, Theme

HOVER_PIXELS = 16.0
LEFT, LEGEND = 76, 0.1  # pixels of the left axis; part of the width that is left to the names
MOST_SYMBOLS = 400  # of a line; beyond that they would be a band
COLOURS = ("best_text", "picked", "continuation", "removed", "ink3")

Floats = npt.NDArray[np.float64]
Words = Callable[[int], str]


@dataclass(frozen=True, eq=False)
class Series:
    """One line or cloud.

    Attributes
    ----------
    name : what the legend calls it; "" for no entry
    x, y : float64[n]; where an axis is logarithmic, only what is above 0 is drawn
    words : what hovering over point i says
    colour : a name of the palette
    is_line, is_dashed : whether the points are joined, and by dashes
    """

    name: str
    x: Floats
    y: Floats
    words: Words
    colour: str = "best_text"
    is_line: bool = True
    is_dashed: bool = False


@dataclass(frozen=True)
class Axes:
    """What the axes are called, with units, and which are logarithmic."""

    x: str
    y: str
    log_x: bool = False
    log_y: bool = False
    ticks: tuple[tuple[float, str], ...] | None = None
    legend: str = "right"
    whole_x: bool = False  # counts: no number between two whole ones


@dataclass(frozen=True)
class Mark:
    """A straight line across the plot: at a value of "x" or "y", with a few words."""

    axis: str
    value: float
    words: str = ""
    colour: str = "removed"
    is_dashed: bool = False


@dataclass(eq=False)
class _Shown:
    """What lies in the plot: the series as they are drawn."""

    series: tuple[Series, ...] = ()
    places: list[npt.NDArray[np.int64]] = field(default_factory=list)
    x: list[Floats] = field(default_factory=list)
    y: list[Floats] = field(default_factory=list)


class Plot(QWidget):
    """Shows series of points.

    Signals
    -------
    point_picked : number of the series and of the point that was clicked
    """

    point_picked = Signal(int, int)

    def __init__(self, theme: Theme, name: str, hint: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._hint = theme, hint
        self._axes = Axes("", "")
        self._marks: tuple[Mark, ...] = ()
        self._shown = _Shown()
        self._at = (-1, -1)
        self.setAccessibleName(name)
        self.plot = pg.PlotWidget(enableMenu=False, axisItems={side: _Axis(side) for side in ("left", "bottom")})
        # pyqtgraph makes a menu without a parent even so, which nothing would ever delete.
        self.plot.getPlotItem().ctrlMenu.setParent(self.plot, Qt.WindowType.Popup)
        self.plot.hideButtons()
        self.plot.setMinimumSize(220, 140)
        self.plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.legend = self.plot.addLegend(offset=(-8, 8), labelTextSize="10.5px")
        self.hover_label = pg.TextItem(anchor=(0.5, 1.2))
        self.hover_point = pg.ScatterPlotItem(size=10, antialias=True)
        self.hint_label = pg.TextItem(anchor=(0.5, 0.5))
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 4, 14, 8)
        column.addWidget(self.plot)
        self.plot.scene().sigMouseMoved.connect(self._hover)
        self.plot.scene().sigMouseClicked.connect(self._click)

    @property
    def series(self) -> tuple[Series, ...]:
        """What is shown."""
        return self._shown.series

    def set_theme(self, theme: Theme) -> None:
        """Draw with another theme from now on."""
        self._theme = theme
        self.show_series(self._axes, self._shown.series, self._marks)

    def set_hint(self, hint: str) -> None:
        """Say why there is nothing to see."""
        self._hint = hint
        self.show_series(self._axes, self._shown.series, self._marks)

    def show_series(self, axes: Axes, series: Sequence[Series], marks: Sequence[Mark] = ()) -> None:
        """Show these series and nothing else."""
        self._axes, self._marks = axes, tuple(marks)
        self._shown = _Shown(tuple(series))
        self._at = (-1, -1)
        self.plot.clear()
        self.legend.clear()
        self._dress()
        self.legend.anchor(*((0, 0), (0, 0), (12, 6)) if axes.legend == "left" else ((1, 0), (1, 0), (-8, 6)))
        for one in series:
            self._draw(one)
        for mark in marks:
            self._draw_mark(mark)
        self._fit()
        self._add_hover_items()
        self.setAccessibleDescription(self.spoken())

    def _draw(self, one: Series) -> None:
        is_shown = np.isfinite(one.x) & np.isfinite(one.y)
        is_shown &= (one.x > 0) if self._axes.log_x else True
        is_shown &= (one.y > 0) if self._axes.log_y else True
        places = np.flatnonzero(is_shown)
        x = np.log10(one.x[places]) if self._axes.log_x else one.x[places]
        y = np.log10(one.y[places]) if self._axes.log_y else one.y[places]
        self._shown.places.append(places)
        self._shown.x.append(x)
        self._shown.y.append(y)
        item = self._line(one, x, y) if one.is_line else self._cloud(one, x, y)
        self.plot.addItem(item)
        if one.name:
            self.legend.addItem(item, one.name)

    def _line(self, one: Series, x: Floats, y: Floats) -> pg.PlotDataItem:
        palette, colour = self._theme.palette, self._colour(one.colour)
        pens = {"symbolPen": pg.mkPen(colour, width=1.5), "symbolBrush": pg.mkBrush(palette.paper)}
        symbols = {"symbol": "o", "symbolSize": 6, **pens} if len(x) <= MOST_SYMBOLS else {}
        # Symbols from pyqtgraph's cache are pixels, which would look coarse in an SVG.
        pen = pg.mkPen(colour, width=1.75, style=_style(one.is_dashed))
        return pg.PlotDataItem(x, y, pen=pen, antialias=len(x) <= 5000, useCache=False, **symbols)

    def _cloud(self, one: Series, x: Floats, y: Floats) -> pg.ScatterPlotItem:
        colour = QColor(self._colour(one.colour))
        colour.setAlpha(200 if len(x) < 200 else 110)
        size = 8 if len(x) < 200 else 4
        return pg.ScatterPlotItem(x, y, size=size, pen=None, brush=pg.mkBrush(colour), pxMode=True)

    def _draw_mark(self, mark: Mark) -> None:
        is_log = self._axes.log_x if mark.axis == "x" else self._axes.log_y
        if not math.isfinite(mark.value) or (is_log and mark.value <= 0):
            return
        value = math.log10(mark.value) if is_log else mark.value
        colour = self._colour(mark.colour)
        options = {"color": colour, "position": 0.02, "anchors": [(0, 1), (0, 1)]} if mark.words else None
        line = pg.InfiniteLine(
            value, angle=90 if mark.axis == "x" else 0, pen=pg.mkPen(colour, width=1.4, style=_style(mark.is_dashed)),
            label=mark.words or None, labelOpts=options,
        )  # fmt: skip
        if mark.words:
            line.label.setFont(self._theme.sans(10.5))
        self.plot.addItem(line, ignoreBounds=True)

    def _colour(self, name: str) -> str:
        palette: Palette = self._theme.palette
        return str(getattr(palette, name))

    def _dress(self) -> None:
        palette, theme = self._theme.palette, self._theme
        self.plot.setBackground(palette.paper)
        self.legend.setLabelTextColor(palette.ink2)
        self.plot.getPlotItem().setLogMode(x=False, y=False)
        for name, words in (("bottom", self._axes.x), ("left", self._axes.y)):
            axis = self.plot.getAxis(name)
            axis.setPen(pg.mkPen(palette.hairline))
            axis.setTickPen(pg.mkPen(palette.hairline))
            axis.setTextPen(pg.mkPen(palette.ink2))
            axis.setTickFont(theme.sans(10.5))
            axis.setLogMode(False, False)
            axis.setStyle(maxTickLevel=0)
            axis.enableAutoSIPrefix(False)
            axis.setLabel(words, color=palette.ink2)
            axis.setTicks(None)
        self.plot.getAxis("bottom").is_whole = self._axes.whole_x
        if self._axes.ticks is not None:
            self.plot.getAxis("bottom").setTicks([list(self._axes.ticks)])
        self.plot.showGrid(x=False, y=True, alpha=0.35)
        self.hover_label.setFont(theme.sans(10.5))
        self.hover_label.setColor("#FFFFFF")
        self.hover_label.fill = pg.mkBrush(palette.card)
        self.hover_label.border = pg.mkPen(palette.card_border)
        self.hover_point.setPen(pg.mkPen(palette.picked, width=2))
        self.hover_point.setBrush(pg.mkBrush(palette.paper))
        self.hint_label.setColor(palette.ink3)
        self.hint_label.setFont(theme.sans(11.5))

    def _add_hover_items(self) -> None:
        for item in (self.hover_point, self.hover_label, self.hint_label):
            self.plot.addItem(item, ignoreBounds=True)
        self.hover_point.setData([], [])
        self.hover_label.hide()
        is_empty = not any(len(x) for x in self._shown.x)
        self.hint_label.setVisible(is_empty and bool(self._hint))
        self.hint_label.setText(self._hint)
        self.hint_label.setPos(0.5, 0.5)
        for name in ("left", "bottom"):
            self.plot.getAxis(name).setStyle(showValues=not is_empty)

    def _fit(self) -> None:
        xs, ys = (np.concatenate(parts) if parts else np.zeros(0) for parts in (self._shown.x, self._shown.y))
        if not len(xs):
            self.plot.setRange(xRange=(0, 1), yRange=(0, 1), padding=0)
            return
        left, right = _room(xs)
        has_names = self._axes.legend == "right" and any(one.name for one in self._shown.series)
        self.plot.setRange(xRange=(left, right + LEGEND * (right - left) * has_names), yRange=_room(ys), padding=0)
        for name, is_log, values in (("bottom", self._axes.log_x, xs), ("left", self._axes.log_y, ys)):
            if is_log:
                self.plot.getAxis(name).setTicks([_log_ticks(float(values.min()), float(values.max()))])
        self.plot.getAxis("left").setWidth(LEFT)

    # Pointer and keys.

    def _nearest(self, position: QPointF) -> tuple[int, int]:
        """Return the series and the point under the pointer, -1 and -1 for none."""
        view, best, found = self.plot.getViewBox(), HOVER_PIXELS, (-1, -1)
        if not view.sceneBoundingRect().contains(position):
            return found
        place, (width, height) = view.mapSceneToView(position), view.viewPixelSize()
        for number, (x, y) in enumerate(zip(self._shown.x, self._shown.y, strict=True)):
            if not len(x):
                continue
            distance = np.hypot((x - place.x()) / width, (y - place.y()) / height)
            nearest = int(np.argmin(distance))
            if distance[nearest] < best:
                best, found = float(distance[nearest]), (number, nearest)
        return found

    def _hover(self, position: QPointF) -> None:
        self._point_at(*self._nearest(position))

    def _point_at(self, number: int, nearest: int) -> None:
        self._at = (number, nearest)
        if number < 0:
            self.hover_point.setData([], [])
            self.hover_label.hide()
            return
        x, y = float(self._shown.x[number][nearest]), float(self._shown.y[number][nearest])
        one = self._shown.series[number]
        words = one.words(int(self._shown.places[number][nearest]))
        self.hover_point.setData([x], [y])
        self.hover_label.setText(words)
        (left, right), (low, high) = self.plot.viewRange()
        share = (x - left) / ((right - left) or 1.0)
        self.hover_label.setAnchor((min(max(share, 0.0), 1.0), 1.2 if y < (low + high) / 2 else -0.2))
        self.hover_label.setPos(x, y)
        self.hover_label.show()
        self.setAccessibleDescription(words)

    def _click(self, event: object) -> None:
        number, nearest = self._nearest(event.scenePos())  # type: ignore[attr-defined]
        if number >= 0:
            self.point_picked.emit(number, int(self._shown.places[number][nearest]))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Override QWidget::keyPressEvent: arrows go from point to point and tell each; Return picks it."""
        steps = {Qt.Key.Key_Left: (0, -1), Qt.Key.Key_Right: (0, 1), Qt.Key.Key_Up: (-1, 0), Qt.Key.Key_Down: (1, 0)}
        key = Qt.Key(event.key())
        if key in steps and any(len(x) for x in self._shown.x):
            self._walk(*steps[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._at[0] >= 0:
            number, nearest = self._at
            self.point_picked.emit(number, int(self._shown.places[number][nearest]))
        else:
            super().keyPressEvent(event)

    def _walk(self, series: int, points: int) -> None:
        filled = [number for number, x in enumerate(self._shown.x) if len(x)]
        number, nearest = self._at
        if number < 0:
            number, nearest, points = filled[0], 0, 0
        number = filled[(filled.index(number) + series) % len(filled)]
        self._point_at(number, min(max(nearest + points, 0), len(self._shown.x[number]) - 1))

    def spoken(self) -> str:
        """What a screen reader says of the whole plot."""
        if not any(len(x) for x in self._shown.x):
            return self._hint
        names = ", ".join(one.name for one in self._shown.series if one.name)
        return f"{self._axes.y} over {self._axes.x}" + (f": {names}" if names else "")


class _Axis(pg.AxisItem):
    """An axis that writes its numbers as the rest of the program does."""

    is_whole = False

    def tickSpacing(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, float]]:
        """Override AxisItem.tickSpacing: counts are whole numbers."""
        levels = list(super().tickSpacing(minVal, maxVal, size))
        whole = [(spacing, offset) for spacing, offset in levels if spacing >= 1.0 and float(spacing).is_integer()]
        return (whole or [(1.0, 0.0)]) if self.is_whole else levels

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """Override AxisItem.tickStrings: thousands parted, true minus signs."""
        places = max(0, -math.floor(math.log10(spacing * scale) + 1e-9)) if spacing > 0 else 0
        return [log_text(value * scale, min(places, 9)) for value in values]


def _room(values: Floats) -> tuple[float, float]:
    """Return the range of some values with a margin."""
    low, high = float(values.min()), float(values.max())
    margin = 0.06 * (high - low) or max(abs(high) * 0.05, 0.5)
    return low - margin, high + margin


def _style(is_dashed: bool) -> Qt.PenStyle:
    return Qt.PenStyle.DashLine if is_dashed else Qt.PenStyle.SolidLine


def _log_ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Return the powers of ten between two logarithms, at most eight of them; of two decades 1, 2 and 5 of each."""
    first, last = math.floor(low), math.ceil(high)
    if high - low < 2.0:
        values = [m * 10.0**i for i in range(first, last + 1) for m in (1, 2, 5)]
        return [(math.log10(value), f"{value:,.6g}") for value in values]
    step = max(1, -(-(last - first) // 8))
    return [(float(i), power_of_ten(i)) for i in range(first, last + 1, step)]


def power_of_ten(exponent: int) -> str:
    """Write a power of ten.

    >>> power_of_ten(3), power_of_ten(-2), power_of_ten(-5)
    ('1,000', '0.01', '10⁻⁵')
    """
    if 0 <= exponent <= 5:
        return f"{10**exponent:,}"
    if -3 <= exponent < 0:
        return f"{10.0**exponent:.{-exponent}f}"
    digits = str(abs(exponent)).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"10{'⁻' if exponent < 0 else ''}{digits}"
