"""Vocabularies as sets: equal to Python's own, nothing lost, nothing merged that only looks alike.

Of the reported fault CMP-01 the comparison is held here; merging the two vocabularies is editing, which comes later.
"""

from __future__ import annotations

import dataclasses
import unicodedata
from pathlib import Path

import numpy as np
import pytest

from engine import Corpus, PieceType, TrainerSpec, UnigramModel, load_model, train
from engine.comparison import VocabularyComparison, compare_vocabularies
from engine.comparison.vocabularies import LONGEST_LISTED
from engine.normalizer import NormalizerSpec
from engine.pieces import PieceTable
from engine.timeline import model_at, moments
from tests.helpers.toy_models import BASE, base_model, table_of


def assert_equal_to_sets(compared: VocabularyComparison, a: UnigramModel, b: UnigramModel) -> None:
    texts_a, texts_b = set(a.pieces.texts), set(b.pieces.texts)
    assert {a.pieces.texts[i] for i in compared.only_a} == texts_a - texts_b
    assert {b.pieces.texts[i] for i in compared.only_b} == texts_b - texts_a
    assert {a.pieces.texts[i] for i in compared.both_a} == texts_a & texts_b
    assert [a.pieces.texts[i] for i in compared.both_a] == [b.pieces.texts[i] for i in compared.both_b]
    assert compared.n_union == len(texts_a | texts_b)
    scores = {text: b.pieces.log_probs[i] for i, text in enumerate(b.pieces.texts)}
    for row in range(0, len(compared.both_a), 97):
        i, text = int(compared.both_a[row]), a.pieces.texts[int(compared.both_a[row])]
        assert compared.id_change[row] == b.pieces.texts.index(text) - i
        if compared.is_scored[row]:
            assert compared.score_change[row] == scores[text] - a.pieces.log_probs[i]


def normal_texts(model: UnigramModel) -> list[str]:
    rows = np.flatnonzero(model.pieces.types == PieceType.NORMAL).tolist()
    return [model.pieces.texts[i] for i in rows]


def is_cyrillic(text: str) -> bool:
    """Tell whether the first letter of a piece is Cyrillic."""
    return next((unicodedata.name(c).startswith("CYRILLIC") for c in text if c.isalpha()), False)


def test_t5_against_xlnet_is_what_python_sets_say(shared: Path) -> None:
    folder = shared / "data" / "models"
    a = load_model(folder / "torchtext_t5_tokenizer_base.model")
    b = load_model(folder / "kitoken_xlnet_base_cased.model")
    compared = compare_vocabularies(a, b)
    assert_equal_to_sets(compared, a, b)
    assert compared.correlation == pytest.approx(0.86, abs=0.01)
    assert sum(of_a for _, of_a, _ in compared.scripts) == np.count_nonzero(a.pieces.types == PieceType.NORMAL)
    for table, lengths in zip((a.pieces, b.pieces), compared.lengths, strict=True):
        normal = [len(table.texts[i]) for i in np.flatnonzero(table.types == PieceType.NORMAL).tolist()]
        assert dict(enumerate(lengths.tolist())) == {n: normal.count(n) for n in range(LONGEST_LISTED + 1)}
    rows = {name: (of_a, of_b) for name, of_a, of_b in compared.scripts}
    assert rows["Cyrillic"] == tuple(sum(is_cyrillic(text) for text in normal_texts(model)) for model in (a, b))
    assert {"name", "precompiled_charsmap"}.isdisjoint(row.name for row in compared.settings)


def test_two_sizes_of_one_training_are_what_python_sets_say() -> None:
    corpus = Corpus.from_texts(["the cat sat on the mat", "that hat is flat", "a fat cat that sat"] * 3)
    models = [train(corpus, TrainerSpec(vocab_size=size, hard_vocab_limit=False)).result() for size in (18, 30)]
    compared = compare_vocabularies(*models)
    assert_equal_to_sets(compared, *models)
    assert ("training", "vocab_size") in [(row.group, row.name) for row in compared.settings]


def test_changes_of_score_and_type_are_told_and_sizes_add_up() -> None:  # CMP-01
    a = base_model()
    user_defined = int(PieceType.USER_DEFINED)
    table = table_of(*BASE[:2], ("b", -2.5, user_defined), ("ab", -4.6), ("\u6f22", -5.0))
    b = UnigramModel.trained(table, NormalizerSpec(), name="b")
    compared = compare_vocabularies(a, b)
    assert compared.only_a.tolist() == []
    assert [b.pieces.texts[i] for i in compared.only_b] == ["\u6f22"]
    row = [a.pieces.texts[i] for i in compared.both_a].index("ab")
    assert compared.score_change[row] == pytest.approx(-4.6 + 2.2, abs=1e-6)
    assert [a.pieces.texts[compared.both_a[i]] for i in np.flatnonzero(compared.is_retyped)] == ["b"]
    assert len(compared.only_a) + len(compared.only_b) + len(compared.both_a) == compared.n_union == 8


def test_marker_blank_and_bare_pieces_are_all_different() -> None:  # CMP-04
    a = UnigramModel.trained(table_of(("▁The", -1.0), ("The", -2.0)), NormalizerSpec())
    b = UnigramModel.trained(table_of((" The", -1.0), ("The", -2.0), ("▁", -3.0), ("▁▁", -4.0)), NormalizerSpec())
    compared = compare_vocabularies(a, b)
    assert [a.pieces.texts[i] for i in compared.only_a] == ["▁The"]
    assert [b.pieces.texts[i] for i in compared.only_b] == [" The", "▁", "▁▁"]
    assert len(compared.only_a) + len(compared.both_a) == len(a.pieces)
    assert len(compared.only_b) + len(compared.both_b) == len(b.pieces)


def test_a_symbol_and_a_piece_of_one_text_are_paired_each_with_its_own_kind() -> None:
    rows = [("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("<s>", -1.0, 1), ("a", -1.0, 1)]
    a = UnigramModel(PieceTable.from_rows(rows))
    b = UnigramModel(PieceTable.from_rows([rows[0], rows[2], rows[1], rows[3]]))
    compared = compare_vocabularies(a, b)
    assert dict(zip(compared.both_a.tolist(), compared.both_b.tolist(), strict=True)) == {0: 0, 1: 2, 2: 1, 3: 3}
    assert not compared.is_retyped.any()


def test_a_piece_that_became_a_symbol_is_the_same_piece_retyped() -> None:
    a = UnigramModel(PieceTable.from_rows([("<unk>", 0.0, 2), ("<x>", -1.0, 1)]))
    b = UnigramModel(PieceTable.from_rows([("<unk>", 0.0, 2), ("<x>", 0.0, 3)]))
    compared = compare_vocabularies(a, b)
    assert compared.is_retyped.tolist() == [False, True]
    assert np.isnan(compared.score_change[1])


def test_outliers_are_what_moves_against_the_common_shift() -> None:
    a = UnigramModel.from_probabilities({"a": 0.1, "b": 0.1, "c": 0.1, "d": 0.1})
    b = UnigramModel.from_probabilities({"a": 0.05, "b": 0.05, "c": 0.4, "d": 0.05})
    compared = compare_vocabularies(a, b)
    assert a.pieces.texts[compared.both_a[compared.outliers(1)[0]]] == "c"


def test_settings_that_differ_are_named_with_both_values() -> None:
    a = base_model()
    b = dataclasses.replace(base_model(add_dummy_prefix=False), unk_surface="?")
    rows = {row.name: (row.a, row.b) for row in compare_vocabularies(a, b).settings}
    assert rows == {"unk_surface": (" \u2047 ", "?"), "add_dummy_prefix": ("yes", "no")}


def test_two_moments_of_one_run_compare_as_what_pruning_did() -> None:
    corpus = Corpus.from_texts(["the cat sat on the mat", "that hat is flat", "a fat cat that sat"] * 3)
    run = train(corpus, TrainerSpec(vocab_size=20, hard_vocab_limit=False))
    model = run.result()
    assert run.history is not None
    every = moments(run.history)
    first, last = (model_at(run.history, moment, model) for moment in (every[1], every[-1]))
    compared = compare_vocabularies(first, last)
    assert_equal_to_sets(compared, first, last)
    assert len(compared.only_a) == len(first.pieces) - len(last.pieces) > 0
    assert len(compared.only_b) == 0
