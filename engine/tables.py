"""The engine's only reader of resources/: tables made from the Unicode Character Database.

Out: arrays indexed by code point. The scripts in resources/unicode say which version and how they were made.
"""

from __future__ import annotations

import functools
from importlib.resources import files

import numpy as np

N_CODE_POINTS = 0x110000


@functools.cache
def scripts() -> tuple[tuple[str, ...], np.ndarray]:
    """Return the names of the Unicode scripts and, for each code point, the index of its own.

    Returns
    -------
    names : tuple of str
        In alphabetical order; unassigned code points are "Unknown".
    script : uint8[0x110000]

    Examples
    --------
    >>> names, script = scripts()
    >>> names[script[ord("a")]], names[script[ord("の")]], names[script[ord("1")]]
    ('Latin', 'Hiragana', 'Common')
    """
    text = files("resources").joinpath("unicode", "scripts.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
    names = tuple(sorted({name for _, _, name in rows} | {"Unknown"}))
    script = np.full(N_CODE_POINTS, names.index("Unknown"), dtype=np.uint8)
    for first, last, name in rows:
        script[int(first, 16) : int(last, 16) + 1] = names.index(name)
    script.setflags(write=False)
    return names, script
