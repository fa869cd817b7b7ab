"""One vocabulary under the rules of SentencePiece and of HF tokenizers: where they differ, and why.

In: a model and texts. Out: a `RulePair` that compares one text, and a `ParityReport` on many, with a `Difference` for
each that is cut, or decoded, differently, and the reason. Both sets of rules are ours. Tokens that a template adds are
left out of the comparison. The reason is the first that applies in the order of the steps; what follows from it may
hide others.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.corpus import Corpus
from engine.encoder import Segmentation
from engine.errors import Cancelled, ModelFileError
from engine.huggingface.aligned_text import AlignedText
from engine.huggingface.normalizers import Precompiled
from engine.model import UnigramModel
from engine.normalizer import SPACE_MARKER, Normalizer, NormalizerSpec
from engine.pieces import PieceType

MOST_DIFFERENCES = 1000
"""So many differences are listed; all are counted."""

_NEAR = 1e-5  # of the score: what float32 sums may be off by


@dataclass(frozen=True)
class Difference:
    """One text that the two rules treat differently.

    `what` is "encode" or "decode"; `sentencepiece` and `tokenizers` are the pieces, or the decoded text alone;
    `kind` names the reason, `reason` says it in a sentence.
    """

    number: int
    text: str
    what: str
    sentencepiece: tuple[str, ...]
    tokenizers: tuple[str, ...]
    kind: str
    reason: str


@dataclass(frozen=True, eq=False)
class ParityReport:
    """The comparison of all texts.

    `n_texts` were compared and `n_different` of them differ; `counts` says how often each kind of reason was found;
    `losses` are sentences on what one of the two cannot say at all.
    """

    n_texts: int
    n_different: int
    counts: Mapping[str, int]
    differences: tuple[Difference, ...]
    losses: tuple[str, ...] = ()

    def as_tsv(self) -> bytes:
        """Return the differences as a table: number, text, what, both answers, kind and reason."""
        rows = ["number\ttext\twhat\tsentencepiece\ttokenizers\tkind\treason"]
        for row in self.differences:
            cells = (row.text, row.what, "|".join(row.sentencepiece), "|".join(row.tokenizers), row.kind, row.reason)
            rows.append("\t".join([str(row.number), *map(_escaped, cells)]))
        return ("\n".join(rows) + "\n").encode("utf-8", "replace")


@dataclass(frozen=True, eq=False)
class TextParity:
    """One text under both sets of rules: the two cuts, and the differences, none of which is no news."""

    sentencepiece: Segmentation
    tokenizers: Segmentation
    differences: tuple[Difference, ...]


def _first_difference(before: str, after: str) -> int:
    pairs = zip(before, after, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(before), len(after)))


def _without_spaces(text: str) -> str:
    return "".join(text.replace(SPACE_MARKER, " ").split())


def _escaped(cell: str) -> str:
    for character, escape in (("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r")):
        cell = cell.replace(character, escape)
    return cell


def parity_report(
    model: UnigramModel,
    texts: Iterable[str] | Corpus,
    *,
    other: UnigramModel | None = None,
    cancel: threading.Event | None = None,
    progress: Callable[[int], None] | None = None,
) -> ParityReport:
    """Run both sets of rules over texts, or the distinct texts of a corpus, and list every difference with its reason.

    Parameters
    ----------
    model
        A `.model` or a tokenizer.json.
    other
        The same vocabulary under the other rules; without it, `model.under_other_rules()`.
    progress
        Called with the number of texts that are done.

    Raises
    ------
    ModelFileError
        The other rules cannot be made, or both models are of one kind.
    Cancelled
        Soon after `cancel` is set.

    Examples
    --------
    >>> from engine.normalizer import NormalizerSpec
    >>> from engine.pieces import PieceTable
    >>> table = PieceTable.from_rows([("<unk>", 0, 2), ("<s>", 0, 3), ("▁", -3, 1), ("s", -2, 1), ("a", -2, 1)])
    >>> report = parity_report(UnigramModel.trained(table, NormalizerSpec()), ["a a", "<s>a"])
    >>> report.n_texts, [(difference.text, difference.kind) for difference in report.differences]
    (2, [('<s>a', 'typed symbol')])
    """
    return RulePair.of(model, other).report(texts, cancel=cancel, progress=progress)


Reason = tuple[str, str]


@dataclass(frozen=True, eq=False)
class RulePair:
    """One vocabulary under both sets of rules.

    `losses` are sentences on what the one that was made of the other cannot say.
    """

    sentencepiece: UnigramModel
    tokenizers: UnigramModel
    losses: tuple[str, ...] = ()

    @classmethod
    def of(cls, model: UnigramModel, other: UnigramModel | None = None) -> RulePair:
        """Pair a model with `other`, or with itself under the other rules. Raises ModelFileError."""
        losses = () if other is not None else model.losses
        two = (model, other if other is not None else model.under_other_rules())
        first, second = sorted(two, key=lambda one: one.tokenizer_document is not None)
        if first.tokenizer_document is not None or second.tokenizer_document is None:
            raise ModelFileError("Both models follow the same rules; compare a .model with a tokenizer.json.")
        return cls(first, second, losses)

    def compare(self, text: str, number: int = 0, *, cancel: threading.Event | None = None) -> TextParity:
        """Cut a text by both, and decode the IDs of SentencePiece by both. Raises TextError, Cancelled."""
        ours = self.sentencepiece.segment(text, cancel=cancel)
        theirs = self.tokenizers.segment(text, add_special_tokens=False, cancel=cancel)
        return TextParity(ours, theirs, tuple(self._differences(number, text, ours, theirs)))

    def report(
        self,
        texts: Iterable[str] | Corpus,
        *,
        cancel: threading.Event | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> ParityReport:
        """Compare many texts; see `parity_report`."""
        counts: Counter[str] = Counter()
        listed: list[Difference] = []
        n_texts = n_different = 0
        each = map(texts.text, range(len(texts))) if isinstance(texts, Corpus) else texts
        for number, text in enumerate(each):
            if cancel is not None and cancel.is_set():
                raise Cancelled
            found = self.compare(text, number, cancel=cancel).differences
            counts.update(difference.kind for difference in found)
            listed += found[: MOST_DIFFERENCES - len(listed)]
            n_texts, n_different = n_texts + 1, n_different + bool(found)
            if progress is not None:
                progress(n_texts)
        by_count = MappingProxyType(dict(counts.most_common()))
        return ParityReport(n_texts, n_different, by_count, tuple(listed), self.losses)

    def _differences(self, number: int, text: str, ours: Segmentation, theirs: Segmentation) -> Iterator[Difference]:
        if not np.array_equal(ours.ids, theirs.ids):
            yield Difference(number, text, "encode", ours.pieces, theirs.pieces, *self._why(text, ours, theirs))
        if max(ours.ids, default=-1) >= len(self.tokenizers.pieces):
            return  # two files, and the other has no such ID
        decoded, again = self.sentencepiece.decode(ours.ids), self.tokenizers.decode(ours.ids)
        if decoded != again:
            yield Difference(number, text, "decode", (decoded,), (again,), *self._why_decoded(ours))

    # -- encoding --------------------------------------------------------------------------------------------

    def _why(self, text: str, ours: Segmentation, theirs: Segmentation) -> Reason:
        reasons = (
            self._typed_symbol(text),
            self._other_text(text, ours, theirs),
            self._symbol_in_path(theirs),
            self._wall(text, ours),
            self._unknown(ours, theirs),
            self._tie(ours, theirs),
        )
        return next((reason for reason in reasons if reason), ("scores", "The two rules score the pieces differently."))

    @cached_property
    def _contents(self) -> tuple[str, ...]:
        document = self.tokenizers.tokenizer_document
        return tuple(token.content for token in document.tokenizer.added_tokens.tokens) if document else ()

    def _typed_symbol(self, text: str) -> Reason | None:
        typed = next((content for content in self._contents if content in text), None)
        if typed is None:
            return None
        return "typed symbol", f"HF tokenizers cuts the added token {typed!r} out of the text before anything else."

    def _other_text(self, text: str, ours: Segmentation, theirs: Segmentation) -> Reason | None:
        before, after = ours.normalized.text, theirs.normalized.text
        if before == after:
            return None
        at = _first_difference(before, after)
        where = f"the normalized texts part at character {at} ({before[at : at + 6]!r} and {after[at : at + 6]!r})"
        if self._rules_differ(text):
            return "normalization rules", f"HF tokenizers applies rules cluster by cluster, not the longest; {where}."
        if _without_spaces(before) != _without_spaces(after):
            return "normalizer", f"The tokenizer.json has other steps of normalization; {where}."
        if SPACE_MARKER in text:
            return "typed marker", f"The text has U+2581 itself, which the two treat differently; {where}."
        return "white space", f"Spaces and other white space are treated differently; {where}."

    @cached_property
    def _plain_rules(self) -> tuple[Normalizer, Precompiled] | None:
        charsmap = self.sentencepiece.normalizer_spec.precompiled_charsmap
        if not charsmap:
            return None
        return Normalizer(NormalizerSpec("", charsmap, False, False, False)), Precompiled(charsmap)

    def _rules_differ(self, text: str) -> bool:
        if self._plain_rules is None:
            return False
        longest, clusters = self._plain_rules
        return longest.normalize(text).text != clusters(AlignedText.of(text)).text

    def _symbol_in_path(self, theirs: Segmentation) -> Reason | None:
        types = self.sentencepiece.pieces.types
        unknown = self.tokenizers.pieces.texts[self.tokenizers.pieces.unknown_id]
        if unknown in theirs.normalized.text:
            return "typed symbol", f"HF tokenizers matches {unknown!r}, the name of the unknown piece, in the text."
        for i, piece in zip(theirs.ids.tolist(), theirs.pieces, strict=True):
            is_matched = i < len(types) and types[i] in (PieceType.NORMAL, PieceType.UNKNOWN, PieceType.USER_DEFINED)
            if not is_matched and theirs.piece_texts[i] in theirs.normalized.text:
                return "symbol matched", f"HF tokenizers matches the symbol {piece!r}, SentencePiece no symbols."
        return None

    def _wall(self, text: str, ours: Segmentation) -> Reason | None:
        for wall in self.tokenizers.lattice(text).walls.tolist():
            crossing = np.flatnonzero((ours.edge_starts < wall) & (wall < ours.edge_ends))
            if len(crossing):
                piece = ours.normalized.text[ours.edge_starts[crossing[0]] : ours.edge_ends[crossing[0]]]
                return "pre-tokenizer", f"HF tokenizers cuts at {wall} beforehand, inside the piece {piece!r}."
        return None

    def _unknown(self, ours: Segmentation, theirs: Segmentation) -> Reason | None:
        same_edges = np.array_equal(ours.edge_starts, theirs.edge_starts)
        if same_edges:
            return "unknown run", "The paths are the same; runs of unknown characters become other tokens."
        unknown_id = self.sentencepiece.pieces.unknown_id
        scores = (self._scores[unknown_id], self.tokenizers.pieces.log_probs.min() - 10)
        has_unknown = any(found.unknown_id in found.ids for found in (ours, theirs))
        if has_unknown and scores[0] != scores[1]:
            return "unknown score", f"An unknown character scores {scores[0]:.6g} here and {scores[1]:.6g} there."
        return None

    def _tie(self, ours: Segmentation, theirs: Segmentation) -> Reason | None:
        if abs(ours.score - theirs.score) > _NEAR * max(abs(ours.score), 1.0):
            return None
        apart = self._exact_score(ours) - self._exact_score(theirs)
        adding = "SentencePiece adds in 32 bits, HF tokenizers in 64 and anew in each stretch."
        if not apart:
            return "exact tie", f"Both cuts score the same; the order of adding decides: {adding}"
        return "near tie", f"The two cuts are {abs(float(apart)):.1g} nats apart, less than rounding: {adding}"

    def _exact_score(self, found: Segmentation) -> Fraction:
        """Add the scores of a path without rounding."""
        pieces, text = self.sentencepiece.pieces, found.normalized.text
        ids = (pieces.id_of(text[i:j]) for i, j in zip(found.edge_starts, found.edge_ends, strict=True))
        scores = (self._scores[pieces.unknown_id if i is None else i] for i in ids)
        return sum((Fraction(float(score)) for score in scores), start=Fraction(0))

    @cached_property
    def _scores(self) -> NDArray[np.floating[Any]]:
        model = self.sentencepiece
        return model.pieces.edge_log_probs(np.float32 if model.precision == "float32" else np.float64)

    # -- decoding --------------------------------------------------------------------------------------------

    def _why_decoded(self, ours: Segmentation) -> Reason:
        types = self.sentencepiece.pieces.types[ours.ids]
        if self.sentencepiece.denormalizer_spec is not None:
            return "denormalizer", "A tokenizer.json has no denormalizer."
        if (types == PieceType.BYTE).any():
            return "bytes", "Where one byte of a run is wrong, HF tokenizers replaces the whole run by U+FFFD."
        if (types == PieceType.UNKNOWN).any():
            return "unknown surface", f"SentencePiece writes {self.sentencepiece.unk_surface!r} for the unknown piece."
        if (types == PieceType.USER_DEFINED).any():
            return "symbols decoded", "Markers inside user-defined pieces are decoded differently."
        return "leading spaces", "Leading markers are taken off by other rules."
