from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from engine.errors import ModelFileError
from engine.formats.vocabulary_tsv import guess_normalizer, read_vocabulary, write_csv, write_tsv, write_vocab
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


def test_a_vocab_keeps_every_digit() -> None:
    table = table_of(("a", -1.23456789), ("b", -12345678.9), ("c", -2.0), ("d", -2.200000047683716), ("e", -1e-30))
    lines = write_vocab(table).decode().splitlines()[3:]
    assert lines == ["a\t-1.23456789", "b\t-12345678.9", "c\t-2", "d\t-2.200000047683716", "e\t-1e-30"]
    assert np.array_equal(read_vocabulary(write_vocab(table)).log_probs, table.log_probs)


def test_a_vocab_refuses_pieces_that_break_its_lines() -> None:
    table = table_of(*((text, -1.0) for text in ("\t", "\n", "\r", "\u2028", "\x85", "\x83")))
    with pytest.raises(ModelFileError, match=r"tab or line break in piece 3, 4, 5; save a \.tsv"):
        write_vocab(table)
    many = table_of(*((f"\t{i}", -1.0) for i in range(9)))
    with pytest.raises(ModelFileError, match="3, 4, 5, 6, 7 and more"):
        write_vocab(many)


ODD = [
    "\t",
    "\n",
    "\r",
    "\\",
    "a\tb\\n",
    ",",
    '"',
    '""',
    "a,b",
    "'",
    "'a",
    "=1+1",
    "+1",
    "-1",
    "@x",
    "1/2",
    "00",
    "TRUE",
    " ",
    "▁a",
]


@pytest.mark.parametrize("write", [write_tsv, write_csv])
@pytest.mark.parametrize("safe", [True, False])
def test_tables_keep_every_piece(write: Callable[..., bytes], safe: bool) -> None:
    table = table_of(*((text, -1 / (3 + i)) for i, text in enumerate(ODD)), ("u", -1.0, 4), ("x", -2.0, 5))
    data = write(table, spreadsheet_safe=safe)
    assert data.count(b"\n") == len(table) + 1
    assert b"\r" not in data
    for saved in (data, data.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + data.removeprefix(b"\xef\xbb\xbf")):
        again = UnigramModel.from_bytes(saved).pieces
        assert (again.texts, again.types.tolist()) == (table.texts, table.types.tolist())
        assert np.array_equal(again.log_probs, table.log_probs)


def test_in_a_safe_table_no_piece_is_a_formula_or_a_number() -> None:
    rows = write_csv(table_of(*((text, -1.0) for text in ODD)), spreadsheet_safe=True).decode("utf-8-sig").splitlines()
    assert all(row.removeprefix('"').startswith("'") for row in rows)


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
