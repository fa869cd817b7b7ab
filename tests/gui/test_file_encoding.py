"""A person encodes a whole file from the menu, watches it, and stops it; and saves in other formats."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QProgressDialog, QPushButton

from engine import UnigramModel, load_model
from engine.encoded_files import FORMATS
from tests.gui.conftest import SECONDS, Person
from unigram_gui import dialogs
from unigram_gui.file_encoding import format_of


def action(person: Person, title: str) -> QAction:
    return next(found for found in person.window.findChildren(QAction) if found.text() == title)


def progress_of(person: Person) -> QProgressDialog | None:
    return person.window.file_encoding.progress


@pytest.fixture
def able(person: Person, tmp_path: Path) -> Person:
    """Return a person with a small vocabulary open."""
    UnigramModel.from_probabilities({"a": 0.5, "b": 0.25, "ab": 0.25}).save(tmp_path / "ab.model")
    person.opens(tmp_path / "ab.model")
    return person


def answers(monkeypatch: pytest.MonkeyPatch, source: Path, output: Path, chosen: str = "") -> None:
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(source), ""))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(output), chosen))


def test_a_file_is_encoded_from_the_menu(able: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "texts.txt").write_text("aab\n\nb\n", encoding="utf-8")
    answers(monkeypatch, tmp_path / "texts.txt", tmp_path / "out", "JSON lines (*.jsonl)")
    action(able, "E&ncode a file…").trigger()
    assert progress_of(able) is not None
    able.waits()
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["text"] for row in rows] == ["aab", "", "b"]
    assert progress_of(able) is None
    assert able.window.strip.isVisible()
    n = sum(len(row["ids"]) for row in rows)
    assert able.window.strip.label.text() == f"Wrote {tmp_path / 'out.jsonl'}: 3 texts, {n} tokens."


def test_encoding_that_is_stopped_writes_nothing(able: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "texts.txt").write_text("aab ab b\n" * 200_000, encoding="utf-8")
    answers(monkeypatch, tmp_path / "texts.txt", tmp_path / "out.pieces")
    with able.bot.waitSignal(able.session.file_encoding_progressed, timeout=SECONDS):
        action(able, "E&ncode a file…").trigger()
    progress = progress_of(able)
    assert progress is not None
    assert 0 < progress.value() < progress.maximum()
    share = f"{progress.value() / progress.maximum():.0%}"
    assert progress.labelText() == f"Encoding texts.txt: {share}"
    progress.show()
    button = progress.findChild(QPushButton)
    assert button is not None
    assert button.text() == "Stop"
    able.bot.mouseClick(button, Qt.MouseButton.LeftButton)
    able.waits()
    assert progress_of(able) is None
    assert not (tmp_path / "out.pieces").exists()
    assert not able.window.strip.isVisible()


def test_a_file_that_is_no_text_is_one_sentence(able: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "texts.txt").write_bytes(b"ab\n\xff\xfe\n")
    answers(monkeypatch, tmp_path / "texts.txt", tmp_path / "out.ids")
    action(able, "E&ncode a file…").trigger()
    able.waits()
    assert "texts.txt" in able.window.strip.label.text()
    assert progress_of(able) is None


def test_nothing_is_encoded_without_a_vocabulary(person: Person) -> None:
    assert not action(person, "E&ncode a file…").isEnabled()


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_can_be_chosen(name: str) -> None:
    assert f"(*.{name})" in dialogs.ENCODED_FILES
    assert format_of(Path(f"x.{name.upper()}")) == name


@pytest.mark.parametrize(
    ("title", "chosen", "suffix"),
    [
        ("&Save vocabulary…", "tokenizer.json of HF tokenizers (*.json)", ".json"),
        ("Export vocabulary as a &table…", "Comma-separated values (*.csv)", ".csv"),
    ],
)
def test_other_formats_are_saved_by_choosing_them(
    able: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, title: str, chosen: str, suffix: str
) -> None:
    answers(monkeypatch, tmp_path, tmp_path / "saved", chosen)
    action(able, title).trigger()
    able.waits()
    assert load_model(tmp_path / f"saved{suffix}").pieces.texts == ("<unk>", "a", "b", "ab")


@pytest.mark.parametrize("is_safe", [True, False])
def test_a_table_is_made_safe_for_spreadsheets_where_that_is_chosen(
    person: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_safe: bool
) -> None:
    UnigramModel.from_probabilities({"=1+1": 0.5, "a": 0.5}).save(tmp_path / "m.model")
    person.opens(tmp_path / "m.model")
    kinds = [kind for kind in dialogs.TSV_FILES.split(";;") if ".csv" in kind and (dialogs.SAFE in kind) == is_safe]
    answers(monkeypatch, tmp_path, tmp_path / "table", kinds[0])
    action(person, "Export vocabulary as a &table…").trigger()
    person.waits()
    assert ("\n=1+1" in (tmp_path / "table.csv").read_text(encoding="utf-8")) != is_safe
    assert load_model(tmp_path / "table.csv").pieces.texts == ("<unk>", "=1+1", "a")


@pytest.mark.parametrize("is_wanted", [True, False])
def test_a_completed_name_replaces_no_file_unasked(
    able: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_wanted: bool
) -> None:
    (tmp_path / "saved.csv").write_text("old", encoding="utf-8")
    answers(monkeypatch, tmp_path, tmp_path / "saved", "Comma-separated values (*.csv)")
    monkeypatch.setattr(dialogs, "confirm", lambda *_: is_wanted)
    action(able, "Export vocabulary as a &table…").trigger()
    able.waits()
    assert ((tmp_path / "saved.csv").read_text(encoding="utf-8") != "old") == is_wanted
