"""Data that went down with a worker: the errors of Dask that tell of it, and reading the input again."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from typing import Any, TypeVar

from distributed import KilledWorker

from emst.dask.files import is_path

LOST = "data was lost with a worker and cannot be read again; give paths, or a dask array that reads its chunks"
TRIES = 3  # to compute from an input that goes down with a worker
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
