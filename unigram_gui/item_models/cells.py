"""How table cells are written: columns of numbers with fixed decimals, pieces with their spaces made visible."""

from __future__ import annotations

import math

from unigram_gui.characters import SPACE_MARKER, Kind, code_point_text, full_name, kind_of, short_name
from unigram_gui.number_text import MINUS, log_text

OPEN_BOX = "\N{OPEN BOX}"
SMALLEST_DECIMAL = 1e-4


def decimal_cell(number: float, places: int) -> str:
    """Write a number with `places` decimals; NaN means unknown and leaves the cell empty.

    >>> decimal_cell(-1234.5, 2)
    '−1,234.50'
    """
    return "" if math.isnan(number) else log_text(number, places)


def probability_cell(number: float, places: int) -> str:
    """Write a probability with `places` decimals, a small one with the three digits that count.

    >>> probability_cell(0.00768, 5), probability_cell(0.0000123456, 5)
    ('0.00768', '1.23e−5')
    """
    if math.isnan(number):
        return ""
    if number == 0 or number >= SMALLEST_DECIMAL:
        return f"{number:.{places}f}"
    mantissa, exponent = f"{number:.2e}".split("e")
    return f"{mantissa}e{int(exponent)}".replace("-", MINUS)


def exact_number(number: float) -> str:
    """Write all digits that a double holds, for tool tips."""
    return "" if math.isnan(number) else repr(float(number)).replace("-", MINUS)


def piece_cell(text: str) -> str:
    r"""Write a piece with an open box for its space marker and names for characters that hide.

    >>> piece_cell("▁the"), piece_cell("a\u200bb")
    ('␣the', 'a⟨ZWSP⟩b')
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_character, text))


def _character(character: str) -> str:
    if character == SPACE_MARKER:
        return OPEN_BOX
    return f"⟨{short_name(character)}⟩" if kind_of(character) == Kind.HIDDEN else character


def code_points(text: str) -> str:
    r"""Return the code points of a piece in words, for tool tips.

    >>> code_points("▁a")
    'U+2581 LOWER ONE EIGHTH BLOCK\nU+0061 LATIN SMALL LETTER A'
    """
    return "\n".join(f"{code_point_text(character)} {full_name(character)}" for character in text)
