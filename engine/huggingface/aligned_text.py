"""A text that remembers where each of its characters came from, through any number of changes.

In: a text and edits. Out: a new `AlignedText`. HF tokenizers calls its own NormalizedString; alignments follow our
`Normalized`: characters that replace a stretch all begin where it began, so the last of them covers it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

Edit = tuple[int, int, str]
"""Start, stop and what stands there afterwards."""


class AlignedText(NamedTuple):
    """A text and its places in the original.

    Attributes
    ----------
    text : str
    bounds : sequence of int, len(text) + 1
        Character i comes from original[bounds[i]:bounds[i+1]].
    lead : int
        Where HF tokenizers believes the first character to come from, which is not always bounds[0]; a text with
        lead 0 counts as the first of the original.

    Examples
    --------
    >>> aligned = AlignedText.of("a  b").edited([(1, 3, "_")])
    >>> aligned.text, list(aligned.bounds)
    ('a_b', [0, 1, 3, 4])
    """

    text: str
    bounds: Sequence[int]
    lead: int = 0

    @classmethod
    def of(cls, text: str) -> AlignedText:
        """Return a text that is its own original."""
        return cls(text, range(len(text) + 1))

    def part(self, start: int, stop: int) -> AlignedText:
        """Return the characters start..stop-1."""
        bounds = self.bounds[start : stop + 1]
        return AlignedText(self.text[start:stop], bounds, bounds[0] if start else self.lead)

    def edited(self, edits: Iterable[Edit]) -> AlignedText:
        """Return the text after edits that are sorted and do not overlap.

        What is deleted belongs to the character before; at either end it belongs to none.
        """
        parts: list[str] = []
        bounds: list[int] = []
        at, end, lead = 0, self.bounds[-1], self.lead
        for start, stop, content in edits:
            if start == 0 and stop and not content:
                lead = self.bounds[stop]
            parts += (self.text[at:start], content)
            bounds += self.bounds[at:start]
            bounds += [self.bounds[start]] * len(content)
            if stop == len(self.text) and not content:
                end = self.bounds[start]
            at = stop
        if not parts:
            return self
        bounds += self.bounds[at:-1]
        return self._replace(text="".join(parts) + self.text[at:], bounds=[*bounds, end], lead=lead)

    def mapped(self, change: Callable[[str], str]) -> AlignedText:
        """Return the text with every character changed on its own, to any number of characters."""
        known = {character: change(character) for character in set(self.text)}
        if all(before == after for before, after in known.items()):
            return self
        if all(len(after) == 1 for after in known.values()):
            return self._replace(text="".join(map(known.__getitem__, self.text)))
        pairs = ((i, known[character]) for i, character in enumerate(self.text))
        return self.edited((i, i + 1, after) for i, after in pairs if after != self.text[i])
