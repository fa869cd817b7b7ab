"""Remembered words: the same IDs as a text at a time, whatever was met before."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.charsmap import Charsmap, build_charsmap, standard_charsmap
from engine.encoder import Encoder
from engine.kernels.encode import encode_texts
from engine.kernels.normalize import normalize_utf8
from engine.kernels.packed_trie import BEGINS, FOLLOWS, IS_RULE
from engine.kernels.word_memory import LONGEST, scan_word
from engine.kernels.word_path import (
    LETTER,
    best_sums,
    letters_of,
    piece_of,
    read_letters,
    read_word,
    row_of,
    trace_path,
)
from engine.memory import WordMemory, WorkSpace
from engine.model import UnigramModel
from engine.normalizer import Normalizer, NormalizerSpec
from engine.packed_trie import PackedTrie
from engine.trie import Trie, code_points_of
from tests.helpers.toy_models import base_model, byte_model, table_of

NMT = standard_charsmap("nmt_nfkc")
letters = st.text("ab \t▁é́ḥh\u3000ﬁ\u200b好😊", max_size=20)
scores = st.sampled_from([-0.1, -0.3, -0.7, -1.1, -2.0, 0.0, 0.4]) | st.floats(-9, 1, width=32)
pieces = st.text("ab▁é好", min_size=1, max_size=3)
rows = st.dictionaries(pieces, st.tuples(scores, st.sampled_from([1, 1, 1, 4])), max_size=8)


def model_of(rows: dict[str, tuple[float, int]], spec: NormalizerSpec) -> UnigramModel:
    table = table_of(("▁", -3.0), *((text, *row) for text, row in rows.items() if text != "▁"))
    return UnigramModel.trained(table, spec)


def one_by_one(encoder: Encoder, texts: list[str]) -> list[list[int]]:
    return [encoder.segment(text).ids.tolist() for text in texts]


@settings(deadline=None, max_examples=200)
@given(rows, st.lists(letters, max_size=8), st.booleans(), st.booleans(), st.sampled_from([b"", NMT]))
def test_a_batch_is_its_texts_one_by_one(
    rows: dict[str, tuple[float, int]], texts: list[str], prefix: bool, removes: bool, charsmap: bytes
) -> None:
    spec = NormalizerSpec("", charsmap, add_dummy_prefix=prefix, remove_extra_whitespaces=removes)
    encoder = model_of(rows, spec).encoder
    assert isinstance(encoder, Encoder)
    batch = encoder.encode_texts(texts * 3, 1)
    assert [ids.tolist() for ids in (batch[i] for i in range(len(batch)))] == one_by_one(encoder, texts * 3)


STEMS = ("a", "é" * 17, "b" * 10, "ab" * 24, "好a")
long_pieces = st.lists(st.sampled_from(STEMS), min_size=1, max_size=4).map("".join)


@settings(deadline=None, max_examples=60)
@given(st.dictionaries(long_pieces, st.tuples(scores, st.just(1)), max_size=6), st.lists(long_pieces, max_size=6))
def test_long_pieces_are_found_in_words_as_in_texts(rows: dict[str, tuple[float, int]], words: list[str]) -> None:
    model = model_of(rows, NormalizerSpec())
    assert isinstance(model.encoder, Encoder)
    texts = [" ".join(words), "".join(words), *words]
    batch = model.encoder.encode_texts(texts, 1)
    assert batch.tolist() == one_by_one(model.encoder, texts)
    tokenizer = model.as_tokenizer()
    assert tokenizer.encode_batch(texts, 1).tolist() == [tokenizer.encode(text) for text in texts]


def test_a_mark_at_the_beginning_of_the_next_text_is_not_read() -> None:
    encoder = model_of({"c": (-1.0, 1), "ć": (-1.0, 1)}, NormalizerSpec("", NMT)).encoder
    texts = ["\u2028c", "\u0301"]
    assert encoder.encode_texts(texts, 1)[0].tolist() == encoder.segment(texts[0]).ids.tolist()


def test_near_ties_fall_as_they_do_in_the_whole_text() -> None:
    """All ways to cut "aaaa" tie exactly; in float32 sums the beginning decides."""
    table = table_of(("▁", -3.0), ("a", -2.1), ("aa", -4.2), ("aaa", -6.3), ("b", -0.1))
    encoder = UnigramModel.trained(table, NormalizerSpec()).encoder
    assert isinstance(encoder, Encoder)
    assert encoder.tables.is_by_word
    texts = ["b" * n + " aaaa aaaaa aaa" * m for n in range(40) for m in (1, 5)]
    batch = encoder.encode_texts(texts, 1)
    assert [batch[i].tolist() for i in range(len(texts))] == one_by_one(encoder, texts)
    assert len({tuple(ids[-4:]) for ids in one_by_one(encoder, texts)}) > 1


@pytest.mark.parametrize("model", [base_model(), byte_model(("▁", -3.0), ("a", -2.0))], ids=["plain", "bytes"])
def test_a_full_memory_begins_anew(model: UnigramModel) -> None:
    encoder = model.encoder
    assert isinstance(encoder, Encoder)
    memory, work = WordMemory.for_bytes(1), WorkSpace.new()
    texts = [f"{i} a{i}b 好{i} ab" for i in range(900)] * 2
    utf8 = np.frombuffer("".join(texts).encode(), dtype=np.uint8)
    offsets = np.cumsum([0, *(len(text.encode()) for text in texts)])
    ids, n_ids = np.empty(2 * len(utf8), dtype=np.int32), np.empty(len(texts), dtype=np.int64)
    done, size = encode_texts(utf8, offsets, 0, len(texts), encoder.tables, memory, work, ids, n_ids)
    assert (done, n_ids.sum()) == (len(texts), size)
    assert np.split(ids, np.cumsum(n_ids))[1700].tolist() == model.encode(texts[1700])
    assert ids[:size].tolist() == [i for text in texts for i in model.encode(text)]
    assert memory.sizes[0] < 300


def test_a_text_that_grows_is_encoded_again_with_more_room() -> None:
    rules = {"a": "bcdefghijk" * 20}
    encoder = model_of(dict.fromkeys("bcdefghijk", (-1.0, 1)), NormalizerSpec("", build_charsmap(rules))).encoder
    assert isinstance(encoder, Encoder)
    texts = ["b", "aaaa aaaa", "a▁", "c"] * 50
    batch = encoder.encode_texts(texts, 1)
    assert batch.tolist() == one_by_one(encoder, texts)


@pytest.mark.parametrize(
    "rules", [{"a b": "c"}, {"a": "▁"}], ids=["reads a space", "writes a marker"]
)  # fmt: skip
def test_rules_across_words_forbid_going_word_by_word(rules: dict[str, str]) -> None:
    encoder = model_of({"c": (-1.0, 1)}, NormalizerSpec("", build_charsmap(rules))).encoder
    assert isinstance(encoder, Encoder)
    assert not encoder.tables.is_by_word
    texts = ["a b", "xa b", "b a"]
    batch = encoder.encode_texts(texts)
    assert [batch[i].tolist() for i in range(3)] == one_by_one(encoder, texts)


@pytest.mark.parametrize("text", ["a▁b", "▁▁", " "])
def test_pieces_with_inner_markers_and_symbols_with_spaces_forbid_it(text: str) -> None:
    encoder = model_of({text: (-1.0, 4)}, NormalizerSpec()).encoder
    assert isinstance(encoder, Encoder)
    assert not encoder.tables.is_by_word


def tables_of(normalizer: Normalizer) -> PackedTrie:
    return PackedTrie.of(Trie.from_texts(["▁"]), np.array([-3.0]), 0, normalizer.marks)


@settings(deadline=None, max_examples=200)
@given(letters.map(lambda text: "a" + text.replace(" ", "").replace("▁", "")), st.sampled_from([b"", NMT]))
def test_a_word_is_normalized_alike(word: str, charsmap: bytes) -> None:
    normalizer = Normalizer(NormalizerSpec("", charsmap), ["éa"])
    rows = tables_of(normalizer).rows
    utf8 = np.frombuffer(word.encode(), dtype=np.uint8)
    expected = normalize_utf8(utf8, normalizer.word_rules)[0].tobytes().decode()
    for read in (read_word, read_word.py_func):
        code_points = np.empty(99, dtype=np.int32)
        n = read(utf8, 0, len(utf8), normalizer.word_rules, rows, code_points)
        assert "".join(map(chr, code_points[:n])) == expected
    assert read_word(utf8, 0, len(utf8), normalizer.word_rules, rows, code_points[:1]) == -1


@settings(deadline=None, max_examples=200)
@given(letters.map(lambda text: "a" + text.replace(" ", "").replace("▁", "")), st.sampled_from([b"", NMT]))
def test_a_word_whose_letters_ask_for_no_care_stays_as_it_is(word: str, charsmap: bytes) -> None:
    normalizer = Normalizer(NormalizerSpec("", charsmap), ["éa"])
    rows = tables_of(normalizer).rows
    utf8 = np.frombuffer(word.encode(), dtype=np.uint8)
    found = np.empty(99, dtype=np.uint32)
    n, needs_care = read_letters.py_func(utf8, 0, len(utf8), rows, found)
    assert n == len(word) + 1
    assert found[1:n].tolist() == [row_of(rows, ord(character)) & LETTER for character in word]
    if not needs_care:
        assert normalize_utf8(utf8, normalizer.word_rules)[0].tobytes().decode() == "▁" + word


@settings(deadline=None, max_examples=100)
@given(rows, st.text("ab▁é", max_size=7))
def test_the_margin_is_that_between_the_two_best_paths(rows: dict[str, tuple[float, int]], text: str) -> None:
    model = model_of(rows, NormalizerSpec())
    assert isinstance(model.encoder, Encoder)
    packed, n = model.encoder.tables.packed, len(text)
    paths = [path.score for path in model.lattice_of_normalized(text).n_best(2)]
    work = WorkSpace.new()
    letters_of(code_points_of(text), n, packed.rows, work.letters)
    for best, trace in ((best_sums, trace_path), (best_sums.py_func, trace_path.py_func)):
        best(work.letters, n, packed, work.first, work.second, work.back)
        at, margin, _ = trace(n, packed.pieces, work.first, work.second, work.back, work.edges)
        assert np.isclose(work.first[n], paths[0], rtol=1e-6, atol=1e-6)
        assert np.isclose(work.first[n] - margin, paths[1] if len(paths) > 1 else -np.inf, rtol=1e-6, atol=1e-6)
        assert sum(len(model.pieces.texts[i]) if i != 0 else 1 for i in work.edges[at:].tolist()) == n


@given(st.lists(st.text("aé好😊", max_size=30), min_size=1, max_size=4), st.booleans())
def test_words_are_found_eight_bytes_at_a_time(words: list[str], has_more: bool) -> None:
    text = " ".join(words).encode()
    utf8 = np.frombuffer(text + (b"x" * 9 if has_more else b""), dtype=np.uint8)
    keys = np.zeros(2 * LONGEST // 8, dtype=np.uint64)
    position = 0
    hashes: dict[bytes, int] = {}
    for word in words:
        end, code = scan_word(utf8, position, len(text), keys, 1)
        data = word.encode()
        assert utf8[position:end].tobytes() == data
        assert keys[LONGEST // 8 :].tobytes()[: min(len(data), LONGEST)] == data[:LONGEST]
        assert hashes.setdefault(data[:LONGEST], code) == code
        position = end + 1


@settings(deadline=None, max_examples=100)
@given(st.sets(st.text("abcé好😊▁", min_size=1, max_size=5) | long_pieces, min_size=1, max_size=40))
def test_the_packed_trie_holds_the_same_pieces(texts: set[str]) -> None:
    pieces = sorted(texts)
    scores = np.arange(len(pieces), dtype=np.float64)
    packed = PackedTrie.of(Trie.from_texts(pieces), scores, 0, np.zeros(0x110000, dtype=np.uint8))
    for i, piece in enumerate(pieces):
        letters = np.array([int(packed.rows[ord(character)]) & LETTER for character in piece], dtype=np.uint32)
        for find in (piece_of, piece_of.py_func):
            assert find(letters, 0, len(letters), packed) == i
            assert piece[:-1] in texts or find(letters, 0, len(letters) - 1, packed) == (-1 if piece[:-1] else 0)
    assert sorted(packed.step_scores[1::2][np.isfinite(packed.step_scores[1::2])].tolist()) == scores.tolist()
    if packed.gap_first[-1] == 0:
        n_nodes = len({piece[:n] for piece in pieces for n in range(1, len(piece) + 1)})
        assert (packed.links[0::2] >> 32 >= 0).sum() == n_nodes


@settings(deadline=None)
@given(st.dictionaries(st.text("aeé\u0301好", min_size=1, max_size=3), st.text("xy", max_size=2), max_size=8))
def test_marks_say_what_rules_do_with_a_character(rules: dict[str, str]) -> None:
    marks = Charsmap.from_bytes(build_charsmap(rules)).marks()
    for character in "aeé\u0301好z":
        alone = character in rules
        begins = any(source[0] == character and len(source) > 1 for source in rules)
        follows = any(character in source[1:] for source in rules)
        assert marks[ord(character)] == IS_RULE * alone + BEGINS * begins + FOLLOWS * follows
