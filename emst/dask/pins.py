"""Tasks that prefer a worker which has left.

Every task of a partition is pinned to a worker with ``allow_other_workers=True``. While no worker runs, Dask keeps such
a task in the state "no-worker", and then gives it to nobody but the worker of its pin (distributed 2025.1 to 2026.8,
`Scheduler.bulk_schedule_unrunnable_after_adding_worker`). A nanny starts a worker again at another address: such a
task would wait for ever, also one that is computed again because the only copy of its result is gone.
"""

from __future__ import annotations

from typing import Any

from distributed import SchedulerPlugin


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
