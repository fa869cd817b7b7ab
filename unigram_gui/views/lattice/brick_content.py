"""What the bricks show, before anything has a place: letters, byte bricks, IDs, lanes, composed forms.

In: an `Exploration` and a way to measure letters. Out: a frozen `BrickContent`, the same at every zoom, so that
zooming and scrolling never pack lanes again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unigram_gui.characters import Composed, cell_text, composed_forms
from unigram_gui.tasks.exploration import Exploration
from unigram_gui.views.lattice.brick_layout import column_widths
from unigram_gui.views.lattice.lanes import lane_grid, packed_lanes
from unigram_gui.views.lattice.looks import levels

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
class BrickContent:
    """Arrays by character (`cells`, `n_bytes`, `widths`) and by edge (`lane`, -1 on the best path; `level`)."""

    cells: tuple[str, ...]
    n_bytes: Ints
    widths: NDArray[np.float64]
    lane: Ints
    n_lanes: int
    level: Ints
    grid: Ints  # by lane and character: the edge that lies there
    longest: int  # characters of the longest edge
    tokens: tuple[Token, ...]
    byte_tokens: dict[int, tuple[Token, ...]]  # by character
    forms: tuple[Composed, ...]


def brick_content(seen: Exploration, measure: Callable[[str], float], *, shows_posterior: bool = True) -> BrickContent:
    """All that the bricks of an exploration show; `measure` gives the width of a letter at full size."""
    lattice, text = seen.lattice, seen.lattice.text
    tokens = tuple(_tokens(seen))
    n_bytes = np.zeros(len(text), dtype=np.int32)
    byte_tokens: dict[int, tuple[Token, ...]] = {}
    for token in tokens:
        if token.byte >= 0:
            n_bytes[token.start] += 1
            byte_tokens[token.start] = (*byte_tokens.get(token.start, ()), token)
    cells = tuple(cell_text(character) for character in text)
    letter_width = {cell: measure(cell) for cell in set(cells)}
    others = np.flatnonzero(~seen.is_best).astype(np.int32)
    start, end = lattice.edge_start[others], lattice.edge_end[others]
    lane = np.full(seen.n_edges, -1, dtype=np.int32)
    lane[others] = packed_lanes(start, end, seen.posteriors[others])
    return BrickContent(
        cells=cells,
        n_bytes=n_bytes,
        widths=column_widths(np.array([letter_width[cell] for cell in cells]), n_bytes),
        lane=lane,
        n_lanes=int(lane.max(initial=-1)) + 1,
        level=levels(seen.posteriors) if shows_posterior else np.zeros(seen.n_edges, dtype=np.int32),
        grid=lane_grid(start, end, lane[others], others, len(text)),
        longest=int((lattice.edge_end - lattice.edge_start).max(initial=1)),
        tokens=tokens,
        byte_tokens=byte_tokens,
        forms=composed_forms(text),
    )


def _tokens(seen: Exploration) -> list[Token]:
    cut = seen.segmentation
    unknown = set(seen.lattice.edge_start[seen.lattice.edge_is_unknown].tolist())
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
