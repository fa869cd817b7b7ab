"""The oracle: every path of a small text, one after the other, with plain Python numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class EnumeratedPath:
    pieces: tuple[str, ...]
    log_p: float


def cuts(text: str) -> Iterator[tuple[str, ...]]:
    """Yield all 2 ** (n-1) ways to cut a text."""
    if not text:
        yield ()
    for end in range(1, len(text) + 1):
        for rest in cuts(text[end:]):
            yield (text[:end], *rest)


def paths(text: str, log_probs: Mapping[str, float]) -> list[EnumeratedPath]:
    """Return the cuts whose parts are all pieces."""
    return [
        EnumeratedPath(cut, math.fsum(log_probs[piece] for piece in cut))
        for cut in cuts(text)
        if all(piece in log_probs for piece in cut)
    ]


def total(text: str, log_probs: Mapping[str, float]) -> float:
    """Return the probability of a text: the sum over its paths."""
    return math.fsum(math.exp(path.log_p) for path in paths(text, log_probs))


def edge_posterior(text: str, log_probs: Mapping[str, float], start: int, piece: str) -> float:
    """Return the share of the paths that take `piece` at `start`."""
    parts = []
    for path in paths(text, log_probs):
        at = 0
        for taken in path.pieces:
            if at == start and taken == piece:
                parts.append(math.exp(path.log_p))
            at += len(taken)
    return math.fsum(parts) / total(text, log_probs)


def entropy(text: str, log_probs: Mapping[str, float]) -> float:
    """Return the entropy of the paths in nats."""
    z = total(text, log_probs)
    shares = [math.exp(path.log_p) / z for path in paths(text, log_probs)]
    return -math.fsum(share * math.log(share) for share in shares if share > 0)


def law(text: str, log_probs: Mapping[str, float], alpha: float) -> dict[tuple[str, ...], float]:
    """Return the probability of each path in proportion to p ** alpha."""
    weights = {path.pieces: math.exp(alpha * path.log_p) for path in paths(text, log_probs)}
    z = math.fsum(weights.values())
    return {pieces: weight / z for pieces, weight in weights.items()}
