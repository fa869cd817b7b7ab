"""Remembered words: the same IDs as a text at a time, whatever was met before."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.charsmap import build_charsmap, standard_charsmap
from engine.encoder import Encoder
from engine.kernels.encode import byte_offsets, encode_texts, read_word, two_best
from engine.kernels.normalize import normalize_utf8
from engine.memory import WordMemory, WorkSpace
from engine.model import UnigramModel
from engine.normalizer import Normalizer, NormalizerSpec
from engine.trie import code_points_of
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
    ids, n_ids = encode_texts(utf8, offsets, 0, len(texts), encoder.tables, memory, work)
    assert np.split(ids, np.cumsum(n_ids))[1700].tolist() == model.encode(texts[1700])
    assert ids.tolist() == [i for text in texts for i in model.encode(text)]
    assert memory.sizes[0] < 300


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


@settings(deadline=None, max_examples=200)
@given(letters.map(lambda text: "a" + text.replace(" ", "").replace("▁", "")), st.sampled_from([b"", NMT]))
def test_a_word_is_normalized_alike(word: str, charsmap: bytes) -> None:
    normalizer = Normalizer(NormalizerSpec("", charsmap), ["éa"])
    utf8 = np.frombuffer(word.encode(), dtype=np.uint8)
    expected = normalize_utf8(utf8, normalizer.word_rules)[0].tobytes().decode()
    for read in (read_word, read_word.py_func):
        code_points = np.empty(99, dtype=np.int32)
        n = read(utf8, 0, len(utf8), normalizer.word_rules, normalizer.is_plain, code_points)
        assert "".join(map(chr, code_points[:n])) == expected
    assert read_word(utf8, 0, len(utf8), normalizer.word_rules, normalizer.is_plain, code_points[:1]) == -1


@settings(deadline=None, max_examples=50)
@given(rows, st.text("ab▁é", max_size=7))
def test_the_two_best_sums_are_those_of_the_two_best_paths(rows: dict[str, tuple[float, int]], text: str) -> None:
    model = model_of(rows, NormalizerSpec())
    assert isinstance(model.encoder, Encoder)
    tables, n = model.encoder.tables, len(text)
    paths = [path.score for path in model.lattice_of_normalized(text).n_best(2)]
    for kernel in (two_best, two_best.py_func):
        work = WorkSpace.new()
        arrays = (work.first, work.second, work.best_start, work.best_piece)
        kernel(code_points_of(text), n, tables.trie, tables.scores, tables.unknown_id, *arrays)
        assert np.isclose(work.first[n], paths[0], rtol=1e-6, atol=1e-6)
        second = paths[1] if len(paths) > 1 else -np.inf
        assert np.isclose(work.second[n], second, rtol=1e-6, atol=1e-6)


@given(st.lists(st.text("aé好😊", max_size=4), max_size=6))
def test_bytes_of_joined_texts(texts: list[str]) -> None:
    utf8 = np.frombuffer("".join(texts).encode(), dtype=np.uint8)
    characters = np.cumsum([0, *map(len, texts)])
    expected = np.cumsum([0, *(len(text.encode()) for text in texts)]).tolist()
    assert byte_offsets(utf8, characters).tolist() == byte_offsets.py_func(utf8, characters).tolist() == expected
