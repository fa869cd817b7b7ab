"""The engine's only reader of resources/: tables made from the Unicode Character Database.

Out: the script of each code point, and the text of files of normalization rules. The scripts in resources/unicode say
which version and how they were made.
"""

from __future__ import annotations

import functools
import lzma
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


def rule_file(name: str) -> str:
    r"""Return the text of a file of normalization rules: "nfkc", "case_folding" or "nmt".

    >>> rule_file("nmt").splitlines()[1]
    '0001\t'
    """
    file = files("resources").joinpath("unicode", "nmt.tsv" if name == "nmt" else f"{name}.tsv.xz")
    data = file.read_bytes()
    return (data if name == "nmt" else lzma.decompress(data)).decode("utf-8")


@functools.cache
def ages() -> np.ndarray:
    """Return ten times the Unicode version that assigned each code point, 255 where none has: uint8[0x110000].

    >>> ages()[ord("a")], ages()[0x32FF]
    (np.uint8(11), np.uint8(121))
    """
    text = files("resources").joinpath("unicode", "ages.tsv").read_text(encoding="utf-8")
    age = np.full(N_CODE_POINTS, 255, dtype=np.uint8)
    for first, last, version in (line.split("\t") for line in text.splitlines() if not line.startswith("#")):
        age[int(first, 16) : int(last, 16) + 1] = int(version)
    age.setflags(write=False)
    return age
