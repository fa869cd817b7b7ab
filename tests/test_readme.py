"""The README is true: its commands are those that CI runs, its script runs, its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parent.parent
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")


def _set_up_commands() -> list[str]:
    return re.findall(r"^python3 -m venv .*$", README, flags=re.MULTILINE)


def test_the_readme_sets_up_with_two_commands_one_to_start_and_one_to_test() -> None:
    start, test = _set_up_commands()
    assert start.endswith(".venv/bin/unigram-gui --sample prose")
    assert test.endswith(".venv/bin/python -m pytest")


def test_ci_runs_the_readmes_test_command_to_the_letter_then_ruff_and_mypy() -> None:
    lines = (REPOSITORY / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    test_command = f"{_set_up_commands()[1]} || exit"
    assert lines[lines.index(test_command) :] == [test_command, ".venv/bin/ruff check", ".venv/bin/mypy"]


def test_everything_the_readme_links_to_is_there() -> None:
    links = re.findall(r"\]\((?!https?:)([^)]+)\)", README)
    assert [link for link in links if not (REPOSITORY / link).is_file()] == []


def test_the_readmes_script_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (script,) = re.findall(r"^```python\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(script, "README.md", "exec"), {"__name__": "readme"})
    assert (tmp_path / "out.model").is_file()
