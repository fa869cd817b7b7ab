"""Sums taken apart text by text add up to what training computed."""

from __future__ import annotations

import math

import pytest

from engine.corpus import Corpus
from engine.spec import PRESETS
from engine.teaching import count_terms, lesson, loss_terms
from engine.timeline import model_at, moments
from engine.trainer import train
from tests.helpers.training_oracle import exact_losses, expected_counts

ABC = {"a": 16, "b": 8, "c": 8, "ab": 24, "bc": 32, "abc": 12, "abca": 2, "cab": 2}


def test_ab_is_expected_in_four_texts_as_on_the_blackboard() -> None:
    corpus = Corpus.from_counts(ABC)
    run = train(corpus, PRESETS["Teaching"])
    model = run.result()
    assert run.history is not None
    first = model_at(run.history, moments(run.history)[0], model)
    found = count_terms(first, "ab", corpus)
    assert [corpus.text(i) for i in found.texts.tolist()] == ["ab", "abc", "abca", "cab"]
    assert found.products == pytest.approx([21.6, 1.08, 0.664207, 0.18], abs=5e-7)


def test_every_lesson_of_the_run_equals_enumeration() -> None:
    corpus = Corpus.from_counts(ABC)
    run = train(corpus, PRESETS["Teaching"])
    model = run.result()
    history = run.history
    assert history is not None
    found = moments(history)
    for i, moment in enumerate(found):
        if moment.kind != "update":
            continue
        before, after = model_at(history, found[i - 1], model), model_at(history, moment, model)
        tables = []
        for one in (before, after):
            texts = zip(one.pieces.texts, one.pieces.log_probs.tolist(), strict=True)
            tables.append({text: math.exp(p) for text, p in texts if text != "<unk>"})
        counts, losses = expected_counts(ABC, tables[0]), exact_losses(ABC, tables[1])
        for piece in tables[1]:
            told = lesson(before, after, history.updates[moment.place].expected_tokens, piece, corpus)
            assert told.counted.total == pytest.approx(counts[piece], rel=1e-9)
            assert told.probability == pytest.approx(tables[1][piece], rel=1e-9)
            if len(piece) > 1:
                assert told.loss is not None
                assert told.loss.total == pytest.approx(losses[piece], rel=1e-8, abs=1e-10)
            else:
                assert told.loss is None


def test_a_text_without_the_piece_has_no_term() -> None:
    corpus = Corpus.from_counts({"b": 3, "ab": 2})
    run = train(Corpus.from_counts(ABC), PRESETS["Teaching"])
    assert loss_terms(run.result(), "ab", corpus).texts.tolist() == [1]
