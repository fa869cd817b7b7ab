"""What can go wrong, in words for the person who reads it.

Every public function of the engine raises an `EngineError` for bad input: one clear sentence that names the
value and the remedy. `Cancelled` is no error: it unwinds a stage whose cancel token was set.
"""

from __future__ import annotations

import math
from numbers import Integral, Real


class EngineError(Exception):
    """One sentence that names the value at fault and what to do about it."""


class CorpusError(EngineError):
    """A corpus cannot be read, or holds nothing to work with."""


class TrainingError(EngineError):
    """A setting is out of range, or asks for what this corpus cannot give."""


class ModelFileError(EngineError):
    """A file is no Unigram model, or is damaged."""


class TextError(EngineError):
    """A text, or a list of IDs, cannot be encoded or decoded."""


class Cancelled(Exception):
    """Control flow, not an error: somebody set the cancel token."""


def is_whole_number(value: object, low: int) -> bool:
    """Tell whether what somebody passed is a whole number from `low` on, of Python's or NumPy's types.

    >>> is_whole_number(1, 1), is_whole_number(0, 1), is_whole_number(1.5, 1), is_whole_number("2", 1)
    (True, False, False, False)
    """
    return isinstance(value, Integral) and int(value) >= low


def is_finite_number(value: object, low: float) -> bool:
    """Tell likewise whether it is a finite number from `low` on.

    >>> is_finite_number(0.5, 0.0), is_finite_number(math.inf, 0.0), is_finite_number(None, 0.0)
    (True, False, False)
    """
    return isinstance(value, Real) and math.isfinite(value) and float(value) >= low
