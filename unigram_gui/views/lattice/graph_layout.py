"""Where everything stands in the graph: nodes, arcs, labels.

In: edges as arrays, widths of labels, a pitch. Out: a `GraphLayout` of coordinates. No Qt: heights grow upwards from
the upper side of the band, x grows to the right from the first node.

Arcs leave the band upright, land level and run flat. A label stands in the middle of the flat run, or beside it where
a leg of a higher arc would pass through; where no place is free, the cells under the arc grow.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from unigram_gui.lanes import nested_lanes

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Bools = NDArray[np.bool_]

PORT_FIRST, PORT_STEP = 2.5, 6.0  # from the centre of a node to its first port, and on to the next
LABEL_MARGIN = 5.0  # kept free beside a label that a leg passes
OWN_LEG_MARGIN = 2.0  # kept free between a label and the legs of its own arc
UNDER_RUN = 5.5  # from the flat run down to the top of the digits under it
MOST_EVEN = 1.35  # pitches: how far one label may widen all cells, to keep the rhythm even
BEST_MARGIN = 5.0  # on each side of a label under the band
LABEL_ABOVE, LABEL_BELOW = 19.0, 17.0  # reach of a label over and under the flat run
SMALLEST_PITCH, LARGEST_PITCH = 84.0, 112.0
MAX_WIDENINGS = 12
LOWEST_STEP, LOWEST_PLAIN_STEP = 36.0, 26.0  # from arc to arc, with and without numbers under their runs

# The leg of an arc as a curve from (0, 0) to (1, 1); see `leg_points`.
_T = np.linspace(0.0, 1.0, 33)
_LEG_X = 3 * (1 - _T) ** 2 * _T * 0.06 + 3 * (1 - _T) * _T**2 * 0.28 + _T**3
_LEG_Y = 3 * (1 - _T) ** 2 * _T * 0.64 + 3 * (1 - _T) * _T**2 + _T**3


@dataclass(frozen=True)
class GraphSizes:
    """Heights of the drawing: figures are a little roomier than the window."""

    band: float = 40.0
    first_arc: float = 46.0
    arc_step: float = 42.0


FIGURE_SIZES = GraphSizes()
WINDOW_SIZES = GraphSizes(band=38.0, first_arc=40.0, arc_step=39.0)


@dataclass(frozen=True, eq=False)
class GraphContent:
    """What is to be laid out: edges, and how much room their labels take."""

    start: Ints
    end: Ints
    is_best: Bools
    label_width: Floats  # by edge: over the arc, or under the band for the best path
    cell_width: Floats  # by character: the least width of its cell


@dataclass(frozen=True, eq=False)
class GraphLayout:
    """Coordinates. Arrays with one row an edge; those of the best path have lane -1 and no arc."""

    node_x: Floats
    lane: Ints
    height: Floats
    left: Floats  # foot of the rising leg
    right: Floats  # foot of the falling leg
    leg: Floats  # width of a leg
    label_x: Floats

    @property
    def width(self) -> float:
        return float(self.node_x[-1])

    @property
    def top(self) -> float:
        return float(self.height.max(initial=0.0))


def lay_out_graph(content: GraphContent, pitch: float, sizes: GraphSizes = WINDOW_SIZES) -> GraphLayout:
    """Coordinates of every node, arc and label at a pitch; cells grow where a label needs more."""
    arcs = np.flatnonzero(~content.is_best)
    lane = np.full(len(content.start), -1, dtype=np.int32)
    lane[arcs] = nested_lanes(content.start[arcs], content.end[arcs])
    height = np.where(lane >= 0, sizes.first_arc + sizes.arc_step * lane, 0.0)
    leg = np.clip(0.24 * pitch, 14.0, 30.0) + 0.06 * height
    out_port, in_port = _ports(content, arcs)
    need = _needed_width(content, height, leg, out_port, in_port)
    single = need[(content.end - content.start == 1) & ~content.is_best].max(initial=pitch)
    even = np.maximum(content.cell_width, min(single, MOST_EVEN * pitch))
    cells = _widen(content, np.maximum(even, pitch), need)
    for _ in range(MAX_WIDENINGS):
        layout = _place(content, cells, lane, height, leg, out_port, in_port)
        layout, stuck = _place_labels(content, layout, pitch)
        if not stuck:
            break
        for edge in stuck:
            cells[content.start[edge] : content.end[edge]] += 0.25 * pitch
    return layout


def lower_arcs(layout: GraphLayout, excess: float, *, shows_scores: bool) -> GraphSizes:
    """Sizes of the window with arcs nearer to each other, so that a drawing too high by `excess` fits if it can."""
    n_steps = int(layout.lane.max(initial=0))
    if n_steps <= 0:
        return WINDOW_SIZES
    step = max(WINDOW_SIZES.arc_step - excess / n_steps, LOWEST_STEP if shows_scores else LOWEST_PLAIN_STEP)
    return replace(WINDOW_SIZES, arc_step=step)


def leg_offset(share_of_height: Floats) -> Floats:
    """How far a leg has come over, in leg widths, where it has risen by a share of its height."""
    return np.interp(share_of_height, _LEG_Y, _LEG_X)


def _ports(content: GraphContent, arcs: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Distance of both feet of every arc from their nodes: the longest arc stands nearest to the centre."""
    out_port = np.zeros(len(content.start))
    in_port = np.zeros(len(content.start))
    seen_out: dict[int, int] = {}
    seen_in: dict[int, int] = {}
    length = content.end - content.start
    for edge in arcs[np.argsort(-length[arcs], kind="stable")]:
        start, end = int(content.start[edge]), int(content.end[edge])
        out_port[edge] = PORT_FIRST + PORT_STEP * seen_out.get(start, 0)
        in_port[edge] = PORT_FIRST + PORT_STEP * seen_in.get(end, 0)
        seen_out[start] = seen_out.get(start, 0) + 1
        seen_in[end] = seen_in.get(end, 0) + 1
    return out_port, in_port


def _needed_width(content: GraphContent, height: Floats, leg: Floats, out_port: Floats, in_port: Floats) -> Floats:
    """From node to node, the width that every label asks for.

    The number under a flat run has to stand between the legs of its own arc, which at that height are only part of
    the way over.
    """
    under = leg_offset(1.0 - UNDER_RUN / np.where(height > 0.0, height, 1.0))
    arc_need = content.label_width + 2.0 * (leg * under + OWN_LEG_MARGIN) + out_port + in_port
    return np.where(content.is_best, content.label_width + 2.0 * BEST_MARGIN, arc_need)


def _widen(content: GraphContent, cells: Floats, need: Floats) -> Floats:
    """Cells that hold every label: over its arc, or under its stretch of the band."""
    cells = cells.copy()
    for edge in np.argsort(content.end - content.start, kind="stable"):
        span = slice(int(content.start[edge]), int(content.end[edge]))
        missing = need[edge] - cells[span].sum()
        if missing > 0.0:
            cells[span] += missing / (span.stop - span.start)
    return cells


def _place(
    content: GraphContent, cells: Floats, lane: Ints, height: Floats, leg: Floats, out_port: Floats, in_port: Floats
) -> GraphLayout:
    node_x = np.concatenate(([0.0], np.cumsum(cells)))
    left = node_x[content.start] + out_port
    right = node_x[content.end] - in_port
    return GraphLayout(node_x, lane, height, left, right, leg, 0.5 * (left + right))


def _place_labels(content: GraphContent, layout: GraphLayout, pitch: float) -> tuple[GraphLayout, list[int]]:
    """Move labels out of the way of higher legs; also those edges for which no place is free."""
    label_x = layout.label_x.copy()
    stuck = []
    for edge in np.flatnonzero(layout.lane >= 0):
        place = _free_place(content, layout, int(edge), pitch)
        if place is None:
            stuck.append(int(edge))
        else:
            label_x[edge] = place
    return replace(layout, label_x=label_x), stuck


def _free_place(content: GraphContent, layout: GraphLayout, edge: int, pitch: float) -> float | None:
    half = 0.5 * content.label_width[edge]
    centre = layout.label_x[edge]
    under = layout.leg[edge] * float(leg_offset(np.array(1.0 - UNDER_RUN / layout.height[edge])))
    slack = 0.5 * (layout.right[edge] - layout.left[edge]) - under - half - 0.5 * OWN_LEG_MARGIN
    near, far = _higher_legs(layout, edge)
    step = 0
    while 0.5 * pitch * ((step + 1) // 2) <= max(slack, 0.0):
        shift = 0.5 * pitch * ((step + 1) // 2) * (-1.0 if step % 2 else 1.0)
        low, high = centre + shift - half - LABEL_MARGIN, centre + shift + half + LABEL_MARGIN
        if not np.any((near < high) & (far > low)):
            return float(centre + shift)
        step += 1
    return None


def _higher_legs(layout: GraphLayout, edge: int) -> tuple[Floats, Floats]:
    """The stretches of x that legs of higher arcs take at the height of this edge's label."""
    touching = (layout.left < layout.right[edge]) & (layout.right > layout.left[edge])
    above = np.flatnonzero(touching & (layout.lane > layout.lane[edge]))
    height = layout.height[above]
    low = layout.leg[above] * leg_offset((layout.height[edge] - LABEL_BELOW) / height)
    high = layout.leg[above] * leg_offset(np.minimum(1.0, (layout.height[edge] + LABEL_ABOVE) / height))
    left, right = layout.left[above], layout.right[above]
    return np.concatenate((left + low, right - high)), np.concatenate((left + high, right - low))
