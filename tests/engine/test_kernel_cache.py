"""Machine code: how it is called, and that what cannot be saved or read is compiled and used all the same."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from engine.kernels import jit, machine_code
from engine.kernels.jit import kernel

REPOSITORY = Path(__file__).parents[2]

# A file lies where the folder of the kernel's machine code should: every way to read or save it is an OSError.
USE = """
import sys
from engine.kernels import jit
from engine.kernels.expected_counts import add_logs

place = jit.module_folder("expected_counts")
if sys.argv[1] == "refused":
    place.touch()
assert abs(add_logs(-1.0, -2.0) - add_logs.py_func(-1.0, -2.0)) < 1e-12
jit.mark_complete()
print(place.is_dir(), jit.complete_mark().exists(), jit.cache_folder().parent.parent)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the cache directory is moved by XDG_CACHE_HOME")
@pytest.mark.parametrize(("disk", "is_saved"), [("refused", False), ("free", True)])
def test_a_disk_that_refuses_machine_code_stops_no_work_and_leaves_no_mark(
    tmp_path: Path, disk: str, is_saved: bool
) -> None:
    run = subprocess.run(
        [sys.executable, "-c", USE, disk],
        cwd=REPOSITORY,
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert run.stderr == ""
    assert run.stdout.split() == [str(is_saved), str(is_saved), str(tmp_path)]


TRAIN = """
import sys
from engine.corpus import Corpus
from engine.spec import TrainerSpec
from engine.trainer import train
corpus = Corpus.from_file("resources/samples/prose.txt")
train(corpus, TrainerSpec(vocab_size=900), threads=2).result().save(sys.argv[1])
print("numba" in sys.modules)
"""


def test_a_training_on_compiled_kernels_imports_no_compiler(tmp_path: Path) -> None:
    runs = [
        subprocess.run(
            [sys.executable, "-c", TRAIN, str(tmp_path / "trained.model")],
            cwd=REPOSITORY, capture_output=True, text=True, timeout=110, check=True,
        )
        for _ in range(2)
    ]  # fmt: skip
    assert runs[1].stdout.split() == ["False"]


@pytest.fixture
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep machine code of kernels that are defined here in a folder of the test's."""
    monkeypatch.setattr(jit, "module_folder", lambda _: tmp_path)


@kernel
def _echo(number: Any, real: Any, is_set: Any, vector: Any, matrix: Any, pair: Any, place: Any) -> Any:
    """Return what came in, so that each kind of argument is seen to arrive."""
    return number + pair[0], real * vector[1], not is_set, matrix[1, 2], place.right + pair[1][0], len(vector)


class _Place(NamedTuple):
    left: np.ndarray
    right: int


@pytest.mark.usefixtures("own_folder")
@pytest.mark.parametrize("number", [7, np.int64(7), np.int32(7), np.uint8(7)])
@pytest.mark.parametrize("real", [0.5, np.float64(0.5)])
def test_arguments_arrive_and_results_come_back(number: int, real: float) -> None:
    vector, matrix = np.array([1.0, 3.0]), np.arange(6, dtype=np.int32).reshape(2, 3)
    arguments = (number, real, True, vector, matrix, (2, np.array([40])), _Place(vector, 2))
    assert _echo(*arguments) == _echo.py_func(*arguments) == (9, 1.5, False, 5, 42, 2)
    assert [type(value) for value in _echo(*arguments)] == [int, float, bool, int, int, int]


@kernel
def _unsigned(code: Any, small: Any) -> Any:
    return code + np.uint64(1), small * np.float32(3)


@pytest.mark.usefixtures("own_folder")
def test_unsigned_and_32_bit_numbers_keep_their_bits() -> None:
    small = np.float32(0.1)
    assert _unsigned(np.uint64(2**64 - 2), small) == (2**64 - 1, float(small * np.float32(3)))


@kernel
def _fill(array: np.ndarray) -> None:
    for i in range(len(array)):
        array[i] = i


@pytest.mark.usefixtures("own_folder")
def test_a_kernel_writes_to_the_array_it_is_given_empty_ones_included() -> None:
    array = np.zeros(3)
    _fill(array)
    assert array.tolist() == [0, 1, 2]
    _fill(array[:0])


def test_an_array_with_gaps_is_our_own_mistake() -> None:
    with pytest.raises(AssertionError):
        _fill(np.zeros(6)[::2])


def test_machine_code_that_is_not_as_it_was_written_is_compiled_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jit, "module_folder", lambda _: tmp_path)
    _fill._codes.clear()
    _fill(np.zeros(2))
    [path] = tmp_path.glob("_fill-*.code")
    whole = path.read_bytes()
    _fill._codes.clear()
    assert machine_code.load(path) is not None
    for damaged in (whole[:-1], whole[:40], b"", b"{}\n", whole.replace(b'"symbol": "', b'"symbol": "x', 1)):
        path.write_bytes(damaged)
        assert machine_code.load(path) is None
    path.write_bytes(whole)
    other = tmp_path / "_unsigned-0123456789abcdef.code"
    other.write_bytes(whole)
    assert machine_code.load(other) is None  # it is for another kernel
    path.write_bytes(b"")
    array = np.zeros(2)
    _fill(array)
    assert array.tolist() == [0, 1]
    assert machine_code.load(path) is not None


def test_each_kernel_has_a_symbol_of_its_own() -> None:
    ours = [kernel.py_func for kernel in jit.KERNELS if kernel.py_func.__module__.startswith("engine.")]
    folders = {jit.module_folder(jit.module_of(function)) for function in ours}
    files = [file for folder in folders for file in folder.glob("*.code")]
    symbols = [json.loads(file.read_bytes().split(b"\n")[1])["symbol"] for file in files]
    assert len(symbols) == len(set(symbols)) > 0


DAMAGE = """
import sys
from engine import load_model, TrainerSpec, Corpus, train
from engine.kernels import jit
folder = jit.module_folder("tokens")
if sys.argv[1] == "damaged":
    for file in [*folder.glob("*.nbi"), *folder.glob("*.nbc")]:
        file.write_bytes(b"nonsense")
model = train(Corpus.from_counts({"ab": 3, "abc": 2}), TrainerSpec(vocab_size=8, hard_vocab_limit=False)).result()
print(model.encode_pieces("abcab"), len(list(folder.glob("*.nbi"))))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the cache directory is moved by XDG_CACHE_HOME")
def test_a_damaged_cache_of_numbas_own_is_made_anew(tmp_path: Path) -> None:
    shutil.copytree(jit.cache_folder(), tmp_path / "unigram-gui" / "kernels")
    runs = [
        subprocess.run(
            [sys.executable, "-c", DAMAGE, how], cwd=REPOSITORY, env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)},
            capture_output=True, text=True, timeout=110, check=True,
        ).stdout
        for how in ("whole", "damaged", "whole")
    ]  # fmt: skip
    assert runs[0] == runs[1] == runs[2]
