"""Kernels from the .cu files of this package, compiled by NVRTC when they are first needed.

CuPy caches compiled kernels on disk by their source string, which does not cover included files; so our own includes
are inlined here and the source is the key. Each template instance is compiled by itself, when it is first needed.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from emst.cuda.runtime.constants import MACROS


def _literal(value: int | tuple[float, ...]) -> str:
    """A number, or a list of numbers to the last bit, in C++."""
    if isinstance(value, tuple):
        return ",".join(number.hex() for number in value)
    return f"{value}{'ull' if value >= 2**63 else ''}"


KERNELS = Path(__file__).parents[1]  # paths of kernels and headers begin here
OPTIONS = ("--std=c++17", *(f"-D{name}={_literal(value)}" for name, value in MACROS.items()))

_tellers: list[Callable[[bool], None]] = []

_INCLUDE = re.compile(r'^#include "([\w./]+)"$', re.MULTILINE)


@functools.cache
def source(path: str) -> str:
    """Source of ``<path>.cu``, such as ``points/knn.cu``, with our own headers inlined, each once."""
    seen: set[str] = set()

    def inline(name: str) -> str:
        if name in seen:
            return ""
        seen.add(name)
        text = (KERNELS / name).read_text(encoding="utf-8").replace("#pragma once\n", "")
        return _INCLUDE.sub(lambda match: inline(match[1]), text)

    return inline(f"{path}.cu")


@functools.cache
def kernel(path: str, name: str, cooperative: bool = False) -> Any:
    """Kernel `name`, a C++ name expression such as ``"gather<float, 3>"``, of ``<path>.cu``.

    All blocks of a cooperative one are resident at once, or its launch is an error.
    """
    import cupy

    tellers = tuple(_tellers)
    for tell in tellers:
        tell(True)
    try:
        module = cupy.RawModule(
            code=source(path), options=OPTIONS, name_expressions=(name,), enable_cooperative_groups=cooperative
        )
        return module.get_function(name)
    finally:
        for tell in tellers:
            tell(False)


@contextlib.contextmanager
def telling_compilation(tell: Callable[[bool], None]) -> Iterator[None]:
    """See `emst.backend.operations`."""
    _tellers.append(tell)
    try:
        yield
    finally:
        _tellers.remove(tell)


def kernels_ready() -> tuple[int, str]:
    """See `emst.backend.operations`."""
    folder = os.environ.get("CUPY_CACHE_DIR", os.path.expanduser("~/.cupy/kernel_cache"))
    return kernel.cache_info().currsize, folder


def ctype(dtype: Any) -> str:
    """C++ name of a coordinate type."""
    return "float" if dtype.itemsize == 4 else "double"


def number_type(dtype: Any) -> str:
    """C++ name of a type of weights or positions."""
    return {"i4": "int", "i8": "i64", "f4": "float", "f8": "double"}[dtype.str[1:]]
