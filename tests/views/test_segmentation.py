"""The chips: every token with its ID, picked by mouse and keyboard."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter
from pytestqt.qtbot import QtBot

from unigram_gui.tasks.exploration import Exploration
from unigram_gui.theme import Theme
from unigram_gui.views.chip_layout import flow
from unigram_gui.views.segmentation import SegmentationView


@pytest.fixture
def chips(qtbot: QtBot, theme: Theme, emoji: Exploration) -> SegmentationView:
    view = SegmentationView(theme)
    qtbot.addWidget(view)
    view.resize(700, 60)
    view.set_exploration(emoji)
    with qtbot.waitExposed(view):
        view.show()
    return view


def test_every_token_has_a_chip_with_piece_and_id(chips: SegmentationView, painter: QPainter) -> None:
    expected = [("▁", 261), ("你", 259)]
    expected += [(f"<0x{byte:02X}>", 3 + byte) for byte in (0xF0, 0x9F, 0x98, 0x8A)]
    expected += [("a", 260)]
    assert list(chips.tokens) == expected
    drawn = [label.text for label in chips.labels(painter)]
    assert drawn == [text for piece, number in expected for text in (piece, str(number))]


def test_a_click_picks_the_piece_of_a_chip(qtbot: QtBot, chips: SegmentationView) -> None:
    with qtbot.waitSignal(chips.piece_picked) as picked:
        place = chips.chip_rect(1).center().toPoint()
        qtbot.mouseClick(chips.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert picked.args == [259]


def test_arrow_keys_walk_over_the_chips(qtbot: QtBot, chips: SegmentationView) -> None:
    for _ in range(2):
        qtbot.keyClick(chips, Qt.Key.Key_Right)
    assert chips.accessibleDescription() == "你, ID 259"
    with qtbot.waitSignal(chips.piece_picked) as picked:
        qtbot.keyClick(chips, Qt.Key.Key_Return)
    assert picked.args == [259]


def test_hovering_tells_the_piece(qtbot: QtBot, chips: SegmentationView) -> None:
    with qtbot.waitSignal(chips.piece_hovered) as hovered:
        qtbot.mouseMove(chips.viewport(), chips.chip_rect(1).center().toPoint())
    assert hovered.args == [259]


def test_many_chips_take_two_lines_and_scroll(chips: SegmentationView, sentence: Exploration) -> None:
    one_line = chips.height()
    chips.set_exploration(sentence)
    assert one_line < chips.height() <= 2 * one_line + 10
    assert chips.verticalScrollBar().maximum() > 0


def test_no_text_has_no_chips(chips: SegmentationView) -> None:
    chips.set_exploration(None)
    assert chips.tokens == ()
    chips.grab()


@given(st.lists(st.floats(5.0, 80.0), max_size=40), st.floats(90.0, 400.0))
def test_chips_never_overlap_nor_leave_the_line(widths: list[float], room: float) -> None:
    placed = flow(widths, room, 5.0)
    for i, width in enumerate(widths):
        assert placed.x[i] + width <= room
        if i and placed.line[i] == placed.line[i - 1]:
            assert placed.x[i] >= placed.x[i - 1] + widths[i - 1]
