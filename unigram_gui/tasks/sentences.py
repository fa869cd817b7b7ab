"""Turns whatever stopped a task into one sentence for the person."""

from __future__ import annotations

from engine.errors import EngineError


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
