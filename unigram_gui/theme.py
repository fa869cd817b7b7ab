"""How the program looks: two palettes, the fonts, and the style sheet of the whole window.

In: nothing but the fonts of the system. Out: a `Theme`, which views keep to look colours and fonts up, and which
dresses an application with `Theme.apply(app)` and each of its windows with `Theme.dress(window)`. It draws nothing
itself; `style_sheet.py` holds the rules for Qt's own widgets.

Sizes are logical pixels. Fonts are made with fractional sizes (a note is 10.5 pixels), which Qt only takes in
points: the screen's own resolution converts them.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import NamedTuple

from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from unigram_gui.style_sheet import style_sheet

STYLE = "fusion"  # the one style that follows palette and style sheet alike on every system
NORMAL, MEDIUM, SEMI_BOLD, BOLD = 400, 500, 600, 700

SANS_FAMILIES = ("Inter", "Segoe UI", "SF Pro Text", "Noto Sans", "DejaVu Sans")
MONO_FAMILIES = ("JetBrains Mono", "Cascadia Mono", "SF Mono", "Noto Sans Mono", "DejaVu Sans Mono")
FALLBACK_FAMILIES = ("Noto Sans CJK JP", "Noto Sans CJK SC", "Noto Sans Arabic", "Noto Color Emoji", "Segoe UI Emoji")

# Digits of one width, and no ligature that would hide that a piece is several characters.
FONT_FEATURES = {"tnum": 1, "liga": 0, "clig": 0, "dlig": 0, "calt": 0}


class FontSpec(NamedTuple):
    """A font by what it is for: a key that is cheap to compare, unlike a `QFont`."""

    family: str  # "sans"; "mono" for text under study, whose hidden characters are drawn; "code" for figures
    size: float
    weight: int = NORMAL


@dataclass(frozen=True, eq=False)
class Palette:
    """Every colour of the program by its part in a drawing. There are two; they are told apart by identity."""

    dark: bool
    paper: str
    panel: str
    hairline: str
    grid: str
    ink: str
    ink2: str
    ink3: str
    faint: str
    edge: str
    on_best: str
    best: str
    best_text: str
    best_deep: str
    best_tint: str
    picked: str
    picked_tint: str
    picked_fill: str
    raised: str
    continuation: str
    continuation_tint: str
    removed: str
    removed_tint: str
    card: str
    card_border: str


LIGHT = Palette(
    dark=False,
    paper="#FFFFFF",
    panel="#F5F7F9",
    hairline="#DCE2E8",
    grid="#EDF0F4",
    ink="#18202A",
    ink2="#46525F",
    ink3="#5D6975",
    faint="#A9B3BE",
    edge="#3B4754",
    on_best="#FFFFFF",
    best="#0B5FB3",
    best_text="#0B5FB3",
    best_deep="#084A8E",
    best_tint="#DCEAF8",
    picked="#A54608",
    picked_tint="#FBE6D6",
    picked_fill="#A54608",
    raised="#FFFFFF",
    continuation="#0B6E66",
    continuation_tint="#D8EEEB",
    removed="#A02B4A",
    removed_tint="#F8E1E7",
    card="#18202A",
    card_border="#18202A",
)

DARK = Palette(
    dark=True,
    paper="#14181D",
    panel="#1A1F25",
    hairline="#323B45",
    grid="#222930",
    ink="#EAEEF2",
    ink2="#B6C0CB",
    ink3="#8E9AA7",
    faint="#56616D",
    edge="#C3CDD7",
    on_best="#FFFFFF",
    best="#2373C4",
    best_text="#74B8F8",
    best_deep="#185A9E",
    best_tint="#17324E",
    picked="#F0A869",
    picked_tint="#45301D",
    picked_fill="#B4601C",
    raised="#20262D",
    continuation="#63CBBE",
    continuation_tint="#143B39",
    removed="#F28BA5",
    removed_tint="#462230",
    card="#2B333C",
    card_border="#4A5561",
)


@functools.cache
def mix(under: str, over: str, share: float) -> str:
    """`share` of the colour `over` laid on `under`, as "#rrggbb".

    >>> mix("#000000", "#FF8000", 0.5)
    '#804000'
    """
    channels = (round(int(under[i : i + 2], 16) * (1.0 - share) + int(over[i : i + 2], 16) * share) for i in (1, 3, 5))
    return "#" + "".join(f"{channel:02x}" for channel in channels)


class Theme:
    """A palette and the fonts that go with it. One object serves all views; fonts are made once for each size."""

    def __init__(self, palette: Palette = LIGHT) -> None:
        self.palette = palette
        self._fonts: dict[FontSpec, QFont] = {}

    def sans(self, size: float = 12.0, weight: int = NORMAL) -> QFont:
        return self.font(FontSpec("sans", size, weight))

    def mono(self, size: float = 12.0, weight: int = NORMAL) -> QFont:
        return self.font(FontSpec("mono", size, weight))

    def font(self, spec: FontSpec) -> QFont:
        font = self._fonts.get(spec)
        if font is None:
            font = self._fonts[spec] = _make_font(spec)
        return font

    def apply(self, app: QApplication) -> None:
        """Dress the whole application: style, palette, base font. Safe to call again when the theme changes."""
        if app.style().name() != STYLE:  # setting it again would polish every widget anew
            app.setStyle(STYLE)
        app.setPalette(_qt_palette(self.palette))
        if app.font() != self.sans():
            app.setFont(self.sans())

    def dress(self, window: QWidget) -> None:
        """Give a window its style sheet, and with it all that belongs to the window: dialogs, menus, tool tips.

        Not the application: Qt would then polish a widget once for each widget that it lies in, and again.
        """
        window.setStyleSheet(style_sheet(self.palette))


def current_theme(dark: bool = False) -> Theme:
    """A new theme, light or dark."""
    return Theme(DARK if dark else LIGHT)


@functools.cache
def _available_families() -> frozenset[str]:
    return frozenset(QFontDatabase.families())


def families(kind: str) -> list[str]:
    """The families of this system for "sans" or a monospaced kind, best first.

    Absent ones are left out: naming one costs Qt a search through all fonts.
    """
    wanted = (SANS_FAMILIES if kind == "sans" else MONO_FAMILIES) + FALLBACK_FAMILIES
    present = [family for family in wanted if family in _available_families()]
    return present or [QFontDatabase.systemFont(_system_font(kind)).family()]


def forget_families() -> None:
    """Look the families up again: call it after fonts were added."""
    _available_families.cache_clear()


def has_preferred_fonts() -> bool:
    """Whether the system has one of the named families of each kind, so that no bundled font is needed."""
    present = _available_families()
    return not present.isdisjoint(SANS_FAMILIES) and not present.isdisjoint(MONO_FAMILIES)


def _system_font(kind: str) -> QFontDatabase.SystemFont:
    return QFontDatabase.SystemFont.GeneralFont if kind == "sans" else QFontDatabase.SystemFont.FixedFont


def _make_font(spec: FontSpec) -> QFont:
    font = QFont()
    font.setFamilies(families(spec.family))
    font.setPointSizeF(spec.size * 72.0 / _dots_per_inch())
    font.setWeight(QFont.Weight(spec.weight))
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    font.setStyleStrategy(QFont.StyleStrategy.PreferAntialias)
    for tag, value in FONT_FEATURES.items():
        font.setFeature(QFont.Tag(tag), value)
    return font


def _dots_per_inch() -> float:
    screen = QGuiApplication.primaryScreen()
    return screen.logicalDotsPerInchY() if screen is not None else 96.0


def _qt_palette(palette: Palette) -> QPalette:
    roles = QPalette.ColorRole
    colours = {
        roles.Window: palette.paper,
        roles.Base: palette.raised,
        roles.AlternateBase: palette.panel,
        roles.Button: palette.raised,
        roles.WindowText: palette.ink,
        roles.Text: palette.ink,
        roles.ButtonText: palette.ink,
        roles.PlaceholderText: palette.ink3,
        roles.Highlight: palette.best,
        roles.HighlightedText: palette.on_best,
        roles.ToolTipBase: palette.card,
        roles.ToolTipText: "#FFFFFF",
        roles.Link: palette.best_text,
        roles.Mid: palette.hairline,
    }
    result = QPalette()
    for role, colour in colours.items():
        result.setColor(role, QColor(colour))
    for role in (roles.Text, roles.WindowText, roles.ButtonText):
        result.setColor(QPalette.ColorGroup.Disabled, role, QColor(palette.faint))
    return result
