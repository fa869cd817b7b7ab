"""The training form: preset, settings, Train and Stop, and how far the training is."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from engine.errors import TrainingError
from engine.history import PruningRound
from engine.pieces import PieceType
from engine.spec import SpecField, TrainerSpec
from engine.training_step import TrainingPlan, TrainingStep
from unigram_gui.number_text import count_text, log_text, pieces_text
from unigram_gui.theme import Theme
from unigram_gui.views.choice import Choice
from unigram_gui.views.pane import MARGIN, NoteLabel, Pane
from unigram_gui.views.spec_fields import SpecEditor

CUSTOM = "changed"
PROGRESS_PARTS = 1000

# Of these two only one has an effect at a time; the other is not worth a line among the main settings.
VOCAB_SIZE = "vocab_size"
SHRINK, REMOVE = "shrinking_factor", "pieces_removed_per_round"


class TrainingView(Pane):
    """Shows the settings and the progress of a training.

    Signals
    -------
    setting_requested : name of a setting and the value a person gave it
    preset_requested : name of the preset that was chosen
    own_settings_requested : the person wants the settings back that were there before a training was opened
    train_requested, stop_requested : the two buttons
    notes_requested : the person wants to read the remarks on the training
    finished_round_requested : the person wants the vocabulary that a stopped training left behind
    """

    setting_requested = Signal(str, object)
    preset_requested = Signal(str)
    own_settings_requested = Signal()
    train_requested = Signal()
    stop_requested = Signal()
    notes_requested = Signal()
    finished_round_requested = Signal()

    def __init__(self, fields: Sequence[SpecField], presets: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__("Training", parent)
        self._n_special = 0  # pieces that are not learned, under the settings on show
        self.presets = Choice("Preset", quiet=True)
        self.presets.addItems([*presets, CUSTOM])
        self.presets.setItemData(len(presets), 0, Qt.ItemDataRole.UserRole - 1)  # shown, never chosen
        self.header.addWidget(self.presets)
        self.editors: dict[str, SpecEditor] = {}
        self.more = QPushButton()
        self.more.setProperty("kind", "link")
        self.more.setCheckable(True)
        self.lender = NoteLabel()
        self.lender.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.own_settings = QPushButton("Back to yours")
        self.own_settings.setProperty("kind", "link")
        self.body.addWidget(self._lender_row())
        self.body.addWidget(self._form(fields), 1)
        self._add_buttons()
        self._add_progress()
        self.presets.activated.connect(lambda i: self.preset_requested.emit(self.presets.itemText(i)))
        self.own_settings.clicked.connect(self.own_settings_requested)
        self.more.toggled.connect(self._show_rows)
        self.train_button.clicked.connect(self.train_requested)
        self.stop_button.clicked.connect(self.stop_requested)
        self._show_rows()

    # The form.

    def _form(self, fields: Sequence[SpecField]) -> QScrollArea:
        sheet = QFrame()
        sheet.setProperty("kind", "pane")
        column = QVBoxLayout(sheet)
        column.setContentsMargins(MARGIN, 2, MARGIN, 2)
        column.setSpacing(3)
        main = [field for field in fields if field.main or field.name == REMOVE]
        for field in sorted(main, key=lambda field: field.kind == "bool"):
            column.addWidget(self._row(field))
        column.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeft)
        for field in fields:
            if field not in main:
                column.addWidget(self._row(field))
        column.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(sheet)
        return area

    def _lender_row(self) -> QWidget:
        """Say whose settings are shown, with a way back; hidden while they are a person's own."""
        self.lender_row = QFrame()
        self.lender_row.setProperty("kind", "pane")
        self.lender_row.hide()
        row = QHBoxLayout(self.lender_row)
        row.setContentsMargins(MARGIN, 0, MARGIN, 0)
        row.addWidget(self.lender, 1)
        row.addWidget(self.own_settings)
        return self.lender_row

    def set_lender(self, name: str, is_unchanged: bool) -> None:
        """Say with which vocabulary the settings came, and whether they were changed since; "" where they did not."""
        self.lender_row.setVisible(bool(name))
        came = f"settings of {name}" if is_unchanged else f"changed since {name}"
        self.lender.set_texts(came, "settings as opened" if is_unchanged else "changed since")
        self.own_settings.setToolTip(f"Go back to the settings from before {name} was opened")

    def _row(self, field: SpecField) -> SpecEditor:
        editor = self.editors[field.name] = SpecEditor(field)
        editor.edited.connect(self.setting_requested)
        return editor

    def _show_rows(self) -> None:
        """Show the main settings, and the others when a person asked for more."""
        more = self.more.isChecked()
        self.more.setText("Fewer settings" if more else "More settings")
        removes = bool(self.editors[REMOVE].value()) if REMOVE in self.editors else False
        for name, editor in self.editors.items():
            shown = more or (editor.field.main and not (name == SHRINK and removes)) or (name == REMOVE and removes)
            editor.setVisible(shown)

    def set_spec(self, spec: TrainerSpec, preset: str) -> None:
        """Show the settings, and the preset that they are ("" when they are none)."""
        for name, editor in self.editors.items():
            editor.set_value(getattr(spec, name))
        self.presets.setCurrentText(preset or CUSTOM)
        self._n_special = len(_special_pieces(spec))
        self._show_rows()

    # Buttons and progress.

    def _add_buttons(self) -> None:
        self.train_button = QPushButton("Train")
        self.train_button.setProperty("kind", "primary")
        self.train_button.setEnabled(False)
        self.stop_button = QPushButton("Stop")
        self.stop_button.setEnabled(False)
        self.state = NoteLabel()
        row = QHBoxLayout()
        row.setContentsMargins(MARGIN, 4, MARGIN, 2)
        row.setSpacing(6)
        row.addWidget(self.train_button)
        row.addWidget(self.stop_button)
        self.notes = QPushButton()
        self.notes.setProperty("kind", "link")
        self.notes.hide()
        self.notes.clicked.connect(self.notes_requested)
        self.finished_round = QPushButton()
        self.finished_round.setProperty("kind", "link")
        self.finished_round.hide()
        self.finished_round.clicked.connect(self.finished_round_requested)
        row.addWidget(self.state, 1)
        row.addWidget(self.notes)
        row.addWidget(self.finished_round)
        self.body.addLayout(row)

    def _add_progress(self) -> None:
        self.bar = QProgressBar()
        self.bar.setRange(0, PROGRESS_PARTS)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName("Training progress")
        self.round_label, self.loss_label = NoteLabel(), QLabel()
        self.round_label.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.loss_label.setProperty("role", "note")
        numbers = QHBoxLayout()
        numbers.addWidget(self.round_label, 1)
        numbers.addWidget(self.loss_label)
        column = QVBoxLayout()
        column.setContentsMargins(MARGIN, 0, MARGIN, 10)
        column.setSpacing(6)
        column.addWidget(self.bar)
        column.addLayout(numbers)
        self.body.addLayout(column)

    def set_theme(self, theme: Theme) -> None:
        """Nothing here paints itself: the style sheet dresses all of it."""

    def set_can_train(self, can_train: bool) -> None:
        """Enable Train once there is something to train on."""
        self.train_button.setEnabled(can_train)

    def set_running(self, running: bool) -> None:
        """Swap Train and Stop, and lock the settings while they are in use."""
        self.train_button.setEnabled(not running)
        self.stop_button.setEnabled(running)
        self.presets.setEnabled(not running)
        self.own_settings.setEnabled(not running)
        for editor in self.editors.values():
            editor.setEnabled(not running)
        if running:
            self.forget("waiting")

    def forget(self, state: str = "") -> None:
        """Show nothing of an earlier training: the vocabulary on show is not its own, or another one begins."""
        self.notes.hide()
        self.bar.setValue(0)
        self.set_state(state)
        self.round_label.set_texts("")
        self.loss_label.clear()

    def set_state(self, state: str) -> None:
        """Say in a word or two how the training stands."""
        self.state.set_texts(state)

    def set_step(self, step: TrainingStep) -> None:
        """Show how far a running training is."""
        self.bar.setValue(round(step.fraction * PROGRESS_PARTS))
        self.state.set_texts(*_states(step))
        self.round_label.set_texts(*_rounds(step, self._n_special))
        self.loss_label.setText("" if step.loss is None else f"{loss_text(step.loss)} nats")
        if step.plan is not None:
            self._show_plan(step.plan)

    def _show_plan(self, plan: TrainingPlan) -> None:
        """Say which sizes can be reached, and about what the run will take."""
        sizes = f"{count_text(plan.smallest)} to {count_text(plan.largest)} pieces"
        self.round_label.set_texts(sizes)
        self.loss_label.setText(f"about {max(1, round(plan.seconds))} s, {round(plan.memory / 1e6):,} MB")
        if VOCAB_SIZE in self.editors:
            editor = self.editors[VOCAB_SIZE]
            editor.input.setToolTip(f"{editor.field.help} This corpus can give {sizes} under these settings.")

    def set_finished_round(self, pruning: PruningRound | None) -> None:
        """Offer what the last finished round of a stopped training left behind; None: nothing."""
        self.finished_round.setVisible(pruning is not None)
        if pruning is not None:
            self.finished_round.setText(f"Use round {pruning.round}")
            self.finished_round.setToolTip(
                f"Take the vocabulary of the last finished round, {pieces_text(pruning.n_after, self._n_special)}"
            )

    def set_result(
        self, rounds: Sequence[str], loss: float, notes: Sequence[str], *, is_earlier: bool = False
    ) -> None:
        """Show how a training ended (in fewer words where there is no room), and that there are remarks on it.

        `is_earlier`: it is not the one whose state is shown, but the one before, whose vocabulary is still there.
        """
        self.notes.setVisible(bool(notes))
        self.notes.setText("1 remark" if len(notes) == 1 else f"{len(notes)} remarks")
        self.notes.setToolTip("\n".join(notes))
        self.bar.setValue(0 if is_earlier else PROGRESS_PARTS)
        self.round_label.set_texts(*(f"before: {text}" if is_earlier else text for text in rounds))
        self.loss_label.setText(f"{loss_text(loss)} nats")


def _special_pieces(spec: TrainerSpec) -> dict[int, tuple[str, PieceType]]:
    """The pieces that are not learned; none while two settings contradict each other."""
    try:
        return spec.special_pieces()
    except TrainingError:
        return {}


def loss_text(loss: float) -> str:
    """Write a corpus loss: all digits that a worked example needs, none that a large corpus does not.

    >>> loss_text(168.74012), loss_text(512061.4)
    ('168.7401', '512,061')
    """
    return log_text(loss, 4 if abs(loss) < 10_000 else 0)


def rounds_text(number: int, of: int, n_pieces: int, n_special: int = 0) -> tuple[str, ...]:
    """Say where a training is, in fewer and fewer words.

    >>> rounds_text(2, 14, 1000)
    ('round 2 of 14 · 1,000 pieces', 'round 2/14 · 1,000 pieces', 'round 2/14')
    """
    pieces = pieces_text(n_pieces, n_special) if n_pieces else ""
    if number < 1:
        return (pieces,)
    long, short = f"round {number}", f"round {number}"
    if of >= number:
        long, short = f"{long} of {of}", f"{short}/{of}"
    return (f"{long} · {pieces}", f"{short} · {pieces}", short) if pieces else (long, short)


def _rounds(step: TrainingStep, n_special: int) -> tuple[str, ...]:
    """Say which round it is, how fast it goes and what it holds; what has no room is in the tool tip."""
    rounds = rounds_text(step.round, step.n_rounds_expected, step.n_pieces, n_special)
    known = []
    if step.speed is not None:
        known.append(f"{count_text(round(step.speed / 1000))} thousand characters a second")
    if step.memory:
        known.append(f"{count_text(round(step.memory / 1e6))} MB")
    return (" · ".join([rounds[0], *known]), *rounds) if rounds[0] and known else rounds


def _states(step: TrainingStep) -> tuple[str, ...]:
    """Say what a training does and for how long, in fewer and fewer words."""
    gone = _clock(step.elapsed)
    if step.remaining is None:
        return f"{step.phase} · {gone}", gone
    left = f"{_clock(step.remaining)} left"
    return f"{step.phase} · {gone}, {left}", f"{step.phase} · {left}", left


def _clock(seconds: float) -> str:
    """Write a duration as a clock does.

    >>> _clock(83.4)
    '1:23'
    """
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02}"
