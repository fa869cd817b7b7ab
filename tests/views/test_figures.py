"""Figures: PNG, SVG and clipboard, whole or not at all."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from PySide6.QtGui import QFontDatabase, QGuiApplication, QImage, QPainter
from pytestqt.qtbot import QtBot

from tests.helpers.toy_models import byte_model
from unigram_gui.export import figures
from unigram_gui.tasks.exploration import Exploration
from unigram_gui.theme import DARK, Theme
from unigram_gui.views.decode import DecodeView
from unigram_gui.views.lattice import DEFAULT_LAYERS, LatticePane
from unigram_gui.views.lattice.figure import LatticeFigure


@pytest.fixture
def figure(theme: Theme, unable: Exploration) -> LatticeFigure:
    return LatticeFigure(unable, theme, DEFAULT_LAYERS, "graph")


def test_a_figure_tells_its_text_and_its_figures(figure: LatticeFigure, painter: QPainter) -> None:
    drawn = [label.text for label in figure.labels(painter)]
    for text in ("unable", "11", "0.02546", "−3.670", "0.599 nats", "best path", "≤ 0.01 %"):
        assert text in drawn


def test_bricks_have_the_name_of_the_model_as_their_title(theme: Theme, sentence: Exploration) -> None:
    figure = LatticeFigure(sentence, theme, DEFAULT_LAYERS, "bricks")
    assert figure.title == sentence.model_name
    assert dict(figure.statistics())["characters"] == "480"


def test_a_png_has_two_pixels_for_a_logical_one(figure: LatticeFigure, tmp_path: Path) -> None:
    figures.save_png(figure, tmp_path / "a.png")
    image = QImage(str(tmp_path / "a.png"))
    assert (image.width(), image.height()) == (round(2 * figure.width), round(2 * figure.height))


def test_an_svg_needs_no_font(figure: LatticeFigure, tmp_path: Path) -> None:
    figures.save_svg(figure, tmp_path / "a.svg")
    root = ET.parse(tmp_path / "a.svg").getroot()
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert "text" not in tags
    assert {"path", "title"} <= tags


def test_an_emoji_is_part_of_the_svg(theme: Theme, emoji: Exploration) -> None:
    svg = figures.svg_bytes(LatticeFigure(emoji, theme, DEFAULT_LAYERS, "bricks"))
    assert svg.startswith(b"<?xml")
    if any("Emoji" in family for family in QFontDatabase.families()):
        assert b"<image" in svg


def test_drawing_an_svg_does_not_spoil_emoji_on_screen(theme: Theme, emoji: Exploration) -> None:
    figure = LatticeFigure(emoji, theme, DEFAULT_LAYERS, "bricks")
    before = figures.image_of(figure)
    figures.svg_bytes(figure)
    assert figures.image_of(figure) == before


def test_a_dark_figure_has_a_dark_ground(unable: Exploration, qapp: object) -> None:
    image = figures.image_of(LatticeFigure(unable, Theme(DARK), DEFAULT_LAYERS, "graph"))
    assert image.pixelColor(1, 1).name().upper() == DARK.paper


def test_the_clipboard_offers_an_image_and_svg(figure: LatticeFigure) -> None:
    figures.copy_to_clipboard(figure)
    content = QGuiApplication.clipboard().mimeData()
    assert content.hasImage()
    assert bytes(content.data("image/svg+xml").data()).startswith(b"<?xml")
    QGuiApplication.clipboard().clear()


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_a_pane_is_written_as_its_whole_figure(
    qtbot: QtBot, theme: Theme, sentence: Exploration, tmp_path: Path, suffix: str
) -> None:
    pane = LatticePane(theme)
    qtbot.addWidget(pane)
    pane.resize(400, 300)
    pane.set_exploration(sentence)
    path = tmp_path / f"a.{suffix}"
    if suffix == "png":
        figures.save_widget_png(pane, path)
    else:
        figures.save_widget_svg(pane, path)
    figure = pane.figure()
    assert figure is not None
    assert figure.width > 4000
    assert path.stat().st_size > 10_000


def test_a_pane_without_a_text_is_written_as_it_stands(qtbot: QtBot, theme: Theme, tmp_path: Path) -> None:
    pane = LatticePane(theme)
    qtbot.addWidget(pane)
    figures.save_widget_svg(pane, tmp_path / "a.svg")
    figures.save_widget_png(pane, tmp_path / "a.png")
    assert {path.name for path in tmp_path.iterdir()} == {"a.svg", "a.png"}


def test_a_failed_write_leaves_the_old_file_and_no_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(b"old")

    def fail(self: Path, target: Path) -> Path:
        raise OSError("disk full")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        figures.write_atomically(path, b"new")
    assert [file.name for file in tmp_path.iterdir()] == ["a.png"]
    assert path.read_bytes() == b"old"


def test_a_folder_that_is_not_there_is_an_error(figure: LatticeFigure, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="missing"):
        figures.save_png(figure, tmp_path / "missing" / "a.png")


def test_a_scroll_bar_that_just_became_necessary_is_in_the_picture(qtbot: QtBot, theme: Theme, tmp_path: Path) -> None:
    view = DecodeView(theme)
    qtbot.addWidget(view)
    view.resize(300, 250)
    with qtbot.waitExposed(view):
        view.show()
    view.set_decoding(byte_model(("a", -1.0)).decode_detail([259] * 20))
    figures.save_widget_png(view, tmp_path / "a.png")
    assert view.canvas.horizontalScrollBar().isVisible()
