"""Edits of a vocabulary: what they change, what they leave, what is refused."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from engine.edits import (
    AddPiece,
    Edit,
    ForbidEdge,
    ForceEdge,
    RescorePiece,
    RetypePiece,
    cut_along,
    edited_lattice,
    edited_model,
)
from engine.errors import ModelFileError, TextError
from engine.model import UnigramModel, load_model
from engine.pieces import PieceType
from tests.helpers.toy_models import base_model, byte_model, golden

UNABLE = golden("unable_lattice.json")


@pytest.fixture
def unable() -> UnigramModel:
    return UnigramModel.from_probabilities(UNABLE["probabilities"])


def piece(model: UnigramModel, text: str) -> int:
    found = model.pieces.id_of(text)
    assert found is not None
    return found


def test_a_disabled_piece_is_gone_everywhere_and_the_loss_is_the_worked_one(unable: UnigramModel) -> None:
    edited = edited_model(unable, [RetypePiece(piece(unable, "able"), PieceType.UNUSED)])
    assert edited.encode_pieces("unable") == ["unable"]
    fall = unable.lattice("unable").log_z - edited.lattice("unable").log_z
    assert fall == pytest.approx(UNABLE["exact_delta"]["able"], rel=1e-10)


def test_a_score_just_above_the_needed_one_wins(unable: UnigramModel) -> None:
    needed = math.log(0.02)
    for change, pieces in ((1e-6, ["unable"]), (-1e-6, ["un", "able"])):
        edited = edited_model(unable, [RescorePiece(piece(unable, "unable"), needed + change)])
        assert edited.encode_pieces("unable") == pieces


def test_an_added_piece_has_the_next_id_and_the_others_keep_theirs(unable: UnigramModel) -> None:
    edited = edited_model(unable, [AddPiece("nab", 4.0)])
    assert edited.pieces.texts[:-1] == unable.pieces.texts
    assert edited.encode("unable") == [piece(unable, "u"), len(unable.pieces), piece(unable, "le")]
    assert unable.encode_pieces("unable") == ["un", "able"]


def test_a_user_defined_piece_scores_by_its_length(unable: UnigramModel) -> None:
    edited = edited_model(unable, [RetypePiece(piece(unable, "ab"), PieceType.USER_DEFINED)])
    assert edited.lattice("ab").best().score == pytest.approx(0.1)


def test_later_edits_build_on_earlier_ones(unable: UnigramModel) -> None:
    added = len(unable.pieces)
    edits: list[Edit] = [AddPiece("nab", -30.0), RescorePiece(added, 4.0)]
    assert "nab" in edited_model(unable, edits).encode_pieces("unable")
    edits.append(RetypePiece(added, PieceType.UNUSED))
    assert edited_model(unable, edits).encode_pieces("unable") == ["un", "able"]


def test_no_edit_gives_the_very_same_model(unable: UnigramModel) -> None:
    assert edited_model(unable, [ForbidEdge("unable", 0, 2)]) is unable


def test_an_edited_model_is_named_so_once() -> None:
    once = edited_model(base_model(), [AddPiece("ba", -1.0)])
    assert once.name == "edited base"
    assert edited_model(once, [AddPiece("bb", -1.0)]).name == "edited base"


@pytest.mark.parametrize("model", [base_model(), byte_model(("a", -1.0))], ids=["plain", "bytes"])
def test_an_edited_model_is_saved_and_read_with_its_edits(model: UnigramModel, tmp_path: Path) -> None:
    edited = edited_model(model, [AddPiece("ba", -1.25)])
    edited.save(tmp_path / "edited.model")
    read = load_model(tmp_path / "edited.model")
    assert read.pieces.texts[-1] == "ba"
    assert read.encode("ba") == edited.encode("ba")


def test_forbidden_and_forced_edges_count_only_for_their_own_text(unable: UnigramModel) -> None:
    edits: list[Edit] = [ForbidEdge("unable", 2, 6), ForceEdge("able", 0, 2)]
    assert edited_lattice(unable.lattice("unable"), edits).best().pieces == ("unable",)
    assert edited_lattice(unable.lattice("able"), edits).best().pieces == ("ab", "le")
    other = unable.lattice("un")
    assert edited_lattice(other, edits) is other


@pytest.mark.parametrize("model", [base_model(), byte_model(("a", -1.0), ("\u2581", -2.0))], ids=["plain", "bytes"])
@pytest.mark.parametrize("text", ["", "ab xyé a", "xx", "ab"])
def test_cutting_along_the_encoders_own_path_gives_its_own_tokens(model: UnigramModel, text: str) -> None:
    own, lattice = model.segment(text), model.lattice(text)
    path = lattice.path_from_cuts(own.edge_starts, own.edge_ends)
    again = cut_along(model, own, lattice, path)
    assert (again.ids.tolist(), again.starts.tolist(), again.ends.tolist()) == (
        own.ids.tolist(), own.starts.tolist(), own.ends.tolist(),
    )  # fmt: skip
    assert again.pieces == own.pieces


def test_a_text_without_a_path_left_is_said(unable: UnigramModel) -> None:
    with pytest.raises(TextError, match="No path"):
        edited_lattice(unable.lattice("un"), [ForbidEdge("un", 0, 2), ForbidEdge("un", 0, 1)])


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        (AddPiece("ab", -1.0), "is piece 6 already"),
        (AddPiece("", -1.0), "at least one character"),
        (AddPiece("x", math.inf), "finite number"),
        (AddPiece("x", -1.0, PieceType.CONTROL), "cannot be added as CONTROL"),
        (RescorePiece(0, -1.0), "unknown piece"),
        (RescorePiece(4, math.nan), "finite number"),
        (RescorePiece(99, -1.0), "IDs run from 0 to 6"),
        (RetypePiece(1, PieceType.NORMAL), "control piece"),
        (RetypePiece(4, PieceType.BYTE), "cannot become BYTE"),
    ],
)
def test_an_edit_that_cannot_be_made_is_refused_in_a_sentence(edit: Edit, sentence: str) -> None:
    with pytest.raises(ModelFileError, match=sentence):
        edited_model(base_model(), [edit])


def test_the_score_of_a_user_defined_piece_does_nothing_and_is_refused() -> None:
    edits: list[Edit] = [RetypePiece(4, PieceType.USER_DEFINED), RescorePiece(4, -1.0)]
    with pytest.raises(ModelFileError, match="user-defined"):
        edited_model(base_model(), edits)
