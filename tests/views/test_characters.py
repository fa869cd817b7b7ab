"""Characters that hide, and written forms that differ from their code points."""

from __future__ import annotations

import pytest

from unigram_gui.characters import Kind, composed_forms, joined_by, kind_of, short_name, split_kinds

FAMILY = "👩\u200d👩\u200d👧"


@pytest.mark.parametrize(
    ("character", "name"),
    [("\u200d", "ZWJ"), ("\u200c", "ZWNJ"), ("\ufe0f", "VS16"), ("\u200b", "ZWSP"), ("\u00a0", "NBSP"), ("\t", "TAB"),
     ("\n", "LF"), ("\x07", "U+0007"), ("\ue000", "U+E000")],
)  # fmt: skip
def test_what_has_no_ink_is_named(character: str, name: str) -> None:
    assert kind_of(character) == Kind.HIDDEN
    assert short_name(character) == name


def test_the_marker_of_a_space_is_no_letter_and_a_mark_stands_on_a_circle() -> None:
    assert kind_of("▁") == Kind.SPACE
    assert kind_of("\u0301") == Kind.MARK
    assert [text for _, text in split_kinds("\u0301a")] == ["\u25cc\u0301a"]
    assert [text for _, text in split_kinds("▁e\u0301")] == ["▁", "e\u0301"]


def test_an_emoji_sequence_is_one_form() -> None:
    (form,) = composed_forms("x" + FAMILY + "y")
    assert (form.start, form.end, form.text, form.note) == (1, 6, FAMILY, "one emoji, 5 code points")


@pytest.mark.parametrize("emoji", ["👍🏽", "🇯🇵", "❤\ufe0f", "1\ufe0f\u20e3"])
def test_modifiers_flags_and_selectors_make_one_emoji(emoji: str) -> None:
    (form,) = composed_forms(emoji)
    assert form.note == f"one emoji, {len(emoji)} code points"


def test_two_flags_are_two_forms() -> None:
    assert [form.text for form in composed_forms("🇯🇵🇫🇷")] == ["🇯🇵", "🇫🇷"]


def test_a_letter_with_a_mark_is_one_form() -> None:
    (form,) = composed_forms("re\u0301")
    assert (form.text, form.note) == ("e\u0301", "2 code points")


def test_a_right_to_left_run_says_that_it_is_drawn_in_logical_order() -> None:
    (form,) = composed_forms("▁العربية▁r")
    assert (form.start, form.end, form.right_to_left) == (1, 8, True)
    assert "logical order" in form.note


def test_marks_inside_a_right_to_left_run_have_no_form_of_their_own() -> None:
    assert len(composed_forms("كَتَبَ")) == 1


def test_plain_text_has_no_forms() -> None:
    assert composed_forms("plain text") == ()
    assert composed_forms("国際化") == ()


def test_a_joiner_says_what_it_joins() -> None:
    assert joined_by(FAMILY, 1) == "takes no room; joins 👩 and 👩 into one emoji"
    assert joined_by("ab", 1) == ""
