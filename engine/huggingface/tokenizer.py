"""All rules of a tokenizer.json but its vocabulary, as one value.

In: a text. Out: `Prepared`, the normalized text and the stretches that it is cut into one by one; or, the other way,
pieces in and a text out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.huggingface.added_tokens import AddedToken, AddedTokens, Stretch, TokenFinder
from engine.huggingface.aligned_text import AlignedText
from engine.huggingface.decoders import DecoderStep, joined
from engine.huggingface.normalizers import NormalizerStep
from engine.huggingface.post_processors import Template
from engine.huggingface.pre_tokenizers import PreTokenizerStep
from engine.kernels.stretches import FREE, INSIDE
from engine.normalizer import Normalized, encode_text
from engine.values import Value


class Stretches(NamedTuple):
    """Where a text is cut beforehand, as the kernels take it.

    limits : int32[n], the end of the stretch that each character is in
    fixed : int32[n], the ID at the first character of an added token, INSIDE (-2) at its others, FREE (-1) elsewhere
    """

    limits: NDArray[np.int32]
    fixed: NDArray[np.int32]

    @classmethod
    def of(cls, lengths: Sequence[int], token_ids: Sequence[int]) -> Stretches:
        """Make stretches of these lengths; `token_ids` are those of added tokens, -1 for other stretches.

        >>> Stretches.of([2, 1], [7, -1]).fixed.tolist()
        [7, -2, -1]
        """
        sizes = np.array(lengths, dtype=np.int64)
        ends = np.cumsum(sizes)
        limits = np.repeat(ends, sizes).astype(np.int32)
        ids = np.array(token_ids, dtype=np.int32)
        fixed = np.repeat(np.where(ids >= 0, INSIDE, FREE), sizes).astype(np.int32)
        fixed[(ends - sizes)[ids >= 0]] = ids[ids >= 0]
        limits.setflags(write=False)
        fixed.setflags(write=False)
        return cls(limits, fixed)

    @property
    def walls(self) -> NDArray[np.int32]:
        """int32[m]: the inner boundaries that no edge crosses."""
        return np.unique(self.limits)[:-1]


class Prepared(NamedTuple):
    """A text as the model gets it."""

    normalized: Normalized
    stretches: Stretches


def _as_it_is(aligned: AlignedText) -> AlignedText:
    return aligned


@dataclass(frozen=True)
class Tokenizer(Value):
    """The steps of a tokenizer.json; None for one that it does not have."""

    normalizer: NormalizerStep | None = None
    pre_tokenizer: PreTokenizerStep | None = None
    added_tokens: AddedTokens = field(default_factory=AddedTokens)
    template: Template = field(default_factory=Template)
    decoder: DecoderStep | None = None

    def prepare(self, text: str) -> Prepared:
        """Normalize a text and cut it into stretches."""
        text = encode_text(text).decode()
        parts, token_ids = self._parts(text)
        whole = joined(parts)
        char_to_original = np.array(whole.bounds, dtype=np.int32)
        char_to_original.setflags(write=False)
        normalized = Normalized(whole.text, text, char_to_original)
        return Prepared(normalized, Stretches.of([len(part.text) for part in parts], token_ids))

    @cached_property
    def _finders(self) -> tuple[TokenFinder, TokenFinder]:
        """What looks for added tokens in the raw text, and in the normalized one."""
        raw, normalized = (self.added_tokens.finder(flag, self._normalize) for flag in (False, True))
        return raw, normalized

    @property
    def looked_for(self) -> Iterator[tuple[AddedToken, str]]:
        """Every added token and the form in which it is looked for."""
        for finder in self._finders:
            yield from zip(finder.tokens, finder.contents, strict=True)

    @property
    def _normalize(self) -> NormalizerStep:
        return self.normalizer or _as_it_is

    def _stretches(self, text: str) -> Iterator[Stretch]:
        """Cut the added tokens out of a text and normalize what is between them."""
        raw, normalized = self._finders
        for stretch, token_id in raw.cut(AlignedText.of(text)):
            if token_id >= 0:
                yield stretch, token_id
            else:
                yield from normalized.cut(self._normalize(stretch))

    def _parts(self, text: str) -> tuple[list[AlignedText], list[int]]:
        parts: list[AlignedText] = []
        token_ids: list[int] = []
        for stretch, token_id in self._stretches(text):
            if not stretch.text:
                continue
            found = [stretch] if token_id >= 0 or self.pre_tokenizer is None else self.pre_tokenizer(stretch)
            parts += found
            token_ids += [token_id] * len(found)
        return parts, token_ids

    def decode(self, pieces: Sequence[str]) -> AlignedText:
        """Return the text of pieces (special ones left out already); its original is the pieces in a row."""
        at, parts = 0, []
        for piece in pieces:
            parts.append(AlignedText(piece, range(at, at + len(piece) + 1)))
            at += len(piece)
        if self.decoder is not None:
            return joined(self.decoder(parts))
        return joined([part if i == 0 else part.edited([(0, 0, " ")]) for i, part in enumerate(parts)])
