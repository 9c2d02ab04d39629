"""Trees and clusters while worker processes are killed at random moments: the results must not change.

python benchmarks/faults.py --seeds 20
"""

from __future__ import annotations

import argparse
import os
import signal
import threading
import time

import dask
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

import emst
from emst.dask import minimum_spanning_tree
from emst.dask.hdbscan import HDBSCAN


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--points", type=int, default=20_000)
    options = parser.parse_args()
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "2s"}),
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as local,
        Client(local) as client,
    ):
        X = np.round(np.random.default_rng(0).random((options.points, 2)), 3)
        same_tree(X, 1), same_labels(X)  # kernels are compiled
        wrong = sum(not one_seed(seed, X, client) for seed in range(options.seeds))
    raise SystemExit(f"{wrong} of {options.seeds} results are wrong" if wrong else 0)


def one_seed(seed: int, X: np.ndarray, client: Client) -> bool:
    """Kill a worker at a random moment; whether the result is that of one device."""
    rng = np.random.default_rng(seed)
    client.wait_for_workers(2, timeout=60)
    pid = int(rng.choice(list(client.run(os.getpid).values())))
    after = float(rng.uniform(0, 3))
    timer = threading.Timer(after, os.kill, [pid, signal.SIGKILL])
    begin = time.perf_counter()
    timer.start()
    same = same_tree(X, 1 + seed % 3) if seed % 2 else same_labels(X)
    what = "would be killed" if timer.is_alive() else "killed"
    timer.cancel()
    print(f"seed {seed}: {what} after {after:.1f} s, {time.perf_counter() - begin:.1f} s, same: {same}", flush=True)
    return same


def same_tree(X: np.ndarray, k: int) -> bool:
    found = minimum_spanning_tree(da.from_array(X, chunks=(2000, 2)), min_samples=k, partitions=6).to_local()
    wanted = emst.minimum_spanning_tree(X, min_samples=k, device="cpu")
    return np.array_equal(found.edges, wanted.edges) and np.array_equal(found.weights, wanted.weights)


def same_labels(X: np.ndarray) -> bool:
    found = HDBSCAN(20, min_samples=3, partitions=6).fit(da.from_array(X, chunks=(2000, 2))).to_local()[0]
    return np.array_equal(found, emst.HDBSCAN(20, min_samples=3, device="cpu").fit(X).labels_)


if __name__ == "__main__":
    main()
