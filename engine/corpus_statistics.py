"""What a model makes of a whole corpus, text by text: tokens and probability.

In: a model and a Corpus. Out: CorpusFigures. Tokens are those of the encoder; the probability is the sum over all
paths, so that -log_probs is what the text adds to the corpus loss.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass

import numpy as np

from engine.corpus import Corpus
from engine.encoder import Encoder
from engine.errors import Cancelled
from engine.huggingface.encoder import HuggingFaceEncoder
from engine.kernels.text_sums import sum_texts
from engine.memory import WordMemory, WorkSpace
from engine.model import UnigramModel
from engine.shards import N_SHARDS, Checkpoint, Workers, bounds_by_weight, finish, slices

_SLICE = 1 << 16  # bytes handed to a kernel at once


@dataclass(frozen=True, eq=False)
class CorpusFigures:
    """Figures of each distinct text, and of the corpus.

    Attributes
    ----------
    tokens : int32[n]
        Tokens of the text's best path.
    log_probs : float64[n]
        ln P(text) over all paths, nats; the text's loss is its negative.
    loss : float
        -sum of count x ln P, nats.
    n_tokens : int
        Sum of count x tokens.
    """

    tokens: np.ndarray
    log_probs: np.ndarray
    loss: float
    n_tokens: int


def corpus_figures(
    model: UnigramModel,
    corpus: Corpus,
    *,
    threads: int | None = None,
    cancel: threading.Event | None = None,
    progress: Callable[[float], None] | None = None,
) -> CorpusFigures:
    """Compute tokens and ln P of every distinct text.

    Raises
    ------
    Cancelled
        Soon after `cancel` is set.

    Examples
    --------
    >>> model = UnigramModel.from_probabilities({"a": 0.5, "b": 0.25, "ab": 0.25})
    >>> figures = corpus_figures(model, Corpus.from_counts({"ab": 2, "a": 1}))
    >>> figures.tokens.tolist(), [round(float(p), 3) for p in np.exp(figures.log_probs)]
    ([1, 1], [0.375, 0.5])
    """
    encoder = model.encoder
    if isinstance(encoder, Encoder):
        encoded = encoder.encode_utf8(corpus.utf8, corpus.offsets, threads, cancel)
        tokens = np.diff(encoded.offsets).astype(np.int32)
        log_probs = text_log_probs(encoder, corpus, threads=threads, cancel=cancel, progress=progress)
    else:
        tokens, log_probs = finish(_one_by_one(encoder, corpus, cancel), progress)
    for array in (tokens, log_probs):
        array.setflags(write=False)
    loss = -float(np.dot(corpus.counts, log_probs))
    return CorpusFigures(tokens, log_probs, loss, int(np.dot(corpus.counts, tokens.astype(np.int64))))


def text_log_probs(
    encoder: Encoder,
    corpus: Corpus,
    *,
    threads: int | None = None,
    cancel: threading.Event | None = None,
    progress: Callable[[float], None] | None = None,
) -> np.ndarray:
    """Return ln P of every distinct text over all paths, float64[n] in nats. Raises Cancelled."""
    with Workers(threads, cancel) as workers:
        return finish(_log_probs(workers, encoder, corpus), progress)


def _one_by_one(
    encoder: HuggingFaceEncoder, corpus: Corpus, cancel: threading.Event | None
) -> Generator[float, None, tuple[np.ndarray, np.ndarray]]:
    """Go through the texts of a model whose rules run in Python; the template's tokens are not counted."""
    tokens, log_probs = np.empty(len(corpus), dtype=np.int32), np.empty(len(corpus))
    for i in range(len(corpus)):
        if cancel is not None and cancel.is_set():
            raise Cancelled
        text = corpus.text(i)
        tokens[i] = len(encoder.segment(text, cancel, add_special_tokens=False))
        log_probs[i] = encoder.lattice(text, cancel).log_z
        yield (i + 1) / len(corpus)
    return tokens, log_probs


def _log_probs(workers: Workers, encoder: Encoder, corpus: Corpus) -> Generator[float, None, np.ndarray]:
    log_z = np.empty(len(corpus))
    bounds = bounds_by_weight(corpus.offsets, N_SHARDS)
    tables = encoder.tables._replace(scores=encoder.pieces.edge_log_probs())
    n_bytes = len(corpus.utf8) // N_SHARDS

    def add_up(shard: int, checkpoint: Checkpoint) -> None:
        first, last = int(bounds[shard]), int(bounds[shard + 1])
        memory, work = WordMemory.for_bytes(n_bytes), WorkSpace.new()
        for start, stop in slices(corpus.offsets, first, last, _SLICE):
            checkpoint((start - first) / (last - first))
            sum_texts(corpus.utf8, corpus.offsets, start, stop, tables, memory, work, log_z)

    yield from workers.run(add_up, N_SHARDS)
    return log_z
