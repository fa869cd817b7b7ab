"""What a changed vocabulary does to a whole corpus: its loss, and how many of its texts are cut in another way.

In: the model before, the model after, a corpus. Out: `CorpusChange`. A text counts as changed when its IDs differ.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.batches import EncodedBatch
from engine.corpus import Corpus
from engine.corpus_statistics import CorpusFigures, corpus_figures
from engine.encoder import Encoder
from engine.model import UnigramModel


@dataclass(frozen=True, eq=False)
class CorpusChange:
    """A corpus under two models.

    Attributes
    ----------
    loss_before, loss_after : float
        -sum of count x ln P, nats.
    tokens_before, tokens_after : int
        Sum of count x tokens.
    changed : int64[k]
        The texts whose IDs differ, in the order of the corpus.
    n_samples_changed : int
        The sum of their counts.
    """

    loss_before: float
    loss_after: float
    tokens_before: int
    tokens_after: int
    changed: NDArray[np.int64]
    n_samples_changed: int


def corpus_change(
    before: UnigramModel,
    after: UnigramModel,
    corpus: Corpus,
    *,
    figures: CorpusFigures | None = None,
    threads: int | None = None,
    cancel: threading.Event | None = None,
) -> CorpusChange:
    """Compare a corpus under two models; `figures` are those of the model before, where they are known.

    Raises
    ------
    Cancelled
        Soon after `cancel` is set.

    Examples
    --------
    >>> before = UnigramModel.from_probabilities({"a": 0.5, "b": 0.25, "ab": 0.25})
    >>> after = UnigramModel.from_probabilities({"a": 0.5, "b": 0.25, "ab": 0.01})
    >>> change = corpus_change(before, after, Corpus.from_counts({"ab": 2, "a": 1}))
    >>> change.changed.tolist(), change.n_samples_changed, change.tokens_before, change.tokens_after
    ([0], 2, 3, 5)
    """
    old = corpus_figures(before, corpus, threads=threads, cancel=cancel) if figures is None else figures
    new = corpus_figures(after, corpus, threads=threads, cancel=cancel)
    changed = np.flatnonzero(differing(*(_encoded(model, corpus, threads, cancel) for model in (before, after))))
    changed.setflags(write=False)
    n_samples = int(corpus.counts[changed].sum())
    return CorpusChange(old.loss, new.loss, old.n_tokens, new.n_tokens, changed, n_samples)


def _encoded(model: UnigramModel, corpus: Corpus, threads: int | None, cancel: threading.Event | None) -> EncodedBatch:
    if isinstance(model.encoder, Encoder):
        return model.encoder.encode_utf8(corpus.utf8, corpus.offsets, threads, cancel)
    return model.encode_batch([corpus.text(i) for i in range(len(corpus))], threads, cancel=cancel)


def differing(one: EncodedBatch, other: EncodedBatch) -> NDArray[np.bool_]:
    """Return bool[n]: the texts whose IDs are not the same in both."""
    lengths = np.diff(one.offsets)
    differ: NDArray[np.bool_] = lengths != np.diff(other.offsets)
    same = np.flatnonzero(~differ & (lengths > 0))
    text = np.repeat(same, lengths[same])
    place = np.arange(len(text)) - np.repeat(np.cumsum(lengths[same]) - lengths[same], lengths[same])
    unequal = one.ids[one.offsets[text] + place] != other.ids[other.offsets[text] + place]
    differ[text[unequal]] = True
    return differ
