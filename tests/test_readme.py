"""The README's commands are those that CI runs."""

from __future__ import annotations

import re
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent


def _set_up_commands() -> list[str]:
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    return re.findall(r"^python3 -m venv .*$", readme, flags=re.MULTILINE)


def test_the_readme_sets_up_with_two_commands_one_to_start_and_one_to_test() -> None:
    start, test = _set_up_commands()
    assert start.endswith(".venv/bin/unigram-gui --sample prose")
    assert test.endswith(".venv/bin/python -m pytest")


def test_ci_runs_the_readmes_test_command_to_the_letter_then_ruff_and_mypy() -> None:
    lines = (REPOSITORY / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    test_command = f"{_set_up_commands()[1]} || exit"
    assert lines[lines.index(test_command) :] == [test_command, ".venv/bin/ruff check", ".venv/bin/mypy"]
