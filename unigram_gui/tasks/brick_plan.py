"""What the bricks show, as far as no font is needed: letters, bytes, IDs, lanes, composed forms.

In: a lattice and its cut. Out: a frozen `BrickPlan`. It is made on the worker thread with the rest of an exploration:
for a text of 100,000 characters packing the lanes takes a second that the Qt thread must not spend.
"""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.encoder import Segmentation
from engine.errors import Cancelled
from engine.lattice import Lattice
from unigram_gui.characters import Composed, cell_text, composed_forms
from unigram_gui.lanes import lane_grid, packed_lanes

_BYTE_PIECE = re.compile(r"<0x([0-9A-F]{2})>")

Ints = NDArray[np.int32]


@dataclass(frozen=True)
class Token:
    """One ID under the best lane. `byte` is its place among the bytes of an unknown character, -1 for a whole piece."""

    id: int
    start: int
    end: int
    byte: int
    text: str  # the two hexadecimal digits of a byte, else the piece


@dataclass(frozen=True, eq=False)
class BrickPlan:
    """Arrays by character (`cells`, `n_bytes`) and by edge: `lane`, -1 on the best path; `run_start`, `run_end`.

    A run is what one unknown token spans: several edges of the best path. Elsewhere it is the edge itself.
    """

    cells: tuple[str, ...]
    n_bytes: Ints
    lane: Ints
    n_lanes: int
    grid: Ints  # by lane and character: the edge that lies there
    longest: int  # characters of the longest edge
    run_start: Ints
    run_end: Ints
    tokens: tuple[Token, ...]
    byte_tokens: dict[int, tuple[Token, ...]]  # by character
    forms: tuple[Composed, ...]


def brick_plan(
    lattice: Lattice,
    cut: Segmentation,
    posteriors: NDArray[np.float64],
    is_best: NDArray[np.bool_],
    cancel: threading.Event | None = None,
) -> BrickPlan:
    """Plan the bricks of a lattice. Raises Cancelled between its parts."""
    text = lattice.text
    tokens = tuple(_tokens(lattice, cut))
    n_bytes = np.zeros(len(text), dtype=np.int32)
    byte_tokens: dict[int, tuple[Token, ...]] = {}
    for token in tokens:
        if token.byte >= 0:
            n_bytes[token.start] += 1
            byte_tokens[token.start] = (*byte_tokens.get(token.start, ()), token)
    _look(cancel)
    others = np.flatnonzero(~is_best).astype(np.int32)
    start, end = lattice.edge_start[others], lattice.edge_end[others]
    lane = np.full(lattice.n_edges, -1, dtype=np.int32)
    lane[others] = packed_lanes(start, end, posteriors[others])
    _look(cancel)
    grid = lane_grid(start, end, lane[others], others, len(text))
    _look(cancel)
    run_start, run_end = _runs(lattice, cut, is_best, n_bytes)
    return BrickPlan(
        cells=tuple(cell_text(character) for character in text),
        n_bytes=n_bytes,
        lane=lane,
        n_lanes=int(lane.max(initial=-1)) + 1,
        grid=grid,
        longest=int((lattice.edge_end - lattice.edge_start).max(initial=1)),
        run_start=run_start,
        run_end=run_end,
        tokens=tokens,
        byte_tokens=byte_tokens,
        forms=composed_forms(text),
    )


def _runs(lattice: Lattice, cut: Segmentation, is_best: NDArray[np.bool_], n_bytes: Ints) -> tuple[Ints, Ints]:
    """What is one token with each edge: only unknown edges of the best path are joined, and only without bytes."""
    edges = np.flatnonzero(is_best & lattice.edge_is_unknown)
    if not len(edges):
        return lattice.edge_start, lattice.edge_end
    token = np.searchsorted(cut.starts, lattice.edge_start[edges], side="right") - 1
    start, end = lattice.edge_start.copy(), lattice.edge_end.copy()
    whole = n_bytes[cut.starts[token]] == 0
    start[edges[whole]], end[edges[whole]] = cut.starts[token[whole]], cut.ends[token[whole]]
    return start, end


def _look(cancel: threading.Event | None) -> None:
    if cancel is not None and cancel.is_set():
        raise Cancelled


def _tokens(lattice: Lattice, cut: Segmentation) -> list[Token]:
    unknown = set(lattice.edge_start[lattice.edge_is_unknown].tolist())
    tokens = []
    byte_number = 0
    previous = -1
    rows = zip(cut.ids.tolist(), cut.starts.tolist(), cut.ends.tolist(), cut.pieces, strict=True)
    for number, start, end, piece in rows:
        match = _BYTE_PIECE.fullmatch(piece) if start in unknown else None
        byte_number = byte_number + 1 if match and start == previous else 0
        tokens.append(Token(number, start, end, byte_number if match else -1, match[1] if match else piece))
        previous = start
    return tokens
