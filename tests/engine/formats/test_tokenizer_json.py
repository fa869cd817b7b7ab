"""What a tokenizer.json asks for and is not done here is named when it is opened, and nothing else is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.model import UnigramModel, load_model
from tests.helpers.case_models import ALWAYS, added_token, json_model

TEXT = {"Sequence": {"id": "A", "type_id": 0}}
TEMPLATE: dict[str, Any] = {"type": "TemplateProcessing", "single": [TEXT], "pair": [], "special_tokens": {}}
PAIR = {"sep": ["</s>", 2], "cls": ["<s>", 1]}


def within(kind: str, *steps: dict[str, Any]) -> dict[str, Any]:
    keys = {"normalizer": "normalizers", "pre_tokenizer": "pretokenizers", "decoder": "decoders"}
    return {"type": "Sequence", keys.get(kind, "processors"): list(steps)}


@pytest.mark.parametrize(
    ("part", "step", "named"),
    [
        ("normalizer", {"type": "BertNormalizer", "lowercase": True}, "The normalizer BertNormalizer is left out"),
        ("normalizer", {"type": "ByteLevel"}, "The normalizer ByteLevel is left out"),
        ("normalizer", {"type": "Of the future"}, "The normalizer Of the future is left out"),
        ("pre_tokenizer", {"type": "ByteLevel", "use_regex": True}, "The pre-tokenizer ByteLevel is left out"),
        ("pre_tokenizer", {"type": "Of the future"}, "The pre-tokenizer Of the future is left out"),
        ("decoder", {"type": "WordPiece", "prefix": "##"}, "The decoder WordPiece is left out"),
        ("decoder", {"type": "CTC", "pad_token": "<pad>"}, "The decoder CTC is left out"),
        ("decoder", {"type": "Of the future"}, "The decoder Of the future is left out"),
        ("post_processor", {"type": "Of the future"}, "The post-processor Of the future is left out"),
        ("normalizer", {"type": "NFKC", "version": 17}, "The normalizer NFKC has the option 'version', which is left"),
        ("normalizer", {"type": "Lowercase", "locale": "tr"}, "The normalizer Lowercase has the option 'locale'"),
        ("pre_tokenizer", ALWAYS | {"suffix": True}, "The pre-tokenizer Metaspace has the option 'suffix'"),
        ("pre_tokenizer", {"type": "Digits", "individual_digits": True, "by": 3}, "Digits has the option 'by'"),
        ("decoder", ALWAYS | {"suffix": True}, "The decoder Metaspace has the option 'suffix'"),
        ("decoder", {"type": "Fuse", "with": " "}, "The decoder Fuse has the option 'with'"),
        ("post_processor", TEMPLATE | {"triple": []}, "TemplateProcessing has the option 'triple'"),
        ("post_processor", {"type": "RobertaProcessing", "trim_offsets": True, "add_prefix_space": True} | PAIR,
         "RobertaProcessing asks for offsets without white space"),
        ("post_processor", {"type": "ByteLevel", "trim_offsets": True, "add_prefix_space": True}, "ByteLevel asks for"),
    ],
)  # fmt: skip
def test_each_step_and_option_that_is_not_done_is_named(part: str, step: dict[str, Any], named: str) -> None:
    for settings in (step, within(part, step)):
        parts: dict[str, Any] = {part: settings}
        (warning,) = json_model(**parts).warnings
        assert named in warning
        assert warning.endswith(".")


@pytest.mark.parametrize(
    ("parts", "named"),
    [
        ({"truncation": {"max_length": 8}}, "not cut off"),
        ({"padding": {"length": 8}}, "not padded"),
        ({"version": "2.0"}, "The file is of version 2.0"),
        ({"reranker": {"type": "?"}}, "The file has the option 'reranker'"),
        ({"model": {"nbest_size": 64}}, "The model has the option 'nbest_size'"),
        ({"added_tokens": [added_token(7, "X", fuzzy=True)]}, "The added token 'X' has the option 'fuzzy'"),
    ],
)
def test_each_option_of_the_file_that_is_not_done_is_named(parts: dict[str, Any], named: str) -> None:
    (warning,) = json_model(**parts).warnings
    assert named in warning


def test_a_template_with_the_text_twice_is_named() -> None:
    twice = TEMPLATE | {"single": TEMPLATE["single"] * 2}
    (warning,) = json_model(post_processor=twice).warnings
    assert "has the text 2 times and is left out" in warning


def test_what_asks_for_nothing_is_not_named() -> None:
    strip = {"type": "Strip", "strip_left": True, "strip_right": False}
    steps: dict[str, Any] = {
        "normalizer": within("normalizer", {"type": "NFC"}, strip),
        "pre_tokenizer": ALWAYS | {"str_rep": "▁", "add_prefix_space": True, "suffix": None},
        "post_processor": {"type": "RobertaProcessing", "trim_offsets": False, "add_prefix_space": False} | PAIR,
        "decoder": within("decoder", {"type": "ByteFallback"}, {"type": "Fuse"}, ALWAYS),
    }
    assert json_model(**steps).warnings == ()
    assert json_model().as_sentencepiece().as_tokenizer().warnings == ()


def test_an_unknown_option_survives_an_edit() -> None:
    model = json_model(normalizer={"type": "NFKC", "version": 17})
    rows = [*zip(model.pieces.texts, model.pieces.log_probs.tolist(), model.pieces.types.tolist(), strict=True)]
    edited = replace(model, pieces=model.pieces.from_rows([*rows[:6], ("ab", -2.3, 1)]))
    again = UnigramModel.from_bytes(edited.to_bytes("t.json"))
    assert "has the option 'version'" in again.warnings[0]
    assert again.pieces.log_probs[6] == -2.3


def test_real_files_ask_for_nothing_that_is_not_done(shared: Path) -> None:
    for path in sorted((shared / "data" / "tokenizer_json").iterdir()):
        warnings = load_model(path).warnings
        assert all("padd" in warning or "cut off" in warning for warning in warnings), path.name
