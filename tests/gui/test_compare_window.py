"""What a person does to compare two vocabularies, and what is then to be seen."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QDesktopServices, QFontMetrics, QImage, QPainter
from PySide6.QtWidgets import QLineEdit, QMenu
from pytestqt.modeltest import ModelTester

from engine.model import UnigramModel
from engine.normalizer import NormalizerSpec
from tests.gui.conftest import Person
from tests.helpers.case_models import json_bytes
from tests.helpers.toy_models import base_model, table_of
from unigram_gui import dialogs
from unigram_gui.compare_window import CORPUS, SAVED, TEXT, VOCABULARIES, CompareWindow
from unigram_gui.item_models.comparison import CHANGE, ID_A, IN_BOTH, KINDS, ONLY_A, PIECE, WHERE
from unigram_gui.item_models.library import NAME
from unigram_gui.item_models.ordered_table import OrderedTable
from unigram_gui.views.compare.choosers import FROM_FILE

LEFT = Qt.MouseButton.LeftButton


def probabilities(**pieces: float) -> UnigramModel:
    return UnigramModel.from_probabilities(pieces)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Return two vocabularies: only A has able, only B has unable."""
    probabilities(u=0.1, n=0.1, able=0.3, un=0.4, r=0.1).save(tmp_path / "a.model")
    probabilities(u=0.1, n=0.1, unable=0.3, un=0.2, r=0.2, run=0.1).save(tmp_path / "b.model")
    return tmp_path / "a.model", tmp_path / "b.model"


@pytest.fixture
def compare(person: Person) -> CompareWindow:
    window = person.window.compare.open()
    person.waits()
    return window


@pytest.fixture
def pair(person: Person, compare: CompareWindow, files: tuple[Path, Path]) -> CompareWindow:
    for side, path in enumerate(files):
        compare.comparing.add_file(side, path)
    person.waits()
    types(person, compare, "unable run")
    return compare


def types(person: Person, compare: CompareWindow, text: str) -> None:
    compare.text.input.setText(text)  # QTest knows no keys beyond Latin-1
    person.waits()


def drawn(area: object) -> list[str]:
    image = QImage(8, 8, QImage.Format.Format_ARGB32_Premultiplied)
    painter = QPainter(image)
    labels = [label.text for label in area.labels(painter)]  # type: ignore[attr-defined]
    painter.end()
    return labels


def shown(table: OrderedTable, column: int) -> list[str]:
    return [str(table.index(row, column).data()) for row in range(table.rowCount())]


def test_nothing_chosen_says_what_to_do(compare: CompareWindow) -> None:
    assert "Choose two vocabularies" in compare.text.lattices.accessibleDescription()
    assert not compare.corpus.start.isEnabled()


def test_the_file_choice_asks_for_a_file(
    person: Person, compare: CompareWindow, files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dialogs, "ask_vocabulary", lambda parent, folder: str(files[0]))
    choice = compare.choosers.choices[0]
    choice.setCurrentText(FROM_FILE)
    choice.activated.emit(choice.currentIndex())
    person.waits()
    assert choice.currentText() == "a.model · file"


def test_both_cuts_and_the_reason_are_drawn(pair: CompareWindow) -> None:
    labels = drawn(pair.text.lattices)
    assert {"a.model", "b.model", "boundaries"} <= set(labels)
    assert "A lacks " in drawn(pair.text.reasons)
    assert "unable" in drawn(pair.text.reasons)


def test_labels_of_the_lattices_never_overlap(person: Person, pair: CompareWindow) -> None:
    types(person, pair, "unable unrunable 漢字 é")
    image = QImage(8, 8, QImage.Format.Format_ARGB32_Premultiplied)
    painter = QPainter(image)
    labels = pair.text.lattices.labels(painter)
    painter.end()
    for i, label in enumerate(labels):
        assert not any(label.overlaps(other, 0.75) for other in labels[i + 1 :]), label


def test_all_pieces_are_shown_or_only_the_best_paths(person: Person, pair: CompareWindow) -> None:
    before = pair.text.lattices.drawing
    assert before is not None
    person.bot.mouseClick(pair.text.all_pieces, LEFT)
    after = pair.text.lattices.drawing
    assert after is not None
    assert after.height < before.height


def test_an_empty_text_and_a_long_one_do_no_harm(person: Person, pair: CompareWindow) -> None:
    pair.text.input.clear()
    person.waits()
    assert pair.text.lattices.drawing is None
    pair.comparing.set_text("unable run " * 150)
    person.waits()
    assert pair.text.lattices.horizontalScrollBar().maximum() > 10_000
    assert len(drawn(pair.text.lattices)) < 3000
    assert not pair.text.cut_off.isVisible()
    pair.comparing.set_text("unable run " * 3000)
    person.waits()
    assert pair.text.cut_off.text() == "without the last 31,000 characters"
    assert pair.text.cut_off.isVisible()


def test_swapping_makes_a_of_b(person: Person, pair: CompareWindow) -> None:
    person.bot.mouseClick(pair.choosers.swap, LEFT)
    person.waits()
    assert [choice.currentText() for choice in pair.choosers.choices] == ["b.model · file", "a.model · file"]
    assert pair.comparing.pair is not None
    assert pair.comparing.pair.a.name == "b.model"


def test_pieces_are_listed_filtered_and_sorted(person: Person, pair: CompareWindow) -> None:
    pair.turn_to(VOCABULARIES)
    view = pair.vocabularies
    assert view.pieces.rowCount() == 8
    for kind, expected in ((ONLY_A, ["able"]), (IN_BOTH, ["<unk>", "u", "n", "un", "r"])):
        view.kind.setCurrentIndex(KINDS.index(kind))
        assert shown(view.pieces, PIECE) == expected
    view.kind.setCurrentIndex(0)
    view.filter.setText("un")
    person.waits()
    assert shown(view.pieces, PIECE) == ["<unk>", "un", "unable", "run"]
    view.filter.clear()
    view.table.sortByColumn(CHANGE, Qt.SortOrder.DescendingOrder)
    assert shown(view.pieces, PIECE)[:2] in (["un", "r"], ["r", "un"])
    assert shown(view.pieces, WHERE).count(IN_BOTH) == 5


def test_pieces_that_only_look_alike_have_rows_of_their_own(  # CMP-04
    person: Person, compare: CompareWindow, tmp_path: Path
) -> None:
    UnigramModel.trained(table_of(("▁The", -1.0), ("The", -2.0)), NormalizerSpec()).save(tmp_path / "a.model")
    rows = ((" The", -1.0), ("The", -2.0), ("▁", -3.0), ("▁▁", -4.0))
    UnigramModel.trained(table_of(*rows), NormalizerSpec()).save(tmp_path / "b.model")
    for side, name in enumerate(("a.model", "b.model")):
        compare.comparing.add_file(side, tmp_path / name)
    person.waits()
    pieces = shown(compare.vocabularies.pieces, PIECE)
    assert len(pieces) == 8
    assert all(piece.strip() for piece in pieces)
    assert len(set(pieces)) == 8, "the marker and a blank are drawn apart"


def test_a_model_and_a_tokenizer_json_are_compared(person: Person, compare: CompareWindow, tmp_path: Path) -> None:
    base_model(("ba", -3.0)).save(tmp_path / "a.model")
    (tmp_path / "b.json").write_bytes(json_bytes())
    (tmp_path / "c.txt").write_text("ab ba\nba\n", encoding="utf-8")
    person.opens(tmp_path / "c.txt")
    for side, name in enumerate(("a.model", "b.json")):
        compare.comparing.add_file(side, tmp_path / name)
    person.waits()
    types(person, compare, "ab ba")
    assert "boundaries" in drawn(compare.text.lattices)
    pieces = compare.vocabularies.pieces
    assert shown(pieces, WHERE)[shown(pieces, PIECE).index("ba")] == ONLY_A
    compare.turn_to(CORPUS)
    person.bot.mouseClick(compare.corpus.start, LEFT)
    person.waits()
    assert (shown(compare.corpus.figures, 1)[0], shown(compare.corpus.figures, 3)[0]) == ("6", "8")


def test_tables_of_the_comparison_are_sound_models(person: Person, pair: CompareWindow) -> None:
    person.opens_sample("abc")
    pair.comparing.compare_on_corpus()
    person.waits()
    tables = [pair.vocabularies.pieces, pair.vocabularies.settings, pair.vocabularies.make_up, pair.library.item_model]
    tables += [getattr(pair.corpus, n) for n in ("figures", "groups", "texts", "words", "pieces", "lossy")]
    for table in tables:
        assert table.rowCount() >= 0
        ModelTester(None).check(table)
        for column in range(table.columnCount()):
            table.sort(column)
            for row in range(min(table.rowCount(), 3)):
                assert isinstance(table.index(row, column).data(), str)
                assert isinstance(table.index(row, column).data(Qt.ItemDataRole.ToolTipRole), str)


def test_a_corpus_is_compared_and_its_texts_open_in_the_lattices(
    person: Person, pair: CompareWindow, tmp_path: Path
) -> None:
    (tmp_path / "c.txt").write_text("run unable\nrun\nun\n", encoding="utf-8")
    person.opens(tmp_path / "c.txt")
    pair.turn_to(CORPUS)
    person.bot.mouseClick(pair.corpus.start, LEFT)
    person.waits()
    assert shown(pair.corpus.figures, 0)[0] == "tokens"
    assert "decode(encode(x)) = x" in pair.corpus.note.text()
    texts = shown(pair.corpus.texts, 0)
    assert set(texts) == {"run unable", "run"}
    pair.corpus.texts_table.activated.emit(pair.corpus.texts.index(texts.index("run unable"), 0))
    person.waits()
    assert pair.pages.currentIndex() == TEXT
    assert pair.text.input.text() == "run unable"
    assert set(shown(pair.corpus.pieces, 0)) == {"able", "unable", "run"}
    pair.turn_to(CORPUS)
    pair.corpus.pieces_table.activated.emit(pair.corpus.pieces.index(shown(pair.corpus.pieces, 0).index("run"), 0))
    person.waits()
    assert (pair.pages.currentIndex(), pair.text.input.text()) == (TEXT, "run")


def test_figures_stand_by_a_column_of_the_table_and_a_group_is_compared_alone(
    person: Person, pair: CompareWindow, tmp_path: Path
) -> None:
    rows = ("text\tcount\tlanguage", "run unable\t2\ten", "un\t2\tde", "run\t3\ten", "able\t1\t")
    (tmp_path / "c.tsv").write_text("\n".join(rows), encoding="utf-8")
    person.opens(tmp_path / "c.tsv")
    pair.turn_to(CORPUS)
    view = pair.corpus
    assert [view.by.itemText(i) for i in range(view.by.count())] == ["script", "language"], "said beforehand"
    person.bot.mouseClick(view.start, LEFT)
    person.waits()
    assert [view.by.itemText(i) for i in range(view.by.count())] == ["script", "language"]
    assert shown(view.groups, 0) == ["Latin"]
    view.by.setCurrentText("language")
    assert shown(view.groups, 0) == ["en", "de", "without a value  (tokens unknown: B 100 %)"]
    assert shown(view.groups, 1) == ["5", "2", "1"]
    view.figure.setCurrentText("tokens a word")
    ratios = shown(view.groups, 2)
    assert not view.whole.isVisible()
    view.groups_table.activated.emit(view.groups.index(0, 0))
    person.waits()
    assert view.note.text().startswith("c.tsv, en · ")
    assert shown(view.figures, 1)[shown(view.figures, 0).index("tokens a word")] == ratios[0]
    assert set(shown(view.texts, 0)) == {"run unable", "run"}
    person.bot.mouseClick(view.whole, LEFT)
    assert [view.by.itemText(i) for i in range(view.by.count())] == ["script", "language"]
    assert view.note.text().startswith("decode(encode(x)) = x")


def test_a_comparison_that_is_stopped_leaves_the_window_ready(person: Person, pair: CompareWindow) -> None:
    person.opens_sample("prose")
    pair.comparing.compare_on_corpus()
    pair.comparing.stop()
    person.waits()
    assert pair.corpus.start.isEnabled()
    assert not pair.corpus.stop.isEnabled()


def test_two_moments_of_one_training_are_compared(person: Person, compare: CompareWindow) -> None:
    person.opens_sample("abc")
    person.trains("Teaching")
    rounds = [source for source in compare.comparing.sources if source.kind == "round"]
    compare.comparing.choose(0, rounds[0])
    compare.comparing.choose(1, compare.comparing.sources[0])
    person.waits()
    assert compare.comparing.pair is not None
    assert len(compare.comparing.pair.vocabularies.only_b) == 0
    person.trains("Teaching")
    person.waits()
    assert compare.comparing.chosen[1] is not None


def test_a_bad_file_is_one_sentence_and_the_rest_stays(person: Person, pair: CompareWindow, tmp_path: Path) -> None:
    (tmp_path / "bad.model").write_bytes(b"nothing of the kind")
    pair.comparing.add_file(0, tmp_path / "bad.model")
    person.waits()
    assert pair.strip.isVisible()
    assert "bad.model" in pair.strip.label.text()
    pair.comparing.choose(0, pair.comparing.sources[0])
    person.waits()
    assert not pair.strip.isVisible()


def test_the_mapping_of_ids_is_saved(pair: CompareWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert pair.comparing.pair is not None
    monkeypatch.setattr(dialogs, "ask_save", lambda *_: str(tmp_path / "map.tsv"))
    pair.ask_save_mapping()
    head, *rows = (tmp_path / "map.tsv").read_text(encoding="utf-8").splitlines()
    assert head.split("\t")[:4] == ["piece", "id_a", "id_b", "id_change"]
    assert len(rows) == pair.comparing.pair.vocabularies.n_union
    monkeypatch.setattr(dialogs, "ask_save", lambda *_: str(tmp_path / "no folder" / "map.tsv"))
    pair.ask_save_mapping()
    assert "no folder" in pair.strip.label.text()


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_the_figure_of_both_lattices_is_exported(
    pair: CompareWindow, tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"figure{suffix}"
    monkeypatch.setattr(dialogs, "ask_save", lambda *_: str(path))
    pair.ask_export()
    assert path.stat().st_size > 2000
    if suffix == ".png":
        assert QImage(str(path)).width() > 1000


def test_a_figure_that_cannot_be_written_is_one_sentence(pair: CompareWindow, tmp_path: Path) -> None:
    pair.export(tmp_path / "no folder" / "figure.png")
    assert "no folder" in pair.strip.label.text()


# The library.


def test_the_open_vocabulary_is_saved_compared_renamed_opened_and_deleted(
    person: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base_model().save(tmp_path / "mine.model")
    person.opens(tmp_path / "mine.model")
    window = person.window.compare.save_current()
    person.waits()
    assert window.focusWidget() is window.library.name
    library = window.library
    assert not library.save.isEnabled()
    person.bot.keyClicks(library.name, "My words")
    person.bot.keyClicks(library.note, "a note")
    person.bot.mouseClick(library.save, LEFT)
    person.waits()
    assert shown(library.item_model, NAME) == ["My words"]
    assert (library.name.text(), library.note.text()) == ("", "")
    assert "My words" in [source.title for source in window.comparing.sources]
    library.table.selectRow(0)
    library.name.setText("Our words")
    person.bot.mouseClick(library.rename, LEFT)
    person.waits()
    assert shown(library.item_model, NAME) == ["Our words"]
    library.table.selectRow(0)
    revealed: list[Path] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: revealed.append(Path(url.toLocalFile())))
    person.bot.mouseClick(library.reveal, LEFT)
    assert [path.parent for path in revealed] == [window.comparing.library.folder]
    assert (revealed[0] / "entry.json").is_file()
    person.bot.mouseClick(library.open, LEFT)
    person.waits()
    assert person.session.model is not None
    assert person.session.model.name == "Our words"
    monkeypatch.setattr(dialogs, "confirm", lambda *_: True)
    library.table.selectRow(0)
    person.bot.mouseClick(library.delete, LEFT)
    person.waits()
    assert library.item_model.rowCount() == 0


def test_a_damaged_entry_is_listed_with_its_reason_and_cannot_be_opened(person: Person, compare: CompareWindow) -> None:
    folder = compare.comparing.library.folder / "broken"
    folder.mkdir(parents=True)
    compare.comparing.list_library()
    person.waits()
    compare.turn_to(SAVED)
    table = compare.library.item_model
    row = shown(table, NAME).index("broken")
    assert "entry.json" in shown(table, 4)[row]
    compare.library.table.selectRow(row)
    assert not compare.library.open.isEnabled()
    assert folder.is_dir()
    folder.rmdir()


# Keyboard, theme, end.


def test_no_two_actions_share_a_shortcut_and_all_have_one(compare: CompareWindow) -> None:
    menus = [menu for menu in compare.menuBar().findChildren(QMenu) if menu.title()]
    keys = [a.shortcut().toString() for menu in menus for a in menu.actions() if not a.isSeparator()]
    assert len(menus) == 2
    assert all(keys)
    assert len(keys) == len(set(keys))


def test_every_field_and_table_has_a_name(compare: CompareWindow) -> None:
    for page in (TEXT, VOCABULARIES, CORPUS, SAVED):
        compare.turn_to(page)
        for field in filter(QLineEdit.isVisible, compare.findChildren(QLineEdit)):
            parent = field.parentWidget()
            assert field.accessibleName() or (parent is not None and parent.accessibleName())
    assert compare.vocabularies.table.accessibleName()
    assert compare.text.lattices.accessibleName()


def test_the_page_is_turned_from_the_keyboard(person: Person, compare: CompareWindow) -> None:
    person.bot.keyClick(compare, Qt.Key.Key_3, Qt.KeyboardModifier.ControlModifier)
    assert compare.pages.currentIndex() == CORPUS


def test_the_theme_is_that_of_the_main_window(person: Person, pair: CompareWindow) -> None:
    before = pair.text.lattices.grab().toImage().pixelColor(4, 4).lightness()
    person.window.switch_theme()
    assert before > 200 > 60 > pair.text.lattices.grab().toImage().pixelColor(4, 4).lightness()


def test_scores_are_a_scatter_with_names(pair: CompareWindow) -> None:
    assert "un" in pair.vocabularies.scatter.named
    pair.vocabularies.scatter.row_picked.emit(0)
    rows = pair.vocabularies.table.selectionModel().selectedRows()
    assert [pair.vocabularies.pieces.value(pair.vocabularies.pieces.source_row(r.row()), ID_A) for r in rows] == [0.0]


def test_the_text_on_screen_is_compared_until_another_is_typed(person: Person, files: tuple[Path, Path]) -> None:
    person.opens(files[0])
    person.session.set_text("run able")
    compare = person.window.compare.open()
    person.waits()
    assert compare.text.input.text() == "run able"
    compare.close()
    person.session.set_text("un")
    assert person.window.compare.open().text.input.text() == "un"
    types(person, compare, "mine")
    compare.close()
    person.session.set_text("nu")
    assert person.window.compare.open().text.input.text() == "mine"


def test_a_bar_too_short_for_its_label_has_it_beside(person: Person, compare: CompareWindow, tmp_path: Path) -> None:
    pieces = {f"{first}{second}": 0.01 for first in "abcdefghij" for second in "klmnopqrst"}
    probabilities(ak=0.5, al=0.5).save(tmp_path / "few.model")
    probabilities(**pieces).save(tmp_path / "many.model")
    for side, name in enumerate(("few.model", "many.model")):
        compare.comparing.add_file(side, tmp_path / name)
    person.waits()
    compare.turn_to(VOCABULARIES)
    assert {"A  3", "101  B"} <= set(drawn(compare.vocabularies.bars))
    person.bot.mouseClick(compare.choosers.swap, LEFT)
    person.waits()
    assert {"A  101", "3  B"} <= set(drawn(compare.vocabularies.bars))


def test_moments_are_counted_in_learned_pieces(person: Person, compare: CompareWindow) -> None:
    person.opens_sample("abc")
    person.trains("Teaching")
    rounds = [source.title for source in compare.comparing.sources if source.kind == "round"]
    assert rounds
    assert all(title.endswith(" learned") for title in rounds)


def test_figures_of_a_corpus_are_written_in_full(person: Person, pair: CompareWindow, tmp_path: Path) -> None:
    texts = [f"{'run unable ' * (9_000 + 700 * (n % 7))}{n}" for n in range(20)]
    (tmp_path / "c.txt").write_text("\n".join(texts), encoding="utf-8")
    person.opens(tmp_path / "c.txt")
    pair.turn_to(CORPUS)
    person.bot.mouseClick(pair.corpus.start, LEFT)
    person.waits()
    table, model = pair.corpus.figures_table, pair.corpus.figures
    metrics = QFontMetrics(pair.theme.sans(11.5, 600))
    assert any(len(shown(model, column)[0]) >= len("1,234,567 to 2,345,678") for column in (2, 4))
    for column in range(model.columnCount()):
        for text in shown(model, column):
            assert metrics.horizontalAdvance(text) < table.columnWidth(column), text


def test_shares_differ_by_points_and_a_group_of_unknown_characters_says_so(
    person: Person, pair: CompareWindow, tmp_path: Path
) -> None:
    (tmp_path / "c.txt").write_text("\n".join(["unable run"] * 9 + ["\u3072\u3089\u304c\u306a"] * 5), encoding="utf-8")
    person.opens(tmp_path / "c.txt")
    pair.turn_to(CORPUS)
    person.bot.mouseClick(pair.corpus.start, LEFT)
    person.waits()
    figures = dict(zip(shown(pair.corpus.figures, 0), shown(pair.corpus.figures, 5), strict=True))
    assert figures["unknown tokens"].endswith(" pp")
    assert all(not text.endswith("%") for text in shown(pair.corpus.figures, 5) + shown(pair.corpus.figures, 6))
    assert all("nan" not in text for column in range(7) for text in shown(pair.corpus.figures, column))
    groups = pair.corpus.groups
    (hiragana,) = (row for row in range(groups.rowCount()) if shown(groups, 0)[row].startswith("Hiragana"))
    assert "tokens unknown: A " in shown(groups, 0)[hiragana]
    assert "whole run of characters" in groups.index(hiragana, 3).data(Qt.ItemDataRole.ToolTipRole)
