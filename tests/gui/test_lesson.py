"""The sums of one update, one at a time, with the numbers that a person finds by hand."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QAction

from tests.gui.conftest import Person
from unigram_gui.number_text import MINUS
from unigram_gui.views.lesson import LessonView


@pytest.fixture
def opened(person: Person) -> Person:
    """Somebody who trained on abc, went to the first update and opened its sums."""
    person.opens_sample("abc")
    person.trains("Teaching")
    person.session.replay.go_to(1)
    next(a for a in person.window.findChildren(QAction) if a.text() == "S&ums of one update…").trigger()
    person.session.replay.teach("ab")
    person.waits()
    return person


def view(person: Person) -> LessonView:
    assert person.window.run.window is not None
    return person.window.run.window.lesson


def test_the_e_step_of_ab_is_told_text_by_text(opened: Person) -> None:
    steps = view(opened).steps
    assert "ab: 24 × share 0.9 = 21.6, so far 21.6" in steps[1]
    assert steps[5].startswith("C(ab) = 21.6 + 1.08 + 0.664207 + 0.18 = <b>23.524207</b>")


def test_the_m_step_says_why_and_gives_the_probability_of_the_table(opened: Person) -> None:
    assert any("∂L/∂p(t)" in step for step in view(opened).steps)
    shown = opened.session.shown_model
    assert shown is not None
    number = shown.pieces.id_of("ab")
    assert number is not None
    p = 2.718281828459045 ** float(shown.pieces.log_probs[number])
    assert any(f"<b>{p:.6f}".rstrip("0") in step for step in view(opened).steps)


def test_one_sum_is_added_at_a_time_and_taken_back(opened: Person) -> None:
    page = view(opened)
    assert page.shown == 1
    page.forth.click()
    page.forth.click()
    assert page.page.toPlainText().count("so far") == 2
    page.back.click()
    assert page.page.toPlainText().count("so far") == 1
    page.all.click()
    assert "nats" in page.page.toPlainText().splitlines()[-1]
    assert not page.forth.isEnabled()


def test_a_character_is_protected(opened: Person) -> None:
    opened.session.replay.teach("a")
    opened.waits()
    assert view(opened).steps[-1].endswith("a is a single character: it is protected.")


def test_a_large_corpus_has_no_lesson(person: Person) -> None:
    person.opens_sample("prose")
    person.trains()
    person.window.show_run(2)
    person.waits()
    assert view(person).steps == ()
    assert "small corpus" in view(person).page.toPlainText()
    assert MINUS not in view(person).page.toPlainText()
