"""Text to glyphs, once for each string and font.

In: a string and a font. Out: a `ShapedText`: glyphs of one or several fonts with their places, the open boxes of
space markers and the dashed boxes of characters that hide. Shaping takes Qt some ten microseconds a string; a
lattice repeats the same letters thousands of times, so results are kept and painted in bulk (see `ink.py`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtGui import QFont, QPainter, QRawFont, QTextLayout, QTextOption

from unigram_gui.characters import Kind, short_name, split_kinds
from unigram_gui.stamps import Stamps, ratio_of
from unigram_gui.theme import SEMI_BOLD, FontSpec, Theme

SPACE_CELL = 0.6  # em; the advance of a space marker, that of a letter in a monospaced font
BOX_NAME = 0.62  # size of the name in a dashed box, in sizes of the text around it
BOX_PADDING = 0.22  # em on each side of the name
COLOUR_TABLES = ("CBDT", "COLR", "sbix", "SVG ")
_KEPT = 50_000  # strings; beyond it all are forgotten, which only costs time


@dataclass(frozen=True, eq=False)
class GlyphPart:
    """Glyphs of one font. `x` and `y` are relative to the start of the text on its baseline."""

    font_key: int
    glyphs: tuple[int, ...]
    x: tuple[float, ...]
    y: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class NameBox:
    """The dashed box of a character that hides."""

    x: float
    width: float
    name: ShapedText


@dataclass(frozen=True, eq=False)
class ShapedText:
    """A string as glyphs and boxes; `width` is its advance, `size` that of its font."""

    width: float
    size: float
    parts: tuple[GlyphPart, ...]
    spaces: tuple[float, ...]
    boxes: tuple[NameBox, ...]


class Shaper:
    """Shapes and remembers. One a theme object's life; it belongs to the Qt thread."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._texts: dict[tuple[str, FontSpec], ShapedText] = {}
        self._font_keys: dict[tuple[str, str, int, float], int] = {}
        self.raw_fonts: list[QRawFont] = []
        self._stamps: dict[float, Stamps] = {}

    def stamps_for(self, painter: QPainter) -> Stamps | None:
        """The pictures that a painter can put down; None where everything has to be painted anew."""
        ratio = ratio_of(painter)
        return None if ratio is None else self._stamps.setdefault(ratio, Stamps(ratio))

    def shape(self, text: str, spec: FontSpec) -> ShapedText:
        key = (text, spec)
        shaped = self._texts.get(key)
        if shaped is None:
            if len(self._texts) >= _KEPT:
                self._texts.clear()
            shaped = self._texts[key] = self._shape(text, spec)
        return shaped

    def width(self, text: str, spec: FontSpec) -> float:
        return self.shape(text, spec).width

    def _shape(self, text: str, spec: FontSpec) -> ShapedText:
        x = 0.0
        parts: list[GlyphPart] = []
        spaces: list[float] = []
        boxes: list[NameBox] = []
        for kind, stretch in split_kinds(text) if spec.family == "mono" else ((Kind.LETTER, text),):
            if kind == Kind.SPACE:
                spaces.append(x)
                x += SPACE_CELL * spec.size
            elif kind == Kind.HIDDEN:
                boxes.append(self._name_box(stretch, x, spec))
                x += boxes[-1].width
            else:
                stretch_parts, width = self._glyphs(stretch, x, spec)
                parts += stretch_parts
                x += width
        return ShapedText(x, spec.size, tuple(parts), tuple(spaces), tuple(boxes))

    def _name_box(self, character: str, x: float, spec: FontSpec) -> NameBox:
        name = self.shape(short_name(character), FontSpec("sans", BOX_NAME * spec.size, SEMI_BOLD))
        return NameBox(x, name.width + 2.0 * BOX_PADDING * spec.size, name)

    def _glyphs(self, text: str, x: float, spec: FontSpec) -> tuple[list[GlyphPart], float]:
        layout = _layout(text, self._theme.font(spec))
        line = layout.lineAt(0)
        baseline = line.y() + line.ascent()
        parts = []
        # Qt shapes at whole pixel sizes; outlines without hints can be scaled to the size that was asked for.
        ratio = spec.size / math.floor(spec.size + 0.5)
        for run in layout.glyphRuns():
            places = run.positions()
            xs = tuple(x + ratio * place.x() for place in places)
            ys = tuple(ratio * (place.y() - baseline) for place in places)
            parts.append(GlyphPart(self._font_key(run.rawFont(), spec.size), tuple(run.glyphIndexes()), xs, ys))
        return parts, ratio * line.naturalTextWidth()

    def _font_key(self, raw_font: QRawFont, size: float) -> int:
        key = (_family(raw_font), raw_font.styleName(), raw_font.weight(), size)
        number = self._font_keys.get(key)
        if number is None:
            number = self._font_keys[key] = len(self.raw_fonts)
            self.raw_fonts.append(raw_font if has_colours(raw_font) else _resized(raw_font, size))
        return number


def _family(raw_font: QRawFont) -> str:
    """The family of a font; that of Qt's empty boxes has none, and Qt crashes when asked for it."""
    return "" if raw_font.fontTable("head").isEmpty() else raw_font.familyName()


def has_colours(raw_font: QRawFont) -> bool:
    """Whether the font is one of coloured pictures, without outlines and with sizes of its own."""
    return any(not raw_font.fontTable(table).isEmpty() for table in COLOUR_TABLES)


def _resized(raw_font: QRawFont, size: float) -> QRawFont:
    font = QRawFont(raw_font)
    font.setPixelSize(size)
    return font


def _layout(text: str, font: QFont) -> QTextLayout:
    layout = QTextLayout(text, font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.NoWrap)
    layout.setTextOption(option)
    layout.beginLayout()
    layout.createLine().setLineWidth(1e7)
    layout.endLayout()
    return layout
