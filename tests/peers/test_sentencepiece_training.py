"""The preset "SentencePiece 0.2.1" against sentencepiece==0.2.1 itself, in an environment made for the test.

Slow: the environment is installed from the package index, which takes most of the time.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import venv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine import PRESETS, Corpus, TrainingHistory, train
from engine.seeds import make_seeds
from engine.shards import Workers
from engine.words import Units, count_units, running_texts
from tests.helpers.stages import finish

pytestmark = pytest.mark.slow

TRAIN = """
import json, sys
import sentencepiece
path, prefix, size = sys.argv[1:]
sentencepiece.SentencePieceTrainer.train(
    input=path, model_prefix=prefix, vocab_size=int(size), num_threads=1, normalization_rule_name="identity")
model = sentencepiece.SentencePieceProcessor(model_file=prefix + ".model")
print(json.dumps([model.id_to_piece(i) for i in range(model.get_piece_size())]))
"""


@pytest.fixture(scope="session")
def old_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter that has sentencepiece 0.2.1."""
    folder = tmp_path_factory.mktemp("sentencepiece-0.2.1")
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    install = [str(python), "-m", "pip", "install", "-q", "sentencepiece==0.2.1"]
    if subprocess.run(install, capture_output=True, timeout=300).returncode:
        pytest.skip("needs sentencepiece==0.2.1, which cannot be installed here")
    return python


@pytest.mark.parametrize(
    ("name", "size", "n_seeds", "least_shared"),
    [("botchan.txt", 1000, 16_112, 0.995), ("wagahaiwa_nekodearu.txt", 8000, 48_869, 0.95)],
)
def test_the_preset_trains_as_sentencepiece_does(
    old_python: Path, shared: Path, tmp_path: Path, name: str, size: int, n_seeds: int, least_shared: float
) -> None:
    corpus = Corpus.from_file(shared / "data" / "corpora" / name)
    text = tmp_path / "corpus.txt"  # sentencepiece takes CR and a byte-order mark for characters
    lines = [corpus.text(i) for i in range(len(corpus)) for _ in range(int(corpus.counts[i]))]
    text.write_bytes("\n".join(lines).encode())
    command = [str(old_python), "-c", TRAIN, str(text), str(tmp_path / "theirs"), str(size)]
    theirs = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)

    spec = replace(PRESETS["SentencePiece 0.2.1"], vocab_size=size)
    with Workers(2) as workers:
        units = finish(count_units(workers, corpus, spec))
        running = finish(running_texts(workers, corpus, spec, units))
        seeds = finish(make_seeds(workers, units, spec, running=running))
    assert len(seeds) == n_seeds
    assert f"Initialized {n_seeds} seed sentencepieces" in theirs.stderr

    run = train(corpus, spec)
    pieces = set(run.result().pieces.texts)
    assert run.history is not None
    n_words = sum(len(line.split(" ")) - line.split(" ").count("") for line in lines if len(line.encode()) <= 4192)
    first_lowest = float(np.log(seeds.probabilities("count_length").min()))
    ours = _objectives(run.history, units, n_words, first_lowest)
    printed = [float(value) for value in re.findall(r"EM sub_iter=\d+ size=\d+ obj=([\d.]+)", theirs.stderr)]
    assert np.allclose(ours, printed, rtol=1e-4, atol=0)
    their_pieces = set(json.loads(theirs.stdout.splitlines()[-1]))
    assert len(pieces & their_pieces) / len(their_pieces) >= least_shared


def _objectives(history: TrainingHistory, units: Units, n_words: int, lowest: float) -> list[float]:
    """Return the loss a word that sentencepiece prints: unknown characters cost 10 below the lowest score."""
    objectives = []
    prunings = {pruning.round: pruning for pruning in history.prunings}
    for update in history.updates:
        objectives.append((update.loss_before + units.n_uncovered * (10.0 - lowest)) / n_words)
        lowest = float(np.log(np.nanmin(update.probabilities)))
        if update.sub_iteration == history.spec.num_sub_iterations and update.round in prunings:
            lowest = float(np.log(np.nanmin(prunings[update.round].probabilities_after)))
    return objectives
