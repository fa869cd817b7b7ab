"""Explorations of small models, for the tests of what is drawn."""

from __future__ import annotations

from collections.abc import Mapping

from engine.model import UnigramModel
from unigram_gui.tasks.exploration import Exploration, explore


def exploration_of(probabilities: Mapping[str, float], text: str) -> Exploration:
    """Return a text under a small model."""
    return explore(UnigramModel.from_probabilities(probabilities), text)


def edge_of(seen: Exploration, start: int, text: str) -> int:
    """Return the edge of a piece at a place."""
    lattice = seen.lattice
    edges = range(int(lattice.edge_offsets[start]), int(lattice.edge_offsets[start + 1]))
    return next(edge for edge in edges if seen.edge_text(edge) == text)
