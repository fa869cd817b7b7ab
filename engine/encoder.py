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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.batches import BYTES_PER_BLOCK, Block, EncodedBatch, Run, about_bytes, blocks_of_texts, encode_blocks
from engine.kernels.encode import encode_texts
from engine.kernels.tokens import tokens_of_path
from engine.kernels.viterbi import NONE, extend_best_paths, trace_back
from engine.memory import WordMemory, WorkSpace
from engine.normalizer import SPACE_MARKER, Normalized, Normalizer, Rules
from engine.packed_trie import PackedTrie
from engine.pieces import PieceTable
from engine.shards import slices as slices_by_weight
from engine.slices import CHARACTERS_PER_SLICE, slices
from engine.trie import Trie, code_points_of

_SPARE_ROOM = 1 << 10
_LARGEST_SUM = 100_000.0
"""From where on sums of float32 begin anew, in nats, as in SentencePiece 0.2.3 (kScoreResetThreshold)."""
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
        The encoder's own sum in nats; in a long text that of its parts, in each of which it begins anew.
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


class Tables(NamedTuple):
    """An encoder as the kernel takes it.

    `rules` normalize a text and `word_rules` one word of it, where `is_by_word`; `is_first_apart` where the first
    word of a text has no marker. `token_scores` are `scores`, but of a byte what the character scores that it begins,
    and 0 for its other bytes. `roundoff` is that of the sums, `highest` the highest score that is positive, or 0,
    `largest_sum` how far from 0 a sum may be before it begins anew, in nats.
    """

    rules: Rules
    word_rules: Rules
    trie: Trie
    packed: PackedTrie
    scores: NDArray[np.floating[Any]]
    token_scores: NDArray[np.floating[Any]]
    unknown_id: int
    byte_ids: NDArray[np.int32]
    is_by_word: bool
    is_first_apart: bool
    roundoff: float
    highest: float
    largest_sum: float


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
        return self.trie, self.pieces.edge_log_probs(self.dtype), self.pieces.unknown_id, self._largest_sum

    @property
    def _largest_sum(self) -> float:
        return _LARGEST_SUM if self.dtype == np.float32 else float("inf")

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
        reached, taken_off = 0, 0.0
        for first, stop in slices(n, CHARACTERS_PER_SLICE, cancel):
            reached, part = extend_best_paths(
                code_points, *self._tables, first, stop, reached, best_score, best_start, best_piece
            )
            taken_off += part
        edge_starts, edge_ends, edge_pieces = trace_back(best_start, best_piece)
        ids, starts, ends = tokens_of_path(
            code_points, edge_starts, edge_ends, edge_pieces, self.pieces.unknown_id, self._byte_ids
        )
        score = taken_off + float(best_score[n])
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
            PackedTrie.of(self.trie, scores, self.pieces.unknown_id, self.normalizer.marks),
            scores,
            self._token_scores(scores),
            self.pieces.unknown_id,
            self._byte_ids,
            word_rules is not None and is_cut_before_marker,
            not rules.add_dummy_prefix,
            float(np.finfo(self.dtype).epsneg),
            float(max(scores.max(initial=0.0), 0.0)),
            self._largest_sum,
        )

    def _token_scores(self, scores: NDArray[np.floating[Any]]) -> NDArray[np.floating[Any]]:
        token_scores = scores.copy()
        if len(self._byte_ids):
            is_lead = (np.arange(256) & 0xC0) != 0x80
            token_scores[self._byte_ids] = np.where(is_lead, scores[self.pieces.unknown_id], 0.0)
        token_scores.setflags(write=False)
        return token_scores

    def encode_texts(
        self, texts: Sequence[str], threads: int | None = None, cancel: threading.Event | None = None
    ) -> EncodedBatch:
        """Encode many texts. Raises Cancelled."""
        return self._encode(blocks_of_texts(texts), about_bytes(texts), threads, cancel)

    def encode_utf8(
        self,
        utf8: NDArray[np.uint8],
        offsets: NDArray[np.int64],
        threads: int | None = None,
        cancel: threading.Event | None = None,
    ) -> EncodedBatch:
        """Encode the texts utf8[offsets[i]:offsets[i+1]], each well-formed UTF-8. Raises Cancelled."""
        utf8, offsets = np.ascontiguousarray(utf8).view(), offsets.astype(np.int64)
        utf8.setflags(write=False)
        offsets.setflags(write=False)
        bounds = slices_by_weight(offsets, 0, len(offsets) - 1, BYTES_PER_BLOCK)
        blocks = ((utf8, offsets, first, stop) for first, stop in bounds)
        return self._encode(blocks, int(offsets[-1] - offsets[0]), threads, cancel)

    def _encode(
        self, blocks: Iterator[Block], n_bytes: int, threads: int | None, cancel: threading.Event | None
    ) -> EncodedBatch:
        tables = self.tables

        def encode_block(block: Block, memory: WordMemory, work: WorkSpace) -> Run:
            return self._encode_block(block, tables, memory, work, cancel)

        return encode_blocks(blocks, encode_block, n_bytes, threads, cancel)

    def _encode_block(
        self, block: Block, tables: Tables, memory: WordMemory, work: WorkSpace, cancel: threading.Event | None
    ) -> Run:
        utf8, offsets, first, stop = block
        if stop - first == 1 and offsets[stop] - offsets[first] > BYTES_PER_BLOCK:
            # A text too long for one slice is cut in slices of its own.
            ids = self.segment(utf8[offsets[first] : offsets[stop]].tobytes().decode(), cancel).ids
            return ids, np.array([len(ids)])
        n_ids = np.empty(stop - first, dtype=np.int64)
        ids = np.empty(int(offsets[stop] - offsets[first]) + stop - first + _SPARE_ROOM, dtype=np.int32)
        while True:
            done, size = encode_texts(utf8, offsets, first, stop, tables, memory, work, ids, n_ids)
            if done == stop:
                return ids[:size].copy(), n_ids
            # Only rules that lengthen a text, or bytes of unknown characters, need more.
            ids = np.empty(2 * len(ids), dtype=np.int32)
