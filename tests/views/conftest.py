"""A theme, explorations of worked examples, and a painter to draw on, for the tests of the drawings."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication

from engine.model import UnigramModel
from tests.helpers.explorations import exploration_of
from tests.helpers.toy_models import byte_model, golden
from unigram_gui.shaping import Shaper
from unigram_gui.tasks.exploration import Exploration, explore
from unigram_gui.theme import LIGHT, Theme


@pytest.fixture
def theme(qapp: QApplication) -> Theme:
    """Return the light theme; the application is up, so fonts can be measured."""
    return Theme(LIGHT)


@pytest.fixture
def shaper(theme: Theme) -> Shaper:
    """Return what measures text in that theme."""
    return Shaper(theme)


@pytest.fixture
def painter(qapp: QApplication) -> Iterator[QPainter]:
    """Return a painter on an image that nobody looks at."""
    image = QImage(64, 64, QImage.Format.Format_ARGB32_Premultiplied)
    painter = QPainter(image)
    yield painter
    painter.end()


@pytest.fixture(scope="session")
def unable() -> Exploration:
    """Return the worked example with 11 paths."""
    return explore(UnigramModel.from_probabilities(golden("unable_lattice.json")["probabilities"]), "unable")


@pytest.fixture(scope="session")
def emoji() -> Exploration:
    """Return 你😊a, where the emoji has no piece and becomes four bytes."""
    model = byte_model(("你", -2.0), ("a", -1.5), ("▁", -1.0))
    return explore(model, "你😊a")


@pytest.fixture(scope="session")
def sentence() -> Exploration:
    """Return a text too long for a graph, with pieces of one to three letters."""
    pieces = dict.fromkeys("abcdefgh", 0.02) | {"ab": 0.1, "cd": 0.1, "abc": 0.05, "gh": 0.1, "ef": 0.1}
    return exploration_of(pieces, "abcdefgh" * 60)
