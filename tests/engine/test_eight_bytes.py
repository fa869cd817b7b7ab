"""Eight bytes at a time against Python's own bytes."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.kernels.eight_bytes import are_ascii, are_same, find_byte, hash_bytes, part_of

places = st.binary(max_size=40).flatmap(
    lambda data: st.tuples(st.just(data), st.integers(0, len(data)), st.integers(0, len(data)))
)


def array(data: bytes) -> np.ndarray:
    return np.frombuffer(data, dtype=np.uint8)


@given(st.text("ab ", max_size=40), st.integers(0, 40), st.integers(0, 40))
def test_a_byte_is_found_where_it_stands_first(text: str, one: int, other: int) -> None:
    data = text.encode()
    start, end = sorted((min(one, len(data)), min(other, len(data))))
    at = data.find(b" ", start, end)
    assert find_byte(array(data), start, end, 32) == (end if at < 0 else at)


@given(places, st.binary(max_size=9), st.binary(max_size=9))
def test_the_same_bytes_are_the_same_wherever_they_stand(
    place: tuple[bytes, int, int], before: bytes, behind: bytes
) -> None:
    data, start, end = place[0], *sorted(place[1:])
    other = before + data[start:end] + behind
    assert are_same(array(data), start, end, array(other), len(before))
    assert hash_bytes(array(data), start, end) == hash_bytes(array(other), len(before), len(before) + end - start)


@given(places, st.integers(0, 39), st.integers(1, 255))
def test_one_byte_makes_a_difference(place: tuple[bytes, int, int], at: int, change: int) -> None:
    data, start, end = place[0], *sorted(place[1:])
    if start == end:
        return
    other = bytearray(data)
    other[start + at % (end - start)] ^= change
    assert not are_same(array(data), start, end, array(bytes(other)), start)


def test_words_that_differ_in_length_alone_have_different_hashes() -> None:
    zeros = array(bytes(64))
    assert len({int(hash_bytes(zeros, 0, n)) for n in range(65)}) == 65


@given(st.binary(min_size=8, max_size=8))
def test_ascii_is_told_from_the_rest(data: bytes) -> None:
    assert are_ascii(array(data), 0) == data.isascii()


def test_hashes_fall_into_equal_parts() -> None:
    numbers = np.arange(80_000, dtype=np.int64).view(np.uint8).reshape(-1, 8)
    parts = [part_of(np.uint64(hash_bytes(row, 0, 8)), 8) for row in numbers]
    assert set(parts) == set(range(8))
    assert np.bincount(parts).max() < 1.05 * len(parts) / 8
