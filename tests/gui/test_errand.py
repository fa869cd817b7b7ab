"""A command line's errand ends, whatever its steps do."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from unigram_gui.command_line import Options
from unigram_gui.errand import Errand
from unigram_gui.main_window import MainWindow
from unigram_gui.session import Session


def test_a_bug_in_a_step_ends_the_errand_with_exit_code_1(
    qtbot: QtBot, session: Session, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    def set_text(text: str) -> None:
        session.failed.emit("as the program's exception hook says")
        raise RuntimeError(text)

    monkeypatch.setattr(session, "set_text", set_text)
    errand = Errand(session, window, Options(text="abc"))
    qtbot.waitUntil(lambda: not session.is_busy)
    with qtbot.capture_exceptions() as caught, qtbot.waitSignal(errand.ended) as ended:
        errand.start()
    assert ended.args == [1]
    assert [kind for kind, _, _ in caught] == [RuntimeError]
