"""No input of any kind raises anything but an EngineError: damaged files, torn JSON, texts and IDs of every sort."""

from __future__ import annotations

import base64
import copy
import json
import random
import resource
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.charsmap import standard_charsmap
from engine.errors import EngineError
from engine.model import UnigramModel
from tests.helpers.case_models import added_token, base, json_bytes, json_model
from tests.helpers.odd_texts import odd_texts
from tests.helpers.toy_models import byte_model

QUICK, LONG = 250, 100_000
TEXTS = ("", " ab  漢字\u0301 <s>X ▁ ", "a\ud800b\0" * 3)
SUFFIXES = (".model", ".json", ".tsv", ".csv", ".vocab")


def use(data: bytes) -> None:
    """Do all there is to do with a file."""
    try:
        model = UnigramModel.from_bytes(data)
    except EngineError as error:
        _is_sentence(error)
        return
    for text in TEXTS:
        _quietly(partial(_explore, model, text))
    for ids in ([], [0, 1, 2], list(range(min(len(model.pieces), 300))), [len(model.pieces)], [-1]):
        _quietly(partial(_decode, model, ids))
    for suffix in SUFFIXES:
        _quietly(partial(model.to_bytes, f"m{suffix}"))


def _explore(model: UnigramModel, text: str) -> None:
    found, lattice = model.segment(text), model.lattice(text)
    assert len(found.pieces) == len(found)
    assert len(found.normalized.char_to_original) == len(found.normalized.text) + 1
    lattice.path_from_cuts(found.edge_starts, found.edge_ends)
    assert lattice.n_paths >= 1


def _decode(model: UnigramModel, ids: list[int]) -> None:
    assert model.decode_detail(ids).text == model.decode(ids)


def _quietly(act: Callable[[], object]) -> None:
    try:
        act()
    except EngineError as error:
        _is_sentence(error)


def _is_sentence(error: EngineError) -> None:
    assert str(error).endswith("."), error


def _mutated(data: bytes, rng: random.Random) -> bytes:
    out = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(out) + 1)
        kind = rng.randrange(6)
        if kind == 0 and out:
            out[at % len(out)] ^= 1 << rng.randrange(8)
        elif kind == 1:
            out[at:at] = rng.choice((b"\xff\xff\xff\xff\x0f", b"\0" * 5, b"\n\x80\x80\x80\x80\x07", rng.randbytes(3)))
        elif kind == 2:
            del out[at : at + rng.randint(1, 20)]
        elif kind == 3:
            del out[at:]
        elif kind == 4:
            out[at:at] = out[at : at + rng.randint(1, 50)]
        else:
            out[at : at + 1] = rng.choice((b"\xff", b"\xed\xa0\x80", b'"', b"[", b"\t", b"-", b"9e999"))
    return bytes(out)


def _sources() -> dict[str, bytes]:
    charsmap = {"precompiled_charsmap": standard_charsmap("nfkc")[:4000]}
    plain = base(("x", 0.0, 4), ("y", -3.0, 5))
    return {
        "model": plain.to_document().data,
        "bytes": byte_model(("▁", -3.0), ("a", -2.0)).to_document().data,
        "charsmap": base(precompiled_charsmap=standard_charsmap("nmt_nfkc")).to_document().data[-60_000:],
        "json": json_bytes(added_tokens=[added_token(7, "X", lstrip=True)]),
        "converted": byte_model(("▁", -3.0), ("a", -2.0)).to_bytes("m.json"),
        "tsv": plain.to_bytes("m.tsv"),
        "csv": plain.to_bytes("m.csv", spreadsheet_safe=True),
        "vocab": plain.to_bytes("m.vocab"),
        "cut": json.dumps(str(charsmap)).encode(),
    }


def _fuzz_files(n: int, seed: int) -> None:
    rng = random.Random(seed)
    sources = list(_sources().values())
    for _ in range(n):
        use(_mutated(rng.choice(sources), rng))


def test_damaged_files() -> None:
    _fuzz_files(QUICK, seed=1)


@pytest.mark.slow
def test_many_damaged_files() -> None:
    _fuzz_files(LONG, seed=2)


REAL = ("sp_test_model.model", "sp_test_ja_model.model", "ort_nmt_vocab.joint.spm", "kerashub_gemma4_test_vocab.spm",
        "torchtext_t5_tokenizer_base.model", "ort_t5-small.tokenizer.json", "ort_nmt.tokenizer.json")  # fmt: skip
REAL_TURNS, MOST_MEMORY = 120, 2 << 20  # of each file; KiB that the process may have grown by at its largest


@pytest.mark.slow
@pytest.mark.parametrize("name", REAL)
def test_damaged_real_files(shared: Path, name: str) -> None:
    folder = "tokenizer_json" if name.endswith(".json") else "models"
    data, rng = (shared / "data" / folder / name).read_bytes(), random.Random(name)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(REAL_TURNS):
        use(_mutated(data, rng))
        use(_mutated_at_the_ends(data, rng))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MOST_MEMORY


def _mutated_at_the_ends(data: bytes, rng: random.Random) -> bytes:
    """Damage the first or the last bytes: headers, and the specifications and tables of rules behind the pieces."""
    size = min(len(data), rng.choice((64, 2000, 300_000)))
    if rng.random() < 0.3:
        return _mutated(data[:size], rng) + data[size:]
    return data[: len(data) - size] + _mutated(data[len(data) - size :], rng)


HUGE = b"\xff\xff\xff\xff\x07"  # 2 GiB as a length


@pytest.mark.parametrize("prefix", [b"\n" + HUGE, b"\n\x10\n" + HUGE, b"\x1a" + HUGE, b"\x1a\x06\x12" + HUGE])
def test_a_huge_length_asks_for_no_memory(prefix: bytes) -> None:
    data = base().to_document().data
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    use(prefix + data)
    use(data + prefix)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MOST_MEMORY // 4


@pytest.mark.parametrize("size", [0xFFFFFFFF, 0x7FFFFFFC, 1 << 20])
def test_a_table_of_rules_that_says_it_is_huge_is_refused(size: int) -> None:
    charsmap = size.to_bytes(4, "little") + standard_charsmap("nfkc")[4:4000]
    plain = base().to_document().data
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    in_json = {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(charsmap).decode()}
    in_model = b"\x1a" + _varint(len(charsmap) + 3) + b"\x12" + _varint(len(charsmap)) + charsmap
    for data in (plain + in_model, json_bytes(normalizer=in_json)):
        with pytest.raises(EngineError, match="trie cannot have"):
            UnigramModel.from_bytes(data)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MOST_MEMORY // 4


def _varint(number: int) -> bytes:
    assert number < 1 << 14
    return bytes([number & 0x7F | 0x80, number >> 7])


def test_damaged_tables_of_rules() -> None:
    rng = random.Random(3)
    blob = standard_charsmap("nmt_nfkc")
    for _ in range(40):
        damaged = bytearray(blob)
        for _ in range(rng.choice((1, 100, 5000))):
            damaged[rng.randrange(4, len(blob))] = rng.randrange(256)
        model = base(precompiled_charsmap=bytes(damaged))
        for one in (model, model.as_tokenizer()):
            for text in (*TEXTS, "Ａﬁ①ｶﾞé½"):
                _quietly(partial(_explore, one, text))


ENDLESS = {"type": "Split", "pattern": {"Regex": "(a|aa)+$"}, "behavior": "Removed", "invert": False}
REPLACEMENTS: tuple[Any, ...] = (
    *(None, True, -1, 10**30, 0.5, "", "x", "▁", "\ud800", [], {}, [[]]),
    *({"type": "Sequence"}, {"type": 1}, ENDLESS),
)


def _torn(value: Any, rng: random.Random) -> Any:
    """Return JSON with one of its values replaced by something else."""
    if isinstance(value, dict | list) and value and rng.random() < 0.8:
        torn = copy.copy(value)
        key = rng.choice(list(torn)) if isinstance(torn, dict) else rng.randrange(len(torn))
        if rng.random() < 0.2:
            del torn[key]
        else:
            torn[key] = _torn(torn[key], rng)
        return torn
    return rng.choice(REPLACEMENTS)


def _rich_document() -> dict[str, Any]:
    replace = {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}
    strip = {"type": "Strip", "strip_left": True, "strip_right": True}
    steps = [{"type": "NFKC"}, strip, replace, {"type": "Lowercase"}]
    template = {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A", "type_id": 0}}], "pair": [],
                "special_tokens": {}}  # fmt: skip
    decoders = [{"type": "ByteFallback"}, {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]
    document: dict[str, Any] = json.loads(json_bytes(
        added_tokens=[added_token(7, "X", lstrip=True), added_token(8, "Y", normalized=True, special=True)],
        normalizer={"type": "Sequence", "normalizers": steps}, post_processor=template,
        decoder={"type": "Sequence", "decoders": decoders},
        pre_tokenizer={"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": True},
                                                             {"type": "Metaspace", "replacement": "▁"}]},
    ))  # fmt: skip
    return document


def _fuzz_json(n: int, seed: int) -> None:
    rng = random.Random(seed)
    document = _rich_document()
    for _ in range(n):
        torn = document
        for _ in range(rng.randint(1, 3)):
            torn = _torn(torn, rng)
        use(json.dumps(torn).encode())


def test_torn_json() -> None:
    _fuzz_json(QUICK, seed=4)


@pytest.mark.slow
def test_much_torn_json() -> None:
    _fuzz_json(LONG, seed=5)


@settings(max_examples=150, deadline=None)
@given(text=st.text(st.characters(exclude_categories=[]), max_size=40), ids=st.lists(st.integers(-3, 300), max_size=20))
def test_any_text_and_any_ids(text: str, ids: list[int]) -> None:
    for model in (base(), json_model(), byte_model(("▁", -3.0)), byte_model(("▁", -3.0)).as_tokenizer()):
        _explore(model, text)
        assert isinstance(model.decode(model.encode(text)), str)
        _quietly(partial(_decode, model, ids))


def test_odd_texts_round_both_families() -> None:
    for text in odd_texts(100, seed=6):
        for model in (base(), json_model(), byte_model(("▁", -3.0)).as_tokenizer()):
            _explore(model, text)


@pytest.mark.parametrize("ids", [["a"], [None], [[1]], [2**70], [True], "12", {"a": 1}, [float("nan")]])
def test_ids_that_are_none(ids: Any) -> None:
    for model in (base(), json_model()):
        _quietly(partial(_decode, model, ids))


@pytest.mark.parametrize(
    "data", [b"", b"\0", b"\n", b"{", b"{}", b"[]", b"[[", b"\xff\xfe", b"\xff\xfe{", b"\xef\xbb\xbf", b"a\t1"]
)
def test_tiny_files(data: bytes) -> None:
    use(data)


def test_a_regular_expression_that_never_ends_is_stopped() -> None:
    model = json_model(pre_tokenizer=ENDLESS)
    with pytest.raises(EngineError, match="does not come to an end"):
        model.encode("a" * 60 + "b")
