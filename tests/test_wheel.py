"""The wheel, built and installed outside the checkout: what is in it, and that it runs from there."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parent.parent


def _run(*command: str | Path, folder: Path, **environment: str) -> str:
    """Run a command in a folder and return what it printed; a failure shows both streams."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout.strip()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    # Without isolation, since that would fetch the backend anew: the extra "test" brings it.
    build = (sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder)
    _run(*build, REPOSITORY, folder=folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the wheel's content and scripts, and none of its dependencies."""
    target = tmp_path_factory.mktemp("installed")
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index")
    _run(*pip, "--target", target, wheel, folder=target)
    return target


def _files(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def test_the_wheel_holds_the_three_packages_and_nothing_else(wheel: Path) -> None:
    top_level = {name.split("/")[0] for name in _files(wheel)}
    (metadata,) = {name for name in top_level if name.endswith(".dist-info")}
    assert top_level - {metadata} == {"engine", "resources", "unigram_gui"}


def test_the_wheel_holds_every_resource_but_the_pictures_for_readers(wheel: Path) -> None:
    found = {name for name in _files(wheel) if name.startswith("resources/")}
    files = (path for path in (REPOSITORY / "resources").rglob("*") if path.is_file())
    names = {path.relative_to(REPOSITORY).as_posix() for path in files if path.parent.name != "__pycache__"}
    assert found == {name for name in names if not name.startswith("resources/pictures/")}


def test_the_wheel_is_small(wheel: Path) -> None:
    assert wheel.stat().st_size < 4 * 2**20


def test_packages_and_resources_are_found_outside_the_checkout(installed: Path, tmp_path: Path) -> None:
    script = (
        "import engine, resources, unigram_gui; from importlib.resources import files;"
        "print(engine.__file__); print(files('resources').joinpath('samples', 'abc.tsv').read_text())"
    )
    # -P: not from the current folder either.
    printed = _run(sys.executable, "-P", "-c", script, folder=tmp_path, PYTHONPATH=str(installed))
    assert printed.splitlines()[0] == str(installed / "engine" / "__init__.py")
    assert "abc\t12" in printed


def test_the_program_tells_its_version_outside_the_checkout(installed: Path, tmp_path: Path) -> None:
    program = installed / "bin" / "unigram-gui"
    printed = _run(program, "--version", folder=tmp_path, PYTHONPATH=str(installed))
    (metadata,) = installed.glob("unigram_gui-*.dist-info")
    assert metadata.name == f"unigram_gui-{printed.split()[-1]}.dist-info"
