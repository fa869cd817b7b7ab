"""One text under both vocabularies: the field, both lattices on a shared ruler, what makes the difference.

In: a `TextPair` and the vocabularies compared. Out: the wish to study another text; a figure of it all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSplitter, QVBoxLayout, QWidget

from unigram_gui.tasks.comparing import TextPair
from unigram_gui.theme import Theme
from unigram_gui.views.compare.area import MARGIN, DrawingArea
from unigram_gui.views.compare.figure import CompareFigure
from unigram_gui.views.compare.reasons import ReasonsDrawing
from unigram_gui.views.compare.text_drawing import TextPairDrawing
from unigram_gui.views.text_input import TextInput

if TYPE_CHECKING:
    from engine.comparison import VocabularyComparison

NOTHING_CHOSEN = (
    "Choose two vocabularies above: the open one, a saved one, one from a file, or a moment of this training."
)


class CompareTextView(QWidget):
    """Shows one text cut by two vocabularies."""

    text_requested = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._text_pair: TextPair | None = None
        self._vocabularies: VocabularyComparison | None = None
        self.input = TextInput(theme)
        self.input.setAccessibleName("Text to compare on")
        self.all_pieces = QPushButton("All pieces")
        self.all_pieces.setProperty("segment", "only")
        self.all_pieces.setCheckable(True)
        self.all_pieces.setChecked(True)
        self.all_pieces.setToolTip("Show the pieces beside the two best paths")
        self.cut_off = QLabel()
        self.cut_off.setProperty("role", "note")
        self.cut_off.hide()
        self.lattices = DrawingArea(theme, "Both lattices", NOTHING_CHOSEN)
        self.reasons = DrawingArea(theme, "What makes the difference")
        self._lay_out()
        self.input.text_requested.connect(self.text_requested)
        self.all_pieces.toggled.connect(lambda _: self._show())

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setContentsMargins(MARGIN, 12, MARGIN, 0)
        row.setSpacing(10)
        row.addWidget(self.input, 1)
        row.addWidget(self.cut_off)
        row.addWidget(self.all_pieces)
        splitter = QSplitter(Qt.Orientation.Vertical)
        splitter.setHandleWidth(1)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self.lattices)
        splitter.addWidget(self.reasons)
        splitter.setSizes([430, 200])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        column.addLayout(row)
        column.addWidget(splitter, 1)

    def set_theme(self, theme: Theme) -> None:
        """Draw with another theme from now on."""
        self._theme = theme
        for view in (self.input, self.lattices, self.reasons):
            view.set_theme(theme)

    def set_vocabularies(self, vocabularies: VocabularyComparison | None) -> None:
        """Keep what the figure tells of the two vocabularies."""
        self._vocabularies = vocabularies
        self.lattices.set_hint("" if vocabularies is not None else NOTHING_CHOSEN)

    def set_text_pair(self, text_pair: TextPair | None) -> None:
        """Show another text, or the same under other vocabularies."""
        self._text_pair = text_pair
        self._show()

    def _show(self) -> None:
        pair, every = self._text_pair, self.all_pieces.isChecked()
        left_out = pair.n_left_out if pair is not None else 0
        self.cut_off.setVisible(left_out > 0)
        self.cut_off.setText(f"without the last {left_out:,} characters")
        if pair is None:
            self.lattices.set_drawing(None)
            self.reasons.set_drawing(None)
            return
        self.lattices.set_drawing(lambda palette, shaper, _: TextPairDrawing(pair, palette, shaper, every))
        self.reasons.set_drawing(lambda palette, shaper, _: ReasonsDrawing(pair.compared, palette, shaper))

    def figure(self) -> CompareFigure | None:
        """The comparison as a figure by itself."""
        if self._text_pair is None or self._vocabularies is None:
            return None
        return CompareFigure(self._text_pair, self._vocabularies, self._theme, self.all_pieces.isChecked())
