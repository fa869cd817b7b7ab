"""The decorators that compile a kernel, and the folders where machine code is kept.

A kernel takes arrays and numbers, checks nothing and holds no interpreter lock; its public caller checks, raises and
documents. `kernel.py_func` is the same function uncompiled. Each combination of argument types is compiled once
(`engine.kernels.compiler`) and from then on loaded from a file (`engine.kernels.machine_code`).

Each module of kernels has a folder, whose name holds a digest of the module's source, of the sources it imports, and of
what makes machine code: whatever changes is compiled anew, with all that calls it, and nothing else is.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.util
import os
import re
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

import llvmlite.binding
import platformdirs

from engine.kernels.machine_code import Arguments, Kind, MachineCode, load

KERNELS: list[Kernel] = []
"""Every compiled kernel, in order of definition: `warm_up` and the tests walk it."""

_SOURCES = Path(__file__).parent
_IMPORT = re.compile(rb"^from engine\.kernels\.(\w+) import", re.MULTILINE)
_IS_COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")
_COMPILING = threading.RLock()


@functools.cache
def _source(module: str) -> bytes:
    return (_SOURCES / f"{module}.py").read_bytes()


@functools.cache
def _sources_behind(module: str) -> frozenset[str]:
    """Return the kernel modules whose sources decide what `module` compiles to: itself and all it imports."""
    found = {module}
    waiting = [module]
    while waiting:
        imported = {name.decode() for name in _IMPORT.findall(_source(waiting.pop()))} - found
        found |= imported
        waiting += imported
    return frozenset(found)


@functools.cache
def _toolchain() -> bytes:
    """Return what besides sources decides how machine code looks: compiler, interpreter and processor."""
    processor = llvmlite.binding.get_host_cpu_name(), llvmlite.binding.get_host_cpu_features().flatten()
    numba = importlib.util.find_spec("numba")
    assert numba is not None
    assert numba.origin is not None
    # importlib.metadata knows the version as well, but reads e-mail headers for it, for longer than all kernels load.
    compiler = Path(numba.origin).with_name("_version.py").read_bytes()
    return compiler + repr((sys.version, object.__basicsize__, *processor)).encode()


def _digest(modules: Iterable[str]) -> str:
    """Return a digest of these modules' sources and of the tools, 16 hexadecimal digits."""
    digest = hashlib.sha256(_toolchain())
    for module in sorted({*modules, "compiler", "jit", "machine_code"}):
        digest.update(_source(module))
    return digest.hexdigest()[:16]


@functools.cache
def module_digest(module: str) -> str:
    """Return the digest of what `engine.kernels.<module>` compiles to."""
    return _digest(_sources_behind(module))


@functools.cache
def module_folder(module: str) -> Path:
    """Return the folder of the machine code of `engine.kernels.<module>`."""
    return cache_folder() / f"{module}-{module_digest(module)}"


def module_of(function: Callable[..., Any]) -> str:
    """Return the name of a kernel's module within `engine.kernels`."""
    return function.__module__.rpartition(".")[2]


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


@functools.cache
def cache_folder() -> Path:
    """Return the folder of compiled kernels: in the user's cache directory, or a temporary one."""
    folder = Path(platformdirs.user_cache_dir("unigram-gui")) / "kernels"
    if _is_writable(folder):
        return folder
    # Private to the account: machine code that another account could plant must never be loaded.
    return Path(tempfile.mkdtemp(prefix="unigram-gui-kernels-"))


def complete_mark() -> Path:
    """Return the file that says the cache is complete for these tools."""
    return cache_folder() / f"complete-{_digest(path.stem for path in _SOURCES.glob('*.py'))}"


def mark_complete() -> None:
    """Say that the cache is complete, unless the disk refused a kernel: the next start then compiles again."""
    if all(kernel.is_saved for kernel in KERNELS):
        with contextlib.suppress(OSError):
            complete_mark().touch()


def share_in_cache() -> float:
    """Return about which share of the kernels that are called from outside has machine code in the cache, 0..1."""
    inner = {name for kernel in KERNELS for name in kernel.py_func.__code__.co_names}
    outer = [kernel.py_func for kernel in KERNELS if kernel.py_func.__name__ not in inner]
    folders = (module_folder(module) for module in {module_of(function) for function in outer})
    files = {file.name.partition("-")[0] for folder in folders if folder.is_dir() for file in folder.iterdir()}
    found = {name.rpartition(".")[2] for name in files}  # Numba puts the module's name before the function's
    return sum(function.__name__ in found for function in outer) / max(1, len(outer))


class Kernel:
    """A function that is compiled on first use for each combination of its arguments' types.

    Attributes
    ----------
    py_func : the function itself
    allocates : whether it makes or returns arrays
    is_inlined : whether it becomes a part of each kernel that calls it
    is_saved : False once the disk refused its machine code
    """

    def __init__(self, function: Callable[..., Any], *, allocates: bool, is_inlined: bool) -> None:
        functools.update_wrapper(self, function)
        self.py_func = function
        self.allocates = allocates
        self.is_inlined = is_inlined
        self.is_saved = True
        self._codes: dict[tuple[Kind, ...], MachineCode] = {}

    def __call__(self, *values: Any) -> Any:
        """Run the machine code for arguments like these, compiling it where there is none."""
        if self.allocates:
            return self.dispatcher(*values)
        arguments = Arguments(values)
        code = self._codes.get(arguments.kinds)
        if code is None:
            code = self._code_for(arguments.kinds)
        return code(arguments)

    def _code_for(self, kinds: tuple[Kind, ...]) -> MachineCode:
        names = " ".join(kind if isinstance(kind, str) else kind.__qualname__ for kind in kinds)
        digest = hashlib.sha256(names.encode()).hexdigest()[:16]
        path = module_folder(module_of(self.py_func)) / f"{self.py_func.__name__}-{digest}.code"
        code = load(path)
        if code is None:
            from engine.kernels.compiler import compiled

            with _COMPILING:
                code = self._codes.get(kinds) or compiled(self, kinds, path)
        self._codes[kinds] = code
        return code

    @property
    def signatures(self) -> list[Any]:
        """For which types of arguments there is machine code in this process."""
        return [*self._codes, *(self.dispatcher.signatures if "dispatcher" in self.__dict__ else ())]

    @cached_property
    def dispatcher(self) -> Any:
        """What calls it through Numba, where arrays are made."""
        from engine.kernels import compiler

        return compiler.dispatcher(self)

    @cached_property
    def callee(self) -> Any:
        """What Numba compiles into another kernel that calls this one."""
        from engine.kernels import compiler

        return compiler.callee(self)


def _kernel(function: Callable[..., Any], *, allocates: bool = False, is_inlined: bool = False) -> Any:
    if not _IS_COMPILED:
        return function
    made = Kernel(function, allocates=allocates, is_inlined=is_inlined)
    KERNELS.append(made)
    return made


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a kernel that makes and returns no array: on first use, without the interpreter lock.

    It does not count references to the arrays it is given: counting is an atomic step for every array at every call,
    takes longer than an inner loop does, and threads would wait for each other.
    """
    return _kernel(function)


def inlined_kernel(function: Callable[..., Any]) -> Any:
    """Compile a kernel as a part of every kernel that calls it.

    An array is handed over as seven numbers, so calling one with many arrays takes longer than a word does.
    """
    return _kernel(function, is_inlined=True)


def allocating_kernel(function: Callable[..., Any]) -> Any:
    """Compile a kernel that makes or returns arrays: Numba itself has to be there to call it."""
    return _kernel(function, allocates=True)
