"""Trying out: forbid or force an edge, disable, rescore, retype or add a piece, and see what follows.

In: the `Answer` about the selected span, the `Variant` in force, explorations and the change of the corpus. Out: edits
as wishes. It keeps no edits; undo and redo are the session's.
"""

from __future__ import annotations

import math

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QPushButton, QWidget

from engine.corpus import Corpus
from engine.corpus_effect import CorpusChange
from engine.edits import AddPiece, Edit, ForbidEdge, ForceEdge, RescorePiece, RetypePiece
from engine.model import UnigramModel
from engine.pieces import PieceType
from unigram_gui.number_text import MINUS, count_text, log_text
from unigram_gui.tasks.exploration import Exploration, Variant
from unigram_gui.tasks.questions import Answer
from unigram_gui.theme import Theme
from unigram_gui.views.choice import Choice
from unigram_gui.views.headings import Headings
from unigram_gui.views.question_view import QuestionView
from unigram_gui.views.sheet import Columns, Line, Sheet
from unigram_gui.views.summary_line import SummaryLine

TYPES = {"normal": PieceType.NORMAL, "user-defined": PieceType.USER_DEFINED, "unused": PieceType.UNUSED}
HINT = "Nothing is tried out yet. Select a piece in the lattice, or drag over the text there."
COLUMNS = Columns((), bricks=18.0, lead=88.0)
ABOVE_ONE = "A score above 0 is a probability above 1: the piece would win, but no model gives such a score."
EFFECTS_TIP = (
    "Before the edits → with them; the other scores stay as they are and are not made to sum to 1 again.\n"
    "loss of this text: −ln P(x), over all its paths\n"
    "loss of the corpus: the sum of count × −ln P(x) over its texts, without what is forbidden or forced in this one\n"
    "texts cut otherwise: distinct texts whose best path has other IDs\n"
    "A character that no piece covers scores 10 less than the lowest piece: an edit of the lowest score moves it too."
)


class ScoreField(QLineEdit):
    """A field for ln p with a true minus sign, though a hyphen is understood; arrow keys change it by a tenth."""

    valueChanged = Signal(float)  # named as that of Qt's own number fields

    def __init__(self) -> None:
        super().__init__()
        self._value = 0.0
        self.setFixedWidth(84)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setAccessibleName("ln p")
        self.editingFinished.connect(self._take)

    def value(self) -> float:
        return self._value

    def setValue(self, value: float) -> None:
        """Show a number, and tell it where it is another one."""
        is_new = value != self._value
        self._value = value
        self.setText(log_text(value))
        if is_new:
            self.valueChanged.emit(value)

    def _take(self) -> None:
        text = self.text().replace(MINUS, "-").replace(",", "").strip()
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        # What was not touched keeps the decimals that are not shown.
        unchanged = self.text() == log_text(self._value) or not math.isfinite(value)
        self.setValue(self._value if unchanged else value)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Up: 0.1, Qt.Key.Key_Down: -0.1}
        step = steps.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        else:
            self.setValue(round(self._value + step, 3))


class WhatIfView(QuestionView):
    """What can be done to the selection, what is in force, what follows; `corner` goes beside the tabs."""

    edit_requested = Signal(object)
    forbid_requested = Signal()
    force_requested = Signal()
    undo_requested = Signal()
    redo_requested = Signal()
    keep_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self._make_controls()
        self.rows = Sheet(theme, "Edits that are tried out", COLUMNS)
        super().__init__(self.rows, Headings(theme, (), self.undo, self.redo, self.keep, right=True), parent)
        self._answer: Answer | None = None
        self._variant: Variant | None = None
        self._seen: Exploration | None = None
        self._change: CorpusChange | None = None
        self._corpus: Corpus | None = None
        self.effects = SummaryLine(theme)
        self.effects.setToolTip(EFFECTS_TIP)
        self.effects.setAccessibleDescription(EFFECTS_TIP)
        self.rows.set_hint(HINT)
        self._arrange()
        self._connect()
        self._show_target()

    def _make_controls(self) -> None:
        self.target = QLabel()
        self.target.setMinimumWidth(90)
        self.forbid, self.force = QPushButton("Forbid"), QPushButton("Force")
        self.disable, self.add = QPushButton("Disable"), QPushButton("Add")
        self.undo, self.redo, self.keep = QPushButton("Undo"), QPushButton("Redo"), QPushButton("Keep")
        self.score = ScoreField()
        self.remark = QLabel(ABOVE_ONE)
        self.remark.setProperty("role", "note")
        self.remark.setContentsMargins(18, 0, 18, 0)
        self.remark.hide()
        self.types = Choice("Type of the piece")
        self.types.addItems(list(TYPES))
        for widget, tip in (
            (self.forbid, "No path may take this edge"),
            (self.force, "Every path must take this edge"),
            (self.disable, "Take the piece out of every text; it keeps its ID"),
            (self.score, "ln p of the piece; Enter tries it"),
            (self.types, "Type of the piece"),
            (self.add, "Add the selected text as a piece with this score and type"),
            (self.undo, "Undo the last edit (Ctrl+Z; while the text is typed, Ctrl+Alt+Z)"),
            (self.redo, "Make it again (Ctrl+Shift+Z; while the text is typed, Ctrl+Alt+Y)"),
            (self.keep, "Make the edited vocabulary the current one"),
        ):
            widget.setToolTip(tip)
            widget.setAccessibleDescription(tip)

    def _arrange(self) -> None:
        row = QHBoxLayout()
        row.setContentsMargins(18, 6, 18, 0)  # clear of the buttons beside the tabs
        row.setSpacing(6)
        name = QLabel("ln p")
        name.setBuddy(self.score)
        for widget in (self.target, self.forbid, self.force, self.disable, name, self.score, self.types, self.add):
            row.addWidget(widget, int(widget is self.target))
        self.column.addLayout(row)
        self.column.addWidget(self.remark)
        self.column.addWidget(self.effects)
        self.column.addWidget(self.rows, 1)

    def _connect(self) -> None:
        self.forbid.clicked.connect(self.forbid_requested)
        self.force.clicked.connect(self.force_requested)
        self.undo.clicked.connect(self.undo_requested)
        self.redo.clicked.connect(self.redo_requested)
        self.keep.clicked.connect(self.keep_requested)
        self.disable.clicked.connect(self._ask_disable)
        self.add.clicked.connect(self._ask_add)
        self.score.valueChanged.connect(self._ask_score)
        self.score.valueChanged.connect(lambda _: self._remark())
        self.types.activated.connect(self._ask_type)

    # What is shown

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.effects.set_theme(theme)

    def set_answer(self, answer: Answer | None) -> None:
        self._answer = answer
        self._show_target()

    def set_exploration(self, seen: Exploration | None) -> None:
        self._seen = seen
        self._show_effects()

    def set_variant(self, variant: Variant | None) -> None:
        self._variant = variant
        edits = variant.edits if variant is not None else ()
        self.rows.set_lines(lines_of(variant) if variant is not None and edits else ())
        self.keep.setEnabled(any(not isinstance(edit, ForbidEdge | ForceEdge) for edit in edits))
        self._show_effects()

    def set_change(self, change: CorpusChange | None) -> None:
        self._change = change
        self._show_effects()

    def set_corpus(self, corpus: Corpus | None) -> None:
        self._corpus = corpus
        self._show_effects()

    def set_can_undo(self, possible: bool) -> None:
        self.undo.setEnabled(possible)

    def set_can_redo(self, possible: bool) -> None:
        self.redo.setEnabled(possible)

    def _show_target(self) -> None:
        answer = self._answer
        has_edge = answer is not None and answer.span.edge >= 0
        kind = _type_of(answer)
        self.target.setText(_target_text(answer))
        self.forbid.setEnabled(has_edge)
        self.force.setEnabled(has_edge)
        self.add.setEnabled(answer is not None and answer.piece < 0)
        self.disable.setEnabled(kind is not None)
        self.disable.setText("Enable" if kind == PieceType.UNUSED else "Disable")
        can_score = answer is not None and (answer.piece < 0 or kind in (PieceType.NORMAL, PieceType.UNUSED))
        self.score.setEnabled(can_score)
        self.types.setEnabled(kind is not None or (answer is not None and answer.piece < 0))
        self._fill(answer, kind)

    def _fill(self, answer: Answer | None, kind: PieceType | None) -> None:
        self.score.blockSignals(True)
        if answer is not None and answer.piece >= 0:
            self.score.setValue(float(answer.seen.model.pieces.log_probs[answer.piece]))
        elif answer is not None:
            self.score.setValue(answer.span.needed + 0.001)
        self.score.blockSignals(False)
        self._remark()
        names = [name for name, value in TYPES.items() if value == kind]
        self.types.setCurrentText(names[0] if names else "normal")

    def _remark(self) -> None:
        """Say of a score above 0 that no probability is that large."""
        self.remark.setVisible(self.score.isEnabled() and self.score.value() > 0.0)

    def _show_effects(self) -> None:
        self.effects.set_parts(effects(self._seen, self._variant, self._corpus, self._change))

    # Wishes

    def _ask_disable(self) -> None:
        if self._answer is not None:
            disabled = _type_of(self._answer) == PieceType.UNUSED
            kind = PieceType.NORMAL if disabled else PieceType.UNUSED
            self.edit_requested.emit(RetypePiece(self._answer.piece, kind))

    def _ask_add(self) -> None:
        if self._answer is not None:
            kind = TYPES[self.types.currentText()]
            self.edit_requested.emit(AddPiece(self._answer.span.text, self.score.value(), kind))

    def _ask_score(self, score: float) -> None:
        if self._answer is not None and self._answer.piece >= 0:
            self.edit_requested.emit(RescorePiece(self._answer.piece, score))

    def _ask_type(self) -> None:
        kind = TYPES[self.types.currentText()]
        if self._answer is not None and self._answer.piece >= 0 and kind != _type_of(self._answer):
            self.edit_requested.emit(RetypePiece(self._answer.piece, kind))


def _type_of(answer: Answer | None) -> PieceType | None:
    """The type of the selected piece where it may be changed."""
    if answer is None or answer.piece < 0:
        return None
    kind = PieceType(int(answer.seen.model.pieces.types[answer.piece]))
    return kind if kind in TYPES.values() else None


def _target_text(answer: Answer | None) -> str:
    if answer is None:
        return "nothing selected"
    text = answer.span.text.replace("\u2581", "␣")
    shown = text if len(text) <= 12 else f"{text[:11]}…"
    return f"{shown}, ID {answer.piece}" if answer.piece >= 0 else f"{shown}, no piece"


def effects(
    seen: Exploration | None, variant: Variant | None, corpus: Corpus | None, change: CorpusChange | None
) -> tuple[tuple[str, str], ...]:
    """What follows from the edits, as numbers and names: this text, the corpus, its texts."""
    if variant is None or not variant.edits:
        return ()
    parts: list[tuple[str, str]] = []
    if seen is not None and seen.variant is variant:
        parts.append((f"{log_text(-seen.log_z_before)} → {log_text(-seen.log_z)}", "loss of this text"))
    if corpus is None or all(isinstance(edit, ForbidEdge | ForceEdge) for edit in variant.edits):
        return tuple(parts)
    if change is None:
        return (*parts, ("…", "counting the corpus"))
    parts.append((f"{log_text(change.loss_before, 1)} → {log_text(change.loss_after, 1)}", "loss of the corpus"))
    parts.append((f"{count_text(len(change.changed))} of {count_text(len(corpus))}", "texts cut otherwise"))
    return tuple(parts)


def lines_of(variant: Variant) -> tuple[Line, ...]:
    """The edits, and what they do to characters that they do not name."""
    edits = tuple(edit_line(variant.base, variant.edits, place) for place in range(len(variant.edits)))
    before, after = variant.unknown_scores
    if before == after:
        return edits
    lowest = "lowest piece" if variant.base.tokenizer_document is not None else "lowest normal piece"
    note = f"an unknown character scores {log_text(after)}, before {log_text(before)}: always 10 less than the {lowest}"
    return (*edits, Line(note=note, spoken=note))


def edit_line(base: UnigramModel, edits: tuple[Edit, ...], place: int) -> Line:
    """An edit in a line: the piece, what becomes of it."""
    edit = edits[place]
    if isinstance(edit, ForbidEdge | ForceEdge):
        what = "forbidden" if isinstance(edit, ForbidEdge) else "forced"
        text, piece = edit.text[edit.start : edit.end], -1
        note = f"{what} from {edit.start} to {edit.end} of this text alone"
    elif isinstance(edit, AddPiece):
        text, piece = edit.text, _added_id(base, edits, place)
        note = f"added as ID {piece} with ln p {log_text(edit.log_prob)}, {edit.piece_type.name.lower()}"
    else:
        text, piece = _text_of(base, edits, edit.piece), edit.piece
        if isinstance(edit, RescorePiece):
            note = f"scores ln p {log_text(edit.log_prob)}{_was(base, edit.piece)}"
        else:
            note = "disabled everywhere" if edit.piece_type == PieceType.UNUSED else edit.piece_type.name.lower()
    return Line(str(place + 1), (text,), (piece,), note=note, spoken=f"edit {place + 1}: {text} {note}")


def _added_id(base: UnigramModel, edits: tuple[Edit, ...], place: int) -> int:
    return len(base.pieces) + sum(isinstance(edit, AddPiece) for edit in edits[:place])


def _text_of(base: UnigramModel, edits: tuple[Edit, ...], piece: int) -> str:
    added = [edit.text for edit in edits if isinstance(edit, AddPiece)]
    n = len(base.pieces)
    return base.pieces.texts[piece] if piece < n else added[piece - n]


def _was(base: UnigramModel, piece: int) -> str:
    return f", before {log_text(float(base.pieces.log_probs[piece]))}" if piece < len(base.pieces) else ""
