"""The figures of "A single-tree algorithm to compute the Euclidean minimum spanning tree on GPUs" (ICPP'22).

    python benchmarks icpp22 --device cpu --peers --markdown icpp22.md
    python benchmarks icpp22 --device cuda --figure 1 7 8 9 --runs 3 --markdown icpp22.md     # no peers, no downloads
    python benchmarks icpp22 --figure 9 --k-sets uniform3:1000000 "my points=points.npy"

A set is a name of `python -m datasets list`, NAME:N with another number of points, or TITLE=FILE.npy. On the CPU the
sets have a million points, unless --n says otherwise, in float64. On
a GPU they have their own number, in float32. With --data FOLDER the sets that are downloaded take part, too; those that
cannot be fetched are left out, with a line that says where they come from. Without it nothing is downloaded.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import time

from papers.phases import phases
from papers.point_lab import PEERS, PointLab
from papers.rates import parallel_rates, sequential_rates, speedups
from papers.samples import neighbours, samples
from race import common_options, peer_options
from report import append, extend, report_problems, write_json

from datasets import REGISTRY

FIGURES = {1: parallel_rates, 5: sequential_rates, 6: speedups, 7: samples, 8: phases, 9: neighbours}
GENERATED = ["uniform2", "uniform3", "normal2", "normal3", "visualvar2", "visualvar3", "traj3", "halo3"]
DOWNLOADED = ["ngsim", "porto-taxi", "road-network-3d", "geolife"]
SCALES = {  # of the experiments: (cpu, cuda, quick)
    "n": (1_000_000, None, 3000),  # points of a set without N; None: its own number
    "dtype": ("float64", "float32", "float64"),
    "sequential_n": (300_000, 1_000_000, 1000),  # points of figure 5
    "sample_sets": (["halo3:4000000"], ["halo3", "uniform3"], ["halo3"]),
    "samples": (
        [10_000, 30_000, 100_000, 300_000, 1_000_000],
        [10_000, 100_000, 1_000_000, 3_000_000, 10_000_000],
        [300, 1000],
    ),
    "k_sets": (["halo3", "uniform3"], ["halob3", "uniform3"], ["halo3"]),
    "k": ([1, 2, 4, 8, 16, 32, 64], [1, 2, 4, 8, 16, 32, 64], [1, 4]),
    "stage_k": ([1, 16], [1, 16], [1, 4]),
}


def arguments(top: argparse.ArgumentParser, given: list[str]) -> argparse.Namespace:
    common_options(top)
    peer_options(top, PEERS)
    top.add_argument("--figure", nargs="+", type=int, choices=list(FIGURES), default=list(FIGURES))
    top.add_argument("--data", type=pathlib.Path, metavar="FOLDER", help="of sets that are downloaded")
    top.add_argument("--n", type=int, help="points of a set without N, and most points of a file")
    top.add_argument("--sets", nargs="+", metavar="SET", help="of figures 1, 5, 6 and 8")
    top.add_argument("--sample-sets", nargs="+", metavar="SET", help="of figure 7")
    top.add_argument("--k-sets", nargs="+", metavar="SET", help="of figure 9")
    top.add_argument("--k", nargs="+", type=int, help="of figure 9, beside 1; counts the point itself")
    top.add_argument("--quick", action="store_true", help="tiny sets")
    options = top.parse_args(given)
    options.sets = options.sets or GENERATED + DOWNLOADED * bool(options.data)
    which = 2 if options.quick else ["cpu", "cuda"].index(options.device)
    for name, scales in SCALES.items():
        if getattr(options, name, None) is None:
            setattr(options, name, scales[which])
    for name in options.sets + options.sample_sets + options.k_sets:
        row = REGISTRY.get(name.partition(":")[0])
        if "=" not in name and (row is None or row.kind != "points"):
            top.error(f"{name} is neither a set of points of the registry nor TITLE=FILE.npy")
    options.k = sorted({1, *options.k})  # times are divided by those for k = 1
    options.peer_runs = options.peer_runs or options.runs
    options.metric = "euclidean"
    return options


def run(options: argparse.Namespace) -> None:
    tables, lab = [], PointLab(options)
    append(f"Load averages of the machine before: {load()}.", options)
    for figure in options.figure:
        start = time.perf_counter()
        table = FIGURES[figure](lab)
        print(f"{table.markdown()}\n\n{time.perf_counter() - start:.0f} s", flush=True)
        extend(table.markdown(), options)
        tables.append(table.record())
    extend(f"Load averages after: {load()}.", options)
    write_json({"tables": tables}, options)
    report_problems(lab.problems, options)


def load() -> str:
    """Processes that ran or waited, on average over 1, 5 and 15 minutes."""
    return ", ".join(f"{average:.2f}" for average in os.getloadavg())
