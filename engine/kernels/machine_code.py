"""Machine code of kernels: loaded, called and kept in files, without the compiler.

Importing Numba takes as long as training on ten megabytes of text, and a start on compiled kernels needs none of it:
an object file, LLVM's linker and one calling convention are enough. A kernel's entry, made by
`engine.kernels.compiler`, takes four vectors: its arguments as words (an array stands as the address of its Python
object, of which the entry reads NumPy's public fields), its arguments as float64, and two views of its results.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import json
import os
import struct
import tempfile
import threading
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import llvmlite.binding
import numpy as np

_ENTRY = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 6)
"""Numba's convention: a place for the result, one for an error, then the arguments; it returns 0 where all is well."""

_LINKING = threading.Lock()
_AS_REAL = struct.Struct("d")

INT, UINT, BOOL, FLOAT, SINGLE = "int", "uint", "bool", "float", "single"
"""Kinds of numbers that a kernel takes and returns. An array's kind is its dtype's character, once a dimension."""

_KIND_OF_SCALAR: dict[type, str] = {
    int: INT, np.int64: INT, np.int32: INT, np.int16: INT, np.int8: INT, np.uint8: INT, np.uint16: INT, np.uint32: INT,
    np.uint64: UINT, bool: BOOL, np.bool_: BOOL, float: FLOAT, np.float64: FLOAT, np.float32: SINGLE,
}  # fmt: skip


OPEN, CLOSE = "(", ")"
"""Round the kinds of a tuple's members; that of a named one opens with its class."""

Kind = str | type[tuple[Any, ...]]


class Arguments:
    """A call's arguments as an entry takes them, and their kinds: those decide which machine code serves.

    Attributes
    ----------
    kinds : tuple of Kind
    words : array of int64
        A number, or the address of an array, for each argument; members of tuples stand one after the other.
    reals : array of float64
        The floating-point numbers among them, each in its argument's place.
    """

    __slots__ = ("kinds", "reals", "words")

    def __init__(self, values: tuple[Any, ...]) -> None:
        kinds: list[Kind] = []
        words: list[int] = []
        reals: dict[int, float] = {}
        _enter(values, kinds, words, reals)
        self.kinds = tuple(kinds)
        self.words = array("q", words)
        self.reals = array("d", [reals.get(i, 0.0) for i in range(len(words))] if reals else ())


def _enter(values: tuple[Any, ...], kinds: list[Kind], words: list[int], reals: dict[int, float]) -> None:
    for value in values:
        if type(value) is np.ndarray:
            assert value.flags.c_contiguous, "a kernel takes arrays without gaps"
            kinds.append(value.dtype.char * value.ndim)
            words.append(id(value))
        elif isinstance(value, tuple):
            kinds.append(OPEN if type(value) is tuple else type(value))
            _enter(value, kinds, words, reals)
            kinds.append(CLOSE)
        else:
            kind = _KIND_OF_SCALAR[type(value)]
            kinds.append(kind)
            if kind in (FLOAT, SINGLE):
                reals[len(words)] = value
                words.append(0)
            else:
                number = int(value)
                words.append(number if number < 1 << 63 else number - (1 << 64))


@dataclass(frozen=True)
class MachineCode:
    """One kernel's machine code for one combination of argument types.

    `results` are the kinds of what it returns; `is_tuple` tells one value from a tuple of one.
    """

    entry: Callable[..., int]
    results: tuple[str, ...]
    is_tuple: bool

    def __call__(self, arguments: Arguments) -> Any:
        """Run it. The arrays must live as long as the call takes; the interpreter lock is not held."""
        out = array("q", bytes(8 * len(self.results) + 16))
        place, _ = out.buffer_info()
        status = self.entry(
            place, place + 8, arguments.words.buffer_info()[0], arguments.reals.buffer_info()[0], place + 16, place + 16
        )
        assert status == 0, "a kernel raises nothing"
        values = [_result(kind, word) for kind, word in zip(self.results, out[2:], strict=True)]
        if self.is_tuple:
            return tuple(values)
        return values[0] if values else None


def _result(kind: str, word: int) -> int | float | bool:
    if kind == FLOAT:
        real: float = _AS_REAL.unpack(word.to_bytes(8, "little", signed=True))[0]
        return real
    if kind == BOOL:
        return word != 0
    return word & 0xFFFFFFFFFFFFFFFF if kind == UINT else word


@functools.cache
def _linker() -> llvmlite.binding.ExecutionEngine:
    """Return what takes object files into this process."""
    llvmlite.binding.initialize_native_target()
    llvmlite.binding.initialize_native_asmprinter()
    machine = llvmlite.binding.Target.from_default_triple().create_target_machine(jit=True)
    return llvmlite.binding.create_mcjit_compiler(llvmlite.binding.parse_assembly(""), machine)


def linked(symbol: str, object_code: bytes, results: tuple[str, ...], is_tuple: bool) -> MachineCode:
    """Return an object file's function `symbol`, ready to be called. Raises ValueError where there is none."""
    with _LINKING:
        linker = _linker()
        linker.add_object_file(llvmlite.binding.ObjectFileRef.from_data(object_code))
        linker.finalize_object()
        address = linker.get_function_address(symbol)
    if not address:
        raise ValueError(f"no function {symbol}")
    return MachineCode(_ENTRY(address), results, is_tuple)


def _digest(path: Path, content: bytes) -> bytes:
    """Return a digest of a file's content and of its name, which says what the machine code is for."""
    return hashlib.sha256(f"{path.parent.name}/{path.name}\n".encode() + content).hexdigest().encode()


def load(path: Path) -> MachineCode | None:
    """Return the machine code that a file holds, or None where there is none that can be read.

    What is not as it was written is never linked or called: LLVM, or the processor, would end the process.
    """
    try:
        digest, _, content = path.read_bytes().partition(b"\n")
        if digest != _digest(path, content):
            return None
        head, _, object_code = content.partition(b"\n")
        about = json.loads(head)
        return linked(about["symbol"], object_code, tuple(about["results"]), about["is_tuple"])
    except (OSError, ValueError, RuntimeError):
        return None


def save(path: Path, symbol: str, object_code: bytes, results: tuple[str, ...], is_tuple: bool) -> None:
    """Write machine code so that the file is wholly there or not at all. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    head = json.dumps({"symbol": symbol, "results": results, "is_tuple": is_tuple})
    content = head.encode() + b"\n" + object_code
    handle, temporary = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(_digest(path, content) + b"\n" + content)
        Path(temporary).replace(path)
    except OSError:
        Path(temporary).unlink(missing_ok=True)
        raise
