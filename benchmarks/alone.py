"""How long a call keeps one thread busy while no other thread can help it."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import Any


def seconds_alone(call: Callable[[], Any]) -> float:
    """Seconds of a call outside of the loops that are divided among threads: loops of several chunks. On one thread,
    loops over few elements have a single chunk and count as well."""
    from emst.cpu.runtime import parallel

    divide, caller = parallel.for_chunks, threading.get_ident()
    divided, inside = 0.0, False

    def timed(kernel: Any, size: int, grain: int, *args: Any, **options: Any) -> None:
        nonlocal divided, inside
        if inside or size <= grain or threading.get_ident() != caller:
            divide(kernel, size, grain, *args, **options)
            return
        start, inside = time.perf_counter(), True
        try:
            divide(kernel, size, grain, *args, **options)
        finally:
            divided, inside = divided + time.perf_counter() - start, False

    modules = [module for module in list(sys.modules.values()) if getattr(module, "for_chunks", None) is divide]
    for module in modules:
        module.for_chunks = timed  # type: ignore[attr-defined]
    try:
        start = time.perf_counter()
        call()
        return time.perf_counter() - start - divided
    finally:
        for module in modules:
            module.for_chunks = divide  # type: ignore[attr-defined]
