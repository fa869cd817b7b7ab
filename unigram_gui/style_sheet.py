"""The style sheet of the window: flat fields, segmented buttons, quiet tables, hairline splitters.

In: a palette. Out: one string for `QApplication.setStyleSheet`. Widgets choose a look with dynamic properties, so
that no view repeats a colour:

    label.setProperty("role", "title")     12.5 px, bold: the name of a pane; also "note", "muted", "number", "error"
    button.setProperty("kind", "primary")  the one filled button of a form
    button.setProperty("segment", "first") a button of a joined row: "first", "middle", "last" or "only"
    edit.setProperty("kind", "study")      the field of the text under study: monospaced, two-pixel border in focus
    bar.setProperty("inset", "true")       a horizontal scroll bar that begins right of the names of the rows
    frame.setProperty("kind", "pane")      a pane on paper; "bar" is a pane on panel; "alert" says what went wrong
    choice.setProperty("kind", "note")     a choice in the heading of a pane, without a frame
    button.setProperty("kind", "link")     a word to click on
"""

from __future__ import annotations

from string import Template
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unigram_gui.theme import Palette

_RULES = Template("""
QMainWindow, QDialog { background: $paper; }
QFrame[kind="pane"] { background: $paper; border: none; }
QFrame[kind="bar"] { background: $panel; border: none; }

QLabel { color: $ink; background: transparent; }
QLabel[role="title"] { font-size: 12.5px; font-weight: 600; }
QLabel[role="note"], QLabel[role="muted"] { color: $ink2; }
QLabel[role="number"] { font-weight: 600; }
QLabel[role="error"] { color: $removed; }
QLabel:disabled { color: $faint; }

QMenuBar { background: $panel; border-bottom: 1px solid $hairline; padding: 2px 12px; }
QMenuBar::item { background: transparent; color: $ink2; padding: 5px 10px; border-radius: 5px; }
QMenuBar::item:selected { background: $best_tint; color: $best_text; }
QMenu { background: $raised; border: 1px solid $hairline; padding: 4px; }
QMenu::item { padding: 5px 26px 5px 12px; border-radius: 4px; color: $ink; }
QMenu::item:selected { background: $best_tint; color: $best_text; }
QMenu::item:disabled { color: $faint; }
QMenu::separator { height: 1px; background: $hairline; margin: 4px 6px; }
QStatusBar { background: $panel; color: $ink2; border-top: 1px solid $hairline; }
QStatusBar::item { border: none; }
QStatusBar QLabel { color: $ink2; }

QLineEdit, QSpinBox, QDoubleSpinBox, QComboBox, QPlainTextEdit {
    background: $raised; color: $ink; border: 1px solid $hairline; border-radius: 6px;
    selection-background-color: $best; selection-color: $on_best;
}
QLineEdit, QSpinBox, QDoubleSpinBox, QComboBox { min-height: 22px; padding: 1px 8px; }
QLineEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus, QComboBox:focus, QPlainTextEdit:focus {
    border: 2px solid $best_text; padding: 0px 7px;
}
QPlainTextEdit:focus { padding: 0px; }
QLineEdit:disabled, QSpinBox:disabled, QDoubleSpinBox:disabled, QComboBox:disabled {
    color: $faint; background: $panel;
}
QLineEdit[kind="study"] { min-height: 24px; padding: 1px 12px; }
QLineEdit[kind="study"]:focus { border: 2px solid $best_text; padding: 0px 11px; }
QLineEdit[invalid="true"] { border: 1px solid $removed; }
QSpinBox::up-button, QSpinBox::down-button, QDoubleSpinBox::up-button, QDoubleSpinBox::down-button {
    width: 0px; border: none;
}
QComboBox { combobox-popup: 0; }
QComboBox::drop-down { border: none; width: 18px; }
QComboBox::down-arrow { image: url("$chevron"); width: 12px; height: 12px; }
Choice::down-arrow { image: none; width: 0px; height: 0px; }
QComboBox QAbstractItemView {
    background: $raised; color: $ink; border: 1px solid $hairline; outline: none;
    selection-background-color: $best_tint; selection-color: $best_text;
}
QComboBox QAbstractItemView::item { min-height: 22px; padding: 0px 8px; color: $ink; }
QComboBox QAbstractItemView::item:selected { background: $best_tint; color: $best_text; }
QComboBox[kind="note"], QComboBox[kind="note"]:focus {
    background: transparent; border: none; color: $ink2; padding: 0px 2px;
}
QCheckBox { color: $ink; spacing: 6px; }
QCheckBox::indicator { width: 12px; height: 12px; border: 1px solid $faint; border-radius: 3px; background: $raised; }
QCheckBox::indicator:checked { background: $best; border: 1px solid $best; image: url("$tick"); }
QCheckBox::indicator:focus { border: 2px solid $best_text; width: 10px; height: 10px; }

QPushButton {
    background: $raised; color: $ink; border: 1px solid $hairline; border-radius: 6px;
    min-height: 22px; padding: 1px 14px;
}
QPushButton:hover { background: $panel; }
QPushButton:focus { border: 2px solid $best_text; padding: 0px 13px; }
QPushButton:disabled { color: $faint; }
QPushButton[kind="primary"] { background: $best; color: $on_best; border: 1px solid $best; font-weight: 600; }
QPushButton[kind="primary"]:hover { background: $best_deep; }
QPushButton[kind="primary"]:focus { border: 2px solid $ink; }
QPushButton[kind="primary"]:disabled { background: $grid; color: $faint; border: 1px solid $grid; }

QPushButton[segment] { border-radius: 0px; padding: 1px 8px; color: $ink2; }
QPushButton[segment="middle"], QPushButton[segment="last"] { border-left: none; }
QPushButton[segment="first"] { border-top-left-radius: 4px; border-bottom-left-radius: 4px; }
QPushButton[segment="last"] { border-top-right-radius: 4px; border-bottom-right-radius: 4px; }
QPushButton[segment="only"] { border-radius: 4px; }
QPushButton[segment]:checked {
    background: $best_tint; color: $best_text; font-weight: 600; border: 1px solid $chip_border;
}
QPushButton[segment]:focus { border: 2px solid $best_text; padding: 0px 7px; }
QPushButton[segment]:disabled { color: $faint; }

QPushButton[kind="tab"] {
    background: transparent; border: none; border-radius: 0px; padding: 0px; color: $ink3; font-size: 12.5px;
}
QPushButton[kind="tab"]:hover { color: $ink; }
QPushButton[kind="tab"]:checked { color: $ink; font-weight: 600; }
QPushButton[kind="tab"]:focus {
    border: none; border-bottom: 2px solid $best_text; padding: 0px; color: $best_text;
}

QPushButton[kind="link"] {
    background: transparent; border: 2px solid transparent; border-radius: 4px; padding: 0px; color: $best_text;
    text-align: left;
}
QPushButton[kind="link"]:hover { text-decoration: underline; }
QPushButton[kind="link"]:focus { border: 2px solid $best_text; padding: 0px; }
QFrame[kind="alert"] { background: $removed_tint; border: none; border-bottom: 1px solid $removed; }

QTableView, QTreeView, QListView {
    background: $paper; alternate-background-color: $paper; color: $ink; border: none; outline: none;
    gridline-color: transparent; selection-background-color: $picked_tint; selection-color: $picked;
}
QTableView::item { border: none; padding: 0px 6px; }
QTableView::item:selected { background: $picked_tint; color: $picked; }
QTableView::item:hover:!selected { background: $panel; }
QHeaderView { background: $paper; border: none; }
QHeaderView::section {
    background: $paper; color: $ink2; border: none; border-bottom: 1px solid $hairline; padding: 3px 6px;
    font-weight: 500;
}
QTableCornerButton::section { background: $paper; border: none; }

QScrollBar:vertical { background: transparent; width: 10px; margin: 0px; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0px; }
QScrollBar[inset="true"]:horizontal { margin: 0px 14px 0px 92px; }
QScrollBar::handle { background: $scroll; border-radius: 2px; }
QScrollBar::handle:vertical { min-height: 24px; margin: 1px 3px; }
QScrollBar::handle:horizontal { min-width: 24px; margin: 3px 1px; }
QScrollBar::handle:hover { background: $ink3; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0px; height: 0px; border: none; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QAbstractScrollArea::corner { background: transparent; border: none; }

QSplitter::handle { background: $hairline; }
QSplitter::handle:horizontal { width: 1px; }
QSplitter::handle:vertical { height: 1px; }
QSplitter::handle:hover { background: $best_text; }
QSlider::groove:horizontal { background: $grid; height: 4px; border-radius: 2px; }
QSlider::sub-page:horizontal { background: $best_text; height: 4px; border-radius: 2px; }
QSlider::handle:horizontal {
    background: $raised; border: 2px solid $best_text; width: 11px; height: 11px; margin: -6px 0px; border-radius: 7px;
}
QSlider::handle:horizontal:focus { background: $best_text; }
QProgressBar { background: $grid; border: none; border-radius: 2px; max-height: 5px; min-height: 5px; }
QProgressBar::chunk { background: $best_text; border-radius: 2px; }
QToolTip { background: $card; color: #FFFFFF; border: 1px solid $card_border; padding: 4px 8px; }
QDockWidget { color: $ink; }
QDockWidget::title { background: $paper; padding: 4px 12px; }
""")


def style_sheet(palette: Palette) -> str:
    """All rules with this palette's colours filled in."""
    from unigram_gui import assets  # late: it loads fonts for the theme, which is made of this

    colours: dict[str, Any] = dict(vars(palette))
    colours["tick"] = assets.icon_path("tick").as_posix()
    colours["chevron"] = assets.icon_path(f"chevron-{'dark' if palette.dark else 'light'}").as_posix()
    colours["scroll"] = palette.faint
    colours["chip_border"] = "#7FA8D4" if not palette.dark else "#3C6A99"
    return _RULES.substitute(colours)
