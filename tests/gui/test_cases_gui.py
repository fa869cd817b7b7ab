"""Faults that people reported of other desktop programs of this kind, as tests that they are not found here."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray
from PySide6.QtGui import QGuiApplication, QImage
from pytestqt.qtbot import QtBot

from tests.gui.conftest import SECONDS, Person
from unigram_gui.export import figures
from unigram_gui.main_window import MainWindow
from unigram_gui.session import Session
from unigram_gui.settings import Settings

REPOSITORY = Path(__file__).parent.parent.parent


def test_gui_02_a_training_that_fails_in_its_thread_is_told_while_the_table_is_used(person: Person) -> None:
    person.opens_sample("abc")
    person.trains("Teaching")
    person.session.set_setting("vocab_size", 50_000)
    with person.bot.waitSignal(person.session.training_failed, timeout=SECONDS):
        person.session.train()
        person.window.vocabulary.filter.setText("b")
    person.waits()
    assert "50,000" in person.window.strip.label.text()
    assert person.window.vocabulary.item_model.rowCount() == 4
    assert person.session.model is not None


@pytest.mark.parametrize("typed", ["[", "a(", "*", "^[", "(?<", "\\", "(a+)+$", ".", "?", "▁", "\u0301"])
def test_gui_07_a_filter_takes_every_key_literally(person: Person, typed: str) -> None:
    person.opens_sample("abc")
    person.trains("Teaching")
    for field in (person.window.vocabulary.filter, person.window.corpus.filter):
        for end in range(1, len(typed) + 1):
            field.setText(typed[:end])
        person.waits()
    assert person.window.corpus.item_model.rowCount() == 0
    person.window.corpus.filter.setText("bc")
    person.waits()
    assert person.window.corpus.item_model.rowCount() == 3


@pytest.mark.parametrize("scale", [1.0, 1.5, 2.0])
def test_gui_11_a_curve_is_in_its_picture_at_the_size_that_was_asked(
    person: Person, tmp_path: Path, scale: float
) -> None:
    person.opens_sample("abc")
    person.trains("Teaching")
    view = person.window.objective
    figures.save_widget_png(view, tmp_path / "curve.png", scale)
    picture = QImage(str(tmp_path / "curve.png"))
    assert (picture.width(), picture.height()) == (round(view.width() * scale), round(view.height() * scale))
    blue = 0
    for y in range(0, picture.height(), 2):
        for x in range(picture.width()):
            colour = picture.pixelColor(x, y)
            blue += colour.blue() > colour.red() + 80
    assert blue > 100


def test_gui_16_without_a_console_a_run_ends_as_with_one(tmp_path: Path) -> None:
    code = (
        "import sys; sys.stdout = sys.stderr = None\n"
        "from unigram_gui.app import run\n"
        f"out = {str(tmp_path / 'm.model')!r}\n"
        "code = run(['--sample', 'abc', '--preset', 'Teaching', '--train', '--save', out, '--exit'])\n"
        "sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, timeout=120, check=False)
    assert done.returncode == 0
    assert (tmp_path / "m.model").exists()


def test_gui_17_a_training_stopped_twice_begins_anew_at_once(person: Person) -> None:
    person.opens_sample("prose")
    fractions: list[float] = []
    person.session.train()
    person.session.stop()
    person.session.stop()
    person.waits()
    person.session.training_progressed.connect(lambda step: fractions.append(step.fraction))
    with person.bot.waitSignal(person.session.training_finished, timeout=SECONDS):
        person.session.train()
    assert fractions == sorted(fractions)
    assert fractions[-1] <= 1.0


@pytest.mark.parametrize("blob", [b"", b"broken", bytes(200)])
def test_gui_18_a_broken_place_from_last_time_leaves_the_window_on_a_screen(
    qtbot: QtBot, session: Session, monkeypatch: pytest.MonkeyPatch, blob: bytes
) -> None:
    settings = Settings(remember=False)
    monkeypatch.setattr(settings, "layout", lambda name: QByteArray(blob))
    window = MainWindow(session, settings, "light")
    qtbot.addWidget(window)
    window.show()
    assert QGuiApplication.primaryScreen().virtualGeometry().intersects(window.frameGeometry())
    window.close()
