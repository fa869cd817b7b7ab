"""Models and corpora that are pickled, copied or sent to another process do the same there."""

from __future__ import annotations

import base64
import copy
import multiprocessing
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import pytest

from engine.charsmap import standard_charsmap
from engine.corpus import Corpus
from engine.model import UnigramModel
from engine.spec import PRESETS
from engine.trainer import train
from tests.helpers.case_models import ALWAYS, added_token, json_model, with_rules
from tests.helpers.toy_models import base_model, byte_model

TEXT = "ab ﬁ aab é 🙂 <m> b"
PICKLED: list[Callable[[Any], Any]] = [lambda value: pickle.loads(pickle.dumps(value)), copy.deepcopy, copy.copy]
COUNTS = {"a": 16, "b": 8, "c": 8, "ab": 24, "bc": 32, "abc": 12, "abca": 2, "cab": 2}


def tokenizer() -> UnigramModel:
    """Return a model with all that is made on first use: a table of rules, patterns, added tokens."""
    rules = {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(standard_charsmap("nmt_nfkc")).decode()}
    spaces = {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}
    split = {"type": "Split", "pattern": {"Regex": "é"}, "behavior": "Isolated", "invert": False}
    return json_model(
        normalizer={"type": "Sequence", "normalizers": [rules, spaces]},
        pre_tokenizer={"type": "Sequence", "pretokenizers": [ALWAYS, split]},
        added_tokens=[added_token(7, "<m>", normalized=True)],
    )


def trained() -> UnigramModel:
    return train(Corpus.from_counts(COUNTS), PRESETS["Teaching"]).result()


def with_bytes() -> UnigramModel:
    return byte_model(("a", -1.0), ("▁", -2.0))


MODELS = [
    base_model,
    with_bytes,
    lambda: with_rules("nmt_nfkc"),
    lambda: UnigramModel.from_probabilities({"a": 0.5, "b": 0.25, "ab": 0.25}),
    lambda: UnigramModel.from_bytes(b"<unk>\t0\na\t-1\nb\t-2\n", "a.tsv"),
    trained,
    json_model,
    tokenizer,
]


def used(model: UnigramModel) -> list[object]:
    """Return what the model says of a text in every way, so that it has made all that it keeps."""
    batch = model.encode_batch([TEXT, "b"]).tolist()
    sums = model.lattice(TEXT).posteriors.tolist()
    decoded = model.decode_detail(batch[0]).text
    return [model.encode(TEXT), batch, sums, decoded, model.segment(TEXT).score, model.encode_pieces(TEXT)]


@pytest.mark.parametrize("made", MODELS)
@pytest.mark.parametrize("sent", PICKLED)
def test_a_model_that_was_used_is_the_same_afterwards(
    made: Callable[[], UnigramModel], sent: Callable[[Any], Any]
) -> None:
    model = made()
    said = used(model)
    got = sent(model)
    assert isinstance(got, UnigramModel)
    assert used(got) == said
    assert (got.name, got.warnings, got.precision) == (model.name, model.warnings, model.precision)
    assert (got.trainer_fields, got.own_settings) == (model.trainer_fields, model.own_settings)
    assert type(got.own_settings) is type(model.own_settings)
    assert not got.pieces.log_probs.flags.writeable
    for name in ("a.json", "a.tsv") if model.tokenizer_document else ("a.model", "a.json", "a.tsv"):
        assert got.to_bytes(name) == model.to_bytes(name)


def test_an_untouched_file_stays_the_one_that_was_read() -> None:
    for model in (tokenizer(), with_rules("nmt_nfkc")):
        document = model.tokenizer_document or model.document
        assert document is not None
        got = pickle.loads(pickle.dumps(model))
        assert got.to_bytes("a.json" if model.tokenizer_document else "a.model") == document.data


def test_what_a_model_made_on_first_use_is_not_sent() -> None:
    model, fresh = tokenizer(), tokenizer()
    used(model)
    assert len(pickle.dumps(model)) == len(pickle.dumps(fresh))


def test_a_model_works_in_another_process() -> None:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        for model in (tokenizer(), with_bytes()):
            assert pool.submit(model.encode, TEXT).result() == model.encode(TEXT)


@pytest.mark.parametrize("sent", PICKLED)
def test_a_corpus_that_was_sent_trains_the_same_model(sent: Callable[[Any], Any]) -> None:
    corpus = Corpus.from_texts(["a", "b", "a"], columns={"language": ["de", "de", "en"]})
    got = sent(corpus)
    assert [got.text(i) for i in range(len(got))] == ["a", "b"]
    assert got.columns[0].values == ("de", "en")
    arrays = [got.utf8, got.offsets, got.counts, got.n_characters, got.columns[0].codes, got.columns[0].counts]
    assert not any(array.flags.writeable for array in arrays)
    model = train(sent(Corpus.from_counts(COUNTS)), PRESETS["Teaching"]).result()
    assert np.array_equal(model.pieces.log_probs, trained().pieces.log_probs)


@pytest.mark.parametrize("sent", PICKLED)
def test_a_lattice_that_was_sent_gives_the_same_sums(sent: Callable[[Any], Any]) -> None:
    lattice = base_model().lattice("▁ab")
    lattice.best(), lattice.posteriors
    got = sent(lattice)
    assert (got.log_z, got.best(), got.n_paths) == (lattice.log_z, lattice.best(), lattice.n_paths)
