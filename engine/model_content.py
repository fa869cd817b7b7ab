"""What a Unigram model is made of, and the files that it comes from and goes to.

In: a file, a trainer's result or a handful of probabilities. Out: a `ModelContent`, and files of every format. What a
model does to a text is in `engine.model`, whose `UnigramModel` is this and more.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from engine.errors import ModelFileError, is_finite_number
from engine.files import path_of, write_file
from engine.formats import Format, sniff
from engine.formats.sentencepiece_model import DEFAULT_UNK_SURFACE, ModelDocument, build_document, read_document
from engine.formats.vocabulary_tsv import guess_normalizer, read_vocabulary, write_csv, write_tsv, write_vocab
from engine.normalizer import IDENTITY, VERBATIM, NormalizerSpec
from engine.pieces import PieceTable, PieceType
from engine.values import Value

if TYPE_CHECKING:  # what a tokenizer.json needs is imported on first use, by those who have one
    from engine.formats.tokenizer_json import TokenizerDocument


@dataclass(frozen=True, eq=False)
class ModelContent(Value):
    """A vocabulary with its normalizer and all that a file says of it.

    Attributes
    ----------
    pieces, normalizer_spec, byte_fallback, unk_surface
        What the model is.
    denormalizer_spec : NormalizerSpec or None
        Applied to decoded text.
    trainer_fields, own_settings : mapping
        How it was trained: fields of trainer_spec that are set, and settings of our own trainer.
    precision : "float32" or "float64"
        In which the encoder adds scores.
    name : str
        A file name, "trained", or whatever else the model is called on screen.
    document : ModelDocument or None
        The `.model` it was read from or trained into.
    tokenizer_document : TokenizerDocument or None
        The `tokenizer.json` it was read from: then texts are cut by the rules of HF tokenizers.
    warnings : tuple of str
        What the file asks for and is not done here, a sentence each.
    """

    pieces: PieceTable
    normalizer_spec: NormalizerSpec = IDENTITY
    byte_fallback: bool = False
    unk_surface: str = DEFAULT_UNK_SURFACE
    denormalizer_spec: NormalizerSpec | None = None
    trainer_fields: Mapping[str, Any] = field(default_factory=dict)
    own_settings: Mapping[str, Any] = field(default_factory=dict)
    precision: Literal["float32", "float64"] = "float32"
    name: str = ""
    document: ModelDocument | None = None
    tokenizer_document: TokenizerDocument | None = None
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.byte_fallback and self.pieces.byte_ids is None and self.tokenizer_document is None:
            raise ModelFileError("Byte fallback is on, but the vocabulary has no byte pieces.")
        self._check_added_tokens()

    def _check_added_tokens(self) -> None:
        document = self.tokenizer_document
        if document is None or document.n_model_pieces == len(document.pieces):
            return
        if self.pieces.texts[document.n_model_pieces :] != document.pieces.texts[document.n_model_pieces :]:
            raise ModelFileError(
                f"Pieces can neither come nor go here: added tokens have the IDs from {document.n_model_pieces} on."
            )

    # -- where models come from ------------------------------------------------------------------------------

    @classmethod
    def from_probabilities(cls, probabilities: Mapping[str, float], *, ids: Mapping[str, int] | None = None) -> Self:
        """Make a model of piece probabilities, for worked examples.

        Texts are taken as they are (no dummy prefix, spaces kept) and everything is float64. The piece `<unk>` is
        ID 0 and the pieces follow in the given order; `ids` gives every piece, and `<unk>` if it is named there,
        an ID of its own, 0 to n without a gap. Raises ModelFileError for anything else.
        """
        if not isinstance(probabilities, Mapping):
            raise ModelFileError(f"{probabilities!r:.40} holds no probabilities; give a mapping of pieces to them.")
        numbered = dict(ids) if ids is not None else {text: i for i, text in enumerate(probabilities, start=1)}
        rows = {text: (text, _log(text, p), int(PieceType.NORMAL)) for text, p in probabilities.items()}
        free = set(range(len(rows) + 1)).difference(numbered.values())
        numbered.setdefault("<unk>", min(free, default=-1))
        rows["<unk>"] = ("<unk>", 0.0, int(PieceType.UNKNOWN))
        if numbered.keys() != rows.keys() or sorted(numbered.values()) != list(range(len(rows))):
            raise ModelFileError(f"The IDs must number the {len(rows)} pieces, <unk> among them, from 0 up.")
        table = PieceTable.from_rows(rows[text] for text in sorted(numbered, key=numbered.__getitem__))
        return cls(table, VERBATIM, precision="float64", name="probabilities")

    @classmethod
    def trained(
        cls,
        pieces: PieceTable,
        normalizer_spec: NormalizerSpec,
        *,
        byte_fallback: bool = False,
        trainer_fields: Mapping[str, object] | None = None,
        own_settings: Mapping[str, str | int | float | bool] | None = None,
        name: str = "trained",
    ) -> Self:
        """Make a model of a trainer's result, with the `.model` that it will be saved as.

        `trainer_fields` are values of trainer_spec by name, `own_settings` whatever that lacks. Raises
        ModelFileError for a name that trainer_spec does not have.
        """
        fields = {**(trainer_fields or {}), "byte_fallback": byte_fallback, "vocab_size": len(pieces)}
        document = build_document(pieces, normalizer_spec, {"model_type": 1, **fields}, own_settings)
        return replace(cls._of_document(document, name), pieces=pieces)

    @classmethod
    def _of_document(cls, document: ModelDocument, name: str) -> Self:
        return cls(
            document.pieces,
            document.normalizer_spec,
            document.byte_fallback,
            document.unk_surface,
            document.denormalizer_spec,
            document.trainer_fields,
            document.own_settings,
            name=name,
            document=document,
            warnings=(*document.warnings, *_remarks_on_scores(document.pieces)),
        )

    @classmethod
    def _of_tokenizer(cls, document: TokenizerDocument, name: str) -> Self:
        return cls(
            document.pieces,
            VERBATIM,
            document.byte_fallback,
            precision="float64",
            name=name,
            tokenizer_document=document,
            warnings=(*document.warnings, *_remarks_on_scores(document.pieces)),
        )

    @classmethod
    def from_bytes(cls, data: bytes, name: str = "") -> Self:
        """Read a vocabulary file's content, whatever its format. Raises ModelFileError."""
        kind = sniff(data)
        if kind is Format.SENTENCEPIECE:
            return cls._of_document(read_document(data), name)
        if kind is Format.TOKENIZER_JSON:
            from engine.formats.tokenizer_json import read_tokenizer

            return cls._of_tokenizer(read_tokenizer(data), name)
        pieces = read_vocabulary(data)
        has_bytes = pieces.byte_ids is not None
        rules, warnings = guess_normalizer(pieces), _remarks_on_scores(pieces)
        return cls(pieces, rules, has_bytes, precision="float64", name=name, warnings=warnings)

    # -- saving ----------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str], *, spreadsheet_safe: bool = False) -> None:
        """Write the model in the format of the path's suffix: .model, .spm, .json, .tsv, .csv or .vocab.

        `.json` is a tokenizer.json; `spreadsheet_safe` is for tables (`formats.vocabulary_tsv`). The file appears whole
        or not at all. An untouched file is written as it was read. Raises ModelFileError, also for what the format
        cannot hold.
        """
        name = path_of(path, ModelFileError).name
        write_file(path, self.to_bytes(name, spreadsheet_safe=spreadsheet_safe))

    def to_bytes(self, name: str, *, spreadsheet_safe: bool = False) -> bytes:
        """Return what `save` would write into a file of this name."""
        writers: dict[str, Callable[[], bytes]] = {
            ".model": lambda: self.to_document().data,
            ".spm": lambda: self.to_document().data,
            ".json": lambda: self.to_tokenizer_document().data,
            ".tsv": lambda: write_tsv(self.pieces, spreadsheet_safe=spreadsheet_safe),
            ".csv": lambda: write_csv(self.pieces, spreadsheet_safe=spreadsheet_safe),
            ".vocab": lambda: write_vocab(self.pieces),
        }
        writer = writers.get(Path(name).suffix.lower())
        if writer is None:
            known = ", ".join(sorted(writers)[:-1]) + f" and {max(writers)}"
            raise ModelFileError(f"{name} ends in none of {known}; choose one of them.")
        return writer()

    def to_tokenizer_document(self) -> TokenizerDocument:
        """Return the model as a tokenizer.json: the one it came from, or one made of it."""
        from engine.formats.conversion import tokenizer_settings
        from engine.formats.tokenizer_json import read_tokenizer, write_tokenizer

        document = self.tokenizer_document
        if document is not None:
            if self.pieces is document.pieces:
                return document
            has_tokens_behind = document.n_model_pieces < len(document.pieces)
            n_model_pieces = document.n_model_pieces if has_tokens_behind else len(self.pieces)
            return read_tokenizer(write_tokenizer(self.pieces, document.settings, n_model_pieces))
        pieces = self.pieces
        if self.precision == "float32":
            rounded = _in_32_bits(pieces).astype(np.float64)
            pieces = PieceTable(pieces.texts, rounded, pieces.types)
        settings = tokenizer_settings(pieces, self.normalizer_spec, self.byte_fallback, self.unk_surface)
        return read_tokenizer(write_tokenizer(pieces, settings, len(pieces)))

    def to_document(self) -> ModelDocument:
        """Return the model as a `.model`: the one it came from, or one made of it where it says something else."""
        if self.document is not None and self._is_said_by(self.document):
            return self.document
        fields = self._fields_to_write()
        if self.tokenizer_document is not None:
            from engine.formats.conversion import sentencepiece_rules

            added = self.tokenizer_document.tokenizer.added_tokens.tokens
            settings = self.tokenizer_document.settings
            rules = sentencepiece_rules(self.pieces, settings, added, self.byte_fallback)
            return build_document(rules.pieces, rules.normalizer_spec, {**fields, "unk_surface": rules.unk_surface})
        return build_document(self.pieces, self.normalizer_spec, fields, self.own_settings, self.document)

    @property
    def losses(self) -> tuple[str, ...]:
        """What a file of the other family, tokenizer.json or `.model`, does not say of the model: a sentence each."""
        from engine.formats.conversion import lost_in_sentencepiece, lost_in_tokenizer

        document = self.tokenizer_document
        if document is None:
            ends = [name for name in ("bos", "eos") if self._has_special(name)]
            return lost_in_tokenizer(self.pieces, self.denormalizer_spec is not None, ends)
        return lost_in_sentencepiece(document.tokenizer.added_tokens.tokens, document.tokenizer.template)

    def _has_special(self, name: str) -> bool:
        """Whether trainer_spec gives bos or eos an ID, and a piece that is there."""
        default_id, default_text = {"bos": (1, "<s>"), "eos": (2, "</s>")}[name]
        text = str(self.trainer_fields.get(f"{name}_piece", default_text))
        return self.trainer_fields.get(f"{name}_id", default_id) >= 0 and self.pieces.id_of(text) is not None

    def _fields_to_write(self) -> dict[str, Any]:
        """Return the fields of trainer_spec: all of them, or those that differ from the document's."""
        fields = {
            **self.trainer_fields,
            "unk_id": self.pieces.unknown_id,
            "vocab_size": len(self.pieces),
            "byte_fallback": self.byte_fallback,
            "unk_surface": self.unk_surface,
        }
        if self.document is None:
            return {"model_type": 1, "bos_id": -1, "eos_id": -1, **fields}
        document = self.document
        said = {
            "unk_id": 0,
            "byte_fallback": document.byte_fallback,
            "unk_surface": document.unk_surface,
            **document.trainer_fields,
            # Whatever the file says of its size: it is left alone unless pieces come or go.
            "vocab_size": len(document.pieces),
        }
        return {name: value for name, value in fields.items() if said.get(name) != value}

    def _is_said_by(self, document: ModelDocument) -> bool:
        mine, theirs = self.pieces, document.pieces
        return (
            (self.normalizer_spec, self.byte_fallback, self.unk_surface)
            == (document.normalizer_spec, document.byte_fallback, document.unk_surface)
            and mine.texts == theirs.texts
            and np.array_equal(mine.types, theirs.types)
            and np.array_equal(_in_32_bits(mine), _in_32_bits(theirs))
        )


def _in_32_bits(pieces: PieceTable) -> NDArray[np.float32]:
    """Return the scores as a `.model` holds them."""
    return pieces.log_probs.astype(np.float32)


_MOST_EXACT = 2.0**43
"""Sums of scores below it are exact to a thousandth of a nat."""


def _remarks_on_scores(pieces: PieceTable) -> tuple[str, ...]:
    """Return a sentence where a score is so large that the rounding of sums can be seen, else where one is above 0."""
    scores = np.where(pieces.types == PieceType.NORMAL, pieces.log_probs, 0.0)
    i = int(np.abs(scores).argmax())
    if abs(scores[i]) >= _MOST_EXACT:
        unknown = " or an unknown character, which scores less still," if scores[i] < 0 else ""
        return (
            f"Piece {i} ({pieces.texts[i]!r:.40}) has the score {scores[i]:g}: where a text holds it{unknown} sums are "
            f"rounded to {np.spacing(abs(scores[i])):.2g} nats, and shares and posteriors mean little.",
        )
    i = int(scores.argmax())
    if scores[i] > 0:
        return (
            f"Scores above 0: {int((scores > 0).sum()):,}, up to {scores[i]:g} of piece {i} ({pieces.texts[i]!r:.40}). "
            "They are taken as they are, but are logarithms of no probabilities: p is above 1.",
        )
    return ()


def _log(text: str, probability: float) -> float:
    if not isinstance(text, str):
        raise ModelFileError(f"{text!r:.40} is no piece; a piece is a str.")
    if not (is_finite_number(probability, 0.0) and 0 < probability <= 1):
        raise ModelFileError(
            f"Piece {text!r:.40} has the probability {probability!r:.40}; it must be a number above 0 and at most 1."
        )
    return math.log(probability)
