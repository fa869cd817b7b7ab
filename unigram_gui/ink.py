"""Writing many labels in a few calls.

In: labels (text, place, font, colour) one by one. Out: pictures of them on a screen, elsewhere one glyph run a font and
colour, and the list of labels with their rectangles, which is what tests and accessibility read instead of pixels. A
picture costs least, and is put down without making objects of Qt, each of which would give the interpreter away for a
moment while others wait for it. On an SVG painter text
becomes outlines, so that the figure looks the same where its fonts are missing; emoji, which have no outline,
become small images.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QGlyphRun, QImage, QPaintEngine, QPainter, QPainterPath, QPen, QPixmap, QRawFont

from unigram_gui.shaping import SPACE_CELL, GlyphPart, ShapedText, Shaper, has_colours
from unigram_gui.stamps import Key, Stamps
from unigram_gui.theme import FontSpec

SPACE_WIDTH = 0.82  # of the cell
SPACE_STROKE = 0.095  # em
SPACE_HEIGHT = 0.24  # em
ASCENT, DESCENT = 0.76, 0.24  # em; the box that a label keeps free, tighter than the font's own
GLYPHS_OF_A_PATH = 100  # longer paths are cut off by some who read SVG
EMOJI_SCALE = 4.0  # pixels of an embedded emoji per logical pixel
LABEL_RISE, LABEL_FALL, LABEL_MARGIN = 1.4, 0.7, 3  # em above and below the baseline, pixels aside: marks reach out
WIDEST_PICTURE = 1000.0  # pixels; what is longer comes once

_Written = tuple[ShapedText, str, FontSpec, float, float, str, str]  # with left side, baseline, colour, quiet colour


@dataclass(frozen=True)
class Label:
    """A text that was drawn, and where."""

    text: str
    x: float
    y: float
    width: float
    height: float

    @property
    def rect(self) -> QRectF:
        return QRectF(self.x, self.y, self.width, self.height)

    def moved(self, x: float, y: float) -> Label:
        return Label(self.text, self.x + x, self.y + y, self.width, self.height)

    def overlaps(self, other: Label, slack: float = 0.0) -> bool:
        return (
            self.x + slack < other.x + other.width
            and other.x + slack < self.x + self.width
            and self.y + slack < other.y + other.height
            and other.y + slack < self.y + self.height
        )


class Ink:
    """Collects labels, then draws them all. Make one for each painting."""

    def __init__(self, shaper: Shaper, keep_labels: bool = False) -> None:
        self.shaper = shaper
        self.labels: list[Label] = []
        self._keep_labels = keep_labels
        self._written: list[_Written] = []

    @property
    def keeps_labels(self) -> bool:
        return self._keep_labels

    def width(self, text: str, spec: FontSpec) -> float:
        return self.shaper.width(text, spec)

    def put(
        self, x: float, baseline: float, text: str, spec: FontSpec, colour: str, align: float = 0.5, quiet: str = ""
    ) -> float:
        """Write `text` with the point `align` of its width (0 left, 0.5 middle, 1 right) at `x`; return the width.

        Space markers and name boxes are drawn in `quiet` where it is given, since they are no ink of the text.
        """
        shaped = self.shaper.shape(text, spec)
        left = x - align * shaped.width
        self._written.append((shaped, text, spec, left, baseline, colour, quiet))
        if self._keep_labels:
            height = (ASCENT + DESCENT) * spec.size
            self.labels.append(Label(text, left, baseline - ASCENT * spec.size, shaped.width, height))
        return shaped.width

    def draw(self, painter: QPainter) -> None:
        """Draw all labels: as pictures where the painter can put them down, else in bulk."""
        stamps = None if self._keep_labels else self.shaper.stamps_for(painter)
        if stamps is None:
            _Strokes(self.shaper, self._written).draw(painter)
            return
        for written in self._written:
            if written[0].width <= WIDEST_PICTURE:
                self._put_down(painter, stamps, written)
            else:
                _Strokes(self.shaper, [written]).draw(painter)

    def _put_down(self, painter: QPainter, stamps: Stamps, written: _Written) -> None:
        _, text, spec, left, baseline, colour, quiet = written
        quarters = math.floor(4.0 * left + 0.5)  # as Qt draws glyphs: at quarters of a pixel across, at whole ones down
        key = "label", text, spec, colour, quiet, quarters & 3
        picture = stamps.find(key)
        if picture is None:
            picture = self._picture(stamps, key, written)
        top = round(baseline) - math.ceil(LABEL_RISE * spec.size)
        painter.drawPixmap((quarters >> 2) - LABEL_MARGIN, top, picture)

    def _picture(self, stamps: Stamps, key: Key, written: _Written) -> QPixmap:
        """The picture of a label, with room for what reaches out of its box."""
        shaped, text, spec, left, _, colour, quiet = written
        rise, fall = math.ceil(LABEL_RISE * spec.size), math.ceil(LABEL_FALL * spec.size)
        place = LABEL_MARGIN + 0.25 * (math.floor(4.0 * left + 0.5) & 3)
        alone: _Written = (shaped, text, spec, place, float(rise), colour, quiet)
        rect = QRectF(0.0, 0.0, shaped.width + 2.0 * LABEL_MARGIN + 1.0, float(rise + fall))
        return stamps.make(key, rect, _Strokes(self.shaper, [alone]).draw)


class _Strokes:
    """The glyphs, space markers and boxes of labels, those of one font and colour together."""

    def __init__(self, shaper: Shaper, written: list[_Written]) -> None:
        self._shaper = shaper
        self._glyphs: dict[tuple[int, str], tuple[list[int], list[QPointF]]] = defaultdict(lambda: ([], []))
        self._spaces: dict[tuple[str, float], QPainterPath] = defaultdict(QPainterPath)
        self._boxes: dict[str, QPainterPath] = defaultdict(QPainterPath)
        for shaped, _, _, left, baseline, colour, quiet in written:
            self._add_glyphs(shaped, left, baseline, colour)
            if shaped.spaces:
                self._add_spaces(shaped, left, baseline, quiet or colour)
            if shaped.boxes:
                self._add_boxes(shaped, left, baseline, quiet or colour)

    def draw(self, painter: QPainter) -> None:
        outlines = painter.paintEngine().type() == QPaintEngine.Type.SVG
        for (font_key, colour), (glyphs, places) in self._glyphs.items():
            font = self._shaper.raw_fonts[font_key]
            painter.setPen(QColor(colour))
            if outlines:
                _draw_outlines(painter, font, glyphs, places, colour)
            else:
                painter.drawGlyphRun(QPointF(), _glyph_run(font, glyphs, places))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for (colour, stroke), path in self._spaces.items():
            painter.setPen(_open_box_pen(colour, stroke))
            painter.drawPath(path)
        for colour, path in self._boxes.items():
            painter.setPen(QPen(QColor(colour), 1.0, Qt.PenStyle.DashLine))
            painter.drawPath(path)

    def _add_glyphs(self, shaped: ShapedText, left: float, baseline: float, colour: str) -> None:
        for part in shaped.parts:
            self._add_part(part, left, baseline, colour)

    def _add_part(self, part: GlyphPart, left: float, baseline: float, colour: str) -> None:
        glyphs, places = self._glyphs[part.font_key, colour]
        if len(part.glyphs) == 1:  # most labels of a lattice are single letters
            glyphs.append(part.glyphs[0])
            places.append(QPointF(left + part.x[0], baseline + part.y[0]))
            return
        glyphs.extend(part.glyphs)
        for x, y in zip(part.x, part.y, strict=True):
            places.append(QPointF(left + x, baseline + y))

    def _add_spaces(self, shaped: ShapedText, left: float, baseline: float, colour: str) -> None:
        size = shaped.size
        path = self._spaces[colour, SPACE_STROKE * size]
        half, middle = 0.5 * SPACE_WIDTH * SPACE_CELL * size, 0.5 * SPACE_CELL * size
        bottom = baseline - 0.5 * SPACE_STROKE * size
        for x in shaped.spaces:
            centre = left + x + middle
            path.moveTo(centre - half, bottom - SPACE_HEIGHT * size)
            path.lineTo(centre - half, bottom)
            path.lineTo(centre + half, bottom)
            path.lineTo(centre + half, bottom - SPACE_HEIGHT * size)

    def _add_boxes(self, shaped: ShapedText, left: float, baseline: float, colour: str) -> None:
        size = shaped.size
        for box in shaped.boxes:
            rect = QRectF(left + box.x + 1.0, baseline - 0.78 * size, box.width - 2.0, 0.95 * size)
            self._boxes[colour].addRoundedRect(rect, 0.2 * size, 0.2 * size)
            name_left = left + box.x + 0.5 * (box.width - box.name.width)
            self._add_glyphs(box.name, name_left, baseline - 0.08 * size, colour)


def _open_box_pen(colour: str, stroke: float) -> QPen:
    pen = QPen(QColor(colour), stroke)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    return pen


def _glyph_run(font: QRawFont, glyphs: list[int], places: list[QPointF]) -> QGlyphRun:
    run = QGlyphRun()
    run.setRawFont(font)
    run.setGlyphIndexes(glyphs)
    run.setPositions(places)
    return run


def _draw_outlines(painter: QPainter, font: QRawFont, glyphs: list[int], places: list[QPointF], colour: str) -> None:
    # Asking a font of coloured bitmaps for outlines spoils it: Qt then draws nothing with it any more.
    if has_colours(font):
        for glyph, place in zip(glyphs, places, strict=True):
            _draw_image(painter, font, glyph, place)
        return
    for first in range(0, len(glyphs), GLYPHS_OF_A_PATH):
        part = slice(first, first + GLYPHS_OF_A_PATH)
        path = QPainterPath()
        path.setFillRule(Qt.FillRule.WindingFill)
        for glyph, place in zip(glyphs[part], places[part], strict=True):
            path.addPath(font.pathForGlyph(glyph).translated(place))
        painter.fillPath(path, QColor(colour))


def _draw_image(painter: QPainter, font: QRawFont, glyph: int, place: QPointF) -> None:
    """Embed a glyph that has colours but no outline, at a resolution that bears enlarging."""
    box = font.boundingRect(glyph).adjusted(-1.0, -1.0, 1.0, 1.0)
    image = QImage((box.size() * EMOJI_SCALE).toSize(), QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    with QPainter(image) as inner:
        inner.scale(EMOJI_SCALE, EMOJI_SCALE)
        inner.drawGlyphRun(QPointF(), _glyph_run(font, [glyph], [-box.topLeft()]))
    painter.drawImage(box.translated(place), image)
