"""Drawn paths and their exact law, against enumeration and worked numbers."""

from __future__ import annotations

import math
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Cancelled, TextError
from engine.lattice import Lattice
from engine.model import UnigramModel
from engine.sampling import Sampler, draw_paths
from tests.helpers import enumeration
from tests.helpers.toy_models import golden, models, texts_of_ab

UNABLE = golden("unable_lattice.json")


@pytest.fixture
def unable() -> Lattice:
    return UnigramModel.from_probabilities(UNABLE["probabilities"]).lattice("unable")


def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def test_the_law_of_unable_is_the_enumerated_one_at_every_alpha(unable: Lattice) -> None:
    every = unable.n_best(11)
    for alpha in (0.0, 0.2, 0.5, 1.0, 2.0):
        expected = enumeration.law("unable", {k: math.log(p) for k, p in UNABLE["probabilities"].items()}, alpha)
        draws = draw_paths(unable, alpha, 0, rng=rng(), listed=every)
        found = {path.pieces: share for path, share in zip(draws.paths, draws.law.tolist(), strict=True)}
        assert found == pytest.approx(expected, rel=1e-10)


@given(models(), texts_of_ab, st.floats(0.0, 4.0))
def test_the_law_adds_up_to_one_over_all_paths(model: UnigramModel, text: str, alpha: float) -> None:
    lattice = model.lattice(text)
    every = lattice.n_best(lattice.n_paths)
    sampler = Sampler(lattice, alpha)
    assert math.fsum(map(sampler.probability, every)) == pytest.approx(1.0, rel=1e-9)


def test_frequencies_follow_the_law_within_four_standard_errors(unable: Lattice) -> None:
    for alpha in (0.0, 0.2, 1.0):
        draws = draw_paths(unable, alpha, 10_000, rng=rng(), listed=unable.n_best(11))
        deviation = np.sqrt(draws.law * (1.0 - draws.law) / draws.size)
        assert np.all(np.abs(draws.counts / draws.size - draws.law) <= 4.0 * deviation + 1e-9)


def test_every_draw_is_counted_once(unable: Lattice) -> None:
    draws = draw_paths(unable, 0.2, 1000, rng=rng())
    assert draws.counts.sum() == 1000
    assert draws.n_distinct == len(draws.paths)
    assert draws.counts.tolist() == sorted(draws.counts.tolist(), reverse=True)


def test_at_infinity_only_the_best_path_is_drawn(unable: Lattice) -> None:
    draws = draw_paths(unable, math.inf, 100, rng=rng(), listed=unable.n_best(3))
    assert draws.counts.tolist() == [100, 0, 0]
    assert draws.law.tolist() == [1.0, 0.0, 0.0]


def test_listed_paths_come_first_and_rare_ones_may_be_left_out(unable: Lattice) -> None:
    listed = unable.n_best(2)[::-1]
    draws = draw_paths(unable, 0.0, 500, rng=rng(), listed=listed, most=3)
    assert draws.paths[:2] == listed
    assert len(draws.paths) == 5
    assert draws.n_distinct == 11


def test_the_same_generator_draws_the_same_paths(unable: Lattice) -> None:
    one, other = (draw_paths(unable, 0.5, 100, rng=rng()) for _ in range(2))
    assert one.paths == other.paths
    assert one.counts.tolist() == other.counts.tolist()


def test_a_negative_alpha_is_refused(unable: Lattice) -> None:
    with pytest.raises(TextError, match="inverse temperature"):
        draw_paths(unable, -0.5, 1, rng=rng())


def test_drawing_stops_when_it_is_cancelled(unable: Lattice) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        draw_paths(unable, 1.0, 10, rng=rng(), cancel=cancel)
