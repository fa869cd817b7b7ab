"""Training against the peers, side by side: whole processes from text file to saved model.

    python -m tests.benchmarks.training [--runs 3] [--corpora en10 en100 multi30] [--losses]

Each trainer gets the same file, size and two threads, identity normalization, and reads and writes by itself. Ours
runs with its kernels and its Python sources compiled, as on every start but the first. Printed are the median time
and peak memory of `--runs` runs that take turns, and the ratios; with `--losses` also what exact losses cost beside
an E step.
"""

from __future__ import annotations

import argparse
import lzma
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from engine import Corpus, TrainerSpec
from engine.em import PieceProbabilities, e_step, keep_pieces, m_step
from engine.pruning import exact_losses
from engine.seeds import make_seeds
from engine.shards import Workers
from engine.words import count_units
from tests.helpers.shared_data import shared_folder
from tests.helpers.stages import finish

SIZES = {"en10": 8000, "en100": 32000, "multi30": 32000}

OURS = """
import sys
from engine import Corpus, TrainerSpec, train
path, size, out = sys.argv[1:]
train(Corpus.from_file(path), TrainerSpec(vocab_size=int(size)), threads=2).result().save(out)
"""
SENTENCEPIECE = """
import sys
import sentencepiece
path, size, out = sys.argv[1:]
sentencepiece.SentencePieceTrainer.train(
    input=path, model_prefix=out, vocab_size=int(size), num_threads=2, normalization_rule_name="identity",
    character_coverage=0.9995, minloglevel=2)
"""
TOKENIZERS = """
import sys
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
path, size, out = sys.argv[1:]
tokenizer = Tokenizer(models.Unigram())
tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
trainer = trainers.UnigramTrainer(vocab_size=int(size), unk_token="<unk>", special_tokens=["<unk>", "<s>", "</s>"],
                                  show_progress=False)
tokenizer.train([path], trainer)
tokenizer.save(out)
"""
TRAINERS = {"ours": OURS, "sentencepiece": SENTENCEPIECE, "tokenizers": TOKENIZERS}


def run(script: str, corpus: Path, size: int, out: Path) -> tuple[float, float]:
    """Run one trainer; return seconds and peak memory in MB."""
    environment = {**os.environ, "RAYON_NUM_THREADS": "2", "OMP_NUM_THREADS": "2"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    begin = time.perf_counter()
    child = subprocess.Popen([sys.executable, "-c", script, str(corpus), str(size), str(out)], env=environment)
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - begin
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"the trainer failed on {corpus.name}")
    return seconds, usage.ru_maxrss / 1000


def unpack(name: str, folder: Path) -> Path:
    """Write a shared corpus as plain text."""
    path = folder / f"{name}.txt"
    with lzma.open(shared_folder() / "data" / "corpora" / f"{name}.txt.xz") as packed, path.open("wb") as plain:
        shutil.copyfileobj(packed, plain)
    return path


def compare(corpora: list[str], n_runs: int, folder: Path) -> None:
    """Print the table of times and memory."""
    small = folder / "small.txt"
    small.write_text("the cat sat on the mat\n" * 9, encoding="utf-8")
    run(OURS.replace("int(size)", "int(size), hard_vocab_limit=False"), small, 50, folder / "small.model")
    print(f"{'corpus':>8} {'size':>6} {'trainer':>14} {'seconds':>8} {'ratio':>6} {'peak MB':>8} {'ratio':>6}")
    for name in corpora:
        path = unpack(name, folder)
        # tokenizers takes minutes and gigabytes on the larger corpora; the target names en10 only.
        trainers = [t for t in TRAINERS if t != "tokenizers" or name == "en10"]
        figures: dict[str, list[tuple[float, float]]] = {trainer: [] for trainer in trainers}
        for _ in range(n_runs):
            for trainer in trainers:
                figures[trainer].append(run(TRAINERS[trainer], path, SIZES[name], folder / f"{trainer}.model"))
        medians = {t: [statistics.median(column) for column in zip(*rows, strict=True)] for t, rows in figures.items()}
        for trainer, (seconds, memory) in medians.items():
            print(
                f"{name:>8} {SIZES[name]:>6} {trainer:>14} {seconds:8.2f} {seconds / medians['ours'][0]:6.1f} "
                f"{memory:8.0f} {medians['ours'][1] / memory:6.2f}",
                flush=True,
            )


def compare_losses(corpora: list[str], folder: Path) -> None:
    """Print what the exact losses of the first round cost, beside an E step over the same table."""
    print(f"{'corpus':>8} {'pieces':>8} {'edges':>10} {'E step':>8} {'losses':>8} {'ratio':>6} {'bounds':>8}")
    for name in corpora:
        corpus = Corpus.from_file(unpack(name, folder) if name in SIZES else shared_folder() / "data/corpora" / name)
        spec = TrainerSpec()
        with Workers(2) as workers:
            seeds = finish(make_seeds(workers, finish(count_units(workers, corpus, spec)), spec))
            table = PieceProbabilities.of_seeds(seeds, np.log(seeds.probabilities("count_length")))
            found = finish(e_step(workers, seeds.lattices, table, 2.0))
            table, is_kept = m_step(table, found, "maximum_likelihood", min_expected_count=spec.min_expected_count)
            lattices = finish(keep_pieces(workers, seeds.lattices, is_kept))
            scale = found.loss / lattices.n_characters
            times: dict[str, list[float]] = {"E step": [], "losses": []}
            for _ in range(3):
                begin = time.perf_counter()
                finish(e_step(workers, lattices, table, scale))
                middle = time.perf_counter()
                losses = finish(exact_losses(workers, lattices, table, scale, len(table) // 4))
                times["E step"].append(middle - begin)
                times["losses"].append(time.perf_counter() - middle)
        step, loss = (statistics.median(times[key]) for key in ("E step", "losses"))
        print(
            f"{name[:8]:>8} {len(table):>8} {len(lattices.edge_piece):>10} {step:8.3f} {loss:8.3f} {loss / step:6.2f} "
            f"{int(losses.is_bound.sum()):>8}",
            flush=True,
        )


def main() -> None:
    """Parse the command line and print the tables."""
    parser = argparse.ArgumentParser(description="Training against sentencepiece and tokenizers.")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--corpora", nargs="+", default=list(SIZES), choices=list(SIZES))
    parser.add_argument("--losses", action="store_true", help="only what exact losses cost")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if options.losses:
            compare_losses([*options.corpora, "wagahaiwa_nekodearu.txt"], Path(folder))
        else:
            compare(options.corpora, options.runs, Path(folder))


if __name__ == "__main__":
    main()
