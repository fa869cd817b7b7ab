"""What is told of the edge or character under the pointer, in words.

In: an `Exploration` and an edge or a position. Out: a `Tip`: strings only. The same words serve the dark card and
people who listen to a screen reader.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from unigram_gui.characters import Kind, code_point_text, full_name, joined_by, kind_of
from unigram_gui.number_text import log_text, percent_text, probability_text
from unigram_gui.tasks.exploration import Exploration

SMALLEST_PLAIN = math.log(1e-6)


@dataclass(frozen=True)
class Tip:
    """A title with a note beside it, lines of explanation, rows of name and value."""

    title: str
    note: str
    lines: tuple[str, ...] = ()
    rows: tuple[tuple[str, str], ...] = ()
    title_is_text: bool = True  # text under study is monospaced, a character's name is not


def edge_tip(seen: Exploration, edge: int) -> Tip:
    """Piece, IDs, p, ln p, posterior, forward and backward of an edge."""
    lattice = seen.lattice
    start, end = int(lattice.edge_start[edge]), int(lattice.edge_end[edge])
    log_p = float(lattice.edge_log_p[edge])
    rows = [
        ("p", probability_text(math.exp(log_p))),
        ("ln p", log_text(log_p)),
        ("posterior", percent_text(float(seen.posteriors[edge]), 3)),
    ]
    rows += _formula(seen, edge, start, end)
    forward, backward = float(seen.log_forward[start]), float(seen.log_backward[end])
    rows.append((f"ln α({start}), ln β({end})", f"{log_text(forward, 2)}, {log_text(backward, 2)}"))
    return Tip(seen.edge_text(edge), _ids(seen, edge), _edge_lines(seen, edge, start), tuple(rows))


def character_tip(seen: Exploration, position: int) -> Tip:
    """Name, code point and bytes of a character of the text line."""
    character = seen.lattice.text[position]
    joined = joined_by(seen.lattice.text, position)
    lines = (joined,) if joined else ()
    utf8 = character.encode("utf-8", "replace").hex(" ").upper()
    return Tip(full_name(character), code_point_text(character), lines, (("UTF-8", utf8),), title_is_text=False)


def wall_tip(boundary: int) -> Tip:
    """Why no piece crosses a boundary."""
    reason = "the rules of this tokenizer cut the text here first: no piece spans it"
    return Tip(f"Wall at {boundary}", "", (reason,), title_is_text=False)


def edge_sentence(seen: Exploration, edge: int) -> str:
    """An edge as one sentence for a screen reader."""
    lattice = seen.lattice
    place = "on the best path" if seen.is_best[edge] else "not on the best path"
    text = seen.edge_text(edge).replace("\u2581", "space ")
    unknown = f"{_unknown_line(seen, edge)}, " if lattice.edge_is_unknown[edge] else ""
    return (
        f"{text}, {unknown}{_ids(seen, edge)}, from {lattice.edge_start[edge]} to {lattice.edge_end[edge]}, "
        f"ln p {log_text(float(lattice.edge_log_p[edge]))}, "
        f"posterior {percent_text(float(seen.posteriors[edge]), 3)}, {place}"
    )


def _ids(seen: Exploration, edge: int) -> str:
    ids = seen.token_ids(edge) if seen.is_best[edge] and seen.lattice.edge_is_unknown[edge] else ()
    if len(ids) > 1:
        return "IDs " + " ".join(map(str, ids))
    unknown = f"{unknown_word(seen)}, " if seen.lattice.edge_is_unknown[edge] else ""
    return f"{unknown}ID {int(ids[0] if ids else seen.lattice.edge_piece[edge])}"


def _edge_lines(seen: Exploration, edge: int, start: int) -> tuple[str, ...]:
    lines = []
    text = seen.edge_text(edge)
    if seen.lattice.edge_is_unknown[edge]:
        lines.append(_unknown_line(seen, edge))
    if len(text) == 1 and kind_of(text) in (Kind.HIDDEN, Kind.MARK):
        lines.append(f"{full_name(text)}, {code_point_text(text)}")
        joined = joined_by(seen.lattice.text, start)
        lines += [joined] if joined else []
    return tuple(lines)


def unknown_word(seen: Exploration) -> str:
    """What the vocabulary calls its unknown piece."""
    pieces = seen.model.pieces
    return pieces.texts[pieces.unknown_id]


def _unknown_line(seen: Exploration, edge: int) -> str:
    if seen.is_best[edge] and len(seen.token_ids(edge)) > 1:
        return "not in the vocabulary: it becomes its bytes"
    joined = seen.is_joined(edge)
    return "not in the vocabulary" + (", one unknown token with its neighbours" if joined else ": unknown")


def _formula(seen: Exploration, edge: int, start: int, end: int) -> list[tuple[str, str]]:
    """How the posterior comes about, where all its factors can be read as plain numbers."""
    factors = (
        float(seen.log_forward[start]),
        float(seen.lattice.edge_log_p[edge]),
        float(seen.log_backward[end]),
        seen.log_z,
    )
    if min(factors) < SMALLEST_PLAIN:
        return []
    alpha, p, beta, total = (probability_text(math.exp(factor)) for factor in factors)
    return [(f"= α({start}) · p · β({end}) / P(x)", f"{alpha} · {p} · {beta} / {total}")]
