"""The menus, as a table: what an item is called, its shortcut, and what it asks for. Every action has a key.

In: a `MainWindow`. The window owns the actions; those that come and go with the state are in `Actions`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, SignalInstance
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QLineEdit, QMenu, QPlainTextEdit

from engine.formats.tokenizer_json import NAMES_NO_UNKNOWN_PIECE
from unigram_gui import assets
from unigram_gui.further_window import QUIT
from unigram_gui.run_window import CURVES, LESSON
from unigram_gui.settings import THEMES
from unigram_gui.undo_order import UndoOrder
from unigram_gui.views.table import FlatTable

if TYPE_CHECKING:
    from unigram_gui.main_window import MainWindow

Key = QKeySequence.StandardKey
Do = Callable[[], object]


@dataclass
class Actions:
    """Actions that are enabled, checked or filled as the state changes."""

    train: QAction
    stop: QAction
    themes: dict[str, QAction]
    need_model: list[QAction] = field(default_factory=list)


class _Menu:
    """Adds items to one menu in a line each."""

    def __init__(self, window: MainWindow, menu: QMenu) -> None:
        self.window = window
        self.menu = menu

    def item(self, title: str, key: str | Key, do: Do) -> QAction:
        action = QAction(title, self.window)
        if key:
            action.setShortcut(QKeySequence(key))
        action.triggered.connect(lambda: do())
        self.menu.addAction(action)
        return action

    def submenu(self, title: str) -> _Menu:
        return _Menu(self.window, self.menu.addMenu(title))

    def line(self) -> None:
        self.menu.addSeparator()

    def choices(self, titles: Iterable[tuple[str, str]], choose: Callable[[str], object]) -> dict[str, QAction]:
        group = QActionGroup(self.window)
        actions = {}
        for name, title in titles:
            actions[name] = self.item(title, "", lambda name=name: choose(name))  # type: ignore[misc]
            actions[name].setCheckable(True)
            group.addAction(actions[name])
        return actions


def build_menus(window: MainWindow) -> Actions:
    """Fill the menu bar of `window`."""
    bar = window.menuBar()
    need_model = _file_menu(_Menu(window, bar.addMenu("&File")))
    need_model += _edit_menu(_Menu(window, bar.addMenu("&Edit")))
    themes = _view_menu(_Menu(window, bar.addMenu("&View")))
    train, stop = _training_menu(_Menu(window, bar.addMenu("&Training")))
    need_model += _compare_menu(_Menu(window, bar.addMenu("&Compare")))
    _ask_menu(_Menu(window, bar.addMenu("&Ask")))
    _help_menu(_Menu(window, bar.addMenu("&Help")))
    return Actions(train, stop, themes, need_model)


def _file_menu(menu: _Menu) -> list[QAction]:
    window = menu.window
    menu.item("&Open corpus…", Key.Open, window.documents.ask_corpora)
    samples = menu.submenu("Open &sample corpus")
    for i, name in enumerate(assets.sample_names(), start=1):
        samples.item(name, f"Ctrl+Alt+{i}", lambda name=name: window.documents.open_sample(name))  # type: ignore[misc]
    menu.item("Open &vocabulary…", "Ctrl+Shift+O", window.documents.ask_vocabulary)
    menu.line()
    save = menu.item("&Save vocabulary…", Key.Save, window.documents.save_model)
    tsv = menu.item("Export vocabulary as a &table…", "Ctrl+Shift+S", window.documents.ask_save_tsv)
    encode = menu.item("E&ncode a file…", "Ctrl+Shift+N", window.file_encoding.ask)
    _unknown_piece_item(menu)
    menu.line()
    pictures = menu.submenu("Export &picture of")
    for name, title in window.pictures.titles().items():
        key = {"window": "Ctrl+Shift+E", "lattice": "Ctrl+Alt+E"}.get(name, "")
        pictures.item(f"{title}…", key, lambda name=name: window.pictures.ask_save(name))  # type: ignore[misc]
    menu.line()
    menu.item("&Quit", QUIT, window.close).setMenuRole(QAction.MenuRole.QuitRole)
    return [save, tsv, encode]


def _unknown_piece_item(menu: _Menu) -> None:
    window = menu.window
    action = menu.item("Name the &unknown piece", "Ctrl+Alt+U", window.documents.name_unknown_piece)
    action.setToolTip("Write into this vocabulary which piece unknown characters become (Ctrl+Alt+U)")
    action.setEnabled(False)
    window.session.model_changed.connect(lambda model: action.setEnabled(model.lacks_unknown_piece))
    window.strip.offer(action, NAMES_NO_UNKNOWN_PIECE)


def _edit_menu(menu: _Menu) -> list[QAction]:
    window = menu.window
    undo, redo = (menu.item(title, key, lambda: None) for title, key in (("&Undo", Key.Undo), ("&Redo", Key.Redo)))
    UndoOrder(window, menu.menu, undo, redo)
    edits: tuple[tuple[str, str, Key], ...] = (
        ("Cu&t", "cut", Key.Cut), ("&Copy", "copy", Key.Copy), ("&Paste", "paste", Key.Paste),
        ("Select &all", "selectAll", Key.SelectAll),
    )  # fmt: skip
    for title, slot, key in edits:
        menu.item(title, key, lambda slot=slot: _in_focused_field(window, slot))  # type: ignore[misc]
    tried = window.session.inquiry.undo_stack
    _enable_on(tried.canUndoChanged, menu.item("Undo what was &tried out", "Ctrl+Alt+Z", window.asking.undo))
    _enable_on(tried.canRedoChanged, menu.item("Tr&y it again", "Ctrl+Alt+Y", window.asking.redo))
    menu.line()
    pictures = menu.submenu("Copy p&icture of")
    for name, title in window.pictures.titles().items():
        shortcut = {"window": "Ctrl+Shift+C", "lattice": "Ctrl+Alt+C"}.get(name, "")
        pictures.item(title, shortcut, lambda name=name: window.pictures.copy(name))  # type: ignore[misc]
    menu.line()
    menu.item("Edit the te&xt", "Ctrl+L", lambda: window.focus_field(window.text_input))
    menu.item("&Find piece", Key.Find, lambda: window.focus_field(window.vocabulary.filter))
    menu.item("Find te&xt in corpus", "Ctrl+Shift+F", lambda: window.focus_field(window.corpus.filter))
    menu.item("Unpick piece", "Ctrl+Shift+D", lambda: window.session.pick_piece(-1))
    return []


def _in_focused_field(window: MainWindow, slot: str) -> None:
    field_in_focus = window.focusWidget()
    if isinstance(field_in_focus, (QLineEdit, QPlainTextEdit)):
        getattr(field_in_focus, slot)()
    elif slot == "copy" and isinstance(field_in_focus, FlatTable):
        field_in_focus.copy()


def _view_menu(menu: _Menu) -> dict[str, QAction]:
    window = menu.window
    theme_menu = menu.submenu("&Theme")
    themes = theme_menu.choices([(name, name.capitalize()) for name in THEMES], window.choose_theme)
    menu.item("Switch light and &dark", "Ctrl+D", window.switch_theme)
    menu.line()
    for key, pane in enumerate(window.panes(), start=1):
        action = menu.item(pane.accessibleName(), f"Ctrl+{key}", lambda: None)
        action.setCheckable(True)
        action.setChecked(True)
        action.toggled.connect(pane.setVisible)
    more = menu.item("Corpus: &nats per character, share", "Ctrl+Alt+N", lambda: None)
    more.setCheckable(True)
    more.toggled.connect(window.corpus.show_more)
    menu.line()
    _other_rules_item(menu)
    menu.line()
    menu.item("Lattice: &auto", "Ctrl+Alt+A", lambda: window.lattice.set_mode("auto"))
    menu.item("Lattice: &graph", "Ctrl+Alt+G", lambda: window.lattice.set_mode("graph"))
    menu.item("Lattice: &bricks", "Ctrl+Alt+B", lambda: window.lattice.set_mode("bricks"))
    menu.item("Lattice: &wrap", "Ctrl+Alt+W", lambda: window.lattice.set_wrap(not window.lattice.view.wraps))
    menu.item("Zoom &in", Key.ZoomIn, window.lattice.view.zoom_in)
    menu.item("Zoom &out", Key.ZoomOut, window.lattice.view.zoom_out)
    menu.item("&Fit", "Ctrl+0", window.lattice.view.zoom_fit)
    menu.line()
    menu.item("F&ull screen", Key.FullScreen, window.toggle_full_screen)
    menu.item("&Reset layout", "Ctrl+Alt+0", window.places.reset)
    return themes


def _other_rules_item(menu: _Menu) -> None:
    parity, field_of_text, settings = menu.window.session.parity, menu.window.text_input, menu.window.settings
    action = menu.item("Cut by the &other rules", "Ctrl+Alt+O", lambda: None)
    action.setCheckable(True)
    action.setToolTip("Show beside it how the rules of the other library cut this text (Ctrl+Alt+O)")
    action.toggled.connect(parity.show)
    parity.shown_changed.connect(action.setChecked)
    field_of_text.add_toggle(action)
    parity.show(settings.shows_other_rules)
    parity.shown_changed.connect(lambda shown: setattr(settings, "shows_other_rules", shown))


def _ask_menu(menu: _Menu) -> None:
    window, steps = menu.window, menu.window.questions.steps
    for key, (name, title) in enumerate(window.questions.titles().items(), start=2):
        menu.item(title, f"F{key}", lambda name=name: window.asking.ask(name))  # type: ignore[misc]
    menu.line()
    inquiry = window.session.inquiry
    forbid = menu.item("&Forbid the selected edge", "Ctrl+Alt+F", inquiry.forbid_span)
    force = menu.item("F&orce the selected edge", "Ctrl+Alt+R", inquiry.force_span)
    keep = menu.item("&Keep the edited vocabulary", "Ctrl+Alt+K", inquiry.keep)
    _enable_on(inquiry.span_changed, forbid, force)
    _enable_on(inquiry.undo_stack.canUndoChanged, keep)
    menu.line()
    menu.item("Step &on", "F8", steps.next.click)
    menu.item("Step &back", "Shift+F8", steps.back.click)
    menu.item("&Play the steps", "Ctrl+F8", steps.play.click)


def _training_menu(menu: _Menu) -> tuple[QAction, QAction]:
    window = menu.window
    train = menu.item("&Train", "Ctrl+R", window.session.train)
    stop = menu.item("&Stop", "Ctrl+.", window.session.stop)
    presets = menu.submenu("&Preset")
    for i, name in enumerate(window.preset_names(), start=1):
        presets.item(name, f"Alt+{i}", lambda name=name: window.session.choose_preset(name))  # type: ignore[misc]
    menu.item("&More settings", "Ctrl+M", window.training.more.toggle)
    menu.line()
    session = window.session
    menu.item("&Previous pruning round", "Alt+PgUp", lambda: session.choose_round(session.chosen_round - 1))
    menu.item("&Next pruning round", "Alt+PgDown", lambda: session.choose_round(session.chosen_round + 1))
    menu.item("Pruning &ledger…", "Ctrl+Shift+G", window.show_run)
    menu.item("&Curves…", "Ctrl+Shift+U", lambda: window.show_run(CURVES))
    menu.item("S&ums of one update…", "Ctrl+Shift+M", lambda: window.show_run(LESSON))
    menu.line()
    replaying = window.replaying
    _enable_on(
        session.replay.timeline_changed,
        menu.item("Time&line", "Ctrl+T", replaying.toggle),
        menu.item("P&lay or pause", "Ctrl+Shift+Space", replaying.play),
        menu.item("Moment &back", "Alt+Left", lambda: replaying.step(-1)),
        menu.item("Moment &on", "Alt+Right", lambda: replaying.step(1)),
        menu.item("Be&fore training", "Alt+Home", lambda: replaying.go_to_end(first=True)),
        menu.item("&After training", "Alt+End", lambda: replaying.go_to_end(first=False)),
    )
    return train, stop


def _enable_on(fact: SignalInstance, *actions: QAction) -> None:
    """Enable actions while the newest value of a fact is something to act on."""
    enabler = _Enabler(actions)
    fact.connect(enabler.set_value)
    enabler.set_value(None)


class _Enabler(QObject):
    """Lives as long as its actions, so that no fact reaches actions that are gone."""

    def __init__(self, actions: tuple[QAction, ...]) -> None:
        super().__init__(actions[0])
        self._actions = actions

    def set_value(self, value: object) -> None:
        for action in self._actions:
            action.setEnabled(value is not None and value is not False)


def _compare_menu(menu: _Menu) -> list[QAction]:
    compare = menu.window.compare
    menu.item("&Compare two vocabularies…", "Ctrl+Shift+K", compare.open)
    menu.item("&Parity report…", "Ctrl+Shift+P", menu.window.parity.open)
    menu.line()
    save = menu.item("Save to the &library…", "Ctrl+Shift+L", compare.save_current)
    menu.item("Saved &vocabularies…", "Ctrl+Shift+V", compare.open_saved)
    return [save]


def _help_menu(menu: _Menu) -> None:
    menu.item("&About", Key.HelpContents, menu.window.show_about).setMenuRole(QAction.MenuRole.AboutRole)
