"""Kernels from the .cu files of this package, compiled by NVRTC when they are first needed.

CuPy caches compiled kernels on disk by their source string, which does not cover included files; so our own includes
are inlined here and the source is the key. Each kernel, and each instance of a template, is compiled by itself.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from emst.backend.imports import IN_MEMORY
from emst.backend.notices import NOT_KEPT, say_once
from emst.cuda.runtime.constants import MACROS


def _literal(value: int | tuple[float, ...]) -> str:
    """A number, or a list of numbers to the last bit, in C++."""
    if isinstance(value, tuple):
        return ",".join(number.hex() for number in value)
    return f"{value}{'ull' if value >= 2**63 else ''}"


KERNELS = Path(__file__).parents[1]  # paths of kernels and headers begin here
OPTIONS = ("--std=c++17", *(f"-D{name}={_literal(value)}" for name, value in MACROS.items()))

_falling_back = threading.Lock()  # held while it is set

_tellers: list[Callable[[bool], None]] = []
_ready: set[str] = set()  # paths and names of kernels

_INCLUDE = re.compile(r'^#include "([\w./]+)"$', re.MULTILINE)
_BRACE = re.compile("[{}]")
ENTRY = re.compile(
    r"(?:template\s*<(?P<template>[^>]*)>\s*)?__global__\s+void\s+(?:__launch_bounds__\([^)]*\)\s*)?(?P<name>\w+)"
    r"\s*\((?P<parameters>[^{]*)\)\s*{"
)


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


def source_of(path: str, name: str) -> str:
    """`source` with no kernel but this one: the compiler would translate all others that are no templates, too."""
    text, kept, at = source(path), [], 0
    for entry in ENTRY.finditer(text):
        if entry["name"] != name.partition("<")[0]:
            kept.append(text[at : entry.start()])
            at = _end_of_block(text, entry.end())
    return "".join(kept) + text[at:]


def _end_of_block(text: str, at: int) -> int:
    """Where the block ends that has begun before `at`."""
    depth = 1
    while depth:
        brace = _BRACE.search(text, at)
        assert brace, text[at:]
        at, depth = brace.end(), depth + (1 if brace[0] == "{" else -1)
    return at


@functools.cache
def kernel(path: str, name: str, cooperative: bool = False) -> Any:
    """Kernel `name`, a C++ name expression such as ``"gather<float, 3>"``, of ``<path>.cu``.

    All blocks of a cooperative one are resident at once, or its launch is an error.
    """
    code, in_memory = source_of(path, name), IN_MEMORY in os.environ
    try:
        function = _compiled(code, name, cooperative)
    except OSError as error:  # no folder for compiled kernels, or a full disk
        if in_memory:
            raise
        function = _compiled_in_memory(code, name, cooperative)
        say_once(NOT_KEPT.format(error, "CUPY_CACHE_DIR"))
    _ready.add(f"{path} {name}")
    return function


def _compiled_in_memory(code: str, name: str, cooperative: bool) -> Any:
    """The kernel without files, as all kernels from now on, if that succeeds. Several threads may come here at once."""
    with _falling_back:
        first = IN_MEMORY not in os.environ
        os.environ[IN_MEMORY] = "1"
    try:
        return _compiled(code, name, cooperative)
    except BaseException:
        if first:
            os.environ.pop(IN_MEMORY, None)
        raise


def _compiled(code: str, name: str, cooperative: bool) -> Any:
    import cupy

    module = cupy.RawModule(code=code, options=OPTIONS, name_expressions=(name,), enable_cooperative_groups=cooperative)
    return module.get_function(name)


@contextlib.contextmanager
def told() -> Iterator[None]:
    """Tells those who asked that this thread compiles a kernel, or waits for one."""
    tellers = tuple(_tellers)
    for tell in tellers:
        tell(True)
    try:
        yield
    finally:
        for tell in tellers:
            tell(False)


def telling_compilation(tell: Callable[[bool], None]) -> contextlib.AbstractContextManager[None]:
    """See `emst.backend.operations`."""
    return _Telling(tell)


class _Telling:
    """A class: a context that is made of a generator takes microseconds of every fit."""

    def __init__(self, tell: Callable[[bool], None]) -> None:
        self._tell = tell

    def __enter__(self) -> None:
        _tellers.append(self._tell)

    def __exit__(self, *error: object) -> None:
        _tellers.remove(self._tell)


def kernels_ready() -> tuple[set[str], str]:
    """See `emst.backend.operations`."""
    folder = os.environ.get("CUPY_CACHE_DIR", os.path.expanduser("~/.cupy/kernel_cache"))
    return set(_ready), folder


def ctype(dtype: Any) -> str:
    """C++ name of a coordinate type."""
    return "float" if dtype.itemsize == 4 else "double"


def number_type(dtype: Any) -> str:
    """C++ name of a type of weights or positions."""
    return {"i4": "int", "i8": "i64", "f4": "float", "f8": "double"}[dtype.str[1:]]
