"""What a table says of its texts beside their counts: columns such as language or domain.

In: rows of a text, a value and a count. Out: `CorpusColumn`, how often each distinct text stands with each value. Two
rows of one text may have different values, so a text has as many rows here as it has values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from engine.values import Value

MAX_VALUES = 1000
"""How many values of a column are told apart; what comes later is counted together, under `OTHER_VALUES`."""

OTHER_VALUES = "other values"

FILE = "file"
"""The column that tells several files apart."""


@dataclass(frozen=True, eq=False)
class CorpusColumn(Value):
    """How often each text stands with each value.

    Attributes
    ----------
    name : str
    values : tuple of str
        The different values, in order of first appearance; "" where a row has none.
    texts, codes : int32[k]
        Text texts[i] of the corpus stands with values[codes[i]]; ascending, no pair twice.
    counts : int64[k]
        How often it does. They add up to the texts' own counts.
    """

    name: str
    values: tuple[str, ...]
    texts: np.ndarray
    codes: np.ndarray
    counts: np.ndarray

    def __post_init__(self) -> None:
        for array in (self.texts, self.codes, self.counts):
            array.setflags(write=False)

    @classmethod
    def of(cls, name: str, values: tuple[str, ...], texts: np.ndarray, codes: np.ndarray, counts: np.ndarray) -> Self:
        """Make a column of rows in any order: row i says that a text stands counts[i] times with a value.

        >>> column = CorpusColumn.of("by", ("A", "B"), np.array([0, 1, 0]), np.array([1, 0, 1]), np.array([2, 1, 3]))
        >>> column.texts.tolist(), column.codes.tolist(), column.counts.tolist()
        ([0, 1], [1, 0], [5, 1])
        """
        pairs, row = np.unique(texts.astype(np.int64) * len(values) + codes, return_inverse=True)
        sums = np.zeros(len(pairs), dtype=np.int64)
        np.add.at(sums, row, counts)
        owners, found = np.divmod(pairs, len(values))
        return cls(name, values, owners.astype(np.int32), found.astype(np.int32), sums)


@dataclass(frozen=True, eq=False)
class LineValues:
    """One column of some lines: line i has values[codes[i]], int32[lines]."""

    values: tuple[str, ...]
    codes: np.ndarray

    @classmethod
    def joined(cls, parts: list[LineValues]) -> LineValues:
        """Return the column of all these lines in a row.

        >>> parts = [LineValues(("x", "y"), np.array([1, 0])), LineValues(("y", ""), np.array([0, 1]))]
        >>> joined = LineValues.joined(parts)
        >>> joined.values, joined.codes.tolist()
        (('x', 'y', ''), [1, 0, 1, 2])
        """
        number: dict[str, int] = {}
        codes = []
        for part in parts:
            own = [number.setdefault(value, len(number)) for value in part.values]
            codes.append(np.array(own, dtype=np.int32)[part.codes])
        return cls(tuple(number), np.concatenate(codes))


@dataclass(frozen=True)
class TableLayout:
    """Which field of a line is what.

    `n_fields` is how many a line has, `text` and `count` the places of these two (`count` -1: each line counts once),
    `columns` the place and name of the others, `has_header` whether the first line names them.
    """

    n_fields: int
    text: int
    count: int
    columns: tuple[tuple[int, str], ...] = ()
    has_header: bool = False

    @classmethod
    def of(cls, first_line: str) -> TableLayout:
        r"""Tell the layout of a table by its first line: a header that names a column "text", or a text and its count.

        >>> TableLayout.of("Language\ttext\tcount")
        TableLayout(n_fields=3, text=1, count=2, columns=((0, 'Language'),), has_header=True)
        >>> TableLayout.of("text")  # a line is a text, TABs and all
        TableLayout(n_fields=1, text=0, count=-1, columns=(), has_header=True)
        >>> TableLayout.of("some text\t12\tde").columns
        ((2, 'column 3'),)
        """
        fields = [field.strip() for field in first_line.split("\t")]
        names = [field.lower() for field in fields]
        has_number = any(field.isdecimal() for field in fields)  # "text" may be a word with its count
        if "text" in names and not has_number:
            text, count = names.index("text"), names.index("count") if "count" in names else -1
            others = [place for place in range(len(fields)) if place not in (text, count)]
            columns = tuple((place, fields[place] or f"column {place + 1}") for place in others)
            return cls(len(fields), text, count, columns, has_header=True)
        n_fields = len(fields) if len(fields) > 2 and fields[1].isdecimal() else 2
        return cls(n_fields, 0, 1, tuple((place, f"column {place + 1}") for place in range(2, n_fields)))


PLAIN_TEXT = TableLayout(1, 0, -1)
"""A line is a text, TABs and all."""
