"""Models: where they come from, what they do, how they are saved."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.errors import EngineError, ModelFileError
from engine.model import UnigramModel, load_model
from engine.normalizer import NormalizerSpec
from engine.pieces import PieceTable
from tests.helpers.case_models import added_token, json_model
from tests.helpers.toy_models import BASE, base_model, byte_model, golden, table_of

TEACHING = NormalizerSpec(add_dummy_prefix=False, remove_extra_whitespaces=False, escape_whitespaces=False)


def test_probabilities_are_kept_in_full() -> None:
    model = UnigramModel.from_probabilities({"b": 0.1, "a": 1 / 3})
    assert model.pieces.texts == ("<unk>", "b", "a")
    assert model.pieces.log_probs.tolist() == [0.0, math.log(0.1), math.log(1 / 3)]
    assert (model.precision, model.normalizer_spec) == ("float64", TEACHING)


def test_ids_can_be_chosen() -> None:
    assert UnigramModel.from_probabilities({"a": 0.5, "b": 0.5}, ids={"b": 0, "a": 1}).pieces.texts == (
        "b",
        "a",
        "<unk>",
    )
    assert UnigramModel.from_probabilities({"a": 0.5}, ids={"a": 0, "<unk>": 1}).pieces.unknown_id == 1


@pytest.mark.parametrize("ids", [{"a": 1}, {"a": 1, "b": 1}, {"a": 1, "b": 5}, {"a": 1, "c": 2}, {"a": -1, "b": 1}])
def test_ids_with_gaps_are_refused(ids: dict[str, int]) -> None:
    with pytest.raises(ModelFileError, match="The IDs must number the 3 pieces"):
        UnigramModel.from_probabilities({"a": 0.5, "b": 0.5}, ids=ids)


@pytest.mark.parametrize("probability", [0.0, -0.1, math.nan, math.inf])
def test_a_probability_must_be_above_0(probability: float) -> None:
    with pytest.raises(EngineError, match="it must be a number above 0"):
        UnigramModel.from_probabilities({"a": probability})


@pytest.mark.parametrize(("score", "rounding"), [("-1e17", "16"), ("-1e13", "0.002"), ("1e15", "0.12")])
def test_scores_that_make_sums_rough_are_named_on_opening(score: str, rounding: str, tmp_path: Path) -> None:
    """Whatever the format; float64 has 53 bits for the sum of such a score and usual ones."""
    model = UnigramModel.from_bytes(f"<unk>\t0\n▁\t-1\na\t{score}\nb\t-2\n".encode())
    assert len(model.warnings) == 1
    assert f"Piece 2 ('a') has the score {float(score):g}: where a text holds it" in model.warnings[0]
    assert f"rounded to {rounding} nats" in model.warnings[0]
    assert ("unknown character" in model.warnings[0]) == score.startswith("-")
    size = abs(float(score))
    assert size + float(rounding) * 1.1 != size == size + float(rounding) / 2.3
    for suffix in ("model", "json", "tsv"):
        model.save(tmp_path / f"m.{suffix}")
        assert "Piece 2 ('a') has the score" in load_model(tmp_path / f"m.{suffix}").warnings[0]


def test_usual_scores_and_those_of_pieces_never_met_are_no_remark() -> None:
    rows = (("c", -1e10), ("d", -99.0))
    assert UnigramModel.from_bytes(base_model(*rows).to_document().data).warnings == ()


def test_byte_fallback_needs_bytes() -> None:
    with pytest.raises(ModelFileError, match="no byte pieces"):
        UnigramModel(table_of(*BASE), byte_fallback=True)


def trained_abc() -> UnigramModel:
    numbers = golden("abc_encoding.json")
    rows = [("<unk>", 0.0, 2), *((text, math.log(p), 1) for text, p in numbers["probabilities"].items())]
    return UnigramModel.trained(
        PieceTable.from_rows(rows), TEACHING, trainer_fields={"unk_id": 0, "bos_id": -1, "eos_id": -1}
    )


def test_a_trained_model_shows_the_trainers_own_numbers() -> None:
    expected = golden("abc_encoding.json")["abcabc"]
    lattice = trained_abc().lattice("abcabc")
    assert lattice.best_table().score == pytest.approx(expected["viterbi_table"], rel=1e-10)
    assert trained_abc().encode("abcabc") == expected["ids"] == [1, 5, 1, 5]


def test_a_trained_model_encodes_alike_before_and_after_saving(tmp_path: Path) -> None:
    """Float64 scores that tie only after rounding to float32: the encoder rounds before it compares."""
    rows = [("a", -1.0), ("b", -1.0), ("ab", -2.0 - 1e-9), ("ba", -2.0 + 1e-9)]
    model = UnigramModel.trained(table_of(*rows), TEACHING)
    model.save(tmp_path / "m.model")
    loaded = load_model(tmp_path / "m.model")
    for text in ("ab", "ba", "abab", "baba", "aabbab"):
        assert model.encode(text) == loaded.encode(text)
    assert np.array_equal(loaded.pieces.log_probs, model.pieces.log_probs.astype(np.float32))


def test_settings_of_the_training_are_saved(tmp_path: Path) -> None:
    model = UnigramModel.trained(
        table_of(*BASE),
        NormalizerSpec(treat_whitespace_as_suffix=True),
        trainer_fields={"character_coverage": 0.5, "control_symbols": ["<x>"], "unk_surface": "??"},
        own_settings={"m_step": "digamma", "smoothing_epsilon": 0.5, "exact": True},
    )
    model.save(tmp_path / "m.model")
    loaded = load_model(tmp_path / "m.model")
    assert loaded.own_settings == {"m_step": "digamma", "smoothing_epsilon": 0.5, "exact": True}
    assert loaded.trainer_fields["character_coverage"] == 0.5
    assert loaded.trainer_fields["control_symbols"] == ("<x>",)
    assert loaded.trainer_fields["vocab_size"] == 7
    assert loaded.normalizer_spec == NormalizerSpec(treat_whitespace_as_suffix=True)
    assert (loaded.unk_surface, loaded.decode([0])) == ("??", "??")
    assert loaded.name == "m.model"


def test_an_unknown_setting_is_refused() -> None:
    with pytest.raises(ModelFileError, match="no field 'm_step'"):
        UnigramModel.trained(table_of(*BASE), TEACHING, trainer_fields={"m_step": "digamma"})
    with pytest.raises(ModelFileError, match="num_threads cannot hold 'many'"):
        UnigramModel.trained(table_of(*BASE), TEACHING, trainer_fields={"num_threads": "many"})


def test_a_setting_that_cannot_be_saved_is_refused() -> None:
    with pytest.raises(ModelFileError, match="cannot be saved"):
        UnigramModel.trained(table_of(*BASE), TEACHING, own_settings={"x": object()})  # type: ignore[dict-item]


@pytest.mark.parametrize("suffix", [".model", ".spm", ".tsv", ".vocab", ".MODEL", ".json", ".csv"])
def test_every_format_is_read_back(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"m{suffix}"
    for model in (base_model(), byte_model(("▁", -3.0), ("a", -2.0)), trained_abc()):
        model.save(path)
        loaded = load_model(path)
        assert loaded.pieces.texts == model.pieces.texts
        assert np.array_equal(loaded.pieces.types, model.pieces.types)
        assert loaded.encode("abc a😊 b") == model.encode("abc a😊 b")
        assert loaded.decode(loaded.encode("ab a")) == model.decode(model.encode("ab a"))


def test_an_edited_model_is_written_anew(tmp_path: Path) -> None:
    model = base_model()
    edited = replace(model, pieces=table_of(*BASE[:3], ("ab", -9.0)))
    edited.save(tmp_path / "m.model")
    assert load_model(tmp_path / "m.model").pieces.log_probs[6] == -9.0
    assert replace(model, unk_surface="<?>").to_document().unk_surface == "<?>"


def test_another_suffix_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match=r"m\.txt ends in none of"):
        base_model().save(tmp_path / "m.txt")
    assert not list(tmp_path.iterdir())


def test_encoding_and_decoding_a_denormalized_text() -> None:
    model = replace(base_model(), denormalizer_spec=NormalizerSpec(add_dummy_prefix=False, escape_whitespaces=False))
    detail = model.decode_detail([4, 3, 3, 4])
    assert detail.text == model.decode([4, 3, 3, 4]) == "a a"
    assert detail.is_denormalized


def test_an_edited_tokenizer_json_is_cut_and_saved_with_its_edits(tmp_path: Path) -> None:
    model = json_model(added_tokens=[added_token(3, "▁", special=False)])
    rows = [*zip(model.pieces.texts, model.pieces.log_probs.tolist(), model.pieces.types.tolist(), strict=True)]
    cheaper = replace(model, pieces=PieceTable.from_rows([*rows[:6], ("ab", -9.0, 1)]))
    assert cheaper.encode_pieces("ab") == ["▁", "a", "b"]
    longer = replace(model, pieces=PieceTable.from_rows([("<x>", 0.0, 1), *rows, ("abab", -1.0, 1)]))
    assert longer.encode("abab▁") == [4, 8, 4]
    for edited in (cheaper, longer):
        edited.save(tmp_path / "tokenizer.json")
        assert load_model(tmp_path / "tokenizer.json").encode("abab ab▁") == edited.encode("abab ab▁")


def test_pieces_cannot_come_or_go_before_added_tokens() -> None:
    model = json_model(added_tokens=[added_token(7, "X")])
    rows = [*zip(model.pieces.texts, model.pieces.log_probs.tolist(), model.pieces.types.tolist(), strict=True)]
    with pytest.raises(ModelFileError, match="added tokens have the IDs from 7 on"):
        replace(model, pieces=PieceTable.from_rows([*rows, ("abab", -1.0, 1)]))
    assert replace(model, pieces=PieceTable.from_rows(rows)).encode("abX") == [3, 6, 7]
