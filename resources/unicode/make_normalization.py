"""Write nfkc.tsv.xz and case_folding.tsv.xz: SentencePiece's kind of NFKC rules, from Debian's unicode-data.

python resources/unicode/make_normalization.py /usr/share/unicode resources/unicode

A rule is a line of hexadecimal code points TAB hexadecimal code points, sorted by source. The rules match from left to
right, longest first, so NFKC becomes a list: every character that NFKC changes, and every way to write a decomposed
character (with compatibility characters for its parts as well) that NFKC composes. Rules that shorter ones already
follow from are left out. Case folding is one character to one character (statuses C and S of CaseFolding.txt);
case_folding.tsv.xz holds only the rules that it adds or changes.
"""

from __future__ import annotations

import functools
import itertools
import lzma
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

Rules = dict[str, str]
_L, _V, _T, _S = 0x1100, 0x1161, 0x11A7, 0xAC00  # Hangul: first of leads, vowels, tails (less one), syllables
_N_V, _N_T, _N_S = 21, 28, 11172


def _rows(path: Path) -> Iterator[list[str]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        fields = [field.strip() for field in line.split("#")[0].split(";")]
        if len(fields) > 1:
            yield fields


def _text(code_points: str) -> str:
    return "".join(chr(int(code, 16)) for code in code_points.split())


class Unicode:
    """What the normalization forms need of the Unicode Character Database."""

    def __init__(self, folder: Path) -> None:
        self.version = (folder / "CaseFolding.txt").read_text(encoding="utf-8").split("\n")[0]
        self.decompositions: dict[str, tuple[bool, str]] = {}
        self.classes: dict[str, int] = {}
        for fields in _rows(folder / "UnicodeData.txt"):
            char, (tag, _, rest) = chr(int(fields[0], 16)), fields[5].rpartition(">")
            self.classes[char] = int(fields[3])
            if rest:
                self.decompositions[char] = (bool(tag), _text(rest))
        for number in range(_N_S):
            lead, vowel, tail = number // (_N_V * _N_T), number // _N_T % _N_V, number % _N_T
            parts = (chr(_S + number - tail), chr(_T + tail)) if tail else (chr(_L + lead), chr(_V + vowel))
            self.decompositions[chr(_S + number)] = (False, "".join(parts))
        excluded = {
            chr(code)
            for fields in _rows(folder / "DerivedNormalizationProps.txt")
            if fields[1] == "Full_Composition_Exclusion"
            for code in _range(fields[0])
        }
        self.compositions = {
            parts: char
            for char, (is_compatibility, parts) in self.decompositions.items()
            if not is_compatibility and char not in excluded
        }
        rows = _rows(folder / "CaseFolding.txt")
        self.folds = {_text(source): _text(target) for source, status, target, *_ in rows if status in "CS"}

    @functools.cache  # noqa: B019 - one object, one run
    def decomposed(self, char: str) -> str:
        """Return the full compatibility decomposition of a character."""
        if char not in self.decompositions:
            return char
        return self.ordered("".join(map(self.decomposed, self.decompositions[char][1])))

    def ordered(self, text: str) -> str:
        """Return a text with its combining marks in canonical order."""
        chars = list(text)
        for i in range(1, len(chars)):
            own = self.classes.get(chars[i], 0)
            while own and i and self.classes.get(chars[i - 1], 0) > own:
                chars[i - 1 : i + 1] = chars[i], chars[i - 1]
                i -= 1
        return "".join(chars)

    def composed(self, text: str) -> str:
        """Return the canonical composition of a decomposed text."""
        out: list[str] = []
        starter, last = -1, 0
        for char in text:
            own = self.classes.get(char, 0)
            is_blocked = starter < 0 or (starter + 1 < len(out) and (last == 0 or last >= own))
            if not is_blocked and out[starter] + char in self.compositions:
                out[starter] = self.compositions[out[starter] + char]
                continue
            out.append(char)
            last = own
            if own == 0:
                starter = len(out) - 1
        return "".join(out)


def _range(codes: str) -> range:
    first, _, last = codes.partition("..")
    return range(int(first, 16), int(last or first, 16) + 1)


def nfkc_rules(unicode: Unicode) -> Rules:
    """Return the rules that follow NFKC."""
    rules: Rules = {}
    writings: dict[str, list[str]] = {}
    sequences: set[str] = set()
    for char in unicode.decompositions:
        target = unicode.decomposed(char)
        if unicode.composed(target) != char:
            rules[char] = unicode.composed(target)
        if len(target) == 1:
            writings.setdefault(target, [target]).append(char)
        else:
            sequences.add(target)
    for sequence in sequences:
        target = unicode.composed(sequence)
        if target != sequence:
            for source in itertools.product(*(writings.get(char, [char]) for char in sequence)):
                if "".join(source) != target:
                    rules["".join(source)] = target
    return _without_redundant(rules)


def folded_rules(nfkc: Mapping[str, str], folds: Mapping[str, str]) -> Rules:
    """Return NFKC rules with the case of their targets folded, and rules for all other characters that fold."""
    rules = {source: "".join(folds.get(char, char) for char in target) for source, target in nfkc.items()}
    return rules | {char: fold for char, fold in folds.items() if char not in rules}


def _without_redundant(rules: Rules) -> Rules:
    kept: Rules = {}
    for source in sorted(rules, key=len):
        if len(source) == 1 or _apply(kept, source) != rules[source]:
            kept[source] = rules[source]
    return kept


def _apply(rules: Mapping[str, str], text: str) -> str:
    """Apply rules to a text, which is none of their sources, from left to right, longest first."""
    out, at = "", 0
    while at < len(text):
        ends = (end for end in range(len(text), at, -1) if text[at:end] in rules)
        end = next(ends, 0)
        out += rules[text[at:end]] if end else text[at]
        at = end or at + 1
    return out


def _write(path: Path, version: str, rules: Mapping[str, str]) -> None:
    lines = [f"{version} of the Unicode Character Database. Unicode licence: see LICENSE-UNICODE.txt"]
    lines += [f"{_hex(source)}\t{_hex(target)}" for source, target in sorted(rules.items())]
    text = "\n".join(lines) + "\n"
    path.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))


def _hex(text: str) -> str:
    return " ".join(f"{ord(char):04X}" for char in text)


if __name__ == "__main__":
    data, target_folder = Unicode(Path(sys.argv[1])), Path(sys.argv[2])
    nfkc = nfkc_rules(data)
    _write(target_folder / "nfkc.tsv.xz", data.version, nfkc)
    folded = folded_rules(nfkc, data.folds)
    _write(
        target_folder / "case_folding.tsv.xz",
        data.version,
        {source: target for source, target in folded.items() if nfkc.get(source) != target},
    )
