"""Faults that people reported of other trainers, with the right behaviour: one test a case.

Each stands for its whole kind. Not here: SCL-01's file of 2,200,000,000 characters (the estimate is tested on what
a test can hold), SCL-04's seconds (benchmarks measure, tests do not), and deleting pieces of a model (edits).
"""

from __future__ import annotations

import hashlib
import math
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sentencepiece

from engine import PRESETS, Corpus, CorpusError, TrainerSpec, TrainingError, UnigramModel, load_model, train
from tests.helpers.stages import seeds_of

REPOSITORY = Path(__file__).parents[2]
LIKE_SENTENCEPIECE = PRESETS["SentencePiece 0.2.1"]
CATS = {"the cat sat on the mat the dog sat on the log": 20}


def trained(counts: dict[str, int], spec: TrainerSpec) -> UnigramModel:
    return train(Corpus.from_counts(counts), spec, threads=2).result()


def learned(model: UnigramModel) -> set[str]:
    return {text for text in model.pieces.texts if not text.startswith("<")}


def reference(tmp_path: Path, lines: list[str], **settings: Any) -> sentencepiece.SentencePieceProcessor:
    (tmp_path / "corpus.txt").write_text("\n".join(lines), encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(tmp_path / "corpus.txt"), model_prefix=str(tmp_path / "reference"), minloglevel=2,
        normalization_rule_name="identity", **settings,
    )  # fmt: skip
    return sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "reference.model"))


def test_trn_01_a_size_far_too_large_is_refused_with_the_largest_one() -> None:
    corpus = {"a b c d a b c": 1}
    with pytest.raises(TrainingError, match=r"vocab_size 100 is out of reach.* to 9 pieces.*hard_vocab_limit"):
        trained(corpus, replace(LIKE_SENTENCEPIECE, vocab_size=100))
    model = trained(corpus, replace(LIKE_SENTENCEPIECE, vocab_size=100, hard_vocab_limit=False))
    assert set(model.pieces.texts) == {"<unk>", "<s>", "</s>", "▁", "a", "b", "▁c", "c", "d"}


def test_trn_02_more_letters_than_room_stop_before_em_and_both_ways_out_are_said() -> None:
    corpus = Corpus.from_counts({"abcdefghijklmnopqrstuvwxyz": 1})
    run = train(corpus, TrainerSpec(vocab_size=10, character_coverage=1.0))
    phases: list[str] = []
    with pytest.raises(TrainingError, match=r"vocab_size 10 .*30.*choose a size.*or lower character_coverage"):
        phases.extend(step.phase for step in run)
    assert "E step" not in phases


def test_trn_04_lines_over_the_limit_are_counted_and_the_way_out_is_said(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text(("x" * 5000 + "\n") * 3, encoding="ascii")
    corpus = Corpus.from_file(path)
    expected = "3 of 3 texts are longer than 4,192 bytes, up to 5,000, the first in line 1"
    with pytest.raises(TrainingError, match=rf"{expected}; raise max_sentence_length or split the lines"):
        train(corpus, LIKE_SENTENCEPIECE).result()
    spec = TrainerSpec(vocab_size=8, max_sentence_length=6000, hard_vocab_limit=False)
    assert "x" in train(corpus, spec).result().pieces.texts


@pytest.mark.parametrize(
    ("symbols", "sentence"),
    [
        (("LOL", "LOL"), "entry 2: 'LOL' is given twice"),
        (("<unk>",), "entry 1: '<unk>' is reserved"),
        (("",), "entry 1, is blank"),
    ],
)
def test_trn_06_bad_symbols_are_refused_before_anything_is_read(symbols: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(TrainingError, match=f"user_defined_symbols, {sentence}"):
        TrainerSpec(user_defined_symbols=symbols)


def test_trn_07_symbols_survive_as_typed_and_spaces_are_stored_as_markers() -> None:
    spec = TrainerSpec(vocab_size=24, hard_vocab_limit=False, user_defined_symbols=(",", "<IS MAN>", "\t"))
    run = train(Corpus.from_counts({"hello, world": 5}), spec)
    model = run.result()
    assert model.pieces.texts[3:6] == (",", "<IS▁MAN>", "\t")
    assert run.history is not None
    assert run.history.notes[0].startswith("The symbol '<IS MAN>' is stored as '<IS▁MAN>'")
    pieces = model.encode_pieces("hello, <IS MAN>\tworld")
    assert [piece for piece in pieces if piece in (",", "<IS▁MAN>", "\t")] == [",", "<IS▁MAN>", "\t"]


def test_trn_09_several_files_are_read_and_a_missing_one_is_named(tmp_path: Path) -> None:
    for name, text in (("a.txt", "aa aa\n"), ("b.txt", "bb bb\n\nbb\n")):
        (tmp_path / name).write_text(text, encoding="ascii")
    corpus = Corpus.from_files(tmp_path / "a.txt", tmp_path / "b.txt")
    assert [(source.name, source.n_lines, source.n_empty) for source in corpus.sources] == [
        ("a.txt", 1, 0),
        ("b.txt", 3, 1),
    ]
    spec = TrainerSpec(vocab_size=8, hard_vocab_limit=False)
    assert {"a", "b"} <= set(train(corpus, spec).result().pieces.texts)
    (tmp_path / "b.txt").unlink()
    with pytest.raises(CorpusError, match=r"b\.txt"):
        Corpus.from_files(tmp_path / "a.txt", tmp_path / "b.txt")


def test_trn_10_every_run_saves_the_same_bytes() -> None:
    script = (
        "import sys, hashlib; from engine import *; "
        f"corpus = Corpus.from_counts({CATS!r}); "
        "model = train(corpus, TrainerSpec(vocab_size=20, hard_vocab_limit=False), threads=int(sys.argv[1])).result(); "
        "print(hashlib.sha256(model.to_document().data).hexdigest())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", script, threads], cwd=REPOSITORY, env={**_environment(), "PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True, timeout=100,
        ).stdout
        for threads, seed in (("1", "1"), ("4", "2"))
    }  # fmt: skip
    spec = TrainerSpec(vocab_size=20, hard_vocab_limit=False)
    found.add(hashlib.sha256(trained(CATS, spec).to_document().data).hexdigest() + "\n")
    assert len(found) == 1


def _environment() -> dict[str, str]:
    import os

    return dict(os.environ)


def test_trn_11_no_piece_reaches_over_a_protected_symbol() -> None:
    lines = ["This is a sample @218@sentence.", "This is @242@another sample @218@sentence."]
    spec = TrainerSpec(vocab_size=60, hard_vocab_limit=False, user_defined_symbols=("@",))
    pieces = trained(dict.fromkeys(lines, 3), spec).pieces.texts
    assert not {"▁218", "▁242"} & set(pieces)
    assert not [text for text in pieces if "@" in text and text != "@"]


def test_trn_11_symbols_pass_through_case_folding() -> None:
    spec = TrainerSpec(
        vocab_size=40, hard_vocab_limit=False, normalization_rule_name="nmt_nfkc_cf",
        user_defined_symbols=("<INTEGER>",),
    )  # fmt: skip
    model = trained({"some <INTEGER> value": 5}, spec)
    assert "<INTEGER>" in model.encode_pieces("some <INTEGER> value")
    assert model.normalizer.normalize("ΟΔΟΣ ß İ <INTEGER> ABC").text == "▁οδοσ▁ß▁İ▁<INTEGER>▁abc"


def test_trn_13_characters_that_are_left_out_are_listed_with_their_counts() -> None:
    corpus = Corpus.from_counts({"a" * 98 + "é": 1})
    run = train(corpus, TrainerSpec(vocab_size=20, hard_vocab_limit=False, character_coverage=0.98))
    model = run.result()
    assert run.history is not None
    assert run.history.dropped_characters == (("é", 1),)
    assert any("é U+00E9 (1)" in note for note in run.history.notes)
    assert model.encode("é")[-1] == model.pieces.unknown_id
    whole = trained({"a" * 98 + "é": 1}, TrainerSpec(vocab_size=20, hard_vocab_limit=False, character_coverage=1.0))
    assert "é" in whole.pieces.texts


@pytest.mark.parametrize("lines", [["cat", "bat", "hat", "mat"], ["cat bat hat mat"]])
def test_seed_02_candidates_are_counted_within_words(lines: list[str]) -> None:
    corpus = dict.fromkeys(lines, 1)
    seeds = seeds_of(corpus, TrainerSpec(character_coverage=1.0))
    counts = dict(zip(seeds.texts, seeds.counts.tolist(), strict=True))
    assert counts["at"] == 4
    assert not [text for text in counts if "\0" in text or "▁" in text[1:]]
    ngrams = seeds_of(corpus, TrainerSpec(character_coverage=1.0, seed_method="ngram", ngram_max_length=16))
    expected: Counter[str] = Counter()
    for line in lines:
        for word in ("▁" + line.replace(" ", " ▁")).split(" "):
            expected.update(word[i:j] for i in range(len(word)) for j in range(i + 2, min(len(word), i + 16) + 1))
    found = {t: c for t, c in zip(ngrams.texts, ngrams.counts.tolist(), strict=True) if len(t) > 1}
    assert found == {text: count for text, count in expected.items() if count >= 2}
    model = trained(corpus, TrainerSpec(vocab_size=100, character_coverage=1.0, hard_vocab_limit=False))
    assert set(model.pieces.texts) == {"<unk>", "<s>", "</s>", "at", "▁", "t", "a", "b", "c", "h", "m"}


def test_seed_04_the_space_marker_keeps_its_place() -> None:
    corpus = {"This is a": 3, "This is b": 3}
    soft = TrainerSpec(vocab_size=60, character_coverage=1.0, hard_vocab_limit=False)
    assert all("▁" not in text[1:] for text in learned(trained(corpus, soft)))
    suffix = trained(corpus, replace(soft, treat_whitespace_as_suffix=True))
    assert all("▁" not in text[:-1] for text in learned(suffix))
    spaces = replace(soft, allow_whitespace_only_pieces=True, remove_extra_whitespaces=False)
    model = trained({"a    b": 6}, spaces)
    assert all(set(text) == {"▁"} or "▁" not in text[1:] for text in learned(model))
    assert any(len(text) > 1 and set(text) == {"▁"} for text in learned(model))
    assert model.decode(model.encode("a    b")) == "a    b"


@pytest.mark.parametrize("split_by_number", [True, False])
@pytest.mark.parametrize("split_digits", [True, False])
def test_seed_05_digits_are_split_as_the_reference_does(
    tmp_path: Path, split_by_number: bool, split_digits: bool
) -> None:
    lines = ["p53 64*32+1!! $10 (2 5|4", "سنة ٢٠٢١ ２０２１"] * 6
    rules: dict[str, Any] = {"split_by_number": split_by_number, "split_digits": split_digits}
    theirs = reference(
        tmp_path, lines, vocab_size=200, hard_vocab_limit=False, character_coverage=1.0, num_threads=1, **rules
    )
    spec = replace(LIKE_SENTENCEPIECE, vocab_size=200, hard_vocab_limit=False, character_coverage=1.0, **rules)
    ours = train(Corpus.from_texts(lines), spec).result()
    # 0.2.1, which the preset follows, has no candidate that always ends a line; the reference here is 0.2.3.
    ends_lines = {"▁２０２１"} if not split_digits else set()
    assert set(ours.pieces.texts) | ends_lines == {theirs.id_to_piece(i) for i in range(theirs.get_piece_size())}


def test_em_04_models_with_probabilities_above_one_train_and_encode(tmp_path: Path) -> None:
    ids: dict[str, Any] = {"pad_id": 0, "bos_id": -1, "eos_id": 1, "unk_id": 2}
    theirs = reference(tmp_path, ["hello"] * 5, vocab_size=20, hard_vocab_limit=False, **ids)
    loaded = load_model(tmp_path / "reference.model")
    assert loaded.encode("hello") == theirs.encode("hello")
    assert [warning.partition(":")[0] for warning in loaded.warnings] == ["Scores above 0"]
    spec = TrainerSpec(vocab_size=20, hard_vocab_limit=False, **ids)
    assert trained({"hello": 5}, spec).pieces.texts[:3] == ("<pad>", "</s>", "<unk>")


def test_prn_03_the_size_counts_special_pieces_too(tmp_path: Path) -> None:
    spec = TrainerSpec(
        vocab_size=30, hard_vocab_limit=False, pad_id=0, bos_id=1, eos_id=2, unk_id=3, control_symbols=("<mask>",)
    )
    model = trained(CATS, replace(spec, min_expected_count=0.0))
    model.save(tmp_path / "m.model")
    saved = load_model(tmp_path / "m.model")
    assert len(saved.pieces) == len(model.pieces) == 30
    assert saved.pieces.texts[:5] == ("<pad>", "<s>", "</s>", "<unk>", "<mask>")


def test_prn_04_a_large_alphabet_ends_and_keeps_every_character() -> None:
    alphabet = "".join(chr(0x4E00 + i) for i in range(2000))
    corpus = {alphabet: 1, "ab ab ab": 500}
    with pytest.raises(TrainingError, match=r"2,006 to"):
        trained(corpus, TrainerSpec(vocab_size=2000, character_coverage=1.0))
    spec = TrainerSpec(vocab_size=2010, character_coverage=1.0, hard_vocab_limit=False)
    run = train(Corpus.from_counts(corpus), spec)
    expected = [step.n_rounds_expected for step in run if step.round]
    model, history = run.model, run.history
    assert model is not None
    assert history is not None
    assert all(len(model.encode(c)) and model.pieces.unknown_id not in model.encode(c) for c in alphabet)
    assert max(update.round for update in history.updates) <= max(expected)
    for pruning in history.prunings:
        assert set(pruning.verdict.tolist()) <= {0, 1, 2}


def test_em_02_log_z_and_expected_counts_of_one_sentence() -> None:
    log_p = {"▁": -3.0, "a": -2.0, "b": -2.5, "ab": -2.2}
    model = UnigramModel.from_probabilities({text: math.exp(value) for text, value in log_p.items()})
    lattice = model.lattice("▁ab")
    assert math.isclose(lattice.log_z, -5.104454535402037, rel_tol=1e-12)
    posteriors = dict(zip((lattice.piece_texts[i] for i in lattice.edge_piece), lattice.posteriors, strict=True))
    expected = {"▁": 1.0, "ab": 0.9088770389851436, "a": 0.09112296101485613, "b": 0.09112296101485613}
    assert posteriors.keys() == expected.keys()
    assert all(math.isclose(posteriors[text], value, rel_tol=1e-12) for text, value in expected.items())
