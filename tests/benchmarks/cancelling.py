"""How soon a training stops, wherever it is: reading, sorting, EM or pruning.

    python -m tests.benchmarks.cancelling [CORPUS] [--size 32000] [--tries 40]

The run is cancelled at times spread over its whole length; printed is how long each stop took, by phase.
"""

from __future__ import annotations

import argparse
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine import Corpus, TrainerSpec, train
from engine.jobs import Job
from tests.helpers.shared_data import shared_folder


def work(path: Path, size: int, phase: list[str], cancel: threading.Event) -> Iterator[Any]:
    """Read and train, noting the phase."""
    phase[0] = "read"
    corpus = Corpus.from_file(path, cancel=cancel)
    for step in train(corpus, TrainerSpec(vocab_size=size), threads=2, cancel=cancel):
        phase[0] = step.phase
        yield step


def run(path: Path, size: int, stop_after: float | None) -> tuple[str, float, float]:
    """Run, stop after some seconds; return the phase, the seconds the stop took, and those of the whole run."""
    ended = threading.Event()
    phase = [""]
    job = Job(
        lambda cancel: work(path, size, phase, cancel),
        on_step=lambda step: None,
        on_done=ended.set,
        on_error=lambda error: ended.set(),
        on_cancelled=ended.set,
    )
    begin = time.perf_counter()
    job.start()
    if stop_after is None:
        ended.wait()
        return "", 0.0, time.perf_counter() - begin
    ended.wait(stop_after)
    asked, where = time.perf_counter(), phase[0]
    job.cancel()
    job.join()
    return where, time.perf_counter() - asked, time.perf_counter() - begin


def main() -> None:
    """Print how long stops took."""
    parser = argparse.ArgumentParser(description="How soon a training stops.")
    parser.add_argument("corpus", nargs="?", type=Path, default=shared_folder() / "data/corpora/multi30.txt.xz")
    parser.add_argument("--size", type=int, default=32_000)
    parser.add_argument("--tries", type=int, default=40)
    options = parser.parse_args()
    run(options.corpus, options.size, None)  # compiles what is not compiled
    whole = run(options.corpus, options.size, None)[2]
    print(f"the whole run takes {whole:.1f} s")
    stops: dict[str, list[float]] = defaultdict(list)
    for i in range(options.tries):
        phase, seconds, _ = run(options.corpus, options.size, whole * (i + 0.5) / options.tries)
        stops[phase].append(seconds)
    for phase, seconds_taken in stops.items():
        print(f"{phase:16} {len(seconds_taken):3} stops  longest {1000 * max(seconds_taken):6.0f} ms")


if __name__ == "__main__":
    main()
