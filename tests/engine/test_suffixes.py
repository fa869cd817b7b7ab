"""Suffixes in order, whatever the size of the groups that begin alike and however the work is cut."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine.suffixes
from engine.flat_texts import FlatTexts
from engine.shards import Workers
from engine.suffixes import SuffixArray, sort_suffixes
from tests.helpers.stages import finish

texts = st.lists(st.one_of(st.text("ab", min_size=1, max_size=120), st.text(min_size=1, max_size=9)), min_size=1)


def sorted_suffixes(rows: list[str], longest: int, threads: int = 2) -> SuffixArray:
    with Workers(threads) as workers:
        counts = np.ones(len(rows), dtype=np.int64)
        return finish(sort_suffixes(workers, FlatTexts.from_texts(rows), counts, longest))


def plain_suffixes(rows: list[str], longest: int) -> list[list[int]]:
    return [[ord(c) for c in row[i : i + longest + 1]] for row in rows for i in range(len(row))]


@pytest.mark.parametrize("large_group", [1, 5, 1 << 16])
@given(rows=texts, longest=st.integers(1, 40))
def test_order_common_prefixes_and_parts_are_those_of_plain_sorting(
    large_group: int, rows: list[str], longest: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine.suffixes, "_LARGE_GROUP", large_group)
        suffixes = sorted_suffixes(rows, longest)
    plain = plain_suffixes(rows, longest)
    assert [plain[i] for i in suffixes.order] == sorted(plain)
    assert sorted(suffixes.order.tolist()) == list(range(len(plain)))
    ordered = sorted(plain)
    for j, own in enumerate(ordered):
        before = ordered[j - 1] if j else []
        agree = [a == b for a, b in zip(own, before, strict=False)]
        assert suffixes.common[j] == (agree.index(False) if False in agree else len(agree))
    for j in suffixes.parts[1:-1]:
        assert ordered[j][0] != ordered[j - 1][0]
    assert suffixes.parts[0] == 0
    assert suffixes.parts[-1] == len(plain)


def test_one_long_run_is_one_group_at_every_depth() -> None:
    suffixes = sorted_suffixes(["a" * 70_000, "a" * 3], 100)
    lengths = np.concatenate((np.arange(70_000, 0, -1), [3, 2, 1]))[suffixes.order]
    assert (np.diff(np.minimum(lengths, 101)) >= 0).all()


@given(rows=texts)
def test_the_number_of_threads_changes_nothing(rows: list[str]) -> None:
    one, two = sorted_suffixes(rows, 16, threads=1), sorted_suffixes(rows, 16, threads=2)
    assert np.array_equal(one.order, two.order)
