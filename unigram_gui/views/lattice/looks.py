"""From a posterior to how an edge looks: width, tone, fill, ink.

In: posteriors and a palette. Out: numbers and colours. The scale is made for probabilities that differ by powers of
ten: full strength at 100 %, none at 0.01 % and less.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainterPath, QPen

from unigram_gui.theme import Palette, mix

Floats = NDArray[np.float64]

LEVELS = 24  # tones that drawings tell apart: enough that no step shows, few enough to paint each in one call
THINNEST_ARC = 1.25
ARC_WIDTH = 16.0  # of a posterior of 1
WALL_WIDTH = 1.5


def strength(posterior: Floats) -> Floats:
    """1 at 100 %, 0 at 0.01 % and less, linear in the logarithm between.

    >>> strength(np.array([1.0, 0.01, 0.0])).tolist()
    [1.0, 0.5, 0.0]
    """
    with np.errstate(divide="ignore"):
        return np.clip(1.0 + np.log10(posterior) / 4.0, 0.0, 1.0)


def arc_width(posterior: Floats) -> Floats:
    """Linear in probability above a floor, so that an arc of 40 % is twice as wide as one of 20 %."""
    return np.maximum(THINNEST_ARC, ARC_WIDTH * posterior)


def levels(posterior: Floats) -> NDArray[np.int32]:
    """The strength as one of `LEVELS` whole numbers."""
    return np.rint(strength(posterior) * (LEVELS - 1)).astype(np.int32)


def arc_tone(palette: Palette, s: float) -> str:
    """The colour of an arc: even the faintest stands out from the paper."""
    return mix(palette.paper, palette.edge, 0.40 + 0.52 * s)


def brick_fill(palette: Palette, s: float) -> str:
    """The ground of a brick, light enough for its letters."""
    return mix(palette.paper, palette.edge, (0.44 if palette.dark else 0.62) * s**1.5)


def brick_border(palette: Palette, s: float) -> str:
    """The outline of a brick: what is left of one that has no fill."""
    return mix(palette.paper, palette.edge, 0.22 + 0.30 * s)


def label_ink(palette: Palette, s: float) -> str:
    """The colour of a label: the faintest keeps a contrast of 4.5 to 1."""
    return mix(palette.ink3, palette.ink, s)


def wall_pen(palette: Palette) -> QPen:
    """The line of a wall: a boundary that no piece crosses."""
    pen = QPen(QColor(mix(palette.paper, palette.continuation, 0.6)), WALL_WIDTH)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    return pen


def unknown_pen(colour: str, width: float = 1.4) -> QPen:
    """The outline of what is not in the vocabulary: dashed."""
    pen = QPen(QColor(colour), width)
    pen.setDashPattern([3.0 / width, 2.5 / width])
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    return pen


def run_outline(rect: QRectF, radius: float, opens_left: bool, opens_right: bool, *, closed: bool) -> QPainterPath:
    """A rounded brick that its neighbours go on from at its open sides; `closed` to be filled."""
    path, left, top, right, bottom = QPainterPath(), rect.left(), rect.top(), rect.right(), rect.bottom()
    if opens_left:
        path.moveTo(left, top)
    else:
        path.moveTo(left + radius, bottom)
        path.quadTo(left, bottom, left, bottom - radius)
        path.lineTo(left, top + radius)
        path.quadTo(left, top, left + radius, top)
    if opens_right:
        path.lineTo(right, top)
        (path.lineTo if closed else path.moveTo)(right, bottom)
    else:
        path.lineTo(right - radius, top)
        path.quadTo(right, top, right, top + radius)
        path.lineTo(right, bottom - radius)
        path.quadTo(right, bottom, right - radius, bottom)
    path.lineTo(left if opens_left else left + radius, bottom)
    return path


@functools.cache
def brick_colours(palette: Palette, level: int) -> tuple[str, str, str]:
    """Fill, border and ink of a brick of this level."""
    s = level / (LEVELS - 1)
    return brick_fill(palette, s), brick_border(palette, s), label_ink(palette, s)
