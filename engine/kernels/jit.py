"""The one decorator that compiles a kernel, and the folders where machine code is kept.

A kernel takes arrays and scalars of fixed types, checks nothing and holds no interpreter lock; its public
caller checks, raises and documents. `kernel.py_func` is the same function uncompiled.

Numba's own cache looks at one source file at a time, so it misses a change in a kernel that another kernel
calls (numba.readthedocs.io, "Notes on Caching"). Here each module of kernels has a folder, whose name holds a digest
of the module's source and of the sources it imports: whatever changes is compiled anew, with all that calls it, and
nothing else is. No fastmath: scores may be -inf.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import re
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import llvmlite.binding
import numba
import platformdirs
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.runtime import rtsys

KERNELS: list[Any] = []
"""Every compiled kernel, in order of definition: `warm_up` and the tests walk it."""

_SOURCES = Path(__file__).parent
_IMPORT = re.compile(rb"^from engine\.kernels\.(\w+) import", re.MULTILINE)


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


def _digest(modules: Iterable[str]) -> str:
    """Return a digest of these modules' sources and of the compiler's version, 16 hexadecimal digits."""
    digest = hashlib.sha256(numba.__version__.encode())
    for module in sorted(modules):
        digest.update(_source(module))
    return digest.hexdigest()[:16]


@functools.cache
def module_digest(module: str) -> str:
    """Return the digest of what `engine.kernels.<module>` compiles to."""
    return _digest(_sources_behind(module))


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
    """Return the file that says the cache is complete for this interpreter, compiler and processor."""
    python = "".join(map(str, sys.version_info[:2]))
    digest = _digest(path.stem for path in _SOURCES.glob("*.py"))
    return cache_folder() / f"complete-{digest}-{python}-{llvmlite.binding.get_host_cpu_name()}"


def mark_complete() -> None:
    """Say that the cache is complete, unless the disk refused a kernel: the next start then compiles again."""
    if all(kernel._cache.is_saved for kernel in KERNELS):
        with contextlib.suppress(OSError):
            complete_mark().touch()


class _KernelCacheLocator(_CacheLocator):
    """Tells Numba where a kernel's machine code lies; the folder's name holds the freshness."""

    def __init__(self, py_func: Callable[..., Any], py_file: str) -> None:
        self._module = Path(py_file).stem
        self._line = py_func.__code__.co_firstlineno

    def get_cache_path(self) -> str:
        return str(cache_folder() / f"{self._module}-{module_digest(self._module)}")

    def get_source_stamp(self) -> str:
        return module_digest(self._module)

    def get_disambiguator(self) -> str:
        return str(self._line)

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _KernelCacheLocator:
        return cls(py_func, py_file)


class _KernelCacheImpl(CompileResultCacheImpl):
    _locator_classes = [_KernelCacheLocator]  # noqa: RUF012 - Numba's own attribute


class _KernelCache(FunctionCache):
    _impl_class = _KernelCacheImpl
    is_saved = True  # until the disk refuses machine code

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Load machine code without setting up the compiler, which takes longer than all kernels of a training do.

        Numba imports and enters all it can compile before it looks for a kernel; what is compiled already needs its
        runtime alone, and what is not makes the compiler set itself up (`CompilerBase`).
        """
        rtsys.initialize(target_context)
        with contextlib.suppress(OSError):  # what cannot be read is compiled anew
            return self._load_overload(sig, target_context)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save machine code where the disk takes it; elsewhere this process works with what it has in memory."""
        try:
            super().save_overload(sig, data)
        except OSError:
            self.is_saved = False


def kernel(function: Callable[..., Any], *, allocates: bool = True, is_inlined: bool = False) -> Any:
    """Compile `function` on first use: nopython, without the interpreter lock, cached below `cache_folder`."""
    dispatcher = numba.njit(nogil=True, _nrt=allocates, forceinline=is_inlined)(function)
    if not numba.config.DISABLE_JIT:
        dispatcher._cache = _KernelCache(function)
        KERNELS.append(dispatcher)
    return dispatcher


def inner_kernel(function: Callable[..., Any]) -> Any:
    """Compile a kernel that makes and returns no array.

    It does not count references to the arrays it is given: counting is an atomic step for every array at every call,
    takes longer than an inner loop does, and threads would wait for each other.
    """
    return kernel(function, allocates=False)


def inlined_kernel(function: Callable[..., Any]) -> Any:
    """Compile an inner kernel as a part of every kernel that calls it.

    An array is handed over as seven numbers, so calling one with many arrays takes longer than a word does.
    """
    return kernel(function, allocates=False, is_inlined=True)
