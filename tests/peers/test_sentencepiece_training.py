"""The preset "SentencePiece 0.2.1" against sentencepiece==0.2.1 itself, in an environment made for the test.

Slow: the environment is installed from the package index, which takes most of the time.
"""

from __future__ import annotations

import json
import platform
import re
import subprocess
import sys
import venv
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine import PRESETS, Corpus, UnigramModel, train

pytestmark = pytest.mark.slow

TRAIN = """
import json, sys
import sentencepiece
settings = json.loads(sys.argv[1])
sentencepiece.SentencePieceTrainer.train(num_threads=1, **settings)
model = sentencepiece.SentencePieceProcessor(model_file=settings["model_prefix"] + ".model")
print(json.dumps([[model.id_to_piece(i), model.get_score(i)] for i in range(model.get_piece_size())]))
"""
LIKE_SENTENCEPIECE = PRESETS["SentencePiece 0.2.1"]
IS_X86 = platform.machine() in ("x86_64", "AMD64")
"""Elsewhere the package's compiler may fuse a product and a sum, which rounds once instead of twice."""


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


def write_lines(corpus: Corpus, path: Path) -> None:
    """Write the texts of a corpus, a line each: sentencepiece takes CR and a byte-order mark for characters."""
    lines = [corpus.text(i) for i in range(len(corpus)) for _ in range(int(corpus.counts[i]))]
    path.write_bytes("\n".join(lines).encode())


def train_theirs(python: Path, text: Path, **settings: Any) -> tuple[list[tuple[str, float]], str]:
    """Train with sentencepiece 0.2.1; return its pieces with scores, and what it logged."""
    settings = {"normalization_rule_name": "identity", **settings}
    settings |= {"input": str(text), "model_prefix": str(text.with_suffix(""))}
    command = [str(python), "-c", TRAIN, json.dumps(settings)]
    run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    return [(piece, score) for piece, score in json.loads(run.stdout.splitlines()[-1])], run.stderr


def assert_same_pieces(ours: UnigramModel, theirs: list[tuple[str, float]]) -> None:
    """Assert the same pieces with the same IDs and scores; where that is not to be had, 99.5 % of the pieces."""
    pieces = list(zip(ours.pieces.texts, ours.pieces.log_probs.tolist(), strict=True))
    assert len(dict(pieces).keys() & dict(theirs).keys()) >= 0.995 * len(theirs)
    if IS_X86:
        assert pieces == theirs


@pytest.mark.parametrize(
    ("name", "size", "n_seeds"),
    [
        ("botchan.txt", 1000, 16_112),
        ("wagahaiwa_nekodearu.txt", 8000, 48_869),
        ("en10.txt.xz", 8000, 143_138),
    ],
)
def test_the_preset_trains_as_sentencepiece_does(
    old_python: Path, shared: Path, tmp_path: Path, name: str, size: int, n_seeds: int
) -> None:
    corpus = Corpus.from_file(shared / "data" / "corpora" / name)
    write_lines(corpus, tmp_path / "corpus.txt")
    theirs, log = train_theirs(old_python, tmp_path / "corpus.txt", vocab_size=size)

    run = train(corpus, replace(LIKE_SENTENCEPIECE, vocab_size=size))
    assert_same_pieces(run.result(), theirs)
    assert run.history is not None
    assert len(run.history.piece_texts) == n_seeds
    assert f"Initialized {n_seeds} seed sentencepieces" in log
    ours = [f"{update.objective:.6g}" for update in run.history.updates]
    theirs_printed = re.findall(r"EM sub_iter=\d+ size=\d+ obj=(\S+)", log)
    assert np.allclose(np.array(ours, dtype=float), np.array(theirs_printed, dtype=float), rtol=1e-4, atol=0)
    if IS_X86:
        assert ours == theirs_printed


SETTINGS: list[dict[str, Any]] = [
    {"treat_whitespace_as_suffix": True},
    {"remove_extra_whitespaces": False, "add_dummy_prefix": False},
    {"remove_extra_whitespaces": False, "allow_whitespace_only_pieces": True},
    {"remove_extra_whitespaces": False, "allow_whitespace_only_pieces": True, "treat_whitespace_as_suffix": True},
    {"split_by_whitespace": False},
    {"split_by_whitespace": False, "treat_whitespace_as_suffix": True},
    {"split_by_unicode_script": False, "max_sentencepiece_length": 40},
    {"split_by_number": False, "num_sub_iterations": 3},
    {"split_digits": True, "num_sub_iterations": 1},
    {"user_defined_symbols": ["in"], "control_symbols": ["and", "a"], "character_coverage": 1.0},
    {"required_chars": "ßʒé9", "byte_fallback": True},
    {"shrinking_factor": 0.9, "max_sentencepiece_length": 4},
    {"character_coverage": 0.98, "seed_sentencepiece_size": 3000, "max_sentence_length": 80},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda settings: ",".join(settings))
def test_the_preset_trains_as_sentencepiece_does_under_other_settings(
    old_python: Path, shared: Path, tmp_path: Path, settings: dict[str, Any]
) -> None:
    everything = Corpus.from_file(shared / "data" / "corpora" / "botchan.txt")
    corpus = Corpus.from_texts(dict.fromkeys(everything.text(i) for i in range(len(everything))))
    write_lines(corpus, tmp_path / "corpus.txt")
    theirs, _ = train_theirs(old_python, tmp_path / "corpus.txt", vocab_size=600, **settings)
    ours: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in settings.items()
    }
    assert_same_pieces(train(corpus, replace(LIKE_SENTENCEPIECE, vocab_size=600, **ours)).result(), theirs)
