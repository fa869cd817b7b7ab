"""The experiment that can be checked by hand, done by hand: open `abc`, choose "Teaching", click Train, read.

The numbers are those of `tests/data/abc_experiment.json`, from enumerating all paths.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.gui.conftest import Person
from unigram_gui.item_models import pruning as pruning_columns
from unigram_gui.item_models import vocabulary as vocabulary_columns
from unigram_gui.item_models.ordered_table import VALUE_ROLE, OrderedTable
from unigram_gui.number_text import MINUS

REMOVED = ("bca", "ca", "cab")


def exactly(expected: Any) -> Any:
    """Return what equals `expected` to 1e-10 relative, 1e-12 absolute near zero."""
    return pytest.approx(expected, rel=1e-10, abs=1e-12)


@pytest.fixture(scope="module")
def golden() -> dict[str, Any]:
    path = Path(__file__).parent.parent / "data" / "abc_experiment.json"
    return dict(json.loads(path.read_text(encoding="utf-8")))


@pytest.fixture
def taught(person: Person) -> Person:
    person.opens_sample("abc")
    person.trains("Teaching")
    return person


def shown(table: OrderedTable, column: int) -> list[str]:
    return [str(table.index(row, column).data()) for row in range(table.rowCount())]


def values(table: OrderedTable, key: int, column: int) -> dict[str, float]:
    rows = range(table.rowCount())
    return {table.index(i, key).data(VALUE_ROLE): table.index(i, column).data(VALUE_ROLE) for i in rows}


def number(text: str) -> float:
    return float(text.replace(",", "").replace(MINUS, "-"))


def test_every_round_shows_its_probabilities_counts_and_losses(taught: Person, golden: dict[str, Any]) -> None:
    view = taught.window.pruning
    for i, expected in enumerate(golden["rounds"][:3]):
        view.rounds.setCurrentIndex(i)
        view.rounds.activated.emit(i)
        update = expected["em"][1]
        table = view.item_model
        assert values(table, pruning_columns.PIECE, pruning_columns.P) == exactly(update["probabilities_after"])
        assert values(table, pruning_columns.PIECE, pruning_columns.COUNT) == exactly(update["expected_counts"])
        losses = values(table, pruning_columns.PIECE, pruning_columns.LOSS)
        assert {piece: losses[piece] for piece in expected["delta"]} == exactly(expected["delta"])
        assert shown(table, pruning_columns.PIECE)[0] == REMOVED[i] == expected["removed"]
        assert shown(table, pruning_columns.VERDICT).count("removed") == 1


def test_the_losses_are_written_with_six_decimals(taught: Person, golden: dict[str, Any]) -> None:
    table = taught.window.pruning.item_model
    delta = golden["rounds"][2]["delta"]
    for piece, text in zip(
        shown(table, pruning_columns.PIECE), shown(table, pruning_columns.LOSS), strict=True
    ):
        assert number(text) == pytest.approx(delta[piece], abs=5e-7) if piece in delta else text == ""


def test_the_vocabulary_has_the_final_probabilities_and_ids(taught: Person, golden: dict[str, Any]) -> None:
    table = taught.window.vocabulary.item_model
    assert shown(table, vocabulary_columns.PIECE) == ["<unk>", "a", "b", "c", "ab", "bc", "abc"]
    assert shown(table, vocabulary_columns.ID) == ["0", "1", "2", "3", "4", "5", "6"]
    final = golden["rounds"][3]["em"][1]["probabilities_after"]
    shown_p = values(table, vocabulary_columns.PIECE, vocabulary_columns.P)
    assert {piece: shown_p[piece] for piece in final} == exactly(final)
    assert shown(table, vocabulary_columns.LOSS)[1:4] == ["protected"] * 3


def test_the_curve_goes_through_the_loss_after_every_update(taught: Person, golden: dict[str, Any]) -> None:
    expected = [update["loss_after"] for each in golden["rounds"] for update in each["em"]]
    assert taught.window.objective.losses().tolist() == exactly(expected)
    assert taught.window.training.loss_label.text() == "168.7401 nats"


def test_typing_abcabc_shows_its_pieces_ids_and_paths(taught: Person) -> None:
    taught.types("abcabc")
    window = taught.window
    assert window.segmentation.tokens == (("a", 1), ("bc", 5), ("a", 1), ("bc", 5))
    assert window.decode.ids.text() == "1 5 1 5"
    assert "16 paths" in window.lattice.summary.text()
    assert f"{MINUS}4.157 = ln P(x)" in window.lattice.summary.text()


def test_the_corpus_shows_tokens_and_loss_of_every_text(taught: Person) -> None:
    table = taught.window.corpus.item_model
    assert shown(table, 0) == ["a", "b", "c", "ab", "bc", "abc", "abca", "cab"]
    assert shown(table, 3) == ["1", "1", "1", "1", "1", "2", "3", "2"]
    assert shown(table, 4)[:4] == ["1.4468", "2.3406", "2.1711", "1.4455"]


def test_picking_abc_in_the_vocabulary_picks_it_in_every_view(taught: Person) -> None:
    taught.types("abcabc")
    taught.window.vocabulary.table.selectRow(6)
    assert taught.session.picked_piece == 6
    taught.window.segmentation.piece_picked.emit(1)
    rows = taught.window.vocabulary.table.selectionModel().selectedRows()
    assert [index.row() for index in rows] == [1]
