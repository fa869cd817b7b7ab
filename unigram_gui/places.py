"""Where the panes of the main window stand: splitters inside splitters, with sizes that are remembered.

In: a `MainWindow` with its views made. It moves widgets about and knows nothing of what they show.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QGuiApplication, QScreen
from PySide6.QtWidgets import QFrame, QSplitter, QVBoxLayout, QWidget

from unigram_gui.settings import Settings
from unigram_gui.views.pane import with_margins

if TYPE_CHECKING:
    from unigram_gui.main_window import MainWindow

WIDTH, HEIGHT = 1440, 900
BARS = 48  # menu bar and status bar
LEFT, RIGHT, BOTTOM = 300, 448, 232
PRUNING, OBJECTIVE = 430, 400
TRAINING, BEST_PATHS = 364, 124
FRAME = 40  # what a window manager's title bar takes at most
CENTRE_MARGIN = 18
ACROSS, DOWN = Qt.Orientation.Horizontal, Qt.Orientation.Vertical


class Places:
    """The panes of a window in their places.

    Attributes
    ----------
    splitters : by name; each parts two or three neighbours
    """

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        for pane in (window.corpus, window.training):
            pane.setMinimumWidth(LEFT - 10)
        left = _splitter(DOWN, window.corpus, window.training)
        centre = _splitter(DOWN, _explorer(window), window.questions)
        top = _splitter(ACROSS, left, centre, window.vocabulary)
        bottom = _splitter(ACROSS, window.pruning, window.objective, window.decode)
        whole = _splitter(DOWN, top, bottom)
        self.splitters = {"left": left, "centre": centre, "top": top, "bottom": bottom, "all": whole}
        for name, stretched in {"left": 0, "centre": 0, "top": 1, "bottom": 2, "all": 0}.items():
            self.splitters[name].setStretchFactor(stretched, 1)
        window.setCentralWidget(_column(window.strip, whole, window.timeline))
        _measure_again(window)

    def reset(self) -> None:
        """Give every pane the place and size it had at the very first start."""
        self._window.resize(_first_size(self._window.screen()))
        middle = HEIGHT - BOTTOM - BARS
        for name, sizes in {
            "left": [middle - TRAINING, TRAINING],
            "centre": [middle - BEST_PATHS, BEST_PATHS],
            "top": [LEFT, WIDTH - LEFT - RIGHT, RIGHT],
            "bottom": [PRUNING, OBJECTIVE, WIDTH - PRUNING - OBJECTIVE],
            "all": [middle, BOTTOM],
        }.items():
            self.splitters[name].setSizes(sizes)

    def restore(self, settings: Settings) -> None:
        """Go back to the sizes of last time, where there was one."""
        self.reset()
        geometry = settings.layout("window")
        if geometry is not None:
            self._window.restoreGeometry(geometry)
        for name, splitter in self.splitters.items():
            state = settings.layout(name)
            if state is not None:
                splitter.restoreState(state)

    def save(self, settings: Settings) -> None:
        """Remember the sizes for next time."""
        settings.set_layout("window", self._window.saveGeometry())
        for name, splitter in self.splitters.items():
            settings.set_layout(name, splitter.saveState())


def _measure_again(window: QWidget) -> None:
    """Let go of the sizes that widgets had before they were in the window.

    The style sheet is the window's, so that they were larger without it, and layouts remember: the window would open
    wider than it should.
    """
    for widget in reversed(window.findChildren(QWidget)):
        widget.updateGeometry()
        if (layout := widget.layout()) is not None:
            layout.activate()


def _explorer(window: MainWindow) -> QFrame:
    """Return the middle of the window: the text, its pieces, its lattice."""
    frame = QFrame()
    frame.setProperty("kind", "pane")
    column = QVBoxLayout(frame)
    column.setContentsMargins(0, 10, 0, 0)
    column.setSpacing(6)
    column.addLayout(with_margins(window.text_input, CENTRE_MARGIN))
    column.addWidget(window.segmentation)
    column.addWidget(window.other_rules)
    column.addWidget(window.lattice, 1)
    return frame


def _column(strip: QWidget, panes: QWidget, timeline: QWidget) -> QWidget:
    body = QWidget()
    column = QVBoxLayout(body)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    column.addWidget(strip)
    column.addWidget(panes, 1)
    column.addWidget(timeline)
    return body


def _splitter(orientation: Qt.Orientation, *widgets: QWidget) -> QSplitter:
    splitter = QSplitter(orientation)
    splitter.setHandleWidth(1)
    splitter.setChildrenCollapsible(False)
    for widget in widgets:
        splitter.addWidget(widget)
    return splitter


def _first_size(screen: QScreen) -> QSize:
    """Return the size that the panes were made for, or what the screen can hold of it."""
    size = QSize(WIDTH, HEIGHT)
    if QGuiApplication.platformName() == "offscreen":  # has a screen of 800 x 800 that nobody looks at
        return size
    return size.boundedTo(screen.availableSize() - QSize(0, FRAME))
