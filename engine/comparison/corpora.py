"""Two models on one corpus: figures with intervals, and where the differences come from.

In: two models and a corpus. Out: a `CorpusComparison`. Both models see the same texts; figures of one are comparable
with those of the other because characters, bytes and words are counted in the corpus as it stands.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.comparison.bootstrap import BlockSums, ComparedFigure, compare_figures, random_blocks
from engine.comparison.figures import SUMS
from engine.comparison.one_text import Stretch, compare_on_text
from engine.comparison.tally import Tally, tally
from engine.comparison.words import CorpusWords, words_of
from engine.corpus import Corpus
from engine.encoder import Encoder
from engine.errors import Cancelled
from engine.kernels.text_counts import count_words, find_main_scripts
from engine.model import UnigramModel
from engine.shards import slices, thread_count
from engine.tables import scripts

Longs = NDArray[np.int64]
Progress = Callable[[float], None]

N_TEXTS, N_WORDS, N_EXAMINED, N_LOSSY = 1000, 500, 120, 1000
_LONGEST_EXAMINED = 20_000  # characters
_SLICE = 1 << 20
_SHARED_SCRIPTS = ("Common", "Inherited", "Unknown")


@dataclass(frozen=True, eq=False)
class ScriptSums:
    """The texts of one main script: how many (counts included), and the sums of `SUMS` for each model."""

    script: str
    n_texts: int
    a: NDArray[np.float64]
    b: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TokenRows:
    """Texts or words with their count and their tokens in each model; row i of each array belongs together.

    `places` are numbers of texts in the corpus, or of words among its words.
    """

    places: Longs
    texts: tuple[str, ...]
    counts: Longs
    tokens_a: NDArray[np.int32]
    tokens_b: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.places)


@dataclass(frozen=True)
class ResponsiblePiece:
    """A piece that makes texts differ.

    `owner` is "A" or "B" where only that model has the piece, "both" where the scores decide. `places` is where it
    stands in a differing stretch (counts included), `tokens` how many tokens B has more in these, shared out evenly
    among the pieces of a stretch.
    """

    piece: str
    owner: str
    places: int
    tokens: float


@dataclass(frozen=True, eq=False)
class CorpusComparison:
    """Two models on one corpus.

    Attributes
    ----------
    corpus : Corpus
    name_a, name_b : str
    figures : tuple of ComparedFigure
    n_blocks : int
        Into how many random blocks the texts were put for the intervals.
    scripts : tuple of ScriptSums
        Texts by the script that most of their characters have, largest first.
    words : TokenRows
        Of the words between blanks those cut into most pieces, weighted or not, and those that differ most.
    texts : TokenRows
        The texts that differ most in tokens x count, most first.
    pieces : tuple of ResponsiblePiece
        What makes the first `n_examined` of these texts differ, by tokens, most first.
    n_examined : int
    n_lossless : tuple of int
        Samples (counts included) that decode(encode(x)) gives back, in A and in B.
    lossy : int64[]
        The first texts that are not given back by one of the two or by both; `lossy_a`, `lossy_b` tell by which.
    """

    corpus: Corpus
    name_a: str
    name_b: str
    figures: tuple[ComparedFigure, ...]
    n_blocks: int
    scripts: tuple[ScriptSums, ...]
    words: TokenRows
    texts: TokenRows
    pieces: tuple[ResponsiblePiece, ...]
    n_examined: int
    n_lossless: tuple[int, int]
    lossy: Longs
    lossy_a: NDArray[np.bool_]
    lossy_b: NDArray[np.bool_]


def compare_on_corpus(
    a: UnigramModel,
    b: UnigramModel,
    corpus: Corpus,
    *,
    threads: int | None = None,
    cancel: threading.Event | None = None,
    progress: Progress | None = None,
) -> CorpusComparison:
    """Encode a corpus with both models and compare what comes out. Raises Cancelled.

    >>> a = UnigramModel.from_probabilities({"u": 0.2, "n": 0.2, "able": 0.3, "un": 0.3})
    >>> b = UnigramModel.from_probabilities({"u": 0.2, "n": 0.2, "unable": 0.3, "un": 0.3})
    >>> compared = compare_on_corpus(a, b, Corpus.from_counts({"unable": 3, "un": 1}))
    >>> compared.figures[0].a.value, compared.figures[0].b.value, compared.pieces[0].tokens
    (7.0, 4.0, -1.5)
    """
    report = progress or (lambda _: None)
    blocks = random_blocks(len(corpus))
    (tally_a, tally_b), words, of_texts = _count(a, b, corpus, blocks, threads, cancel, _Parts(report, 0.84))
    figures = compare_figures(of_texts.block_sums(tally_a), of_texts.block_sums(tally_b))
    report(0.85)
    texts = _texts_that_differ(corpus, tally_a, tally_b)
    pieces, n_examined = _responsible(a, b, texts, cancel)
    report(0.95)
    lossy = np.flatnonzero(~(tally_a.lossless & tally_b.lossless))[:N_LOSSY]
    return CorpusComparison(
        corpus, a.name, b.name, figures, int(blocks.max(initial=0)) + 1, of_texts.by_script(tally_a, tally_b),
        words,
        texts, pieces, n_examined,
        (int(corpus.counts[tally_a.lossless].sum()), int(corpus.counts[tally_b.lossless].sum())),
        lossy, ~tally_a.lossless[lossy], ~tally_b.lossless[lossy],
    )  # fmt: skip


class _Parts:
    """Adds up the progress of works that run side by side."""

    def __init__(self, report: Progress, span: float) -> None:
        self._report, self._span = report, span
        self._done: dict[int, float] = {}
        self._lock = threading.Lock()

    def part(self, number: int, share: float) -> Progress:
        """Return where work `number`, that share of the whole, reports its fraction."""

        def report(fraction: float) -> None:
            with self._lock:
                self._done[number] = share * fraction
                self._report(self._span * sum(self._done.values()))

        return report


def _count(
    a: UnigramModel,
    b: UnigramModel,
    corpus: Corpus,
    blocks: NDArray[np.int32],
    threads: int | None,
    cancel: threading.Event | None,
    parts: _Parts,
) -> tuple[list[Tally], TokenRows, _Texts]:
    """Do what takes long, side by side, since parts of each work run on one thread."""
    every = thread_count(threads)
    each = max(1, every // 2)

    def tally_of(side: int) -> Tally:
        report = parts.part(side, 0.4)
        return tally((a, b)[side], corpus, blocks, threads=each, cancel=cancel, progress=report)

    def rows() -> TokenRows:
        words = words_of(corpus, cancel)
        found = _words_cut_most(words, *(_word_tokens(model, words, each, cancel) for model in (a, b)))
        parts.part(2, 0.2)(1.0)
        return found

    with ThreadPoolExecutor(min(every, 2), thread_name_prefix="engine-compare") as pool:
        tallies = [pool.submit(tally_of, side) for side in (0, 1)]
        words, texts = pool.submit(rows), pool.submit(_Texts.of, corpus, blocks, cancel)
        return [future.result() for future in tallies], words.result(), texts.result()


@dataclass(frozen=True, eq=False)
class _Texts:
    """What is counted of the texts as they stand."""

    corpus: Corpus
    blocks: NDArray[np.int32]
    n_words: Longs
    main_script: NDArray[np.uint8]

    @classmethod
    def of(cls, corpus: Corpus, blocks: NDArray[np.int32], cancel: threading.Event | None) -> _Texts:
        names, script = scripts()
        is_shared = np.zeros(256, dtype=np.bool_)
        is_shared[[names.index(name) for name in _SHARED_SCRIPTS]] = True
        n_words, main = np.zeros(len(corpus), dtype=np.int64), np.zeros(len(corpus), dtype=np.uint8)
        for first, stop in slices(corpus.offsets, 0, len(corpus), _SLICE):
            if cancel is not None and cancel.is_set():
                raise Cancelled
            count_words(corpus.utf8, corpus.offsets, first, stop, n_words)
            common = names.index("Common")
            find_main_scripts(corpus.utf8, corpus.offsets, first, stop, script, is_shared, common, main)
        return cls(corpus, blocks, n_words, main)

    def sums(self, of: Tally, group: NDArray, n_groups: int) -> NDArray[np.float64]:
        """Return float64[groups, len(SUMS)]: the sums of groups of texts."""
        corpus = self.corpus
        columns = {
            "tokens": of.tokens, "characters": corpus.n_characters, "bytes": np.diff(corpus.offsets),
            "words": self.n_words, "nats": -of.log_probs, "unknown": of.unknown, "byte_tokens": of.byte,
            "single": of.single,
        }  # fmt: skip
        weighted = [np.bincount(group, corpus.counts * columns[name], minlength=n_groups) for name in SUMS]
        return np.stack(weighted, axis=1)

    def block_sums(self, of: Tally) -> BlockSums:
        return BlockSums(self.sums(of, self.blocks, len(of.block_pieces)), of.block_pieces, of.usable)

    def by_script(self, a: Tally, b: Tally) -> tuple[ScriptSums, ...]:
        names, _ = scripts()
        of_a, of_b = self.sums(a, self.main_script, len(names)), self.sums(b, self.main_script, len(names))
        n_texts = np.bincount(self.main_script, self.corpus.counts, minlength=len(names))
        present = sorted(np.flatnonzero(n_texts).tolist(), key=lambda s: (-n_texts[s], names[s]))
        return tuple(ScriptSums(names[s], int(n_texts[s]), of_a[s], of_b[s]) for s in present)


def _texts_that_differ(corpus: Corpus, a: Tally, b: Tally) -> TokenRows:
    weight = corpus.counts * np.abs(b.tokens.astype(np.int64) - a.tokens)
    order = np.argsort(-weight, kind="stable")[:N_TEXTS]
    order = order[weight[order] > 0]
    texts = tuple(corpus.text(int(i)) for i in order)
    return TokenRows(order, texts, corpus.counts[order], a.tokens[order], b.tokens[order])


def _word_tokens(
    model: UnigramModel, words: CorpusWords, threads: int | None, cancel: threading.Event | None
) -> NDArray[np.int32]:
    """Return the tokens of each word as a text by itself."""
    if isinstance(model.encoder, Encoder):
        encoded = model.encoder.encode_utf8(words.utf8, words.offsets, threads, cancel)
        return np.diff(encoded.offsets).astype(np.int32)
    return np.array([_n_tokens(model, words.word(w), cancel) for w in range(len(words))], dtype=np.int32)


def _n_tokens(model: UnigramModel, text: str, cancel: threading.Event | None) -> int:
    if cancel is not None and cancel.is_set():
        raise Cancelled
    return len(model.segment(text, add_special_tokens=False))


def _words_cut_most(words: CorpusWords, a: NDArray[np.int32], b: NDArray[np.int32]) -> TokenRows:
    most = np.maximum(a, b).astype(np.int64)
    chosen: set[int] = set()
    for weight in (most, (most - 1) * words.counts, np.abs(b.astype(np.int64) - a) * words.counts):
        chosen.update(np.argsort(-weight, kind="stable")[:N_WORDS].tolist())
    places = np.array(sorted(chosen), dtype=np.int64)
    places = places[np.argsort(-((most - 1) * words.counts)[places], kind="stable")]
    texts = tuple(words.word(int(w)) for w in places)
    return TokenRows(places, texts, words.counts[places], a[places], b[places])


def _responsible(
    a: UnigramModel, b: UnigramModel, texts: TokenRows, cancel: threading.Event | None
) -> tuple[tuple[ResponsiblePiece, ...], int]:
    shares: dict[tuple[str, str], list[float]] = {}
    n_examined = 0
    for text, count in zip(texts.texts[:N_EXAMINED], texts.counts.tolist(), strict=False):
        if cancel is not None and cancel.is_set():
            raise Cancelled
        n_examined += 1
        if len(text) <= _LONGEST_EXAMINED:
            for stretch in compare_on_text(a, b, text, costs=False).stretches:
                _blame(stretch, count, shares)
    found = [ResponsiblePiece(piece, owner, int(n), tokens) for (piece, owner), (n, tokens) in shares.items()]
    return tuple(sorted(found, key=lambda row: (-abs(row.tokens), row.piece, row.owner))), n_examined


def _blame(stretch: Stretch, count: int, shares: dict[tuple[str, str], list[float]]) -> None:
    """Share out the tokens of a stretch among the pieces that only one model has, or else those that differ."""
    keys = [(piece, "B") for piece in stretch.a.lacks] + [(piece, "A") for piece in stretch.b.lacks]
    if not keys:
        differing = set(stretch.a.pieces).symmetric_difference(stretch.b.pieces)
        keys = [(piece, "both") for piece in sorted(differing)]
    gained = count * (len(stretch.b.pieces) - len(stretch.a.pieces)) / max(len(keys), 1)
    for key in keys:
        row = shares.setdefault(key, [0, 0.0])
        row[0] += count
        row[1] += gained
