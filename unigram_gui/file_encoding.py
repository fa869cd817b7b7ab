"""A file encoded from the window: which one, where to, how far it is, and how to stop it. The session does the work."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QProgressBar, QProgressDialog

from engine.encoded_files import FORMATS
from unigram_gui import dialogs
from unigram_gui.number_text import counted
from unigram_gui.tasks.requests import EncodedFile

if TYPE_CHECKING:
    from unigram_gui.main_window import MainWindow

STEPS = 1000
WIDTH = 420  # pixels: a window manager cuts its title off where there is no more room
PATIENCE = 400  # milliseconds before a window asks for attention


def format_of(output: Path) -> str:
    """Return the format that a name asks for: its suffix is that of the format, any other means IDs.

    >>> format_of(Path("a.npz")), format_of(Path("a.txt"))
    ('npz', 'ids')
    """
    suffix = output.suffix.lower().removeprefix(".")
    return suffix if suffix in FORMATS else "ids"


class FileEncoding(QObject):
    """Asks for both files, shows the progress, offers to stop."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window, self._session = window, window.session
        self.progress: QProgressDialog | None = None
        self._label = ""
        self._session.file_encoding_progressed.connect(self._show_progress)
        self._session.file_encoding_ended.connect(self._close)
        self._session.file_encoded.connect(self._show_result)

    def ask(self) -> None:
        """Ask for a file of texts and for where its IDs go, and begin."""
        if self.progress is not None:  # one at a time
            self.progress.activateWindow()
            return
        settings = self._window.settings
        source = dialogs.ask_texts(self._window, settings.folder)
        if not source:
            return
        suggested = str(Path(source).with_suffix(".ids"))
        output = dialogs.ask_save(self._window, "Write the encoded file", suggested, dialogs.ENCODED_FILES, ".ids")
        if output:
            settings.folder = str(Path(output).parent)
            self._begin(Path(source), Path(output))

    def _begin(self, source: Path, output: Path) -> None:
        self._label = f"Encoding {source.name}"
        self.progress = QProgressDialog(self._label, "Stop", 0, STEPS, self._window)
        bar = QProgressBar(self.progress)
        bar.setTextVisible(False)  # too flat for it: the label says how far it is
        self.progress.setBar(bar)
        self.progress.setRange(0, STEPS)
        self.progress.setWindowTitle("Encode a file")
        self.progress.setMinimumWidth(WIDTH)
        self.progress.setMinimumDuration(PATIENCE)
        self.progress.setAutoClose(False)
        self.progress.setAutoReset(False)
        self.progress.canceled.connect(self._session.stop_encoding)
        self.progress.setValue(0)
        self._session.encode_file(source, format_of(output), output)

    @Slot(object)
    def _show_result(self, encoded: EncodedFile) -> None:
        """Say what was written until somebody has read it: whoever began with a large file is elsewhere by now."""
        counts = f"{counted(encoded.n_texts, 'text')}, {counted(encoded.n_tokens, 'token')}"
        self._window.strip.set_message(f"Wrote {encoded.path}: {counts}.")

    @Slot(float)
    def _show_progress(self, fraction: float) -> None:
        if self.progress is not None and not self.progress.wasCanceled():
            self.progress.setLabelText(f"{self._label}: {fraction:.0%}")
            self.progress.setValue(round(STEPS * fraction))

    @Slot()
    def _close(self) -> None:
        if self.progress is not None:
            self.progress.hide()
            self.progress.deleteLater()
            self.progress = None
