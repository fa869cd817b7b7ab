"""Which lines of a corpus were skipped, and why: a window beside the main one, so that work can go on."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QLabel, QListWidget, QPushButton, QVBoxLayout, QWidget

from engine.corpus import Corpus
from unigram_gui.number_text import count_text


class SkippedLinesView(QDialog):
    """Lists the skipped lines of a corpus by file and number."""

    def __init__(self, corpus: Corpus, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Skipped lines")
        self.resize(460, 380)
        self.list = QListWidget()
        self.list.setAccessibleName("Skipped lines")
        self.list.addItems([f"{line.source}, line {count_text(line.line)}: {line.reason}" for line in corpus.skipped])
        close = QPushButton("Close")
        close.clicked.connect(self.close)
        column = QVBoxLayout(self)
        column.addWidget(QLabel(_summary(corpus)))
        column.addWidget(self.list, 1)
        column.addWidget(close, 0, Qt.AlignmentFlag.AlignRight)


def _summary(corpus: Corpus) -> str:
    listed, all_lines = len(corpus.skipped), corpus.n_skipped
    which = f"the first {count_text(listed)} of {count_text(all_lines)} lines" if listed < all_lines else count_text(listed)
    return f"Left out of {corpus.name}: {which}."
