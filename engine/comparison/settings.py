"""The settings of two models that differ: how they were trained, how they normalize, how they encode.

In: two models. Out: rows of text. A setting that a file does not say is shown as such, and not as a default that it may
never have had.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields
from typing import Any

from engine.model import UnigramModel
from engine.normalizer import NormalizerSpec

NOT_SAID = "not said"


@dataclass(frozen=True)
class SettingDifference:
    """One setting and its value in each model, in words; `group` is "model", "normalizer" or "training"."""

    group: str
    name: str
    a: str
    b: str


def differing_settings(a: UnigramModel, b: UnigramModel) -> tuple[SettingDifference, ...]:
    """Return the settings that differ, in the order of the groups, by name.

    >>> model = UnigramModel.from_probabilities({"a": 1.0})
    >>> differing_settings(model, model)
    ()
    """
    differences = []
    for group, of_a, of_b in zip(("model", "normalizer", "training"), _groups(a), _groups(b), strict=True):
        for name in sorted({**of_a, **of_b}):
            values = of_a.get(name, NOT_SAID), of_b.get(name, NOT_SAID)
            if values[0] != values[1]:
                differences.append(SettingDifference(group, name, *values))
    return tuple(differences)


def _groups(model: UnigramModel) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    encoder: dict[str, Any] = {
        "byte_fallback": model.byte_fallback,
        "pieces": len(model.pieces),
        "precision": model.precision,
        "unk_surface": model.unk_surface,
    }
    training = {**model.trainer_fields, **model.own_settings}
    for name in (*encoder, *_normalizer(model)):
        training.pop(name, None)
    return _in_words(encoder), _in_words(_normalizer(model)), _in_words(training)


def _normalizer(model: UnigramModel) -> dict[str, Any]:
    said = {field.name: getattr(model.normalizer_spec, field.name) for field in fields(NormalizerSpec)}
    said["denormalizer"] = model.denormalizer_spec.name if model.denormalizer_spec else "none"
    return said


def _in_words(settings: dict[str, Any]) -> dict[str, str]:
    return {name: _word(value) for name, value in settings.items()}


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, bytes):
        # Two tables of rules differ in no way that a line has room for: their digests do.
        return f"{len(value):,} bytes, {hashlib.sha256(value).hexdigest()[:8]}" if value else "none"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value)) or "none"
    return f"{value:g}" if isinstance(value, float) else str(value)
