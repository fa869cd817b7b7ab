"""A corpus under the normalization rules of a training: what SentencePiece does to a text before it counts it.

In: a Corpus and a TrainerSpec. Out: the same corpus with every text rewritten by the rules; spaces are seen to later,
where units are cut. Texts that become equal stay two texts. Special pieces stand as they are, as in SentencePiece.
A text longer than max_sentence_length stays as it is and is left out later, as is one that only becomes so long.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import numpy as np

from engine.charsmap import build_charsmap, parse_rules, standard_charsmap
from engine.corpus import Corpus
from engine.errors import EngineError, TrainingError
from engine.files import read_file
from engine.kernels.normalize import normalize_texts
from engine.normalizer import Normalizer, NormalizerSpec
from engine.shards import N_SHARDS, Checkpoint, Workers, bounds_by_weight, slices
from engine.spec import TrainerSpec

_SLICE = 1 << 18  # bytes handed to a kernel at once


def charsmap_of(spec: TrainerSpec) -> bytes:
    """Return the charsmap that a training asks for; TrainingError names what is wrong with a file of rules.

    >>> charsmap_of(TrainerSpec())
    b''
    """
    if spec.normalization_rule_name != "user_defined":
        return standard_charsmap(spec.normalization_rule_name)
    name = spec.normalization_rule_tsv
    if not name:
        raise TrainingError("normalization_rule_name is 'user_defined'; name the file in normalization_rule_tsv.")
    try:
        return build_charsmap(parse_rules(read_file(name).decode("utf-8-sig")))
    except UnicodeDecodeError as error:
        raise TrainingError(f"{Path(name).name} is not UTF-8 at byte {error.start}; save it as UTF-8.") from error
    except EngineError as error:
        raise TrainingError(f"normalization_rule_tsv, {Path(name).name}: {error}") from error


def normalized_corpus(
    workers: Workers, corpus: Corpus, spec: TrainerSpec, charsmap: bytes
) -> Generator[float, None, Corpus]:
    """Apply the rules of a charsmap to every text; yields the fraction done."""
    symbols = tuple(text for text, _ in spec.special_pieces().values())
    rules = Normalizer(NormalizerSpec("", charsmap, False, False, False), symbols).rules
    bounds = bounds_by_weight(corpus.offsets, N_SHARDS)

    def rewrite(shard: int, checkpoint: Checkpoint) -> list[tuple[np.ndarray, np.ndarray]]:
        first, last = int(bounds[shard]), int(bounds[shard + 1])
        runs = []
        for start, stop in slices(corpus.offsets, first, last, _SLICE):
            checkpoint((start - first) / (last - first))
            runs.append(normalize_texts(corpus.utf8, corpus.offsets, start, stop, spec.max_sentence_length, rules))
        return runs

    shards = yield from workers.run(rewrite, N_SHARDS)
    runs = [run for shard in shards for run in shard]
    utf8 = np.concatenate([np.zeros(0, np.uint8), *(texts for texts, _ in runs)])
    offsets = np.cumsum(np.concatenate([[0], *(lengths for _, lengths in runs)]), dtype=np.int64)
    leads = np.concatenate(([0], np.cumsum((utf8 & 0xC0) != 0x80, dtype=np.int64)))
    n_characters = np.diff(leads[offsets]).astype(np.int32)
    return Corpus(corpus.name, utf8, offsets, corpus.counts, n_characters, corpus.skipped, corpus.n_skipped)
