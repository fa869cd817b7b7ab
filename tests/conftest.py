"""Ground rules of the whole suite: no screen, no traces in the user's folders, nothing left running.

Environment variables are set when this file is imported, before anything can import Qt.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests.helpers.shared_data import shared_folder

if TYPE_CHECKING:
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QWidget

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# Settings, data and state of a test run go to a folder that goes with it. The cache directory stays the
# user's: it holds the compiled kernels under a digest of their sources, and compiling all of them anew would
# cost every run a minute.
_USER_DIRECTORIES = tempfile.TemporaryDirectory(prefix="unigram-gui-tests-")
for _variable in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
    os.environ[_variable] = str(Path(_USER_DIRECTORIES.name) / _variable.lower())

# An example may be slow because a kernel is compiled in it, or because the machine is busy: neither is a finding.
# In CI the examples are the same every time, so that a red run tells of the change at hand.
_SLOW = [HealthCheck.too_slow]
settings.register_profile("here", deadline=None, suppress_health_check=_SLOW)
settings.register_profile("ci", deadline=None, suppress_health_check=_SLOW, derandomize=True, max_examples=50)
settings.load_profile("ci" if os.environ.get("CI") else "here")

GRACE_SECONDS = 2.0
QT_FIXTURES = frozenset({"qapp", "qtbot", "qtmodeltester", "qtlog"})


def _uses_qt(item: pytest.Item) -> bool:
    return not QT_FIXTURES.isdisjoint(getattr(item, "fixturenames", ()))


def pytest_configure(config: pytest.Config) -> None:
    """Compile the kernels once, before the test processes start: else each would compile all of them."""
    from engine.warm_up import is_warm

    if not hasattr(config, "workerinput") and not is_warm():
        subprocess.run([sys.executable, "-m", "engine.warm_up"], cwd=Path(__file__).parent.parent, check=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the tests without Qt first: they are quick, and say more precisely what is broken."""
    items.sort(key=_uses_qt)


def pytest_unconfigure() -> None:
    _USER_DIRECTORIES.cleanup()


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of shared data (models, corpora, cases), or skip the test."""
    folder = shared_folder()
    if not folder.is_dir():
        pytest.skip(f"needs shared data: no folder {folder}; set UNIGRAM_SHARED to where it lies")
    return folder


@pytest.fixture(autouse=True)
def _settings_of_its_own(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test that uses Qt a program that was never started before: no settings, an empty library."""
    if not _uses_qt(request.node):
        return
    from PySide6.QtCore import QSettings

    folder = tempfile.mkdtemp(dir=_USER_DIRECTORIES.name)
    monkeypatch.setenv("XDG_DATA_HOME", folder)
    for file_format in (QSettings.Format.NativeFormat, QSettings.Format.IniFormat):
        QSettings.setPath(file_format, QSettings.Scope.UserScope, folder)


@pytest.fixture(autouse=True)
def _nothing_left_behind(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that leaves threads behind and, where it used Qt, windows or running timers."""
    threads_before = set(threading.enumerate())
    if not _uses_qt(request.node):
        yield
        leftovers = _settle(lambda: _new_threads(threads_before))
    else:
        windows_before = set(map(id, _own_windows()))
        yield
        leftovers = _settle(lambda: _new_threads(threads_before) + _qt_leftovers(windows_before))
    if leftovers:
        _stop(_running_timers() if _uses_qt(request.node) else [])
        pytest.fail("left behind: " + "; ".join(leftovers), pytrace=False)


def _settle(look: Callable[[], list[str]]) -> list[str]:
    """Look until nothing is left or the grace is over; collect garbage only when something is left."""
    leftovers = look()
    deadline = time.monotonic() + GRACE_SECONDS
    while leftovers and time.monotonic() < deadline:
        gc.collect()
        time.sleep(0.01)
        leftovers = look()
    return leftovers


def _new_threads(before: set[threading.Thread]) -> list[str]:
    # A thread that Qt started and that once ran Python code is listed for ever as a _DummyThread (Python
    # before 3.13): whether it still runs is asked of Qt's pool instead. A TMonitor is tqdm's, which the
    # reference tokenizers bring along.
    return [
        f"thread {thread.name}"
        for thread in threading.enumerate()
        if thread not in before
        and not isinstance(thread, threading._DummyThread)
        and type(thread).__name__ != "TMonitor"
    ]


def _own_windows() -> list[QWidget]:
    """Return the top-level widgets without a parent; menus, tips and pop-ups of another go with it."""
    from PySide6.QtWidgets import QApplication

    if QApplication.instance() is None:
        return []
    widgets = QApplication.topLevelWidgets()
    return [widget for widget in widgets if widget.parent() is None and not _is_qt_tool(widget)]


def _is_qt_tool(widget: QWidget) -> bool:
    # The one tip label that QToolTip keeps, and the scroller Qt opens for a combo box.
    return widget.metaObject().className() in {"QTipLabel", "QComboBoxPrivateContainer"}


def _qt_leftovers(windows_before: set[int]) -> list[str]:
    from PySide6.QtCore import QCoreApplication, QEvent, QThreadPool

    # deleteLater() waits for an event loop, and between two tests there is none.
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    pool = QThreadPool.globalInstance()
    busy = ["a task in Qt's global thread pool"] if pool is not None and pool.activeThreadCount() else []
    windows = [f"window {widget!r}" for widget in _own_windows() if id(widget) not in windows_before]
    timers = [f"running timer {timer!r}" for timer in _running_timers()]
    return busy + windows + timers


def _running_timers() -> list[QTimer]:
    """Return the active timers that Python code made; Qt's inner ones have no Python face."""
    import shiboken6
    from PySide6.QtCore import QTimer

    # By type(), since isinstance() asks proxies for their class, and some of them answer with an error.
    timers = [value for value in gc.get_objects() if issubclass(type(value), QTimer)]
    return [timer for timer in timers if shiboken6.isValid(timer) and timer.isActive()]


def _stop(timers: list[QTimer]) -> None:
    """Stop what one test was blamed for, so that the next one is not."""
    for timer in timers:
        timer.stop()
