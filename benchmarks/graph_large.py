"""A lattice of more than 2^31 entries on one GPU: its forest in one piece, and streamed from the host in blocks.

    python benchmarks/graph_large.py                              # 2^31 entries, int32 weights
    python benchmarks/graph_large.py --side 4096 --weights float64 --stream-bytes 500000000

Both must give the same edges; the total weight is printed, too. The lattice is generated on the GPU. It is that of
`datasets.graphs.grid2d`, with ECL-MST's weights.
"""

from __future__ import annotations

import argparse
import pathlib
import sys
import time
from typing import Any

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))

from emst import graph_msf

ROWS = 256  # rows of the lattice that are generated at a time


def lattice(side: int, dtype: Any) -> tuple[Any, Any, Any]:
    """(indptr int64, indices int32, weights) of side x side vertices with four neighbours, on the GPU."""
    import cupy

    n, m = side * side, 4 * side * (side - 1)
    indptr = cupy.zeros(n + 1, np.int64)
    indices, weights = cupy.empty(m, np.int32), cupy.empty(m, dtype)
    at = 0
    for first in range(0, side, ROWS):
        v = cupy.arange(first * side, min(first + ROWS, side) * side, dtype=np.int64)
        x = v % side
        there = cupy.stack([v >= side, x > 0, x < side - 1, v < n - side], axis=1)
        ends = (v[:, None] + cupy.array([-side, -1, 1, side]))[there]
        row = cupy.broadcast_to(v[:, None], there.shape)[there]
        indptr[v + 1] = at + there.sum(axis=1).cumsum()
        indices[at : at + len(ends)] = ends
        weights[at : at + len(ends)] = ecl_weights(n, row, ends)
        at += len(ends)
    return indptr, indices, weights


def ecl_weights(n: int, source: Any, target: Any) -> Any:
    """|1 + source * target % n| on 32-bit products that wrap around, as `datasets.graphs.ecl`."""
    product = (source.astype(np.uint32) * target.astype(np.uint32)).view(np.int32).astype(np.int64)
    remainder = abs(product) % n
    return abs(1 + remainder * (2 * (product >= 0) - 1))


def timed(what: str, graph: tuple[Any, Any, Any], runs: int, **options: Any) -> Any:
    """The forest of the last run; prints the median time, peak memory and total weight."""
    import cupy

    pool, seconds = cupy.get_default_memory_pool(), []
    for _ in range(runs + 1):  # the first one compiles
        forest = None
        pool.free_all_blocks()
        before = pool.used_bytes()
        cupy.cuda.Device().synchronize()
        start = time.perf_counter()
        forest = graph_msf(graph, device="cuda", **options)
        cupy.cuda.Device().synchronize()
        seconds.append(time.perf_counter() - start)
    peak = pool.total_bytes() - before
    print(
        f"| {what} | {np.median(seconds[1:]) * 1e3:,.1f} | {peak / len(graph[1]):.1f} | {len(forest.edge_id):,} "
        f"| {forest.total_weight:,} |",
        flush=True,
    )
    return forest


def main() -> None:
    import cupy

    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--side", type=int, default=23_171, help="default: the smallest with more than 2^31 entries")
    options.add_argument("--weights", choices=["int32", "float32", "int64", "float64"], default="int32")
    options.add_argument("--runs", type=int, default=3)
    options.add_argument("--stream-bytes", type=int, default=110_000_000_000, help="device memory of the streamed run")
    given = options.parse_args()
    graph = lattice(given.side, np.dtype(given.weights))
    print(f"lattice of {given.side:,} x {given.side:,}: {len(graph[1]):,} entries, {given.weights} weights\n")
    print("| | ms | bytes/entry beyond input | edges | total weight |\n|---|--:|--:|--:|--:|")
    whole = timed("in one piece", graph, given.runs)
    ids = whole.edge_id.get()
    host = tuple(array.get() for array in graph)
    del whole, graph
    cupy.get_default_memory_pool().free_all_blocks()
    streamed = timed("streamed from the host", host, 1, max_device_bytes=given.stream_bytes)
    if not np.array_equal(ids, streamed.edge_id):
        raise AssertionError("the two forests differ")
    print("\nThe same edges.")


if __name__ == "__main__":
    main()
