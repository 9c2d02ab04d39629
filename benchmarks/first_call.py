"""Seconds of the first call in a fresh process, import included: with an empty numba cache, and with a warm one.

    python benchmarks/first_call.py [--n 1000] [--runs 3]

Every process imports emst and builds one tree. Cold ones get an empty NUMBA_CACHE_DIR each; the warm ones share one
that a process before them has filled.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
CALL = """
import time
start = time.perf_counter()
import numpy as np
x = np.random.default_rng(0).random(({n}, {d})).astype("{dtype}")
from emst import minimum_spanning_tree
tree = minimum_spanning_tree(x, min_samples={k}, device="cpu")
print(time.perf_counter() - start)
"""


def first_call(cache: str, **case: object) -> float:
    """Seconds from the first import to the tree, in a process whose numba cache lies in ``cache``."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache, "PYTHONPATH": str(ROOT)}
    code = CALL.format(**case)
    done = subprocess.run([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return float(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    print(f"{options.n:,} points, {len(os.sched_getaffinity(0))} cores, median of {options.runs}; seconds")
    print("| d | dtype | k | empty cache | warm cache |\n|---|---|---|---|---|")
    for d, dtype, k in [(2, "float64", 1), (3, "float64", 1), (3, "float32", 1), (3, "float64", 6), (8, "float64", 1)]:
        case = {"n": options.n, "d": d, "dtype": dtype, "k": k}
        cold = []
        for _ in range(options.runs):
            with tempfile.TemporaryDirectory() as cache:
                cold.append(first_call(cache, **case))
        with tempfile.TemporaryDirectory() as cache:
            first_call(cache, **case)
            warm = [first_call(cache, **case) for _ in range(options.runs)]
        print(f"| {d} | {dtype} | {k} | {statistics.median(cold):.2f} | {statistics.median(warm):.2f} |", flush=True)


if __name__ == "__main__":
    main()
