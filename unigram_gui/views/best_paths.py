"""The most probable ways to cut the text, a row each.

In: frozen `Exploration`s. Out: which piece is picked. A row shows the pieces as small bricks, ln p, how far it is
behind the first, and its share of P(x) as a bar and a number. Where the rows are too long, what all of them begin
with is left out: the difference is what one looks for.
"""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from unigram_gui.ink import Ink, Label
from unigram_gui.number_text import log_text, percent_text
from unigram_gui.shaping import Shaper
from unigram_gui.tasks.exploration import Exploration
from unigram_gui.theme import BOLD, SEMI_BOLD, FontSpec, Theme, mix
from unigram_gui.views.lattice.looks import brick_border, brick_fill
from unigram_gui.views.pane import Pane

MARGIN, ROW, FIRST_BRICK = 18.0, 22.0, 38.0
BRICK, PADDING, GAP, RADIUS = 17.0, 3.0, 2.0, 3.5
SHARE, BAR_LEFT, BAR, BEHIND, SCORE, BRICKS_END = 18.0, 150.0, 75.0, 166.0, 216.0, 282.0  # from the right side

NUMBER = FontSpec("sans", 11.5)
NUMBER_BOLD = FontSpec("sans", 11.5, SEMI_BOLD)
HEADING = FontSpec("sans", 11.0)
PIECE = FontSpec("mono", 11.5)
PIECE_BOLD = FontSpec("mono", 11.5, BOLD)
LEFT_OUT = "…"


class BestPathsView(Pane):
    """The pane under the lattice."""

    piece_picked = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("Best paths", parent)
        self.rows = PathRows(theme)
        self.header.setContentsMargins(round(MARGIN), 4, round(MARGIN), 0)
        self.body.setSpacing(0)
        self.body.addWidget(self.rows)
        self.body.addStretch()
        self.rows.piece_picked.connect(self.piece_picked)
        self._theme = theme

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.rows.set_theme(theme)
        self.update()

    def set_exploration(self, exploration: Exploration | None) -> None:
        self.rows.set_exploration(exploration)

    def set_picked_piece(self, piece: int | None) -> None:
        self.rows.set_picked_piece(piece)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The headings of the columns stand on the line of the title."""
        super().paintEvent(event)
        painter = QPainter(self)
        ink, colour = Ink(self.rows.shaper), self._theme.palette.ink2
        baseline = self.title.geometry().center().y() + 4.0
        for right, text in ((SCORE, "ln p"), (BEHIND, "behind"), (SHARE, "share of P(x)")):
            ink.put(self.width() - right, baseline, text, HEADING, colour, align=1.0)
        ink.draw(painter)
        painter.end()


class PathRows(QWidget):
    """The rows themselves."""

    piece_picked = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self.shaper = theme, Shaper(theme)
        self._exploration: Exploration | None = None
        self._picked = -1
        self._skipped = 0  # pieces at the beginning that all rows share and that have no room
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Best paths")

    def set_theme(self, theme: Theme) -> None:
        self._theme, self.shaper = theme, Shaper(theme)
        self.update()

    def set_exploration(self, exploration: Exploration | None) -> None:
        self._exploration = exploration
        self._skip()
        self.setFixedHeight(round(ROW * max(1, self._n_rows())))
        self.setAccessibleDescription("; ".join(self.row_text(row) for row in range(self._n_rows())))
        self.update()

    def set_picked_piece(self, piece: int | None) -> None:
        self._picked = -1 if piece is None else piece
        self.update()

    def row_text(self, row: int) -> str:
        """A row as words: pieces, ln p, share."""
        assert self._exploration is not None
        path = self._exploration.n_best[row]
        share = percent_text(self._exploration.shares[row])
        return f"{row + 1}: {' '.join(path.pieces)}, ln p {log_text(path.score)}, {share}"

    def labels(self, painter: QPainter) -> list[Label]:
        ink = Ink(self.shaper, keep_labels=True)
        self._paint(painter, ink)
        return ink.labels

    def brick_rect(self, row: int, piece: int) -> QRectF:
        """Where the brick of the `piece`th piece of a row is (it may lie outside of what is shown)."""
        assert self._exploration is not None
        x = FIRST_BRICK + (14.0 if self._skipped else 0.0)
        texts = self._exploration.n_best[row].pieces
        x += sum(self._brick_width(text) + GAP for text in texts[self._skipped : piece])
        return QRectF(x, row * ROW + 0.5 * (ROW - BRICK), self._brick_width(texts[piece]), BRICK)

    def _n_rows(self) -> int:
        seen = self._exploration
        return len(seen.n_best) if seen is not None and seen.n_characters else 0

    def _brick_width(self, text: str) -> float:
        return self.shaper.width(text, PIECE) + 2.0 * PADDING

    def _skip(self) -> None:
        """Leave out the common beginning, but for one piece, where a row would not fit."""
        self._skipped = 0
        if not self._n_rows() or self._exploration is None:
            return
        paths = self._exploration.n_best
        # Every brick is wider than this, so a long text is not measured in vain.
        too_many = max(len(path.pieces) for path in paths) * 3.0 * PADDING > self.width()
        if too_many or max(self.brick_rect(i, len(p.pieces) - 1).right() for i, p in enumerate(paths)) > self._end():
            self._skipped = max(0, _common_beginning([path.edges for path in paths]) - 1)

    def _end(self) -> float:
        return self.width() - BRICKS_END

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self._paint(painter, Ink(self.shaper))
        painter.end()

    def _paint(self, painter: QPainter, ink: Ink) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for row in range(self._n_rows()):
            self._paint_row(painter, ink, row)
        ink.draw(painter)

    def _paint_row(self, painter: QPainter, ink: Ink, row: int) -> None:
        assert self._exploration is not None
        seen, palette = self._exploration, self._theme.palette
        path, share, baseline = seen.n_best[row], seen.shares[row], row * ROW + 15.0
        is_best = path.edges == seen.best.edges
        number = NUMBER_BOLD if is_best else NUMBER
        ink.put(MARGIN + 6.0, baseline, str(row + 1), number, palette.ink if is_best else palette.ink2)
        self._paint_bricks(painter, ink, row, is_best)
        width = self.width()
        ink.put(width - SCORE, baseline, log_text(path.score), number, palette.ink, align=1.0)
        if row:
            behind = f"{seen.n_best[0].score - path.score:.2f}"
            ink.put(width - BEHIND, baseline, behind, NUMBER, palette.ink2, align=1.0)
        self._paint_bar(painter, QRectF(width - BAR_LEFT, row * ROW + 6.0, BAR, 10.0), share, is_best)
        ink.put(width - SHARE, baseline, percent_text(share), number, palette.ink, align=1.0)

    def _paint_bar(self, painter: QPainter, rect: QRectF, share: float, is_best: bool) -> None:
        palette = self._theme.palette
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(palette.grid))
        painter.drawRoundedRect(rect, 2.0, 2.0)
        filled = QRectF(rect.topLeft(), QSize(max(1, round(rect.width() * share)), round(rect.height())).toSizeF())
        painter.setBrush(QColor(palette.best if is_best else mix(palette.paper, palette.edge, 0.5)))
        painter.drawRoundedRect(filled, 2.0, 2.0)

    def _paint_bricks(self, painter: QPainter, ink: Ink, row: int, is_best: bool) -> None:
        assert self._exploration is not None
        path, palette = self._exploration.n_best[row], self._theme.palette
        if self._skipped:
            ink.put(FIRST_BRICK + 5.0, row * ROW + 14.0, LEFT_OUT, PIECE, palette.ink3)
        rect = self.brick_rect(row, self._skipped)
        for text, number in zip(path.pieces[self._skipped :], path.ids[self._skipped :], strict=True):
            rect.setWidth(self._brick_width(text))
            if rect.right() > self._end():
                ink.put(rect.left() + 5.0, row * ROW + 14.0, LEFT_OUT, PIECE, palette.ink3)
                return
            self._paint_brick(painter, ink, rect, text, is_best, number == self._picked)
            rect.moveLeft(rect.right() + GAP)

    def _paint_brick(self, painter: QPainter, ink: Ink, rect: QRectF, text: str, is_best: bool, marked: bool) -> None:
        palette = self._theme.palette
        fill, border, colour = brick_fill(palette, 0.25), brick_border(palette, 0.25), palette.ink2
        if is_best:
            fill, border, colour = palette.best, palette.best, palette.on_best
        if marked:
            fill, border, colour = palette.picked_tint, palette.picked, palette.picked
        painter.setPen(QPen(QColor(border), 2.0 if marked else 1.0))
        painter.setBrush(QColor(fill))
        painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
        quiet = mix(fill, colour, 0.7)
        spec = PIECE_BOLD if marked else PIECE
        ink.put(rect.center().x(), rect.center().y() + 4.0, text, spec, colour, quiet=quiet)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Accept what the press began: the window below need not look at it."""
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        piece = self._piece_at(event.position().x(), event.position().y())
        self.set_picked_piece(-1 if piece == self._picked else piece)
        self.piece_picked.emit(self._picked)

    def _piece_at(self, x: float, y: float) -> int:
        row = int(y // ROW)
        if self._exploration is None or not 0 <= row < self._n_rows() or x > self._end():
            return -1
        path = self._exploration.n_best[row]
        right = self.brick_rect(row, self._skipped).left()
        for text, number in zip(path.pieces[self._skipped :], path.ids[self._skipped :], strict=True):
            left, right = right, right + self._brick_width(text) + GAP
            if left <= x < right:
                return number
        return -1

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._skip()

    def sizeHint(self) -> QSize:
        return QSize(680, round(5 * ROW))


def _common_beginning(paths: list[tuple[int, ...]]) -> int:
    """How many edges all paths begin with; 0 when there is only one path."""
    if len(paths) < 2:
        return 0
    together = zip(*paths, strict=False)
    return next((i for i, edges in enumerate(together) if len(set(edges)) > 1), 0)
