"""What the window shows of one text under one model: a frozen value, complete when it leaves the worker thread.

In: a model and a text. Out: `Exploration`, with the segmentation, the lattice, the best paths and every marginal
already computed, so that a view that shows it only looks numbers up. This is the one place that decides which
numbers the views around the lattice may show.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from engine.lattice import Lattice, Path
    from engine.model import Segmentation, UnigramModel


@dataclass(frozen=True, eq=False)
class Exploration:
    """A text seen through a model. Positions are code points of `lattice.text`, scores are nats."""

    request_id: int
    text: str  # as it was typed; `lattice.text` is its normalized form
    model_name: str
    segmentation: Segmentation
    lattice: Lattice
    best: Path  # the encoder's own path, as edges of the lattice
    n_best: tuple[Path, ...]
    shares: tuple[float, ...]  # of the n best, parts of P(x)
    posteriors: NDArray[np.float64]  # by edge
    log_forward: NDArray[np.float64]  # by boundary
    log_backward: NDArray[np.float64]
    boundary_posteriors: NDArray[np.float64]
    log_z: float
    entropy: float
    n_paths: int
    is_best: NDArray[np.bool_]  # by edge

    @property
    def n_characters(self) -> int:
        return len(self.lattice.text)

    @property
    def n_edges(self) -> int:
        return len(self.lattice.edge_start)

    @property
    def n_tokens(self) -> int:
        return len(self.segmentation.ids)

    def edge_text(self, edge: int) -> str:
        """The characters that an edge spans: the piece's text, or the unknown character."""
        lattice = self.lattice
        return lattice.text[int(lattice.edge_start[edge]) : int(lattice.edge_end[edge])]

    def token_ids(self, edge: int) -> tuple[int, ...]:
        """The IDs that come out where an edge of the best path lies: several for an unknown character in bytes."""
        start, end = int(self.lattice.edge_start[edge]), int(self.lattice.edge_end[edge])
        tokens = self.segmentation
        inside = (tokens.starts < end) & (tokens.ends > start)
        return tuple(int(i) for i in tokens.ids[inside])


def explore(model: UnigramModel, text: str, *, n_best: int = 5, request_id: int = 0) -> Exploration:
    """Compute all that the views around the lattice show. Runs on a worker thread; raises `TextError`."""
    segmentation = model.segment(text)
    lattice = model.lattice(text)
    best = lattice.path_from_cuts(segmentation.edge_starts, segmentation.edge_ends)
    paths = lattice.n_best(n_best)
    return Exploration(
        request_id=request_id,
        text=text,
        model_name=model.name,
        segmentation=segmentation,
        lattice=lattice,
        best=best,
        n_best=paths,
        shares=tuple(lattice.share(path) for path in paths),
        posteriors=lattice.posteriors,
        log_forward=lattice.log_forward,
        log_backward=lattice.log_backward,
        boundary_posteriors=lattice.boundary_posteriors,
        log_z=lattice.log_z,
        entropy=lattice.entropy,
        n_paths=lattice.n_paths,
        is_best=_mask(len(lattice.edge_start), best.edges),
    )


def _mask(length: int, positions: tuple[int, ...]) -> NDArray[np.bool_]:
    mask = np.zeros(length, dtype=np.bool_)
    mask[list(positions)] = True
    mask.flags.writeable = False
    return mask
