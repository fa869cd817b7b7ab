"""Compile every kernel once, so that nobody waits for the compiler later.

    python -m engine.warm_up

does what a first session does, on a few words: it reads, trains, encodes, decodes and draws paths, with each kind of
array that these calls hand to kernels. The machine code goes to `kernels.jit.cache_folder()`; a mark beside it says
that the folder is complete.

    python -m engine.warm_up training & python -m engine.warm_up encoding; wait; python -m engine.warm_up

does it sooner on two processors. The two parts have few kernels in common; the last call finds what they left, compiles
what is missing, should one have overwritten the other's entry of a kernel that both compiled, and makes the mark.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from engine.charsmap import Charsmap, standard_charsmap
from engine.comparison import compare_on_corpus
from engine.corpus import Corpus
from engine.corpus_statistics import corpus_figures
from engine.criteria import criteria_of_round
from engine.kernels.jit import complete_mark, mark_complete, share_in_cache
from engine.model import UnigramModel, load_model
from engine.normalizer import NormalizerSpec
from engine.spec import PRESETS, TrainerSpec
from engine.trainer import train

_LINES = "the cat sat on the mat\nthe hat is flat\nthat cat is fat 12\n你好 猫\n" * 3
_MANY_WORDS = "".join(f"w{i}\n" for i in range(20_000))  # more than a table of units has room for at first
_COUNTED = "the cat\t4\tx\nabca\t2\ty\n"


def is_warm() -> bool:
    """Tell whether all kernels were compiled before, so that loading them takes milliseconds."""
    return complete_mark().exists()


def share_compiled() -> float:
    """Return about which share of the kernels has machine code in the cache by now, 0..1."""
    return share_in_cache()


def compile_all() -> None:
    """Compile all kernels; takes some seconds the first time."""
    with tempfile.TemporaryDirectory() as folder:
        corpus = _read(Path(folder))
        for spec in _specs():
            run = train(corpus, spec, threads=2)
            model = run.result()
            _use(model, corpus)
            if run.history is not None and run.history.prunings:
                criteria_of_round(run.history, corpus, 1, threads=1)
        model.save(Path(folder) / "m.model")
        opened = load_model(Path(folder) / "m.model")
        _use(opened, corpus)
        _use(opened.as_tokenizer(), corpus)
        with_rules = replace(opened.normalizer_spec, precompiled_charsmap=standard_charsmap("nmt_nfkc"))
        _use(replace(opened, normalizer_spec=with_rules).as_tokenizer(), corpus)
    _use_worked_example()
    mark_complete()


def compile_training() -> None:
    """Compile most of what reading and training need, and encoding in float64; makes no mark."""
    with tempfile.TemporaryDirectory() as folder:
        corpus = _read(Path(folder))
        for spec in _specs():
            run = train(corpus, spec, threads=2)
            run.result()
            if run.history is not None and run.history.prunings:
                criteria_of_round(run.history, corpus, 1, threads=1)
    _use_worked_example()


def compile_encoding() -> None:
    """Compile most of what a vocabulary in a file needs, which is float32, without training one; makes no mark."""
    letters = sorted(set(_LINES.replace("\n", "")) - {" "} | {"\u2581"})
    worked = UnigramModel.from_probabilities(dict.fromkeys([*letters, "at", "\u2581the"], 0.02))
    corpus = Corpus.from_counts(dict.fromkeys(_LINES.splitlines(), 1))
    with tempfile.TemporaryDirectory() as folder:
        worked.save(Path(folder) / "m.model")
        opened = load_model(Path(folder) / "m.model")
    rules = NormalizerSpec("nmt_nfkc", standard_charsmap("nmt_nfkc"))  # with spaces as markers: word by word
    ruled = replace(opened, normalizer_spec=rules)
    for model in (opened, opened.as_tokenizer(), ruled, ruled.as_tokenizer()):
        _use(model, corpus)


PARTS = {"training": compile_training, "encoding": compile_encoding}
"""What can be compiled side by side; `compile_all` afterwards has little left to do."""


def _read(folder: Path) -> Corpus:
    """Return a small corpus, after training on one with many words."""
    (folder / "lines.txt").write_text(_LINES, encoding="utf-8")
    (folder / "counted.tsv").write_text(_COUNTED + _MANY_WORDS.replace("\n", "\t1\tz\n"), encoding="utf-8")
    both = Corpus.from_files(folder / "lines.txt", folder / "counted.tsv")
    for spec in (TrainerSpec(), PRESETS["SentencePiece 0.2.1"]):
        train(both, replace(spec, vocab_size=60, split_by_number=False), threads=1).result()
    return Corpus.from_file(folder / "lines.txt")


def _specs() -> list[TrainerSpec]:
    """Return settings that between them reach every kernel of training."""
    small = TrainerSpec(vocab_size=35, character_coverage=1.0, hard_vocab_limit=False)
    return [
        replace(small, character_coverage=0.9),
        replace(PRESETS["Teaching"], vocab_size=30, hard_vocab_limit=False),
        replace(small, vocab_size=25, pruning_criterion="viterbi"),
        replace(small, user_defined_symbols=("cat",), byte_fallback=True, normalization_rule_name="nfkc_cf"),
    ]


def _use_worked_example() -> None:
    """Use a model in float64."""
    _use(UnigramModel.from_probabilities({"a": 0.5, "b": 0.25, "ab": 0.25}), Corpus.from_counts({"ab": 2, "b": 1}))


def _use(model: UnigramModel, corpus: Corpus) -> None:
    """Encode, decode and draw paths as the window does."""
    text = corpus.text(0) + " cat?"
    ids = model.encode(text)
    model.decode(ids)
    model.decode_detail(ids)
    Charsmap.from_bytes(model.normalizer_spec.precompiled_charsmap).rules()
    _use_on_corpus(model, corpus)
    lattice = model.lattice(text)
    _ = lattice.posteriors, lattice.entropy, lattice.n_paths, lattice.boundary_posteriors
    _ = lattice.best(), lattice.best_table(), lattice.n_best(3)
    _ = lattice.sample(rng=np.random.default_rng(0)), lattice.without(int(lattice.edge_piece[-1])).n_paths


def _use_on_corpus(model: UnigramModel, corpus: Corpus) -> None:
    """Encode and sum up many texts at once."""
    model.encode_batch([corpus.text(0) + " cat?", ""], threads=1)
    corpus_figures(model, corpus, threads=1)
    compare_on_corpus(model, model, corpus, threads=1)


if __name__ == "__main__":
    (PARTS[sys.argv[1]] if len(sys.argv) > 1 else compile_all)()
