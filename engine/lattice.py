"""The lattice of one text: every piece that matches anywhere in it, as an edge between two boundaries.

In: a normalized text, the trie of the pieces and what each piece scores. Out: flat edge arrays and, on first
use, everything that follows from them; `paths` and `marginals` do the work. Boundary i lies before character
i. Byte pieces are no edges: like SentencePiece, unknown characters become bytes after the path is found.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from engine import marginals, paths
from engine.errors import TextError, is_finite_number, is_whole_number
from engine.kernels.trie_walk import count_edges, list_edges
from engine.paths import EdgesByEnd, Path, PathsInOrder, ViterbiTable
from engine.slices import CHARACTERS_PER_SLICE, slices
from engine.trie import Trie, code_points_of
from engine.values import Value

MOST_PATHS_IN_A_LAW = 100_000
"""`Lattice.path_law` lists every path; beyond this many it refuses."""


@dataclass(frozen=True, eq=False)
class Lattice(Value):
    """All ways to cut a text of n code points into pieces.

    Attributes
    ----------
    text : str
        The normalized text.
    piece_texts : tuple of str
        The model's table; an edge's label is text[start:end].
    edge_start, edge_end : int32[E]
        Boundaries in code points; edges are sorted by start, then by end.
    edge_piece : int32[E]
        IDs; an unknown character has the ID of the unknown piece.
    edge_log_p : float64[E]
        Scores in nats.
    edge_is_unknown : bool[E]
    edge_offsets : int64[n+1]
        The edges that start at i are edge_offsets[i]:edge_offsets[i+1].
    walls : int32[m]
        Boundaries that no edge crosses, because the rules of a tokenizer.json cut the text there beforehand.

    Examples
    --------
    The text ab with p(a) = 0.5, p(b) = 0.25 and p(ab) = 0.25 has two paths, of 0.25 and 0.125:

    >>> from engine.model import UnigramModel
    >>> lattice = UnigramModel.from_probabilities({"a": 0.5, "b": 0.25, "ab": 0.25}).lattice("ab")
    >>> lattice.n_paths, lattice.best().pieces, round(math.exp(lattice.log_z), 12)
    (2, ('ab',), 0.375)
    >>> lattice.posteriors.round(6).tolist()
    [0.333333, 0.666667, 0.333333]
    """

    text: str
    piece_texts: tuple[str, ...]
    edge_start: NDArray[np.int32]
    edge_end: NDArray[np.int32]
    edge_piece: NDArray[np.int32]
    edge_log_p: NDArray[np.float64]
    edge_is_unknown: NDArray[np.bool_]
    edge_offsets: NDArray[np.int64]
    walls: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, dtype=np.int32))

    def __post_init__(self) -> None:
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    @classmethod
    def of_text(
        cls,
        text: str,
        piece_texts: tuple[str, ...],
        trie: Trie,
        edge_scores: NDArray[np.float64],
        unknown_id: int,
        cancel: threading.Event | None = None,
    ) -> Lattice:
        """Match every piece of the trie at every place; a character without a piece gets an unknown edge.

        Differs from SentencePiece: sums over a lattice are float64 (there float32 with a cut-off).

        `edge_scores` is float64[n_pieces], the row of the unknown piece being what an unknown character scores.
        """
        code_points = code_points_of(text)
        n_edges = np.zeros(len(text), dtype=np.int64)
        for first, stop in slices(len(text), CHARACTERS_PER_SLICE, cancel):
            count_edges(code_points, trie, first, stop, n_edges)
        offsets = np.concatenate(([0], np.cumsum(n_edges)))
        offsets.setflags(write=False)
        start, end, piece = (np.empty(offsets[-1], dtype=np.int32) for _ in range(3))
        for first, stop in slices(len(text), CHARACTERS_PER_SLICE, cancel):
            list_edges(code_points, trie, unknown_id, first, stop, offsets, start, end, piece)
        return cls(text, piece_texts, start, end, piece, edge_scores[piece], piece == unknown_id, offsets)

    def __len__(self) -> int:
        """Return n, the number of characters."""
        return len(self.text)

    @property
    def n_edges(self) -> int:
        """E, how many pieces match somewhere."""
        return len(self.edge_start)

    # -- sums over all paths ---------------------------------------------------------------------------------

    @cached_property
    def log_forward(self) -> NDArray[np.float64]:
        """float64[n+1]: log of the summed probability of all paths from the start to each boundary."""
        return marginals.log_forward(len(self), self.edge_start, self.edge_end, self.edge_log_p)

    @cached_property
    def log_backward(self) -> NDArray[np.float64]:
        """float64[n+1]: log of the summed probability of all paths from each boundary to the end."""
        return marginals.log_backward(len(self), self.edge_start, self.edge_end, self.edge_log_p)

    @property
    def forward(self) -> NDArray[np.float64]:
        """float64[n+1]: the forward probabilities themselves; 0.0 where too small for a float64."""
        return np.exp(self.log_forward)

    @property
    def backward(self) -> NDArray[np.float64]:
        """float64[n+1]: the backward probabilities themselves; 0.0 where too small for a float64."""
        return np.exp(self.log_backward)

    @property
    def log_z(self) -> float:
        """The log probability of the text: the sum over all its paths; -inf where there is none."""
        return float(self.log_forward[-1])

    @cached_property
    def posteriors(self) -> NDArray[np.float64]:
        """float64[E]: the share of the text's probability that runs over each edge."""
        return marginals.edge_posteriors(
            self.edge_start, self.edge_end, self.edge_log_p, self.log_forward, self.log_backward
        )

    @cached_property
    def boundary_posteriors(self) -> NDArray[np.float64]:
        """float64[n+1]: the share of the text's probability that is cut at each boundary."""
        return marginals.boundary_posteriors(self.log_forward, self.log_backward)

    @cached_property
    def entropy(self) -> float:
        """The entropy of the paths in nats: 0 where one path has all the probability."""
        return marginals.entropy(self.edge_start, self.edge_end, self.edge_log_p, self.log_backward, self.posteriors)

    @cached_property
    def n_paths(self) -> int:
        """The exact number of paths, of any size. `log_n_paths` is quicker for a long text without spaces."""
        return marginals.n_paths(self.edge_start, self.edge_end, self.edge_offsets)

    @cached_property
    def log_n_paths(self) -> float:
        """The natural log of the number of paths: quick, and fit to be shown, where `n_paths` has a million digits."""
        ones = np.zeros(self.n_edges)
        ones.setflags(write=False)
        return float(marginals.log_forward(len(self), self.edge_start, self.edge_end, ones)[-1])

    def evaluate(self, cancel: threading.Event | None = None) -> Lattice:
        """Compute the sums over all paths now, looking at the cancel token, and return the lattice itself.

        Nothing is different afterwards but for the time that the properties take. The exact number of paths, which
        may have a million digits, is left for whoever asks. Raises Cancelled.
        """
        kept, edges = vars(self), (len(self), self.edge_start, self.edge_end, self.edge_log_p)
        # Where functools.cached_property keeps its values.
        for name, compute in (
            ("log_forward", marginals.log_forward),
            ("log_backward", marginals.log_backward),
            ("_best_table", paths.viterbi_table),
        ):
            if name not in kept:
                kept[name] = compute(*edges, cancel)
        _ = self.posteriors, self.boundary_posteriors, self.entropy, self.log_n_paths
        return self

    # -- single paths ----------------------------------------------------------------------------------------

    def best_table(self) -> ViterbiTable:
        """Return the best path into every boundary; on equal scores the earliest start wins."""
        return self._best_table

    @cached_property
    def _best_table(self) -> ViterbiTable:
        return paths.viterbi_table(len(self), self.edge_start, self.edge_end, self.edge_log_p)

    @cached_property
    def edges_by_end(self) -> EdgesByEnd:
        """The edges sorted by where they end: the candidates of each row of the Viterbi table."""
        return paths.edges_by_end(len(self), self.edge_end)

    def best(self) -> Path:
        """Return the best path. Raises TextError where `without` has left none."""
        found = self.n_best(1)
        if not found:
            raise TextError(f"No path through {self.text!r} is left; enable one of its pieces again.")
        return found[0]

    def n_best(self, k: int, cancel: threading.Event | None = None) -> tuple[Path, ...]:
        """Return the k best paths from the best down, exactly; all of them where there are fewer than k.

        Differs from SentencePiece: exact at any length and any k. (Its agenda is cut at 10,000 hypotheses.)
        Raises Cancelled.
        """
        if not is_whole_number(k, 1):
            raise TextError(f"{k!r:.40} best paths cannot be listed; ask for a whole number from 1 on.")
        enumeration = PathsInOrder(self.edge_start, self.edge_end, self.edge_log_p, self.edges_by_end, self._best_table)
        turns = slices(k, 1, cancel)
        return tuple(self.path(edges) for _, edges in zip(turns, enumeration, strict=False))

    @overload
    def sample(self, alpha: float = 1.0, *, rng: np.random.Generator, size: None = None) -> Path: ...
    @overload
    def sample(self, alpha: float = 1.0, *, rng: np.random.Generator, size: int) -> tuple[Path, ...]: ...
    def sample(
        self, alpha: float = 1.0, *, rng: np.random.Generator, size: int | None = None
    ) -> Path | tuple[Path, ...]:
        """Draw paths with probability in proportion to p ** alpha.

        alpha = 0 draws all paths alike, 1 by their probability, a large alpha nearly always the best one
        (Kudo 2018, subword regularization). With `size` a tuple of independent draws, else one path.
        """
        if size is not None and not is_whole_number(size, 0):
            raise TextError(f"{size!r:.40} paths cannot be drawn; ask for a whole number from 0 on.")
        log_p = self._tempered(alpha)
        sums = marginals.log_forward(len(self), self.edge_start, self.edge_end, log_p)
        if sums[-1] == -np.inf:
            raise TextError(f"No path through {self.text!r} is left; enable one of its pieces again.")
        drawn = tuple(
            self.path(paths.sample_edges(self.edge_start, log_p, sums, self.edges_by_end, rng))
            for _ in range(1 if size is None else size)
        )
        return drawn[0] if size is None else drawn

    def path_law(self, alpha: float = 1.0) -> tuple[tuple[Path, float], ...]:
        """Return every path with its probability under `sample(alpha)`, best path first.

        Raises TextError beyond 100,000 paths.
        """
        self._tempered(alpha)
        if self.n_paths > MOST_PATHS_IN_A_LAW:
            raise TextError(f"The text has more than {MOST_PATHS_IN_A_LAW:,} paths; list them for a shorter one.")
        every = self.n_best(max(self.n_paths, 1))
        weights = np.array([alpha * path.score for path in every])
        weights = np.exp(weights - weights.max(initial=-np.inf))
        return tuple(zip(every, (weights / weights.sum()).tolist(), strict=True))

    def _tempered(self, alpha: float) -> NDArray[np.float64]:
        if not is_finite_number(alpha, 0.0):
            raise TextError(f"alpha is {alpha!r:.40}; the inverse temperature must be a finite number of 0 or more.")
        log_p = self.edge_log_p * alpha
        log_p.setflags(write=False)
        return log_p

    def share(self, path: Path) -> float:
        """Return the path's share of the text's probability."""
        return math.exp(path.score - self.log_z)

    def path(self, edges: Sequence[int] | NDArray[np.integer[Any]]) -> Path:
        """Return the path over the given edges (row numbers, from left to right)."""
        rows = np.asarray(edges, dtype=np.int64)
        starts, ends = self.edge_start[rows].tolist(), self.edge_end[rows].tolist()
        # A running sum from the left, as in the Viterbi table, so that equal paths have equal scores.
        scores = np.cumsum(self.edge_log_p[rows])
        return Path(
            tuple(rows.tolist()),
            tuple(starts),
            tuple(ends),
            tuple(self.edge_piece[rows].tolist()),
            tuple(self.text[start:end] for start, end in zip(starts, ends, strict=True)),
            float(scores[-1]) if len(scores) else 0.0,
        )

    def path_from_cuts(
        self, starts: Sequence[int] | NDArray[np.int32], ends: Sequence[int] | NDArray[np.int32]
    ) -> Path:
        """Return the path whose edges run from starts[i] to ends[i]; TextError where one is no piece."""
        cut_starts, cut_ends = np.asarray(starts, dtype=np.int64), np.asarray(ends, dtype=np.int64)
        # Edges are sorted by start, then by end: as one number each they can be looked up in one go.
        numbers = self.edge_start.astype(np.int64) * (len(self) + 1) + self.edge_end
        rows = np.searchsorted(numbers, cut_starts * (len(self) + 1) + cut_ends)
        is_edge = np.append(self.edge_start, -1)[rows] == cut_starts
        is_edge &= (np.append(self.edge_end, -1)[rows] == cut_ends) & (cut_starts >= 0)
        for i in np.flatnonzero(~is_edge)[:1].tolist():
            raise TextError(f"From {cut_starts[i]} to {cut_ends[i]} no piece matches here; cut the text elsewhere.")
        return self.path(rows)

    # -- what if ---------------------------------------------------------------------------------------------

    def without(self, piece: str | int) -> Lattice:
        """Return the same lattice with every edge of one piece disabled, all other scores frozen.

        The fall of log Z is the piece's exact loss on this text, that of the best score its Viterbi loss.
        An unknown edge does not take the piece's place. Raises TextError for a piece that is not in the model.
        """
        return self.keeping(self.edge_piece != self._id_of(piece))

    def _id_of(self, piece: str | int) -> int:
        if isinstance(piece, str):
            rows = np.flatnonzero([text == piece for text in self.piece_texts])
            if not len(rows):
                raise TextError(f"{piece!r} is no piece of this model; name one that is.")
            on_edges = np.intersect1d(rows, self.edge_piece)
            return int(on_edges[0] if len(on_edges) else rows[0])
        if not is_whole_number(piece, 0) or piece >= len(self.piece_texts):
            raise TextError(f"There is no piece {piece!r:.40}; IDs run from 0 to {len(self.piece_texts) - 1}.")
        return piece

    def keeping(self, keep: NDArray[np.bool_]) -> Lattice:
        """Return the lattice of the edges where `keep`, bool[E], is true."""
        kept_before = np.concatenate(([0], np.cumsum(keep)))
        return replace(
            self,
            edge_start=self.edge_start[keep],
            edge_end=self.edge_end[keep],
            edge_piece=self.edge_piece[keep],
            edge_log_p=self.edge_log_p[keep],
            edge_is_unknown=self.edge_is_unknown[keep],
            edge_offsets=kept_before[self.edge_offsets],
        )
