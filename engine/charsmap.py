"""A precompiled charsmap: SentencePiece's table of normalization rules, as it lies in a `.model`.

In: the blob, or rules. Out: the double array and the targets, ready for the kernel that walks them; the rules of a
blob; the blob of rules. Layout (builder.cc): uint32 size of the double array in bytes, little endian; the darts-clone
double array as uint32 units; then NUL-terminated UTF-8 targets, which the values of the double array point into.

Differs from SentencePiece: the rules are those of Unicode 15.0, those of SentencePiece 0.2.3 of a later version. Every
rule of ours is one of theirs; missing are the 360 rules of nfkc and 415 of nfkc_cf that read characters added since.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.errors import ModelFileError, TextError
from engine.kernels.double_array import VALUE, build_states, list_keys, place_states, reads_byte, write_units
from engine.kernels.packed_trie import IS_RULE, mark_characters
from engine.tables import N_CODE_POINTS, rule_file

RULE_NAMES = ("identity", "nfkc", "nmt_nfkc", "nfkc_cf", "nmt_nfkc_cf")
"""The sets of rules that can be built, by SentencePiece's names."""
_HEADER = 4
_UNIT = 4
_MOST_UNITS = 1 << 21  # a unit tells its children's place in 21 bits
_MOST_STEPS = 1 << 24
_LONGEST_SOURCE = 1024
_MOST_PREFIXES = 31  # sentencepiece looks at the first 32 rules that match, and refuses to build more
_SURROGATE = re.compile("[\ud800-\udfff]")


class Charsmap(NamedTuple):
    """units : uint32[m], the double array; targets : uint8[k], NUL-terminated texts. Both read-only."""

    units: NDArray[np.uint32]
    targets: NDArray[np.uint8]

    @classmethod
    def from_bytes(cls, blob: bytes) -> Charsmap:
        """Take a blob apart; an empty one has no rules. Raises ModelFileError for a damaged one.

        >>> len(Charsmap.from_bytes(b"").units)
        0
        """
        if not blob:
            return cls(np.frombuffer(b"", dtype=np.uint32), np.frombuffer(b"\0", dtype=np.uint8))
        size = int.from_bytes(blob[:_HEADER], "little")
        if len(blob) < _HEADER or size % _UNIT or size == 0 or _HEADER + size > len(blob):
            raise ModelFileError(
                f"The normalization table (precompiled_charsmap, {len(blob)} bytes) is damaged: "
                f"its trie cannot have {size} bytes."
            )
        units = np.frombuffer(blob, dtype="<u4", count=size // _UNIT, offset=_HEADER).astype(np.uint32)
        units.setflags(write=False)
        # One more NUL, so that a table which was cut short still ends.
        return cls(units, np.frombuffer(blob[_HEADER + size :] + b"\0", dtype=np.uint8))

    def rules(self) -> dict[str, str]:
        """Return the rules, source to target, by source; bytes that are no UTF-8 show as U+FFFD.

        Raises ModelFileError where the trie is damaged and leads in circles.

        >>> Charsmap.from_bytes(build_charsmap({"ﬁ": "fi", "~": ""})).rules()
        {'~': '', 'ﬁ': 'fi'}
        """
        if not len(self.units):
            return {}
        keys, offsets, values, is_whole = list_keys(self.units, *_children(self.units), _MOST_STEPS)
        if not is_whole:
            raise ModelFileError(
                "The normalization table (precompiled_charsmap) is damaged: its trie has no end; take a whole file."
            )
        sources = _split(keys.tobytes(), offsets.tolist())
        return dict(zip(sources, self.texts(values), strict=True))

    def keeps_words_apart(self) -> bool:
        """Tell whether no rule reads a space or writes the marker U+2581: then words are rewritten one by one.

        >>> Charsmap.from_bytes(build_charsmap({"a b": "c"})).keeps_words_apart()
        False
        """
        if not len(self.units):
            return True
        reads_spaces = reads_byte(self.units, *_children(self.units), ord(" "))
        return not reads_spaces and "▁".encode() not in self.targets.tobytes()

    def marks(self) -> NDArray[np.uint8]:
        r"""Return what the rules do with each character, uint8[0x110000], as `kernels.packed_trie` has it.

        Where the table is damaged, every character may be read by a rule.

        >>> Charsmap.from_bytes(build_charsmap({"a": "b", "e\u0301": "é"})).marks()[[97, 101, 0x301, 98]].tolist()
        [1, 2, 4, 0]
        """
        marks = np.zeros(N_CODE_POINTS, dtype=np.uint8)
        if len(self.units) and not mark_characters(self.units, *_children(self.units), marks):
            marks[:] = IS_RULE
        return marks

    def texts(self, values: NDArray[np.int64]) -> list[str]:
        """Return the targets that values of the double array stand for."""
        if not len(values):
            return []
        targets, known = self.targets.tobytes(), {}
        for value in np.unique(values).tolist():
            # A value beyond the end is no target; the walk passes over it as well.
            end = targets.find(b"\0", value)
            known[value] = targets[value:end].decode("utf-8", "replace") if end >= 0 else ""
        return [known[value] for value in values.tolist()]


def _children(units: NDArray[np.uint32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the slots of all children by base and byte, and where those of each base begin, one more at the end."""
    labels = units & 0xFF
    children = np.flatnonzero((units < VALUE) & (labels > 0))
    bases = children ^ labels[children]
    order = np.lexsort((labels[children], bases))
    first = np.searchsorted(bases[order], np.arange(len(units) + 1))
    return first, children[order]


def _split(data: bytes, offsets: list[int]) -> Iterable[str]:
    return (data[a:b].decode("utf-8", "replace") for a, b in pairwise(offsets))


def build_charsmap(rules: Mapping[str, str]) -> bytes:
    """Return the charsmap of rules, source to target, as SentencePiece reads it; no rules give no bytes.

    Raises TextError for a rule that a charsmap cannot hold.

    >>> len(build_charsmap({"a": "b"})), build_charsmap({})
    (1030, b'')
    """
    _check(sorted(rules), rules)
    return _blob(rules)


def _blob(rules: Mapping[str, str]) -> bytes:
    if not rules:
        return b""
    sources = sorted(rules)  # by code point, which is the order of UTF-8 as well
    places: dict[str, int] = {}
    targets = bytearray()
    for target in map(rules.__getitem__, sources):
        if target not in places:
            places[target] = len(targets)
            targets += target.encode() + b"\0"
    encoded = [source.encode() for source in sources]
    units = _build_units(encoded, [places[rules[source]] for source in sources])
    return len(units).to_bytes(_HEADER, "little") + units + bytes(targets)


def _build_units(keys: list[bytes], values: list[int]) -> bytes:
    offsets = np.concatenate(([0], np.cumsum([len(key) for key in keys], dtype=np.int64)))
    flat = np.frombuffer(b"".join(keys), dtype=np.uint8)
    first, labels, targets, root = build_states(flat, offsets, np.array(values, dtype=np.int32))
    bases, n_units = place_states(first, labels, root, _MOST_UNITS)
    if n_units == 0:
        raise TextError(f"The {len(keys):,} normalization rules need more room than a charsmap has; take fewer rules.")
    data: bytes = write_units(first, labels, targets, root, bases, n_units).astype("<u4").tobytes()
    return data


def _check(sources: list[str], rules: Mapping[str, str]) -> None:
    prefixes: list[str] = []
    for source in sources:
        target = rules[source]
        if not source or "\0" in source or "\0" in target or _SURROGATE.search(source + target):
            raise TextError(
                f"The normalization rule {source!r} to {target!r} has an empty source, a NUL or a surrogate; remove it."
            )
        while prefixes and not source.startswith(prefixes[-1]):
            prefixes.pop()
        prefixes.append(source)
        if len(prefixes) > _MOST_PREFIXES or len(source.encode()) > _LONGEST_SOURCE:
            raise TextError(
                f"The normalization rule for {source[:40]!r} is one of more than {_MOST_PREFIXES} that begin with each "
                f"other, or longer than {_LONGEST_SOURCE} bytes; remove it."
            )


def parse_rules(text: str) -> dict[str, str]:
    r"""Return the rules of a TSV text: hexadecimal code points TAB hexadecimal code points.

    As in SentencePiece, an empty target deletes, and further columns are remarks; so are lines that begin with #. A
    rule that maps a source to itself takes back an earlier one. Raises TextError naming the line.

    >>> parse_rules("FB01\t66 69\tfi\n007E\n")
    {'ﬁ': 'fi', '~': ''}
    """
    rules: dict[str, str] = {}
    texts = _Texts()  # many sources have the same target
    for number, line in enumerate(text.split("\n"), start=1):
        if line[:1] == "#" or not line.strip():
            continue
        source, target = (*line.split("\t", 2), "")[:2]
        try:
            rules[texts.read(source)] = texts[target]
            is_rule = bool(source.strip())
        except ValueError:
            is_rule = False
        if not is_rule:
            raise TextError(
                f"Line {number} of the normalization rules is {line[:60]!r}; give hexadecimal code points, a TAB and "
                "hexadecimal code points, such as FB01 TAB 66 69."
            )
    return rules


class _Texts(dict[str, str]):
    """The text of each list of hexadecimal code points met; ValueError for what is none."""

    def __init__(self) -> None:
        super().__init__()
        self._chars: dict[str, str] = {}

    def __missing__(self, codes: str) -> str:
        return self.setdefault(codes, self.read(codes))

    def read(self, codes: str) -> str:
        """Return the text of a list, which is not remembered."""
        try:
            return "".join([self._chars[code] for code in codes.split()])
        except KeyError:
            return "".join(map(self._char, codes.split()))

    def _char(self, code: str) -> str:
        number = int(code, 16)
        if not (0 < number < N_CODE_POINTS) or 0xD800 <= number < 0xE000:
            raise ValueError(code)
        return self._chars.setdefault(code, chr(number))


@functools.cache
def standard_rules(name: str) -> Mapping[str, str]:
    """Return one of the sets of `RULE_NAMES`.

    >>> standard_rules("nmt_nfkc")["ﬁ"], "～" in standard_rules("nmt_nfkc"), standard_rules("nfkc_cf")["Ａ"]
    ('fi', False, 'a')
    """
    rules: dict[str, str] = {}
    parts = [] if name == "identity" else ["nfkc"]
    parts += ["case_folding"] if name.endswith("_cf") else []
    parts += ["nmt"] if name.startswith("nmt_") else []
    for part in parts:
        rules.update(parse_rules(rule_file(part)))
    for source in [source for source, target in rules.items() if source == target]:
        del rules[source]
    return MappingProxyType(rules)


@functools.cache
def standard_charsmap(name: str) -> bytes:
    """Return the charsmap of one of the sets of `RULE_NAMES`; that of identity is empty."""
    return _blob(standard_rules(name))
