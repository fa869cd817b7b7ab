from __future__ import annotations

import numpy as np
import pytest

from engine.errors import ModelFileError
from engine.formats.vocabulary_tsv import guess_normalizer, read_vocabulary, write_tsv, write_vocab
from engine.model import UnigramModel
from engine.normalizer import VERBATIM, NormalizerSpec
from engine.pieces import PieceType
from tests.helpers.toy_models import BASE, byte_model, table_of


def test_a_tsv_keeps_every_bit_and_every_piece() -> None:
    odd = ["\t", "\n", "\r", "\\", "\\t", "a\tb\\n", "", "\x85", '"', "#", "é\u0301"]
    table = table_of(*((text, -1 / (3 + i)) for i, text in enumerate(odd) if text), ("u", -1.0, 4), ("x", -2.0, 5))
    again = read_vocabulary(write_tsv(table))
    assert again.texts == table.texts
    assert np.array_equal(again.log_probs, table.log_probs)
    assert np.array_equal(again.types, table.types)


def test_a_tsv_survives_windows_editors() -> None:
    data = b"\xef\xbb\xbf" + write_tsv(table_of(*BASE)).replace(b"\n", b"\r\n")
    assert read_vocabulary(data).texts == table_of(*BASE).texts


def test_a_vocab_has_six_digits_as_sentencepiece_writes_them() -> None:
    table = table_of(("a", -1.23456789), ("b", -12345678.9), ("c", -2.0))
    assert write_vocab(table).decode().splitlines()[3:] == ["a\t-1.23457", "b\t-1.23457e+07", "c\t-2"]


def test_types_of_a_vocab_are_guessed() -> None:
    table = byte_model(("a", -1.0), ("<x>", -2.0)).pieces
    assert read_vocabulary(write_vocab(table)).types.tolist() == table.types.tolist()
    lone = read_vocabulary(b"<unk>\t0\n<0x41>\t-1\n<pad>\t0\na\t-2")
    assert lone.types.tolist() == [PieceType.UNKNOWN, PieceType.NORMAL, PieceType.CONTROL, PieceType.NORMAL]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"<unk>\t0\na", "Line 2 of the vocabulary has 1 columns"),
        (b"<unk>\t0\na\tmany", "Line 2 of the vocabulary has 'many' where a score belongs"),
        (b"<unk>\t0\na\tnan", "has the score nan"),
        (b"<unk>\t0\n\xff\t-1", "Line 2 of the vocabulary is no valid UTF-8"),
        (b"piece\tlog_prob\ttype\n<unk>\t0\tUNKNOWN\na\t-1\tODD", "Line 3 of the vocabulary has the type 'ODD'"),
        (b"piece\tlog_prob\ttype\n", "0 unknown pieces"),
        (b"a\t-1\n", "0 unknown pieces"),
    ],
)
def test_a_damaged_table_is_refused_by_line(data: bytes, sentence: str) -> None:
    with pytest.raises(ModelFileError, match=sentence):
        read_vocabulary(data)


def test_the_normalizer_is_guessed_from_the_space_marker() -> None:
    assert guess_normalizer(table_of(*BASE)) == NormalizerSpec()
    assert guess_normalizer(table_of(("a", -1.0))) == VERBATIM
    assert UnigramModel.from_bytes(write_tsv(table_of(*BASE))).encode("ab a") == [3, 6, 3, 4]
