"""The encoder: a text's best path and its tokens, as SentencePiece 0.2.3 finds them by default.

In: texts. Out: `Segmentation` of one text with all its offsets, or the IDs of many in an `EncodedBatch`. The sums
are rounded as the model's format has it (float32 for a `.model`), since that decides ties. It builds no lattice.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import Cancelled
from engine.kernels.encode import encode_texts
from engine.kernels.tokens import tokens_of_path
from engine.kernels.viterbi import NONE, extend_best_paths, trace_back
from engine.normalizer import Normalized, Normalizer, encode_text
from engine.pieces import PieceTable
from engine.shards import bounds_by_weight, thread_count
from engine.shards import slices as slices_by_weight
from engine.slices import CHARACTERS_PER_SLICE, slices
from engine.trie import Trie, code_points_of

_BYTES_PER_SLICE = 1 << 16
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

    def encode_texts(
        self, texts: Sequence[str], threads: int | None = None, cancel: threading.Event | None = None
    ) -> EncodedBatch:
        """Encode many texts."""
        encoded = [encode_text(text) for text in texts]
        offsets = np.concatenate(([0], np.cumsum([len(text) for text in encoded], dtype=np.int64)))
        return self.encode_utf8(np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets, threads, cancel)

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
        n_parts = min(thread_count(threads), max(len(offsets) - 1, 1))
        bounds = bounds_by_weight(offsets, n_parts).tolist()

        def encode_part(part: int) -> list[tuple[NDArray[np.int32], NDArray[np.int64]]]:
            runs = slices_by_weight(offsets, bounds[part], bounds[part + 1], _BYTES_PER_SLICE)
            return [self._encode_run(utf8, offsets, first, stop, cancel) for first, stop in runs]

        if n_parts == 1:
            parts = [encode_part(0)]
        else:
            with ThreadPoolExecutor(n_parts, thread_name_prefix="engine-encode") as pool:
                parts = list(pool.map(encode_part, range(n_parts)))
        return _joined([run for part in parts for run in part])

    def _encode_run(
        self,
        utf8: NDArray[np.uint8],
        offsets: NDArray[np.int64],
        first: int,
        stop: int,
        cancel: threading.Event | None,
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        if cancel is not None and cancel.is_set():
            raise Cancelled
        if stop - first == 1 and offsets[stop] - offsets[first] > _BYTES_PER_SLICE:
            # A text too long for one slice is cut in slices of its own.
            ids = self.segment(utf8[offsets[first] : offsets[stop]].tobytes().decode(), cancel).ids
            return ids, np.array([len(ids)])
        tables = (self.normalizer.rules, *self._tables, self._byte_ids)
        ids, n_ids = encode_texts(utf8, offsets, first, stop, *tables)
        return ids, n_ids


def _joined(runs: list[tuple[NDArray[np.int32], NDArray[np.int64]]]) -> EncodedBatch:
    ids = np.concatenate([np.zeros(0, np.int32), *(ids for ids, _ in runs)])
    n_ids = np.concatenate([np.zeros(1, np.int64), *(n_ids for _, n_ids in runs)])
    offsets = np.cumsum(n_ids)
    ids.setflags(write=False)
    offsets.setflags(write=False)
    return EncodedBatch(ids, offsets)
