"""Two sets of rules on one vocabulary: each kind of difference is found and named."""

from __future__ import annotations

import threading
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sentencepiece
from tokenizers import Tokenizer

from engine.corpus import Corpus
from engine.errors import Cancelled, ModelFileError
from engine.model import UnigramModel, load_model
from engine.normalizer import NormalizerSpec
from engine.parity import RulePair, parity_report
from tests.helpers.case_models import added_token, json_model
from tests.helpers.shared_data import sample_lines
from tests.helpers.toy_models import BASE, base_model, byte_model, table_of


def kinds(model: UnigramModel, *texts: str) -> dict[str, str]:
    """Return text -> kind of what is encoded differently."""
    report = parity_report(model, texts)
    return {row.text: row.kind for row in report.differences if row.what == "encode"}


def test_nothing_to_tell_about_plain_texts() -> None:
    corpus = Corpus.from_counts({"ab a": 2, "  ab  ab ": 1, "": 1, "漢字ab": 1, " ": 1})
    report = parity_report(base_model(), corpus)
    assert (report.n_texts, report.n_different, dict(report.counts)) == (len(corpus), 0, {})


@pytest.mark.parametrize("options", [
    {}, {"add_dummy_prefix": False}, {"remove_extra_whitespaces": False},
    {"add_dummy_prefix": False, "remove_extra_whitespaces": False}, {"treat_whitespace_as_suffix": True},
    {"treat_whitespace_as_suffix": True, "remove_extra_whitespaces": False}, {"escape_whitespaces": False},
    {"escape_whitespaces": False, "add_dummy_prefix": False},
    {"escape_whitespaces": False, "remove_extra_whitespaces": False},
])  # fmt: skip
def test_all_settings_of_the_normalizer_are_carried_over(options: dict[str, Any], tmp_path: Path) -> None:
    model = UnigramModel.trained(table_of(*BASE, (" ", -3.0)), NormalizerSpec(**options))
    texts = [
        "",
        " ",
        "   ",
        "ab",
        "  ab",
        "ab  ",
        "ab  ab",
        " a b ",
        "▁",
        "▁ab",
        "ab▁",
        " ▁ab",
        "a▁▁b",
        "漢字 漢字",
        "a\nb ",
    ]
    # With a suffix, SentencePiece adds one to a lone marker that it has just taken away.
    report = parity_report(
        model, [text for text in texts if text != "▁" or "treat_whitespace_as_suffix" not in options]
    )
    assert [row for row in report.differences if row.what == "encode"] == []
    model.save(tmp_path / "tokenizer.json")
    load_model(tmp_path / "tokenizer.json").save(tmp_path / "again.model")
    assert load_model(tmp_path / "again.model").normalizer_spec == model.normalizer_spec


def test_symbols_typed_in_a_text() -> None:
    model = base_model(("x", 0.0, 4), ("u", -3.0))
    assert kinds(model, "<s>ab", "a<unk>b", "abxab") == {"<s>ab": "typed symbol", "a<unk>b": "typed symbol"}


def test_an_exact_tie_falls_by_the_order_of_adding() -> None:
    rows = [("▁", -3.0), ("?", -2.2885100841522217), ("?????", -4.942337989807129)]
    model = UnigramModel.trained(
        table_of(*rows, ("▁.", -6.925445556640625), (".", -4.6322526931762695)), NormalizerSpec()
    )
    assert kinds(model, "." + "?" * 11) == {"." + "?" * 11: "exact tie"}


def test_symbols_and_unused_pieces_in_the_path() -> None:
    assert kinds(base_model(("bb", -0.1, 5)), "abb") == {"abb": "symbol matched"}
    assert kinds(byte_model(("▁", -3.0), ("a", -2.0)), "a<0x0A>") == {"a<0x0A>": "symbol matched"}


def test_decoding_wrong_bytes() -> None:
    model = byte_model(("▁", -3.0), ("a", -2.0))
    (row,) = parity_report(model, ["<0xE9>"]).differences[:1]
    assert row.what == "encode"
    assert model.as_tokenizer().decode([0xE6 + 3, 0x41 + 3]) == "\ufffd\ufffd"
    assert model.decode([0xE6 + 3, 0x41 + 3]) == "\ufffdA"


def test_the_rule_table_is_read_in_two_ways(shared: Path) -> None:
    model = load_model(shared / "data" / "models" / "sp_test_ja_model.model")
    report = parity_report(model, ["\u30d5\u309a", "東京"])
    assert [(row.text, row.kind) for row in report.differences] == [("\u30d5\u309a", "normalization rules")]


def test_a_pair_of_files_of_one_tokenizer(shared: Path) -> None:
    data = shared / "data"
    ties = {"near tie", "exact tie"}
    for name, allowed in (("llmjp_ver2.2_50k", ties | {"typed symbol"}), ("kitoken_xlnet_base_cased", None)):
        model = load_model(data / "models" / f"{name}.model")
        other = load_model(data / "tokenizer_json" / f"{name}.tokenizer.json")
        report = parity_report(model, sample_lines(shared, 60), other=other)
        encoded = {row.kind for row in report.differences if row.what == "encode"}
        assert allowed is None or encoded <= allowed
        assert parity_report(other, ["abc"], other=model).n_texts == 1
        assert report.as_tsv().count(b"\n") == len(report.differences) + 1


def test_a_near_tie_falls_by_rounding(tmp_path: Path) -> None:
    model = UnigramModel.trained(table_of(("▁", -3.0), ("a", -2.0), ("b", -1.9), ("ab", -3.9)), NormalizerSpec())
    (row,) = parity_report(model, ["ab"]).differences
    model.save(tmp_path / "m.model")
    model.save(tmp_path / "m.json")
    theirs = sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "m.model")).encode("ab", out_type=str)
    again = Tokenizer.from_file(str(tmp_path / "m.json")).encode("ab").tokens
    assert (list(row.sentencepiece), list(row.tokenizers)) == (theirs, again) == (["▁", "ab"], ["▁", "a", "b"])
    apart = sum(Fraction(np.float32(score).item()) for score in (-2.0, -1.9)) - Fraction(np.float32(-3.9).item())
    assert row.kind == "near tie"
    assert f"{float(abs(apart)):.1g} nats apart" in row.reason


def test_what_is_lost_is_said() -> None:
    assert "1 of them" in parity_report(base_model(("bb", -9.0, 5)), []).losses[0]


def test_what_a_model_does_not_say_of_a_tokenizer_json() -> None:
    template = {"type": "BertProcessing", "cls": ["<s>", 1], "sep": ["</s>", 2]}
    added = [added_token(1, "<s>", special=True), added_token(7, "X")]
    losses = parity_report(json_model(added_tokens=added, post_processor=template), []).losses
    assert [sentence.split(" become")[0] for sentence in losses[:2]] == ["Special tokens (1)", "Other added tokens (1)"]
    assert "no template" in losses[2]
    assert json_model().losses == ()


def test_one_text_under_both_sets_of_rules() -> None:
    pair = RulePair.of(base_model())
    same, other = pair.compare("ab a"), pair.compare("<s>")
    assert (same.differences, same.sentencepiece.pieces) == ((), same.tokenizers.pieces)
    assert other.sentencepiece.ids.tolist() != other.tokenizers.ids.tolist() == [1]
    assert [difference.kind for difference in other.differences] == ["typed symbol"]


def test_two_models_of_one_kind_are_refused() -> None:
    with pytest.raises(ModelFileError, match="follow the same rules"):
        parity_report(base_model(), [], other=base_model())


def test_it_can_be_cancelled() -> None:
    cancel = threading.Event()
    with pytest.raises(Cancelled):
        parity_report(base_model(), ["a"] * 9, cancel=cancel, progress=lambda n: cancel.set() if n == 3 else None)
