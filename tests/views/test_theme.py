"""Theme, style sheet and bundled resources."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

import pytest
from PySide6.QtGui import QFontDatabase, QRawFont
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QPushButton, QTableView
from pytestqt.qtbot import QtBot

from unigram_gui import assets, theme
from unigram_gui.shaping import Shaper
from unigram_gui.style_sheet import style_sheet
from unigram_gui.theme import DARK, LIGHT, FontSpec, Palette, Theme


@pytest.fixture
def app(qapp: QApplication) -> Iterator[QApplication]:
    """Return the application, undressed again afterwards."""
    font, palette, style = qapp.font(), qapp.palette(), qapp.style().objectName()
    yield qapp
    qapp.setStyle(style)
    qapp.setPalette(palette)
    qapp.setFont(font)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_the_style_sheet_is_taken_without_a_warning(qtbot: QtBot, app: QApplication, palette: Palette) -> None:
    Theme(palette).apply(app)
    for make in (QLineEdit, QPushButton, QComboBox, QTableView):
        widget = make()
        qtbot.addWidget(widget)
        Theme(palette).dress(widget)
        widget.show()
        widget.grab()
    assert "$" not in style_sheet(palette)


def test_fractional_sizes_are_kept(qapp: QApplication) -> None:
    shaper = Shaper(Theme())
    width = shaper.width("0123456789", FontSpec("sans", 10.5))
    shaper.width("0123456789", FontSpec("sans", 21.0))
    assert {font.pixelSize() for font in shaper.raw_fonts} == {10.5, 21.0}
    assert width == pytest.approx(0.5 * shaper.width("0123456789", FontSpec("sans", 21.0)), rel=0.01)


def test_fonts_are_made_once(qapp: QApplication) -> None:
    one = Theme()
    assert one.mono(12.0) is one.mono(12.0)


def test_the_bundled_font_can_be_loaded_and_holds_what_the_program_writes(qapp: QApplication) -> None:
    data = files("resources").joinpath("fonts", "JetBrainsMono-subset.ttf").read_bytes()
    assert len(data) < 60_000
    font = QRawFont(data, 12.0)
    assert all(font.supportsCharacter(ord(character)) for character in "azAZ09−≤·→αβéжΩ×∞…◌\ufffd")
    assert "SIL OPEN FONT LICENSE" in files("resources").joinpath("fonts", "OFL.txt").read_text(encoding="utf-8")


def test_without_a_preferred_font_the_bundled_one_is_used(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(theme, "has_preferred_fonts", lambda: False)
    assets.load_fonts()
    assert "JetBrains Mono" in QFontDatabase.families()
    QFontDatabase.removeAllApplicationFonts()
    theme.forget_families()


def test_samples_are_found_by_name() -> None:
    assert {"abc", "prose"} <= set(assets.sample_names())
    assert assets.sample_path("abc").suffix == ".tsv"
    with pytest.raises(KeyError, match="there are abc, prose"):
        assets.sample_path("nothing")


def test_the_program_has_an_icon(qapp: QApplication) -> None:
    assert not assets.icon().isNull()
    assert assets.icon("nothing").isNull()
