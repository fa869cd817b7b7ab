"""The whole program in a process of its own, as from a terminal without a screen."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.model import load_model

REPOSITORY = Path(__file__).parent.parent.parent
SECONDS = 240


def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the program where no screen is set."""
    screens = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    environment = {name: value for name, value in os.environ.items() if name not in screens}
    return subprocess.run(
        [sys.executable, "-m", "unigram_gui", *arguments],
        cwd=REPOSITORY, env=environment | variables, capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip


def test_an_errand_trains_cuts_saves_takes_a_picture_and_exits(tmp_path: Path) -> None:
    model, picture = tmp_path / "m.model", tmp_path / "s.png"
    done = run(
        "--sample", "abc", "--preset", "Teaching", "--train", "--text", "abcabc",
        "--save", str(model), "--screenshot", str(picture), "--exit",
    )  # fmt: skip
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "")
    assert load_model(model).encode("abcabc") == [1, 5, 1, 5]
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["no such file.txt"], "There is no file no such file.txt"),
        (["--sample", "abc", "--train", "--set", "vocab_size=100"], "vocab_size 100 is out of reach"),
    ],
)
def test_a_failed_errand_exits_1_with_one_sentence(arguments: list[str], sentence: str) -> None:
    done = run(*arguments, "--exit")
    assert done.returncode == 1
    assert done.stderr.startswith(f"unigram-gui: {sentence}")
    assert done.stderr.count("\n") == 1


def test_without_a_screen_the_program_says_how_to_do_without() -> None:
    done = run("--sample", "abc")
    assert done.returncode == 1
    assert "QT_QPA_PLATFORM=offscreen" in done.stderr
    assert "--exit" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="X11 displays are a matter of Linux")
def test_a_display_that_does_not_answer_is_named() -> None:
    done = run("--sample", "abc", DISPLAY=":4711")
    assert done.returncode == 1
    assert "The display :4711 does not answer" in done.stderr or "system library" in done.stderr


def test_a_version_is_told_without_starting_anything() -> None:
    done = run("--version")
    assert done.returncode == 0
    assert done.stdout.startswith("unigram-gui ")
