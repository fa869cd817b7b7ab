"""Cases from public bug reports on encoding, decoding and files, as far as only a window shows their right value."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QPushButton
from tokenizers import Tokenizer

from engine.model import UnigramModel, load_model
from engine.normalizer import NormalizerSpec
from tests.gui.conftest import Person
from tests.helpers.case_models import BASE_ROWS, added_token, base, json_bytes, with_rules
from tests.helpers.toy_models import table_of
from unigram_gui.views.questions.lens import LensColumn


def opens(person: Person, model: UnigramModel, folder: Path, name: str = "m.model") -> None:
    model.save(folder / name)
    person.opens(folder / name)


def looks_at(person: Person, text: str) -> None:
    person.session.set_text(text)
    person.waits()


def lens(person: Person) -> tuple[LensColumn, ...]:
    person.session.inquiry.ask("lens")
    person.waits()
    return person.window.questions.lens.canvas.columns


def decodes(person: Person, ids: str) -> str:
    person.session.edit_ids(ids)
    person.waits()
    return person.window.decode.note.toolTip()


def test_enc_01_the_lattice_says_how_many_ways_score_the_same(person: Person, tmp_path: Path) -> None:
    rows = [("▁", -3.0), ("?", -2.2885100841522217), ("?????", -4.942337989807129)]
    rows += [("▁.", -6.925445556640625), (".", -4.6322526931762695)]
    opens(person, UnigramModel.trained(table_of(*rows), NormalizerSpec()), tmp_path)
    looks_at(person, "." + "?" * 11)
    assert person.window.lattice.summary.text().endswith("3 ways of equal score")
    looks_at(person, ".?")
    assert person.window.lattice.summary.text().endswith("margin")


def test_fmt_05_one_click_names_the_unknown_piece(person: Person, tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_bytes(json_bytes(BASE_ROWS[3:], model={"unk_id": None}))
    person.opens(tmp_path / "tokenizer.json")
    assert "names no unknown piece" in person.window.strip.label.text()
    (repair,) = [button for button in person.window.strip.findChildren(QPushButton) if button.text() != "Dismiss"]
    assert repair.isVisible()
    person.bot.mouseClick(repair, Qt.MouseButton.LeftButton)
    person.waits()
    assert person.window.strip.label.text() == "Unknown characters become <unk>, ID 4: save the vocabulary."
    assert not repair.isVisible()
    assert person.session.has_unsaved_vocabulary
    person.session.save_model(tmp_path / "new.json")
    person.waits()
    library = Tokenizer.from_file(str(tmp_path / "new.json"))
    assert library.encode("ab 漢").ids == load_model(tmp_path / "new.json").encode("ab 漢") == [0, 3, 0, 4]


def test_enc_06_a_typed_marker_is_named_where_the_round_trip_loses_it(person: Person, tmp_path: Path) -> None:
    opens(person, base(), tmp_path)
    looks_at(person, "ab▁ab ab")
    (lost,) = [column for column in lens(person) if column.is_lost]
    assert (lost.original, lost.start - 1) == ("▁", 2)  # one behind the dummy prefix
    assert "U+2581" in lost.spoken


@pytest.mark.parametrize(
    ("options", "ids", "is_reversible"),
    [({"remove_extra_whitespaces": False}, "3 3 4", True), ({}, "3 3 4", False), ({}, "0", False), ({}, "3 4", True)],
)
def test_dec_01_and_03_what_decoding_does_not_give_back_is_said(
    person: Person, tmp_path: Path, options: dict[str, bool], ids: str, is_reversible: bool
) -> None:
    opens(person, base(**options), tmp_path)
    assert ("not reversible" in decodes(person, ids)) != is_reversible


def test_dec_03_a_template_is_no_reason_to_call_it_irreversible(person: Person, tmp_path: Path) -> None:
    template = {"type": "BertProcessing", "cls": ["<s>", 1], "sep": ["</s>", 2]}
    added = [added_token(1, "<s>", special=True), added_token(2, "</s>", special=True)]
    (tmp_path / "t.json").write_bytes(json_bytes(post_processor=template, added_tokens=added))
    person.opens(tmp_path / "t.json")
    for ids in ("1 3 6 2", "3 6"):
        assert "not reversible" not in decodes(person, ids)


def test_off_04_dropped_characters_are_marked(person: Person, tmp_path: Path) -> None:
    opens(person, with_rules("nmt_nfkc", ("▁a", -2.2)), tmp_path)
    looks_at(person, "  a  \ufb01 ")
    dropped = [column.original for column in lens(person) if column.is_lost and not column.normalized]
    assert "".join(dropped).strip() == ""
    assert dropped


def test_fmt_01_what_is_no_model_leaves_the_one_that_is_open(person: Person, tmp_path: Path) -> None:
    opens(person, base(), tmp_path)
    (tmp_path / "pointer.model").write_bytes(b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 791656\n")
    for is_asked_for in (False, True):
        (person.session.open_model if is_asked_for else person.session.open_files)(
            tmp_path / "pointer.model" if is_asked_for else [tmp_path / "pointer.model"]  # type: ignore[arg-type]
        )
        person.waits()
        assert "not the model of 791,656 bytes itself" in person.window.strip.label.text()
        assert person.session.model is not None
        assert person.session.model.name == "m.model"
        assert person.session.corpus is None


def test_fmt_10_added_tokens_are_counted_and_a_model_says_what_becomes_of_them(
    person: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    added = [added_token(7, "<extra_id_1>"), added_token(8, "<extra_id_0>")]
    (tmp_path / "t.json").write_bytes(json_bytes(added_tokens=added))
    person.opens(tmp_path / "t.json")
    assert person.window.vocabulary.note.toolTip() == "9 pieces, 2 of them added tokens"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "t.model"), ""))
    person.window.documents.ask_save_model()
    person.waits()
    assert "Other added tokens (2) become user-defined pieces." in person.window.strip.label.text()


NAMES = ("模型 (1).model", "a%20b#c&d.model", "é e\u0301.model", "sample\udcf0.model")


def drop(person: Person, *urls: QUrl) -> None:
    data = QMimeData()
    data.setUrls(list(urls))
    place, action, none = QPointF(50, 50), Qt.DropAction.CopyAction, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(place.toPoint(), action, data, Qt.MouseButton.LeftButton, none)
    QApplication.sendEvent(person.window, enter)
    assert enter.isAccepted()
    QApplication.sendEvent(person.window, QDropEvent(place, action, data, Qt.MouseButton.LeftButton, none))
    person.waits()


def url_of(path: Path) -> QUrl:
    return QUrl(path.as_uri())


@pytest.mark.parametrize("name", NAMES)
def test_fil_01_a_name_of_any_kind_can_be_dropped(person: Person, tmp_path: Path, name: str) -> None:
    base().save(tmp_path / name)
    drop(person, url_of(tmp_path / name))
    assert not person.window.strip.isVisible()
    assert person.window.vocabulary.note.text() == "7 pieces"


def test_fil_07_after_a_failed_save_it_is_still_unsaved_and_can_be_saved_elsewhere(
    person: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    person.opens_sample("abc")
    person.trains("Teaching")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "gone" / "m.model"), ""))
    person.window.documents.ask_save_model()
    person.waits()
    assert "cannot be written: No such file" in person.window.strip.label.text()
    assert person.window.left_status.text().endswith("not saved")
    (tmp_path / "gone").mkdir()
    person.window.documents.ask_save_model()
    person.waits()
    assert not person.window.strip.isVisible()
    assert person.window.left_status.text().endswith("saved as m.model")


def test_fil_08_good_files_open_and_each_bad_one_is_named(person: Person, tmp_path: Path) -> None:
    base().save(tmp_path / "m.model")
    (tmp_path / "good.txt").write_text("ab a\n", encoding="utf-8")
    (tmp_path / "binary.txt").write_bytes(b"\0\1\2" * 100)
    (tmp_path / "empty.txt").write_bytes(b"")
    names = ("good.txt", "binary.txt", "m.model", "empty.txt", "vanished.txt")
    drop(person, *(url_of(tmp_path / name) for name in names), url_of(tmp_path))
    said = person.window.strip.label.text()
    assert all(name in said for name in ("binary.txt", "empty.txt", "vanished.txt"))
    assert "is a folder" in said
    assert "good.txt" not in said
    assert person.session.corpus is not None
    assert len(person.session.corpus) == 1
    assert person.window.vocabulary.note.text() == "7 pieces"


def test_fil_08_a_damaged_vocabulary_does_not_spoil_the_corpus(person: Person, tmp_path: Path) -> None:
    base().save(tmp_path / "m.model")
    (tmp_path / "m.model").write_bytes((tmp_path / "m.model").read_bytes()[:-3])
    (tmp_path / "good.txt").write_text("ab a\n", encoding="utf-8")
    drop(person, url_of(tmp_path / "m.model"), url_of(tmp_path / "good.txt"))
    assert person.window.strip.label.text().startswith("m.model: ")
    assert person.session.corpus is not None


def test_fil_08_nothing_is_downloaded(person: Person) -> None:
    drop(person, QUrl("http://example.com/a.model"))
    assert person.window.strip.label.text().startswith("http://example.com/a.model is no file of this computer")


def test_fil_08_all_bad_is_one_message(person: Person, tmp_path: Path) -> None:
    drop(person, url_of(tmp_path / "one.txt"), url_of(tmp_path / "two.txt"))
    assert all(name in person.window.strip.label.text() for name in ("one.txt", "two.txt"))
    assert person.session.corpus is None
