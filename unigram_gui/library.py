"""The library of saved vocabularies: a folder for each in the user's data directory.

In: models with a name, a note and where they came from. Out: entries to list, open, rename and delete. An entry is a
folder with the vocabulary's file and `entry.json`; it is written beside its place and moved there whole, so that no
moment shows half of one. The history of its training is added to it, as beside any file of a vocabulary. What is
damaged is listed with the reason and left as it is. No Qt: tasks call this.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import platformdirs

from engine.errors import ModelFileError
from engine.files import read_file, write_file
from engine.history import TrainingHistory
from engine.history_file import history_path, save_history
from engine.model import UnigramModel

ENTRY_FILE = "entry.json"
_UNFINISHED, _DELETED = ".new-", ".deleted-"


@dataclass(frozen=True)
class Entry:
    """One saved vocabulary. `key` is its folder's name, `saved` the time in ISO 8601, `file` the vocabulary's file."""

    key: str
    name: str
    note: str
    saved: str
    origin: str
    n_pieces: int
    file: str
    digest: str
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class DamagedEntry:
    """An entry that cannot be used, and why in one sentence."""

    key: str
    reason: str


def default_folder() -> Path:
    """Return the folder of the library in the user's data directory."""
    return Path(platformdirs.user_data_dir("unigram-gui")) / "library"


class Library:
    """The saved vocabularies in one folder. It keeps nothing in memory: another window may save at the same time."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or default_folder()

    def entries(self) -> tuple[tuple[Entry, ...], tuple[DamagedEntry, ...]]:
        """Return what is saved, the newest first, and what is damaged. ModelFileError where nothing can be listed."""
        good: list[Entry] = []
        damaged: list[DamagedEntry] = []
        for folder in self._folders():
            if folder.name.startswith("."):
                continue
            try:
                good.append(self._read(folder))
            except ModelFileError as error:
                damaged.append(DamagedEntry(folder.name, str(error)))
        good.sort(key=lambda entry: (entry.saved, entry.key), reverse=True)
        return tuple(good), tuple(damaged)

    def save(self, model: UnigramModel, name: str, note: str = "", origin: str = "") -> Entry:
        """Save a vocabulary under a name; two may have the same one. Raises ModelFileError."""
        file = "vocabulary.json" if model.tokenizer_document is not None else "vocabulary.model"
        self._make_folder()
        unfinished = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=self.folder))
        try:
            model.save(unfinished / file)
            digest = hashlib.sha256(read_file(unfinished / file)).hexdigest()
            stamp = time.strftime("%Y-%m-%dT%H:%M:%S")
            key = self._free_key(stamp.replace(":", ""), digest)
            entry = Entry(
                key, _named(name), note, stamp, origin, len(model.pieces), file, digest, settings_in_words(model)
            )
            write_file(unfinished / ENTRY_FILE, _json(entry))
            unfinished.chmod(0o755)
            unfinished.rename(self.folder / key)
        except OSError as error:
            raise ModelFileError(f"{self.folder} cannot be written: {error.strerror or error}.") from error
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
        return entry

    def add_history(self, key: str, history: TrainingHistory, model: UnigramModel) -> None:
        """Keep the training of a saved vocabulary with it. Raises ModelFileError; then only the training is missing."""
        save_history(history_path(self.vocabulary_path(key)), history, model)

    def vocabulary_path(self, key: str) -> Path:
        """Return the file of a saved vocabulary, beside which the history of its training lies, where there is one."""
        return self.path(key) / self._read(self.path(key)).file

    def open(self, key: str) -> UnigramModel:
        """Read a saved vocabulary; raises ModelFileError where the file is not the one that was saved."""
        entry = self._read(self.path(key))
        data = read_file(self.path(key) / entry.file)
        if hashlib.sha256(data).hexdigest() != entry.digest:
            raise ModelFileError(f"{entry.name}: the file of the saved vocabulary was changed since; save it anew.")
        return UnigramModel.from_bytes(data, entry.name)

    def rename(self, key: str, name: str, note: str) -> Entry:
        """Give an entry another name and note."""
        old = self._read(self.path(key))
        entry = Entry(**{**asdict(old), "name": _named(name), "note": note})
        write_file(self.path(key) / ENTRY_FILE, _json(entry))
        return entry

    def delete(self, key: str) -> None:
        """Delete an entry: it is moved aside in one step, so that it is wholly there or gone."""
        aside = self.folder / f"{_DELETED}{key}"
        try:
            self.path(key).rename(aside)
        except OSError as error:
            raise ModelFileError(f"{key} cannot be deleted: {error.strerror or error}.") from error
        shutil.rmtree(aside, ignore_errors=True)

    def path(self, key: str) -> Path:
        """Return the folder of an entry; ModelFileError for a key that is no plain name."""
        if not key or key.startswith(".") or Path(key).name != key:
            raise ModelFileError(f"There is no saved vocabulary {key!r}.")
        return self.folder / key

    def _folders(self) -> list[Path]:
        try:
            return sorted(self.folder.iterdir()) if self.folder.is_dir() else []
        except OSError as error:
            raise ModelFileError(f"{self.folder} cannot be read: {error.strerror or error}.") from error

    def _read(self, folder: Path) -> Entry:
        try:
            content = json.loads(read_file(folder / ENTRY_FILE))
            entry = Entry(**{**content, "key": folder.name})
            _check(entry)
        except (ValueError, TypeError, RecursionError) as error:
            what = f"The saved vocabulary {folder.name} is damaged: its {ENTRY_FILE} is no entry."
            raise ModelFileError(what) from error
        if Path(entry.file).name != entry.file or not (folder / entry.file).is_file():
            raise ModelFileError(f"The saved vocabulary {entry.name} is damaged: its file {entry.file} is missing.")
        return entry

    def _make_folder(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ModelFileError(f"{self.folder} cannot be made: {error.strerror or error}.") from error

    def _free_key(self, stamp: str, digest: str) -> str:
        key, n = f"{stamp}-{digest[:8]}", 1
        while (self.folder / key).exists():
            n += 1
            key = f"{stamp}-{digest[:8]}-{n}"
        return key


def settings_in_words(model: UnigramModel) -> dict[str, str]:
    """Return how a model was trained, as words: a vocabulary tells it by itself, and the list without opening it."""
    settings: dict[str, Any] = {**model.trainer_fields, **model.own_settings}
    settings["normalizer"] = model.normalizer_spec.name
    return {name: str(value) for name, value in sorted(settings.items())}


def _named(name: str) -> str:
    name = " ".join(name.split())
    if not name:
        raise ModelFileError("A saved vocabulary needs a name.")
    return name


def _check(entry: Entry) -> None:
    words = (entry.name, entry.note, entry.saved, entry.origin, entry.file, entry.digest)
    if not all(isinstance(word, str) for word in words) or not isinstance(entry.settings, dict):
        raise TypeError
    if not isinstance(entry.n_pieces, int):
        raise TypeError


def _json(entry: Entry) -> bytes:
    return json.dumps(asdict(entry), ensure_ascii=False, indent=2).encode()
