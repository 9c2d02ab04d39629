"""Where the time goes: the backend with a stopwatch around every operation. The library holds no timers."""

from __future__ import annotations

import statistics
import time
from typing import Any

from emst.backend import backend_of
from emst.euclidean import spanning_tree
from emst.hierarchy.condensed import condensed_tree
from emst.hierarchy.selection import Options, flat_clustering
from emst.inputs.scaling import SAMPLE


def synchronize(device: str) -> None:
    """Wait until the device has done what it was told; on the CPU everything already has."""
    if device == "cuda":
        import cupy

        cupy.cuda.Device().synchronize()


class Timed:
    """A backend whose operations add up their own seconds. Waits before and after each, so nothing overlaps.

    `merge` calls other operations; theirs is not counted as its own.
    """

    def __init__(self, ops: Any) -> None:
        self._ops = ops
        self.seconds: dict[str, float] = {}
        self.calls: dict[str, int] = {}
        self._inner = 0.0  # seconds of operations called by the one that runs

    def __getattr__(self, name: str) -> Any:
        operation = getattr(self._ops, name)
        if not callable(operation):
            return operation

        def timed(*arguments: Any) -> Any:
            synchronize(self._ops.name)
            outer, self._inner = self._inner, 0.0
            start = time.perf_counter()
            result = operation(*arguments)
            synchronize(self._ops.name)
            seconds = time.perf_counter() - start
            self.seconds[name] = self.seconds.get(name, 0.0) + seconds - self._inner
            self._inner = outer + seconds
            self.calls[name] = self.calls.get(name, 0) + 1
            return result

        return timed


def time_stages(points: Any, k: int, device: str) -> dict[str, Any]:
    """One extra run, apart from those whose medians count: seconds and calls of every operation, components left."""
    ops = Timed(backend_of(device))
    left: list[int] = []
    points = ops.asarray(points)
    statistics = ops.point_statistics(points, SAMPLE)
    spanning_tree(points, statistics, k, ops, lambda _, components: left.append(components))
    return {"seconds": ops.seconds, "calls": ops.calls, "components": left}


def time_labels(points: Any, k: int, min_cluster_size: int, device: str, runs: int = 3) -> dict[str, Any]:
    """Extra runs of the stages of a clustering: medians of the seconds of the tree as a whole and of what follows."""
    options, seen = Options(min_cluster_size), []
    for _ in range(runs):
        ops = Timed(backend_of(device))
        synchronize(device)
        start = time.perf_counter()
        plain = backend_of(device)
        found = plain.point_statistics(points, SAMPLE)
        edges, weights, _ = spanning_tree(points, found, k, plain)
        synchronize(device)
        tree = {"tree": time.perf_counter() - start}
        condensed = condensed_tree(ops.linkage(edges, weights), min_cluster_size, 0.0, ops)
        flat_clustering(condensed, options, ops)
        seen.append(tree | ops.seconds)
    return {"seconds": {name: statistics.median(one[name] for one in seen) for name in seen[0]}}
