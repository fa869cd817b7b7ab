"""SentencePiece's `.model`: reading and writing a ModelProto.

In: the bytes of a file, or a vocabulary with its settings. Out: a `ModelDocument`, which holds the bytes that
are saved beside what was read from them: a file that nobody touched is saved as it was, and one that was made
anew from it keeps the fields that are unknown here. The messages live in a descriptor pool of their own, since
sentencepiece registers the same names in the default one.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError
from google.protobuf.unknown_fields import UnknownFieldSet

from engine.charsmap import Charsmap
from engine.errors import ModelFileError
from engine.normalizer import NormalizerSpec
from engine.pieces import PieceTable, PieceType
from engine.values import Value

UNIGRAM = 1
MODEL_TYPES = {1: "Unigram", 2: "BPE", 3: "word", 4: "character"}
_TYPES = frozenset(map(int, PieceType))
DEFAULT_UNK_SURFACE = " \u2047 "

# Field number, name and kind; "*" marks a repeated field. Strings are declared as bytes, which are the same on
# the wire, so that a text which is no UTF-8 is found here and not somewhere in a library.
_PIECE = "1 piece string|2 score float|3 type int32"
_NORMALIZER = (
    "1 name string|2 precompiled_charsmap bytes|3 add_dummy_prefix bool|4 remove_extra_whitespaces bool"
    "|5 escape_whitespaces bool|6 normalization_rule_tsv string"
)
_TRAINER = (
    "1 input *string|2 model_prefix string|3 model_type int32|4 vocab_size int32|5 accept_language *string"
    "|6 self_test_sample_size int32|7 input_format string|10 character_coverage float"
    "|11 input_sentence_size uint64|12 mining_sentence_size int32|13 training_sentence_size int32"
    "|14 seed_sentencepiece_size int32|15 shrinking_factor float|16 num_threads int32"
    "|17 num_sub_iterations int32|18 max_sentence_length int32|19 shuffle_input_sentence bool"
    "|20 max_sentencepiece_length int32|21 split_by_unicode_script bool|22 split_by_whitespace bool"
    "|23 split_by_number bool|24 treat_whitespace_as_suffix bool|25 split_digits bool"
    "|26 allow_whitespace_only_pieces bool|30 control_symbols *string|31 user_defined_symbols *string"
    "|32 vocabulary_output_piece_score bool|33 hard_vocab_limit bool|34 use_all_vocab bool"
    "|35 byte_fallback bool|36 required_chars string|40 unk_id int32|41 bos_id int32|42 eos_id int32"
    "|43 pad_id int32|44 unk_surface string|45 unk_piece string|46 bos_piece string|47 eos_piece string"
    "|48 pad_piece string|49 train_extremely_large_corpus bool|50 enable_differential_privacy bool"
    "|51 differential_privacy_noise_level float|52 differential_privacy_clipping_threshold uint64"
    "|53 pretokenization_delimiter string|54 seed_sentencepieces_file string|55 auto_character_coverage bool"
)
# 200 and up is the range that SentencePiece leaves to others (model_proto.md): what our trainer was told beyond
# the fields of trainer_spec, as JSON in UTF-8.
_MODEL = (
    "1 pieces *SentencePiece|2 trainer_spec TrainerSpec|3 normalizer_spec NormalizerSpec"
    "|5 denormalizer_spec NormalizerSpec|200 own_settings bytes"
)
_SPECS = ("trainer_spec", "normalizer_spec", "denormalizer_spec")
_SELF_TEST_DATA = 4
"""A known field of the file that asks for nothing: texts and what they were cut into when it was trained."""
_TABLES = {
    "SentencePiece": _PIECE,
    "NormalizerSpec": _NORMALIZER,
    "TrainerSpec": _TRAINER,
    "ModelProto": _MODEL,
}


def _fields(table: str) -> dict[str, tuple[int, str]]:
    rows = (row.split(" ") for row in table.split("|"))
    return {name: (int(number), kind) for number, name, kind in rows}


TRAINER_FIELDS = _fields(_TRAINER)
"""Name -> (number, kind) of every field of trainer_spec."""


@cache
def _model_class() -> Any:
    """Return the class of ModelProto from a pool of its own."""
    proto_field = descriptor_pb2.FieldDescriptorProto
    wire_types = {"string": proto_field.TYPE_BYTES} | {
        kind: proto_field.Type.Value(f"TYPE_{kind.upper()}") for kind in ("bytes", "bool", "float", "int32", "uint64")
    }
    file = descriptor_pb2.FileDescriptorProto(name="sentencepiece_model.proto", package="unigram", syntax="proto2")
    for message_name, table in _TABLES.items():
        message = file.message_type.add(name=message_name)
        for name, (number, kind) in _fields(table).items():
            label = proto_field.LABEL_REPEATED if kind[0] == "*" else proto_field.LABEL_OPTIONAL
            added = message.field.add(name=name, number=number, label=label)
            added.type = wire_types.get(kind.lstrip("*"), proto_field.TYPE_MESSAGE)
            if added.type == proto_field.TYPE_MESSAGE:
                added.type_name = f".unigram.{kind.lstrip('*')}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("unigram.ModelProto"))


@dataclass(frozen=True, eq=False)
class ModelDocument(Value):
    """A `.model` as bytes and what they say.

    `trainer_fields` holds the fields of trainer_spec that are set, by name; `own_settings` the further settings
    of our own trainer, empty in a file from elsewhere; `warnings` names the fields that are not known here.
    """

    data: bytes
    pieces: PieceTable
    normalizer_spec: NormalizerSpec
    denormalizer_spec: NormalizerSpec | None = None
    trainer_fields: Mapping[str, Any] = field(default_factory=dict)
    own_settings: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def byte_fallback(self) -> bool:
        """Whether unknown characters become bytes."""
        return bool(self.trainer_fields.get("byte_fallback", False))

    @property
    def unk_surface(self) -> str:
        """What the unknown piece decodes to."""
        return str(self.trainer_fields.get("unk_surface", DEFAULT_UNK_SURFACE))


def read_document(data: bytes) -> ModelDocument:
    """Read a ModelProto. Raises ModelFileError for what is none, is damaged, or is no Unigram model."""
    message = _model_class()()
    try:
        message.ParseFromString(data)
    except DecodeError as error:
        raise ModelFileError("The file is no SentencePiece model, or is cut short or damaged.") from error
    if not message.pieces:
        raise ModelFileError("The file holds no pieces: it is no SentencePiece model, or an empty one.")
    return _document(message, data, _read_pieces(message))


def _document(message: Any, data: bytes, pieces: PieceTable) -> ModelDocument:
    """Return the document of a message, of the bytes that it is written as, and of the pieces that it holds."""
    trainer_fields = _values(message.trainer_spec)
    _check_model_type(int(trainer_fields.get("model_type", UNIGRAM)))
    as_suffix = bool(trainer_fields.get("treat_whitespace_as_suffix", False))
    has_denormalizer = bool(message.denormalizer_spec.precompiled_charsmap)
    document = ModelDocument(
        data,
        pieces,
        _read_normalizer(message.normalizer_spec, as_suffix),
        _read_normalizer(message.denormalizer_spec, False) if has_denormalizer else None,
        trainer_fields,
        _read_own_settings(message.own_settings),
        tuple(_name_unknown(message)),
    )
    _check_bytes(document)
    return document


def _name_unknown(message: Any) -> Iterator[str]:
    """Yield a sentence for each field that is not known here; it is kept, as its message says nothing of its name."""
    parts = [("The file", [message]), ("A piece", message.pieces)]
    parts += [(f"The {name}", [getattr(message, name)]) for name in _SPECS]
    for what, messages in parts:
        unknown = [found for found in map(UnknownFieldSet, messages) if len(found)]
        numbers = {found[i].field_number for found in unknown for i in range(len(found))}
        if what == "The file":
            numbers -= {_SELF_TEST_DATA}
        for number in sorted(numbers):
            yield f"{what} has the field {number}, which is kept but does nothing: it is not known here."


def _check_model_type(number: int) -> None:
    if number != UNIGRAM:
        kind = MODEL_TYPES.get(number, f"unknown (type {number})")
        raise ModelFileError(f"This is a SentencePiece model of the kind {kind}; only Unigram models can be opened.")


def _check_bytes(document: ModelDocument) -> None:
    if not document.byte_fallback and document.pieces.byte_ids is not None:
        raise ModelFileError("The model has byte pieces but its byte_fallback is off; it is damaged.")
    if document.byte_fallback and document.pieces.byte_ids is None:
        raise ModelFileError("The model's byte_fallback is on but it has no byte pieces; it is damaged.")
    if not len(document.pieces.edge_ids):
        raise ModelFileError("The model has no piece that a text could be cut into.")


def _text(value: bytes, what: str) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError as error:
        raise ModelFileError(f"{what} is no valid UTF-8 ({value[:20]!r}); the file is damaged.") from error


def _read_pieces(message: Any) -> PieceTable:
    return PieceTable(
        tuple(_text(piece.piece, f"Piece {i}") for i, piece in enumerate(message.pieces)),
        np.array([piece.score for piece in message.pieces], dtype=np.float64),
        # A type beyond int8 must be refused, not wrapped round.
        np.array([_type_of(piece) for piece in message.pieces]),
    )


def _type_of(piece: Any) -> int:
    """Return the piece's type; one that is not known counts as absent, as everywhere in protobuf's enums."""
    return int(piece.type) if piece.HasField("type") and piece.type in _TYPES else int(PieceType.NORMAL)


def _read_normalizer(message: Any, as_suffix: bool) -> NormalizerSpec:
    values = _values(message)
    values.pop("normalization_rule_tsv", None)
    spec = NormalizerSpec(**({"name": ""} | values), treat_whitespace_as_suffix=as_suffix)
    Charsmap.from_bytes(spec.precompiled_charsmap)  # said on opening, as sentencepiece does, not with the first text
    return spec


def _values(message: Any) -> dict[str, Any]:
    """Return the fields that are set, by name, texts as str."""
    kinds = _fields(_TABLES[message.DESCRIPTOR.name])
    return {
        descriptor.name: _value(value, descriptor.name, kinds[descriptor.name][1])
        for descriptor, value in message.ListFields()
    }


def _value(value: Any, name: str, kind: str) -> Any:
    if kind == "*string":
        return tuple(_text(item, f"The field {name}") for item in value)
    return _text(value, f"The field {name}") if kind == "string" else value


def _read_own_settings(data: bytes) -> Mapping[str, Any]:
    # Field 200 is free for anybody: what is no JSON object of ours is not ours.
    try:
        settings = json.loads(data) if data else {}
    except (ValueError, RecursionError):
        settings = {}
    return MappingProxyType(settings if isinstance(settings, dict) else {})


def build_document(
    pieces: PieceTable,
    normalizer_spec: NormalizerSpec,
    trainer_fields: Mapping[str, object],
    own_settings: Mapping[str, str | int | float | bool] | None = None,
    base: ModelDocument | None = None,
) -> ModelDocument:
    """Write a vocabulary and its settings as a ModelProto.

    Parameters
    ----------
    pieces, normalizer_spec
        What the model is made of; scores are rounded to float32, as the format has it.
    trainer_fields
        Values of trainer_spec by name; those that are not given stay at the format's defaults.
    own_settings
        Further settings of our trainer, kept as JSON in field 200.
    base
        The document this one was made from: its unknown fields, and those not named above, are kept.

    Raises
    ------
    ModelFileError
        A name that trainer_spec does not have, or a value that its field cannot hold.
    """
    message = _model_class()()
    if base is not None:
        message.ParseFromString(base.data)
    pieces = _in_32_bits(pieces)
    _write_pieces(message, pieces)
    _write_fields(message.trainer_spec, dict(trainer_fields))
    if base is None or base.normalizer_spec != normalizer_spec:
        message.trainer_spec.treat_whitespace_as_suffix = normalizer_spec.treat_whitespace_as_suffix
        _write_fields(message.normalizer_spec, _normalizer_fields(normalizer_spec))
    if own_settings and (base is None or base.own_settings != own_settings):
        message.own_settings = _own_settings_bytes(own_settings)
    return _document(message, message.SerializeToString(deterministic=True), pieces)


def _in_32_bits(pieces: PieceTable) -> PieceTable:
    """Return the pieces with their scores as the format has them. Raises ModelFileError where one is too large."""
    with np.errstate(over="ignore"):  # beyond float32 it becomes infinite, which a table refuses
        return PieceTable(pieces.texts, pieces.log_probs.astype(np.float32), pieces.types)


def _own_settings_bytes(settings: Mapping[str, str | int | float | bool]) -> bytes:
    try:
        return json.dumps(dict(settings), sort_keys=True, ensure_ascii=False).encode()
    except (TypeError, ValueError) as error:
        raise ModelFileError(
            f"The settings {dict(settings)!r} cannot be saved: they must be texts and numbers."
        ) from error


def _write_pieces(message: Any, pieces: PieceTable) -> None:
    # A piece that the base has too keeps what else is written there.
    known = {piece.piece: type(piece).FromString(piece.SerializeToString()) for piece in message.pieces}
    del message.pieces[:]
    for text, score, kind in zip(pieces.texts, pieces.log_probs.tolist(), pieces.types.tolist(), strict=True):
        added, before = message.pieces.add(), known.get(text.encode())
        if before is not None:
            added.CopyFrom(before)
        added.piece = text.encode()
        if before is None or not _is_same(score, added.score):
            added.score = score
        # Like SentencePiece, the default type is not written, unless the base wrote it.
        if _type_of(added) != kind:
            added.ClearField("type")
            if kind != PieceType.NORMAL:
                added.type = kind


def _is_same(score: float, other: float) -> bool:
    """Whether two scores are the same, with their signs; then what the base did not write stays unwritten."""
    return score == other and math.copysign(1.0, score) == math.copysign(1.0, other)


def _normalizer_fields(spec: NormalizerSpec) -> dict[str, object]:
    names = ("name", "precompiled_charsmap", "add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces")
    return {name: getattr(spec, name) for name in names}


def _write_fields(message: Any, values: Mapping[str, object]) -> None:
    kinds = _fields(_TABLES[message.DESCRIPTOR.name])
    for name, value in values.items():
        if name not in kinds:
            raise ModelFileError(f"trainer_spec has no field {name!r}; put it among the settings of our own.")
        try:
            _write_field(message, name, kinds[name][1], value)
        except (TypeError, ValueError, AttributeError) as error:
            raise ModelFileError(f"The field {name} cannot hold {value!r}.") from error


def _write_field(message: Any, name: str, kind: str, value: Any) -> None:
    if kind == "*string":
        del getattr(message, name)[:]
        getattr(message, name).extend(item.encode() for item in value)
    else:
        setattr(message, name, value.encode() if kind == "string" else value)
