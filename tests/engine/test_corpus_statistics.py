"""Figures of a corpus under a model: the same as text by text."""

from __future__ import annotations

import math
import threading
from pathlib import Path

import pytest

from engine import PRESETS, Cancelled, Corpus, TrainerSpec, UnigramModel, corpus_figures, train

PROSE = Corpus.from_file(Path(__file__).parents[2] / "resources" / "samples" / "prose.txt")


@pytest.fixture(scope="module")
def model() -> UnigramModel:
    return train(PROSE, TrainerSpec(vocab_size=900, character_coverage=0.98)).result()


def test_figures_equal_the_lattice_and_the_encoder_of_each_text(model: UnigramModel) -> None:
    figures = corpus_figures(model, PROSE)
    for i in range(0, len(PROSE), 7):
        text = PROSE.text(i)
        assert figures.tokens[i] == len(model.encode(text))
        assert math.isclose(figures.log_probs[i], model.lattice(text).log_z, rel_tol=1e-10)


def test_the_corpus_loss_is_what_training_ended_with() -> None:
    run = train(PROSE, TrainerSpec(vocab_size=1500, character_coverage=1.0))
    figures = corpus_figures(run.result(), PROSE)
    assert run.history is not None
    assert math.isclose(figures.loss, run.history.final_loss, rel_tol=1e-10)


def test_counts_weigh_the_sums() -> None:
    corpus = Corpus.from_counts({"abc": 12, "ab": 3, "zz": 1})
    model = train(Corpus.from_counts({"abc": 1, "ab": 2, "bc": 2}), PRESETS["Teaching"]).result()
    figures = corpus_figures(model, corpus)
    assert figures.n_tokens == sum(int(c) * len(model.encode(corpus.text(i))) for i, c in enumerate(corpus.counts))
    assert math.isclose(
        figures.loss, -sum(int(c) * model.lattice(corpus.text(i)).log_z for i, c in enumerate(corpus.counts))
    )


def test_it_stops_when_cancelled(model: UnigramModel) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        corpus_figures(model, PROSE, cancel=cancel)


@pytest.mark.parametrize("rule", ["identity", "nmt_nfkc"])
@pytest.mark.parametrize("prefix", [True, False])
def test_sums_of_remembered_words_are_those_of_whole_texts(rule: str, prefix: bool) -> None:
    texts = ["ab ab  ba", "▁ab ab", " ", "ab " * 50, "é\u0301 ﬁ ab", "\u3000a b", "漢" * 90 + " ab", "ab\tb"]
    spec = TrainerSpec(
        vocab_size=12, hard_vocab_limit=False, normalization_rule_name=rule, add_dummy_prefix=prefix,
    )  # fmt: skip
    model = train(Corpus.from_texts(texts * 2), spec).result()
    figures = corpus_figures(model, Corpus.from_texts(texts))
    for i, text in enumerate(texts):
        assert math.isclose(figures.log_probs[i], model.lattice(text).log_z, rel_tol=1e-10, abs_tol=1e-12), text
