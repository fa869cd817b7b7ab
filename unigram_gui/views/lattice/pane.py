"""The lattice with its toolbar above and its figures below.

In: frozen `Exploration`s. Out: the signals of its `LatticeView`, passed on. The buttons only set what the view shows.
"""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from unigram_gui.number_text import count_text, count_text_of_log, counted, log_text
from unigram_gui.tasks.exploration import Exploration
from unigram_gui.theme import Theme
from unigram_gui.views.lattice.drawing import DEFAULT_LAYERS, Layer, Marks, Stage
from unigram_gui.views.lattice.figure import LatticeFigure
from unigram_gui.views.lattice.view import LatticeView
from unigram_gui.views.summary_line import SummaryLine

SAME = 1e-14  # parts of a score that sums of the same numbers in another order may differ by
MODE_NAMES = {"auto": "Auto", "graph": "Graph", "bricks": "Bricks"}
LAYER_NAMES = {
    Layer.LN_P: ("ln p", "the score of each piece"),
    Layer.POSTERIOR: ("posterior", "the probability that a path goes through a piece"),
    Layer.FORWARD_BACKWARD: ("α β", "forward and backward at each boundary"),
    Layer.IDS: ("IDs", "the numbers that come out"),
}


class LatticePane(QWidget):
    """Toolbar, live lattice, summary line."""

    piece_hovered = Signal(int)
    piece_picked = Signal(int)
    span_selected = Signal(object)
    steps_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.view = LatticeView(theme)
        self.summary = SummaryLine(theme)
        self.mode_buttons = {mode: _button(name) for mode, name in MODE_NAMES.items()}
        self.layer_buttons = {layer: _button(name, tip) for layer, (name, tip) in LAYER_NAMES.items()}
        self.zoom_buttons = {
            "out": _button("−", "Zoom out", checkable=False),
            "reset": _button("100 %", "Back to full size", checkable=False),
            "in": _button("+", "Zoom in", checkable=False),
        }
        self.steps_button = _button("Viterbi ▸", "Fill the table step by step", checkable=False)
        self.wrap_button = _button("↵", "Wrap: rows instead of one line that scrolls")
        self.wrap_button.setAccessibleName("Wrap")
        self.fit_button = _button("Fit", "Show the whole text", checkable=False)
        self._arrange()
        self._connect()
        self._show_mode(self.view.shown_mode)

    def set_theme(self, theme: Theme) -> None:
        self.view.set_theme(theme)
        self.summary.set_theme(theme)

    def set_exploration(self, exploration: Exploration | None) -> None:
        self.view.set_exploration(exploration)
        self.summary.set_parts(summary_parts(exploration))

    def set_picked_piece(self, piece: int | None) -> None:
        self.view.set_picked_piece(piece)

    def set_hovered_piece(self, piece: int) -> None:
        self.view.set_hovered_piece(piece)

    def set_chosen_path(self, place: int) -> None:
        self.view.set_chosen_path(place)

    def set_span(self, span: tuple[int, int] | None) -> None:
        self.view.set_span(span)

    def set_stage(self, stage: Stage | None) -> None:
        self.view.set_stage(stage)

    def set_wrap(self, wrap: bool) -> None:
        self.wrap_button.setChecked(wrap)
        self.view.set_wrap(wrap)

    def set_mode(self, mode: str) -> None:
        self.mode_buttons[mode].setChecked(True)
        self.view.set_mode(mode)

    def set_layers(self, layers: frozenset[str]) -> None:
        for layer, button in self.layer_buttons.items():
            button.setChecked(layer in layers)
        self._set_layers()

    def figure(self) -> LatticeFigure | None:
        """What the view shows as a figure by itself: the whole text, with header and legend."""
        view = self.view
        if view.exploration is None or view.drawing is None:
            return None
        return LatticeFigure(
            view.exploration, view.theme, view.layers, view.shown_mode, view.zoom, Marks(view.marks().pieces)
        )

    def _arrange(self) -> None:
        self.toolbar = QHBoxLayout()
        self.toolbar.setContentsMargins(18, 0, 18, 0)
        self.toolbar.setSpacing(12)
        groups = (
            list(self.mode_buttons.values()), list(self.layer_buttons.values()), [self.steps_button],
            list(self.zoom_buttons.values()), [self.wrap_button, self.fit_button],
        )  # fmt: skip
        for group in groups:
            self.toolbar.addLayout(_joined(group))
            if self.steps_button in group:
                self.toolbar.addStretch()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 2, 0, 6)
        layout.setSpacing(4)
        layout.addLayout(self.toolbar)
        layout.addWidget(self.view, 1)
        layout.addWidget(self.summary)

    def _connect(self) -> None:
        modes = QButtonGroup(self)
        for mode, button in self.mode_buttons.items():
            modes.addButton(button)
            button.clicked.connect(lambda _checked=False, mode=mode: self.view.set_mode(mode))
        self.mode_buttons["auto"].setChecked(True)
        for layer, button in self.layer_buttons.items():
            button.setChecked(layer in DEFAULT_LAYERS)
            button.clicked.connect(self._set_layers)
        self.zoom_buttons["out"].clicked.connect(self.view.zoom_out)
        self.zoom_buttons["in"].clicked.connect(self.view.zoom_in)
        self.zoom_buttons["reset"].clicked.connect(lambda: self.view.set_zoom(1.0))
        self.fit_button.clicked.connect(self.view.zoom_fit)
        self.wrap_button.clicked.connect(self.view.set_wrap)
        self.steps_button.clicked.connect(self.steps_requested)
        self.view.span_selected.connect(self.span_selected)
        self.view.zoom_changed.connect(self._show_zoom)
        self.view.mode_changed.connect(self._show_mode)
        self.view.piece_hovered.connect(self.piece_hovered)
        self.view.piece_picked.connect(self.piece_picked)

    def _set_layers(self) -> None:
        self.view.set_layers(frozenset(layer for layer, button in self.layer_buttons.items() if button.isChecked()))

    def _show_mode(self, mode: str) -> None:
        self.mode_buttons["auto"].setText(f"Auto: {mode}")

    def _show_zoom(self, zoom: float) -> None:
        self.zoom_buttons["reset"].setText(f"{100.0 * zoom:.0f} %" if zoom >= 0.1 else f"{100.0 * zoom:.1f} %")

    def sizeHint(self) -> QSize:
        return QSize(716, 360)


def summary_parts(seen: Exploration | None) -> tuple[tuple[str, str], ...]:
    """The figures under the lattice: each a number and what it counts."""
    if seen is None or not seen.n_characters:
        return ()
    return (
        *_tried_out(seen),  # first, as the line leaves out from the right what has no room
        (count_text(seen.n_tokens), "token" if seen.n_tokens == 1 else "tokens"),
        (count_text(seen.n_edges), "piece" if seen.n_edges == 1 else "pieces"),
        (paths_text(seen), "path" if seen.n_paths == 1 else "paths"),
        (log_text(seen.log_z), "= ln P(x)"),
        (f"{log_text(seen.entropy)} nats", "entropy"),
        *_margin(seen),
    )


def _tried_out(seen: Exploration) -> tuple[tuple[str, str], ...]:
    """That the cut is that of a vocabulary with edits, which is not the one in the table."""
    n = len(seen.variant.edits)
    return (("with", counted(n, "edit") + " tried out"),) if n else ()


def _margin(seen: Exploration) -> tuple[tuple[str, str], ...]:
    """How far the best path is before the second, or how many of those that are listed score as well as it."""
    if len(seen.n_best) < 2:
        return ()
    best = seen.n_best[0].score
    n_equal = sum(best - path.score <= SAME * max(1.0, abs(best)) for path in seen.n_best)
    if n_equal > 1:
        more = " or more" if n_equal == len(seen.n_best) and (seen.n_paths is None or seen.n_paths > n_equal) else ""
        return ((f"{n_equal} ways{more}", "of equal score"),)
    return ((f"{log_text(seen.n_best[0].score - seen.n_best[1].score)} nats", "margin"),)


def paths_text(seen: Exploration) -> str:
    """The number of paths, exact as far as it can be read."""
    return count_text_of_log(seen.log_n_paths) if seen.n_paths is None else count_text(seen.n_paths)


def _button(text: str, tip: str = "", *, checkable: bool = True) -> QPushButton:
    button = QPushButton(text)
    button.setCheckable(checkable)
    button.setToolTip(tip)
    button.setCursor(Qt.CursorShape.PointingHandCursor)
    if tip:
        button.setAccessibleDescription(tip)
    return button


def _joined(buttons: list[QPushButton]) -> QHBoxLayout:
    """Buttons in a row without gaps; the property tells the style sheet which corners are round."""
    row = QHBoxLayout()
    row.setSpacing(0)
    for i, button in enumerate(buttons):
        place = "first" if i == 0 else "last" if i == len(buttons) - 1 else "middle"
        button.setProperty("segment", place if len(buttons) > 1 else "only")
        row.addWidget(button)
    return row
