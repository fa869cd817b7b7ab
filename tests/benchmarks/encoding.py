"""Encoding against the peers, side by side: characters a second of lists of texts under the T5 model.

    python -m tests.benchmarks.encoding [--runs 3] [--corpora en100 multi30] [--bytes 30000000] [--peers ...]

Every run takes turns, so that a machine shared with others is the same for all; printed are the medians and how many
times as fast as each peer we are, after a check that the IDs are SentencePiece's. Our first call, which loads the
compiled kernels, is not timed. `figures` is `corpus_figures` on the same texts.
"""

from __future__ import annotations

import argparse
import lzma
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import sentencepiece

from engine import Corpus, corpus_figures, load_model
from tests.helpers.shared_data import shared_folder

MODEL = "torchtext_t5_tokenizer_base.model"
JSON = "ort_t5-small.tokenizer.json"
Encode = Callable[[list[str], int], Any]


def texts_of(folder: Path, name: str, n_bytes: int) -> list[str]:
    """Return the lines of the first bytes of a corpus."""
    with lzma.open(folder / "corpora" / f"{name}.txt.xz") as file:
        return file.read(n_bytes).decode("utf-8", "ignore").split("\n")


def encoders(folder: Path, peers: list[str]) -> dict[str, Encode]:
    """Return what is measured, by name."""
    model = load_model(folder / "models" / MODEL)
    peer = sentencepiece.SentencePieceProcessor(model_file=str(folder / "models" / MODEL))
    found: dict[str, Encode] = {
        "ours": lambda texts, threads: model.encode_batch(texts, threads),
        "sentencepiece": lambda texts, threads: peer.encode(texts, num_threads=threads),
    }
    if "tokenizers" in peers:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(folder / "tokenizer_json" / JSON))
        found["tokenizers"] = lambda texts, _: tokenizer.encode_batch(texts, add_special_tokens=False)
    if "kitoken" in peers:
        from kitoken import Kitoken

        kitoken = Kitoken.from_file(str(folder / "models" / MODEL))
        found["kitoken"] = lambda texts, _: kitoken.encode_all(texts, True)
    if "figures" in peers:
        found["figures"] = lambda texts, threads: corpus_figures(model, Corpus.from_texts(texts), threads=threads)
    return found


def seconds(encode: Encode, texts: list[str], threads: int) -> float:
    """Return how long one call takes."""
    began = time.perf_counter()
    encode(texts, threads)
    return time.perf_counter() - began


def check(found: dict[str, Encode], texts: list[str]) -> None:
    """Stop where an ID differs from SentencePiece's."""
    ours, theirs = found["ours"](texts, 2), found["sentencepiece"](texts, 2)
    flat = np.fromiter((i for ids in theirs for i in ids), dtype=np.int32)
    assert np.array_equal(ours.ids, flat)


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--bytes", type=int, default=30_000_000)
    parser.add_argument("--corpora", nargs="+", default=["en100", "multi30"])
    parser.add_argument("--peers", nargs="*", default=["tokenizers", "kitoken"])
    options = parser.parse_args()
    folder = shared_folder() / "data"
    found = encoders(folder, options.peers)
    print("corpus   threads  " + "".join(f"{name:>15}" for name in found) + "   (million characters a second)")
    for name in options.corpora:
        texts = texts_of(folder, name, options.bytes)
        n_characters = sum(map(len, texts))
        check(found, texts)
        for threads in (1, 2):
            runs = [[seconds(encode, texts, threads) for encode in found.values()] for _ in range(options.runs)]
            medians = [statistics.median(column) for column in zip(*runs, strict=True)]
            speeds = "".join(f"{n_characters / took / 1e6:15.1f}" for took in medians)
            ratios = "".join(f"{statistics.median(run[i] / run[0] for run in runs):15.2f}" for i in range(len(found)))
            print(f"{name:8} {threads:7}  {speeds}\n{'':16}x {ratios}")


if __name__ == "__main__":
    main()
