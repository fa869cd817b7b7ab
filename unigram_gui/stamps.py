"""Small pictures that are drawn once and put down again: bricks and chips with the letters in them.

In: what a picture shows as a key, its place, and a way to paint it. Out: the picture. A text that is typed keeps nearly
all of its bricks from key to key; putting down a picture takes a tenth of the time of painting its outline and its
letters. What is enlarged, exported or listed as labels is painted anew, since a picture has the pixels of one size.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPaintEngine, QPainter, QPixmap

Key = tuple[Hashable, ...]  # a kind, and all that tells its pictures apart

_KEPT = 10_000  # pictures; beyond it all are forgotten, which only costs time


class Stamps:
    """The pictures of one theme for one ratio of pixels to coordinates. They belong to the Qt thread."""

    def __init__(self, ratio: float) -> None:
        self._ratio = ratio
        self._pictures: dict[Key, QPixmap] = {}
        self.find = self._pictures.get

    def count(self, kind: str) -> int:
        """How many pictures of a kind are kept."""
        return sum(key[0] == kind for key in self._pictures)

    def make(self, key: Key, rect: QRectF, paint: Callable[[QPainter], None]) -> QPixmap:
        """Make the picture of what `paint` draws in `rect`, and keep it under `key`."""
        if len(self._pictures) >= _KEPT:
            self._pictures.clear()
        width, height = math.ceil(rect.width() * self._ratio), math.ceil(rect.height() * self._ratio)
        picture = QPixmap(max(1, width), max(1, height))
        picture.setDevicePixelRatio(self._ratio)
        picture.fill(Qt.GlobalColor.transparent)
        with QPainter(picture) as painter:  # ends it after an exception too
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.translate(-rect.left(), -rect.top())
            paint(painter)
        self._pictures[key] = picture
        return picture


def ratio_of(painter: QPainter) -> float | None:
    """The pixels of a coordinate where a painter draws pixels and only moves what it draws, else None."""
    transform = painter.transform()
    if transform.isScaling() or transform.isRotating() or painter.paintEngine().type() != QPaintEngine.Type.Raster:
        return None
    return painter.device().devicePixelRatioF()
