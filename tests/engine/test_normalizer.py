"""Normalizing: spaces, prefix, marker, charsmap, symbols, and the way back."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.charsmap import Charsmap
from engine.errors import ModelFileError, TextError
from engine.kernels.normalize import normalize_utf8
from engine.normalizer import VERBATIM, Normalizer, NormalizerSpec

IDENTITY = NormalizerSpec()
KEEP_SPACES = NormalizerSpec(remove_extra_whitespaces=False)


@pytest.mark.parametrize(
    ("text", "removed", "kept"),
    [
        ("", "", ""),
        (" ", "", "▁▁"),
        ("   ", "", "▁▁▁▁"),
        ("  ab", "▁ab", "▁▁▁ab"),
        ("ab  ", "▁ab", "▁ab▁▁"),
        ("ab  ab", "▁ab▁ab", "▁ab▁▁ab"),
        ("▁", "", "▁▁"),
        ("a\tb\n", "▁a\tb\n", "▁a\tb\n"),
    ],
)
def test_extra_spaces_are_removed_or_kept(text: str, removed: str, kept: str) -> None:
    assert Normalizer(IDENTITY).normalize(text).text == removed
    assert Normalizer(KEEP_SPACES).normalize(text).text == kept


def test_every_setting_changes_the_text() -> None:
    text = " a  b"
    results = {
        Normalizer(spec).normalize(text).text
        for spec in (
            IDENTITY,
            KEEP_SPACES,
            NormalizerSpec(add_dummy_prefix=False),
            NormalizerSpec(escape_whitespaces=False),
            NormalizerSpec(treat_whitespace_as_suffix=True),
            VERBATIM,
        )
    }
    assert results == {"▁a▁b", "▁▁a▁▁b", "a▁b", " a b", "a▁b▁", " a  b"}


def test_places_in_the_original_count_characters() -> None:
    normalized = Normalizer(IDENTITY).normalize("  好 😊 ")
    assert normalized.text == "▁好▁😊"
    assert normalized.char_to_original.tolist() == [2, 2, 3, 4, 5]
    assert normalized.char_to_original.dtype == np.int32


def test_user_defined_symbols_pass_untouched() -> None:
    blob = charsmap_of({"ａ": "a"})
    spec = NormalizerSpec(precompiled_charsmap=blob, add_dummy_prefix=False)
    assert Normalizer(spec).normalize("ａａ").text == "aa"
    assert Normalizer(spec, ["ａ"]).normalize("ａａ").text == "ａａ"


def test_a_lone_surrogate_counts_as_the_replacement_character() -> None:
    normalized = Normalizer(VERBATIM).normalize("a\ud800b")
    assert normalized.text == "a\ufffdb"
    assert normalized.char_to_original.tolist() == [0, 1, 2, 3]


def charsmap_of(rules: dict[str, str]) -> bytes:
    """Build a charsmap of rules that share no first byte: one chain of units for each, placed by hand."""
    units = [0] * 4096
    targets = b""
    base = 256
    units[0] = base << 10
    used = base
    for source, target in rules.items():
        data = source.encode()
        node = base ^ data[0]
        for i, byte in enumerate(data):
            used += 256
            # A unit holds the byte that leads to it and, by xor, where its own children lie.
            units[node] = (node ^ used) << 10 | byte
            if i + 1 < len(data):
                node = used ^ data[i + 1]
        units[node] |= 1 << 8
        units[used] = 1 << 31 | len(targets)
        targets += target.encode() + b"\0"
    array = np.array(units, dtype="<u4").tobytes()
    return len(array).to_bytes(4, "little") + array + targets


def test_a_rule_maps_and_the_map_leads_back() -> None:
    spec = NormalizerSpec(precompiled_charsmap=charsmap_of({"é": "e"}), add_dummy_prefix=False)
    normalized = Normalizer(spec).normalize("xéy")
    assert (normalized.text, normalized.char_to_original.tolist()) == ("xey", [0, 1, 2, 3])


def test_a_rule_may_write_more_than_it_reads() -> None:
    spec = NormalizerSpec(precompiled_charsmap=charsmap_of({"é": "long text " * 20}), add_dummy_prefix=False)
    normalized = Normalizer(spec).normalize("é" * 50)
    assert normalized.text == "▁".join(["long▁text"] * 1000)
    # The last space is removed, so the text ends where that came from.
    assert normalized.char_to_original[-1] == 49


def test_a_rule_may_delete() -> None:
    spec = NormalizerSpec(precompiled_charsmap=charsmap_of({"é": ""}))
    normalized = Normalizer(spec).normalize("aéb")
    assert (normalized.text, normalized.char_to_original.tolist()) == ("▁ab", [0, 0, 2, 3])


@pytest.mark.parametrize("blob", [b"x", b"\x04\0\0", b"\xff\xff\xff\x7f1234", b"\0\0\0\0", b"\x03\0\0\0abcd"])
def test_a_damaged_charsmap_is_refused(blob: bytes) -> None:
    with pytest.raises(ModelFileError, match="normalization table"):
        Normalizer(NormalizerSpec(precompiled_charsmap=blob))


def test_rules_that_give_no_text_are_an_error_in_words() -> None:
    blob = charsmap_of({"é": "e"})[:-2] + b"\xff\0"
    with pytest.raises(TextError, match="malformed text"):
        Normalizer(NormalizerSpec(precompiled_charsmap=blob)).normalize("é")


@settings(deadline=None, max_examples=200)
@given(st.binary(max_size=64), st.text(max_size=12))
def test_no_charsmap_makes_the_kernel_read_outside(tail: bytes, text: str) -> None:
    size = len(tail) // 8 * 4
    blob = size.to_bytes(4, "little") + tail
    with contextlib.suppress(ModelFileError, TextError):
        Normalizer(NormalizerSpec(precompiled_charsmap=blob)).normalize(text)


@settings(deadline=None, max_examples=60)
@given(st.text("a b▁好", max_size=10), st.booleans(), st.booleans(), st.booleans(), st.booleans())
def test_the_kernel_as_plain_python(text: str, prefix: bool, remove: bool, escape: bool, suffix: bool) -> None:
    rules = Normalizer(NormalizerSpec("", b"", prefix, remove, escape, suffix), ["好"]).rules
    utf8 = np.frombuffer(text.encode(), dtype=np.uint8)
    compiled, plain = normalize_utf8(utf8, rules), normalize_utf8.py_func(utf8, rules)
    assert (compiled[0].tolist(), compiled[1].tolist(), compiled[2]) == (
        plain[0].tolist(),
        plain[1].tolist(),
        plain[2],
    )


def test_an_empty_charsmap_has_no_rules() -> None:
    units, targets = Charsmap.from_bytes(b"")
    assert (len(units), targets.tolist()) == (0, [0])
