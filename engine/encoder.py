"""The encoder: a text's best path and its tokens, as SentencePiece 0.2.3 finds them by default.

In: texts. Out: `Segmentation` of one text with all its offsets, or the IDs of many in an `EncodedBatch`. The sums
are rounded as the model's format has it (float32 for a `.model`), since that decides ties. It builds no lattice.

Two proposals were measured and are not made. To pass over a place from which even the cheapest piece cannot beat the
best sum known at the end: the end is only known within the longest piece of it, so with the T5 model 3 % of the
places in lines of a novel are spared, for a test at all of them. To try the lengths of pieces in parallel: handing
work to two threads takes 30 microseconds, cutting a whole word less than one; threads take texts side by side instead.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.errors import Cancelled
from engine.kernels.encode import byte_offsets, encode_texts
from engine.kernels.tokens import tokens_of_path
from engine.kernels.viterbi import NONE, extend_best_paths, trace_back
from engine.memory import WordMemory, WorkSpace
from engine.normalizer import SPACE_MARKER, Normalized, Normalizer, Rules, encode_text
from engine.pieces import PieceTable
from engine.shards import slices as slices_by_weight
from engine.shards import thread_count
from engine.slices import CHARACTERS_PER_SLICE, slices
from engine.trie import Trie, code_points_of

_BYTES_PER_SLICE = 1 << 18
_TEXTS_PER_SLICE = 1 << 14
_SLICES_AHEAD = 3  # for each thread, so that none of them waits
_NO_BYTES = np.zeros(0, dtype=np.int32)
_NO_BYTES.setflags(write=False)


@dataclass(frozen=True, eq=False)
class Segmentation:
    """How the encoder cuts one text, one row a token.

    Attributes
    ----------
    normalized : Normalized
    ids, starts, ends : int32[t]
        IDs and spans in code points of normalized.text. The bytes of one character share its span; without byte
        fallback a run of unknown characters is one token.
    edge_starts, edge_ends : int32[m]
        The same cut as edges of a lattice: every unknown character is one edge, however many tokens it gives.
    score : float
        The encoder's own sum in nats.
    piece_texts : tuple of str
        The model's table.
    """

    normalized: Normalized
    ids: NDArray[np.int32]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    edge_starts: NDArray[np.int32]
    edge_ends: NDArray[np.int32]
    score: float
    piece_texts: tuple[str, ...]
    unknown_id: int

    def __post_init__(self) -> None:
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def pieces(self) -> tuple[str, ...]:
        """The text of each token: the piece, or what stands in the text for an unknown one."""
        spans = zip(self.ids.tolist(), self.starts.tolist(), self.ends.tolist(), strict=True)
        return tuple(
            self.normalized.text[start:end] if i == self.unknown_id else self.piece_texts[i] for i, start, end in spans
        )


@dataclass(frozen=True, eq=False)
class EncodedBatch:
    """The IDs of many texts: text i has ids[offsets[i]:offsets[i+1]]; ids int32[t], offsets int64[n+1]."""

    ids: NDArray[np.int32]
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, i: int) -> NDArray[np.int32]:
        return self.ids[self.offsets[i] : self.offsets[i + 1]]


class Tables(NamedTuple):
    """An encoder as the kernel takes it.

    `rules` normalize a text and `word_rules` one word of it, where `is_by_word`; `is_first_apart` where the first
    word of a text has no marker. `is_plain`, bool[256], are bytes that stay as they are. `roundoff` is that of the
    sums, `highest` the highest score that is positive, or 0.
    """

    rules: Rules
    word_rules: Rules
    trie: Trie
    scores: NDArray[np.floating[Any]]
    unknown_id: int
    byte_ids: NDArray[np.int32]
    is_plain: NDArray[np.bool_]
    is_by_word: bool
    is_first_apart: bool
    roundoff: float
    highest: float


Block = tuple[NDArray[np.uint8], NDArray[np.int64], int, int]
"""Texts first..stop-1 of flat arrays: utf8, offsets, first, stop."""
Run = tuple[NDArray[np.int32], NDArray[np.int64]]
"""The IDs of a block, and how many each text has."""


@dataclass(frozen=True, eq=False)
class Encoder:
    """The tables that encoding needs, prepared once for a model.

    `dtype` is the type of the sums, `byte_ids` int32[256] or None without byte fallback.
    """

    pieces: PieceTable
    normalizer: Normalizer
    byte_ids: NDArray[np.int32] | None
    dtype: type[np.float32] | type[np.float64]

    @classmethod
    def of(cls, pieces: PieceTable, normalizer: Normalizer, byte_fallback: bool, precision: str) -> Encoder:
        """Prepare an encoder; `precision` is "float32" or "float64"."""
        byte_ids = pieces.byte_ids if byte_fallback else None
        return cls(pieces, normalizer, byte_ids, np.float32 if precision == "float32" else np.float64)

    @cached_property
    def trie(self) -> Trie:
        """The pieces that a text is matched with."""
        ids = self.pieces.edge_ids
        return Trie.from_texts([self.pieces.texts[i] for i in ids.tolist()], ids)

    @cached_property
    def _tables(self) -> tuple[Any, ...]:
        return self.trie, self.pieces.edge_log_probs(self.dtype), self.pieces.unknown_id

    @property
    def _byte_ids(self) -> NDArray[np.int32]:
        return _NO_BYTES if self.byte_ids is None else self.byte_ids

    def segment(self, text: str, cancel: threading.Event | None = None) -> Segmentation:
        """Cut one text."""
        normalized = self.normalizer.normalize(text)
        code_points = code_points_of(normalized.text).copy()
        n = len(code_points)
        best_score = np.zeros(n + 1, dtype=self.dtype)
        best_start, best_piece = (np.full(n + 1, NONE, dtype=np.int32) for _ in range(2))
        for first, stop in slices(n, CHARACTERS_PER_SLICE, cancel):
            extend_best_paths(code_points, *self._tables, first, stop, best_score, best_start, best_piece)
        edge_starts, edge_ends, edge_pieces = trace_back(best_start, best_piece)
        ids, starts, ends = tokens_of_path(
            code_points, edge_starts, edge_ends, edge_pieces, self.pieces.unknown_id, self._byte_ids
        )
        score = float(best_score[n])
        table = self.pieces
        return Segmentation(normalized, ids, starts, ends, edge_starts, edge_ends, score, table.texts, table.unknown_id)

    @cached_property
    def tables(self) -> Tables:
        """What the kernel of many texts needs."""
        rules, word_rules = self.normalizer.rules, self.normalizer.word_rules
        scores = self.pieces.edge_log_probs(self.dtype)
        texts = [self.pieces.texts[i] for i in self.pieces.edge_ids.tolist()]
        # No piece spans the place before a marker, and a marker never joins a run of unknown characters.
        is_cut_before_marker = SPACE_MARKER in texts and not any(SPACE_MARKER in text[1:] for text in texts)
        return Tables(
            rules,
            word_rules or rules,
            self.trie,
            scores,
            self.pieces.unknown_id,
            self._byte_ids,
            self.normalizer.is_plain,
            word_rules is not None and is_cut_before_marker,
            not rules.add_dummy_prefix,
            float(np.finfo(self.dtype).epsneg),
            float(max(scores.max(initial=0.0), 0.0)),
        )

    def encode_texts(
        self, texts: Sequence[str], threads: int | None = None, cancel: threading.Event | None = None
    ) -> EncodedBatch:
        """Encode many texts. Raises Cancelled."""
        n_bytes = 4 * sum(map(len, texts[:1000])) * (len(texts) // 1000 + 1)
        return self._encode(_blocks_of_texts(texts), n_bytes, threads, cancel)

    def encode_utf8(
        self,
        utf8: NDArray[np.uint8],
        offsets: NDArray[np.int64],
        threads: int | None = None,
        cancel: threading.Event | None = None,
    ) -> EncodedBatch:
        """Encode the texts utf8[offsets[i]:offsets[i+1]], each well-formed UTF-8. Raises Cancelled."""
        utf8, offsets = utf8.view(), offsets.astype(np.int64)
        utf8.setflags(write=False)
        offsets.setflags(write=False)
        bounds = slices_by_weight(offsets, 0, len(offsets) - 1, _BYTES_PER_SLICE)
        blocks = ((utf8, offsets, first, stop) for first, stop in bounds)
        return self._encode(blocks, int(offsets[-1] - offsets[0]), threads, cancel)

    def _encode(
        self, blocks: Iterator[Block], n_bytes: int, threads: int | None, cancel: threading.Event | None
    ) -> EncodedBatch:
        """Encode blocks in order; each thread remembers words in a memory of its own."""
        tables, n_threads = self.tables, thread_count(threads)
        memories = [(WordMemory.for_bytes(n_bytes // n_threads), WorkSpace.new()) for _ in range(n_threads)]

        def encode_block(block: Block) -> Run:
            if cancel is not None and cancel.is_set():
                raise Cancelled
            memory = memories.pop()
            try:
                return self._encode_block(block, tables, *memory, cancel)
            finally:
                memories.append(memory)

        if n_threads == 1:
            return _joined([encode_block(block) for block in blocks])
        with ThreadPoolExecutor(n_threads, thread_name_prefix="engine-encode") as pool:
            return _joined(_in_order(pool, encode_block, blocks, _SLICES_AHEAD * n_threads))

    def _encode_block(
        self, block: Block, tables: Tables, memory: WordMemory, work: WorkSpace, cancel: threading.Event | None
    ) -> Run:
        utf8, offsets, first, stop = block
        if stop - first == 1 and offsets[stop] - offsets[first] > _BYTES_PER_SLICE:
            # A text too long for one slice is cut in slices of its own.
            ids = self.segment(utf8[offsets[first] : offsets[stop]].tobytes().decode(), cancel).ids
            return ids, np.array([len(ids)])
        ids, n_ids = encode_texts(utf8, offsets, first, stop, tables, memory, work)
        return ids, n_ids


def _in_order(
    pool: ThreadPoolExecutor, work: Callable[[Block], Run], blocks: Iterator[Block], n_ahead: int
) -> list[Run]:
    """Return what the work gives for each block, taking blocks only a few ahead of what is done."""
    runs: list[Run] = []
    waiting: deque[Future[Run]] = deque()
    try:
        for block in blocks:
            waiting.append(pool.submit(work, block))
            if len(waiting) >= n_ahead:
                runs.append(waiting.popleft().result())
        runs += [future.result() for future in waiting]
    finally:
        for future in waiting:
            future.cancel()
    return runs


def _blocks_of_texts(texts: Sequence[str]) -> Iterator[Block]:
    """Yield texts in blocks: joined first and encoded in one go, which is far quicker than one by one."""
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    ends = np.concatenate(([0], np.cumsum(lengths)))
    for first, stop in slices_by_weight(ends, 0, len(texts), _BYTES_PER_SLICE):
        for start in range(first, stop, _TEXTS_PER_SLICE):
            end = min(start + _TEXTS_PER_SLICE, stop)
            utf8 = np.frombuffer(encode_text("".join(texts[start:end])), dtype=np.uint8)
            offsets = ends[start : end + 1] - ends[start]
            if len(utf8) != offsets[-1]:
                offsets = byte_offsets(utf8, offsets)
            offsets.setflags(write=False)
            yield utf8, offsets, 0, end - start


def _joined(runs: list[Run]) -> EncodedBatch:
    ids = np.concatenate([np.zeros(0, np.int32), *(ids for ids, _ in runs)])
    n_ids = np.concatenate([np.zeros(1, np.int64), *(n_ids for _, n_ids in runs)])
    offsets = np.cumsum(n_ids)
    ids.setflags(write=False)
    offsets.setflags(write=False)
    return EncodedBatch(ids, offsets)
