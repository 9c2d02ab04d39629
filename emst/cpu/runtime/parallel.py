"""How kernels run on several threads: chunks of a range, handed out one at a time.

A kernel is a function ``kernel(*args, begin, end)``. Idle threads take the next chunk: the members of the team (see
`team`) those of a compiled kernel, the threads of a pool those of a function of Python. The calling thread works too,
so other calls can delay a call but never block it, and nested or concurrent calls are safe.

A kernel writes only what its chunk owns, and reads nothing that another chunk writes, so results cannot depend on which
thread took which chunk. These kernels are the exceptions. They access what they share through `atomics`, and each says
why results do not depend on the order of the threads:

    points/cached, points/search,   lower the upper bound `best` of a component; an update may get lost
    distances/rows
    lightest                        replace a component's edge by one that comes before it, until no thread can
    contract                        shorten paths to roots that other threads follow
    hierarchy/descent               replace references that other threads follow by the value they lead to
    graph/offers, graph/worklist,   lower minima by one atomic operation
    graph/hybrid, hierarchy/rounds
    graph/partial_prim              claim vertices by compare-and-swap
    hierarchy/nodes                 claim nodes by compare-and-swap, and mark those that are claimed twice

Nothing here relies on Python's global interpreter lock: chunks are handed out by an atomic addition in compiled code,
and under a lock of their own in Python.
"""

from __future__ import annotations

import collections
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

import numba
import numpy as np

from emst.cpu.runtime.numba_internals import has_loop
from emst.cpu.runtime.numba_wrapper import PACK
from emst.cpu.runtime.processors import processors
from emst.cpu.runtime.team import Job, Team, close, run_one

# (process, threads, executor). The name is read once and replaced as a whole, which is one step with or without the
# global interpreter lock. Two threads that replace it at the same moment make one pool too many; its threads do the
# work they were given, and end when it is collected. A lock could be left locked in a forked child.
_pool: tuple[int, int, ThreadPoolExecutor] | None = None

_team: Team | None = None  # replaced as a whole, as the pool is
_jobs: collections.deque[Job] = collections.deque()  # memory that no call uses
LONGEST = 64  # times the shortest length of a chunk

_thread = threading.local()  # `number`: see `thread_number`


def thread_count() -> int:
    """Threads that kernels may use: as many as numba allows, but not more than there are processors to use."""
    return min(int(numba.get_num_threads()), processors())


def _helpers(count: int) -> ThreadPoolExecutor:
    """The pool, with at least `count` threads. A forked child makes its own: threads do not survive a fork."""
    global _pool
    pool = _pool
    if pool is None or pool[0] != os.getpid() or pool[1] < count:
        pool = (os.getpid(), count, ThreadPoolExecutor(count, thread_name_prefix="emst"))
        _pool = pool
    return pool[2]


def _team_of(helpers: int) -> Team:
    global _team
    team = _team
    if team is None or team.process != os.getpid():
        team = _team = Team()
    if team.count < helpers:
        team.grow(helpers)
    return team


def _job() -> Job:
    try:
        return _jobs.pop()
    except IndexError:
        return Job()


class _Chunks:
    """Where chunks begin, each given to one thread. The iterator of a range may give two threads the same number where
    there is no global interpreter lock."""

    def __init__(self, size: int, grain: int) -> None:
        self._begins = iter(range(0, size, grain))
        self._lock = threading.Lock()

    def __iter__(self) -> _Chunks:
        return self

    def __next__(self) -> int:
        with self._lock:
            return next(self._begins)


def for_chunks(
    kernel: Callable[..., Any],
    size: int,
    grain: int,
    *args: Any,
    scratch: Callable[[], Any] | None = None,
    report: Callable[[int], None] | None = None,
) -> None:
    """Run ``kernel(*args, begin, end)`` over all of ``range(size)``, in chunks of `grain`.

    With `scratch`, the kernel's first argument is what it returns; it is called once for every thread.

    With `report`, this thread calls ``report(end)`` after each chunk that it has run itself. Chunks are handed out in
    order: all before `end` are done, or run in other threads.

    After an exception in any chunk, KeyboardInterrupt included, no thread takes a further chunk. Those that run are
    waited for (milliseconds), and the exception is raised here: no thread works on the arrays afterwards.
    """
    if 0 < size <= grain and scratch is None and report is None:  # as a rule, where there are few points
        kernel(*args, 0, size)
        return
    chunks = -(-size // grain)
    helpers = min(thread_count(), chunks) - 1 if chunks > 1 else 0
    if helpers < 1:
        own = _arguments(0, args, scratch)
        for begin in range(0, size, grain):
            end = min(begin + grain, size)
            kernel(*own, begin, end)
            if report is not None:
                report(end)
        return
    run = _in_team if has_loop(kernel) else _in_python
    run(kernel, size, grain, args, scratch, report, helpers)


def _in_team(
    kernel: Any, size: int, grain: int, args: Any, scratch: Any, report: Callable[[int], None] | None, helpers: int
) -> None:
    """`for_chunks` for compiled kernels. This thread takes its chunks one by one, so that interrupts are heard."""
    team, job = _team_of(helpers), _job()
    job.begin(size, grain, 1 if scratch is None else 1 + helpers)
    packed: list[Any] = []  # the arguments of each thread, which machine code does not keep alive

    def pack() -> None:
        packed.append(_arguments(len(packed), args, scratch))
        kernel(*packed[-1], PACK, job.place(len(packed) - 1))

    def give(given: int) -> int:
        """Give the job to members that wait; returns how many have it."""
        if scratch is None:
            return given + team.give(job.place(0), helpers - given)
        while given < helpers:
            if len(packed) == given + 1:
                pack()
            if not team.give(job.place(given + 1), 1):
                break
            given += 1
        return given

    try:
        pack()
        given = give(0)
        while (end := run_one(job.place(0))) >= 0:
            if given < helpers:
                given = give(given)
            if report is not None:
                report(end)
    finally:
        # Called directly: Python serves an interrupt when a function of Python begins, so a method around this call
        # could end before the members do.
        failed = close(team.members, team.count, job.address, job.end, team.awake)
        _jobs.append(job)
    if failed:
        raise RuntimeError(f"{kernel.py_func.__qualname__} has failed at {failed - 1}")


def _in_python(
    kernel: Any, size: int, grain: int, args: Any, scratch: Any, report: Callable[[int], None] | None, helpers: int
) -> None:
    """`for_chunks` for functions of Python."""
    begins = _Chunks(size, grain)
    stop = False
    warnings = np.geterr()  # NumPy's, which are this thread's alone

    def work(number: int, report: Callable[[int], None] | None = None) -> None:
        nonlocal stop
        try:
            own = _arguments(number, args, scratch)
            with np.errstate(**warnings):
                for begin in begins:
                    if stop:
                        return
                    end = min(begin + grain, size)
                    kernel(*own, begin, end)
                    if report is not None:
                        report(end)
        except BaseException:
            stop = True
            raise

    futures = []
    try:
        pool = _helpers(helpers)
        futures = [pool.submit(work, number) for number in range(1, helpers + 1)]
        work(0, report)
        finish(futures)  # a helper may have taken a chunk, and not have begun with it
    except BaseException:
        stop = True
        raise
    finally:
        finish(futures)
        args, scratch = (), None  # a thread of the pool may keep `work` for some time after its future is done
    for future in futures:
        if not future.cancelled():
            future.result()


def _arguments(number: int, args: Any, scratch: Callable[[], Any] | None) -> Any:
    """The arguments of a kernel in one of the threads of a call; this one is number 0."""
    if scratch is None:
        return args
    _thread.number = number
    return (scratch(), *args)


def thread_number() -> int:
    """The number of the thread that scratch is made for, among those of a call."""
    return int(_thread.number)


class PerThread:
    """Scratch for several calls of `for_chunks`, one after the other: every thread of a call has its own, made once."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make, self._made = make, dict[int, Any]()

    def __call__(self) -> Any:
        number = thread_number()
        if number not in self._made:
            self._made[number] = self._make()
        return self._made[number]


def finish(futures: list[Any]) -> None:
    """Wait for helpers that have begun, and cancel those that are still queued behind another call's work."""
    while running := [future for future in futures if not future.cancel() and not future.done()]:
        wait(running)


def grain_for(size: int, least: int) -> int:
    """Chunk length: about 16 chunks a thread, but at least `least`, which is 0.1 ms of work, as waking a thread is; and
    not so long that an interrupt, which is served between chunks, has to wait."""
    return min(max(least, -(-size // (16 * thread_count()))), LONGEST * least) if size > least else least


def rows_that_hold(numbers: int, width: int) -> int:
    """How many rows of so many numbers each hold about `numbers` of them, at least one."""
    return max(numbers // width, 1)
