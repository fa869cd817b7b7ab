"""What the rules that the opened file does not follow would do: beside the text, and on a whole corpus."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QToolButton
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from engine.errors import ModelFileError
from engine.parity import parity_report
from engine.pieces import PieceType
from tests.gui.conftest import SECONDS, Person
from tests.helpers.case_models import BASE_ROWS, added_token, base, json_bytes
from unigram_gui import dialogs
from unigram_gui.command_line import Options, parse
from unigram_gui.errand import Errand
from unigram_gui.item_models.parity import REASON, SENTENCEPIECE, TOKENIZERS, DifferencesItemModel, ReasonsItemModel
from unigram_gui.parity_window import ParityWindow
from unigram_gui.views.other_rules import OtherRulesView

LEFT = Qt.MouseButton.LeftButton
SYMBOLS = (("<", -5.0), (">", -5.0), ("/", -5.0), ("s", -4.0))


def toggle(person: Person) -> QAction:
    return next(found for found in person.window.findChildren(QAction) if found.text() == "Cut by the &other rules")


def line_of(person: Person) -> OtherRulesView:
    return person.window.other_rules


def said(person: Person) -> list[str]:
    """Return what the two lines say: family, pieces, notes."""
    return [part for line in line_of(person).lines for part in (line.lead, "|".join(line.pieces), line.note) if part]


@pytest.fixture
def symbols(person: Person, tmp_path: Path) -> Person:
    """Return a person with a `.model` open that has letters for typed symbols."""
    base(*SYMBOLS).save(tmp_path / "m.model")
    person.opens(tmp_path / "m.model")
    return person


# Beside the text.


def test_the_other_cut_is_shown_when_it_is_asked_for(symbols: Person) -> None:
    symbols.types("<s>ab")
    assert not line_of(symbols).isVisible()
    toggle(symbols).trigger()
    symbols.waits()
    assert line_of(symbols).isVisible()
    family, pieces, reason = said(symbols)
    assert (family, pieces) == ("HF tokenizers", "<s>|ab")
    assert reason.startswith("Typed symbol. HF tokenizers cuts the added token '<s>' out of the text")
    toggle(symbols).trigger()
    assert not line_of(symbols).isVisible()


def test_the_pieces_that_differ_have_a_frame(symbols: Person) -> None:
    toggle(symbols).trigger()
    symbols.types("ab <s> ab")
    line = line_of(symbols).lines[0]
    assert [line.pieces[i] for i in line.outlined] == ["<s>"]


def test_where_both_agree_it_says_so_and_nothing_moves(symbols: Person) -> None:
    toggle(symbols).trigger()
    symbols.types("<s>")
    height = line_of(symbols).height()
    symbols.types("ab a")
    assert said(symbols)[:2] == ["HF tokenizers", "cuts this text alike: 4 tokens"]
    assert line_of(symbols).height() == height


def test_the_sign_in_the_field_is_the_same_toggle(symbols: Person) -> None:
    button = symbols.window.text_input.findChild(QToolButton)
    assert button is not None
    symbols.bot.mouseClick(button, LEFT)
    assert toggle(symbols).isChecked()
    assert line_of(symbols).isVisible()


def test_it_has_a_key_of_its_own_and_can_be_walked_over(symbols: Person) -> None:
    symbols.bot.keyClick(
        symbols.window, Qt.Key.Key_O, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    )
    symbols.types("<s>ab")
    line = line_of(symbols)
    line.setFocus(Qt.FocusReason.TabFocusReason)
    symbols.bot.keyClick(line, Qt.Key.Key_Right)
    symbols.bot.keyClick(line, Qt.Key.Key_Return)
    assert symbols.session.picked_piece == 1
    assert line.accessibleDescription() == "<s>, ID 1"


def test_a_tokenizer_json_is_cut_by_its_own_rule_and_sentencepiece_stands_beside_it(
    person: Person, tmp_path: Path
) -> None:
    template = {"type": "BertProcessing", "cls": ["<s>", 1], "sep": ["</s>", 2]}
    added = [added_token(1, "<s>", special=True), added_token(2, "</s>", special=True)]
    rows = (*BASE_ROWS, *SYMBOLS)
    (tmp_path / "t.json").write_bytes(json_bytes(rows, post_processor=template, added_tokens=added))
    person.opens(tmp_path / "t.json")
    toggle(person).trigger()
    person.types("<s>ab")
    assert [piece for piece, _ in person.window.segmentation.tokens] == ["<s>", "<s>", "▁", "ab", "</s>"]
    assert said(person)[:2] == ["SentencePiece", "▁|<|s|>|ab"]
    person.types("ab")
    assert said(person)[1] == "cuts this text alike: 2 tokens without those of the template"


def test_a_tokenizer_json_that_no_model_can_hold_has_no_other_answer(person: Person, tmp_path: Path) -> None:
    (tmp_path / "t.json").write_bytes(json_bytes(normalizer={"type": "Lowercase"}))
    person.opens(tmp_path / "t.json")
    toggle(person).trigger()
    person.types("AB")
    assert said(person)[:2] == ["SentencePiece", "has no answer"]
    assert "no place for the normalizer Lowercase" in said(person)[2]
    assert not person.window.strip.isVisible()


def test_decoding_that_differs_is_said(person: Person, tmp_path: Path) -> None:
    base(("x▁", -0.5, PieceType.USER_DEFINED), add_dummy_prefix=False).save(tmp_path / "m.model")
    person.opens(tmp_path / "m.model")
    toggle(person).trigger()
    person.types("x a")
    assert said(person)[1:] == [
        "cuts this text alike: 2 tokens",
        "The pieces are the same, decoding is not. Markers inside user-defined pieces are decoded differently.",
    ]


def test_an_edge_that_is_forbidden_does_not_count_in_the_other_cut(symbols: Person) -> None:
    toggle(symbols).trigger()
    symbols.types("ab")
    inquiry = symbols.session.inquiry
    inquiry.select_span((1, 3))
    inquiry.forbid_span()
    symbols.waits()
    assert [piece for piece, _ in symbols.window.segmentation.tokens] == ["▁", "a", "b"]
    assert said(symbols)[2].startswith("The edges that are forbidden or forced above do not count here.")


# On a corpus.


@pytest.fixture
def reporting(symbols: Person, tmp_path: Path) -> ParityWindow:
    """Return the window of the report, opened from the menu on a corpus of three texts."""
    (tmp_path / "texts.txt").write_text("ab a\n<s>ab\nb</s>a\n", encoding="utf-8")
    symbols.opens(tmp_path / "texts.txt")
    next(found for found in symbols.window.findChildren(QAction) if found.text() == "&Parity report…").trigger()
    window = symbols.window.parity.window
    assert window is not None
    return window


def compare(person: Person, window: ParityWindow) -> None:
    person.bot.mouseClick(window.view.start, LEFT)
    person.waits()


def cells(window: ParityWindow, column: int) -> list[str]:
    model = window.view.differences
    return [str(model.index(row, column).data()) for row in range(model.rowCount())]


def test_every_difference_is_listed_with_its_reason(symbols: Person, reporting: ParityWindow) -> None:
    assert "m.model by the rules of SentencePiece" in reporting.view.subject.text()
    compare(symbols, reporting)
    assert cells(reporting, SENTENCEPIECE) == ["▁|<|s|>|ab".replace("▁", "␣"), "…b|<|/|s|>|a"]
    assert cells(reporting, TOKENIZERS) == ["<s>|ab", "…b|</s>|a"]
    assert cells(reporting, REASON) == ["typed symbol"] * 2
    assert reporting.view.note.text() == (
        "2 of 3 texts differ (66.7 %). A tokenizer.json does not say which piece is bos and which is eos: "
        "a .model made of it has none."
    )
    assert not reporting.view.stop.isEnabled()


def test_a_chosen_row_shows_both_answers_and_the_whole_reason(symbols: Person, reporting: ParityWindow) -> None:
    compare(symbols, reporting)
    reporting.view.table.selectRow(0)
    lines = reporting.view.detail.lines
    assert [(line.lead, line.pieces) for line in lines[:2]] == [
        ("SentencePiece", ("▁", "<", "s", ">", "ab")), ("HF tokenizers", ("<s>", "ab")),
    ]  # fmt: skip
    assert lines[2].note.startswith("Typed symbol. HF tokenizers cuts the added token")


def test_a_double_click_puts_the_text_into_the_lattice_with_the_other_cut_beside_it(
    symbols: Person, reporting: ParityWindow
) -> None:
    compare(symbols, reporting)
    table = reporting.view.table
    place = table.visualRect(reporting.view.differences.index(1, 1)).center()
    symbols.bot.mouseClick(table.viewport(), LEFT, pos=place)
    symbols.bot.mouseDClick(table.viewport(), LEFT, pos=place)
    symbols.waits()
    assert symbols.window.text_input.text() == "b</s>a"
    assert line_of(symbols).isVisible()
    assert said(symbols)[1] == "▁|b|</s>|a"


def test_the_keyboard_alone_goes_from_start_to_a_text_in_the_lattice(
    symbols: Person, reporting: ParityWindow
) -> None:
    assert reporting.view.start.hasFocus()
    symbols.bot.keyClick(reporting.view.start, Qt.Key.Key_Space)
    symbols.waits()
    table = reporting.view.table
    assert reporting.focusWidget() is table
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Return):
        symbols.bot.keyClick(table, key)
    symbols.waits()
    assert symbols.window.text_input.text() == "b</s>a"


def test_one_reason_can_be_shown_alone(symbols: Person, tmp_path: Path) -> None:
    base(*SYMBOLS, ("bb", -0.1, 5)).save(tmp_path / "u.model")
    (tmp_path / "texts.txt").write_text("<s>ab\nabb\nb<s>\n", encoding="utf-8")
    symbols.opens(tmp_path / "u.model", tmp_path / "texts.txt")
    window = symbols.window.parity.open()
    compare(symbols, window)
    assert "knows no unused pieces" in window.view.note.text()
    reasons = [window.view.reasons.kind(row) for row in range(window.view.reasons.rowCount())]
    assert reasons == ["", "typed symbol", "symbol matched"]
    window.view.reason_table.selectRow(2)
    assert cells(window, REASON) == ["symbol matched"]
    window.view.reason_table.selectRow(0)
    assert len(cells(window, REASON)) == 3


def test_the_table_is_saved(
    symbols: Person, reporting: ParityWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not reporting.view.save.isEnabled()
    compare(symbols, reporting)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "out"), dialogs.REPORTS))
    symbols.bot.mouseClick(reporting.view.save, LEFT)
    symbols.waits()
    rows = (tmp_path / "out.tsv").read_text(encoding="utf-8").splitlines()
    assert [row.split("\t")[:4] for row in rows[1:]] == [
        ["1", "<s>ab", "encode", "▁|<|s|>|ab"], ["2", "b</s>a", "encode", "▁|b|<|/|s|>|a"],
    ]  # fmt: skip
    assert reporting.statusBar().currentMessage() == f"Saved {tmp_path / 'out.tsv'}"


def test_it_shows_progress_and_can_be_stopped(symbols: Person, reporting: ParityWindow, tmp_path: Path) -> None:
    lines = "".join(f"ab {'a' * (i % 50)} {i}\n" for i in range(60_000))
    (tmp_path / "long.txt").write_text(lines, encoding="utf-8")
    symbols.opens(tmp_path / "long.txt")
    with symbols.bot.waitSignal(symbols.session.parity.report_progressed, timeout=SECONDS):
        symbols.bot.mouseClick(reporting.view.start, LEFT)
    assert 0 < reporting.view.bar.value() < reporting.view.bar.maximum()
    assert not reporting.view.start.isEnabled()
    with symbols.bot.waitSignal(symbols.session.parity.report_ended, timeout=SECONDS):
        symbols.bot.mouseClick(reporting.view.stop, LEFT)
    assert reporting.view.start.isEnabled()
    assert reporting.view.differences.rowCount() == 0
    assert not reporting.strip.isVisible()


def test_another_file_of_the_tokenizer_can_take_the_place_of_the_conversion(
    symbols: Person, reporting: ParityWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = (*BASE_ROWS, *SYMBOLS)
    (tmp_path / "its.json").write_bytes(json_bytes(rows, added_tokens=[added_token(2, "</s>", special=True)]))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(tmp_path / "its.json"), ""))
    symbols.bot.mouseClick(reporting.view.rival, LEFT)
    assert "its.json" in reporting.view.subject.text()
    compare(symbols, reporting)
    assert cells(reporting, REASON) == ["symbol matched", "typed symbol"]
    symbols.bot.mouseClick(reporting.view.own, LEFT)
    assert "its conversion" in reporting.view.subject.text()
    assert reporting.view.differences.rowCount() == 0


def test_what_cannot_be_compared_is_one_sentence(
    symbols: Person, reporting: ParityWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(tmp_path / "m.model"), ""))
    symbols.bot.mouseClick(reporting.view.rival, LEFT)
    compare(symbols, reporting)
    assert "Both models follow the same rules" in reporting.strip.label.text()
    assert reporting.view.start.isEnabled()


def test_without_a_corpus_there_is_nothing_to_start(symbols: Person) -> None:
    window = symbols.window.parity.open()
    assert not window.view.start.isEnabled()
    assert "no corpus yet: open one" in window.view.subject.text()


def test_another_vocabulary_empties_the_report(symbols: Person, reporting: ParityWindow, tmp_path: Path) -> None:
    compare(symbols, reporting)
    base().save(tmp_path / "other.model")
    symbols.opens(tmp_path / "other.model")
    assert reporting.view.differences.rowCount() == 0
    assert "other.model by the rules" in reporting.view.subject.text()


def test_the_tables_are_well_behaved(qtmodeltester: ModelTester) -> None:
    report = parity_report(base(*SYMBOLS), ["<s>ab", "b</s>", "ab"])
    differences, reasons = DifferencesItemModel(), ReasonsItemModel()
    differences.set_rows(report.differences)
    reasons.set_report(report)
    for model in (differences, reasons):
        qtmodeltester.check(model)
    for column in range(differences.columnCount()):
        differences.sort(column, Qt.SortOrder.DescendingOrder)


# After a conversion.


def test_what_a_conversion_loses_is_said_and_where_to_look(
    person: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base(("bb", -9.0, PieceType.UNUSED)).save(tmp_path / "m.model")
    person.opens(tmp_path / "m.model")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "t.json"), ""))
    person.window.documents.ask_save_model()
    person.waits()
    assert "knows no unused pieces: 1 of them" in person.window.strip.label.text()
    assert "Compare > Parity report…" in person.window.statusBar().currentMessage()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "again.model"), ""))
    person.window.documents.ask_save_model()
    person.waits()
    assert not person.window.strip.isVisible()
    assert person.window.statusBar().currentMessage() == f"Saved {tmp_path / 'again.model'}"


# From the command line.


def test_the_command_line_writes_the_table(person: Person, qtbot: QtBot, tmp_path: Path) -> None:
    base(*SYMBOLS).save(tmp_path / "m.model")
    (tmp_path / "texts.txt").write_text("ab a\n<s>ab\n", encoding="utf-8")
    options = parse(
        [str(tmp_path / "texts.txt"), "--open", str(tmp_path / "m.model"), "--parity", str(tmp_path / "p.tsv")]
    )
    errand = Errand(person.session, person.window, options)
    with qtbot.waitSignal(errand.ended, timeout=SECONDS) as ended:
        errand.start()
    assert ended.args == [0]
    assert (tmp_path / "p.tsv").read_text(encoding="utf-8").count("\n") == 2


def test_a_remark_is_no_failure(
    person: Person, qtbot: QtBot, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "t.json").write_bytes(json_bytes(truncation={"max_length": 9}))
    errand = Errand(person.session, person.window, Options(model=tmp_path / "t.json", text="ab"))
    with qtbot.waitSignal(errand.ended, timeout=SECONDS) as ended:
        errand.start()
    assert ended.args == [0]
    assert "Texts are not cut off here" in capsys.readouterr().err


def test_the_command_line_says_what_is_missing(
    person: Person, qtbot: QtBot, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    errand = Errand(person.session, person.window, Options(parity=tmp_path / "p.tsv"))
    with qtbot.waitSignal(errand.ended, timeout=SECONDS) as ended:
        errand.start()
    assert ended.args == [1]
    assert "open a vocabulary and a corpus first" in capsys.readouterr().err


def test_the_other_rules_of_a_closed_format_raise_one_sentence() -> None:
    with pytest.raises(ModelFileError, match="follow the same rules"):
        parity_report(base(), [], other=base())
