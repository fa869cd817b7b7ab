"""Why a span is not cut out, and lattices with edges forbidden or forced, against enumeration."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import TextError
from engine.lattice import Lattice
from engine.model import UnigramModel
from engine.what_if import constrained, why_not
from tests.helpers import enumeration
from tests.helpers.toy_models import golden, log_probs_of, models

UNABLE = golden("unable_lattice.json")
texts = st.text("ab", min_size=1, max_size=9)


def close(expected: object) -> object:
    return pytest.approx(expected, rel=1e-10, abs=1e-10)


@pytest.fixture
def unable() -> Lattice:
    return UnigramModel.from_probabilities(UNABLE["probabilities"]).lattice("unable")


def spans_of(cut: tuple[str, ...]) -> set[tuple[int, int]]:
    ends = [sum(map(len, cut[: i + 1])) for i in range(len(cut))]
    return {(end - len(piece), end) for piece, end in zip(cut, ends, strict=True)}


def best_score(paths: list[enumeration.EnumeratedPath]) -> float:
    return max((path.log_p for path in paths), default=-math.inf)


def test_unable_is_behind_un_able_by_the_logarithm_of_four(unable: Lattice) -> None:
    answer = why_not(unable, 0, 6)
    assert not answer.on_best
    assert answer.is_piece
    assert answer.rival is not None
    assert answer.rival.pieces == ("un", "able")
    assert answer.margin == close(-math.log(4.0))
    assert answer.needed == close(math.log(0.02))
    assert answer.window == (0, 6)


def test_a_span_that_is_no_piece_is_told_what_it_would_need(unable: Lattice) -> None:
    # una + ble: no piece spells ble, so una is tried with b and le behind it.
    answer = why_not(unable, 0, 3)
    assert (answer.edge, answer.is_piece) == (-1, False)
    assert answer.needed == close(math.log(0.02 / (0.01 * 0.06)))
    assert answer.cuts == (0, 3, 4, 6)
    assert math.isnan(answer.margin)


def test_a_piece_of_the_best_path_leads_the_best_path_without_it(unable: Lattice) -> None:
    answer = why_not(unable, 2, 6)
    assert answer.on_best
    assert answer.rival is not None
    assert answer.rival.pieces == ("unable",)
    assert answer.margin == close(UNABLE["viterbi_delta"]["able"])


def test_the_window_leaves_out_what_both_paths_share() -> None:
    model = UnigramModel.from_probabilities({"a": 0.3, "b": 0.3, "c": 0.3, "bc": 0.05})
    answer = why_not(model.lattice("abca"), 1, 3)
    assert answer.window == (1, 3)


def test_a_span_on_every_path_wins_at_any_score() -> None:
    answer = why_not(UnigramModel.from_probabilities({"a": 0.5}).lattice("a"), 0, 1)
    assert answer.rival is None
    assert answer.needed == -math.inf
    assert answer.wins_everywhere


def test_a_piece_that_overlaps_itself_may_win_elsewhere_instead() -> None:
    # In aaa both aa|a and a|aa gain alike: at the second place aa cannot win alone.
    lattice = UnigramModel.from_probabilities({"a": 0.5, "b": 0.5}).lattice("aaa")
    answer = why_not(lattice, 1, 3)
    assert answer.n_places == 2
    assert answer.needed == close(2 * math.log(0.5))
    assert [why_not(lattice, start, start + 2).wins_everywhere for start in (0, 1)].count(True) == 1


def test_a_span_outside_of_the_text_is_refused(unable: Lattice) -> None:
    with pytest.raises(TextError, match="6 characters"):
        why_not(unable, 2, 7)


@given(models(), texts, st.data())
def test_needed_score_and_margin_are_those_of_enumeration(model: UnigramModel, text: str, data: st.DataObject) -> None:
    log_probs = log_probs_of(model)
    paths = enumeration.paths(text, log_probs)
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    answer = why_not(model.lattice(text), start, end)
    span = (start, end)
    others = [path for path in paths if span not in spans_of(path.pieces)]
    before = best_score(enumeration.paths(text[:start], log_probs)) if start else 0.0
    after = best_score(enumeration.paths(text[end:], log_probs)) if end < len(text) else 0.0
    assert answer.around == close(before + after)
    assert answer.needed == close(best_score(others) - before - after)
    through = [path for path in paths if span in spans_of(path.pieces)]
    if through:
        assert answer.through_score == close(best_score(through))
        assert answer.is_piece


@given(models(), texts, st.data())
def test_a_span_wins_just_above_the_score_it_needs(model: UnigramModel, text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    answer = why_not(model.lattice(text), start, end)
    if answer.wins_everywhere and -math.inf < answer.needed < -1e-6 and answer.edge < 0:
        probabilities = {piece: math.exp(log_p) for piece, log_p in log_probs_of(model).items()}
        if answer.text not in probabilities:
            added = UnigramModel.from_probabilities({**probabilities, answer.text: math.exp(answer.needed + 1e-6)})
            lattice = added.lattice(text)
            # It may tie with the same piece at its other places; a path without it is behind by 1e-6 for each use.
            assert why_not(lattice, start, end).through_score == close(lattice.best().score)
            assert answer.text in lattice.best().pieces


# Forbidden and forced edges.


def test_a_forced_edge_is_on_every_path(unable: Lattice) -> None:
    forced = constrained(unable, forced=[(2, 4)])
    assert forced.best().pieces == ("un", "ab", "le")
    assert {path.pieces for path in forced.n_best(20)} == {
        tuple(path["pieces"]) for path in UNABLE["paths"] if "ab" in path["pieces"]
    }


def test_a_forbidden_edge_is_on_no_path_and_the_rest_keeps_its_scores(unable: Lattice) -> None:
    left = constrained(unable, forbidden=[(2, 6)])
    assert left.best().pieces == ("unable",)
    assert unable.log_z - left.log_z == close(UNABLE["exact_delta"]["able"])


def test_only_the_forbidden_place_loses_the_piece() -> None:
    lattice = UnigramModel.from_probabilities({"a": 0.1, "aa": 0.5}).lattice("aaa")
    assert constrained(lattice, forbidden=[(0, 2)]).best().pieces == ("a", "aa")


def test_forbidding_the_last_way_is_refused(unable: Lattice) -> None:
    with pytest.raises(TextError, match="No path"):
        constrained(unable, forbidden=[(0, 6), (0, 2), (0, 1)])


def test_forcing_what_is_no_piece_is_refused(unable: Lattice) -> None:
    with pytest.raises(TextError, match="'una' is no piece"):
        constrained(unable, forced=[(0, 3)])
