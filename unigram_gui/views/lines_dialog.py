"""A list of sentences in a window beside the main one, so that work can go on: skipped lines, remarks on a training."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QLabel, QListWidget, QPushButton, QVBoxLayout, QWidget

from engine.corpus import Corpus
from unigram_gui.number_text import count_text
from unigram_gui.theme import Theme
from unigram_gui.views.focus_ring import FocusRing


class LinesDialog(QDialog):
    """Shows a summary and, below it, lines that can be scrolled and copied."""

    def __init__(
        self, title: str, summary: str, lines: Sequence[str], theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self.resize(520, 360)
        self.list = QListWidget()
        self.list.setAccessibleName(title)
        self.list.setWordWrap(True)
        self.list.addItems(list(lines))
        close = QPushButton("Close")
        close.clicked.connect(self.close)
        column = QVBoxLayout(self)
        column.addWidget(QLabel(summary))
        column.addWidget(self.list, 1)
        column.addWidget(close, 0, Qt.AlignmentFlag.AlignRight)
        self.focus_ring = FocusRing(theme, self)


def skipped_lines(corpus: Corpus, theme: Theme, parent: QWidget) -> LinesDialog:
    """Return the list of lines that were left out of a corpus, by file and number."""
    listed, skipped = count_text(len(corpus.skipped)), count_text(corpus.n_skipped)
    which = f"the first {listed} of {skipped} lines" if len(corpus.skipped) < corpus.n_skipped else f"{skipped} lines"
    lines = [f"{line.source}, line {count_text(line.line)}: {line.reason}" for line in corpus.skipped]
    return LinesDialog("Skipped lines", f"Left out of {corpus.name}: {which}.", lines, theme, parent)
