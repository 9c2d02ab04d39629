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

import hashlib
import importlib.resources
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import llvmlite
import numba
from numba.core import cgutils, event
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile


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
        self._save_data(self._name_of(key), (self._source_stamp, key, data))

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
    dispatcher._cache = _Cache(dispatcher.py_func)


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
    return found.data["dispatcher"].py_func.__module__.startswith("emst.")


def compile_events(tell: Callable[[bool], None]) -> AbstractContextManager[Any]:
    """Within this context, call ``tell(True)`` and ``tell(False)`` around every compilation of a kernel.

    numba broadcasts this event after it has looked for the kernel on disk in vain."""
    return event.install_listener("numba:compile", _Teller(tell))


def data_pointer(context: Any, builder: Any, array_type: Any, array: Any) -> Any:
    """Pointer to the first element of an array, in an intrinsic."""
    return cgutils.create_struct_proxy(array_type)(context, builder, value=array).data
