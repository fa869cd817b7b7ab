"""SentencePiece 0.2.3's own charsmaps beside ours, and ours in its hands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import Corpus, TrainerSpec, train
from engine.charsmap import RULE_NAMES, Charsmap, build_charsmap, parse_rules, standard_charsmap, standard_rules
from engine.errors import TextError
from engine.model import UnigramModel, load_model
from engine.normalizer import NormalizerSpec
from engine.tables import scripts
from tests.helpers.shared_data import NASTY
from tests.helpers.toy_models import base_model

N_OF_LATER_UNICODE = {"nfkc": 360, "nmt_nfkc": 360, "nfkc_cf": 415, "nmt_nfkc_cf": 415}
"""How many of SentencePiece's rules read characters that Unicode 15.0 does not have."""


def trained_by_sentencepiece(folder: Path, **settings: Any) -> UnigramModel:
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["hello world"] * 3),
        model_prefix=str(folder / "m"),
        vocab_size=12,
        hard_vocab_limit=False,
        minloglevel=9,
        **settings,
    )
    return load_model(folder / "m.model")


def rules_of(model: UnigramModel) -> dict[str, str]:
    return Charsmap.from_bytes(model.normalizer_spec.precompiled_charsmap).rules()


@pytest.mark.parametrize("name", RULE_NAMES[1:])
def test_our_rules_are_theirs_but_for_later_unicode(name: str, tmp_path: Path) -> None:
    theirs, ours = rules_of(trained_by_sentencepiece(tmp_path, normalization_rule_name=name)), standard_rules(name)
    assert ours.items() <= theirs.items()
    names, script = scripts()
    unknown = names.index("Unknown")
    missing = theirs.keys() - ours.keys()
    assert len(missing) == N_OF_LATER_UNICODE[name]
    for source in missing:
        assert any(script[ord(char)] == unknown for char in source), source


def test_identity_has_no_charsmap_in_either(tmp_path: Path) -> None:
    model = trained_by_sentencepiece(tmp_path, normalization_rule_name="identity")
    assert model.normalizer_spec.precompiled_charsmap == standard_charsmap("identity") == b""


def assert_normalized_alike(blob: bytes, texts: list[str]) -> None:
    pieces = base_model().pieces
    for removes in (True, False):
        model = UnigramModel.trained(pieces, NormalizerSpec("ours", blob, remove_extra_whitespaces=removes))
        peer = sentencepiece.SentencePieceProcessor(model_proto=model.to_document().data)
        for text in texts:
            assert model.normalizer.normalize(text).text == peer.normalize(text), text


@pytest.mark.parametrize("name", RULE_NAMES)
def test_sentencepiece_normalizes_with_our_charsmap(name: str) -> None:
    sources = list(standard_rules(name))
    some = ["".join(sources[i :: len(sources) // 40 or 1]) for i in range(40)]
    assert_normalized_alike(standard_charsmap(name), [*NASTY, *some, "  ".join(sources[::997])])


def test_a_rule_file_means_the_same(tmp_path: Path) -> None:
    text = "0041 0301\t00E1\tcomposed\n41\t\n1F600\t3A 29\n7E\n61 62 63\t64 20 20 65\n61\t62\n"
    (tmp_path / "rules.tsv").write_text(text, encoding="utf-8")
    model = trained_by_sentencepiece(tmp_path, normalization_rule_tsv=str(tmp_path / "rules.tsv"))
    rules = parse_rules(text)
    assert rules_of(model) == rules
    assert_normalized_alike(build_charsmap(rules), ["A\u0301AA~😀 abcab  a", "ab\0a", "", "~", "AA", " A ~ "])


few = st.text("ab\x01\x7fé\u0101😊", max_size=4)


@settings(deadline=None, max_examples=150)
@given(st.dictionaries(few.filter(bool), few, min_size=1, max_size=12), st.text("ab\x01\x7fé\u0101😊\0 ", max_size=12))
def test_any_rules_mean_the_same(rules: dict[str, str], text: str) -> None:
    assert_normalized_alike(build_charsmap(rules), [text])


@pytest.mark.parametrize("n", [31, 32])
def test_rules_that_begin_with_each_other_are_refused_where_theirs_are(n: int, tmp_path: Path) -> None:
    rules = {"a" * length: "b" for length in range(1, n + 1)}
    path = tmp_path / "rules.tsv"
    path.write_text("".join(f"{' '.join(['61'] * len(source))}\t62\n" for source in rules), encoding="utf-8")
    if n <= 31:
        assert rules_of(trained_by_sentencepiece(tmp_path, normalization_rule_tsv=str(path))) == rules
        build_charsmap(rules)
        return
    with pytest.raises(Exception):  # noqa: B017 - theirs is a RuntimeError or an OSError
        trained_by_sentencepiece(tmp_path, normalization_rule_tsv=str(path))
    with pytest.raises(TextError):
        build_charsmap(rules)


@pytest.mark.parametrize("name", RULE_NAMES)
def test_a_model_trained_on_normalized_texts_gives_the_same_ids(name: str) -> None:
    lines = [*NASTY, "Ｔｈｅ ﬁrst café", "the Cafe\u0301 ﾊﾟﾝ"] * 3
    spec = TrainerSpec(vocab_size=150, hard_vocab_limit=False, normalization_rule_name=name)
    model = train(Corpus.from_texts([line.replace("\0", "") or "a" for line in lines]), spec).result()
    assert model.normalizer_spec.name == name
    peer = sentencepiece.SentencePieceProcessor(model_proto=model.to_document().data)
    for text in (*lines, "  CAFÉ\u3000ﬁ ", "～~\u200b"):
        assert model.encode(text) == peer.encode(text), text
