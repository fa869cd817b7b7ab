"""Corpus: the distinct texts of some files with their counts, and what was skipped on the way.

In: plain text (a text a line), `.tsv` (text TAB count), .gz or .xz of either, or counts from a script. Out: one
frozen value of flat arrays; a million texts are three arrays, not a million strings. Texts are kept as they
stand in the file: normalizing is the model's business. Nothing is dropped in silence: lines that are not UTF-8,
too long, or without a count are listed by number.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.errors import CorpusError
from engine.text_files import MAX_TOTAL, Progress, SkippedLine, SourceFile, read_text_files


@dataclass(frozen=True, eq=False)
class Corpus:
    """Distinct texts with counts, in order of first appearance.

    Attributes
    ----------
    name : str
        What to call it: the file's name, or how many files there are.
    utf8 : uint8[n_bytes]
        All texts, one after the other.
    offsets : int64[n + 1]
        Text i is utf8[offsets[i]:offsets[i + 1]].
    counts : int64[n]
        How often each text occurs.
    n_characters : int32[n]
        Length of each text in code points.
    skipped : tuple of SkippedLine
        The first `MAX_LISTED` lines that were left out; empty lines are not listed.
    n_skipped, n_empty_lines : int
        How many lines were left out, and how many were empty.
    sources : tuple of SourceFile
        The files it was read from.
    first_lines : int32[n] or None
        In which line each text stands first, from 1 on; None where it comes from no file.
    """

    name: str
    utf8: np.ndarray
    offsets: np.ndarray
    counts: np.ndarray
    n_characters: np.ndarray
    skipped: tuple[SkippedLine, ...] = ()
    n_skipped: int = 0
    n_empty_lines: int = 0
    sources: tuple[SourceFile, ...] = ()
    first_lines: np.ndarray | None = None

    def __post_init__(self) -> None:
        for array in (self.utf8, self.offsets, self.counts, self.n_characters, self.first_lines):
            if array is not None:
                array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def n_samples(self) -> int:
        """Return the sum of all counts."""
        return int(self.counts.sum())

    def text(self, i: int) -> str:
        """Return text i."""
        return self.utf8[self.offsets[i] : self.offsets[i + 1]].tobytes().decode("utf-8")

    def sample(self, size: int, rng: np.random.Generator | None) -> Corpus:
        """Return a corpus of `size` samples: drawn without replacement with `rng`, or the first ones where None.

        >>> Corpus.from_counts({"a": 3, "b": 2}).sample(4, None).counts.tolist()
        [3, 1]
        """
        n_samples = self.n_samples
        if size >= n_samples:
            return self
        ends = np.cumsum(self.counts)
        drawn = np.arange(size) if rng is None else _draw(n_samples, size, rng)
        counts = np.bincount(np.searchsorted(ends, drawn, side="right"), minlength=len(self)).astype(np.int64)
        chosen = np.flatnonzero(counts)
        lengths = np.diff(self.offsets)[chosen]
        offsets = np.concatenate(([0], np.cumsum(lengths)))
        places = np.repeat(self.offsets[chosen] - offsets[:-1], lengths) + np.arange(offsets[-1])
        lines = None if self.first_lines is None else self.first_lines[chosen]
        return Corpus(
            self.name, self.utf8[places], offsets, counts[chosen], self.n_characters[chosen], first_lines=lines
        )

    @classmethod
    def from_counts(cls, counts: Mapping[str, int], name: str = "corpus") -> Corpus:
        """Make a corpus of texts with counts, in the mapping's order.

        Raises
        ------
        CorpusError
            Where there is no text, a count is not positive, or a text holds half a surrogate pair.

        Examples
        --------
        >>> corpus = Corpus.from_counts({"abc": 12, "ab": 24})
        >>> len(corpus), corpus.n_samples, corpus.text(1)
        (2, 36, 'ab')
        """
        for text, count in counts.items():
            if count != int(count) or not 0 < count < MAX_TOTAL:
                raise CorpusError(f"The count of {text[:40]!r} is {count}; a count is a whole number from 1 on.")
        encoded = [_encode(text) for text in counts if text]
        lengths = np.array([len(text) for text in counts if text], dtype=np.int32)
        offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
        np.cumsum([len(part) for part in encoded], out=offsets[1:])
        utf8 = np.frombuffer(b"".join(encoded), dtype=np.uint8)
        kept = np.array([int(count) for text, count in counts.items() if text], dtype=np.int64)
        return _checked(cls(name, utf8, offsets, kept, lengths, n_empty_lines=len(counts) - len(encoded)))

    @classmethod
    def from_texts(cls, texts: Iterable[str], name: str = "corpus") -> Corpus:
        """Make a corpus of the distinct `texts`; each counts as often as it occurs."""
        counts: dict[str, int] = {}
        for text in texts:
            counts[text] = counts.get(text, 0) + 1
        return cls.from_counts(counts, name)

    @classmethod
    def from_file(
        cls,
        path: str | os.PathLike[str],
        *,
        cancel: threading.Event | None = None,
        progress: Progress | None = None,
    ) -> Corpus:
        """Read one file; see `from_files`."""
        return cls.from_files(path, cancel=cancel, progress=progress)

    @classmethod
    def from_files(
        cls,
        *paths: str | os.PathLike[str],
        cancel: threading.Event | None = None,
        progress: Progress | None = None,
    ) -> Corpus:
        """Read one or several files into one corpus.

        Parameters
        ----------
        paths
            Plain text, a text a line; or `.tsv`, text TAB count; .gz or .xz of either (told by content).
            UTF-8 with or without byte-order mark, lines ended by LF or CR LF.
        cancel
            When set, `Cancelled` is raised within a few milliseconds.
        progress
            Called with the fraction done.

        Raises
        ------
        CorpusError
            Where a file is missing, a folder, binary, damaged, or without a usable line.
        """
        if not paths:
            raise CorpusError("No file was named; name at least one text file.")
        files = [Path(path) for path in paths]
        texts = read_text_files(files, cancel, progress)
        name = files[0].name if len(files) == 1 else f"{len(files)} files"
        return _checked(
            cls(
                name, texts.utf8, texts.offsets, texts.counts, texts.n_characters, texts.skipped,
                sum(source.n_skipped for source in texts.sources), sum(source.n_empty for source in texts.sources),
                texts.sources, texts.first_lines,
            )
        )  # fmt: skip


def _draw(n: int, size: int, rng: np.random.Generator) -> np.ndarray:
    """Return `size` different numbers below `n`, int64, ascending."""
    drawn = np.unique(rng.integers(0, n, size))
    while len(drawn) < size:
        drawn = np.union1d(drawn, rng.integers(0, n, size - len(drawn)))
    return drawn


def _encode(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise CorpusError(
            f"The text {text[:40]!r} holds half a surrogate pair at position {error.start}; remove it."
        ) from None


def _checked(corpus: Corpus) -> Corpus:
    """Return `corpus`, or raise where it is empty or too large to add up in 64 bits."""
    if len(corpus) == 0:
        raise CorpusError(_nothing_left(corpus))
    total = float(np.dot(corpus.counts.astype(np.float64), corpus.n_characters.astype(np.float64)))
    if total >= MAX_TOTAL:
        raise CorpusError(
            f"{corpus.name} adds up to {total:.3g} characters, more than 2^62; divide its counts by a constant."
        )
    return corpus


def _nothing_left(corpus: Corpus) -> str:
    if not corpus.n_skipped:
        return f"{corpus.name} holds no text; a corpus needs at least one line that is not empty."
    first = corpus.skipped[0]
    lines = "1 line was" if corpus.n_skipped == 1 else f"{corpus.n_skipped:,} lines were"
    return f"{corpus.name} holds no usable text: {lines} skipped ({first.clause}); {first.remedy}."
