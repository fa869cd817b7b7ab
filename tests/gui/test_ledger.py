"""The pruning ledger on screen: every criterion of every piece, when a piece went and why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QAbstractItemModelTester

from tests.gui.conftest import Person
from unigram_gui.item_models import ledger as columns
from unigram_gui.item_models.ordered_table import VALUE_ROLE
from unigram_gui.run_window import RunWindow
from unigram_gui.views.ledger import LedgerView


@pytest.fixture(scope="module")
def golden() -> dict[str, Any]:
    path = Path(__file__).parent.parent / "data" / "abc_experiment.json"
    return dict(json.loads(path.read_text(encoding="utf-8")))


@pytest.fixture
def opened(person: Person) -> Person:
    """Somebody who trained on abc and opened the ledger from the menu."""
    person.opens_sample("abc")
    person.trains("Teaching")
    next(a for a in person.window.findChildren(QAction) if a.text() == "Pruning &ledger…").trigger()
    person.waits()
    return person


def run_window(person: Person) -> RunWindow:
    assert person.window.run.window is not None
    return person.window.run.window


def view(person: Person) -> LedgerView:
    return run_window(person).ledger


def column(person: Person, number: int) -> dict[str, Any]:
    table = view(person).item_model
    rows = range(table.rowCount())
    return {table.index(i, columns.PIECE).data(VALUE_ROLE): table.index(i, number).data(VALUE_ROLE) for i in rows}


def chooses(person: Person, place: int) -> None:
    view(person).rounds.setCurrentIndex(place)
    view(person).rounds.activated.emit(place)
    person.waits()


def test_exact_losses_of_every_round_are_the_golden_ones(opened: Person, golden: dict[str, Any]) -> None:
    for place, expected in enumerate(golden["rounds"][:3]):
        chooses(opened, place)
        losses = column(opened, columns.EXACT)
        assert {piece: losses[piece] for piece in expected["delta"]} == pytest.approx(expected["delta"], rel=1e-9)
        verdicts = column(opened, columns.VERDICT)
        assert [piece for piece, verdict in verdicts.items() if verdict == "gone"] == [expected["removed"]]


def test_every_criterion_and_the_best_other_split_are_there(opened: Person) -> None:
    chooses(opened, 0)
    for number in (columns.VITERBI, columns.APPROXIMATE, columns.SIMPLE):
        assert not np.isnan(column(opened, number)["ab"])
    assert column(opened, columns.SPLIT)["abc"] == "a | bc"
    assert column(opened, columns.BEST)["ab"] > 0
    assert column(opened, columns.REASON)["a"] == "protected"
    assert column(opened, columns.REASON)["ab"] == "above the line"
    assert "rank correlation" in view(opened).criteria.correlation.text()


def test_asking_for_ca_says_when_it_went_and_why(opened: Person) -> None:
    opened.bot.keyClicks(view(opened).question, "ca")
    opened.waits()
    assert view(opened).answer.text().startswith("ca went in round 2: loss 0.000882 nats")
    assert view(opened).rounds.currentIndex() == 1
    picked = view(opened).table.selectionModel().selectedRows()
    assert [index.data(VALUE_ROLE) for index in picked] == ["ca"]


def test_a_piece_that_stayed_and_one_that_never_was_are_told_apart(opened: Person) -> None:
    for typed, said in (("abc", "abc stayed: above the line"), ("xyz", "xyz never was a candidate.")):
        view(opened).question.setText(typed)
        opened.waits()
        assert view(opened).answer.text().startswith(said)


def test_picking_a_piece_shows_the_texts_that_miss_it_and_entering_one_studies_it(opened: Person) -> None:
    chooses(opened, 0)
    row = list(column(opened, columns.PIECE)).index("bc")
    view(opened).table.selectRow(row)
    opened.waits()
    texts = view(opened).hurt.item_model
    assert texts.index(0, 0).data() == "bc"
    total = sum(texts.index(i, 2).data(VALUE_ROLE) for i in range(texts.rowCount()))
    assert total == pytest.approx(column(opened, columns.EXACT)["bc"], rel=1e-9)
    view(opened).hurt.table.activated.emit(texts.index(0, 0))
    opened.waits()
    assert opened.session.text == "bc"


def test_a_piece_that_was_too_rare_is_told_to_have_no_losses(person: Person) -> None:
    person.opens_sample("prose")
    person.trains("Unigram GUI")
    next(a for a in person.window.findChildren(QAction) if a.text() == "Pruning &ledger…").trigger()
    person.waits()
    chooses(person, 0)
    model = view(person).item_model
    rows = [model.index(i, columns.REASON).data() for i in range(model.rowCount())]
    row = next(i for i, reason in enumerate(rows) if reason.startswith("count under threshold"))
    with person.bot.assertNotEmitted(person.session.failed):
        view(person).table.selectRow(row)
        person.waits()
    assert "went before the losses were computed" in view(person).hurt.table.accessibleDescription()


def test_the_sorted_losses_have_their_line(opened: Person) -> None:
    chooses(opened, 0)
    plot = view(opened).losses
    gone, kept = plot.series
    assert gone.y.max() < kept.y.min()
    assert [mark.value for mark in plot._marks] == [gone.y.max()]
    assert "bca" in gone.words(0)


def test_a_click_on_a_point_picks_its_piece(opened: Person) -> None:
    chooses(opened, 0)
    view(opened).losses.row_picked.emit(int(view(opened).losses._parts[0][0]))
    picked = view(opened).table.selectionModel().selectedRows()
    assert [index.data(VALUE_ROLE) for index in picked] == ["bca"]


def test_arrows_walk_along_the_points_of_a_plot(opened: Person) -> None:
    plot = view(opened).losses
    opened.bot.keyClick(plot, Qt.Key.Key_Right)
    first = plot.hover_label.textItem.toPlainText()
    opened.bot.keyClick(plot, Qt.Key.Key_Down)
    assert plot.hover_label.textItem.toPlainText() != first
    assert plot.accessibleDescription() == plot.hover_label.textItem.toPlainText()


def test_hovering_over_a_point_tells_its_piece(opened: Person) -> None:
    chooses(opened, 0)
    plot = view(opened).losses
    x, y = plot._shown.x[1][0], plot._shown.y[1][0]
    plot._hover(plot.plot.getViewBox().mapViewToScene(QPointF(x, y)))
    assert plot.hover_label.isVisible()
    assert plot.hover_label.textItem.toPlainText().startswith(plot.series[1].words(0).split("\n")[0])


def test_only_the_gone_are_shown_where_that_is_asked(opened: Person) -> None:
    chooses(opened, 0)
    view(opened).ways.setCurrentText("gone")
    assert list(column(opened, columns.PIECE)) == ["bca"]


def test_another_corpus_leaves_the_recorded_losses_and_says_why(opened: Person, tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text("something else entirely\n", encoding="utf-8")
    opened.opens(other)
    chooses(opened, 1)
    assert "open abc.tsv to see the other criteria" in view(opened).note.toolTip()
    assert not np.isnan(column(opened, columns.EXACT)["ab"])
    assert np.isnan(column(opened, columns.VITERBI)["ab"])


def test_the_page_is_written_as_picture(opened: Person, tmp_path: Path) -> None:
    run_window(opened).export(tmp_path / "ledger.svg")
    assert (tmp_path / "ledger.svg").read_text(encoding="utf-8").count("<path") > 20


def test_the_ledgers_model_keeps_qts_rules(opened: Person) -> None:
    QAbstractItemModelTester(view(opened).item_model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    for number in range(11):
        view(opened).item_model.sort(number)


def test_without_a_training_the_ledger_says_what_to_do(person: Person) -> None:
    person.window.show_run()
    assert "Train on a corpus first" in view(person).table.accessibleDescription()


def test_on_the_sample_the_less_probable_piece_is_the_dearer_whatever_the_simple_rule_says(person: Person) -> None:
    person.opens_sample("rare_but_dear")
    person.trains("Teaching")
    person.window.show_run()
    person.waits()
    chooses(person, 0)
    p, exact, simple = (column(person, number) for number in (columns.P, columns.EXACT, columns.SIMPLE))
    assert p["ab"] < p["cd"] / 4
    assert exact["ab"] > 10 * exact["cd"]
    assert simple["ab"] < simple["cd"] / 3


def test_counts_name_special_pieces_apart_and_protected_ones_are_not_at_risk(opened: Person) -> None:
    history = opened.session.history
    assert history is not None
    before, after = history.prunings[0].n_before, history.prunings[0].n_after
    assert view(opened).rounds.itemText(0) == f"round 1:  {before} → {after} + 1 special pieces"
    chooses(opened, len(history.prunings) - 1)
    told = view(opened).note.toolTip() or view(opened).note.text()
    n, n_protected = len(history.prunings[-1].pieces), history.n_characters
    assert f"{n - n_protected} at risk" in told
    assert f"{n_protected} protected" in told
    reasons = [reason for reason in column(opened, columns.REASON).values() if reason.endswith("the line")]
    assert set(reasons) <= {"up to the line", "above the line"}
    # What the vocabulary has in the end is what the last round left, with the special piece.
    assert opened.session.model is not None
    assert len(opened.session.model.pieces) == history.prunings[-1].n_after + 1
    assert opened.window.timeline.figures.text().startswith(f"{history.prunings[-1].n_after} + 1 special pieces")
    assert opened.window.pruning.rounds.itemText(0).endswith("+ 1 special pieces")


def test_the_axis_of_sorted_losses_counts_in_whole_numbers(opened: Person) -> None:
    axis = view(opened).losses.plot.getAxis("bottom")
    levels = axis.tickValues(0.9, 4.1, 600)
    ticks = [value for _, values in levels for value in values]
    assert ticks
    assert all(float(value).is_integer() for value in ticks)
