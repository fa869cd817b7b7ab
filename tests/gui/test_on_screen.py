"""What a person sees who tries the window on a screen: nothing is cut off or in the way, and what was done is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from engine.comparison import compare_vocabularies
from engine.history import Update
from engine.model import UnigramModel
from tests.gui.conftest import Person
from tests.gui.test_asking import drag_over, lattice_place
from tests.helpers.toy_models import golden
from unigram_gui.ink import Ink
from unigram_gui.main_window import MainWindow
from unigram_gui.places import HEIGHT, WIDTH
from unigram_gui.session import Session
from unigram_gui.settings import Settings
from unigram_gui.theme import current_theme
from unigram_gui.views.choice import Choice
from unigram_gui.views.compare.choosers import Badge
from unigram_gui.views.compare.scatter import ScoreScatter
from unigram_gui.views.headings import Headings
from unigram_gui.views.objective import ObjectiveView
from unigram_gui.views.summary_line import SummaryLine

UNABLE = golden("unable_lattice.json")


@pytest.fixture
def unable(person: Person) -> Person:
    """Return a person who looks at the worked example."""
    person.session._take_model(UnigramModel.from_probabilities(UNABLE["probabilities"]), None, None)
    person.types("unable")
    return person


# Selections are one.


def test_a_stretch_that_is_no_piece_leaves_none_lit(unable: Person) -> None:
    """Dragging goes over "un", which is a piece, on its way to "una", which is none."""
    drag_over(unable.bot, unable.window, 0, 1)
    assert unable.session.picked_piece == unable.session.model.pieces.id_of("un")  # type: ignore[union-attr]
    drag_over(unable.bot, unable.window, 0, 2)
    assert unable.session.inquiry.span == (0, 3)
    assert unable.session.picked_piece == -1
    assert unable.window.lattice.view.marks().pieces == frozenset()


def test_the_ring_of_the_focus_does_not_cross_the_card_out(unable: Person) -> None:
    window, view = unable.window, unable.window.lattice.view
    window.activateWindow()
    unable.bot.mouseMove(view.viewport(), lattice_place(window, 0, "unable"))
    unable.bot.waitUntil(lambda: view.card.isVisible())
    view.setFocus()
    unable.bot.waitUntil(window.focus_ring.isVisible)
    view.resize(view.width(), view.height() - 1)
    layers = window.children()  # the later, the higher
    assert layers.index(view.card) > layers.index(window.focus_ring)


# Lists that drop down.


def under(choice: Choice) -> tuple[int, int]:
    """Return where a choice ends and where its list begins, from the top of the screen."""
    return choice.mapToGlobal(QPoint(0, choice.height())).y(), choice.view().window().geometry().top()


@pytest.mark.qt_log_ignore("does not support (raise|grabbing)", extend=True)  # Qt's offscreen screen has no windows
@pytest.mark.parametrize("is_chosen_last", [False, True])
def test_a_list_opens_under_its_field_and_shows_every_row(unable: Person, is_chosen_last: bool) -> None:
    window = unable.window.run.shown()
    choice = window.findChildren(Choice)[0]
    choice.clear()
    choice.addItems([f"round {i}" for i in range(1, 8)])
    choice.setCurrentIndex(6 if is_chosen_last else 0)
    choice.setVisible(True)
    choice.showPopup()
    end, begin = under(choice)
    assert abs(begin - end) <= 2
    assert choice.view().verticalScrollBar().maximum() == 0
    last = choice.view().visualRect(choice.model().index(6, 0))
    assert last.bottom() <= choice.view().viewport().height()
    assert last.height() >= 22
    choice.hidePopup()


# The window itself.


def test_the_window_opens_as_large_as_its_panes_were_made_for(window: MainWindow) -> None:
    assert (window.width(), window.height()) == (WIDTH, HEIGHT)


# Numbers in plots.


def curve(losses: list[float]) -> tuple[Update, ...]:
    none = np.zeros(0)
    return tuple(
        Update(i + 1, 1, 1000 - 100 * i, loss, loss, 10.0, none.astype(np.int32), none, none)
        for i, loss in enumerate(losses)
    )


@pytest.mark.parametrize("losses", [[116.0, 117.0, 128.1], [200.0, 150.0, 100.0], [5.0], [100.0, 101.0, 100.6]])
@pytest.mark.parametrize("height", [150, 190, 400])
def test_the_number_at_the_end_of_the_curve_is_inside_the_plot(
    qtbot: QtBot, losses: list[float], height: int
) -> None:
    view = ObjectiveView(current_theme(dark=False))
    qtbot.addWidget(view)
    view.resize(400, 300)
    with qtbot.waitExposed(view):
        view.show()
    view.set_updates(curve(losses))
    view.resize(400, height)
    box = view.plot.getViewBox()
    qtbot.waitUntil(lambda: box.sceneBoundingRect().height() < height)
    view.plot.grab()
    room, label = box.sceneBoundingRect(), view.value_label.sceneBoundingRect()
    assert room.top() <= label.top() + 0.01  # pixels; the range of the plot is a quotient
    assert label.bottom() <= room.bottom() + 0.01


def test_the_names_of_a_scatter_are_inside_it(qtbot: QtBot) -> None:
    rng = np.random.default_rng(3)
    texts = [f"a_long_piece_{i}" for i in range(40)]
    a, b = (
        UnigramModel.from_probabilities(dict(zip(texts, weights / weights.sum(), strict=True)))
        for weights in np.exp(rng.normal(0.0, 3.0, (2, len(texts))))
    )
    view = ScoreScatter(current_theme(dark=False))
    qtbot.addWidget(view)
    view.resize(420, 320)
    with qtbot.waitExposed(view):
        view.show()
    view.set_comparison(compare_vocabularies(a, b))
    view.plot.grab()
    room = view.plot.getViewBox().sceneBoundingRect().adjusted(-0.5, -0.5, 0.5, 0.5)
    shown = [name.sceneBoundingRect() for name in view._names if name.isVisible()]
    assert len(shown) >= 3
    assert [rect for rect in shown if not room.contains(rect)] == []


# What was done is said, and remembered.


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_a_saved_picture_says_where_it_is(unable: Person, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"lattice{suffix}"
    unable.window.pictures.save("lattice", path)
    assert path.exists()
    assert unable.window.statusBar().currentMessage() == f"Saved {path}"


def test_a_picture_that_cannot_be_written_is_not_called_saved(unable: Person, tmp_path: Path) -> None:
    unable.window.pictures.save("lattice", tmp_path / "nowhere" / "lattice.png")
    assert unable.window.statusBar().currentMessage() == ""


def test_the_other_rules_stay_on_show_from_start_to_start(qtbot: QtBot, session: Session) -> None:
    window = MainWindow(session, Settings(), "light")
    qtbot.addWidget(window)
    assert not window.other_rules.isVisibleTo(window)
    session.parity.show(True)
    window.close()
    again = Session()
    second = MainWindow(again, Settings(), "light")
    qtbot.addWidget(second)
    assert again.parity.is_shown
    assert second.other_rules.isVisibleTo(second)
    again.parity.show(False)
    assert not Settings().shows_other_rules
    second.close()


# Painting.


@pytest.mark.parametrize("kind", ["quiet", "framed", "badge", "headings", "summary"])
def test_an_exception_in_a_small_widget_leaves_no_painter_behind(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    theme = current_theme(dark=False)
    makers = {
        "quiet": lambda: Choice("a", quiet=True),
        "framed": lambda: Choice("a"),
        "badge": lambda: Badge("A", theme),
        "headings": lambda: Headings(theme, ((18.0, "ln p"),)),
        "summary": lambda: SummaryLine(theme),
    }
    widget: QWidget = makers[kind]()
    qtbot.addWidget(widget)
    if isinstance(widget, SummaryLine):
        widget.set_parts((("12", "tokens"),))
    widget.resize(200, 30)
    with qtbot.waitExposed(widget):
        widget.show()
    painters: list[QPainter] = []

    def fail(_: object, painter: QPainter, *__: object) -> None:
        painters.append(painter)
        assert painter.isActive()
        raise IndexError("no such number")

    with monkeypatch.context() as patch:
        patch.setattr(Ink, "draw", fail)
        patch.setattr(Choice, "_paint_chevron", fail)
        with pytest.raises(IndexError, match="no such number"):
            widget.repaint()
    assert [painter.isActive() for painter in painters] == [False]
    widget.repaint()  # and the next event paints
