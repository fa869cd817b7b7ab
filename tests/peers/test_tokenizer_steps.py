"""Every step of a tokenizer.json, alone and in both spellings, against HF tokenizers 0.23."""

from __future__ import annotations

import base64
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer

from engine.errors import ModelFileError
from engine.huggingface.aligned_text import AlignedText
from engine.huggingface.decoders import joined, read_decoder
from engine.huggingface.normalizers import read_normalizer
from engine.huggingface.pre_tokenizers import read_pre_tokenizer
from engine.model import UnigramModel
from tests.helpers.odd_texts import odd_texts

VOCABULARY = [["<unk>", 0.0], ["<s>", 0.0], ["▁", -3.0], ["a", -2.0], ["b", -2.5], ["ab", -2.2], ["▁ab", -2.4]]
# Characters that are younger than Oniguruma's tables, or changed kind between releases of Unicode, stay out.
TEXTS = (
    *odd_texts(250, seed=11),
    "",
    " ",
    "a\n",
    "\na\n\nb\n",
    "Straße ΣΑΣ İI",
    "x-y--z",
    "ab 12 3.4५६",
    "¿qué? „ja“!",
)


def regexp(step: str, pattern: str, **more: Any) -> dict[str, Any]:
    return {"type": step, "pattern": {"Regex": pattern}, **more}


def string(step: str, pattern: str, **more: Any) -> dict[str, Any]:
    return {"type": step, "pattern": {"String": pattern}, **more}


PATTERNS = (
    " {2,}", "(?<!\\n)^", "^", "$", "\\A +| +\\z", "\\s+$", "\\Z", "\\z", "[[:punct:]&&[^']]", "\\w+", "\\W",
    "(?i)THE|hello",
    "a|b", "\\p{Lu}", "[^\\S\\n]+", "\\d{1,3}(?=(?:\\d{3})*\\b)", "(?m)a.b", ".", "x*", "\\h+", "(?<=a)b",
    "[\\w&&[^\\d]]+", "\\R", "\\bt", "[a-c\\-]", "(?<n>l)\\k<n>", "''|``", "\\A(?=[ ▁])", "(?<=.)\\z", "(?:\\r?\\n)+",
)  # fmt: skip

NORMALIZERS = (
    *({"type": name} for name in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt")),
    *({"type": "Strip", "strip_left": left, "strip_right": right} for left in (True, False) for right in (True, False)),
    {"type": "Prepend", "prepend": "▁"},
    {"type": "Prepend", "prepend": ""},
    *(string("Replace", pattern, content=content)
      for pattern in (" ", "", "a", "the", "▁") for content in ("_", "", "$1\\1")),
    *(regexp("Replace", pattern, content=content) for pattern in PATTERNS for content in ("▁", "", "xyz")),
    {"type": "Sequence", "normalizers": [{"type": "NFKD"}, {"type": "StripAccents"}, {"type": "Lowercase"}]},
    {"type": "Sequence", "normalizers": []},
)  # fmt: skip

BEHAVIORS = ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")
PRE_TOKENIZERS = (
    *({"type": name} for name in ("WhitespaceSplit", "Whitespace", "UnicodeScripts")),
    *({"type": name} for name in ("BertPreTokenizer", "Punctuation")),
    *({"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": splits}
      for scheme in ("always", "first", "never") for splits in (True, False)),
    {"type": "Metaspace", "replacement": "▁", "str_rep": "▁", "add_prefix_space": True},
    {"type": "Metaspace", "replacement": "_", "add_prefix_space": False, "prepend_scheme": "never"},
    {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True, "prepend_scheme": "first"},
    {"type": "Digits", "individual_digits": True},
    {"type": "Digits", "individual_digits": False},
    {"type": "CharDelimiterSplit", "delimiter": "-"},
    {"type": "FixedLength", "length": 3},
    *({"type": "Punctuation", "behavior": behavior} for behavior in BEHAVIORS),
    *(regexp("Split", "\\s", behavior=behavior, invert=invert) for behavior in BEHAVIORS for invert in (True, False)),
    *(string("Split", text, behavior="MergedWithNext", invert=False) for text in (" ", "", "the", "▁")),
    *(regexp("Split", pattern, behavior="Isolated", invert=False) for pattern in PATTERNS),
    {"type": "Sequence", "pretokenizers": [
        {"type": "WhitespaceSplit"}, {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first"}]},
    {"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": True}, {"type": "Punctuation"}]},
    {"type": "Sequence", "pretokenizers": []},
)  # fmt: skip

DECODERS = (
    None,
    {"type": "Fuse"},
    {"type": "ByteFallback"},
    {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
    {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": False},
    {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "never"},
    {"type": "Strip", "content": " ", "start": 1, "stop": 0},
    {"type": "Strip", "content": "T", "start": 2, "stop": 0},
    string("Replace", "▁", content=" "),
    regexp("Replace", "(?<!\\n)^ ", content=""),
    {"type": "Sequence", "decoders": [
        {"type": "ByteFallback"}, regexp("Replace", "▁", content=" "), {"type": "Fuse"},
        {"type": "Strip", "content": " ", "start": 1, "stop": 0}]},
    {"type": "Sequence", "decoders": []},
)  # fmt: skip


def file_of(**parts: Any) -> bytes:
    """Return a tokenizer.json with these parts and a small vocabulary."""
    model = {"type": "Unigram", "unk_id": 0, "vocab": VOCABULARY, "byte_fallback": False}
    keys = ("truncation", "padding", "normalizer", "pre_tokenizer", "post_processor", "decoder")
    return json.dumps({"version": "1.0", **dict.fromkeys(keys), "added_tokens": [], "model": model, **parts}).encode()


def texts() -> Iterator[str]:
    yield from TEXTS


@pytest.mark.parametrize("settings", NORMALIZERS, ids=json.dumps)
def test_normalizers(settings: dict[str, Any]) -> None:
    theirs = Tokenizer.from_str(file_of(normalizer=settings).decode()).normalizer
    warnings: list[str] = []
    ours = read_normalizer(settings, warnings)
    assert ours is not None
    for text in texts():
        found = ours(AlignedText.of(text))
        assert found.text == theirs.normalize_str(text), text
        assert len(found.bounds) == len(found.text) + 1
    assert not warnings


@pytest.mark.parametrize("settings", PRE_TOKENIZERS, ids=json.dumps)
def test_pre_tokenizers(settings: dict[str, Any]) -> None:
    theirs = Tokenizer.from_str(file_of(pre_tokenizer=settings).decode()).pre_tokenizer
    ours = read_pre_tokenizer(settings, [])
    assert ours is not None
    for text in texts():
        if not text:
            continue
        found = [part.text for part in ours(AlignedText.of(text))]
        assert found == [part for part, _ in theirs.pre_tokenize_str(text)], text


@pytest.mark.parametrize("settings", DECODERS, ids=json.dumps)
def test_decoders(settings: dict[str, Any] | None) -> None:
    theirs = Tokenizer.from_str(file_of(decoder=settings).decode()).decoder
    ours = read_decoder(settings, [])
    if ours is None:
        return
    byte_pieces = ["<0xE6>", "<0xBC>", "<0xA2>", "<0x41>", "<0x0a>", "<0xff>", "<0x+A>", "<0xZZ>", "a", "▁", "▁▁b"]
    for number, text in enumerate(texts()):
        pieces = [*text.split("t"), *byte_pieces[number % 7 : number % 11], "\n a"]
        found = ours([AlignedText.of(piece) for piece in pieces])
        assert joined(found).text == theirs.decode(pieces), pieces


def test_a_charsmap_cluster_by_cluster(shared: Path) -> None:
    for name in ("kitoken_xlnet_base_cased", "ort_nmt"):
        path = shared / "data" / "tokenizer_json" / f"{name}.tokenizer.json"
        normalizer = json.loads(path.read_text(encoding="utf-8"))["normalizer"]
        (step,) = (step for step in normalizer["normalizers"] if step["type"] == "Precompiled")
        theirs = Tokenizer.from_str(file_of(normalizer=step).decode()).normalizer
        ours = read_normalizer(step, [])
        assert ours is not None
        for text in (*texts(), "A\u0302\u0300", "\u30d5\u309a", "\r\n", "\u0915\u094d\u0937 \u0e01\u0e33"):
            assert ours(AlignedText.of(text)).text == theirs.normalize_str(text)


FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")


def added(number: int, content: str, *flags: str) -> dict[str, Any]:
    return {"id": number, "content": content, **{flag: flag in flags for flag in FLAGS}}


ADDED = (
    [added(7, "X")],
    [added(7, "X", "single_word"), added(8, "a-b", "single_word")],
    [added(7, "<m>", "lstrip"), added(8, "<n>", "rstrip"), added(9, "<o>", "lstrip", "rstrip", "special")],
    [added(1, "<s>", "special"), added(7, "Äb", "normalized"), added(8, "ä"), added(9, "äbä", "normalized", "special")],
    [added(20, "q"), added(9, "r"), added(3, "a", "special"), added(7, "q", "special")],
    [added(7, "ab"), added(8, "abX"), added(9, "bX"), added(10, "")],
)
ADDED_TEXTS = (
    "abXab ab", "X", " X ", "aXb X X. aX", "a-b xa-b a-b.", "  <m>  <n>  <o>  x", "<m><n><o>", "<s>ÄbäÄBA\u0308b</s>",
    "qrqar", "abXbXab", "", "  ", "ab", "漢X漢 字", "<o>\u3000<m>\n<n>\t",
)  # fmt: skip


@pytest.mark.parametrize("tokens", ADDED)
@pytest.mark.parametrize("scheme", ["always", "first", "never"])
@pytest.mark.parametrize("normalizer", [None, {"type": "Lowercase"}, {"type": "NFC"}, NORMALIZERS[7]])
def test_added_tokens(tokens: list[dict[str, Any]], scheme: str, normalizer: dict[str, Any] | None) -> None:
    metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": scheme != "first"}
    data = file_of(added_tokens=tokens, normalizer=normalizer, pre_tokenizer=metaspace, decoder=metaspace)
    ours, theirs = UnigramModel.from_bytes(data), Tokenizer.from_str(data.decode())
    for text in ADDED_TEXTS:
        ids = theirs.encode(text).ids
        assert ours.encode(text) == ids, text
        assert ours.decode(ids) == theirs.decode(ids), text
        assert ours.decode_detail(ids).text == theirs.decode(ids), text


PREFIXED = (
    {"type": "Strip", "strip_left": True, "strip_right": False},
    regexp("Replace", "\\A +", content=""),
    regexp("Replace", " {2,}", content=" "),
    string("Replace", "``", content='"'),
    {"type": "Nmt"},
    {"type": "Prepend", "prepend": "x"},
    {"type": "NFKD"},
    {"type": "StripAccents"},
    {"type": "Sequence", "normalizers": [{"type": "Strip", "strip_left": True, "strip_right": True},
                                         {"type": "Prepend", "prepend": "x"}]},
)  # fmt: skip


@pytest.mark.parametrize("normalizer", PREFIXED, ids=json.dumps)
@pytest.mark.parametrize("splits_first", [True, False])
def test_which_stretch_counts_as_the_first(normalizer: dict[str, Any], splits_first: bool) -> None:
    steps = [{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": False}]
    if splits_first:
        steps.insert(0, {"type": "WhitespaceSplit"})
    data = file_of(normalizer=normalizer, pre_tokenizer={"type": "Sequence", "pretokenizers": steps})
    ours, theirs = UnigramModel.from_bytes(data), Tokenizer.from_str(data.decode())
    for text in (" ab", "  ab b", "``ab", "a``b", "\x01ab", "\u0301ab", "\u2581ab", "\tab", "ab", "\x0b\u0301  ``ab"):
        assert ours.encode(text) == theirs.encode(text).ids, text


def template(*items: str) -> dict[str, Any]:
    single = [{"Sequence": {"id": "A", "type_id": 0}} if item == "A" else {"SpecialToken": {"id": item, "type_id": 0}}
              for item in items]  # fmt: skip
    names = {"<s>": [1], "two": [3, 4]}
    special = {name: {"id": name, "ids": ids, "tokens": [str(i) for i in ids]} for name, ids in names.items()}
    return {"type": "TemplateProcessing", "single": single, "pair": [], "special_tokens": special}


PROCESSORS = (
    template("<s>", "A", "two"),
    template("A"),
    template("two", "<s>", "A"),
    {"type": "BertProcessing", "sep": ["a", 3], "cls": ["b", 4]},
    {"type": "RobertaProcessing", "sep": ["a", 3], "cls": ["b", 4], "trim_offsets": True, "add_prefix_space": True},
    {
        "type": "Sequence",
        "processors": [
            {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False, "use_regex": True},
            template("<s>", "A"),
        ],
    },
)


@pytest.mark.parametrize("processor", PROCESSORS, ids=json.dumps)
def test_templates(processor: dict[str, Any]) -> None:
    data = file_of(post_processor=processor)
    ours, theirs = UnigramModel.from_bytes(data), Tokenizer.from_str(data.decode())
    for text in ("", "abab", "漢字"):
        assert ours.encode(text) == theirs.encode(text).ids
        assert ours.encode(text, add_special_tokens=False) == theirs.encode(text, add_special_tokens=False).ids
        found = ours.segment(text)
        assert len(found.pieces) == len(found)


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ({"normalizer": {"type": "ByteLevel"}}, "The normalizer ByteLevel is left out"),
        ({"pre_tokenizer": {"type": "ByteLevel"}}, "The pre-tokenizer ByteLevel is left out"),
        ({"decoder": {"type": "CTC"}}, "The decoder CTC is left out"),
        ({"post_processor": {"type": "New"}}, "The post-processor New is left out"),
        ({"post_processor": template("A", "A")}, "has the text 2 times"),
        ({"post_processor": {"type": "Sequence", "processors": [template("<s>", "A"), template("A", "<s>")]}},
         "The 2 templates"),
        ({"truncation": {"max_length": 512}}, "not cut off here, though the file asks for truncation"),
        ({"padding": {"strategy": "BatchLongest"}}, "not padded here, though the file asks for padding"),
        ({"added_tokens": [added(20, "q")]}, "'q' has the ID 7 here, as in HF tokenizers, not 20"),
        ({"normalizer": {"type": "Sequence", "normalizers": [{"type": "Lost"}]}}, "Lost is left out"),
    ],
)  # fmt: skip
def test_what_is_not_done_is_named(parts: dict[str, Any], sentence: str) -> None:
    (warning,) = UnigramModel.from_bytes(file_of(**parts)).warnings
    assert sentence in warning


@pytest.mark.parametrize(
    "parts",
    [
        {"normalizer": {"type": "Precompiled", "precompiled_charsmap": "%%%"}},
        {"normalizer": {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(b"\xff" * 20).decode()}},
        {"normalizer": {"type": "Replace", "pattern": {"Regex": "("}, "content": ""}},
        {"normalizer": {"type": "Replace", "pattern": {"Glob": "*"}, "content": ""}},
        {"normalizer": {"type": "Strip", "strip_left": 1}},
        {"normalizer": {}},
        {"normalizer": []},
        {"pre_tokenizer": {"type": "Split", "pattern": {"String": "a"}, "behavior": "Cut", "invert": False}},
        {"pre_tokenizer": {"type": "Metaspace", "replacement": "ab"}},
        {"pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "last"}},
        {
            "pre_tokenizer": {
                "type": "Metaspace",
                "replacement": "▁",
                "prepend_scheme": "first",
                "add_prefix_space": False,
            }
        },
        {"pre_tokenizer": {"type": "FixedLength", "length": 0}},
        {"decoder": {"type": "Strip", "content": " ", "start": -1, "stop": 0}},
        {"post_processor": {"type": "BertProcessing", "sep": ["a", 99], "cls": ["b", 4]}},
        {"post_processor": template("A", "<none>")},
        {"added_tokens": [1]},
        {"added_tokens": [{"id": 7, "content": "x"}]},
        {"added_tokens": {}},
    ],
    ids=json.dumps,
)
def test_a_damaged_step_is_refused(parts: dict[str, Any]) -> None:
    with pytest.raises(ModelFileError) as caught:
        UnigramModel.from_bytes(file_of(**parts))
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize("kind", ["{}", "(?:{})", ""])
@pytest.mark.parametrize("content", ["c", "cc"])
def test_what_replaces_one_character_comes_from_where_that_one_came(kind: str, content: str) -> None:
    """A marker goes before the first of a text only, and what an earlier step has moved is the first no more."""
    last = regexp("Replace", kind.format("b"), content=content) if kind else string("Replace", "b", content=content)
    steps = [string("Replace", "ab", content="b"), last]
    metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": True}
    document = {
        "version": "1.0", "added_tokens": [], "normalizer": {"type": "Sequence", "normalizers": steps},
        "pre_tokenizer": metaspace, "model": {"type": "Unigram", "unk_id": 0, "vocab": [*VOCABULARY, ["c", -2.0]]},
    }  # fmt: skip
    data = json.dumps(document)
    ours, theirs = UnigramModel.from_bytes(data.encode()), Tokenizer.from_str(data)
    for text in map("".join, itertools.product("ab ", repeat=4)):
        assert ours.encode(text) == theirs.encode(text).ids, text
