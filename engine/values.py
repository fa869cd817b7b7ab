"""Frozen values that travel: pickled, copied, or sent to another process as what they are made of.

In: a frozen dataclass. Out: its class and its fields, from which it is made anew where it arrives. What a value makes
on first use and keeps (tables, compiled patterns, locks) stays behind and is made again there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from types import MappingProxyType
from typing import Any, cast


class Value:
    """Base of a frozen dataclass that is pickled and copied as its fields.

    Its class makes it again, so that arrays which the class makes read-only are so in the copy too: unpickled arrays
    are writable by themselves.
    """

    def __reduce__(self) -> tuple[Callable[..., object], tuple[Any, ...]]:
        held = {field.name: getattr(self, field.name) for field in fields(cast(Any, self))}
        # A read-only view of a dictionary cannot be pickled.
        views = frozenset(name for name, value in held.items() if isinstance(value, MappingProxyType))
        return _made, (type(self), {name: dict(held[name]) if name in views else held[name] for name in held}, views)


def _made(kind: Callable[..., object], held: dict[str, Any], views: frozenset[str]) -> object:
    return kind(**{name: MappingProxyType(value) if name in views else value for name, value in held.items()})
