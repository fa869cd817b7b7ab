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
from typing import NoReturn

PROGRAM = "unigram-gui"
PICTURES = (".png", ".svg")


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, as every other failure of the program is said."""

    def error(self, message: str) -> NoReturn:
        """Override ArgumentParser.error."""
        complain(f"{message[:1].upper()}{message[1:]}; see {PROGRAM} --help.")
        sys.exit(1)


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
    parity: Path | None = None
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
    """Read the command line; ends the process with one sentence where it makes no sense."""
    parser = _parser()
    values = parser.parse_args(arguments)
    if (values.encode is None) != (values.output is None):
        parser.error("--encode and --output go together; give both")
    if len(values.open) > 1:
        parser.error("--open is given twice; one vocabulary can be open at a time")
    return Options(
        files=tuple(values.files),
        sample=values.sample,
        model=values.open[0] if values.open else None,
        preset=values.preset,
        settings=dict(values.set),
        train=values.train,
        text=values.text,
        save=tuple(values.save),
        encode=values.encode,
        format=values.format,
        output=values.output,
        parity=values.parity,
        screenshot=values.screenshot,
        exit=values.exit,
        theme=values.theme,
    )


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        PROGRAM,
        description="Train a Unigram tokenizer and explore every way it could cut a text.",
        epilog="Steps are done in the order of this list, as a person would by hand.",
    )
    add = parser.add_argument
    add("files", nargs="*", type=_path, metavar="FILE", help="corpora (.txt, .tsv, .gz, .xz) or a vocabulary")
    add("--sample", metavar="NAME", help="open a bundled sample corpus, such as abc or prose")
    models = "open a vocabulary (.model, tokenizer.json)"
    add("--open", action="append", default=[], type=_path, metavar="MODEL", help=models)
    add("--preset", metavar="NAME", help='take all settings from a preset, such as "Teaching"')
    add("--set", action="append", default=[], type=_setting, metavar="NAME=VALUE", help="change one setting")
    add("--train", action="store_true", help="train on the open corpus")
    add("--text", help="the text to cut")
    add("--save", action="append", default=[], type=_path, metavar="FILE", help="save the vocabulary (.model, .tsv)")
    add("--encode", type=_path, metavar="FILE", help="encode every line of a file (.txt, .gz, .xz) to --output")
    add("--format", choices=("ids", "pieces", "jsonl", "npy", "npz"), default="ids", help="what --encode writes")
    add("--output", type=_path, metavar="FILE", help="where --encode writes")
    parity = "write where SentencePiece and HF tokenizers differ on the corpus, as a table (.tsv)"
    add("--parity", type=_path, metavar="FILE", help=parity)
    add("--screenshot", type=_picture, metavar="FILE", help="write a picture of the window (.png, .svg)")
    add("--exit", action="store_true", help="end afterwards; needs no screen; any failure ends with exit code 1")
    add("--theme", choices=("light", "dark"), help="colours of the window")
    add("--version", action="version", version=f"{PROGRAM} {version()}")
    return parser


def _path(text: str) -> Path:
    if not text:
        raise argparse.ArgumentTypeError("the name of a file is empty")
    return Path(text)


def _picture(text: str) -> Path:
    path = _path(text)
    if path.suffix.lower() not in PICTURES:
        raise argparse.ArgumentTypeError(f"{text} is no kind of picture that can be written; end it in .png or .svg")
    return path


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=VALUE")
    return name.strip(), value


def complain(sentence: str) -> None:
    """Tell whoever started the program what went wrong, in one sentence on the standard error."""
    print(f"{PROGRAM}: {sentence}", file=sys.stderr)
