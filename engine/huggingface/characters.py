r"""Classes of characters as tokenizers 0.23 knows them, each from the Unicode version of the library it leans on.

White space is that of Unicode's White_Space; numbers and letters are current; punctuation is Unicode 8's, and what
normalization knows (marks, decompositions) is Unicode 9's: later characters are strangers to it.
"""

from __future__ import annotations

import string
import unicodedata
from functools import lru_cache

import regex

from engine.tables import ages, scripts

_NORMALIZATION_AGE, _PUNCTUATION_AGE = 90, 80
# Once punctuation, by now a symbol and a mark.
_OLD_PUNCTUATION = frozenset("\u166d\U000111c9")
# Capitals of Unicode 15 and later, first, last and the distance to the small letter: Python may not know them yet.
_NEW_CAPITALS = (
    (0x1C89, 0x1C89, 1),
    (0xA7CB, 0xA7CB, 0x264 - 0xA7CB),
    (0xA7CC, 0xA7CC, 1),
    (0xA7CE, 0xA7CE, 1),
    (0xA7D2, 0xA7D2, 1),
    (0xA7D4, 0xA7D4, 1),
    (0xA7DA, 0xA7DA, 1),
    (0xA7DC, 0xA7DC, 0x19B - 0xA7DC),
    (0x10D50, 0x10D65, 0x20),
    (0x16EA0, 0x16EB8, 0x1B),
)

WHITE_SPACE = "\t-\r \\x85\\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
"""White_Space as the inside of a set."""

_IS_NUMBER = regex.compile(r"\p{N}")


def is_new_to_normalization(character: str) -> bool:
    """Tell whether the character is younger than the tables that normalize."""
    return bool(ages()[ord(character)] > _NORMALIZATION_AGE)


@lru_cache(4096)
def is_mark(character: str) -> bool:
    """Tell whether StripAccents removes the character."""
    if character == "\U000111c9":
        return False
    return unicodedata.category(character)[0] == "M" and not is_new_to_normalization(character)


@lru_cache(4096)
def is_punctuation(character: str) -> bool:
    """Tell whether Punctuation splits at the character."""
    if character in string.punctuation or character in _OLD_PUNCTUATION:
        return True
    is_old = ages()[ord(character)] <= _PUNCTUATION_AGE
    return bool(is_old) and unicodedata.category(character)[0] == "P"


@lru_cache(4096)
def is_number(character: str) -> bool:
    """Tell whether Digits splits at the character: any kind of number."""
    return _IS_NUMBER.match(character) is not None


@lru_cache(4096)
def lower(character: str) -> str:
    """Return the character in lower case, whatever stands around it."""
    code_point = ord(character)
    for first, last, distance in _NEW_CAPITALS:
        if first <= code_point <= last:
            return chr(code_point + distance)
    return character.lower()


@lru_cache(4096)
def script_of(character: str) -> str:
    """Return the script that UnicodeScripts sees, "" for one that goes with any."""
    if character == " " or is_new_to_normalization(character):
        return ""
    names, script = scripts()
    name = names[script[ord(character)]]
    if name == "Unknown":
        return ""
    return "Han" if name in ("Hiragana", "Katakana") or character == "\u30fc" else name
