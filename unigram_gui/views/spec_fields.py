"""One editor for each kind of setting, all with the same face: `set_value`, and `edited` when a person changes it.

In: a `SpecField` of the engine, which says the kind, the range, the choices and the help. Nothing here knows a
setting by name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QLocale, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QBoxLayout, QCheckBox, QDoubleSpinBox, QLabel, QLineEdit, QSpinBox, QWidget

from engine.spec import SpecField
from unigram_gui.views.choice import Choice

NUMBER_WIDTH, WORD_WIDTH = 78, 146
BETWEEN = 6  # pixels between a name and its editor
TEXT_MARGIN = 6  # the style sheet's padding leaves out the side where buttons of no width stand
LARGEST_INT = 2**31 - 1
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class _WholeNumber(QSpinBox):
    """A whole number; turning the wheel scrolls the form instead of changing it."""

    def __init__(self, field: SpecField) -> None:
        super().__init__()
        self.setLocale(QLocale.c())
        self.setRange(int(field.minimum or 0), int(min(field.maximum or LARGEST_INT, LARGEST_INT)))
        self.setAlignment(_RIGHT)
        self.lineEdit().setTextMargins(0, 0, TEXT_MARGIN, 0)
        self.setFixedWidth(NUMBER_WIDTH)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class _Number(QDoubleSpinBox):
    """A number with as many decimals as it needs."""

    def __init__(self, field: SpecField) -> None:
        super().__init__()
        self.setLocale(QLocale.c())
        self.setDecimals(8)
        self.setSingleStep(0.05)
        self.setRange(float(field.minimum or 0.0), float(field.maximum or 1e9))
        self.setAlignment(_RIGHT)
        self.lineEdit().setTextMargins(0, 0, TEXT_MARGIN, 0)
        self.setFixedWidth(NUMBER_WIDTH)

    def textFromValue(self, value: float) -> str:
        """Override QDoubleSpinBox::textFromValue: no trailing zeros but one."""
        text = f"{value:.8f}".rstrip("0")
        return text + "0" if text.endswith(".") else text

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class SpecEditor(QWidget):
    """The row of one setting: its name and its editor, or the name above the editor where both have no room.

    Signals
    -------
    edited : name of the setting and its new value, when a person changed it (`set_value` is silent)
    """

    edited = Signal(str, object)

    def __init__(self, field: SpecField, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = field
        self.input, self._get, self._set = _EDITORS[field.kind](field, self._tell)
        self.input.setAccessibleName(field.name)
        self.input.setAccessibleDescription(field.help)
        self.input.setToolTip(field.help)
        self.setFocusProxy(self.input)
        self._name = label = QLabel(field.name)
        label.setProperty("role", "note")
        label.setToolTip(field.help)
        label.setBuddy(self.input)
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(BETWEEN)
        self._row.addWidget(label, 1)
        self._row.addWidget(self.input, 0, Qt.AlignmentFlag.AlignRight)

    def value(self) -> Any:
        """Return the value that is shown."""
        return self._get()

    def set_value(self, value: Any) -> None:
        """Show a value without telling it as an edit; the cursor stays where it is when nothing changes."""
        if self.value() == value:
            return
        self.input.blockSignals(True)
        self._set(value)
        self.input.blockSignals(False)

    def minimumSizeHint(self) -> QSize:
        """Override QWidget::minimumSizeHint: the name can stand above, so no row makes the form wider than its pane."""
        return QSize(self.input.minimumWidth(), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Override QWidget::resizeEvent: put the name where it has room."""
        super().resizeEvent(event)
        field = self.input.minimumWidth() or self.input.sizeHint().width()
        fits = self._name.sizeHint().width() + BETWEEN + field <= event.size().width()
        ways = QBoxLayout.Direction
        self._row.setDirection(ways.LeftToRight if fits else ways.TopToBottom)
        self._row.setSpacing(BETWEEN if fits else 0)

    def _tell(self, *_: Any) -> None:
        self.edited.emit(self.field.name, self.value())


Editor = tuple[QWidget, Callable[[], Any], Callable[[Any], Any]]
Tell = Callable[..., None]


def _int_editor(field: SpecField, tell: Tell) -> Editor:
    box = _WholeNumber(field)
    box.valueChanged.connect(tell)
    return box, box.value, box.setValue


def _float_editor(field: SpecField, tell: Tell) -> Editor:
    box = _Number(field)
    box.valueChanged.connect(tell)
    return box, box.value, box.setValue


def _bool_editor(field: SpecField, tell: Tell) -> Editor:
    box = QCheckBox()
    box.toggled.connect(tell)
    return box, box.isChecked, box.setChecked


def _choice_editor(field: SpecField, tell: Tell) -> Editor:
    box = Choice(field.name)
    box.setFixedWidth(WORD_WIDTH)
    for choice in field.choices:
        box.addItem(choice.replace("_", " "), choice)
    box.currentIndexChanged.connect(tell)
    return box, box.currentData, lambda value: box.setCurrentIndex(box.findData(value))


def _text_editor(field: SpecField, tell: Tell) -> Editor:
    line = QLineEdit()
    line.setFixedWidth(WORD_WIDTH if field.kind == "texts" else NUMBER_WIDTH)
    line.textEdited.connect(tell)
    if field.kind == "texts":
        line.setPlaceholderText("none; parted by commas")
        return line, lambda: field.parse(line.text()), lambda value: line.setText(",".join(value))
    return line, line.text, line.setText


_EDITORS: dict[str, Callable[[SpecField, Tell], Editor]] = {
    "int": _int_editor,
    "float": _float_editor,
    "bool": _bool_editor,
    "choice": _choice_editor,
    "text": _text_editor,
    "texts": _text_editor,
}
