"""Trees, groups and clusters of more points than a machine's memory holds: many partitions, and the rest on disk.

The points lie in .npy files. Workers, processes with a limit on their memory, work through the partitions one after the
other, and Dask writes to disk what does not fit. Prints the greatest resident memory of a worker, how much one had on
disk, and the seconds. With --cut, the tree is cut at this part of the mean spacing of the points: friends of friends.
With --check, the result is compared with that of one device.

    python benchmarks/out_of_core.py --points 8_000_000 --memory 1GiB
    python benchmarks/out_of_core.py --points 10_000_000 --memory 4GiB --workers 2 --dtype float32 --cut 0.2
"""

from __future__ import annotations

import argparse
import pathlib
import tempfile
import threading
import time
from typing import Any

import dask
import numpy as np
from dask.utils import format_bytes, parse_bytes
from distributed import Client, LocalCluster

import emst
from emst.dask import minimum_spanning_tree
from emst.dask.hdbscan import HDBSCAN

FILES = 16


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=8_000_000)
    parser.add_argument("--memory", default="1GiB", help="limit of each worker")
    parser.add_argument("--workers", type=int, default=1, help="processes of one thread")
    parser.add_argument("--dtype", default="float64")
    parser.add_argument("--partitions", type=int, help="by default as many as the limit asks for")
    parser.add_argument("--min-samples", type=int, default=1)
    parser.add_argument("--cluster", action="store_true", help="clusters of at least 50 points instead of the tree")
    parser.add_argument("--cut", type=float, help="cut the tree at this part of n ** (-1 / 3), to groups of 20 or more")
    parser.add_argument("--check", action="store_true", help="compare with one device")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(run(options, pathlib.Path(folder)))


def run(options: argparse.Namespace, folder: pathlib.Path) -> str:
    """Write the points, run once, and say what it took."""
    rng = np.random.default_rng(1)
    size = -(-options.points // FILES)
    for i in range(FILES):
        np.save(folder / f"{i:02}.npy", rng.random((min(size, options.points - i * size), 3)).astype(options.dtype))
    with (
        dask.config.set({"temporary-directory": str(folder / "spilled")}),
        LocalCluster(
            n_workers=options.workers,
            threads_per_worker=1,
            processes=True,
            memory_limit=options.memory,
            dashboard_address=":0",
        ) as local,
        Client(local) as client,
        Watch(client) as watch,
    ):
        warm_up(options)
        begin = time.perf_counter()
        result = build(folder, options)
        seconds = time.perf_counter() - begin
        groups = cut(result, options)
        memory, disk = watch.most
        line = (
            f"{options.points:,} points, {result.report_.partitions} partitions, {options.workers} workers, limit "
            f"{format_bytes(parse_bytes(options.memory))}: {seconds:.1f} s{groups}, {format_bytes(memory)} resident, "
            f"{format_bytes(disk)} on disk"
        )
        return line + (f", {compared(result, folder, options)}" if options.check else "")


def warm_up(options: argparse.Namespace) -> None:
    """Every worker loads or compiles what it needs: a tree of few points, and labels."""
    few = np.random.default_rng(2).random((20_000, 3)).astype(options.dtype)
    tree = minimum_spanning_tree(few, min_samples=options.min_samples, partitions=4 * options.workers, device="cpu")
    tree.cut(0.02)


def build(folder: pathlib.Path, options: argparse.Namespace) -> Any:
    """The tree or the clusters of the files."""
    given = {"min_samples": options.min_samples, "partitions": options.partitions, "device": "cpu"}
    files = str(folder / "*.npy")
    return HDBSCAN(50, **given).fit(files) if options.cluster else minimum_spanning_tree(files, **given)


def cut(tree: Any, options: argparse.Namespace) -> str:
    """Cut the tree as the options say: how many groups there are, and the seconds."""
    if options.cut is None:
        return ""
    begin = time.perf_counter()
    groups = tree.cut(linking_length(options), min_cluster_size=20)
    seconds = time.perf_counter() - begin
    return f", {seconds:.1f} s more for {int(groups.max().compute()) + 1:,} groups"


def linking_length(options: argparse.Namespace) -> float:
    """The part of the mean spacing of the points in the unit cube."""
    return float(options.cut * options.points ** (-1 / 3))


def compared(result: Any, folder: pathlib.Path, options: argparse.Namespace) -> str:
    """Whether the result is that of one device."""
    X = np.concatenate([np.load(path) for path in sorted(folder.glob("*.npy"))])
    if options.cluster:
        one = emst.HDBSCAN(50, min_samples=options.min_samples, device="cpu").fit(X).labels_
        same = np.array_equal(result.to_local()[0], one)
    else:
        tree, one = result.to_local(), emst.minimum_spanning_tree(X, min_samples=options.min_samples, device="cpu")
        same = np.array_equal(tree.edges, one.edges) and np.array_equal(tree.weights, one.weights)
        if options.cut is not None:
            height = linking_length(options)
            same &= np.array_equal(result.cut(height, 20).compute(), one.cut(height, 20))
    return "same bits as one device" if same else "NOT the result of one device"


class Watch:
    """Asks the scheduler ten times a second for the memory and the disk that the worker uses."""

    def __init__(self, client: Client) -> None:
        self.client, self.most, self.stop = client, (0, 0), threading.Event()
        self.thread = threading.Thread(target=self._watch)

    def _watch(self) -> None:
        while not self.stop.wait(0.1):
            for worker in self.client.scheduler_info(n_workers=-1)["workers"].values():
                found = worker["metrics"]["memory"], worker["metrics"].get("spilled_bytes", {}).get("disk", 0)
                self.most = max(self.most[0], found[0]), max(self.most[1], found[1])

    def __enter__(self) -> Watch:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        self.thread.join()


if __name__ == "__main__":
    main()
