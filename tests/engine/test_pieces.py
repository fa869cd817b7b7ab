from __future__ import annotations

import numpy as np
import pytest

from engine.errors import ModelFileError
from engine.pieces import PieceTable, PieceType
from tests.helpers.toy_models import BASE, base_model, byte_model, table_of

UNKNOWN = ("<unk>", 0.0, 2)


def test_a_row_is_an_id() -> None:
    table = table_of(*BASE)
    assert (len(table), table.unknown_id, table.id_of("ab"), table.id_of("ba")) == (7, 0, 6, None)
    assert table.edge_ids.tolist() == [3, 4, 5, 6]


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([UNKNOWN, ("", -1.0, 1)], "Piece 1 is empty"),
        ([UNKNOWN, ("a", -1.0, 1), ("a", -2.0, 4)], "'a' stands twice in the vocabulary, as IDs 1 and 2"),
        ([UNKNOWN, ("<s>", 0.0, 3), ("<s>", 0.0, 3)], "'<s>' stands twice"),
        ([UNKNOWN, ("\ud800", -1.0, 1)], "lone surrogate"),
        ([("a", -1.0, 1)], "has 0 unknown pieces"),
        ([UNKNOWN, ("<unk2>", 0.0, 2)], "has 2 unknown pieces"),
        ([UNKNOWN, ("a", float("nan"), 1)], "has the score nan"),
        ([UNKNOWN, ("a", float("-inf"), 1)], "has the score -inf"),
        ([UNKNOWN, ("a", 1e39, 4)], r"has the score 1e\+39; give it a finite number that 32 bits can hold"),
        ([UNKNOWN, ("a", -1.0, 9)], "Piece 1 has the type 9"),
        ([UNKNOWN, ("<0x0a>", 0.0, 6)], "'<0x0a>' is not written as"),
        ([UNKNOWN, ("<0x0A>", 0.0, 6)], "byte piece <0x00> is missing"),
    ],
)
def test_a_damaged_table_is_refused_in_one_sentence(rows: list[tuple[str, float, int]], sentence: str) -> None:
    with pytest.raises(ModelFileError, match=sentence):
        PieceTable.from_rows(rows)


def test_columns_of_different_length_are_refused() -> None:
    with pytest.raises(ModelFileError, match="differ in length"):
        PieceTable(("<unk>", "a"), np.zeros(1), np.array([2, 1]))


def test_a_symbol_and_a_typed_piece_may_share_a_text() -> None:
    table = PieceTable.from_rows([UNKNOWN, ("<s>", -1.0, 1), ("<s>", 0.0, 3)])
    assert table.id_of("<s>") == 2
    assert table.edge_ids.tolist() == [1]


def test_all_256_bytes_are_found() -> None:
    table = byte_model(("a", -1.0)).pieces
    assert table.byte_ids is not None
    assert table.byte_ids.tolist() == list(range(3, 259))
    assert table_of(*BASE).byte_ids is None


def test_what_pieces_score_as_edges() -> None:
    table = table_of(("a", -2.0), ("q", -7.5, PieceType.UNUSED), ("bc", -9.0, PieceType.USER_DEFINED))
    scores = table.edge_log_probs()
    # The lowest NORMAL score less 10; a byte of a user-defined piece beyond the first adds 0.1.
    assert scores.tolist() == pytest.approx([-12.0, 0.0, 0.0, -2.0, -7.5, 0.1])
    assert table.edge_log_probs(np.float32).dtype == np.float32


def test_a_table_never_changes() -> None:
    scores = np.array([0.0, -1.0])
    table = PieceTable(("<unk>", "a"), scores, np.array([2, 1]))
    scores[1] = -5.0
    assert table.log_probs[1] == -1.0
    with pytest.raises(ValueError, match="read-only"):
        table.log_probs[1] = -2.0


def test_scores_of_a_million_leave_posteriors_their_digits() -> None:
    n, lowest = 1000, -1e6
    lattice = base_model(("c", lowest / 2), ("cc", lowest), add_dummy_prefix=False).lattice("c" * n)
    paths = [1, 1]  # of a prefix: Fibonacci's numbers, and all paths score the same
    while len(paths) <= n:
        paths.append(paths[-1] + paths[-2])
    ends = lattice.edge_end.tolist()
    exact = [paths[i] * paths[n - j] / paths[n] for i, j in zip(lattice.edge_start.tolist(), ends, strict=True)]
    assert np.allclose(lattice.posteriors, exact, rtol=0, atol=1e-5)
    assert lattice.posteriors.min() >= 0.0
    assert lattice.posteriors.max() <= 1.0


def test_no_posterior_is_above_1_however_coarse_the_sums_are() -> None:
    model = base_model(("c", -1e17), ("cc", -1.1e17), ("cd", -3e38), ("d", -5.0), add_dummy_prefix=False)
    for text in ("c" * 7, "ccd", "dcdcc", "xcx"):
        lattice = model.lattice(text)
        assert ((lattice.posteriors >= 0.0) & (lattice.posteriors <= 1.0)).all()
        assert ((lattice.boundary_posteriors >= 0.0) & (lattice.boundary_posteriors <= 1.0)).all()
