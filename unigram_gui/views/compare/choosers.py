"""Which two vocabularies: a choice for A, one for B, a button that swaps them.

In: what can be chosen and what is. Out: wishes.
"""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QWidget

from unigram_gui.ink import Ink
from unigram_gui.shaping import Shaper
from unigram_gui.tasks.comparing import Source
from unigram_gui.theme import Theme
from unigram_gui.views.choice import Choice
from unigram_gui.views.compare.drawing import BADGE_RADIUS, paint_badge

FROM_FILE = "From a file…"
NONE_YET = "Choose a vocabulary"
KIND_WORDS = {"saved": "saved", "file": "file", "round": "this training"}


class Badge(QWidget):
    """The letter of a side in its disc."""

    def __init__(self, side: str, theme: Theme) -> None:
        super().__init__()
        self._side = side
        self.set_theme(theme)
        self.setFixedSize(round(2 * BADGE_RADIUS) + 2, round(2 * BADGE_RADIUS) + 2)

    def set_theme(self, theme: Theme) -> None:
        self._theme, self._shaper = theme, Shaper(theme)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Override QWidget::paintEvent."""
        ink = Ink(self._shaper)
        with QPainter(self) as painter:  # ends it after an exception too
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            paint_badge(painter, ink, self._theme.palette, self._side, 1.0, 0.5 * self.height())
            ink.draw(painter)


class Choosers(QFrame):
    """The head of the compare window.

    Signals
    -------
    choose_requested : side (0 or 1) and a Source
    file_requested : side for which a file is to be asked for
    swap_requested
    """

    choose_requested = Signal(int, object)
    file_requested = Signal(int)
    swap_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "bar")
        self._sources: tuple[Source, ...] = ()
        self._chosen: tuple[Source | None, Source | None] = (None, None)
        self.badges = (Badge("A", theme), Badge("B", theme))
        self.choices = tuple(_choice(side) for side in ("A", "B"))
        self.swap = QPushButton("Swap")
        self.swap.clicked.connect(lambda: self.swap_requested.emit())
        row = QHBoxLayout(self)
        row.setContentsMargins(18, 8, 18, 8)
        row.setSpacing(8)
        for side in (0, 1):
            row.addWidget(self.badges[side])
            row.addWidget(self.choices[side], 1)
            self.choices[side].activated.connect(lambda row, side=side: self._tell(side, row))
            if side == 0:
                row.addWidget(self.swap)

    def set_theme(self, theme: Theme) -> None:
        """Paint with another theme from now on."""
        for badge in self.badges:
            badge.set_theme(theme)

    def set_sources(self, sources: tuple[Source, ...]) -> None:
        """Offer other vocabularies."""
        self._sources = sources
        for choice in self.choices:
            choice.clear()
            choice.addItem(NONE_YET)
            choice.addItems([_title(source) for source in sources])
            choice.addItem(FROM_FILE)
        self.set_chosen(self._chosen)

    def set_chosen(self, chosen: tuple[Source | None, Source | None]) -> None:
        """Show which two are chosen."""
        self._chosen = chosen
        for choice, source in zip(self.choices, chosen, strict=True):
            found = self._sources.index(source) + 1 if source is not None and source in self._sources else 0
            choice.setCurrentIndex(found)

    def _tell(self, side: int, row: int) -> None:
        if row == len(self._sources) + 1:
            self.set_chosen(self._chosen)
            self.file_requested.emit(side)
        else:
            self.choose_requested.emit(side, self._sources[row - 1] if row else None)


def _title(source: Source) -> str:
    word = KIND_WORDS.get(source.kind, "")
    return f"{source.title} · {word}" if word else source.title


def _choice(side: str) -> Choice:
    choice = Choice(f"Vocabulary {side}")
    choice.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    choice.setMinimumContentsLength(18)
    choice.setSizeAdjustPolicy(Choice.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    return choice
