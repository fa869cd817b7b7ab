"""A generator of texts that tokenizers stumble over: odd spaces, marks, emoji, scripts, controls, typed specials."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

SPACES = " \u00a0\u1680\u2000\u2003\u200a\u2028\u2029\u202f\u205f\u3000\t\n\r\v\f\x85"
ZERO_WIDTH = "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u00ad\ufe0f\u034f"
MARKS = "\u0300\u0301\u0302\u0306\u0308\u031b\u0323\u0327\u0345\u3099\u309a\u20e3\u0e31\u0e33\u093f\u094d\u0653"
EMOJI = ("👨‍👩‍👧‍👦", "🇩🇪", "👍🏽", "1\ufe0f\u20e3", "🏴\U000e0067\U000e0062\U000e007f", "❤️", "🧑‍🚀", "🀄")
RIGHT_TO_LEFT = ("שלום", "سنة", "ﷺ", "א\u05bc", "لا", "٢٠٢١", "\u202eabc\u202c")
JAMO = "\u1100\u1161\u11a8\u1112\u1175\u11c2\u3131\u3133\u314f가각힣\uff9e\uff76ｶﾞ"
CONTROLS = "\x00\x01\x08\x0b\x0e\x1b\x1f\x7f\x80\x8f\x9f\ufffd\ufffe\uffff\ue000"
COMPATIBILITY = "ﬁ½①㍿ＡＢ㌀ªºº²ｱﾊﾟ…—“”ſŉǆẛ\u212b\u2126\u1e9bİıẞΣς"
ASTRAL = "\U00010400\U0001d400\U0001f600\U00020000\U0002f81a\U000e0041\U0010ffff\U00016ff0"
PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,;:!?'\"`-_/()[]{}<>|@#$%^&*+=~\\"
WORDS = (
    "the",
    "Hello",
    "unbelievable",
    "tokenization",
    "''",
    "``",
    "...",
    "100,000",
    "吾輩は猫である",
    "ñandú",
    "œuvre",
    "Ελλάς",
)
MARKERS = (
    "▁",
    "▁▁",
    "▁the",
    "a▁b",
    "<0x0A>",
    "<0xE3>",
    "<s>",
    "</s>",
    "<unk>",
    "<pad>",
    "<extra_id_0>",
    "[CLS]",
    "<sep>",
)


def odd_texts(n: int, seed: int = 0, specials: Sequence[str] = ()) -> Iterator[str]:
    """Yield n texts, the same ones for the same seed; `specials` are typed now and then."""
    rng = random.Random(seed)
    kinds: list[Sequence[str]] = [
        SPACES, ZERO_WIDTH, MARKS, EMOJI, RIGHT_TO_LEFT, JAMO, CONTROLS, COMPATIBILITY, ASTRAL, PLAIN, PLAIN,
        WORDS, WORDS, MARKERS, " ", " ",
    ]  # fmt: skip
    if specials:
        kinds.append(specials)
    for _ in range(n):
        chosen = rng.sample(kinds, rng.randint(1, 4)) if rng.random() < 0.5 else kinds
        yield "".join(rng.choice(rng.choice(chosen)) for _ in range(rng.randint(0, 40)))
