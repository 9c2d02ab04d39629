"""What workers log of tasks that fail.

Dask logs the traceback of every task that fails, and raises the error to the caller as well. An error that says what is
wrong with the input, such as a file that does not exist, is one sentence: the log would bury it. Such errors come from
the modules that read and check the input; those of all others are logged.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterator
from typing import Any

from distributed import get_worker

CHECKS = tuple(
    f"emst.dask.{module}" for module in ("edges", "files", "graph", "inputs", "weights")
)  # they read and check input
FAILED = "Compute Failed"  # how the line begins that a worker logs of a task that fails; its first argument is the key


class RaisedToCaller(logging.Filter):
    """Drops what a worker logs of the failed tasks with these keys."""

    def __init__(self) -> None:
        super().__init__()
        self.keys: set[object] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is logged."""
        if not str(record.msg).startswith(FAILED) or not isinstance(record.args, tuple):
            return True
        told = record.args[0] not in self.keys
        self.keys.discard(record.args[0])
        return told


_RAISED = RaisedToCaller()


@contextlib.contextmanager
def sentences_not_logged(function: Callable[..., Any]) -> Iterator[None]:
    """The task that runs `function` in this context does not log errors of the input, which the caller gets."""
    try:
        yield
    except (ValueError, TypeError, OSError):
        if function.__module__ in CHECKS:
            _RAISED.keys.add(get_worker().get_current_task())
            logging.getLogger("distributed.worker").addFilter(_RAISED)  # once a process
        raise
