"""Run one stage of the engine to its end, and set small ones up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import numpy as np

from engine.corpus import Corpus
from engine.em import PieceProbabilities
from engine.seeds import Seeds, make_seeds
from engine.shards import Workers
from engine.shards import finish as finish
from engine.spec import TrainerSpec
from engine.words import Units, count_units

Result = TypeVar("Result")

VERBATIM = {
    "character_coverage": 1.0,
    "split_by_whitespace": False,
    "split_by_unicode_script": False,
    "add_dummy_prefix": False,
    "remove_extra_whitespaces": False,
}
"""Settings under which every text is a unit as it stands."""

ALL_SUBSTRINGS = {**VERBATIM, "seed_method": "ngram", "ngram_min_frequency": 1, "ngram_max_length": 4}


def units_of(corpus: Corpus | Mapping[str, int], spec: TrainerSpec, threads: int = 2) -> Units:
    """Cut a corpus into units."""
    if not isinstance(corpus, Corpus):
        corpus = Corpus.from_counts(corpus)
    with Workers(threads) as workers:
        return finish(count_units(workers, corpus, spec))


def unit_counts(units: Units) -> dict[str, int]:
    """Return units as a dictionary."""
    return dict(zip(units.texts, units.counts.tolist(), strict=True))


def seeds_of(corpus: Corpus | Mapping[str, int], spec: TrainerSpec, threads: int = 2) -> Seeds:
    """Find the candidate pieces of a corpus."""
    units = units_of(corpus, spec, threads)
    with Workers(threads) as workers:
        return finish(make_seeds(workers, units, spec))


def table_of(seeds: Seeds, probabilities: Mapping[str, float] | None = None) -> PieceProbabilities:
    """Return a table over all candidates: with the given probabilities, or all equal."""
    p = np.array([probabilities[text] if probabilities else 1 / len(seeds) for text in seeds.texts])
    return PieceProbabilities.of_seeds(seeds, np.log(p))
