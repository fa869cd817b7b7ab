"""Two models on a corpus: figures by published definitions and by independent computation."""

from __future__ import annotations

import math
import threading
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from engine import Cancelled, Corpus, CorpusError, PieceType, UnigramModel, corpus_figures, load_model
from engine.charsmap import standard_charsmap
from engine.comparison import CorpusComparison, CorpusPart, compare_on_corpus
from engine.comparison.bootstrap import compare_figures, draw_weights, random_blocks
from engine.comparison.figures import renyi_efficiency, shannon_efficiency
from engine.comparison.tally import ByWords, Tally, tally
from engine.comparison.word_cuts import cuts_of
from engine.comparison.words import words_of
from engine.encoder import Encoder
from engine.kernels.text_counts import count_words
from engine.shards import Workers, finish
from tests.helpers.case_models import BASE_ROWS
from tests.helpers.shared_data import MODELS, NASTY
from tests.helpers.toy_models import base_model, byte_model

PICKLES = "pick @@ed pick @@l @@ed pick @@les"
PEPPERS = "pick @@e @@d pick @@l @@e @@d pick @@l @@e @@s"


@pytest.mark.parametrize(
    ("text", "shannon", "renyi"),
    [(PICKLES, 0.9211854965885544, 0.8265064834225245), (PEPPERS, 0.9609557933859342, 0.9204840242168808)],
)
def test_efficiencies_agree_with_the_package_of_the_paper(text: str, shannon: float, renyi: float) -> None:
    # The expected numbers are those of the tests of tokenization-scorer.
    counts = np.array([list(Counter(text.split()).values())], dtype=np.float64)
    assert shannon_efficiency(counts)[0] == pytest.approx(shannon, abs=1e-12)
    assert renyi_efficiency(counts)[0] == pytest.approx(renyi, abs=1e-12)


def test_an_even_distribution_is_fully_efficient() -> None:
    counts = np.full((1, 7), 3.0)
    assert shannon_efficiency(counts)[0] == pytest.approx(1.0)
    assert renyi_efficiency(counts)[0] == pytest.approx(1.0)


def values(compared: CorpusComparison, side: str) -> dict[str, float]:
    return {row.figure.name: getattr(row, side).value for row in compared.figures}


def test_figures_of_a_corpus_small_enough_to_count_by_hand() -> None:
    a = base_model()  # ▁ a b ab
    b = byte_model(("▁", -3.0), ("a", -2.0), ("▁a", -2.5))
    corpus = Corpus.from_counts({"ab a": 2, "é": 1})
    compared = compare_on_corpus(a, b, corpus)
    # A: ▁ ab ▁ a (4), ▁ <unk> (2). B: ▁a <0x62> ▁a (3), ▁ <0xC3> <0xA9> (3).
    figures_a, figures_b = values(compared, "a"), values(compared, "b")
    assert (figures_a["tokens"], figures_b["tokens"]) == (10, 9)
    assert figures_a["characters a token"] == 9 / 10
    assert figures_a["bytes a token"] == 10 / 10
    assert figures_b["tokens a word"] == 9 / 5
    assert (figures_a["unknown tokens"], figures_b["unknown tokens"]) == (1 / 10, 0.0)
    assert (figures_a["byte tokens"], figures_b["byte tokens"]) == (0.0, 4 / 9)
    assert (figures_a["single characters"], figures_b["single characters"]) == (7 / 10, 1 / 9)
    assert (figures_a["vocabulary in use"], figures_b["vocabulary in use"]) == (3 / 4, 2 / 3)
    nats = -(2 * a.lattice("ab a").log_z + a.lattice("é").log_z)
    assert figures_a["nats a character"] == pytest.approx(nats / 9)
    assert compared.n_lossless == (2, 3)
    assert [corpus.text(int(i)) for i in compared.lossy] == ["é"]
    assert (compared.lossy_a.tolist(), compared.lossy_b.tolist()) == ([True], [False])


def in_plain_python(model: UnigramModel, corpus: Corpus) -> dict[str, float]:
    """Count every figure text by text, with nothing of the module under test."""
    pieces, total = Counter[int](), Counter[str]()
    nats = 0.0
    for i in range(len(corpus)):
        text, n = corpus.text(i), int(corpus.counts[i])
        ids = model.encode(text)
        pieces.update({piece: n * times for piece, times in Counter(ids).items()})
        total += Counter(tokens=n * len(ids), characters=n * len(text), bytes=n * len(text.encode()))
        total += Counter(words=n * len(text.split()))
        nats -= n * model.lattice(text).log_z
    tokens = total["tokens"]
    table = model.pieces
    types = [PieceType(kind) for kind in table.types.tolist()]
    no_edge = (PieceType.UNKNOWN, PieceType.CONTROL, PieceType.BYTE, PieceType.UNUSED)
    matched = [i for i, kind in enumerate(types) if kind not in no_edge]
    shares = [n / tokens for n in pieces.values()]
    single = sum(n for i, n in pieces.items() if types[i] not in no_edge and len(table.texts[i]) == 1)
    return {
        "tokens": tokens,
        "characters a token": total["characters"] / tokens,
        "bytes a token": total["bytes"] / tokens,
        "tokens a word": tokens / total["words"],
        "nats a character": nats / total["characters"],
        "unknown tokens": pieces[table.unknown_id] / tokens,
        "byte tokens": sum(n for i, n in pieces.items() if types[i] == PieceType.BYTE) / tokens,
        "single characters": single / tokens,
        "vocabulary in use": sum(pieces[i] > 0 for i in matched) / len(matched),
        "Shannon efficiency": -sum(p * math.log(p) for p in shares) / math.log(len(shares)),
        "Rényi efficiency": math.log(sum(p**2.5 for p in shares)) / (1 - 2.5) / math.log(len(shares)),
    }


PAIR = ("torchtext_t5_tokenizer_base.model", "llmjp_ver2.2_50k.model")


def test_figures_words_and_texts_are_what_plain_python_counts(shared: Path, lines: Corpus) -> None:
    a, b = (load_model(shared / "data" / "models" / name) for name in PAIR)
    compared = compare_on_corpus(a, b, lines)
    assert values(compared, "a") == pytest.approx(in_plain_python(a, lines))
    assert values(compared, "b") == pytest.approx(in_plain_python(b, lines))
    for row in compared.figures:
        assert row.difference.value == pytest.approx(row.b.value - row.a.value)
    texts = [lines.text(i) for i in range(len(lines))]
    apart = [abs(len(b.encode(text)) - len(a.encode(text))) for text in texts]
    change = [n * by for n, by in zip(lines.counts.tolist(), apart, strict=True)]
    assert [change[i] for i in compared.texts.places.tolist()] == sorted(filter(None, change), reverse=True)[:1000]
    words = Counter[str]()
    for n, text in zip(lines.counts.tolist(), texts, strict=True):
        words.update({word: n * times for word, times in Counter(filter(None, text.split(" "))).items()})
    rows = zip(compared.words.texts, compared.words.counts.tolist(), compared.words.tokens_a.tolist(), strict=True)
    for word, n, tokens in rows:
        assert (n, tokens) == (words[word], len(a.encode(word))), word
    cut = {word: (max(len(a.encode(word)), len(b.encode(word))) - 1) * n for word, n in words.items()}
    expected = sorted(cut.values(), reverse=True)[:100]
    assert [cut[word] for word in compared.words.texts[:100]] == expected, "most pieces beyond the first, by count"
    for side, model in enumerate((a, b)):
        given_back = [model.decode(model.encode(text)) == text for text in texts]
        assert compared.n_lossless[side] == sum(lines.counts[given_back])


@pytest.fixture(scope="module", params=MODELS)
def real(request: pytest.FixtureRequest, shared: Path) -> UnigramModel:
    return load_model(shared / "data" / "models" / request.param)


@pytest.fixture(scope="module")
def lines(shared: Path) -> Corpus:
    novel = (shared / "data" / "corpora" / "botchan.txt").read_text(encoding="utf-8").split("\n")[:400]
    japanese = (shared / "data" / "corpora" / "wagahaiwa_nekodearu.txt").read_text(encoding="utf-8").split("\n")[:60]
    texts = dict.fromkeys(text for text in (*NASTY, *novel, *japanese) if text)
    return Corpus.from_counts({text: 1 + i % 3 for i, text in enumerate(texts)})


def tallied(model: UnigramModel, corpus: Corpus, threads: int, by_words: bool = True) -> Tally:
    with Workers(threads) as workers:
        words = None
        if by_words and isinstance(model.encoder, Encoder) and model.encoder.tables.is_by_word:
            every = finish(words_of(workers, corpus))
            words = ByWords(every, finish(cuts_of(workers, model.encoder, every)))
        return finish(tally(workers, model, corpus, random_blocks(len(corpus)), words))


def test_a_tally_is_what_the_model_says_text_by_text(real: UnigramModel, lines: Corpus) -> None:
    found = tallied(real, lines, threads=2)
    expected = corpus_figures(real, lines)
    assert found.tokens.tolist() == expected.tokens.tolist()
    assert found.log_probs == pytest.approx(expected.log_probs, abs=1e-8)
    pieces = Counter[int]()
    for i in range(len(lines)):
        ids = real.encode(lines.text(i))
        pieces.update({piece: n * int(lines.counts[i]) for piece, n in Counter(ids).items()})
        assert found.unknown[i] == ids.count(real.pieces.unknown_id)
        assert bool(found.lossless[i]) == (real.decode(ids) == lines.text(i)), lines.text(i)
    assert {i: n for i, n in enumerate(found.block_pieces.sum(axis=0).tolist()) if n} == dict(pieces)


ODD_WORDS = (
    *("漢字", "▁a b", "a" * 70, "ab" * 9000, "\u200b a b", "é é", "  b  a ", "½", "b\u3000a", "\u3000", "ﷺ" * 40),
    "a\u0301b",
)


@pytest.mark.parametrize("rule", ["identity", "nmt_nfkc"])
@pytest.mark.parametrize("add_dummy_prefix", [True, False])
@pytest.mark.parametrize("byte_fallback", [True, False])
def test_texts_put_together_from_their_words_are_those_encoded_whole(
    rule: str, add_dummy_prefix: bool, byte_fallback: bool
) -> None:
    rows = (*BASE_ROWS[3:], ("▁a", -1.5), ("ba", -3.7), ("aba", -2.20001))  # ▁a|ba and ▁|aba nearly tie
    rules = {"name": rule, "precompiled_charsmap": standard_charsmap(rule), "add_dummy_prefix": add_dummy_prefix}
    trained = byte_model(*rows, **rules) if byte_fallback else base_model(*rows[4:], **rules)
    model = UnigramModel.from_bytes(trained.to_document().data, "opened.model")
    assert isinstance(model.encoder, Encoder)
    assert model.encoder.tables.is_by_word
    rng = np.random.default_rng(5)
    drawn = [" ".join(rng.choice(ODD_WORDS, 3)) + " " + "aba " * int(rng.integers(0, 3000)) for _ in range(120)]
    corpus = Corpus.from_texts([*ODD_WORDS, *drawn])
    words, texts = (tallied(model, corpus, 2, by_words) for by_words in (True, False))
    for name, value in vars(words).items():
        assert value == pytest.approx(getattr(texts, name), abs=1e-7), name


def test_the_number_of_threads_changes_nothing(shared: Path, lines: Corpus) -> None:
    folder = shared / "data" / "models"
    names = ("torchtext_t5_tokenizer_base.model", "kitoken_xlnet_base_cased.model")
    a, b = (load_model(folder / name) for name in names)
    first, *others = (compare_on_corpus(a, b, lines, threads=threads) for threads in (1, 2, 7))
    for other in others:
        for name in ("figures", "groupings", "pieces"):
            assert repr(getattr(other, name)) == repr(getattr(first, name)), name  # in words, since nan is not nan
        assert (other.n_lossless, other.lossy.tolist()) == (first.n_lossless, first.lossy.tolist())
        for one, two in ((first.texts, other.texts), (first.words, other.words)):
            for name, value in vars(one).items():
                assert np.array_equal(value, getattr(two, name)), name


def test_words_are_pythons_own() -> None:
    texts = [*NASTY, "a\u00a0b\u2009c\u3000d\x1ce\u1680f\u205fg\u200bh", "\u2028"]
    corpus = Corpus.from_texts([text for text in texts if text])
    found = np.zeros(len(corpus), dtype=np.int64)
    count_words(corpus.utf8, corpus.offsets, 0, len(corpus), found)
    assert found.tolist() == [len(corpus.text(i).split()) for i in range(len(corpus))]


def test_words_between_blanks_are_counted_once_each() -> None:
    corpus = Corpus.from_texts([f"w{i % 70_000} x{i}  y" for i in range(90_000)])
    with Workers(2) as workers:
        words = finish(words_of(workers, corpus))
    expected = Counter(w for i in range(len(corpus)) for w in corpus.text(i).split())
    assert dict(zip(map(words.word, range(len(words))), words.counts.tolist(), strict=True)) == dict(expected)


def test_intervals_cover_the_truth_about_as_often_as_they_say() -> None:
    rng = np.random.default_rng(7)
    model = base_model()
    hits = 0
    for _ in range(40):
        texts = ["".join(rng.choice(["ab", "a", "b"], size=rng.integers(1, 6))) for _ in range(120)]
        counts = Counter(texts)
        corpus = Corpus.from_counts(counts)
        row = next(r for r in compare_on_corpus(model, model, corpus).figures if r.figure.name == "characters a token")
        hits += row.a.low <= _TRUTH <= row.a.high
        assert (row.difference.low, row.difference.high) == (0.0, 0.0), "the same model twice never differs"
    assert hits >= 30


def test_intervals_of_shares_lie_where_shares_can() -> None:
    # The last text alone has b, and no text has an unknown character: shares at both of their ends.
    corpus = Corpus.from_counts({**{"a" * n: 1 for n in range(1, 30)}, "bb": 1, "abab": 1})
    compared = compare_on_corpus(base_model(), byte_model(("a", -1.0), ("b", -2.0)), corpus)
    rows = {row.figure.name: row for row in compared.figures}
    assert rows["vocabulary in use"].a.value == 1.0
    assert rows["vocabulary in use"].a.low < rows["vocabulary in use"].a.high == 1.0
    for row in (row for row in compared.figures if row.figure.is_share):
        for interval in (row.a, row.b):
            assert 0.0 <= interval.low <= interval.value <= interval.high <= 1.0, row.figure.name
        assert -1.0 <= row.difference.low <= row.difference.high <= 1.0
    assert all(row.a.low >= 0.0 for row in compared.figures if row.figure.name != "nats a character")


# Each of ab, a, b alike: what a long text drawn in this way has.
_LONG = np.random.default_rng(0)
_TEXTS = Counter("".join(_LONG.choice(["ab", "a", "b"], size=_LONG.integers(1, 6))) for _ in range(20_000))
_TRUTH = sum(len(text) * n for text, n in _TEXTS.items()) / sum(
    len(base_model().encode(text)) * n for text, n in _TEXTS.items()
)


def test_blocks_and_draws_are_the_same_every_time() -> None:
    assert random_blocks(1000).tolist() == random_blocks(1000).tolist()
    assert np.bincount(random_blocks(1000)).tolist() == [10] * 100
    assert random_blocks(3).tolist() == [0, 1, 2]
    assert (draw_weights(10).sum(axis=1) == 10).all()
    assert compare_figures.__doc__


def test_pieces_responsible_add_up_to_what_the_texts_differ_by() -> None:
    a = UnigramModel.from_probabilities({"u": 0.2, "n": 0.1, "able": 0.3, "un": 0.3, "r": 0.1})
    b = UnigramModel.from_probabilities({"u": 0.2, "n": 0.1, "unable": 0.3, "un": 0.3, "r": 0.1})
    compared = compare_on_corpus(a, b, Corpus.from_counts({"unable": 3, "unrunable": 2, "run": 1}))
    change = values(compared, "b")["tokens"] - values(compared, "a")["tokens"]
    assert sum(row.tokens for row in compared.pieces) == pytest.approx(change)
    assert {(row.piece, row.owner) for row in compared.pieces} == {("able", "A"), ("unable", "B")}
    assert compared.texts.texts == ("unable", "unrunable")
    assert {row.example for row in compared.pieces} == {"unable"}


def test_texts_are_grouped_by_their_main_script() -> None:
    corpus = Corpus.from_counts({"ab 12": 2, "漢字 a": 1, "123": 1, "αβ": 1})
    compared = compare_on_corpus(base_model(), base_model(), corpus)
    [scripts] = compared.groupings
    assert [(group.name, group.n_texts) for group in scripts.groups] == [
        ("Latin", 2), ("Common", 1), ("Greek", 1), ("Han", 1),
    ]  # fmt: skip
    total = sum(group.figures[0].a.value for group in scripts.groups)
    assert total == values(compared, "a")["tokens"]


LANGUAGES = Corpus.from_texts(
    ["ab a", "ab a", "b", "ba", "漢 b", "ab a"], columns={"language": ["de", "en", "en", "de", "", "de"]}
)


def test_texts_are_grouped_by_a_column_of_their_table() -> None:
    _, languages = compare_on_corpus(base_model(), byte_model(("ab", -1.0)), LANGUAGES).groupings
    assert languages.name == "language"
    assert [(group.name, group.n_texts, group.n_characters) for group in languages.groups] == [
        ("de", 3, 10), ("en", 2, 5), ("", 1, 3),
    ]  # fmt: skip
    tokens = {group.name: group.figures[0] for group in languages.groups}
    encode = base_model().encode
    assert tokens["de"].a.value == 2 * len(encode("ab a")) + len(encode("ba"))
    assert tokens["en"].a.value == len(encode("ab a")) + len(encode("b"))


@pytest.mark.parametrize(("grouping", "value"), [(0, "Latin"), (0, "Han"), (1, "de"), (1, "en"), (1, "")])
def test_a_group_compared_alone_has_the_figures_it_has_among_others(grouping: int, value: str) -> None:
    a, b = base_model(), byte_model(("ab", -1.0), ("▁", -3.0), ("a", -2.0))
    every = compare_on_corpus(a, b, LANGUAGES)
    alone = compare_on_corpus(a, b, LANGUAGES, of=CorpusPart(grouping, value))
    group = next(group for group in every.groupings[grouping].groups if group.name == value)
    for one, other in zip(group.figures, alone.figures, strict=False):
        assert one.figure.name == other.figure.name
        assert (one.a.value, one.b.value, one.difference.value) == pytest.approx(
            (other.a.value, other.b.value, other.difference.value)
        )
    assert alone.corpus.n_samples == group.n_texts


def test_a_group_that_is_not_there_is_refused_by_name() -> None:
    with pytest.raises(CorpusError, match="corpus has no text whose language is fr"):
        compare_on_corpus(base_model(), base_model(), LANGUAGES, of=CorpusPart(1, "fr"))


def test_a_cancelled_comparison_stops() -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        compare_on_corpus(base_model(), base_model(), Corpus.from_counts({"ab": 1}), cancel=cancel)


def test_progress_rises_to_its_end() -> None:
    seen: list[float] = []
    compare_on_corpus(base_model(), base_model(), Corpus.from_counts({"ab": 1, "b a": 2}), progress=seen.append)
    assert seen == sorted(seen)
    assert 0.9 <= seen[-1] <= 1.0
