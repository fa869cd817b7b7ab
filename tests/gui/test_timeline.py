"""Moving through a training: one moment for every view, by slider, keys, menu, curve, or on its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from pytestqt.qtbot import QtBot

from tests.gui.conftest import SECONDS, Person
from tests.helpers.toy_models import golden
from unigram_gui.item_models import vocabulary as columns
from unigram_gui.item_models.ordered_table import VALUE_ROLE


@pytest.fixture
def learned(person: Person) -> Iterator[Person]:
    """Somebody who trained on abc, typed abc and opened the timeline."""
    person.opens_sample("abc")
    person.trains("Teaching")
    person.types("abc")
    menu(person, "Time&line").trigger()
    yield person
    person.session.replay.pause()


def menu(person: Person, title: str) -> QAction:
    return next(action for action in person.window.findChildren(QAction) if action.text() == title)


def pieces(person: Person) -> dict[str, float]:
    table = person.window.vocabulary.item_model
    rows = range(table.rowCount())
    return {
        table.index(i, columns.PIECE).data(VALUE_ROLE): table.index(i, columns.P).data(VALUE_ROLE) for i in rows
    }


def test_before_training_abc_is_one_piece_of_81_percent(learned: Person) -> None:
    menu(learned, "Be&fore training").trigger()
    learned.waits()
    assert learned.window.segmentation.tokens[0][0] == "abc"
    assert learned.session.exploration is not None
    assert learned.session.exploration.shares[0] == pytest.approx(0.81, abs=1e-12)
    assert learned.window.timeline.label.text() == "before training"
    assert [p for piece, p in pieces(learned).items() if piece != "<unk>"] == pytest.approx([1 / 9] * 9)


def test_back_at_the_end_abc_is_two_pieces_again(learned: Person) -> None:
    menu(learned, "Be&fore training").trigger()
    learned.waits()
    menu(learned, "&After training").trigger()
    learned.waits()
    assert [text for text, _ in learned.window.segmentation.tokens] == ["a", "bc"]
    assert learned.window.timeline.label.text() == "round 4, update 2"
    assert pieces(learned)["abc"] == pytest.approx(0.02341, abs=5e-6)


def test_the_slider_moves_by_keys_and_everything_follows(learned: Person) -> None:
    slider = learned.window.timeline.slider
    learned.bot.keyClick(slider, Qt.Key.Key_Home)
    learned.bot.keyClick(slider, Qt.Key.Key_PageUp)
    learned.waits()
    assert learned.window.timeline.label.text() == "round 1, pruned"
    assert "bca" not in pieces(learned)
    assert learned.window.pruning.rounds.currentIndex() == 0
    assert learned.window.objective.moment_line.isVisible()


def test_a_click_on_the_slider_goes_there(learned: Person) -> None:
    slider = learned.window.timeline.slider
    learned.bot.mouseClick(slider, Qt.MouseButton.LeftButton, pos=QPoint(round(slider.place_x(3)), 15))
    learned.waits()
    assert learned.session.replay.place == 3


def test_counts_and_losses_of_a_moment_stand_in_the_vocabulary(learned: Person) -> None:
    learned.window.timeline.slider.setValue(2)
    learned.waits()
    table = learned.window.vocabulary.item_model
    losses = {table.index(i, 1).data(VALUE_ROLE): table.index(i, columns.LOSS).data(VALUE_ROLE) for i in range(10)}
    assert losses["bca"] == pytest.approx(0.006503, abs=5e-7)
    learned.window.timeline.slider.setValue(1)
    learned.waits()
    assert all(np.isnan(table.index(i, columns.LOSS).data(VALUE_ROLE)) for i in range(10))
    assert [table.index(i, columns.LOSS).data() for i in range(1, 5)] == ["protected"] * 3 + [""]


def test_the_picked_piece_stays_picked_under_another_number(learned: Person) -> None:
    assert learned.session.model is not None
    learned.session.pick_piece(learned.session.model.pieces.id_of("abc") or 0)
    menu(learned, "Be&fore training").trigger()
    learned.waits()
    shown = learned.session.shown_model
    assert shown is not None
    assert shown.pieces.texts[learned.session.picked_piece] == "abc"


def test_the_vocabulary_that_is_saved_stays_the_finished_one(learned: Person) -> None:
    finished = learned.session.model
    menu(learned, "Be&fore training").trigger()
    learned.waits()
    assert learned.session.model is finished


def test_a_click_on_the_curve_goes_to_its_update(learned: Person) -> None:
    learned.window.objective.update_requested.emit(0)
    learned.waits()
    assert learned.window.timeline.label.text() == "round 1, update 1"


def test_playing_shows_every_moment_in_turn_and_stops_at_the_end(learned: Person, qtbot: QtBot) -> None:
    seen: list[int] = []
    learned.session.replay.set_speed(200.0)
    learned.session.replay.place_changed.connect(seen.append)
    learned.window.timeline.play.click()
    assert learned.window.timeline.play.text() == "Pause"
    qtbot.waitUntil(lambda: not learned.session.replay.is_playing, timeout=SECONDS)
    assert seen == list(range(12))
    assert learned.window.timeline.play.text() == "Play"


def test_filtering_at_another_moment_finds_the_pieces_of_then(learned: Person) -> None:
    menu(learned, "Be&fore training").trigger()
    learned.waits()
    learned.window.vocabulary.filter.setText("ca")
    learned.waits()
    assert set(pieces(learned)) == {"ca", "bca", "cab"}


def test_the_corpus_table_is_that_of_the_moment(learned: Person) -> None:
    menu(learned, "Be&fore training").trigger()
    learned.waits()
    table = learned.window.corpus.item_model
    tokens = {table.index(i, 0).data(): table.index(i, 3).data() for i in range(8)}
    assert tokens["abc"] == "1"


def test_an_opened_vocabulary_has_no_timeline(learned: Person) -> None:
    assert learned.session.model is not None
    learned.session._take_model(learned.session.model, None, None)
    assert not learned.window.timeline.slider.isEnabled()
    assert learned.session.shown_model is learned.session.model


def test_the_window_begins_without_a_timeline(person: Person) -> None:
    assert not person.window.timeline.isVisible()


def test_best_paths_set_the_share_before_training_beside_that_of_now(person: Person) -> None:
    person.opens_sample("abc")
    person.trains("Teaching")
    person.types("abc")
    lines = person.window.questions.best_paths.rows.lines
    by_cut = {" ".join(line.pieces): line for line in lines}
    assert by_cut["a bc"].is_best
    assert by_cut["abc"].figures[3] == "81.0 %"
    for cut, share in golden("abc_experiment.json")["first_pass_shares"]["abc"].items():
        assert by_cut[cut.replace("|", " ")].tick == pytest.approx(share, rel=1e-9)
    assert (by_cut["a bc"].share or 0.0) > 0.5
    assert "before training 81.0 %" in by_cut["abc"].spoken


def test_pieces_come_before_the_number_of_then(person: Person) -> None:
    person.opens_sample("abc")
    person.trains("Teaching")
    person.types("abc" * 30)
    lines = person.window.questions.best_paths.rows.lines
    assert [line.figures[3] for line in lines] == [""] * len(lines)
    assert all(line.tick is not None for line in lines)
    assert "before training" in lines[0].spoken


def test_the_best_path_before_training_is_listed_even_where_its_piece_is_gone(person: Person) -> None:
    person.opens_sample("abc")
    person.trains("Teaching")
    person.session.set_setting("vocab_size", 5)
    with person.bot.waitSignal(person.session.became_idle, timeout=SECONDS):
        person.window.training.train_button.click()
    person.types("abc")
    *_, last = person.window.questions.best_paths.rows.lines
    assert last.pieces == ("abc",)
    assert (last.share, last.figures[2:]) == (0.0, ("0 %", "81.0 %"))


def test_without_a_training_there_is_no_share_before_it(person: Person, tmp_path: Path) -> None:
    person.opens_sample("abc")
    person.trains("Teaching")
    person.types("abc")
    path = tmp_path / "alone.model"
    assert person.session.model is not None
    person.session.model.save(path)
    person.opens(path)
    assert all(line.tick is None for line in person.window.questions.best_paths.rows.lines)
