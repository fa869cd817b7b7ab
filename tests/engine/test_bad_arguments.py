"""What is no argument of a public function is refused in one sentence, and never taken for something else."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from engine.corpus import Corpus
from engine.errors import CorpusError, EngineError, ModelFileError, TextError, TrainingError
from engine.model import UnigramModel
from engine.sampling import draw_paths
from engine.spec import PRESETS
from engine.trainer import train
from tests.helpers.case_models import json_model
from tests.helpers.toy_models import base_model

NOTHING: Any = None
MODEL = UnigramModel.from_probabilities({"a": 0.5, "b": 0.25, "ab": 0.25})
CORPUS = Corpus.from_texts(["a", "b", "a"])


@pytest.mark.parametrize(
    ("kind", "call", "sentence"),
    [
        (TextError, lambda: MODEL.encode_batch("ab"), "'ab' is no list of texts"),
        (TextError, lambda: MODEL.encode_batch({"a", "b"}), "is no list of texts"),
        (TextError, lambda: MODEL.encode_batch(NOTHING), "None is no list of texts"),
        (TextError, lambda: json_model().encode_batch("ab"), "'ab' is no list of texts"),
        (CorpusError, lambda: Corpus.from_texts("abc"), "'abc' is no list of texts"),
        (CorpusError, lambda: Corpus.from_texts(NOTHING), "None is no list of texts"),
        (CorpusError, lambda: CORPUS.text(2), "There is no text 2; corpus has the texts 0 to 1"),
        (CorpusError, lambda: CORPUS.text(-1), "There is no text -1"),
        (CorpusError, lambda: CORPUS.sample(0, None), "0 samples cannot be drawn"),
        (CorpusError, lambda: CORPUS.sample(-1, None), "-1 samples cannot be drawn"),
        (TextError, lambda: MODEL.lattice("ab").sample(rng=5), "rng is 5"),  # type: ignore[call-overload]
        (TextError, lambda: draw_paths(MODEL.lattice("ab"), 1.0, 1, rng=NOTHING), "rng is None"),
        (ModelFileError, lambda: UnigramModel.from_probabilities(NOTHING), "None holds no probabilities"),
        (ModelFileError, lambda: UnigramModel.from_probabilities({1: 0.5}), "1 is no piece"),  # type: ignore[dict-item]
        (ModelFileError, lambda: UnigramModel.from_probabilities({"a": "x"}), "the probability 'x'"),  # type: ignore[dict-item]
        (ModelFileError, lambda: UnigramModel.from_probabilities({"a": 2.0}), "the probability 2.0"),
        (TrainingError, lambda: train(NOTHING, PRESETS["Teaching"]), "None is no corpus"),
        (TrainingError, lambda: train(CORPUS, NOTHING), "None are no settings"),
    ],
)
def test_what_is_no_argument_is_refused(kind: type[EngineError], call: Callable[[], object], sentence: str) -> None:
    with pytest.raises(kind) as refused:
        call()
    assert sentence in str(refused.value)


@pytest.mark.parametrize("model", [MODEL, json_model()])
def test_texts_may_come_from_any_iterable_with_an_order(model: UnigramModel) -> None:
    texts = ["ab", "b", "aab"]
    expected = [model.encode(text) for text in texts]
    for given in (texts, tuple(texts), iter(texts), (text for text in texts), dict.fromkeys(texts).keys()):
        assert model.encode_batch(given).tolist() == expected


def test_bytes_with_gaps_between_them_are_encoded_as_they_read() -> None:
    utf8 = np.frombuffer(b"a_b_", dtype=np.uint8)[::2]
    offsets = np.array([0, 9, 2, 9], dtype=np.int64)[::2]
    encoder: Any = base_model().encoder
    assert encoder.encode_utf8(utf8, offsets).tolist() == [base_model().encode("ab")]


@pytest.mark.parametrize("model", [MODEL, json_model()])
def test_there_are_no_more_threads_than_blocks(model: UnigramModel, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []
    start = threading.Thread.start

    def noted(thread: threading.Thread) -> None:
        started.append(thread.name)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", noted)
    assert len(model.encode_batch(["ab", "b", "a"], threads=10**9)) == 3
    assert len(started) == 1
