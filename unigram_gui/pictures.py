"""Pictures of the window and of each view: to a file, PNG or SVG by its suffix, or to the clipboard."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from engine.errors import EngineError
from unigram_gui import dialogs
from unigram_gui.command_line import PICTURES
from unigram_gui.export import figures

if TYPE_CHECKING:
    from unigram_gui.main_window import MainWindow

SHOWN_MILLISECONDS, NOTICE_MILLISECONDS = 3000, 8000
SCALE = 2.0  # pixels of a PNG for each on screen


class Pictures:
    """Makes pictures of what a window shows, each by name."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._subjects: dict[str, tuple[str, QWidget]] = {
            "window": ("&Window", window),
            "lattice": ("&Lattice", window.lattice),
            "segmentation": ("&Segmentation", window.segmentation),
            "questions": ("&Questions", window.questions),
            "objective": ("L&oss by update", window.objective),
            "pruning": ("&Pruning losses", window.pruning),
            "vocabulary": ("&Vocabulary", window.vocabulary),
            "corpus": ("&Corpus", window.corpus),
            "decode": ("&Decode", window.decode),
        }

    def titles(self) -> dict[str, str]:
        """Return what can be made a picture of: a name and a title for the menu."""
        return {name: title for name, (title, _) in self._subjects.items()}

    def ask_save(self, name: str) -> None:
        """Ask where to write a picture."""
        suggested = str(Path(self._window.settings.folder, f"{name}.png"))
        if path := dialogs.ask_save(self._window, "Export picture", suggested, dialogs.PICTURES, ".png"):
            self._window.settings.folder = str(Path(path).parent)
            self.save(name, Path(path))

    def save(self, name: str, path: Path) -> None:
        """Write a picture; one sentence in the window says why where it cannot be written."""
        if path.suffix.lower() not in PICTURES:
            self._fail(path, "end its name in .png or .svg")
            return
        if not path.parent.is_dir():
            self._fail(path, f"there is no folder {path.parent}")
            return
        try:
            self._write(self._subjects[name][1], path)
            self._window.statusBar().showMessage(f"Saved {path}", NOTICE_MILLISECONDS)
        except OSError as error:
            self._fail(path, error.strerror or str(error))
        except EngineError as error:
            self._fail(path, str(error).removesuffix("."))

    def _write(self, subject: QWidget, path: Path) -> None:
        if path.suffix.lower() == ".svg":
            figures.save_widget_svg(subject, path)
            return
        scale = figures.save_widget_png(subject, path, SCALE)
        if scale < SCALE:
            self._window.session.remarked.emit(
                f"{path.name} has {scale:.1f} pixels for each on screen instead of {SCALE:g}, because an image holds "
                f"at most {figures.LARGEST_SIDE:,} a side; an SVG has no such limit."
            )

    def _fail(self, path: Path, why: str) -> None:
        self._window.session.failed.emit(f"The picture {path} cannot be written: {why}.")

    def copy(self, name: str) -> None:
        """Put a picture on the clipboard."""
        figures.copy_to_clipboard(self._subjects[name][1])
        self._window.statusBar().showMessage("Copied", SHOWN_MILLISECONDS)
