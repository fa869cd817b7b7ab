"""Every example in a docstring of the engine is true."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import engine

MODULES = sorted(
    info.name
    for info in pkgutil.walk_packages(engine.__path__, "engine.")
    if not info.name.startswith("engine.kernels")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_are_true(name: str) -> None:
    failures, _ = doctest.testmod(importlib.import_module(name))
    assert failures == 0
