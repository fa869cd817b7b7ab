"""The encoder's own path: ties, unknown characters, symbols, batches."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.encoder import Encoder
from engine.errors import Cancelled, EngineError, TextError
from engine.kernels.encode import code_points_of_utf8, encode_texts
from engine.kernels.tokens import tokens_of_path
from engine.kernels.viterbi import NONE, extend_best_paths, trace_back
from engine.memory import WordMemory, WorkSpace
from engine.model import UnigramModel
from engine.normalizer import NormalizerSpec
from engine.trie import code_points_of
from tests.helpers.toy_models import base_model, byte_model, models, table_of, texts_of_ab

CHAINS = table_of(
    ("▁", -3.0),
    ("?", -2.2885100841522217),
    ("?????", -4.942337989807129),
    ("▁.", -6.925445556640625),
    (".", -4.6322526931762695),
)


def test_a_tie_is_broken_by_the_sums_of_the_format() -> None:
    """Both cuts use the same pieces; float32 sums prefer the one, float64 sums the other."""
    text = "." + "?" * 11
    single = UnigramModel.trained(CHAINS, NormalizerSpec())
    double = UnigramModel(CHAINS, NormalizerSpec(), precision="float64")
    assert single.encode_pieces(text) == ["▁.", "?????", "?????", "?"]
    assert double.encode_pieces(text) == ["▁.", "?", "?????", "?????"]
    scores = [path.score for path in single.lattice(text).n_best(3)]
    assert scores == pytest.approx([scores[0]] * 3, abs=1e-12)


def test_on_equal_scores_the_earliest_start_wins() -> None:
    model = UnigramModel.from_probabilities({"a": 0.25, "aa": 0.0625, "aaa": 0.015625})
    assert model.encode_pieces("aaaa") == ["a", "aaa"]
    assert model.lattice("aaaa").best().pieces == ("a", "aaa")


@pytest.mark.parametrize(
    ("text", "pieces", "ids"),
    [
        ("漢字ab漢 字", ["▁", "漢字", "ab", "漢", "▁", "字"], [3, 0, 6, 0, 3, 0]),
        ("ab▁ab ab", ["▁", "ab", "▁", "ab", "▁", "ab"], [3, 6, 3, 6, 3, 6]),
        ("▁", [], []),
        ("", [], []),
        ("e\u0301a", ["▁", "e\u0301", "a"], [3, 0, 4]),
        ("a\0b", ["▁", "a", "\0", "b"], [3, 4, 0, 5]),
    ],
)
def test_runs_of_unknown_characters_are_one_token(text: str, pieces: list[str], ids: list[int]) -> None:
    assert base_model().encode_pieces(text) == pieces
    assert base_model().encode(text) == ids


def test_typed_symbols_are_plain_letters() -> None:
    model = base_model(("<", -5.0), (">", -5.0), ("/", -5.0), ("s", -4.0))
    assert model.encode_pieces("<s>ab</s>") == ["▁", "<", "s", ">", "ab", "<", "/", "s", ">"]


def test_unused_pieces_are_skipped() -> None:
    unused = UnigramModel.trained(table_of(("▁", -3.0), ("a", -2.0), ("b", -2.5), ("ab", -2.2, 5)), NormalizerSpec())
    assert unused.encode_pieces("ab a b") == ["▁", "a", "b", "▁", "a", "▁", "b"]


def test_user_defined_pieces_win() -> None:
    model = base_model(("ba", -50.0, 4))
    assert model.encode_pieces("aba") == ["▁", "a", "ba"]


def test_positive_scores_are_taken_as_they_are() -> None:
    model = UnigramModel.trained(table_of(("▁", -3.0), ("a", 2.0), ("b", 2.5), ("ab", 1.0)), NormalizerSpec())
    assert model.encode_pieces("ab a") == ["▁", "a", "b", "▁", "a"]


def test_tokens_and_edges_of_an_unknown_character_with_bytes() -> None:
    model = byte_model(("▁", -3.0), ("a", -2.0))
    found = model.segment("a😊")
    assert found.pieces == ("▁", "a", "<0xF0>", "<0x9F>", "<0x98>", "<0x8A>")
    assert list(zip(found.starts.tolist(), found.ends.tolist(), strict=True)) == [(0, 1), (1, 2)] + [(2, 3)] * 4
    assert (found.edge_starts.tolist(), found.edge_ends.tolist()) == ([0, 1, 2], [1, 2, 3])


@settings(deadline=None)
@given(models(), st.text("ab?好", max_size=8))
def test_the_cut_is_a_path_of_the_lattice(model: UnigramModel, text: str) -> None:
    found = model.segment(text)
    path = model.lattice_of_normalized(found.normalized.text).path_from_cuts(found.edge_starts, found.edge_ends)
    assert path.score == found.score
    assert "".join(found.pieces) == text


@settings(deadline=None, max_examples=40)
@given(models(), texts_of_ab)
def test_the_kernels_as_plain_python(model: UnigramModel, text: str) -> None:
    code_points, encoder = code_points_of(text), model.encoder
    n = len(text)
    best_score = np.zeros(n + 1)
    best_start, best_piece = (np.full(n + 1, NONE, dtype=np.int32) for _ in range(2))
    tables = (encoder.trie, model.pieces.edge_log_probs(), model.pieces.unknown_id, np.inf)
    reached, taken_off = extend_best_paths.py_func(code_points, *tables, 0, n, 0, best_score, best_start, best_piece)
    assert (reached, taken_off) == (n, 0.0)
    starts, ends, pieces = trace_back.py_func(best_start, best_piece)
    ids, _, _ = tokens_of_path.py_func(code_points, starts, ends, pieces, 0, np.zeros(0, dtype=np.int32))
    utf8 = np.frombuffer(text.encode(), dtype=np.uint8)
    assert isinstance(encoder, Encoder)
    batch, n_ids = np.empty(99, dtype=np.int32), np.empty(1, dtype=np.int64)
    done, size = encode_texts.py_func(
        utf8, np.array([0, len(utf8)]), 0, 1, encoder.tables, WordMemory.for_bytes(9), WorkSpace.new(), batch, n_ids
    )
    assert model.encode(text) == ids.tolist() == batch[:size].tolist()
    assert (done, n_ids.tolist()) == (1, [len(ids)])


@given(st.text(max_size=20))
def test_utf8_to_code_points(text: str) -> None:
    utf8 = np.frombuffer(text.encode(), dtype=np.uint8)
    assert code_points_of_utf8.py_func(utf8).tolist() == code_points_of_utf8(utf8).tolist() == list(map(ord, text))


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_a_batch_is_its_texts_one_by_one(threads: int) -> None:
    texts = ["ab", "", "漢字", "a b", "😊", "ab" * 5000, "\ud800", "aab好" * 20_000] * 4
    for model in (base_model(), byte_model(("▁", -3.0), ("a", -2.0))):
        batch = model.encode_batch(texts, threads)
        assert len(batch) == len(texts)
        assert batch.tolist() == [batch[i].tolist() for i in range(len(texts))]
        assert batch.tolist() == [model.encode(text) for text in texts]


@pytest.mark.parametrize("text", [None, 5, b"a", ["a"]])
def test_what_is_no_text_is_refused(text: Any) -> None:
    model = base_model()
    for act in (model.encode, model.lattice, lambda text: model.encode_batch(["a", text]), model.as_tokenizer().encode):
        with pytest.raises(TextError) as caught:
            act(text)
        assert str(caught.value) == f"{text!r} is no text; give a str."


@pytest.mark.parametrize("threads", ["2", 0, -1, 1.5])
def test_a_number_of_threads_that_is_none_is_refused(threads: Any) -> None:
    with pytest.raises(EngineError, match=f"^threads is {threads!r}; give a whole number from 1 on"):
        base_model().encode_batch(["a"], threads)


def test_an_empty_batch() -> None:
    batch = base_model().encode_batch([])
    assert (len(batch), batch.ids.tolist(), batch.offsets.tolist()) == (0, [], [0])


def test_a_set_cancel_token_stops_the_work() -> None:
    cancel = threading.Event()
    cancel.set()
    model = base_model()
    for work in (model.segment, model.lattice):
        with pytest.raises(Cancelled):
            work("ab", cancel=cancel)
    with pytest.raises(Cancelled):
        model.encode_batch(["ab"], 1, cancel=cancel)
