"""The kernels of paths as plain Python, against the compiled ones (enumeration: test_lattice)."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import paths
from engine.kernels.forward_backward import order_by_end, sample_path
from engine.kernels.n_best import find_next, trace_entry
from engine.kernels.viterbi import extend_best_edges
from engine.model import UnigramModel
from tests.helpers.toy_models import models, texts_of_ab


@settings(deadline=None, max_examples=40)
@given(models(), texts_of_ab, st.integers(0, 2**32 - 1))
def test_the_kernels_as_plain_python(model: UnigramModel, text: str, seed: int) -> None:
    lattice = model.lattice(text)
    n, edges = len(text), (lattice.edge_start, lattice.edge_end, lattice.edge_log_p)
    score, best_edge = np.full(n + 1, -np.inf), np.full(n + 1, -1, dtype=np.int32)
    score[0] = 0.0
    extend_best_edges.py_func(*edges, 0, lattice.n_edges, score, best_edge)
    table = lattice.best_table()
    assert np.array_equal(score, table.score)
    assert np.array_equal(best_edge, table.edge)
    order, offsets = order_by_end.py_func(lattice.edge_end, n)
    assert np.array_equal(order, lattice.edges_by_end.order)
    assert np.array_equal(offsets, lattice.edges_by_end.offsets)
    uniforms, drawn = np.random.default_rng(seed).random(n), np.empty(n, dtype=np.int32)
    first = sample_path.py_func(
        lattice.edge_start, lattice.edge_log_p, lattice.log_forward, order, offsets, uniforms, drawn
    )
    assert lattice.path(drawn[first:]) == lattice.sample(rng=np.random.default_rng(seed))


@settings(deadline=None, max_examples=40)
@given(models(), texts_of_ab)
def test_the_enumeration_as_plain_python(model: UnigramModel, text: str) -> None:
    compiled = [path.edges for path in model.lattice(text).n_best(1000)]
    kernels = {"find_next": find_next.py_func, "trace_entry": trace_entry.py_func}
    original = {name: getattr(paths, name) for name in kernels}
    vars(paths).update(kernels)
    try:
        assert [path.edges for path in model.lattice(text).n_best(1000)] == compiled
    finally:
        vars(paths).update(original)
