"""Faults that people reported of other tokenizers when encoding and decoding, with the right behaviour: a test a case.

Each stands for its whole kind; the figures are those of sentencepiece 0.2.3 and tokenizers 0.23.3. Not here: what only
a window can show (ENC-08's dotted circle, DEC-04's field for IDs), which the tests of the views hold.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.corpus import Corpus
from engine.errors import TextError, TrainingError
from engine.model import UnigramModel
from engine.pieces import BYTE_TEXTS, PieceType
from engine.spec import TrainerSpec
from engine.trainer import train
from tests.helpers.case_models import ALWAYS, BASE_ROWS, added_token, base, json_model, with_rules
from tests.helpers.toy_models import byte_model, table_of


def test_enc_01_a_tie_falls_by_the_precision_of_the_format() -> None:
    rows = [("▁", -3.0), ("?", -2.2885100841522217), ("?????", -4.942337989807129), ("▁.", -6.925445556640625)]
    rows.append((".", -4.6322526931762695))
    text, plain = "." + "?" * 11, (*BASE_ROWS[:3], *rows)
    specials = UnigramModel.trained(table_of(*rows), base().normalizer_spec)
    assert specials.encode_pieces(text) == ["▁.", "?????", "?????", "?"]
    found = json_model(plain)
    assert found.encode_pieces(text) == ["▁.", "?", "?????", "?????"]
    scores = [round(path.score, 5) for path in found.lattice(text).n_best(4)]
    assert len(set(scores[:3])) == 1
    assert scores[3] < scores[2]


def test_enc_03_a_run_of_unknown_characters_is_one_token() -> None:
    text = "漢字ab漢 字"
    for model in (base(), json_model()):
        assert model.encode(text) == [3, 0, 6, 0, 3, 0]
        assert model.encode_pieces(text) == ["▁", "漢字", "ab", "漢", "▁", "字"]
    assert base().decode([3, 0, 6, 0, 3, 0]) == " \u2047 ab \u2047   \u2047 "


def test_enc_04_a_typed_symbol_is_a_control_piece_only_in_a_tokenizer_json() -> None:
    rows = (("<", -5.0), (">", -5.0), ("/", -5.0), ("s", -4.0))
    assert base(*rows).encode_pieces("<s>ab</s>") == ["▁", "<", "s", ">", "ab", "<", "/", "s", ">"]
    assert json_model((*BASE_ROWS, *rows)).encode_pieces("<s>ab</s>") == ["▁", "<s>", "ab", "</s>"]


def test_enc_06_a_typed_marker_is_a_space_afterwards() -> None:
    model = base()
    assert model.encode_pieces("ab▁ab ab") == ["▁", "ab", "▁", "ab", "▁", "ab"]
    assert model.decode(model.encode("ab▁ab ab")) == "ab ab ab"
    assert model.encode("▁") == []


TEXTS = ("", " ", "   ", "  ab", "ab  ", "ab  ab")


def test_enc_07_blanks_when_extra_ones_are_removed() -> None:
    expected = ("", "", "", "▁|ab", "▁|ab", "▁|ab|▁|ab")
    assert tuple("|".join(base().encode_pieces(text)) for text in TEXTS) == expected


def test_enc_07_blanks_when_all_are_kept() -> None:
    model = base(remove_extra_whitespaces=False)
    expected = ("", "▁|▁", "▁|▁|▁|▁", "▁|▁|▁|ab", "▁|ab|▁|▁", "▁|ab|▁|▁|ab")
    assert tuple("|".join(model.encode_pieces(text)) for text in TEXTS) == expected
    assert [model.decode(model.encode(text)) for text in TEXTS] == list(TEXTS)


def test_enc_07_the_lattice_of_an_empty_text_is_empty() -> None:
    lattice = base().lattice("  ")
    assert (len(lattice), lattice.n_edges, lattice.n_paths, lattice.best().ids) == (0, 0, 1, ())


def test_enc_08_characters_are_code_points_not_clusters() -> None:
    model = base(("1", -3.0))
    texts = ("1\ufe0f\u20e3", "e\u0301a", "\u0e01\u0e31a")
    assert [model.encode(text) for text in texts] == [[3, 7, 0], [3, 0, 4], [3, 0, 4]]
    assert len(model.lattice(texts[0])) == 4


def test_enc_09_more_paths_asked_for_than_there_are() -> None:
    model = base()
    assert [path.pieces for path in model.lattice("ab").n_best(10)] == [("▁", "ab"), ("▁", "a", "b")]
    assert len(model.lattice("a").n_best(10)) == 1
    assert [path.ids for path in model.lattice("").n_best(10)] == [()]
    draws = model.lattice("a").sample(rng=np.random.default_rng(0), size=5)
    assert {path.pieces for path in draws} == {("▁", "a")}


@pytest.mark.parametrize(
    ("scheme", "ids", "decoded"),
    [("always", [7, 8, 7, 7], "abX ab ab"), ("first", [7, 8, 6, 7], "abXab ab"), ("never", [6, 8, 6, 7], "abXab ab")],
)
def test_enc_11_spaces_round_an_added_token(scheme: str, ids: list[int], decoded: str) -> None:
    metaspace = ALWAYS | {"prepend_scheme": scheme, "split": False}
    model = json_model(
        (*BASE_ROWS, ("▁ab", -2.4)), added_tokens=[added_token(8, "X")], pre_tokenizer=metaspace, decoder=metaspace
    )
    assert model.encode("abXab ab") == ids
    assert model.decode(ids) == decoded


def test_dec_01_one_leading_blank_is_the_dummy_prefix() -> None:
    ids = [3, 3, 4]
    assert base(remove_extra_whitespaces=False).decode(ids) == " a"
    assert base().decode(ids) == "a"
    assert json_model().decode(ids) == " a"
    kept = base(remove_extra_whitespaces=False)
    assert kept.encode(kept.decode(ids)) == ids
    assert base().encode(base().decode(ids)) != ids


def test_dec_03_the_unknown_surface_is_that_of_the_file() -> None:
    assert base().decode([0]) == " \u2047 "
    model = UnigramModel.from_bytes(replace(base(), unk_surface="<UNK>").to_document().data)
    assert model.decode(model.encode("漢字ab漢 字")) == "<UNK>ab<UNK> <UNK>"
    assert with_rules("nmt_nfkc").normalizer.normalize("\u2047").text == "▁??"


OUT_OF_RANGE = (
    ([3, 6, 999], "no piece 999; IDs run from 0 to 6"),
    ([-1], "no piece -1"),
    ([7], "no piece 7"),
    ([6.5], "whole numbers"),
)


@pytest.mark.parametrize(("ids", "sentence"), OUT_OF_RANGE)
def test_dec_04_an_id_out_of_range_is_named(ids: list[int], sentence: str) -> None:
    for model in (base(), json_model()):
        for decode in (model.decode, model.decode_detail):
            with pytest.raises(TextError, match=sentence):
                decode(ids)


def test_dec_04_no_ids_are_no_text() -> None:
    assert base().decode([]) == json_model().decode([]) == ""


SUSHI = "\U0001f363"


def test_byt_01_byte_fallback_in_both_formats() -> None:
    model = byte_model(("▁", -3.0), ("a", -2.0), ("b", -2.5))
    other = model.as_tokenizer()
    for one in (model, other):
        assert one.encode_pieces(f"a{SUSHI}b") == ["▁", "a", "<0xF0>", "<0x9F>", "<0x8D>", "<0xA3>", "b"]
        assert one.encode_pieces("a\nb") == ["▁", "a", "<0x0A>", "b"]
        assert one.encode_pieces("a\n\nb") == ["▁", "a", "<0x0A>", "<0x0A>", "b"]
        assert one.encode_pieces(SUSHI * 2)[1:] == ["<0xF0>", "<0x9F>", "<0x8D>", "<0xA3>"] * 2
        for text in (f"a{SUSHI}b", "a\nb", "a\n\nb", SUSHI * 2):
            assert one.decode(one.encode(text)) == text
            assert one.decode_detail(one.encode(text)).text == text
    again = other.as_sentencepiece()
    assert again.byte_fallback
    assert again.pieces.types.tolist() == model.pieces.types.tolist()


def test_byt_04_byte_fallback_in_training() -> None:
    spec = TrainerSpec(vocab_size=300, byte_fallback=True, hard_vocab_limit=False)
    corpus = Corpus.from_counts({"ab ab": 5})
    model = UnigramModel.from_bytes(train(corpus, spec).result().to_document().data)
    assert model.byte_fallback
    assert model.pieces.texts[3:259] == BYTE_TEXTS
    assert set(model.pieces.types[3:259].tolist()) == {PieceType.BYTE}
    assert model.encode_pieces("\u00e9")[-2:] == ["<0xC3>", "<0xA9>"]
    with pytest.raises(TrainingError, match="vocab_size"):
        train(corpus, replace(spec, vocab_size=100, hard_vocab_limit=True)).result()


def test_byt_05_every_wrong_byte_shows() -> None:
    model = byte_model(("▁", -3.0), ("a", -2.0), ("b", -2.5))

    def decoded(*tokens: str) -> str:
        ids = [model.pieces.id_of(f"<0x{token}>" if len(token) == 2 else token) for token in tokens]
        values = [i for i in ids if i is not None]
        assert model.decode_detail(values).text == model.decode(values)
        return model.decode(values)

    assert decoded("F0", "9F") == "\ufffd" * 2
    assert decoded("F0", "9F", "a") == "\ufffd\ufffda"
    assert decoded("F0", "9F", "8D", "A3") == SUSHI
    assert decoded("80") == "\ufffd"
    assert decoded("ED", "A0", "80") == "\ufffd" * 3
    assert decoded("C0", "80") == "\ufffd" * 2
    assert decoded("a", "0A", "b") == "a\nb"
    assert decoded("20", "b") == " b"
