"""The Viterbi table and the E step in steps: the same results as at once, and as by enumeration."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given

from engine.model import UnigramModel
from engine.step_by_step import count_steps, viterbi_steps
from tests.helpers import enumeration
from tests.helpers.toy_models import golden, log_probs_of, models, texts_of_ab

UNABLE = golden("unable_lattice.json")


def close(expected: object) -> object:
    return pytest.approx(expected, rel=1e-10, abs=1e-12)


def test_the_candidates_of_each_boundary_of_unable_with_their_sums() -> None:
    lattice = UnigramModel.from_probabilities(UNABLE["probabilities"]).lattice("unable")
    steps = viterbi_steps(lattice)
    into_six = steps.edges[steps.offsets[6] : steps.offsets[7]]
    assert [lattice.text[lattice.edge_start[e] : 6] for e in into_six] == ["unable", "able", "le", "e"]
    sums = np.exp(steps.sums[steps.offsets[6] : steps.offsets[7]])
    assert sums == close([0.005, 0.02, 0.2 * 0.02 * 0.06, 0.2 * 0.02 * 0.03 * 0.1])
    assert [lattice.text[lattice.edge_start[e] : lattice.edge_end[e]] for e in steps.walk] == ["able", "un"]


@given(models(), texts_of_ab)
def test_the_winner_is_the_largest_sum_and_the_earliest_start(model: UnigramModel, text: str) -> None:
    lattice = model.lattice(text)
    steps = viterbi_steps(lattice)
    for boundary in range(1, len(text) + 1):
        rows = slice(int(steps.offsets[boundary]), int(steps.offsets[boundary + 1]))
        if rows.start == rows.stop or not np.isfinite(steps.sums[rows]).any():
            continue
        assert steps.winner[boundary] == steps.edges[rows][np.argmax(steps.sums[rows])]
        assert steps.score[boundary] == steps.sums[rows].max()
    assert steps.walk[::-1] == lattice.best().edges


def test_the_expected_counts_of_unable() -> None:
    model = UnigramModel.from_probabilities(UNABLE["probabilities"])
    steps = count_steps(model.lattice("unable"))
    counts = {model.pieces.texts[i]: count for i, count in zip(steps.pieces, steps.counts.tolist(), strict=True)}
    assert counts == close({name.split("@")[0]: share for name, share in UNABLE["posterior"].items()})
    assert steps.counts.tolist() == sorted(steps.counts.tolist(), reverse=True)


@given(models(), texts_of_ab)
def test_expected_counts_are_those_of_enumeration(model: UnigramModel, text: str) -> None:
    log_probs = log_probs_of(model)
    steps = count_steps(model.lattice(text))
    paths, z = enumeration.paths(text, log_probs), enumeration.total(text, log_probs)
    for piece, count in zip(steps.pieces.tolist(), steps.counts.tolist(), strict=True):
        name = model.pieces.texts[piece]
        expected = math.fsum(math.exp(path.log_p) * path.pieces.count(name) for path in paths) / z
        assert count == close(expected)


@given(models(), texts_of_ab)
def test_the_terms_add_up_to_the_forward_and_backward_sums(model: UnigramModel, text: str) -> None:
    lattice = model.lattice(text)
    steps = count_steps(lattice)
    for boundary in range(1, len(text) + 1):
        into = slice(int(steps.into_offsets[boundary]), int(steps.into_offsets[boundary + 1]))
        assert np.exp(steps.forward_terms[into]).sum() == close(lattice.forward[boundary])
        out = slice(int(lattice.edge_offsets[boundary - 1]), int(lattice.edge_offsets[boundary]))
        assert np.exp(steps.backward_terms[out]).sum() == close(lattice.backward[boundary - 1])


@given(models(), texts_of_ab)
def test_every_edge_is_counted_for_its_own_piece(model: UnigramModel, text: str) -> None:
    lattice = model.lattice(text)
    steps = count_steps(lattice)
    assert sorted(steps.edges.tolist()) == list(range(lattice.n_edges))
    for i, piece in enumerate(steps.pieces.tolist()):
        edges = steps.edges[steps.offsets[i] : steps.offsets[i + 1]]
        assert set(lattice.edge_piece[edges].tolist()) == {piece}
