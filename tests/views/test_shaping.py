"""Text to glyphs, whatever fonts the system has."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QPainter, QPixmap

from unigram_gui.ink import Ink
from unigram_gui.shaping import Shaper
from unigram_gui.theme import FontSpec


@pytest.mark.parametrize("text", ["में", "ᠮᠣᠩᠭᠣᠯ", "𑀩𑁆𑀭", "\U0010fffd"])
def test_a_script_is_drawn_whether_or_not_a_font_has_it(shaper: Shaper, painter: QPainter, text: str) -> None:
    ink = Ink(shaper, keep_labels=True)
    ink.put(0.0, 20.0, text, FontSpec("mono", 15.0), "#000000")
    ink.draw(painter)
    assert [label.text for label in ink.labels] == [text]
    assert ink.labels[0].width > 5.0  # signs, or boxes in their place


def test_pictures_are_for_painters_that_only_move(shaper: Shaper, painter: QPainter) -> None:
    stamps = shaper.stamps_for(painter)
    assert stamps is not None
    painter.translate(3.0, 0.5)
    assert shaper.stamps_for(painter) is stamps
    painter.scale(2.0, 2.0)
    assert shaper.stamps_for(painter) is None


def test_a_picture_is_as_sharp_as_the_screen(qapp: object, shaper: Shaper) -> None:
    fine = QPixmap(20, 20)
    fine.setDevicePixelRatio(2.0)
    painter = QPainter(fine)
    stamps = shaper.stamps_for(painter)
    assert stamps is not None
    picture = stamps.make(("a",), painter.viewport().toRectF(), lambda inner: None)
    painter.end()
    assert (picture.devicePixelRatio(), stamps.find(("a",)) is picture, stamps.find(("b",))) == (2.0, True, None)
