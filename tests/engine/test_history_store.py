"""A history stays within its memory; what lies on disk reads the same."""

from __future__ import annotations

import numpy as np
import pytest

from engine import trainer
from engine.corpus import Corpus
from engine.history import TrainingHistory
from engine.history_store import LARGEST, MEMORY, HistoryStore
from engine.spec import PRESETS
from engine.timeline import model_at, moments

ABC = {"a": 16, "b": 8, "c": 8, "ab": 24, "bc": 32, "abc": 12, "abca": 2, "cab": 2}


def _history() -> TrainingHistory:
    run = trainer.train(Corpus.from_counts(ABC), PRESETS["Teaching"])
    run.result()
    assert run.history is not None
    return run.history


def test_a_run_beyond_its_memory_is_the_same_run(monkeypatch: pytest.MonkeyPatch) -> None:
    before = _history()
    monkeypatch.setattr(trainer, "HistoryStore", lambda: HistoryStore(memory=400))
    after = _history()
    assert any(isinstance(update.probabilities, np.memmap) for update in after.updates)
    for kind in ("updates", "prunings"):
        for one, other in zip(getattr(before, kind), getattr(after, kind), strict=True):
            for name, value in vars(one).items():
                if isinstance(value, np.ndarray):
                    assert np.array_equal(value, vars(other)[name], equal_nan=value.dtype.kind == "f"), name
                else:
                    assert value == vars(other)[name], name


def test_a_run_on_disk_can_be_played_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trainer, "HistoryStore", lambda: HistoryStore(memory=0))
    run = trainer.train(Corpus.from_counts(ABC), PRESETS["Teaching"])
    finished = run.result()
    assert run.history is not None
    assert model_at(run.history, moments(run.history)[0], finished).encode_pieces("abc") == ["abc"]


def test_memory_and_disk_stay_within_their_budgets() -> None:
    store = HistoryStore(memory=1000, largest=2000)
    kept = [store.numbers(np.arange(50.0)) for _ in range(20)]
    assert store.in_memory <= 1000
    assert store.on_disk <= 2000
    assert [bool(np.isnan(values).all()) for values in kept] == [False] * 7 + [True] * 13
    assert all(len(values) == 50 for values in kept)


@pytest.mark.parametrize(("factor", "room"), [(0.75, MEMORY), (0.9, MEMORY + LARGEST)])
def test_a_million_seeds_to_32000_fit_the_budgets(factor: float, room: int) -> None:
    # Where no update drops a piece. An update holds the number, count and probability of each piece, a pruning their
    # figures and verdicts. Beside them the probabilities before training, and the texts: a place of 8 bytes and 7
    # characters each.
    sizes, total = [1_000_000], (4 + 8 + 7 * 4) * 1_000_000
    while sizes[-1] > 32_000:
        sizes.append(int(factor * sizes[-1]))
    for size in sizes:
        total += 2 * 12 * size + (4 + 4 * 4 + 2) * size
    assert total < room
