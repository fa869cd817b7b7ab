"""Two vocabularies as sets of pieces: what one has and the other lacks, and what differs in what both have.

In: two models. Out: a `VocabularyComparison` of IDs. A piece is its text, exactly: "▁The", "The" and " The" are
three. Only where a model has a text twice (a symbol and a piece of that text) the kind of piece tells them apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.comparison.settings import SettingDifference, differing_settings
from engine.model import UnigramModel
from engine.pieces import PieceTable, PieceType
from engine.tables import scripts
from engine.trie import code_points_of

Ids = NDArray[np.int32]

LONGEST_LISTED = 32
"""Pieces of this many characters and more are counted together."""

_SHARED_SCRIPTS = ("Common", "Inherited", "Unknown")


@dataclass(frozen=True, eq=False)
class VocabularyComparison:
    """What two vocabularies share and what they do not.

    Attributes
    ----------
    a, b : PieceTable
    name_a, name_b : str
    only_a, only_b : int32[]
        IDs of the pieces that the other lacks, ascending.
    both_a, both_b : int32[k]
        IDs of the pieces that both have: row i is the same piece in A and in B; ascending in A.
    settings : tuple of SettingDifference
        The settings that differ.

    Examples
    --------
    >>> a = UnigramModel.from_probabilities({"a": 0.5, "b": 0.25, "ab": 0.25})
    >>> b = UnigramModel.from_probabilities({"b": 0.5, "a": 0.25, "ba": 0.25})
    >>> compared = compare_vocabularies(a, b)
    >>> compared.only_a.tolist(), compared.only_b.tolist(), compared.both_a.tolist(), compared.id_change.tolist()
    ([3], [3], [0, 1, 2], [0, 1, -1])
    """

    a: PieceTable
    b: PieceTable
    name_a: str
    name_b: str
    only_a: Ids
    only_b: Ids
    both_a: Ids
    both_b: Ids
    settings: tuple[SettingDifference, ...]

    def __post_init__(self) -> None:
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    @property
    def n_union(self) -> int:
        """How many pieces there are together."""
        return len(self.only_a) + len(self.only_b) + len(self.both_a)

    @cached_property
    def score_change(self) -> NDArray[np.float64]:
        """float64[k]: log probability in B less that in A, nats; nan where one of the two is no score."""
        change = self.b.log_probs[self.both_b] - self.a.log_probs[self.both_a]
        change[~self.is_scored] = np.nan
        return change

    @cached_property
    def is_scored(self) -> NDArray[np.bool_]:
        """bool[k]: a normal piece in both, so that the two scores are log probabilities."""
        return (self.a.types[self.both_a] == PieceType.NORMAL) & (self.b.types[self.both_b] == PieceType.NORMAL)

    @cached_property
    def id_change(self) -> Ids:
        """int32[k]: ID in B less ID in A."""
        return self.both_b - self.both_a

    @cached_property
    def is_retyped(self) -> NDArray[np.bool_]:
        """bool[k]: of another type in B."""
        return self.a.types[self.both_a] != self.b.types[self.both_b]

    @cached_property
    def correlation(self) -> float:
        """Pearson's correlation of the log probabilities of normal pieces in both; nan for fewer than three."""
        of_a, of_b = self._scores()
        if len(of_a) < 3 or not (of_a.std() and of_b.std()):
            return float("nan")
        return float(np.corrcoef(of_a, of_b)[0, 1])

    def _scores(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        rows = self.is_scored
        return self.a.log_probs[self.both_a[rows]], self.b.log_probs[self.both_b[rows]]

    def outliers(self, n: int = 12) -> NDArray[np.int64]:
        """Return the rows of `both` whose score changed most against the median change, the farthest first.

        Two vocabularies of different size differ by about a constant everywhere: that is taken off.
        """
        rows = np.flatnonzero(self.is_scored)
        if not len(rows):
            return rows
        change = self.score_change[rows]
        distance = np.abs(change - np.median(change))
        return rows[np.argsort(-distance, kind="stable")[:n]]

    def most_probable_only(self, side: str, n: int = 7) -> tuple[str, ...]:
        """Return the most probable normal pieces that only "A" or only "B" has."""
        table, ids = (self.a, self.only_a) if side == "A" else (self.b, self.only_b)
        ids = ids[table.types[ids] == PieceType.NORMAL]
        best = ids[np.argsort(-table.log_probs[ids], kind="stable")[:n]]
        return tuple(table.texts[i] for i in best.tolist())

    @cached_property
    def lengths(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """int64[LONGEST_LISTED + 1] for A and for B: how many normal pieces have 0, 1, 2 ... characters."""
        return _lengths(self.a), _lengths(self.b)

    @cached_property
    def scripts(self) -> tuple[tuple[str, int, int], ...]:
        """Script, normal pieces in A, in B: those with most pieces first."""
        of_a, of_b = _scripts(self.a), _scripts(self.b)
        rows = [(name, of_a.get(name, 0), of_b.get(name, 0)) for name in {**of_a, **of_b}]
        return tuple(sorted(rows, key=lambda row: (-(row[1] + row[2]), row[0])))


def compare_vocabularies(a: UnigramModel, b: UnigramModel) -> VocabularyComparison:
    """Compare the pieces and the settings of two models. 32,000 pieces each take some hundredths of a second."""
    pairs = _pairs(a.pieces, b.pieces)
    both = np.array(sorted(pairs.items()), dtype=np.int32).reshape(-1, 2)
    return VocabularyComparison(
        a.pieces,
        b.pieces,
        a.name,
        b.name,
        _without(len(a.pieces), both[:, 0]),
        _without(len(b.pieces), both[:, 1]),
        both[:, 0].copy(),
        both[:, 1].copy(),
        differing_settings(a, b),
    )


def _pairs(a: PieceTable, b: PieceTable) -> dict[int, int]:
    """Return the ID in B of every piece of A that B has too."""
    keys_a, keys_b = _keys(a), _keys(b)
    pairs = {i: keys_b[key] for key, i in keys_a.items() if key in keys_b}
    taken = set(pairs.values())
    # What is left of the same text is of another kind in B: a piece that became a symbol, or the other way round.
    for (text, matched), i in keys_a.items():
        j = keys_b.get((text, not matched))
        if i not in pairs and j is not None and j not in taken:
            pairs[i] = j
            taken.add(j)
    return pairs


def _keys(table: PieceTable) -> dict[tuple[str, bool], int]:
    return {key: i for i, key in enumerate(zip(table.texts, table.is_matched.tolist(), strict=True))}


def _without(n: int, ids: Ids) -> Ids:
    is_left = np.ones(n, dtype=np.bool_)
    is_left[ids] = False
    return np.flatnonzero(is_left).astype(np.int32)


def _normal_texts(table: PieceTable) -> list[str]:
    return [table.texts[i] for i in np.flatnonzero(table.types == PieceType.NORMAL).tolist()]


def _lengths(table: PieceTable) -> NDArray[np.int64]:
    lengths = [min(len(text), LONGEST_LISTED) for text in _normal_texts(table)]
    return np.bincount(np.array(lengths, dtype=np.int64), minlength=LONGEST_LISTED + 1)


def _scripts(table: PieceTable) -> dict[str, int]:
    """Count normal pieces by script: that of their first character of one, "Common" where there is none."""
    names, script = scripts()
    shared = {names.index(name) for name in _SHARED_SCRIPTS}
    common = names.index("Common")
    texts = _normal_texts(table)
    of_characters = iter(script[code_points_of("".join(texts))].tolist())
    counts: dict[int, int] = {}
    for text in texts:
        own = [s for s in (next(of_characters) for _ in text) if s not in shared]
        chosen = own[0] if own else common
        counts[chosen] = counts.get(chosen, 0) + 1
    return {names[s]: n for s, n in counts.items()}
