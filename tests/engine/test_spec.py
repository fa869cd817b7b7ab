"""Settings: what is allowed, what is said otherwise, and where special pieces stand."""

from __future__ import annotations

import pytest

from engine import PRESETS, SPEC_FIELDS, PieceType, TrainerSpec, TrainingError


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("vocab_size", 1, "a whole number from 2 to 10,000,000"),
        ("vocab_size", 2.5, "a whole number"),
        ("vocab_size", True, "a whole number"),
        ("shrinking_factor", 0.99, "a number from 0.5 to 0.95"),
        ("character_coverage", float("nan"), "a number from 0.9 to 1"),
        ("m_step", "bayes", "one of maximum_likelihood, digamma"),
        ("byte_fallback", 1, "true or false"),
        ("control_symbols", "<a>", "text"),
        ("control_symbols", (1,), "texts separated by commas"),
    ],
)
def test_a_wrong_value_is_named_with_its_field_and_what_is_allowed(name: str, value: object, allowed: str) -> None:
    with pytest.raises(TrainingError) as caught:
        TrainerSpec(**{name: value})  # type: ignore[arg-type]
    assert str(caught.value).startswith(f"{name} is {value!r}; give {allowed}")


def test_settings_are_read_from_text() -> None:
    typed = {"vocab_size": "2,000", "byte_fallback": "on", "m_step": "digamma", "control_symbols": "<a>,<b>"}
    spec = TrainerSpec().with_settings({**typed, "shrinking_factor": "0.8"})
    assert (spec.vocab_size, spec.byte_fallback, spec.m_step) == (2000, True, "digamma")
    assert (spec.control_symbols, spec.shrinking_factor) == (("<a>", "<b>"), 0.8)


@pytest.mark.parametrize(
    ("name", "text"), [("vocab_size", "many"), ("byte_fallback", "perhaps"), ("shrinking_factor", "")]
)
def test_text_that_is_no_value_is_refused(name: str, text: str) -> None:
    with pytest.raises(TrainingError, match=f"^{name} is '{text}'; give "):
        TrainerSpec().with_settings({name: text})


def test_brackets_without_end_are_refused_in_one_short_sentence() -> None:
    with pytest.raises(TrainingError, match=r"^control_symbols is '\[{100}…'; give texts separated") as caught:
        TrainerSpec().with_settings({"control_symbols": "[" * 100_000})
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("text", ['[",", "<IS MAN>"]', ",\n<IS MAN>"])
def test_several_texts_are_read_as_a_json_list_or_one_a_line(text: str) -> None:
    assert TrainerSpec().with_settings({"user_defined_symbols": text}).user_defined_symbols == (",", "<IS MAN>")


def test_an_unknown_setting_is_refused_with_the_list_of_all() -> None:
    with pytest.raises(TrainingError, match=r"There is no setting 'vocabsize'; the settings are vocab_size, "):
        TrainerSpec().with_settings({"vocabsize": "1"})


def test_every_setting_is_explained_in_one_sentence() -> None:
    for field in SPEC_FIELDS:
        assert field.help.endswith(".")
        assert field.allowed()


def test_presets_differ_from_the_default_only_where_they_must() -> None:
    assert list(PRESETS) == ["Unigram GUI", "SentencePiece 0.2.1", "Teaching"]
    assert PRESETS["Unigram GUI"] == TrainerSpec(vocab_size=1000)


def test_special_pieces_stand_where_sentencepiece_puts_them() -> None:
    pieces = TrainerSpec(pad_id=5, control_symbols=("<c>",), user_defined_symbols=("u v",)).special_pieces()
    assert {i: text for i, (text, _) in sorted(pieces.items())} == {
        0: "<unk>", 1: "<s>", 2: "</s>", 3: "<c>", 4: "u▁v", 5: "<pad>",
    }  # fmt: skip
    assert pieces[4][1] is PieceType.USER_DEFINED
    with_bytes = TrainerSpec(byte_fallback=True).special_pieces()
    assert [with_bytes[i][0] for i in (3, 4, 258)] == ["<0x00>", "<0x01>", "<0xFF>"]


def test_a_symbol_that_names_a_standard_piece_only_changes_its_type() -> None:
    pieces = TrainerSpec(user_defined_symbols=("</s>",)).special_pieces()
    assert pieces[2] == ("</s>", PieceType.USER_DEFINED)
    assert len(pieces) == 3


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"bos_id": 0}, "bos_id is 0, which <unk> has already"),
        ({"eos_id": 9000}, "eos_id is 9000; give an ID below vocab_size, which is 8,000"),
        ({"bos_piece": "<unk>"}, "bos_piece is '<unk>'; give a text that no other"),
        ({"control_symbols": ("<a>", "<a>")}, "control_symbols, entry 2: '<a>' is given twice"),
        ({"user_defined_symbols": ("LOL", "<unk>")}, "user_defined_symbols, entry 2: '<unk>' is reserved"),
        ({"user_defined_symbols": ("",)}, "user_defined_symbols, entry 1, is blank"),
        ({"control_symbols": ("<a>",), "user_defined_symbols": ("<a>",)}, "both a control and a user-defined one"),
    ],
)
def test_special_pieces_that_collide_are_refused(settings: dict[str, object], sentence: str) -> None:
    with pytest.raises(TrainingError, match=sentence):
        TrainerSpec(**settings)  # type: ignore[arg-type]
