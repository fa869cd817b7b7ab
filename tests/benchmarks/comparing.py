"""How long comparing takes: two 32,000-piece models opened side by side, and both on a corpus, phase by phase.

    python -m tests.benchmarks.comparing [CORPUS] [--threads 2] [--runs 3]

Printed are seconds by the clock and of the processor (all threads together): on a machine that others use, only the
latter tell how much work it is. The promises, on two cores: opened under 1 s, 100 MB of English under 15 s. The first
of the opened pairs loads the compiled kernels as well and is printed apart.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from engine import Corpus, UnigramModel, load_model
from engine.comparison import compare_on_corpus
from engine.comparison.bootstrap import compare_figures, random_blocks
from engine.comparison.differences import responsible_pieces, texts_that_differ, words_cut_most
from engine.comparison.groups import TextSums, grouping, script_column, text_counts
from engine.comparison.tally import ByWords, tally
from engine.comparison.word_cuts import cuts_of
from engine.comparison.words import words_of
from engine.encoder import Encoder
from engine.shards import Workers, finish
from tests.helpers.shared_data import shared_folder

MODELS = ("torchtext_t5_tokenizer_base.model", "kitoken_xlnet_base_cased.model")


@contextmanager
def timed(name: str) -> Iterator[None]:
    """Print how long a block takes."""
    clock, processor = time.perf_counter(), time.process_time()
    yield
    print(f"  {name:24}{time.perf_counter() - clock:8.2f} s {time.process_time() - processor:8.2f} s CPU", flush=True)


def seconds(work: Callable[[], object]) -> tuple[float, float]:
    """Return how long some work takes, by the clock and of the processor."""
    clock, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - clock, time.process_time() - processor


def opening(paths: list[Path], runs: int) -> None:
    """Print how long it takes from the files to the painted page of both vocabularies."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtWidgets import QApplication

    from unigram_gui.library import Library
    from unigram_gui.tasks.comparing import PairRequest, Source
    from unigram_gui.tasks.control import TaskControl
    from unigram_gui.theme import Theme
    from unigram_gui.views.compare.vocabulary_view import CompareVocabularyView

    app = QApplication([])
    view = CompareVocabularyView(Theme())
    view.resize(1240, 700)
    view.show()
    a, b = (Source("file", str(path), path.name) for path in paths)
    request = PairRequest((a, b), Library(paths[0].parent), None, None)

    def opened() -> Any:
        pair = request(TaskControl())
        view.set_comparison(pair.vocabularies)
        view.grab()
        app.processEvents()
        return pair

    first = seconds(opened)
    later = [seconds(opened) for _ in range(runs)]
    clock, processor = (statistics.median(column) for column in zip(*later, strict=True))
    print(f"two models opened, compared and painted: {clock:.2f} s, {processor:.2f} s CPU; at first {first[0]:.2f} s")
    bar = view.table.verticalScrollBar()

    def scrolled(place: int) -> None:
        bar.setValue(place)
        view.table.viewport().repaint()

    places = range(0, bar.maximum(), bar.maximum() // 200)
    steps = [seconds(partial(scrolled, place))[1] for place in places]
    print(f"{view.pieces.rowCount():,} rows scrolled: {1000 * statistics.median(steps):.1f} ms CPU a step")


def phases(a: UnigramModel, b: UnigramModel, corpus: Corpus, threads: int) -> None:
    """Print what each phase of a comparison takes."""
    blocks = random_blocks(len(corpus))
    tallies, word_tokens = [], []
    with Workers(threads) as workers:
        with timed("words and scripts"):
            counted = finish(text_counts(workers, corpus))
        with timed("distinct words"):
            words = finish(words_of(workers, corpus))
        for model, name in ((a, "A"), (b, "B")):
            with timed(f"{name}: {len(words):,} words cut"):
                assert isinstance(model.encoder, Encoder)
                cuts = finish(cuts_of(workers, model.encoder, words))
            with timed(f"{name}: texts"):
                tallies.append(finish(tally(workers, model, corpus, blocks, ByWords(words, cuts))))
            word_tokens.append(cuts.opening.n_tokens)
        with timed("intervals"):
            sums = [TextSums.of(corpus, counted, of) for of in tallies]
            finish(compare_figures(*(of.in_blocks(corpus, blocks, own) for of, own in zip(sums, tallies, strict=True))))
        with timed("groups"):
            finish(grouping(script_column(corpus, counted), sums[0], sums[1], blocks))
        with timed("words cut most"):
            words_cut_most(words, word_tokens[0], word_tokens[1])
        with timed("texts and pieces"):
            finish(responsible_pieces(workers, a, b, texts_that_differ(corpus, tallies[0], tallies[1])))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="How long comparing two vocabularies takes.")
    parser.add_argument("corpus", nargs="?", type=Path, default=shared_folder() / "data/corpora/en100.txt.xz")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    paths = [shared_folder() / "data" / "models" / name for name in MODELS]
    opening(paths, options.runs)
    a, b = map(load_model, paths)
    corpus = Corpus.from_file(options.corpus)
    compare_on_corpus(a, b, Corpus.from_texts(["a b", "é"]), threads=options.threads)  # loads the kernels
    print(f"{corpus.name}: {len(corpus):,} texts, {len(corpus.utf8):,} bytes, {options.threads} threads")
    for _ in range(options.runs):
        clock, processor = seconds(lambda: compare_on_corpus(a, b, corpus, threads=options.threads))
        print(f"  compared in             {clock:8.2f} s {processor:8.2f} s CPU", flush=True)
    phases(a, b, corpus, options.threads)


if __name__ == "__main__":
    main()
