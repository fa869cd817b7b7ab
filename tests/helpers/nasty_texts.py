"""Random texts of what goes wrong in tokenizers, the same ones for a seed."""

from __future__ import annotations

import random

SPACES = " \t\n\r\v\f\x1c\x85\u00a0\u1680\u2000\u2003\u200b\u2028\u2029\u202f\u205f\u3000\ufeff"
PARTS = (
    *SPACES, " ", " ", "  ", "▁", "▁▁", "\u2585",
    "e\u0301", "h\u0323", "\u0301", "a\u0308\u0323", "\u1100\u1161\u11a8", "\u1100", "각", "ﾊﾟ", "か\u3099",
    "👨‍👩‍👧‍👦", "🇩🇪", "1\ufe0f\u20e3", "😊", "\U0001d400", "\U0010ffff", "𠮷", "\ue000",
    "שלום", "سنة", "\u202e", "\u200f", "\u200d", "\u200c", "ไทย", "नमस्ते",
    "Здравствуйте", "漢字", "ひらがな", "カタカナ",
    "\0", "\x01", "\x1b", "\x7f", "\x9f", "\ufffd", "\u2047",
    "<s>", "</s>", "<unk>", "<pad>", "<0x0A>", "[CLS]", "[MASK]", "<n>", "<extra_id_0>",
    "ＡＢＣ", "①", "ﬁ", "½", "㍿", "ﷺ", "～", "~", "İ", "ẞ", "ſ", "…", "“", "—",
    "the", "ing", "Hello", "world", "a", "b", "c", "1", "42", ".", ",", "'s", "?!", "oooo", "---", "don't",
)  # fmt: skip
"""What the texts are made of."""


def nasty_texts(n: int, seed: int) -> list[str]:
    """Return n texts: of a few parts, of one part again and again, or of random code points."""
    rng = random.Random(seed)
    return ["", *(_text(rng) for _ in range(n - 1))]


def _text(rng: random.Random) -> str:
    kind = rng.random()
    if kind < 0.7:
        return "".join(rng.choices(PARTS, k=rng.randint(1, 24)))
    if kind < 0.8:
        return rng.choice(PARTS) * rng.randint(1, 90) + rng.choice(PARTS)
    if kind < 0.9:
        words = ["".join(rng.choices("abcdefghinorst", k=rng.randint(1, 9))) for _ in range(rng.randint(1, 40))]
        return " ".join(words)
    ranges = rng.choices(((0, 0x7FF), (0, 0xD7FF), (0xE000, 0x10FFFF)), k=20)
    return "".join(chr(rng.randint(*bounds)) for bounds in ranges)
