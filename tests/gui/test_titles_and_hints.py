"""What the window calls its vocabulary, and what it says is missing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QPixmap

from engine.model import UnigramModel
from tests.gui.conftest import Person
from unigram_gui.item_models.vocabulary import LOSS
from unigram_gui.status import title_of

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with two vocabularies, one of them long."""
    UnigramModel.from_probabilities({"a": 0.25, "b": 0.25, "ab": 0.5}).save(tmp_path / "ab.model")
    long = {f"a{i}": 0.002 for i in range(500)}
    for name in ("long", "longer"):
        UnigramModel.from_probabilities(long).save(tmp_path / f"{name}.model")
    return tmp_path


def test_the_title_names_the_vocabulary_and_marks_what_is_not_saved(person: Person, folder: Path) -> None:
    window = person.window
    assert (window.windowTitle(), window.isWindowModified()) == ("Unigram GUI", False)
    person.opens(folder / "ab.model")
    assert (window.windowTitle(), window.isWindowModified()) == ("ab.model[*] – Unigram GUI", False)
    person.types("ab")
    person.session.inquiry.ask("what_if")
    person.session.inquiry.select_span((0, 2))
    person.waits()
    person.bot.mouseClick(window.questions.what_if.disable, LEFT)
    person.waits()
    assert window.isWindowModified()
    window.asking.undo()
    assert not window.isWindowModified()
    person.opens_sample("abc")
    person.trains()
    assert (window.windowTitle(), window.isWindowModified()) == ("trained on abc.tsv[*] – Unigram GUI", True)
    person.session.save_model(folder / "own.model")
    person.waits()
    assert (window.windowTitle(), window.isWindowModified()) == ("own.model[*] – Unigram GUI", False)


def test_a_name_that_looks_like_the_mark_is_a_name() -> None:
    model = UnigramModel.from_probabilities({"a": 1.0})
    assert title_of(model, "", "a[*].model") == "a[*][*].model[*] – Unigram GUI"


def test_another_vocabulary_is_shown_from_its_first_piece(person: Person, folder: Path) -> None:
    person.opens(folder / "long.model")
    scroll = person.window.vocabulary.table.verticalScrollBar()
    scroll.setValue(scroll.maximum())
    assert scroll.value() > 0
    person.opens(folder / "longer.model")
    assert scroll.value() == 0


def test_nobody_is_asked_for_a_text_that_is_there(person: Person, folder: Path) -> None:
    person.session.parity.show(True)
    lattice, others = person.window.lattice.view, person.window.other_rules
    person.types("ab")
    for hint in (lattice.hint, others.spoken()):
        assert hint.startswith("Train on a corpus, or open a vocabulary")
    hints: list[str] = []
    person.session.model_changed.connect(lambda _: hints.extend([lattice.hint, others.spoken()]))
    person.opens(folder / "ab.model")
    assert hints == ["", ""]
    person.window.text_input.setFocus()
    person.bot.keySequence(person.window.text_input, "Ctrl+A")
    person.bot.keyClick(person.window.text_input, Qt.Key.Key_Backspace)
    person.waits()
    assert lattice.hint.startswith("Type a text")
    assert others.spoken().startswith("Type a text")


def test_a_vocabulary_that_was_saved_under_another_name_is_compared_under_it(person: Person, folder: Path) -> None:
    person.opens(folder / "ab.model")
    compare = person.window.compare.open()
    comparing = person.session.comparing
    comparing.choose(0, comparing.sources[0])
    assert compare.choosers.choices[0].currentText() == "ab.model (open)"
    person.session.save_model(folder / "renamed.model")
    person.waits()
    assert compare.choosers.choices[0].currentText() == "renamed.model (open)"
    comparing.add_file(1, folder / "long.model")
    person.waits()
    assert comparing.text_pair is not None
    assert comparing.text_pair.name_a == "renamed.model"


def test_a_ticked_box_has_a_tick_and_a_plain_list_an_arrow(person: Person) -> None:
    """Both are pictures of the style sheet, one for each theme: a file that is missing would leave them out."""
    for name in ("light", "dark"):
        person.window.choose_theme(name)
        pictures = re.findall(r'url\("(.+?)"\)', person.window.styleSheet())
        assert len(pictures) == 2
        assert not any(QPixmap(picture).isNull() for picture in pictures)


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_the_list_of_presets_is_as_wide_as_its_names(person: Person) -> None:
    presets = person.window.training.presets
    presets.setFixedWidth(60)
    presets.showPopup()
    assert presets.view().width() >= presets.view().sizeHintForColumn(0) > 60
    presets.hidePopup()


def test_the_column_of_losses_has_room_for_its_words_before_there_is_a_loss(person: Person) -> None:
    person.opens_sample("abc")
    person.trains()
    person.window.replaying.go_to_end(first=True)
    person.waits()
    vocabulary = person.window.vocabulary
    losses = [vocabulary.item_model.cell(row, LOSS) for row in range(vocabulary.item_model.n_source_rows())]
    assert "protected" in losses
    assert vocabulary.table.columnWidth(LOSS) >= vocabulary.table.width_for(LOSS, losses)
