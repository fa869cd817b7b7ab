"""Figures of a tokenization: what each is, by formula and source.

In: sums over a corpus and how often each piece occurs. Out: numbers. Every figure is a function of sums, so that a
bootstrap can add up the parts of a corpus with other weights and ask again.

Sources: fertility, tokens a word: Acs 2019 ("Exploring BERT's vocabulary"), Rust et al. 2021 (ACL, "How good is your
tokenizer?"); words are stretches without white space. Efficiency: Zouhar et al. 2023 (ACL, "Tokenization and the
noiseless channel"): entropy of the unigram distribution of the tokens over the log of the number of different ones,
as in their package tokenization-scorer; of order 1 it is Shannon's, 2.5 is the order they recommend.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Usable = NDArray[np.bool_]

RENYI_ORDER = 2.5
SUMS = ("tokens", "characters", "bytes", "words", "nats", "unknown", "byte_tokens", "single")
"""What is added up over texts, in the order of the columns of every array of sums."""
_AT = {name: column for column, name in enumerate(SUMS)}


def shannon_efficiency(counts: Floats) -> Floats:
    """Return H / ln n of rows of counts, H = -sum p ln p over the n pieces that occur; nan for fewer than two.

    >>> float(shannon_efficiency(np.array([[3.0, 2.0, 1.0, 1.0]]))[0].round(10))
    0.9211854966
    """
    p = _shares(counts)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(p > 0.0, p * np.log(np.where(p > 0.0, p, 1.0)), 0.0)
        return -terms.sum(axis=1) / np.log((counts > 0.0).sum(axis=1))


def renyi_efficiency(counts: Floats, order: float = RENYI_ORDER) -> Floats:
    """Return H_order / ln n of rows of counts, H_order = ln(sum p^order) / (1 - order); nan for fewer than two pieces.

    >>> float(renyi_efficiency(np.array([[3.0, 2.0, 1.0, 1.0]]))[0].round(10))
    0.8265064834
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = np.log((_shares(counts) ** order).sum(axis=1)) / (1.0 - order)
        return entropy / np.log((counts > 0.0).sum(axis=1))


def _shares(counts: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        shares: Floats = counts / counts.sum(axis=1, keepdims=True)
    return shares


def share_in_use(counts: Floats, usable: Usable) -> Floats:
    """Return the share of the usable pieces that occur, of rows of counts.

    >>> share_in_use(np.array([[9.0, 1.0, 0.0]]), np.array([False, True, True])).tolist()
    [0.5]
    """
    in_use: Floats = (counts[:, usable] > 0.0).sum(axis=1) / max(int(usable.sum()), 1)
    return in_use


@dataclass(frozen=True)
class Figure:
    """One figure: its name, what it means, whether it is a share or a whole number, and how it follows from the sums.

    `of_sums` takes float64[r, len(SUMS)]; `of_pieces` float64[r, vocabulary] and which pieces a text is matched with.
    One of the two is None. `least` is the smallest value there can be, `most` the largest.
    """

    name: str
    help: str
    is_share: bool = False
    of_sums: Callable[[Floats], Floats] | None = None
    of_pieces: Callable[[Floats, Usable], Floats] | None = None
    least: float = 0.0
    is_count: bool = False

    @property
    def most(self) -> float:
        """1 for a share, no end for others."""
        return 1.0 if self.is_share else math.inf


def _total(name: str) -> Callable[[Floats], Floats]:
    return lambda sums: sums[:, _AT[name]]


def _ratio(above: str, below: str) -> Callable[[Floats], Floats]:
    def ratio(sums: Floats) -> Floats:
        divisor = sums[:, _AT[below]]
        return np.divide(sums[:, _AT[above]], divisor, out=np.full(len(sums), np.nan), where=divisor != 0.0)

    return ratio


FIGURES = (
    Figure("tokens", "how many IDs the corpus becomes", of_sums=_total("tokens"), is_count=True),
    Figure("characters a token", "characters of the corpus for one token", of_sums=_ratio("characters", "tokens")),
    Figure("bytes a token", "bytes of UTF-8 for one token", of_sums=_ratio("bytes", "tokens")),
    Figure(
        "tokens a word", "fertility; a word is what stands between white space", of_sums=_ratio("tokens", "words")
    ),
    Figure(
        "nats a character", "-ln P over all paths; comparable between any two models of one corpus",
        of_sums=_ratio("nats", "characters"), least=-math.inf,  # scores of a file need not add up to one
    ),
    Figure(
        "unknown tokens", "share of the tokens that are the unknown piece", True, of_sums=_ratio("unknown", "tokens")
    ),
    Figure("byte tokens", "share of the tokens that are bytes", True, of_sums=_ratio("byte_tokens", "tokens")),
    Figure(
        "single characters", "share of the tokens whose piece is one character, the space marker being one",
        True, of_sums=_ratio("single", "tokens"),
    ),
    Figure(
        "vocabulary in use", "share of the pieces a text is matched with that occur",
        True, of_pieces=lambda counts, usable: share_in_use(counts, usable),
    ),
    Figure(
        "Shannon efficiency", "entropy of the tokens over its largest value", True,
        of_pieces=lambda counts, _: shannon_efficiency(counts),
    ),
    Figure(
        "Rényi efficiency", "the same of order 2.5, which frequent pieces weigh on", True,
        of_pieces=lambda counts, _: renyi_efficiency(counts),
    ),
)  # fmt: skip
