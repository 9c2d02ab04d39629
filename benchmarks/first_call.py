"""Seconds of the first call in a new process, import included: with an empty numba cache, and with a filled one.

    python benchmarks/first_call.py [--n 1000] [--runs 3]

Every process imports emst and builds one tree, or one clustering. For "empty cache" each process gets an empty
NUMBA_CACHE_DIR; for "warm cache" the processes share one that an earlier process has filled.
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
from emst import HDBSCANGPU, minimum_spanning_tree
{call}
print(time.perf_counter() - start)
"""
TREE = 'minimum_spanning_tree(x, min_samples={k}, device="cpu")'
CLUSTERING = 'HDBSCANGPU(min_samples={k}, device="cpu").fit(x)'
CASES = [
    (TREE, 2, "float64", 1),
    (TREE, 3, "float64", 1),
    (TREE, 3, "float32", 1),
    (TREE, 3, "float64", 6),
    (TREE, 8, "float64", 1),
    (CLUSTERING, 2, "float64", 6),
    (CLUSTERING, 3, "float64", 6),
    (CLUSTERING, 3, "float32", 6),
]


def first_call(cache: str, call: str, **case: object) -> float:
    """Seconds from the first import to the result, in a process whose numba cache lies in ``cache``."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache, "PYTHONPATH": str(ROOT)}
    code = CALL.format(call=call.format(**case), **case)
    done = subprocess.run([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return float(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    print(f"{options.n:,} points, {len(os.sched_getaffinity(0))} cores, median of {options.runs}; seconds")
    print("| call | d | dtype | k | empty cache | warm cache |\n|---|---|---|---|---|---|")
    for call, d, dtype, k in CASES:
        case = {"n": options.n, "d": d, "dtype": dtype, "k": k}
        cold = []
        for _ in range(options.runs):
            with tempfile.TemporaryDirectory() as cache:
                cold.append(first_call(cache, call, **case))
        with tempfile.TemporaryDirectory() as cache:
            first_call(cache, call, **case)
            warm = [first_call(cache, call, **case) for _ in range(options.runs)]
        seconds = f"{statistics.median(cold):.2f} | {statistics.median(warm):.2f}"
        print(f"| {call.partition('(')[0]} | {d} | {dtype} | {k} | {seconds} |", flush=True)


if __name__ == "__main__":
    main()
