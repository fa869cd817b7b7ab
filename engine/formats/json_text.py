"""JSON files read with errors that say where: UTF-8 or UTF-16, with or without a byte-order mark."""

from __future__ import annotations

import codecs
import json
import re
from typing import Any, NoReturn

from engine.errors import ModelFileError

_BYTE_ORDER_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def text_of_json(data: bytes) -> str:
    """Return the file's text; ModelFileError where it is no valid UTF-8 or UTF-16."""
    encoding = next((name for mark, name in _BYTE_ORDER_MARKS if data.startswith(mark)), "utf-8")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise ModelFileError(
            f"The file looks like JSON but is no valid {encoding.upper()} at byte {error.start:,}; it is damaged."
        ) from error


def read_json(text: str) -> Any:
    """Return the value; ModelFileError names line and column of what is wrong."""
    try:
        return json.loads(text, parse_float=rust_float, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise ModelFileError(
            f"The file is JSON that is cut short or damaged: {error.msg} at line {error.lineno}, column {error.colno}."
        ) from error
    except RecursionError as error:
        raise ModelFileError("The file is JSON that is nested too deeply to be a tokenizer.json.") from error
    except ValueError as error:
        raise ModelFileError(f"The file is JSON with a value that is none: {error}.") from error


def rust_float(digits: str) -> float:
    """Return a number as HF tokenizers reads it (serde_json): often the last bit differs from the nearest float64.

    It takes the digits as one whole number of 64 bits, ignoring those that no longer fit, and then divides by a power
    of ten, so it rounds twice. A tie between two cuts of a text may hang on that bit.

    >>> rust_float("-2.0122928619384766"), float("-2.0122928619384766")
    (-2.012292861938477, -2.0122928619384766)
    """
    whole, _, fraction = digits.partition(".")
    if fraction.isdecimal() and len(digits) <= _SHORT:
        significand = int(whole + fraction)
        if significand:
            return float(significand) / _POWERS[len(fraction)]
    match = _NUMBER.fullmatch(digits)
    if match is None:
        return float(digits)
    sign, whole, fraction, exponent = match[1], match[2], match[3] or "", int((match[4] or "0")[:8])
    significand = 0
    for place, digit in enumerate(whole + fraction):
        if significand * 10 + int(digit) > _LARGEST:
            exponent += max(len(whole) - place, 0)
            fraction = fraction[: max(place - len(whole), 0)]
            break
        significand = significand * 10 + int(digit)
    value = _scaled(float(significand), exponent - len(fraction))
    return -value if sign else value


_NUMBER = re.compile(r"(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([-+]?[0-9]+))?")
_LARGEST = 2**64 - 1
_SHORT = 20  # characters, a point among them: the digits fit into 64 bits
_POWERS = tuple(float(f"1e{exponent}") for exponent in range(_SHORT))


def _scaled(value: float, exponent: int) -> float:
    while exponent < -308 and value:
        value, exponent = value / 1e308, exponent + 308
    if exponent > 308:
        return value and float("inf")
    power = float(f"1e{abs(exponent)}")
    return value * power if exponent >= 0 else value / power


def rust_number(value: float) -> str:
    """Return digits that read back as `value` here and, where there are any such, in HF tokenizers too."""
    spellings = [repr(value), *(f"{value:.{n}g}" for n in range(17, 21))]
    return next((digits for digits in spellings if float(digits) == rust_float(digits) == value), spellings[0])


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number in JSON")


def place_of_entry(text: str, key: str, number: int) -> str:
    r"""Return "line L, column C" of entry `number` of the list under `key`, "" where it cannot be told.

    >>> place_of_entry('{"vocab": [["a", 0],\n ["b"]]}', "vocab", 1)
    'line 2, column 2'
    """
    decoder = json.JSONDecoder()
    at = text.find("[", text.find(f'"{key}"')) + 1
    try:
        for _ in range(number):
            _, at = decoder.raw_decode(text, _skip(text, at, " \t\r\n,"))
    except (ValueError, RecursionError):
        return ""
    at = _skip(text, at, " \t\r\n,")
    line_start = text.rfind("\n", 0, at) + 1
    return f"line {text.count(chr(10), 0, at) + 1}, column {at - line_start + 1}"


def _skip(text: str, at: int, characters: str) -> int:
    while at < len(text) and text[at] in characters:
        at += 1
    return at
