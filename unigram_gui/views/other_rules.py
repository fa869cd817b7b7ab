"""The line under the chips: how the rules that the opened file does not follow would cut the text, and why.

In: an `OtherCut`. Out: which piece is hovered or picked. Two lines of one height whatever they say, so that nothing
below them moves while somebody types: the other cut, and the reason where it differs.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from engine.encoder import Segmentation
from unigram_gui.number_text import counted
from unigram_gui.tasks.parity import OtherCut
from unigram_gui.theme import Theme
from unigram_gui.views.sheet import ROW, Columns, Line, Sheet, parting

LEAD, MARGIN = 112.0, 18.0
DECODED = "The pieces are the same, decoding is not. "
TEMPLATE = " without those of the template"
FORCED = "The edges that are forbidden or forced above do not count here. "


class OtherRulesView(Sheet):
    """One cut and one sentence."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Cut by the other rules", Columns(bricks=MARGIN, lead=LEAD), parent)
        self.setFixedHeight(round(2 * ROW))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def set_cut(self, cut: OtherCut | None) -> None:
        """Show another cut, or none."""
        self.set_lines(() if cut is None else lines_of(cut))

    def viewportEvent(self, event: QEvent) -> bool:
        """Override QAbstractScrollArea::viewportEvent: hovering tells the whole sentence, which may have no room."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.lines[1].note if self.lines else "", self)
            return True
        return super().viewportEvent(event)

    def sizeHint(self) -> QSize:
        return QSize(680, round(2 * ROW))

    def minimumSizeHint(self) -> QSize:
        return QSize(120, round(2 * ROW))


def lines_of(cut: OtherCut) -> tuple[Line, ...]:
    """Return the other cut and a sentence on it."""
    if cut.cut is None or cut.own_cut is None:
        return _said(cut, "has no answer", cut.refused)
    why = next((row for row in cut.differences if row.what == "encode"), None)
    before = FORCED if cut.has_forced_edges else ""
    if why is None:
        n = counted(len(cut.cut), "token") + (TEMPLATE if cut.has_template else "")
        decoded = next((f"{DECODED}{row.reason}" for row in cut.differences), "")
        same = f"The rules of {cut.own}, which the opened vocabulary follows, and those of {cut.other} agree here."
        return _said(cut, f"cuts this text alike: {n}", before + (decoded or same))
    reason = f"{before}{why.kind[:1].upper()}{why.kind[1:]}. {why.reason}"
    key, own_key = _key(cut.cut), _key(cut.own_cut)
    spoken = f"{cut.other} cuts otherwise: {' '.join(cut.cut.pieces)}"
    line = Line(cut.other, cut.cut.pieces, tuple(cut.cut.ids.tolist()), outlined=parting(key, own_key), key=key,
                spoken=spoken)  # fmt: skip
    # The key of the opened cut: what both begin with is left out where there is no room.
    return line, Line(note=reason, spoken=reason, key=own_key)


def _said(cut: OtherCut, what: str, sentence: str) -> tuple[Line, ...]:
    line = Line(cut.other, note=what, spoken=f"{cut.other} {what}")
    return line, Line(note=sentence, spoken=sentence)


def _key(cut: Segmentation) -> tuple[tuple[int, str], ...]:
    return tuple(zip(cut.ids.tolist(), cut.pieces, strict=True))
