"""What the window remembers from one start to the next: nothing of the work.

Theme, sizes, the folder of files, whether the other library's cut is on show.
"""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QSettings

THEMES = ("system", "light", "dark")


class Settings:
    """A typed face of QSettings. With `remember=False` it starts empty and writes nothing (unattended runs)."""

    def __init__(self, remember: bool = True) -> None:
        self._store = QSettings(
            QSettings.Format.IniFormat, QSettings.Scope.UserScope, "unigram-gui", "unigram-gui"
        ) if remember else None  # fmt: skip

    @property
    def is_unattended(self) -> bool:
        """Whether nobody is there to be asked."""
        return self._store is None

    @property
    def theme(self) -> str:
        """Return "system", "light" or "dark"."""
        theme = self._read("theme", "system")
        return theme if theme in THEMES else "system"

    @theme.setter
    def theme(self, theme: str) -> None:
        self._write("theme", theme)

    @property
    def folder(self) -> str:
        """Return the folder of the last file dialog."""
        return str(self._read("folder", ""))

    @folder.setter
    def folder(self, folder: str) -> None:
        self._write("folder", folder)

    @property
    def shows_other_rules(self) -> bool:
        """Return whether the other library's cut stands beside the text."""
        return str(self._read("other_rules", "false")) == "true"  # what an INI file holds is text

    @shows_other_rules.setter
    def shows_other_rules(self, shown: bool) -> None:
        self._write("other_rules", "true" if shown else "false")

    def layout(self, name: str) -> QByteArray | None:
        """Return the saved state of a splitter or of the window's geometry."""
        state = self._read(f"layout/{name}", None)
        return state if isinstance(state, QByteArray) else None

    def set_layout(self, name: str, state: QByteArray) -> None:
        """Remember the state of a splitter or of the window's geometry."""
        self._write(f"layout/{name}", state)

    def _read(self, key: str, default: object) -> object:
        return default if self._store is None else self._store.value(key, default)

    def _write(self, key: str, value: object) -> None:
        if self._store is not None:
            self._store.setValue(key, value)
