"""The decode pane: IDs in, bytes and bits, characters out, and what is illegal."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from engine.model import UnigramModel
from tests.helpers.toy_models import byte_model
from unigram_gui.tasks.control import TaskControl
from unigram_gui.tasks.requests import DecodeRequest, Reading
from unigram_gui.theme import Theme
from unigram_gui.views.decode import DecodeView
from unigram_gui.views.decode_layout import code_point_bits, decode_columns


@pytest.fixture
def model() -> UnigramModel:
    return byte_model(("▁", -1.0), ("你", -2.0), ("好", -2.0))


@pytest.fixture
def view(qtbot: QtBot, theme: Theme) -> DecodeView:
    view = DecodeView(theme)
    qtbot.addWidget(view)
    view.resize(1100, 400)
    with qtbot.waitExposed(view):
        view.show()
    return view


def drawn(view: DecodeView, painter: QPainter) -> list[str]:
    return [label.text for label in view.canvas.labels(painter)]


def test_ids_become_pieces_bytes_bits_and_characters(view: DecodeView, model: UnigramModel, painter: QPainter) -> None:
    ids = model.encode("你好😊")
    view.set_decoding(model.decode_detail(ids))
    texts = drawn(view, painter)
    for expected in (
        "<0xF0>",
        "E4",
        "BD",
        "9F",
        "U+4F60",
        "U+1F60A",
        "lead of 3",
        "lead of 4",
        "continues",
        "好",
        "😊",
    ):
        assert expected in texts
    assert view.note.text() == "7 IDs · 11 bytes · 3 characters"


def test_lead_and_continuation_bits_are_written_apart(view: DecodeView, model: UnigramModel, painter: QPainter) -> None:
    view.set_decoding(model.decode_detail(model.encode("你")))
    texts = drawn(view, painter)
    assert texts[texts.index("1110") + 1] == "0100"
    assert texts[texts.index("10") + 1] == "111101"


def test_the_space_of_the_dummy_prefix_is_shown_as_dropped(
    view: DecodeView, model: UnigramModel, painter: QPainter
) -> None:
    view.set_decoding(model.decode_detail(model.encode("你")))
    assert "dropped" in drawn(view, painter)


@pytest.mark.parametrize("height", [240, 400])
def test_bytes_without_a_lead_are_replacement_characters_with_the_reason(
    view: DecodeView, model: UnigramModel, painter: QPainter, height: int
) -> None:
    view.resize(1100, height)
    view.set_decoding(model.decode_detail([3 + 0x9F, 3 + 0x98, 3 + 0x8A]))
    texts = drawn(view, painter)
    assert texts.count("\ufffd") == 3
    assert texts.count("no lead") == 3


def test_labels_of_the_decode_pane_never_overlap(view: DecodeView, model: UnigramModel, painter: QPainter) -> None:
    ids = [*model.encode("你好😊"), 3 + 0x9F, 3 + 0xC3]
    for height in (240, 400):
        view.resize(1100, height)
        view.set_decoding(model.decode_detail(ids))
        labels = view.canvas.labels(painter)
        for i, label in enumerate(labels):
            assert not any(label.overlaps(other, 0.75) for other in labels[i + 1 :]), label


def test_editing_asks_for_another_decoding(qtbot: QtBot, view: DecodeView) -> None:
    with qtbot.waitSignal(view.ids_edited) as edited:
        qtbot.keyClicks(view.ids, "7")
    assert edited.args == ["7"]


def test_ids_from_elsewhere_are_shown_and_are_no_wish(qtbot: QtBot, view: DecodeView) -> None:
    with qtbot.assertNotEmitted(view.ids_edited):
        view.set_ids("1 5 1 5")
    assert view.ids.text() == "1 5 1 5"


def test_an_error_is_one_visible_sentence(view: DecodeView, model: UnigramModel) -> None:
    view.set_decoding(None, "There is no piece with the ID 999999.")
    assert view.error.isVisible()
    assert view.error.text() == "There is no piece with the ID 999999."
    view.set_decoding(model.decode_detail([3]))
    assert not view.error.isVisible()


def test_columns_of_a_long_list_scroll(view: DecodeView, model: UnigramModel, painter: QPainter) -> None:
    view.set_decoding(model.decode_detail(model.encode("你好" * 200)))
    assert view.canvas.horizontalScrollBar().maximum() > 0
    assert len(drawn(view, painter)) < 300


def test_a_control_piece_takes_a_column_of_its_own(model: UnigramModel) -> None:
    columns = decode_columns(model.decode_detail([1, *model.encode("你")]))
    assert columns.token_start.tolist() == [0, 1, 2]
    assert columns.byte.tolist() == [1, 2, 3, 4]
    assert columns.n_columns == 5


def test_characters_span_the_columns_of_their_bytes(model: UnigramModel) -> None:
    columns = decode_columns(model.decode_detail(model.encode("你😊")))
    spans = np.stack((columns.character_start, columns.character_end), axis=1).tolist()
    assert spans == [[1, 4], [4, 8]]


def test_the_bits_of_a_code_point_come_in_fours() -> None:
    assert code_point_bits(0x1F60A) == "0001 1111 0110 0000 1010"
    assert code_point_bits(0x41) == "0000 0000 0100 0001"


def reading_of(model: UnigramModel, text: str) -> Reading:
    return DecodeRequest(model, text)(TaskControl())


def show(view: DecodeView, reading: Reading) -> None:
    view.set_decoding(reading.decoding, " ".join(reading.remarks), reading)


def test_the_text_so_far_stands_under_every_id(view: DecodeView, model: UnigramModel, painter: QPainter) -> None:
    show(view, reading_of(model, " ".join(map(str, model.encode("你好😊")))))
    texts = drawn(view, painter)
    assert "text so far" not in texts  # the names of the rows are no labels of theirs
    assert texts.count("(empty)") == 1
    assert texts.count("你好") == 4
    assert texts.count("你好😊") == 1


def test_labels_with_the_text_so_far_never_overlap(view: DecodeView, model: UnigramModel, painter: QPainter) -> None:
    for height in (240, 420):
        view.resize(1100, height)
        show(view, reading_of(model, "F0 9F 98 41 FF C3 A9 E4 BD"))
        labels = view.canvas.labels(painter)
        for i, label in enumerate(labels):
            assert not any(label.overlaps(other, 0.75) for other in labels[i + 1 :]), label


def test_another_reading_is_told_where_there_is_one(view: DecodeView, model: UnigramModel) -> None:
    show(view, reading_of(model, "C3 A9 FF"))
    assert view.other.isVisible()
    assert "\ufffd\ufffd\ufffd" in view.other.text()
    show(view, reading_of(model, "C3 A9"))
    assert not view.other.isVisible()


def test_what_is_no_id_is_named_beside_what_is(view: DecodeView, model: UnigramModel) -> None:
    show(view, reading_of(model, "259 999999 260"))
    assert "“999999” is no ID" in view.error.text()
    assert view.note.text().startswith("2 IDs")


def test_the_form_and_the_sample_are_wishes(qtbot: QtBot, view: DecodeView) -> None:
    with qtbot.waitSignal(view.form_requested) as asked:
        view.form.setCurrentIndex(3)
        view.form.activated.emit(3)
    assert asked.args == ["bytes"]
    with qtbot.waitSignal(view.sample_requested) as sample:
        view.sample.click()
    assert sample.args == ["你好😊"]


def test_a_low_pane_scrolls_down_to_the_text_so_far(view: DecodeView, model: UnigramModel) -> None:
    view.resize(1100, 160)
    show(view, reading_of(model, "259"))
    assert view.canvas.verticalScrollBar().maximum() > 0
    view.resize(1100, 460)
    assert view.canvas.verticalScrollBar().maximum() == 0


def test_the_pane_says_what_the_text_looks_like(view: DecodeView, model: UnigramModel) -> None:
    for text, form in (("259 260 xyz", "IDs"), ("你 好 7", "pieces"), ("E4 BD A0", "bytes")):
        show(view, reading_of(model, text))
        assert view.form.currentText() == f"looks like {form}"
    view.set_decoding(None)
    assert view.form.currentText() == "read as it looks"


def test_only_what_looks_otherwise_is_painted_anew(qtbot: QtBot, view: DecodeView, model: UnigramModel) -> None:
    paints = Paints(view.canvas.viewport())

    def painted_by(text: str) -> bool:
        before = paints.n
        show(view, reading_of(model, " ".join(map(str, model.encode(text)))))
        QApplication.processEvents()
        return paints.n > before

    assert painted_by("你好" * 20)
    assert not painted_by("你好" * 21)
    assert painted_by("好你" * 21)
    assert painted_by("好")


class Paints(QObject):
    """Counts how often a widget is painted."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.n = 0
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.n += event.type() == QEvent.Type.Paint
        return False
