"""Many texts under the rules of a tokenizer.json that goes word by word: each word is cut once.

In: texts. Out: an `EncodedBatch`, the same as of the texts one by one. The kernel cuts words of whose characters it
is known what becomes of each; for any other word, and for a character that is new, it asks here, and the slow way of
one text answers. A text whose words have to do with each other goes the slow way as a whole.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.batches import Block, EncodedBatch, Run, about_bytes, blocks_of_texts, encode_blocks
from engine.errors import Cancelled
from engine.huggingface.post_processors import Template
from engine.huggingface.word_rules import WordRules
from engine.kernels.encode_stretches import CHANGES, CUT, DONE, JOINS, MAPS, NO_ROOM, encode_stretches, remember
from engine.kernels.word_memory import LONGEST, MOST_EDGES
from engine.kernels.word_path import LETTER, LETTER_BITS
from engine.memory import WordMemory, WorkSpace
from engine.packed_trie import PackedTrie
from engine.tables import N_CODE_POINTS

_NEW = CHANGES | MAPS
"""The mark of a character that was not met yet."""
_ROOM_FOR_MAPS = 1 << 16
_MOST_QUESTIONS = 64
"""Words that are asked for in one text before it goes the slow way: the kernel begins a text anew after each."""
_SPARE_ROOM = 1 << 10

EncodeOne = Callable[[str, bool], NDArray[np.int32]]
"""The IDs of one text, with the tokens of the template or without."""


class WordTables(NamedTuple):
    """What the kernel needs.

    `packed` holds all pieces; an ID from `n_pieces` on stands for the unknown piece's own text. `before` and `after`
    are the template, int32. `maps`, uint32, holds the letters that characters become, and first how much of it is used;
    it and the table of letters are written to whenever a character is new.
    """

    packed: PackedTrie
    maps: NDArray[np.uint32]
    unknown_id: int
    n_pieces: int
    has_bytes: bool
    needs_single_spaces: bool
    before: NDArray[np.int32]
    after: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class WordBatches:
    """Encodes texts word by word; `packed` is laid out with `NEW_CHARACTERS`."""

    rules: WordRules
    packed: PackedTrie
    template: Template
    unknown_id: int
    n_pieces: int
    has_bytes: bool
    encode_one: EncodeOne
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @cached_property
    def _tables(self) -> WordTables:
        around = (np.array(side, dtype=np.int32) for side in (self.template.before, self.template.after))
        packed = self.packed._replace(rows=self.packed.rows.copy())
        single = self.rules.needs_single_spaces
        maps = np.zeros(_ROOM_FOR_MAPS, dtype=np.uint32)
        maps[0] = 1
        return WordTables(packed, maps, self.unknown_id, self.n_pieces, self.has_bytes, single, *around)

    def encode(self, texts: Sequence[str], threads: int | None, cancel: threading.Event | None) -> EncodedBatch:
        """Encode many texts. Raises Cancelled."""

        def encode_block(block: Block, memory: WordMemory, work: WorkSpace) -> Run:
            return self._encode_block(block, memory, work, cancel)

        return encode_blocks(blocks_of_texts(texts), encode_block, about_bytes(texts), threads, cancel)

    def _encode_block(
        self, block: Block, memory: WordMemory, work: WorkSpace, cancel: threading.Event | None
    ) -> Run:
        utf8, offsets, first, stop = block
        tables = self._tables
        n_around = len(tables.before) + len(tables.after)
        n_ids = np.empty(stop, dtype=np.int64)
        ids = np.empty(int(offsets[stop] - offsets[first]) + (n_around + 1) * (stop - first) + _SPARE_ROOM, np.int32)
        text, size, n_questions, asked = first, 0, 0, -1
        while True:
            if cancel is not None and cancel.is_set():
                raise Cancelled
            state, text, size, start, end = encode_stretches(
                utf8, offsets, text, stop, tables, memory, work, ids, n_ids, size
            )
            if state == DONE:
                return ids[:size].copy(), n_ids[first:]
            if state == NO_ROOM:
                ids = np.concatenate((ids, np.empty_like(ids)))
                continue
            if self._meet_characters(utf8[start:end], utf8[offsets[text] : offsets[stop]]):
                continue
            n_questions, asked = (n_questions + 1 if text == asked else 0), text
            if n_questions < _MOST_QUESTIONS and self._learn(utf8[start:end], memory, work):
                continue
            whole = self.encode_one(utf8[offsets[text] : offsets[text + 1]].tobytes().decode(), True)
            if size + len(whole) > len(ids):
                ids = np.concatenate((ids, np.empty(len(ids) + len(whole), np.int32)))
            ids[size : size + len(whole)] = whole
            n_ids[text] = len(whole)
            text, size = text + 1, size + len(whole)

    def _learn(self, utf8: NDArray[np.uint8], memory: WordMemory, work: WorkSpace) -> bool:
        """Find out what the kernel asks for; False where the text has to be taken as a whole."""
        word = utf8.tobytes().decode()
        if not word or " " in word or len(utf8) > LONGEST or self.rules.may_reach_out(word):
            return False
        ids = self.encode_one(word, False)
        if len(ids) > MOST_EDGES:
            return False
        remember(utf8, ids, memory, work)
        return True

    def _meet_characters(self, asked: NDArray[np.uint8], rest: NDArray[np.uint8]) -> bool:
        """Tell whether some characters that are asked for were new; note what becomes of all that are still to come."""
        if not self._new_among(asked):
            return False
        for character in self._new_among(rest):
            with self._lock:
                self._learn_character(character)
        return True

    def _new_among(self, utf8: NDArray[np.uint8]) -> list[str]:
        rows = self._tables.packed.rows
        characters = set(utf8.tobytes().decode()) - {" "}
        return [character for character in characters if int(rows[ord(character)]) >> LETTER_BITS == _NEW]

    def _learn_character(self, character: str) -> None:
        rows = self._tables.packed.rows
        letter = self._letter(character)
        after, mark = self.rules.becomes(character), 0
        if after is None:
            after, mark = self.rules.becomes_behind(character), JOINS
        if after == character and not self.rules.is_read_alone(character):
            rows[ord(character)] = letter | mark << LETTER_BITS
            return
        at = None if after is None else self._note(after)
        rows[ord(character)] = letter | CHANGES << LETTER_BITS if at is None else at | (MAPS | mark) << LETTER_BITS

    def _note(self, after: str) -> int | None:
        """Write the letters of what a character becomes into the table; return where, None if there is no room."""
        maps = self._tables.maps
        at = int(maps[0])
        if at + 1 + len(after) > len(maps):
            return None
        maps[at] = len(after)
        maps[at + 1 : at + 1 + len(after)] = [CUT if part == " " else self._letter(part) for part in after]
        maps[0] = at + 1 + len(after)
        return at

    def _letter(self, character: str) -> int:
        return int(self.packed.rows[ord(character)]) & LETTER


NEW_CHARACTERS = np.full(N_CODE_POINTS, _NEW, dtype=np.uint8)
"""The marks of a `PackedTrie` for `WordBatches`: nothing is known of any character."""
NEW_CHARACTERS.setflags(write=False)
