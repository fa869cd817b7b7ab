"""HF's `tokenizer.json` with a Unigram model: reading and writing.

In: the bytes of a file. Out: a `TokenizerDocument`: the table of pieces (added tokens beyond the vocabulary follow
it), the steps as a `Tokenizer`, and warnings: what the file asks for and is not done here. A `unigram.json`, the model
alone, is read too. Old spellings are read as HF tokenizers 0.23 reads them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.errors import ModelFileError
from engine.formats.json_text import place_of_entry, read_json, rust_number, text_of_json
from engine.huggingface import fields
from engine.huggingface.added_tokens import AddedToken, read_added_tokens
from engine.huggingface.decoders import read_decoder
from engine.huggingface.normalizers import read_normalizer
from engine.huggingface.post_processors import check_ids, read_post_processor
from engine.huggingface.pre_tokenizers import read_pre_tokenizer
from engine.huggingface.tokenizer import Tokenizer
from engine.pieces import BYTE_TEXTS, PieceTable, PieceType
from engine.values import Value

UNKNOWN_TEXT, VERSION = "<unk>", "1.0"
_KEYS = ("truncation", "padding", "added_tokens", "normalizer", "pre_tokenizer", "post_processor", "decoder")
NAMES_NO_UNKNOWN_PIECE = "The file names no unknown piece (unk_id)"
"""How the sentence begins that says so."""
_MODEL_KEYS = ("type", "unk_id", "vocab", "byte_fallback")


@dataclass(frozen=True, eq=False)
class TokenizerDocument(Value):
    """A `tokenizer.json` as bytes and what they say.

    `settings` is the file's JSON without its vocabulary; the first `n_model_pieces` rows of `pieces` are the
    vocabulary, the others added tokens.
    """

    data: bytes
    pieces: PieceTable
    n_model_pieces: int
    tokenizer: Tokenizer
    byte_fallback: bool
    settings: Mapping[str, Any]
    warnings: tuple[str, ...] = ()


def read_tokenizer(data: bytes) -> TokenizerDocument:
    """Read a tokenizer.json. Raises ModelFileError for what is none, is damaged, or has no Unigram model."""
    text = text_of_json(data)
    settings = _top_level(read_json(text))
    model = settings["model"]
    rows = _read_rows(model["vocab"], text)
    warnings = _asked_in_vain(settings)
    unknown_id = _unknown_id(model, rows, warnings)
    vocabulary = {piece: i for i, (piece, _) in enumerate(rows)}
    listed = fields.field(settings, "added_tokens", list, [])
    added = read_added_tokens(listed, vocabulary, len(rows), warnings)
    byte_fallback = fields.field(model, "byte_fallback", bool, False)
    pieces = _table(rows, unknown_id, added.tokens, byte_fallback)
    tokenizer = Tokenizer(
        read_normalizer(settings.get("normalizer"), warnings),
        read_pre_tokenizer(settings.get("pre_tokenizer"), warnings),
        added,
        check_ids(read_post_processor(settings.get("post_processor"), warnings), len(pieces)),
        read_decoder(settings.get("decoder"), warnings),
    )
    kept = {**settings, "model": {key: value for key, value in model.items() if key != "vocab"}}
    return TokenizerDocument(data, pieces, len(rows), tokenizer, byte_fallback, kept, tuple(warnings))


def _top_level(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ModelFileError("The file is JSON but no object, so no tokenizer.json.")
    model = value.get("model", value if "vocab" in value else None)
    if not isinstance(model, dict) or "vocab" not in model:
        raise ModelFileError("The file is JSON but no tokenizer.json: it has no model with a vocabulary.")
    kind = _kind_of(model)
    if kind != "Unigram":
        raise ModelFileError(f"This is a tokenizer.json with a {kind} model; only Unigram models can be opened.")
    if not isinstance(model["vocab"], list):
        raise ModelFileError("The vocabulary of the Unigram model must be a list of pieces with scores.")
    return value if "model" in value else {"model": model}


def _kind_of(model: Mapping[str, Any]) -> str:
    """Return the model's type; older files do not say it, there the vocabulary tells."""
    if isinstance(model.get("type"), str):
        return str(model["type"])
    if isinstance(model["vocab"], list):
        return "Unigram"
    if "merges" in model:
        return "BPE"
    return "WordPiece" if "continuing_subword_prefix" in model else "WordLevel"


def _read_rows(listed: list[Any], text: str) -> list[tuple[str, float]]:
    if not listed:
        raise ModelFileError("The vocabulary of the Unigram model is empty.")
    rows = []
    for number, entry in enumerate(listed):
        fault = _fault_of(entry)
        if fault:
            place = place_of_entry(text, "vocab", number)
            where = f" ({place})" if place else ""
            raise ModelFileError(f"Entry {number} of the vocabulary{where} {fault}.")
        rows.append((entry[0], float(entry[1])))
    return rows


def _fault_of(entry: Any) -> str:
    if not isinstance(entry, list) or len(entry) != 2 or not isinstance(entry[0], str):
        return "is no pair of a piece and its score"
    if isinstance(entry[1], bool) or not isinstance(entry[1], int | float):
        return f"has the score {entry[1]!r}, which is no number"
    if not entry[0]:
        return "is an empty piece; every piece needs at least one character"
    try:
        entry[0].encode()
        float(entry[1])
    except UnicodeEncodeError:
        return "holds a lone surrogate, which is no character"
    except OverflowError:
        return "has a score that is too large"
    return ""


def _asked_in_vain(settings: Mapping[str, Any]) -> list[str]:
    warnings: list[str] = []
    fields.name_unknown(settings, ("version", "model", *_KEYS), "The file", warnings)
    fields.name_unknown(settings["model"], _MODEL_KEYS, "The model", warnings)
    if settings.get("version") not in (None, VERSION):
        warnings.append(f"The file is of version {settings['version']}; it is read as one of version {VERSION}.")
    for name, words in (("truncation", "Texts are not cut off"), ("padding", "Texts are not padded")):
        if settings.get(name) is not None:
            warnings.append(f"{words} here, though the file asks for {name}.")
    return warnings


def _unknown_id(model: Mapping[str, Any], rows: list[tuple[str, float]], warnings: list[str]) -> int | None:
    number = fields.field(model, "unk_id", int, -1)
    if model.get("unk_id") is not None:
        if not 0 <= number < len(rows):
            raise ModelFileError(f"The unk_id is {number}; it must be from 0 to {len(rows) - 1}.")
        return number
    warnings.append(
        f"{NAMES_NO_UNKNOWN_PIECE}; HF tokenizers fails where a text has an unknown character, "
        f"here it becomes {UNKNOWN_TEXT}."
    )
    return next((i for i, (text, _) in enumerate(rows) if text == UNKNOWN_TEXT), None)


def _table(
    rows: list[tuple[str, float]], unknown_id: int | None, added: tuple[AddedToken, ...], byte_fallback: bool
) -> PieceTable:
    n = len(rows)
    types = np.full(n, PieceType.NORMAL, dtype=np.int8)
    if byte_fallback and set(BYTE_TEXTS) <= {text for text, _ in rows}:
        types[[text in _BYTE_NAMES for text, _ in rows]] = PieceType.BYTE
    beyond = sorted((token for token in added if token.id >= n), key=lambda token: token.id)
    kinds = np.append(types, np.zeros(len(beyond), dtype=np.int8))
    for token in added:
        kinds[token.id] = PieceType.CONTROL if token.special else PieceType.USER_DEFINED
    every = [*rows, *((token.content, 0.0) for token in beyond)]
    if unknown_id is None:
        unknown_id = len(every)
        every.append((_free_name({text for text, _ in every}), 0.0))
        kinds = np.append(kinds, PieceType.UNKNOWN)
    kinds[unknown_id] = PieceType.UNKNOWN
    return PieceTable(tuple(text for text, _ in every), np.array([score for _, score in every]), kinds)


_BYTE_NAMES = frozenset(BYTE_TEXTS)


def _free_name(taken: set[str]) -> str:
    name = UNKNOWN_TEXT
    while name in taken:
        name = f"<{name}>"
    return name


def write_tokenizer(pieces: PieceTable, settings: Mapping[str, Any], n_model_pieces: int) -> bytes:
    """Return a tokenizer.json of these settings with the first rows of the table as its vocabulary."""
    model = {
        "type": "Unigram",
        "unk_id": pieces.unknown_id if pieces.unknown_id < n_model_pieces else None,
        **{key: value for key, value in settings["model"].items() if key not in ("type", "unk_id", "vocab")},
        "vocab": _PLACEHOLDER,
    }
    every = {"version": VERSION, **dict.fromkeys(_KEYS), "added_tokens": [], **settings, "model": model}
    text = json.dumps(every, ensure_ascii=False, indent=2)
    return text.replace(json.dumps(_PLACEHOLDER), _vocabulary_text(pieces, n_model_pieces)).encode()


_PLACEHOLDER = "\x00 the vocabulary"


def _vocabulary_text(pieces: PieceTable, n: int) -> str:
    rows = zip(pieces.texts[:n], pieces.log_probs[:n].tolist(), strict=True)
    lines = (f"      [{json.dumps(text, ensure_ascii=False)}, {rust_number(score)}]" for text, score in rows)
    return "[\n" + ",\n".join(lines) + "\n    ]"
