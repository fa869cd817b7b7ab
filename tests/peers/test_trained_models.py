"""Models that we train, opened by sentencepiece: it loads them and cuts every text as we do."""

from __future__ import annotations

from pathlib import Path

import sentencepiece

from engine import Corpus, TrainerSpec, UnigramModel, load_model, train


def reference(model: UnigramModel, tmp_path: Path) -> sentencepiece.SentencePieceProcessor:
    path = tmp_path / "ours.model"
    model.save(path)
    assert load_model(path).pieces.texts == model.pieces.texts
    return sentencepiece.SentencePieceProcessor(model_file=str(path))


def test_botchan_to_1000_pieces_is_encoded_alike_line_by_line(shared: Path, tmp_path: Path) -> None:
    corpus = Corpus.from_file(shared / "data" / "corpora" / "botchan.txt")
    model = train(corpus, TrainerSpec(vocab_size=1000)).result()
    theirs = reference(model, tmp_path)
    lines = [corpus.text(i) for i in range(len(corpus))]
    assert len(lines) > 4000
    encoded = model.encode_batch(lines)
    assert [encoded[i].tolist() for i in range(len(lines))] == theirs.encode(lines)
    assert [model.decode(ids) for ids in theirs.encode(lines)] == [theirs.decode(ids) for ids in theirs.encode(lines)]


def test_an_emoji_that_was_not_learned_becomes_its_bytes(tmp_path: Path) -> None:
    corpus = Corpus.from_counts({"你好": 5, "你 好 吗": 3, "hello": 2})
    spec = TrainerSpec(vocab_size=300, byte_fallback=True, character_coverage=1.0, hard_vocab_limit=False)
    model = train(corpus, spec).result()
    theirs = reference(model, tmp_path)
    ids = model.encode("你好😊")
    assert model.encode_pieces("你好😊")[-4:] == ["<0xF0>", "<0x9F>", "<0x98>", "<0x8A>"]
    assert model.decode(ids) == "你好😊"
    assert model.decode(ids[-3:]) == "\ufffd\ufffd\ufffd"
    assert ids == theirs.encode("你好😊")
    assert [theirs.decode(ids), theirs.decode(ids[-3:])] == ["你好😊", "\ufffd\ufffd\ufffd"]


def test_the_golden_pieces_of_byte_fallback(tmp_path: Path) -> None:
    # One character a piece, as in the published example: no candidate is left beside the characters.
    corpus = Corpus.from_counts({"你好": 1, "好 你": 1})
    spec = TrainerSpec(
        vocab_size=300, byte_fallback=True, character_coverage=1.0, hard_vocab_limit=False, max_sentencepiece_length=1
    )
    model = train(corpus, spec).result()
    assert model.encode_pieces("你好😊") == ["▁", "你", "好", "<0xF0>", "<0x9F>", "<0x98>", "<0x8A>"]
    assert model.encode("你好😊") == reference(model, tmp_path).encode("你好😊")
