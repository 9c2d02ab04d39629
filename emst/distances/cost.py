"""Estimates of the time and memory that comparing all pairs of points takes. They are shown before it begins.

The time that a metric takes is measured on a few of the points. The rest is proportional to the square of their number.
"""

from __future__ import annotations

import time
import warnings
from typing import Any

from emst.distances.metrics import Metric
from emst.distances.pairwise import sklearn_pairwise
from emst.progress import Progress

FEW = 2000  # points that no metric of scikit-learn takes seconds for
LONG_ENOUGH = 0.02  # seconds: then the measurement ends
MOST_MEASURED = 1024  # points
TREE_SECONDS = 3e-9  # for each entry of the matrix: all rounds of the tree, on one core
WORTH_A_NOTE, WORTH_A_WARNING = 1.0, 60.0  # seconds


def announce_matrix(X: Any, metric: Metric, progress: Progress) -> None:
    """Say that the matrix of all distances between the rows of `X` is computed, and what it costs."""
    n = X.shape[0]
    progress.way(f"the full distance matrix: O(n^2) time and memory ({metric.why})")
    if n >= FEW or callable(metric.name):
        _announce(n, seconds_of_matrix(X, metric) + TREE_SECONDS * n * n, 8 * n * n, metric.why, progress, 7)


def announce_given(n: int, itemsize: int, progress: Progress) -> None:
    """Say that the tree of a given n x n matrix of distances is built, and what it costs."""
    progress.way("the given distances")
    _announce(n, TREE_SECONDS * n * n, itemsize * n * n, "distances are given", progress, 6)
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


def _announce(n: int, seconds: float, size: int, why: str, progress: Progress, level: int) -> None:
    """`level` is the caller of `fit`, counted from here."""
    text = f"all pairs of {n:,} points are compared: about {duration(seconds)}, and {size / 1e9:,.1f} GB for the matrix"
    if seconds > WORTH_A_WARNING and not progress.shown:
        warnings.warn(f"{text} ({why})", UserWarning, stacklevel=level)
    elif seconds > WORTH_A_NOTE:
        progress.note(text)
