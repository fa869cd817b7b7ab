"""Opening and saving, as a person asks for it: samples, dialogs, dropped files. The session does the work."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes

from PySide6.QtCore import QMimeData, QUrl

from unigram_gui import assets, dialogs

if TYPE_CHECKING:
    from unigram_gui.main_window import MainWindow


def _local_path(url: QUrl) -> str:
    r"""Return the file of a URL byte by byte: Qt leaves escapes that are no UTF-8 as they are.

    >>> _local_path(QUrl("file:///tmp/sample%F0.model"))
    '/tmp/sample\udcf0.model'
    """
    if os.name != "posix":
        return url.toLocalFile()
    return os.fsdecode(unquote_to_bytes(url.path(QUrl.ComponentFormattingOption.FullyEncoded)))


class Documents:
    """Turns a person's choices of files into wishes to the session."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._session = window.session
        self._settings = window.settings

    def open_sample(self, name: str) -> None:
        """Open a bundled corpus."""
        try:
            self._session.open_files([assets.sample_path(name)])
        except KeyError as error:
            sentence = str(error.args[0])
            self._session.failed.emit(f"{sentence[:1].upper()}{sentence[1:]}.")

    def open_dropped(self, data: QMimeData) -> bool:
        """Open the files among what was dropped; tell whether there were any. Nothing is ever downloaded."""
        paths = [_local_path(url) for url in data.urls() if url.isLocalFile()]
        if paths:
            self._session.open_files(paths)
        elif data.urls():
            where = data.urls()[0].toDisplayString()
            self._session.failed.emit(f"{where} is no file of this computer; save it there first, then open it.")
        return bool(paths)

    def ask_corpora(self) -> None:
        """Ask for corpora and open them as one."""
        if paths := dialogs.ask_corpora(self._window, self._settings.folder):
            self._settings.folder = str(Path(paths[0]).parent)
            self._session.open_files(paths)

    def ask_vocabulary(self) -> None:
        """Ask for a vocabulary and open it."""
        if path := dialogs.ask_vocabulary(self._window, self._settings.folder):
            self._settings.folder = str(Path(path).parent)
            self._session.open_model(path)

    def name_unknown_piece(self) -> None:
        """Repair a tokenizer.json that names no unknown piece, and say what that changes."""
        self._session.inquiry.name_unknown_piece()
        model = self._session.model
        if model is not None and not model.lacks_unknown_piece:
            unknown = model.pieces.unknown_id
            named = f"Unknown characters become {model.pieces.texts[unknown]}, ID {unknown}: save the vocabulary."
            self._session.remarked.emit(" ".join((named, *model.warnings)))

    def save_model(self) -> None:
        """Save the vocabulary as it is on show: edits that are tried out are kept with it."""
        if self._session.inquiry.edited_model is None:
            self.ask_save_model()
        else:
            self._session.before_keeping(self.ask_save_model)

    def ask_save_model(self, *, with_edits: bool = True) -> bool:
        """Ask where to save the vocabulary; tell whether it is to be saved."""
        return self._ask_save("Save vocabulary", dialogs.MODEL_FILES, ".model", with_edits=with_edits)

    def ask_save_tsv(self) -> None:
        """Ask where to write the vocabulary as a table."""
        self._ask_save("Export vocabulary", dialogs.TSV_FILES, ".tsv")

    def _ask_save(self, title: str, kinds: str, suffix: str, *, with_edits: bool = True) -> bool:
        suggested = str(Path(self._settings.folder, self._name_of_vocabulary() + suffix))
        path, kind = dialogs.ask_save_as(self._window, title, suggested, kinds, suffix)
        if path:
            self._settings.folder = str(Path(path).parent)
            self._session.save_model(path, spreadsheet_safe=dialogs.SAFE in kind, with_edits=with_edits)
        return bool(path)

    def _name_of_vocabulary(self) -> str:
        """Return what to call the vocabulary: as its file, or as the corpus it was trained on."""
        session = self._session
        if session.model_path is not None:
            return session.model_path.stem
        history, corpus = session.history, session.corpus
        name = history.corpus_name if history is not None else corpus.name if corpus is not None else ""
        return Path(name).stem or "vocabulary"
