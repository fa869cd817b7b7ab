"""Characters to bytes and back, as SentencePiece 0.2.3 does it (the peers' tests hold that)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.byte_fallback import ByteRole, decode_bytes
from engine.errors import TextError
from tests.helpers.toy_models import base_model, byte_model

MODEL = byte_model(("▁", -3.0), ("a", -2.0), ("b", -2.5), ("你", -4.0), ("好", -4.0))


def byte_ids(*values: int) -> list[int]:
    return [3 + value for value in values]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("a🍣b", ["▁", "a", "<0xF0>", "<0x9F>", "<0x8D>", "<0xA3>", "b"]),
        ("a\nb", ["▁", "a", "<0x0A>", "b"]),
        ("a\n\nb", ["▁", "a", "<0x0A>", "<0x0A>", "b"]),
        ("é", ["▁", "<0xC3>", "<0xA9>"]),
        ("€", ["▁", "<0xE2>", "<0x82>", "<0xAC>"]),
        ("你好😊", ["▁", "你", "好", "<0xF0>", "<0x9F>", "<0x98>", "<0x8A>"]),
    ],
)
def test_unknown_characters_become_their_bytes_and_come_back(text: str, pieces: list[str]) -> None:
    assert MODEL.encode_pieces(text) == pieces
    assert MODEL.decode(MODEL.encode(text)) == text


def test_the_last_three_bytes_alone_are_three_replacement_characters() -> None:
    decoding = MODEL.decode_detail(MODEL.encode("你好😊")[-3:])
    assert decoding.text == "\ufffd\ufffd\ufffd"
    assert [character.reason for character in decoding.characters] == ["no lead"] * 3
    assert decoding.byte_roles.tolist() == [ByteRole.ILLEGAL] * 3


@pytest.mark.parametrize(
    ("values", "text", "reasons"),
    [
        ((0xF0, 0x9F), "\ufffd\ufffd", ["incomplete", "no lead"]),
        ((0xF0, 0x9F, 0x8D, 0xA3), "🍣", [""]),
        ((0x80,), "\ufffd", ["no lead"]),
        ((0xED, 0xA0, 0x80), "\ufffd\ufffd\ufffd", ["surrogate", "no lead", "no lead"]),
        ((0xC0, 0x80), "\ufffd\ufffd", ["overlong", "no lead"]),
        ((0xF4, 0x90, 0x80, 0x80), "\ufffd" * 4, ["out of range", "no lead", "no lead", "no lead"]),
        ((0xFF, 0x41), "\ufffdA", ["never used", ""]),
        ((0xE4, 0xBD, 0xA0, 0xE4), "你\ufffd", ["", "incomplete"]),
    ],
)
def test_every_illegal_byte_says_what_is_wrong(values: tuple[int, ...], text: str, reasons: list[str]) -> None:
    decoding = MODEL.decode_detail(byte_ids(*values))
    assert decoding.text == MODEL.decode(byte_ids(*values)) == text
    assert [character.reason for character in decoding.characters] == reasons


def test_a_piece_breaks_a_run_of_bytes() -> None:
    (a,) = MODEL.encode("a")[1:]
    assert MODEL.decode([*byte_ids(0xF0, 0x9F), a, *byte_ids(0x8D, 0xA3)]) == "\ufffd\ufffda\ufffd\ufffd"


def test_the_detail_of_a_decoding() -> None:
    decoding = MODEL.decode_detail(MODEL.encode("你😊"))
    assert decoding.pieces == ("▁", "你", "<0xF0>", "<0x9F>", "<0x98>", "<0x8A>")
    assert decoding.byte_values.tolist() == [0x20, *"你😊".encode()]
    assert decoding.byte_tokens.tolist() == [0, 1, 1, 1, 2, 3, 4, 5]
    assert decoding.byte_dropped.tolist() == [True] + [False] * 7
    assert decoding.byte_roles.tolist() == [1, 3, 0, 0, 4, 0, 0, 0]
    spans = [(c.text, c.first_byte, c.n_bytes, c.code_point) for c in decoding.characters]
    assert spans == [("你", 1, 3, 0x4F60), ("😊", 4, 4, 0x1F60A)]


@pytest.mark.parametrize(
    ("removes", "adds", "ids", "text"),
    [
        (False, True, [3, 3, 4], " a"),
        (True, True, [3, 3, 4], "a"),
        (False, False, [3, 3, 4], "  a"),
        (True, False, [1, 3, 4, 3], "a "),
        (True, True, [0, 3, 4], " ⁇  a"),
    ],
)
def test_leading_markers_are_taken_off_as_the_settings_say(
    removes: bool, adds: bool, ids: list[int], text: str
) -> None:
    model = base_model(remove_extra_whitespaces=removes, add_dummy_prefix=adds)
    assert model.decode(ids) == model.decode_detail(ids).text == text


@pytest.mark.parametrize(
    ("ids", "sentence"),
    [
        ([3, 6, 999], "no piece 999; IDs run from 0 to 6"),
        ([-1], "no piece -1"),
        ([2**40], "no piece 1099511627776"),
        ([6.5], "whole numbers"),
        ([[1, 2]], "list of whole numbers"),
        (["3"], "whole numbers"),
        ([2**70], "whole numbers"),
    ],
)
def test_ids_that_are_none_are_refused(ids: list, sentence: str) -> None:
    for decode in (base_model().decode, base_model().decode_detail):
        with pytest.raises(TextError, match=sentence):
            decode(ids)


def test_no_ids_are_no_text() -> None:
    assert MODEL.decode([]) == ""
    assert MODEL.decode_detail(np.array([], dtype=np.int32)).characters == ()


@settings(deadline=None)
@given(st.binary(max_size=12))
def test_any_bytes_give_one_character_for_each_illegal_byte(data: bytes) -> None:
    characters = list(decode_bytes(data))
    assert sum(character.n_bytes for character in characters) == len(data)
    legal = b"".join(c.text.encode() for c in characters if not c.reason)
    assert len(legal) + sum(bool(c.reason) for c in characters) == len(data)
    # Where Python finds a text, so do we.
    try:
        expected = data.decode()
    except UnicodeDecodeError:
        assert any(character.reason for character in characters)
    else:
        assert "".join(character.text for character in characters) == expected


@settings(deadline=None)
@given(st.lists(st.integers(0, len(MODEL.pieces) - 1), max_size=10))
def test_detail_and_text_agree(ids: list[int]) -> None:
    decoding = MODEL.decode_detail(ids)
    assert decoding.text == MODEL.decode(ids)
    covered = [i for c in decoding.characters for i in range(c.first_byte, c.first_byte + c.n_bytes)]
    assert covered == np.flatnonzero(~decoding.byte_dropped).tolist()
