"""A corpus of a million distinct texts: the window stays awake while it is shown, sorted and filtered."""

from __future__ import annotations

import time

import numpy as np
import pytest
from PySide6.QtCore import Qt, QTimer

from engine.corpus import Corpus
from tests.gui.conftest import SECONDS, Person
from unigram_gui.item_models import corpus as columns

N = 1_000_000
LATEST = 0.1  # seconds that the window may be held up


def million() -> Corpus:
    """Return texts of eight digits in a shuffled order, with counts."""
    numbers = np.random.default_rng(0).permutation(N)
    digits = (numbers[:, None] // 10 ** np.arange(7, -1, -1)) % 10 + ord("0")
    utf8 = digits.astype(np.uint8).ravel()
    offsets = np.arange(N + 1, dtype=np.int64) * 8
    counts = (numbers % 97 + 1).astype(np.int64)
    return Corpus("many", utf8, offsets, counts, np.full(N, 8, dtype=np.int32), (), 0)


class Pulse:
    """Notes how late a timer of 5 ms ever was."""

    def __init__(self) -> None:
        self.latest = 0.0
        self._last = time.perf_counter()
        self._timer = QTimer()
        self._timer.timeout.connect(self._tick)
        self._timer.start(5)

    def _tick(self) -> None:
        now = time.perf_counter()
        self.latest = max(self.latest, now - self._last - 0.005)
        self._last = now


@pytest.fixture
def shown(person: Person) -> Person:
    person.session.corpus = million()
    person.session.corpus_changed.emit(person.session.corpus)
    person.waits()
    return person


def texts(person: Person) -> list[str]:
    table = person.window.corpus.item_model
    return [table.index(row, columns.TEXT).data() for row in range(3)]


def test_sorting_and_filtering_never_hold_up_the_window(shown: Person) -> None:
    pulse, table = Pulse(), shown.window.corpus.table
    for column, order in (
        (columns.TEXT, Qt.SortOrder.AscendingOrder), (columns.N, Qt.SortOrder.DescendingOrder),
        (columns.TEXT, Qt.SortOrder.DescendingOrder),
    ):  # fmt: skip
        with shown.bot.waitSignal(shown.window.corpus.item_model.layoutChanged, timeout=SECONDS):
            table.sortByColumn(column, order)
    assert texts(shown) == ["00999999", "00999998", "00999997"]
    with shown.bot.waitSignal(shown.session.corpus_rows_changed, timeout=SECONDS):
        shown.window.corpus.filter.setText("0042")
    assert texts(shown)[0] == "00990042"
    table.scrollToBottom()
    shown.bot.wait(50)
    # Three times the budget: other processes share the machine of a test, which the window cannot help.
    assert pulse.latest < 3 * LATEST


def test_clearing_the_order_restores_that_of_the_source(shown: Person) -> None:
    before = texts(shown)
    with shown.bot.waitSignal(shown.window.corpus.item_model.layoutChanged, timeout=SECONDS):
        shown.window.corpus.table.sortByColumn(columns.TEXT, Qt.SortOrder.AscendingOrder)
    assert texts(shown) == ["00000000", "00000001", "00000002"]
    shown.window.corpus.table.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
    assert texts(shown) == before


def test_nats_per_character_and_share_are_columns_that_can_be_shown(person: Person) -> None:
    person.opens_sample("abc")
    person.trains("Teaching")
    view = person.window.corpus
    assert view.table.isColumnHidden(columns.SHARE)
    view.show_more(True)
    table = view.item_model
    assert not view.table.isColumnHidden(columns.SHARE)
    loss, each, share = (table.value(5, column) for column in (columns.LOSS, columns.PER_CHARACTER, columns.SHARE))
    assert table.value(5, columns.TEXT) == "abc"
    assert each == pytest.approx(loss / 3)
    assert share == pytest.approx(12 * loss / 168.7401, rel=1e-6)
    shares = [table.value(row, columns.SHARE) for row in range(8)]
    assert sum(shares) == pytest.approx(1.0)
    table.sort(columns.SHARE, Qt.SortOrder.DescendingOrder)
    assert table.index(0, columns.SHARE).data().endswith(" %")
    assert table.value(table.source_row(0), columns.SHARE) == max(shares)


def test_a_double_click_studies_the_text(person: Person) -> None:
    person.opens_sample("abc")
    table = person.window.corpus.table
    table.activated.emit(person.window.corpus.item_model.index(6, 0))
    assert person.session.text == "abca"
