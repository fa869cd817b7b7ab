"""The questions about a text: golden numbers in their views, wishes, and what a screen reader hears."""

from __future__ import annotations

import math

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from engine.alignment import Fate
from engine.edits import AddPiece, ForbidEdge, RescorePiece, RetypePiece
from engine.model import UnigramModel
from engine.pieces import PieceType
from tests.helpers.toy_models import base_model, byte_model, golden
from unigram_gui.number_text import log_text, percent_text
from unigram_gui.tasks.control import TaskControl
from unigram_gui.tasks.exploration import Exploration, Variant, explore
from unigram_gui.tasks.questions import (
    Answer,
    DrawRequest,
    Lens,
    LensRequest,
    SpanRequest,
    Steps,
    StepsRequest,
)
from unigram_gui.theme import Theme
from unigram_gui.views.questions.lens import LensView
from unigram_gui.views.questions.sampling import ALPHAS, SamplingView
from unigram_gui.views.questions.steps import StepsView
from unigram_gui.views.questions.what_if import WhatIfView, effects
from unigram_gui.views.questions.why_not import JUST_ABOVE, WhyNotView, verdict
from unigram_gui.views.sheet import Sheet

UNABLE = golden("unable_lattice.json")
CONTROL = TaskControl()


@pytest.fixture
def model() -> UnigramModel:
    return UnigramModel.from_probabilities(UNABLE["probabilities"])


def answer_of(seen: Exploration, start: int, end: int) -> Answer:
    return SpanRequest(seen, start, end)(CONTROL)


def shown(sheet: Sheet, painter: QPainter) -> list[str]:
    return [label.text for label in sheet.labels(painter)]


# Sampling.


@pytest.fixture
def sampling(qtbot: QtBot, theme: Theme) -> SamplingView:
    view = SamplingView(theme)
    qtbot.addWidget(view)
    view.resize(720, 300)
    with qtbot.waitExposed(view):
        view.show()
    return view


def test_the_exact_law_of_unable_stands_beside_what_was_drawn(
    sampling: SamplingView, model: UnigramModel, painter: QPainter
) -> None:
    sample = DrawRequest(explore(model, "unable", n_best=11), 0.2, 10_000, seed=1)(CONTROL)
    sampling.set_sample(sample)
    weights = [math.exp(0.2 * math.log(path["probability"])) for path in UNABLE["paths"]]
    drawn = shown(sampling.rows, painter)
    for weight in weights:
        assert percent_text(weight / sum(weights)) in drawn
    counts = [line.figures[1] for line in sampling.rows.lines]
    assert sum(int(count.replace(",", "")) for count in counts) == 10_000
    assert sampling.note.text() == "11 of 11 paths came"


def test_the_law_is_told_before_anything_is_drawn(sampling: SamplingView, unable: Exploration) -> None:
    sampling.set_sample(DrawRequest(unable, 1.0, 0)(CONTROL))
    assert sampling.rows.lines[0].figures == (percent_text(UNABLE["paths"][0]["share"]), "", "")


def test_the_slider_ends_in_uniform_and_best(qtbot: QtBot, sampling: SamplingView) -> None:
    with qtbot.waitSignal(sampling.alpha_requested) as asked:
        sampling.slider.setValue(len(ALPHAS) - 1)
    assert asked.args == [math.inf]
    assert sampling.alpha.text() == "α = ∞ best"
    sampling.slider.setValue(0)
    assert sampling.slider.accessibleDescription() == "α = 0.00 uniform"


def test_the_buttons_ask_for_1_100_and_10000_draws(qtbot: QtBot, sampling: SamplingView) -> None:
    asked: list[int] = []
    sampling.draws_requested.connect(asked.append)
    for button in sampling.buttons.values():
        button.click()
    assert asked == [1, 100, 10_000]


# Why not?


@pytest.fixture
def why_not(qtbot: QtBot, theme: Theme) -> WhyNotView:
    view = WhyNotView(theme)
    qtbot.addWidget(view)
    view.resize(720, 150)
    with qtbot.waitExposed(view):
        view.show()
    return view


def test_unable_is_told_what_it_would_need(why_not: WhyNotView, unable: Exploration, painter: QPainter) -> None:
    answer = answer_of(unable, 0, 6)
    why_not.set_answer(answer)
    assert verdict(answer) == "ID 11, ln p −5.298; 1.386 behind; it wins above ln p −3.912"
    assert [line.pieces for line in why_not.rows.lines] == [("unable",), ("unable",), ("un", "able")]
    assert "−3.912" in shown(why_not.rows, painter)


def test_a_piece_of_the_best_path_is_told_its_lead(unable: Exploration) -> None:
    lead = log_text(UNABLE["viterbi_delta"]["able"])
    assert verdict(answer_of(unable, 2, 6)).endswith(f"on the best path, {lead} ahead of the best path without it")


def test_the_score_that_it_needs_can_be_tried(qtbot: QtBot, why_not: WhyNotView, unable: Exploration) -> None:
    why_not.set_answer(answer_of(unable, 0, 6))
    with qtbot.waitSignal(why_not.edit_requested) as asked:
        why_not.button.click()
    assert (asked.args[0].piece, asked.args[0].log_prob) == (11, pytest.approx(math.log(0.02) + JUST_ABOVE))
    why_not.set_answer(answer_of(unable, 0, 3))
    assert why_not.button.text() == "Add it with that score"
    with qtbot.waitSignal(why_not.edit_requested) as asked:
        why_not.button.click()
    assert asked.args[0].text == "una"


def test_without_a_selection_the_hint_says_what_to_do(why_not: WhyNotView) -> None:
    why_not.set_answer(None)
    assert "Shift" in why_not.rows.accessibleDescription()
    assert not why_not.button.isEnabled()


# What if.


@pytest.fixture
def what_if(qtbot: QtBot, theme: Theme) -> WhatIfView:
    view = WhatIfView(theme)
    qtbot.addWidget(view)
    view.resize(720, 200)
    with qtbot.waitExposed(view):
        view.show()
    return view


def test_the_controls_ask_for_edits_of_the_selection(qtbot: QtBot, what_if: WhatIfView, unable: Exploration) -> None:
    asked: list[object] = []
    what_if.edit_requested.connect(asked.append)
    what_if.set_answer(answer_of(unable, 2, 6))
    what_if.disable.click()
    what_if.score.setValue(-1.5)
    what_if.types.setCurrentText("user-defined")
    what_if.types.activated.emit(1)
    assert asked == [RetypePiece(2, PieceType.UNUSED), RescorePiece(2, -1.5), RetypePiece(2, PieceType.USER_DEFINED)]
    qtbot.keyClick(what_if.score, Qt.Key.Key_Up)
    assert asked[-1] == RescorePiece(2, -1.4)
    assert not what_if.add.isEnabled()


def test_a_stretch_that_is_no_piece_can_only_be_added(qtbot: QtBot, what_if: WhatIfView, unable: Exploration) -> None:
    what_if.set_answer(answer_of(unable, 0, 3))
    assert what_if.target.text() == "una, no piece"
    assert not what_if.forbid.isEnabled()
    assert not what_if.disable.isEnabled()
    what_if.score.setValue(-2.0)
    with qtbot.waitSignal(what_if.edit_requested) as asked:
        what_if.add.click()
    assert asked.args == [AddPiece("una", -2.0)]


def test_the_loss_of_the_text_is_told_before_and_after(model: UnigramModel) -> None:
    variant = Variant(model, (RetypePiece(2, PieceType.UNUSED),))
    seen = explore(variant, "unable")
    before, delta = -math.log(UNABLE["p_x"]), UNABLE["exact_delta"]["able"]
    expected = (f"{log_text(before)} → {log_text(before + delta)}", "loss of this text")
    assert effects(seen, variant, None, None) == (expected,)


def test_edits_are_listed_in_words(what_if: WhatIfView, model: UnigramModel) -> None:
    edits = (AddPiece("una", -1.0), RescorePiece(12, -2.0), RescorePiece(2, -3.0), ForbidEdge("unable", 0, 2))
    what_if.set_variant(Variant(model, edits))
    assert [(line.pieces[0], line.note) for line in what_if.rows.lines] == [
        ("una", "added as ID 12 with ln p −1.000, normal"),
        ("una", "scores ln p −2.000"),
        ("able", "scores ln p −3.000, before −2.303"),
        ("un", "forbidden from 0 to 2 of this text alone"),
    ]
    assert what_if.keep.isEnabled()
    what_if.set_variant(Variant(model, edits[-1:]))
    assert not what_if.keep.isEnabled()


def test_an_edit_that_moves_the_lowest_score_says_what_becomes_of_unknown_characters(
    what_if: WhatIfView, model: UnigramModel
) -> None:
    lowest = math.log(min(UNABLE["probabilities"].values()))
    variant = Variant(model, (AddPiece("una", -7.0),))
    what_if.set_variant(variant)
    expected = f"an unknown character scores −17.000, before {log_text(lowest - 10)}: always 10 less than the lowest"
    assert what_if.rows.lines[-1].note == f"{expected} normal piece"
    lattice = variant.model.lattice("unx")
    [unknown] = lattice.edge_log_p[lattice.edge_is_unknown]
    assert unknown == -17.0
    what_if.set_variant(Variant(model.as_tokenizer(), (AddPiece("una", -7.0),)))
    assert what_if.rows.lines[-1].note == f"{expected} piece"
    assert "10 less than the lowest piece" in what_if.effects.toolTip()


def test_the_score_is_typed_with_either_minus(qtbot: QtBot, what_if: WhatIfView, unable: Exploration) -> None:
    what_if.set_answer(answer_of(unable, 2, 6))
    assert what_if.score.text() == "−2.303"
    for typed in ("-1.25", "−1.5"):
        what_if.score.selectAll()
        what_if.score.insert(typed)  # QTest types ASCII only
        qtbot.keyClick(what_if.score, Qt.Key.Key_Return)
        assert what_if.score.value() == float(typed.replace("−", "-"))


# Normalization.


def lens_of(model: UnigramModel, text: str) -> Lens:
    return LensRequest(explore(model, text))(CONTROL)


@pytest.fixture
def lens(qtbot: QtBot, theme: Theme) -> LensView:
    view = LensView(theme)
    qtbot.addWidget(view)
    view.resize(720, 130)
    with qtbot.waitExposed(view):
        view.show()
    return view


def test_each_row_of_the_lens_shows_its_part(lens: LensView, painter: QPainter) -> None:
    lens.set_lens(lens_of(base_model(), "a  b"))
    drawn = [label.text for label in lens.canvas.labels(painter)]
    assert "E2 96 81" in drawn
    assert "spaces" in drawn
    assert [column.fate for column in lens.canvas.columns] == [Fate.ADDED, Fate.KEPT, Fate.SPACE, Fate.KEPT]
    assert lens.note.text() == "1 place decoding does not give back"


def test_a_text_that_comes_back_is_said_to(lens: LensView) -> None:
    lens.set_lens(lens_of(base_model(), "a b"))
    assert lens.note.text() == "decoding gives the text back"


def test_arrow_keys_walk_over_the_columns_and_say_them(qtbot: QtBot, lens: LensView) -> None:
    lens.set_lens(lens_of(base_model(), "a x"))
    lens.canvas.setFocus()
    qtbot.keyClick(lens.canvas, Qt.Key.Key_End)
    assert lens.canvas.accessibleDescription() == (
        "x (U+0078) became x (U+0078): no piece and no bytes stand for it; decoding gives the unknown mark"
    )


def test_the_bytes_of_one_character_share_a_brick(lens: LensView, painter: QPainter) -> None:
    lens.set_lens(lens_of(byte_model(("\u2581", -1.0)), "é"))
    drawn = [label.text for label in lens.canvas.labels(painter)]
    assert "C3 A9" in drawn


# Steps.


@pytest.fixture
def steps(qtbot: QtBot, theme: Theme) -> StepsView:
    view = StepsView(theme)
    qtbot.addWidget(view)
    view.resize(720, 150)
    with qtbot.waitExposed(view):
        view.show()
    return view


@pytest.fixture
def unable_steps(unable: Exploration) -> Steps:
    return StepsRequest(unable)(CONTROL)


def test_the_table_fills_boundary_by_boundary_then_walks_back(steps: StepsView, unable_steps: Steps) -> None:
    stages: list[object] = []
    steps.stage_changed.connect(stages.append)
    steps.set_steps(unable_steps)
    for _ in range(5):
        steps.next.click()
    sums = [line.figures[0] for line in steps.rows.lines]
    expected = [0.005, 0.02, 0.2 * 0.02 * 0.06, 0.2 * 0.02 * 0.03 * 0.1]
    assert sums == [log_text(math.log(value)) for value in expected]
    assert [line.is_best for line in steps.rows.lines] == [False, True, False, False]
    steps.next.click()
    steps.next.click()
    assert [line.pieces[0] for line in steps.rows.lines] == ["un", "able"]
    assert not steps.next.isEnabled()
    steps.back.click()
    assert [line.pieces[0] for line in steps.rows.lines] == ["able"]
    assert len(stages) == 9


def test_the_counts_of_the_e_step_are_the_golden_posteriors(steps: StepsView, unable_steps: Steps) -> None:
    steps.set_steps(unable_steps)
    steps.set_table("counts")
    while steps.next.isEnabled():
        steps.next.click()
    counts = {line.pieces[0]: line.figures[0] for line in steps.rows.lines}
    assert len(counts) == 11
    assert counts["un"] == "0.7957"
    assert counts["unable"] == "0.1964"


def test_forward_and_backward_sums_are_the_golden_ones(steps: StepsView, unable_steps: Steps) -> None:
    steps.set_steps(unable_steps)
    steps.set_table("counts")
    totals = []
    for _ in range(12):
        totals.append(steps.rows.lines[-1].figures[0])
        steps.next.click()
    assert totals[:6] == ["0.04", "0.202", "0.01616", "0.004202", "0.000126", "0.02546"]
    assert totals[-1] == "0.02546"


def test_play_goes_on_by_itself_and_stops_at_the_end(qtbot: QtBot, steps: StepsView, unable_steps: Steps) -> None:
    steps.set_steps(unable_steps)
    steps._timer.setInterval(1)
    steps.play.click()
    assert steps.play.text() == "Pause"
    qtbot.waitUntil(lambda: not steps.next.isEnabled())
    qtbot.waitUntil(lambda: steps.play.text() == "Play")


def test_the_field_of_the_score_has_a_label_and_stands_clear_of_the_tabs(what_if: WhatIfView) -> None:
    labels = [label for label in what_if.findChildren(QLabel) if label.buddy() is what_if.score]
    assert [label.text() for label in labels] == ["ln p"]
    assert what_if.score.accessibleName() == "ln p"
    assert what_if.forbid.y() >= 6
