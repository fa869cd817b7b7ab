"""The curves of a run, held to the worked experiment."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from engine.corpus import Corpus
from engine.curves import curves, piece_curves, rank_curve
from engine.history import TrainingHistory
from engine.spec import PRESETS
from engine.trainer import train

ABC = {"a": 16, "b": 8, "c": 8, "ab": 24, "bc": 32, "abc": 12, "abca": 2, "cab": 2}
GOLDEN = json.loads((Path(__file__).parent.parent / "data" / "abc_experiment.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def history() -> TrainingHistory:
    run = train(Corpus.from_counts(ABC), PRESETS["Teaching"])
    run.result()
    assert run.history is not None
    return run.history


def _updates(history: TrainingHistory) -> list[int]:
    return [i for i, moment in enumerate(curves(history).moments) if moment.kind == "update"]


def test_the_gain_of_an_update_is_what_the_loss_fell_by(history: TrainingHistory) -> None:
    found = curves(history)
    golden = [update for each in GOLDEN["rounds"] for update in each["em"]]
    for i, expected in zip(_updates(history), golden, strict=True):
        assert found.gain[i] == pytest.approx(expected["loss_before"] - expected["loss_after"], rel=1e-9)


def test_expected_tokens_are_the_sum_of_the_expected_counts(history: TrainingHistory) -> None:
    found = curves(history)
    golden = [update for each in GOLDEN["rounds"] for update in each["em"]]
    for i, expected in zip(_updates(history), golden, strict=True):
        assert found.expected_tokens[i] == pytest.approx(sum(expected["expected_counts"].values()), rel=1e-10)


def test_the_entropy_before_training_is_that_of_nine_equal_pieces(history: TrainingHistory) -> None:
    assert curves(history).entropy[0] == pytest.approx(math.log(9))
    last = GOLDEN["rounds"][3]["em"][1]["probabilities_after"].values()
    assert curves(history).entropy[-1] == pytest.approx(-sum(p * math.log(p) for p in last))


def test_probabilities_by_rank_fall_and_sum_to_one(history: TrainingHistory) -> None:
    for moment in curves(history).moments:
        p = rank_curve(history, moment)
        assert len(p) == moment.n_pieces
        assert (np.diff(p) <= 0).all()
        assert p.sum() == pytest.approx(1.0)


def test_a_pieces_curve_ends_where_it_went(history: TrainingHistory) -> None:
    abc, bca = piece_curves(history, ["abc", "never", "bca"])
    assert (abc.text, bca.text) == ("abc", "bca")
    assert abc.probabilities[0] == pytest.approx(1 / 9)
    expected = [u["probabilities_after"]["abc"] for each in GOLDEN["rounds"] for u in each["em"]]
    assert abc.probabilities[_updates(history)] == pytest.approx(expected, rel=1e-10)
    assert np.isnan(bca.probabilities[3:]).all()
    assert not np.isnan(bca.probabilities[:3]).any()
