"""A session and a window for each test, with compiled kernels and with nothing remembered from other tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QAbstractSpinBox
from pytestqt.qtbot import QtBot

from engine import warm_up
from engine.corpus import Corpus
from unigram_gui import assets
from unigram_gui.main_window import MainWindow
from unigram_gui.session import Session
from unigram_gui.settings import Settings

SECONDS = 30_000
ABC = Corpus.from_counts({"a": 16, "b": 8, "c": 8, "ab": 24, "bc": 32, "abc": 12, "abca": 2, "cab": 2})


@pytest.fixture(scope="session")
def _compiled_kernels() -> None:
    """Compile what this process needs before any test measures or waits."""
    if not warm_up.is_warm():
        warm_up.compile_all()


@pytest.fixture
def session(qtbot: QtBot, _compiled_kernels: None) -> Iterator[Session]:
    """Return a running session; afterwards its threads have ended."""
    session = Session()
    session.start()
    yield session
    session.close()


@pytest.fixture
def window(qtbot: QtBot, session: Session) -> Iterator[MainWindow]:
    """Return a shown window on an empty session."""
    window = MainWindow(session, Settings(remember=False), "light")
    qtbot.addWidget(window, before_close_func=MainWindow.end)  # nobody is there to be asked any more
    with qtbot.waitExposed(window):
        window.show()
    yield window
    window.close()


class Person:
    """What a person does with a window, and waits for."""

    def __init__(self, qtbot: QtBot, window: MainWindow) -> None:
        self.bot = qtbot
        self.window = window
        self.session = window.session

    def opens(self, *paths: object) -> None:
        """Open files and wait until they and all that follows are there."""
        with self.bot.waitSignal(self.session.became_idle, timeout=SECONDS):
            self.session.open_files([str(path) for path in paths])

    def opens_sample(self, name: str) -> None:
        self.opens(assets.sample_path(name))

    def waits(self) -> None:
        """Wait until everything asked for has been answered."""
        self.bot.waitUntil(lambda: not self.session.is_busy, timeout=SECONDS)

    def trains(self, preset: str = "Teaching") -> None:
        """Choose a preset, click Train, wait for the end."""
        self.window.training.presets.setCurrentText(preset)
        self.window.training.presets.activated.emit(self.window.training.presets.currentIndex())
        with self.bot.waitSignal(self.session.became_idle, timeout=SECONDS):
            self.window.training.train_button.click()

    def sets(self, name: str, value: str) -> None:
        """Type a number into the form."""
        editor = self.window.training.editors[name].input
        assert isinstance(editor, QAbstractSpinBox)
        editor.setFocus()
        editor.selectAll()
        self.bot.keyClicks(editor, value)

    def types(self, text: str) -> None:
        """Replace the text under study, key by key."""
        self.window.text_input.selectAll()
        self.bot.keyClicks(self.window.text_input, text)
        self.waits()


@pytest.fixture
def person(qtbot: QtBot, window: MainWindow) -> Person:
    """Return somebody in front of the window."""
    return Person(qtbot, window)
