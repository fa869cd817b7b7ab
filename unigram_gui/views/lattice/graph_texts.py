"""What the graph writes, before anything has a place: pieces, scores, notes, forward and backward rows.

In: an `Exploration` and the layers that are shown. Out: a frozen `GraphTexts`, and from it the content of the layout,
which only needs to know how much room each label takes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unigram_gui.characters import cell_text
from unigram_gui.number_text import log_text, percent_text, probability_text
from unigram_gui.shaping import Shaper
from unigram_gui.tasks.exploration import Exploration
from unigram_gui.theme import BOLD, SEMI_BOLD, FontSpec
from unigram_gui.views.lattice.drawing import Layer, Stage
from unigram_gui.views.lattice.graph_layout import GraphContent
from unigram_gui.views.lattice.tips import unknown_word

NAME_GAP = 9.0  # between a piece and its ln p under the band
ROW_NAME_GAP = 6.0  # between the letter and the name of a row
ROW_NUMBER_GAP = 12.0  # between two numbers of a row
ROW_NAMES_GAP = 14.0  # between the names of the rows and their first numbers
INNER_NODE_ROOM = 15.5  # half of a node with the gap beside it
SMALLEST_PLAIN = 1e-6  # forward and backward smaller than this are written as logarithms

PIECE = FontSpec("mono", 13.5)
PIECE_BOLD = FontSpec("mono", 13.5, BOLD)
SCORE = FontSpec("sans", 10.5)
SCORE_BOLD = FontSpec("sans", 10.5, BOLD)
LETTER = FontSpec("mono", 25.0, SEMI_BOLD)
BEST_PIECE = FontSpec("mono", 14.0, BOLD)
BEST_SCORE = FontSpec("sans", 11.5, BOLD)
ROW_NAME = FontSpec("sans", 12.0, BOLD)
ROW_TEXT = FontSpec("sans", 11.5)


@dataclass(frozen=True)
class Row:
    """Forward or backward, a number a boundary."""

    letter: str
    name: str
    numbers: tuple[str, ...]
    fills: bool = False  # only as far as the step on show has come


@dataclass(frozen=True)
class GraphTexts:
    """By edge: piece, score ("" where scores are off), note (only on the best path)."""

    pieces: tuple[str, ...]
    scores: tuple[str, ...]
    notes: tuple[str, ...]
    rows: tuple[Row, ...]


def graph_texts(
    seen: Exploration,
    layers: frozenset[Layer],
    *,
    shows_scores: bool,
    stage: Stage | None = None,
    brief_notes: bool = False,
) -> GraphTexts:
    """All that the graph writes of an exploration; brief notes leave out what is told under the pointer."""
    if brief_notes and Layer.IDS in layers:
        layers = layers - {Layer.POSTERIOR}
    edges = range(seen.n_edges)
    scores = (log_text(float(score)) if shows_scores else "" for score in seen.lattice.edge_log_p)
    return GraphTexts(
        pieces=tuple(seen.edge_text(edge) for edge in edges),
        scores=tuple(scores),
        notes=tuple(_note(seen, edge, layers) if seen.is_best[edge] else "" for edge in edges),
        rows=(*(_rows(seen) if Layer.FORWARD_BACKWARD in layers else ()), *_stage_row(stage)),
    )


def graph_content(seen: Exploration, texts: GraphTexts, shaper: Shaper) -> GraphContent:
    """How much room every label and every letter takes."""
    widths = [label_width(seen, texts, shaper, edge) for edge in range(seen.n_edges)]
    letters = [shaper.width(cell_text(character), LETTER) for character in seen.lattice.text]
    cells = np.array(letters) + 2.0 * INNER_NODE_ROOM
    if texts.rows:
        cells = np.maximum(cells, widest_number(texts, shaper) + ROW_NUMBER_GAP)
    lattice = seen.lattice
    return GraphContent(lattice.edge_start, lattice.edge_end, seen.is_best, np.array(widths), cells)


def label_width(seen: Exploration, texts: GraphTexts, shaper: Shaper, edge: int) -> float:
    """The width of an edge's label; that of an arc also fits when it is bold."""
    piece, score = texts.pieces[edge], texts.scores[edge]
    if not seen.is_best[edge]:
        return max(shaper.width(piece, PIECE_BOLD), shaper.width(score, SCORE_BOLD))
    gap = NAME_GAP if score else 0.0
    first_line = shaper.width(piece, BEST_PIECE) + gap + shaper.width(score, BEST_SCORE)
    return max(first_line, shaper.width(texts.notes[edge], SCORE))


def widest_number(texts: GraphTexts, shaper: Shaper) -> float:
    """The widest number of the forward and backward rows."""
    return max((shaper.width(text, ROW_TEXT) for row in texts.rows for text in row.numbers), default=0.0)


def row_names_width(texts: GraphTexts, shaper: Shaper) -> float:
    """Room left of the first node, so that its numbers stand clear of the names of the rows."""
    names = max(shaper.width(row.letter, ROW_NAME) + shaper.width(row.name, ROW_TEXT) for row in texts.rows)
    first = max(shaper.width(row.numbers[0], ROW_TEXT) for row in texts.rows)
    return names + ROW_NAME_GAP + ROW_NAMES_GAP + 0.5 * first


def _note(seen: Exploration, edge: int, layers: frozenset[Layer]) -> str:
    """What stands under a piece of the best path."""
    share = percent_text(float(seen.posteriors[edge])) if Layer.POSTERIOR in layers else ""
    if Layer.IDS not in layers:
        return f"posterior {share}" if share else ""
    if seen.run_of(edge)[0] < seen.lattice.edge_start[edge]:
        return ""  # the first character of a run says it for all
    ids = seen.token_ids(edge)
    is_unknown = bool(seen.lattice.edge_is_unknown[edge]) and len(ids) == 1
    numbers = (f"{unknown_word(seen)}, " if is_unknown else "") + "ID " + " ".join(map(str, ids))
    if seen.is_joined(edge):
        return f"{numbers}, one token"
    return f"{numbers}  ·  {share}" if share else numbers


def _stage_row(stage: Stage | None) -> tuple[Row, ...]:
    """The row that fills step by step."""
    if stage is None or stage.filled is None:
        return ()
    return (Row(stage.letter, stage.name, stage.numbers, fills=True),)


def _rows(seen: Exploration) -> tuple[Row, Row]:
    smallest = min(float(seen.log_forward.min()), float(seen.log_backward.min()))
    if smallest < np.log(SMALLEST_PLAIN):
        numbers = [tuple(log_text(float(x)) for x in logs) for logs in (seen.log_forward, seen.log_backward)]
        return Row("ln α", "forward", numbers[0]), Row("ln β", "backward", numbers[1])
    numbers = [tuple(map(probability_text, np.exp(logs).tolist())) for logs in (seen.log_forward, seen.log_backward)]
    return Row("α", "forward", numbers[0]), Row("β", "backward", numbers[1])
