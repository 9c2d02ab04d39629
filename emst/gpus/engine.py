"""An engine of threads: one for each GPU of this process, which runs what it is given in order.

Functions are submitted after all that they need, so threads never wait in a circle (`emst/partitions/engine.py`).
"""

from __future__ import annotations

import contextlib
import sys
import threading
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


def _take_turns(more: int) -> None:
    """Threads take turns more often while there are engines."""
    global _engines, _interval
    with _lock:
        if _engines == 0:
            _interval = sys.getswitchinterval()
        _engines += more
        sys.setswitchinterval(SWITCH if _engines else _interval)


class GPUThreads:
    """An `emst.partitions.engine.Engine` of one thread a GPU; a context that ends them.

    Parameters
    ----------
    gpus : sequence of int
        Numbers of the GPUs. A number may occur several times.
    """

    device = "cuda"
    few_messages = False  # sending is as cheap as memory

    def __init__(self, gpus: Sequence[int]) -> None:
        self.workers = list(gpus)
        self.threads = len(self.workers)
        self._at_once = False
        self._threads = [ThreadPoolExecutor(1, thread_name_prefix=f"emst-gpu-{gpu}") for gpu in self.workers]

    def __enter__(self) -> GPUThreads:
        _take_turns(+1)
        return self

    def __exit__(self, *_: object) -> None:
        """Functions that have not begun never will; those that run end first."""
        try:
            for thread in self._threads:
                thread.shutdown(wait=False, cancel_futures=True)
            for thread in self._threads:
                thread.shutdown()
        finally:
            _take_turns(-1)

    @contextlib.contextmanager
    def at_once(self) -> Iterator[None]:
        """Functions run in the thread that submits them, one GPU after the other. Only the end waits for the GPUs."""
        self._at_once = True
        try:
            yield
        finally:  # also after an error: the arrays of what still runs are freed next
            self._at_once = False
            self.wait(self.workers)

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
        number = _thread_of(arguments) if at is None else at % self.threads
        if self._at_once:
            future: Future[Any] = Future()
            future.set_result(_run(self.workers[number], function, arguments, waits=False))
        else:
            future = self._threads[number].submit(_run, self.workers[number], function, arguments)
        future.thread = number  # type: ignore[attr-defined]
        return future

    def gather(self, futures: list[Any]) -> list[Any]:
        """The results, in order. If functions failed, the error of the first of these is raised."""
        return [future.result() for future in futures]


def _thread_of(arguments: Any) -> int:
    """The thread that makes the first argument that is a future, also in a list; the first thread without any."""
    for argument in arguments:
        if isinstance(argument, Future):
            return int(argument.thread)  # type: ignore[attr-defined]
        if isinstance(argument, list) and argument and isinstance(argument[0], Future):
            return int(argument[0].thread)  # type: ignore[attr-defined]
    return 0


def _run(gpu: int, function: Callable[..., Any], arguments: tuple[Any, ...], waits: bool = True) -> Any:
    ops = backend_of("cuda")
    values = [_result_of(argument) for argument in arguments]
    with on_gpu(gpu):
        if not waits:
            return function(ops, *values)
        with ops.settled():
            result = function(ops, *values)
        wait_for(ops)  # other threads may read it
    return result


def wait_for(ops: Backend) -> None:
    """Wait until the current GPU has done what this thread gave it."""
    ops.xp.cuda.get_current_stream().synchronize()


def _result_of(argument: Any) -> Any:
    if isinstance(argument, list):
        return [_result_of(one) for one in argument]
    return argument.result() if isinstance(argument, Future) else argument
