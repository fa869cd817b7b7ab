"""Training as a whole: the golden experiment, the promises (determinism, sums, losses), and what goes wrong."""

from __future__ import annotations

import json
import math
import threading
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine import PRESETS, SPEC_FIELDS, Corpus, TrainerSpec, TrainingHistory, UnigramModel, Verdict, load_model, train
from engine.errors import Cancelled, TrainingError

DATA = Path(__file__).parent.parent / "data"
GOLDEN: dict[str, Any] = json.loads((DATA / "abc_experiment.json").read_text(encoding="utf-8"))
ABC = Corpus.from_counts(GOLDEN["corpus"], "abc")
PROSE = Corpus.from_file(Path(__file__).parents[2] / "resources" / "samples" / "prose.txt")
SMALL = TrainerSpec(vocab_size=900, character_coverage=0.98)


def finished(corpus: Corpus, spec: TrainerSpec, threads: int = 2) -> tuple[UnigramModel, TrainingHistory]:
    run = train(corpus, spec, threads=threads)
    model = run.result()
    assert run.history is not None
    return model, run.history


@pytest.fixture(scope="module")
def teaching() -> tuple[UnigramModel, TrainingHistory]:
    return finished(ABC, PRESETS["Teaching"])


def assert_equal(found: dict[str, float], expected: dict[str, float]) -> None:
    assert found.keys() == expected.keys()
    for piece, value in expected.items():
        assert math.isclose(found[piece], value, rel_tol=1e-10, abs_tol=1e-12), piece


def by_piece(history: TrainingHistory, pieces: np.ndarray, values: np.ndarray) -> dict[str, float]:
    rows = zip(pieces.tolist(), values.tolist(), strict=True)
    return {history.piece_texts[i]: value for i, value in rows if not math.isnan(value)}


# -- the golden experiment -------------------------------------------------------------------------------------


def test_candidates_of_abc_come_in_the_published_order(teaching: tuple[UnigramModel, TrainingHistory]) -> None:
    assert list(teaching[1].piece_texts) == GOLDEN["initial_vocabulary"]


def test_abc_first_pass_shares_come_from_equal_probabilities() -> None:
    model = UnigramModel.from_probabilities(dict.fromkeys(GOLDEN["initial_vocabulary"], 1 / 9))
    for text, shares in GOLDEN["first_pass_shares"].items():
        lattice = model.lattice(text)
        found = {"|".join(path.pieces): lattice.share(path) for path in lattice.n_best(100)}
        assert_equal(found, shares)


def test_every_update_of_abc_is_as_published(teaching: tuple[UnigramModel, TrainingHistory]) -> None:
    history = teaching[1]
    expected = [update for number in GOLDEN["rounds"] for update in number["em"]]
    assert len(history.updates) == len(expected) == 8
    for update, golden in zip(history.updates, expected, strict=True):
        assert math.isclose(update.loss_before, golden["loss_before"], rel_tol=1e-10)
        assert update.loss_after is not None
        assert math.isclose(update.loss_after, golden["loss_after"], rel_tol=1e-10)
        assert math.isclose(update.expected_tokens, golden["expected_tokens"], rel_tol=1e-10)
        assert_equal(by_piece(history, update.pieces, update.expected_counts), golden["expected_counts"])
        probabilities = by_piece(history, update.pieces, update.probabilities)
        assert_equal(probabilities, golden["probabilities_after"])
        lattice = UnigramModel.from_probabilities(probabilities).lattice("abc")
        shares = {"|".join(path.pieces): lattice.share(path) for path in lattice.n_best(4)}
        assert_equal(shares, golden["shares_of_abc_after"])


def test_every_pruning_of_abc_is_as_published(teaching: tuple[UnigramModel, TrainingHistory]) -> None:
    history = teaching[1]
    rounds = [number for number in GOLDEN["rounds"] if "delta" in number]
    assert len(history.prunings) == len(rounds) == 3
    for pruning, golden in zip(history.prunings, rounds, strict=True):
        assert_equal(by_piece(history, pruning.pieces, pruning.losses), golden["delta"])
        removed = [history.piece_texts[i] for i in pruning.pieces[pruning.verdict == Verdict.REMOVED]]
        assert removed == [golden["removed"]]
        protected = [history.piece_texts[i] for i in pruning.pieces[pruning.verdict == Verdict.PROTECTED]]
        assert protected == GOLDEN["protected"]
        after = by_piece(history, pruning.pieces, pruning.probabilities_after)
        assert_equal(after, golden["probabilities_after_removal"])
        assert not pruning.loss_is_bound.any()


def test_the_model_of_abc_is_as_published(teaching: tuple[UnigramModel, TrainingHistory]) -> None:
    model, final = teaching[0], GOLDEN["final"]
    assert {text: i for i, text in enumerate(model.pieces.texts)} == final["ids"]
    logs = {piece: float(model.pieces.log_probs[i]) for piece, i in final["ids"].items() if piece != "<unk>"}
    assert_equal(logs, final["log_probabilities"])
    assert model.encode("abcabc") == GOLDEN["abcabc"]["ids"]


def test_all_short_strings_over_abc_get_their_best_score(teaching: tuple[UnigramModel, TrainingHistory]) -> None:
    for text, golden in GOLDEN["all_363_strings_up_to_5"].items():
        lattice = teaching[0].lattice(text)
        assert math.isclose(lattice.best().score, golden["best_score"], rel_tol=1e-10)
        assert lattice.n_paths == golden["paths"]


# -- promises --------------------------------------------------------------------------------------------------


def test_the_saved_model_has_the_same_bytes_for_any_number_of_threads() -> None:
    models = [finished(PROSE, SMALL, threads)[0].to_document().data for threads in (1, 2, 8)]
    again = finished(PROSE, SMALL, 2)[0].to_document().data
    assert models[0] == models[1] == models[2] == again


def test_probabilities_sum_to_one_after_every_update_and_renormalization() -> None:
    history = finished(PROSE, replace(SMALL, min_expected_count=0.5))[1]
    assert len(history.prunings) >= 3
    for values in [u.probabilities for u in history.updates] + [p.probabilities_after for p in history.prunings]:
        assert math.isclose(math.fsum(values[~np.isnan(values)]), 1.0, rel_tol=1e-12)


def test_after_a_removal_the_others_sum_to_one_less_what_unknown_characters_had() -> None:
    spec = replace(TrainerSpec(), vocab_size=300, hard_vocab_limit=False, protect_characters=False)
    became_unknown = 0
    for criterion, least in (("exact", 2.0), ("sentencepiece", 0.0)):
        changed = replace(spec, pruning_criterion=criterion, min_expected_count=least)
        for pruning in finished(PROSE, changed)[1].prunings:
            stays = pruning.verdict != Verdict.REMOVED
            before, after = pruning.probabilities[stays], pruning.probabilities_after[stays]
            was_unknown = np.isnan(before)
            whole = np.where(was_unknown, np.nanmin(pruning.probabilities) * math.exp(-10.0), before)
            whole /= math.fsum(whole)
            is_piece = ~np.isnan(after)
            assert after[is_piece] == pytest.approx(whole[is_piece], rel=1e-9)
            assert math.fsum(after[is_piece]) == pytest.approx(1.0 - math.fsum(whole[~is_piece]), abs=1e-12)
            became_unknown += int(np.count_nonzero(~is_piece & ~was_unknown))
    assert became_unknown > 0


def test_no_maximum_likelihood_update_increases_the_loss_of_a_fixed_vocabulary() -> None:
    spec = replace(SMALL, min_expected_count=0.0, num_sub_iterations=6)
    for update in finished(PROSE, spec)[1].updates:
        assert update.loss_after is not None
        assert update.loss_after <= update.loss_before


def test_the_model_has_the_size_that_was_asked_for() -> None:
    for spec in (SMALL, replace(SMALL, byte_fallback=True), replace(SMALL, control_symbols=("<a>", "<b>"))):
        assert len(finished(PROSE, spec)[0].pieces) == SMALL.vocab_size


def test_ids_follow_the_score() -> None:
    log_probs = finished(PROSE, SMALL)[0].pieces.log_probs[3:]
    assert (np.diff(log_probs) <= 0).all()


def test_final_losses_and_counts_stand_at_their_pieces() -> None:
    model, history = finished(PROSE, SMALL)
    counts, log_probs = history.final_expected_counts, model.pieces.log_probs
    assert np.isnan(counts[:3]).all()
    counted = np.maximum(counts[3:], history.spec.min_expected_count)  # characters count at least that often
    assert np.allclose(log_probs[3:], np.log(counted / counted.sum()), atol=1e-9, rtol=0)
    longer = np.array([len(text) > 1 for text in model.pieces.texts[3:]])
    assert np.isnan(history.final_losses[3:][~longer]).all()
    assert (history.final_losses[3:][longer] >= 0).all()


def test_progress_never_goes_back_and_ends_at_one() -> None:
    fractions = [step.fraction for step in train(PROSE, SMALL, threads=2)]
    assert all(0.0 <= a <= b <= 1.0 for a, b in pairwise(fractions))
    assert fractions[-1] == 1.0


def test_every_round_is_announced_once() -> None:
    run = train(PROSE, SMALL, threads=2)
    steps = list(run)
    assert run.history is not None
    assert [s.update.round for s in steps if s.update] == [u.round for u in run.history.updates]
    assert [s.pruning for s in steps if s.pruning] == list(run.history.prunings)


# -- what goes wrong -------------------------------------------------------------------------------------------


def test_a_size_out_of_reach_is_refused_with_the_reachable_range() -> None:
    with pytest.raises(TrainingError, match=r"vocab_size 100 is out of reach: this corpus can give 4 to 10 pieces"):
        train(ABC, replace(PRESETS["Teaching"], vocab_size=100)).result()
    with pytest.raises(TrainingError, match=r"vocab_size 3 is out of reach.*lower character_coverage"):
        train(ABC, replace(PRESETS["Teaching"], vocab_size=3)).result()


@pytest.mark.parametrize(("wanted", "size"), [(100, 10), (3, 4)])
def test_a_soft_limit_gives_the_nearest_size_and_says_so(wanted: int, size: int) -> None:
    spec = replace(PRESETS["Teaching"], vocab_size=wanted, hard_vocab_limit=False)
    model, history = finished(ABC, spec)
    assert len(model.pieces) == size
    assert history.notes == (f"vocab_size {wanted} is out of reach; the model has {size} pieces instead.",)


def test_a_stopped_run_raises_cancelled_and_leaves_no_thread() -> None:
    cancel = threading.Event()
    run = train(PROSE, SMALL, threads=2, cancel=cancel)
    next(run)
    cancel.set()
    with pytest.raises(Cancelled):
        run.result()
    assert run.model is None


def test_a_stopped_run_leaves_the_model_of_its_last_finished_round(tmp_path: Path) -> None:
    cancel = threading.Event()
    run = train(PROSE, replace(SMALL, min_expected_count=0.5), threads=2, cancel=cancel)
    assert run.last_finished_round() is None
    second = next(step for step in run if step.pruning and step.round == 2)
    assert second.pruning is not None
    seen = second.pruning.n_after
    cancel.set()
    with pytest.raises(Cancelled):
        run.result()
    left = run.last_finished_round()
    assert left is not None
    model, history = left
    assert len(model.pieces) == seen + 3
    assert history.notes[0] == f"Stopped after round 2: {seen + 3:,} pieces instead of 900."
    assert [pruning.round for pruning in history.prunings] == [1, 2]
    model.save(tmp_path / "stopped.model")
    assert load_model(tmp_path / "stopped.model").encode("the tokenizer") == model.encode("the tokenizer")
    assert math.isclose(np.exp(model.pieces.log_probs[3:]).sum(), 1.0)


def test_the_plan_names_the_reachable_sizes_before_em_starts() -> None:
    steps = list(train(ABC, PRESETS["Teaching"]))
    [at] = [i for i, step in enumerate(steps) if step.plan]
    plan = steps[at].plan
    assert plan is not None
    assert (plan.smallest, plan.largest, plan.n_candidates, plan.n_edges) == (4, 10, 9, 30)
    assert plan.memory > 0
    assert plan.seconds > 0
    assert all(step.phase not in ("E step", "prune") for step in steps[:at])


def test_a_run_that_nobody_asks_for_more_ends_its_threads() -> None:
    run = train(PROSE, SMALL, threads=2)
    next(run)
    run.close()
    assert run.model is None


def test_texts_left_out_are_counted_in_the_notes() -> None:
    corpus = Corpus.from_counts({"short": 3, "a much longer text": 2})
    notes = finished(corpus, TrainerSpec(vocab_size=10, max_sentence_length=10, hard_vocab_limit=False))[1].notes
    assert notes[0] == "2 of 5 texts are longer than 10 bytes, up to 18; they were left out (max_sentence_length)."


def test_a_corpus_of_nothing_but_forbidden_characters_is_refused() -> None:
    with pytest.raises(TrainingError, match="Nothing is left to train on"):
        train(Corpus.from_counts({"\t": 1}), TrainerSpec(add_dummy_prefix=False)).result()


# -- settings change the answer --------------------------------------------------------------------------------

CHANGES: dict[str, Any] = {
    "vocab_size": 800, "max_sentencepiece_length": 4, "shrinking_factor": 0.6, "num_sub_iterations": 3,
    "character_coverage": 0.95, "m_step": "digamma", "pruning_criterion": "sentencepiece", "byte_fallback": True,
    "pieces_removed_per_round": 700, "min_expected_count": 5.0, "final_cut_factor": 1.2, "renormalize": False,
    "seed_method": "ngram", "seed_source": "texts",
    "seed_sentencepiece_size": 1200, "seed_scores": "uniform", "id_order": "seed",
    "split_by_whitespace": False, "split_by_unicode_script": False, "split_digits": True,
    "treat_whitespace_as_suffix": True, "add_dummy_prefix": False, "normalization_rule_name": "nfkc_cf",
    "max_sentence_length": 100, "required_chars": "ßʒ",
    "input_sentence_size": 200, "pretokenization_delimiter": "e", "control_symbols": ("<a>",),
    "user_defined_symbols": ("the",), "unk_id": 5, "bos_id": 4, "eos_id": 9, "pad_id": 3,
    "unk_piece": "<u>", "bos_piece": "<b>", "eos_piece": "<e>",
}  # fmt: skip


LIKE_SENTENCEPIECE = {
    name: getattr(PRESETS["SentencePiece 0.2.1"], name)
    for name in ("m_step", "pruning_criterion", "protect_characters", "renormalize", "seed_source", "arithmetic")
}


@pytest.fixture(scope="module")
def plain() -> UnigramModel:
    return finished(PROSE, SMALL)[0]


@pytest.mark.parametrize("name", CHANGES)
def test_every_setting_changes_the_model(plain: UnigramModel, name: str) -> None:
    changed = finished(PROSE, replace(SMALL, **{name: CHANGES[name]}))[0]
    rows = [list(zip(m.pieces.texts, m.pieces.log_probs.tolist(), strict=True)) for m in (plain, changed)]
    assert rows[0] != rows[1]


@pytest.mark.parametrize(
    ("settings", "change"),
    [
        ({"seed_method": "ngram"}, {"ngram_max_length": 3}),
        ({"seed_method": "ngram"}, {"ngram_min_frequency": 5}),
        ({"pad_id": 3}, {"pad_piece": "<nothing>"}),
        ({"remove_extra_whitespaces": False}, {"allow_whitespace_only_pieces": True}),
        ({}, {"split_by_number": False}),
        ({"pruning_criterion": "sentencepiece"}, {"protect_characters": False}),
        ({"m_step": "additive"}, {"smoothing_epsilon": 1.0}),
        ({"input_sentence_size": 12}, {"sample_seed": 1}),
        ({"input_sentence_size": 12}, {"shuffle_input_sentence": False}),
        ({}, {"remove_extra_whitespaces": False}),
        (LIKE_SENTENCEPIECE, {"arithmetic": "float64"}),
    ],
)
def test_settings_that_need_others_change_the_model(settings: dict[str, Any], change: dict[str, Any]) -> None:
    texts = {"a1b2 a1b2 a1b2": 3, "c   d   e": 4, "c   d   f": 2, "  ab ab abc": 5, "abcabc": 3}
    corpus = Corpus.from_counts(texts)
    spec = TrainerSpec(vocab_size=24, character_coverage=1.0, hard_vocab_limit=False, **settings)
    rows = [
        list(zip(m.pieces.texts, m.pieces.log_probs.tolist(), strict=True))
        for m in (finished(corpus, spec)[0], finished(corpus, replace(spec, **change))[0])
    ]
    assert rows[0] != rows[1]


def test_candidates_can_come_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "candidates.tsv"
    path.write_text("▁th\t9\ner\t5\nqqq\t7\nlonger\t1\n", encoding="utf-8")
    spec = replace(SMALL, vocab_size=4_000, hard_vocab_limit=False, seed_method="file")
    model = finished(PROSE, replace(spec, seed_sentencepieces_file=str(path), min_expected_count=0.0))[0]
    assert {text for text in model.pieces.texts if len(text) > 1 and text[0] != "<"} == {"▁th", "er", "longer"}
    with pytest.raises(TrainingError, match="name the file in seed_sentencepieces_file"):
        train(PROSE, spec).result()


def test_a_sample_holds_as_many_texts_as_asked_for() -> None:
    rng = np.random.default_rng(3)
    sample = PROSE.sample(50, rng)
    assert sample.n_samples == 50
    texts = {PROSE.text(i) for i in range(len(PROSE))}
    assert all(sample.text(i) in texts for i in range(len(sample)))
    assert Corpus.from_counts({"a": 10**15, "b": 10**15}).sample(1000, rng).n_samples == 1000


def test_every_setting_has_a_test_that_it_matters() -> None:
    elsewhere = {
        "hard_vocab_limit", "ngram_max_length", "ngram_min_frequency", "pad_piece", "allow_whitespace_only_pieces",
        "protect_characters", "smoothing_epsilon", "sample_seed", "shuffle_input_sentence",
        "seed_sentencepieces_file", "normalization_rule_tsv", "split_by_number", "remove_extra_whitespaces",
        "arithmetic",
    }  # fmt: skip
    assert {field.name for field in SPEC_FIELDS} == CHANGES.keys() | elsewhere


def test_the_saved_model_records_every_setting(tmp_path: Path) -> None:
    spec = replace(SMALL, m_step="digamma", pruning_criterion="count_logp", split_digits=True)
    model = finished(PROSE, spec)[0]
    assert model.own_settings["m_step"] == "digamma"
    assert model.own_settings["pruning_criterion"] == "count_logp"
    assert model.trainer_fields["split_digits"] is True


def test_steps_tell_the_speed_from_the_first_e_step_on_and_the_memory_held() -> None:
    steps = list(train(ABC, PRESETS["Teaching"]))
    first_update = next(i for i, step in enumerate(steps) if step.update is not None)
    assert all(step.speed is None for step in steps[: first_update - 1])
    assert all(step.speed is not None and step.speed > 0.0 for step in steps[first_update:])
    assert all(step.memory == 0 or step.memory > 10_000_000 for step in steps)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("m_step", ["maximum_likelihood", "digamma", "additive"])
def test_a_threshold_beyond_every_count_keeps_the_size_or_is_named(m_step: str) -> None:
    spec = TrainerSpec(
        vocab_size=7, hard_vocab_limit=False, protect_characters=False, min_expected_count=100.0, m_step=m_step
    )
    corpus = Corpus.from_counts({"aa": 5})
    model = finished(corpus, spec)[0]
    assert sorted(model.pieces.texts[3:]) == ["a", "aa", "▁", "▁aa"]
    assert model.pieces.log_probs.min() > -10.0
    with pytest.raises(TrainingError, match="lower min_expected_count"):
        finished(corpus, replace(spec, vocab_size=5))


@pytest.mark.parametrize("least", [0.0, 0.5])
def test_no_letter_of_a_digamma_training_has_a_score_without_measure(least: float) -> None:
    model = finished(PROSE, replace(SMALL, m_step="digamma", min_expected_count=least))[0]
    assert model.pieces.log_probs.min() > -30.0


@pytest.mark.parametrize("vocab_size", [6, 7])
def test_probabilities_sum_to_1_with_the_characters_that_come_back_where_asked(vocab_size: int) -> None:
    spec = TrainerSpec(
        vocab_size=vocab_size, hard_vocab_limit=False, protect_characters=False, min_expected_count=3.0
    )
    corpus = Corpus.from_counts({"aa": 5})
    probabilities = np.exp(finished(corpus, spec)[0].pieces.log_probs[3:])
    assert math.isclose(probabilities.sum(), 1.0, rel_tol=1e-12)
    assert np.exp(finished(corpus, replace(spec, renormalize=False))[0].pieces.log_probs[3:]).sum() > 1.01
