"""Faults that people reported of other desktop programs of this kind, as tests that they are not found here."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Generator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
import pytest
from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
from pytestqt.qtbot import QtBot

from engine import training_rules
from engine.em import Expectations
from engine.model import UnigramModel, load_model
from engine.training_step import TrainingStep
from tests.gui.conftest import SECONDS, Person
from unigram_gui.export import figures
from unigram_gui.item_models import vocabulary as columns
from unigram_gui.item_models.ordered_table import VALUE_ROLE
from unigram_gui.item_models.vocabulary import VocabularyItemModel
from unigram_gui.main_window import MainWindow
from unigram_gui.session import Session
from unigram_gui.settings import Settings
from unigram_gui.tasks import sorting
from unigram_gui.tasks.control import TaskControl
from unigram_gui.tasks.sorting import SortRequest
from unigram_gui.views.sheet_lines import PIECE

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


# GUI-01: closing while something runs.

PHASES = ("normalize texts", "count words", "find candidates", "E step", "pruning losses", "prune", "finish")


@pytest.mark.parametrize("phase", PHASES)
def test_gui_01_a_window_closed_in_any_phase_of_a_training_leaves_nothing_behind(
    person: Person, phase: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unigram_gui.tasks.requests.SECONDS_BETWEEN_STEPS", 0.0)  # every step is told
    person.opens_sample("prose")
    person.session.set_setting("normalization_rule_name", "nfkc")
    met: list[str] = []

    def close(step: TrainingStep) -> None:
        if step.phase == phase and not met:
            met.append(phase)
            person.window.end()

    person.session.training_progressed.connect(close)
    person.session.train()
    person.bot.waitUntil(lambda: bool(met), timeout=SECONDS)
    assert not person.window.isVisible()
    assert not [thread.name for thread in threading.enumerate() if thread.name.startswith(("unigram", "engine"))]
    assert person.session.model is None


def test_gui_01_a_window_closed_while_a_file_is_saved_leaves_the_whole_file_or_none(
    person: Person, tmp_path: Path
) -> None:
    person.opens_sample("abc")
    person.trains("Teaching")
    person.session.save_model(tmp_path / "abc.model")
    person.window.end()
    assert not [path.name for path in tmp_path.iterdir() if path.suffix == ".part"]
    for path in tmp_path.glob("*.model"):
        assert load_model(path).encode_pieces("abc") == ["a", "bc"]


@pytest.mark.parametrize("phase", ["", "count words", "E step"])
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_gui_01_a_signal_ends_the_program_in_good_order(tmp_path: Path, phase: str, name: str) -> None:
    code = (
        "import os, signal, sys\n"
        "from PySide6.QtCore import QTimer\n"
        "from unigram_gui import assets, session\n"
        "from unigram_gui.tasks import requests\n"
        "requests.SECONDS_BETWEEN_STEPS = 0.0\n"  # every step is told
        "make = session.Session.__init__\n"
        "sent = []\n"
        "def end():\n"
        "    if not sent:\n"  # a second signal would end the program at once
        "        sent.append(True)\n"
        f"        os.kill(os.getpid(), signal.{name})\n"
        "def init(self, *parts):\n"
        "    make(self, *parts)\n"
        f"    self.training_progressed.connect(lambda step: end() if step.phase == {phase!r} else None)\n"
        f"    self.became_idle.connect(self.train if {phase!r} else end)\n"
        "    QTimer.singleShot(0, lambda: self.open_files([assets.sample_path('prose')]))\n"
        "session.Session.__init__ = init\n"
        "from unigram_gui.app import run\n"
        "sys.exit(run([]))\n"
    )
    folder = tmp_path / "tmp"
    folder.mkdir()
    own = {"QT_QPA_PLATFORM": "offscreen", "XDG_CONFIG_HOME": str(tmp_path), "TMPDIR": str(folder)}
    environment = {**os.environ, **own}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, env=environment, timeout=120, check=False, capture_output=True
    )
    assert done.stderr == b""
    assert done.returncode == 0
    assert not list(folder.iterdir())


# GUI-03: a library that panics.


class Panic(BaseException):
    """What a native library raises where it gives up: no Exception, so that nobody catches it by accident."""


def panics(*_: object, **__: object) -> NoReturn:
    raise Panic("index out of bounds")


def test_gui_03_a_panic_in_an_import_a_training_or_an_encoding_is_told_and_nothing_is_lost(
    person: Person, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    person.opens_sample("abc")
    person.trains("Teaching")
    model, path = person.session.model, tmp_path / "abc.model"
    assert model is not None
    model.save(path)
    label = person.window.strip.label
    for where, do in (
        ("load_model", lambda: person.session.open_model(path)),
        ("train", person.session.train),
        ("encode_file", lambda: person.session.encode_file(path, "ids", tmp_path / "out.txt")),
        ("explore", lambda: person.session.set_text("cab")),
    ):
        person.session.dismiss_error()
        with monkeypatch.context() as patch:
            patch.setattr(f"unigram_gui.tasks.requests.{where}", panics)
            do()
            person.waits()
        assert "index out of bounds" in label.text(), where
        assert person.session.model is model
    person.types("abcabc")
    seen = person.session.exploration
    assert seen is not None
    assert seen.best.pieces == ("a", "bc", "a", "bc")
    assert not (tmp_path / "out.txt").exists()


@pytest.mark.parametrize("loss", [np.nan, np.inf])
def test_gui_03_a_loss_that_is_no_number_ends_the_training_with_a_sentence(
    person: Person, monkeypatch: pytest.MonkeyPatch, loss: float
) -> None:
    person.opens_sample("abc")
    person.trains("Teaching")
    model, e_step = person.session.model, training_rules.e_step

    def spoiled(*parts: Any) -> Generator[float, None, Expectations]:
        found = yield from e_step(*parts)
        return replace(found, loss=loss)

    monkeypatch.setattr(training_rules, "e_step", spoiled)
    with person.bot.waitSignal(person.session.training_failed, timeout=SECONDS):
        person.session.train()
    person.waits()
    assert f"became {loss}" in person.window.strip.label.text()
    assert person.session.model is model


# GUI-05: a table of a million pieces.


@pytest.fixture(scope="module")
def million(tmp_path_factory: pytest.TempPathFactory) -> Path:
    n = 1_000_000
    weights = np.exp(-(np.arange(n) % 20) - np.arange(n) / 1e6)
    pieces = dict(zip((f"p{i}" for i in range(n)), (0.999 * weights / weights.sum()).tolist(), strict=True))
    pieces |= {chr(0x4E00 + i): 1e-12 for i in range(1000)}
    path = tmp_path_factory.mktemp("million") / "million.model"
    UnigramModel.from_probabilities(pieces).save(path)
    return path


@pytest.mark.slow
def test_gui_05_a_million_pieces_are_shown_sorted_and_filtered_off_the_window_s_thread(
    person: Person, million: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    person.opens(million)
    table, view = person.window.vocabulary.item_model, person.window.vocabulary.table
    assert table.rowCount() == 1_001_001
    view.scrollToBottom()
    assert view.indexAt(view.viewport().rect().center()).row() > 1_000_900
    person.session.pick_piece(500_000)
    threads: set[int] = set()
    find_order = sorting.stable_order

    def noted(keys: sorting.Keys, *, descending: bool) -> npt.NDArray[np.int64]:
        threads.add(threading.get_ident())
        return find_order(keys, descending=descending)

    monkeypatch.setattr(sorting, "stable_order", noted)
    for column, first in ((columns.LOG_P, "p999980"), (columns.PIECE, "p0"), (columns.ID, "<unk>")):
        with person.bot.waitSignal(table.layoutChanged, timeout=SECONDS):
            view.sortByColumn(column, Qt.SortOrder.AscendingOrder)
        if column != columns.LOG_P:
            assert table.index(0 if column == columns.ID else 1, columns.PIECE).data() == first
        assert table.source_row(view.currentIndex().row()) == 500_000
    with person.bot.waitSignal(person.session.vocabulary_rows_changed, timeout=SECONDS):
        person.window.vocabulary.filter.setText("99")
    assert table.rowCount() == sum("99" in f"{i}" for i in range(1_000_000))
    assert threads
    assert threading.get_ident() not in threads


def test_gui_05_the_newest_order_wins_and_one_of_other_values_is_dropped(person: Person) -> None:
    table = VocabularyItemModel()
    asked: list[SortRequest] = []
    table.order_requested.connect(asked.append)
    n = 60_000
    model = UnigramModel.from_probabilities({f"p{i}": (i + 1) * 2.0 / n / (n + 2) for i in range(n)})
    table.set_vocabulary(model, None)
    table.sort(columns.LOG_P, Qt.SortOrder.AscendingOrder)
    table.sort(columns.LOG_P, Qt.SortOrder.DescendingOrder)
    first, second = (request(TaskControl()) for request in asked)
    table.set_order(first)
    assert [table.source_row(row) for row in (1, 2)] == [1, 2]
    table.set_order(second)
    assert [table.source_row(row) for row in (1, 2)] == [n, n - 1]
    table.set_vocabulary(model, None)
    table.set_order(second)
    assert [table.source_row(row) for row in (1, 2)] == [1, 2]
    assert len(asked) == 3  # the new values are to be sorted as the old ones were


# GUI-08: characters that fonts lack.

ODD = ("\U0001f469\u200d\U0001f4bb", "漢", "\u0dc1\u0dca\u200d\u0dbb\u0dd3", "\U00010380\U00010398", "\u0301", "\ufe0f",
       "\u0083", "\ue000", "\u2581")  # fmt: skip


def model_of(*texts: str) -> UnigramModel:
    return UnigramModel.from_probabilities({text: 1.0 / len(texts) for text in texts})


@pytest.mark.parametrize("text", ODD)
def test_gui_08_every_piece_has_ink_and_tells_its_code_points(person: Person, text: str) -> None:
    view = person.window.vocabulary
    view.set_vocabulary(model_of(text, "b"), None)
    row = next(row for row in range(3) if view.item_model.index(row, columns.PIECE).data(VALUE_ROLE) == text)
    index = view.item_model.index(row, columns.PIECE)
    picture = view.table.viewport().grab(view.table.visualRect(index)).toImage()
    pixels = [picture.pixel(x, y) for x in range(picture.width()) for y in range(picture.height())]
    assert sum(pixel != picture.pixel(0, 0) for pixel in pixels) > 5
    tip = index.data(Qt.ItemDataRole.ToolTipRole)
    assert all(f"U+{ord(character):04X}" in tip for character in text)


@pytest.mark.parametrize("text", ODD)
def test_gui_08_a_box_is_as_wide_as_what_stands_in_it(person: Person, text: str) -> None:
    person.session._take_model(model_of(text, "b"), None, None)
    person.session.set_text(text + "b")
    person.waits()
    sheet = person.window.questions.best_paths.rows
    line = sheet.lines[0]
    widths = [sheet.shaper.width(piece, PIECE) for piece in line.pieces]
    boxes = [sheet.brick_rect(0, brick) for brick in range(len(line.pieces))]
    assert all(box.width() > width > 0.0 for box, width in zip(boxes, widths, strict=True))
    assert all(a.right() <= b.left() for a, b in pairwise(boxes))


# GUI-09: a drawing wider than any image.


@pytest.mark.qt_log_ignore("^Invalid path data; path truncated.$")  # Qt reads no outlines of 6000 bricks in one path
def test_gui_09_a_drawing_too_wide_for_an_image_is_refused_with_a_way_out(person: Person, tmp_path: Path) -> None:
    person.session._take_model(model_of("a", "b", "ab", "▁"), None, None)
    person.session.set_text("ab " * 2000)
    person.waits()
    person.window.pictures.save("lattice", tmp_path / "wide.png")
    assert "save it as SVG" in person.window.strip.label.text()
    assert not list(tmp_path.iterdir())
    person.window.pictures.save("lattice", tmp_path / "wide.svg")
    svg = QSvgRenderer(str(tmp_path / "wide.svg"))
    assert svg.isValid()
    assert svg.viewBox().width() > 32_767
    end = QImage(400, svg.viewBox().height(), QImage.Format.Format_RGB32)
    painter = QPainter(end)
    painter.translate(400 - svg.viewBox().width(), 0)
    svg.render(painter, svg.viewBoxF())
    painter.end()
    assert len({end.pixel(x, y) for x in range(400) for y in range(end.height())}) > 10


def test_gui_09_a_smaller_scale_is_said(person: Person, tmp_path: Path) -> None:
    said: list[str] = []
    person.session.remarked.connect(said.append)
    person.window.resize(person.window.width(), person.window.height())
    person.session._take_model(model_of("a", "b", "ab", "▁"), None, None)
    person.session.set_text("ab " * 400)
    person.waits()
    figure = figures.figure_of(person.window.lattice)
    assert 16_000 < figure.width < 60_000
    person.window.pictures.save("lattice", tmp_path / "wide.png")
    assert QImage(str(tmp_path / "wide.png")).width() <= 32_000
    assert "32,000" in said[-1]


# GUI-14: right to left.

RIGHT_TO_LEFT = ("▁שלום", "(א)", "123", "▁سنة", "\u200f")


def test_gui_14_pieces_from_right_to_left_stand_in_logical_order_and_are_copied_as_they_are(person: Person) -> None:
    person.session._take_model(model_of(*RIGHT_TO_LEFT), None, None)
    person.session.set_text("".join(RIGHT_TO_LEFT))
    person.waits()
    seen = person.session.exploration
    assert seen is not None
    assert seen.n_best[0].pieces == RIGHT_TO_LEFT
    sheet = person.window.questions.best_paths.rows
    lefts = [sheet.brick_rect(0, brick).left() for brick in range(5)]
    assert lefts == sorted(lefts)
    table, view = person.window.vocabulary.item_model, person.window.vocabulary.table
    for text in RIGHT_TO_LEFT:
        row = next(i for i in range(table.rowCount()) if table.value(i, columns.PIECE) == text)
        view.setFocus()
        view.selectRow(table.row_of(row))
        person.bot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
        assert QGuiApplication.clipboard().text().split("\t")[columns.PIECE] == text


def test_gui_14_a_name_from_right_to_left_does_not_turn_the_sentence_around_it(person: Person, tmp_path: Path) -> None:
    path = tmp_path / "מודל (1).model"
    model_of("a", "b").save(path)
    person.opens(path)
    assert person.window.left_status.text() == "\u2068מודל (1).model\u2069, 2 pieces and <unk>, opened"
