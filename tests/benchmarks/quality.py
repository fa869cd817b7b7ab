"""Vocabularies of equal size held to a text that neither has seen: ours against sentencepiece's.

    python -m tests.benchmarks.quality [--corpora en10 en100 multi30]

en100 is held out on en10; of the others every tenth line is held out. Both vocabularies are estimated anew by the
same EM on the training text, whose texts are split at characters that either vocabulary lacks; printed are nats per
character over all paths and tokens per character of the best paths, and the share of characters left out.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine import Corpus, TrainerSpec, UnigramModel, load_model, train
from engine.em import PieceProbabilities, e_step, keep_pieces, m_step
from engine.pieces import PieceType
from engine.pruning import sentencepiece_losses
from engine.seeds import Seeds, make_seeds
from engine.shards import Workers
from engine.words import Units, count_units
from tests.benchmarks.training import SENTENCEPIECE, SIZES, unpack
from tests.helpers.stages import finish

N_UPDATES = 8
LEAST_COUNT = 0.5
"""What a piece counts at least, so that one without use in training can still appear in the held-out text."""


@dataclass(frozen=True)
class Figures:
    """Nats and tokens per character."""

    training: float
    held_out: float
    tokens: float


def pieces_of(model: UnigramModel) -> list[str]:
    """Return the learned pieces of a model."""
    rows = zip(model.pieces.texts, model.pieces.types.tolist(), strict=True)
    return [text for text, kind in rows if kind == PieceType.NORMAL]


def units_within(corpus: Corpus, characters: set[str], workers: Workers) -> Units:
    """Cut a corpus at all other characters."""
    every = {corpus.text(i): int(count) for i, count in enumerate(corpus.counts)}
    allowed = characters | {" "}
    counts: dict[str, int] = {}
    for text, count in every.items():
        # A character outside becomes a TAB, which no piece may hold.
        kept = "".join(c if c in allowed else "\t" for c in text)
        counts[kept] = counts.get(kept, 0) + count
    return finish(count_units(workers, Corpus.from_counts(counts), TrainerSpec(character_coverage=1.0)))


def lattices_of(units: Units, pieces: list[str], workers: Workers) -> Seeds:
    """Return the lattices of `units` with the given pieces."""
    spec = TrainerSpec(seed_sentencepiece_size=10_000_000)
    given = Corpus.from_counts({text: 1 for text in pieces if len(text) > 1})
    return finish(make_seeds(workers, units, spec, given=given))


def estimate(units: Units, pieces: list[str], workers: Workers) -> tuple[dict[str, float], float]:
    """Return ln p of each piece after `N_UPDATES` of EM, and nats per character."""
    seeds = lattices_of(units, pieces, workers)
    table = PieceProbabilities.of_seeds(seeds, np.log(seeds.probabilities("count_length")))
    lattices, scale = seeds.lattices, 2.0
    for _ in range(N_UPDATES):
        found = finish(e_step(workers, lattices, table, scale))
        scale = found.loss / lattices.n_characters
        table, is_kept = m_step(table, found, "maximum_likelihood")
        lattices = finish(keep_pieces(workers, lattices, is_kept))
    found = finish(e_step(workers, lattices, table, scale))
    counts = dict.fromkeys(pieces, LEAST_COUNT)
    for number, count in zip(table.seeds.tolist(), found.counts.tolist(), strict=True):
        counts[seeds.texts[number]] = max(count, LEAST_COUNT)
    total = sum(counts.values())
    return {text: float(np.log(count / total)) for text, count in counts.items()}, scale


def evaluate(training: Units, held_out: Units, pieces: list[str], workers: Workers) -> Figures:
    """Return the figures of one vocabulary."""
    log_p, nats = estimate(training, pieces, workers)
    seeds = lattices_of(held_out, pieces, workers)
    lowest = min(log_p.values())
    table = PieceProbabilities.of_seeds(seeds, np.array([log_p.get(text, lowest) for text in seeds.texts]))
    n = seeds.lattices.n_characters
    loss = finish(e_step(workers, seeds.lattices, table, nats)).loss
    best = finish(sentencepiece_losses(workers, seeds.lattices, table, seeds.starts)).best_counts
    assert best is not None
    return Figures(nats, loss / n, float(best.sum()) / n)


def split(name: str, folder: Path) -> tuple[Path, Path]:
    """Return the training text and the held-out text."""
    path = unpack(name, folder)
    if name == "en100":
        return path, unpack("en10", folder)
    training, held_out = folder / f"{name}.training.txt", folder / f"{name}.held-out.txt"
    lines = path.read_bytes().split(b"\n")
    training.write_bytes(b"\n".join(line for i, line in enumerate(lines) if i % 10 != 9))
    held_out.write_bytes(b"\n".join(lines[9::10]))
    return training, held_out


def compare(name: str, folder: Path) -> None:
    """Print the figures of both vocabularies of one corpus."""
    training, held_out = split(name, folder)
    begin = time.perf_counter()
    corpus = Corpus.from_file(training)
    ours = train(corpus, TrainerSpec(vocab_size=SIZES[name])).result()
    print(f"{name}: {SIZES[name]:,} pieces; ours trained in {time.perf_counter() - begin:.1f} s", flush=True)
    command = [sys.executable, "-c", SENTENCEPIECE, str(training), str(SIZES[name]), str(folder / "theirs")]
    subprocess.run(command, check=True)
    vocabularies = {"ours": pieces_of(ours), "sentencepiece": pieces_of(load_model(folder / "theirs.model"))}
    shared = set.intersection(*({p for p in pieces if len(p) == 1} for pieces in vocabularies.values()))
    with Workers(2) as workers:
        units = [units_within(c, shared, workers) for c in (corpus, Corpus.from_file(held_out))]
        whole = finish(count_units(workers, Corpus.from_file(held_out), TrainerSpec(character_coverage=1.0)))
        dropped = 1.0 - units[1].character_counts.sum() / whole.character_counts.sum()
        for label, pieces in vocabularies.items():
            figures = evaluate(units[0], units[1], pieces, workers)
            print(
                f"  {label:>14}  training {figures.training:.5f}  held out {figures.held_out:.5f} nats a character"
                f"  {figures.tokens:.5f} tokens a character",
                flush=True,
            )
    print(f"  {100 * dropped:.3f} % of the held-out characters are in neither count")


def main() -> None:
    """Parse the command line and compare."""
    parser = argparse.ArgumentParser(description="Held-out quality against sentencepiece.")
    parser.add_argument("--corpora", nargs="+", default=list(SIZES), choices=list(SIZES))
    with tempfile.TemporaryDirectory() as folder:
        for name in parser.parse_args().corpora:
            compare(name, Path(folder))


if __name__ == "__main__":
    main()
