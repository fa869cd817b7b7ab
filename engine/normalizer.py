"""What happens to a text before it is matched, and the way back to the text as it was typed.

In: a text. Out: the normalized text and, for each of its characters, the place in the original that it comes
from and the rule that wrote it. The rules are those of the model's charsmap, longest match first; then come the
dummy prefix, the extra spaces and the marker U+2581 in place of a space. User-defined symbols pass untouched. It
finds no pieces.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.charsmap import Charsmap
from engine.errors import TextError
from engine.kernels.normalize import find_rules, normalize_utf8
from engine.kernels.packed_trie import IS_RULE
from engine.trie import Trie

SPACE_MARKER = "\u2581"
_NONE = np.zeros(0, dtype=np.int32)
_NONE.setflags(write=False)
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class NormalizerSpec:
    """The settings of a normalizer; names as in SentencePiece's normalizer_spec and trainer_spec.

    `name` is only a label: what is done stands in `precompiled_charsmap` (empty: identity).
    """

    name: str = "identity"
    precompiled_charsmap: bytes = b""
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True
    treat_whitespace_as_suffix: bool = False


IDENTITY = NormalizerSpec()
"""SentencePiece's defaults without any rules: only spaces change."""

VERBATIM = NormalizerSpec(add_dummy_prefix=False, remove_extra_whitespaces=False, escape_whitespaces=False)
"""Leaves every text as it is."""


class Rules(NamedTuple):
    """A normalizer as the kernel takes it."""

    units: NDArray[np.uint32]
    targets: NDArray[np.uint8]
    symbols: Trie
    add_dummy_prefix: bool
    remove_extra_whitespaces: bool
    escape: bool
    as_suffix: bool


@dataclass(frozen=True, eq=False)
class Normalized:
    """A normalized text and where each of its characters came from.

    `char_to_original` is int32[len(text)+1], in code points: character i of `text` comes from
    original[char_to_original[i]:char_to_original[i+1]]. Spaces dropped at either end belong to no character.

    Rules of the charsmap that fired, from left to right, read original[rule_starts[r]:rule_ends[r]] and put
    rule_targets[r] there, before spaces were seen to. `char_rule` is int32[len(text)]: the rule that character i
    comes from, -1 for none.
    """

    text: str
    original: str
    char_to_original: NDArray[np.int32]
    rule_starts: NDArray[np.int32] = field(default_factory=lambda: _NONE)
    rule_ends: NDArray[np.int32] = field(default_factory=lambda: _NONE)
    rule_targets: tuple[str, ...] = ()
    has_dummy_first: bool = False
    has_dummy_last: bool = False

    @cached_property
    def char_rule(self) -> NDArray[np.int32]:
        """Which rule each character comes from."""
        places = self.char_to_original[:-1]
        if not len(self.rule_starts):
            return _frozen(np.full(len(places), -1, dtype=np.int32))
        rule = np.searchsorted(self.rule_starts, places, side="right").astype(np.int32) - 1
        rule[(rule >= 0) & (places >= self.rule_ends[rule])] = -1
        # The dummy space stands at the place of its neighbour, but no rule wrote it.
        rule[: int(self.has_dummy_first and len(rule) > 0)] = -1
        rule[len(rule) - int(self.has_dummy_last and len(rule) > 0) :] = -1
        return _frozen(rule)


class Normalizer:
    """Applies a `NormalizerSpec` to texts.

    Raises ModelFileError where the spec's charsmap is damaged.

    Examples
    --------
    >>> normalized = Normalizer(NormalizerSpec()).normalize("  a b ")
    >>> normalized.text, normalized.char_to_original.tolist()
    ('▁a▁b', [2, 2, 3, 4, 5])
    """

    def __init__(self, spec: NormalizerSpec, user_defined_symbols: Sequence[str] = ()) -> None:
        self.spec = spec
        self.user_defined_symbols = tuple(user_defined_symbols)
        self._charsmap = Charsmap.from_bytes(spec.precompiled_charsmap)

    @cached_property
    def rules(self) -> Rules:
        """The arrays and switches that the kernels take."""
        return Rules(
            *self._charsmap,
            # The trie runs over bytes here: Latin-1 has a character for each.
            Trie.from_texts([symbol.encode().decode("latin-1") for symbol in self.user_defined_symbols]),
            self.spec.add_dummy_prefix,
            self.spec.remove_extra_whitespaces,
            self.spec.escape_whitespaces,
            self.spec.treat_whitespace_as_suffix,
        )

    @cached_property
    def word_rules(self) -> Rules | None:
        """The rules for one word behind a space, None where words cannot be normalized one by one.

        A normalized text is then its words, cut at spaces, each normalized by these rules, one after the other; but
        without a dummy prefix the first one goes by `rules`. A text that holds U+2581 is an exception.
        """
        spec = self.spec
        is_apart = spec.remove_extra_whitespaces and spec.escape_whitespaces and not spec.treat_whitespace_as_suffix
        if not is_apart or any(" " in symbol for symbol in self.user_defined_symbols):
            return None
        return self.rules._replace(add_dummy_prefix=True) if self._charsmap.keeps_words_apart() else None

    @cached_property
    def marks(self) -> NDArray[np.uint8]:
        """What rules do with each character, uint8[0x110000], see `Charsmap.marks`; symbols count as rules."""
        marks = self._charsmap.marks()
        for symbol in self.user_defined_symbols:
            marks[ord(symbol[0])] |= IS_RULE
        marks.setflags(write=False)
        return marks

    def normalize(self, text: str) -> Normalized:
        """Normalize one text.

        Differs from SentencePiece: a lone surrogate counts as one U+FFFD (there one for each of its three bytes).
        """
        utf8 = np.frombuffer(encode_text(text), dtype=np.uint8)
        out, origin, used = normalize_utf8(utf8, self.rules)
        try:
            normalized = out.tobytes().decode()
        except UnicodeDecodeError as error:
            raise TextError(
                "The normalization rules of this model give malformed text here; the model is damaged."
            ) from error
        byte_origin = np.append(origin[_is_lead(out)], used)
        # From bytes to characters: how many characters begin before that byte.
        n_before = np.concatenate(([0], np.cumsum(_is_lead(utf8))))
        char_to_original = _frozen(n_before[byte_origin].astype(np.int32))
        if not len(self._charsmap.units):
            return Normalized(normalized, text, char_to_original)
        starts, lengths, values = find_rules(utf8, self.rules)
        return Normalized(
            normalized,
            text,
            char_to_original,
            _frozen(n_before[starts].astype(np.int32)),
            _frozen(n_before[starts + lengths].astype(np.int32)),
            tuple(self._charsmap.texts(values)),
            self.spec.add_dummy_prefix and not self.spec.treat_whitespace_as_suffix,
            self.spec.add_dummy_prefix and self.spec.treat_whitespace_as_suffix,
        )


def encode_text(text: str) -> bytes:
    r"""Return the text in UTF-8, with U+FFFD for each lone surrogate; TextError where it is no str.

    >>> encode_text("a\ud800")
    b'a\xef\xbf\xbd'
    """
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text).encode()
    except AttributeError:  # asked only now, so that a text costs nothing
        raise TextError(f"{text!r:.40} is no text; give a str.") from None


def _frozen(array: NDArray[np.int32]) -> NDArray[np.int32]:
    array.setflags(write=False)
    return array


def _is_lead(utf8: NDArray[np.uint8]) -> NDArray[np.bool_]:
    return (utf8 & 0xC0) != 0x80
