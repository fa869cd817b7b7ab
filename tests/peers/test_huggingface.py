"""HF tokenizers' Unigram model, float64 like ours for worked examples."""

from __future__ import annotations

import pytest
from tokenizers import Tokenizer
from tokenizers.models import Unigram

from engine.model import UnigramModel
from tests.helpers.toy_models import golden, log_probs_of


def test_all_363_strings_up_to_length_5() -> None:
    numbers = golden("abc_encoding.json")
    ours = UnigramModel.from_probabilities(numbers["probabilities"])
    vocabulary = list(zip(ours.pieces.texts, ours.pieces.log_probs.tolist(), strict=True))
    theirs = Tokenizer(Unigram(vocabulary, unk_id=0, byte_fallback=False))
    log_probs = log_probs_of(ours)
    assert ours.pieces.texts == tuple(numbers["ids"])
    for text, (best_score, _) in numbers["strings"].items():
        tokens = theirs.encode(text).tokens
        # Several paths may tie: the score and the text are what must agree.
        assert "".join(tokens) == "".join(ours.encode_pieces(text)) == text
        assert sum(log_probs[token] for token in tokens) == pytest.approx(best_score, rel=1e-10)
        assert sum(log_probs[piece] for piece in ours.encode_pieces(text)) == pytest.approx(best_score, rel=1e-10)
    assert theirs.encode("abcabc").ids == ours.encode("abcabc") == [1, 5, 1, 5]
