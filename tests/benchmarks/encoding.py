"""Encoding against the peers, side by side: characters a second of lists of texts under the T5 model.

    python -m tests.benchmarks.encoding [--runs 3] [--corpora en100 multi30] [--bytes 10000000] [--peers ...]

What each gives back: `ours` the flat arrays of `encode_batch`, `ours, lists` those and a list of IDs for each text,
sentencepiece and kitoken a list of IDs for each text, tokenizers an Encoding for each. `ours, json` is `encode_batch`
of the tokenizer.json that tokenizers and kitoken read. `figures` is `corpus_figures` on the same texts.

All take turns in every run, so that a machine shared with others is the same for all. Printed are medians: millions of
characters a second by the clock, then how many times as fast as each of the others `ours` is by the clock, then the
same by processor time. The IDs are checked first: ours are sentencepiece's, and tokenizers' under the tokenizer.json.
Our first call, which loads the compiled kernels, is not timed.
"""

from __future__ import annotations

import argparse
import lzma
import os
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
PEERS = ("lists", "tokenizers", "json", "kitoken")
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
    if "lists" in peers:
        found["ours, lists"] = lambda texts, threads: model.encode_batch(texts, threads).tolist()
    if "tokenizers" in peers:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(folder / "tokenizer_json" / JSON))

        def encode(texts: list[str], threads: int) -> Any:
            os.environ["TOKENIZERS_PARALLELISM"] = "false" if threads == 1 else "true"
            return tokenizer.encode_batch(texts)

        found["tokenizers"] = encode
    if "json" in peers:
        json_model = load_model(folder / "tokenizer_json" / JSON)
        found["ours, json"] = lambda texts, threads: json_model.encode_batch(texts, threads)
    if "kitoken" in peers:
        from kitoken import Kitoken

        kitoken = Kitoken.from_file(str(folder / "tokenizer_json" / JSON))
        found["kitoken"] = lambda texts, _: kitoken.encode_all(texts, True)
    if "figures" in peers:
        found["figures"] = lambda texts, threads: corpus_figures(model, Corpus.from_texts(texts), threads=threads)
    return found


def seconds(encode: Encode, texts: list[str], threads: int) -> tuple[float, float]:
    """Return how long one call takes, by the clock and in processor time; letting go of the result is not in it."""
    began = time.perf_counter(), time.process_time()
    result = encode(texts, threads)
    ended = time.perf_counter(), time.process_time()
    del result
    return ended[0] - began[0], ended[1] - began[1]


def check(found: dict[str, Encode], texts: list[str]) -> None:
    """Stop where an ID differs from the library's."""
    ours, theirs = found["ours"](texts, 2), found["sentencepiece"](texts, 2)
    assert np.array_equal(ours.ids, np.fromiter((i for ids in theirs for i in ids), dtype=np.int32))
    if "tokenizers" in found and "ours, json" in found:
        encodings = found["tokenizers"](texts, 2)
        assert found["ours, json"](texts, 2).tolist() == [encoding.ids for encoding in encodings]


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--bytes", type=int, default=10_000_000)
    parser.add_argument("--corpora", nargs="+", default=["en100", "multi30"])
    parser.add_argument("--peers", nargs="*", default=PEERS)
    options = parser.parse_args()
    folder = shared_folder() / "data"
    found = encoders(folder, options.peers)
    print("corpus   threads           " + "".join(f"{name:>15}" for name in found))
    for name in options.corpora:
        texts = texts_of(folder, name, options.bytes)
        n_characters = sum(map(len, texts))
        check(found, texts)
        for threads in (1, 2):
            runs = [[seconds(encode, texts, threads) for encode in found.values()] for _ in range(options.runs)]
            speeds = [n_characters / statistics.median(run[i][0] for run in runs) / 1e6 for i in range(len(found))]
            print(f"{name:8} {threads:7}  M char/s" + "".join(f"{speed:15.1f}" for speed in speeds))
            for kind, title in enumerate(("clock", "cpu")):
                ratios = [statistics.median(run[i][kind] / run[0][kind] for run in runs) for i in range(len(found))]
                print(f"{'':18}x {title:8}" + "".join(f"{ratio:15.2f}" for ratio in ratios), flush=True)


if __name__ == "__main__":
    main()
