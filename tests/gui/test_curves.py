"""The curves of a training: what each shows, what hovering tells, where a click leads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QAction

from tests.gui.conftest import Person
from unigram_gui.views import curves as kinds
from unigram_gui.views.curves import CurvesView


@pytest.fixture
def opened(person: Person) -> Person:
    """Somebody who trained on abc and opened the curves from the menu."""
    person.opens_sample("abc")
    person.trains("Teaching")
    next(a for a in person.window.findChildren(QAction) if a.text() == "&Curves…").trigger()
    person.waits()
    return person


def view(person: Person) -> CurvesView:
    assert person.window.run.window is not None
    return person.window.run.window.curves


def test_the_loss_is_drawn_from_before_training_to_the_end(opened: Person) -> None:
    [loss] = view(opened).plot.series
    assert len(loss.y) == 12
    assert (loss.y[0], loss.y[-1]) == pytest.approx((221.64018, 168.7401), abs=1e-4)
    assert loss.words(0) == "before training\n9 learned pieces\n221.64 nats"


def test_the_second_update_of_a_round_gains_less_than_the_first(opened: Person) -> None:
    view(opened).turn_to(kinds.GAIN)
    first, second = view(opened).plot.series
    assert (first.name, second.name) == ("update 1", "update 2")
    assert first.y[0] == pytest.approx(48.2577, abs=5e-5)
    assert second.y[0] < first.y[0]
    assert len(first.y) == 4


@pytest.mark.parametrize("kind", [kinds.TOKENS, kinds.SIZE, kinds.ENTROPY])
def test_tokens_size_and_entropy_have_a_point_for_each_table(opened: Person, kind: int) -> None:
    view(opened).turn_to(kind)
    [shown] = view(opened).plot.series
    assert len(shown.y) == (8 if kind == kinds.TOKENS else 12)
    assert np.isfinite(shown.y).all()


def test_probability_by_rank_is_drawn_for_before_now_and_the_end(opened: Person) -> None:
    opened.session.replay.go_to(4)
    opened.waits()
    view(opened).turn_to(kinds.RANK)
    names = [one.name for one in view(opened).plot.series]
    assert names == ["before training", "round 2, update 1", "round 4, update 2"]
    assert [len(one.y) for one in view(opened).plot.series] == [9, 8, 6]


def test_followed_pieces_are_drawn_as_far_as_they_lived(opened: Person) -> None:
    view(opened).turn_to(kinds.PIECES)
    assert len(view(opened).plot.series) == 9
    view(opened).followed.setText("abc ca nothing")
    opened.waits()
    assert [(one.name, len(one.y)) for one in view(opened).plot.series] == [("abc", 12), ("ca", 6)]


def test_a_click_on_a_point_shows_its_moment(opened: Person) -> None:
    view(opened).plot.point_picked.emit(0, 3)
    opened.waits()
    assert opened.session.replay.place == 3


def test_curves_are_written_as_picture_without_being_shown(opened: Person, tmp_path: Path) -> None:
    assert opened.window.run.window is not None
    opened.window.run.window.export(tmp_path / "curve.png")
    assert (tmp_path / "curve.png").stat().st_size > 10_000


def test_without_a_training_there_are_no_curves_and_the_plot_says_why(person: Person) -> None:
    person.window.show_run(1)
    assert "Train on a corpus first" in view(person).plot.accessibleDescription()
