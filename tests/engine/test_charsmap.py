"""Charsmaps: built, taken apart, walked; the bundled rules against Python's own Unicode data."""

from __future__ import annotations

import contextlib
import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.charsmap import RULE_NAMES, Charsmap, build_charsmap, parse_rules, standard_charsmap, standard_rules
from engine.errors import ModelFileError, TextError
from engine.kernels.double_array import build_states, list_keys, place_states, write_units
from engine.normalizer import Normalizer, NormalizerSpec

texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=6)
few_letters = st.text("ab😊é", min_size=1, max_size=5)
any_rules = st.dictionaries(few_letters | texts.filter(bool), texts, max_size=30)


def normalize(rules: dict[str, str], text: str) -> str:
    spec = NormalizerSpec("", build_charsmap(rules), False, False, False)
    return Normalizer(spec).normalize(text).text


def replaced(rules: dict[str, str], text: str) -> str:
    """The oracle: from left to right, longest first."""
    out, at = "", 0
    while at < len(text):
        length = max((len(source) for source in rules if text.startswith(source, at)), default=0)
        out += rules[text[at : at + length]] if length else text[at]
        at += length or 1
    return out


@settings(deadline=None, max_examples=200)
@given(any_rules, st.lists(st.text("ab😊éc\0", max_size=12), max_size=4))
def test_what_is_built_holds_the_rules_and_is_walked_longest_first(rules: dict[str, str], samples: list[str]) -> None:
    charsmap = Charsmap.from_bytes(build_charsmap(rules))
    assert list(charsmap.rules().items()) == sorted(rules.items())
    for text in [*samples, "".join(rules), *rules]:
        assert normalize(rules, text) == replaced(rules, text)


@settings(deadline=None, max_examples=25)
@given(any_rules.filter(bool))
def test_the_kernels_as_plain_python(rules: dict[str, str]) -> None:
    keys = [source.encode() for source in sorted(rules)]
    flat = np.frombuffer(b"".join(keys), dtype=np.uint8)
    offsets = np.cumsum([0, *map(len, keys)])
    values = np.arange(len(keys), dtype=np.int32)
    states = build_states.py_func(flat, offsets, values)
    assert [a.tolist() for a in states[:3]] == [a.tolist() for a in build_states(flat, offsets, values)[:3]]
    first, labels, targets, root = states
    bases, n_units = place_states.py_func(first, labels, root, 1 << 14)
    compiled = place_states(first, labels, root, 1 << 14)
    assert (bases.tolist(), n_units) == (compiled[0].tolist(), compiled[1])
    units = write_units.py_func(first, labels, targets, root, bases, n_units)
    assert units.tolist() == write_units(first, labels, targets, root, bases, n_units).tolist()


def test_equal_subtrees_are_stored_once() -> None:
    long = {first + "x" * 200: "y" for first in "abcdefgh"}
    assert len(build_charsmap(long)) < len(build_charsmap({"a" + "x" * 200: "y"})) + 64


def test_too_little_room_is_told_apart() -> None:
    flat = np.frombuffer("".join(map(chr, range(0x4E00, 0x5200))).encode(), dtype=np.uint8)
    states = build_states(flat, np.arange(0, len(flat) + 1, 3), np.arange(1024, dtype=np.int32))
    assert place_states(states[0], states[1], states[3], 1024)[1] == 0


@pytest.mark.parametrize(
    "rules",
    [{"": "a"}, {"a\0": "b"}, {"a": "\0"}, {"\ud800": "a"}, {"a" * n: "b" for n in range(1, 40)}, {"é" * 600: "e"}],
)
def test_rules_that_a_charsmap_cannot_hold_are_refused(rules: dict[str, str]) -> None:
    with pytest.raises(TextError, match="remove it"):
        build_charsmap(rules)


def test_a_file_of_rules() -> None:
    text = "# remark\n0041 0301\t00E1\tcomposed\n\n41\t\n1F600\t3A 29\r\n7E\n0042\t0042\n"
    assert parse_rules(text) == {"A\u0301": "á", "A": "", "😀": ":)", "~": "", "B": "B"}


@pytest.mark.parametrize("line", ["\t41", "G\t41", "41\tx", "D800\t41", "110000\t41", "0\t41", "41 \t 0", "-1\t41"])
def test_a_line_that_is_no_rule_is_named(line: str) -> None:
    with pytest.raises(TextError, match="Line 2 of the normalization rules"):
        parse_rules(f"41\t42\n{line}\n")


@given(st.binary(max_size=48))
def test_a_damaged_trie_ends_or_is_refused(tail: bytes) -> None:
    blob = (len(tail) // 4 * 4).to_bytes(4, "little") + tail
    with contextlib.suppress(ModelFileError):
        assert isinstance(Charsmap.from_bytes(blob).rules(), dict)


def test_a_trie_that_leads_in_circles_is_refused() -> None:
    units = np.zeros(256, dtype="<u4")
    units[0] = units[97] = 97 | 0  # a -> itself, for ever
    units[0] = 0
    units[97] = 97 | (97 ^ 0) << 10
    blob = (1024).to_bytes(4, "little") + units.tobytes() + b"a\0"
    with pytest.raises(ModelFileError, match="no end"):
        Charsmap.from_bytes(blob).rules()


def test_list_keys_as_plain_python() -> None:
    units, _ = Charsmap.from_bytes(build_charsmap({"a": "b", "ab": "c", "é": ""}))
    labels = units & 0xFF
    children = np.flatnonzero((units < 1 << 31) & (labels > 0))
    order = np.lexsort((labels[children], children ^ labels[children]))
    first = np.searchsorted((children ^ labels[children])[order], np.arange(len(units) + 1))
    keys, offsets, _, is_whole = list_keys.py_func(units, first, children[order], 1000)
    assert (keys.tobytes(), offsets.tolist(), is_whole) == ("aabé".encode(), [0, 1, 3, 5], True)
    assert not list_keys.py_func(units, first, children[order], 2)[3]


@pytest.mark.parametrize("name", RULE_NAMES)
def test_a_standard_charsmap_holds_its_rules(name: str) -> None:
    assert Charsmap.from_bytes(standard_charsmap(name)).rules() == dict(sorted(standard_rules(name).items()))


def test_the_standard_rules_agree_with_python() -> None:
    """Characters that Python's older or newer Unicode does not know are left out."""
    nfkc, folded = standard_rules("nfkc"), standard_rules("nfkc_cf")
    for char in map(chr, range(1, 0x110000)):
        if unicodedata.category(char) in ("Cn", "Cs"):
            continue
        expected = unicodedata.normalize("NFKC", char)
        if char in nfkc or expected != char:
            assert nfkc.get(char, char) == expected or unicodedata.unidata_version > "15.0.0"
        if len(char.casefold()) == 1 and char.isascii():
            assert folded.get(char, char) == char.casefold()
    assert nfkc["か\u3099"] == "が"
    assert nfkc["ﾊﾟ"] == "パ"
    assert nfkc["\u1100\u1161\u11a8"] == "각"


def test_nmt_drops_controls_and_leaves_the_wide_tilde() -> None:
    rules = standard_rules("nmt_nfkc")
    assert (rules["\x07"], rules["\t"], rules["\ufeff"], rules["▁"]) == ("", " ", " ", " ")
    assert "～" not in rules
    assert standard_rules("nfkc")["～"] == "~"
    assert set(standard_rules("nmt_nfkc_cf")) - set(rules) == set(standard_rules("nfkc_cf")) - set(
        standard_rules("nfkc")
    )


def test_every_character_knows_the_rule_it_comes_from() -> None:
    spec = NormalizerSpec("", build_charsmap({"ﬁ": "fi", "\t": " ", "~": ""}))
    normalized = Normalizer(spec).normalize("ﬁ\tx~y")
    assert normalized.text == "▁fi▁xy"
    assert normalized.rule_targets == ("fi", " ", "")
    assert (normalized.rule_starts.tolist(), normalized.rule_ends.tolist()) == ([0, 1, 3], [1, 2, 4])
    assert normalized.char_rule.tolist() == [-1, 0, 0, 1, -1, -1]


def test_neither_a_dummy_space_nor_a_symbol_comes_from_a_rule() -> None:
    spec = NormalizerSpec("", build_charsmap({"a": "b"}), treat_whitespace_as_suffix=True)
    normalized = Normalizer(spec, ["ca"]).normalize("caa")
    assert (normalized.text, normalized.char_rule.tolist()) == ("cab▁", [-1, -1, 0, -1])
    assert Normalizer(spec).normalize("").char_rule.tolist() == []


@settings(deadline=None)
@given(any_rules, st.text("ab😊é ", max_size=12))
def test_fired_rules_explain_the_text(rules: dict[str, str], text: str) -> None:
    normalized = Normalizer(NormalizerSpec("", build_charsmap(rules), False, False, False)).normalize(text)
    out, at = "", 0
    fired = zip(normalized.rule_starts, normalized.rule_ends, normalized.rule_targets, strict=True)
    for start, end, target in fired:
        assert rules[text[start:end]] == target
        out, at = out + text[at:start] + target, int(end)
    assert out + text[at:] == normalized.text
