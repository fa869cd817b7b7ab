"""What one model makes of a corpus: of each text its tokens and probability, of blocks of texts their pieces.

In: a model and a corpus. Out: a `Tally`. Tokens are those of the encoder; the probability is the sum over all paths.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.comparison.word_cuts import CutsInTexts
from engine.comparison.words import CorpusWords
from engine.corpus import Corpus
from engine.encoder import Encoder
from engine.kernels import text_counts as kernels
from engine.kernels.text_sums import sum_texts
from engine.kernels.word_cuts import recall_texts
from engine.memory import WordMemory, WorkSpace
from engine.model import UnigramModel
from engine.normalizer import SPACE_MARKER
from engine.pieces import PieceType
from engine.shards import N_SHARDS, Checkpoint, Workers, slices

Longs = NDArray[np.int64]

_RECALLED, _ENCODED = 1 << 19, 1 << 18  # bytes of texts handed to a kernel at once


@dataclass(frozen=True, eq=False)
class ByWords:
    """The words of a corpus, and how a model cuts them."""

    words: CorpusWords
    cuts: CutsInTexts


@dataclass(frozen=True, eq=False)
class Tally:
    """A corpus under one model, a row a distinct text.

    Attributes
    ----------
    tokens, unknown, byte, single : int32[n]
        Tokens of each text; those that are the unknown piece, bytes, pieces of one character.
    log_probs : float64[n]
        ln P over all paths, nats.
    lossless : bool[n]
        Whether decoding the IDs gives the text back.
    block_pieces : float64[blocks, vocabulary]
        How often each piece occurs in a block of texts, the counts of the texts included.
    usable : bool[vocabulary]
        Pieces that a text is matched with.
    """

    tokens: NDArray[np.int32]
    unknown: NDArray[np.int32]
    byte: NDArray[np.int32]
    single: NDArray[np.int32]
    log_probs: NDArray[np.float64]
    lossless: NDArray[np.bool_]
    block_pieces: NDArray[np.float64]
    usable: NDArray[np.bool_]

    @classmethod
    def empty(cls, n_texts: int, n_blocks: int, model: UnigramModel) -> Tally:
        """Return a tally to be filled."""
        tokens, unknown, byte, single = (np.zeros(n_texts, dtype=np.int32) for _ in range(4))
        pieces = np.zeros((n_blocks, len(model.pieces)))
        usable, lossless = np.zeros(len(model.pieces), dtype=np.bool_), np.zeros(n_texts, dtype=np.bool_)
        usable[model.pieces.edge_ids] = True
        return cls(tokens, unknown, byte, single, np.zeros(n_texts), lossless, pieces, usable)

    def freeze(self) -> Tally:
        """Make the arrays read-only."""
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
        return self


def tally(
    workers: Workers, model: UnigramModel, corpus: Corpus, blocks: NDArray[np.int32], by_words: ByWords | None
) -> Generator[float, None, Tally]:
    """Encode a corpus and count; yields the fraction done.

    `blocks` is the block of each text. Where the encoder cuts word by word, `by_words` are the corpus's words and their
    cuts, and only texts that they leave open are encoded; elsewhere it is None, and all are.
    """
    out = Tally.empty(len(corpus), int(blocks.max(initial=0)) + 1, model)
    if isinstance(model.encoder, Encoder):
        yield from _Work(workers, model, model.encoder, corpus, blocks, by_words, out).run()
    else:
        yield from _one_by_one(workers, model, corpus, blocks, out)
    return out.freeze()


class _Work:
    """One tally in the making. A shard is some whole blocks, so that no two threads write into one row."""

    def __init__(
        self,
        workers: Workers,
        model: UnigramModel,
        encoder: Encoder,
        corpus: Corpus,
        blocks: NDArray[np.int32],
        by_words: ByWords | None,
        out: Tally,
    ) -> None:
        self._workers, self._encoder, self._corpus = workers, encoder, corpus
        self._by_words, self._out = by_words, out
        self._count = _Count.of(model, corpus, blocks, out)
        self._texts = np.argsort(blocks, kind="stable")
        bounds = np.linspace(0, len(out.block_pieces), N_SHARDS + 1).round()
        self._bounds = np.searchsorted(blocks[self._texts], bounds)
        self._is_left = np.zeros(len(corpus), dtype=np.bool_)
        # ln Z is a sum of float64 whatever the encoder adds up in.
        self._log_tables = encoder.tables._replace(scores=encoder.pieces.edge_log_probs())

    def run(self) -> Generator[float, None, None]:
        """Do the work; yields the fraction done."""
        yield from self._workers.run(self._do_shard, N_SHARDS)

    def _do_shard(self, shard: int, checkpoint: Checkpoint) -> None:
        texts = self._texts[self._bounds[shard] : self._bounds[shard + 1]]
        if self._by_words is None:
            self._encode(texts, checkpoint)
            return
        self._recall(self._by_words, texts, lambda done: checkpoint(0.9 * done))
        self._encode(texts[self._is_left[texts]], lambda done: checkpoint(0.9 + 0.1 * done))

    def _recall(self, by_words: ByWords, texts: Longs, checkpoint: Checkpoint) -> None:
        """Put the IDs of texts together from those of their words."""
        words, cuts = by_words.words, by_words.cuts
        for first, stop in _slices(self._corpus, texts, _RECALLED):
            checkpoint(first / len(texts))
            ids, bounds = recall_texts(
                texts, first, stop, words.occurrences, words.text_offsets, tuple(cuts.opening), tuple(cuts.inner),
                self._out.log_probs, self._is_left,
            )  # fmt: skip
            self._count.add(texts[first:stop], ids, bounds)

    def _encode(self, texts: Longs, checkpoint: Checkpoint) -> None:
        """Have texts encoded, and sum their paths."""
        memory, work = WordMemory.for_bytes(len(self._corpus.utf8) // N_SHARDS), WorkSpace.new()
        for first, stop in _slices(self._corpus, texts, _ENCODED):
            checkpoint(first / len(texts))
            part = texts[first:stop]
            utf8, offsets = self._corpus.bytes_of(part)
            encoded = self._encoder.encode_utf8(utf8, offsets, 1, self._workers.cancel)
            self._count.add(part, encoded.ids, encoded.offsets)
            sums = np.empty(len(part))
            sum_texts(utf8, offsets, 0, len(part), self._log_tables, memory, work, sums)
            self._out.log_probs[part] = sums


@dataclass(frozen=True, eq=False)
class _Count:
    """Counts the tokens of texts into a tally."""

    model: UnigramModel
    corpus: Corpus
    blocks: NDArray[np.int32]
    out: Tally
    counts: NDArray[np.float64]
    flags: NDArray[np.uint8]
    surfaces: tuple[NDArray, ...]

    @classmethod
    def of(cls, model: UnigramModel, corpus: Corpus, blocks: NDArray[np.int32], out: Tally) -> _Count:
        """Prepare for a model."""
        return cls(model, corpus, blocks, out, corpus.counts.astype(np.float64), _flags(model), _surfaces(model))

    def add(self, texts: Longs, ids: NDArray[np.int32], offsets: Longs) -> None:
        """Count the tokens ids[offsets[i]:offsets[i+1]] of each text, and see whether they give it back."""
        out, model = self.out, self.model
        for array in (texts, ids, offsets):
            array.setflags(write=False)  # one kind of array, so that kernels are compiled once
        out.tokens[texts] = np.diff(offsets)
        kernels.tally_tokens(
            ids, offsets, texts, self.counts, self.blocks, self.flags,
            out.block_pieces, out.unknown, out.byte, out.single,
        )  # fmt: skip
        if model.tokenizer_document is not None or model.denormalizer_spec is not None:
            for i, text in enumerate(texts.tolist()):
                out.lossless[text] = model.decode(ids[offsets[i] : offsets[i + 1]]) == self.corpus.text(text)
            return
        spec = model.normalizer_spec
        kernels.find_lossless(
            self.corpus.utf8, self.corpus.offsets, texts, ids, offsets, *self.surfaces,
            spec.add_dummy_prefix or spec.remove_extra_whitespaces, spec.remove_extra_whitespaces, out.lossless,
        )  # fmt: skip


def _slices(corpus: Corpus, texts: Longs, weight: int) -> Iterator[tuple[int, int]]:
    """Yield runs of these texts, each of about so many bytes."""
    lengths = np.diff(corpus.offsets)[texts]
    yield from slices(np.concatenate(([0], np.cumsum(lengths))), 0, len(texts), weight)


def _one_by_one(
    workers: Workers, model: UnigramModel, corpus: Corpus, blocks: NDArray[np.int32], out: Tally
) -> Generator[float, None, None]:
    """Go through the texts of a tokenizer whose rules run in Python; a template's tokens are not counted."""
    count = _Count.of(model, corpus, blocks, out)
    for i in range(len(corpus)):
        workers.check()
        text = corpus.text(i)
        cut = model.segment(text, add_special_tokens=False, cancel=workers.cancel)
        out.log_probs[i] = model.lattice(text, cancel=workers.cancel).log_z
        count.add(np.array([i]), cut.ids, np.array([0, len(cut)]))
        yield i / len(corpus)


def _flags(model: UnigramModel) -> NDArray[np.uint8]:
    """Return the kind of each piece's tokens, as `tally_tokens` takes it."""
    pieces = model.pieces
    flags = np.zeros(len(pieces), dtype=np.uint8)
    flags[pieces.types == PieceType.BYTE] = kernels.BYTE_TOKEN
    single = pieces.is_matched & (np.array([len(text) for text in pieces.texts]) == 1)
    flags[single] |= kernels.SINGLE_TOKEN
    flags[pieces.unknown_id] = kernels.UNKNOWN_TOKEN
    return flags


def _surfaces(model: UnigramModel) -> tuple[NDArray, ...]:
    """Return what each piece writes when decoded, and how it counts at the start of a text."""
    pieces = model.pieces
    shown = []
    for text, kind in zip(pieces.texts, pieces.types.tolist(), strict=True):
        if kind == PieceType.BYTE:
            shown.append(bytes([int(text[3:5], 16)]))
        elif kind == PieceType.CONTROL:
            shown.append(b"")
        else:
            shown.append((model.unk_surface if kind == PieceType.UNKNOWN else text.replace(SPACE_MARKER, " ")).encode())
    offsets = np.concatenate(([0], np.cumsum([len(surface) for surface in shown])))
    is_byte = pieces.types == PieceType.BYTE
    is_matched = ~np.isin(pieces.types, (PieceType.CONTROL, PieceType.UNKNOWN))
    has_marker = np.array([text.startswith(SPACE_MARKER) for text in pieces.texts])
    return np.frombuffer(b"".join(shown), dtype=np.uint8), offsets, is_matched, is_byte, has_marker
