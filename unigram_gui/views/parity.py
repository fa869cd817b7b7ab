"""The parity report: where two sets of rules part on a corpus, and why.

In: a `Report`. Out: the wishes to compare, to stop, to save the table, and to study a text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QSplitter, QVBoxLayout, QWidget

from unigram_gui.item_models.parity import (
    NUMBER,
    REASON,
    SENTENCEPIECE,
    TEXT,
    TOKENIZERS,
    WHAT,
    DifferencesItemModel,
    ReasonsItemModel,
)
from unigram_gui.number_text import counted, percent_text
from unigram_gui.tasks.parity import SENTENCEPIECE as SENTENCEPIECE_RULES
from unigram_gui.tasks.parity import TOKENIZERS as TOKENIZERS_RULES
from unigram_gui.tasks.parity import Report
from unigram_gui.theme import Theme
from unigram_gui.views.sheet import ROW, Columns, Line, Sheet, parting
from unigram_gui.views.table import FlatTable

if TYPE_CHECKING:
    from engine.parity import Difference

MARGIN, LEAD = 18, 118.0
WHAT_TO_DO = "Compare on the corpus to see each text that the two sets of rules treat differently, and why."
NO_DIFFERENCE = "The two sets of rules agree on every text of this corpus."
STUDY = "Double-click, or ↵, puts the text into the lattice."


class ParityView(QWidget):
    """Reasons at the left, texts at the right, both answers of the chosen text below."""

    compare_requested = Signal()
    stop_requested = Signal()
    rival_requested = Signal()
    own_requested = Signal()
    save_requested = Signal()
    text_requested = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._report: Report | None = None
        self._can_start = False
        self.subject, self.note = QLabel(), QLabel()
        self.subject.setWordWrap(True)
        self.note.setProperty("role", "note")
        self.note.setWordWrap(True)
        self.start, self.stop = QPushButton("Compare on the corpus"), QPushButton("Stop")
        self.start.setProperty("kind", "primary")
        self.rival, self.own = QPushButton("With another file…"), QPushButton("With its conversion")
        self.save = QPushButton("Save table…")
        self.bar = QProgressBar()
        self.bar.setAccessibleName("Progress of the comparison")
        self.bar.setTextVisible(False)
        self.bar.setRange(0, 1000)
        self.differences, self.reasons = DifferencesItemModel(), ReasonsItemModel()
        self._make_tables(theme)
        self.detail = Sheet(theme, "Both answers", Columns(bricks=float(MARGIN), lead=LEAD))
        self.detail.setFixedHeight(round(3 * ROW))
        self.detail.set_hint(STUDY)
        self._lay_out()
        self._connect()
        self.set_running(False)

    def _make_tables(self, theme: Theme) -> None:
        for model in (self.differences, self.reasons):
            model.setParent(self)
        self.table = FlatTable(self.differences, "Differences", theme)
        self.table.set_widths({NUMBER: 72, WHAT: 66, SENTENCEPIECE: 230, TOKENIZERS: 230, REASON: 132}, stretched=TEXT)
        self.reason_table = FlatTable(self.reasons, "Reasons", theme)
        self.reason_table.set_widths({1: 66}, stretched=0)
        self.reason_table.setSortingEnabled(False)
        self.table.set_hint(WHAT_TO_DO)

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(10)
        for widget in (self.start, self.stop):
            row.addWidget(widget)
        row.addWidget(self.bar, 1)
        for widget in (self.own, self.rival, self.save):
            row.addWidget(widget)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setHandleWidth(1)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(self.reason_table)
        self.splitter.addWidget(self.table)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setSizes([230, 950])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 14, 0, 10)
        column.setSpacing(8)
        head = QVBoxLayout()
        head.setContentsMargins(MARGIN, 0, MARGIN, 0)
        head.setSpacing(10)
        head.addWidget(self.subject)
        head.addLayout(row)
        head.addWidget(self.note)
        column.addLayout(head)
        column.addWidget(self.splitter, 1)
        column.addWidget(self.detail)

    def _connect(self) -> None:
        self.start.clicked.connect(lambda: self.compare_requested.emit())
        self.stop.clicked.connect(lambda: self.stop_requested.emit())
        self.rival.clicked.connect(lambda: self.rival_requested.emit())
        self.own.clicked.connect(lambda: self.own_requested.emit())
        self.save.clicked.connect(lambda: self.save_requested.emit())
        self.table.activated.connect(self._study)
        self.table.row_picked.connect(self._show_row)
        self.reason_table.row_picked.connect(self._show_reason)

    def set_theme(self, theme: Theme) -> None:
        """Paint with another theme from now on."""
        for part in (self.table, self.reason_table, self.detail):
            part.set_theme(theme)

    def set_subject(self, sentence: str, can_start: bool, has_rival: bool) -> None:
        """Say what would be compared on what."""
        self.subject.setText(sentence)
        self._can_start = can_start
        self.start.setEnabled(can_start and not self.stop.isEnabled())
        self.own.setVisible(has_rival)

    def set_running(self, running: bool) -> None:
        """Show whether it is being compared; the keyboard goes along: to Stop, and then to what was found."""
        has_focus = self.start.hasFocus() or self.stop.hasFocus()
        self.stop.setEnabled(running)
        self.start.setEnabled(self._can_start and not running)
        if has_focus:
            (self.stop if running else self.table if self.differences.rowCount() else self.start).setFocus()
        self.bar.setValue(0 if running or self._report is None else self.bar.maximum())

    def set_progress(self, fraction: float) -> None:
        """Show how much is done."""
        self.bar.setValue(round(1000 * fraction))

    def set_report(self, report: Report | None) -> None:
        """Show another report, or none."""
        self._report = report
        parity = report.parity if report is not None else None
        self.differences.set_rows(parity.differences if parity is not None else ())
        self.reasons.set_report(parity)
        self.detail.set_lines(())
        self.save.setEnabled(parity is not None)
        self.note.setText(note_of(report) if report is not None else "")
        self.note.setVisible(report is not None)
        self.table.set_hint(WHAT_TO_DO if parity is None else NO_DIFFERENCE)
        if self.reasons.rowCount():
            self.reason_table.pick_source_row(0)

    def _show_reason(self, row: int) -> None:
        self.differences.show_kind(self.reasons.kind(row))

    def _show_row(self, row: int) -> None:
        self.detail.set_lines(detail_lines(self.differences.row(row)) if row >= 0 else ())

    def _study(self, index: QModelIndex) -> None:
        row = self.differences.source_row(index.row())
        if row >= 0:
            self.text_requested.emit(self.differences.row(row).text)


def detail_lines(row: Difference) -> tuple[Line, ...]:
    """Return both answers, one under the other, and the reason."""
    both = (row.sentencepiece, row.tokenizers)
    answers = ((SENTENCEPIECE_RULES, *both), (TOKENIZERS_RULES, *both[::-1]))
    lines = [_answer(*answer, row.what == "decode") for answer in answers]
    reason = f"{row.kind[:1].upper()}{row.kind[1:]}. {row.reason}"
    return *lines, Line(note=reason, spoken=reason)


def _answer(family: str, pieces: tuple[str, ...], others: tuple[str, ...], is_text: bool) -> Line:
    if is_text:
        return Line(family, note=pieces[0], spoken=f"{family} decodes {pieces[0]}")
    return Line(family, pieces, outlined=parting(pieces, others), key=pieces, spoken=f"{family}: {' '.join(pieces)}")


def note_of(report: Report) -> str:
    """Say how many texts differ, and what one of the two cannot say at all."""
    parity = report.parity
    share = percent_text(parity.n_different / max(parity.n_texts, 1))
    n_listed, n_all = len(parity.differences), sum(parity.counts.values())
    listed = f"; the first {n_listed:,} of {n_all:,} differences are listed" if n_listed < n_all else ""
    differ = "differs" if parity.n_different == 1 else "differ"
    first = f"{parity.n_different:,} of {counted(parity.n_texts, 'text')} {differ} ({share}){listed}."
    return " ".join((first, *parity.losses))
