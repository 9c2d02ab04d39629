"""Times of small calls on a GPU, warm: what Python and the launches take beside the kernels.

    python benchmarks/small_calls.py                   # the table
    python benchmarks/small_calls.py --profile 100000  # where Python is, for labels of so many points

The points are on the GPU. The last two columns are all kernels, copies and fills of a call: how many there are and how
long they take in all, as PyTorch's profiler counts them, if PyTorch is installed.
"""

from __future__ import annotations

import argparse
import cProfile
import pathlib
import pstats
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import emst
from datasets import synthetic

CALLS = [
    *(("labels", "blobs", n, d) for n, d in ((1000, 2), (10_000, 3), (100_000, 3), (1_000_000, 3))),
    *(("tree", "uniform", n, 2) for n in (1000, 10_000, 100_000, 2_000_000)),
]


def call_of(what: str, points: Any) -> Callable[[], Any]:
    """A tree, or labels for min_samples=5 and min_cluster_size=20, of points on the GPU."""
    if what == "tree":
        return lambda: emst.minimum_spanning_tree(points)
    model = emst.HDBSCANGPU(20, 5)
    return lambda: model.fit(points).labels_


def timed(call: Callable[[], Any], runs: int) -> list[float]:
    """Milliseconds of every run, with a wait for the GPU at its end."""
    import cupy

    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        call()
        cupy.cuda.Device().synchronize()
        times.append(1000 * (time.perf_counter() - begin))
    return times


def on_gpu(call: Callable[[], Any]) -> tuple[float, int]:
    """Milliseconds of all kernels, copies and fills of a call, and how many there are."""
    try:
        import torch
        from torch.profiler import ProfilerActivity, profile
    except ImportError:
        return float("nan"), 0
    with profile(activities=[ProfilerActivity.CUDA]) as record:
        call()
        torch.cuda.synchronize()
    events = [event for event in record.key_averages() if event.self_device_time_total > 0]
    return sum(event.self_device_time_total for event in events) / 1000, sum(event.count for event in events)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--profile", type=int, help="points")
    options = parser.parse_args()
    import cupy

    def points_of(name: str, n: int, d: int) -> Any:
        return cupy.asarray(getattr(synthetic, name)(n, d, 0), np.float32)

    if options.profile:
        call = call_of("labels", points_of("blobs", options.profile, 3))
        timed(call, 20)
        profiler = cProfile.Profile()
        profiler.runcall(timed, call, options.runs)
        pstats.Stats(profiler).sort_stats("tottime").print_stats(45)
        return
    print("| call | best ms | median ms | launches | on the GPU, ms |\n|---|---|---|---|---|")
    for what, name, n, d in CALLS:
        call = call_of(what, points_of(name, n, d))
        timed(call, 5)
        times = timed(call, options.runs if n <= 100_000 else options.runs // 4)
        best, median, (busy, count) = min(times), statistics.median(times), on_gpu(call)
        print(f"| {what} {name} {n:,} x {d} | {best:.3f} | {median:.3f} | {count} | {busy:.3f} |", flush=True)


if __name__ == "__main__":
    main()
