"""Times of clusterings with weights beside those without and those of copies, and of a selection by constraints.

    python benchmarks/weights_and_constraints.py --device cuda
    python benchmarks/weights_and_constraints.py --device cpu --copies 1000000

Points are blobs in 3-D, float32, on the device; times are medians in milliseconds. The last column of the first table
is how many labels differ from those of the copies.
"""

from __future__ import annotations

import argparse
import pathlib
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import emst
from datasets import synthetic
from emst.backend import backend_of
from emst.inputs.devices import to_host

SIZE = 100  # min_cluster_size


def timed(call: Callable[[], Any], runs: int) -> tuple[float, Any]:
    """Median milliseconds of a call that ends with a copy to the host, after one that compiles; and its result."""
    result, times = call(), []
    for _ in range(runs):
        begin = time.perf_counter()
        result = call()
        times.append(1000 * (time.perf_counter() - begin))
    return statistics.median(times), result


def labels(points: Any, k: int, weights: Any = None) -> np.ndarray:
    return to_host(emst.HDBSCANGPU(SIZE, k).fit(points, sample_weight=weights).labels_)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--device", default="cuda", choices=("cpu", "cuda"))
    parser.add_argument("--n", type=int, default=1_000_000)
    parser.add_argument("--copies", type=int, default=10_000_000, help="rows with whole numbers as weights")
    parser.add_argument("--k", type=int, default=16)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    ops, rng, k = backend_of(options.device), np.random.default_rng(0), options.k

    def points_of(n: int) -> Any:
        return ops.asarray(np.asarray(synthetic.blobs(n, 3, 0), np.float32))

    print("| labels | rows | ms | times the first | different |\n|---|---|---|---|---|")
    n = options.n
    points = points_of(n)
    plain, _ = timed(lambda: labels(points, k), options.runs)
    print(f"| no weights | {n:,} | {plain:.4g} | 1 | - |", flush=True)
    for name, weights in (
        ("weights of 1", np.ones(n)),
        ("weights from 0.1 to 10", rng.uniform(0.1, 10, n)),
        ("whole weights from 1 to 10", rng.integers(1, 11, n)),
    ):
        took, _ = timed(lambda weights=weights: labels(points, k, weights), options.runs)
        print(f"| {name} | {n:,} | {took:.4g} | {took / plain:.3g} | - |", flush=True)
    few = options.copies
    points, weights = points_of(few), rng.integers(1, 6, few)
    took, weighted = timed(lambda: labels(points, k, weights), 1)
    copied = points[ops.asarray(np.repeat(np.arange(few), weights))]
    apart, of_copies = timed(lambda: labels(copied, k), 1)
    first = np.cumsum(weights) - weights
    print(f"| whole weights from 1 to 5 | {few:,} | {took:.4g} | 1 | {(of_copies[first] != weighted).sum():,} |")
    print(f"| their copies | {len(copied):,} | {apart:.4g} | {apart / took:.3g} | - |", flush=True)
    copied = None
    points = points_of(n)
    model = emst.HDBSCANGPU(5, 5).fit(points)
    pairs = rng.integers(0, n, (10_000, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    known = {"must_link": pairs[::2], "cannot_link": pairs[1::2]}
    print("\n| recluster | clusters | ms | satisfied |\n|---|---|---|---|")
    clusters = len(model.condensed_tree_.to_numpy()) - n + 1
    plain, _ = timed(lambda: to_host(model.recluster().labels_), options.runs)
    print(f"| without constraints | {clusters:,} | {plain:.4g} | - |")
    took, found = timed(lambda: (found := model.recluster(**known), to_host(found.labels_))[0], options.runs)
    print(f"| with {len(pairs):,} pairs | {clusters:,} | {took:.4g} | {found.constraints_.satisfied:,} |")


if __name__ == "__main__":
    main()
