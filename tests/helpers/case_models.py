"""The models of the cases from public bug reports: BASE, as a `.model` and as a tokenizer.json."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from engine.charsmap import standard_charsmap
from engine.model import UnigramModel
from tests.helpers.toy_models import base_model

BASE_BYTES = bytes.fromhex(
    "0a0e0a053c756e6b3e150000000018020a0c0a033c733e150000000018030a0d0a043c2f733e150000000018030a0c0a03e2968115000040c0"
    "18010a0a0a016115000000c018010a0a0a016215000020c018010a0b0a02616215cdcc0cc018011207180120079802001a120a086964656e74"
    "6974791200180120012801"
)
BASE_ROWS: tuple[tuple[str, float], ...] = (
    *(("<unk>", 0.0), ("<s>", 0.0), ("</s>", 0.0)),
    *(("▁", -3.0), ("a", -2.0), ("b", -2.5), ("ab", -2.2)),
)
ALWAYS = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}


def base(*rows: tuple[str, float] | tuple[str, float, int], **spec: Any) -> UnigramModel:
    """Return BASE with more pieces, saved as a `.model` and opened again."""
    return UnigramModel.from_bytes(base_model(*rows, **spec).to_document().data, "base.model")


def with_rules(name: str, *rows: tuple[str, float] | tuple[str, float, int]) -> UnigramModel:
    """Return BASE under one of SentencePiece's sets of rules."""
    return base(*rows, name=name, precompiled_charsmap=standard_charsmap(name))


def json_bytes(rows: Sequence[Any] = BASE_ROWS, *, model: dict[str, Any] | None = None, **parts: Any) -> bytes:
    """Return a tokenizer.json of these rows, with Metaspace before and after unless `parts` say otherwise."""
    fields = {"type": "Unigram", "unk_id": 0, "vocab": [list(row) for row in rows], "byte_fallback": False}
    steps = {"normalizer": None, "pre_tokenizer": ALWAYS, "post_processor": None, "decoder": ALWAYS}
    every: dict[str, Any] = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [], **steps}
    every["model"] = fields | (model or {})
    return json.dumps(every | parts, ensure_ascii=False).encode()


def json_model(rows: Sequence[Any] = BASE_ROWS, **parts: Any) -> UnigramModel:
    """Return BASE as a tokenizer.json."""
    return UnigramModel.from_bytes(json_bytes(rows, **parts), "tokenizer.json")


def added_token(number: int, content: str, **flags: bool) -> dict[str, Any]:
    """Return the JSON of an added token."""
    names = ("single_word", "lstrip", "rstrip", "normalized", "special")
    return {"id": number, "content": content, **dict.fromkeys(names, False), **flags}
