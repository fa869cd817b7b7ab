r"""Regular expressions as tokenizers runs them: Oniguruma's syntax, on the library `regex`.

In: a pattern from a tokenizer.json. Out: a compiled one. What the two write differently is translated: `^` and `$`
always stand at lines (and `^` not after a line feed that ends the text), `\h` is a hexadecimal digit, `\Z` may stand
before a final line feed, `(?m)` lets the dot match line feeds, `\w` counts ² ³ ¹ ¼ ½ ¾ and no joiners. What cannot be
translated is refused by name. Characters of Unicode 17 have no properties in Oniguruma's tables yet.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import regex

from engine.errors import ModelFileError, TextError

_ESCAPES = {
    "h": "[0-9a-fA-F]",
    "H": "[^0-9a-fA-F]",
    "z": r"\Z",
    "Z": r"(?=\n?\Z)",
    "w": r"[[\w\xb2\xb3\xb9\xbc-\xbe]--[\u200c\u200d]]",
    "W": r"[^[\w\xb2\xb3\xb9\xbc-\xbe]--[\u200c\u200d]]",
    "R": r"(?>\r\n|[\n-\r\x85\u2028\u2029])",
    "O": r"(?s:.)",
    "N": r"[^\n]",
}
# In a set, the numbers are no letters.
_IN_SET = {"h": "0-9a-fA-F", "w": r"[\w--[\u200c\u200d]]", "W": r"[\W\u200c\u200d]"}
_NAME = regex.compile(r"\\k<(\w+)>")
_PATIENCE = 3.0  # seconds in which any sensible pattern has passed over a long text
_OPTIONS = frozenset("imx-")


@functools.lru_cache(256)
def compile_pattern(pattern: str) -> Any:
    r"""Return the pattern compiled. Raises ModelFileError.

    >>> [match.span() for match in compile_pattern("^").finditer("a\nb\n")]
    [(0, 0), (2, 2)]
    """
    try:
        return regex.compile("".join(_translated(pattern)), regex.V1 | regex.MULTILINE)
    except (regex.error, ValueError, OverflowError, IndexError, RecursionError) as error:
        raise ModelFileError(f"The regular expression {pattern!r} is malformed or not supported: {error}.") from error


def spans(compiled: Any, text: str) -> Iterator[tuple[int, int]]:
    """Yield where the pattern matches, but no empty match at the end of another; nothing in an empty text.

    Raises TextError for a pattern that tries so many ways that it does not come to an end.
    """
    last = -1
    try:
        for match in compiled.finditer(text, timeout=_PATIENCE) if text else ():
            start, stop = match.span()
            if start < stop or start != last:
                yield start, stop
            last = stop
    except TimeoutError as error:
        raise TextError(
            f"The regular expression {compiled.pattern!r} does not come to an end here; shorten the text."
        ) from error


def literal_pattern(text: str) -> Any:
    """Return a pattern that matches just this text."""
    return regex.compile(regex.escape(text))


def _translated(pattern: str) -> list[str]:
    out: list[str] = []
    at = depth = 0
    while at < len(pattern):
        part, length = _next_part(pattern, at, depth)
        depth += (part == "[") - (part == "]" and depth > 0)
        out.append(part)
        at += length
    return out


def _next_part(pattern: str, at: int, depth: int) -> tuple[str, int]:
    """Return the translation of what stands at `at`, and its length; `depth` counts open sets."""
    here = pattern[at]
    if here == "\\" and at + 1 < len(pattern):
        follows = pattern[at + 1]
        name = _NAME.match(pattern, at)
        if name and not depth:
            return f"(?P={name[1]})", len(name[0])
        return (_IN_SET if depth else _ESCAPES).get(follows, pattern[at : at + 2]), 2
    if depth:
        return _part_in_set(pattern, at)
    if here == "^":
        return r"(?:^(?!(?<=\n)\Z))", 1
    if pattern.startswith("(?", at):
        return _group(pattern, at)
    return here, 1


def _part_in_set(pattern: str, at: int) -> tuple[str, int]:
    if pattern.startswith("[:", at):
        end = pattern.find(":]", at)
        if end > 0:
            return pattern[at : end + 2], end + 2 - at
    # Two of these signs together are operators here, and no more than themselves in Oniguruma.
    if pattern[at] in "-~|" and pattern[at : at + 2] == pattern[at] * 2:
        return "\\" + pattern[at], 1
    return pattern[at], 1


def _group(pattern: str, at: int) -> tuple[str, int]:
    """Translate the options of a group: Oniguruma's `m` is the dot that matches line feeds."""
    end = at + 2
    while end < len(pattern) and pattern[end] in _OPTIONS:
        end += 1
    if end == at + 2 or end >= len(pattern) or pattern[end] not in ":)":
        if pattern.startswith("(?~", at):
            raise ModelFileError(f"The absence operator (?~ of {pattern!r} is not supported.")
        return "(?", 2
    return pattern[at:end].replace("m", "s"), end - at
