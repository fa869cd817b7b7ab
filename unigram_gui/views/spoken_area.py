"""What scroll areas that paint themselves have in common: focus that shows, and that is told to screen readers.

In: what the keyboard stands on, from the subclass. Out: painting anew when the focus comes or goes, and its words for
those who listen.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QFocusEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

BY_KEYBOARD = (
    Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason, Qt.FocusReason.ShortcutFocusReason,
)  # fmt: skip


class SpokenArea(QAbstractScrollArea):
    """Paints all of its viewport, and says what has the focus."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)  # nothing beneath need be painted
        self.viewport().setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(name)
        self.viewport().installEventFilter(_Leaving(self))

    def left(self) -> None:
        """The pointer has left the viewport."""

    def spoken(self) -> str:
        """What a screen reader says."""
        raise NotImplementedError

    def enter(self) -> None:
        """The keyboard has come here: put it on something, where it stands on nothing yet."""

    def announce(self) -> None:
        """Say what has the focus, or what there is, to those who listen."""
        text = self.spoken()
        if text != self.accessibleDescription():
            self.setAccessibleDescription(text)
            QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.DescriptionChanged))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() in BY_KEYBOARD:
            self.enter()
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Accept what the press began: the window below need not look at it."""
        event.accept()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Paint anew instead of moving pixels: not everything scrolls."""
        self.viewport().update()


class PieceArea(SpokenArea):
    """A spoken area of pieces: those that are picked or pointed at anywhere light up, and it tells which are here."""

    piece_hovered = Signal(int)  # piece ID, -1 for none
    piece_picked = Signal(int)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self._picked = self._hovered = -1

    def set_picked_piece(self, piece: int | None) -> None:
        """Light up the piece that was picked anywhere; None or -1 is no piece."""
        self._picked = -1 if piece is None else piece
        self.viewport().update()

    def set_hovered_piece(self, piece: int) -> None:
        """Light up the piece that is pointed at anywhere."""
        if piece != self._hovered:
            self._hovered = piece
            self.viewport().update()

    def hover(self, piece: int) -> None:
        """The pointer is on a piece here, or on none."""
        if piece != self._hovered:
            self.set_hovered_piece(piece)
            self.piece_hovered.emit(piece)

    def pick(self, piece: int) -> None:
        """A person picks a piece here; again lets it go."""
        self.set_picked_piece(-1 if piece == self._picked else piece)
        self.piece_picked.emit(self._picked)

    def is_lit(self, piece: int) -> bool:
        """Whether a piece is picked or pointed at."""
        return piece >= 0 and piece in (self._picked, self._hovered)

    def left(self) -> None:
        self.hover(-1)


class _Leaving(QObject):
    """Tells an area that the pointer has left it.

    A filter, since `viewportEvent` would be called for every paint as well, and Qt's own, called from Python, gives the
    interpreter away in the middle of it.
    """

    def __init__(self, area: SpokenArea) -> None:
        super().__init__(area)
        self._area = area

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Leave:
            self._area.left()
        return False
