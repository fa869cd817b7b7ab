"""The pruning ledger and all criteria, held to enumeration of every path."""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.corpus import Corpus
from engine.criteria import CRITERIA, Criteria, criteria_of_round, hurt_texts, rank_correlation
from engine.errors import TrainingError
from engine.flat_texts import FlatTexts
from engine.history import PruningRound, TrainingHistory
from engine.ledger import Reason, fate, find_text, ledger, rounds
from engine.model import UnigramModel
from engine.spec import PRESETS, TrainerSpec
from engine.timeline import moments, state_at
from engine.trainer import train
from tests.helpers.training_oracle import Table, corpus_loss, cuts, exact_losses

ABC = {"a": 16, "b": 8, "c": 8, "ab": 24, "bc": 32, "abc": 12, "abca": 2, "cab": 2}
WORDS = {"banana": 3, "bandana": 5, "anna": 2, "nab": 7, "ban": 4, "dab": 1}
SPECS = {
    "abc": (ABC, PRESETS["Teaching"]),
    "rare": (WORDS, replace(PRESETS["Teaching"], vocab_size=9, min_expected_count=0.9, max_sentencepiece_length=4)),
    "approximate": (WORDS, replace(PRESETS["Teaching"], vocab_size=9, pruning_criterion="sentencepiece")),
}


def _trained(counts: dict[str, int], spec: TrainerSpec) -> tuple[TrainingHistory, UnigramModel]:
    run = train(Corpus.from_counts(counts), replace(spec, hard_vocab_limit=False))
    model = run.result()
    assert run.history is not None
    return run.history, model


@pytest.fixture(scope="module", params=SPECS)
def run(request: pytest.FixtureRequest) -> tuple[dict[str, int], TrainingHistory, UnigramModel]:
    counts, spec = SPECS[request.param]
    return (counts, *_trained(counts, spec))


@pytest.fixture(scope="module")
def abc() -> tuple[TrainingHistory, UnigramModel]:
    return _trained(*SPECS["abc"])


def _texts(history: TrainingHistory, pruning: PruningRound) -> list[str]:
    return [history.piece_texts[i] for i in pruning.pieces.tolist()]


def _tables(history: TrainingHistory, counts: dict[str, int]) -> list[tuple[list[str], Table, Criteria]]:
    corpus = Corpus.from_counts(counts)
    found: list[tuple[list[str], Table, Criteria]] = []
    for pruning in history.prunings:
        texts = _texts(history, pruning)
        table = dict(zip(texts, pruning.probabilities.tolist(), strict=True))
        found.append((texts, table, criteria_of_round(history, corpus, pruning.round, threads=1)))
    return found


def _best(text: str, table: Table, without: str | None = None) -> float:
    return max((sum(math.log(table[p]) for p in cut) for cut in cuts(text, table, without)), default=-math.inf)


def test_exact_losses_of_every_round_are_those_of_enumeration(
    run: tuple[dict[str, int], TrainingHistory, UnigramModel],
) -> None:
    counts, history, _ = run
    for texts, table, found in _tables(history, counts):
        expected = exact_losses(counts, table)
        for text, loss in zip(texts, found.exact.tolist(), strict=True):
            assert math.isnan(loss) if len(text) == 1 else loss == pytest.approx(expected[text], rel=1e-9, abs=1e-10)
        assert not found.exact_is_bound.any()


def test_viterbi_losses_and_best_path_counts_are_those_of_enumeration(
    run: tuple[dict[str, int], TrainingHistory, UnigramModel],
) -> None:
    counts, history, _ = run
    for texts, table, found in _tables(history, counts):
        for i, piece in enumerate(texts):
            if len(piece) > 1:
                fall = sum(n * (_best(text, table) - _best(text, table, piece)) for text, n in counts.items())
                assert found.viterbi[i] == pytest.approx(fall, rel=1e-9, abs=1e-9)
        tokens = sum(n * len(_best_cut(text, table)) for text, n in counts.items())
        assert found.best_counts.sum() == pytest.approx(tokens)


def _best_cut(text: str, table: Table) -> tuple[str, ...]:
    return max(cuts(text, table), key=lambda cut: sum(math.log(table[p]) for p in cut))


def test_sentencepieces_approximation_follows_its_formula(
    run: tuple[dict[str, int], TrainingHistory, UnigramModel],
) -> None:
    counts, history, _ = run
    for texts, table, found in _tables(history, counts):
        uses = dict(zip(texts, found.best_counts.tolist(), strict=True))
        total = sum(uses.values())
        for i, piece in enumerate(texts):
            n = uses[piece]
            if len(piece) == 1 or not n:
                continue
            split = [texts[row] for row in found.split(i)]
            after = math.log(total + n * (len(split) - 1))
            own = math.log(n) - math.log(total)
            if _best(piece, table, piece) <= math.log(table[piece]):
                rest = sum(math.log(uses[part] + n) - after for part in split)
                assert found.sentencepiece[i] == pytest.approx(n * (own - rest), rel=1e-9)


def test_the_best_other_split_is_that_of_enumeration(
    run: tuple[dict[str, int], TrainingHistory, UnigramModel],
) -> None:
    counts, history, _ = run
    for texts, table, found in _tables(history, counts):
        for i, piece in enumerate(texts):
            split = [texts[row] for row in found.split(i)]
            assert found.split_log_p[i] == pytest.approx(_best(piece, table, piece))
            assert "".join(split) == (piece if len(piece) > 1 else "")


def test_count_times_log_p_is_what_it_says(run: tuple[dict[str, int], TrainingHistory, UnigramModel]) -> None:
    counts, history, _ = run
    for pruning, (texts, table, found) in zip(history.prunings, _tables(history, counts), strict=True):
        for i, piece in enumerate(texts):
            if len(piece) > 1:
                expected = -pruning.expected_counts[i] * math.log(table[piece])
                assert found.count_logp[i] == pytest.approx(expected, rel=1e-12)


def test_the_line_parts_kept_from_removed(run: tuple[dict[str, int], TrainingHistory, UnigramModel]) -> None:
    _, history, _ = run
    for number in rounds(history):
        book = ledger(history, number)
        assert (book.losses[book.reason == Reason.BELOW_LINE] <= book.line).all()
        assert (book.losses[book.reason == Reason.ABOVE_LINE] >= book.line).all()
        assert np.isnan(book.losses[book.reason == Reason.PROTECTED]).all()


def test_every_piece_of_a_round_is_in_the_next_or_has_a_reason(
    run: tuple[dict[str, int], TrainingHistory, UnigramModel],
) -> None:
    _, history, finished = run
    books = [ledger(history, number) for number in rounds(history)]
    for book, following in itertools.pairwise(books):
        assert sorted(book.pieces[~book.is_gone]) == sorted(following.pieces)
    for number, book in zip(rounds(history), books, strict=True):
        for row, piece in enumerate(book.pieces.tolist()):
            found = fate(history, finished, history.piece_texts[piece])
            assert (found.is_gone and found.round == number) == bool(book.is_gone[row])
            if book.is_gone[row]:
                assert found.reason == book.reason[row]
                assert found.sub_iteration == book.sub_iteration[row]
                assert (found.probability, found.expected_count) == pytest.approx(
                    (book.probabilities[row], book.expected_counts[row])
                )


def test_a_piece_that_an_update_dropped_was_expected_too_rarely() -> None:
    history, _ = _trained(*SPECS["rare"])
    book = ledger(history, 1)
    rare = book.reason == Reason.RARE
    assert rare.any()
    assert (book.expected_counts[rare] < 0.9).all()
    assert (book.sub_iteration[rare] > 0).all()
    assert not np.isnan(book.probabilities[rare]).any()


def test_when_did_ca_go_and_why(abc: tuple[TrainingHistory, UnigramModel]) -> None:
    found = fate(*abc, "ca")
    assert (found.is_gone, found.round, found.sub_iteration, found.reason) == (True, 2, 0, Reason.BELOW_LINE)
    assert found.loss == found.line
    assert found.n_rounds_kept == 1
    assert fate(*abc, "abc").reason == Reason.ABOVE_LINE
    assert fate(*abc, "a").reason == Reason.PROTECTED
    assert fate(*abc, "abca").piece == -1


def test_a_text_is_found_among_the_candidates() -> None:
    texts = FlatTexts.from_texts(["a", "ab", "▁猫", "ba"])
    assert [find_text(texts, text) for text in ("ba", "▁猫", "a", "", "bb")] == [3, 2, 0, -1, -1]


def test_the_less_probable_piece_may_be_the_dearer() -> None:
    data = json.loads((Path(__file__).parent.parent / "data" / "low_probability_high_loss.json").read_text())
    table: dict[str, Any] = data["probabilities"]
    model = UnigramModel.from_probabilities(table)
    corpus = Corpus.from_counts(data["corpus"])
    losses = {piece: hurt_texts(model, piece, corpus).total for piece in data["exact_delta"]}
    assert losses == pytest.approx(data["exact_delta"], rel=1e-9)
    assert table["ab"] < table["cd"]
    assert losses["ab"] > 200 * losses["cd"]


def test_the_texts_that_a_removal_hurts_add_up_to_its_loss(abc: tuple[TrainingHistory, UnigramModel]) -> None:
    history, finished = abc
    state = state_at(history, moments(history)[2], finished)
    table = {text: math.exp(p) for text, p in zip(state.model.pieces.texts, state.model.pieces.log_probs, strict=True)}
    del table["<unk>"]
    found = hurt_texts(state.model, "bc", Corpus.from_counts(ABC))
    assert found.total == pytest.approx(corpus_loss(ABC, table, "bc") - corpus_loss(ABC, table), rel=1e-9)
    assert list(ABC)[int(found.texts[0])] == "bc"
    assert found.losses.sum() == pytest.approx(found.total)


def test_another_corpus_is_refused_by_name(abc: tuple[TrainingHistory, UnigramModel]) -> None:
    with pytest.raises(TrainingError, match="not the one of this training: open corpus to see"):
        criteria_of_round(abc[0], Corpus.from_counts({**ABC, "cc": 2}), 1)


def test_rank_correlation_is_spearmans() -> None:
    a, b = np.array([1.0, 2.0, 2.0, 4.0, np.nan]), np.array([10.0, 30.0, 20.0, np.inf, 1.0])
    assert rank_correlation(a, b) == pytest.approx(4.5 / math.sqrt(4.5 * 5.0))
    assert rank_correlation(a, -b) == pytest.approx(-4.5 / math.sqrt(4.5 * 5.0))


def test_criteria_correlate_with_themselves(abc: tuple[TrainingHistory, UnigramModel]) -> None:
    found = criteria_of_round(abc[0], Corpus.from_counts(ABC), 1)
    assert all(found.correlations[name, name] == pytest.approx(1.0) for name in CRITERIA if name != "sentencepiece")


def test_unknown_characters_of_a_run_stay_in_its_ledger() -> None:
    counts = {f"{a}{b}{c}": 3 for a in "abcd" for b in "abc" for c in "abd"} | {"abz": 1}
    spec = replace(PRESETS["SentencePiece 0.2.1"], vocab_size=14, character_coverage=1.0)
    history, _ = _trained(counts, spec)
    for number in rounds(history):
        book = ledger(history, number)
        letters = [row for row, i in enumerate(book.pieces.tolist()) if i < history.n_characters]
        assert (book.reason[letters] == Reason.PROTECTED).all()
        assert (book.sub_iteration[book.reason != Reason.RARE] == 0).all()
