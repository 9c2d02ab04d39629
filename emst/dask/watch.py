"""How long anybody waits for results when the workers do nothing for them."""

from __future__ import annotations

import time
from typing import Any

from distributed import Client, Future

NO_WORKERS_FOR = 30.0  # seconds without any worker after which a wait ends
PAUSED_FOR = 300.0  # seconds in which all workers are out of memory and idle: time to write hundreds of gigabytes
IDLE_FOR = 120.0  # seconds in which workers have no task, but a result is missing: time to send Dask a large graph
FAILED_FOR = 5.0  # of these seconds, after which the wait ends if any task has failed


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


def _waits_for_memory(worker: dict[str, Any]) -> bool:
    """Whether Dask gives a worker no tasks because of its memory, and none is under way that could free some."""
    counts = worker["metrics"].get("task_counts", {})
    return worker["status"] == "paused" and not counts.get("executing")
