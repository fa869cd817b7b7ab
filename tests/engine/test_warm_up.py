"""Compiling ahead: afterwards nothing that a session does compiles anything."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from engine import warm_up

REPOSITORY = Path(__file__).parents[2]

SESSION = """
import numpy as np
from engine import PRESETS, Corpus, TrainerSpec, corpus_figures, train
from engine.kernels.jit import KERNELS
from engine.warm_up import compile_all, is_warm

compile_all()
assert is_warm()
before = {kernel.__qualname__: len(kernel.signatures) for kernel in KERNELS}
corpus = Corpus.from_file("resources/samples/prose.txt")
for spec in (
    TrainerSpec(vocab_size=900, character_coverage=0.98),
    TrainerSpec(vocab_size=900, normalization_rule_name="nmt_nfkc"),
    TrainerSpec(vocab_size=1500, byte_fallback=True, seed_method="ngram", m_step="digamma"),
    TrainerSpec(vocab_size=1500, pruning_criterion="sentencepiece", split_by_whitespace=False),
    TrainerSpec(vocab_size=1500, pruning_criterion="count_logp", user_defined_symbols=("the",)),
):
    model = train(corpus, spec).result()
    corpus_figures(model, corpus)
    lattice = model.lattice("hello world " * 3)
    lattice.posteriors, lattice.entropy, lattice.n_paths, lattice.boundary_posteriors
    lattice.n_best(10), lattice.sample(rng=np.random.default_rng(1), size=5, alpha=0.3), lattice.best_table()
    lattice.without(5).log_z
    model.decode_detail(model.encode("你好😊"))
    model.encode_batch(["a", "b c"])
    other = model.as_tokenizer()
    other.decode_detail(other.encode("你好😊 <s> a"))
    other.lattice("hello <s> you").n_best(3)
after = {kernel.__qualname__: len(kernel.signatures) for kernel in KERNELS}
print({name for name in after if after[name] != before[name]})
"""


def test_a_session_after_warming_up_compiles_nothing() -> None:
    run = subprocess.run(
        [sys.executable, "-c", SESSION], cwd=REPOSITORY, capture_output=True, text=True, timeout=110, check=True
    )
    assert run.stdout.strip() == "set()"


@pytest.mark.parametrize("part", sorted(warm_up.PARTS))
def test_a_part_can_be_compiled_alone_and_does_not_say_that_all_is_there(
    part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    marks: list[str] = []
    monkeypatch.setattr(warm_up, "mark_complete", lambda: marks.append(part))
    warm_up.PARTS[part]()
    assert marks == []
