"""The timeline: every table of a run as a model, held to the numbers of the worked experiment."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.corpus import Corpus
from engine.history import TrainingHistory
from engine.model import UnigramModel
from engine.spec import PRESETS, TrainerSpec
from engine.timeline import Timeline, described, model_at, moments, state_at
from engine.trainer import train
from tests.helpers.training_oracle import corpus_loss

ABC = {"a": 16, "b": 8, "c": 8, "ab": 24, "bc": 32, "abc": 12, "abca": 2, "cab": 2}


def _trained(counts: dict[str, int], spec: TrainerSpec) -> tuple[TrainingHistory, UnigramModel]:
    run = train(Corpus.from_counts(counts), spec)
    model = run.result()
    assert run.history is not None
    return run.history, model


@pytest.fixture(scope="module")
def abc() -> tuple[TrainingHistory, UnigramModel]:
    return _trained(ABC, PRESETS["Teaching"])


@pytest.fixture(scope="module")
def golden() -> dict[str, Any]:
    path = Path(__file__).parent.parent / "data" / "abc_experiment.json"
    return dict(json.loads(path.read_text(encoding="utf-8")))


def _table(model: UnigramModel) -> dict[str, float]:
    is_learned = model.pieces.types == 1
    return {
        text: float(np.exp(log_p))
        for text, log_p, learned in zip(model.pieces.texts, model.pieces.log_probs, is_learned, strict=True)
        if learned
    }


def test_the_moments_of_abc_are_its_eight_updates_and_three_removals(abc: tuple[TrainingHistory, UnigramModel]) -> None:
    shown = [described(moment) for moment in moments(abc[0])]
    rounds = [f"round {r}, {what}" for r in (1, 2, 3) for what in ("update 1", "update 2", "pruned")]
    assert shown == ["before training", *rounds, "round 4, update 1", "round 4, update 2"]
    assert [moment.n_pieces for moment in moments(abc[0])] == [9, 9, 9, 8, 8, 8, 7, 7, 7, 6, 6, 6]


def test_before_training_abc_is_one_piece_with_81_percent(abc: tuple[TrainingHistory, UnigramModel]) -> None:
    history, finished = abc
    first = model_at(history, moments(history)[0], finished)
    lattice = first.lattice("abc")
    assert first.encode_pieces("abc") == ["abc"]
    assert lattice.share(lattice.best()) == pytest.approx(0.81, abs=1e-12)
    after = finished.lattice("abc")
    assert finished.encode_pieces("abc") == ["a", "bc"]
    assert after.share(after.best()) == pytest.approx(0.598, abs=5e-4)


def test_every_table_and_loss_is_that_of_the_experiment(
    abc: tuple[TrainingHistory, UnigramModel], golden: dict[str, Any]
) -> None:
    history, finished = abc
    updates = [update for each in golden["rounds"] for update in each["em"]]
    states = [state_at(history, moment, finished) for moment in moments(history) if moment.kind == "update"]
    for expected, state in zip(updates, states, strict=True):
        assert _table(state.model) == pytest.approx(expected["probabilities_after"], rel=1e-10)
        assert state.moment.loss == pytest.approx(expected["loss_after"], rel=1e-12)
        counts = dict(zip(state.model.pieces.texts, state.expected_counts.tolist(), strict=True))
        assert {piece: counts[piece] for piece in expected["expected_counts"]} == pytest.approx(
            expected["expected_counts"], rel=1e-10
        )


def test_the_loss_of_every_moment_is_that_of_its_model_by_enumeration(
    abc: tuple[TrainingHistory, UnigramModel],
) -> None:
    history, finished = abc
    for moment in moments(history):
        model = model_at(history, moment, finished)
        assert moment.loss == pytest.approx(corpus_loss(ABC, _table(model)), rel=1e-10), described(moment)


def test_losses_stand_at_the_table_that_is_about_to_be_pruned(
    abc: tuple[TrainingHistory, UnigramModel], golden: dict[str, Any]
) -> None:
    history, finished = abc
    for i, expected in enumerate(golden["rounds"][:3]):
        state = state_at(history, moments(history)[3 * i + 2], finished)
        losses = dict(zip(state.model.pieces.texts, state.losses.tolist(), strict=True))
        assert {piece: losses[piece] for piece in expected["delta"]} == pytest.approx(expected["delta"], rel=1e-9)
        before = state_at(history, moments(history)[3 * i + 1], finished)
        assert np.isnan(before.losses).all()


def test_special_pieces_keep_their_ids_at_every_moment() -> None:
    spec = replace(TrainerSpec(), vocab_size=20, character_coverage=1.0, user_defined_symbols=("ab",), pad_id=3)
    history, finished = _trained(ABC, replace(spec, hard_vocab_limit=False))
    special = {text: finished.pieces.id_of(text) for text in ("<unk>", "<s>", "</s>", "<pad>", "ab")}
    for moment in moments(history):
        pieces = model_at(history, moment, finished).pieces
        assert {text: pieces.id_of(text) for text in special} == special
        assert len(set(pieces.texts)) == len(pieces.texts)


def test_a_run_that_ends_with_a_cut_by_score_has_a_last_moment_of_its_own() -> None:
    counts = {f"{a}{b}{c}": 3 for a in "abcd" for b in "abc" for c in "abd"}
    history, finished = _trained(counts, replace(PRESETS["SentencePiece 0.2.1"], vocab_size=14))
    found = moments(history)
    assert found[-1].kind == "finished"
    assert model_at(history, found[-1], finished) is finished
    for moment in found[:-1]:
        assert len(model_at(history, moment, finished).pieces) == moment.n_pieces + 3


def test_a_timeline_makes_each_state_once(abc: tuple[TrainingHistory, UnigramModel]) -> None:
    timeline = Timeline(*abc)
    assert timeline.kept(3) is None
    assert timeline.state(3) is timeline.state(3) is timeline.kept(3)


@pytest.mark.parametrize("text", ["the cat sat on that mat", "cats ⟨?⟩ 12", "x", ""])
@pytest.mark.parametrize("settings", [{}, {"user_defined_symbols": ("at",), "byte_fallback": True}])
def test_a_text_sees_before_training_what_the_whole_table_shows_it(text: str, settings: dict[str, Any]) -> None:
    lines = ["the cat sat on the mat", "the hat is flat", "that cat is fat 12"] * 3
    spec = TrainerSpec(vocab_size=30, hard_vocab_limit=False, **settings)
    if spec.byte_fallback:
        spec = replace(spec, vocab_size=290)
    run = train(Corpus.from_texts(lines), spec)
    finished = run.result()
    assert run.history is not None
    timeline = Timeline(run.history, finished)
    few, whole = (model.lattice(text) for model in (timeline.model_before(text), timeline.state(0).model))
    assert few.log_z == pytest.approx(whole.log_z, rel=1e-12)
    assert [path.pieces for path in few.n_best(8)] == [path.pieces for path in whole.n_best(8)]
