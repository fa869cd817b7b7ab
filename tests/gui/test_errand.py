"""A command line's errand ends, whatever its steps do."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tests.gui.conftest import SECONDS
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


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (Options(train=True), "There is no corpus to train on"),
        (Options(save=(Path("m.model"),)), "There is no vocabulary to save"),
        (Options(sample="nothing"), "There is no sample 'nothing'"),
        (Options(preset="Other"), "There is no preset 'Other'"),
        (Options(settings={"vocab_size": "many"}), "vocab_size is 'many'"),
        (Options(settings={"colour": "blue"}), "There is no setting 'colour'"),
    ],
)
def test_a_step_that_cannot_be_done_is_said_on_screen_and_ends_the_errand(
    qtbot: QtBot, session: Session, window: MainWindow, options: Options, sentence: str
) -> None:
    errand = Errand(session, window, options)
    with qtbot.waitSignal(errand.ended) as ended:
        errand.start()
    assert ended.args == [1]
    assert errand.code == 1  # whatever the event loop ends with: a window manager may close the window first
    assert window.strip.label.text().startswith(sentence)


def test_skipped_lines_are_said_and_are_no_failure(
    qtbot: QtBot, session: Session, window: MainWindow, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "latin1.txt"
    path.write_bytes("é\n".encode("latin-1") * 50 + b"e\n")
    errand = Errand(session, window, Options(files=(path,)))
    with qtbot.waitSignal(errand.ended, timeout=SECONDS) as ended:
        errand.start()
    assert (ended.args, errand.code) == ([0], 0)
    assert capsys.readouterr().err == ("unigram-gui: latin1.txt: 50 of 51 lines were skipped (line 1 is not UTF-8)\n")


def test_closing_the_window_before_all_is_done_is_a_failure(
    qtbot: QtBot, session: Session, window: MainWindow, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    errand = Errand(session, window, Options(sample="prose", train=True, save=(tmp_path / "m.model",)))
    with qtbot.waitSignal(session.training_progressed, timeout=SECONDS):
        errand.start()
    window.close()
    assert (errand.is_broken_off, errand.code) == (True, 1)
    said = capsys.readouterr().err
    assert said == "unigram-gui: The window was closed before all steps of the command line were done.\n"


def test_closing_the_window_after_a_failed_step_says_nothing_more(
    qtbot: QtBot,
    session: Session,
    window: MainWindow,
    capsys: pytest.CaptureFixture[str],
    recwarn: pytest.WarningsRecorder,
) -> None:
    errand = Errand(session, window, Options(preset="Other", text="abc"))
    with qtbot.waitSignal(errand.ended) as ended:
        errand.start()
    window.close()
    assert (ended.args, errand.is_broken_off, errand.code) == ([1], False, 1)
    assert capsys.readouterr().err.count("\n") == 1
    assert [str(warning.message) for warning in recwarn] == []


def test_closing_the_window_when_all_is_done_is_none(
    qtbot: QtBot, session: Session, window: MainWindow, capsys: pytest.CaptureFixture[str]
) -> None:
    errand = Errand(session, window, Options(text="abc"))
    with qtbot.waitSignal(errand.ended):
        errand.start()
    window.close()
    assert not errand.is_broken_off
    assert capsys.readouterr().err == ""


def test_an_errand_without_steps_ends_too(qtbot: QtBot, session: Session, window: MainWindow) -> None:
    errand = Errand(session, window, Options())
    with qtbot.waitSignal(errand.ended) as ended:
        errand.start()
    assert ended.args == [0]


def test_steps_are_done_in_the_order_of_the_command_line(
    qtbot: QtBot, session: Session, window: MainWindow, tmp_path: Path
) -> None:
    options = Options(
        sample="abc", preset="Teaching", train=True, text="abcabc", save=(tmp_path / "m.model", tmp_path / "m.tsv")
    )
    errand = Errand(session, window, options)
    with qtbot.waitSignal(errand.ended, timeout=30_000) as ended:
        errand.start()
    assert ended.args == [0]
    assert window.decode.ids.text() == "1 5 1 5"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.model", "m.model.history", "m.tsv"]
