"""The command line: what a person would do by hand, in that order. Knows neither Qt nor the engine.

unigram-gui corpus.txt --set vocab_size=2000 --train --text "..." --save out.model --screenshot out.png --exit
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

PROGRAM = "unigram-gui"


@dataclass(frozen=True)
class Options:
    """The command line, read."""

    files: tuple[Path, ...] = ()
    sample: str | None = None
    model: Path | None = None
    preset: str | None = None
    settings: dict[str, str] = field(default_factory=dict)
    train: bool = False
    text: str | None = None
    save: tuple[Path, ...] = ()
    encode: Path | None = None
    format: str = "ids"
    output: Path | None = None
    screenshot: Path | None = None
    exit: bool = False
    theme: str | None = None


def version() -> str:
    """Return the program's version."""
    try:
        return metadata.version(PROGRAM)
    except metadata.PackageNotFoundError:  # run from a checkout that was never installed
        return "not installed"


def parse(arguments: Sequence[str]) -> Options:
    """Read the command line; ends the process with a usage message where it makes no sense."""
    parser = _parser()
    values = parser.parse_args(arguments)
    if (values.encode is None) != (values.output is None):
        parser.error("--encode and --output go together")
    return Options(
        files=tuple(values.files),
        sample=values.sample,
        model=values.open,
        preset=values.preset,
        settings=dict(values.set),
        train=values.train,
        text=values.text,
        save=tuple(values.save),
        encode=values.encode,
        format=values.format,
        output=values.output,
        screenshot=values.screenshot,
        exit=values.exit,
        theme=values.theme,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        PROGRAM,
        description="Train a Unigram tokenizer and explore every way it could cut a text.",
        epilog="Steps are done in the order of this list, as a person would by hand.",
    )
    add = parser.add_argument
    add("files", nargs="*", type=Path, metavar="FILE", help="corpora (.txt, .tsv, .gz, .xz) or a vocabulary")
    add("--sample", metavar="NAME", help="open a bundled sample corpus, such as abc or prose")
    add("--open", type=Path, metavar="MODEL", help="open a vocabulary (.model, tokenizer.json)")
    add("--preset", metavar="NAME", help='take all settings from a preset, such as "Teaching"')
    add("--set", action="append", default=[], type=_setting, metavar="NAME=VALUE", help="change one setting")
    add("--train", action="store_true", help="train on the open corpus")
    add("--text", help="the text to cut")
    add("--save", action="append", default=[], type=Path, metavar="FILE", help="save the vocabulary (.model, .tsv)")
    add("--encode", type=Path, metavar="FILE", help="encode every line of a file (.txt, .gz, .xz) to --output")
    add("--format", choices=("ids", "pieces", "jsonl", "npy", "npz"), default="ids", help="what --encode writes")
    add("--output", type=Path, metavar="FILE", help="where --encode writes")
    add("--screenshot", type=Path, metavar="FILE", help="write a picture of the window (.png, .svg)")
    add("--exit", action="store_true", help="end afterwards; needs no screen; any failure ends with exit code 1")
    add("--theme", choices=("light", "dark"), help="colours of the window")
    add("--version", action="version", version=f"{PROGRAM} {version()}")
    return parser


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=VALUE")
    return name.strip(), value


def complain(sentence: str) -> None:
    """Tell whoever started the program what went wrong, in one sentence on the standard error."""
    print(f"{PROGRAM}: {sentence}", file=sys.stderr)
