"""What `import engine` offers."""

from __future__ import annotations

from pathlib import Path

import pytest

import engine

HOMES = [name for names in engine._HOMES.values() for name in names.split()]


def test_each_public_name_has_one_home() -> None:
    assert sorted(HOMES) == sorted(engine.__all__)
    assert {name for name in engine.__all__ if not hasattr(engine, name)} == set()
    assert set(engine.__all__) <= set(dir(engine))


def test_no_public_name_is_a_module() -> None:
    modules = {path.stem for path in Path(engine.__file__).parent.iterdir()}
    assert not modules & set(HOMES)  # once imported, a module of that name would stand in its place


def test_another_name_is_refused_as_python_does() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        engine.nothing  # noqa: B018
