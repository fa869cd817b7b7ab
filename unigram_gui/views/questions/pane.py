"""The pane under the lattice: what can be asked about the text, a tab a question.

In: answers, passed on to the views. Out: the wish for another question. Only the question on show is computed.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QHBoxLayout, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from unigram_gui.tasks.exploration import Exploration
from unigram_gui.theme import Theme
from unigram_gui.views.best_paths import BestPathsView
from unigram_gui.views.question_view import QuestionView
from unigram_gui.views.questions.lens import LensView
from unigram_gui.views.questions.sampling import SamplingView
from unigram_gui.views.questions.steps import StepsView
from unigram_gui.views.questions.what_if import WhatIfView
from unigram_gui.views.questions.why_not import WhyNotView

TAB = Qt.FocusPolicy.TabFocus
TITLES = {
    "best_paths": "Best paths",
    "sampling": "Sampling",
    "why_not": "Why not?",
    "what_if": "What if",
    "lens": "Normalization",
    "steps": "Steps",
}


class QuestionsPane(QFrame):
    """Tabs, beside them what belongs to the tab on show, below it the view."""

    question_requested = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "pane")
        self.setAccessibleName("Questions")
        self.best_paths = BestPathsView(theme)
        self.sampling = SamplingView(theme)
        self.why_not = WhyNotView(theme)
        self.what_if = WhatIfView(theme)
        self.lens = LensView(theme)
        self.steps = StepsView(theme)
        self.views: dict[str, QuestionView] = {name: getattr(self, name) for name in TITLES}
        self.tabs = {name: Tab(title) for name, title in TITLES.items()}
        self._stack, self._corners = QStackedWidget(), QStackedWidget()
        self._arrange()
        self.set_question("best_paths")

    def _arrange(self) -> None:
        header = QHBoxLayout()
        header.setContentsMargins(18, 4, 0, 0)
        header.setSpacing(11)
        group = QButtonGroup(self)
        for name, tab in self.tabs.items():
            group.addButton(tab)
            header.addWidget(tab)
            tab.clicked.connect(lambda _=False, name=name: self.question_requested.emit(name))
            self._stack.addWidget(self.views[name])
            self._corners.addWidget(self.views[name].corner)
        self._corners.setFixedHeight(26)
        header.addWidget(self._corners, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(header)
        column.addWidget(self._stack, 1)

    def set_question(self, name: str) -> None:
        """Show the tab of a question."""
        self.tabs[name].setChecked(True)
        self._stack.setCurrentWidget(self.views[name])
        self._corners.setCurrentWidget(self.views[name].corner)
        if name != "steps":
            self.steps.hide_stage()

    def titles(self) -> dict[str, str]:
        """Return the questions by name, in the order of their tabs."""
        return dict(TITLES)

    def focus_view(self) -> None:
        """Put the keyboard focus into the view on show."""
        name = next(name for name, tab in self.tabs.items() if tab.isChecked())
        children = self.views[name].findChildren(QWidget)
        first = next((child for child in children if child.focusPolicy() & TAB and child.isEnabled()), None)
        (first or self.tabs[name]).setFocus(Qt.FocusReason.ShortcutFocusReason)

    def set_exploration(self, exploration: Exploration | None) -> None:
        self.best_paths.set_exploration(exploration)
        self.what_if.set_exploration(exploration)

    def set_theme(self, theme: Theme) -> None:
        for view in self.views.values():
            view.set_theme(theme)

    def set_picked_piece(self, piece: int | None) -> None:
        for view in self.views.values():
            view.set_picked_piece(piece)

    def set_hovered_piece(self, piece: int) -> None:
        for view in self.views.values():
            view.set_hovered_piece(piece)


class Tab(QPushButton):
    """The name of a question; arrow keys go from tab to tab."""

    def __init__(self, title: str) -> None:
        super().__init__(title)
        self.setProperty("kind", "tab")
        self.setCheckable(True)
        self.setAutoDefault(False)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        group, step = self.group(), steps.get(Qt.Key(event.key()))
        if group is None or step is None:
            super().keyPressEvent(event)
            return
        tabs = group.buttons()
        following = tabs[(tabs.index(self) + step) % len(tabs)]
        following.setFocus(Qt.FocusReason.TabFocusReason)
        following.click()
