"""What single characters need to be seen: space markers, characters that hide, marks, composed forms.

In: text. Out: small frozen values, no Qt. The rule is that no code point of a text goes unseen: what has no ink of
its own is drawn as a box with its name, and what a font would melt into one sign is also shown apart.
"""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

SPACE_MARKER = "\u2581"
DOTTED_CIRCLE = "\u25cc"
ZWJ = "\u200d"
_ISOLATE, _POP = "\u2068", "\u2069"

_SHORT_NAMES = {
    "\t": "TAB",
    "\n": "LF",
    "\r": "CR",
    " ": "SP",
    "\u00a0": "NBSP",
    "\u00ad": "SHY",
    "\u034f": "CGJ",
    "\u061c": "ALM",
    "\u200b": "ZWSP",
    "\u200c": "ZWNJ",
    "\u200d": "ZWJ",
    "\u200e": "LRM",
    "\u200f": "RLM",
    "\u2028": "LS",
    "\u2029": "PS",
    "\u202f": "NNBSP",
    "\u2060": "WJ",
    "\u3000": "IDSP",
    "\ufe0e": "VS15",
    "\ufe0f": "VS16",
    "\ufeff": "BOM",
}
_CONTROL_NAMES = {"\t": "CHARACTER TABULATION", "\n": "LINE FEED", "\r": "CARRIAGE RETURN"}
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zs", "Zl", "Zp"})
_MARK_CATEGORIES = frozenset({"Mn", "Me", "Mc"})
_RIGHT_TO_LEFT = frozenset({"R", "AL"})
_INSIDE_RIGHT_TO_LEFT = frozenset({"R", "AL", "NSM", "BN", "AN"})


def isolated(text: str) -> str:
    """Part a name from the sentence around it, where it is written from right to left; else return it as it is.

    >>> isolated("en.model"), [f"{ord(character):X}" for character in isolated("ש")]
    ('en.model', ['2068', '5E9', '2069'])
    """
    is_one_way = not any(unicodedata.bidirectional(character) in _RIGHT_TO_LEFT for character in text)
    return text if is_one_way else f"{_ISOLATE}{text}{_POP}"


class Kind(IntEnum):
    """How a character is drawn."""

    LETTER = 0  # by its glyph
    SPACE = 1  # the marker of a space: an open box
    HIDDEN = 2  # its short name in a dashed box
    MARK = 3  # on a dotted circle


@dataclass(frozen=True)
class Composed:
    """A stretch of a text whose written form differs from its code points one by one."""

    start: int
    end: int
    text: str
    note: str
    right_to_left: bool


def kind_of(character: str) -> Kind:
    """How to draw one code point.

    >>> [kind_of(c).name for c in ("a", "▁", ZWJ, chr(0x301))]
    ['LETTER', 'SPACE', 'HIDDEN', 'MARK']
    """
    if character == SPACE_MARKER:
        return Kind.SPACE
    if "!" <= character <= "~":
        return Kind.LETTER
    category = unicodedata.category(character)
    if character in _SHORT_NAMES or category in _HIDDEN_CATEGORIES or "\ufe00" <= character <= "\ufe0d":
        return Kind.HIDDEN
    return Kind.MARK if category in _MARK_CATEGORIES else Kind.LETTER


def code_point_text(character: str) -> str:
    """The code point in the usual notation, as U+200D."""
    return f"U+{ord(character):04X}"


def short_name(character: str) -> str:
    """What stands in the dashed box of a character that hides."""
    return _SHORT_NAMES.get(character, code_point_text(character))


def full_name(character: str) -> str:
    """The Unicode name, or the code point where there is none."""
    return _CONTROL_NAMES.get(character) or unicodedata.name(character, "") or "no name"


@functools.lru_cache(maxsize=10_000)
def cell_text(character: str) -> str:
    """What is drawn in the column of one character: marks stand on a dotted circle."""
    return DOTTED_CIRCLE + character if kind_of(character) == Kind.MARK else character


def split_kinds(text: str) -> Iterator[tuple[Kind, str]]:
    """A label as stretches that are drawn alike; a mark belongs to the letter before it.

    >>> list(split_kinds("▁un"))
    [(<Kind.SPACE: 1>, '▁'), (<Kind.LETTER: 0>, 'un')]
    """
    letters = ""
    for character in text:
        kind = kind_of(character)
        if kind == Kind.LETTER or (kind == Kind.MARK and letters):
            letters += character
        elif kind == Kind.MARK:
            letters = DOTTED_CIRCLE + character
        else:
            if letters:
                yield Kind.LETTER, letters
                letters = ""
            yield kind, character
    if letters:
        yield Kind.LETTER, letters


def composed_forms(text: str) -> tuple[Composed, ...]:
    """Right-to-left runs, emoji sequences and letters with marks, from left to right, none inside another."""
    if text.replace(SPACE_MARKER, "").isascii():
        return ()
    runs = list(_right_to_left_runs(text))
    in_runs = {position for run in runs for position in range(run.start, run.end)}
    clusters = (cluster for cluster in _clusters(text) if cluster.start not in in_runs)
    return tuple(sorted([*runs, *clusters], key=lambda form: form.start))


def joined_by(text: str, position: int) -> str:
    """What a zero width joiner at `position` does, in words; "" for every other character.

    >>> joined_by("👩" + ZWJ + "👧", 1)
    'takes no room; joins 👩 and 👧 into one emoji'
    """
    if text[position] != ZWJ or position == 0 or position + 1 >= len(text):
        return ""
    before = position - 1
    while before > 0 and (kind_of(text[before]) != Kind.LETTER or _is_modifier(text[before])):
        before -= 1
    return f"takes no room; joins {text[before]} and {text[position + 1]} into one emoji"


def _right_to_left_runs(text: str) -> Iterator[Composed]:
    start = end = -1
    for i, character in enumerate(text + SPACE_MARKER):
        direction = unicodedata.bidirectional(character)
        if direction in _RIGHT_TO_LEFT:
            start, end = (i if start < 0 else start), i + 1
        elif start >= 0 and direction == "NSM":
            end = i + 1
        elif start >= 0 and direction not in _INSIDE_RIGHT_TO_LEFT:
            if end - start > 1:
                yield Composed(start, end, text[start:end], "right to left, drawn in logical order →", True)
            start = -1


def _clusters(text: str) -> Iterator[Composed]:
    start = 0
    for i in range(1, len(text) + 1):
        if i < len(text) and _joins(text, start, i):
            continue
        if i - start > 1:
            yield _cluster(text, start, i)
        start = i


def _cluster(text: str, start: int, end: int) -> Composed:
    form = text[start:end]
    note = f"one emoji, {end - start} code points" if _is_emoji(form) else f"{end - start} code points"
    return Composed(start, end, form, note, False)


def _is_emoji(form: str) -> bool:
    return any(c in "\ufe0f\u20e3" or _is_modifier(c) or _is_regional(c) for c in form) or (
        ZWJ in form and unicodedata.category(form[0]) == "So"
    )


def _joins(text: str, start: int, i: int) -> bool:
    """Whether the character at `i` belongs to the cluster that began at `start` (the common rules of UAX 29)."""
    character, before = text[i], text[i - 1]
    if kind_of(before) in (Kind.SPACE, Kind.HIDDEN) and i - start == 1:
        return False
    if unicodedata.category(character) in _MARK_CATEGORIES or character == ZWJ or _is_modifier(character):
        return True
    if "\U000e0020" <= character <= "\U000e007f":
        return True
    if before == ZWJ:
        return unicodedata.category(character) == "So"
    if _is_regional(character):
        return _is_regional(before) and (i - start) % 2 == 1
    return _jamo_joins(before, character)


def _jamo_joins(before: str, character: str) -> bool:
    if "\u1160" <= character <= "\u11a7":
        return "\u1100" <= before <= "\u115f"
    return "\u11a8" <= character <= "\u11ff" and "\u1160" <= before <= "\u11a7"


def _is_modifier(character: str) -> bool:
    return "\U0001f3fb" <= character <= "\U0001f3ff"


def _is_regional(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"
