"""What can go wrong, in words for the person who reads it.

Every public function of the engine raises an `EngineError` for bad input: one clear sentence that names the
value and the remedy. `Cancelled` is no error: it unwinds a stage whose cancel token was set.
"""


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
