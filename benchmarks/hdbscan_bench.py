"""Time complete HDBSCAN* clusterings, from input to labels and probabilities, and compare labels with those of peers.

    python benchmarks/hdbscan_bench.py --device cpu --peers --peer-runs 2 --stages --markdown hdbscan.md
    python benchmarks/hdbscan_bench.py --device cuda --stages
    python benchmarks/hdbscan_bench.py --sets blobs3:50000 cpu-uniform2 --k 6 --peers

A set is a name, or NAME:N for N points of it. `min_cluster_size` is 50. GPU peers cannot run in the same process; their
times on an H200 are recorded in expected.py. README.md says what is timed and what is not.
"""

from __future__ import annotations

import argparse
import pathlib
import sys
from collections.abc import Iterator
from typing import Any

from sklearn.metrics import adjusted_rand_score

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from contestants import MIN_CLUSTER_SIZE, ours
from expected import recorded
from memory import peak_of
from race import invited, open_set, parser, race
from report import CLUSTERINGS, median_of, table, write
from stages import time_labels

from datasets.synthetic import SETS

OURS = "HDBSCANGPU"
PEERS = ["fast_hdbscan", "hdbscan", "quitefastmst", "scikit-learn"]  # quitefastmst: only its tree
FAST = [OURS, "quitefastmst"]
QUICK = 3_000

# (set, number of points or None for all, min_samples counting the point itself)
Case = tuple[str, int | None, list[int]]
CPU_CASES: list[Case] = [
    ("cpu-uniform2", None, [6]),
    ("cpu-uniform3", None, [6]),
    ("cpu-blobs2", None, [6]),
    ("cpu-blobs3", None, [6]),
    ("cpu-blobs5", None, [6]),
    ("cpu-blobs10", None, [6]),
    ("cpu-blobs2", 20_000, [6]),
]
CUDA_CASES: list[Case] = [
    ("halob3", None, [2, 5, 16]),
    ("uniform3", None, [5, 16]),
    ("uniform5", None, [6]),
    ("blobs3", 10_000, [6]),
    ("blobs3", 100_000, [6]),
    ("blobs3", 1_000_000, [6]),
    ("blobs3", 2_000_000, [6]),
    ("blobs5", 100_000, [16]),
    ("blobs5", 300_000, [16]),
    ("blobs5", 1_000_000, [16]),
    ("blobs10", 100_000, [16]),
    ("blobs50", 100_000, [16]),
    ("blobs384", 50_000, [16]),
]


def arguments() -> argparse.Namespace:
    top = parser(__doc__, PEERS)
    top.add_argument("--sets", nargs="+", metavar="SET[:N]", help=f"{', '.join(SETS)}, or a .npy file")
    top.add_argument("--k", nargs="+", type=int, default=[6], help="min_samples of --sets, counting the point itself")
    top.add_argument("--peer-runs", type=int, help=f"runs of the slow contestants: all but {' and '.join(FAST)}")
    top.add_argument("--quick", action="store_true", help=f"{QUICK:,} points of every set")
    return top.parse_args()


def cases(options: argparse.Namespace) -> list[Case]:
    """The sets, sizes and values of k to run."""
    chosen = CPU_CASES if options.device == "cpu" else CUDA_CASES
    if options.sets:
        chosen = [(*sized(name), options.k) for name in options.sets]
    if options.quick:
        chosen = [(name, QUICK, ks) for name, _, ks in chosen]
    return chosen


def sized(name: str) -> tuple[str, int | None]:
    """Name and number of points of NAME or NAME:N."""
    name, n = name.rpartition(":")[::2] if ":" in name else (name, "")
    return name, int(n) if n else None


def measure(title: str, points: Any, k: int, peers: list[str], options: argparse.Namespace) -> list[dict[str, Any]]:
    """Time every contestant on one set; our record comes first."""
    field = {OURS: ours(options.device)[OURS].under(options.metric)} | invited(title, len(points), k, peers, options)
    runs = {name: options.runs if name in FAST else options.peer_runs or options.runs for name in field}
    records = race(title, points, k, field, runs, options)
    mine = records[0]
    mine["peak_bytes"] = None if options.no_memory else peak_of(OURS, points, k, options)
    if options.stages:
        mine["stages"] = time_labels(points, k, MIN_CLUSTER_SIZE, options.device, options.metric)
    labels = [record.pop("labels", None) for record in records]
    if options.device == "cuda":
        records += recorded(mine)
    for record, theirs in zip(records[1:], labels[1:] + [None] * len(records)):
        record["ratio"] = median_of(record) / median_of(mine)
        if theirs is not None:
            record["rand"] = float(adjusted_rand_score(labels[0], theirs))
    return records


def races(chosen: list[Case], peers: list[str], options: argparse.Namespace) -> Iterator[list[dict[str, Any]]]:
    for name, n, ks in chosen:
        title, points = open_set(name, n, options)
        for k in ks:
            yield measure(title, points, k, peers, options)
        del points


def main() -> None:
    options = arguments()
    write(table(CLUSTERINGS, races(cases(options), PEERS, options)), CLUSTERINGS, options)


if __name__ == "__main__":
    main()
