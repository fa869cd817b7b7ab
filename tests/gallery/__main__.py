"""`python -m tests.gallery DIR` writes a PNG of every view, in both themes, for a worked example and for prose.

Nothing here is compared with anything: people look at the pictures. Works with and without a screen.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from unigram_gui import command_line

if TYPE_CHECKING:
    from unigram_gui.main_window import MainWindow
    from unigram_gui.session import Session

SCREENLESS = not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
PROSE_SETTINGS = ("--set", "byte_fallback=true", "--set", "vocab_size=1400")
PROSE_TEXT = "The baker’s 面包 was naïve 👩‍🍳 and warm"
COMPARED_TEXT = "The baker thought about the weather"
THEMES = ("light", "dark")


@dataclass(frozen=True)
class Scene:
    """What a window shows when its pictures are taken: the command line that a person would type."""

    name: str
    arguments: tuple[str, ...]


SCENES = (
    Scene("abc", ("--sample", "abc", "--preset", "Teaching", "--train", "--text", "abcabc")),
    Scene("prose", ("--sample", "prose", *PROSE_SETTINGS, "--train", "--text", PROSE_TEXT)),
    Scene("empty", ()),
    Scene("failed", ("no such file.txt",)),
)


def main(folder: Path) -> int:
    """Write all pictures into `folder`; return the exit code."""
    if SCREENLESS:
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    folder.mkdir(parents=True, exist_ok=True)
    from unigram_gui.app import make_application

    app = make_application(command_line.Options(exit=True))
    for scene in SCENES:
        for theme in THEMES:
            for path in take_pictures(scene, theme, folder, app.processEvents):
                print(path)
    return 0


def take_pictures(scene: Scene, theme: str, folder: Path, process_events: Callable[[], None]) -> Iterator[Path]:
    """Open a window, do what the scene says, and write a picture of each view."""
    from PySide6.QtCore import QEventLoop

    from unigram_gui import assets
    from unigram_gui.errand import Errand
    from unigram_gui.main_window import MainWindow
    from unigram_gui.session import Session
    from unigram_gui.settings import Settings

    assets.load_fonts()
    session = Session()
    window = MainWindow(session, Settings(remember=False), theme)
    window.show()
    errand = Errand(session, window, command_line.parse(scene.arguments))
    done = QEventLoop()
    errand.ended.connect(done.quit)
    session.start()
    errand.start()
    done.exec()
    if session.model is not None:
        session.pick_piece(len(session.model.pieces) - 1)
    process_events()
    for name in window.pictures.titles():
        path = folder / f"{scene.name}_{name}_{theme}.png"
        window.pictures.save(name, path)
        yield path
    if session.history is not None:
        yield decode_picture(window, folder / f"{scene.name}_decode_sample_{theme}.png", process_events)
        yield from compare_pictures(window, f"{scene.name}_compare", theme, folder, process_events)
    window.close()


def decode_picture(window: MainWindow, path: Path, process_events: Callable[[], None]) -> Path:
    """Write a picture of the decode pane with the sample that its heading offers, and room for all of its rows."""
    text = window.session.text
    window.decode.sample.click()
    window.places.splitters["bottom"].setSizes([360, 270, 810])
    window.places.splitters["all"].setSizes([460, 342])
    _wait(window.session, process_events)
    window.pictures.save("decode", path)
    window.places.reset()
    window.session.set_text(text)
    _wait(window.session, process_events)
    return path


def compare_pictures(
    window: MainWindow, name: str, theme: str, folder: Path, process_events: Callable[[], None]
) -> Iterator[Path]:
    """Compare the first table of the training with its last, and write a picture of each page, and the figure."""
    from unigram_gui.export import figures

    compare, session = window.compare.open(), window.session
    _wait(session, process_events)
    rounds = [source for source in session.comparing.sources if source.kind == "round"]
    session.comparing.choose(0, rounds[0])
    session.comparing.choose(1, session.comparing.sources[0])
    session.comparing.set_text(session.text)
    _wait(session, process_events)
    session.comparing.compare_on_corpus()
    _wait(session, process_events)
    for page, title in enumerate(("text", "vocabularies", "corpus", "saved")):
        compare.turn_to(page)
        process_events()
        path = folder / f"{name}_{title}_{theme}.png"
        figures.save_widget_png(compare, path)
        yield path
    session.comparing.set_text(COMPARED_TEXT)
    _wait(session, process_events)
    path = folder / f"{name}_figure_{theme}.png"
    compare.export(path)
    yield path


def _wait(session: Session, process_events: Callable[[], None]) -> None:
    process_events()
    while session.is_busy:
        process_events()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m tests.gallery DIR")
    sys.exit(main(Path(sys.argv[1])))
