"""The first import of a backend, and of CuPy."""

from __future__ import annotations

import atexit
import contextlib
import importlib
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from typing import Any

from emst.backend.interrupts import after_this

IN_MEMORY = "CUPY_CACHE_IN_MEMORY"  # CuPy reads this variable whenever it compiles
unkept: list[str] = []  # why CuPy cannot keep kernels on disk
_importing = threading.RLock()


def imported(name: str) -> Any:
    """The module of this name. An interrupt waits for the end of the import: Python keeps a half-imported module, and
    what needs it fails from then on."""
    with _importing, after_this():
        return importlib.import_module(name)


def imported_cupy() -> Any:
    """Import CuPy and return it. This works also if CuPy cannot make its folder for kernels."""
    if "cupy" in sys.modules:
        return imported("cupy")  # another thread may have begun with it
    with _importing, _folder_of_cupy():
        return imported("cupy")


@contextlib.contextmanager
def _folder_of_cupy() -> Iterator[None]:
    """For the time of the import, in which CuPy makes its folder for kernels. If the folder cannot be made, CuPy gets
    an empty one until the process ends, and keeps kernels in memory."""
    name, before = "CUPY_CACHE_DIR", os.environ.get("CUPY_CACHE_DIR")
    try:
        os.makedirs(os.path.expanduser("~/.cupy/kernel_cache") if before is None else before, exist_ok=True)
        why = None
    except OSError as error:
        why = str(error)
    if why is None or unkept:
        yield
        return
    folder, in_memory = tempfile.mkdtemp(prefix="emst-"), os.environ.get(IN_MEMORY)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ |= {name: folder, IN_MEMORY: "1"}
    try:
        yield
        unkept.append(why)
    except BaseException:
        _set(IN_MEMORY, in_memory)
        raise
    finally:
        _set(name, before)


def _set(name: str, value: str | None) -> None:
    os.environ.pop(name, None)
    if value is not None:
        os.environ[name] = value
