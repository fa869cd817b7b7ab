"""From the table that training ends with to a model and its figures: numbering, settings, columns by ID.

In: the last table, the candidates and the settings. Out: a UnigramModel, and arrays whose index is the ID.
"""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np

from engine.em import PieceProbabilities
from engine.errors import TrainingError
from engine.model import UnigramModel
from engine.normalizer import NormalizerSpec
from engine.pieces import PieceTable, PieceType
from engine.seeds import Seeds
from engine.spec import TrainerSpec

OWN_SETTINGS = (
    "m_step", "arithmetic", "smoothing_epsilon", "pruning_criterion", "pieces_removed_per_round", "min_expected_count",
    "final_cut_factor", "protect_characters", "renormalize", "seed_method", "seed_source", "seed_scores",
    "ngram_max_length", "ngram_min_frequency", "id_order", "sample_seed", "normalization_rule_tsv",
)  # fmt: skip
"""Settings that SentencePiece's trainer_spec has no field for; the model records them beside it."""


def with_all_characters(table: PieceProbabilities, *, renormalize: bool) -> PieceProbabilities:
    """Return the table with unknown characters as pieces again, a little above the lowest score.

    The rarer a character, the higher: each one 0.0001 above the one before, in the float32 that is saved
    (sentencepiece, FinalizeSentencePieces). Where asked, the probabilities of all then sum to 1 again.
    """
    if not table.is_unknown.any():
        return table
    log_p = table.log_p.copy()
    steps = np.cumsum(np.full(int(np.count_nonzero(table.is_unknown)), 0.0001, dtype=np.float32))
    above = np.append(np.float32(0.0), steps[:-1])
    log_p[table.is_unknown] = np.float32(log_p[~table.is_unknown].min()) + above
    whole = replace(table, log_p=log_p, is_unknown=np.zeros(len(table), dtype=bool))
    return whole.where(np.ones(len(table), dtype=bool), renormalize=renormalize)


def lowest_scores(table: PieceProbabilities, seeds: Seeds, n: int) -> np.ndarray:
    """Return the mask of the `n` lowest scores, characters aside; of equal ones the later text goes first.

    Compared as the float32 that is saved, so that expected counts that are equal but for rounding are ties.
    """
    candidates = np.flatnonzero(~table.is_protected)
    ranks = seeds.texts.ranks(table.seeds[candidates])
    order = np.lexsort((-ranks, table.log_p[candidates].astype(np.float32)))
    is_removed = np.zeros(len(table), dtype=bool)
    is_removed[candidates[order[:n]]] = True
    return is_removed


def number_pieces(table: PieceProbabilities, seeds: Seeds, spec: TrainerSpec) -> tuple[PieceTable, np.ndarray]:
    """Give IDs: special pieces at theirs, learned ones in order between them; return also the learned ones' IDs.

    Raises
    ------
    TrainingError
        Where a special piece has an ID beyond the number of pieces.
    """
    specials = spec.special_pieces()
    n = len(table) + len(specials)
    for number, (text, _) in specials.items():
        if number >= n:
            raise TrainingError(f"{text} has the ID {number:,}, but the model has {n:,} pieces; lower the ID.")
    order = np.arange(len(table))
    if spec.id_order == "score":
        order = np.lexsort((seeds.texts.ranks(table.seeds), -table.log_p))
    free = np.setdiff1d(np.arange(n, dtype=np.int32), list(specials))
    ids = np.empty(len(table), dtype=np.int32)
    ids[order] = free
    texts, log_p, types = [""] * n, np.zeros(n), np.full(n, PieceType.NORMAL, dtype=np.int8)
    for number, (text, kind) in specials.items():
        texts[number], types[number] = text, kind
    for number, text in zip(free.tolist(), seeds.texts.select(table.seeds[order]), strict=True):
        texts[number] = text
    log_p[ids] = table.log_p
    return PieceTable(tuple(texts), log_p, types), ids


def trained_model(pieces: PieceTable, spec: TrainerSpec, charsmap: bytes, name: str) -> UnigramModel:
    """Return the model of a finished table; it records every setting."""
    settings = {**asdict(spec), "vocab_size": len(pieces), "model_type": 1}
    own = {setting: settings.pop(setting) for setting in OWN_SETTINGS}
    normalizer = NormalizerSpec(
        name=settings.pop("normalization_rule_name"),
        precompiled_charsmap=charsmap,
        add_dummy_prefix=settings.pop("add_dummy_prefix"),
        remove_extra_whitespaces=settings.pop("remove_extra_whitespaces"),
        treat_whitespace_as_suffix=spec.treat_whitespace_as_suffix,
    )
    return UnigramModel.trained(
        pieces, normalizer, byte_fallback=spec.byte_fallback, trainer_fields=settings, own_settings=own, name=name
    )


def by_id(values: np.ndarray, ids: np.ndarray, n: int) -> np.ndarray:
    """Return values of the learned pieces as a column of `n` IDs: nan, or False, for special pieces."""
    column = np.zeros(n, dtype=bool) if values.dtype == bool else np.full(n, np.nan)
    column[ids] = values
    column.setflags(write=False)
    return column
