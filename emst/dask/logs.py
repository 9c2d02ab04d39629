"""What workers log of tasks that fail.

Dask logs the traceback of every task that fails, and raises the error to the caller as well. An error that says what is
wrong with the input, such as a file that does not exist, is one sentence: the log would bury it.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator

from distributed import get_worker


class RaisedToCaller(logging.Filter):
    """Drops what a worker logs of the failed tasks with these keys."""

    def __init__(self) -> None:
        super().__init__()
        self.keys: set[object] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is logged."""
        key = record.args[0] if isinstance(record.args, tuple) and record.args else None
        if key not in self.keys or not str(record.msg).startswith("Compute Failed"):
            return True
        self.keys.discard(key)
        return False


_RAISED = RaisedToCaller()


@contextlib.contextmanager
def sentences_not_logged() -> Iterator[None]:
    """The task that runs this does not log errors of the input, which the caller gets. Also a decorator."""
    try:
        yield
    except (ValueError, TypeError, OSError):
        _RAISED.keys.add(get_worker().get_current_task())
        logging.getLogger("distributed.worker").addFilter(_RAISED)  # once a process
        raise
