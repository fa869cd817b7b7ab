"""How sure a figure is: intervals from a bootstrap over blocks of texts.

In: a function of sums and the sums of blocks. Out: intervals. Blocks are drawn with replacement, all figures and both
models from the same draws, so that the interval of a difference is a paired one. The interval is the value plus and
minus 1.96 standard deviations of the draws (Efron and Tibshirani 1993, "An introduction to the bootstrap", chapter
13): percentiles would lie beside the value for figures, such as the vocabulary in use, that any draw makes smaller.
It ends where the figure does: a share and its interval lie in [0, 1], the difference of two shares in [-1, 1].
"""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.comparison.figures import FIGURES, SUMS, Figure
from engine.shards import portion

Floats = NDArray[np.float64]

N_BLOCKS = 100
N_DRAWS = 200
DEVIATIONS = 1.96
_DRAWS_AT_ONCE = 10
_SEED = 20180419


@dataclass(frozen=True)
class Interval:
    """A value and where it may lie, with 95 % confidence; nan bounds where one block cannot tell."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class ComparedFigure:
    """One figure of both models, and of B less A."""

    figure: Figure
    a: Interval
    b: Interval
    difference: Interval


def random_blocks(n_texts: int) -> NDArray[np.int32]:
    """Return the block of each text, int32[n]: as many texts in each; with few texts each is one."""
    shuffled = np.random.default_rng(_SEED).permutation(n_texts)
    return (shuffled % N_BLOCKS).astype(np.int32) if n_texts > N_BLOCKS else np.arange(n_texts, dtype=np.int32)


def draw_weights(n_blocks: int) -> Floats:
    """Return float64[N_DRAWS + 1, n_blocks]: how often each block is drawn; the first row is the corpus itself."""
    draws = np.random.default_rng(_SEED).multinomial(n_blocks, np.full(n_blocks, 1.0 / n_blocks), size=N_DRAWS)
    return np.concatenate((np.ones((1, n_blocks)), draws.astype(np.float64)))


@dataclass(frozen=True, eq=False)
class BlockSums:
    """Of one model: sums float64[blocks, len(SUMS)], pieces float64[blocks, vocabulary], bool[vocabulary]."""

    sums: Floats
    pieces: Floats
    usable: NDArray[np.bool_]

    def values(self, weights: Floats) -> list[Floats]:
        """Return all figures under each row of weights."""
        sums, pieces = weights @ self.sums, weights @ self.pieces
        return [self._value(figure, sums, pieces) for figure in FIGURES]

    def _value(self, figure: Figure, sums: Floats, pieces: Floats) -> Floats:
        if figure.of_sums is not None:
            return figure.of_sums(sums)
        assert figure.of_pieces is not None
        return figure.of_pieces(pieces, self.usable)


def compare_figures(a: BlockSums, b: BlockSums) -> Generator[float, None, tuple[ComparedFigure, ...]]:
    """Return every figure of both models with its interval; yields the fraction done."""
    weights = draw_weights(len(a.sums))
    drawn_a = yield from portion(_drawn(a, weights), 0.0, 0.5)
    drawn_b = yield from portion(_drawn(b, weights), 0.5, 1.0)
    return tuple(compared(figure, x, y) for figure, x, y in zip(FIGURES, drawn_a, drawn_b, strict=True))


def compared(figure: Figure, a: Floats, b: Floats) -> ComparedFigure:
    """Return a figure of both models, given its values under the rows of `draw_weights`."""
    least, most = figure.least, figure.most
    return ComparedFigure(
        figure, interval(a, least, most), interval(b, least, most), interval(b - a, least - most, most - least)
    )


def _drawn(of: BlockSums, weights: Floats) -> Generator[float, None, list[Floats]]:
    """Return the values of each figure, a few draws at a time: they are as long as the vocabulary."""
    assert of.sums.shape[1] == len(SUMS)
    parts = []
    for i in range(0, len(weights), _DRAWS_AT_ONCE):
        yield i / len(weights)
        parts.append(of.values(weights[i : i + _DRAWS_AT_ONCE]))
    return [np.concatenate(values) for values in zip(*parts, strict=True)]


def interval(values: Floats, least: float = -math.inf, most: float = math.inf) -> Interval:
    """Return the interval of a figure: the value itself first, then those of the draws; it ends at `least` and `most`.

    >>> interval(np.array([3.0, 2.0, 4.0, 2.0, 4.0]))
    Interval(value=3.0, low=1.04, high=4.96)
    >>> interval(np.array([1.0, 0.5, 1.0, 0.5, 1.0]), 0.0, 1.0)
    Interval(value=1.0, low=0.51, high=1.0)
    """
    value, spread = float(values[0]), DEVIATIONS * float(values[1:].std())
    if math.isnan(spread):
        return Interval(value, math.nan, math.nan)
    return Interval(value, max(value - spread, least), min(value + spread, most))
