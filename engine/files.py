"""Whole files in and out, with errors in words; what is written is wholly there or not at all."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from engine.errors import EngineError, ModelFileError


def path_of(path: object, error: type[EngineError]) -> Path:
    """Return a path as one; for what is none an error of that type.

    >>> path_of("a.txt", ModelFileError).name
    'a.txt'
    """
    found = path.__fspath__() if isinstance(path, os.PathLike) else path
    if not isinstance(found, str):
        raise error(f"{path!r:.40} is no path; give the name of a file as a text.")
    return Path(found)


def read_file(path: str | os.PathLike[str]) -> bytes:
    """Return a file's bytes; ModelFileError says in one sentence why it cannot be read."""
    path = path_of(path, ModelFileError)
    try:
        with opened_file(path) as file:
            return file.read()
    except IsADirectoryError as error:
        raise ModelFileError(f"{Path(path)} is a folder; choose a file in it.") from error
    except FileNotFoundError as error:
        raise ModelFileError(f"There is no file {path}.") from error
    except (OSError, ValueError) as error:
        raise ModelFileError(f"{path} cannot be read: {_reason(error)}.") from error


def opened_file(path: Path) -> io.BufferedReader:
    """Open a file to be read: the one way for whatever a person names. Raises OSError, also for a device or a pipe."""
    _refuse_device(path)
    return path.open("rb")


def _refuse_device(path: Path) -> None:
    """Raise OSError, in words, for what is neither a file nor a folder: reading a pipe may never end."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise OSError(0, "it is a device, not a file")


def write_file(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file so that it is wholly the old or wholly the new one at any moment; see `written_file`."""
    with written_file(path) as file:
        file.write(data)


@contextlib.contextmanager
def written_file(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file to be written bit by bit, which is wholly the old or wholly the new one at any moment.

    A temporary file in the same folder takes its place once it is on disk. A link stays a link and the mode stays
    as it was. ModelFileError says why it cannot be written; then, and after any other error, nothing has changed.
    """
    path = path_of(path, ModelFileError)
    temporary: str | None = None
    try:
        target = Path(os.path.realpath(path))
        if target.is_dir():
            raise IsADirectoryError(0, "it is a folder")
        _refuse_device(target)
        descriptor, temporary = tempfile.mkstemp(prefix=f".{target.name[:40]}.", suffix=".part", dir=target.parent)
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(_mode_for(target))
        Path(temporary).replace(target)
    except (OSError, ValueError) as error:
        raise ModelFileError(f"{path} cannot be written: {_reason(error)}.") from error
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                Path(temporary).unlink(missing_ok=True)


def _mode_for(target: Path) -> int:
    """Return the mode of the file that is replaced, or that of any new file (mkstemp makes private ones)."""
    try:
        return target.stat().st_mode & 0o7777
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).rstrip(".")
