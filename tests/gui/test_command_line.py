"""The command line, and what the program says where there is no screen or no library. No window here."""

from __future__ import annotations

from pathlib import Path

import pytest

from unigram_gui import command_line, screen


def test_the_command_line_of_the_readme_is_read() -> None:
    options = command_line.parse(
        ["corpus.txt", "--train", "--set", "vocab_size=2000", "--text", "a b", "--save", "o.model", "--exit"]
    )
    assert options.files == (Path("corpus.txt"),)
    assert options.settings == {"vocab_size": "2000"}
    assert (options.train, options.text, options.exit) == (True, "a b", True)
    assert options.save == (Path("o.model"),)


def test_a_file_to_encode_needs_a_place_to_write_to(capsys: pytest.CaptureFixture[str]) -> None:
    options = command_line.parse(["--encode", "a.txt", "--format", "npz", "--output", "a.npz"])
    assert (options.encode, options.format, options.output) == (Path("a.txt"), "npz", Path("a.npz"))
    with pytest.raises(SystemExit):
        command_line.parse(["--encode", "a.txt"])
    assert "go together" in capsys.readouterr().err


def test_a_setting_may_be_given_more_than_once_and_the_last_one_counts() -> None:
    assert command_line.parse(["--set", "a=1", "--set", "a=2"]).settings == {"a": "2"}


def test_a_setting_without_a_value_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command_line.parse(["--set", "vocab_size"])
    assert "is not of the form NAME=VALUE" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--colour"], "Unrecognized arguments: --colour"),
        (["--format", "xml"], "Argument --format: invalid choice"),
        (["--open", ""], "the name of a file is empty"),
        (["--open", "a.model", "--open", "b.model"], "--open is given twice"),
        (["--screenshot", "s.bmp"], "s.bmp is no kind of picture that can be written; end it in .png or .svg"),
    ],
)
def test_what_makes_no_sense_is_said_in_one_sentence(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        command_line.parse(arguments)
    said = capsys.readouterr().err
    assert ended.value.code == 1
    assert sentence in said
    assert said.count("\n") == 1


def test_no_screen_and_nobody_there_goes_off_screen() -> None:
    environment: dict[str, str] = {}
    screen.choose_platform(environment, unattended=True, system="linux")
    assert environment == {"QT_QPA_PLATFORM": "offscreen"}


def test_no_screen_and_somebody_there_says_how_to_run_off_screen() -> None:
    with pytest.raises(screen.CannotStart, match="QT_QPA_PLATFORM=offscreen"):
        screen.choose_platform({}, unattended=False, system="linux")


@pytest.mark.parametrize("variable", ["DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"])
def test_a_screen_or_a_chosen_platform_is_left_alone(variable: str) -> None:
    environment = {variable: "x"}
    screen.choose_platform(environment, unattended=True, system="linux")
    assert environment == {variable: "x"}


@pytest.mark.parametrize(("library", "package"), sorted(screen.DEBIAN_PACKAGES.items()))
def test_a_missing_library_is_named_with_its_package(library: str, package: str) -> None:
    sentence = screen.missing_library(f"{library}: cannot open shared object file: No such file or directory")
    assert sentence is not None
    assert library in sentence
    assert f'"apt-get install {package}"' in sentence


def test_another_import_error_is_not_taken_for_a_missing_library() -> None:
    assert screen.missing_library("No module named 'PySide6'") is None
