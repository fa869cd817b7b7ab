"""What ships with the program is what its notes say it is."""

from __future__ import annotations

import unicodedata
from importlib.resources import files

SAMPLES = files("resources").joinpath("samples")
PROSE = SAMPLES.joinpath("prose.txt").read_text(encoding="utf-8")
SCRIPTS = {
    *("ARABIC", "CJK", "CYRILLIC", "DEVANAGARI", "GREEK", "HANGUL"),
    *("HEBREW", "HIRAGANA", "KATAKANA", "LATIN", "THAI"),
}
ZERO_WIDTH_JOINER = "\u200d"


def test_abc_is_the_corpus_of_the_experiment_that_can_be_checked_by_hand() -> None:
    rows = SAMPLES.joinpath("abc.tsv").read_text(encoding="utf-8").splitlines()
    counts = {text: int(count) for text, count in (row.split("\t") for row in rows)}
    assert counts == {"a": 16, "b": 8, "c": 8, "ab": 24, "bc": 32, "abc": 12, "abca": 2, "cab": 2}


def test_prose_is_some_tens_of_kilobytes_in_eleven_scripts_with_joined_emoji() -> None:
    assert 30_000 < len(PROSE.encode()) < 60_000
    assert {unicodedata.name(char, "?").split()[0] for char in PROSE} >= SCRIPTS
    assert f"👩{ZERO_WIDTH_JOINER}🍳" in PROSE


def test_no_line_of_prose_is_empty_or_comes_twice() -> None:
    lines = PROSE.splitlines()
    assert all(lines)
    assert len(set(lines)) == len(lines)


def test_every_sample_is_described() -> None:
    notes = SAMPLES.joinpath("SOURCES.md").read_text(encoding="utf-8")
    names = {sample.name for sample in SAMPLES.iterdir()} - {"SOURCES.md"}
    assert [name for name in sorted(names) if f"`{name}`" not in notes] == []
