"""Training on normalized texts: rules come first, then spaces, then the units."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import Corpus, TrainerSpec, TrainingError, train
from engine.charsmap import build_charsmap, standard_charsmap
from engine.kernels.normalize import find_rules, normalize_texts
from engine.normalized_corpus import charsmap_of, normalized_corpus
from engine.normalizer import Normalizer, NormalizerSpec
from engine.shards import Workers
from tests.helpers.stages import finish, units_of

SPEC = TrainerSpec(normalization_rule_name="nmt_nfkc", max_sentence_length=100)
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=12)


def rewritten(corpus: Corpus, spec: TrainerSpec, threads: int = 2) -> Corpus:
    with Workers(threads) as workers:
        return finish(normalized_corpus(workers, corpus, spec, charsmap_of(spec)))


@settings(deadline=None, max_examples=50)
@given(st.lists(texts | st.text("ｱﾞﬁ ab\t", min_size=1, max_size=9), min_size=1, max_size=9, unique=True))
def test_texts_are_those_of_the_normalizer(lines: list[str]) -> None:
    found = rewritten(Corpus.from_texts(lines), SPEC)
    normalizer = Normalizer(NormalizerSpec("", standard_charsmap("nmt_nfkc"), False, False, False))
    expected = [normalizer.normalize(text).text for text in lines]
    assert [found.text(i) for i in range(len(found))] == expected
    assert found.n_characters.tolist() == list(map(len, expected))


def test_spaces_come_after_the_rules() -> None:
    units = units_of(rewritten(Corpus.from_counts({"ﬁn\t\u200b ab\u3000": 2}), SPEC), SPEC)
    assert sorted(units.texts) == ["▁ab", "▁fin"]


def test_special_pieces_stand_as_they_are() -> None:
    spec = replace(SPEC, normalization_rule_name="nfkc_cf", control_symbols=("<A>",), user_defined_symbols=("Ａ",))
    corpus = rewritten(Corpus.from_counts({"<A>Ａ B ＡＢ": 1}), spec)
    assert corpus.text(0) == "<A>Ａ b Ａb"


def test_a_text_that_is_too_long_is_left_out_by_its_raw_length() -> None:
    corpus = rewritten(Corpus.from_counts({"Ａ" * 40: 1, "Ａ" * 30: 1}), SPEC)
    assert [corpus.text(0), corpus.text(1)] == ["Ａ" * 40, "A" * 30]
    assert list(units_of(corpus, SPEC).texts) == ["▁" + "A" * 30]


def test_a_file_of_rules_changes_the_model(tmp_path: Path) -> None:
    path = tmp_path / "rules.tsv"
    path.write_text("\ufeff61\t62\n", encoding="utf-8")
    spec = TrainerSpec(vocab_size=8, hard_vocab_limit=False, character_coverage=1.0)
    user = replace(spec, normalization_rule_name="user_defined", normalization_rule_tsv=str(path))
    model = train(Corpus.from_counts({"ab": 3, "ba": 2}), user).result()
    assert model.encode_pieces("aab") == model.encode_pieces("bbb")
    assert "a" not in "".join(model.pieces.texts[3:])
    assert model.normalizer_spec.name == "user_defined"
    assert model.normalizer_spec.precompiled_charsmap == build_charsmap({"a": "b"})
    assert model.own_settings["normalization_rule_tsv"] == str(path)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [(b"zz\t61\n", "Line 1 of"), (b"61\t\xff\n", "not UTF-8 at byte 3"), (None, "There is no file")],
)
def test_a_file_that_gives_no_rules_is_named(tmp_path: Path, content: bytes | None, sentence: str) -> None:
    path = tmp_path / "rules.tsv"
    if content is not None:
        path.write_bytes(content)
    spec = TrainerSpec(normalization_rule_name="user_defined", normalization_rule_tsv=str(path))
    with pytest.raises(TrainingError, match=rf"rules\.tsv.*{sentence}"):
        train(Corpus.from_counts({"ab": 3}), spec).result()
    with pytest.raises(TrainingError, match="name the file in normalization_rule_tsv"):
        charsmap_of(replace(spec, normalization_rule_tsv=""))


def test_the_kernels_as_plain_python() -> None:
    rules = Normalizer(NormalizerSpec("", build_charsmap({"a": "bcd" * 30, "x": ""}), False, False, False)).rules
    utf8 = np.frombuffer("aaxéxa".encode() * 3, dtype=np.uint8)
    offsets = np.array([0, 7, 14, 21])
    for longest in (5, 100):
        compiled = normalize_texts(utf8, offsets, 0, 3, longest, rules)
        plain = normalize_texts.py_func(utf8, offsets, 0, 3, longest, rules)
        assert [a.tolist() for a in compiled] == [a.tolist() for a in plain]
    assert [a.tolist() for a in find_rules.py_func(utf8, rules)] == [a.tolist() for a in find_rules(utf8, rules)]
