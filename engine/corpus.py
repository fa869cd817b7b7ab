"""Corpus: the distinct texts of some files with their counts, and what was skipped on the way.

In: plain text (a text a line), `.tsv` (text TAB count, and further columns), .gz or .xz of either, or counts from a
script. Out: one frozen value of flat arrays; a million texts are three arrays, not a million strings. Texts are kept as
they stand in the file: normalizing is the model's business. Nothing is dropped in silence: lines that are not UTF-8,
too long, or without a count are listed by number.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.corpus_columns import CorpusColumn
from engine.errors import CorpusError, is_whole_number
from engine.files import path_of
from engine.text_files import MAX_TOTAL, Progress, SkippedLine, SourceFile, read_text_files
from engine.values import Value


@dataclass(frozen=True, eq=False)
class Corpus(Value):
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
    columns : tuple of CorpusColumn
        What a table says of its texts beside their counts, and the file where there are several.
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
    columns: tuple[CorpusColumn, ...] = ()

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
        """Return text i, 0 to n - 1. Raises CorpusError for any other."""
        if not is_whole_number(i, 0) or i >= len(self):
            raise CorpusError(f"There is no text {i!r:.40}; {self.name} has the texts 0 to {len(self) - 1:,}.")
        return self.utf8[self.offsets[i] : self.offsets[i + 1]].tobytes().decode("utf-8")

    def bytes_of(self, texts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the bytes of these texts in a row, uint8[], and where each begins, int64[len(texts) + 1]."""
        return taken(self.utf8, self.offsets, texts)

    def sample(self, size: int, rng: np.random.Generator | None) -> Corpus:
        """Return a corpus of `size` samples: drawn without replacement with `rng`, or the first ones where None.

        >>> Corpus.from_counts({"a": 3, "b": 2}).sample(4, None).counts.tolist()
        [3, 1]
        """
        if not is_whole_number(size, 1):
            raise CorpusError(f"{size!r:.40} samples cannot be drawn; ask for a whole number from 1 on.")
        n_samples = self.n_samples
        if size >= n_samples:
            return self
        ends = np.cumsum(self.counts)
        drawn = np.arange(size) if rng is None else _draw(n_samples, size, rng)
        counts = np.bincount(np.searchsorted(ends, drawn, side="right"), minlength=len(self)).astype(np.int64)
        chosen = np.flatnonzero(counts)
        lines = None if self.first_lines is None else self.first_lines[chosen]
        return Corpus(self.name, *self.bytes_of(chosen), counts[chosen], self.n_characters[chosen], first_lines=lines)

    def where(self, column: CorpusColumn, value: str) -> Corpus:
        """Return the texts that stand with a value, counted as often as they do; it has no columns.

        >>> corpus = Corpus.from_texts(["a", "b", "a"], columns={"language": ["de", "de", "en"]})
        >>> part = corpus.where(corpus.columns[0], "de")
        >>> part.name, [part.text(i) for i in range(len(part))], part.counts.tolist()
        ('corpus, de', ['a', 'b'], [1, 1])
        """
        rows = np.flatnonzero(column.codes == column.values.index(value))
        texts = column.texts[rows]
        lines = None if self.first_lines is None else self.first_lines[texts]
        name, n_characters = f"{self.name}, {value or 'without a value'}", self.n_characters[texts]
        return Corpus(name, *self.bytes_of(texts), column.counts[rows], n_characters, first_lines=lines)

    @classmethod
    def from_counts(cls, counts: Mapping[str, int], name: str = "corpus") -> Corpus:
        """Make a corpus of texts with counts, in the mapping's order.

        Raises
        ------
        CorpusError
            Where there is no text, a count is not a positive whole number, or a text is no str or holds half a
            surrogate pair.

        Examples
        --------
        >>> corpus = Corpus.from_counts({"abc": 12, "ab": 24})
        >>> len(corpus), corpus.n_samples, corpus.text(1)
        (2, 36, 'ab')
        """
        if not isinstance(counts, Mapping):
            raise CorpusError(f"{counts!r:.40} holds no counts; give a mapping of texts to counts, or use from_texts.")
        _refuse_what_is_no_text(counts)
        for text, count in counts.items():
            if not _is_count(count):
                raise CorpusError(
                    f"The count of {text[:40]!r} is {count!r:.40}; a count is a whole number from 1 to 2^62 - 1."
                )
        encoded = [_encode(text) for text in counts if text]
        lengths = np.array([len(text) for text in counts if text], dtype=np.int32)
        offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
        np.cumsum([len(part) for part in encoded], out=offsets[1:])
        utf8 = np.frombuffer(b"".join(encoded), dtype=np.uint8)
        kept = np.array([int(count) for text, count in counts.items() if text], dtype=np.int64)
        return _checked(cls(name, utf8, offsets, kept, lengths, n_empty_lines=len(counts) - len(encoded)))

    @classmethod
    def from_texts(
        cls, texts: Iterable[str], name: str = "corpus", columns: Mapping[str, Sequence[str]] | None = None
    ) -> Corpus:
        """Make a corpus of the distinct `texts`; each counts as often as it occurs.

        `columns` says more of each text by name, in the order of the texts: their language, say. Raises CorpusError
        where one of them is of another length, and where a text is none.

        >>> corpus = Corpus.from_texts(["a", "b", "a"], columns={"language": ["de", "de", "en"]})
        >>> corpus.columns[0].values, corpus.columns[0].texts.tolist(), corpus.columns[0].codes.tolist()
        (('de', 'en'), [0, 0, 1], [0, 1, 0])
        """
        if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
            raise CorpusError(f"{texts!r:.40} is no list of texts; give one, as in [text].")
        every = list(texts)
        _refuse_what_is_no_text(every)
        corpus = cls.from_counts(Counter(every), name)
        place = {text: i for i, text in enumerate(text for text in dict.fromkeys(every) if text)}
        kept = [row for row, text in enumerate(every) if text]
        owners = np.array([place[every[row]] for row in kept], dtype=np.int64)
        ones = np.ones(len(kept), dtype=np.int64)
        found = []
        for title, said in (columns or {}).items():
            if len(said) != len(every):
                raise CorpusError(f"The column {title} has {len(said):,} values for {len(every):,} texts.")
            codes = {value: code for code, value in enumerate(dict.fromkeys(said[row] for row in kept))}
            numbers = np.array([codes[said[row]] for row in kept], dtype=np.int64)
            found.append(CorpusColumn.of(title, tuple(codes), owners, numbers, ones))
        return replace(corpus, columns=tuple(found))

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
            UTF-8 with or without byte-order mark, lines ended by LF or CR LF, or by CR where a file has no LF. A table
            may have further columns, and a first line of names, one of which is "text": then "count" may be missing,
            and the order is free. Several files are told apart by a column "file".
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
        files = [path_of(path, CorpusError) for path in paths]
        texts = read_text_files(files, cancel, progress)
        name = files[0].name if len(files) == 1 else f"{len(files)} files"
        return _checked(
            cls(
                name, texts.utf8, texts.offsets, texts.counts, texts.n_characters, texts.skipped,
                sum(source.n_skipped for source in texts.sources), sum(source.n_empty for source in texts.sources),
                texts.sources, texts.first_lines, texts.columns,
            )
        )  # fmt: skip


def taken(utf8: np.ndarray, offsets: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return rows utf8[offsets[i]:offsets[i+1]] in a row, uint8[], and where each begins, int64[len(rows) + 1]."""
    lengths = np.diff(offsets)[rows]
    begins = np.concatenate(([0], np.cumsum(lengths)))
    places = np.repeat(offsets[rows] - begins[:-1], lengths) + np.arange(begins[-1])
    found = utf8[places]
    for array in (found, begins):
        array.setflags(write=False)
    return found, begins


def _draw(n: int, size: int, rng: np.random.Generator) -> np.ndarray:
    """Return `size` different numbers below `n`, int64, ascending."""
    drawn = np.unique(rng.integers(0, n, size))
    while len(drawn) < size:
        drawn = np.union1d(drawn, rng.integers(0, n, size - len(drawn)))
    return drawn


def _refuse_what_is_no_text(texts: Iterable[object]) -> None:
    for text in texts:
        if not isinstance(text, str):
            raise CorpusError(f"{text!r:.40} is no text; a corpus is made of str.")


def _is_count(count: Any) -> bool:
    """Tell whether it is a whole number in range, of whatever type: 3, 3.0 and Decimal(3) are."""
    try:
        return bool(count == int(count) and 0 < count < MAX_TOTAL)
    except (TypeError, ValueError, ArithmeticError):  # None, not a number, infinity
        return False


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
