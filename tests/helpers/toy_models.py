"""Small models and lattices, and hypothesis strategies that make them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from engine.model import UnigramModel
from engine.normalizer import NormalizerSpec
from engine.pieces import PieceTable, PieceType

DATA = Path(__file__).parent.parent / "data"


def golden(name: str) -> dict[str, Any]:
    """Return the numbers of a worked example in tests/data."""
    numbers: dict[str, Any] = json.loads((DATA / name).read_text(encoding="utf-8"))
    return numbers


def log_probs_of(model: UnigramModel) -> dict[str, float]:
    """Return the normal pieces of a model and their log probabilities."""
    table = model.pieces
    rows = zip(table.texts, table.log_probs.tolist(), table.types.tolist(), strict=True)
    return {text: log_prob for text, log_prob, kind in rows if kind == PieceType.NORMAL}


def table_of(*rows: tuple[str, float] | tuple[str, float, int]) -> PieceTable:
    """Return a table of <unk>, <s>, </s> and the given pieces (NORMAL unless said otherwise)."""
    symbols = [("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("</s>", 0.0, 3)]
    return PieceTable.from_rows([*symbols, *((*row, 1)[:3] for row in rows)])


BASE = (("▁", -3.0), ("a", -2.0), ("b", -2.5), ("ab", -2.2))


def base_model(*rows: tuple[str, float] | tuple[str, float, int], **spec: Any) -> UnigramModel:
    """Return a model of ▁, a, b, ab and the given pieces, as a `.model` would hold it."""
    return UnigramModel.trained(table_of(*BASE, *rows), NormalizerSpec(**spec), name="base")


def byte_model(*rows: tuple[str, float], **spec: Any) -> UnigramModel:
    """Return a model with byte fallback: bytes at IDs 3 to 258, then the given pieces."""
    byte_rows = [(f"<0x{value:02X}>", 0.0, int(PieceType.BYTE)) for value in range(256)]
    return UnigramModel.trained(table_of(*byte_rows, *rows), NormalizerSpec(**spec), byte_fallback=True)


pieces_of_ab = st.text("ab", min_size=1, max_size=4)


@st.composite
def models(draw: st.DrawFn) -> UnigramModel:
    """Draw a model whose pieces are a, b and some strings of them, with any probabilities."""
    texts = sorted(draw(st.sets(pieces_of_ab, max_size=8)) | {"a", "b"})
    probabilities = st.floats(1e-6, 0.5)
    return UnigramModel.from_probabilities({text: draw(probabilities) for text in texts})


texts_of_ab = st.text("ab", max_size=9)
