"""Reading the fields of a step's JSON, with errors in words."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, TypeVar

from engine.errors import ModelFileError

T = TypeVar("T")
_KINDS = {str: "a text", bool: "true or false", int: "a whole number", list: "a list", dict: "an object"}
REQUIRED: Any = object()


def field(settings: Mapping[str, Any], name: str, kind: type[T], default: T = REQUIRED) -> T:
    """Return a field of the wanted kind, or the default where it is absent or null. Raises ModelFileError."""
    value = settings.get(name)
    if value is None and default is not REQUIRED:
        return default
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        owner = settings.get("type") or "an object"
        raise ModelFileError(f"In the tokenizer.json, {owner} needs the field {name!r} as {_KINDS[kind]}.")
    return value


def name_unknown(settings: Mapping[str, Any], known: Collection[str], what: str, warnings: list[str]) -> None:
    """Add a warning for each field that asks for something not known here; null asks for nothing."""
    for name, value in settings.items():
        if name not in known and value is not None:
            warnings.append(f"{what} has the option {name!r}, which is left out: it is not known here.")


def character(settings: Mapping[str, Any], name: str, default: str = REQUIRED) -> str:
    """Return a field that is one character."""
    value = field(settings, name, str, default)
    if len(value) != 1:
        raise ModelFileError(f"In the tokenizer.json, the field {name!r} must be one character, not {value!r}.")
    return value


def type_of(settings: object) -> str:
    """Return what a step calls itself."""
    if not isinstance(settings, dict) or not isinstance(settings.get("type"), str):
        raise ModelFileError("In the tokenizer.json, a step is no object with a type; the file is damaged.")
    return str(settings["type"])


def pattern_of(settings: Mapping[str, Any]) -> tuple[bool, str]:
    """Return whether the pattern of a Replace or Split is a regular expression, and the pattern."""
    pattern = settings.get("pattern")
    if isinstance(pattern, dict) and len(pattern) == 1:
        ((kind, text),) = pattern.items()
        if kind in ("String", "Regex") and isinstance(text, str):
            return kind == "Regex", text
    raise ModelFileError(
        f"In the tokenizer.json, {type_of(settings)} needs a pattern that is either a String or a Regex."
    )
