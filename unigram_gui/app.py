"""Starts the program: application, theme, session, window, and the errand of the command line.

PySide6 is imported late, so that a system without a screen or without one of Qt's libraries is told so in one
sentence instead of a traceback.
"""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from unigram_gui import command_line, screen
from unigram_gui.tasks import interpreter

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from unigram_gui.session import Session


UNTOLD = (
    "This plugin does not support propagateSizeHints()",  # off screen there is no window manager to give hints to
    "OpenType support missing for",  # a script that no font of the system has; it is drawn as well as can be
)


def run(arguments: Sequence[str]) -> int:
    """Run the program with these arguments; return its exit code."""
    options = command_line.parse(arguments)
    try:
        app = make_application(options)
    except screen.CannotStart as error:
        command_line.complain(str(error))
        return 1
    return _run_window(app, options)


def make_application(options: command_line.Options) -> QApplication:
    """Return the application object; raises `CannotStart` with the reason why there can be none."""
    screen.choose_platform(os.environ, unattended=options.exit)
    try:
        from PySide6.QtCore import QLibraryInfo, qInstallMessageHandler
        from PySide6.QtWidgets import QApplication
    except ImportError as error:
        raise screen.explain_import(error) from None
    plugins = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.PluginsPath))
    try:
        screen.check_plugin(os.environ, plugins=plugins)
    except screen.CannotStart:
        if not options.exit or os.environ.get("QT_QPA_PLATFORM"):
            raise
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        screen.check_plugin(os.environ, plugins=plugins)
    qInstallMessageHandler(_print_qt_message)
    app = QApplication([command_line.PROGRAM])
    interpreter.share()
    app.setApplicationName(command_line.PROGRAM)
    app.setApplicationDisplayName("Unigram GUI")
    app.setApplicationVersion(command_line.version())
    app.setDesktopFileName(command_line.PROGRAM)
    return app


def settle() -> None:
    """Take what lives as long as the program out of the collector's rounds: each would hold up the window by 100 ms."""
    gc.collect()
    gc.freeze()


def _print_qt_message(kind: object, context: object, message: str) -> None:
    """Pass on what Qt says, except what a person can do nothing about."""
    if sys.stderr is not None and not message.startswith(UNTOLD):  # a windowed build has no console
        sys.stderr.write(f"{message}\n")


def _run_window(app: QApplication, options: command_line.Options) -> int:
    from shiboken6 import delete

    from unigram_gui import assets
    from unigram_gui.errand import Errand
    from unigram_gui.main_window import MainWindow
    from unigram_gui.session import Session
    from unigram_gui.settings import Settings

    assets.load_fonts()
    app.setWindowIcon(assets.icon())
    session = Session()
    _catch_exceptions(session)
    settings = Settings(remember=not options.exit)
    window = MainWindow(session, settings, options.theme or settings.theme)
    window.show()
    settle()
    errand = Errand(session, window, options)
    _end_on_signals(app, window.end)
    if options.exit:
        errand.ended.connect(lambda code: (window.close(), app.exit(code)))
    session.start()
    if options.exit and not session.gate.is_open and sys.stderr is not None:
        sys.stderr.write("unigram-gui: first start: compiling the kernels, once, for a minute or two.\n")
    errand.start()
    code = app.exec()
    # Closing the last window ends the loop as well, with 0: what the errand came to is asked of the errand.
    code = errand.code if options.exit else max(code, errand.is_broken_off)
    sys.excepthook = sys.__excepthook__  # there is no window any more to show anything in
    delete(window)  # before the session, whose facts its parts listen to; left alone, either may go first
    return code


def _end_on_signals(app: QApplication, end: Callable[[], object]) -> None:
    """Log-out, kill and Ctrl+C close the window as a person would, but without a question; the second ends at once."""
    from PySide6.QtCore import QSocketNotifier

    told, tell = socket.socketpair()
    tell.setblocking(False)
    signal.set_wakeup_fd(tell.fileno(), warn_on_full_buffer=False)
    notifier = QSocketNotifier(told.fileno(), QSocketNotifier.Type.Read, app)

    def hear(pipe: tuple[socket.socket, socket.socket] = (told, tell)) -> None:  # both live as long as the notifier
        pipe[0].recv(64)
        end()

    notifier.activated.connect(lambda: hear())
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if number := getattr(signal, name, None):
            signal.signal(number, lambda number, _: signal.signal(number, signal.SIG_DFL))


def _catch_exceptions(session: Session) -> None:
    """A bug in a slot is shown in the window and printed, and does not end the program."""

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if sys.stderr is not None:
            traceback.print_exception(kind, error, trace)
        session.failed.emit(f"Something failed that should not have, please report it: {kind.__name__}: {error}")

    sys.excepthook = hook
