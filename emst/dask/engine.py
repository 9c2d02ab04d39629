"""The engine of Dask: which workers there are, what runs where, and how long anybody waits.

`DaskEngine` does what `emst/partitions/engine.py` asks of an engine; and more, for inputs and graphs.

Work is cut into partitions. Every partition has a home, a worker that its tasks prefer; another one may take them over,
so a worker that dies costs time and no result. Tasks are pure: they never write to their inputs, and what is lost is
computed again.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import itertools
import time
import uuid
import weakref
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import dask
import numba
from distributed import Client, Future, get_client, secede
from distributed.comm import CommClosedError
from distributed.threadpoolexecutor import thread_state as pool_state

from emst.backend import backend_of
from emst.dask.faults import LOST, NO_WORKERS_FOR, TRIES, DropDeadPins, LostInput, Watch, failed_before, plain_errors
from emst.dask.logs import sentences_not_logged
from emst.dask.workers import check_versions, common_device, describe

START_ONE = """start one with these two lines, or pass client=:
    from emst.dask import local_cluster
    client = local_cluster()"""
NO_CAUSE = "Worker holding Actor was lost"  # Dask says so of any finished task that it fails because of another one
_turns = itertools.count()  # tasks of this process that any of its GPUs may run
ARRIVES_WITHIN = 1.0  # seconds: that task's error may arrive later than those that follow from it


class DaskEngine:
    """The workers of a client, and how tasks are given to them: an `emst.partitions.engine.Engine`. Only packets travel
    between workers, whether they share a process or not.

    Parameters
    ----------
    client : distributed.Client or None
        None for the current one.
    device : {"auto", "cpu", "cuda"}
        Where workers compute. "auto" is the GPU if all workers have one.

    Attributes
    ----------
    client : distributed.Client
    workers : list of str
        Addresses.
    device : {"cpu", "cuda"}
    threads : int
        Of all workers together.
    one_process : bool
        False: a task of Dask takes one GPU.

    Raises
    ------
    TypeError
        `client` is no client of Dask.
    ValueError
        An asynchronous client, or an unknown `device`.
    RuntimeError
        No client, a closed client, no workers, workers with other versions of emst, GPUs on some workers only, or no
        GPU for ``device="cuda"``.
    """

    one_process = False

    def __init__(self, client: Client | None = None, device: str = "auto") -> None:
        self.client = _checked_client(client)
        _leave_the_pool()
        self.client.register_plugin(DropDeadPins())
        workers = self._ask(describe)
        self.workers = sorted(workers)
        check_versions(workers)
        self.device = common_device(workers, device)
        self.threads = sum(worker["threads"] for worker in workers.values())
        threads: Counter[tuple[str, int]] = Counter()  # of a process: Dask compares limits with its memory
        for worker in workers.values():
            threads[worker["process"]] += worker["threads"]
        self._memory = min(worker["memory"] // threads[worker["process"]] for worker in workers.values())
        self._futures: weakref.WeakSet[Future] = weakref.WeakSet()  # those that the driver still holds

    def _ask(self, function: Callable[..., Any]) -> dict[str, Any]:
        """What all workers answer. If one dies meanwhile, those that live then are asked."""
        if not self.client.nthreads():  # not scheduler_info: the client's heartbeat writes an empty list there
            raise RuntimeError("the cluster has no workers; start one with `dask worker <address of the scheduler>`")
        cause = None
        for _ in range(TRIES):
            try:
                if answers := dict(self.client.run(function)):
                    return answers
            except OSError as error:
                cause = error
            with contextlib.suppress(TimeoutError):
                self.client.wait_for_workers(1, timeout=NO_WORKERS_FOR)
        raise RuntimeError("workers died while they were asked for their versions and devices") from cause

    def bytes_a_thread(self) -> int:
        """Memory that a task can use, in bytes; 0 if workers have no limit."""
        return self._memory

    def home(self, partition: int) -> str:
        """The worker that the tasks of a partition prefer."""
        return self.workers[partition % len(self.workers)]

    def submit(self, function: Callable[..., Any], *args: Any, at: int | None = None) -> Future:
        """Run ``function(ops, *args)`` on a worker, where `ops` is its backend.

        Futures among the arguments are replaced by their results, also in lists. `at` is the partition whose home the
        task prefers. Of several GPUs, a worker takes one after the other for its partitions.
        """
        self._check_connected()
        place = {} if at is None else {"workers": [self.home(at)], "allow_other_workers": True}
        number = None if at is None else at // len(self.workers)
        future = self.client.submit(_run, self.device, number, function, *args, key=_key(function), pure=False, **place)
        self._futures.add(future)
        return future

    def scatter(self, pieces: list[Any]) -> list[Future]:
        """Data of this process on the workers. It is lost with the worker that holds it, and is not read again.

        Raises
        ------
        LostInput
            A worker died while data was sent to it.
        """
        try:
            return list(self.client.scatter(pieces, hash=False))
        except CommClosedError as error:
            self._check_connected()
            raise LostInput(LOST) from error

    def delayed(self, function: Callable[..., Any], *args: Any) -> Any:
        """The task of `submit`, but it is `result` that starts it. Other such tasks and chunks of dask collections may
        be among the arguments.

        Dask walks the graph of tasks depth first: what a later task reduces is dropped soon.
        """
        task = dask.delayed(_run, pure=False)
        return task(self.device, None, function, *args, dask_key_name=_key(function))

    def result(self, task: Any) -> Any:
        """The result of a task of `delayed`, which runs now with the tasks that it needs. Nothing stays on workers."""
        future = self.client.compute(task)
        self._futures.add(future)
        try:
            return self.gather([future])[0]
        finally:
            future.release()  # a wait that timed out holds it in a circle of Python objects

    def gather(self, futures: list[Future], timeout: float | None = None) -> list[Any]:
        """Results of tasks, in order. The first error is raised; nobody waits forever for workers that are gone.

        Raises
        ------
        RuntimeError
            Workers died while they computed a task, or the wait is over, as `Watch` says.
        TimeoutError
            No result within `timeout` seconds.
        """
        loop = self.client.loop.asyncio_loop
        running = asyncio.run_coroutine_threadsafe(self.client.gather(futures, asynchronous=True), loop)
        try:
            with plain_errors():
                self._until_done(running, Watch(self.client, futures, timeout))
                return list(running.result())
        except (RuntimeError, AttributeError) as error:
            if str(error) != NO_CAUSE and not _names_no_error(error):
                raise
            raise self._cause() from error
        finally:
            running.cancel()

    def _until_done(self, running: concurrent.futures.Future[Any], watch: Watch) -> None:
        while True:
            concurrent.futures.wait([running], timeout=1.0)  # no exception, whose traceback would hold the results
            if running.done():
                return
            watch.check(self._known_workers())
            if watch.waits_in_vain:
                missing = [future.key for future in watch.futures if not future.done()]
                cause = self._failed() or self.client.run_on_scheduler(failed_before, missing)
                if cause is not None:
                    raise cause

    def _known_workers(self) -> dict[str, Any]:
        """What the scheduler knows of the workers, by address. Partitions whose home has left move to a worker that has
        come, such as the same one under its new address; otherwise, Dask chooses one for every task."""
        self._check_connected()
        workers: dict[str, Any] = self.client.scheduler_info(n_workers=-1)["workers"]
        come = iter(sorted(workers.keys() - self.workers))
        self.workers = [home if home in workers else next(come, home) for home in self.workers]
        return workers

    def _cause(self) -> BaseException:
        """The error of the task that failed first, which other futures have; otherwise, that data was lost."""
        until = time.monotonic() + ARRIVES_WITHIN
        while True:
            cause = self._failed()
            if cause is not None:
                return cause
            if time.monotonic() > until:
                return LostInput(LOST)
            time.sleep(0.05)

    def _failed(self) -> BaseException | None:
        """The error of any future that the driver still holds."""
        failed = (future.exception() for future in list(self._futures) if future.status == "error")
        return next((error for error in failed if error is not None and str(error) != NO_CAUSE), None)

    def _check_connected(self) -> None:
        if self.client.status != "running":
            raise RuntimeError("the client was closed, or the scheduler is gone")

    @contextlib.contextmanager
    def releasing(self) -> Iterator[None]:
        """Releases all tasks when an error or an interrupt leaves the block: those that do not run yet never will."""
        try:
            self._known_workers()
            yield
        except BaseException:
            # Not `Client.cancel`: that breaks the connection if a task that follows is released.
            with contextlib.suppress(Exception):
                for future in self._futures:
                    future.release()
            raise
        finally:
            self._futures.clear()


def _names_no_error(error: BaseException) -> bool:
    """Whether `Client.gather` looked for the error of a task, and found None (distributed 2025.1 to 2026.8). Dask has
    dropped the task, or has failed it because of a task whose error it does not keep."""
    return isinstance(error, AttributeError) and error.obj is None and error.name == "with_traceback"


def _key(function: Callable[..., Any]) -> str:
    """The name of a task: Dask shows it, and expects tasks of one function to take about as long."""
    return f"{function.__name__.strip('_')}-{uuid.uuid4()}"


def _run(device: str, number: int | None, function: Callable[..., Any], *args: Any) -> Any:
    """What every task runs: `function` with the worker's backend, its threads and its GPU.

    Of several GPUs that a worker sees, a task takes the one of its partition, the `number`-th of the worker, or the one
    that holds its first array, or else the next one: kernels do not check where arrays are."""
    ops = backend_of(device)
    with sentences_not_logged(function):
        if device == "cpu":
            numba.set_num_threads(1)  # of this thread; a worker runs as many tasks at once as it has threads
            return function(ops, *args)
        return _run_on_gpu(ops, number, function, *args)


def _run_on_gpu(ops: Any, number: int | None, function: Callable[..., Any], *args: Any) -> Any:
    count = ops.xp.cuda.runtime.getDeviceCount()
    gpu = _gpu_of(args) if number is None else number % count
    with ops.xp.cuda.Device(next(_turns) % count if gpu is None else gpu):
        result = function(ops, *args)
        ops.xp.cuda.get_current_stream().synchronize()  # another thread's stream may read it
        return result


def _gpu_of(value: Any) -> int | None:
    """The GPU that holds the first array in a value."""
    if hasattr(value, "__cuda_array_interface__"):
        return int(value.device.id)
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, list | tuple):
        value = (
            vars(value).values() if type(value).__module__.startswith("emst.") and hasattr(value, "__dict__") else ()
        )
    return next((gpu for one in value if (gpu := _gpu_of(one)) is not None), None)


def _leave_the_pool() -> None:
    """Let a worker begin other tasks if this is one of its tasks, which is going to wait for them."""
    if getattr(pool_state, "proceed", False):
        with contextlib.suppress(ValueError):  # a thread of a pool that is no worker's
            secede()


def _checked_client(client: Client | None) -> Client:
    if client is None:
        try:
            client = get_client()
        except ValueError:
            raise RuntimeError(f"there is no Dask client; {START_ONE}") from None
    if not isinstance(client, Client):
        raise TypeError(f"client must be a distributed.Client or None; got {client!r}")
    if client.asynchronous:
        raise ValueError("the Dask client is asynchronous; start one without asynchronous=True")
    if client.status != "running":
        raise RuntimeError(f"the Dask client is {client.status}; {START_ONE}")
    return client
