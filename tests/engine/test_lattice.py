"""The lattice against worked examples (60 digits, see tests/data) and against enumeration."""

from __future__ import annotations

import itertools
import math
import threading

import numpy as np
import pytest
from hypothesis import given, settings

from engine.errors import Cancelled, EngineError, TextError
from engine.lattice import Lattice
from engine.model import UnigramModel
from tests.helpers import enumeration
from tests.helpers.toy_models import golden, log_probs_of, models, texts_of_ab

UNABLE = golden("unable_lattice.json")
ABC = golden("abc_encoding.json")


def close(expected: object) -> object:
    return pytest.approx(expected, rel=1e-10, abs=1e-12)


@pytest.fixture
def unable() -> Lattice:
    return UnigramModel.from_probabilities(UNABLE["probabilities"]).lattice("unable")


@pytest.fixture
def abc() -> UnigramModel:
    ids = {text: i for text, i in ABC["ids"].items() if text != "<unk>"}
    return UnigramModel.from_probabilities(ABC["probabilities"], ids=ids)


def test_unable_has_11_paths_and_the_probability_of_all_of_them(unable: Lattice) -> None:
    assert unable.n_paths == UNABLE["n_paths"] == 11
    assert math.exp(unable.log_z) == close(UNABLE["p_x"])


def test_unable_forward_and_backward(unable: Lattice) -> None:
    assert unable.forward == close(UNABLE["forward"])
    assert unable.backward == close(UNABLE["backward"])


def test_unable_posterior_of_every_edge(unable: Lattice) -> None:
    labels = [f"{unable.text[i:j]}@{i}" for i, j in zip(unable.edge_start, unable.edge_end, strict=True)]
    assert dict(zip(labels, unable.posteriors.tolist(), strict=True)) == close(UNABLE["posterior"])


def test_unable_n_best_come_in_order_with_their_shares(unable: Lattice) -> None:
    found = unable.n_best(11)
    assert [list(path.pieces) for path in found] == [path["pieces"] for path in UNABLE["paths"]]
    assert [math.exp(path.score) for path in found] == close([path["probability"] for path in UNABLE["paths"]])
    assert [unable.share(path) for path in found] == close([path["share"] for path in UNABLE["paths"]])


def test_asking_for_more_paths_than_there_are_gives_all_of_them(unable: Lattice) -> None:
    assert unable.n_best(50) == unable.n_best(11)


def test_unable_entropy(unable: Lattice) -> None:
    assert unable.entropy == close(UNABLE["entropy_nats"])


@pytest.mark.parametrize("piece", UNABLE["probabilities"])
def test_unable_exact_and_viterbi_deltas(unable: Lattice, piece: str) -> None:
    without = unable.without(piece)
    assert unable.log_z - without.log_z == close(UNABLE["exact_delta"][piece])
    assert unable.best().score - without.best().score == close(UNABLE["viterbi_delta"][piece])


@pytest.mark.parametrize("alpha", UNABLE["sampling"])
def test_unable_law_of_a_path_at_each_inverse_temperature(unable: Lattice, alpha: str) -> None:
    law = {"|".join(path.pieces): share for path, share in unable.path_law(float(alpha))}
    assert law == close(UNABLE["sampling"][alpha])


@pytest.mark.parametrize("alpha", [0.2, 1.0])
def test_samples_follow_the_law(unable: Lattice, alpha: float) -> None:
    n = 20_000
    drawn = unable.sample(alpha, rng=np.random.default_rng(2024), size=n)
    counts = {path.edges: 0 for path, _ in unable.path_law(alpha)}
    for path in drawn:
        counts[path.edges] += 1
    cells = [(counts[path.edges], share * n) for path, share in unable.path_law(alpha) if share * n >= 5]
    cells.append((n - sum(seen for seen, _ in cells), n - sum(expected for _, expected in cells)))
    chi_square = sum((seen - expected) ** 2 / expected for seen, expected in cells if expected > 1e-9)
    # The 99.9 % point of chi-square with 10 degrees of freedom; fewer cells only make the test stricter.
    assert chi_square < 29.6


def test_one_sample_is_a_path_and_a_seed_repeats_it(unable: Lattice) -> None:
    once = unable.sample(0.5, rng=np.random.default_rng(7))
    assert once == unable.sample(0.5, rng=np.random.default_rng(7))
    assert "".join(once.pieces) == "unable"


def test_the_less_probable_piece_can_be_the_dearer_to_remove() -> None:
    example = golden("low_probability_high_loss.json")
    model = UnigramModel.from_probabilities(example["probabilities"])
    for text, delta in example["exact_delta"].items():
        lattice = model.lattice(text)
        assert lattice.log_z - lattice.without(text).log_z == close(delta)


def test_abcabc_viterbi_table(abc: UnigramModel) -> None:
    lattice, expected = abc.lattice("abcabc"), ABC["abcabc"]
    table, best = lattice.best_table(), lattice.best()
    assert lattice.n_paths == expected["paths"] == 16
    assert table.score == close(expected["viterbi_table"])
    assert table.previous[6] == expected["previous_boundary_of_6"]
    assert (list(best.pieces), list(best.ids)) == (expected["pieces"], [1, 5, 1, 5])
    assert best.score == close(expected["best_score"])


def test_abcabc_candidates_of_the_last_boundary(abc: UnigramModel) -> None:
    lattice = abc.lattice("abcabc")
    order, offsets = lattice.edges_by_end
    score = lattice.best_table().score
    found = {
        lattice.text[lattice.edge_start[e] :]: score[lattice.edge_start[e]] + lattice.edge_log_p[e]
        for e in order[offsets[6] : offsets[7]]
    }
    assert found == close(ABC["abcabc"]["candidates_ending_at_6"])


def test_all_363_strings_by_viterbi_and_by_enumeration(abc: UnigramModel) -> None:
    log_probs = log_probs_of(abc)
    strings = ["".join(letters) for n in range(1, 6) for letters in itertools.product("abc", repeat=n)]
    assert set(strings) == set(ABC["strings"])
    for text in strings:
        best_score, n_paths = ABC["strings"][text]
        lattice = abc.lattice(text)
        assert lattice.n_paths == n_paths == len(enumeration.paths(text, log_probs))
        assert lattice.best().score == close(best_score)
        assert abc.segment(text).score == close(best_score)
        assert max(path.log_p for path in enumeration.paths(text, log_probs)) == close(best_score)
        assert abc.decode(abc.encode(text)) == text


def test_200_pieces_of_a_hundredth_do_not_vanish() -> None:
    lattice = UnigramModel.from_probabilities({"a": 0.01}).lattice("a" * 200)
    assert 0.01**200 == 0.0
    assert lattice.best().score == pytest.approx(-921.034, abs=5e-4)
    assert lattice.log_z == pytest.approx(200 * math.log(0.01), rel=1e-12)
    assert lattice.posteriors == close([1.0] * 200)
    assert lattice.entropy == 0.0


@settings(deadline=None)
@given(models(), texts_of_ab)
def test_sums_equal_enumeration(model: UnigramModel, text: str) -> None:
    lattice, log_probs = model.lattice(text), log_probs_of(model)
    assert math.exp(lattice.log_z) == close(enumeration.total(text, log_probs))
    assert lattice.n_paths == len(enumeration.paths(text, log_probs))
    assert lattice.entropy == pytest.approx(enumeration.entropy(text, log_probs), rel=1e-9, abs=1e-11)
    for e in range(lattice.n_edges):
        start, end = int(lattice.edge_start[e]), int(lattice.edge_end[e])
        expected = enumeration.edge_posterior(text, log_probs, start, text[start:end])
        assert lattice.posteriors[e] == close(expected)


@settings(deadline=None)
@given(models(), texts_of_ab)
def test_n_best_equals_enumeration(model: UnigramModel, text: str) -> None:
    lattice = model.lattice(text)
    every = sorted(enumeration.paths(text, log_probs_of(model)), key=lambda path: -path.log_p)
    found = lattice.n_best(len(every) + 3)
    assert {path.pieces for path in found} == {path.pieces for path in every}
    assert len(found) == len(every)
    assert [path.score for path in found] == close([path.log_p for path in every])
    assert [path.score for path in found] == sorted((path.score for path in found), reverse=True)
    assert found[0].ends == tuple(model.segment(text).ends.tolist())


@settings(deadline=None)
@given(models(), texts_of_ab)
def test_edges_over_any_character_share_one(model: UnigramModel, text: str) -> None:
    lattice = model.lattice(text)
    for i in range(len(text)):
        covers = (lattice.edge_start <= i) & (lattice.edge_end > i)
        assert lattice.posteriors[covers].sum() == pytest.approx(1.0, rel=1e-12)


@settings(deadline=None)
@given(models(), texts_of_ab)
def test_a_lattice_has_at_most_one_edge_for_each_start_and_length(model: UnigramModel, text: str) -> None:
    lattice = model.lattice(text)
    longest = max(map(len, model.pieces.texts))
    assert lattice.n_edges <= len(text) * longest
    spans = list(zip(lattice.edge_start.tolist(), lattice.edge_end.tolist(), strict=True))
    assert spans == sorted(set(spans))
    assert np.array_equal(lattice.edge_offsets, np.searchsorted(lattice.edge_start, np.arange(len(text) + 1)))


@pytest.mark.parametrize("n", [1, 2, 7, 12])
def test_every_cut_is_a_path_where_every_substring_is_a_piece(n: int) -> None:
    text = "abcdefghijkl"[:n]
    substrings = {text[i:j] for i in range(n) for j in range(i + 1, n + 1)}
    lattice = UnigramModel.from_probabilities(dict.fromkeys(sorted(substrings), 0.01)).lattice(text)
    assert lattice.n_paths == 2 ** (n - 1)
    assert lattice.n_edges == n * (n + 1) // 2


def test_the_number_of_paths_is_exact_at_any_size() -> None:
    model = UnigramModel.from_probabilities({"a": 0.5, "aa": 0.25, "b": 0.25})
    fibonacci = [1, 1]
    for _ in range(1000):
        fibonacci.append(fibonacci[-1] + fibonacci[-2])
    assert model.lattice("a" * 1000).n_paths == fibonacci[1000]
    # A boundary that nothing jumps over takes the text apart: the counts multiply.
    assert model.lattice("b".join(["a" * 300] * 5)).n_paths == fibonacci[300] ** 5
    assert model.lattice("a" * 1000).log_n_paths == close(math.log(fibonacci[1000]))


def test_an_empty_text_has_one_empty_path() -> None:
    lattice = UnigramModel.from_probabilities({"a": 1.0}).lattice("")
    assert (lattice.n_paths, lattice.log_z, lattice.entropy, lattice.n_edges) == (1, 0.0, 0.0, 0)
    assert [path.pieces for path in lattice.n_best(3)] == [()]
    assert lattice.sample(rng=np.random.default_rng(0)).edges == ()


def test_an_unknown_character_is_one_edge_ten_below_the_least_probable_piece() -> None:
    lattice = UnigramModel.from_probabilities({"a": 0.5, "ab": 0.25}).lattice("ab?")
    assert lattice.edge_is_unknown.tolist() == [False, False, True, True]
    assert lattice.edge_piece.tolist() == [1, 2, 0, 0]
    assert lattice.edge_log_p[2:] == close([math.log(0.25) - 10] * 2)


def test_without_the_only_way_through_no_path_is_left() -> None:
    lattice = UnigramModel.from_probabilities({"a": 0.5, "b": 0.5}).lattice("ab").without("b")
    assert (lattice.log_z, lattice.n_paths) == (-math.inf, 0)
    assert lattice.posteriors.tolist() == [0.0]
    assert lattice.n_best(2) == ()
    with pytest.raises(EngineError, match="No path through 'ab' is left"):
        lattice.best()
    with pytest.raises(EngineError, match="No path"):
        lattice.sample(rng=np.random.default_rng(0))


def test_without_takes_an_id_and_names_what_is_no_piece(unable: Lattice) -> None:
    assert unable.without(1).log_z == unable.without("un").log_z
    with pytest.raises(EngineError, match="'xyz' is no piece"):
        unable.without("xyz")
    for piece in (12, -1, 1.5, None):
        with pytest.raises(EngineError, match=f"^There is no piece {piece}; IDs run from 0 to 11"):
            unable.without(piece)  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [-1, 1.5, "x"])
def test_a_number_of_paths_that_is_none_is_refused(unable: Lattice, size: object) -> None:
    rng = np.random.default_rng(1)
    with pytest.raises(TextError, match=f"^{size!r} best paths cannot be listed; ask for a whole number from 1 on"):
        unable.n_best(size)  # type: ignore[arg-type]
    with pytest.raises(TextError, match=f"^{size!r} paths cannot be drawn; ask for a whole number from 0 on"):
        unable.sample(rng=rng, size=size)  # type: ignore[call-overload]
    assert unable.sample(rng=rng, size=0) == ()
    for alpha in ("x", None, -1, float("nan")):
        with pytest.raises(TextError, match=f"^alpha is {alpha!r}; the inverse temperature"):
            unable.sample(alpha, rng=rng)  # type: ignore[arg-type]


def test_a_path_can_be_named_by_its_cuts(unable: Lattice) -> None:
    assert unable.path_from_cuts([0, 2], [2, 6]) == unable.best()
    with pytest.raises(EngineError, match="From 0 to 3 no piece matches here"):
        unable.path_from_cuts([0, 3], [3, 6])


@pytest.mark.parametrize("alpha", [-1.0, math.nan, math.inf])
def test_an_inverse_temperature_below_0_is_refused(unable: Lattice, alpha: float) -> None:
    with pytest.raises(EngineError, match="alpha is"):
        unable.sample(alpha, rng=np.random.default_rng(0))
    with pytest.raises(EngineError, match="alpha is"):
        unable.path_law(alpha)


def test_a_law_over_too_many_paths_is_refused() -> None:
    lattice = UnigramModel.from_probabilities({"a": 0.5, "aa": 0.25}).lattice("a" * 100)
    with pytest.raises(EngineError, match="more than 100,000 paths"):
        lattice.path_law()


def test_no_best_paths_is_no_number(unable: Lattice) -> None:
    with pytest.raises(EngineError, match="ask for a whole number from 1 on"):
        unable.n_best(0)


@pytest.mark.parametrize("cuts", [([0], [99]), ([-1], [2]), ([6], [7]), ([0, 2], [2, 2]), ([1], [-1])])
def test_cuts_outside_the_text_are_refused(unable: Lattice, cuts: tuple[list[int], list[int]]) -> None:
    with pytest.raises(EngineError, match="no piece matches"):
        unable.path_from_cuts(*cuts)


def test_evaluating_beforehand_changes_no_number(abc: UnigramModel) -> None:
    lazy, eager = abc.lattice("abcabc"), abc.lattice("abcabc").evaluate()
    assert eager.n_paths == lazy.n_paths
    assert eager.entropy == lazy.entropy
    for name in ("log_forward", "log_backward", "posteriors", "boundary_posteriors"):
        assert np.array_equal(getattr(eager, name), getattr(lazy, name))
    assert np.array_equal(eager.best_table().edge, lazy.best_table().edge)


def test_a_set_cancel_token_stops_the_work(unable: Lattice) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        unable.evaluate(cancel)
    with pytest.raises(Cancelled):
        unable.n_best(3, cancel)


def test_arrays_are_read_only(unable: Lattice) -> None:
    for name in ("edge_start", "edge_log_p", "edge_offsets", "posteriors", "log_forward", "log_backward"):
        assert not getattr(unable, name).flags.writeable


def test_n_best_is_exact_where_an_agenda_would_overflow() -> None:
    # All paths tie: the 2,000 best are distinct and none beats the first.
    model = UnigramModel.from_probabilities({"a": 0.5, "aa": 0.25})
    found = model.lattice("a" * 60).n_best(2000)
    assert len({path.edges for path in found}) == 2000
    assert {round(path.score, 9) for path in found} == {round(60 * math.log(0.5), 9)}
