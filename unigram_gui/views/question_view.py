"""What the views of the questions pane have in common: a corner beside the tabs, pieces that light up."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import Signal, SignalInstance
from PySide6.QtWidgets import QVBoxLayout, QWidget

from unigram_gui.theme import Theme
from unigram_gui.views.headings import Headings


class Lit(Protocol):
    """Something that shows pieces and tells which are pointed at; a `Sheet` is one."""

    @property
    def piece_picked(self) -> SignalInstance: ...
    @property
    def piece_hovered(self) -> SignalInstance: ...
    def set_theme(self, theme: Theme) -> None: ...
    def set_picked_piece(self, piece: int | None) -> None: ...
    def set_hovered_piece(self, piece: int) -> None: ...


class QuestionView(QWidget):
    """One question with its answer; `corner` goes beside the tabs."""

    piece_picked = Signal(int)
    piece_hovered = Signal(int)

    def __init__(self, lit: Lit, corner: Headings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lit = lit
        self.corner = corner
        corner.setParent(self)  # until the pane takes it
        corner.hide()
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(2)
        lit.piece_picked.connect(self.piece_picked)
        lit.piece_hovered.connect(self.piece_hovered)

    def set_theme(self, theme: Theme) -> None:
        """Paint with another theme from now on."""
        self._lit.set_theme(theme)
        self.corner.set_theme(theme)

    def set_picked_piece(self, piece: int | None) -> None:
        """Light up the piece that was picked anywhere."""
        self._lit.set_picked_piece(piece)

    def set_hovered_piece(self, piece: int) -> None:
        """Light up the piece that is pointed at anywhere."""
        self._lit.set_hovered_piece(piece)
