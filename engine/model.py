"""A Unigram model: the vocabulary, the normalizer, and what they do to a text.

In: texts, or IDs. Out: segmentations, lattices, IDs and texts. The model never changes; everything it needs for its
work is made on first use and kept. What it is made of, and its files, are those of `engine.model_content`.

Precision: a `.model` holds float32 scores, so a model that is read from one, or will be saved as one, encodes with
float32 scores and sums: the IDs are the same before saving, after loading, and in SentencePiece. Lattices use the
table's float64 values, which are the trainer's own until the model is read back from a file. A table read from text
encodes in float64.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.byte_fallback import DecodeRules, Decoding, decode_ids, decode_text
from engine.errors import ModelFileError
from engine.files import read_file
from engine.model_content import ModelContent
from engine.normalizer import Normalizer
from engine.pieces import PieceTable, PieceType

if TYPE_CHECKING:  # imported on first use: a training encodes nothing
    from engine.batches import EncodedBatch
    from engine.encoder import Encoder, Segmentation
    from engine.huggingface.encoder import HuggingFaceEncoder
    from engine.lattice import Lattice


@dataclass(frozen=True, eq=False)
class UnigramModel(ModelContent):
    """A vocabulary with its normalizer, ready to encode and decode.

    Its attributes are those of `ModelContent`.

    Examples
    --------
    >>> model = UnigramModel.from_probabilities({"a": 0.5, "b": 0.25, "ab": 0.25})
    >>> model.encode("aab"), model.encode_pieces("aab"), model.decode([1, 3])
    ([1, 3], ['a', 'ab'], 'aab')
    """

    # -- encoding --------------------------------------------------------------------------------------------

    @cached_property
    def normalizer(self) -> Normalizer:
        """The normalizer, with the user-defined pieces that it leaves untouched."""
        symbols = np.flatnonzero(self.pieces.types == PieceType.USER_DEFINED)
        return Normalizer(self.normalizer_spec, tuple(self.pieces.texts[i] for i in symbols))

    @property
    def encoder(self) -> Encoder | HuggingFaceEncoder:
        """The tables of the encoder, with the rules of the format that was opened."""
        return self._sentencepiece_encoder if self._tokenizer_encoder is None else self._tokenizer_encoder

    @cached_property
    def _sentencepiece_encoder(self) -> Encoder:
        from engine.encoder import Encoder

        return Encoder.of(self.pieces, self.normalizer, self.byte_fallback, self.precision)

    @cached_property
    def _tokenizer_encoder(self) -> HuggingFaceEncoder | None:
        """The encoder with the rules of HF tokenizers, for a model of a tokenizer.json."""
        if self.tokenizer_document is None:
            return None
        from engine.huggingface.encoder import HuggingFaceEncoder

        # Added tokens find their IDs by their texts: where pieces came or went, they are read anew.
        is_same = self.pieces.texts == self.tokenizer_document.pieces.texts
        document = self.tokenizer_document if is_same else self.to_tokenizer_document()
        return HuggingFaceEncoder(self.pieces, document.tokenizer, self.byte_fallback, document.n_model_pieces)

    def segment(
        self, text: str, *, add_special_tokens: bool = True, cancel: threading.Event | None = None
    ) -> Segmentation:
        """Return the encoder's own cut of a text, with offsets.

        With `add_special_tokens` the template of a tokenizer.json puts its tokens round the text, as HF tokenizers
        does; they have no width. A `.model` has no template.
        """
        if self._tokenizer_encoder is not None:
            return self._tokenizer_encoder.segment(text, cancel, add_special_tokens=add_special_tokens)
        return self._sentencepiece_encoder.segment(text, cancel)

    def encode(self, text: str, *, add_special_tokens: bool = True) -> list[int]:
        """Return the IDs of a text."""
        return self.segment(text, add_special_tokens=add_special_tokens).ids.tolist()

    def encode_pieces(self, text: str, *, add_special_tokens: bool = True) -> list[str]:
        """Return the pieces of a text; a run of unknown characters stands as it is."""
        return list(self.segment(text, add_special_tokens=add_special_tokens).pieces)

    def encode_batch(
        self, texts: Iterable[str], threads: int | None = None, *, cancel: threading.Event | None = None
    ) -> EncodedBatch:
        """Encode many texts on at most `threads` threads (None: one for each processor).

        Raises TextError for what is no list of texts.
        """
        from engine.batches import list_of_texts

        return self.encoder.encode_texts(list_of_texts(texts), threads, cancel)

    # -- lattices --------------------------------------------------------------------------------------------

    def lattice(self, text: str, *, cancel: threading.Event | None = None) -> Lattice:
        """Return the lattice of the normalized text."""
        if self._tokenizer_encoder is not None:
            return self._tokenizer_encoder.lattice(text, cancel)
        return self.lattice_of_normalized(self.normalizer.normalize(text).text, cancel=cancel)

    def lattice_of_normalized(self, text: str, *, cancel: threading.Event | None = None) -> Lattice:
        """Return the lattice of a text that is normalized already and in one stretch."""
        if self._tokenizer_encoder is not None:
            return self._tokenizer_encoder.lattice_of_normalized(text, cancel)
        from engine.lattice import Lattice

        scores, unknown_id = self._lattice_scores, self.pieces.unknown_id
        return Lattice.of_text(text, self.pieces.texts, self.encoder.trie, scores, unknown_id, cancel)

    @cached_property
    def _lattice_scores(self) -> NDArray[np.float64]:
        scores: NDArray[Any] = self.pieces.edge_log_probs(np.float64)
        return scores

    # -- decoding --------------------------------------------------------------------------------------------

    @cached_property
    def _decode_rules(self) -> DecodeRules:
        removes = self.normalizer_spec.remove_extra_whitespaces
        return DecodeRules(self.normalizer_spec.add_dummy_prefix or removes, removes, self.unk_surface)

    @cached_property
    def _denormalize(self) -> Callable[[str], str] | None:
        if self.denormalizer_spec is None:
            return None
        denormalizer = Normalizer(self.denormalizer_spec)
        return lambda text: denormalizer.normalize(text).text

    def decode(self, ids: Sequence[int] | NDArray[np.int32]) -> str:
        """Return the text of a list of IDs; TextError names one that is out of range."""
        if self._tokenizer_encoder is not None:
            return self._tokenizer_encoder.decode(ids)
        text = decode_text(self.pieces, ids, self._decode_rules)
        return text if self._denormalize is None else self._denormalize(text)

    def decode_detail(self, ids: Sequence[int] | NDArray[np.int32]) -> Decoding:
        """Return every step from IDs to text: tokens, bytes, characters."""
        if self._tokenizer_encoder is not None:
            return self._tokenizer_encoder.decode_detail(ids)
        decoding = decode_ids(self.pieces, ids, self._decode_rules)
        if self._denormalize is None:
            return decoding
        text = self._denormalize(decoding.text)
        return replace(decoding, text=text, is_denormalized=text != decoding.text)

    # -- the rules of the other family -----------------------------------------------------------------------

    def as_tokenizer(self) -> UnigramModel:
        """Return the same vocabulary under the rules of HF tokenizers, as its tokenizer.json would have them.

        Its `warnings` say what is lost.
        """
        if self.tokenizer_document is not None:
            return self
        model = UnigramModel._of_tokenizer(self.to_tokenizer_document(), self.name)
        return replace(model, warnings=(*self.losses, *model.warnings))

    def as_sentencepiece(self) -> UnigramModel:
        """Return the same vocabulary under the rules of SentencePiece, as its `.model` would have them.

        Raises ModelFileError for what a `.model` cannot say.
        """
        if self.tokenizer_document is None:
            return self
        return UnigramModel._of_document(self.to_document(), self.name)

    @property
    def lacks_unknown_piece(self) -> bool:
        """Whether it comes from a tokenizer.json that names no unknown piece: HF tokenizers may fail with it."""
        document = self.tokenizer_document
        return document is not None and document.settings["model"].get("unk_id") is None

    def with_unknown_piece(self) -> UnigramModel:
        """Return the model with an unknown piece that its tokenizer.json names: its own `<unk>`, else a new one.

        A new one is the last of the vocabulary; added tokens that follow it move by one, and `warnings` say so.
        """
        document = self.tokenizer_document
        if document is None or not self.lacks_unknown_piece:
            return self
        from engine.formats.tokenizer_json import read_tokenizer, write_tokenizer

        n, pieces = document.n_model_pieces, self.pieces
        order = np.arange(len(pieces))
        if pieces.unknown_id >= n:
            order = np.concatenate((order[:n], [pieces.unknown_id], np.setdiff1d(order[n:], pieces.unknown_id)))
            pieces = PieceTable(tuple(pieces.texts[i] for i in order), pieces.log_probs[order], pieces.types[order])
            n += 1
        return UnigramModel._of_tokenizer(read_tokenizer(write_tokenizer(pieces, document.settings, n)), self.name)

    def under_other_rules(self) -> UnigramModel:
        """Return the same vocabulary under the rules of the other family. Raises ModelFileError."""
        return self.as_tokenizer() if self.tokenizer_document is None else self.as_sentencepiece()


def load_model(path: str | os.PathLike[str]) -> UnigramModel:
    """Open a vocabulary: a SentencePiece `.model`, or one as text. The content decides, not the name.

    Raises ModelFileError: one sentence on what the file is or what is wrong with it.
    """
    data = read_file(path)
    try:
        return UnigramModel.from_bytes(data, Path(path).name)
    except ModelFileError as error:
        raise ModelFileError(f"{Path(path).name}: {error}") from error
