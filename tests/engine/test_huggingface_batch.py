"""Batches of a tokenizer.json: the same IDs as one text at a time, whether or not a text is taken word by word."""

from __future__ import annotations

import base64
import json
import threading
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.charsmap import build_charsmap
from engine.errors import Cancelled
from engine.huggingface.encoder import HuggingFaceEncoder
from engine.model import UnigramModel
from tests.helpers.odd_texts import odd_texts

SPACES = {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "▁"}
QUOTES = {"type": "Replace", "pattern": {"String": "``"}, "content": '"'}
STRIP = {"type": "Strip", "strip_left": True, "strip_right": True}
RULES = {"e\u0301": "é", "a": "a", "½": "1/2", "…": "...", "Ａ": "a", "\u200b": " ", "\u200d": "", "＜": "<", "ก": "ขข"}
CHARSMAP = base64.b64encode(build_charsmap(RULES)).decode()
PRECOMPILED = {"type": "Precompiled", "precompiled_charsmap": CHARSMAP}
METASPACE = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
SPLIT = {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, METASPACE]}
TOKENS = ("<s>", "</s>", "[mask]")


def sequence(*steps: Any) -> dict[str, Any]:
    return {"type": "Sequence", "normalizers": list(steps)}


STRIPPED = sequence({"type": "NFKD"}, {"type": "StripAccents"}, PRECOMPILED)
NORMALIZERS = (
    None,
    sequence(QUOTES, {"type": "NFKD"}, {"type": "StripAccents"}),
    sequence({"type": "NFKC"}, {"type": "Lowercase"}, {"type": "Nmt"}),
    sequence({"type": "NFC"}, STRIP, SPACES),
    sequence(PRECOMPILED, STRIP, SPACES),
    PRECOMPILED,
    STRIPPED,
    sequence({"type": "Lowercase"}),
)


@pytest.fixture(scope="module", params=[(n, p, b) for n in NORMALIZERS for p in (METASPACE, SPLIT) for b in (0, 1)])
def model(request: pytest.FixtureRequest) -> UnigramModel:
    return model_of(*request.param)


def model_of(normalizer: Any, pre_tokenizer: Any, byte_fallback: bool) -> UnigramModel:
    pieces = ["<unk>", "▁", "a", "b", "ab", "▁ab", "é", "e", "``", '"', "好", "好吃", "漢字", "ー", "...", "\u0301"]
    pieces += [f"<0x{i:02X}>" for i in range(256)] if byte_fallback else []
    added = [
        {"id": len(pieces) + i, "content": token, "single_word": False, "lstrip": i == 2, "rstrip": False,
         "normalized": i == 1, "special": i < 2}
        for i, token in enumerate(TOKENS)
    ]  # fmt: skip
    template = [{"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}}]
    content = {
        "version": "1.0", "truncation": None, "padding": None, "decoder": None, "added_tokens": added,
        "normalizer": normalizer, "pre_tokenizer": pre_tokenizer,
        "post_processor": {
            "type": "TemplateProcessing", "single": template, "pair": [],
            "special_tokens": {"</s>": {"id": "</s>", "ids": [len(pieces) + 1], "tokens": ["</s>"]}},
        },
        "model": {"type": "Unigram", "unk_id": 0, "byte_fallback": bool(byte_fallback),
                  "vocab": [[piece, -1.0 - i / 7] for i, piece in enumerate(pieces)]},
    }  # fmt: skip
    return UnigramModel.from_bytes(json.dumps(content).encode())


def one_by_one(model: UnigramModel, texts: list[str]) -> list[list[int]]:
    return [model.segment(text).ids.tolist() for text in texts]


def test_odd_texts(model: UnigramModel) -> None:
    texts = ["", " ", "ab", " ab", "ab ", "ab  ab", "é\u0301 \u0301a", "a<s>b </s> [mask]", "a [mask]", *TOKENS]
    texts += ["กิa", "aิ e\u0301ิ Ａิ", "a\u200dิ", "ิa", "＜s>", "½ Ａb a\u200db", "का का कि", "\u200d", "a \u200d b"]
    texts += ["b\u200dิ\u200cb", "b\u200bb \u200bb b\u200b\u200bb", "\u200b", "b\u200b"]
    texts += ["``ab``", "` `", "a\u00a0b a", "Ab\u200b", "漢字漢 字", "…", "好" * 90, "ab" * 400, "a" * 70 + " \u00bd"]
    texts += odd_texts(400, seed=8, specials=list(TOKENS))
    assert model.encode_batch(texts, 1).tolist() == one_by_one(model, texts)
    assert model.encode_batch(texts, 2).tolist() == one_by_one(model, texts)


# What becomes of marks behind others, of spaces that arise in a word, and of what goes, is known.
KNOWN = ("bิb", "b\u200bb", "b\u200dิb", "½ab", "ab" * 60)
CUT = ("好\u200b" * 40, "\u200bก\u200b\u200b", "\u200b")


@pytest.mark.parametrize(
    ("normalizer", "pre_tokenizer", "words"),
    [
        (PRECOMPILED, SPLIT, (*KNOWN, *CUT)),
        (sequence(PRECOMPILED, STRIP, SPACES), METASPACE, (*KNOWN, CUT[0] + "b")),
        (STRIPPED, SPLIT, ("bิb", "好ิ\u0301", "b\u0345\u0301ิิ", "½ab", "ab" * 60)),
    ],
    ids=["split", "metaspace", "stripped"],
)
def test_words_of_known_characters_are_not_asked_for(
    normalizer: Any, pre_tokenizer: Any, words: tuple[str, ...]
) -> None:
    model = model_of(normalizer, pre_tokenizer, False)
    assert isinstance(model.encoder, HuggingFaceEncoder)
    assert model.encoder._word_batches is not None
    segment, asked = model.encoder.segment, list[str]()

    def encode_one(text: str, add_special_tokens: bool) -> NDArray[np.int32]:
        asked.append(text)
        return segment(text, add_special_tokens=add_special_tokens).ids

    batches = replace(model.encoder._word_batches, encode_one=encode_one)
    assert batches.encode(words, 1, None).tolist() == one_by_one(model, list(words))
    assert asked == []


@settings(deadline=None, max_examples=40)
@given(texts=st.lists(st.text("ab é\u0301ิกＡ½\u200d\u200b`好漢字\u00a0…<s>▁\u1100\u1161가", max_size=20), max_size=5))
def test_a_batch_is_its_texts_one_by_one(model: UnigramModel, texts: list[str]) -> None:
    assert model.encode_batch(texts, 1).tolist() == one_by_one(model, texts)


def test_these_go_word_by_word(model: UnigramModel) -> None:
    assert isinstance(model.encoder, HuggingFaceEncoder)
    assert model.encoder._word_batches is not None


def test_more_new_words_than_one_text_may_ask_for(model: UnigramModel) -> None:
    text = " ".join(f"…{i}" for i in range(200))
    assert model.encode_batch([text, "ab"], 1).tolist() == one_by_one(model, [text, "ab"])


def test_a_set_cancel_token_stops_the_work(model: UnigramModel) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        model.encode_batch(["ab"], 1, cancel=cancel)
