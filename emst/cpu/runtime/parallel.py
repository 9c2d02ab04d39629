"""How kernels run on several threads: chunks of a range, handed out one at a time.

A kernel is a function ``kernel(*args, begin, end)`` compiled with ``nogil``. Idle threads take the next chunk; the
calling thread works too, so a busy pool can delay a call but never block it, and nested or concurrent calls are safe.
Kernels write only what their chunk owns, so results cannot depend on who took which chunk. The exceptions say why that
does no harm: those that share a bound of which an update may get lost (`answers`, `search`, `lightest`), that shorten
paths others walk (`merge`, `components`), that lower minima in one step (`worklist`, `hybrid`), and that claim vertices
(`partial_prim`).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

import numba

# (process, threads, executor), replaced as one object. Two threads that replace it at the same moment make one pool too
# many, whose threads end when it is collected. Needs no lock, which a fork could leave locked in the child.
_pool: tuple[int, int, ThreadPoolExecutor] | None = None


def thread_count() -> int:
    """Threads that kernels may use; `numba.set_num_threads` limits them."""
    return int(numba.get_num_threads())


def _helpers(count: int) -> ThreadPoolExecutor:
    """The pool, with at least `count` threads, made anew in a forked child (threads do not survive a fork)."""
    global _pool
    pool = _pool
    if pool is None or pool[0] != os.getpid() or pool[1] < count:
        pool = (os.getpid(), count, ThreadPoolExecutor(count, thread_name_prefix="emst"))
        _pool = pool
    return pool[2]


def for_chunks(
    kernel: Callable[..., Any], size: int, grain: int, *args: Any, scratch: Callable[[], Any] | None = None
) -> None:
    """Run ``kernel(*args, begin, end)`` over all of ``range(size)``, in chunks of `grain`.

    With `scratch`, every thread calls it once and gives the kernel what it returns as the first argument.

    An exception in any chunk, KeyboardInterrupt included, stops the others from taking further chunks, waits for those
    that run (milliseconds) and is raised here: nobody works on the arrays afterwards.
    """
    chunks = -(-size // grain)
    helpers = min(thread_count(), chunks) - 1
    if helpers < 1:
        own = args if scratch is None else (scratch(), *args)
        for begin in range(0, size, grain):
            kernel(*own, begin, min(begin + grain, size))
        return
    begins = iter(range(0, size, grain))
    stop = False

    def work() -> None:
        nonlocal stop
        try:
            own = args if scratch is None else (scratch(), *args)
            for begin in begins:  # the iterator's next() is one step: no two threads get the same chunk
                if stop:
                    return
                kernel(*own, begin, min(begin + grain, size))
        except BaseException:
            stop = True
            raise

    futures = []
    try:
        pool = _helpers(helpers)
        futures = [pool.submit(work) for _ in range(helpers)]
        work()
    finally:
        stop = True  # reached early by an interrupt between chunks
        finish(futures)
    for future in futures:
        if not future.cancelled():
            future.result()


def finish(futures: list[Any]) -> None:
    """Wait for helpers that have begun; those still queued behind someone else's work are not needed any more."""
    while running := [future for future in futures if not future.cancel() and not future.done()]:
        wait(running)


def grain_for(size: int, least: int) -> int:
    """Chunk length: about 16 chunks a thread, but at least `least`, which should take 0.1 ms: waking a thread does."""
    return max(least, -(-size // (16 * thread_count())))
