"""Faults: data that goes down with a worker, waits for results that never come, and tasks that nobody takes.

Input that was lost is read again (`read_again`). A wait ends when the workers have done nothing for it for too long
(`Watch`).

Every task of a partition is pinned to a worker with ``allow_other_workers=True``. While no worker runs, Dask keeps such
a task in the state "no-worker", and then gives it to nobody but the worker of its pin (distributed 2025.1 to 2026.8,
`Scheduler.bulk_schedule_unrunnable_after_adding_worker`). A nanny starts a worker again at another address: such a
task would wait for ever, also one that is computed again because the only copy of its result is gone. `DropDeadPins`
removes such pins.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from typing import Any, TypeVar

from distributed import Client, Future, KilledWorker, SchedulerPlugin
from distributed.core import clean_exception
from distributed.protocol import deserialize

from emst.dask.files import is_path

LOST = "data was lost with a worker and cannot be read again; give paths, or a dask array that reads its chunks"
TRIES = 3  # to compute from an input that goes down with a worker
NO_WORKERS_FOR = 30.0  # seconds without any worker after which a wait ends
PAUSED_FOR = 300.0  # seconds in which all workers are out of memory and idle: time to write hundreds of gigabytes
IDLE_FOR = 120.0  # seconds in which workers have no task, but a result is missing: time to send Dask a large graph
FAILED_FOR = 5.0  # of these seconds, after which the wait ends if any task has failed
T = TypeVar("T")


class LostInput(RuntimeError):
    """Data went down with a worker, and Dask cannot compute it again."""


def read_again(X: Any, work: Callable[[], T]) -> T:
    """What `work` makes of the input `X`. If data was lost with a worker, it begins again, and reads or sends all
    input.

    Raises
    ------
    LostInput
        Data was lost every time.
    """
    for _ in range(TRIES - 1):
        with contextlib.suppress(LostInput):
            return work()
    try:
        return work()
    except LostInput as error:
        if not is_path(X):
            raise
        raise LostInput(
            f"workers died in each of {TRIES} attempts, with data that was read from the files; as a rule they ran out "
            "of memory: use more partitions, or more memory a worker"
        ) from error


@contextlib.contextmanager
def plain_errors() -> Iterator[None]:
    """Dask's errors about lost work, as one sentence."""
    try:
        yield
    except KilledWorker as error:
        raise RuntimeError(
            f"{error.allowed_failures + 1} workers died while they computed the same task ({error.task}), the last one "
            f"{error.last_worker.address}; as a rule they ran out of memory: use more partitions, or more memory a "
            "worker"
        ) from error
    except CancelledError as error:  # Dask's errors derive from it: one of `gather`, another one of `wait`
        raise LostInput(LOST) from error


class Watch:
    """Ends a wait for results that will never come. Ask it again and again."""

    def __init__(self, client: Client, futures: list[Future], timeout: float | None = None) -> None:
        self.client, self.futures, self.timeout = client, futures, timeout
        self.begin = self.seen = self.able = self.busy = time.monotonic()

    def check(self, workers: dict[str, dict[str, Any]]) -> None:
        """Raise an error if the wait has to end; `workers` is what the scheduler knows of them, by address.

        Raises
        ------
        RuntimeError
            All workers have been gone, out of memory, or without any task for too long.
        TimeoutError
            The caller's time is over.
        """
        now = time.monotonic()
        if workers:
            self.seen = now
        if not workers or not all(map(_waits_for_memory, workers.values())):
            self.able = now
        if self._progress_is_possible(workers):
            self.busy = now
        if now - self.seen > NO_WORKERS_FOR:
            raise RuntimeError(f"all workers have been gone for {NO_WORKERS_FOR:.0f} seconds")
        if now - self.able > PAUSED_FOR:
            raise RuntimeError(
                f"all workers have waited for memory for {PAUSED_FOR:.0f} seconds; use more partitions, or more "
                "memory a worker (memory_limit)"
            )
        if now - self.busy > IDLE_FOR:
            missing = sum(not future.done() for future in self.futures)
            raise RuntimeError(
                f"workers have been idle for {IDLE_FOR:.0f} seconds, but {missing} of {len(self.futures)} results are "
                "missing: Dask gives their tasks to none of the workers"
            )
        if self.timeout is not None and now - self.begin > self.timeout:
            raise TimeoutError(f"no result within {self.timeout:g} seconds")

    @property
    def waits_in_vain(self) -> bool:
        """Whether a task that has failed is taken for the reason why nothing is done. If a result is lost while what it
        was made of fails, Dask (distributed 2026.8) may leave its task waiting, without an error."""
        return time.monotonic() - self.busy > FAILED_FOR

    def _progress_is_possible(self, workers: dict[str, dict[str, Any]]) -> bool:
        """Whether a worker has a task, none could take one, or no result is missing: results may still be on the way
        from the workers to this process."""
        running = any(worker["status"] == "running" for worker in workers.values())
        return not running or any(self.client.processing().values()) or all(future.done() for future in self.futures)


def failed_before(keys: list[Any], dask_scheduler: Any) -> BaseException | None:
    """The error of a task that has failed among those that these tasks need, which the driver may not hold any more.
    Runs on the scheduler."""
    waiting, seen = [dask_scheduler.tasks[key] for key in keys if key in dask_scheduler.tasks], set()
    while waiting:
        task = waiting.pop()
        if task in seen:
            continue
        seen.add(task)
        blame = task.exception_blame
        if blame is not None and blame.exception is not None:
            wrapped = blame.exception  # also serialised, if the worker is another process
            packed = hasattr(wrapped, "frames")
            error = deserialize(wrapped.header, wrapped.frames) if packed else getattr(wrapped, "data", wrapped)
            return clean_exception(error)[1]
        waiting.extend(task.dependencies)
    return None


def _waits_for_memory(worker: dict[str, Any]) -> bool:
    """Whether Dask gives a worker no tasks because of its memory, and none is under way that could free some."""
    counts = worker["metrics"].get("task_counts", {})
    return worker["status"] == "paused" and not counts.get("executing")


class DropDeadPins(SchedulerPlugin):
    """Removes the pin of a task that waits for a worker which has left, so that any other one may take the task.

    It acts on the scheduler, because this process may be busy, or gone, when a worker starts again; and it stays there,
    because results outlive the call that computed them."""

    name = "emst-drop-dead-pins"
    idempotent = True

    async def start(self, scheduler: Any) -> None:
        self.scheduler = scheduler

    def transition(self, key: Any, start: str, finish: str, *args: Any, **kwargs: Any) -> None:
        """The worker left before the task was ready."""
        if finish == "no-worker":
            self._unpin(self.scheduler.tasks[key])

    def remove_worker(self, scheduler: Any, worker: str, **kwargs: Any) -> None:
        """The worker leaves while the task waits for it: all of them were paused."""
        for task in scheduler.unrunnable:
            self._unpin(task)

    def _unpin(self, task: Any) -> None:
        pins = task.worker_restrictions
        if task.loose_restrictions and pins and pins.isdisjoint(self.scheduler.workers):
            task.worker_restrictions = None
