"""The kernels of marginals as plain Python, against the compiled ones; slices; long texts."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given, settings

from engine import marginals
from engine.errors import Cancelled
from engine.kernels.forward_backward import extend_backward, extend_forward
from engine.lattice import Lattice
from engine.model import UnigramModel
from tests.helpers.toy_models import models, texts_of_ab


@settings(deadline=None, max_examples=40)
@given(models(), texts_of_ab)
def test_the_kernels_as_plain_python(model: UnigramModel, text: str) -> None:
    lattice = model.lattice(text)
    edges = (lattice.edge_start, lattice.edge_end, lattice.edge_log_p)
    forward, backward = np.full(len(text) + 1, -np.inf), np.full(len(text) + 1, -np.inf)
    forward[0] = backward[-1] = 0.0
    extend_forward.py_func(*edges, 0, lattice.n_edges, forward)
    extend_backward.py_func(*edges, 0, lattice.n_edges, backward)
    assert forward == pytest.approx(lattice.log_forward, rel=1e-13, abs=1e-13)
    assert backward == pytest.approx(lattice.log_backward, rel=1e-13, abs=1e-13)


@pytest.fixture
def lattice() -> Lattice:
    return UnigramModel.from_probabilities({"a": 0.3, "aa": 0.2, "aaa": 0.1, "b": 0.4}).lattice("aaba" * 50)


def test_slices_give_the_same_numbers(lattice: Lattice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(marginals, "EDGES_PER_SLICE", 7)
    edges = (len(lattice), lattice.edge_start, lattice.edge_end, lattice.edge_log_p)
    assert np.array_equal(marginals.log_forward(*edges), lattice.log_forward)
    assert np.array_equal(marginals.log_backward(*edges), lattice.log_backward)


def test_a_set_cancel_token_stops_the_sums(lattice: Lattice) -> None:
    cancel = threading.Event()
    cancel.set()
    edges = (len(lattice), lattice.edge_start, lattice.edge_end, lattice.edge_log_p)
    for sums in (marginals.log_forward, marginals.log_backward):
        with pytest.raises(Cancelled):
            sums(*edges, cancel)


def test_forward_and_backward_meet_at_every_boundary(lattice: Lattice) -> None:
    assert lattice.log_forward[-1] == pytest.approx(lattice.log_backward[0], rel=1e-12)
    # "aab" is cut after every b, whatever the path.
    assert lattice.boundary_posteriors[[0, 3, 4 * 49 + 3, 200]] == pytest.approx(1.0, abs=1e-12)
    assert lattice.boundary_posteriors.max() <= 1.0 + 1e-12
