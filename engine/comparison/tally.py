"""What one model makes of a corpus: of each text its tokens and probability, of blocks of texts their pieces.

In: a model and a corpus. Out: a `Tally`. Tokens are those of the encoder; the probability is the sum over all paths.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.corpus import Corpus
from engine.corpus_figures import text_log_probs
from engine.encoder import EncodedBatch, Encoder
from engine.errors import Cancelled
from engine.kernels import text_counts as kernels
from engine.model import UnigramModel
from engine.normalizer import SPACE_MARKER
from engine.pieces import PieceType
from engine.shards import slices

Longs = NDArray[np.int64]
Progress = Callable[[float], None]

_CHUNK = 1 << 22  # bytes encoded at once: what their IDs take does not matter


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
    model: UnigramModel,
    corpus: Corpus,
    blocks: NDArray[np.int32],
    *,
    threads: int | None = None,
    cancel: threading.Event | None = None,
    progress: Progress | None = None,
) -> Tally:
    """Encode a corpus and count; `blocks` is the block of each text. Raises Cancelled."""
    n_blocks = int(blocks.max(initial=0)) + 1
    out = Tally.empty(len(corpus), n_blocks, model)
    work = _Work(model, corpus, blocks, out, threads, cancel, progress or (lambda _: None))
    if not isinstance(model.encoder, Encoder):
        work.one_by_one()
        return out.freeze()
    work.by_texts()
    out.log_probs[:] = text_log_probs(
        model.encoder, corpus, threads=threads, cancel=cancel, progress=lambda done: work.progress(0.5 + 0.5 * done)
    )
    return out.freeze()


class _Work:
    """One tally in the making."""

    def __init__(
        self,
        model: UnigramModel,
        corpus: Corpus,
        blocks: NDArray[np.int32],
        out: Tally,
        threads: int | None,
        cancel: threading.Event | None,
        progress: Progress,
    ) -> None:
        self.model, self.corpus, self.blocks, self.out = model, corpus, blocks, out
        self.threads, self.cancel, self.progress = threads, cancel, progress
        self.flags = _flags(model)
        self.counts = corpus.counts.astype(np.float64)

    def by_texts(self) -> None:
        """Encode all texts, some at a time."""
        corpus, out = self.corpus, self.out
        for first, stop in slices(corpus.offsets, 0, len(corpus), _CHUNK):
            encoded = self._encode(first, stop)
            out.tokens[first:stop] = np.diff(encoded.offsets)
            kernels.tally_tokens(
                encoded.ids, encoded.offsets, first, self.counts, self.blocks, self.flags,
                out.block_pieces, out.unknown, out.byte, out.single,
            )  # fmt: skip
            self._find_lossless(first, encoded)
            self.progress(0.5 * stop / len(corpus))

    def _encode(self, first: int, stop: int) -> EncodedBatch:
        assert isinstance(self.model.encoder, Encoder)
        offsets = self.corpus.offsets[first : stop + 1]
        utf8 = self.corpus.utf8[offsets[0] : offsets[-1]]
        return self.model.encoder.encode_utf8(utf8, offsets - offsets[0], self.threads, self.cancel)

    def _find_lossless(self, first: int, encoded: EncodedBatch) -> None:
        model, corpus, found = self.model, self.corpus, self.out.lossless
        if model.denormalizer_spec is not None:
            for i in range(len(encoded)):
                self._check()
                found[first + i] = model.decode(encoded[i]) == corpus.text(first + i)
            return
        spec = model.normalizer_spec
        strips = spec.add_dummy_prefix or spec.remove_extra_whitespaces
        kernels.find_lossless(
            corpus.utf8, corpus.offsets, first, encoded.ids, encoded.offsets,
            *self._surfaces, strips, spec.remove_extra_whitespaces, found,
        )  # fmt: skip

    @cached_property
    def _surfaces(self) -> tuple[NDArray, ...]:
        return _surfaces(self.model)

    def _check(self) -> None:
        if self.cancel is not None and self.cancel.is_set():
            raise Cancelled

    # Rules that run in Python.

    def one_by_one(self) -> None:
        """Go through the texts of a tokenizer whose rules run in Python; a template's tokens are not counted."""
        corpus, model, out = self.corpus, self.model, self.out
        for i in range(len(corpus)):
            self._check()
            text = corpus.text(i)
            cut = model.segment(text, add_special_tokens=False, cancel=self.cancel)
            run = np.array([0, len(cut)])
            out.tokens[i], out.log_probs[i] = len(cut), model.lattice(text, cancel=self.cancel).log_z
            out.lossless[i] = model.decode(cut.ids) == text
            kernels.tally_tokens(
                cut.ids, run, i, self.counts, self.blocks, self.flags,
                out.block_pieces, out.unknown, out.byte, out.single,
            )  # fmt: skip
            if i % 64 == 0:
                self.progress(i / len(corpus))


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
