"""Reading and writing ModelProto: what survives, what is refused."""

from __future__ import annotations

import contextlib
import random
import struct
from dataclasses import replace
from pathlib import Path

import pytest
import sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.encoder import Encoder
from engine.errors import EngineError, ModelFileError
from engine.formats.sentencepiece_model import build_document, read_document
from engine.model import UnigramModel, load_model
from engine.normalizer import NormalizerSpec
from tests.helpers.toy_models import BASE, base_model, table_of

# BASE as 125 bytes: <unk> <s> </s> ▁ a b ab, identity, dummy prefix, extra spaces removed.
BASE_BYTES = bytes.fromhex(
    "0a0e0a053c756e6b3e150000000018020a0c0a033c733e150000000018030a0d0a043c2f733e150000000018030a0c0a03e2968115000040c0"
    "18010a0a0a016115000000c018010a0a0a016215000020c018010a0b0a02616215cdcc0cc018011207180120079802001a120a086964656e"
    "746974791200180120012801"
)


def varint(value: int) -> bytes:
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def field(number: int, value: bytes | int) -> bytes:
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def piece(text: bytes, score: float, kind: int) -> bytes:
    return field(1, field(1, text) + b"\x15" + struct.pack("<f", score) + field(3, kind))


def test_the_base_model_is_read() -> None:
    document = read_document(BASE_BYTES)
    assert document.pieces.texts == ("<unk>", "<s>", "</s>", *(text for text, _ in BASE))
    assert document.pieces.log_probs[3:] == pytest.approx([score for _, score in BASE], rel=1e-7)
    assert document.pieces.types.tolist() == [2, 3, 3, 1, 1, 1, 1]
    assert document.normalizer_spec == NormalizerSpec()
    assert document.trainer_fields == {"model_type": 1, "vocab_size": 7, "byte_fallback": False}


def test_an_untouched_file_is_saved_as_its_own_bytes(tmp_path: Path) -> None:
    # An odd order of fields and an unknown one: a parser would write them otherwise.
    data = field(200, b"not json") + BASE_BYTES + field(1000, b"history")
    (tmp_path / "a.model").write_bytes(data)
    load_model(tmp_path / "a.model").save(tmp_path / "b.model")
    assert (tmp_path / "b.model").read_bytes() == data


def test_unknown_fields_are_named_on_opening() -> None:
    unknown_in_piece = field(1, field(1, b"zz") + b"\x15" + struct.pack("<f", -4.0) + field(300, b"note"))
    specs = field(2, field(99, 1)) + field(3, field(7, 1)) + field(5, field(8, 1))
    self_test = field(4, field(1, field(1, b"ab") + field(2, b"ab")))
    model = UnigramModel.from_bytes(BASE_BYTES + unknown_in_piece + specs + self_test + field(1000, b"history"))
    owners = ("The file has the field 1000", "A piece has the field 300", "The trainer_spec has the field 99",
              "The normalizer_spec has the field 7", "The denormalizer_spec has the field 8")  # fmt: skip
    assert model.warnings == tuple(f"{it}, which is kept but does nothing: it is not known here." for it in owners)
    assert UnigramModel.from_bytes(BASE_BYTES + self_test).warnings == ()


def test_unknown_fields_survive_an_edit() -> None:
    unknown_in_piece = field(1, field(1, b"zz") + b"\x15" + struct.pack("<f", -4.0) + field(300, b"note"))
    base = read_document(BASE_BYTES + unknown_in_piece + field(1000, b"history"))
    edited = build_document(table_of(*BASE, ("zz", -5.0)), base.normalizer_spec, base.trainer_fields, base=base)
    assert field(1000, b"history") in edited.data
    assert field(300, b"note") in edited.data
    assert edited.pieces.log_probs[7] == -5.0


def test_own_settings_lie_in_field_200() -> None:
    document = build_document(table_of(*BASE), NormalizerSpec(), {}, {"m_step": "digamma"})
    assert document.data.endswith(field(200, b'{"m_step": "digamma"}'))
    assert document.own_settings == {"m_step": "digamma"}


@pytest.mark.parametrize("foreign", [b"\xff\x00", b"[1, 2]", b"[" * 100_000, b'{"a": '])
def test_somebody_elses_field_200_is_left_alone(foreign: bytes) -> None:
    document = read_document(BASE_BYTES + field(200, foreign))
    assert document.own_settings == {}


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "holds no pieces"),
        (BASE_BYTES[:-1], "cut short or damaged"),
        (BASE_BYTES + b"\xff\xff", "cut short or damaged"),
        (BASE_BYTES + BASE_BYTES, "has 2 unknown pieces"),
        (BASE_BYTES + field(2, field(3, 2)), "of the kind BPE"),
        (BASE_BYTES + field(2, field(3, 3)), "of the kind word"),
        (BASE_BYTES + field(2, field(3, 4)), "of the kind character"),
        (BASE_BYTES + field(2, field(3, 77)), r"unknown \(type 77\)"),
        (BASE_BYTES + field(2, field(35, 1)), "byte_fallback is on but"),
        (BASE_BYTES + piece(b"\xff\xfe", -1.0, 1), "Piece 7 is no valid UTF-8"),
        (BASE_BYTES + piece(b"x", float("nan"), 1), "has the score nan"),
        (BASE_BYTES + field(2, field(44, b"\xff")), "field unk_surface is no valid UTF-8"),
        (piece(b"<unk>", 0.0, 2), "no piece that a text could be cut into"),
    ],
)
def test_what_is_no_unigram_model_is_refused_in_one_sentence(data: bytes, sentence: str) -> None:
    with pytest.raises(ModelFileError, match=sentence):
        read_document(data)


def test_bytes_without_byte_fallback_are_refused() -> None:
    rows = b"".join(piece(f"<0x{value:02X}>".encode(), 0.0, 6) for value in range(256))
    with pytest.raises(ModelFileError, match="byte_fallback is off"):
        read_document(BASE_BYTES + rows)


@settings(deadline=None, max_examples=300)
@given(st.integers(0, len(BASE_BYTES) - 1), st.binary(max_size=4), st.integers(0, 4))
def test_a_damaged_file_is_read_or_refused_but_never_breaks(at: int, inserted: bytes, removed: int) -> None:
    data = BASE_BYTES[:at] + inserted + BASE_BYTES[at + removed :]
    with contextlib.suppress(EngineError):
        model = UnigramModel.from_bytes(data)
        model.decode(model.encode("ab a😊\n"))
        assert model.lattice("ab 😊").n_paths >= 1


def test_a_document_is_deterministic() -> None:
    assert base_model().to_document().data == base_model().to_document().data


@pytest.mark.parametrize("score", ["-1e300", "-3.5e38", "1e39"])
def test_a_score_beyond_32_bits_is_refused_by_name(score: str) -> None:
    with pytest.raises(ModelFileError, match=r"Piece 1 \('a'\) has the score .* 32 bits can hold"):
        UnigramModel.from_bytes(f"<unk>\t0\na\t{score}\n".encode())


def test_very_long_pieces_are_matched_and_make_few_nodes() -> None:
    """Random ones and pairs of which one goes on where the other ends; the text ends within some of them."""
    rng = random.Random(2)
    stems = ["▁" * (i % 2) + "".join(rng.choices("abcdeé", k=390)) for i in range(300)]
    texts = [*"▁abcdeé", *stems, *(stem + "b" for stem in stems[::3]), *(stem[:200] for stem in stems[::5])]
    scores = [-4.0] * 7 + [-5.0 - i / 9 for i in range(len(texts) - 7)]
    rows = (piece(text.encode(), score, 1) for text, score in zip(texts, scores, strict=True))
    data = piece(b"<unk>", 0.0, 2) + b"".join(rows)
    model, peer = UnigramModel.from_bytes(data), sentencepiece.SentencePieceProcessor(model_proto=data)
    # Down to the 16th character each has a node of its own; far fewer than its 390 characters behind it.
    assert isinstance(model.encoder, Encoder)
    assert len(model.encoder.trie.node_ids) < 40 * len(texts)
    assert len(model.encoder.tables.packed.pieces) < 50 * len(texts)
    for text in [stem[rng.randrange(40) :] + rng.choice(stems)[: rng.randrange(1, 391)] for stem in stems]:
        words = [text.replace("▁", " "), text[:380].replace("▁", " "), f"é {text[1:]} ab"]
        assert model.encode_batch(words).tolist() == peer.encode(words), words
        assert [model.encode(word) for word in words] == peer.encode(words), words


@pytest.mark.slow
def test_a_file_of_250_thousand_pieces_and_100_megabytes_opens(tmp_path: Path) -> None:
    many = [(f"{'▁' * (i % 2)}p{i:x}", -5.0 - i * 1e-5, 1) for i in range(250_000)]
    rows = [("<unk>", 0.0, 2), ("▁", -3.0, 1), *many]
    pieces = b"".join(
        field(1, field(1, text.encode()) + b"\x15" + struct.pack("<f", score) + field(3, kind))
        for text, score, kind in rows
    )
    data = pieces + field(300, bytes(100_000_000 - len(pieces)))
    (tmp_path / "large.model").write_bytes(data)
    model = load_model(tmp_path / "large.model")
    peer = sentencepiece.SentencePieceProcessor(model_proto=data)
    assert len(model.pieces) == 250_002
    for text in ("p1f p2 p3d08f p", "pp1p2p3", "漢字 p0"):
        assert model.encode(text) == peer.encode(text)
    assert model.to_document().data == data
    edited = replace(model, pieces=model.pieces.from_rows([*rows[:-1], (rows[-1][0], -1.5, 1)]))
    assert len(edited.to_document().data) == len(data)
