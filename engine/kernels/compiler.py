"""From a kernel's Python source to machine code, by Numba. Imported only where something is to be compiled.

A kernel that makes no array becomes an entry for `engine.kernels.machine_code`; any other is called through Numba's own
dispatcher, with Numba's cache of what it compiles. No fastmath: scores may be -inf.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.runtime import rtsys
from numba.extending import intrinsic, typeof_impl
from numba.np.arrayobj import make_array, populate_array

from engine.kernels import jit
from engine.kernels.machine_code import BOOL, CLOSE, FLOAT, INT, OPEN, SINGLE, UINT, MachineCode, linked, save

if TYPE_CHECKING:
    from pathlib import Path

    from engine.kernels.jit import Kernel
    from engine.kernels.machine_code import Kind

_HEADER_WORDS = object.__basicsize__ // 8
"""Of a Python object, before NumPy's public fields: data, number of dimensions, shape (ndarraytypes.h)."""
_DATA, _SHAPE = _HEADER_WORDS, _HEADER_WORDS + 2

_WORDS, _REALS = types.CPointer(types.int64), types.CPointer(types.float64)
_ENTRY_TYPE = types.void(_WORDS, _REALS, _WORDS, _REALS)
_ARGUMENTS = {
    INT: "words[{0}]", UINT: "uint64(words[{0}])", BOOL: "words[{0}] != 0", FLOAT: "reals[{0}]",
    SINGLE: "float32(reals[{0}])",
}  # fmt: skip


# -- kernels that call kernels ---------------------------------------------------------------------------------


@typeof_impl.register(jit.Kernel)  # type: ignore[untyped-decorator]
def _type_of_kernel(kernel: Kernel, _: Any) -> Any:
    return types.Dispatcher(kernel.callee)


def callee(kernel: Kernel) -> Any:
    """Return what Numba calls where another kernel calls this one."""
    return numba.njit(
        nogil=True, _nrt=kernel.allocates, forceinline=kernel.is_inlined, no_cpython_wrapper=True, no_cfunc_wrapper=True
    )(kernel.py_func)


# -- entries -----------------------------------------------------------------------------------------------------


def compiled(kernel: Kernel, kinds: tuple[Kind, ...], path: Path) -> MachineCode:
    """Compile a kernel for arguments of these kinds; the file at `path` holds it afterwards, if the disk takes it."""
    kept: list[Any] = []
    values, names = _expressions(kinds)
    # A name of its own in all the program: LLVM tells functions apart by nothing else.
    name = re.sub(r"\W", "_", f"{path.parent.name}_{path.stem}")
    source = f"def {name}(words, reals, out, out_reals):\n    keep(out, out_reals, kernel({values}))\n"
    names |= {"kernel": kernel, "keep": _keeper(kept)}
    exec(source, names)  # of this program's own names and kinds
    entry = numba.njit(_ENTRY_TYPE, nogil=True, _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True)(
        names[name]
    )
    [found] = entry.overloads.values()
    _, _, (object_code, _) = found.library.serialize_using_object_code()
    results, is_tuple = _kinds_of(kept[0])
    about = (found.fndesc.llvm_func_name, object_code, results, is_tuple)
    try:
        save(path, *about)
    except OSError:
        kernel.is_saved = False
    return linked(*about)


def _expressions(kinds: tuple[Kind, ...]) -> tuple[str, dict[str, Any]]:
    """Return the source of a kernel's arguments within an entry, and what its names mean."""
    source, place = "", 0
    names: dict[str, Any] = {"uint64": np.uint64, "float32": np.float32}
    for number, kind in enumerate(kinds):
        if not isinstance(kind, str):
            names[f"class_{number}"] = kind
            source += f"class_{number}("
        elif kind in (OPEN, CLOSE):
            source += "(" if kind == OPEN else "), "
        else:
            if kind in _ARGUMENTS:
                source += _ARGUMENTS[kind].format(place) + ", "
            else:
                array = types.Array(numba.from_dtype(np.dtype(kind[0])), len(kind), "C")
                names[f"array_{place}"] = _reader(array)
                source += f"array_{place}(words[{place}]), "
            place += 1
    return source, names


def _reader(array: types.Array) -> Any:
    """Return a function that turns the address of a NumPy array's Python object into that array."""

    @intrinsic  # type: ignore[untyped-decorator]
    def read(_: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
            word_type = context.get_value_type(types.intp)

            def words_at(address: Any) -> Any:
                return builder.inttoptr(address, word_type.as_pointer())

            def word(words: Any, place: int) -> Any:
                return builder.load(builder.gep(words, [ir.Constant(word_type, place)]))

            fields = words_at(arguments[0])
            lengths = words_at(word(fields, _SHAPE))
            shape = [word(lengths, axis) for axis in range(array.ndim)]
            size = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(array.dtype)))
            strides = [size]
            for length in shape[:0:-1]:
                strides.insert(0, builder.mul(strides[0], length))
            found = make_array(array)(context, builder)
            data = builder.inttoptr(word(fields, _DATA), found.data.type)
            populate_array(found, data=data, shape=shape, strides=strides, itemsize=size, meminfo=None)
            return found._getvalue()

        return array(types.int64), generate

    return read


def _keeper(kept: list[Any]) -> Any:
    """Return a function that writes a kernel's result where its caller looks; `kept` gets the result's type."""

    @intrinsic  # type: ignore[untyped-decorator]
    def keep(_: Any, out: Any, out_reals: Any, result: Any) -> Any:
        kept[:] = [result]

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            words, reals, value = arguments
            members, _ = _members(result)
            for place, member in enumerate(members):
                is_real = isinstance(member, types.Float)
                one = builder.extract_value(value, place) if isinstance(result, types.BaseTuple) else value
                one = context.cast(builder, one, member, types.float64 if is_real else types.int64)
                where = builder.gep(reals if is_real else words, [ir.Constant(ir.IntType(64), place)])
                builder.store(one, where)
            return context.get_dummy_value()

        return types.void(out, out_reals, result), generate

    return keep


def _members(result: Any) -> tuple[list[Any], bool]:
    if isinstance(result, types.NoneType):
        return [], False
    if isinstance(result, types.BaseTuple):
        return list(result), True
    return [result], False


def _kinds_of(result: Any) -> tuple[tuple[str, ...], bool]:
    members, is_tuple = _members(result)
    kinds = []
    for member in members:
        if isinstance(member, types.Boolean):
            kinds.append(BOOL)
        elif isinstance(member, types.Float):
            kinds.append(FLOAT)
        elif isinstance(member, types.Integer):
            kinds.append(INT if member.signed else UINT)
        else:
            raise TypeError(f"A kernel returns {member}; one that makes arrays is an allocating_kernel.")
    return tuple(kinds), is_tuple


# -- kernels that make arrays ------------------------------------------------------------------------------------


def dispatcher(kernel: Kernel) -> Any:
    """Return Numba's own dispatcher, with a cache in the folder of the kernel's module."""
    made = numba.njit(nogil=True, _nrt=kernel.allocates, forceinline=kernel.is_inlined)(kernel.py_func)
    made._cache = _KernelCache(kernel)
    return made


class _KernelCacheLocator(_CacheLocator):
    """Tells Numba where a kernel's machine code lies; the folder's name holds the freshness."""

    def __init__(self, py_func: Callable[..., Any]) -> None:
        self._module = jit.module_of(py_func)
        self._line = py_func.__code__.co_firstlineno

    def get_cache_path(self) -> str:
        return str(jit.module_folder(self._module))

    def get_source_stamp(self) -> str:
        return jit.module_digest(self._module)

    def get_disambiguator(self) -> str:
        return str(self._line)

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], _: str) -> _KernelCacheLocator:
        return cls(py_func)


class _KernelCacheImpl(CompileResultCacheImpl):
    _locator_classes = [_KernelCacheLocator]  # noqa: RUF012 - Numba's own attribute


class _KernelCache(FunctionCache):
    _impl_class = _KernelCacheImpl

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel.py_func)
        self._kernel = kernel

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Load machine code without setting up the compiler, which takes longer than all kernels of a text do.

        Numba imports and enters all it can compile before it looks for a kernel; what is compiled already needs its
        runtime alone, and what is not makes the compiler set itself up (`CompilerBase`).
        """
        rtsys.initialize(target_context)
        try:
            return self._load_overload(sig, target_context)
        except Exception:  # a damaged file fails in pickle, in Numba or in LLVM: what cannot be read is compiled anew
            with contextlib.suppress(OSError):
                self.flush()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save machine code where the disk takes it; elsewhere this process works with what it has in memory."""
        try:
            super().save_overload(sig, data)
        except OSError:
            self._kernel.is_saved = False
