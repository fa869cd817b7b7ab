"""Over the bricks: the ruler, the text line, composed forms; and the dotted lines that carry the best cuts down.

In: what is in sight. Out: painting.
"""

from __future__ import annotations

import math
from bisect import bisect_right

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPen

from unigram_gui.characters import Composed
from unigram_gui.theme import MEDIUM, FontSpec, mix
from unigram_gui.views.lattice.brick_layout import BRACKETS_HEIGHT, place_in_lines, ruler_step
from unigram_gui.views.lattice.brick_parts import Sight, letter_spec
from unigram_gui.views.lattice.looks import wall_pen

RULER_NUMBER = FontSpec("sans", 10.0)
NOTE = FontSpec("sans", 10.0)
NOTE_BOLD = FontSpec("sans", 10.0, MEDIUM)
LARGEST_FORM, SMALLEST_FORM = 20.0, 10.0  # shaped as a whole, unlike the columns
BRACKET_Y, FORM_Y, NOTE_Y = BRACKETS_HEIGHT - 8.0, BRACKETS_HEIGHT - 17.0, BRACKETS_HEIGHT - 39.0


def paint_ruler(sight: Sight) -> None:
    """The axis with its ticks, and a number every ten or fifty characters."""
    axis, step = sight.layout.axis_y, ruler_step(sight.layout.detail)
    first, last = sight.columns
    places = sight.layout.column_x[first : last + 1].tolist()  # plain numbers: several times as fast as NumPy's
    lines = [QLineF(places[0], axis, places[-1], axis)]
    for i, x in enumerate(places, first):
        if i % step == 0:
            sight.ink.put(x, axis - 9.5, str(i), RULER_NUMBER, sight.palette.ink2)
        if i % step == 0 or step == 10:
            lines.append(QLineF(x, axis - _tick_height(i), x, axis))
    sight.painter.setPen(QPen(QColor(sight.palette.faint), 1.0))
    sight.painter.drawLines(lines)


def paint_span(sight: Sight, span: tuple[int, int]) -> None:
    """The selected stretch of the text: a tinted ground with a frame under its letters."""
    if not sight.touches(*span):
        return
    layout, palette = sight.layout, sight.palette
    left, right = float(layout.column_x[span[0]]), float(layout.column_x[span[1]])
    sight.painter.setPen(QPen(QColor(palette.picked), 1.4, Qt.PenStyle.DashLine))
    sight.painter.setBrush(QColor(palette.picked_tint))
    height = layout.best_y - layout.axis_y - 5.0
    sight.painter.drawRoundedRect(QRectF(left, layout.axis_y + 3.0, right - left, height), 4.0, 4.0)


def write_text_line(sight: Sight) -> None:
    """The text, a character a column."""
    layout, palette, put = sight.layout, sight.palette, sight.ink.put
    first, last = sight.columns
    x = layout.column_x[first : last + 1].tolist()
    for cell, left, right in zip(sight.content.cells[first:last], x, x[1:], strict=False):
        spec = letter_spec(cell, layout.letter_size, MEDIUM)
        put(0.5 * (left + right), layout.text_y, cell, spec, palette.ink, quiet=palette.ink3)


def paint_cuts(sight: Sight, top: float) -> None:
    """Dotted lines from `top` through all lanes at the cuts of the best path."""
    x, bottom = sight.layout.column_x, sight.layout.height - 3.0
    pen = QPen(QColor(mix(sight.palette.paper, sight.palette.faint, 0.7)), 1.0)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    pen.setDashPattern([1.0, 2.5])
    sight.painter.setPen(pen)
    ends = sight.seen.best.ends
    first, last = bisect_right(ends, sight.columns[0]), min(bisect_right(ends, sight.columns[1]), len(ends) - 1)
    path, joins = sight.seen.best, sight.content.joins
    # Where one unknown token goes on there is no cut.
    inner = [path.ends[i] for i in range(first, last) if not joins[path.edges[i]] & 2]
    sight.painter.drawLines([QLineF(at, top, at, bottom) for at in x[inner].tolist()])


def paint_walls(sight: Sight) -> None:
    """Quiet lines where the text is cut before any piece is looked for, but for the numbers: none is struck through."""
    walls, layout = sight.seen.lattice.walls, sight.layout
    inside = walls[(walls >= sight.columns[0]) & (walls <= sight.columns[1])]
    heights = (layout.axis_y, layout.best_y + layout.sizes.best), (layout.lanes_y - 2.0, layout.height - 3.0)
    sight.painter.setPen(wall_pen(sight.palette))
    for x in layout.column_x[inside].tolist():
        sight.painter.drawLines([QLineF(x, top, x, bottom) for top, bottom in heights if bottom > top])


def paint_forms(sight: Sight) -> None:
    """Brackets that carry the written form of what takes several code points."""
    forms, x = sight.content.forms, sight.layout.column_x
    notes = [sight.ink.width(form.note, note_spec(form)) for form in forms]
    middles = [_inside(sight.middle(form.start, form.end), w, sight.ends) for form, w in zip(forms, notes, strict=True)]
    note_lines = place_in_lines(middles, notes, 1, 8.0)
    for form, middle, line in zip(forms, middles, note_lines, strict=True):
        if not sight.touches(form.start, form.end):
            continue
        colour = sight.palette.picked if form.right_to_left else sight.palette.ink3
        _paint_bracket(sight, form.start, form.end, colour)
        spec = _form_spec(sight, form.text, float(x[form.end] - x[form.start]))
        sight.ink.put(sight.middle(form.start, form.end), FORM_Y, form.text, spec, sight.palette.ink)
        if line == 0:
            sight.ink.put(middle, NOTE_Y, form.note, note_spec(form), colour)


def note_spec(form: Composed) -> FontSpec:
    """The font of what is said about a form."""
    return NOTE_BOLD if form.right_to_left else NOTE


def _form_spec(sight: Sight, text: str, room: float) -> FontSpec:
    """A form is as large as its bracket lets it be: each is drawn, however narrow the columns are."""
    width = sight.ink.width(text, FontSpec("sans", LARGEST_FORM))
    size = LARGEST_FORM if width <= room else max(SMALLEST_FORM, math.floor(LARGEST_FORM * room / width))
    return FontSpec("sans", size)


def _inside(middle: float, width: float, ends: tuple[float, float]) -> float:
    """The middle of a text, moved so that all of it lies between two ends."""
    return max(ends[0] + 0.5 * width, min(middle, ends[1] - 0.5 * width))


def _tick_height(position: int) -> float:
    return 6.0 if position % 10 == 0 else 4.0 if position % 5 == 0 else 2.5


def _paint_bracket(sight: Sight, start: int, end: int, colour: str) -> None:
    left, right = float(sight.layout.column_x[start]) + 1.0, float(sight.layout.column_x[end]) - 1.0
    corners = ((left, 6.0), (left, 0.0), (right, 0.0), (right, 6.0))
    sight.painter.setPen(QPen(QColor(colour), 1.3))
    sight.painter.drawPolyline([QPointF(x, BRACKET_Y + y) for x, y in corners])
