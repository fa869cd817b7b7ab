"""Pictures of what the window shows: PNG, SVG, clipboard.

In: a widget, or a figure that paints itself. Out: a file that appears whole or not at all, or the clipboard's
content. A widget that has a `figure()` (the lattice) is drawn as that figure: all of it, with header and legend, not
the part that happens to be scrolled into view.

`OSError` is raised where a file cannot be written.
"""

from __future__ import annotations

import contextlib
import math
import os
import tempfile
from pathlib import Path
from typing import Protocol, runtime_checkable

from PySide6.QtCore import QBuffer, QCoreApplication, QEvent, QIODevice, QMimeData, QPoint, QRect, QSize
from PySide6.QtGui import QColor, QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from engine.errors import EngineError

SVG_DOTS_PER_INCH = 96  # so that a logical pixel is a pixel of the SVG
LARGEST_SIDE = 32_000  # pixels; larger images cannot be painted
LARGEST_AREA = 1e8  # pixels, four bytes each
LEAST_SCALE = 0.5  # below it nobody can read what is written


class ExportError(EngineError):
    """A picture cannot be made; the message says why, without a full stop."""


@runtime_checkable
class Figure(Protocol):
    """Something of a fixed size that paints itself."""

    width: float
    height: float

    @property
    def background(self) -> str: ...

    @property
    def title(self) -> str: ...

    def paint(self, painter: QPainter) -> None: ...


class WidgetFigure:
    """A widget as it stands in the window."""

    def __init__(self, widget: QWidget) -> None:
        _show_scroll_bars(widget)
        self._widget = widget
        self.width, self.height = float(widget.width()), float(widget.height())

    @property
    def background(self) -> str:
        return self._widget.palette().window().color().name()

    @property
    def title(self) -> str:
        return self._widget.accessibleName() or self._widget.windowTitle()

    def paint(self, painter: QPainter) -> None:
        self._widget.render(painter, QPoint())


def _show_scroll_bars(widget: QWidget) -> None:
    """Let scroll bars appear that a change a moment ago made necessary: Qt leaves that to the event loop."""
    for area in widget.findChildren(QAbstractScrollArea):
        QCoreApplication.sendPostedEvents(area, QEvent.Type.MetaCall.value)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)


def figure_of(widget: QWidget) -> Figure:
    """The figure of a widget: its own, or the widget as it stands."""
    make = getattr(widget, "figure", None)
    figure = make() if callable(make) else None
    return figure if isinstance(figure, Figure) else WidgetFigure(widget)


def save_widget_png(widget: QWidget, path: str | Path, scale: float = 2.0) -> float:
    """Write the picture of a widget as PNG; return the scale it has."""
    return save_png(figure_of(widget), path, scale)


def save_widget_svg(widget: QWidget, path: str | Path) -> None:
    """Write the picture of a widget as SVG."""
    save_svg(figure_of(widget), path)


def save_png(figure: Figure, path: str | Path, scale: float = 2.0) -> float:
    """Write a figure as PNG with `scale` pixels for a logical pixel, or the most there is room for; return how many."""
    write_atomically(Path(path), png_bytes(figure, scale))
    return fitting_scale(figure, scale)


def save_svg(figure: Figure, path: str | Path) -> None:
    """Write a figure as SVG. Its text is outlines, so no font is needed to look at it."""
    write_atomically(Path(path), svg_bytes(figure))


def copy_to_clipboard(what: QWidget | Figure, scale: float = 2.0) -> None:
    """Offer a picture to other programs, as an image where it is not too large, and as SVG."""
    figure = figure_of(what) if isinstance(what, QWidget) else what
    content = QMimeData()
    with contextlib.suppress(ExportError):
        content.setImageData(image_of(figure, scale))
    content.setData("image/svg+xml", svg_bytes(figure))
    QGuiApplication.clipboard().setMimeData(content)


def image_of(figure: Figure, scale: float = 2.0) -> QImage:
    """A figure as an image; a very long one at a smaller scale. Raises ExportError where that could not be read."""
    scale = fitting_scale(figure, scale)
    size = QSize(max(1, round(figure.width * scale)), max(1, round(figure.height * scale)))
    image = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(scale)
    image.fill(QColor(figure.background))
    with QPainter(image) as painter:  # ends it after an exception too
        figure.paint(painter)
    return image


def fitting_scale(figure: Figure, scale: float) -> float:
    """How many pixels a logical pixel can have, at most `scale`. Raises ExportError below what can be read."""
    width, height = max(figure.width, 1.0), max(figure.height, 1.0)
    fitting = min(scale, LARGEST_SIDE / max(width, height), math.sqrt(LARGEST_AREA / (width * height)))
    if fitting < min(scale, LEAST_SCALE):
        raise ExportError(
            f"it is {width:,.0f} × {height:,.0f} pixels, and an image of at most {LARGEST_SIDE:,} a side could not be "
            "read; save it as SVG, or wrap the text or zoom out first"
        )
    return fitting


def png_bytes(figure: Figure, scale: float = 2.0) -> bytes:
    """The content of a PNG file."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if not image_of(figure, scale).save(buffer, "PNG"):  # type: ignore[call-overload]
        raise OSError("the picture is too large to be encoded as PNG")
    return bytes(buffer.data().data())


def svg_bytes(figure: Figure) -> bytes:
    """The content of an SVG file."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(SVG_DOTS_PER_INCH)
    size = QSize(round(figure.width), round(figure.height))
    generator.setSize(size)
    generator.setViewBox(QRect(0, 0, size.width(), size.height()))
    generator.setTitle(figure.title)
    with QPainter(generator) as painter:
        painter.fillRect(QRect(0, 0, size.width(), size.height()), QColor(figure.background))
        figure.paint(painter)
    return bytes(buffer.data().data())


def write_atomically(path: Path, data: bytes) -> None:
    """Write beside the file, then move over it: who reads it sees the old content or the new one."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).chmod(0o666 & ~_umask())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
