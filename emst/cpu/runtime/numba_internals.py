"""What numba does not promise to keep: all that emst uses of it stands here.

Tried with numba 0.61.0 and llvmlite 0.44.0 (NumPy 1.24), and with numba 0.68.1 and llvmlite 0.50.0 (NumPy 2.4).

numba's cache on disk compares the file that a kernel stands in with the one it was compiled from. It does not follow
functions and constants that are inlined from other files, so it would run old machine code after an update. Here the
names of its files end in a digest of all that can go into a kernel. Versions do not share files, so processes that run
an old and a new one side by side cannot mix them up; files of old versions stay until somebody deletes them.

numba numbers the files of a function's signatures, and keeps the numbers in an index. Two processes that compile two
signatures at the same time can take the same number, and a third one then runs the machine code of one signature with
the arguments of the other: a crash, or a wrong result. Here every signature has a file of its own, which says what it
holds, and there is no index.
"""

from __future__ import annotations

import gc
import hashlib
import importlib.resources
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import llvmlite
import numba
from llvmlite import ir
from numba import _dynfunc
from numba.core import cgutils, event, types
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile
from numba.core.callconv import RETCODE_OK
from numba.core.callwrapper import PyCallWrapper
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.lowering import Lower
from numba.core.typed_passes import NativeLowering

from emst.backend.notices import NOT_KEPT, say_once


def without_counts(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """`numba.njit` for functions that own no arrays: without reference counts, they cannot allocate."""
    return numba.njit(error_model="numpy", _nrt=False, **options)


def _sources(folder: Any, name: str = "") -> Iterator[tuple[str, bytes]]:
    """Path and contents of every Python file below a folder, in one order on all machines."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        path = f"{name}/{entry.name}"
        if entry.is_dir():
            yield from _sources(entry, path)
        elif path.endswith(".py"):
            yield path, entry.read_bytes()


def _digest() -> str:
    """Of everything that machine code depends on beside the processor and the types of arguments."""
    total = hashlib.sha256(f"numba {numba.__version__}, llvmlite {llvmlite.__version__}".encode())
    for path, contents in _sources(importlib.resources.files("emst.cpu")):
        total.update(f"\n{path} {len(contents)}\n".encode() + contents)
    return total.hexdigest()[:16]


DIGEST = _digest()


class _FilesOfThisVersion(CompileResultCacheImpl):
    """Names the files of the cache. Their folder is what numba takes: `NUMBA_CACHE_DIR`, `__pycache__` beside the
    kernel's file or, if nobody may write there, one of the user's."""

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        return f"{super().get_filename_base(fullname, abiflags)}-{DIGEST}"


class _FileOfSignature(IndexDataCacheFile):
    """The files of one function: one for each key, which holds the signature, the processor and the function's code."""

    def save(self, key: Any, data: Any) -> None:
        try:
            self._save_data(self._name_of(key), (self._source_stamp, key, data))
        except OSError as error:  # the disk is full, for one
            _not_kept(error)

    def load(self, key: Any) -> Any:
        try:
            stamp, own, data = self._load_data(self._name_of(key))
        except OSError:  # not there, or deleted in this moment
            return None
        return data if (stamp, own) == (self._source_stamp, key) else None

    def flush(self) -> None:
        """Nothing: numba's index would be emptied here, for ``recompile``."""

    def _name_of(self, key: Any) -> str:
        name = hashlib.sha256(repr(key).encode()).hexdigest()[:16]
        return self._data_name_pattern.replace("{number:d}", name)


class _Cache(FunctionCache):
    _impl_class = _FilesOfThisVersion

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        self._cache_file = _FileOfSignature(
            self._cache_path, self._impl.filename_base, self._impl.locator.get_source_stamp()
        )


def keep_on_disk(dispatcher: Any) -> None:
    """Load machine code from the cache, and save there what is compiled: ``cache=True``, under this version's names."""
    try:
        dispatcher._cache = _Cache(dispatcher.py_func)
    except RuntimeError:  # numba knows no other folder
        _not_kept("neither the package's folders nor the user's can be written")


def _not_kept(why: object) -> None:
    """All works as ever, but takes longer in every process."""
    say_once(NOT_KEPT.format(why, "NUMBA_CACHE_DIR"))


class _Teller(event.Listener):
    """Passes on when kernels of this package begin and end to be compiled."""

    def __init__(self, tell: Callable[[bool], None]) -> None:
        self._tell = tell

    def on_start(self, found: Any) -> None:
        if _is_ours(found):
            self._tell(True)

    def on_end(self, found: Any) -> None:
        if _is_ours(found):
            self._tell(False)


def _is_ours(found: Any) -> bool:
    return (found.data["dispatcher"].py_func.__module__ or "").startswith("emst.")  # None if `exec` has made it


def compile_events(tell: Callable[[bool], None]) -> AbstractContextManager[Any]:
    """Within this context, call ``tell(True)`` and ``tell(False)`` around every compilation of a kernel.

    numba broadcasts this event after it has looked for the kernel on disk in vain."""
    return event.install_listener("numba:compile", _Teller(tell))


class _Collector:
    """Pauses Python's collection of garbage while a kernel is compiled, which is a tenth of that time. numba compiles
    one kernel at a time, and others that it calls within."""

    def __init__(self) -> None:
        self._depth, self._was_on = 0, False

    def __call__(self, begins: bool) -> None:
        if begins and self._depth == 0:
            self._was_on = gc.isenabled()
            gc.disable()
        self._depth += 1 if begins else -1
        if self._depth == 0 and self._was_on:
            gc.enable()


event.register("numba:compile", _Teller(_Collector()))


def data_pointer(context: Any, builder: Any, array_type: Any, array: Any) -> Any:
    """Pointer to the first element of an array, in an intrinsic."""
    return cgutils.create_struct_proxy(array_type)(context, builder, value=array).data


# Of a job, in words of 8 bytes. What all threads write has a line of memory of its own, which is two where memory is
# read two lines at a time.
COUNTER, SIZE, GRAIN, LOCK, FAILED, LEFT, JOB = 0, 16, 17, 18, 19, 32, 48
STOPPED = 2**62  # the counter is at least this where there are no more chunks

PACK = -(2**62)  # instead of the beginning of a chunk
# Of a place for packed arguments, in words: the address of the loop, that of the job, and the arguments from here on.
ARGUMENTS, PLACE = 2, 1024
INT = ir.IntType(64)


def with_loop(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """As `without_counts`, for kernels ``(*args, begin, end)``: threads that Python knows nothing of can run them.

    Called with ``(*args, PACK, address)``, the compiled function does not run: it writes the arguments to the memory at
    this address, as machine code has them, and before them the address of a loop that calls it with them. The loop is a
    C function ``int64(int64 address, int64 once)``; `team` says what it does. The loop and the kernel are one piece of
    machine code, in one file of the cache; the kernel is called, so its body is not compiled again.
    """
    return without_counts(pipeline_class=_CompilerWithLoop, **options)


def for_kernels(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """As `without_counts`, for functions that only compiled functions call, which inline them."""
    options |= {"forceinline": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return without_counts(pipeline_class=_CompilerOfPart, **options)


def has_loop(function: Any) -> bool:
    """Whether `with_loop` has made this function; others, also those of numba, are called chunk by chunk."""
    return getattr(getattr(function, "_compiler", None), "pipeline_class", None) is _CompilerWithLoop


class _LowerWithLoop(Lower):
    def create_cpython_wrapper(self, release_gil: bool = False) -> None:
        fndesc, context = self.fndesc, self.context
        if fndesc.restype != types.none or tuple(fndesc.argtypes[-2:]) != (types.int64, types.int64):
            super().create_cpython_wrapper(release_gil)
            return
        module = context.create_module("loop")
        kind = context.call_conv.get_function_type(fndesc.restype, fndesc.argtypes)
        kernel = ir.Function(module, kind, fndesc.llvm_func_name)
        if ARGUMENTS + len(kind.args) - 4 > PLACE:
            raise NotImplementedError(f"{fndesc.qualname} has too many arguments for a loop")
        entry = _entry(module, kernel, _loop(module, kernel))
        PyCallWrapper(context, module, entry, fndesc, self.env, self.call_helper, release_gil).build()
        self.library.add_ir_module(module)


@register_pass(mutates_CFG=True, analysis_only=False)
class _NativeLoweringWithLoop(NativeLowering):
    _name = "emst_native_lowering"

    @property
    def lowering_class(self) -> type[Lower]:
        return _LowerWithLoop


class _LibraryOfPart(JITCodeLibrary):
    """The LLVM IR of a part, for the kernels that inline it. It is neither optimised alone nor turned into machine
    code: nobody calls it."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _LoweringOfPart(NativeLowering):
    _name = "emst_lowering_of_part"

    def run_pass(self, state: Any) -> bool:
        context = state.targetctx
        state.library = _LibraryOfPart(context.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        found = state["cr"]
        entry = _dynfunc.make_function(found.fndesc.lookup_module(), state.func_id.func_name, "", 0, found.env, ())
        context.insert_user_function(entry, found.fndesc, [state.library])  # numba finds the part by its entry
        state["cr"] = found._replace(cfunc=entry)
        return True


class _CompilerOfPart(CompilerBase):
    def define_pipelines(self) -> list[Any]:
        return _pipelines(self.state, _LoweringOfPart)


class _CompilerWithLoop(CompilerBase):
    def define_pipelines(self) -> list[Any]:
        return _pipelines(self.state, _NativeLoweringWithLoop)


def _pipelines(state: Any, lowering: type[NativeLowering]) -> list[Any]:
    """numba's, with another way to make LLVM IR of a function."""
    passes = DefaultPassBuilder.define_nopython_pipeline(state)
    passes.passes = [(lowering if one is NativeLowering else one, name) for one, name in passes.passes]
    passes.finalize()
    return [passes]


def _internal(module: Any, kind: Any, name: str) -> tuple[Any, Any]:
    """A new function that is seen in this module only, and where its code goes."""
    function = ir.Function(module, kind, name)
    function.linkage = "internal"
    return function, ir.IRBuilder(function.append_basic_block())


def _word(builder: Any, base: Any, at: int, kind: Any = INT) -> Any:
    """Pointer to a word of memory, a number of words after an address."""
    return builder.inttoptr(builder.add(base, INT(8 * at)), kind.as_pointer())


def _arguments(builder: Any, area: Any, kernel: Any) -> list[Any]:
    """Pointers to the packed arguments: a word for each number and pointer that arrays and tuples consist of."""
    kinds = kernel.function_type.args[2:-2]
    return [_word(builder, area, ARGUMENTS + i, kind) for i, kind in enumerate(kinds)]


def _entry(module: Any, kernel: Any, loop: Any) -> Any:
    """What Python calls: it runs the kernel, or packs its arguments."""
    entry, builder = _internal(module, kernel.function_type, kernel.name + ".entry")
    _, _, *own, begin, area = entry.args
    with builder.if_then(builder.icmp_signed("==", begin, INT(PACK)), likely=False):
        builder.store(builder.ptrtoint(loop, INT), _word(builder, area, 0))
        for value, pointer in zip(own, _arguments(builder, area, kernel)):
            builder.store(value, pointer)
        builder.ret(RETCODE_OK)
    builder.ret(builder.call(kernel, entry.args, attrs=("noinline",)))
    return entry


def _loop(module: Any, kernel: Any) -> Any:
    """Takes chunks of a job and runs the kernel on them until there are none, or `once`: then it returns where the
    chunk ends, else -1."""
    loop, builder = _internal(module, ir.FunctionType(INT, [INT, INT]), kernel.name + ".loop")
    area, once = loop.args
    take, run, failed, done, end = (loop.append_basic_block() for _ in range(5))
    job = builder.load(_word(builder, area, 1))
    size, grain = (builder.load(_word(builder, job, at)) for at in (SIZE, GRAIN))
    own = [builder.load(pointer) for pointer in _arguments(builder, area, kernel)]
    results = [builder.alloca(kind.pointee) for kind in kernel.function_type.args[:2]]  # nothing, and an error
    builder.branch(take)
    builder.position_at_end(take)
    begin = builder.atomic_rmw("add", _word(builder, job, COUNTER), grain, "monotonic")
    builder.cbranch(builder.icmp_signed("<", begin, size), run, end)
    builder.position_at_end(run)
    stop = builder.add(begin, grain)
    stop = builder.select(builder.icmp_signed("<", stop, size), stop, size)
    status = builder.call(kernel, [*results, *own, begin, stop], attrs=("noinline",))
    builder.cbranch(builder.icmp_signed("==", status, RETCODE_OK), done, failed)
    builder.position_at_end(done)
    with builder.if_then(builder.icmp_signed("!=", once, INT(0))):
        builder.ret(stop)
    builder.branch(take)
    builder.position_at_end(failed)
    builder.store_atomic(builder.add(begin, INT(1)), _word(builder, job, FAILED), "monotonic", 8)
    builder.atomic_rmw("max", _word(builder, job, COUNTER), INT(STOPPED), "monotonic")
    builder.branch(end)
    builder.position_at_end(end)
    builder.ret(INT(-1))
    return loop
