"""What the matrix of all distances costs: an error if memory is short, and words about the time before it begins.

The time that a metric takes is measured on a few of the points. The rest is proportional to the square of their number.
"""

from __future__ import annotations

import time
import warnings
from typing import Any

from emst.backend import backend_of
from emst.backend.memory import MATRICES, free_gb, needed_gb
from emst.backend.operations import Backend
from emst.distances.metrics import Metric
from emst.distances.pairwise import sklearn_pairwise
from emst.inputs.places import levels_of_the_package
from emst.progress import Progress

FEW = 2000  # points that no metric of scikit-learn takes seconds for
LONG_ENOUGH = 0.02  # seconds: then the measurement ends
MOST_MEASURED = 1024  # points
TREE_SECONDS = 3e-9  # for each entry of the matrix: all rounds of the tree, on one core
WORTH_A_NOTE, WORTH_A_WARNING = 1.0, 60.0  # seconds


def require_matrix(n: int, itemsize: int, ops: Backend, why: str = "") -> None:
    """Raise MemoryError naming gigabytes needed and free, and what the matrix is for, if an n x n matrix cannot fit."""
    needed, free = n * n * itemsize, ops.bytes_free()
    if free is not None and needed > free:
        reason = f"; it is needed because {why}" if why else ""
        raise MemoryError(
            f"the {n:,} x {n:,} matrix of distances needs {needed_gb(needed)} of memory; {free_gb(free)} are free"
            f"{reason}; {MATRICES}"
        )


def announce_matrix(X: Any, metric: Metric, progress: Progress) -> None:
    """Say that the matrix of all distances between the rows of `X` is computed, and what it costs.

    Raises
    ------
    MemoryError
        The matrix would not fit on the device of `X`.
    """
    n, device = X.shape[0], "cuda" if hasattr(X, "__cuda_array_interface__") else "cpu"
    require_matrix(n, 8, backend_of(device), metric.why)
    progress.way(f"the full distance matrix: O(n^2) time and memory ({metric.why})")
    if n >= FEW or callable(metric.name):
        _announce(n, seconds_of_matrix(X, metric) + TREE_SECONDS * n * n, 8 * n * n, metric.why, progress)


def announce_given(n: int, itemsize: int, progress: Progress) -> None:
    """Say that the tree of a given n x n matrix of distances is built, and what it costs."""
    progress.way("the given distances")
    _announce(n, TREE_SECONDS * n * n, itemsize * n * n, "distances are given", progress)
    progress.points(n)


def seconds_of_matrix(X: Any, metric: Metric) -> float:
    """About how long the matrix of distances takes on the host. A GPU takes less."""
    n = X.shape[0]
    count, seconds = 8, 0.0
    while seconds < LONG_ENOUGH and count < min(n, MOST_MEASURED):
        count = min(2 * count, n)
        few = X[:: max(1, n // count)][:count]
        few = few.get() if hasattr(few, "__cuda_array_interface__") else few
        start = time.perf_counter()
        sklearn_pairwise(few, None, metric.name, metric.params)
        seconds = time.perf_counter() - start
    return seconds * (n / count) ** 2


def duration(seconds: float) -> str:
    """A time in words: "40 seconds", "5 minutes", "3 hours"."""
    for unit, size in (("day", 86400.0), ("hour", 3600.0), ("minute", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {unit}s"
    return f"{seconds:.0f} second{'s' * (round(seconds) != 1)}"


def _announce(n: int, seconds: float, size: int, why: str, progress: Progress) -> None:
    text = f"all pairs of {n:,} points are compared: about {duration(seconds)}, and {size / 1e9:,.1f} GB for the matrix"
    if seconds > WORTH_A_WARNING and not progress.shown:
        warnings.warn(f"{text} ({why})", UserWarning, stacklevel=levels_of_the_package())
    elif seconds > WORTH_A_NOTE:
        progress.note(text)
