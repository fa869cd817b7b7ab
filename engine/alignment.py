"""A text under a lens: which characters became which, by which rule, and what cannot be read back.

In: a `Segmentation`. Out: an `Alignment`: columns that set a stretch of the original against the stretch of the
normalized text that it became. A column is lost where decoding its pieces does not give its characters back.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from engine.encoder import Segmentation
from engine.normalizer import SPACE_MARKER, Normalized, NormalizerSpec

Ints = NDArray[np.int32]


class Fate(IntEnum):
    """What became of the characters of a column."""

    KEPT = 0
    ADDED = 1
    """The dummy space, which decoding takes away again."""
    RULE = 2
    """A rule of the charsmap wrote something else."""
    SPACE = 3
    """Spaces were dropped, or are another sort of space now."""
    UNKNOWN = 4
    """No piece and no bytes stand for it."""


@dataclass(frozen=True, eq=False)
class Alignment:
    """Columns from left to right; each array has a row a column, in code points.

    Attributes
    ----------
    original_starts, original_ends : int32[c]
        A stretch of the original text, empty for the dummy space.
    starts, ends : int32[c]
        The stretch of the normalized text that it became, empty for what was dropped.
    rule : int32[c]
        The first rule that fired in it, a row of `Normalized.rule_targets`; -1 for none.
    fate : int8[c]
        `Fate` of each column; RULE, SPACE and UNKNOWN cannot be read back.
    """

    original_starts: Ints
    original_ends: Ints
    starts: Ints
    ends: Ints
    rule: Ints
    fate: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def is_lost(self) -> NDArray[np.bool_]:
        """bool[c]: decoding does not give the characters of the column back."""
        return self.fate >= Fate.RULE


def align(cut: Segmentation, spec: NormalizerSpec, *, byte_fallback: bool) -> Alignment:
    """Set the original of a segmentation against its normalized text.

    Examples
    --------
    >>> from engine.model import UnigramModel
    >>> from engine.normalizer import IDENTITY
    >>> from engine.pieces import PieceTable
    >>> table = PieceTable.from_rows([("<unk>", 0.0, 2), ("\u2581", -1.0, 1), ("a", -1.0, 1)])
    >>> columns = align(UnigramModel(table).segment("a  a"), IDENTITY, byte_fallback=False)
    >>> [Fate(fate).name for fate in columns.fate]
    ['ADDED', 'KEPT', 'SPACE', 'KEPT']
    """
    starts, ends, original_starts, original_ends = _columns(cut, spec)
    text, original = cut.normalized.text, cut.normalized.original
    rule = _rules(cut, original_starts, original_ends)
    unknown = _is_unknown(cut) if not byte_fallback else np.zeros(len(text), dtype=np.bool_)
    fate = np.zeros(len(starts), dtype=np.int8)
    for i in range(len(starts)):
        new, old = text[starts[i] : ends[i]], original[original_starts[i] : original_ends[i]]
        if not old and new:
            fate[i] = Fate.ADDED
        elif unknown[starts[i] : ends[i]].any():
            fate[i] = Fate.UNKNOWN
        elif new.replace(SPACE_MARKER, " ") != old:
            fate[i] = Fate.RULE if rule[i] >= 0 else Fate.SPACE
    for array in (original_starts, original_ends, starts, ends, rule, fate):
        array.setflags(write=False)
    return Alignment(original_starts, original_ends, starts, ends, rule, fate)


def _columns(cut: Segmentation, spec: NormalizerSpec) -> tuple[Ints, Ints, Ints, Ints]:
    """Characters that come from one place share a column; the dummy space and what was dropped have their own."""
    normalized = cut.normalized
    n, n_original = len(normalized.text), len(normalized.original)
    if not n:
        dropped = np.array([0] if n_original else [], dtype=np.int32)
        return dropped, dropped.copy(), dropped.copy(), dropped + n_original
    origin = _marker_origins(normalized)
    begins = np.concatenate(([True], np.diff(origin[:-1]) != 0))
    if spec.add_dummy_prefix:
        # The dummy space stands at the place of its neighbour.
        begins[-1 if spec.treat_whitespace_as_suffix else min(1, n - 1)] = True
    starts = np.flatnonzero(begins).astype(np.int32)
    original_starts = origin[starts].copy()
    ends, original_ends = np.append(starts[1:], n), np.append(original_starts[1:], origin[-1])
    if spec.add_dummy_prefix and not spec.treat_whitespace_as_suffix:
        original_ends[0] = original_starts[0]
    return _with_dropped(n, n_original, starts, ends, original_starts, original_ends)


def _marker_origins(normalized: Normalized) -> Ints:
    """Where each character comes from; a marker that was put before a word stands for the spaces before it.

    Where spaces are first dropped to split the text, and every word then gets a marker, as tokenizer.json files of T5
    do, a marker has the place of its word, and the spaces seem to belong to the word before.
    """
    text, original, origin = normalized.text, normalized.original, normalized.char_to_original
    moved = origin.copy()
    for k in range(1, len(text) - 1):
        if text[k] == SPACE_MARKER and origin[k] == origin[k + 1]:
            while moved[k] > 0 and original[moved[k] - 1] == " " and moved[k] - 1 > moved[k - 1]:
                moved[k] -= 1
    return moved


def _with_dropped(
    n: int, n_original: int, starts: Ints, ends: Ints, original_starts: Ints, original_ends: Ints
) -> tuple[Ints, Ints, Ints, Ints]:
    columns = np.stack([starts, ends, original_starts, original_ends])
    first, last = int(original_starts[0]), int(original_ends[-1])
    if first > 0:
        columns = np.concatenate((np.array([[0], [0], [0], [first]]), columns), axis=1)
    if last < n_original:
        columns = np.concatenate((columns, np.array([[n], [n], [last], [n_original]])), axis=1)
    rows = columns.astype(np.int32)
    return rows[0].copy(), rows[1].copy(), rows[2].copy(), rows[3].copy()


def _rules(cut: Segmentation, original_starts: Ints, original_ends: Ints) -> Ints:
    """The first rule that fired inside each column, -1 for none."""
    rule_starts = cut.normalized.rule_starts
    found = np.searchsorted(rule_starts, original_starts).astype(np.int32)
    has_rule = found < len(rule_starts)
    has_rule[has_rule] = rule_starts[found[has_rule]] < original_ends[has_rule]
    return np.where(has_rule, found, -1).astype(np.int32)


def _is_unknown(cut: Segmentation) -> NDArray[np.bool_]:
    unknown = np.zeros(len(cut.normalized.text), dtype=np.bool_)
    for token in np.flatnonzero(cut.ids == cut.unknown_id).tolist():
        unknown[cut.starts[token] : cut.ends[token]] = True
    return unknown
