"""Seconds of every task and operation of a tree over several GPUs, for one set.

    python benchmarks/gpu_tasks.py uniform 250000000 1 2     # points in all, k, GPUs

First four runs as they are, with the seconds of the stages; then one in which tasks are timed; and one in which every
operation is timed, with a wait around each.
"""

from __future__ import annotations

import contextlib
import gc
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from dask_sets import make_chunk
from stages import Timed

from emst.backend import backend_of
from emst.distances.metrics import tree_metric_of
from emst.gpus import engine, tree
from emst.gpus.inputs import given_points
from emst.inputs.devices import on_gpu
from emst.partitions.records import Request
from emst.progress import Progress


class Tasks:
    """Gives tasks a clock; with `operations`, these are timed, too."""

    def __init__(self, operations: bool) -> None:
        self.with_operations = operations
        self.spans: list[tuple[str, float, float]] = []
        self.operations: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        self.calls: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        self.lock = threading.Lock()

    def timed(self, function: Any) -> Any:
        """The task with a clock."""

        def run(ops: Any, *values: Any) -> Any:
            ops = Timed(ops) if self.with_operations else ops
            with self._clock(function.__name__, ops):
                return function(ops, *values)

        return run

    @contextlib.contextmanager
    def _clock(self, name: str, ops: Any) -> Iterator[None]:
        if self.with_operations:
            ops.xp.cuda.Device().synchronize()
        start = time.perf_counter()
        yield
        if self.with_operations:
            ops.xp.cuda.Device().synchronize()
        with self.lock:
            self.spans.append((name, start, time.perf_counter()))
            for operation, seconds in ops.seconds.items() if self.with_operations else ():
                self.operations[name][operation] += seconds
                self.calls[name][operation] += ops.calls[operation]
        if self.with_operations:
            ops.seconds.clear()
            ops.calls.clear()

    def table(self) -> str:
        lines = []
        for name in dict.fromkeys(span[0] for span in self.spans):
            took = [stop - start for other, start, stop in self.spans if other == name]
            inside = sorted(self.operations[name].items(), key=lambda item: -item[1])
            listed = ", ".join(f"{op} {s * 1e3:.1f} ({self.calls[name][op]})" for op, s in inside if s > 5e-5)
            of_all, longest = sum(took) * 1e3, max(took) * 1e3
            lines.append(f"{name}: {len(took)} tasks, {of_all:.1f} ms, longest {longest:.1f}: {listed}")
        return "\n".join(lines)


def main(kind: str, n: int, k: int, count: int) -> None:
    ops, gpus = backend_of("cuda"), list(range(count))
    chunks = []
    for gpu in gpus:
        with on_gpu(gpu):
            chunks.append(make_chunk(ops, kind, n, n // count, 3, 0, gpu))
            ops.xp.get_default_memory_pool().free_all_blocks()
    metric = tree_metric_of("euclidean", None)
    kept: list[Any] = []
    fitted = tree.fitted_tree

    def fit(*arguments: Any) -> Any:
        start = time.perf_counter()
        result = fitted(*arguments)
        kept[:] = [result.tree.costs, time.perf_counter() - start]
        return result

    tree.fitted_tree = fit
    best = 9e9
    for _ in range(4):
        gc.collect()
        given = given_points(chunks, gpus)
        start = time.perf_counter()
        found = tree.tree_over_gpus(given, Request(metric, k, count), Progress())
        ops.xp.cuda.Device(0).synchronize()
        seconds = time.perf_counter() - start
        del found
        costs, of_tree = kept
        stages = {name: round(value * 1e3, 1) for name, value in costs.seconds.items()}
        print(
            f"{kind} {n:,} k={k} {count} GPUs: {seconds * 1e3:.1f} ms; tree {of_tree * 1e3:.1f}; {stages}; "
            f"rounds {costs.rounds}, components {costs.components:,}, asked at the border {costs.asked_border:,}, "
            f"in rounds {costs.asked_rounds:,}",
            flush=True,
        )
        best = min(best, seconds)
    run: Any = engine._run
    for operations in (False, True):
        tasks = Tasks(operations)
        engine._run = lambda gpu, function, values, tasks=tasks: run(gpu, tasks.timed(function), values)
        given = given_points(chunks, gpus)
        tree.tree_over_gpus(given, Request(metric, k, count), Progress())
        print(tasks.table(), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(float(sys.argv[2])), int(sys.argv[3]), int(sys.argv[4]))
