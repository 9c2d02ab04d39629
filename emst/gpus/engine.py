"""An engine of threads: one for each GPU of this process, which runs what it is given in order.

Functions are submitted after all that they need, so threads never wait in a circle (`emst/partitions/engine.py`).
"""

from __future__ import annotations

import os
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from emst.backend import backend_of
from emst.backend.operations import Backend
from emst.inputs.devices import on_gpu

SWITCH = 0.0002  # seconds after which a thread lets other threads run Python; Python's default is 0.005
_engines = 0  # that run now
_interval = 0.0  # what was there before the first of them
_lock = threading.Lock()


def _set_pace(more: int) -> None:
    """Let threads switch more often while there are engines; `more` of them begin, or end if it is negative."""
    global _engines, _interval
    with _lock:
        if _engines == 0:
            _interval = sys.getswitchinterval()
        _engines += more
        sys.setswitchinterval(SWITCH if _engines else _interval)


# By GPU: threads that wait for the next fit. A new thread would prepare its first launch of every kernel again.
_idle: defaultdict[int, list[ThreadPoolExecutor]] = defaultdict(list)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)  # a child has no other threads than the one that made it


def _taken(gpu: int) -> ThreadPoolExecutor:
    """A thread that nobody else uses."""
    try:
        return _idle[gpu].pop()
    except IndexError:
        return ThreadPoolExecutor(1, thread_name_prefix=f"emst-gpu-{gpu}")


class GPUThreads:
    """An `emst.partitions.engine.Engine` of one thread a GPU; a context, at whose end they have done all.

    Parameters
    ----------
    gpus : sequence of int
        Numbers of the GPUs. A number may occur several times.
    """

    device = "cuda"
    one_process = True

    def __init__(self, gpus: Sequence[int]) -> None:
        self.workers = list(gpus)
        self.threads = len(self.workers)
        self._threads = [_taken(gpu) for gpu in self.workers]

    def __enter__(self) -> GPUThreads:
        _set_pace(+1)
        backend_of("cuda").forget_peers()
        return self

    def __exit__(self, error: object = None, *_: object) -> None:
        """After an error, functions that have not begun are dropped, and those that run end first."""
        try:
            if error is None:
                for done in [thread.submit(int) for thread in self._threads]:
                    done.result()
                for gpu, thread in zip(self.workers, self._threads):
                    _idle[gpu].append(thread)
            else:
                for thread in self._threads:
                    thread.shutdown(wait=False, cancel_futures=True)
                for thread in self._threads:
                    thread.shutdown()
        finally:
            self._threads = []
            _set_pace(-1)

    def wait(self, gpus: Iterable[int | None]) -> None:
        """Wait until these GPUs have done what this thread gave them; None is the host."""
        for gpu in set(gpus) - {None}:
            with on_gpu(gpu):
                wait_for(backend_of("cuda"))

    def bytes_a_thread(self) -> int:
        """No limit of the engine's own: `memory.py` checks before anything is allocated."""
        return 0

    def home(self, partition: int) -> int:
        """All partitions are in one place, this process: arrays pass by reference."""
        return 0

    def submit(self, function: Callable[..., Any], *arguments: Any, at: int | None = None) -> Any:
        """Run ``function(ops, *arguments)`` on the GPU of partition `at`; without it, where its first argument is."""
        made = next(_futures_of(arguments), None)
        number = at % self.threads if at is not None else made.thread if made else 0
        future: Any = self._threads[number].submit(_run, self.workers[number], function, arguments)
        future.thread = number
        return future

    def gather(self, futures: list[Any]) -> list[Any]:
        """The results, in order. If functions failed, the error of the first of these is raised."""
        return [future.result() for future in futures]


def _futures_of(arguments: Any) -> Iterator[Any]:
    """The arguments that are futures, also those in lists, in this order."""
    for argument in arguments:
        if isinstance(argument, Future):
            yield argument
        elif isinstance(argument, list):
            yield from _futures_of(argument)


def _run(gpu: int, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    ops = backend_of("cuda")
    values = [_result_of(argument) for argument in arguments]
    with on_gpu(gpu):
        try:
            with ops.settled():
                return function(ops, *values)
        finally:  # other threads may read the result; after an error, the arguments are freed next
            wait_for(ops)


def wait_for(ops: Backend) -> None:
    """Wait until the current GPU has done what this thread gave it."""
    ops.xp.cuda.get_current_stream().synchronize()


def _result_of(argument: Any) -> Any:
    if isinstance(argument, list):
        return [_result_of(one) for one in argument]
    return argument.result() if isinstance(argument, Future) else argument
