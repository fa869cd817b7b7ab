"""SentencePiece's arithmetic against plain Python that rounds to float32: the same bits at every step."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine import PRESETS, Corpus, TrainerSpec, TrainingError, train
from engine.em import Expectations, keep_pieces
from engine.kernels import sentencepiece_sums as kernels
from engine.pruning import PieceLosses, exact_losses
from engine.seeds import Seeds, UnitLattices, make_seeds
from engine.sentencepiece_rules import ListedPieces, SentencePieceRules
from engine.sentences import sentences
from engine.shards import Workers
from engine.words import count_units, running_texts
from tests.helpers import float32_oracle as oracle
from tests.helpers.stages import finish

REPOSITORY = Path(__file__).parents[2]
SPEC = replace(PRESETS["SentencePiece 0.2.1"], vocab_size=8, character_coverage=0.9, hard_vocab_limit=False)

# Two letters, so that pieces repeat and overlap within a word; q is rare enough to be no piece in most corpora.
corpora = st.dictionaries(st.text("abq ", min_size=1, max_size=7).filter(str.strip), st.integers(1, 20), min_size=1)


@dataclass(frozen=True)
class Setup:
    """What a training knows before its first round."""

    seeds: Seeds
    sentences: list[tuple[str, int]]
    rules: SentencePieceRules
    table: ListedPieces

    @property
    def lattices(self) -> UnitLattices:
        return self.seeds.lattices

    def listed(self, table: ListedPieces) -> list[tuple[str, float]]:
        """Return the list of pieces with their scores."""
        return [(self.seeds.texts[int(table.seeds[row])], float(table.log_p[row])) for row in table.order]


def set_up(counts: dict[str, int], spec: TrainerSpec = SPEC, n_target: int = 1) -> Setup:
    corpus = Corpus.from_counts(counts)
    with Workers(1) as workers:
        units = finish(count_units(workers, corpus, spec))
        running = finish(running_texts(workers, corpus, spec, units))
        words = finish(sentences(workers, running, spec, units))
        seeds = finish(make_seeds(workers, words, spec, running=running))
    rules = SentencePieceRules(spec, n_target)
    return Setup(seeds, list(zip(words.texts, words.counts.tolist(), strict=True)), rules, rules.first_table(seeds))


def kept(lattices: UnitLattices, is_kept: np.ndarray) -> UnitLattices:
    with Workers(1) as workers:
        return finish(keep_pieces(workers, lattices, is_kept))


def e_step(setup: Setup, lattices: UnitLattices, table: ListedPieces) -> Expectations:
    with Workers(2) as workers:
        return finish(setup.rules.e_step(workers, lattices, table, 1.0))


def m_step(setup: Setup, table: ListedPieces, found: Expectations) -> tuple[ListedPieces, np.ndarray]:
    following, is_kept = setup.rules.m_step(table, found)
    assert isinstance(following, ListedPieces)
    return following, is_kept


def losses(setup: Setup, lattices: UnitLattices, table: ListedPieces) -> PieceLosses:
    starts = setup.seeds.starts[table.seeds]
    with Workers(2) as workers:
        return finish(setup.rules.losses(workers, lattices, table, np.zeros(0), starts, 1.0, 1))


def random_scores(table: ListedPieces, seed: int) -> ListedPieces:
    scores = np.random.default_rng(seed).uniform(-12.0, 0.0, len(table)).astype(np.float32)
    return replace(table, log_p=scores.astype(np.float64))


@settings(deadline=None)
@given(corpora, st.integers(0, 1000))
def test_expected_counts_have_the_bits_of_the_oracle(counts: dict[str, int], seed: int) -> None:
    setup = set_up(counts)
    table = random_scores(setup.table, seed)
    pieces = setup.listed(table)
    expected, total, objective = oracle.expected_counts(setup.sentences, pieces)
    found = e_step(setup, setup.lattices, table)
    assert found.counts[table.order].tolist() == expected
    assert found.objective == objective
    unknown = sum(text.count("▅") * count for text, count in setup.sentences)
    unknown_score = oracle.f32(min(score for _, score in pieces) - 10.0)
    assert math.isclose(found.loss, unknown * unknown_score - total, rel_tol=1e-12, abs_tol=1e-9)


@settings(deadline=None)
@given(corpora)
def test_a_training_has_the_bits_of_the_oracle_at_every_step(counts: dict[str, int]) -> None:
    setup = set_up(counts)
    table, lattices = setup.table, setup.lattices
    for _ in range(4):
        found = e_step(setup, lattices, table)
        expected, _, _ = oracle.expected_counts(setup.sentences, setup.listed(table))
        following = oracle.m_step(setup.listed(table), expected)
        assume(following)
        table, is_kept = m_step(setup, table, found)
        lattices = kept(lattices, is_kept)
        assert setup.listed(table) == following
        assume(all(oracle.gap(text, following) > 1e-4 for text, _ in [*setup.sentences, *following]))
        pruned = losses(setup, lattices, table)
        best_counts, expected_losses = oracle.losses(setup.sentences, following)
        assert pruned.best_counts is not None
        assert pruned.best_counts[table.order].tolist() == best_counts
        n_sentences = float(sum(count for _, count in setup.sentences))
        for row, loss in zip(table.order, expected_losses, strict=True):
            if not table.is_protected[row]:
                assert pruned.losses[row] == n_sentences * loss
        stays = [i for i, loss in enumerate(expected_losses) if loss == math.inf]
        others = sorted((-loss, i) for i, loss in enumerate(expected_losses) if abs(loss) < math.inf)
        n_kept = max(1, len(stays), len(following) - 1)
        assume(stays or others)
        pruned_table, is_removed = setup.rules.prune(table, pruned, n_kept)
        assert isinstance(pruned_table, ListedPieces)
        table, lattices = pruned_table, kept(lattices, ~is_removed)
        order = [*stays, *(i for _, i in others[: n_kept - len(stays)])]
        assert setup.listed(table) == [following[i] for i in order]


def test_seeds_have_the_bits_of_the_oracle() -> None:
    setup = set_up({"the cat sat": 3, "the mat": 2, "abab": 5})
    weights = (setup.seeds.counts * setup.seeds.lengths).tolist()
    total = 0.0
    for weight in weights:
        total = oracle.f32(total + weight)
    log_total = oracle.f32(math.log(total))
    assert [score for _, score in setup.listed(setup.table)] == [
        oracle.f32(math.log(weight) - log_total) for weight in weights
    ]


def test_seeds_of_equal_score_come_as_a_walk_over_the_suffix_tree_leaves_them() -> None:
    # aa occurs 4 times in 2 x aaa, and twice as aaa: 8 against 6; xy and xyxy score 2 x 4 = 4 x 2 and end together.
    texts = list(set_up({"xyxy xyxyz": 1}, replace(SPEC, add_dummy_prefix=False, character_coverage=1.0)).seeds.texts)
    assert texts.index("xyxy") < texts.index("xy")


def test_a_required_character_that_never_occurs_is_unknown_until_the_end() -> None:
    setup = set_up({"abab": 5}, replace(SPEC, required_chars="z"))
    assert [setup.seeds.texts[i] for i in np.flatnonzero(setup.table.is_unknown).tolist()] == ["z"]
    assert "z" not in dict(setup.listed(setup.table))


def test_sums_of_logarithms_leave_out_what_is_smaller_by_50() -> None:
    a, b = np.float32(-3.0), np.float32(-53.5)
    assert kernels.add_logs(a, b) == kernels.add_logs(b, a) == a
    assert kernels.add_logs(a, np.float32(-52.5)) == oracle.log_sum([-3.0, -52.5])


@given(st.floats(0.0001, 1e7))
def test_digamma_has_the_bits_of_the_oracle(x: float) -> None:
    assert kernels.digamma(x) == pytest.approx(oracle.digamma(x), rel=1e-15, abs=1e-15)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=40))
def test_the_heap_gives_the_highest_priority_first(values: list[int]) -> None:
    priority = np.array(values, dtype=np.float32)
    heap = np.empty(len(values), dtype=np.int32)
    for path in range(len(values)):
        kernels.push_path(heap, path, path, priority)
    popped = [int(kernels.pop_path(heap, len(values) - i, priority)) for i in range(len(values))]
    assert [values[path] for path in popped] == sorted(values, reverse=True)
    assert sorted(popped) == list(range(len(values)))


def test_paths_of_equal_priority_leave_the_heap_as_std_priority_queue_lets_them() -> None:
    # What a program with std::priority_queue printed, built with g++ (libstdc++).
    priority, heap = np.zeros(10, dtype=np.float32), np.empty(24, dtype=np.int32)
    for path in range(10):
        kernels.push_path(heap, path, path, priority)
    assert [int(kernels.pop_path(heap, 10 - i, priority)) for i in range(10)] == [0, 2, 6, 9, 8, 5, 7, 4, 1, 3]
    priority, size, popped = np.array([i * 7 % 3 for i in range(24)], dtype=np.float32), 0, []
    for path in range(24):
        kernels.push_path(heap, size, path, priority)
        size += 1
        if path % 2:
            popped.append(int(kernels.pop_path(heap, size, priority)))
            size -= 1
    popped += [int(kernels.pop_path(heap, size - i, priority)) for i in range(size)]
    assert popped == [1, 2, 5, 4, 8, 11, 7, 14, 17, 10, 20, 23, 13, 22, 19, 16, 3, 12, 21, 0, 15, 9, 18, 6]


@pytest.mark.parametrize("most", [10_000, 12])
def test_of_very_many_open_paths_the_best_go_on(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(kernels, "MOST_OPEN_PATHS", most)
    monkeypatch.setattr(kernels, "FEWER_OPEN_PATHS", 5)
    monkeypatch.setattr(kernels, "keep_best_open", kernels.keep_best_open.py_func)
    setup = set_up({"a" * 9: 9, "a" * 8: 3}, replace(SPEC, add_dummy_prefix=False))
    lattices, n = setup.lattices, 9
    columns = [np.empty(200, dtype) for dtype in (*(np.int32,) * 3, *(np.float32,) * 2, *(np.int32,) * 3)]
    begin, end, piece, score, best, before, into, into_offsets = columns
    even = replace(setup.table, log_p=np.full(len(setup.table), -1.0) * setup.table.lengths)  # all paths tie
    n_nodes = kernels.lay_nodes(
        *lattices.edges(), *even.scored(), 0, n, begin, end, piece, score, into, into_offsets
    )
    _, best_sum = kernels.find_best_path(n_nodes, n, begin, score, into, into_offsets, best, before)
    heap, path_node, path_next = (np.empty(10_100, dtype=np.int32) for _ in range(3))
    path_sum, priority = (np.empty(30, dtype=np.float32) for _ in range(2))
    n_found, found, path_node, path_next, path_sum, _ = kernels.two_best_paths.py_func(
        best_sum, n, begin, score, best, into, into_offsets, heap, path_node[:30], path_next[:30], path_sum, priority
    )
    assert n_found == 2
    paths: list[list[tuple[int, int]]] = []
    for path in found.tolist():
        paths.append([])
        while path_node[path] != kernels.END:
            paths[-1].append((int(begin[path_node[path]]), int(end[path_node[path]])))
            path = int(path_next[path])
    assert paths[0] != paths[1]
    for cut in paths:
        assert [0, *(end for _, end in cut)] == [*(begin for begin, _ in cut), n]


def test_pieces_of_equal_loss_stay_in_the_order_of_the_list() -> None:
    setup = set_up({"abc abd abe": 4, "cd ce de": 2})
    table = setup.table
    order = np.concatenate((table.order[:1], table.order[:0:-1]))  # no longer that of the candidates
    table = replace(table, order=order)
    even = PieceLosses(np.where(table.is_protected, np.nan, 1.0), np.zeros(len(table), dtype=bool), None,
                       np.ones(len(table)))  # fmt: skip
    n_characters = int(table.is_protected.sum())
    pruned, _ = setup.rules.prune(table, even, n_characters + 2)
    assert isinstance(pruned, ListedPieces)
    kept_others = [text for text, _ in setup.listed(pruned)][n_characters:]
    assert kept_others == [text for text, _ in setup.listed(table) if len(text) > 1][:2]


def test_so_many_pieces_stay_as_the_size_needs() -> None:
    setup = set_up({"abab": 3, "ab": 2}, n_target=4)
    nothing = Expectations(np.where(setup.table.is_protected, 1.0, 0.0), 0.0)
    table, is_kept = m_step(setup, setup.table, nothing)
    assert np.count_nonzero(is_kept) == 4
    assert np.isfinite(table.log_p).all()


def test_where_no_piece_is_expected_often_enough_the_setting_is_named() -> None:
    setup = set_up({"ab": 1}, replace(SPEC, min_expected_count=9.0))
    with pytest.raises(TrainingError, match="No piece is expected often enough to stay: lower min_expected_count"):
        m_step(setup, setup.table, Expectations(np.ones(len(setup.table)), 0.0))


@settings(deadline=None)
@given(corpora, st.integers(0, 1000))
def test_final_losses_are_those_of_units_cut_at_unknown_characters(counts: dict[str, int], seed: int) -> None:
    setup = set_up(counts)
    table = random_scores(setup.table, seed)
    with Workers(1) as workers:
        units = finish(count_units(workers, Corpus.from_counts(counts), SPEC))
        plain = finish(make_seeds(workers, units, SPEC, running=finish(
            running_texts(workers, Corpus.from_counts(counts), SPEC, units)
        )))  # fmt: skip
        assert list(plain.texts) == list(setup.seeds.texts)
        expected = finish(exact_losses(workers, plain.lattices, table, 1.0))
        found = finish(setup.rules.final_losses(workers, setup.lattices, table, 1.0))
    assert found.corpus_loss == pytest.approx(expected.corpus_loss, rel=1e-12, abs=1e-9)
    assert np.allclose(found.losses, expected.losses, rtol=1e-9, atol=1e-9, equal_nan=True)


@pytest.mark.parametrize(
    "change", [{"m_step": "additive"}, {"pruning_criterion": "exact"}, {"seed_source": "units"}, {"renormalize": True}]
)
def test_the_arithmetic_is_refused_for_other_rules(change: dict[str, Any]) -> None:
    [(name, value)] = change.items()
    with pytest.raises(TrainingError, match=f"{name} is {value!r}, but arithmetic 'sentencepiece'.*or arithmetic"):
        replace(SPEC, **change)
    assert getattr(replace(SPEC, arithmetic="float64", **change), name) == value


def test_both_arithmetics_agree_but_for_rounding() -> None:
    corpus = Corpus.from_file(REPOSITORY / "resources/samples/prose.txt")
    spec = replace(PRESETS["SentencePiece 0.2.1"], vocab_size=1200)
    runs = [train(corpus, replace(spec, arithmetic=arithmetic)) for arithmetic in ("float64", "sentencepiece")]
    found = [dict(zip(run.result().pieces.texts, run.result().pieces.log_probs.tolist(), strict=True)) for run in runs]
    both = found[0].keys() & found[1].keys()
    assert len(both) >= 0.99 * 1200
    assert all(found[0][text] == pytest.approx(found[1][text], abs=0.01) for text in both)
    for one, other in zip(*(run.history.updates for run in runs if run.history), strict=True):
        assert one.loss_before == pytest.approx(other.loss_before, rel=1e-4)


TRAIN = """
import hashlib
from dataclasses import replace
from engine import PRESETS, Corpus, train
corpus = Corpus.from_counts({"the cat sat on the mat": 3, "that cat is fat": 2, "abababab": 4, "a quick cat": 1})
spec = replace(PRESETS["SentencePiece 0.2.1"], vocab_size=24, character_coverage=0.98)
print(hashlib.sha256(train(corpus, spec, threads=1).result().to_document().data).hexdigest())
"""


def test_compiled_and_uncompiled_kernels_train_the_same_model() -> None:
    digests = {
        subprocess.run(
            [sys.executable, "-W", "ignore", "-c", TRAIN], cwd=REPOSITORY, capture_output=True, text=True, check=True,
            env={**os.environ, "NUMBA_DISABLE_JIT": disabled}, timeout=110,
        ).stdout
        for disabled in ("0", "1")
    }  # fmt: skip
    assert len(digests) == 1


def test_the_saved_model_has_the_same_bytes_for_any_number_of_threads() -> None:
    corpus = Corpus.from_file(REPOSITORY / "resources/samples/prose.txt")
    spec = replace(PRESETS["SentencePiece 0.2.1"], vocab_size=1200)
    models = [train(corpus, spec, threads=threads).result().to_document().data for threads in (1, 2, 8)]
    assert models[0] == models[1] == models[2]
