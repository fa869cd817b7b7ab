"""A corpus under two models, against encoding text by text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.corpus import Corpus
from engine.corpus_effect import corpus_change
from engine.corpus_statistics import corpus_figures
from engine.model import UnigramModel
from tests.helpers.toy_models import models

texts = st.dictionaries(st.text("abc", min_size=1, max_size=8), st.integers(1, 9), min_size=1, max_size=12)


@given(models(), models(), texts)
def test_changed_texts_are_those_whose_ids_differ(
    before: UnigramModel, after: UnigramModel, counts: dict[str, int]
) -> None:
    corpus = Corpus.from_counts(counts)
    change = corpus_change(before, after, corpus)
    expected = [i for i in range(len(corpus)) if before.encode(corpus.text(i)) != after.encode(corpus.text(i))]
    assert change.changed.tolist() == expected
    assert change.n_samples_changed == sum(int(corpus.counts[i]) for i in expected)
    old, new = corpus_figures(before, corpus), corpus_figures(after, corpus)
    assert (change.loss_before, change.loss_after) == (old.loss, new.loss)
    assert (change.tokens_before, change.tokens_after) == (old.n_tokens, new.n_tokens)


def test_a_model_changes_nothing_against_itself() -> None:
    model = UnigramModel.from_probabilities({"a": 0.5, "b": 0.5})
    change = corpus_change(model, model, Corpus.from_counts({"ab": 2, "": 1, "ba": 3}))
    assert change.changed.tolist() == []
    assert change.loss_before == change.loss_after
