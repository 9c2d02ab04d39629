"""How kernels are compiled.

`kernel` marks what Python calls, `part` what kernels are made of. Parts are inlined: a call would pass every array in
seven registers or stack slots. Kernels are compiled without numba's reference counts: they own no arrays, and an atomic
increment for every array taken out of a tuple took half of their time. So they cannot allocate: scratch comes from
`for_chunks`, one set a thread.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import numba

from emst.cpu.runtime.numba_internals import alone, compile_events, for_kernels, keep_on_disk, with_loop

if numba.config.DISABLE_JIT:
    raise RuntimeError("NUMBA_DISABLE_JIT is set; without numba's compiler emst cannot compute on the CPU")

kernels: list[Any] = []  # all that have been imported

part = for_kernels(nogil=True)


def kernel(function: Any) -> Any:
    """Decorator of what Python calls: compiled at the first call with new types, and kept on disk."""
    return _kept(with_loop(nogil=True, no_cfunc_wrapper=True)(function))


def compiled(function: Any) -> Any:
    """The same for what is no kernel: no other thread can be given a part of its work."""
    return _kept(alone(nogil=True, no_cfunc_wrapper=True)(function))


def _kept(dispatcher: Any) -> Any:
    keep_on_disk(dispatcher)
    kernels.append(dispatcher)
    return dispatcher


def kernels_ready() -> tuple[set[str], str]:
    """See `emst.backend.operations`."""
    used = [kernel for kernel in kernels if kernel.signatures]
    names = {f"{one.py_func.__module__}.{one.py_func.__qualname__}{types}" for one in used for types in one.signatures}
    folders = {kernel.stats.cache_path for kernel in used if kernel.stats.cache_path}
    return names, os.path.commonpath(folders) if folders else ""


def telling_compilation(tell: Callable[[bool], None]) -> AbstractContextManager[Any]:
    """See `emst.backend.operations`."""
    return compile_events(tell)
