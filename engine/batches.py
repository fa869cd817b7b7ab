"""Many texts at once: cut into blocks that threads take, and the IDs of all of them.

In: texts. Out: blocks of flat UTF-8, and an `EncodedBatch` of what an encoder made of each. Strings become bytes while
they hold the interpreter's lock, a block at a time and only a few ahead, so that the other threads encode meanwhile.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import Cancelled, TextError
from engine.memory import WordMemory, WorkSpace
from engine.normalizer import encode_text
from engine.shards import slices as slices_by_weight
from engine.shards import thread_count

BYTES_PER_BLOCK = 1 << 18
_TEXTS_PER_BLOCK = 1 << 14
_BLOCKS_AHEAD = 3  # for each thread, so that none of them waits
_WORDS_REMEMBERED = 1 << 15  # more than stay in a processor's cache are slower to look up than to cut again

Block = tuple[NDArray[np.uint8], NDArray[np.int64], int, int]
"""Texts first..stop-1 of flat arrays: utf8, offsets, first, stop."""
Run = tuple[NDArray[np.int32], NDArray[np.int64]]
"""The IDs of a block, and how many each text has."""
EncodeBlock = Callable[[Block, WordMemory, WorkSpace], Run]


@dataclass(frozen=True, eq=False)
class EncodedBatch:
    """The IDs of many texts: text i has ids[offsets[i]:offsets[i+1]]; ids int32[t], offsets int64[n+1]."""

    ids: NDArray[np.int32]
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, i: int) -> NDArray[np.int32]:
        return self.ids[self.offsets[i] : self.offsets[i + 1]]

    def tolist(self) -> list[list[int]]:
        """Return a list of IDs for each text; making them takes about as long as encoding did."""
        ids: Any = self.ids.data
        return [ids[start:stop].tolist() for start, stop in pairwise(self.offsets.tolist())]


def list_of_texts(texts: Iterable[str]) -> Sequence[str]:
    """Return texts as a sequence; TextError for what is one text or has no order.

    >>> list_of_texts(text for text in ("a", "b"))
    ['a', 'b']
    """
    if isinstance(texts, str | bytes | set | frozenset | Mapping) or not isinstance(texts, Iterable):
        raise TextError(f"{texts!r:.40} is no list of texts; give the texts in order, as in [text].")
    return texts if isinstance(texts, list | tuple) else list(texts)


def about_bytes(texts: Sequence[str]) -> int:
    """Return about how many bytes the texts have, from the first of them."""
    return 4 * int(_lengths(texts[:1000]).sum()) * (len(texts) // 1000 + 1)


def encode_blocks(
    blocks: Iterator[Block],
    encode_block: EncodeBlock,
    n_bytes: int,
    threads: int | None,
    cancel: threading.Event | None,
) -> EncodedBatch:
    """Encode blocks in order; each thread remembers words in a memory of its own. Raises Cancelled.

    There are never more threads than blocks.
    """
    n_threads = thread_count(threads)
    size = n_bytes // n_threads, _WORDS_REMEMBERED
    memories: deque[tuple[WordMemory, WorkSpace]] = deque()  # made when first needed: blocks may be few

    def encode(block: Block) -> Run:
        if cancel is not None and cancel.is_set():
            raise Cancelled
        try:
            memory = memories.pop()
        except IndexError:
            memory = WordMemory.for_bytes(*size), WorkSpace.new()
        try:
            return encode_block(block, *memory)
        finally:
            memories.append(memory)

    if n_threads == 1:
        return _joined([encode(block) for block in blocks])
    with ThreadPoolExecutor(n_threads, thread_name_prefix="engine-encode") as pool:
        return _joined(_in_order(pool, encode, blocks, _BLOCKS_AHEAD * n_threads))


def _in_order(
    pool: ThreadPoolExecutor, work: Callable[[Block], Run], blocks: Iterator[Block], n_ahead: int
) -> list[Run]:
    """Return what the work gives for each block, taking blocks only a few ahead of what is done."""
    runs: list[Run] = []
    waiting: deque[Future[Run]] = deque()
    try:
        for block in blocks:
            waiting.append(pool.submit(work, block))
            if len(waiting) >= n_ahead:
                runs.append(waiting.popleft().result())
        runs += [future.result() for future in waiting]
    finally:
        for future in waiting:
            future.cancel()
    return runs


def blocks_of_texts(texts: Sequence[str]) -> Iterator[Block]:
    """Yield texts in blocks: joined first and encoded in one go, which is far quicker than one by one."""
    ends = np.concatenate(([0], np.cumsum(_lengths(texts))))
    for first, stop in slices_by_weight(ends, 0, len(texts), BYTES_PER_BLOCK):
        for start in range(first, stop, _TEXTS_PER_BLOCK):
            encoded = _encoded(texts[start : min(start + _TEXTS_PER_BLOCK, stop)])
            offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
            np.cumsum(np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded)), out=offsets[1:])
            offsets.setflags(write=False)
            yield np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets, 0, len(encoded)


def _lengths(texts: Sequence[str]) -> NDArray[np.int64]:
    try:
        return np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    except TypeError:
        _encoded(texts)  # names the first that is no text
        raise


def _encoded(texts: Sequence[str]) -> list[bytes]:
    try:
        return list(map(str.encode, texts))
    except (UnicodeEncodeError, TypeError):
        return list(map(encode_text, texts))


def _joined(runs: list[Run]) -> EncodedBatch:
    ids = np.concatenate([np.zeros(0, np.int32), *(ids for ids, _ in runs)])
    n_ids = np.concatenate([np.zeros(1, np.int64), *(n_ids for _, n_ids in runs)])
    offsets = np.cumsum(n_ids)
    ids.setflags(write=False)
    offsets.setflags(write=False)
    return EncodedBatch(ids, offsets)
