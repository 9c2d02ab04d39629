"""The experiments of the papers: a table and a plot for each, our times beside the published ones.

    python benchmarks graph-papers --device cuda --data FOLDER --markdown papers.md --plots FOLDER
    python benchmarks graph-papers --only gamma offload
    python benchmarks graph-papers --names --device cuda       # names of the graphs to generate, for graph_sets.py

On the CPU the graphs are smaller. FOLDER holds road networks (USA-road-d.NY.gr, .gr.gz or .npz); those that are not
there are replaced by generated road-like graphs.
"""

from __future__ import annotations

import argparse
import pathlib
import tempfile
import time

from graph_sets import QUICK, SETS, TINY, graph_options
from papers.knobs import gammas, offloads, reductions
from papers.lab import Lab
from papers.roads import road_like, roads
from papers.sides import side_by_side, worst_cases
from papers.sweeps import KINDS, degree_names, degrees, size_names, sizes
from race import common_options
from report import append, extend, report_problems, write_json

EXPERIMENTS = {  # experiments on the same graph follow each other, while it is on the device
    "roads": roads,
    "side-by-side": side_by_side,
    "gamma": gammas,
    "reduction": reductions,
    "offload": offloads,
    "sizes": sizes,
    "degrees": degrees,
    "worst-cases": worst_cases,
}
GAMMAS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
OFFLOADS = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0]
SCALES = {  # sizes of the experiments: (cpu, cuda, quick)
    "roads": (["NY", "FLA"], ["NY", "FLA", "CAL", "E", "W", "USA"], ["NY"]),
    "sets": (["USA-road-d.NY", "grid1024", "gnm1M"], SETS, QUICK),
    "knob_sets": (["USA-road-d.NY", "er:300000:6"], ["grid1024", "er:1000000:6", "rmat:20:6"], ["er:500:6"]),
    "sizes": ([100_000, 200_000, 400_000], [1_000_000, 2_000_000, 3_000_000, 4_000_000, 5_000_000], [300, 600]),
    "scales": ([16, 17, 18], [20, 21, 22], [8, 9]),  # of the kinds whose number of vertices is a power of two
    "degree_n": (100_000, 1_000_000, 300),
    "degree_scale": (17, 20, 8),
    "degrees": ([4, 8, 16, 32], [4, 8, 16, 32, 64], [4, 8]),
    "worst": (
        ["path:1000000", "star:1000000", "equal:300000", "row:300000", "isolated:1000000"],
        ["path:10000000", "star:10000000", "equal:4000000", "row:4000000", "isolated:1000000"],
        ["path:500", "star:500", "equal:300", "row:300", "isolated:50"],
    ),
    "gammas": (GAMMAS, GAMMAS, [2, 50]),
    "offloads": (OFFLOADS, OFFLOADS, [0.0, 0.5]),
    "road_like": (None, None, 1000),  # number of vertices; None: that of the network
}


def arguments(top: argparse.ArgumentParser, given: list[str]) -> argparse.Namespace:
    common_options(top)
    graph_options(top)
    top.add_argument("--only", nargs="+", choices=list(EXPERIMENTS), default=list(EXPERIMENTS))
    top.add_argument("--budget", type=float, default=2.0, help="seconds to spend on the runs of one cell of a table")
    top.add_argument("--names", action="store_true", help="only print the names of the generated graphs")
    top.add_argument("--plots", type=pathlib.Path, metavar="FOLDER")
    options = top.parse_args(given)
    which = 2 if options.quick else ["cpu", "cuda"].index(options.device)
    for name, scales in SCALES.items():
        setattr(options, name, scales[which])
    return options


def names(options: argparse.Namespace) -> list[str]:
    """Every generated graph that the experiments may use, the largest first."""
    wanted = [road_like(network, options.road_like) for network in options.roads[::-1]]
    wanted += [name for name in options.sets + options.knob_sets + options.worst if not name.startswith("USA")]
    for kind in KINDS:
        wanted += size_names(kind, options)[::-1] + degree_names(kind, options)[::-1]
    return list(dict.fromkeys([*wanted, TINY]))


def run(options: argparse.Namespace) -> None:
    if options.names:
        print(*names(options))
        return
    append("Each experiment has a table.", options)
    records = []
    with tempfile.TemporaryDirectory() as folder:
        options.scratch = options.scratch or pathlib.Path(folder)
        lab = Lab(options)
        for name in options.only:
            start = time.perf_counter()
            table = EXPERIMENTS[name](lab)
            section = table.markdown()
            print(f"{section}\n\n{time.perf_counter() - start:.0f} s", flush=True)
            picture = table.plot(options.plots) if options.plots else ""
            extend(section + (f"\n\n![{table.title}]({options.plots.name}/{picture})" if picture else ""), options)
            records.append(table.record())
    write_json({"tables": records}, options)
    report_problems(lab.problems, options)
