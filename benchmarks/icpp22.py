"""The figures of "A single-tree algorithm to compute the Euclidean minimum spanning tree on GPUs" (ICPP'22).

    python benchmarks/icpp22.py --device cpu --peers --markdown benchmarks/results/MACHINE-icpp22.md
    python benchmarks/icpp22.py --device cuda --peers --markdown benchmarks/results/MACHINE-icpp22.md
    python benchmarks/icpp22.py --figure 9 --k-sets uniform3:1000000 "my points=points.npy"

A set is a name of `python -m datasets list`, NAME:N with another number of points, or TITLE=FILE.npy. On the CPU the
sets have a million points, unless --n says otherwise, in float64. On a GPU they have their own number, in float32. Sets
that have to be downloaded, and cannot be, are left out with a line that says where they come from.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import shlex
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from papers.phases import phases
from papers.point_lab import PEERS, PointLab
from papers.rates import parallel_rates, sequential_rates, speedups
from papers.samples import neighbours, samples
from report import machine

from datasets import REGISTRY

FIGURES = {1: parallel_rates, 5: sequential_rates, 6: speedups, 7: samples, 8: phases, 9: neighbours}
GENERATED = ["uniform2", "uniform3", "normal2", "normal3", "visualvar2", "visualvar3", "traj3", "halo3"]
SETS = [*GENERATED, "ngsim", "porto-taxi", "road-network-3d", "geolife"]
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


def arguments() -> argparse.Namespace:
    top = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    top.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    top.add_argument("--figure", nargs="+", type=int, choices=list(FIGURES), default=list(FIGURES))
    top.add_argument("--data", type=pathlib.Path, metavar="FOLDER", help="of sets that are downloaded")
    top.add_argument("--n", type=int, help="points of a set without N, and most points of a file")
    top.add_argument("--sets", nargs="+", metavar="SET", default=SETS, help="of figures 1, 5, 6 and 8")
    top.add_argument("--sample-sets", nargs="+", metavar="SET", help="of figure 7")
    top.add_argument("--k-sets", nargs="+", metavar="SET", help="of figure 9")
    top.add_argument("--k", nargs="+", type=int, help="of figure 9, beside 1; counts the point itself")
    top.add_argument("--runs", type=int, default=5)
    top.add_argument("--seed", type=int, default=0, help="seed of the order of the runs")
    top.add_argument("--peers", nargs="*", choices=PEERS, help="also time these peers; without names all of them")
    top.add_argument("--peer-runs", type=int, help="runs of every peer (default: --runs)")
    top.add_argument("--quick", action="store_true", help="tiny sets")
    top.add_argument("--markdown", type=pathlib.Path, metavar="FILE")
    top.add_argument("--json", type=pathlib.Path, metavar="FILE")
    options = top.parse_args()
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


def main() -> None:
    options = arguments()
    sections, tables = [f"# {machine(options.device)}", f"`{shlex.join(['python', *sys.argv])}`"], []
    lab = PointLab(options)
    before = load()
    for figure in options.figure:
        start = time.perf_counter()
        table = FIGURES[figure](lab)
        print(f"{table.markdown()}\n\n{time.perf_counter() - start:.0f} s", flush=True)
        sections.append(table.markdown())
        tables.append(table.record())
        end = [f"Load averages of the machine before and after: {before}; {load()}."]
        if lab.problems:
            end.append("\n".join(["## Problems", "", *(f"- {problem}" for problem in lab.problems)]))
        if options.markdown:  # keep the tables so far, in case a later experiment fails
            options.markdown.write_text("\n\n".join(sections[:2] + end[:1] + sections[2:] + end[1:]) + "\n")
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(options.device), "tables": tables}, indent=1))
    if lab.problems:
        sys.exit(f"{len(lab.problems)} problems")


def load() -> str:
    """Processes that ran or waited, on average over 1, 5 and 15 minutes."""
    return ", ".join(f"{average:.2f}" for average in os.getloadavg())


if __name__ == "__main__":
    main()
