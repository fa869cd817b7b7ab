"""Decoding as it comes in: what can be shown after each ID, and how HF tokenizers would read the same bytes.

In: a `Decoding` by SentencePiece's rules. Out: a `StreamStep` for each token: how many characters stand firm, and
whether a character has begun whose bytes are not all there. Nothing that is shown is ever taken back (a denormalizer
comes after it all).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from engine.byte_fallback import REPLACEMENT, Decoding
from engine.pieces import PieceType

_BYTE, _CONTROL = int(PieceType.BYTE), int(PieceType.CONTROL)
_LONGEST = 4
# Bounds of the second byte where they are narrower than 80 to BF (the Unicode Standard, table 3-7).
_SECOND = {0xE0: (0xA0, 0xBF), 0xED: (0x80, 0x9F), 0xF0: (0x90, 0xBF), 0xF4: (0x80, 0x8F)}


@dataclass(frozen=True)
class StreamStep:
    """After one token: the first `n_characters` of the text can be shown, `have` of `need` bytes of the next are there.

    Both are 0 where no character is unfinished.
    """

    n_characters: int
    have: int = 0
    need: int = 0


def stream_steps(decoding: Decoding) -> tuple[StreamStep, ...]:
    """Return what can be shown after each token."""
    ends = np.array([c.first_byte + c.n_bytes for c in decoding.characters], dtype=np.int64)
    token_ends = np.cumsum(np.bincount(decoding.byte_tokens, minlength=len(decoding.ids))).tolist()
    data, types = decoding.byte_values.tobytes(), decoding.types.tolist()
    steps, run_start = [], 0
    for token, end in enumerate(token_ends):
        if types[token] != _BYTE:
            run_start = end
        have, need = pending_bytes(data[max(run_start, end - _LONGEST) : end])
        steps.append(StreamStep(int(np.searchsorted(ends, end - have, side="right")), have, need))
    return tuple(steps)


def pending_bytes(run: bytes) -> tuple[int, int]:
    r"""Return how many bytes of an unfinished character a run ends with, and how many it needs; (0, 0) for none.

    >>> pending_bytes(b"\xf0\x9f"), pending_bytes(b"\xf0\x80"), pending_bytes(b"a\xc3\xa9")
    ((2, 4), (0, 0), (0, 0))
    """
    for have in range(1, min(len(run), _LONGEST - 1) + 1):
        lead = run[-have]
        if lead & 0xC0 == 0x80:
            continue
        need = 2 if 0xC2 <= lead <= 0xDF else 3 if 0xE0 <= lead <= 0xEF else 4 if 0xF0 <= lead <= 0xF4 else 0
        low, high = _SECOND.get(lead, (0x80, 0xBF))
        can_go_on = have < need and (have == 1 or low <= run[1 - have] <= high)
        return (have, need) if can_go_on else (0, 0)
    return 0, 0


def text_after(decoding: Decoding, step: StreamStep) -> str:
    """Return the text that can be shown."""
    return "".join(character.text for character in decoding.characters[: step.n_characters])


def huggingface_text(decoding: Decoding) -> str:
    """Return the text as the ByteFallback decoder of HF tokenizers has it.

    There a run of bytes is well-formed as a whole or every byte of it is one U+FFFD. Control pieces are taken out
    before, so they part no runs.
    """
    return "".join(_huggingface_parts(decoding))


def _huggingface_parts(decoding: Decoding) -> Iterator[str]:
    run = bytearray()
    by_token: dict[int, list[str]] = {}
    for character in decoding.characters:
        by_token.setdefault(int(decoding.byte_tokens[character.first_byte]), []).append(character.text)
    values = dict(zip(decoding.byte_tokens.tolist(), decoding.byte_values.tolist(), strict=True))
    for token, kind in enumerate(decoding.types.tolist()):
        if kind == _BYTE:
            run.append(values[token])
        elif kind != _CONTROL:
            yield _whole_or_nothing(bytes(run))
            run.clear()
            yield from by_token.get(token, [])
    yield _whole_or_nothing(bytes(run))


def _whole_or_nothing(run: bytes) -> str:
    try:
        return run.decode()
    except UnicodeDecodeError:
        return REPLACEMENT * len(run)
