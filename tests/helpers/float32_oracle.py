"""SentencePiece's sums in plain Python, each float32 made by rounding: slow, and independent of the engine.

A list of pieces is a list of (text, score); a sentence has U+2585 where no piece may be. The two best paths are found
by listing all of them, so pieces whose paths tie are none of this oracle's business.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

Pieces = Sequence[tuple[str, float]]


def f32(x: float) -> float:
    """Round to float32. Of a sum, difference, product or quotient of float32 in float64 this is the float32 one."""
    return struct.unpack("f", struct.pack("f", x))[0]


@dataclass(frozen=True)
class Node:
    begin: int
    end: int
    number: int
    score: float


def nodes_of(text: str, pieces: Pieces) -> list[Node]:
    """Return the nodes by where they begin, short ones first, and last the unknown character, which has number 0."""
    numbers = {piece: i for i, (piece, _) in enumerate(pieces)}
    unknown_score = f32(min(score for _, score in pieces) - 10.0)
    nodes = []
    for begin in range(len(text)):
        for end in range(begin + 1, len(text) + 1):
            number = numbers.get(text[begin:end])
            if number is not None:
                nodes.append(Node(begin, end, number, pieces[number][1]))
        if text[begin] not in numbers:
            nodes.append(Node(begin, begin + 1, 0, unknown_score))
    return nodes


def log_sum(terms: list[float]) -> float:
    """Add up logarithms, one after the other."""
    total = terms[0]
    for term in terms[1:]:
        low, high = min(total, term), max(total, term)
        if high <= f32(low + 50.0):
            high = f32(high + math.log(math.exp(f32(low - high)) + 1.0))
        total = high
    return total


def expected_counts(sentences: Sequence[tuple[str, int]], pieces: Pieces) -> tuple[list[float], float, float]:
    """Return the expected counts, the sum of count x ln Z, unknown characters included, and the float32 objective."""
    counts, total, objective = [0.0] * len(pieces), 0.0, 0.0
    n_sentences = f32(sum(count for _, count in sentences))
    for text, count in sentences:
        nodes = nodes_of(text, pieces)
        forward, backward = {0: 0.0}, {len(text): 0.0}
        for at in range(1, len(text) + 1):
            forward[at] = log_sum([f32(node.score + forward[node.begin]) for node in nodes if node.end == at])
        for at in reversed(range(len(text))):
            backward[at] = log_sum([f32(node.score + backward[node.end]) for node in nodes if node.begin == at])
        log_z = forward[len(text)]
        for node in nodes:
            share = f32(f32(f32(forward[node.begin] + node.score) + backward[node.end]) - log_z)
            counts[node.number] = f32(counts[node.number] + f32(count) * math.exp(share))
        total += f32(count) * log_z
        objective = f32(objective - f32(f32(f32(count) * log_z) / n_sentences))
    return counts, total, objective


def digamma(x: float) -> float:
    """Return the derivative of ln Gamma: recurrence up to 7, then the series around x - 1/2."""
    result = 0.0
    while x < 7:
        result -= 1 / x
        x += 1
    y = 1 / (x - 0.5)
    z = y * y
    return result + (math.log(x - 0.5) + 1 / 24 * z - 7 / 960 * (z * z) + 31 / 8064 * (z * z) * z
                     - 127 / 30720 * (z * z) * (z * z))  # fmt: skip


def m_step(pieces: Pieces, counts: list[float], least: float = 0.5) -> list[tuple[str, float]]:
    """Return the pieces expected at least so often, with their new scores."""
    kept = [(text, count) for (text, _), count in zip(pieces, counts, strict=True) if count >= least]
    total = 0.0
    for _, count in kept:
        total = f32(total + count)
    log_total = f32(digamma(total))
    return [(text, f32(digamma(count) - log_total)) for text, count in kept]


def paths(nodes: list[Node], length: int) -> list[tuple[float, list[Node]]]:
    """Return all paths with their scores, best first."""
    found: list[tuple[float, list[Node]]] = []

    def extend(at: int, path: list[Node]) -> None:
        if at == length:
            found.append((math.fsum(node.score for node in path), path))
        for node in nodes:
            if node.begin == at:
                extend(node.end, [*path, node])

    extend(0, [])
    return sorted(found, key=lambda one: -one[0])


def gap(text: str, pieces: Pieces) -> float:
    """Return by how much the best three paths differ at least: below 1e-4 rounding may choose."""
    scores = [score for score, _ in paths(nodes_of(text, pieces), len(text))[:3]]
    return min((a - b for a, b in pairwise(scores)), default=math.inf)


def losses(sentences: Sequence[tuple[str, int]], pieces: Pieces) -> tuple[list[float], list[float]]:
    """Return the counts on best paths and the losses: -inf for a piece that goes, inf for one that always stays."""
    counts, n_sentences = [0.0] * len(pieces), 0.0
    for text, count in sentences:
        n_sentences = f32(n_sentences + count)
        for node in paths(nodes_of(text, pieces), len(text))[0][1]:
            counts[node.number] = f32(counts[node.number] + count)
    total = f32(math.fsum(counts))
    log_total = f32(math.log(total))
    found = []
    for i, (text, _) in enumerate(pieces):
        best = paths(nodes_of(text, pieces), len(text))
        if counts[i] == 0.0 or (len(best) > 1 and len(best[0][1]) > 1):
            found.append(-math.inf)
        elif len(best) == 1:
            found.append(math.inf)
        else:
            split = best[1][1]
            log_rest = f32(math.log(f32(total + f32(counts[i] * (len(split) - 1)))))
            log_split = 0.0
            for node in split:
                log_split = f32(log_split + (math.log(f32(counts[node.number] + counts[i])) - log_rest))
            log_own = f32(math.log(counts[i]) - log_total)
            found.append(f32(f32(counts[i] / n_sentences) * f32(log_own - log_split)))
    return counts, found
