"""Texts whose sum leaves ±100,000 nats: SentencePiece 0.2.3 begins its sums anew there, and so near ties fall.

The oracle is the rule in plain Python: where the sum at a place is beyond the limit, it is taken off those of the
places reached so far behind it, in float32.
"""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import pytest
import sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model import UnigramModel, load_model
from engine.normalizer import NormalizerSpec
from engine.pieces import PieceType
from tests.helpers.toy_models import table_of
from tests.peers.test_sentencepiece_at_scale import corpus_lines

Peer = sentencepiece.SentencePieceProcessor
LIMIT = 100_000.0


Scores = dict[str, tuple[int, np.float32]]


def scores_of(model: UnigramModel) -> Scores:
    """Return the ID and the score of each piece."""
    table = model.pieces
    scores = Scores()
    for i, (text, score, kind) in enumerate(zip(table.texts, table.log_probs, table.types, strict=True)):
        if kind == PieceType.NORMAL:
            scores[text] = i, np.float32(score)
        elif kind == PieceType.USER_DEFINED:
            scores[text] = i, np.float32(0.1 * (len(text.encode()) - 1))
    return scores


def oracle(model: UnigramModel, text: str, limit: float = LIMIT) -> list[int]:
    """Return the IDs of a normalized text."""
    scores, unknown_id = scores_of(model), model.pieces.unknown_id
    lowest = min(np.float32(model.pieces.log_probs[i]) for i in np.flatnonzero(model.pieces.types == PieceType.NORMAL))
    longest = max(map(len, scores))
    best = {0: (np.float32(0), 0, -1)}  # the places reached: the sum, where its last piece begins, which one
    for start in range(len(text)):
        so_far = best[start][0]
        ends = range(start + 1, min(start + longest, len(text)) + 1)
        if so_far < -limit or so_far > limit:
            best |= {end: (best[end][0] - so_far, *best[end][1:]) for end in ends if end in best}
            so_far = np.float32(0)
        edges = [(end, *scores[text[start:end]]) for end in ends if text[start:end] in scores]
        if text[start] not in scores:
            edges.append((start + 1, unknown_id, lowest - np.float32(10)))
        for end, piece, score in edges:
            if end not in best or score + so_far > best[end][0]:
                best[end] = score + so_far, start, piece
    ids, place = list[int](), len(text)
    while place > 0:
        _, place, piece = best[place]
        if piece != unknown_id or ids[-1:] != [piece]:
            ids.append(piece)
    return ids[::-1]


def ids_of(model: UnigramModel, text: str) -> list[int]:
    """Return the IDs of a text, which must be the same alone, in a batch, and behind others that hold its words."""
    ids = model.encode(text)
    assert model.encode_batch([text, text[: len(text) // 2], text], 1).tolist()[::2] == [ids, ids]
    return ids


@pytest.mark.parametrize(
    ("name", "corpus"),
    [
        ("sp_test_ja_model.model", "wagahaiwa_nekodearu.txt"),
        ("sp_test_model.model", "botchan.txt"),
        ("torchtext_t5_tokenizer_base.model", "multi30.txt.xz"),
    ],
)
def test_a_long_line(shared: Path, name: str, corpus: str) -> None:
    path = shared / "data" / "models" / name
    model, peer = load_model(path), Peer(model_file=str(path))
    lines = corpus_lines(shared, corpus)
    for n_characters in (60_000, 240_000):
        text = " ".join(lines[:20_000])[:n_characters]
        assert ids_of(model, text) == peer.encode(text)


def test_plain_sums_give_other_ids(shared: Path) -> None:
    path = shared / "data" / "models" / "sp_test_ja_model.model"
    model, peer = load_model(path), Peer(model_file=str(path))
    text = " ".join(corpus_lines(shared, "wagahaiwa_nekodearu.txt"))[:60_000]
    normalized = model.normalizer.normalize(text).text
    assert oracle(model, normalized) == peer.encode(text)
    assert oracle(model, normalized, math.inf) != peer.encode(text)


def test_a_line_of_dashes(shared: Path) -> None:
    path = shared / "data" / "models" / "torchtext_t5_tokenizer_base.model"
    model, peer = load_model(path), Peer(model_file=str(path))
    for text in ("-" * 100_000, "--- -- " * 14_000):
        assert ids_of(model, text) == peer.encode(text)


def scored(size: float) -> st.SearchStrategy[float]:
    return st.sampled_from([-1.0, -0.5, -0.3, 0.25, 1.0]).map(lambda x: x * size) | st.floats(-1, 1, width=32).map(
        lambda x: float(np.float32(x * size))
    )


words = st.text("aab漢", min_size=1, max_size=12)
pieces = st.text("ab", min_size=1, max_size=4) | st.sampled_from(["▁a", "▁ab", "▁b", "▁aab"])


@st.composite
def models(draw: st.DrawFn) -> UnigramModel:
    """Draw a model of scores so far from 0 that few pieces reach the limit; some pieces are user-defined."""
    score = scored(draw(st.sampled_from([900.0, 9000.0, 60_000.0, 300_000.0])))
    rows = draw(st.dictionaries(pieces, st.tuples(score, st.sampled_from([1, 1, 1, 4])), max_size=8))
    spec = NormalizerSpec(add_dummy_prefix=draw(st.booleans()), remove_extra_whitespaces=draw(st.booleans()))
    return UnigramModel.trained(
        table_of(("▁", draw(score)), ("a", draw(score)), *((text, *row) for text, row in rows.items() if text != "a")),
        spec,
    )


@settings(deadline=None, max_examples=300)
@given(models(), st.lists(words, min_size=1, max_size=5), st.randoms(use_true_random=False))
def test_scores_far_from_zero(model: UnigramModel, words: list[str], rng: random.Random) -> None:
    peer = Peer(model_proto=model.to_document().data)
    text = " ".join(rng.choices(words, k=60))
    ids = peer.encode(text)
    assert ids_of(model, text) == ids
    assert oracle(model, model.normalizer.normalize(text).text) == ids


@pytest.mark.parametrize("sign", [-1, 1])
def test_a_sum_at_the_limit_goes_on(sign: int) -> None:
    """Behind ±100,000 float32 counts in 128ths: two pieces of 0.301 are 78 of them, one of 0.604 is 77."""
    beyond = float(np.nextafter(np.float32(sign * LIMIT), np.float32(sign * math.inf)))
    table = table_of(("x", sign * LIMIT), ("y", beyond), ("a", -0.301), ("aa", -0.604))
    model = UnigramModel.trained(table, NormalizerSpec(add_dummy_prefix=False))
    peer = Peer(model_proto=model.to_document().data)
    for text, ids in (("xaa", [3, 6]), ("yaa", [4, 5, 5])):
        assert model.encode(text) == oracle(model, text) == peer.encode(text) == ids


def test_a_sum_beyond_the_limit_inside_a_long_symbol() -> None:
    """No path that counts is far from 0, but the places inside the symbol are, and the sum behind it is moved too."""
    symbol = "z" * 400
    table = table_of(("x", -3000.25), ("z", -300.0), (symbol, 0.0, 4), ("a", -0.301), ("aa", -0.604), ("▁", -2.0))
    model = UnigramModel.trained(table, NormalizerSpec(add_dummy_prefix=False))
    peer = Peer(model_proto=model.to_document().data)
    text = f"x{symbol}aa"
    assert ids_of(model, text) == oracle(model, text) == peer.encode(text) == [3, 5, 7]
    assert oracle(model, text, math.inf) == [3, 5, 6, 6]
    assert model.segment(text).score == pytest.approx(-3000.25 + 39.9 - 0.604, abs=0.01)
    words = f"x {symbol}aa {symbol}aa aa x " * 9
    assert ids_of(model, words) == peer.encode(words)


def test_the_score_is_that_of_the_whole_text() -> None:
    table = table_of(("▁", -1.0), ("a", -1000.125), ("aa", -2500.5), ("c", 700.25))
    model = UnigramModel.trained(table, NormalizerSpec())
    assert model.segment("a" * 1000).score == -1.0 - 1000 * 1000.125
    assert model.segment("c" * 1000).score == -1.0 + 1000 * 700.25
