"""The tables of a parity report: the texts on which the two sets of rules differ, and how often each reason was found.

In: a `ParityReport`. Out: Qt item models; a difference's place in the report is its source row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.parity import Difference, ParityReport
from unigram_gui.item_models.cells import piece_cell
from unigram_gui.item_models.corpus_comparison import RowsItemModel, text_cell
from unigram_gui.item_models.ordered_table import Column
from unigram_gui.number_text import count_text

ALL = "all reasons"
LEFT_OUT = "…"
SHOWN = 24  # pieces that a cell writes
NUMBER, TEXT, WHAT, SENTENCEPIECE, TOKENIZERS, REASON = range(6)


class DifferencesItemModel(RowsItemModel):
    """A text a row, with both answers from where they part."""

    columns = (
        Column("text", "number of the text in the corpus", "id"),
        Column("", "the text as it stands in the corpus", "text"),
        Column("", "whether it is cut or decoded differently", "word"),
        Column("SentencePiece", "what comes out by SentencePiece's rules, from where the two part", "text"),
        Column("HF tokenizers", "what comes out by HF tokenizers' rules, from where the two part", "text"),
        Column("reason", "the first that applies in the order of the steps", "text"),
    )
    readers = (
        lambda r: r.number + 1, lambda r: r.text, lambda r: "cut" if r.what == "encode" else "decoded",
        lambda r: _from_where_they_part(r.sentencepiece, r.tokenizers),
        lambda r: _from_where_they_part(r.tokenizers, r.sentencepiece), lambda r: r.kind,
    )  # fmt: skip
    writers = (count_text, text_cell, str, str, str, str)

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[Difference] = ()

    def tool_tip(self, row: int, column: int) -> str:
        return self._rows[row].reason if column == REASON else self.cell(row, column)

    def show_kind(self, kind: str) -> None:
        """Show the rows of one reason; "" for all."""
        found = np.array([row.kind == kind for row in self._rows], dtype=np.bool_)
        self.show_rows(np.flatnonzero(found) if kind else None)

    def sort_keys(self, column: int) -> npt.NDArray[Any]:
        return np.array([self.value(row, column) for row in range(len(self._rows))])


def _from_where_they_part(pieces: tuple[str, ...], others: tuple[str, ...]) -> str:
    together = zip(pieces, others, strict=False)
    first = next((i for i, (a, b) in enumerate(together) if a != b), min(len(pieces), len(others)))
    first = max(0, first - 1)
    shown = pieces[first : first + SHOWN]
    more = LEFT_OUT if first + SHOWN < len(pieces) else ""
    return (LEFT_OUT if first else "") + "|".join(map(piece_cell, shown)) + more


class ReasonsItemModel(RowsItemModel):
    """How often each reason was found; the first row stands for all of them."""

    columns = (Column("reason", "choose one to see its texts alone", "text"), Column("n", "differences"))
    readers = (lambda r: r[0], lambda r: r[1])
    writers = (str, count_text)

    def set_report(self, report: ParityReport | None) -> None:
        """Show the reasons of another report, or of none."""
        counts = dict(report.counts) if report is not None else {}
        self.set_rows(((ALL, sum(counts.values())), *counts.items()) if counts else ())

    def kind(self, row: int) -> str:
        """Return the reason of a source row, "" for all."""
        return str(self.row(row)[0]) if row > 0 else ""
