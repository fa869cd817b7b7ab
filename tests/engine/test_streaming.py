"""Decoding ID by ID: nothing is shown too early or taken back; the other reading is that of HF tokenizers."""

from __future__ import annotations

import random
from functools import cache

import pytest
import sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers import decoders as hf_decoders
from tokenizers import models as hf_models

from engine.model import UnigramModel, load_model
from engine.streaming import huggingface_text, stream_steps, text_after
from engine.typed_tokens import FORMS, decode_raw, read_typed
from tests.helpers.shared_data import MODELS, shared_folder
from tests.helpers.toy_models import base_model, byte_model

SHARED = shared_folder() / "data" / "models"


@pytest.fixture
def model() -> UnigramModel:
    return byte_model(("▁", -1.0), ("你", -2.0), ("好", -2.0))


def shown(model: UnigramModel, ids: list[int]) -> list[tuple[str, int, int]]:
    decoding = model.decode_detail(ids)
    return [(text_after(decoding, step), step.have, step.need) for step in stream_steps(decoding)]


def test_the_sample_grows_as_it_can_be_read(model: UnigramModel) -> None:
    assert shown(model, model.encode("你好😊")) == [
        ("", 0, 0), ("你", 0, 0), ("你好", 0, 0), ("你好", 1, 4), ("你好", 2, 4), ("你好", 3, 4), ("你好😊", 0, 0),
    ]  # fmt: skip


@given(st.lists(st.one_of(st.integers(0, 260), st.integers(3 + 0x80, 3 + 0xF8)), max_size=12))
def test_what_is_shown_is_the_decoding_of_what_came_so_far(ids: list[int]) -> None:
    model = byte_model(("▁", -1.0), ("你", -2.0), ("好", -2.0))
    whole = model.decode(ids)
    for n, (text, have, need) in enumerate(shown(model, ids), start=1):
        so_far = model.decode(ids[:n])
        assert so_far == text + "\ufffd" * have
        assert have < need or have == need == 0
        assert whole.startswith(text), "nothing is taken back"


def _hf_of(model: UnigramModel) -> Tokenizer:
    vocabulary = list(zip(model.pieces.texts, model.pieces.log_probs.tolist(), strict=True))
    tokenizer = Tokenizer(hf_models.Unigram(vocabulary, model.pieces.unknown_id, byte_fallback=True))
    tokenizer.decoder = hf_decoders.Sequence([hf_decoders.ByteFallback(), hf_decoders.Fuse()])
    return tokenizer


@given(st.lists(st.one_of(st.integers(259, 261), st.integers(3, 258)), max_size=10))
def test_the_other_reading_is_that_of_hf_tokenizers(ids: list[int]) -> None:
    model = byte_model(("a", -1.0), ("你", -2.0), ("好", -2.0), add_dummy_prefix=False)
    assert huggingface_text(model.decode_detail(ids)) == _hf_of(model).decode(ids)


def test_one_bad_byte_spoils_a_whole_run_there(model: UnigramModel) -> None:
    ids = [3 + value for value in "é".encode() + b"\xff"]
    decoding = model.decode_detail(ids)
    assert (decoding.text, huggingface_text(decoding)) == ("é\ufffd", "\ufffd" * 3)


@cache
def _with_bytes() -> list[tuple[UnigramModel, sentencepiece.SentencePieceProcessor]]:
    found = [(load_model(SHARED / name), SHARED / name) for name in MODELS] if SHARED.is_dir() else []
    return [
        (model, sentencepiece.SentencePieceProcessor(model_file=str(path)))
        for model, path in found
        if model.pieces.byte_ids is not None
    ]


@settings(max_examples=60)
@given(st.data())
def test_random_ids_decode_as_in_sentencepiece_for_every_model_with_bytes(data: st.DataObject) -> None:
    if not _with_bytes():
        pytest.skip(f"needs shared data: no folder {SHARED}")
    for model, peer in _with_bytes():
        assert model.pieces.byte_ids is not None
        of_bytes = st.sampled_from(model.pieces.byte_ids.tolist())
        ids = data.draw(st.lists(st.one_of(of_bytes, st.integers(0, len(model.pieces) - 1)), max_size=20))
        decoding = model.decode_detail(ids)
        assert decoding.text == peer.decode(ids), (model.name, ids)
        assert "".join(c.text for c in decoding.characters) == decoding.text or decoding.is_denormalized
        if model.denormalizer_spec is not None:
            continue  # what can be shown stands before it
        for step, n in zip(stream_steps(decoding), range(1, len(ids) + 1), strict=True):
            assert peer.decode(ids[:n]) == text_after(decoding, step) + "\ufffd" * step.have


# What is typed.


@pytest.mark.parametrize("text", ["3 6", "3,6", "3, 6", "[3, 6]", " 3\n6\n", "[3 6]", "\t3\t6"])
def test_ids_are_read_however_they_are_parted(text: str) -> None:
    read = read_typed(text, base_model().pieces)
    assert (read.ids, read.form, read.remarks) == ((3, 6), "IDs", ())


@pytest.mark.parametrize(  # DEC-04
    ("text", "ids", "named"),
    [
        ("3 6 999", (3, 6), ["“999” is no ID", "from 0 to 6"]),
        ("-1", (), ["“-1” is no ID", "from 0 to 6"]),
        ("7", (), ["“7” is no ID", "from 0 to 6"]),
        ("6.5", (), ["“6.5” is no whole number", "from 0 to 6"]),
        ("", (), []),
        ("3,6", (3, 6), []),
        ("٣", (3,), ["“٣” is read as 3"]),
        ("9" * 400, (), ["no ID"]),
        ("3 x 6", (3, 6), ["“x” is no whole number"]),
    ],
)
def test_what_is_no_id_is_named_and_the_rest_is_read(text: str, ids: tuple[int, ...], named: list[str]) -> None:
    read = read_typed(text, base_model().pieces)
    assert read.ids == ids
    assert bool(read.remarks) == bool(named)
    for words in named:
        assert words in read.remarks[0]


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("1 2 99999 -5 abc 7", "IDs"), ("abc 1", "IDs"), ("the 3 men", "pieces"), ("12 E4 BD", "bytes"),
        ("0xE4 12 34", "bytes"),
    ],
)  # fmt: skip
def test_the_form_is_that_of_most_words(text: str, form: str) -> None:
    assert read_typed(text, base_model().pieces).form == form


def test_pieces_are_read_with_either_sign_for_a_space() -> None:
    pieces = base_model(("▁a", -1.0)).pieces
    for text in ("▁a b", "␣a b", '["▁a", "b"]'):
        assert read_typed(text, pieces).ids == (7, 5)
    read = read_typed("▁a zz b", pieces)
    assert (read.ids, read.remarks) == ((7, 5), ("“zz” is no piece of this vocabulary.",))


@pytest.mark.parametrize("text", ["E4 BD A0", "0xE4 0xBD 0xA0", "<0xE4><0xBD> A0", "\\xE4 \\xBD \\xA0", "E4BDA0"])
def test_bytes_are_read_however_they_are_written(model: UnigramModel, text: str) -> None:
    read = read_typed(text.replace("><", "> <"), model.pieces)
    assert read.form == "bytes"
    assert model.decode(read.ids) == "你"


def test_bytes_without_byte_pieces_are_shown_without_ids() -> None:
    read = read_typed("E4 BD A0 FF", base_model().pieces)
    assert (read.ids, read.data) == ((), b"\xe4\xbd\xa0\xff")
    assert "no byte pieces" in read.remarks[0]
    decoding = decode_raw(read.data)
    assert decoding.text == "你\ufffd"
    assert decoding.ids.tolist() == [-1] * 4


def test_a_form_that_is_asked_for_is_taken(model: UnigramModel) -> None:
    assert read_typed("41 42", model.pieces).form == "IDs"
    assert model.decode(read_typed("41 42", model.pieces, "bytes").ids) == "AB"
    assert read_typed("41", model.pieces, "pieces").remarks == ("“41” is no piece of this vocabulary.",)


@given(st.text(max_size=30), st.sampled_from(["", *FORMS]))
def test_nothing_that_is_typed_is_an_error(text: str, form: str) -> None:
    model = byte_model(("▁", -1.0))
    read = read_typed(text, model.pieces, form)
    model.decode_detail(read.ids)


def test_long_random_lists_stream_in_no_time(model: UnigramModel) -> None:
    rng = random.Random(3)
    ids = [rng.randrange(len(model.pieces)) for _ in range(20_000)]
    assert len(stream_steps(model.decode_detail(ids))) == 20_000
