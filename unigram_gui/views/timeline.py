"""The timeline of a training: a slider over its moments, buttons that step and play, and the moment in words.

In: the moments of a run. Out: wishes for another one. Rings are updates, red strokes are removals, as in the curve.
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QSlider, QWidget

from engine.timeline import Moment, Timeline
from unigram_gui.number_text import log_text, pieces_text
from unigram_gui.theme import Palette, Theme
from unigram_gui.views.choice import Choice

SIDE, HEIGHT, RING, HANDLE, REMOVAL = 10.0, 30, 3.0, 6.5, 7.0
FEWEST_PIXELS = 9.0  # between two moments, for rings to be told apart
BAR_HEIGHT = 44
PLAY, PAUSE = "Play", "Pause"


class MomentSlider(QSlider):
    """A slider that shows what each of its places is."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._palette: Palette = theme.palette
        self._kinds: tuple[str, ...] = ()
        self.setAccessibleName("Moment of the training")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def set_theme(self, theme: Theme) -> None:
        self._palette = theme.palette
        self.update()

    def set_kinds(self, kinds: tuple[str, ...], page: int) -> None:
        """Offer these moments; Page Up and Page Down go on by `page`."""
        self._kinds = kinds
        self.setRange(0, max(0, len(kinds) - 1))
        self.setPageStep(max(1, page))

    def place_x(self, place: int) -> float:
        """Where a place is on the slider."""
        last = max(1, len(self._kinds) - 1)
        return SIDE + (self.width() - 2.0 * SIDE) * place / last

    def _place_at(self, x: float) -> int:
        last = max(1, len(self._kinds) - 1)
        share = (x - SIDE) / max(1.0, self.width() - 2.0 * SIDE)
        return min(max(round(share * last), 0), max(0, len(self._kinds) - 1))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Override QSlider::mousePressEvent: go where the pointer is."""
        self.setSliderDown(True)
        self.setValue(self._place_at(event.position().x()))
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Override QSlider::mouseMoveEvent."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.setValue(self._place_at(event.position().x()))
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Override QSlider::mouseReleaseEvent."""
        self.setSliderDown(False)
        event.accept()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Override QSlider::paintEvent."""
        y = self.height() / 2.0
        done = self.place_x(self.value())
        with QPainter(self) as painter:  # ends it after an exception too
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._paint_line(painter, y, done)
            self._paint_moments(painter, y)
            self._paint_handle(painter, QPointF(done, y))

    def _paint_line(self, painter: QPainter, y: float, done: float) -> None:
        painter.setPen(QPen(QColor(self._palette.hairline), 2.0))
        painter.drawLine(QPointF(SIDE, y), QPointF(self.width() - SIDE, y))
        if self._kinds:
            painter.setPen(QPen(QColor(self._palette.best_text), 2.0))
            painter.drawLine(QPointF(SIDE, y), QPointF(done, y))

    def _paint_moments(self, painter: QPainter, y: float) -> None:
        palette = self._palette
        is_roomy = len(self._kinds) * FEWEST_PIXELS < self.width()
        for place, kind in enumerate(self._kinds):
            x = self.place_x(place)
            if kind == "removal":
                painter.setPen(QPen(QColor(palette.removed), 1.6))
                painter.drawLine(QPointF(x, y - REMOVAL), QPointF(x, y + REMOVAL))
            elif is_roomy or kind in ("seeds", "finished"):
                is_past = place <= self.value()
                painter.setPen(QPen(QColor(palette.best_text if is_past else palette.ink3), 1.4))
                painter.setBrush(QColor(palette.paper))
                painter.drawEllipse(QPointF(x, y), RING, RING)

    def _paint_handle(self, painter: QPainter, centre: QPointF) -> None:
        if not self._kinds:
            return
        palette = self._palette
        painter.setPen(QPen(QColor(palette.paper), 2.0))
        painter.setBrush(QColor(palette.best_text))
        painter.drawEllipse(centre, HANDLE, HANDLE)
        if self.hasFocus():
            painter.setPen(QPen(QColor(palette.ink), 1.2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(centre, HANDLE + 1.5, HANDLE + 1.5)

    def sizeHint(self) -> QSize:
        """Override QWidget::sizeHint."""
        return QSize(300, HEIGHT)

    def minimumSizeHint(self) -> QSize:
        """Override QWidget::minimumSizeHint."""
        return QSize(120, HEIGHT)

    def tick_rects(self) -> list[QRectF]:
        """Where the removals are, for those who look at the picture."""
        y = self.height() / 2.0
        places = [place for place, kind in enumerate(self._kinds) if kind == "removal"]
        return [QRectF(self.place_x(place) - 1.0, y - REMOVAL, 2.0, 2.0 * REMOVAL) for place in places]


class TimelineBar(QFrame):
    """The strip below the panes.

    Signals
    -------
    place_requested : the moment that a person went to
    step_requested : -1 or 1
    play_requested : play, or pause
    speed_requested : moments a second
    """

    place_requested = Signal(int)
    step_requested = Signal(int)
    play_requested = Signal()
    speed_requested = Signal(float)

    def __init__(self, theme: Theme, speeds: tuple[float, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "pane")
        self.setAccessibleName("Timeline")
        self._speeds = speeds
        self._timeline: Timeline | None = None
        self.play = _button(PLAY, "Play the training, or pause (Ctrl+Shift+Space)")
        self.back, self.forth = _button("‹", "One moment back (Alt+Left)"), _button("›", "One moment on (Alt+Right)")
        self.slider = MomentSlider(theme)
        self.label, self.figures = QLabel(), QLabel()
        self.speed = Choice("Speed of playing", quiet=True)
        self.speed.addItems([f"{speed:g} a second" for speed in speeds])
        self.speed.setCurrentIndex(speeds.index(1.0))
        self._lay_out()
        self._connect()
        self.set_timeline(None)

    def _lay_out(self) -> None:
        self.setFixedHeight(BAR_HEIGHT)
        self.play.setFixedWidth(74)
        for button in (self.back, self.forth):
            button.setFixedWidth(30)
        self.label.setProperty("role", "number")
        self.label.setMinimumWidth(128)
        self.figures.setProperty("role", "note")
        self.figures.setMinimumWidth(196)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 4, 14, 4)
        row.setSpacing(8)
        for widget in (self.play, self.back, self.forth):
            row.addWidget(widget)
        row.addWidget(self.slider, 1)
        for words in (self.label, self.figures, self.speed):
            row.addWidget(words)

    def _connect(self) -> None:
        self.play.clicked.connect(lambda: self.play_requested.emit())
        self.back.clicked.connect(lambda: self.step_requested.emit(-1))
        self.forth.clicked.connect(lambda: self.step_requested.emit(1))
        self.slider.valueChanged.connect(self.place_requested)
        self.speed.activated.connect(lambda i: self.speed_requested.emit(self._speeds[i]))

    def set_theme(self, theme: Theme) -> None:
        """Paint with another theme from now on."""
        self.slider.set_theme(theme)

    def set_timeline(self, timeline: Timeline | None) -> None:
        """Offer the moments of another run."""
        self._timeline = timeline
        moments = timeline.moments if timeline is not None else ()
        self.slider.blockSignals(True)
        self.slider.set_kinds(tuple(moment.kind for moment in moments), _moments_a_round(moments))
        self.slider.setValue(len(moments) - 1)
        self.slider.blockSignals(False)
        for widget in (self.play, self.back, self.forth, self.slider):
            widget.setEnabled(bool(moments))
        self.set_place(len(moments) - 1)

    def set_place(self, place: int) -> None:
        """Show which moment everything shows."""
        if self._timeline is None:
            self.label.setText("")
            self.figures.setText("train to see how it learned")
            self.slider.update()
            return
        moment = self._timeline.moments[place]
        self.slider.blockSignals(True)
        self.slider.setValue(place)
        self.slider.blockSignals(False)
        self.slider.update()
        self.label.setText(moment_title(moment))
        self.figures.setText(_figures(moment, len(self._timeline.history.spec.special_pieces())))
        self.back.setEnabled(place > 0)
        self.forth.setEnabled(place < len(self._timeline.moments) - 1)
        self.setAccessibleDescription(f"{self.label.text()}, {self.figures.text()}")

    def set_playing(self, is_playing: bool) -> None:
        """Say what the button would do now."""
        self.play.setText(PAUSE if is_playing else PLAY)


def moment_title(moment: Moment) -> str:
    """Say in a few words which moment it is."""
    if moment.kind == "update":
        return f"round {moment.round}, update {moment.sub_iteration}"
    return {"seeds": "before training", "removal": f"round {moment.round}, pruned"}.get(moment.kind, moment.kind)


def _figures(moment: Moment, n_special: int) -> str:
    pieces = pieces_text(moment.n_pieces, n_special)
    if moment.loss is None:
        return pieces
    places = 3 if moment.loss < 20_000 else 0
    return f"{pieces} · {log_text(moment.loss, places)} nats"


def _moments_a_round(moments: tuple[Moment, ...]) -> int:
    return sum(moment.round == 1 for moment in moments)


def _button(text: str, tip: str) -> QPushButton:
    button = QPushButton(text)
    button.setToolTip(tip)
    button.setAccessibleName(tip.split(" (")[0])
    button.setStyleSheet("padding: 1px 4px;")
    return button
