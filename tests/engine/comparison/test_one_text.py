"""One text under two models: boundaries over the characters as typed, and the reasons in nats."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from engine import UnigramModel, load_model
from engine.comparison import compare_on_text
from engine.comparison.ruler import align
from engine.normalizer import VERBATIM, Normalizer, NormalizerSpec
from tests.helpers.toy_models import base_model, byte_model, models, texts_of_ab

EXPLORER = "The explorer draws every way to cut unbelievably long words"


def test_the_worked_example_of_two_real_models(shared: Path) -> None:
    folder = shared / "data" / "models"
    a = load_model(folder / "torchtext_t5_tokenizer_base.model")
    b = load_model(folder / "kitoken_xlnet_base_cased.model")
    compared = compare_on_text(a, b, EXPLORER)
    assert (len(compared.a), len(compared.b)) == (14, 13)
    assert compared.n_boundaries == (11, 2, 1)
    first, second, third = compared.stretches
    assert (first.a.lacks, first.b.lacks, first.a.cost, first.b.cost) == (("▁explorer",), ("explorer",), None, None)
    assert (second.b.lacks, third.a.lacks) == (("▁unbe",), ("liev",))
    assert second.a.cost == pytest.approx(3.40, abs=0.005)
    assert third.b.cost == pytest.approx(7.72, abs=0.005)
    assert EXPLORER[third.first_character : third.last_character] == "liev"


@given(models(), models(), texts_of_ab)
def test_the_other_cut_costs_what_forcing_it_costs(a: UnigramModel, b: UnigramModel, text: str) -> None:
    compared = compare_on_text(a, b, text)
    for stretch in compared.stretches:
        for model, side, other in ((a, stretch.a, stretch.b), (b, stretch.b, stretch.a)):
            possible = all(piece in model.pieces.texts or len(piece) == 1 for piece in other.pieces)
            assert (side.cost is not None) == possible
            if side.cost is not None:
                best = model.lattice("".join(side.pieces)).best().score
                table = dict(zip(model.pieces.texts, model.pieces.edge_log_probs().tolist(), strict=True))
                unknown = table["<unk>"]
                assert side.cost == pytest.approx(best - sum(table.get(piece, unknown) for piece in other.pieces))


@given(models(), models(), texts_of_ab)
def test_boundaries_are_what_sets_of_token_starts_say(a: UnigramModel, b: UnigramModel, text: str) -> None:
    compared = compare_on_text(a, b, text)
    cuts_a, cuts_b = (set(cut.starts[1:].tolist()) for cut in (compared.a, compared.b))
    assert set(compared.cuts_both.tolist()) == cuts_a & cuts_b
    assert set(compared.cuts_a.tolist()) == cuts_a - cuts_b
    assert set(compared.cuts_b.tolist()) == cuts_b - cuts_a


def test_a_model_agrees_with_itself() -> None:
    compared = compare_on_text(base_model(), base_model(), "ab ba")
    assert compared.stretches == ()
    assert compared.n_boundaries[1:] == (0, 0)


def test_a_dummy_prefix_that_only_one_model_has_takes_a_column_of_its_own() -> None:
    aligned = align(Normalizer(NormalizerSpec()).normalize("ab"), Normalizer(VERBATIM).normalize("ab"))
    assert [(cell.text, cell.start, cell.end, cell.added) for cell in aligned.cells] == [
        ("▁", 0, 1, True),
        ("a", 1, 2, False),
        ("b", 2, 3, False),
    ]


def test_characters_written_as_several_keep_both_models_in_step(shared: Path) -> None:
    nfkc = load_model(shared / "data" / "models" / "torchtext_t5_tokenizer_base.model")
    plain = byte_model(("▁", -1.0), ("a", -2.0), ("b", -2.0))
    text = "a½ b"
    compared = compare_on_text(nfkc, plain, text)
    half = next(cell for cell in compared.ruler.cells if cell.text == "½")
    assert half.end - half.start == 3
    after = {columns[-2] for columns in (compared.ruler.columns_a, compared.ruler.columns_b)}
    assert len(after) == 1, "the b stands in the same column for both"


@pytest.mark.parametrize("text", ["", " ", "  a  b ", "e\u0301a", "ab\u3000ab", "漢字", "½½", "\u200ba"])
def test_columns_never_fall_and_cover_the_text(shared: Path, text: str) -> None:
    nfkc = load_model(shared / "data" / "models" / "torchtext_t5_tokenizer_base.model")
    for a, b in ((nfkc, base_model()), (base_model(add_dummy_prefix=False), nfkc)):
        compared = compare_on_text(a, b, text)
        ruler = compared.ruler
        for columns in (ruler.columns_a, ruler.columns_b):
            assert (np.diff(columns) >= 0).all()
            assert columns[-1] <= ruler.n_columns
        assert "".join(cell.text for cell in ruler.cells if not cell.added) == text
        assert [cell.end for cell in ruler.cells[:-1]] == [cell.start for cell in ruler.cells[1:]]
