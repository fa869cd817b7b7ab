"""What the window shows of one text under one model: a frozen value, complete when it leaves the worker thread.

In: a model and a text, with the edits that are tried out on them. Out: `Exploration`, with the segmentation, the
lattice, the best paths and every marginal already computed, so that a view that shows it only looks numbers up. This
is the one place that decides which numbers the views around the lattice may show.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.edits import Edit, cut_along, edited_lattice, edited_model
from engine.encoder import Segmentation
from engine.huggingface.encoder import HuggingFaceEncoder
from engine.lattice import Lattice, Path
from engine.model import UnigramModel
from unigram_gui.tasks.brick_plan import BrickPlan, brick_plan

MOST_PATHS_COUNTED = math.log(1e15)  # beyond it a number of paths is shown as a power of ten


@dataclass(frozen=True, eq=False)
class Variant:
    """A vocabulary and the edits that are tried out on it. The edited model is made once, on a worker thread."""

    base: UnigramModel
    edits: tuple[Edit, ...] = ()

    @cached_property
    def model(self) -> UnigramModel:
        """The vocabulary with all edits made; the base itself where there are none. Raises ModelFileError."""
        return edited_model(self.base, self.edits)

    @cached_property
    def unknown_scores(self) -> tuple[float, float]:
        """What an unknown character scores in a lattice without the edits and with them, nats."""
        return _unknown_score(self.base), _unknown_score(self.model)


def _unknown_score(model: UnigramModel) -> float:
    encoder, pieces = model.encoder, model.pieces
    scores = encoder.edge_scores if isinstance(encoder, HuggingFaceEncoder) else pieces.edge_log_probs()
    return float(scores[pieces.unknown_id])


@dataclass(frozen=True)
class PathTokens:
    """A path as tokens: unknown characters next to each other are one where they do not become bytes.

    `edges` are those of each token, `unknown_id` is the ID of the unknown ones.
    """

    texts: tuple[str, ...]
    ids: tuple[int, ...]
    edges: tuple[tuple[int, ...], ...]
    unknown_id: int


def tokens_along(model: UnigramModel, lattice: Lattice, path: Path) -> PathTokens:
    """Return the tokens of a path, counted as the encoder counts those of its own."""
    edges, unknown_id = np.array(path.edges, dtype=np.int64), model.pieces.unknown_id
    unknown = lattice.edge_is_unknown[edges]
    joins = unknown[1:] & unknown[:-1] & (not model.byte_fallback)
    joins &= ~np.isin(lattice.edge_start[edges[1:]], lattice.walls)
    if not joins.any():
        return PathTokens(path.pieces, path.ids, tuple((edge,) for edge in path.edges), unknown_id)
    firsts = [0, *(np.flatnonzero(~joins) + 1).tolist()]
    runs = [slice(first, stop) for first, stop in pairwise([*firsts, len(edges)])]
    texts = tuple("".join(path.pieces[run]) for run in runs)
    return PathTokens(texts, tuple(path.ids[i] for i in firsts), tuple(path.edges[run] for run in runs), unknown_id)


@dataclass(frozen=True, eq=False)
class Exploration:
    """A text seen through a model. Positions are code points of `lattice.text`, scores are nats."""

    request_id: int
    text: str  # as it was typed; `lattice.text` is its normalized form
    variant: Variant
    segmentation: Segmentation
    lattice: Lattice
    best: Path  # the encoder's own path, as edges of the lattice; the best one left where edges are forbidden or forced
    n_best: tuple[Path, ...]
    shares: tuple[float, ...]  # of the n best, parts of P(x)
    n_best_tokens: tuple[PathTokens, ...]  # as tokens: a run of unknown characters is one
    posteriors: NDArray[np.float64]  # by edge
    log_forward: NDArray[np.float64]  # by boundary
    log_backward: NDArray[np.float64]
    boundary_posteriors: NDArray[np.float64]
    log_z: float
    log_z_before: float  # without the edits
    entropy: float
    is_best: NDArray[np.bool_]  # by edge
    bricks: BrickPlan
    seconds: float  # of processor time that all this took

    @property
    def model(self) -> UnigramModel:
        return self.variant.model

    @property
    def model_name(self) -> str:
        return self.model.name

    @property
    def n_characters(self) -> int:
        return len(self.lattice.text)

    @property
    def n_edges(self) -> int:
        return len(self.lattice.edge_start)

    @property
    def n_tokens(self) -> int:
        return len(self.segmentation.ids)

    @property
    def n_paths(self) -> int | None:
        """The exact number of paths where it can be read, else None: then `log_n_paths` says how large it is."""
        return self.lattice.n_paths if self.log_n_paths <= MOST_PATHS_COUNTED else None

    @property
    def log_n_paths(self) -> float:
        return self.lattice.log_n_paths

    def edge_text(self, edge: int) -> str:
        """The characters that an edge spans: the piece's text, or the unknown character."""
        lattice = self.lattice
        return lattice.text[int(lattice.edge_start[edge]) : int(lattice.edge_end[edge])]

    def piece_over(self, start: int, end: int) -> int:
        """The ID of the piece that is an edge from start to end, -1 where there is none."""
        lattice = self.lattice
        if not 0 <= start < end <= self.n_characters:
            return -1
        first, last = int(lattice.edge_offsets[start]), int(lattice.edge_offsets[start + 1])
        found = first + np.flatnonzero(lattice.edge_end[first:last] == end)
        return int(lattice.edge_piece[found[0]]) if len(found) else -1

    def run_of(self, edge: int) -> tuple[int, int]:
        """The characters of the one token that an unknown edge of the best path is part of; else its own."""
        return int(self.bricks.run_start[edge]), int(self.bricks.run_end[edge])

    def is_joined(self, edge: int) -> bool:
        """Whether an edge is one unknown token with its neighbours."""
        lattice = self.lattice
        return self.run_of(edge) != (int(lattice.edge_start[edge]), int(lattice.edge_end[edge]))

    def token_ids(self, edge: int) -> tuple[int, ...]:
        """The IDs that come out where an edge of the best path lies: several for an unknown character in bytes."""
        start, end = int(self.lattice.edge_start[edge]), int(self.lattice.edge_end[edge])
        tokens = self.segmentation
        inside = (tokens.starts < end) & (tokens.ends > start)
        return tuple(int(i) for i in tokens.ids[inside])


def explore(
    model: UnigramModel | Variant,
    text: str,
    *,
    n_best: int = 5,
    request_id: int = 0,
    cancel: threading.Event | None = None,
) -> Exploration:
    """Compute all that the views around the lattice show, on any thread. Raises `TextError`, `Cancelled`."""
    began = time.thread_time()
    variant = model if isinstance(model, Variant) else Variant(model)
    segmentation = variant.model.segment(text, cancel=cancel)
    whole = variant.model.lattice(text, cancel=cancel)
    lattice = edited_lattice(whole, variant.edits).evaluate(cancel)
    if lattice is whole:
        best = lattice.path_from_cuts(segmentation.edge_starts, segmentation.edge_ends)
    else:
        best = lattice.best()
        segmentation = cut_along(variant.model, segmentation, lattice, best)
    paths = lattice.n_best(n_best, cancel)
    is_best = _mask(len(lattice.edge_start), best.edges)
    before = variant.base.lattice(text, cancel=cancel).log_z if variant.edits else lattice.log_z
    return Exploration(
        request_id=request_id,
        text=text,
        variant=variant,
        segmentation=segmentation,
        lattice=lattice,
        best=best,
        n_best=paths,
        shares=tuple(lattice.share(path) for path in paths),
        n_best_tokens=tuple(tokens_along(variant.model, lattice, path) for path in paths),
        posteriors=lattice.posteriors,
        log_forward=lattice.log_forward,
        log_backward=lattice.log_backward,
        boundary_posteriors=lattice.boundary_posteriors,
        log_z=lattice.log_z,
        log_z_before=before,
        entropy=lattice.entropy,
        is_best=is_best,
        bricks=brick_plan(lattice, segmentation, lattice.posteriors, is_best, cancel),
        seconds=time.thread_time() - began,
    )


def _mask(length: int, positions: Iterable[int]) -> NDArray[np.bool_]:
    mask = np.zeros(length, dtype=np.bool_)
    mask[list(positions)] = True
    mask.flags.writeable = False
    return mask
