"""Reading corpora: encodings, counts, archives, what is skipped and what is refused."""

from __future__ import annotations

import gzip
import lzma
import os
import threading
import tracemalloc
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import Cancelled, Corpus, CorpusError, text_files
from engine.corpus_columns import MAX_VALUES, OTHER_VALUES
from engine.kernels import utf8_lines
from engine.text_files import MAX_TEXT_BYTES

Row = tuple[str, int, str]


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def counts(corpus: Corpus) -> dict[str, int]:
    return {corpus.text(i): int(corpus.counts[i]) for i in range(len(corpus))}


def test_equal_lines_become_one_text_with_a_count_in_order_of_first_appearance(tmp_path: Path) -> None:
    corpus = Corpus.from_file(write(tmp_path / "a.txt", b"b\na\nb\nb\n\na"))
    assert list(counts(corpus).items()) == [("b", 3), ("a", 2)]
    assert (corpus.n_samples, corpus.n_empty_lines, corpus.n_skipped, corpus.name) == (5, 1, 0, "a.txt")


@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_byte_order_mark_and_line_ends_are_no_text(tmp_path: Path, bom: bytes, end: bytes) -> None:
    corpus = Corpus.from_file(write(tmp_path / "a.txt", bom + end.join(["né".encode(), "你好".encode()])))
    assert counts(corpus) == {"né": 1, "你好": 1}
    assert corpus.n_characters.tolist() == [2, 2]


@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_lines_end_by_cr_where_a_file_has_no_lf(tmp_path: Path, bom: bytes, pack: Callable[[bytes], bytes]) -> None:
    corpus = Corpus.from_file(write(tmp_path / "a.txt", pack(bom + b"one\rtwo\r\rone\r")))
    assert [corpus.text(i) for i in range(len(corpus))] == ["one", "two"]
    assert (corpus.counts.tolist(), corpus.sources[0].n_lines, corpus.n_empty_lines) == ([2, 1], 4, 1)
    table = Corpus.from_file(write(tmp_path / "a.tsv", b"one\t3\rtwo\t2"))
    assert table.counts.tolist() == [3, 2]
    mixed = Corpus.from_file(write(tmp_path / "b.txt", b"a\rb\nc"))
    assert [mixed.text(i) for i in range(len(mixed))] == ["a\rb", "c"]


def test_tsv_holds_texts_with_counts(tmp_path: Path) -> None:
    data = b"the\t23135851162\nno count\nx\t-1\ny\t0\nz\tmany\nthe\t3\na\tb\t3\n"
    corpus = Corpus.from_file(write(tmp_path / "a.tsv", data))
    assert counts(corpus) == {"the": 23135851165}
    assert [(s.line, s.reason.split()[0]) for s in corpus.skipped] == [
        (2, "not"), (3, "its"), (4, "its"), (5, "its"), (7, "not"),
    ]  # fmt: skip


def by_value(corpus: Corpus, name: str) -> dict[str, dict[str, int]]:
    """Return how often each text stands with each value of a column."""
    [column] = (column for column in corpus.columns if column.name == name)
    found: dict[str, dict[str, int]] = {}
    for text, code, count in zip(column.texts.tolist(), column.codes.tolist(), column.counts.tolist(), strict=True):
        found.setdefault(column.values[code], {})[corpus.text(text)] = count
    return found


def test_a_header_names_the_columns_of_a_table_in_any_order(tmp_path: Path) -> None:
    rows = ("Language\tText\tcount\tdomain", "de\tund\t3\tweb", "en\tund\t2\t", "de\tund\t1\tweb", "\tá\t1\tnews")
    corpus = Corpus.from_file(write(tmp_path / "a.tsv", ("\ufeff" + "\r\n".join(rows)).encode()))
    assert counts(corpus) == {"und": 6, "á": 1}
    assert (corpus.n_skipped, corpus.n_empty_lines) == (0, 0)
    assert by_value(corpus, "Language") == {"de": {"und": 4}, "en": {"und": 2}, "": {"á": 1}}
    assert by_value(corpus, "domain") == {"web": {"und": 4}, "": {"und": 2}, "news": {"á": 1}}


def test_a_table_without_counts_counts_each_line_once(tmp_path: Path) -> None:
    corpus = Corpus.from_file(write(tmp_path / "a.tsv", b"text\tlanguage\na b\tde\n7\ten\na b\tde\n"))
    assert counts(corpus) == {"a b": 2, "7": 1}
    assert by_value(corpus, "language") == {"de": {"a b": 2}, "en": {"7": 1}}


def test_a_table_of_texts_alone_has_a_header_too(tmp_path: Path) -> None:
    corpus = Corpus.from_file(write(tmp_path / "a.tsv", b"text\r\na b\r\n\r\na b\r\nc\r\n"))
    assert counts(corpus) == {"a b": 2, "c": 1}
    assert (corpus.n_skipped, corpus.n_empty_lines, corpus.columns) == (0, 1, ())


def test_a_table_without_a_header_has_its_columns_by_number(tmp_path: Path) -> None:
    corpus = Corpus.from_file(write(tmp_path / "a.tsv", b"a\t3\tde\nb\t1\nc\tmany\tde\nd\t2\ten\n"))
    assert by_value(corpus, "column 3") == {"de": {"a": 3}, "en": {"d": 2}}
    assert [(line.line, line.clause) for line in corpus.skipped] == [
        (2, "line 2 is not of as many fields as the first line"),
        (3, "the count of line 3 is not a positive whole number below 4.6 x 10^18"),
    ]


def test_the_word_text_with_its_count_is_no_header(tmp_path: Path) -> None:
    corpus = Corpus.from_file(write(tmp_path / "a.tsv", b"text\t5\nb\t1\n"))
    assert (counts(corpus), corpus.columns) == ({"text": 5, "b": 1}, ())


def test_files_and_their_columns_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    paths = [
        write(tmp_path / "a.txt", b"x\ny\n"),
        write(tmp_path / "b.tsv", b"text\tlanguage\tfile\nx\tde\t7\n"),
        write(tmp_path / "other" / "a.txt", b"y"),
    ]
    corpus = Corpus.from_files(*paths)
    assert [column.name for column in corpus.columns] == ["file", "language", "file (column)"]
    assert by_value(corpus, "file") == {str(paths[0]): {"x": 1, "y": 1}, "b.tsv": {"x": 1}, str(paths[2]): {"y": 1}}
    assert by_value(corpus, "language") == {"": {"x": 1, "y": 2}, "de": {"x": 1}}


def test_values_beyond_a_thousand_are_counted_together(tmp_path: Path) -> None:
    rows = [f"text {i}\t1\tid-{i % 1500}\n" for i in range(3000)]
    corpus = Corpus.from_file(write(tmp_path / "a.tsv", "".join(rows).encode()))
    [column] = corpus.columns
    assert column.values == (*(f"id-{i}" for i in range(MAX_VALUES)), OTHER_VALUES)
    assert len(by_value(corpus, "column 3")[OTHER_VALUES]) == 3000 - 2 * MAX_VALUES


def test_a_column_of_another_length_is_refused() -> None:
    with pytest.raises(CorpusError, match="The column language has 1 values for 2 texts"):
        Corpus.from_texts(["a", "b"], columns={"language": ["de"]})


@given(st.lists(st.tuples(st.text("ab", max_size=2), st.integers(1, 9), st.text("xy", max_size=1)), min_size=1))
def test_columns_add_up_to_what_the_rows_say(tmp_path_factory: pytest.TempPathFactory, rows: list[Row]) -> None:
    rows = [("first", 1, "x"), *rows]
    data = "".join(f"{text}\t{count}\t{value}\n" for text, count, value in rows).encode()
    corpus = Corpus.from_file(write(tmp_path_factory.mktemp("rows") / "a.tsv", data))
    expected: dict[str, dict[str, int]] = {}
    for text, count, value in rows:
        if text:
            of_value = expected.setdefault(value, {})
            of_value[text] = of_value.get(text, 0) + count
    assert by_value(corpus, "column 3") == expected


def test_a_tab_in_plain_text_is_text(tmp_path: Path) -> None:
    assert counts(Corpus.from_file(write(tmp_path / "a.txt", b"a\t3\n"))) == {"a\t3": 1}


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
@pytest.mark.parametrize("name", ["a.tsv.xz", "a.tsv.gz"])
def test_archives_are_told_by_content(tmp_path: Path, pack: object, name: str) -> None:
    data = pack(b"a\t2\nb\t3\n")  # type: ignore[operator]
    assert counts(Corpus.from_file(write(tmp_path / name, data))) == {"a": 2, "b": 3}


def test_several_files_make_one_corpus(tmp_path: Path) -> None:
    first = write(tmp_path / "a.txt", b"a\nb\n")
    second = write(tmp_path / "b.tsv", b"b\t4\nc\t1")
    corpus = Corpus.from_files(first, second)
    assert counts(corpus) == {"a": 1, "b": 5, "c": 1}
    assert corpus.name == "2 files"


def test_lines_that_are_not_utf8_are_skipped_and_listed_by_number(tmp_path: Path) -> None:
    corpus = Corpus.from_file(write(tmp_path / "a.txt", b"good\n\xff\xfe\n\nalso good\n\xed\xa0\x80\n"))
    assert counts(corpus) == {"good": 1, "also good": 1}
    assert [(s.source, s.line, s.reason) for s in corpus.skipped] == [
        ("a.txt", 2, "not UTF-8"),
        ("a.txt", 5, "not UTF-8"),
    ]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "holds no text"),
        (b"\n\r\n\n", "holds no text"),
        (b"text\nwith \0 in it", r"binary file \(a NUL byte in line 2\)"),
        ("text".encode("utf-16"), "is UTF-16 text; save it as UTF-8"),
        ("text".encode("utf-32"), "is UTF-32 text; save it as UTF-8"),
        ("text".encode("utf-32-be").join([b"\0\0\xfe\xff", b""]), "is UTF-32 text; save it as UTF-8"),
        (b"\xff\n\xfe", r"no usable text: 2 lines were skipped \(line 1 is not UTF-8\)"),
        (b"x" * 10_000_000, r"1 line was skipped \(line 1 is longer than 1,048,576 bytes\); break its lines"),
        (gzip.compress(b"text" * 100, mtime=0)[:-20], "damaged archive"),
        (lzma.compress(b"text" * 100)[:-20], "damaged archive"),
    ],
)
def test_what_is_no_corpus_is_refused_in_one_sentence(tmp_path: Path, data: bytes, sentence: str) -> None:
    with pytest.raises(CorpusError, match=sentence) as caught:
        Corpus.from_file(write(tmp_path / "a.txt", data))
    assert "\n" not in str(caught.value)


def test_missing_files_and_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="There is no file"):
        Corpus.from_file(tmp_path / "nothing.txt")
    with pytest.raises(CorpusError, match="is a folder"):
        Corpus.from_file(tmp_path)
    for name in ("a\0b", "\ud800"):
        with pytest.raises(CorpusError, match="cannot be read"):
            Corpus.from_file(name)


@pytest.mark.parametrize("count", [float("nan"), float("inf"), Decimal("NaN"), None, "3", 1.5, -1, 1 << 62, 10**400])
def test_a_count_that_is_none_is_refused(count: object) -> None:
    with pytest.raises(CorpusError, match=r"^The count of 'a' is .{1,40}; a count is a whole number from 1 to 2\^62"):
        Corpus.from_counts({"a": count})  # type: ignore[dict-item]


def test_counts_of_any_type_that_are_whole_numbers_count() -> None:
    for count in (3, 3.0, Decimal(3), np.int32(3)):
        assert counts(Corpus.from_counts({"a": count})) == {"a": 3}  # type: ignore[dict-item]
    assert counts(Corpus.from_counts({"a": (1 << 62) - 1 - 512})) == {"a": (1 << 62) - 1 - 512}


@pytest.mark.parametrize("text", [1, None, b"a", ("a",)])
def test_what_is_no_text_is_no_part_of_a_corpus(text: object) -> None:
    sentence = f"{text!r} is no text; a corpus is made of str."
    for make in (lambda: Corpus.from_texts([text]), lambda: Corpus.from_counts({text: 1})):  # type: ignore[list-item, dict-item]
        with pytest.raises(CorpusError) as caught:
            make()
        assert str(caught.value) == sentence
    with pytest.raises(CorpusError, match=r"^\['a'\] holds no counts; give a mapping"):
        Corpus.from_counts(["a"])  # type: ignore[arg-type]


def test_a_pipe_or_a_device_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", os.devnull):
        with pytest.raises(CorpusError, match="cannot be read: it is a device, not a file"):
            Corpus.from_file(path)


def test_a_long_line_is_skipped_and_the_rest_is_kept(tmp_path: Path) -> None:
    corpus = Corpus.from_file(write(tmp_path / "a.txt", b"short\n" + b"x" * (MAX_TEXT_BYTES + 1) + b"\nend"))
    assert counts(corpus) == {"short": 1, "end": 1}
    assert corpus.skipped[0].line == 2


def test_lines_of_many_ranges_keep_their_numbers_and_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_files, "_CHUNK", 7)
    rows = ["text\tlanguage\tcount"]
    rows += [f"word {i}\t{'de' if i % 3 else 'en'}\t{i % 5}" if i % 4 else "" for i in range(40)]
    corpus = Corpus.from_file(write(tmp_path / "a.tsv", "\r\n".join(rows).encode()))
    kept = [i for i in range(40) if i % 4 and i % 5]
    assert counts(corpus) == {f"word {i}": i % 5 for i in kept}
    assert corpus.first_lines is not None
    assert corpus.first_lines.tolist() == [i + 2 for i in kept]
    assert [line.line for line in corpus.skipped] == [i + 2 for i in range(40) if i % 4 and not i % 5]
    (source,) = corpus.sources
    assert (source.n_lines, source.n_empty, source.n_skipped) == (41, 10, 6)
    language = corpus.columns[0]
    assert [language.values[code] for code in language.codes] == ["de" if i % 3 else "en" for i in kept]


def test_empty_lines_take_no_memory_but_their_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    n_empty = 4_000_000
    monkeypatch.setattr(text_files, "_CHUNK", 1 << 16)
    path = write(tmp_path / "a.gz", gzip.compress(b"\n" * n_empty + b"text", compresslevel=1))
    tracemalloc.start()
    try:
        corpus = Corpus.from_file(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (counts(corpus), corpus.n_empty_lines) == ({"text": 1}, n_empty)
    assert peak < 8 * n_empty


def test_counts_that_leave_64_bits_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="2\\^62"):
        Corpus.from_file(write(tmp_path / "a.tsv", b"abc\t4000000000000000000\nb\t4000000000000000000"))
    with pytest.raises(CorpusError, match="whole number"):
        Corpus.from_counts({"a": 0})
    with pytest.raises(CorpusError, match="surrogate"):
        Corpus.from_counts({"a\ud800": 1})
    with pytest.raises(CorpusError, match="No file"):
        Corpus.from_files()


def test_reading_stops_when_cancelled_and_reports_progress(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", b"line\n" * 1000)
    seen: list[float] = []
    Corpus.from_file(path, progress=seen.append)
    assert seen == sorted(seen)
    assert 0.0 <= seen[0] <= seen[-1] <= 1.0
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        Corpus.from_file(path, cancel=cancel)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\n\r\ufeff")), min_size=1))
def test_any_texts_come_back_with_their_counts(texts: list[str]) -> None:
    expected: dict[str, int] = {}
    for text in texts:
        if text:
            expected[text] = expected.get(text, 0) + 1
    if expected:
        assert counts(Corpus.from_texts(texts)) == expected


@given(st.binary(max_size=12))
def test_well_formed_utf8_is_what_python_decodes(data: bytes) -> None:
    array = np.frombuffer(data, dtype=np.uint8)
    try:
        expected = len(data.decode("utf-8"))
    except UnicodeDecodeError:
        expected = -1
    assert utf8_lines.count_characters(array, 0, len(data)) == expected
    assert utf8_lines.count_characters.py_func(array, 0, len(data)) == expected
