"""Whether Qt can start here, and if not, one sentence that says what to do. Looks before Qt aborts the process.

Qt ends the whole process when a platform plugin cannot start, with a page of text. So the reasons are looked for
first: no display at all, a display that does not answer, a system library that is not installed.
"""

from __future__ import annotations

import ctypes
import re
import sys
from collections.abc import Mapping, MutableMapping
from pathlib import Path

from unigram_gui.command_line import PROGRAM

OFF_SCREEN = f"set QT_QPA_PLATFORM=offscreen, or let it work unattended: {PROGRAM} ... --screenshot window.png --exit"

DEBIAN_PACKAGES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libGLX.so.0": "libglx0",
    "libOpenGL.so.0": "libopengl0",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libX11.so.6": "libx11-6",
    "libSM.so.6": "libsm6",
    "libICE.so.6": "libice6",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xinerama.so.0": "libxcb-xinerama0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxcb.so.1": "libxcb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libz.so.1": "zlib1g",
    "libzstd.so.1": "libzstd1",
}


class CannotStart(Exception):
    """One sentence that says why the window cannot open and what to do."""


def choose_platform(
    environment: MutableMapping[str, str], *, unattended: bool, system: str = sys.platform
) -> None:
    """Go off screen where there is no screen and nobody to look; raise `CannotStart` where somebody is."""
    if not system.startswith("linux") or environment.get("QT_QPA_PLATFORM"):
        return
    if environment.get("WAYLAND_DISPLAY") or environment.get("DISPLAY"):
        return
    if not unattended:
        raise CannotStart(f"There is no screen (neither DISPLAY nor WAYLAND_DISPLAY is set): {OFF_SCREEN}.")
    environment["QT_QPA_PLATFORM"] = "offscreen"


def explain_import(error: ImportError) -> CannotStart:
    """Say which package is missing when PySide6 cannot be imported."""
    return CannotStart(missing_library(str(error)) or f"Qt cannot be loaded: {error}.")


def missing_library(message: str) -> str | None:
    """Return a sentence that names the missing system library and its package, if that is what `message` says.

    >>> missing_library("libEGL.so.1: cannot open shared object file: No such file or directory")
    'Qt needs the system library libEGL.so.1: install it, on Debian or Ubuntu with "apt-get install libegl1".'
    """
    found = re.search(r"(lib[\w.+-]+\.so[\w.]*): cannot open shared object file", message)
    if found is None:
        return None
    library = found.group(1)
    package = DEBIAN_PACKAGES.get(library)
    how = "install the package that has it"
    if package:
        how = f'install it, on Debian or Ubuntu with "apt-get install {package}"'
    return f"Qt needs the system library {library}: {how}."


def check_plugin(environment: Mapping[str, str], *, plugins: Path) -> None:
    """Load the platform plugin that Qt is about to load; raise `CannotStart` where a library is missing.

    Call it after PySide6.QtGui was imported: the plugin needs Qt's own libraries in the process.
    """
    if not sys.platform.startswith("linux"):
        return
    platform = _platform(environment)
    path = plugins / "platforms" / f"libq{platform}.so"
    if not path.exists():
        return
    try:
        ctypes.CDLL(str(path))
    except OSError as error:
        raise CannotStart(missing_library(str(error)) or f"Qt cannot load {path}: {error}.") from None
    if platform == "xcb" and not _display_answers():
        raise CannotStart(f"The display {environment.get('DISPLAY')} does not answer: {OFF_SCREEN}.")


def _platform(environment: Mapping[str, str]) -> str:
    chosen = environment.get("QT_QPA_PLATFORM", "").split(";")[0].split(":")[0]
    if chosen:
        return chosen
    return "wayland" if environment.get("WAYLAND_DISPLAY") and not environment.get("DISPLAY") else "xcb"


def _display_answers() -> bool:
    """Ask the X server named by DISPLAY for a connection, as Qt will."""
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return True  # not ours to judge: Qt has just loaded what it needs
    xcb.xcb_connect.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(xcb.xcb_connect(None, None))
    failed = xcb.xcb_connection_has_error(connection)
    xcb.xcb_disconnect(connection)
    return not failed
