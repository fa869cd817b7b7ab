"""E step and M step against enumeration, in the scaled domain and in the log domain."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import TrainerSpec
from engine.em import Expectations, PieceProbabilities, credit_first_piece, digamma, e_step, keep_pieces, m_step
from engine.errors import TrainingError
from engine.kernels import expected_counts as kernels
from engine.seeds import Seeds
from engine.shards import Workers
from tests.helpers.stages import ALL_SUBSTRINGS, finish, seeds_of, table_of
from tests.helpers.training_oracle import corpus_loss, expected_counts, substrings

SPEC = TrainerSpec(**ALL_SUBSTRINGS)  # type: ignore[arg-type]

corpora = st.dictionaries(st.text("ab", min_size=1, max_size=9), st.integers(1, 2**40), min_size=1, max_size=5)


def random_table(seeds: Seeds, seed: int, spread: float = 5.0) -> dict[str, float]:
    weights = np.exp(np.random.default_rng(seed).uniform(-spread, 0.0, len(seeds)))
    return dict(zip(seeds.texts, (weights / weights.sum()).tolist(), strict=True))


def run_e_step(seeds: Seeds, table: PieceProbabilities, log_kappa: float = 1.0, threads: int = 2) -> Expectations:
    with Workers(threads) as workers:
        return finish(e_step(workers, seeds.lattices, table, log_kappa))


@settings(deadline=None)
@given(corpora, st.integers(0, 1000), st.floats(-3.0, 6.0))
def test_expected_counts_and_loss_equal_enumeration_at_any_scale(
    corpus: dict[str, int], seed: int, log_kappa: float
) -> None:
    seeds = seeds_of(corpus, SPEC)
    pieces = random_table(seeds, seed)
    assert set(pieces) == substrings(list(corpus), 4)
    found = run_e_step(seeds, table_of(seeds, pieces), log_kappa)
    # ln Z of one text is right to a few units of 1e-16, so a loss near 0 is right to that times the count.
    near_zero = 1e-15 * sum(corpus.values())
    assert math.isclose(found.loss, corpus_loss(corpus, pieces), rel_tol=1e-10, abs_tol=near_zero)
    for piece, count in expected_counts(corpus, pieces).items():
        assert math.isclose(found.counts[list(seeds.texts).index(piece)], count, rel_tol=1e-10)


@pytest.mark.parametrize("log_kappa", [-400.0, 0.0, 300.0])
def test_a_text_that_leaves_the_range_is_summed_in_the_log_domain(log_kappa: float) -> None:
    corpus = {"ab" * 2000: 1, "ba": 3}
    seeds = seeds_of(corpus, SPEC)
    table = table_of(seeds, random_table(seeds, 1))
    reference = run_e_step(seeds, table, 3.0)
    found = run_e_step(seeds, table, log_kappa)
    assert math.isclose(found.loss, reference.loss, rel_tol=1e-12)
    assert np.allclose(found.counts, reference.counts, rtol=1e-10, atol=0)


def test_very_small_probabilities_do_not_underflow() -> None:
    seeds = seeds_of({"a" * 200: 1}, TrainerSpec(**{**ALL_SUBSTRINGS, "ngram_max_length": 1}))  # type: ignore[arg-type]
    assert 0.01**200 == 0.0
    table = table_of(seeds).with_log_p(np.array([math.log(0.01)]))
    assert math.isclose(run_e_step(seeds, table, 0.0).loss, 921.0340371976183, rel_tol=1e-12)


def test_sums_do_not_depend_on_the_number_of_threads() -> None:
    corpus = {f"text{i}abab{i * i}": i + 1 for i in range(500)}
    seeds = seeds_of(corpus, SPEC)
    table = table_of(seeds, random_table(seeds, 3))
    first = run_e_step(seeds, table, threads=1)
    for threads in (2, 8):
        again = run_e_step(seeds, table, threads=threads)
        assert again.loss == first.loss
        assert np.array_equal(again.counts, first.counts)


def test_compiled_and_uncompiled_kernels_agree() -> None:
    seeds = seeds_of({"abab": 2, "bab": 1, "aaab": 3}, SPEC)
    table = table_of(seeds, random_table(seeds, 4))
    lattices = seeds.lattices
    for log_kappa, is_safe in ((1.0, True), (1.0, False)):
        results = []
        for function in (kernels.expected_counts, kernels.expected_counts.py_func):
            counts = np.zeros(len(seeds))
            scratch = [np.empty(100) for _ in range(4)]
            total = function(
                *lattices.units(), *lattices.edges(),
                np.exp(table.log_p + log_kappa * table.lengths), table.log_p, log_kappa, is_safe,
                0, 3, *scratch, counts,
            )  # fmt: skip
            results.append((total, counts))
        assert results[0][0] == results[1][0]
        assert np.array_equal(results[0][1], results[1][1])


# -- the M step ------------------------------------------------------------------------------------------------


def small_table() -> PieceProbabilities:
    lengths = np.array([1, 1, 2, 2], dtype=np.int32)
    nobody = np.zeros(4, dtype=bool)
    return PieceProbabilities(np.arange(4, dtype=np.int32), lengths, np.log(np.full(4, 0.25)), lengths == 1, nobody)


def expectations(*counts: float) -> Expectations:
    return Expectations(np.array(counts), 0.0)


def test_maximum_likelihood_is_count_over_total() -> None:
    table, is_kept = m_step(small_table(), expectations(1.0, 2.0, 3.0, 4.0), "maximum_likelihood")
    assert is_kept.all()
    assert np.allclose(table.probabilities, [0.1, 0.2, 0.3, 0.4], rtol=1e-15, atol=0)


def test_digamma_is_sentencepieces_rule() -> None:
    table, _ = m_step(small_table(), expectations(1.0, 2.0, 3.0, 4.0), "digamma")
    gamma = 0.5772156649015329
    expected = np.array([0.0, 1.0, 1.5, 1.5 + 1 / 3]) - sum(1 / k for k in range(1, 10))
    assert np.allclose(table.log_p, expected, rtol=0, atol=1e-12)
    assert math.isclose(digamma(np.array([1.0]))[0], -gamma, rel_tol=1e-12)
    assert math.isclose(digamma(np.array([0.5]))[0], -gamma - 2 * math.log(2), rel_tol=1e-12)


@pytest.mark.parametrize("least", [0.0, 0.5])
def test_digamma_counts_nothing_below_a_half_as_its_value_there_has_no_bottom(least: float) -> None:
    found = expectations(0.0, 5.0, 0.4, 1e-9)
    table, is_kept = m_step(small_table(), found, "digamma", min_expected_count=least)
    assert is_kept.tolist() == [True, True, False, False]
    at_a_half = -0.5772156649015329 - 2 * math.log(2)
    at_five_and_a_half = at_a_half + 2 * sum(1 / k for k in (1, 3, 5, 7, 9))
    assert math.isclose(table.log_p[0], at_a_half - at_five_and_a_half, rel_tol=1e-11)
    table, is_kept = m_step(small_table(), found, "digamma", min_expected_count=least, at_least=4)
    assert is_kept.all()
    assert table.log_p[0] == table.log_p[2] == table.log_p[3] > -5.0


def test_the_last_pieces_stay_or_the_setting_is_named_where_characters_drop_out() -> None:
    rare = {"min_expected_count": 100.0, "protect_characters": False}
    found = expectations(1.0, 2.0, 3.0, 4.0)
    table, is_kept = m_step(small_table(), found, "maximum_likelihood", at_least=3, **rare)  # type: ignore[arg-type]
    assert is_kept.tolist() == [True, True, False, True]
    assert table.is_unknown.tolist() == [True, True, False]
    for rule in ("maximum_likelihood", "digamma", "additive"):
        with pytest.raises(TrainingError, match="often enough to stay: lower min_expected_count"):
            m_step(small_table(), found, rule, **rare)  # type: ignore[arg-type]
    with pytest.raises(TrainingError, match="No piece is left"):
        table.with_unknown(np.ones(3, dtype=bool))


def test_additive_adds_epsilon_to_every_count() -> None:
    table, _ = m_step(small_table(), expectations(1.0, 2.0, 3.0, 4.0), "additive", smoothing_epsilon=0.5)
    assert np.allclose(table.probabilities, np.array([1.5, 2.5, 3.5, 4.5]) / 12.0, rtol=1e-15, atol=0)


def test_characters_that_drop_out_score_as_unknown_ones_and_credit_the_first_piece() -> None:
    found = expectations(6.0, 0.2, 3.0, 1.0)
    table, is_kept = m_step(
        small_table(), found, "maximum_likelihood", min_expected_count=0.5, protect_characters=False
    )
    assert is_kept.all()
    assert table.is_unknown.tolist() == [False, True, False, False]
    assert np.allclose(table.log_p, [math.log(0.6), math.log(0.1) - 10.0, math.log(0.3), math.log(0.1)])
    assert table.n_pieces == 3
    assert credit_first_piece(table, np.array([1.0, 2.0, 3.0, 4.0]), 5).tolist() == [8.0, 0.0, 3.0, 4.0]


def test_rare_pieces_are_dropped_and_characters_never() -> None:
    table, is_kept = m_step(
        small_table(), expectations(0.0, 2.0, 0.4, 4.0), "maximum_likelihood", min_expected_count=0.5
    )
    assert is_kept.tolist() == [True, True, False, True]
    assert np.allclose(table.probabilities, np.array([0.5, 2.0, 4.0]) / 6.5)


def test_no_more_pieces_are_dropped_than_the_size_allows() -> None:
    _, is_kept = m_step(
        small_table(), expectations(5.0, 5.0, 0.1, 0.2), "maximum_likelihood", min_expected_count=0.5, at_least=3
    )
    assert is_kept.tolist() == [True, True, False, True]


def test_a_piece_that_is_never_expected_is_dropped() -> None:
    _, is_kept = m_step(small_table(), expectations(5.0, 5.0, 0.0, 0.2), "maximum_likelihood")
    assert is_kept.tolist() == [True, True, False, True]


@given(corpora, st.integers(2, 5))
def test_lattices_without_a_piece_keep_all_other_edges(corpus: dict[str, int], step: int) -> None:
    seeds = seeds_of(corpus, SPEC)
    is_kept = np.arange(len(seeds)) % step != 1
    is_kept[: seeds.n_characters] = step == 5  # characters never go, but the lattices hold for any mask
    with Workers(2) as workers:
        kept = finish(keep_pieces(workers, seeds.lattices, is_kept))
    numbers = np.flatnonzero(is_kept)
    before = seeds.lattices
    assert kept.edge_offsets[0] == 0
    assert kept.edge_offsets[-1] == len(kept.edge_piece) == len(kept.edge_length)
    for i in range(len(before.edge_offsets) - 1):
        start, stop = before.edge_offsets[i : i + 2]
        new = slice(*kept.edge_offsets[i : i + 2])
        is_left = is_kept[before.edge_piece[start:stop]]
        assert numbers[kept.edge_piece[new]].tolist() == before.edge_piece[start:stop][is_left].tolist()
        assert kept.edge_length[new].tolist() == before.edge_length[start:stop][is_left].tolist()


def test_compiled_and_uncompiled_kernels_keep_the_same_edges() -> None:
    lattices = seeds_of({"abab": 2, "bab": 1, "aaab": 3}, SPEC).lattices
    new_number = np.array([0, 1, -1, 2, -1, 3, 4] * 9, dtype=np.int32)
    n_positions, n_edges = len(lattices.edge_offsets) - 1, len(lattices.edge_piece)
    results = []
    for is_compiled in (True, False):
        count, keep = kernels.count_kept, kernels.keep_edges
        n = (count if is_compiled else count.py_func)(lattices.edge_piece, new_number >= 0, 0, n_edges)
        offsets, piece, length = np.zeros(n_positions + 1, np.int64), np.empty(n, np.int32), np.empty(n, np.uint8)
        n_written = (keep if is_compiled else keep.py_func)(
            *lattices.edges(), new_number, 0, n_positions, 0, n, np.empty(n_edges + 1, np.int64), offsets, piece, length
        )
        assert n_written == n
        results.append((offsets.tolist(), piece.tolist(), length.tolist()))
    assert results[0] == results[1]
