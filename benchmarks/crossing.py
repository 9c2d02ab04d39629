"""From which dimension on products of all pairs are faster than the hierarchy on the GPU: both, and what is chosen.

    python benchmarks/crossing.py            # prints a markdown table

`WORTH` and `BRUTE_FROM` of emst/cuda/points/engine.py come from here. (What the CPU does: see
emst/cpu/points/engine.py.)
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
from emst.cuda.points import engine

KINDS = {
    "uniform": lambda n, d: uniform(n, d, 0),
    "blobs": lambda n, d: blobs(n, d, 0).astype(np.float32),
    "8 intrinsic": lambda n, d: intrinsic(n, d).astype(np.float32),
}
# Names, and what `WORTH`, `LOOK_FROM` and `BRUTE_FROM` are.
WAYS = {
    "hierarchy": (np.inf, 1, 10**9),
    "products": (-np.inf, 1, 10**9),
    "chosen": (engine.WORTH, engine.LOOK_FROM, engine.BRUTE_FROM),
}


def intrinsic(n: int, d: int) -> np.ndarray:
    """Points that fill 8 of d dimensions, with a little noise in all."""
    g = np.random.default_rng(0)
    return g.standard_normal((n, 8)) @ g.standard_normal((8, d)) + 0.01 * g.standard_normal((n, d))


def seconds(points, k: int, runs: int) -> tuple[float, float]:
    """Median time, and the total weight."""
    times = []
    for _ in range(runs + 1):  # the first one compiles
        start = time.perf_counter()
        tree = minimum_spanning_tree(points, min_samples=k)
        tree.weights[-1:].tolist()  # copying one number waits for the device
        times.append(time.perf_counter() - start)
    return statistics.median(times[1:]), tree.total_weight


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, nargs="+", default=[50_000, 300_000])
    parser.add_argument("--d", type=int, nargs="+", default=[12, 16, 24, 32])
    parser.add_argument("--k", type=int, nargs="+", default=[1, 16], help="min_samples, counting the point itself")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    print(f"| set | n | d | k | {', '.join(WAYS)}, ms | total weight |\n|---|---|---|---|---|---|")
    for kind, make in KINDS.items():
        for n in options.n:
            for d in options.d:
                points = cupy.asarray(make(n, d))
                for k in options.k:
                    measured, totals = [], set()
                    for engine.WORTH, engine.LOOK_FROM, engine.BRUTE_FROM in WAYS.values():
                        median, total = seconds(points, k, options.runs)
                        measured.append(f"{1e3 * median:.1f}")
                        totals.add(total)
                    same = f"{total:.10g}" if len(totals) == 1 else f"differs: {totals}"
                    print(f"| {kind} | {n:,} | {d} | {k} | {', '.join(measured)} | {same} |", flush=True)


if __name__ == "__main__":
    main()
