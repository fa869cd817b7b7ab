"""The window's only reader of `resources/`: icons, sample corpora and the bundled font.

In: names. Out: Qt objects and paths. Resources are read through `importlib.resources`, so that they are found in an
installed wheel as well as in a checkout.
"""

from __future__ import annotations

from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from PySide6.QtGui import QFontDatabase, QIcon, QPixmap

from unigram_gui import theme


def resource(*names: str) -> Traversable:
    """A file or folder inside `resources/`."""
    found = resources.files("resources")
    for name in names:
        found = found / name
    return found


def icon(name: str = "unigram-gui") -> QIcon:
    """The icon `resources/icons/NAME.svg` (or `resources/NAME.svg`); an empty icon when there is none."""
    for place in (resource("icons", f"{name}.svg"), resource(f"{name}.svg")):
        if place.is_file():
            pixmap = QPixmap()
            pixmap.loadFromData(place.read_bytes())
            return QIcon(pixmap)
    return QIcon()


def icon_path(name: str) -> Path:
    """The path of `resources/icons/NAME.svg`, for a style sheet."""
    return Path(str(resource("icons", f"{name}.svg")))


def sample_names() -> tuple[str, ...]:
    """Names of the bundled sample corpora, in alphabetical order."""
    folder = resource("samples")
    if not folder.is_dir():
        return ()
    return tuple(sorted(Path(file.name).stem for file in folder.iterdir() if file.name.endswith((".txt", ".tsv"))))


def sample_path(name: str) -> Path:
    """The path of a sample corpus by its name ("abc", "prose"). Raises KeyError, naming those there are."""
    for suffix in (".txt", ".tsv"):
        file = resource("samples", name + suffix)
        if file.is_file():
            return Path(str(file))
    raise KeyError(f"there is no sample {name!r}; there are {', '.join(sample_names())}")


def load_fonts() -> None:
    """Add the bundled fonts that the system lacks, so that text is drawn even where no font is installed."""
    folder = resource("fonts")
    if not folder.is_dir() or theme.has_preferred_fonts():
        return
    for file in folder.iterdir():
        if file.name.endswith(".ttf"):
            QFontDatabase.addApplicationFontFromData(file.read_bytes())
    theme.forget_families()
