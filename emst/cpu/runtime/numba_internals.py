"""What numba does not promise to keep: all that emst uses of it stands here, in `numba_compiler`, `numba_haste` and
`numba_wrapper`.

Tried with numba 0.61.0 and llvmlite 0.44.0 (NumPy 1.24), and with numba 0.68.1 and llvmlite 0.50.0 (NumPy 2.4).

numba's cache on disk compares the file that a kernel stands in with the one it was compiled from. It does not follow
functions and constants that are inlined from other files, so it would run old machine code after an update. Here the
names of its files end in a digest of all that can go into a kernel. Versions do not share files, so processes that run
an old and a new one side by side cannot mix them up; files of old versions stay until somebody deletes them. Several
installations of one version share them, if `NUMBA_CACHE_DIR` names a folder.

numba numbers the files of a function's signatures, and keeps the numbers in an index. Two processes that compile two
signatures at the same time can take the same number, and a third one then runs the machine code of one signature with
the arguments of the other: a crash, or a wrong result. Here every signature has a file of its own, which says what it
holds, and there is no index.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.resources
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any, ClassVar

import llvmlite
import numba
from numba.core import cgutils, event
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile

from emst.backend.interrupts import after_this, serve_waiting
from emst.backend.notices import NOT_KEPT, say_once
from emst.cpu.runtime.numba_compiler import CompilerAlone, CompilerApart, CompilerOfPart, CompilerWithLoop
from emst.cpu.runtime.numba_haste import Haste


def without_counts(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """`numba.njit` for functions that own no arrays: without reference counts, they cannot allocate."""
    decorate = numba.njit(error_model="numpy", _nrt=False, **options)
    return lambda function: _interruptible(decorate(function))


def _interruptible(dispatcher: Any) -> Any:
    """Return the dispatcher, which now makes interrupts wait. It compiles one function after the other. An interrupt
    waits until the current function is done. Without this, it could come while LLVM calls Python. There, Python loses
    the interrupt, and numba goes on with half of its work."""
    compile_it = dispatcher.compile

    @functools.wraps(compile_it)
    def compile_interruptibly(signature: Any) -> Any:
        serve_waiting()
        with after_this():
            return compile_it(signature)

    dispatcher.compile = compile_interruptibly
    return dispatcher


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
    for package in ("backend", "cpu"):  # kernels hold constants of both
        for path, contents in _sources(importlib.resources.files(f"emst.{package}"), package):
            total.update(f"\n{path} {len(contents)}\n".encode() + contents)
    return total.hexdigest()[:16]


DIGEST = _digest()


_LOCATORS: list[Any] = CompileResultCacheImpl._locator_classes
_Beside: Any = next(one for one in _LOCATORS if one.__name__.endswith("InTreeCacheLocator"))


class _BesideUnwritable(_Beside):
    """`__pycache__` beside the kernel's file, only to be read. It is taken if numba finds no folder to write to."""

    def ensure_cache_path(self) -> None:
        """Does nothing; `save` reports what cannot be written."""


class _FilesOfThisVersion(CompileResultCacheImpl):
    """Names the files of the cache. Their folder is "emst" in `NUMBA_CACHE_DIR`. If that is not set, it is what numba
    takes: `__pycache__` beside the kernel's file or, if nobody may write there, one of the user's."""

    _locator_classes: ClassVar[list[Any]] = [*_LOCATORS, _BesideUnwritable]

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        return f"{super().get_filename_base(fullname, abiflags)}-{DIGEST}"


NOWHERE = "neither the package's folders nor the user's can be written"


class _FileOfSignature(IndexDataCacheFile):
    """The files of one function: one for each key, which holds the signature, the processor and the function's code."""

    nowhere = False  # whether numba has found no folder to write to

    def save(self, key: Any, data: Any) -> None:
        try:
            os.makedirs(self._cache_path, exist_ok=True)
            self._save_data(self._name_of(key), (self._source_stamp, key, data))
        except OSError as error:  # the disk is full, for one
            _not_kept(NOWHERE if self.nowhere else _reason(error))

    def load(self, key: Any) -> Any:
        try:
            stamp, own, data = self._load_data(self._name_of(key))
        except Exception:  # not there, deleted in this moment, or damaged: `save` replaces it
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
        stamp = self._impl.locator.get_source_stamp()
        if numba.config.CACHE_DIR:  # numba would take another folder there for every installation
            self._cache_path, stamp = os.path.join(numba.config.CACHE_DIR, "emst"), DIGEST
        self._cache_file = _FileOfSignature(self._cache_path, self._impl.filename_base, stamp)
        self._cache_file.nowhere = not numba.config.CACHE_DIR and isinstance(self._impl.locator, _BesideUnwritable)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The first time, numba loads what it knows of types and functions: this is done in haste, too. An interrupt
        waits: LLVM would call machine code that is not there."""
        try:
            _haste(True)
            with after_this():
                return super().load_overload(sig, target_context)
        finally:
            _haste(False)

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            with after_this():
                super().save_overload(sig, data)
        except OSError as error:  # of the folder; `save` takes those of the file
            _not_kept(_reason(error))


def keep_on_disk(dispatcher: Any) -> None:
    """Load machine code from the cache, and save there what is compiled: ``cache=True``, under this version's names."""
    try:
        dispatcher._cache = _Cache(dispatcher.py_func)
    except RuntimeError:  # numba knows no folder at all: the source is no file, for one
        _not_kept(NOWHERE)


def _reason(error: OSError) -> str:
    """Without the file's name, which would make every notice another one."""
    return f"[Errno {error.errno}] {error.strerror}"


def _not_kept(why: str) -> None:
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


_haste = Haste()
event.register("numba:compile", _Teller(_haste))


def data_pointer(context: Any, builder: Any, array_type: Any, array: Any) -> Any:
    """Pointer to the first element of an array, in an intrinsic."""
    return cgutils.create_struct_proxy(array_type)(context, builder, value=array).data


def with_loop(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """As `without_counts`, for kernels ``(*args, begin, end)``: threads that Python knows nothing of can run them.

    Called with ``(*args, PACK, address)``, the compiled function does not run: it writes the arguments to the memory at
    this address, as machine code has them, and before them the address of a loop that calls it with them. The loop is a
    C function ``int64(int64 address, int64 once)``; `team` says what it does. The loop and the kernel are one piece of
    machine code, in one file of the cache; the kernel is called, so its body is not compiled again.

    What allocates does not compile: no closures, and no operators on whole arrays.
    """
    return _called_by_all(CompilerWithLoop, CompilerOfPart, options)


def alone(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """As `with_loop`, for what is no kernel: its loop is never used. Where compiled functions call it, it is not
    inlined."""
    return _called_by_all(CompilerAlone, CompilerApart, options)


def _called_by_all(by_python: Any, by_compiled: Any, options: dict[str, Any]) -> Callable[[Callable[..., Any]], Any]:
    """A decorator of functions that both Python and compiled functions call. For the latter it is compiled again, by
    another compiler, without machine code: it becomes machine code together with its caller."""
    inner = options | {"no_cpython_wrapper": True, "forceinline": False}  # by default, what parts call is inlined

    def decorate(function: Callable[..., Any]) -> Any:
        found = without_counts(pipeline_class=by_python, **options)(function)
        called = without_counts(pipeline_class=by_compiled, **inner)(function)
        found.get_call_template, found.get_overload = called.get_call_template, called.get_overload
        return found

    return decorate


def for_kernels(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """As `without_counts`, for functions that only compiled functions call, which inline them. Python must not call
    them: they have no machine code of their own."""
    options |= {"forceinline": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return without_counts(pipeline_class=CompilerOfPart, **options)


def has_loop(function: Any) -> bool:
    """Whether `with_loop` has made this function; others, also those of numba, are called chunk by chunk."""
    return getattr(getattr(function, "_compiler", None), "pipeline_class", None) is CompilerWithLoop
