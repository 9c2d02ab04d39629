"""Time trees or clusterings of points on either device, beside peers, with a correctness number for each time.

    python benchmarks trees --device cpu --peers --k 1 6 --stages --markdown trees.md
    python benchmarks trees --device cuda --sets uniform:1000000000 --runs 3
    python benchmarks labels --device cpu --peers --peer-runs 2 --stages --markdown labels.md
    python benchmarks labels --sets blobs3:50000 cpu-uniform2 --k 6 --peers fast_hdbscan
    python benchmarks dimensions --sets embeddings768:5000 noise384 --peers hdbscan

Of clusterings `min_cluster_size` is 50. GPU peers cannot run in the same process; their times on an H200 are recorded
in expected.py. "processor ms" is the time of all threads together: it does not depend on what else runs on the machine.
With NUMBA_NUM_THREADS=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 all contestants have one thread. README.md says what
is timed and what is not.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from contestants import MIN_CLUSTER_SIZE, ours
from expected import recorded
from memory import peak_of
from race import common_options, facts_of, invited, measure, open_set, peer_options, point_options
from report import CLUSTERINGS, TREES, Column, Record, median_of, table, write
from sklearn.metrics import adjusted_rand_score
from stages import time_labels, time_stages

FAST = ["emst", "HDBSCANGPU", "quitefastmst"]  # all others have --peer-runs runs

Case = tuple[str, list[int]]  # NAME or NAME:N of a set, and values of min_samples that count the point itself


@dataclass(frozen=True)
class Work:
    """What a command times.

    Attributes
    ----------
    ours : str
        Name of our contestant. Its record comes first.
    peers : list
        Names of the peers that can be timed beside it.
    columns : list
        Columns of the table.
    cases : dict
        Sets by device.
    k : list
        `min_samples` of the sets of --sets.
    stages : callable
        ``stages(points, k, device=, metric=)``: extra runs that time the stages.
    """

    ours: str
    peers: list[str]
    columns: list[Column]
    cases: dict[str, list[Case]]
    k: list[int]
    stages: Callable[..., dict[str, Any]]


def _labels(peers: list[str], cases: dict[str, list[Case]], k: int) -> Work:
    stages = partial(time_labels, min_cluster_size=MIN_CLUSTER_SIZE)
    return Work("HDBSCANGPU", peers, CLUSTERINGS, cases, [k], stages)


def _all(k: int, *names: str) -> list[Case]:
    return [(name, [k]) for name in names]


MANY = ("blobs50", "blobs384", "intrinsic384", "intrinsic1536", "noise1536", "embeddings768")
COMMANDS = {
    "trees": Work(
        "emst",
        ["quitefastmst", "mlpack"],
        TREES,
        {
            "cpu": _all(1, "cpu-uniform2", "cpu-uniform3", "cpu-blobs2", "cpu-blobs3"),
            "cuda": _all(
                1, "uniform3", "halo3", "normal3", "visualvar3", "traj3", "uniform2", "visualvar2", "normal2"
            ),
        },
        [1],
        time_stages,
    ),
    "labels": _labels(
        ["fast_hdbscan", "hdbscan", "quitefastmst", "scikit-learn"],  # quitefastmst: only its tree
        {
            "cpu": _all(
                6, "cpu-uniform2", "cpu-uniform3", "cpu-blobs2", "cpu-blobs3", "cpu-blobs5", "cpu-blobs10",
                "cpu-blobs2:20000",
            ),
            "cuda": [
                ("halob3", [2, 5, 16]),
                ("uniform3", [5, 16]),
                *_all(6, "uniform5", "blobs3:10000", "blobs3:100000", "blobs3:1000000", "blobs3:2000000"),
                *_all(16, "blobs5:100000", "blobs5:300000", "blobs5:1000000", "blobs10:100000", "blobs50:100000"),
                ("blobs384:50000", [16]),
            ],
        },
        6,
    ),
    "dimensions": _labels(
        ["scikit-learn brute", "hdbscan"],
        {
            "cpu": _all(16, *(f"{name}:{n}" for name in MANY for n in (2_000, 5_000, 20_000))),
            "cuda": _all(16, *MANY, "blobs1536", "noise384"),
        },
        16,
    ),
}  # fmt: skip


def arguments(top: argparse.ArgumentParser, given: list[str]) -> argparse.Namespace:
    work = COMMANDS[top.get_default("command")]
    common_options(top)
    point_options(top)
    peer_options(top, work.peers)
    top.add_argument("--k", nargs="+", type=int, help=f"min_samples, counting the point itself (--sets: {work.k})")
    top.add_argument("--stages", action="store_true", help="also time the stages, in separate runs")
    return top.parse_args(given)


def cases(work: Work, options: argparse.Namespace) -> list[Case]:
    """The sets and values of k to run."""
    if options.sets:
        return [(name, options.k or work.k) for name in options.sets]
    return [(name, options.k or ks) for name, ks in work.cases[options.device]]


def contest(title: str, points: Any, k: int, work: Work, options: argparse.Namespace) -> list[Record]:
    """Time every contestant on one set; our record comes first."""
    field = {work.ours: ours(options.device)[work.ours].under(options.metric)}
    field |= invited(title, len(points), k, work.peers, options)
    for contestant in field.values():  # compile, fill pools and caches
        contestant.build(points[: max(2000, k)] if options.device == "cpu" else points, k)
    calls = {name: (partial(one.build, points, k), one.figures) for name, one in field.items()}
    runs = {name: options.runs if name in FAST else options.peer_runs or options.runs for name in field}
    records = measure(f"{title}, k = {k}", facts_of(title, points, k), calls, runs, options)
    for record in records if work.columns is TREES else records[:1]:
        record["peak_bytes"] = None if options.no_memory else peak_of(record["contestant"], points, k, options)
    if options.stages:
        records[0]["stages"] = work.stages(points, k, device=options.device, metric=options.metric)
    return compared(records, options.device)


def compared(records: list[Record], device: str) -> list[Record]:
    """Of clusterings, times and labels of the others beside ours, and recorded times of peers on the GPU."""
    labels = [record.pop("labels", None) for record in records]
    if labels[0] is None:
        return records
    if device == "cuda":
        records = records + recorded(records[0])
    for record, theirs in zip(records[1:], labels[1:] + [None] * len(records)):
        record["ratio"] = median_of(record) / median_of(records[0])
        if theirs is not None:
            record["rand"] = float(adjusted_rand_score(labels[0], theirs))
    return records


def contests(work: Work, options: argparse.Namespace) -> Iterator[list[Record]]:
    """The records of every set and k."""
    for name, ks in cases(work, options):
        title, points = open_set(name, options)
        for k in ks:
            yield contest(title, points, k, work, options)
        del points


def run(options: argparse.Namespace) -> None:
    work = COMMANDS[options.command]
    write(table(work.columns, contests(work, options)), work.columns, options)
