"""SentencePiece 0.2.3 on every line of whole corpora and on 20,000 strings that were made to be difficult.

The quick set takes a sample of each; `-m slow` takes all of it.
"""

from __future__ import annotations

import lzma
import random
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import sentencepiece

from engine.model import UnigramModel, load_model
from tests.helpers.nasty_texts import nasty_texts
from tests.helpers.shared_data import MODELS

Peer = sentencepiece.SentencePieceProcessor
N_NASTY = 20_000
HUGE = ("x" * 100_000, "ab cd " * 17_000, "é漢😊 " * 25_000, "▁" * 100_000, "\u0301" * 100_000)


@cache
def corpus_lines(shared: Path, name: str) -> list[str]:
    path = shared / "data" / "corpora" / name
    data = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
    return data.decode("utf-8").split("\n")


@cache
def texts_of(shared: Path, source: str) -> list[str]:
    if source == "nasty":
        return [*nasty_texts(N_NASTY, seed=4), *HUGE]
    return corpus_lines(shared, source)


@pytest.fixture(scope="module", params=MODELS)
def pair(request: pytest.FixtureRequest, shared: Path) -> tuple[UnigramModel, Peer]:
    path = shared / "data" / "models" / request.param
    return load_model(path), Peer(model_file=str(path))


def assert_same_ids(pair: tuple[UnigramModel, Peer], texts: list[str], threads: int) -> None:
    model, peer = pair
    batch = model.encode_batch(texts, threads)
    ids, ends = batch.ids, batch.offsets
    for i, theirs in enumerate(peer.encode(texts)):
        if len(theirs) != ends[i + 1] - ends[i] or not np.array_equal(theirs, ids[ends[i] : ends[i + 1]]):
            assert batch[i].tolist() == theirs, texts[i]


def assert_same_offsets_and_text(pair: tuple[UnigramModel, Peer], texts: list[str]) -> None:
    model, peer = pair
    for text in texts:
        found, theirs = model.segment(text), peer.encode(text, return_type="offset_mapping")
        assert found.normalized.text == peer.normalize(text), text
        assert list(found.pieces) == theirs["pieces"], text
        places = found.normalized.char_to_original
        # Of the bytes of one character theirs have the span at the last, ours at each.
        is_last = np.append(found.starts[1:] != found.starts[:-1], True)[: len(found)]
        spans = np.column_stack((places[found.starts], places[found.ends]))
        assert spans[is_last].tolist() == [list(s) for s, last in zip(theirs["offsets"], is_last, strict=True) if last]
        ids = found.ids.tolist()
        assert model.decode(ids) == peer.decode(ids), text


SOURCES = ("nasty", "botchan.txt", "wagahaiwa_nekodearu.txt", "multi30.txt.xz")


@pytest.mark.parametrize("source", SOURCES)
def test_a_sample_is_encoded_alike(pair: tuple[UnigramModel, Peer], shared: Path, source: str) -> None:
    texts = texts_of(shared, source)
    sample = random.Random(source).sample(texts, min(1500, len(texts)))
    assert_same_ids(pair, sample, 2)
    assert_same_offsets_and_text(pair, sample[:120])


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
def test_everything_is_encoded_alike(pair: tuple[UnigramModel, Peer], shared: Path, source: str) -> None:
    assert_same_ids(pair, texts_of(shared, source), 1)


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
def test_offsets_and_decoded_texts_at_scale(pair: tuple[UnigramModel, Peer], shared: Path, source: str) -> None:
    texts = texts_of(shared, source)
    assert_same_offsets_and_text(pair, [text for text in texts if len(text) < 50_000][:: max(len(texts) // 20_000, 1)])


def assert_same_n_best(pair: tuple[UnigramModel, Peer], texts: list[str]) -> None:
    """Compare the scores of the ten best: equal paths may come in another order, theirs being float32 sums."""
    model, peer = pair
    for text in texts:
        ids = peer.nbest_encode_as_ids(text, 10)
        ours = model.lattice(text).n_best(10)
        assert len(ids) == max(len(ours), 1), text
        assert_scores(model, text, ids, [path.score for path in ours])


def assert_scores(model: UnigramModel, text: str, lists: list[list[int]], expected: list[float]) -> None:
    scores = model.pieces.edge_log_probs()
    if model.pieces.unknown_id in {i for ids in lists for i in ids} or model.byte_fallback:
        return  # a run of unknown characters is one token there, so the IDs do not tell the score
    found = sorted((float(sum(scores[i] for i in ids)) for ids in lists), reverse=True)
    assert np.allclose(found, expected[: len(found)], atol=1e-3), text


def short_texts(shared: Path) -> list[str]:
    lines = [*nasty_texts(300, seed=5), *corpus_lines(shared, "botchan.txt")[::50]]
    lines += corpus_lines(shared, "wagahaiwa_nekodearu.txt")[::50] + corpus_lines(shared, "multi30.txt.xz")[::4000]
    return [line[:30] for line in lines if line.strip()]


def test_the_ten_best_score_alike(pair: tuple[UnigramModel, Peer], shared: Path) -> None:
    assert_same_n_best(pair, short_texts(shared)[::5])


@pytest.mark.slow
def test_the_ten_best_score_alike_on_more_texts(pair: tuple[UnigramModel, Peer], shared: Path) -> None:
    assert_same_n_best(pair, short_texts(shared))
