"""Turns whatever stopped a task into one sentence for the person."""

from __future__ import annotations

from collections.abc import Sequence

from engine.errors import EngineError

MOST_REMARKS = 2


def sentence_of(error: BaseException) -> str:
    """Return one sentence that says what went wrong.

    >>> sentence_of(MemoryError())
    'There is not enough memory for this: try a smaller corpus or a smaller seed_sentencepiece_size.'
    """
    if isinstance(error, EngineError):
        return str(error)
    if isinstance(error, MemoryError):
        return "There is not enough memory for this: try a smaller corpus or a smaller seed_sentencepiece_size."
    if isinstance(error, OSError):
        return f"{error.filename or 'The file'}: {error.strerror or error}."
    return f"Something failed that should not have, please report it: {type(error).__name__}: {error}"


def first_remarks(remarks: Sequence[str]) -> str:
    """Return the first sentences of many, and how many more there are.

    >>> first_remarks(["“a” is no ID.", "“b” is no ID.", "“c” is no ID.", "“d” is no ID."])
    '“a” is no ID. “b” is no ID. (and 2 more)'
    """
    more = len(remarks) - MOST_REMARKS
    return " ".join((*remarks[:MOST_REMARKS], *([f"(and {more:,} more)"] if more > 0 else ())))
