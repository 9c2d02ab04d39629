"""Milliseconds of the rounds between partitions, all on one GPU that is given several times.

    python benchmarks/gpu_rounds.py uniform 250000000 1 4     # points in all, k, partitions

There is no other GPU to wait for or to read from, and kernels of all partitions take turns: the time is the greater of
what the host takes and of the sum over all kernels. The clock begins when the host does, and the last tasks before the
rounds may still run then. Best of six runs after three.
"""

from __future__ import annotations

import dataclasses
import sys
import time
from typing import Any

from dask_sets import make_chunk

from emst.backend import backend_of
from emst.distances.metrics import tree_metric_of
from emst.gpus import tree
from emst.gpus.inputs import given_points
from emst.partitions import spanning
from emst.partitions.records import Request
from emst.progress import Progress


def main(kind: str, n: int, k: int, partitions: int) -> None:
    ops, rounds = backend_of("cuda"), spanning.all_rounds
    device = ops.xp.cuda.Device()
    chunks = [make_chunk(ops, kind, n, n // partitions, 3, 0, part) for part in range(partitions)]
    ops.xp.get_default_memory_pool().free_all_blocks()
    took: list[float] = []

    def timed(*given: Any) -> Any:
        device.synchronize()
        start = time.perf_counter()
        found = rounds(*given)
        device.synchronize()
        took.append((time.perf_counter() - start) * 1e3)
        costs[:] = found[1]
        return found

    spanning.all_rounds = timed
    costs: list[Any] = []
    for _ in range(9):
        given = dataclasses.replace(given_points(chunks, [0]), gpus=[0] * partitions)
        tree.tree_over_gpus(given, Request(tree_metric_of("euclidean", None), k, partitions), Progress())
    asked = sum(one.asked for one in costs)
    print(
        f"{kind} {n:,} k={k}, {partitions} partitions: {min(took[3:]):.1f} ms "
        f"({' '.join(f'{one:.1f}' for one in took[3:])}); {len(costs) - 1} rounds of {costs[0].left:,} components, "
        f"{asked:,} questions",
        flush=True,
    )


if __name__ == "__main__":
    main(sys.argv[1], int(float(sys.argv[2])), int(sys.argv[3]), int(sys.argv[4]))
