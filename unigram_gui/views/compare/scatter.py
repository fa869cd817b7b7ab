"""The scores of the pieces that both vocabularies have, A across, B up; what moved most against the rest is named.

In: a `VocabularyComparison`. Out: a plot; a click near a point tells its row among the pieces in both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QVBoxLayout, QWidget

from unigram_gui.item_models.cells import piece_cell
from unigram_gui.number_text import MINUS
from unigram_gui.theme import Theme

if TYPE_CHECKING:
    from engine.comparison import VocabularyComparison

NAMED = 10
CLICK_PIXELS = 12.0
ANCHORS = tuple((x, y) for y in (0.5, -0.3, 1.3, -1.0, 2.0, -1.7, 2.7) for x in (-0.1, 1.1))
POINT = 7.0
LINE_INSET = 6.0


class _Axis(pg.AxisItem):
    """An axis with true minus signs."""

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Override AxisItem.tickStrings."""
        return [text.replace("-", MINUS) for text in super().tickStrings(values, scale, spacing)]


class ScoreScatter(QWidget):
    """Shows ln p in A against ln p in B."""

    row_picked = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._compared: VocabularyComparison | None = None
        self.rows = np.zeros(0, dtype=np.int64)
        self.named: tuple[str, ...] = ()
        self._names: list[pg.TextItem] = []
        self.plot = _plot()
        self.points = pg.ScatterPlotItem(size=3, pen=None, pxMode=True)
        self.outliers = pg.ScatterPlotItem(size=7, pxMode=True)
        self.leaders = pg.PlotCurveItem(connect="pairs")
        self.line = pg.InfiniteLine(angle=45)
        for item in (self.line, self.points, self.leaders, self.outliers):
            self.plot.addItem(item)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 4, 14, 8)
        column.addWidget(self.plot)
        self.plot.scene().sigMouseClicked.connect(self._pick)
        view = self.plot.getViewBox()
        for changed in (view.sigResized, view.sigRangeChanged):
            changed.connect(lambda *_: self._place_names())
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Draw with another theme from now on."""
        self._theme = theme
        palette = theme.palette
        self.plot.setBackground(palette.paper)
        colour = QColor(palette.edge)
        colour.setAlpha(110)
        self.points.setBrush(pg.mkBrush(colour))
        self.outliers.setBrush(pg.mkBrush(palette.picked))
        self.outliers.setPen(pg.mkPen(palette.paper, width=1))
        self.line.setPen(pg.mkPen(palette.best_text, width=1.2))
        self.leaders.setPen(pg.mkPen(palette.ink3, width=1.0))
        for name, label in (("bottom", "ln p in A"), ("left", "ln p in B")):
            axis = self.plot.getAxis(name)
            axis.setPen(pg.mkPen(palette.hairline))
            axis.setTextPen(pg.mkPen(palette.ink2))
            axis.setTickFont(theme.sans(10.5))
            axis.setLabel(label, color=palette.ink2)
        self.set_comparison(self._compared)

    def set_comparison(self, compared: VocabularyComparison | None) -> None:
        """Show another comparison."""
        self._compared = compared
        for name in self._names:
            self.plot.removeItem(name)
        self._names, self.named = [], ()
        self.rows = np.flatnonzero(compared.is_scored) if compared is not None else np.zeros(0, dtype=np.int64)
        x, y = self._scores(self.rows)
        self.points.setData(x, y)
        self.line.setVisible(bool(len(x)))
        self.outliers.setData([], [])
        if compared is None or not len(x):
            return
        self.line.setPos(QPointF(0.0, float(np.median(y - x))))
        self._name_outliers(compared)
        self._fit(x, y)
        self._place_names()

    def _scores(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        compared = self._compared
        if compared is None:
            return np.zeros(0), np.zeros(0)
        return compared.a.log_probs[compared.both_a[rows]], compared.b.log_probs[compared.both_b[rows]]

    def _name_outliers(self, compared: VocabularyComparison) -> None:
        rows = compared.outliers(NAMED)
        x, y = self._scores(rows)
        self.outliers.setData(x, y)
        self.named = tuple(compared.a.texts[i] for i in compared.both_a[rows].tolist())
        for i, text in enumerate(self.named):
            name = pg.TextItem(piece_cell(text), color=self._theme.palette.ink)
            name.setFont(self._theme.mono(10.5))
            name.setPos(float(x[i]), float(y[i]))
            self.plot.addItem(name, ignoreBounds=True)
            self._names.append(name)

    def _place_names(self) -> None:
        """Put each name beside its point, inside the plot, where it covers no other point and no name; else hide it.

        A name that is not right beside its point has a line to it.
        """
        width, height = self.plot.getViewBox().viewPixelSize()
        middles = [QPointF(name.pos().x() / width, -name.pos().y() / height) for name in self._names]
        half = QPointF(0.5 * POINT, 0.5 * POINT)
        points = [QRectF(middle - half, middle + half) for middle in middles]
        (left, right), (low, high) = self.plot.viewRange()
        inside = QRectF(QPointF(left / width, -high / height), QPointF(right / width, -low / height))
        placed: list[QRectF] = []
        leaders: list[QPointF] = []
        for i, name in enumerate(self._names):
            taken = [*points[:i], *points[i + 1 :], *placed]
            places = [(anchor, _anchored(name.boundingRect(), middles[i], anchor)) for anchor in ANCHORS]
            places = [place for place in places if inside.contains(place[1])]
            free = [place for place in places if not any(place[1].intersects(other) for other in taken)]
            name.setVisible(bool(free))
            if free:
                name.setAnchor(free[0][0])
                placed.append(free[0][1])
                if free[0][0][1] != ANCHORS[0][1]:
                    leaders += [middles[i], _nearest(free[0][1], middles[i])]
        self.leaders.setData([at.x() * width for at in leaders], [-at.y() * height for at in leaders])

    def _fit(self, x: np.ndarray, y: np.ndarray) -> None:
        room = 0.06 * max(float(np.ptp(x)), float(np.ptp(y)), 1.0)
        self.plot.setRange(
            xRange=(float(x.min()) - room, float(x.max()) + 2.5 * room),
            yRange=(float(y.min()) - room, float(y.max()) + room),
            padding=0,
        )

    def _pick(self, event: object) -> None:
        view = self.plot.getViewBox()
        x, y = self._scores(self.rows)
        if not len(x):
            return
        place = view.mapSceneToView(event.scenePos())  # type: ignore[attr-defined]
        per_pixel = view.viewPixelSize()
        distance = np.hypot((x - place.x()) / per_pixel[0], (y - place.y()) / per_pixel[1])
        nearest = int(np.argmin(distance))
        if distance[nearest] <= CLICK_PIXELS:
            self.row_picked.emit(int(self.rows[nearest]))


def _nearest(box: QRectF, middle: QPointF) -> QPointF:
    """Return the place on the left or right edge of a name's box from which a line to its point is shortest."""
    x = box.left() if abs(box.left() - middle.x()) < abs(box.right() - middle.x()) else box.right()
    return QPointF(x, min(max(middle.y(), box.top() + LINE_INSET), box.bottom() - LINE_INSET))


def _anchored(box: QRectF, middle: QPointF, anchor: tuple[float, float]) -> QRectF:
    """Return where a box lies whose anchor, in parts of its size, is at a point."""
    corner = middle - QPointF(anchor[0] * box.width(), anchor[1] * box.height())
    return QRectF(corner, box.size())


def _plot() -> pg.PlotWidget:
    plot = pg.PlotWidget(enableMenu=False, axisItems={side: _Axis(side) for side in ("left", "bottom")})
    # pyqtgraph makes a menu without a parent even so, which nothing would ever delete.
    plot.getPlotItem().ctrlMenu.setParent(plot, Qt.WindowType.Popup)
    plot.setAccessibleName("Scores of the pieces in both")
    plot.hideButtons()
    plot.setMinimumSize(220, 160)
    return plot
