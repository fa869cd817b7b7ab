"""Faults that people reported of normalization and offsets, with the right behaviour: one test a case.

The table is the one that is built here, which sentencepiece reads as its own (`test_charsmap`); figures are those of
sentencepiece 0.2.3 and tokenizers 0.23.3. How a window shows what is "not covered" is for the tests of the views.
"""

from __future__ import annotations

import pytest

from engine.huggingface.aligned_text import AlignedText
from engine.huggingface.normalizers import Precompiled
from engine.model import UnigramModel
from tests.helpers.case_models import with_rules

DECOMPOSED = ("\u1100\u1161\u11a8", "a\u0306\u0301", "\u00aa\u0300", "\u30d5\u309a", "A\u0302\u0300", "o\u031b\u0301")


def test_nrm_01_the_longest_rule_in_a_model_and_the_shortest_of_a_cluster_in_a_tokenizer_json() -> None:
    model = with_rules("nmt_nfkc")
    found = [model.normalizer.normalize(text).text[1:] for text in DECOMPOSED]
    assert found == ["\uac01", "\u1eaf", "\u00e0", "\u30d7", "\u1ea6", "\u1edb"]
    clusters = Precompiled(model.normalizer_spec.precompiled_charsmap)
    found = [clusters(AlignedText.of(text)).text for text in DECOMPOSED]
    assert found == [DECOMPOSED[0], "\u0103", "a", DECOMPOSED[3], "\u00c2", "\u01a1"]


TO_SPACE = "0009 000A 000C 000D 00A0 200B 200C 200E 2028 2029 202F 2581 3000 FEFF FFFD"
REMOVED = "0001 0008 000B 007F 008F"
KEPT = "0000 0080 0085 00AD 200D 2060 FE0F"


@pytest.mark.parametrize(("codes", "between"), [(TO_SPACE, "▁"), (REMOVED, "")])
def test_nrm_03_odd_blanks_and_controls(codes: str, between: str) -> None:
    normalizer = with_rules("nmt_nfkc").normalizer
    for code in codes.split():
        assert normalizer.normalize(f"a{chr(int(code, 16))}a").text == f"▁a{between}a", code


def test_nrm_03_what_is_kept() -> None:
    normalizer = with_rules("nmt_nfkc").normalizer
    for code in KEPT.split():
        text = f"a{chr(int(code, 16))}a"
        assert normalizer.normalize(text).text == f"▁{text}", code


def test_nrm_06_case_folding_does_not_look_round() -> None:
    normalizer = with_rules("nmt_nfkc_cf").normalizer
    pairs = {
        "\u039f\u0394\u039f\u03a3": "\u03bf\u03b4\u03bf\u03c3",
        "\u00df": "\u00df",
        "\u0130": "\u0130",
        "\ufb03": "ffi",
    }
    assert {text: normalizer.normalize(text).text[1:] for text in pairs} == pairs


def spans(model: UnigramModel, text: str) -> list[tuple[str, int, int]]:
    """Return the pieces with their bytes in the original, as SentencePiece counts them."""
    found = model.segment(text)
    bounds = found.normalized.char_to_original
    n_bytes = [len(text[:i].encode()) for i in range(len(text) + 1)]
    return [
        (piece, n_bytes[bounds[start]], n_bytes[bounds[end]])
        for piece, start, end in zip(found.pieces, found.starts, found.ends, strict=True)
    ]


def test_off_01_a_composed_piece_covers_all_it_was_composed_of() -> None:
    text = "a\u1100\u1161\u11a8b"
    found = spans(with_rules("nmt_nfkc", ("\uac01", -4.0)), text)
    assert found == [("▁", 0, 0), ("a", 0, 1), ("\uac01", 1, 10), ("b", 10, 11)]
    assert b"".join(text.encode()[start:stop] for _, start, stop in found).decode() == text


def test_off_04_removed_and_merged_characters_have_their_place() -> None:
    model = with_rules("nmt_nfkc", ("▁a", -2.2))
    assert spans(model, "\ufeffa") == [("▁a", 3, 4)]
    assert spans(model, "a\u200ba") == [("▁a", 0, 1), ("▁a", 1, 5)]
    assert spans(model, "  a  \ufb01 ") == [("▁a", 2, 3), ("▁", 3, 5), ("fi", 5, 8)]
