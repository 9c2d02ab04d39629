"""From which dimension on brute force is faster than the tree search on the GPU: both, for growing dimensions.

    python benchmarks/crossing.py            # prints a markdown table

`BRUTE_FROM` of emst/cuda/points/bvh.py comes from here. (The CPU has no brute force: see emst/cpu/points/search.py.)
"""

from __future__ import annotations

import argparse
import pathlib
import statistics
import sys
import time

import cupy
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from datasets.synthetic import blobs, uniform
from emst import minimum_spanning_tree
from emst.cuda.points import bvh

KINDS = {
    "uniform": lambda n, d: uniform(n, d, 0),
    "blobs": lambda n, d: blobs(n, d, 0).astype(np.float32),
    "10-D blobs": lambda n, d: (blobs(n, 10, 0) @ np.random.default_rng(1).normal(size=(10, d))).astype(np.float32),
}


def seconds(points, runs: int) -> float:
    times = []
    for _ in range(runs + 1):  # the first one compiles
        start = time.perf_counter()
        tree = minimum_spanning_tree(points)
        tree.weights[-1:].tolist()  # copying one number waits for the device
        times.append(time.perf_counter() - start)
    return statistics.median(times[1:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, nargs="+", default=[20_000, 100_000])
    parser.add_argument("--d", type=int, nargs="+", default=[5, 8, 12, 16, 24, 32])
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    print("| set | n | d | hierarchy, ms | brute force, ms |\n|---|---|---|---|---|")
    for kind, make in KINDS.items():
        for n in options.n:
            for d in options.d:
                points = cupy.asarray(make(n, d))
                measured = []
                for brute_from in (10**9, 1):
                    bvh.BRUTE_FROM = brute_from
                    measured.append(1e3 * seconds(points, options.runs))
                print(f"| {kind} | {n:,} | {d} | {measured[0]:.1f} | {measured[1]:.1f} |", flush=True)


if __name__ == "__main__":
    main()
