"""The part of the session about the rules that the opened file does not follow: HF tokenizers' or SentencePiece's.

In: wishes of the views, and what the session tells. Out: facts as signals. It owns whether the other cut of the text
is on show, that cut, and the report on the corpus. Only what is on show is computed.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from engine.corpus import Corpus
from engine.model import UnigramModel
from unigram_gui.tasks.exploration import Exploration
from unigram_gui.tasks.parity import OtherCut, OtherCutRequest, Report, ReportRequest, Rules, WriteReportRequest
from unigram_gui.tasks.runner import TaskRunner
from unigram_gui.tasks.sentences import sentence_of


class Parity(QObject):
    """Two sets of rules on one vocabulary.

    Attributes
    ----------
    is_shown : whether the text's other cut is wanted
    cut : that cut, None while there is none
    model, corpus : what a report would be about
    rival : another file of the same tokenizer to compare with; None for the vocabulary's own conversion
    report : the newest report on the corpus
    """

    shown_changed = Signal(bool)
    cut_changed = Signal(object)
    subject_changed = Signal()
    report_started = Signal()
    report_progressed = Signal(float)
    report_ended = Signal()  # in whatever way
    report_changed = Signal(object)
    said = Signal(str)
    failed = Signal(str)

    def __init__(self, make_runner: Callable[..., TaskRunner], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.is_shown = False
        self.cut: OtherCut | None = None
        self.model: UnigramModel | None = None
        self.corpus: Corpus | None = None
        self.rival: Path | None = None
        self.report: Report | None = None
        self._seen: Exploration | None = None
        self._rules: Rules | None = None
        self._cutter = make_runner("rules", lambda _, cut: self._set_cut(cut), self._task_failed)
        self._reporter = make_runner("parity", self._report_came, self._task_failed)
        self._reporter.progressed.connect(lambda _, fraction: self.report_progressed.emit(fraction))
        self._reporter.settled.connect(self.report_ended)
        self._writer = make_runner("files", lambda _, path: self.said.emit(f"Saved {path}"), self._task_failed)

    # What the session tells.

    def set_current(self, model: UnigramModel | None) -> None:
        """Another vocabulary is open: the file it was to be compared with belonged to the one before."""
        self.model, self.rival = model, None
        self._forget_report()

    def set_corpus(self, corpus: Corpus | None) -> None:
        """Another corpus is open."""
        self.corpus = corpus
        self._forget_report()

    def set_exploration(self, seen: Exploration | None) -> None:
        """Another text, or the text under another vocabulary, is on show."""
        self._seen = seen
        self._ask()

    # The text on show.

    def show(self, shown: bool) -> None:
        """Show, or no longer show, how the other rules cut the text."""
        if shown != self.is_shown:
            self.is_shown = shown
            self.shown_changed.emit(shown)
            self._ask()

    def _ask(self) -> None:
        self._cutter.forget()
        if not self.is_shown or self._seen is None:
            self._set_cut(None)
        else:
            self._cutter.start(OtherCutRequest(self._rules_of(self._seen.model), self._seen))

    def _rules_of(self, model: UnigramModel) -> Rules:
        if self._rules is None or self._rules.model is not model:
            self._rules = Rules(model)
        return self._rules

    def _set_cut(self, cut: OtherCut | None) -> None:
        if cut is not None or self.cut is not None:  # nothing again is no news
            self.cut = cut
            self.cut_changed.emit(cut)

    # The corpus.

    def choose_rival(self, path: Path | None) -> None:
        """Compare with another file of the same tokenizer, or for None with the vocabulary's own conversion."""
        self.rival = path
        self._forget_report()

    def compare(self, output: Path | None = None) -> None:
        """Run both sets of rules over the corpus; with `output`, write what differs there."""
        if self.model is None or self.corpus is None:
            self.failed.emit("To compare two sets of rules, open a vocabulary and a corpus first.")
            return
        self._reporter.start(ReportRequest(self._rules_of(self.model), self.corpus, self.rival, output))
        self.report_started.emit()

    def stop(self) -> None:
        """Stop comparing; the report from before stays."""
        self._reporter.stop()

    def write(self, path: Path) -> None:
        """Write the report as a table."""
        if self.report is None:
            self.failed.emit("There is no report to save yet: compare on the corpus first.")
            return
        self._writer.start(WriteReportRequest(self.report, path))

    def _forget_report(self) -> None:
        if self._reporter.is_busy:
            self._reporter.forget()
            self.report_ended.emit()
        self._set_report(None)
        self.subject_changed.emit()

    @Slot(int, object)
    def _report_came(self, _: int, report: Report) -> None:
        self._set_report(report)

    def _set_report(self, report: Report | None) -> None:
        self.report = report
        self.report_changed.emit(report)

    @Slot(int, object)
    def _task_failed(self, _: int, error: BaseException) -> None:
        self.failed.emit(sentence_of(error))
