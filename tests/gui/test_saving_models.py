"""Every real model is saved from the window: untouched, converted there and back, and with one score changed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog

from engine.edits import RescorePiece
from engine.model import load_model
from engine.pieces import PieceType
from tests.gui.conftest import Person
from tests.helpers.shared_data import MODELS

QUICK = {"sp_test_model.model", "kerashub_gemma4_test_vocab.spm", "ort_nmt_vocab.joint.spm"}
EVERY = [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in MODELS]


class Saver:
    """A person with a model open, who saves it by the menu's key and the file dialog."""

    def __init__(self, person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
        self.person, self._patch = person, monkeypatch

    def saves_as(self, path: Path) -> bytes:
        self._patch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
        self.person.bot.keyClick(self.person.window, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
        self.person.waits()
        return path.read_bytes()


@pytest.fixture
def saver(person: Person, monkeypatch: pytest.MonkeyPatch) -> Saver:
    return Saver(person, monkeypatch)


@pytest.mark.parametrize("name", EVERY)
def test_untouched_it_is_saved_as_its_original_bytes(saver: Saver, shared: Path, tmp_path: Path, name: str) -> None:
    path = shared / "data" / "models" / name
    saver.person.opens(path)
    assert saver.saves_as(tmp_path / f"copy{path.suffix}") == path.read_bytes()


@pytest.mark.parametrize("name", EVERY)
def test_scores_keep_their_bits_there_and_back(saver: Saver, shared: Path, tmp_path: Path, name: str) -> None:
    path = shared / "data" / "models" / name
    saver.person.opens(path)
    saver.saves_as(tmp_path / "tokenizer.json")
    saver.person.opens(tmp_path / "tokenizer.json")
    saver.saves_as(tmp_path / "again.model")
    before, after = load_model(path).pieces, load_model(tmp_path / "again.model").pieces
    assert before.texts == after.texts
    bits = [pieces.log_probs.astype(np.float32).view(np.int32).tolist() for pieces in (before, after)]
    assert bits[0] == bits[1]


@pytest.mark.parametrize("name", EVERY)
def test_edited_it_keeps_every_other_byte(saver: Saver, shared: Path, tmp_path: Path, name: str) -> None:
    path = shared / "data" / "models" / name
    saver.person.opens(path)
    model = saver.person.session.model
    assert model is not None
    piece = int(np.flatnonzero(model.pieces.types == PieceType.NORMAL)[-1])
    inquiry = saver.person.session.inquiry
    inquiry.try_edit(RescorePiece(piece, -7.25))
    saver.person.waits()
    inquiry.keep()
    saver.person.waits()
    before, after = path.read_bytes(), saver.saves_as(tmp_path / "edited.model")
    assert load_model(tmp_path / "edited.model").pieces.log_probs[piece] == -7.25
    assert len(after) == len(before)
    differing = np.flatnonzero(np.frombuffer(before, np.uint8) != np.frombuffer(after, np.uint8))
    assert len(differing) >= 1
    assert differing[-1] - differing[0] < 4
