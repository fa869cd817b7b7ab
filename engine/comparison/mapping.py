r"""Which ID of one vocabulary is which of another, as a table to save: what IDs of the one have to be mapped by.

In: a `VocabularyComparison`. Out: the bytes of a `.tsv`. A row a piece, those of A in order of ID, then those that only
B has; a field is empty where a vocabulary lacks the piece. Tab, line feed, carriage return and backslash in a piece are
written as in a vocabulary's own `.tsv` (`formats.vocabulary_tsv`), and so is every digit of a score.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.comparison.vocabularies import VocabularyComparison
from engine.formats.vocabulary_tsv import escape
from engine.pieces import PieceTable, PieceType

MAPPING_COLUMNS = ("piece", "id_a", "id_b", "id_change", "log_prob_a", "log_prob_b", "type_a", "type_b")


def mapping_table(compared: VocabularyComparison) -> bytes:
    r"""Return the table.

    >>> from engine.comparison import compare_vocabularies
    >>> from engine.model import UnigramModel
    >>> a = UnigramModel.from_probabilities({"a": 0.5, "b": 0.5})
    >>> b = UnigramModel.from_probabilities({"c": 1.0, "a": 1.0})
    >>> rows = mapping_table(compare_vocabularies(a, b)).decode().splitlines()
    >>> [row.split("\t")[:4] for row in rows[1:]]
    [['<unk>', '0', '0', '0'], ['a', '1', '2', '1'], ['b', '2', '', ''], ['c', '', '1', '']]
    """
    return "".join("\t".join(row) + "\n" for row in (MAPPING_COLUMNS, *_rows(compared))).encode()


def _rows(compared: VocabularyComparison) -> Iterator[tuple[str, ...]]:
    a, b = compared.a, compared.b
    in_b = dict(zip(compared.both_a.tolist(), compared.both_b.tolist(), strict=True))
    for i in range(len(a)):
        yield _row(a.texts[i], _fields(a, i), _fields(b, in_b.get(i)))
    for j in compared.only_b.tolist():
        yield _row(b.texts[j], _fields(a, None), _fields(b, j))


def _fields(table: PieceTable, i: int | None) -> tuple[str, str, str]:
    """Return ID, log probability and type as text, empty where there is no such piece."""
    if i is None:
        return "", "", ""
    return str(i), repr(float(table.log_probs[i])), PieceType(table.types[i]).name


def _row(text: str, of_a: tuple[str, str, str], of_b: tuple[str, str, str]) -> tuple[str, ...]:
    change = str(int(of_b[0]) - int(of_a[0])) if of_a[0] and of_b[0] else ""
    return escape(text), of_a[0], of_b[0], change, of_a[1], of_b[1], of_a[2], of_b[2]
