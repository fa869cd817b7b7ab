"""A vocabulary under the rules of HF tokenizers: texts to IDs and back, and lattices.

In: texts, or IDs. Out: the same values as `engine.encoder` and `engine.byte_fallback` give. Sums are float64 and begin
anew with every stretch; every piece is matched in a text, symbols included; an unknown character scores the lowest of
all pieces less 10; a run of unknown characters is one token, or its bytes.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.batches import EncodedBatch
from engine.byte_fallback import Decoding, check_ids
from engine.encoder import Segmentation
from engine.errors import Cancelled
from engine.huggingface.batch import NEW_CHARACTERS, WordBatches
from engine.huggingface.decoding import decoding_of
from engine.huggingface.tokenizer import Prepared, Stretches, Tokenizer
from engine.huggingface.word_rules import WordRules
from engine.kernels.stretches import (
    count_stretch_edges,
    extend_stretch_paths,
    list_stretch_edges,
    tokens_of_stretches,
)
from engine.kernels.viterbi import NONE, trace_back
from engine.lattice import Lattice
from engine.normalizer import Normalized
from engine.packed_trie import PackedTrie
from engine.pieces import BYTE_TEXTS, UNKNOWN_PENALTY, PieceTable
from engine.slices import CHARACTERS_PER_SLICE, slices
from engine.trie import Trie, code_points_of
from engine.values import Value


@dataclass(frozen=True, eq=False)
class HuggingFaceEncoder(Value):
    """A vocabulary and the rules of its tokenizer.json.

    `n_model_pieces` is how many rows of the table are the model's own; the added tokens that follow are never matched
    by it.
    """

    pieces: PieceTable
    tokenizer: Tokenizer
    byte_fallback: bool
    n_model_pieces: int

    @cached_property
    def trie(self) -> Trie:
        """All pieces of the model; the unknown piece's own text has an ID of its own, len(pieces)."""
        ids = np.arange(self.n_model_pieces, dtype=np.int32)
        ids[ids == self.pieces.unknown_id] = len(self.pieces)
        return Trie.from_texts(self.pieces.texts[: self.n_model_pieces], ids)

    @cached_property
    def edge_scores(self) -> NDArray[np.float64]:
        """float64[len(pieces) + 1]: the row of the unknown piece scores an unknown character, the last its text."""
        scores = np.append(self.pieces.log_probs, self.pieces.log_probs[self.pieces.unknown_id])
        scores[self.pieces.unknown_id] = self.pieces.log_probs[: self.n_model_pieces].min() - UNKNOWN_PENALTY
        scores.setflags(write=False)
        return scores

    @cached_property
    def byte_ids(self) -> NDArray[np.int32]:
        """int32[256]: the piece of each byte, -1 where there is none; empty without byte fallback."""
        found = (self.pieces.id_of(text) for text in (BYTE_TEXTS if self.byte_fallback else ()))
        ids = np.array([i if i is not None and i < self.n_model_pieces else -1 for i in found], dtype=np.int32)
        ids.setflags(write=False)
        return ids

    # -- encoding --------------------------------------------------------------------------------------------

    def segment(
        self, text: str, cancel: threading.Event | None = None, *, add_special_tokens: bool = True
    ) -> Segmentation:
        """Cut one text; tokens that the template adds have no width."""
        prepared = self.tokenizer.prepare(text)
        code_points = code_points_of(prepared.normalized.text)
        score, edges = self._best_path(code_points, prepared.stretches, cancel)
        ids, starts, ends = tokens_of_stretches(
            code_points, *prepared.stretches, *edges, self.trie, self.pieces.unknown_id, len(self.pieces), self.byte_ids
        )
        if add_special_tokens:
            ids, starts, ends = self._within_template(ids, starts, ends, len(code_points))
        table = self.pieces
        return Segmentation(
            prepared.normalized, ids, starts, ends, edges[0], edges[1], score, table.texts, table.unknown_id
        )

    def _best_path(
        self, code_points: NDArray[np.int32], stretches: Stretches, cancel: threading.Event | None
    ) -> tuple[float, tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]]:
        n = len(code_points)
        best_score = np.zeros(n + 1)
        best_start, best_piece = (np.full(n + 1, NONE, dtype=np.int32) for _ in range(2))
        tables = (self.trie, self.edge_scores, self.pieces.unknown_id)
        for first, stop in slices(n, CHARACTERS_PER_SLICE, cancel):
            extend_stretch_paths(code_points, *stretches, *tables, first, stop, best_score, best_start, best_piece)
        score = float(best_score[[*stretches.walls, n]].sum()) if n else 0.0
        return score, trace_back(best_start, best_piece)

    def _within_template(
        self, ids: NDArray[np.int32], starts: NDArray[np.int32], ends: NDArray[np.int32], n: int
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
        before, after = self.tokenizer.template.before, self.tokenizer.template.after
        if not before and not after:
            return ids, starts, ends
        at_start, at_end = np.zeros(len(before), dtype=np.int32), np.full(len(after), n, dtype=np.int32)
        starts, ends = (np.concatenate((at_start, array, at_end)) for array in (starts, ends))
        return np.concatenate([before, ids, after]).astype(np.int32), starts, ends

    def encode_texts(
        self, texts: Sequence[str], threads: int | None = None, cancel: threading.Event | None = None
    ) -> EncodedBatch:
        """Encode many texts: word by word where the rules allow it, else one after the other. Raises Cancelled."""
        if self._word_batches is not None:
            return self._word_batches.encode(texts, threads, cancel)
        every: list[NDArray[np.int32]] = [np.zeros(0, np.int32)]
        for text in texts:
            if cancel is not None and cancel.is_set():
                raise Cancelled
            every.append(self.segment(text, cancel).ids)
        ids, offsets = np.concatenate(every), np.cumsum([len(ids) for ids in every])
        ids.setflags(write=False)
        offsets.setflags(write=False)
        return EncodedBatch(ids, offsets)

    @cached_property
    def _word_batches(self) -> WordBatches | None:
        rules = WordRules.of(self.tokenizer)
        if rules is None:
            return None

        def encode_one(text: str, add_special_tokens: bool) -> NDArray[np.int32]:
            return self.segment(text, add_special_tokens=add_special_tokens).ids

        packed = PackedTrie.of(self.trie, self.edge_scores, self.pieces.unknown_id, NEW_CHARACTERS)
        has_bytes = len(self.byte_ids) > 0
        return WordBatches(
            rules, packed, self.tokenizer.template, self.pieces.unknown_id, len(self.pieces), has_bytes, encode_one
        )

    # -- lattices --------------------------------------------------------------------------------------------

    def normalize(self, text: str) -> Normalized:
        """Return the normalized text: that of all stretches in a row."""
        return self.tokenizer.prepare(text).normalized

    def lattice(self, text: str, cancel: threading.Event | None = None) -> Lattice:
        """Return the lattices of all stretches, joined to one; an added token is one edge that scores 0."""
        return self._lattice_of(self.tokenizer.prepare(text), cancel)

    def lattice_of_normalized(self, text: str, cancel: threading.Event | None = None) -> Lattice:
        """Return the lattice of a text as one stretch."""
        bounds = np.arange(len(text) + 1, dtype=np.int32)
        prepared = Prepared(Normalized(text, text, bounds), Stretches.of([len(text)], [-1]))
        return self._lattice_of(prepared, cancel)

    def _lattice_of(self, prepared: Prepared, cancel: threading.Event | None) -> Lattice:
        text, stretches = prepared.normalized.text, prepared.stretches
        code_points, unknown_id = code_points_of(text), self.pieces.unknown_id
        n_edges = np.zeros(len(text), dtype=np.int64)
        for first, stop in slices(len(text), CHARACTERS_PER_SLICE, cancel):
            count_stretch_edges(code_points, *stretches, self.trie, first, stop, n_edges)
        offsets = np.concatenate(([0], np.cumsum(n_edges)))
        offsets.setflags(write=False)
        start, end, piece = (np.empty(offsets[-1], dtype=np.int32) for _ in range(3))
        for first, stop in slices(len(text), CHARACTERS_PER_SLICE, cancel):
            list_stretch_edges(code_points, *stretches, self.trie, unknown_id, first, stop, offsets, start, end, piece)
        is_fixed = stretches.fixed[start] >= 0
        log_p = np.where(is_fixed, 0.0, self.edge_scores[piece])
        is_unknown = (piece == unknown_id) & ~is_fixed
        piece[piece == len(self.pieces)] = unknown_id
        return Lattice(text, self.pieces.texts, start, end, piece, log_p, is_unknown, offsets, stretches.walls)

    # -- decoding --------------------------------------------------------------------------------------------

    def decode(self, ids: Sequence[int] | NDArray[np.int32]) -> str:
        """Return the text of IDs, special tokens left out; TextError names an ID that is out of range."""
        return self.tokenizer.decode(self._shown(check_ids(ids, len(self.pieces)))).text

    def _shown(self, ids: NDArray[np.int32]) -> list[str]:
        hidden, shown = self._hidden_ids, self._shown_texts
        return [shown[i] for i in ids.tolist() if i not in hidden]

    @cached_property
    def _shown_texts(self) -> tuple[str, ...]:
        """What each piece goes to the decoder as: an added token in the form that it is looked for in a text."""
        texts = list(self.pieces.texts)
        for token, content in self.tokenizer.looked_for:
            texts[token.id] = content
        return tuple(texts)

    @cached_property
    def _hidden_ids(self) -> frozenset[int]:
        """The IDs that decoding leaves out, which goes by their form too."""
        tokens = self.tokenizer.added_tokens.tokens
        special = {token.content for token in tokens if token.special}
        return frozenset(token.id for token in tokens if self._shown_texts[token.id] in special)

    def decode_detail(self, ids: Sequence[int] | NDArray[np.int32]) -> Decoding:
        """Return every step from IDs to text: tokens, bytes, characters."""
        checked = check_ids(ids, len(self.pieces))
        tokens = [row for row, i in enumerate(checked.tolist()) if i not in self._hidden_ids]
        shown = self._shown(checked)
        return decoding_of(self.pieces, checked, tokens, shown, self.tokenizer.decode(shown))
