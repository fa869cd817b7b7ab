"""SentencePiece 0.2.3 on the same files: the same normalized text, IDs, pieces, offsets and decoded text."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import ModelFileError
from engine.model import UnigramModel, load_model
from engine.normalizer import NormalizerSpec
from tests.helpers.shared_data import MODELS, NASTY, sample_lines
from tests.helpers.toy_models import base_model, byte_model, table_of

Peer = sentencepiece.SentencePieceProcessor


def peer_of(model: UnigramModel) -> Peer:
    return Peer(model_proto=model.to_document().data)


@pytest.fixture(scope="module", params=MODELS)
def pair(request: pytest.FixtureRequest, shared: Path) -> tuple[UnigramModel, Peer]:
    path = shared / "data" / "models" / request.param
    return load_model(path), Peer(model_file=str(path))


@pytest.fixture(scope="module")
def lines(shared: Path) -> list[str]:
    return sample_lines(shared)


def test_texts_are_encoded_alike(pair: tuple[UnigramModel, Peer], lines: list[str]) -> None:
    model, peer = pair
    batch = model.encode_batch(lines)
    for i, (text, ids) in enumerate(zip(lines, peer.encode(lines), strict=True)):
        assert batch[i].tolist() == ids, text
        assert model.encode(text) == ids, text


def test_normalized_texts_pieces_and_offsets(pair: tuple[UnigramModel, Peer], lines: list[str]) -> None:
    model, peer = pair
    for text in lines:
        found = model.segment(text)
        theirs = peer.encode(text, return_type="offset_mapping")
        assert found.normalized.text == peer.normalize(text)
        assert list(found.pieces) == theirs["pieces"]
        # Of the bytes of one character theirs have the span at the last, ours at each.
        to_original = found.normalized.char_to_original.tolist()
        spans = [(to_original[i], to_original[j]) for i, j in zip(found.starts, found.ends, strict=True)]
        last = [k + 1 == len(found) or found.starts[k + 1] != found.starts[k] for k in range(len(found))]
        assert [s for s, is_last in zip(spans, last, strict=True) if is_last] == [
            tuple(s) for s, is_last in zip(theirs["offsets"], last, strict=True) if is_last
        ]


def test_ids_are_decoded_alike(pair: tuple[UnigramModel, Peer], lines: list[str]) -> None:
    model, peer = pair
    rng = random.Random(20)
    everything = range(len(model.pieces))
    some = [i for i in (model.pieces.id_of("▁"), model.pieces.unknown_id) if i is not None]
    lists = peer.encode(lines)
    lists += [rng.choices(everything, k=6) for _ in range(200)]
    lists += [rng.choices([*some, *rng.choices(everything, k=2)], k=5) for _ in range(100)]
    if model.pieces.byte_ids is not None:
        lists += [rng.choices(model.pieces.byte_ids.tolist(), k=8) for _ in range(200)]
    for ids in lists:
        assert model.decode(ids) == peer.decode(ids), ids
        assert model.decode_detail(ids).text == peer.decode(ids), ids


def test_the_n_best_are_the_same_paths(shared: Path) -> None:
    path = shared / "data" / "models" / "torchtext_t5_tokenizer_base.model"
    model, peer = load_model(path), Peer(model_file=str(path))
    for text in sample_lines(shared, 60)[len(NASTY) :][:60]:
        ours = model.lattice(text).n_best(11)
        # Near ties at the cut may fall either way: theirs are float32 sums.
        if len(ours) < 11 or ours[9].score - ours[10].score > 1e-3:
            theirs = peer.nbest_encode_as_ids(text, 10)
            assert sorted(list(path.ids) for path in ours[:10]) == sorted(theirs)


def test_a_file_is_saved_as_it_was(shared: Path, tmp_path: Path) -> None:
    for name in MODELS:
        path = shared / "data" / "models" / name
        load_model(path).save(tmp_path / name)
        assert (tmp_path / name).read_bytes() == path.read_bytes()


def test_damaged_files_are_refused_where_sentencepiece_refuses_them(shared: Path) -> None:
    for name in ("trailing_garbage", "concatenated_twice", "truncated_half", "truncated_minus1", "utf8_mangled"):
        path = shared / "data" / "refused" / f"{name}.model"
        with pytest.raises(RuntimeError):
            Peer(model_file=str(path))
        with pytest.raises(ModelFileError):
            load_model(path)


@pytest.mark.parametrize("removes", [True, False])
@pytest.mark.parametrize("prefix", [True, False])
@pytest.mark.parametrize("suffix", [True, False])
def test_spaces_under_every_setting(removes: bool, prefix: bool, suffix: bool) -> None:
    model = base_model(
        ("▁▁", -4.0),
        add_dummy_prefix=prefix,
        remove_extra_whitespaces=removes,
        treat_whitespace_as_suffix=suffix,
    )
    peer = peer_of(model)
    for text in (*NASTY, "   ", "a  b", "  ab", "ab  ", " a b "):
        assert model.encode(text) == peer.encode(text), text
        assert model.decode(model.encode(text)) == peer.decode(peer.encode(text)), text


scores = st.sampled_from([-0.1, -0.3, -0.7, -1.1, -2.0, 0.0, 0.4]) | st.floats(-9, 1, width=32)
kinds = st.sampled_from([1, 1, 1, 1, 4, 5])


@settings(deadline=None, max_examples=150)
@given(
    st.dictionaries(st.text("ab ▁é", min_size=1, max_size=4), st.tuples(scores, kinds), min_size=1, max_size=8),
    st.lists(st.text("ab é", max_size=24), min_size=1, max_size=4),
)
def test_any_vocabulary_with_ties_and_symbols(rows: dict[str, tuple[float, int]], texts: list[str]) -> None:
    table = table_of(("▁", -3.0), *((text, *row) for text, row in rows.items() if text != "▁"))
    model = UnigramModel.trained(table, NormalizerSpec())
    peer = peer_of(model)
    for text in texts:
        assert model.encode(text) == peer.encode(text)


def test_byte_fallback() -> None:
    model = byte_model(("▁", -3.0), ("你", -4.0), ("好", -4.5))
    peer = peer_of(model)
    for text in ("你好😊", "a\n\nb", *NASTY):
        assert model.encode_pieces(text) == peer.encode(text, out_type=str)
        assert model.decode(model.encode(text)) == peer.decode(peer.encode(text))


def test_a_model_that_sentencepiece_trained_with_byte_fallback(tmp_path: Path) -> None:
    corpus = ["你好"] * 30
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(corpus),
        model_prefix=str(tmp_path / "m"),
        vocab_size=262,  # three symbols, 256 bytes, ▁ 你 好
        byte_fallback=True,
        character_coverage=1.0,
        minloglevel=9,
    )
    model, peer = load_model(tmp_path / "m.model"), Peer(model_file=str(tmp_path / "m.model"))
    ids = peer.encode("你好😊")
    assert model.encode("你好😊") == ids
    assert model.encode_pieces("你好😊") == ["▁", "你", "好", "<0xF0>", "<0x9F>", "<0x98>", "<0x8A>"]
    assert model.decode(ids) == "你好😊"
    assert model.decode(ids[-3:]) == peer.decode(ids[-3:]) == "\ufffd\ufffd\ufffd"
    assert load_model(tmp_path / "m.vocab").pieces.texts == model.pieces.texts


def test_what_we_save_sentencepiece_loads(tmp_path: Path) -> None:
    """Every field that a trainer may set, and settings of our own, which it passes over."""
    fields = {
        "input": ["a.txt", "b.txt"],
        "vocab_size": 7,
        "character_coverage": 0.9995,
        "input_sentence_size": 2**40,
        "control_symbols": ["<s>"],
        "required_chars": "é",
        "unk_id": 0,
        "bos_id": 1,
        "eos_id": 2,
        "pad_id": -1,
        "unk_surface": " ?? ",
    }
    model = UnigramModel.trained(
        base_model().pieces, NormalizerSpec(), trainer_fields=fields, own_settings={"m_step": "digamma"}
    )
    model.save(tmp_path / "m.model")
    peer = Peer(model_file=str(tmp_path / "m.model"))
    assert [peer.id_to_piece(i) for i in range(peer.vocab_size())] == list(model.pieces.texts)
    assert peer.decode([0]) == model.decode([0]) == " ?? "
    assert (peer.unk_id(), peer.bos_id(), peer.eos_id(), peer.pad_id()) == (0, 1, 2, -1)


def test_probabilities_become_a_model_that_sentencepiece_loads() -> None:
    model = UnigramModel.from_probabilities({"a": 0.5, "b": 0.25, "ab": 0.25})
    assert peer_of(model).encode("abba?") == model.encode("abba?")
