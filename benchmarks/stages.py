"""Times of single stages: a backend whose operations are timed from outside. The library contains no timers."""

from __future__ import annotations

import statistics
import time
from typing import Any

from emst.backend import backend_of
from emst.distances.metrics import tree_metric_of
from emst.hierarchy.condensed import condensed_tree
from emst.hierarchy.selection import Options, flat_clustering
from emst.spanning import metric_tree


def synchronize(device: str) -> None:
    """Wait until the device has finished; the CPU always has."""
    if device == "cuda":
        import cupy

        cupy.cuda.Device().synchronize()


class Timed:
    """A backend that adds up the seconds of each operation. It waits before and after each, so nothing overlaps.

    An operation that calls others (`merge` does) is charged without their seconds.
    """

    def __init__(self, ops: Any) -> None:
        self._ops = ops
        self.seconds: dict[str, float] = {}
        self.calls: dict[str, int] = {}
        self._inner = 0.0  # seconds of the operations that the running one called

    def __getattr__(self, name: str) -> Any:
        operation = getattr(self._ops, name)
        if not callable(operation):
            return operation

        def timed(*arguments: Any, **options: Any) -> Any:
            synchronize(self._ops.name)
            outer, self._inner = self._inner, 0.0
            start = time.perf_counter()
            result = operation(*arguments, **options)
            synchronize(self._ops.name)
            seconds = time.perf_counter() - start
            self.seconds[name] = self.seconds.get(name, 0.0) + seconds - self._inner
            self._inner = outer + seconds
            self.calls[name] = self.calls.get(name, 0) + 1
            return result

        return timed


def time_stages(
    points: Any, k: int, device: str, metric: str = "euclidean", dendrogram: bool = False
) -> dict[str, Any]:
    """One extra run: seconds and calls of every operation, and the components left after each round."""
    ops = Timed(backend_of(device))
    left: list[int] = []
    points = ops.asarray(points)
    statistics = ops.point_statistics(points)
    chosen = tree_metric_of(metric, None)
    ahead = _nothing_early if dendrogram else None
    tree = metric_tree(points, statistics, chosen, k, ops, lambda _, components: left.append(components), ahead=ahead)
    if dendrogram:
        ops.linkage(tree.edges, tree.weights, first_round=tree.first_round)
    return {"seconds": ops.seconds, "calls": ops.calls, "components": left}


def time_labels(
    points: Any, k: int, min_cluster_size: int, device: str, metric: str = "euclidean", runs: int = 3
) -> dict[str, Any]:
    """Extra runs: median seconds of the spanning tree and of each operation after it."""
    options, seen = Options(min_cluster_size), []
    for _ in range(runs):
        ops = Timed(backend_of(device))
        synchronize(device)
        start = time.perf_counter()
        plain = backend_of(device)
        found = plain.point_statistics(points)
        tree = metric_tree(points, found, tree_metric_of(metric, None), k, plain, None, ahead=_nothing_early)
        synchronize(device)
        seconds = {"tree": time.perf_counter() - start}
        linkage = ops.linkage(tree.edges, tree.weights, first_round=tree.first_round)
        flat_clustering(condensed_tree(linkage, min_cluster_size, 0.0, ops), options, ops)
        seen.append(seconds | ops.seconds)
    return {"seconds": {name: statistics.median(one[name] for one in seen) for name in seen[0]}}


def _nothing_early(edges: Any, weights: Any, first_round: Any) -> None:
    """A dendrogram follows, and does not begin early: its time is its own."""
