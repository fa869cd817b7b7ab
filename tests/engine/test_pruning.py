"""Losses against enumeration: exact, lazily exact, and SentencePiece's; and which pieces go."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import TrainerSpec, pruning
from engine.em import PieceProbabilities
from engine.kernels import pruning_loss as kernels
from engine.pruning import (
    PieceLosses,
    choose_removed,
    count_logp_losses,
    exact_losses,
    sentencepiece_losses,
    viterbi_losses,
)
from engine.seeds import Seeds
from engine.shards import Workers
from tests.helpers import training_oracle as oracle
from tests.helpers.stages import ALL_SUBSTRINGS, finish, seeds_of, table_of

SPEC = TrainerSpec(**ALL_SUBSTRINGS)  # type: ignore[arg-type]
DATA = Path(__file__).parent.parent / "data"

# Two letters, so that pieces repeat and overlap within a text.
corpora = st.dictionaries(st.text("ab", min_size=1, max_size=8), st.integers(1, 50), min_size=1, max_size=5)


def random_table(seeds: Seeds, seed: int, spread: float = 6.0) -> dict[str, float]:
    weights = np.exp(np.random.default_rng(seed).uniform(-spread, 0.0, len(seeds)))
    return dict(zip(seeds.texts, (weights / weights.sum()).tolist(), strict=True))


def losses_of(
    seeds: Seeds, table: PieceProbabilities, n_removed: int | None = None, log_kappa: float = 1.0, threads: int = 2
) -> PieceLosses:
    with Workers(threads) as workers:
        return finish(exact_losses(workers, seeds.lattices, table, log_kappa, n_removed))


@settings(deadline=None)
@given(corpora, st.integers(0, 1000))
def test_exact_losses_equal_enumeration(corpus: dict[str, int], seed: int) -> None:
    seeds = seeds_of(corpus, SPEC)
    pieces = random_table(seeds, seed)
    found = losses_of(seeds, table_of(seeds, pieces))
    assert found.corpus_loss is not None
    assert math.isclose(found.corpus_loss, oracle.corpus_loss(corpus, pieces), rel_tol=1e-10)
    for piece, value, expected in zip(pieces, found.losses, oracle.exact_losses(corpus, pieces).values(), strict=True):
        if len(piece) == 1:
            assert math.isnan(value)
        else:
            assert math.isclose(value, expected, rel_tol=1e-9, abs_tol=1e-9)


@settings(deadline=None)
@given(corpora, st.integers(0, 1000))
def test_exact_losses_equal_enumeration_where_one_path_has_almost_all_of_the_mass(
    corpus: dict[str, int], seed: int
) -> None:
    seeds = seeds_of(corpus, SPEC)
    pieces = random_table(seeds, seed, spread=25.0)
    losses = losses_of(seeds, table_of(seeds, pieces)).losses.tolist()
    for piece, value, expected in zip(pieces, losses, oracle.exact_losses(corpus, pieces).values(), strict=True):
        assert len(piece) == 1 or math.isclose(value, expected, rel_tol=1e-9, abs_tol=1e-9)


def test_the_logarithm_of_what_is_left_is_right_to_1e_15() -> None:
    rng = np.random.default_rng(0)
    borders = [1.0 - math.sqrt(0.5) * 2.0**-k for k in range(11)]
    around = [border * (1.0 + side * 2.0**-52) for border in borders for side in (-1, 0, 1)]
    shares = [0.0, 1e-300, 1.0 - 1e-12, *around, *rng.uniform(0, 1, 2000), *np.exp(rng.uniform(-40, 0, 2000))]
    waiting = np.arange(len(shares), dtype=np.int32), np.array(shares), np.ones(len(shares))
    losses = np.zeros(len(shares))
    kernels.add_waiting(len(shares), waiting, losses)
    for share, value in zip(shares, losses.tolist(), strict=True):
        assert math.isclose(value, -math.log1p(-share), rel_tol=1e-15)
        assert kernels.minus_log_without.py_func(np.float64(share)) == value


@pytest.mark.parametrize("text", ["aaaa", "abababab", "aaabaaab", "aabbaabb"])
def test_repeats_and_overlaps_are_not_counted_twice(text: str) -> None:
    seeds = seeds_of({text: 3}, SPEC)
    pieces = random_table(seeds, 5)
    expected = oracle.exact_losses({text: 3}, pieces)
    for piece, value in zip(pieces, losses_of(seeds, table_of(seeds, pieces)).losses, strict=True):
        if len(piece) > 1:
            assert math.isclose(value, expected[piece], rel_tol=1e-12, abs_tol=1e-12)


def test_the_less_probable_piece_can_be_the_dearer() -> None:
    golden = json.loads((DATA / "low_probability_high_loss.json").read_text(encoding="utf-8"))
    corpus = {**golden["corpus"], "x": 1}
    seeds = seeds_of(corpus, SPEC)
    losses = losses_of(seeds, table_of(seeds, golden["probabilities"])).losses
    found = dict(zip(seeds.texts, losses.tolist(), strict=True))
    for piece, expected in golden["exact_delta"].items():
        assert math.isclose(found[piece], expected, rel_tol=1e-10)


def test_a_piece_with_almost_all_of_the_mass_loses_no_digits() -> None:
    seeds = seeds_of({"ab": 1}, SPEC)
    pieces = {"a": 1e-12, "b": 1e-12, "ab": 1.0 - 2e-12}
    losses = dict(zip(seeds.texts, losses_of(seeds, table_of(seeds, pieces)).losses.tolist(), strict=True))
    exact = -math.log(1e-24 / (1.0 - 2e-12 + 1e-24))
    assert math.isclose(losses["ab"], exact, rel_tol=1e-12)


def test_texts_in_the_log_domain_have_the_same_losses() -> None:
    corpus = {"ab" * 300 + "ba" * 200: 2, "abba": 1}
    seeds = seeds_of(corpus, SPEC)
    table = table_of(seeds, random_table(seeds, 2))
    reference = losses_of(seeds, table, log_kappa=2.0)
    for log_kappa in (-300.0, 300.0):
        found = losses_of(seeds, table, log_kappa=log_kappa)
        assert np.allclose(found.losses, reference.losses, rtol=1e-9, atol=0, equal_nan=True)


@pytest.mark.parametrize(("n_removed", "at_once"), [(1, 0), (5, 0), (17, 0), (17, 1)])
def test_put_off_losses_leave_the_decision_exact(
    monkeypatch: pytest.MonkeyPatch, n_removed: int, at_once: int
) -> None:
    rng = np.random.default_rng(0)
    corpus = {"".join(rng.choice(list("abc"), 60)): int(rng.integers(1, 9)) for _ in range(20)}
    corpus |= {"abcab": 3, "abab": 2}  # whose passes are short
    seeds = seeds_of(corpus, SPEC)
    table = table_of(seeds, random_table(seeds, 6, spread=3.0))
    everything = losses_of(seeds, table)
    assert not everything.is_bound.any()
    monkeypatch.setattr(pruning, "_ALL_AT_ONCE", at_once)
    monkeypatch.setattr(pruning, "_AFFORDABLE", 0)
    lazy = losses_of(seeds, table, n_removed)
    assert lazy.is_bound.any()
    exact = ~lazy.is_bound
    assert np.allclose(lazy.losses[exact], everything.losses[exact], rtol=1e-12, equal_nan=True)
    assert (lazy.losses[lazy.is_bound] <= everything.losses[lazy.is_bound]).all()
    removed = choose_removed(lazy.losses, n_removed, n_removed)
    assert np.array_equal(removed, choose_removed(everything.losses, n_removed, n_removed))
    assert not lazy.is_bound[removed].any()


def test_losses_do_not_depend_on_the_number_of_threads() -> None:
    corpus = {f"text{i}abab{i * i}": i + 1 for i in range(300)}
    seeds = seeds_of(corpus, SPEC)
    table = table_of(seeds, random_table(seeds, 3))
    first = losses_of(seeds, table, threads=1)
    for threads in (2, 8):
        assert np.array_equal(losses_of(seeds, table, threads=threads).losses, first.losses, equal_nan=True)


def test_compiled_and_uncompiled_kernels_agree() -> None:
    seeds = seeds_of({"abab": 2, "bab": 1, "aaaab": 3}, SPEC)
    assert seeds.lattices.has_repeats.sum() == 2
    table = table_of(seeds, random_table(seeds, 4))
    lattices, n = seeds.lattices, len(seeds)
    everybody = np.ones(n, dtype=bool)
    for is_safe, at_once in ((True, 4), (False, 4), (True, 0)):
        results = []
        for function in (kernels.exact_losses, kernels.exact_losses.py_func):
            losses, bounds, is_put_off = np.zeros(n), np.zeros(n), np.zeros(3, dtype=bool)
            totals = []
            for is_wanted, only_put_off in ((everybody, False), (np.arange(n) % 2 == 0, True)):
                total = function(
                    *lattices.units(), lattices.has_repeats, *lattices.edges(),
                    np.exp(table.log_p + table.lengths), table.log_p, 1.0, is_safe, 4, at_once, is_wanted,
                    is_put_off, only_put_off, 0, 3, *pruning._ExactScratch(lattices, n).columns(), losses, bounds,
                )  # fmt: skip
                totals.append(total)
            assert is_put_off.any() == (at_once == 0)
            results.append((totals, losses, bounds))
        assert results[0][0] == results[1][0]
        assert np.array_equal(results[0][1], results[1][1])
        assert np.array_equal(results[0][2], results[1][2])


# -- the other criteria ----------------------------------------------------------------------------------------


def best_cut(text: str, pieces: dict[str, float], without: str | None = None) -> tuple[str, ...]:
    return max(oracle.cuts(text, pieces, without), key=lambda cut: math.prod(pieces[p] for p in cut), default=())


def sentencepiece_loss(corpus: dict[str, int], pieces: dict[str, float], piece: str) -> float:
    """SentencePiece's loss as its source states it, on the best cuts of all texts."""
    counts = dict.fromkeys(pieces, 0)
    for text, count in corpus.items():
        for part in best_cut(text, pieces):
            counts[part] += count
    other = best_cut(piece, pieces, without=piece)
    own, total = counts[piece], sum(counts.values())
    if own == 0 or math.prod(pieces[p] for p in other) > pieces[piece]:
        return -math.inf
    log_total = math.log(total + own * (len(other) - 1))
    log_other = sum(math.log(counts[p] + own) - log_total for p in other)
    return own * (math.log(own) - math.log(total) - log_other)


@settings(deadline=None)
@given(corpora, st.integers(0, 100))
def test_sentencepieces_losses_follow_its_formula(corpus: dict[str, int], seed: int) -> None:
    seeds = seeds_of(corpus, SPEC)
    pieces = random_table(seeds, seed)
    with Workers(1) as workers:
        found = finish(sentencepiece_losses(workers, seeds.lattices, table_of(seeds, pieces), seeds.starts))
    for piece, value in zip(pieces, found.losses.tolist(), strict=True):
        if len(piece) > 1:
            expected = sentencepiece_loss(corpus, pieces, piece)
            assert value == expected or math.isclose(value, expected, rel_tol=1e-9, abs_tol=1e-9)


@settings(deadline=None)
@given(corpora, st.integers(0, 100))
def test_viterbi_losses_are_the_fall_of_the_best_cuts(corpus: dict[str, int], seed: int) -> None:
    seeds = seeds_of(corpus, SPEC)
    pieces = random_table(seeds, seed)
    with Workers(2) as workers:
        found = finish(viterbi_losses(workers, seeds.lattices, table_of(seeds, pieces)))

    def best(text: str, without: str | None = None) -> float:
        return math.log(math.prod(pieces[p] for p in best_cut(text, pieces, without)))

    for piece, value in zip(pieces, found.losses.tolist(), strict=True):
        if len(piece) > 1:
            expected = sum(count * (best(text) - best(text, piece)) for text, count in corpus.items())
            assert math.isclose(value, expected, rel_tol=1e-9, abs_tol=1e-9)


def test_count_logp_is_count_times_minus_ln_p() -> None:
    seeds = seeds_of({"ab": 1}, SPEC)
    losses = count_logp_losses(table_of(seeds), np.array([1.0, 2.0, 3.0])).losses
    assert math.isnan(losses[0])
    assert math.isclose(losses[2], 3.0 * math.log(3))


def test_what_is_lost_for_nothing_goes_beyond_the_number_but_not_below_the_size() -> None:
    losses = np.array([np.nan, -np.inf, -np.inf, -np.inf, 1.0, 2.0])
    assert choose_removed(losses, 1, 5).sum() == 3
    assert choose_removed(losses, 1, 2).sum() == 2
    assert choose_removed(losses, 9, 9).tolist() == [False, True, True, True, True, True]
