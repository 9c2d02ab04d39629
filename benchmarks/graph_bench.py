"""Time minimum spanning forests of graphs on either device, beside peers, with the total weight for each time.

    python benchmarks/graph_bench.py --device cpu --peers --data FOLDER --markdown benchmarks/results/$(hostname).md
    python benchmarks/graph_bench.py --device cuda --data FOLDER --weights int32 float32 float64 int64
    python benchmarks/graph_bench.py --sets ws:100000:6 grid1024 --peers scipy rustworkx --runs 3

FOLDER holds USA-road-d.NY.gr, .gr.gz or .npz; without it that set is left out. README.md in this folder says what is
timed and what is not.
"""

from __future__ import annotations

import argparse
import pathlib
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from expected import forest_verdict, recorded_forests
from graph_contestants import PEERS, Solver, ours, peers
from graph_sets import Graph, Missing, check_graph
from memory import high_water, in_child, peak_on_device
from race import common_parser, shuffled
from report import FORESTS, median_of, table, write

OURS = "emst"
SETS = ["USA-road-d.NY", "grid1024", "grid4096", "rmat22", "gnm22", "gnm1M"]
QUICK = ["grid:40", "rmat:11:16", "er:2000:8"]
WEIGHTS = ["int32", "float32", "float64", "int64"]
TINY = "grid:8"  # compiles and starts threads


def arguments() -> argparse.Namespace:
    top = common_parser(__doc__, list(PEERS))
    graph_options(top)
    top.add_argument("--sets", nargs="+", metavar="SET", help=f"{', '.join(SETS)}, or KIND:N... of graph_sets.py")
    top.add_argument("--peer-runs", type=int, help="runs of the peers, which can take minutes (default: --runs)")
    top.add_argument("--weights", nargs="+", choices=WEIGHTS, default=["int32"])
    options = top.parse_args()
    options.sets = options.sets or (QUICK if options.quick else SETS)
    return options


def graph_options(top: argparse.ArgumentParser) -> None:
    """The options of both drivers that time graphs."""
    top.add_argument("--data", type=pathlib.Path, metavar="FOLDER", help="folder of road networks")
    top.add_argument("--scratch", type=pathlib.Path, metavar="FOLDER", help="keeps generated graphs for later runs")
    top.add_argument("--quick", action="store_true", help="tiny graphs")


def measure(graph: Graph, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Time every contestant on one graph; our record comes first."""
    field = {OURS: ours(options.device)} | invited(options)
    calls = {}
    for name, solver in field.items():
        prepared = solver.prepare(graph)
        solver.solve(prepared if options.device == "cuda" else solver.prepare(tiny(graph, options)))
        calls[name] = partial(solver.solve, prepared), partial(solver.figures, graph=graph)
    common = {"set": graph.name, "n": graph.n, "entries": graph.entries, "dtype": str(graph.weights.dtype)}
    runs = dict.fromkeys(field, options.peer_runs or options.runs) | {OURS: options.runs}
    found = shuffled(f"{graph.name} {common['dtype']}", calls, runs, options)
    del calls, prepared
    records = [common | {"contestant": name} | found[name] for name in field]
    records[0]["peak_bytes"] = None if options.no_memory else peak_of(graph, options)
    return records + (recorded_forests(common) if options.device == "cuda" else [])


def tiny(graph: Graph, options: argparse.Namespace) -> Graph:
    """A tiny graph with weights of the same type, to compile with."""
    return check_graph(TINY, options.scratch, None).weighing(graph.weights.dtype)


def invited(options: argparse.Namespace) -> dict[str, Solver]:
    """The requested peers that are installed; the others are named on standard error."""
    if options.peers is None or options.device != "cpu":
        return {}
    present, absent = peers(options.peers or PEERS)
    for name in absent:
        print(f"{name} is not installed", file=sys.stderr)
    return present


def peak_of(graph: Graph, options: argparse.Namespace) -> int | None:
    """Our peak memory beyond the input in one run, in bytes; None where it cannot be measured."""
    if options.device == "cuda":
        arrays = graph.on("cuda")
        return peak_on_device(lambda: ours("cuda").solve(arrays))
    if not sys.platform.startswith("linux"):
        return None
    return in_child(__file__, "--child", graph.name, str(graph.weights.dtype), str(options.scratch))


def child(name: str, dtype: str, scratch: str) -> int:
    """Peak memory of one run in this process, which already holds the graph and the compiled code: bytes."""
    tiny, graph = (check_graph(one, pathlib.Path(scratch), None).weighing(dtype) for one in (TINY, name))
    solver = ours("cpu")
    solver.solve(tiny.on("cpu"))
    return high_water(lambda: solver.solve(graph.on("cpu")))


def comparison(records: list[dict[str, Any]]) -> str:
    """A line for each contestant: its time divided by ours."""
    mine = {(record["set"], record["dtype"]): median_of(record) for record in records if record["contestant"] == OURS}
    ratios: dict[str, dict[str, float]] = {}
    for record in records:
        if record["contestant"] != OURS:
            case = record["set"], record["dtype"]
            ratios.setdefault(record["contestant"], {})[" ".join(case)] = median_of(record) / mine[case]
    lines = []
    for name, found in ratios.items():
        worst = min(found, key=found.__getitem__)
        mean = float(np.exp(np.mean(np.log(list(found.values())))))
        slower = [case for case, ratio in found.items() if ratio < 1]
        lines.append(
            f"- {name}: {mean:.2f} times our time on the geometric mean of {len(found)}, at least {found[worst]:.2f} "
            f"({worst}); we are slower on {', '.join(slower) or 'none'}."
        )
    return "\n".join(["", "", *lines]) if lines else ""


def races(options: argparse.Namespace) -> Iterator[list[dict[str, Any]]]:
    for name in options.sets:
        try:
            graph = check_graph(name, options.scratch, options.data)
        except Missing as missing:
            print(missing, file=sys.stderr)
            continue
        for dtype in options.weights:
            yield measure(graph.weighing(dtype), options)


def main() -> None:
    options = arguments()
    with tempfile.TemporaryDirectory() as folder:
        options.scratch = options.scratch or pathlib.Path(folder)
        records = table(FORESTS, races(options))
    write(records, FORESTS, options, comparison(records))
    wrong = [f"{record['contestant']} on {record['set']}" for record in records if not _right(record, records)]
    if wrong:
        sys.exit(f"wrong total weight: {', '.join(wrong)}")


def _right(record: dict[str, Any], records: list[dict[str, Any]]) -> bool:
    """Whether a total is the known one and that of all other records of its set."""
    totals = {other["total"] for other in records if other["set"] == record["set"] and "total" in other}
    return "total" not in record or (forest_verdict(record) in ("ok", "-") and len(totals) == 1)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        print(child(*sys.argv[2:]))
    else:
        main()
